//! Serves any clap CLI to agents over MCP.

pub mod annotate;
pub mod argv;
pub mod catalog;
pub mod invocation;
pub mod refusal;
