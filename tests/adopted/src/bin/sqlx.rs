//! The CLI as its crate has it (sqlx-cli 0.9.0, `src/bin/sqlx.rs`), and `sqlx mcp` mounted in it by the lines marked.

use clap::{CommandFactory, FromArgMatches};
use sqlx_cli::Opt;
use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    sqlx_cli::maybe_apply_dotenv();
    sqlx::any::install_default_drivers();
    let app = clap_facade::Facade::new(Opt::command()).mount("mcp").expect("`mcp` is free"); // adopted
    let matches = app.command().get_matches(); // adopted
    if let Some(code) = app.run(&matches) {
        return code;
    } // adopted
    let opt = Opt::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    if let Err(error) = sqlx_cli::run(opt).await {
        println!("error: {error}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
