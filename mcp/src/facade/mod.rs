//! The paved path: a clap tree in, an agent server out.

mod builder;
mod error;
mod policy;
mod start;

pub use builder::Facade;
pub use error::StartError;
pub(crate) use policy::{Subject, UsersPolicy};
pub(crate) use start::own_program;
