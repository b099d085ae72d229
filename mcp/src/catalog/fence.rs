//! What a read-only call may do beside reading, as plain data.

/// What the system lets the read-only calls of a program do beside reading.
///
/// It holds for commands that are processes of their own: on Linux the kernel refuses them everything else that would
/// change a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fence {
    /// Whether the system holds calls to it; it does unless this is `Some(false)`.
    pub enforce: Option<bool>,
    /// Files and folders that they may change all the same, caches as a rule. `~` stands for the home, and a first
    /// component `$NAME` for what the variable says; where it is not set, nothing is meant. One that is missing is left
    /// out, or made where its name ends in `/`. A relative one is taken from where the command starts.
    pub writes: Vec<String>,
    /// Whether they may use the network; they may unless this is `Some(false)`.
    pub network: Option<bool>,
}

impl Fence {
    /// Returns what stands where both were said: of single words these count, and the files are those of both.
    #[must_use]
    pub fn over(&self, outer: &Self) -> Self {
        let more = outer.writes.iter().filter(|path| !self.writes.contains(path));
        Self {
            enforce: self.enforce.or(outer.enforce),
            writes: self.writes.iter().chain(more).cloned().collect(),
            network: self.network.or(outer.network),
        }
    }
}
