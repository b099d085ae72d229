//! Trees of every clap shape, and what calls of them must mean.

mod calls;
mod commands;
mod help;
mod lessons;
mod lists;
mod parity;
mod positionals;
mod properties;
mod random;
pub(crate) mod reader;
mod relations;
mod table;
mod values;
