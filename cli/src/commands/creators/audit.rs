use crate::context::Context;
use crate::db::{Row, row};
use crate::error::CliError;
use crate::hygiene::{Person, group_people};
use clap_facade::annotate::read_only;
use serde_json::json;

/// Find people recorded under more than one spelling: accents, initials, swapped or misspelt names.
#[derive(Debug, clap::Args)]
#[command(add = read_only().untrusted_output())]
pub(crate) struct AuditArgs {}

pub(crate) fn cmd_audit(ctx: &mut Context<'_, '_>, _args: &AuditArgs) -> Result<(), CliError> {
    let sql = "SELECT c.family || c.literal AS family, c.given, count(DISTINCT ic.item_id) AS items
               FROM creators c JOIN item_creators ic ON ic.creator_id = c.id
               GROUP BY c.id ORDER BY c.id";
    let text = |row: &Row, column: &str| row[column].as_str().unwrap_or_default().to_owned();
    let people: Vec<Person> = ctx
        .db()?
        .query(sql, &[])?
        .iter()
        .map(|row| Person {
            family: text(row, "family"),
            given: text(row, "given"),
            count: row["items"].as_u64().unwrap_or_default(),
        })
        .collect();
    let mut rows: Vec<Row> = Vec::new();
    for group in group_people(&people) {
        for variant in &group.variants {
            rows.push(row([
                ("name", json!(variant.name)),
                ("items", json!(variant.count)),
                ("differs_by", json!(variant.kind)),
                ("rename_to", json!(group.keep)),
            ]));
        }
    }
    ctx.print_rows(&["name", "items", "differs_by", "rename_to"], &rows, rows.len())
}
