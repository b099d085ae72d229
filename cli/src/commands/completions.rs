use crate::context::Context;
use crate::error::CliError;
use clap_facade::annotate::framework;

/// Write a completion script for a shell.
#[derive(Debug, clap::Args)]
#[command(add = framework())]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: clap_complete::Shell,
}

pub(crate) fn cmd_completions(ctx: &mut Context<'_, '_>, args: &CompletionsArgs) -> Result<(), CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut crate::app::command(), "mycli", &mut script);
    Ok(ctx.io.stdout.write_all(&script)?)
}
