//! What a person runs beside the server: one file a verb, the same shape each.
//!
//! | way in | the command line | what the adopter writes |
//! | --- | --- | --- |
//! | a second binary | `app-mcp VERB` | [`Facade::main`](crate::Facade::main) |
//! | a mounted subcommand | `app mcp VERB` | [`Facade::mount`](crate::Facade::mount), or a variant that holds [`Verbs`] |
//! | the binary `clap-facade` | `clap-facade VERB -- BINARY` | nothing |
//!
//! Without a verb the server starts. Every verb prints to a writer, for people unless `--json` asks for a
//! machine's form, and reads the very catalog that is served.

mod approvals;
mod audit;
mod desk;
mod doctor;
mod error;
mod explain;
mod export;
mod install;
mod kill;
mod lint;
mod lock;
mod mount;
mod own;
mod scratch;
mod start;
mod stats;
mod tools;
mod verb;
mod wrapped;

pub use desk::Launch;
pub use error::VerbError;
pub use mount::{MountError, Mounted};
pub use verb::Verbs;
pub use wrapped::main_wrapped;

pub(crate) use own::OwnVerb;
pub(crate) use scratch::MakeScratch;
