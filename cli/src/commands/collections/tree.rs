use crate::context::Context;
use crate::db::row;
use crate::error::CliError;
use crate::model::{Shelves, item_counts};
use clap_facade::annotate::read_only;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Draw the hierarchy of collections and sub-collections as a tree.
#[derive(Debug, clap::Args)]
#[command(add = read_only())]
pub(crate) struct TreeArgs {
    /// Start at this collection instead of the top
    collection: Option<String>,

    /// Go down at most this many levels
    #[arg(long, value_name = "N")]
    depth: Option<usize>,
}

pub(crate) fn cmd_tree(ctx: &mut Context<'_, '_>, args: &TreeArgs) -> Result<(), CliError> {
    let db = ctx.db()?;
    let shelves = Shelves::load(&db)?;
    let tree = Tree { counts: item_counts(&db)?, shelves };
    let depth = args.depth.unwrap_or(usize::MAX);
    let roots = match &args.collection {
        Some(collection) => vec![tree.shelves.resolve(collection)?],
        None => tree.shelves.children(None),
    };
    if ctx.globals.output.json {
        let nodes: Value = roots.iter().map(|id| tree.node(*id, depth)).collect();
        return ctx.print_object(&row([("collections", nodes)]));
    }
    let mut text = String::new();
    for id in roots {
        tree.draw(&mut text, id, "", "", depth);
    }
    ctx.print_document("text", &text, row([]))
}

struct Tree {
    shelves: Shelves,
    counts: BTreeMap<i64, usize>,
}

impl Tree {
    fn node(&self, id: i64, depth: usize) -> Value {
        let mut node = json!({"name": self.shelves.name(id), "id": id, "items": self.items(id)});
        let children = self.shelves.children(Some(id));
        if depth > 0 && !children.is_empty() {
            node["collections"] = children.into_iter().map(|child| self.node(child, depth - 1)).collect();
        }
        node
    }

    fn draw(&self, text: &mut String, id: i64, branch: &str, indent: &str, depth: usize) {
        text.push_str(&format!("{branch}{} ({})\n", self.shelves.name(id), self.items(id)));
        let children = self.shelves.children(Some(id));
        if depth == 0 {
            return;
        }
        for (index, child) in children.iter().enumerate() {
            let (branch, below) = if index + 1 == children.len() { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            self.draw(text, *child, &format!("{indent}{branch}"), &format!("{indent}{below}"), depth - 1);
        }
    }

    fn items(&self, id: i64) -> usize {
        self.counts.get(&id).copied().unwrap_or_default()
    }
}
