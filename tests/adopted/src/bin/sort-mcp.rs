//! A second binary beside the CLI's own; only what `sort` writes to a file changes anything.

use clap_facade::annotate::read_only;

fn main() -> std::process::ExitCode {
    clap_facade::Facade::new(uu_sort::uu_app().name("sort").add(read_only().mutating_when("output"))).main()
}
