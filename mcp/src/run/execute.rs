//! Step 5: the only code that lets anything run.

use super::bound::Bound;
use super::kill::Kill;
use super::plan::Stage;
use super::{Caller, Outcome};
use crate::argv::Proved;
use crate::catalog::{Effect, ExitMeaning, Fence, Operation};
use crate::exec::{Enforcement, Executor, Exit, Finished, Job, Limits, Progress, Unit, fence_remark};
use crate::refusal::Refusal;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// How much of a failed command's error output is told.
const REASON_BYTES: usize = 8 * 1024;

/// How much of a successful command's error output is told: warnings, summaries.
const REMARK_BYTES: usize = 2 * 1024;

/// Where a job runs: alone, or as part of one transaction.
pub(crate) enum Via<'a> {
    Executor(&'a dyn Executor),
    Unit(&'a mut dyn Unit),
}

/// Runs one proved operation and turns what it printed into an outcome.
pub(crate) async fn execute(
    via: Via<'_>,
    bound: Bound,
    limits: Limits,
    proved: Arc<Proved>,
    stdin: Option<Vec<u8>>,
    cancel: CancellationToken,
    progress: Option<Progress>,
) -> Result<Outcome, Refusal> {
    let effect = proved.invocation().effect();
    let operation = Arc::clone(proved.invocation().operation());
    let previews = matches!(Stage::of_invocation(proved.invocation()), Stage::Previews | Stage::Silent);
    let job = Job { proved, effect, stdin, limits, cancel, progress };
    let (finished, enforced) = match via {
        Via::Executor(executor) => (executor.execute(job).await?, enforcement(executor, &operation, effect)),
        Via::Unit(unit) => (unit.execute(job).await?, None),
    };
    let fence = enforced.filter(|enforced| enforced.holds()).map(|_| &operation.fence);
    let printed = (previews && !finished.stdout.is_cut()).then(|| finished.stdout.bytes.clone());
    Ok(Outcome { printed, ..outcome(bound, &operation.exit_codes, fence, finished) })
}

/// Tells how a call is held to reading; `None` where it does more, or the system has no part in it.
pub(crate) fn enforcement(executor: &dyn Executor, operation: &Operation, effect: Effect) -> Option<Enforcement> {
    (effect == Effect::ReadOnly).then(|| executor.enforcement(operation))?
}

/// Runs something with a token that the caller and the operator can both set.
pub(crate) async fn cancellable<F: Future>(
    caller: &Caller,
    kill: &Kill,
    run: impl FnOnce(CancellationToken) -> F,
) -> F::Output {
    let token = kill.token().child_token();
    let run = run(token.clone());
    tokio::pin!(run);
    tokio::select! {
        output = &mut run => return output,
        () = caller.cancel.cancelled() => token.cancel(),
        () = kill.switched_on() => token.cancel(),
    }
    run.await
}

fn outcome(bound: Bound, meanings: &[ExitMeaning], fence: Option<&Fence>, finished: Finished) -> Outcome {
    let exit = match finished.exit {
        Exit::Code(code) => code,
        Exit::Signal(signal) => 128 + signal,
    };
    let failed = exit != 0;
    let bytes = finished.stdout.total;
    let ended_by = match finished.exit {
        Exit::Code(_) => None,
        Exit::Signal(signal) => Some(signal),
    };
    let outputs = [finished.stdout.bytes.as_slice(), &finished.stderr.bytes];
    let fenced = fence.filter(|_| failed).and_then(|fence| fence_remark(fence, ended_by, outputs));
    let output = bound.apply(finished.stdout.bytes, bytes);
    let mut notes = output.notes;
    if let Exit::Signal(signal) = finished.exit {
        notes.push(format!("ended by signal {signal}"));
    } else if failed {
        let meaning = meanings.iter().find(|meaning| meaning.code == exit);
        notes.push(
            meaning.map_or_else(|| format!("exit code {exit}"), |meaning| format!("exit code {exit}: {meaning}")),
        );
    }
    let stderr = Bound::tail(&finished.stderr.bytes, if failed { REASON_BYTES } else { REMARK_BYTES });
    if !stderr.is_empty() {
        notes.push(format!("stderr: {stderr}"));
    }
    notes.extend(fenced);
    Outcome { text: output.text, notes, exit: Some(exit), failed, bytes, printed: None }
}
