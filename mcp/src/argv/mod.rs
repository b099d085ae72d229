//! `&Invocation` → argv, and the parse-back proof.
//!
//! `options` and `positionals` write the tokens, `line` puts them in an order in which none can swallow
//! another, `proof` reads them back with the CLI's own parser, `complaint` says what that parser minded.

mod complaint;
mod line;
mod options;
mod positionals;
mod proof;
mod proved;

pub use proved::Proved;
