//! The step: what a call needs before it may run, and the permit that is held while it does.

use super::allowance::{Cost, Measure};
use super::file::{Clock, Shelf};
use super::ledger::{Account, Ledger};
use crate::refusal::{Kind, Refusal};
use crate::run::{Caller, Outcome, audit};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The most lookups at once: as many as find a thread beside the most runs.
const LOOKUPS: usize = 256;

/// What runs and what was used up.
#[derive(Clone, Debug)]
pub struct Budget {
    runs: Places,
    lookups: Places,
    ledger: Arc<Ledger>,
}

#[derive(Clone, Debug)]
struct Places {
    most: usize,
    free: Arc<Semaphore>,
}

/// What a call asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Load {
    /// It only looks up what there is, and is not counted.
    Lookup,
    /// It runs something, or was meant to.
    Run(Cost),
}

/// Held as long as a call runs; what the call did not use is given back with it.
#[derive(Debug)]
pub(crate) struct Permit {
    charged: Option<Charged>,
    /// Given back last: a server that stops waits for it.
    _place: OwnedSemaphorePermit,
}

#[derive(Debug)]
struct Charged {
    ledger: Arc<Ledger>,
    account: Account,
    reserved: Cost,
    /// How long the call may run.
    time: Option<Duration>,
    use_of: Mutex<Use>,
}

/// What a call has used so far.
#[derive(Clone, Copy, Debug, Default)]
struct Use {
    ran: Cost,
    since: Option<Instant>,
    printed: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self::concurrent(256)
    }
}

impl Budget {
    /// Allows so many calls at once; what principals use up is not kept beyond this process.
    pub fn concurrent(most: usize) -> Self {
        let (runs, lookups) = (Places::new(most), Places::new(LOOKUPS));
        Self { runs, lookups, ledger: Arc::new(Ledger::new(None, Clock::own())) }
    }

    /// Keeps what principals use up in the file that belongs to an audit: its name and `.budget`.
    pub fn beside(audit: &Path) -> Self {
        // Beside a device there is no place for files.
        let has_place = audit.metadata().map_or(true, |metadata| metadata.is_file());
        let shelf = has_place.then(|| Shelf::new(audit::beside(audit, "budget"), Clock::shared()));
        Self { ledger: Arc::new(Ledger::new(shelf, Clock::own())), ..Self::default() }
    }

    /// Waits until nothing runs.
    pub async fn idle(&self) {
        for places in [&self.runs, &self.lookups] {
            let all = u32::try_from(places.most).unwrap_or(u32::MAX);
            drop(places.free.acquire_many(all).await);
        }
    }

    /// Returns how many bytes arguments have, where those are counted.
    pub(crate) fn weigh(&self, caller: &Caller, arguments: &serde_json::Map<String, serde_json::Value>) -> u64 {
        match caller.principal.budget.counts(Measure::RequestBytes) {
            true => serde_json::to_string(arguments).map_or(0, |text| text.len() as u64),
            false => 0,
        }
    }

    /// Lets the call pass while there is room for it and its principal has enough left; the permit is held as long as
    /// it runs. `bytes` is how large its arguments are, by [`Budget::weigh`].
    ///
    /// # Errors
    /// [`Kind::BudgetExhausted`], saying which limit it is, what is left and when there is more; then nothing is
    /// charged. [`Kind::BudgetUnavailable`].
    pub(crate) fn check(&self, caller: &Caller, load: Load, bytes: u64) -> Result<Permit, Refusal> {
        let (places, cost) = match load {
            Load::Lookup => (&self.lookups, None),
            Load::Run(cost) => (&self.runs, Some(cost.with(Measure::RequestBytes, bytes))),
        };
        let place = places.free.clone().try_acquire_owned().map_err(|_| {
            Refusal::new(Kind::BudgetExhausted)
                .because(format!("{} calls are running, which is the most at once", places.most))
                .hint("call again when one has answered")
        })?;
        let charged = match cost.filter(|_| caller.principal.budget.limits_anything()) {
            None => None,
            Some(reserved) => {
                let account = Account::of(caller);
                let time = self.ledger.charge(&account, &reserved)?;
                let use_of = Mutex::default();
                Some(Charged { ledger: self.ledger.clone(), account, reserved, time, use_of })
            }
        };
        Ok(Permit { charged, _place: place })
    }
}

impl Places {
    fn new(most: usize) -> Self {
        Self { most, free: Arc::new(Semaphore::new(most)) }
    }
}

impl Permit {
    /// Counts the time from now on, where it is not counted yet.
    pub(crate) fn begin(&self) {
        self.note(|used| used.since = used.since.or_else(|| Some(Instant::now())));
    }

    /// Counts that so much of what was asked for runs.
    pub(crate) fn spend(&self, cost: &Cost) {
        self.note(|used| used.ran = used.ran.plus(cost));
    }

    /// Counts what a call printed.
    pub(crate) fn printed(&self, outcome: &Outcome) {
        self.note(|used| used.printed = outcome.bytes);
    }

    /// Returns how long a call may run that by itself may run so long.
    pub(crate) fn time(&self, timeout: Duration) -> Duration {
        self.charged.as_ref().and_then(|charged| charged.time).map_or(timeout, |time| time.min(timeout))
    }

    /// Takes back what a call is charged that never ran, and says of one that ran out of time that it was the
    /// principal's, where that is so.
    pub(crate) fn explain(&self, refusal: Refusal) -> Refusal {
        if matches!(refusal.kind, Kind::Busy | Kind::NotStarted) {
            self.note(|used| used.ran = Cost::default());
        }
        let Some(Charged { account, time: Some(time), use_of, .. }) = &self.charged else { return refusal };
        let since = use_of.lock().unwrap_or_else(PoisonError::into_inner).since;
        match refusal.kind == Kind::TimedOut && since.is_some_and(|since| since.elapsed() >= *time) {
            true => refusal.hint(format!("`{}` had only {time:?} of its wall-time left", account.name())),
            false => refusal,
        }
    }

    fn note(&self, note: impl FnOnce(&mut Use)) {
        if let Some(charged) = &self.charged {
            note(&mut charged.use_of.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }
}

impl Drop for Charged {
    fn drop(&mut self) {
        let Use { ran: run, since, printed } = *self.use_of.get_mut().unwrap_or_else(PoisonError::into_inner);
        let ran = since.map_or(0, |since| since.elapsed().as_micros().div_ceil(1000).try_into().unwrap_or(u64::MAX));
        let late = Cost::default().with(Measure::WallTime, ran).with(Measure::OutputBytes, printed);
        let unused = self.reserved.minus(&run.at_least(&self.reserved.on_arrival()));
        self.ledger.settle(&self.account, &unused, &late);
    }
}
