//! BibTeX and BibLaTeX.
//!
//! The grammar, `@string`, accents and inheritance are the `biblatex` crate's. What it trips over (circular references,
//! names of `@string`s in another case, ties, font commands) is made harmless before, in `source`.

mod names;
mod read;
mod source;
mod write;

pub(super) use read::is_entry_line;
pub use read::parse;
pub use write::render;

#[cfg(test)]
mod tests;
