//! Whole catalogs: what is exposed, under which names, with which schemas.

mod trees;

use clap_facade::catalog::{Catalog, Settings, schema};

#[test]
fn every_schema_of_the_peers_tree_keeps_to_the_safe_profile() {
    let catalog = Catalog::new(trees::peers::command(), &Settings::default()).unwrap();
    assert_eq!(catalog.operations().len(), 60);
    for operation in catalog.operations() {
        assert_eq!(schema::check(&schema::compact(operation).into()), Ok(()), "{}", operation.name);
        assert_eq!(schema::check(&schema::full(operation).into()), Ok(()), "{}", operation.name);
    }
}
