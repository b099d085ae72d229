//! Who has used up what, and how much runs.

use super::allowance::{Allowance, Cost, Measure};
use super::file::{Book, Clock, Shelf};
use super::usage::{Short, Time, Usage};
use crate::refusal::{Kind, Refusal, Retry};
use crate::run::{Caller, Principal};
use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// The accounts of every principal and of every session.
#[derive(Debug)]
pub(super) struct Ledger {
    clock: Clock,
    books: Mutex<Books>,
}

#[derive(Debug, Default)]
struct Books {
    /// What the principals' sessions share with other processes; `None` where there is no place for it.
    shelf: Option<Shelf>,
    /// In place of the shelf.
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
    /// `clock` is for what this process counts by itself.
    pub(super) fn new(shelf: Option<Shelf>, clock: Clock) -> Self {
        Self { clock, books: Mutex::new(Books { shelf, ..Books::default() }) }
    }

    /// Charges a call before it runs; returns how long it may run, where that is limited.
    ///
    /// # Errors
    /// [`Kind::BudgetExhausted`], with nothing charged, and [`Kind::BudgetUnavailable`].
    pub(super) fn charge(&self, account: &Account, cost: &Cost) -> Result<Option<Duration>, Refusal> {
        let Allowance { shared, session } = account.allowance();
        let mut books = self.books.lock().unwrap_or_else(PoisonError::into_inner);
        let Books { shelf, principals, sessions, running } = &mut *books;
        let own = format!("this session of `{}`", account.name());
        let everybodys = format!("`{}`", account.name());
        for (whose, key, most) in
            [(&everybodys, account.name(), shared.concurrency), (&own, account.session.as_str(), session.concurrency)]
        {
            let runs = running.get(key).copied().unwrap_or_default();
            if let Some(most) = most.filter(|most| runs >= *most) {
                return Err(Refusal::new(Kind::BudgetExhausted)
                    .because(format!("{whose} has {runs} calls running, and {most} may run at once"))
                    .hint("call again when one has answered"));
            }
        }
        let mut of_session = (!session.is_empty()).then(|| sessions.account(&account.session, &self.clock.read()));
        let mut left = None;
        if let Some((usage, time)) = &mut of_session {
            if let Some(short) = usage.shortage(session, cost, *time) {
                return Err(short.refusal(&own));
            }
            left = usage.left(session, Measure::WallTime, *time);
        }
        if !shared.is_empty() {
            let charge = |usage: &mut Usage, time: Time| {
                if let Some(short) = usage.shortage(shared, cost, time) {
                    return Err(short.refusal(&everybodys));
                }
                usage.charge(shared, cost, time);
                Ok(usage.left(shared, Measure::WallTime, time))
            };
            let others = match shelf {
                Some(shelf) => shelf.account(account.name(), charge).map_err(|error| unavailable(shelf, &error))?,
                None => {
                    let (usage, time) = principals.account(account.name(), &self.clock.read());
                    charge(usage, time)
                }
            }?;
            left = [left, others].into_iter().flatten().min();
        }
        if let Some((usage, time)) = of_session {
            usage.charge(session, cost, time);
        }
        for key in [account.name(), &account.session] {
            *running.entry(key.to_owned()).or_default() += 1;
        }
        Ok(left.map(Duration::from_millis))
    }

    /// Ends a charged call: gives back what it did not use, and charges what is known by now.
    pub(super) fn settle(&self, account: &Account, unused: &Cost, late: &Cost) {
        let Allowance { shared, session } = account.allowance();
        let mut books = self.books.lock().unwrap_or_else(PoisonError::into_inner);
        let Books { shelf, principals, sessions, running } = &mut *books;
        for key in [account.name(), &account.session] {
            if let Some(runs) = running.get_mut(key) {
                *runs -= 1;
            }
        }
        running.retain(|_, runs| *runs > 0);
        let settle = |usage: &mut Usage, quotas, time| {
            usage.give_back(quotas, unused, time);
            usage.charge(quotas, late, time);
        };
        let change = unused.plus(late);
        if session.count_any(&change) {
            let (usage, time) = sessions.account(&account.session, &self.clock.read());
            settle(usage, session, time);
        }
        match shelf {
            _ if !shared.count_any(&change) => {}
            None => {
                let (usage, time) = principals.account(account.name(), &self.clock.read());
                settle(usage, shared, time);
            }
            Some(shelf) => {
                if let Err(error) = shelf.account(account.name(), |usage, time| settle(usage, shared, time)) {
                    tracing::error!("{}", unavailable(shelf, &error));
                }
            }
        }
    }
}

fn unavailable(shelf: &Shelf, error: &io::Error) -> Refusal {
    Refusal::new(Kind::BudgetUnavailable).hint(format!("{}: {error}", shelf.path().display()))
}

