//! Serves any clap CLI to agents over MCP.

pub mod annotate;
pub mod argv;
pub mod catalog;
#[cfg(feature = "stdio")]
pub mod exec;
pub mod invocation;
pub mod refusal;
