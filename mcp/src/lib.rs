//! Serves any clap CLI to agents over MCP.
//!
//! The one sentence: **clap tree → [`Catalog`](catalog::Catalog) of
//! [`Operation`](catalog::Operation)s → [`Invocation`](invocation::Invocation) → `run` → `Outcome`; a
//! surface chooses what is listed, a door chooses how it is carried.**
//!
//! ```text
//!  clap::Command ──► catalog ──► surface ── tools/list ──► door ◄──► agent
//!   + annotate        │  ▲         │                        │
//!                     │  └ search  │ resolve                │ call
//!                     ▼            ▼                        ▼
//!                 invocation ──► argv + proof ──► run: kill → budget → guard → approve
//!                                                      → execute → bound → audit
//!                                                           │
//!                                                       executor: in process, or its own process
//! ```
//!
//! - [`annotate`]: what an author declares on a clap `Command` or `Arg`.
//! - [`catalog`]: clap in, plain data out; `params` is the one enumerator of what a caller may set.
//! - [`invocation`]: the allow-list. Its only constructor validates.
//! - [`argv`]: the command line of an invocation, proved by parsing it back.
//! - [`refusal`]: every reason why a call was not run to its end, declared once.
#![cfg_attr(
    feature = "stdio",
    doc = "- [`run`]: the pipeline, one file a step; [`exec`]: what carries a proved call out.
- [`surface`]: what is listed; [`door`]: how it is carried.
- [`hosts`]: the file each host reads, and how an entry gets in and out of it.
- [`verbs`]: what a person runs beside the server, from a second binary or a mounted subcommand.
- [`wrap`]: the tree of a binary one did not write, from its own help.

# Example

```no_run
# fn command() -> clap::Command { clap::Command::new(\"app\") }
fn main() -> std::process::ExitCode {
    clap_facade::Facade::new(command()).main()
}
```"
)]

#[cfg(test)]
extern crate self as clap_facade;

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
mod folders;
#[cfg(feature = "stdio")]
pub mod hosts;
#[cfg(feature = "otel")]
pub mod otel;
#[cfg(feature = "stdio")]
pub mod policy;
#[cfg(feature = "stdio")]
pub mod run;
#[cfg(feature = "stdio")]
pub mod stats;
#[cfg(feature = "stdio")]
pub mod surface;
#[cfg(feature = "stdio")]
pub mod verbs;
#[cfg(feature = "stdio")]
pub mod wrap;

#[cfg(feature = "stdio")]
pub use facade::{Facade, StartError};

#[cfg(all(doctest, feature = "stdio"))]
#[doc = include_str!("../../README.md")]
struct Readme;
