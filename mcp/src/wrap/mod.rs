//! The way into a clap binary one did not write: its own help, walked and read.
//!
//! Nothing but `<listed path> --help` is ever run: `-h` and the word `help` run programs in some CLIs.

mod ask;
mod cache;
mod report;
mod walk;

pub use cache::CachePolicy;
pub use report::{Report, Skipped};
pub use walk::{WalkOptions, WrapError, Wrapped, walk};
