use clap_facade::annotate::read_only;

/// Check tag hygiene: spelling variants, tags used once, tags not used at all.
///
/// Each finding says what `tags audit fix` would do about it.
#[derive(Debug, clap::Args)]
#[command(add = read_only().untrusted_output())]
pub struct AuditArgs {
    /// Report only this kind of finding
    #[arg(long, value_enum, value_name = "KIND")]
    pub only: Option<TagFinding>,
}

/// A kind of untidiness among tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum TagFinding {
    /// Names that say the same
    Variants,
    /// Tags on one item only
    Singletons,
    /// Tags on no item
    Unused,
}
