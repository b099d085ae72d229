use clap_facade::annotate::read_only;

/// Show a setting, or all of them.
#[derive(Debug, clap::Args)]
#[command(add = read_only().hidden())]
pub struct GetArgs {
    /// Name of the setting
    pub name: Option<String>,
}
