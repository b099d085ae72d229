use clap_facade::annotate::read_only;

/// Show a setting, or all of them.
#[derive(Debug, clap::Args)]
#[command(add = read_only().hidden())]
pub(crate) struct GetArgs {
    /// Name of the setting
    name: Option<String>,
}
