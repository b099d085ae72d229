use super::naming::Stored;
use crate::context::Context;
use crate::db::{Row, row};
use crate::error::CliError;
use crate::model::fold;
use crate::model::{ROLES, not_found};
use clap_facade::annotate::read_only;
use serde_json::json;

/// List the people in the library (authors, editors, translators) with their number of items.
#[derive(Debug, clap::Args)]
#[command(add = read_only().untrusted_output().example("Everybody called Smith", "creators list --contains smith"))]
pub(crate) struct ListArgs {
    /// Only names that contain this text; case and accents don't matter
    #[arg(long, value_name = "TEXT")]
    contains: Option<String>,

    /// Only people in this role
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,

    /// Show at most this many
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
}

pub(crate) fn cmd_list(ctx: &mut Context<'_, '_>, args: &ListArgs) -> Result<(), CliError> {
    if let Some(role) = args.role.as_deref().filter(|role| !ROLES.contains(role)) {
        return Err(not_found("role", role, ROLES));
    }
    let wanted = fold(args.contains.as_deref().unwrap_or_default());
    let sql = "SELECT c.id, c.family, c.given, c.literal, count(DISTINCT i.id) AS items,
                 group_concat(DISTINCT ic.role) AS roles
               FROM creators c JOIN item_creators ic ON ic.creator_id = c.id
               JOIN items i ON i.id = ic.item_id AND i.trashed_at IS NULL
               WHERE ?1 IS NULL OR ic.role = ?1
               GROUP BY c.id ORDER BY lower(c.family || c.literal), c.given, c.id";
    let found = ctx.db()?.query(sql, &[json!(args.role)])?;
    let rows: Vec<Row> = found
        .iter()
        .map(|creator| (Stored::of(creator).creator.name(), creator))
        .filter(|(name, _)| fold(name).contains(&wanted))
        .map(|(name, creator)| {
            let roles: Vec<&str> = creator["roles"].as_str().unwrap_or_default().split(',').collect();
            row([("name", json!(name)), ("items", creator["items"].clone()), ("roles", json!(roles))])
        })
        .collect();
    let shown = args.limit.unwrap_or(rows.len()).min(rows.len());
    ctx.print_rows(&["name", "items", "roles"], &rows[..shown], rows.len())
}
