//! A fault of the facade itself, which must neither lose a call nor keep it out of the audit.

use crate::catalog::said;
use crate::refusal::{Kind, Refusal};
use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

/// Resolves a call; a panic becomes a refusal.
pub(super) fn resolved<T>(resolve: impl FnOnce() -> Result<T, Refusal>) -> Result<T, Refusal> {
    catch_unwind(AssertUnwindSafe(resolve)).unwrap_or_else(|panic| Err(failed(&*panic)))
}

/// Runs a call; a panic on its way becomes a refusal.
pub(super) async fn caught<T>(call: impl Future<Output = Result<T, Refusal>>) -> Result<T, Refusal> {
    let mut call = pin!(call);
    poll_fn(|context| {
        catch_unwind(AssertUnwindSafe(|| call.as_mut().poll(context)))
            .unwrap_or_else(|panic| Poll::Ready(Err(failed(&*panic))))
    })
    .await
}

fn failed(panic: &(dyn Any + Send)) -> Refusal {
    let why: String = said(panic).unwrap_or("it did not say why").chars().take(300).collect();
    let refusal = Refusal::new(Kind::Internal).because(format!("{}: {why}", Kind::Internal.sentence()));
    refusal.hint("see what the call did before you try again")
}
