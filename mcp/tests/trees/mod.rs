//! Clap trees, each named by the feature it shows.
pub mod peers;
