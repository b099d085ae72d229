//! What a walk did not understand, and what it left out.

use std::fmt;
use std::time::Duration;

/// What a walk read and what it did not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// How many pages were read.
    pub pages: usize,
    /// The pages came from the cache.
    pub from_cache: bool,
    /// How long it all took.
    pub elapsed: Duration,
    /// Lines that look like an option, a positional or a command and could not be read, by command path.
    pub not_understood: Vec<(String, Vec<String>)>,
    /// Commands that are listed and have no page.
    pub skipped: Vec<Skipped>,
    /// The first page lists neither options, not even `--help`, nor commands: it is hardly clap's.
    pub foreign: bool,
}

/// A command that was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Skipped {
    /// Its path, joined by spaces.
    pub path: String,
    /// Why, as a sentence without its subject: "its --help printed no help".
    pub reason: String,
}

/// What is said of a page that is hardly clap's.
const FOREIGN: &str = "its help lists neither options nor commands as clap does";

impl Report {
    /// Says in one line what was not understood; nothing where all was.
    pub fn summary(&self) -> Option<String> {
        let lines: usize = self.not_understood.iter().map(|(_, lines)| lines.len()).sum();
        let mut parts = Vec::new();
        if self.foreign {
            parts.push(FOREIGN.to_owned());
        }
        if let Some((path, first)) = self.not_understood.first().and_then(|(path, lines)| Some((path, lines.first()?)))
        {
            let (s, more) = if lines == 1 { ("", String::new()) } else { ("s", format!(" and {} more", lines - 1)) };
            parts.push(format!("{lines} line{s} of help not understood (`{first}` of `{path}`{more})"));
        }
        if let Some(first) = self.skipped.first() {
            let (s, more) = match self.skipped.len() {
                1 => ("", String::new()),
                n => ("s", format!(", and {} more", n - 1)),
            };
            parts.push(format!(
                "{} command{s} left out (`{}`: {}{more})",
                self.skipped.len(),
                first.path,
                first.reason
            ));
        }
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}

impl fmt::Display for Report {
    /// Writes every line and every command, one a line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let from = if self.from_cache { " from the cache" } else { "" };
        let s = if self.pages == 1 { "" } else { "s" };
        writeln!(f, "{} page{s} of help{from}, in {:?}", self.pages, self.elapsed)?;
        if self.foreign {
            writeln!(f, "{FOREIGN}")?;
        }
        for (path, lines) in &self.not_understood {
            for line in lines {
                writeln!(f, "not understood: `{line}` of `{path}`")?;
            }
        }
        for Skipped { path, reason } in &self.skipped {
            writeln!(f, "left out: `{path}`: {reason}")?;
        }
        Ok(())
    }
}
