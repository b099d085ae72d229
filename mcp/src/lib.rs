//! Serves any clap CLI to agents over MCP.

pub mod annotate;
pub mod argv;
pub mod catalog;
pub mod invocation;
pub mod refusal;

#[cfg(feature = "stdio")]
pub mod door;
#[cfg(feature = "stdio")]
pub mod exec;
#[cfg(feature = "stdio")]
mod facade;
#[cfg(feature = "stdio")]
pub mod run;
#[cfg(feature = "stats")]
pub mod stats;
#[cfg(feature = "stdio")]
pub mod surface;

#[cfg(feature = "stdio")]
pub use facade::{Facade, StartError};
