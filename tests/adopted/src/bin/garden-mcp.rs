//! A second binary beside the CLI's own.

use clap::CommandFactory;

fn main() -> std::process::ExitCode {
    clap_facade::Facade::new(garden::cli::MainOptions::command()).main()
}
