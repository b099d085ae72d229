//! What a policy says of calls that only read.

use crate::catalog::Fence;
use schemars::JsonSchema;
use serde::Deserialize;

/// What read-only calls may do beside reading. On Linux the kernel refuses them everything else that changes a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct ReadOnly {
    /// Whether the system holds them to it; it does unless this is `false`.
    pub enforce: Option<bool>,
    /// Files and folders that they may change all the same, such as a cache: `~/.cache/NAME/`, `$NAME_CACHE/`. One that
    /// is missing is left out, or made where its name ends in `/`.
    pub writes: Vec<String>,
    /// Whether they may use the network; they may unless this is `false`.
    pub network: Option<bool>,
}

impl ReadOnly {
    pub(super) fn fence(&self) -> Fence {
        Fence { enforce: self.enforce, writes: self.writes.clone(), network: self.network }
    }
}
