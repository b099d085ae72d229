//! A second binary beside the CLI's own: what `src/bin/greet-mcp.rs` holds.
//!
//! ```console
//! $ cargo run --example second_binary -- tools
//! ```

use clap::{CommandFactory, Parser};
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
}

fn main() -> ExitCode {
    clap_facade::Facade::new(Cli::command()).main()
}
