use super::files::{self, FileChange};
use super::gates;
use super::journal;
use super::plan::{Operation, Plan};
use super::report::{Mode, Outcome, Report};
use crate::context::Context;
use crate::db::{Db, write_row};
use crate::error::{CliError, ErrorKind};
use crate::progress::Progress;
use std::rc::Rc;

/// Plans with `build`, then previews, refuses or applies the plan, and prints the report.
///
/// # Errors
/// What `build` or the first failing operation reported, or the gate that refused.
pub(crate) fn write(
    ctx: &mut Context<'_, '_>,
    build: impl FnOnce(&mut Context<'_, '_>, &mut Plan) -> Result<(), CliError>,
) -> Result<(), CliError> {
    let applies = ctx.globals.applies();
    let mut transaction = Transaction::begin(ctx, applies)?;
    let planned = Plan::new(ctx.db()?).and_then(|mut plan| build(ctx, &mut plan).map(|()| plan));
    let mut plan = match planned {
        Ok(plan) => plan,
        Err(error) => {
            transaction.roll_back();
            return Err(error);
        }
    };
    if ctx.globals.output.agent {
        plan.operations.iter_mut().filter_map(|operation| operation.error.as_mut()).for_each(CliError::tell_agent);
    }
    let refusals = gates::refusals(&plan, &ctx.globals, ctx.batch.as_ref().map(|batch| batch.cap()));
    let mut report = Report::new(ctx, &plan, applies);
    if !applies {
        transaction.roll_back();
        report.warnings.extend(refusals.iter().map(|refusal| format!("would be refused: {refusal}")));
        let failed = plan.operations.iter_mut().find_map(|operation| operation.error.take());
        return report.print(ctx, Mode::Preview, failed);
    }
    if !refusals.is_empty() {
        transaction.roll_back();
        let refused = CliError::precondition(refusals.join("; "))
            .hint("nothing was changed; the same call without yes shows the plan");
        return report.print(ctx, Mode::Refused, Some(refused));
    }
    if plan.changes() > 0 {
        transaction.enter_file(ctx)?;
    }
    match apply(ctx, &mut plan, &mut report, &mut transaction) {
        Ok((outcome, failed)) => report.print(ctx, Mode::Apply(Box::new(outcome)), failed),
        Err(error) => {
            transaction.roll_back();
            report.print(ctx, Mode::Refused, Some(error))
        }
    }
}

fn apply(
    ctx: &mut Context<'_, '_>,
    plan: &mut Plan,
    report: &mut Report,
    transaction: &mut Transaction,
) -> Result<(Outcome, Option<CliError>), CliError> {
    let db = ctx.db()?;
    let in_batch = ctx.batch.is_some();
    if in_batch && plan.operations.iter().any(|operation| operation.external.is_some()) {
        return Err(CliError::precondition("this command can't be part of a batch: it works outside the transaction"));
    }
    let mut run = ctx.batch.as_ref().and_then(|batch| batch.run);
    let mut outcome = Outcome::default();
    let mut first_failure = None;
    let mut stopped = false;
    let mut steps = Vec::new();
    let mut staged: Vec<FileChange> = Vec::new();
    db.set_writable(true)?;
    let operations = std::mem::take(&mut plan.operations);
    let mut progress = Progress::start(ctx.io, &ctx.globals, "applying", operations.len());
    for mut operation in operations {
        progress.step();
        if (ctx.io.cancelled)() {
            return Err(CliError::failure("cancelled; nothing was changed"));
        }
        if stopped {
            outcome.not_attempted.push(operation.target);
            continue;
        }
        if operation.skipped.is_some() && operation.error.is_none() {
            outcome.skipped += 1;
            continue;
        }
        let done = match operation.error.take() {
            Some(error) => Err(error),
            None => {
                let id = match run {
                    Some(id) => id,
                    None => {
                        let name = if in_batch { "batch" } else { ctx.operation.as_str() };
                        *run.insert(journal::begin(&db, name, plan.undoes)?)
                    }
                };
                apply_one(&db, id, &operation)
            }
        };
        match done {
            Ok(()) => {
                outcome.applied.push(operation.target);
                staged.append(&mut operation.files);
                steps.extend(operation.external.take());
            }
            Err(error) => {
                outcome.failed.push((operation.target, error.clone()));
                first_failure.get_or_insert(error);
                let gates = &ctx.globals.gates;
                stopped = !gates.continue_on_error || outcome.failed.len() >= gates.max_failures as usize;
            }
        }
    }
    progress.finish();
    let applied = outcome.applied.len();
    if let Some(batch) = &mut ctx.batch {
        db.set_writable(false)?;
        batch.run = run;
        batch.add(applied, &report.digest, staged);
    } else {
        if let Some(run) = run.filter(|_| applied > 0) {
            journal::finish(&db, run, &report.summary, &report.digest, applied)?;
            files::apply_all(&staged)?;
            if let Err(error) = transaction.commit() {
                files::revert_all(&staged);
                return Err(error);
            }
        } else {
            run = None;
            transaction.roll_back();
        }
        for step in steps {
            db.set_writable(true)?;
            let made = step(&db);
            db.set_writable(false)?;
            match made {
                Ok(value) => outcome.external = value,
                Err(error) => first_failure = first_failure.or(Some(error)),
            }
        }
    }
    outcome.run = run;
    outcome.data = std::mem::take(&mut plan.result);
    let failed = first_failure.map(|error| match applied {
        0 => error,
        _ => incomplete(&outcome, &error),
    });
    Ok((outcome, failed))
}

