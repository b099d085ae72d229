//! Life with hosts: which file each one reads, and how an entry gets in and out of it.
//!
//! A [`Host`] knows its file ([`Host::file`], from [`Places`]), format and key. [`install`] adds an [`Entry`] to that
//! file and touches no other byte; [`uninstall`] takes it back. Both answer with a [`Change`], whose diff a preview
//! shows without writing.
//!
//! ```no_run
//! use clap_facade::hosts::{self, Entry, Existing, Host, Mode, Places, Request, Scope, Target};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let host: Host = "vscode".parse()?;
//! let target = Target::new(host, Scope::User, &Places::detect()?, "app")?;
//! let path = std::env::var_os("PATH");
//! let entry = Entry::capture(&std::env::current_exe()?, ["mcp", "start"], path.as_deref())?;
//! let change = hosts::install(&Request { target, entry, existing: Existing::Refuse, mode: Mode::Preview })?;
//! let _shown = change.diff;
//! # Ok(())
//! # }
//! ```

mod edit;
mod entry;
mod file;
mod host;
mod install;
mod places;
#[cfg(test)]
mod tests;

pub use edit::{EditError, Existing, insert, remove};
pub use entry::Entry;
pub use file::FileError;
pub use host::{Format, Host, NoSuchScope, Scope, UnknownHost};
pub use install::{Change, ChangeKind, InstallError, Mode, Request, Target, install, registered, uninstall};
pub use places::{Os, Places};
