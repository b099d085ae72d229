//! The way into a clap binary one did not write: its own help, walked and read.
//!
//! Nothing but `<listed path> --help` is ever run, and `--version` where the first page lists it: `-h` and the word
//! `help` run programs in some CLIs.

mod ask;
mod cache;
mod report;
mod walk;

pub use cache::CachePolicy;
pub use report::{Report, Skipped};
pub use walk::{WalkOptions, WrapError, Wrapped, walk};
