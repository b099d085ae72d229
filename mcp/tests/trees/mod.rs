//! Clap trees, each named by the feature it shows.
pub(crate) mod peers;
