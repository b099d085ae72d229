//! Who has used up what, and how much runs.

use super::allowance::{Allowance, Cost, Measure};
use super::file::{Book, Clock};
use super::usage::Short;
use crate::refusal::{Kind, Refusal, Retry};
use crate::run::{Caller, Principal};
use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// The accounts of every principal and of every session.
#[derive(Debug)]
pub(super) struct Ledger {
    clock: Clock,
    /// What the principals' sessions share with other processes; `None` where there is no place for it.
    file: Option<PathBuf>,
    books: Mutex<Books>,
}

#[derive(Debug, Default)]
struct Books {
    /// In place of the file.
    principals: Book,
    sessions: Book,
    /// How many calls run, by principal and by session.
    running: HashMap<String, usize>,
}

/// Whose calls are charged.
#[derive(Clone, Debug)]
pub(super) struct Account {
    principal: Arc<Principal>,
    session: String,
}

impl Account {
    pub(super) fn of(caller: &Caller) -> Self {
        Self { principal: caller.principal.clone(), session: format!("{}/{}", caller.principal.name, caller.session) }
    }

    pub(super) fn name(&self) -> &str {
        &self.principal.name
    }

    pub(super) fn allowance(&self) -> &Allowance {
        &self.principal.budget
    }
}

impl Ledger {
    pub(super) fn new(file: Option<PathBuf>, clock: Clock) -> Self {
        Self { clock, file, books: Mutex::default() }
    }

    /// Charges a call before it runs; returns how long it may run, where that is limited.
    ///
    /// # Errors
    /// [`Kind::BudgetExhausted`], with nothing charged, and [`Kind::BudgetUnavailable`].
    pub(super) fn charge(&self, account: &Account, cost: &Cost) -> Result<Option<Duration>, Refusal> {
        let Allowance { shared, session } = account.allowance();
        let mut books = self.books.lock().unwrap_or_else(PoisonError::into_inner);
        let Books { principals, sessions, running } = &mut *books;
        let own = format!("this session of `{}`", account.name());
        let everybodys = format!("`{}`", account.name());
        for (whose, key, most) in [
            (&everybodys, account.name(), shared.concurrency),
            (&own, account.session.as_str(), session.concurrency),
        ] {
            let runs = running.get(key).copied().unwrap_or_default();
            if let Some(most) = most.filter(|most| runs >= *most) {
                return Err(Refusal::new(Kind::BudgetExhausted)
                    .because(format!("{whose} has {runs} calls running, and {most} may run at once"))
                    .hint("call again when one has answered"));
            }
        }
        let (usage, time) = sessions.account(&account.session, &self.clock.read());
        if let Some(short) = usage.shortage(session, cost, time) {
            return Err(short.refusal(&own));
        }
        let mut left = usage.left(session, Measure::WallTime, time);
        if shared.all().next().is_some() {
            let charge = |book: &mut Book| {
                let (usage, time) = book.account(account.name(), &self.clock.read());
                if let Some(short) = usage.shortage(shared, cost, time) {
                    return Err(short.refusal(&everybodys));
                }
                usage.charge(shared, cost, time);
                Ok(usage.left(shared, Measure::WallTime, time))
            };
            let others = match &self.file {
                Some(file) => Book::in_file(file, charge).map_err(|error| self.unavailable(&error))?,
                None => charge(principals),
            }?;
            left = [left, others].into_iter().flatten().min();
        }
        usage.charge(session, cost, time);
        for key in [account.name(), &account.session] {
            *running.entry(key.to_owned()).or_default() += 1;
        }
        Ok(left.map(Duration::from_millis))
    }

    /// Ends a charged call: gives back what it did not use, and charges what is known by now.
    pub(super) fn settle(&self, account: &Account, unused: &Cost, late: &Cost) {
        let Allowance { shared, session } = account.allowance();
        let mut books = self.books.lock().unwrap_or_else(PoisonError::into_inner);
        let Books { principals, sessions, running } = &mut *books;
        for key in [account.name(), &account.session] {
            if let Some(runs) = running.get_mut(key) {
                *runs -= 1;
            }
        }
        running.retain(|_, runs| *runs > 0);
        let settle = |book: &mut Book, name: &str, quotas| {
            let (usage, time) = book.account(name, &self.clock.read());
            usage.give_back(quotas, unused, time);
            usage.charge(quotas, late, time);
        };
        let change = unused.plus(late);
        if session.count_any(&change) {
            settle(sessions, &account.session, session);
        }
        match &self.file {
            _ if !shared.count_any(&change) => {}
            None => settle(principals, account.name(), shared),
            Some(file) => {
                if let Err(error) = Book::in_file(file, |book| settle(book, account.name(), shared)) {
                    tracing::error!("{}", self.unavailable(&error));
                }
            }
        }
    }

    fn unavailable(&self, error: &io::Error) -> Refusal {
        let at = self.file.as_deref().unwrap_or_else(|| "".as_ref()).display();
        Refusal::new(Kind::BudgetUnavailable).hint(format!("{at}: {error}"))
    }
}

impl Short {
    fn refusal(&self, whose: &str) -> Refusal {
        let Self { measure, quota, left, needed, refill } = self;
        let per = quota.window.map_or_else(
            || "in all".to_owned(),
            |window| format!("within {}", humantime::format_duration(window)),
        );
        let needs = if *needed > 1 { format!(", and this call needs {}", measure.say(*needed)) } else { String::new() };
        let refusal = Refusal::new(Kind::BudgetExhausted)
            .because(format!("{whose} may have {} {per}: {} left{needs}", measure.say(quota.amount), measure.say(*left)));
        match refill {
            Some(refill) => {
                let seconds = refill.as_millis().div_ceil(1000).try_into().unwrap_or(u64::MAX);
                let refill = Duration::from_secs(seconds);
                let at = SystemTime::now().checked_add(refill).map(humantime::format_rfc3339_seconds);
                let at = at.map(|at| format!(", at {at}")).unwrap_or_default();
                refusal.hint(format!("there is enough again in {seconds} s{at}")).retry(Retry::After(refill))
            }
            None if quota.window.is_some() => refusal.hint("it never fits: do less in one call").retry(Retry::Never),
            None => refusal.hint("there is no more for the rest of this session").retry(Retry::Never),
        }
    }
}
