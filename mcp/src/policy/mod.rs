//! The policy file: what an operator says of a CLI, for a tree that is not theirs or to tighten one that is.
//!
//! `NAME.mcp.toml` stands beside the CLI's own configuration ([`Policy::path`]), or is named by `--policy FILE`.
//! What it says of commands becomes annotations of the very clap tree that everything reads, so that there is
//! still one tree and one enumerator; an annotation of the author's gives way to it.
//!
//! ```
//! use clap::Command;
//! use clap_facade::policy::Policy;
//!
//! let policy = Policy::parse(r#"
//! deny = ["self"]
//!
//! [[command]]
//! match = ["pip list", "python *"]
//! effect = "read-only"
//! timeout = "20s"
//! "#)?;
//! # let _ = policy;
//! # Ok::<(), clap_facade::policy::PolicyError>(())
//! ```

mod apply;
mod error;
mod file;
mod glob;
mod plain;
mod principals;
mod read_only;
mod ready;
mod secrets;

pub use error::PolicyError;
pub use file::{
    Apply, ApprovalRule, Auditing, CommandRule, Declared, Environment, Example, ExitCode, Flushing, Mode, Policy,
    Standing,
};
pub use glob::Pattern;
pub(crate) use glob::word_matches;
pub use principals::{BudgetRule, Limits, PrincipalRule, Scope, SessionRule};
pub use read_only::ReadOnly;
pub use secrets::SecretSource;
pub(crate) use secrets::{By, Fill, fill};
