use clap_facade::annotate::mutating;

/// Change a setting; an empty value resets it.
#[derive(Debug, clap::Args)]
#[command(add = mutating().hidden())]
pub struct SetArgs {
    /// Name of the setting
    pub name: String,

    /// Its new value
    pub value: String,
}
