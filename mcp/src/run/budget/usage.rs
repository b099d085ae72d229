//! What an account has used up, in sliding windows.

use super::allowance::{Cost, Measure, Quota, Quotas};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

/// How many slots a window has: what is used up is given back by whole slots, up to one of them late and never early.
const SLOTS: u64 = 60;

/// A time on an account's own line, in milliseconds.
pub(super) type Time = u64;

/// What an account has used up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Usage {
    /// By measure and window, so that a quota whose amount is changed goes on counting.
    used: BTreeMap<String, Used>,
}

/// When how much was used up, oldest first: the end of the slot and the amount.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
struct Used(VecDeque<(Time, u64)>);

/// A quota that leaves too little.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Short {
    pub(super) measure: Measure,
    pub(super) quota: Quota,
    pub(super) left: u64,
    pub(super) needed: u64,
    /// When there is enough; `None` for never.
    pub(super) refill: Option<Duration>,
}

impl Usage {
    /// Finds the quota that keeps a call the longest from running.
    pub(super) fn shortage(&mut self, quotas: &Quotas, cost: &Cost, now: Time) -> Option<Short> {
        let shorts = quotas.all().filter_map(|(measure, quota)| {
            let needed = cost.get(measure).max(u64::from(measure.is_known_late()));
            let used = self.of(measure, quota, now);
            let left = quota.amount.saturating_sub(used.sum());
            (needed > left).then(|| {
                let refill = used.refill(quota, needed, now);
                Short { measure, quota, left, needed, refill }
            })
        });
        shorts.max_by_key(|short| short.refill.unwrap_or(Duration::MAX))
    }

    /// Returns how much of a measure is left by all its quotas; `None` where it has none.
    pub(super) fn left(&mut self, quotas: &Quotas, measure: Measure, now: Time) -> Option<u64> {
        let of_measure = quotas.all().filter(|(counted, _)| *counted == measure);
        of_measure.map(|(_, quota)| quota.amount.saturating_sub(self.of(measure, quota, now).sum())).min()
    }

    pub(super) fn charge(&mut self, quotas: &Quotas, cost: &Cost, now: Time) {
        for (measure, quota) in quotas.all().filter(|(measure, _)| cost.get(*measure) > 0) {
            self.of(measure, quota, now).add(cost.get(measure), quota.window, now);
        }
    }

    pub(super) fn give_back(&mut self, quotas: &Quotas, cost: &Cost, now: Time) {
        for (measure, quota) in quotas.all().filter(|(measure, _)| cost.get(*measure) > 0) {
            self.of(measure, quota, now).take(cost.get(measure));
        }
    }

    fn of(&mut self, measure: Measure, quota: Quota, now: Time) -> &mut Used {
        let key = match quota.window {
            Some(window) => format!("{}/{}", measure.key(), millis(window)),
            None => measure.key().to_owned(),
        };
        let used = self.used.entry(key).or_default();
        if let Some(window) = quota.window {
            used.forget(window, now);
        }
        used
    }
}

impl Used {
    fn sum(&self) -> u64 {
        self.0.iter().fold(0, |sum, (_, amount)| sum.saturating_add(*amount))
    }

    fn add(&mut self, amount: u64, window: Option<Duration>, now: Time) {
        let end = window.map_or(0, |window| (now / slot(window)).saturating_add(1).saturating_mul(slot(window)));
        match self.0.back_mut() {
            Some((latest, sum)) if *latest == end => *sum = sum.saturating_add(amount),
            _ => self.0.push_back((end, amount)),
        }
    }

    /// Takes back what was added last.
    fn take(&mut self, mut amount: u64) {
        while let Some((_, latest)) = self.0.back_mut().filter(|_| amount > 0) {
            let taken = amount.min(*latest);
            *latest -= taken;
            amount -= taken;
            if *latest == 0 {
                self.0.pop_back();
            }
        }
    }

    fn forget(&mut self, window: Duration, now: Time) {
        while self.0.front().is_some_and(|(end, _)| end.saturating_add(millis(window)) <= now) {
            self.0.pop_front();
        }
    }

    /// Tells how long it takes until so much is free.
    fn refill(&self, quota: Quota, needed: u64, now: Time) -> Option<Duration> {
        let window = quota.window.filter(|_| needed <= quota.amount)?;
        let mut sum = self.sum();
        let freeing = self.0.iter().find(|(_, amount)| {
            sum = sum.saturating_sub(*amount);
            sum.saturating_add(needed) <= quota.amount
        });
        freeing.map(|(end, _)| Duration::from_millis(end.saturating_add(millis(window)).saturating_sub(now)))
    }
}

fn slot(window: Duration) -> u64 {
    (millis(window) / SLOTS).max(1)
}