fn incomplete(outcome: &Outcome, first: &CliError) -> CliError {
    let rest = match outcome.not_attempted.len() {
        0 => String::new(),
        count => format!(", {count} not attempted"),
    };
    let message =
        format!("{} applied, {} failed{rest}; first failure: {first}", outcome.applied.len(), outcome.failed.len());
    CliError::new(ErrorKind::Incomplete, message).hint(match outcome.not_attempted.is_empty() {
        true => "`mycli journal undo` takes the applied part back",
        false => "--continue-on-error goes on after a failure; `mycli journal undo` takes the applied part back",
    })
}

/// Applies one operation whole, or not at all.
fn apply_one(db: &Db, run: i64, operation: &Operation) -> Result<(), CliError> {
    db.connection().execute_batch("SAVEPOINT operation")?;
    let apply = || -> Result<(), CliError> {
        for change in &operation.rows {
            let touched =
                write_row(db.connection(), &change.table, change.id, change.before.as_ref(), change.after.as_ref())?;
            if touched != 1 {
                return Err(CliError::failure(format!("row {} of {} is gone", change.id, change.table)));
            }
        }
        journal::record(db, run, operation)
    };
    match apply() {
        Ok(()) => Ok(db.connection().execute_batch("RELEASE operation")?),
        Err(error) => {
            db.connection().execute_batch("ROLLBACK TO operation; RELEASE operation")?;
            Err(error)
        }
    }
}

/// The transaction around one command; none when a batch holds one.
struct Transaction {
    db: Option<Rc<Db>>,
    awaits_file: bool,
}

impl Transaction {
    fn begin(ctx: &mut Context<'_, '_>, applies: bool) -> Result<Self, CliError> {
        if ctx.batch.is_some() {
            return Ok(Self { db: None, awaits_file: false });
        }
        let db = ctx.db()?;
        if applies && db.is_in_file() {
            db.begin_writing()?;
        } else {
            db.connection().execute_batch("BEGIN")?;
        }
        Ok(Self { awaits_file: !db.is_in_file(), db: Some(db) })
    }

    /// Moves a plan that was made on the empty stand-in to the library's new file.
    fn enter_file(&mut self, ctx: &mut Context<'_, '_>) -> Result<(), CliError> {
        if !self.awaits_file || self.db.is_none() {
            return Ok(());
        }
        self.roll_back();
        let db = ctx.create_library()?;
        db.begin_writing()?;
        self.db = Some(Rc::clone(&db));
        if db.count("SELECT count(*) FROM journal_runs", &[])? > 0 {
            self.roll_back();
            return Err(CliError::new(ErrorKind::Busy, "another process has just created the library")
                .hint("run the command again"));
        }
        Ok(())
    }

    fn commit(&mut self) -> Result<(), CliError> {
        let Some(db) = self.db.take() else { return Ok(()) };
        let done = db.connection().execute_batch("COMMIT");
        if done.is_err() {
            let _ = db.connection().execute_batch("ROLLBACK");
        }
        db.set_writable(false)?;
        Ok(done?)
    }

    fn roll_back(&mut self) {
        if let Some(db) = self.db.take() {
            let _ = db.connection().execute_batch("ROLLBACK");
            let _ = db.set_writable(false);
        }
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        self.roll_back();
    }
}
