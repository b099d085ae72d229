use clap_facade::annotate::read_only;

/// List the fields an item can have, what they mean and which types need them.
#[derive(Debug, clap::Args)]
#[command(add = read_only().example("What does a thesis need", "schema fields --type thesis"))]
pub struct FieldsArgs {
    /// Say which fields this item type needs
    #[arg(long = "type", value_name = "TYPE")]
    pub item_type: Option<String>,
}