impl Short {
    fn refusal(&self, whose: &str) -> Refusal {
        let Self { measure, quota, left, needed, refill } = self;
        let per = quota
            .window
            .map_or_else(|| "in all".to_owned(), |window| format!("within {}", humantime::format_duration(window)));
        let needs = if *needed > 1 { format!(", and this call needs {}", measure.say(*needed)) } else { String::new() };
        let refusal = Refusal::new(Kind::BudgetExhausted).because(format!(
            "{whose} may have {} {per}: {} left{needs}",
            measure.say(quota.amount),
            measure.say(*left)
        ));
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

#[cfg(test)]
mod tests {
    use super::super::file::Reading;
    use super::*;
    use crate::catalog::Effect;
    use std::fs;
    use std::path::Path;

    const HOUR: Duration = Duration::from_secs(3600);
    const MINUTE: u64 = 60_000;

    /// Clocks that the test sets.
    #[derive(Clone)]
    struct Set(Arc<Mutex<Reading>>);

    impl Set {
        fn new(boot: &str) -> Self {
            Self(Arc::new(Mutex::new(Reading { boot: boot.into(), since_boot: 500, wall: 1_700_000_000_000 })))
        }

        fn pass(&self, millis: u64) {
            let mut now = self.0.lock().unwrap();
            now.since_boot += millis;
            now.wall += millis;
        }

        fn ledger(&self, file: Option<&Path>) -> Ledger {
            let set = self.0.clone();
            let clock = Clock(Arc::new(move || set.lock().unwrap().clone()));
            Ledger::new(file.map(|file| Shelf::new(file.into(), clock.clone())), clock)
        }
    }

    fn account(name: &str, session: &str, budget: Allowance) -> Account {
        let principal = Arc::new(Principal::new(name, Effect::Destructive).budget(budget));
        Account { principal, session: format!("{name}/{session}") }
    }

    /// Runs a call that does what it costs.
    fn run(ledger: &Ledger, account: &Account, effect: Effect) -> Result<(), Refusal> {
        ledger.charge(account, &Cost::of(effect))?;
        ledger.settle(account, &Cost::default(), &Cost::default());
        Ok(())
    }

    fn two_an_hour() -> Allowance {
        Allowance::new().within(HOUR, Measure::Calls, 2)
    }

    #[test]
    fn sessions_and_processes_share_what_their_principal_may_use_up() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("state/audit.budget");
        let clocks = Set::new("one");
        let processes = [(); 3].map(|()| clocks.ledger(Some(&file)));
        let [ci, other] = ["ci", "other"].map(|name| account(name, "s", two_an_hour()));
        run(&processes[0], &ci, Effect::ReadOnly).unwrap();
        run(&processes[1], &account("ci", "t", two_an_hour()), Effect::ReadOnly).unwrap();
        let refusal = run(&processes[2], &ci, Effect::ReadOnly).unwrap_err();
        assert_eq!(
            (refusal.kind, refusal.retry),
            (Kind::BudgetExhausted, Retry::After(HOUR + Duration::from_secs(60)))
        );
        assert_eq!(refusal.message, "`ci` may have 2 calls within 1h: 0 calls left");
        assert!(refusal.hint.unwrap().starts_with("there is enough again in 3660 s, at 2"));
        run(&processes[2], &other, Effect::ReadOnly).unwrap();
        // A process that is started anew gets no new budget; in time all do.
        assert!(run(&clocks.ledger(Some(&file)), &ci, Effect::ReadOnly).is_err());
        clocks.pass(59 * MINUTE);
        assert!(run(&clocks.ledger(Some(&file)), &ci, Effect::ReadOnly).is_err());
        clocks.pass(2 * MINUTE);
        for process in &processes[..2] {
            run(process, &ci, Effect::ReadOnly).unwrap();
        }
        assert!(run(&processes[2], &ci, Effect::ReadOnly).is_err());
        let mode = std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&file).unwrap().permissions());
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn however_many_call_at_once_no_more_run_than_are_allowed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("budget");
        let (clocks, budget) = (Set::new("one"), Allowance::new().within(HOUR, Measure::Writes, 50));
        let ran: usize = std::thread::scope(|scope| {
            let threads = [(); 8].map(|()| {
                scope.spawn(|| {
                    let (ledger, ci) = (clocks.ledger(Some(&file)), account("ci", "s", budget.clone()));
                    (0..25).filter(|_| run(&ledger, &ci, Effect::Mutating).is_ok()).count()
                })
            });
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!(ran, 50);
    }

    #[test]
    fn a_clock_that_is_set_anew_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("budget");
        for file in [None, Some(file.as_path())] {
            let clocks = Set::new("one");
            let (ledger, ci) = (clocks.ledger(file), account("ci", "s", two_an_hour()));
            for _ in 0..2 {
                run(&ledger, &ci, Effect::ReadOnly).unwrap();
            }
            for wall in [0, 9_000_000_000_000] {
                clocks.0.lock().unwrap().wall = wall;
                assert!(run(&ledger, &ci, Effect::ReadOnly).is_err(), "{wall}: nothing is given back");
            }
            clocks.0.lock().unwrap().wall = 5;
            clocks.pass(61 * MINUTE);
            run(&ledger, &ci, Effect::ReadOnly).unwrap();
        }
    }

