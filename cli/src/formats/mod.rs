//! Bibliography formats: text in, [`Record`]s out, and back.
//!
//! Every format reads into and writes from the same [`Record`]; what one of them reads and writes, it reads again
//! unchanged. A format is told by its content, never by a file's name: [`Format::detect`].

pub mod bibtex;
pub mod csl_json;
mod format;
mod library;
pub mod markdown;
mod record;
pub mod ris;
mod styled;

pub use format::{Format, FormatError, Parsed};
pub(crate) use library::texts;
pub use library::to_item;
pub use record::{Creator, Kind, Name, Record, Role, When};
pub use styled::{Look, Reference, Style, render_bibliography, render_citation};

#[cfg(test)]
mod testing;
