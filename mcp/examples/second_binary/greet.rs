//! A CLI as it was before agents came: nothing in it knows of them.
//!
//! ```console
//! $ cargo run --example greet -- hello Ada
//! ```

#![expect(clippy::print_stdout, reason = "that is how most CLIs are written")]

mod cli;

use clap::Parser;

fn main() {
    match cli::Cli::parse() {
        cli::Cli::Hello { name } => println!("Hello {name}"),
    }
}
