use crate::context::Context;
use crate::error::CliError;
use crate::model::{Creator, Item, ROLES, add_item, field, normalize_doi};
use clap_facade::annotate;
use serde_json::json;

/// Add an item by hand: a book, article or other work, from its title, authors, year and fields
///
/// The citation key is made from the first author and the year unless --key gives one. Works that
/// have a DOI come with all their fields from `mycli import doi`.
#[derive(Debug, clap::Args)]
#[command(add = annotate::mutating()
    .example("Add a book", "items add 'On the Origin of Species' --type book --author 'Darwin, Charles' --issued 1859 --yes"))]
pub(crate) struct AddArgs {
    /// The title
    #[arg(value_name = "TITLE")]
    title: String,
    /// The type, like book or article-journal (`mycli schema item-types` lists them)
    #[arg(long = "type", value_name = "TYPE", default_value = "article-journal")]
    kind: String,
    /// The citation key
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    /// An author as `Family, Given`, or `{Name}` for a body; may be given again
    #[arg(long, value_name = "NAME")]
    author: Vec<String>,
    /// Another creator as `role:Family, Given`, like `editor:Noether, Emmy`; may be given again
    #[arg(long, value_name = "ROLE:NAME")]
    creator: Vec<String>,
    /// Date of publication: YYYY, YYYY-MM or YYYY-MM-DD
    #[arg(long, value_name = "DATE", allow_hyphen_values = true)]
    issued: Option<String>,
    /// The DOI
    #[arg(long, value_name = "DOI")]
    doi: Option<String>,
    /// The web address
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// Another field as `name=value`, like `publisher=Murray` (`mycli schema fields` lists them); may be given again
    #[arg(long = "set", value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// A tag; may be given again
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
    /// A collection (name, path or id) to put it into; may be given again
    #[arg(long, value_name = "PATH")]
    collection: Vec<String>,
}

pub(crate) fn cmd_add(ctx: &mut Context<'_, '_>, args: &AddArgs) -> Result<(), CliError> {
    let item = draft(args)?;
    ctx.write(|ctx, plan| {
        let target = if item.key.is_empty() { item.title.clone() } else { item.key.clone() };
        if ctx.globals.operation.idempotent
            && !item.key.is_empty()
            && plan.find("items", &[("key", item.key.clone().into())])?.is_some()
        {
            plan.skip("add", format!("item {target}"), "it exists");
            return Ok(());
        }
        let key = plan.attempt("add", format!("item {target}"), |plan| {
            if let Some(doi) = item.field("doi").and_then(normalize_doi)
                && let Some(other) = plan.find("items", &[("doi", doi.into())])?
            {
                plan.warn(format!("item {} has the same DOI", other["key"].as_str().unwrap_or_default()));
            }
            add_item(plan, &item)
        });
        plan.result("key", json!(key));
        Ok(())
    })
}

fn draft(args: &AddArgs) -> Result<Item, CliError> {
    let mut item = Item {
        key: args.key.clone().unwrap_or_default(),
        kind: args.kind.clone(),
        title: args.title.clone(),
        issued: args.issued.clone(),
        tags: args.tag.clone(),
        collections: args.collection.clone(),
        ..Item::default()
    };
    for name in &args.author {
        item.creators.push(Creator::parse("author", name)?);
    }
    for text in &args.creator {
        item.creators.push(parse_creator(text)?);
    }
    for (name, value) in [("doi", &args.doi), ("url", &args.url)] {
        item.set_field(name, value.as_deref().unwrap_or_default());
    }
    for text in &args.set {
        let (name, value) = parse_field(text)?;
        item.set_field(name, value);
    }
    Ok(item)
}

/// Reads `name=value` of a field.
pub(crate) fn parse_field(text: &str) -> Result<(&'static str, &str), CliError> {
    let hint = "write NAME=VALUE; `mycli schema fields` lists the names";
    let (name, value) =
        text.split_once('=').ok_or_else(|| CliError::usage(format!("{text:?} has no `=`")).hint(hint))?;
    let field = field(name).ok_or_else(|| CliError::usage(format!("unknown field {name:?}")).hint(hint))?;
    Ok((field.name, value))
}

/// Reads `role:name` of a creator.
pub(crate) fn parse_creator(text: &str) -> Result<Creator, CliError> {
    match text.split_once(':') {
        Some((role, name)) if ROLES.contains(&role.trim()) => Creator::parse(role.trim(), name),
        _ => Err(CliError::usage(format!("{text:?} names no role"))
            .hint(format!("write ROLE:NAME with one of {}", ROLES.join(", ")))),
    }
}
