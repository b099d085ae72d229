use super::add::{parse_creator, parse_field};
use super::read_keys;
use crate::commands::targets::each_item;
use crate::context::Context;
use crate::error::CliError;
use crate::model::{Creator, Item, update_item};
use clap_facade::annotate;

/// Edit items: change title, type, date, authors, key or any other field
///
/// What is not named stays. An empty value clears a field.
#[derive(Debug, clap::Args)]
#[command(add = annotate::mutating()
    .example("Correct the year", "items edit darwin1859 --issued 1860 --yes")
    .example("Set the publisher and clear the address", "items edit darwin1859 --set publisher=Murray --set url= --yes"))]
pub(crate) struct EditArgs {
    /// The citation key or DOI of an item; may name several, `-` reads keys from stdin, where there is one
    #[arg(value_name = "KEY", required = true)]
    keys: Vec<String>,
    /// The new title
    #[arg(long, value_name = "TITLE", allow_hyphen_values = true)]
    title: Option<String>,
    /// The new type (`mycli schema item-types` lists them)
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<String>,
    /// The new date of publication: YYYY, YYYY-MM or YYYY-MM-DD
    #[arg(long, value_name = "DATE", allow_hyphen_values = true)]
    issued: Option<String>,
    /// The new citation key, of a single item
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    /// The new authors in order, as `Family, Given` or `{Name}`; may be given again
    #[arg(long, value_name = "NAME")]
    author: Vec<String>,
    /// The new creators of another role, like `editor:Noether, Emmy`; may be given again
    #[arg(long, value_name = "ROLE:NAME")]
    creator: Vec<String>,
    /// A field's new value as `name=value`, or `name=` to clear it; may be given again
    #[arg(long = "set", value_name = "NAME=VALUE")]
    set: Vec<String>,
}

pub(crate) fn cmd_edit(ctx: &mut Context<'_, '_>, args: &EditArgs) -> Result<(), CliError> {
    let keys = read_keys(ctx, &args.keys)?;
    if args.key.is_some() && keys.len() > 1 {
        return Err(CliError::usage("--key renames a single item").hint("name one item"));
    }
    let edit = Edit::parse(args)?;
    ctx.write(|ctx, plan| {
        each_item(ctx, plan, "edit", &keys, |plan, item| {
            let items = Item::select(&plan.db(), "i.id = ?1", &[item.id.into()])?;
            items.into_iter().try_for_each(|mut item| {
                edit.apply(&mut item);
                update_item(plan, &item)
            })
        })
    })
}

/// The changes asked for, read once for all items.
struct Edit<'a> {
    args: &'a EditArgs,
    creators: Vec<Creator>,
    fields: Vec<(&'static str, &'a str)>,
}

impl<'a> Edit<'a> {
    fn parse(args: &'a EditArgs) -> Result<Self, CliError> {
        let authors = args.author.iter().map(|name| Creator::parse("author", name));
        let others = args.creator.iter().map(|text| parse_creator(text));
        let edit = Self {
            args,
            creators: authors.chain(others).collect::<Result<_, _>>()?,
            fields: args.set.iter().map(|text| parse_field(text)).collect::<Result<_, _>>()?,
        };
        let texts = [&args.title, &args.kind, &args.issued, &args.key];
        if texts.iter().all(|text| text.is_none()) && edit.creators.is_empty() && edit.fields.is_empty() {
            return Err(CliError::usage("no change is named").hint("--title, --issued, --author or --set NAME=VALUE"));
        }
        Ok(edit)
    }

    fn apply(&self, item: &mut Item) {
        let args = self.args;
        let changes = [(&args.title, &mut item.title), (&args.kind, &mut item.kind), (&args.key, &mut item.key)];
        for (value, field) in changes {
            if let Some(value) = value {
                field.clone_from(value);
            }
        }
        if let Some(issued) = &args.issued {
            item.issued = Some(issued.clone()).filter(|issued| !issued.is_empty());
        }
        for (name, value) in &self.fields {
            item.set_field(name, value);
        }
        let replaced = |role: &str| self.creators.iter().any(|creator| creator.role == role);
        if !self.creators.is_empty() {
            let kept = item.creators.iter().filter(|creator| !replaced(&creator.role)).cloned();
            let mut creators: Vec<Creator> = self.creators.iter().cloned().chain(kept).collect();
            creators.sort_by_key(|creator| creator.role != "author");
            item.creators = creators;
        }
    }
}
