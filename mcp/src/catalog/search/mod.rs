//! The ranked index behind `command_search`: from what somebody wants to the commands that do it.
//!
//! A query goes through three rooms: `query` reads it (flags, values, negations, phrases), `thesaurus` and
//! `lexicon` say what each word may have meant, `index` scores the operations by what `reader` found in them. All of it is pure, and the
//! same operations give the same ranking in any order, but for ties.

mod index;
mod lexicon;
mod query;
mod reader;
#[cfg(test)]
mod tests;
mod thesaurus;
mod words;

pub use index::{GroupAbout, GroupSummary, Hit, Index};
