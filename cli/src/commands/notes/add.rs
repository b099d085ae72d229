use super::text::{body_of, read_text, title_of};
use crate::commands::targets::find_item;
use crate::context::Context;
use crate::db::row;
use crate::error::CliError;
use clap_facade::annotate::mutating;
use serde_json::json;

/// Write a note about an item: a reading remark, with page and quote if you like.
#[derive(Debug, clap::Args)]
#[command(add = mutating().example("A remark with a quote", "notes add darwin1859 'How it ends' --page 490 --quote 'There is grandeur in this view of life'"))]
pub(crate) struct AddArgs {
    /// The item: its citation key or id
    item: String,

    /// The note's text, Markdown if you like; `-` reads it from standard input, where there is one
    text: String,

    /// Title of the note; its first words by default
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,

    /// Page or pages it is about
    #[arg(long, value_name = "PAGE")]
    page: Option<String>,

    /// The passage it quotes
    #[arg(long, value_name = "TEXT")]
    quote: Option<String>,
}

pub(crate) fn cmd_add(ctx: &mut Context<'_, '_>, args: &AddArgs) -> Result<(), CliError> {
    let text = read_text(ctx, &args.text)?;
    let body = body_of(&text, args.quote.as_deref(), args.page.as_deref());
    if body.is_empty() {
        return Err(CliError::usage("the note is empty"));
    }
    let title = args.title.clone().unwrap_or_else(|| title_of(&text, args.quote.as_deref()));
    ctx.write(|_, plan| {
        let item = find_item(plan, &args.item)?;
        plan.attempt("add", format!("note about {}", item.key), |plan| {
            let now = plan.now();
            let columns = [
                ("item_id", json!(item.id)),
                ("title", json!(title)),
                ("body", json!(body)),
                ("created_at", json!(now)),
                ("updated_at", json!(now)),
            ];
            let id = plan.insert("notes", row(columns))?;
            plan.result("id", id.into());
            Ok(())
        });
        Ok(())
    })
}
