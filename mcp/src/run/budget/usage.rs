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
