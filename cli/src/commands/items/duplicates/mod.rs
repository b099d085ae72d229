//! Finding and merging duplicates.

mod groups;
mod merge;
mod resolve;

use crate::context::Context;
use crate::db::{Row, row};
use crate::error::CliError;
use clap_facade::annotate;
use groups::{By, find_groups};
use serde_json::json;

/// List duplicates: items with the same DOI, or the same title and author
///
/// Each group names the item that `duplicates resolve` would keep, the most complete one.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true,
    add = annotate::read_only().untrusted_output().example("Works entered twice", "items duplicates"))]
pub(crate) struct DuplicatesArgs {
    #[command(subcommand)]
    command: Option<DuplicatesCommand>,
    /// What makes items duplicates
    #[arg(long, value_enum, default_value_t = By::All, value_name = "WHAT")]
    by: By,
    /// Show at most this many groups
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: u32,
}

/// What to do about duplicates.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum DuplicatesCommand {
    Resolve(resolve::ResolveArgs),
}

pub(crate) fn cmd_duplicates(ctx: &mut Context<'_, '_>, args: &DuplicatesArgs) -> Result<(), CliError> {
    if let Some(DuplicatesCommand::Resolve(args)) = &args.command {
        return resolve::cmd_resolve(ctx, args);
    }
    let db = ctx.db()?;
    let groups = find_groups(&db, args.by)?;
    let rows: Vec<Row> = groups
        .iter()
        .take(args.limit as usize)
        .map(|group| {
            row([
                ("keep", json!(group.keep().key)),
                ("others", json!(group.others().map(|item| &item.key).collect::<Vec<_>>())),
                ("reason", json!(group.reason)),
                ("title", json!(group.keep().title)),
            ])
        })
        .collect();
    ctx.print_rows(&["keep", "others", "reason", "title"], &rows, groups.len())
}
