//! Step 5: the only code that lets anything run.

use super::bound::{Bound, Delivered, Delivery, HELD_BYTES, MARK_BYTES, Printed, Untrusted, fence};
use super::kill::Kill;
use super::plan::Stage;
use super::span;
use super::{Caller, Outcome};
use crate::argv::Proved;
use crate::catalog::{Effect, Operation};
use crate::exec::{Captured, Enforcement, Executor, Exit, Finished, Job, Limits, Progress, Unit, fence_remark};
use crate::refusal::{Kind, Refusal};
use std::sync::Arc;
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

/// How much of a failed command's error output is told.
const REASON_BYTES: usize = 8 * 1024;

/// How much of a successful command's error output is told: warnings, summaries.
const REMARK_BYTES: usize = 2 * 1024;

/// Where a job runs: alone, or as part of one transaction.
pub(crate) enum Via<'a> {
    Executor(&'a dyn Executor),
    Unit(&'a mut dyn Unit),
}

/// The most bytes of an output that are looked through on the event loop's own threads.
const SHORT_BYTES: u64 = 64 << 10;

/// Runs one proved operation and turns what it printed into an outcome.
pub(crate) async fn execute(
    via: Via<'_>,
    mut delivery: Delivery,
    mut limits: Limits,
    proved: Arc<Proved>,
    stdin: Option<Vec<u8>>,
    cancel: CancellationToken,
    progress: Option<Progress>,
) -> Result<Outcome, Refusal> {
    let effect = proved.invocation().effect();
    let operation = Arc::clone(proved.invocation().operation());
    let previews = matches!(Stage::of_invocation(proved.invocation()), Stage::Previews | Stage::Silent);
    let spool = delivery.keeper.as_ref().and_then(|keeper| keeper.store.spool());
    // What a preview says is compared as a whole with what it said before.
    if spool.is_some() && !previews {
        limits.stdout_bytes = limits.stdout_bytes.min(HELD_BYTES);
    }
    if operation.untrusted_output {
        let mark = MARK_BYTES + operation.name.len();
        delivery.bound.limit = delivery.bound.limit.saturating_sub(mark);
    }
    let job =
        Job { proved, effect, stdin, limits, spool: spool.clone(), mask: delivery.mask.clone(), cancel, progress };
    let span = span::of_command(&operation, effect);
    let (finished, enforced) = match via {
        Via::Executor(executor) => {
            (executor.execute(job).instrument(span.clone()).await, enforcement(executor, &operation, effect))
        }
        Via::Unit(unit) => (unit.execute(job).instrument(span.clone()).await, None),
    };
    span::ended(&span, &finished);
    drop(span);
    let mut finished = finished.map_err(|refusal| marked(&operation, refusal))?;
    let is_held = enforced.is_some_and(|enforced| enforced.holds());
    let Captured { bytes: head, total } = std::mem::take(&mut finished.stdout);
    let (spooled, fault) = match spool.map_or(Ok(None), |spool| spool.take()) {
        Ok(spooled) => (spooled, None),
        Err(fault) => (None, Some(fault)),
    };
    let fenced = is_held.then(|| fenced(&operation, &finished, &head)).flatten();
    let whole = (previews && head.len() as u64 == total).then(|| head.clone());
    let printed = Printed { head, spooled, total };
    if !finished.exit.is_success() {
        delivery.fields = None;
    }
    let mut delivered = deliver(delivery, printed).await?;
    delivered.notes.extend(fault.map(|fault| format!("the rest could not be kept: {fault}")));
    let mut outcome = outcome(&operation, finished, delivered, total);
    outcome.notes.extend(fenced);
    outcome.printed = whole;
    Ok(outcome)
}

/// Tells how a call is held to reading; `None` where it does more, or the system has no part in it.
pub(crate) fn enforcement(executor: &dyn Executor, operation: &Operation, effect: Effect) -> Option<Enforcement> {
    (effect == Effect::ReadOnly).then(|| executor.enforcement(operation))?
}

/// Says of a command that failed, held to reading, what it may have failed of.
fn fenced(operation: &Operation, finished: &Finished, head: &[u8]) -> Option<String> {
    let signal = match finished.exit {
        Exit::Code(0) => return None,
        Exit::Code(_) => None,
        Exit::Signal(signal) => Some(signal),
    };
    fence_remark(&operation.fence, signal, [head, &finished.stderr.bytes])
}

/// Makes an output fit; a long one beside the event loop.
pub(crate) async fn deliver(delivery: Delivery, printed: Printed) -> Result<Delivered, Refusal> {
    match printed.total > SHORT_BYTES {
        false => Ok(delivery.deliver(printed)),
        true => spawn_blocking(|| delivery.deliver(printed)).await.map_err(|_| Refusal::new(Kind::Internal)),
    }
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

fn outcome(operation: &Operation, finished: Finished, delivered: Delivered, bytes: u64) -> Outcome {
    let exit = match finished.exit {
        Exit::Code(code) => code,
        Exit::Signal(signal) => 128 + signal,
    };
    let failed = exit != 0;
    let Delivered { text, json, media, mut notes, truncated } = delivered;
    if let Exit::Signal(signal) = finished.exit {
        notes.push(format!("ended by signal {signal}"));
    } else if failed {
        let meaning = operation.exit_codes.iter().find(|meaning| meaning.code == exit);
        notes.push(
            meaning.map_or_else(|| format!("exit code {exit}"), |meaning| format!("exit code {exit}: {meaning}")),
        );
    }
    let stderr = Bound::tail(&finished.stderr.bytes, if failed { REASON_BYTES } else { REMARK_BYTES });
    if !stderr.is_empty() {
        notes.push(match operation.untrusted_output {
            true => format!("stderr: {}", fence(&operation.name, &stderr)),
            false => format!("stderr: {stderr}"),
        });
    }
    let untrusted = operation.untrusted_output.then(|| Untrusted { source: operation.name.clone(), json });
    let truncated = truncated.map(Box::new);
    Outcome { text, notes, exit: Some(exit), failed, bytes, media, truncated, untrusted, printed: None }
}

/// Marks what a command had printed before it was stopped, where that comes from data.
fn marked(operation: &Operation, mut refusal: Refusal) -> Refusal {
    if let Some(partial) = refusal.partial.as_mut().filter(|_| operation.untrusted_output) {
        for stream in [&mut partial.stdout, &mut partial.stderr] {
            if !stream.is_empty() {
                *stream = fence(&operation.name, stream);
            }
        }
    }
    refusal
}
