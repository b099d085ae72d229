//! A second binary beside the CLI's own, which runs the calls: what `src/bin/greet-mcp.rs` holds.
//!
//! ```console
//! $ cargo build --examples && cargo run --example greet-mcp -- doctor
//! ```

mod cli;

use clap::CommandFactory;
use std::process::ExitCode;

fn main() -> ExitCode {
    clap_facade::Facade::new(cli::Cli::command()).main()
}
