//! The policy file, and what it makes of a tree.

use crate::trees;
use clap::Command;
use clap_facade::catalog::{Catalog, CatalogError, Excuse, schema};
use clap_facade::policy::{Pattern, Policy, Standing};
use clap_facade::{Facade, StartError};
use std::sync::LazyLock;

/// One tree with the shapes that a policy speaks of, each below a command of its own.
static TREE: LazyLock<Command> = LazyLock::new(|| {
    let names =
        ["gates", "effects", "host owned", "external", "hidden", "inner command that runs", "defaults", "aliases"];
    let shapes = names.map(|name| trees::tree(name).name(name.replace(' ', "-")));
    Command::new("app").subcommand_required(true).subcommands(shapes)
});
static BEFORE: LazyLock<Catalog> = LazyLock::new(|| catalog(Facade::new(TREE.clone())).expect("the tree is valid"));

/// Nothing panics, and a policy never offers what it denies, offers a secret it names, or shows what the author hid.
pub fn check(input: &str) {
    let policy = match Policy::parse(input) {
        Ok(policy) => policy,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let facade = match Facade::new(TREE.clone()).policy(&policy) {
        Ok(facade) => facade,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let Some(after) = catalog(facade) else { return };
    for operation in after.operations() {
        let path = operation.path.join(" ");
        assert!(!covered(&policy.deny, &path), "`{path}` is denied");
        assert!(policy.default == Standing::Allow || covered(&policy.expose, &path), "`{path}` is not exposed");
        let hidden = BEFORE.excused().iter().any(|excused| excused.path == path && excused.reason == Excuse::Hidden);
        assert!(!hidden, "`{path}` is hidden");
        let is_known = BEFORE.operations().iter().any(|known| known.path == operation.path);
        assert!(is_known || covered(&policy.expose, &path), "`{path}` came up by itself");
        assert!(operation.tool.starts_with(policy.tool_prefix.as_deref().unwrap_or_default()));
        let secret = |name: &String| policy.secret.contains(name);
        assert!(!operation.params.iter().any(|param| secret(&param.id)), "a secret of `{path}` is offered");
        assert_eq!(schema::check(&schema::compact(operation).into()), Ok(()));
    }
}

fn catalog(facade: Facade) -> Option<Catalog> {
    match facade.catalog() {
        Ok(catalog) => Some(catalog),
        Err(StartError::Catalog(CatalogError::Tree(panic))) => panic!("{panic}"),
        Err(error) => {
            assert!(!error.to_string().is_empty());
            None
        }
    }
}

fn covered(patterns: &[Pattern], path: &str) -> bool {
    patterns.iter().any(|pattern| pattern.covers(path))
}
