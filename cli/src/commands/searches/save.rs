use super::saved::{Filters, find_search};
use crate::commands::fulltext::expression;
use crate::context::Context;
use crate::db::row;
use crate::error::CliError;
use crate::model::squash;
use clap_facade::annotate::mutating;
use serde_json::json;

/// Save a query (filter) under a name, to repeat it every week with `searches run`.
///
/// The words are those of `search`; the filters narrow what it finds, or stand alone.
#[derive(Debug, clap::Args)]
#[command(add = mutating()
    .example("Keep a filter for every week", "searches save graphs 'graph neural network*' --added-days 7"))]
pub(crate) struct SaveArgs {
    /// Name of the saved search
    name: String,

    /// Words and "phrases" to look for
    query: Vec<String>,

    #[command(flatten)]
    filters: Filters,

    /// Replace a saved search of the same name
    #[arg(long)]
    replace: bool,
}

pub(crate) fn cmd_save(ctx: &mut Context<'_, '_>, args: &SaveArgs) -> Result<(), CliError> {
    let name = squash(&args.name);
    if name.is_empty() {
        return Err(CliError::usage("a saved search needs a name"));
    }
    let query = squash(&args.query.join(" "));
    if !query.is_empty() && expression(&query, &[], &[]).is_none() {
        return Err(CliError::usage(format!("{query:?} holds no word to look for")));
    }
    if query.is_empty() && args.filters.is_empty() {
        return Err(CliError::usage("nothing to save").hint("give words to look for, or a filter like --tag"));
    }
    let filters = args.filters.to_json();
    ctx.write(|ctx, plan| {
        let found = find_search(&plan.db(), &name).ok();
        let now = plan.now();
        let same = found.as_ref().is_some_and(|row| row["query"] == json!(query) && row["filters"] == json!(filters));
        match found {
            Some(_) if same && ctx.globals.operation.idempotent => plan.skip("save", name, "is saved already"),
            Some(found) if args.replace => {
                plan.attempt("save", name, |plan| {
                    let changes =
                        row([("query", json!(query)), ("filters", json!(filters)), ("updated_at", json!(now))]);
                    plan.update("searches", found["id"].as_i64().unwrap_or_default(), changes)
                });
            }
            Some(_) => {
                return Err(CliError::precondition(format!("there is a saved search {name:?} already"))
                    .hint("--replace replaces it"));
            }
            None => {
                plan.attempt("save", name.clone(), |plan| {
                    let columns = [
                        ("name", json!(name)),
                        ("query", json!(query)),
                        ("filters", json!(filters)),
                        ("created_at", json!(now)),
                        ("updated_at", json!(now)),
                    ];
                    plan.insert("searches", row(columns))
                });
            }
        }
        Ok(())
    })
}
