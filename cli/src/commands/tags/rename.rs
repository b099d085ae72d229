use clap_facade::annotate::mutating;

/// Rename a tag (label, keyword) on every item.
#[derive(Debug, clap::Args)]
#[command(add = mutating().example("to-read is called later from now on", "tags rename to-read later"))]
pub struct RenameArgs {
    /// The tag as it is
    pub tag: String,

    /// Its new name; an existing tag is refused: merge them instead
    pub name: String,
}
