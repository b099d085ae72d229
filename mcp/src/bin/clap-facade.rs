//! Serves a clap binary that one did not write, from its own help.

fn main() -> std::process::ExitCode {
    clap_facade::verbs::main_wrapped()
}
