//! A subcommand of the CLI itself: one variant and one match arm.
//!
//! ```console
//! $ cargo run --example mounted -- hello Ada
//! $ cargo run --example mounted -- mcp tools
//! ```
//!
//! A CLI without derive mounts it by `Facade::mount`.

use clap::{CommandFactory, Parser};
use std::io::Write;
use std::process::ExitCode;

/// Greets people
#[derive(Parser)]
#[command(name = "greet", version)]
enum Cli {
    /// Says hello
    Hello {
        /// Whom to greet
        name: String,
    },
    /// Serves these commands to agents
    Mcp(clap_facade::verbs::Verbs),
}

fn main() -> ExitCode {
    match Cli::parse() {
        Cli::Hello { name } => match writeln!(std::io::stdout(), "Hello {name}") {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        },
        Cli::Mcp(verbs) => clap_facade::Facade::new(Cli::command()).run(verbs),
    }
}
