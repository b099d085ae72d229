use clap_facade::annotate::read_only;

/// List every command with its effect and flags, for programs to read.
#[derive(Debug, clap::Args)]
#[command(add = read_only())]
pub(crate) struct CapabilitiesArgs {
    /// Only the commands below this one, as words: `items tags`
    #[arg(value_name = "WORD")]
    below: Vec<String>,
}
