//! Every verb, one line and one match arm each.

use super::approvals::ApprovalsVerb;
use super::audit::AuditVerb;
use super::desk::Desk;
use super::doctor::Doctor;
use super::explain::Explain;
use super::export::Export;
use super::install::{Install, Uninstall};
use super::kill::KillVerb;
use super::lint::LintVerb;
use super::lock::Lock;
use super::start::Start;
use super::stats::Stats;
use super::tools::Tools;
use super::{VerbError, mount};
use crate::annotate;
use crate::facade::UsersPolicy;
use crate::policy::Policy;
use crate::{Facade, StartError};
use clap::{Arg, Args, Command, Subcommand, value_parser};
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::ExitCode;

/// The verbs of an agent server, to be held by a variant of a CLI's own command enum.
///
/// A command that holds them is never exposed to agents, wherever it is mounted and whatever it is called. To
/// the CLI's own parser they are words: so no global option of the CLI can clash with an option of a verb.
#[derive(Args, Clone, Debug)]
#[command(
    add = annotate::framework(),
    add = mount::Mark,
    disable_help_flag = true,
    disable_version_flag = true,
    disable_help_subcommand = true
)]
pub struct Verbs {
    /// What to do: start (the default), tools, stats, explain, lock, …; `help` shows them all
    #[arg(id = WORDS, value_name = "VERB", num_args = 0.., trailing_var_arg = true, allow_hyphen_values = true)]
    pub(super) words: Vec<OsString>,
}

/// The id of the words: globals of the CLI share the namespace.
const WORDS: &str = "clap-facade-words";

#[derive(Args, Clone, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct Parsed {
    #[command(subcommand)]
    verb: Option<Verb>,
    #[command(flatten)]
    start: Start,
    /// The operator's policy [default: NAME/NAME.mcp.toml in the user's configuration]
    #[arg(long, global = true, value_name = "FILE")]
    policy: Option<PathBuf>,
}

#[derive(Clone, Debug, Subcommand)]
enum Verb {
    Start(Start),
    Tools(Tools),
    Stats(Stats),
    Explain(Explain),
    Lock(Lock),
    Lint(LintVerb),
    Export(Export),
    Doctor(Doctor),
    Install(Install),
    Uninstall(Uninstall),
    Audit(AuditVerb),
    Kill(KillVerb),
    Approvals(ApprovalsVerb),
}

impl Parsed {
    pub(super) fn run(self, desk: Desk<'_>) -> Result<ExitCode, VerbError> {
        // What the CLI's owner commits and publishes must not depend on who runs the verb.
        let users = match self.verb {
            Some(Verb::Lock(_) | Verb::Lint(_) | Verb::Export(_)) => UsersPolicy::Ignore,
            _ => UsersPolicy::Heed,
        };
        if let (UsersPolicy::Ignore, None, Some(file)) =
            (users, &self.policy, Policy::path(desk.facade.command.get_name()))
            && file.is_file()
        {
            desk.warn(format!(
                "your policy {} is not read here; `--policy FILE` names one that counts",
                file.display()
            ));
        }
        let facade = match self.verb {
            // What the operator reaches for in need works under a broken policy, too.
            Some(Verb::Audit(_) | Verb::Kill(_) | Verb::Approvals(_)) => desk.facade,
            _ => desk.facade.under_policy(self.policy.as_deref(), users).map_err(StartError::from)?,
        };
        let mut launch = desk.launch;
        if let Some(file) = &self.policy {
            // A host starts the server in another folder.
            let file = std::path::absolute(file).unwrap_or_else(|_| file.clone());
            launch.options.push([OsStr::new("--policy="), file.as_os_str()].into_iter().collect());
        }
        let desk = Desk { facade, launch, out: desk.out };
        match self.verb {
            None => self.start.run(desk),
            Some(Verb::Start(verb)) => verb.run(desk),
            Some(Verb::Tools(verb)) => verb.run(desk),
            Some(Verb::Stats(verb)) => verb.run(desk),
            Some(Verb::Explain(verb)) => verb.run(desk),
            Some(Verb::Lock(verb)) => verb.run(desk),
            Some(Verb::Lint(verb)) => verb.run(desk),
            Some(Verb::Export(verb)) => verb.run(desk),
            Some(Verb::Doctor(verb)) => verb.run(desk),
            Some(Verb::Install(verb)) => verb.run(desk),
            Some(Verb::Uninstall(verb)) => verb.run(desk),
            Some(Verb::Audit(verb)) => verb.run(desk),
            Some(Verb::Kill(verb)) => verb.run(desk),
            Some(Verb::Approvals(verb)) => verb.run(desk),
        }
    }
}

/// Makes the command that carries the verbs of a server, the adopter's own included.
pub(super) fn command(name: String, facade: &Facade) -> Command {
    let cli = facade.command.get_name();
    let about = format!("Serves {cli} to agents over MCP on stdin and stdout");
    let mut command = Parsed::augment_args(Command::new(name)).about(about);
    if let Some(version) = facade.command.get_version() {
        command = command.version(version.to_owned());
    }
    for verb in OWNERS {
        // An arg of the verb's own stands before the global of the same id, with the help that is true here.
        command = command.mut_subcommand(verb, |verb| verb.arg(owners_policy()));
    }
    for own in &facade.verbs {
        let (name, verb) = (own.command.get_name(), own.command.clone());
        command = match command.find_subcommand(name) {
            Some(_) => command.mut_subcommand(name, |_| verb),
            None => command.subcommand(verb),
        };
    }
    command
}

/// The verbs that never read the user's policy, as [`Parsed::run`] has it.
const OWNERS: [&str; 3] = ["lock", "lint", "export"];

fn owners_policy() -> Arg {
    Arg::new("policy")
        .long("policy")
        .global(true)
        .value_name("FILE")
        .value_parser(value_parser!(PathBuf))
        .help("A policy; the user's own is not read, since what this makes must not depend on who runs it")
}
