//! Which items a command takes: named ones, or those of a collection, tag or type.

use crate::commands::items::{LookedUp, look_up_items, read_items};
use crate::context::Context;
use crate::error::CliError;
use crate::model::{Item, Shelves};
use serde_json::{Value, json};

/// Which items a command takes.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Selection {
    /// Citation keys or DOIs, or `-` for keys on stdin, where there is one; without any, all items that the filters let through
    #[arg(value_name = "KEY")]
    keys: Vec<String>,
    /// Only items of this collection (name, path or id)
    #[arg(long, value_name = "PATH", conflicts_with = "keys")]
    collection: Option<String>,
    /// Only items with this tag; given twice, with all of them
    #[arg(long, value_name = "TAG", conflicts_with = "keys")]
    tag: Vec<String>,
    /// Only items of this type, like book or article-journal
    #[arg(long = "type", value_name = "TYPE", conflicts_with = "keys")]
    kind: Option<String>,
}

impl Selection {
    /// The items, named ones in the order of their names, others by key; never what is in the trash.
    ///
    /// # Errors
    /// When a named item does not exist, unless `--ignore-missing` says to pass over it.
    pub(crate) fn items(&self, ctx: &mut Context<'_, '_>) -> Result<Vec<Item>, CliError> {
        if !self.keys.is_empty() {
            return read_items(ctx, &self.keys);
        }
        self.filtered(ctx)
    }

    /// The items, or why a named one can't be had, each with its key.
    ///
    /// # Errors
    /// When the filters name what does not exist, or SQLite fails.
    pub(crate) fn each(&self, ctx: &mut Context<'_, '_>) -> Result<Vec<LookedUp>, CliError> {
        match self.keys.is_empty() {
            true => Ok(self.filtered(ctx)?.into_iter().map(|item| (item.key.clone(), Ok(item))).collect()),
            false => look_up_items(ctx, &self.keys),
        }
    }

    fn filtered(&self, ctx: &mut Context<'_, '_>) -> Result<Vec<Item>, CliError> {
        let db = ctx.db()?;
        let mut conditions = vec!["i.trashed_at IS NULL"];
        let mut params: Vec<Value> = Vec::new();
        if let Some(collection) = Shelves::find(&db, self.collection.as_deref())? {
            conditions.push("i.id IN (SELECT item_id FROM collection_items WHERE collection_id = ?)");
            params.push(json!(collection));
        }
        for tag in &self.tag {
            conditions
                .push("i.id IN (SELECT it.item_id FROM item_tags it JOIN tags t ON t.id = it.tag_id WHERE t.name = ?)");
            params.push(json!(tag));
        }
        if let Some(kind) = &self.kind {
            conditions.push("i.type = ?");
            params.push(json!(kind));
        }
        Item::select(&db, &format!("{} ORDER BY i.key", conditions.join(" AND ")), &params)
    }
}
