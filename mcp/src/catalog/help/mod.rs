//! `--help` text → a structured page → a real `clap::Command`, for a CLI one does not own.
//!
//! Pure: text in, data out. Nothing here runs anything.
//!
//! What a help text can't tell is read so that no valid call is refused and no flag invented: an option with
//! one value may also be given a list (it may repeat), and a param is required only where every usage line says so.

mod arity;
mod entry;
mod notes;
mod page;
mod plain;
mod sections;
mod tree;
mod usage;

pub use page::{Argument, Flag, Listed, Page, Role, Takes};
pub use tree::Node;