    #[test]
    fn over_a_start_of_the_machine_the_wall_clock_counts_and_only_forwards() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("budget");
        let ci = account("ci", "s", two_an_hour());
        let clocks = Set::new("one");
        for _ in 0..2 {
            run(&clocks.ledger(Some(&file)), &ci, Effect::ReadOnly).unwrap();
        }
        let boot = |boot: &str, later: i64| {
            let mut now = clocks.0.lock().unwrap();
            let wall = now.wall.saturating_add_signed(later * 60_000);
            *now = Reading { boot: boot.into(), since_boot: 100, wall };
        };
        boot("two", -600);
        assert!(run(&clocks.ledger(Some(&file)), &ci, Effect::ReadOnly).is_err());
        boot("three", 30);
        assert!(run(&clocks.ledger(Some(&file)), &ci, Effect::ReadOnly).is_err());
        boot("four", 31);
        run(&clocks.ledger(Some(&file)), &ci, Effect::ReadOnly).unwrap();
    }

    #[test]
    fn a_file_that_is_none_refuses_everything_and_says_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("budget");
        let (ledger, ci) = (Set::new("one").ledger(Some(&file)), account("ci", "s", two_an_hour()));
        for wrong in ["{", "[]", "{\"time\": -1}", "\u{0}"] {
            fs::write(&file, wrong).unwrap();
            let refusal = run(&ledger, &ci, Effect::ReadOnly).unwrap_err();
            assert_eq!(refusal.kind, Kind::BudgetUnavailable, "{wrong}");
            assert!(refusal.hint.as_ref().unwrap().contains("without the file, budgets start anew"), "{refusal}");
            assert_eq!(fs::read_to_string(&file).unwrap(), wrong, "it is left as it is");
        }
        fs::remove_file(&file).unwrap();
        run(&ledger, &ci, Effect::ReadOnly).unwrap();
        assert!(ledger.books.lock().unwrap().running.is_empty(), "a refused call does not run");
    }

    #[test]
    fn what_is_refused_by_one_quota_is_charged_to_none() {
        let budget = Allowance::new()
            .within(HOUR, Measure::Calls, 10)
            .within(HOUR, Measure::Writes, 1)
            .in_a_session(Measure::Calls, 3);
        let (ledger, ci) = (Set::new("one").ledger(None), account("ci", "s", budget.clone()));
        run(&ledger, &ci, Effect::Mutating).unwrap();
        for _ in 0..20 {
            let refusal = run(&ledger, &ci, Effect::Destructive).unwrap_err();
            assert!(refusal.message.contains("1 writes within 1h: 0 writes left"), "{refusal}");
        }
        for _ in 0..2 {
            run(&ledger, &ci, Effect::ReadOnly).unwrap();
        }
        let refusal = run(&ledger, &ci, Effect::ReadOnly).unwrap_err();
        assert_eq!(refusal.retry, Retry::Never);
        assert!(refusal.message.starts_with("this session of `ci` may have 3 calls in all: 0"), "{refusal}");
        assert!(refusal.to_json()["error"].get("retryable").is_none(), "{refusal}");
        // Another session has its own, and shares the rest.
        run(&ledger, &account("ci", "t", budget.clone()), Effect::ReadOnly).unwrap();
        assert!(run(&ledger, &account("ci", "t", budget), Effect::Mutating).is_err());
    }

    #[test]
    fn only_so_many_run_at_once() {
        let mut budget = Allowance::new().at_once(3);
        budget.session.concurrency = Some(2);
        let ledger = Set::new("one").ledger(None);
        let [one, other] = ["s", "t"].map(|session| account("ci", session, budget.clone()));
        let charge = |account| ledger.charge(account, &Cost::of(Effect::ReadOnly));
        charge(&one).unwrap();
        charge(&one).unwrap();
        let refusal = charge(&one).unwrap_err();
        assert!(refusal.message.starts_with("this session of `ci` has 2 calls running"), "{refusal}");
        charge(&other).unwrap();
        assert!(charge(&other).unwrap_err().message.starts_with("`ci` has 3 calls running"));
        ledger.settle(&one, &Cost::default(), &Cost::default());
        charge(&other).unwrap();
        assert_eq!(charge(&one).unwrap_err().retry, Retry::Later);
    }
}
