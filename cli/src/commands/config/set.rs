use clap_facade::annotate::mutating;

/// Change a setting; an empty value resets it.
#[derive(Debug, clap::Args)]
#[command(add = mutating().hidden())]
pub(crate) struct SetArgs {
    /// Name of the setting
    name: String,

    /// Its new value
    value: String,
}
