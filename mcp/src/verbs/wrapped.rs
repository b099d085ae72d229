//! The third way in: `clap-facade VERB [OPTIONS] -- BINARY [FIXED ARGS]`.

use super::VerbError;
use super::desk::Launch;
use super::own::finish;
use super::verb::command;
use crate::Facade;
use crate::exec::Subprocess;
use crate::facade::Subject;
use crate::wrap::{self, WalkOptions, Wrapped};
use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

impl From<Wrapped> for Facade {
    /// Serves a program by what was read from its help.
    fn from(wrapped: Wrapped) -> Self {
        let subject = subject(&wrapped);
        let executor = Subprocess::new(wrapped.program).fixed_args(wrapped.fixed_args);
        let mut facade = Self::new(wrapped.command).executor(executor);
        facade.report = Some(wrapped.report);
        facade.subject = Some(subject);
        facade
    }
}

/// A policy is about the program, under its own name or that of the file it links to; it sees the whole tree.
fn subject(wrapped: &Wrapped) -> Subject {
    let stem = |path: &Path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let linked = wrapped.program.canonicalize().ok();
    let mut names: Vec<String> =
        [Some(wrapped.program.as_path()), linked.as_deref()].into_iter().flatten().filter_map(stem).collect();
    names.dedup();
    let words: Vec<String> = wrapped.fixed_args.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    // A toolchain before the commands of a rustup proxy leads nowhere else in its tree.
    let words: Vec<String> = words.into_iter().filter(|word| !word.starts_with('+')).collect();
    Subject { names, base: words.join(" "), obscure: words.into_iter().find(|word| word.starts_with('-')) }
}

/// Runs the verb on this process's command line for the program that it names behind `--`: the `main` of the
/// binary `clap-facade`.
pub fn main_wrapped() -> ExitCode {
    let mut words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let behind: Vec<OsString> = words.drain(end..).skip(1).collect();
    let typed = words.clone();
    let matches = match own_command().try_get_matches_from(words) {
        Ok(matches) => matches,
        Err(error) => {
            let error = if behind.is_empty() { with_tip(error, &typed) } else { error };
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    finish(|out| {
        let (program, fixed_args) = behind.split_first().ok_or_else(|| {
            VerbError::argument("BINARY", "not given; the program stands behind `--`: clap-facade start -- uv")
        })?;
        let wrapped = wrap::walk(Path::new(program), fixed_args, &WalkOptions::default())
            .map_err(|error| VerbError::Own(error.into()))?;
        if let Some(summary) = wrapped.report.summary() {
            let _ = writeln!(std::io::stderr(), "{}: {summary}", wrapped.command.get_name());
        }
        let own = Launch::own().map_err(|error| VerbError::Start(error.into()))?;
        let program = wrapped.program.clone().into_os_string();
        let behind = [OsString::from("--"), program].into_iter().chain(fixed_args.iter().cloned()).collect();
        Facade::from(wrapped).execute(&matches, Launch { behind, ..own }, out)
    })
}

/// Adds where the program stands, for a line that names it where no word is taken.
fn with_tip(mut error: clap::Error, words: &[OsString]) -> clap::Error {
    let kind = match error.kind() {
        ErrorKind::UnknownArgument => ContextKind::InvalidArg,
        ErrorKind::InvalidSubcommand => ContextKind::InvalidSubcommand,
        _ => return error,
    };
    let at = match error.get(kind) {
        Some(ContextValue::String(said)) => words.iter().position(|word| *word == **said),
        _ => None,
    };
    // A word that is nearly a verb is rather a slip than a program.
    let has_tip =
        [ContextKind::SuggestedSubcommand, ContextKind::Suggested].iter().any(|kind| error.get(*kind).is_some());
    if let Some(at) = at.filter(|at| !has_tip && !words[*at].to_string_lossy().starts_with('-')) {
        let mut line: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        line.insert(at, "--".to_owned());
        let tip = format!("the program stands behind `--`: clap-facade {}", shell_words::join(line));
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// Makes the command of the binary, before it is known which program it serves.
fn own_command() -> Command {
    let nobodys = Facade::new(Command::new("a clap program").version(env!("CARGO_PKG_VERSION")));
    command("clap-facade".to_owned(), &nobodys)
        .no_binary_name(true)
        .about("Serves any clap program to agents over MCP, from its own help")
        .override_usage("clap-facade [VERB] [OPTIONS] -- BINARY [FIXED ARGS]...")
        .mut_subcommands(|verb| {
            let own = verb.get_positionals().map(|own| format!("<{}> ", own.get_id().as_str().to_uppercase()));
            let own: String = own.collect();
            let usage = format!("clap-facade {} [OPTIONS] {own}-- BINARY [FIXED ARGS]...", verb.get_name());
            verb.override_usage(usage)
        })
        .after_help("BINARY is the program; FIXED ARGS stand before the arguments of every call: `-- cargo nextest`.")
}
