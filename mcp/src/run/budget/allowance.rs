//! What a principal may use up, as the operator says it.

use crate::catalog::Effect;
use crate::invocation::Invocation;
use crate::run::plan::Stage;
use std::collections::BTreeMap;
use std::time::Duration;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Measure {
    /// Calls that run something or are refused for their arguments.
    Calls,
    /// Calls that may change something; a preview is none.
    Writes,
    /// Calls whose changes can't simply be undone.
    Destructive,
    /// How long calls ran, in milliseconds.
    WallTime,
    /// Bytes that commands and tools printed, before any cut.
    OutputBytes,
    /// Bytes of the arguments of calls.
    RequestBytes,
}

impl Measure {
    /// Every measure.
    pub const ALL: &[Self] =
        &[Self::Calls, Self::Writes, Self::Destructive, Self::WallTime, Self::OutputBytes, Self::RequestBytes];

    /// Returns its key in the policy.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Calls => "calls",
            Self::Writes => "writes",
            Self::Destructive => "destructive",
            Self::WallTime => "wall-time",
            Self::OutputBytes => "output-bytes",
            Self::RequestBytes => "request-bytes",
        }
    }

    /// Tells whether it is known only once a call has ended how much of it the call took.
    pub(super) const fn is_known_late(self) -> bool {
        matches!(self, Self::WallTime | Self::OutputBytes)
    }

    /// Says so much of it in words.
    pub(super) fn say(self, amount: u64) -> String {
        match self {
            Self::Calls => format!("{amount} calls"),
            Self::Writes => format!("{amount} writes"),
            Self::Destructive => format!("{amount} destructive calls"),
            Self::WallTime => format!("{} of running", humantime::format_duration(Duration::from_millis(amount))),
            Self::OutputBytes => format!("{amount} bytes of output"),
            Self::RequestBytes => format!("{amount} bytes of requests"),
        }
    }
}

/// So much of a measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// The most.
    pub amount: u64,
    /// The stretch of time in which it is used up; `None` for the whole life of a session.
    pub window: Option<Duration>,
}

/// Limits of one account: of a principal's sessions together, or of each alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Quotas {
    /// The quotas of each measure: all of them hold. An empty list says that there is no limit.
    pub limits: BTreeMap<Measure, Vec<Quota>>,
    /// The most calls at once, in one server process.
    pub concurrency: Option<usize>,
}

/// What a principal may use up; by default there is no limit.
///
/// ```
/// use clap_facade::run::budget::{Allowance, Measure};
/// use std::time::Duration;
///
/// let hour = Duration::from_secs(3600);
/// let allowance = Allowance::new()
///     .within(hour, Measure::Calls, 100)
///     .within(hour, Measure::WallTime, 600_000)
///     .in_a_session(Measure::Writes, 20);
/// # let _ = allowance;
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Allowance {
    /// Of all sessions of the principal together; each quota has a window.
    pub shared: Quotas,
    /// Of each session alone.
    pub session: Quotas,
}

impl Allowance {
    /// Allows everything.
    pub fn new() -> Self {
        Self::default()
    }

    /// Limits what all sessions of a principal use up within any stretch of time of that length.
    #[must_use]
    pub fn within(mut self, window: Duration, measure: Measure, amount: u64) -> Self {
        let window = Some(window);
        self.shared.limits.entry(measure).or_default().push(Quota { amount, window });
        self
    }

    /// Limits what each session uses up in all.
    #[must_use]
    pub fn in_a_session(mut self, measure: Measure, amount: u64) -> Self {
        self.session.limits.entry(measure).or_default().push(Quota { amount, window: None });
        self
    }

    /// Limits how many calls of a principal run at once in one server process.
    #[must_use]
    pub fn at_once(mut self, most: usize) -> Self {
        self.shared.concurrency = Some(most);
        self
    }

    /// Returns what holds where this is said over something else: what this says of a measure stands alone.
    #[must_use]
    pub fn over(self, other: &Self) -> Self {
        Self { shared: self.shared.over(&other.shared), session: self.session.over(&other.session) }
    }

    /// Tells whether anything is limited at all.
    pub(super) fn limits_anything(&self) -> bool {
        [&self.shared, &self.session].iter().any(|quotas| quotas.concurrency.is_some() || !quotas.is_empty())
    }

    /// Tells whether changes are limited.
    pub(in crate::run) fn counts_changes(&self) -> bool {
        self.counts(Measure::Writes) || self.counts(Measure::Destructive)
    }

    /// Tells whether a measure is limited.
    pub(super) fn counts(&self, measure: Measure) -> bool {
        [&self.shared, &self.session].iter().any(|quotas| quotas.all().any(|(counted, _)| counted == measure))
    }
}

impl Quotas {
    /// Tells whether there is no quota at all.
    pub(super) fn is_empty(&self) -> bool {
        self.all().next().is_none()
    }

    /// Tells whether there is any quota of what something costs.
    pub(super) fn count_any(&self, cost: &Cost) -> bool {
        self.all().any(|(measure, _)| cost.get(measure) > 0)
    }

    /// Returns every quota with its measure.
    pub(super) fn all(&self) -> impl Iterator<Item = (Measure, Quota)> {
        self.limits.iter().flat_map(|(measure, quotas)| quotas.iter().map(|quota| (*measure, *quota)))
    }

    fn over(mut self, other: &Self) -> Self {
        for (measure, quotas) in &other.limits {
            self.limits.entry(*measure).or_insert_with(|| quotas.clone());
        }
        Self { concurrency: self.concurrency.or(other.concurrency), ..self }
    }
}

/// So much of each measure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cost([u64; Measure::ALL.len()]);

impl Cost {
    /// The cost of a call with that effect, as far as it is known before.
    pub(crate) fn of(effect: Effect) -> Self {
        let counts = |at_least| u64::from(effect >= at_least);
        Self::default()
            .with(Measure::Calls, 1)
            .with(Measure::Writes, counts(Effect::Mutating))
            .with(Measure::Destructive, counts(Effect::Destructive))
    }

    /// The cost of a command's call: one that says itself that it previews writes nothing.
    pub(crate) fn of_call(call: &Invocation) -> Self {
        Self::of(match Stage::of_invocation(call) {
            Stage::Reads | Stage::Previews => Effect::ReadOnly,
            Stage::Silent | Stage::Applies => call.effect(),
        })
    }

    #[must_use]
    pub(crate) fn with(mut self, measure: Measure, amount: u64) -> Self {
        self.0[measure as usize] = amount;
        self
    }

    /// What a call costs that arrives, whatever becomes of it.
    pub(super) fn on_arrival(&self) -> Self {
        Self::default()
            .with(Measure::Calls, self.get(Measure::Calls).min(1))
            .with(Measure::RequestBytes, self.get(Measure::RequestBytes))
    }

    pub(super) fn get(&self, measure: Measure) -> u64 {
        self.0[measure as usize]
    }

    #[must_use]
    pub(crate) fn plus(self, other: &Self) -> Self {
        self.zip(other, u64::saturating_add)
    }

    pub(super) fn minus(self, other: &Self) -> Self {
        self.zip(other, u64::saturating_sub)
    }

    /// Returns the greater of both, measure by measure.
    pub(super) fn at_least(self, other: &Self) -> Self {
        self.zip(other, u64::max)
    }

    fn zip(self, other: &Self, with: fn(u64, u64) -> u64) -> Self {
        Self(std::array::from_fn(|index| with(self.0[index], other.0[index])))
    }
}
