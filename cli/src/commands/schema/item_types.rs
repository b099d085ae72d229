use clap_facade::annotate::read_only;

/// List the types an item can have (article, book, thesis), with the fields each needs to be cited.
#[derive(Debug, clap::Args)]
#[command(add = read_only())]
pub struct ItemTypesArgs {}
