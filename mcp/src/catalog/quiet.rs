//! Runs code that may panic on an author's mistake, and keeps the panic's text off stderr.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

/// Runs `work`; a panic becomes its message.
pub(super) fn catch<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        // A hook belongs to the whole process: everything but this thread's own work goes on as before.
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                before(info);
            }
        }));
    });
    let outer = QUIET.replace(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    QUIET.set(outer);
    result.map_err(|panic| said(&*panic).unwrap_or("no message").to_owned())
}

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Returns what a panic says of itself.
pub(crate) fn said(panic: &(dyn Any + Send)) -> Option<&str> {
    panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied())
}
