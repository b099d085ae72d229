//! The `mycli` program.

use std::io::IsTerminal;
use std::process::ExitCode;

fn main() -> ExitCode {
    let terminal = std::io::stdout().is_terminal() && std::io::stderr().is_terminal();
    let mut io = mycli::Io {
        stdin: &mut std::io::stdin(),
        stdout: &mut std::io::stdout(),
        stderr: &mut std::io::stderr(),
        terminal,
        cancelled: &|| false,
    };
    ExitCode::from(mycli::run_line(std::env::args_os(), &mut io))
}
