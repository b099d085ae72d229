use clap::Parser;

/// Greets people
#[derive(Parser)]
#[command(name = "greet", version)]
pub(crate) enum Cli {
    /// Says hello
    Hello {
        /// Whom to greet
        name: String,
    },
}
