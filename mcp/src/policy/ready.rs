//! Policies that come with clap-facade, for programs whose owners do not annotate their trees.

use super::{Policy, PolicyError};

/// Each with the name of its program.
const READY: &[(&str, &str)] = &[
    ("cargo", include_str!("../../policies/cargo.mcp.toml")),
    ("git-cliff", include_str!("../../policies/git-cliff.mcp.toml")),
    ("jj", include_str!("../../policies/jj.mcp.toml")),
    ("rustup", include_str!("../../policies/rustup.mcp.toml")),
    ("uv", include_str!("../../policies/uv.mcp.toml")),
];

impl Policy {
    /// Returns the policy that comes with clap-facade for a program.
    ///
    /// Programs change from version to version: what it names and the program at hand does not have is passed over.
    ///
    /// # Errors
    /// As [`Policy::parse`]; a test proves that there is none.
    pub fn ready(name: &str) -> Result<Option<Self>, PolicyError> {
        let Some((_, text)) = READY.iter().find(|(program, _)| *program == name) else { return Ok(None) };
        Ok(Some(Self { names_must_exist: false, ..Self::parse(text)? }))
    }
}