fn millis(window: Duration) -> u64 {
    u64::try_from(window.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    fn quotas(quotas: &[(Measure, u64, Option<Duration>)]) -> Quotas {
        let mut all = Quotas::default();
        for (measure, amount, window) in quotas {
            all.limits.entry(*measure).or_default().push(Quota { amount: *amount, window: *window });
        }
        all
    }

    /// Charges a call where there is room for it.
    fn call(usage: &mut Usage, quotas: &Quotas, now: Time) -> Result<(), Short> {
        let cost = Cost::default().with(Measure::Calls, 1);
        usage.shortage(quotas, &cost, now).map_or_else(
            || {
                usage.charge(quotas, &cost, now);
                Ok(())
            },
            Err,
        )
    }

    #[test]
    fn no_stretch_of_time_has_more_than_is_allowed() {
        for (amount, window) in [(1, 1), (3, 1), (5, 61), (100, 3600), (7, 86400)] {
            let (window, step) = (window * 1000, window * 1000 / 97);
            let quotas = quotas(&[(Measure::Calls, amount, Some(Duration::from_millis(window)))]);
            let (mut usage, mut taken) = (Usage::default(), Vec::new());
            for now in (0..window * 5).step_by(step as usize) {
                match call(&mut usage, &quotas, now) {
                    Ok(()) => taken.push(now),
                    Err(short) => {
                        let refill = short.refill.unwrap().as_millis() as u64;
                        assert!((1..=window + slot(Duration::from_millis(window))).contains(&refill), "{short:?}");
                        assert!(call(&mut usage.clone(), &quotas, now + refill - 1).is_err(), "it is not full before");
                        assert!(call(&mut usage.clone(), &quotas, now + refill).is_ok(), "it is when it says");
                    }
                }
            }
            assert!(taken.len() as u64 >= amount * 4, "{amount} in {window}: {}", taken.len());
            for start in &taken {
                let within = taken.iter().filter(|at| (*start..start + window).contains(at)).count() as u64;
                assert!(within <= amount, "{within} of {amount} in {window} ms from {start}");
            }
            assert!(usage.used.values().all(|used| used.0.len() <= 64), "it stays small");
        }
    }

    #[test]
    fn of_several_quotas_the_one_that_keeps_longest_is_told() {
        let minute = Duration::from_secs(60);
        let quotas =
            quotas(&[(Measure::Calls, 1, Some(minute)), (Measure::Calls, 2, Some(HOUR)), (Measure::Calls, 3, None)]);
        let mut usage = Usage::default();
        let minutes = |minutes: u64| minutes * 60_000;
        call(&mut usage, &quotas, 0).unwrap();
        assert_eq!(call(&mut usage, &quotas, 1).unwrap_err().quota.window, Some(minute));
        call(&mut usage, &quotas, minutes(2)).unwrap();
        let short = call(&mut usage, &quotas, minutes(2)).unwrap_err();
        assert_eq!((short.quota.window, short.left, short.refill), (Some(HOUR), 0, Some(minute * 59)));
        call(&mut usage, &quotas, minutes(62)).unwrap();
        let short = call(&mut usage, &quotas, minutes(63)).unwrap_err();
        assert_eq!((short.quota.window, short.refill), (None, None), "a total does not refill");
        assert_eq!(call(&mut usage, &quotas, minutes(100_000)).unwrap_err().quota.window, None);
    }

    #[test]
    fn what_is_known_late_keeps_the_next_call_until_there_is_some_again() {
        let quotas = quotas(&[(Measure::WallTime, 1000, Some(HOUR))]);
        let (mut usage, free) = (Usage::default(), Cost::default());
        usage.charge(&quotas, &free.with(Measure::WallTime, 999), 0);
        assert_eq!(usage.shortage(&quotas, &free, 0), None);
        assert_eq!(usage.left(&quotas, Measure::WallTime, 0), Some(1));
        usage.charge(&quotas, &free.with(Measure::WallTime, 5_000), 1_800_000);
        assert_eq!(usage.left(&quotas, Measure::WallTime, 1_800_000), Some(0));
        let short = usage.shortage(&quotas, &free, 1_800_000).unwrap();
        assert_eq!(short.refill, Some(HOUR + Duration::from_secs(60)), "what was too much counts to its end");
        assert_eq!(usage.left(&quotas, Measure::Calls, 0), None);
    }

    #[test]
    fn what_is_given_back_is_what_was_taken_last() {
        let quotas = quotas(&[(Measure::Calls, 10, Some(HOUR)), (Measure::Writes, 10, None)]);
        let mut usage = Usage::default();
        let cost = |calls, writes| Cost::default().with(Measure::Calls, calls).with(Measure::Writes, writes);
        usage.charge(&quotas, &cost(4, 4), 0);
        usage.charge(&quotas, &cost(6, 6), 1_800_000);
        usage.give_back(&quotas, &cost(7, 0), 1_800_000);
        let left = |usage: &mut Usage, now| {
            [Measure::Calls, Measure::Writes].map(|measure| usage.left(&quotas, measure, now).unwrap())
        };
        assert_eq!(left(&mut usage, 1_800_000), [7, 0]);
        usage.give_back(&quotas, &cost(100, 100), 1_800_000);
        assert_eq!(left(&mut usage, 1_800_000), [10, 10], "no more than there was");
    }

    #[test]
    fn what_never_fits_never_refills() {
        let quotas = quotas(&[(Measure::Writes, 3, Some(HOUR))]);
        let short = Usage::default().shortage(&quotas, &Cost::default().with(Measure::Writes, 4), 0).unwrap();
        assert_eq!((short.left, short.needed, short.refill), (3, 4, None));
    }
}
