//! `mycli`, a reference manager for researchers, as a library: its tree and its commands.
//!
//! [`command`] is the clap tree, [`run`] runs what was matched, and [`Batch`] runs many commands as
//! one transaction. Nothing here touches the process's own streams or ends the process.
//!
//! # How to add a command
//!
//! One file a command, `commands/<group>/<command>.rs`:
//!
//! 1. `XArgs`, a `clap::Args` whose doc comment is the user's help (first line: what it does, in the
//!    words a user would search for) and whose `#[command(add = …)]` declares its effect with
//!    `clap_facade::annotate`. See `commands/items/list.rs` (reads) and `commands/items/add.rs` (writes).
//! 2. `cmd_x(ctx, args) -> Result<(), CliError>`. A read asks `ctx.db()` and prints with
//!    `ctx.print_rows`, `ctx.print_object` or `ctx.print_document`. A write calls
//!    `ctx.write(|ctx, plan| …)` and plans one operation a target with `plan.attempt(…)`, using
//!    `plan.insert`, `update` and `delete` (shown as they are) or `link`, `unlink` and `change` (links
//!    between rows, shown as the author says). Look rows up with `plan.find`, which sees what the plan
//!    did so far. The contract previews, refuses, applies, journals and reports.
//! 3. A variant in the group's `Subcommand` enum and its `dispatch`; a new group also in
//!    `commands/mod.rs`.
//! 4. Tests in `tests/cli/`, and for a mutating command a sample call in `tests/cli/contract.rs`.

mod app;
pub mod citations;
mod commands;
pub mod context;
pub mod contract;
pub mod db;
pub mod enrich;
pub mod error;
pub mod formats;
pub mod globals;
pub mod hygiene;
pub mod io;
pub mod model;
pub mod output;
pub mod progress;
pub mod settings;

pub use app::{command, run, run_line};
pub use contract::Batch;
pub use db::open_library;
pub use error::{CliError, ErrorKind, Place};
pub use io::Io;
