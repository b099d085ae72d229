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

use clap_facade::refusal::Refusal;

/// The most bytes that one refusal may have, whatever was sent.
const REFUSAL_BYTES: usize = 256 << 10;

/// A refusal can be told in both forms, in a size that does not grow with the input.
fn is_told(refusal: &Refusal) {
    assert!(refusal.to_string().len() < REFUSAL_BYTES);
    assert!(refusal.to_json().to_string().len() < REFUSAL_BYTES);
}
