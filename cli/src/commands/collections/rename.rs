use clap_facade::annotate::mutating;

/// Give a collection another name.
#[derive(Debug, clap::Args)]
#[command(add = mutating().example("Misc becomes Later", "collections rename Misc Later"))]
pub struct RenameArgs {
    /// The collection: its name, path or id
    pub collection: String,

    /// Its new name
    pub name: String,
}
