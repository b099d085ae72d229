//! The library file: one SQLite database, opened for reading unless the write contract asks.
//!
//! Rows of the journaled tables are read and written generically here, as JSON objects, so that
//! the contract can record and undo any of them.

mod open;
mod row;

pub use open::{Db, Library, open_library};
pub(crate) use row::write_row;
pub use row::{JOURNALED, Referring, Row, row};
