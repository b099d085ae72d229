use super::checkpoint::Checkpoint;
use super::report::{Report, StepReport};
use super::steps::{Script, Step, Steps};
use crate::commands::input::read_text;
use crate::context::Context;
use crate::contract::Batch;
use crate::error::{CliError, ErrorKind};
use crate::io::Io;
use clap_facade::annotate::mutating;
use std::path::PathBuf;

/// Run several commands from a file as one change: steps as JSON or JSON lines.
///
/// A step is `{"command": "tags add", "flags": {"name": "value"}, "args": ["positional"]}`; the file holds a list of
/// them, an object with `steps`, or one a line. The steps are one transaction and one run of the journal: when one fails,
/// nothing is changed; with `--continue-on-error` only what that step did is taken back. With `--checkpoint` each step is a run of its own, and an interrupted file goes on with
/// `--resume`. The write gates are those of this command; a step can't set its own.
#[derive(Debug, clap::Args)]
#[command(add = mutating().hidden())]
pub(crate) struct RunArgs {
    /// The file, or `-` for standard input
    #[arg(value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,

    /// Keep each step when it is done, instead of all or nothing
    #[arg(long)]
    checkpoint: bool,

    /// Go on after the last step that was kept; needs --checkpoint
    #[arg(long, requires = "checkpoint")]
    resume: bool,
}

pub(crate) fn cmd_run(ctx: &mut Context<'_, '_>, args: &RunArgs) -> Result<(), CliError> {
    if ctx.batch.is_some() {
        return Err(CliError::usage("a workflow can't be a step of another"));
    }
    if args.checkpoint && ctx.globals.gates.continue_on_error {
        return Err(CliError::usage("--checkpoint stops at a failure, for --resume to go on there")
            .hint("leave --continue-on-error out, or --checkpoint"));
    }
    if !ctx.library().exists()? {
        return Err(CliError::precondition("there is no library yet").hint("`mycli init` makes one"));
    }
    let text = read_text(ctx, &args.file)?;
    let is_stdin = args.file.as_os_str() == "-";
    let name = if is_stdin { "standard input".to_owned() } else { args.file.display().to_string() };
    let script = Script::parse(&name, &text)?;
    let steps = Steps::prepare(&ctx.globals, &script)?;
    let mut report = Report::new(ctx, &script);
    let outcome = match (ctx.globals.applies(), args.checkpoint) {
        (false, _) => preview(ctx, &steps, &mut report),
        (true, false) => apply(ctx, &steps, &mut report),
        (true, true) => {
            let checkpoint = Checkpoint::open(ctx, &script, args.resume)?;
            apply_with_checkpoints(ctx, &steps, &mut report, checkpoint)
        }
    };
    report.print(ctx, outcome.err())
}

/// Does everything inside a transaction that is rolled back, so that a step sees what the ones before it did.
fn preview(ctx: &mut Context<'_, '_>, steps: &Steps, report: &mut Report) -> Result<(), CliError> {
    let mut batch = Batch::rehearse_on(ctx.library().clone(), usize::MAX)?;
    let failed = run_all(ctx, &mut batch, steps, report)?;
    let (changes, limit) = (batch.changes(), ctx.globals.max_changes());
    batch.rollback();
    if changes > limit {
        report.warn(format!(
            "would be refused: {changes} changes exceed the limit of {limit}; --max-changes {changes} lifts it"
        ));
    }
    if report.destroys() && !ctx.globals.gates.allow_destructive {
        report.warn("would be refused: a step destroys something; --allow-destructive lets it run".to_owned());
    }
    failed.map_or(Ok(()), Err)
}

fn apply(ctx: &mut Context<'_, '_>, steps: &Steps, report: &mut Report) -> Result<(), CliError> {
    let mut batch = Batch::begin_on(ctx.library().clone(), ctx.globals.max_changes())?;
    let failed = run_all(ctx, &mut batch, steps, report)?;
    if let Some(error) = failed.as_ref().filter(|_| !ctx.globals.gates.continue_on_error) {
        return Err(error.clone());
    }
    report.run = batch.commit()?;
    match (failed, report.done()) {
        (None, _) => Ok(()),
        (Some(error), 0) => Err(error),
        (Some(error), done) => {
            let message = format!("{done} steps are kept, {} failed; first failure: {error}", report.failed());
            Err(CliError::new(ErrorKind::Incomplete, message).hint("`mycli journal undo` takes the kept part back"))
        }
    }
}

/// Runs the steps up to the failure that the gates stop at, and gives the first failure.
///
/// # Errors
/// When the caller has cancelled, or a gate refuses a step: then the whole run is refused.
fn run_all(
    ctx: &mut Context<'_, '_>,
    batch: &mut Batch,
    steps: &Steps,
    report: &mut Report,
) -> Result<Option<CliError>, CliError> {
    let gates = ctx.globals.gates.clone();
    let mut first = None;
    for step in steps.all() {
        ensure_wanted(ctx)?;
        if let Err(error) = run_step(ctx, batch, steps, step, report) {
            if report.is_refused() {
                return Err(error);
            }
            first.get_or_insert(error);
            if !gates.continue_on_error || report.failed() >= gates.max_failures as usize {
                break;
            }
        }
    }
    Ok(first)
}

fn apply_with_checkpoints(
    ctx: &mut Context<'_, '_>,
    steps: &Steps,
    report: &mut Report,
    mut checkpoint: Checkpoint,
) -> Result<(), CliError> {
    let mut left = ctx.globals.max_changes();
    for step in steps.all().iter().skip(checkpoint.done()) {
        let mut batch = Batch::begin_on(ctx.library().clone(), left)?;
        let ran = ensure_wanted(ctx).and_then(|()| run_step(ctx, &mut batch, steps, step, report));
        let kept = ran.and_then(|()| {
            left -= batch.changes().min(left);
            batch.commit()
        });
        match kept {
            Ok(run) => {
                report.run = run.or(report.run);
                checkpoint.step_done(ctx)?;
            }
            Err(error) => {
                checkpoint.failed(ctx, &error)?;
                return Err(match checkpoint.done() {
                    0 => error,
                    done => CliError::new(ErrorKind::Incomplete, format!("{done} steps are kept; {error}"))
                        .hint("mend the cause, then run it again with --checkpoint --resume"),
                });
            }
        }
    }
    checkpoint.finished(ctx)
}

fn ensure_wanted(ctx: &Context<'_, '_>) -> Result<(), CliError> {
    if (ctx.io.cancelled)() { Err(CliError::failure("cancelled; the step was not begun")) } else { Ok(()) }
}

fn run_step(
    ctx: &mut Context<'_, '_>,
    batch: &mut Batch,
    steps: &Steps,
    step: &Step,
    report: &mut Report,
) -> Result<(), CliError> {
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let mut io = Io {
        stdin: &mut std::io::empty(),
        stdout: &mut stdout,
        stderr: &mut stderr,
        terminal: false,
        cancelled: ctx.io.cancelled,
    };
    let code = batch.run(steps.matches(step), &mut io);
    report.add(StepReport::new(step, code, &stdout, &stderr)).map_err(|error| error.at(steps.file(), step.line, ""))
}
