use clap_facade::annotate::mutating;

/// Apply the suggested tag repairs: merge variants into the most used name, drop unused tags.
///
/// Without `--all`, merges only names that differ by case, spaces, punctuation or accents. Tags used once are left
/// alone: only a reader can judge them.
#[derive(Debug, clap::Args)]
#[command(add = mutating().example("Repair plurals and spelling variants too", "tags audit fix --all"))]
pub struct AuditFixArgs {
    /// Also merge plurals, British and American spellings and likely slips
    #[arg(long)]
    pub all: bool,

    /// Keep tags that no item bears
    #[arg(long)]
    pub keep_unused: bool,
}
