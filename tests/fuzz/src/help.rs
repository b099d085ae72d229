//! Help texts → a clap tree.

use crate::{reader, trees};
use clap_facade::catalog::help::{Node, Page};
use clap_facade::catalog::{Catalog, CatalogError, schema};
use std::sync::LazyLock;

/// What stands between the pages of one input: no help text has it.
const BREAK: char = '\u{c}';

/// The most pages below the first.
const PAGES: usize = 8;

static REAL: LazyLock<Vec<String>> = LazyLock::new(|| {
    let pages = trees::all().into_iter().map(|(_, mut tree)| tree.render_long_help().to_string());
    pages.collect()
});

/// Nothing panics, the tree passes clap's own checks, and each of its commands has a schema that hosts take.
///
/// Pages are parted by form feeds: the first is the root's, the others those of the commands it lists. A page
/// that is one `#` and a character is what clap itself renders for one of the known trees.
pub fn check(input: &str) {
    let mut pages = input.splitn(PAGES + 1, BREAK).map(page);
    let mut root = Node::new("app", pages.next().unwrap_or_default());
    for listed in root.page.commands.clone() {
        // As in the walk: what mirrors the tree is left out.
        if listed.name != "help" {
            root.children.push(Node::listed(&listed, pages.next().unwrap_or_default()));
        }
    }
    let command = root.command();
    command.clone().debug_assert();
    let catalog = match Catalog::new(command.clone(), &reader::exposing(&command)) {
        Ok(catalog) => catalog,
        Err(CatalogError::Tree(panic)) => panic!("{panic}"),
        Err(_) => return,
    };
    for operation in catalog.operations() {
        let published = schema::compact(operation).into();
        assert_eq!(schema::check(&published), Ok(()), "{published}");
    }
}

fn page(text: &str) -> Page {
    let known = text.strip_prefix('#').and_then(|n| n.chars().next()).map(|n| n as usize % REAL.len());
    match known.filter(|_| text.chars().count() == 2) {
        Some(known) => Page::read(&REAL[known]),
        None => Page::read(text),
    }
}
