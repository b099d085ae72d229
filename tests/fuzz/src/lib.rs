//! What must hold of any input, one module a fuzz target.

#[path = "../../trees/reader.rs"]
#[cfg_attr(not(feature = "server"), expect(dead_code, reason = "the server's targets read more"))]
mod reader;
#[path = "../../../mcp/tests/trees/mod.rs"]
#[cfg_attr(not(feature = "server"), expect(dead_code, reason = "the server's targets read more"))]
mod trees;

mod bytes;
pub mod help;
pub mod invocation;
#[cfg(feature = "server")]
pub mod policy;
#[cfg(feature = "server")]
pub mod words;

use clap::Command;
use clap_facade::catalog::Settings;
use clap_facade::refusal::Refusal;

/// The most bytes that one refusal may have, whatever was sent.
const REFUSAL_BYTES: usize = 256 << 10;

/// The settings that expose the commands of a tree which take commands.
fn settings(command: &Command) -> Settings {
    fn takers(command: &Command, path: &str, found: &mut Vec<String>) {
        for sub in command.get_subcommands() {
            let path = format!("{path} {}", sub.get_name()).trim().to_owned();
            if sub.is_allow_external_subcommands_set() {
                found.push(path.clone());
            }
            takers(sub, &path, found);
        }
    }
    let mut expose = Vec::new();
    takers(command, "", &mut expose);
    Settings { expose, ..Settings::default() }
}

/// A refusal can be told in both forms, in a size that does not grow with the input.
fn is_told(refusal: &Refusal) {
    assert!(refusal.to_string().len() < REFUSAL_BYTES);
    assert!(refusal.to_json().to_string().len() < REFUSAL_BYTES);
}
