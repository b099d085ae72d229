use crate::context::Context;
use crate::error::CliError;

/// Write a completion script for a shell.
#[derive(Debug, clap::Args)]
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
