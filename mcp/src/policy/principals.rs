//! Who may call, and how much they may use up: `[principal.NAME]` and `[budget]`.

use super::{Mode, Pattern};
use crate::annotate::LONGEST;
use crate::catalog::Effect;
use crate::run::Principal;
use crate::run::budget::{Allowance, Measure, Quota, Quotas};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::borrow::Cow;
use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;
use std::time::Duration;

/// What a principal may do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct PrincipalRule {
    /// The widest effect that its calls may have; without it, any.
    pub scope: Option<Scope>,
    /// The commands that it may run, each with everything below it, and the tools that are no commands; without it, all.
    pub allow: Option<Vec<Pattern>>,
    /// The commands and tools that it may not run. It wins over `allow`.
    pub deny: Option<Vec<Pattern>>,
    /// What of its calls may run without the operator's word at most, whatever is said of a command.
    pub approval: Option<Mode>,
    /// What it may use up. What is said of a measure stands in place of what the top-level `[budget]` says of it.
    pub budget: BudgetRule,
}

/// How wide the effects of a principal's calls may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// Nothing may be changed.
    Read,
    /// Changes that can be undone, too.
    Write,
    /// Any change.
    Destructive,
}

/// What the sessions of a principal may use up together: `AMOUNT/TIME`, or a list of such limits that all hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct BudgetRule {
    /// Calls that run something or are refused for their arguments: `"100/1h"`.
    pub calls: Option<Limits>,
    /// Calls that may change something: `"20/1h"`.
    pub writes: Option<Limits>,
    /// Calls whose changes can't simply be undone: `"3/1d"`.
    pub destructive: Option<Limits>,
    /// How long calls run: `"10min/1h"`.
    pub wall_time: Option<Limits>,
    /// Bytes that commands print, before any cut: `"1_000_000/1h"`.
    pub output_bytes: Option<Limits>,
    /// Bytes of the arguments of calls: `"1_000_000/1h"`.
    pub request_bytes: Option<Limits>,
    /// The most calls at once, in one server process.
    pub concurrency: Option<NonZeroUsize>,
    /// What each session may use up, of what all may use up together.
    pub session: SessionRule,
}

/// What each session may use up: `AMOUNT` in all, `AMOUNT/TIME`, or a list of such limits that all hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct SessionRule {
    /// Calls that run something or are refused for their arguments: `1000`, `"30/1min"`.
    pub calls: Option<Limits>,
    /// Calls that may change something.
    pub writes: Option<Limits>,
    /// Calls whose changes can't simply be undone.
    pub destructive: Option<Limits>,
    /// How long calls run: `"10min"`, `"1min/1h"`.
    pub wall_time: Option<Limits>,
    /// Bytes that commands print, before any cut.
    pub output_bytes: Option<Limits>,
    /// Bytes of the arguments of calls.
    pub request_bytes: Option<Limits>,
    /// The most calls at once.
    pub concurrency: Option<NonZeroUsize>,
}

/// One limit, or several that all hold; none says that there is no limit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits(Vec<Limit>);

/// `AMOUNT` or `AMOUNT/TIME`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Limit {
    amount: Amount,
    window: Option<Duration>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Amount {
    Number(u64),
    Time(Duration),
}

/// Whether a limit has to say in which time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Window {
    Needed,
    Optional,
}

impl PrincipalRule {
    /// Says what it says over what was said before.
    pub(crate) fn over(&self, mut principal: Principal, base: &str) -> Principal {
        if let Some(scope) = self.scope {
            principal.scope = scope.into();
        }
        if self.allow.is_some() || self.deny.is_some() {
            base.clone_into(&mut principal.base);
        }
        principal.allow = self.allow.clone().or(principal.allow);
        principal.deny = self.deny.clone().unwrap_or(principal.deny);
        principal.approval = self.approval.map_or(principal.approval, Into::into);
        principal.budget = self.budget.allowance().over(&principal.budget);
        principal
    }
}

impl From<Scope> for Effect {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::Read => Self::ReadOnly,
            Scope::Write => Self::Mutating,
            Scope::Destructive => Self::Destructive,
        }
    }
}

impl BudgetRule {
    /// Returns what it says; what [`BudgetRule::check`] refuses counts for nothing.
    pub(crate) fn allowance(&self) -> Allowance {
        let mut allowance = Allowance::new();
        allowance.shared = quotas(self.limits(), self.concurrency);
        allowance.session = quotas(self.session.limits(), self.session.concurrency);
        allowance
    }

    /// Finds the limit that means nothing for what it is about; `at` is the table's name.
    pub(super) fn check(&self, at: &str) -> Result<(), String> {
        check(self.limits(), Window::Needed).map_err(|problem| format!("`[{at}]`: {problem}"))?;
        check(self.session.limits(), Window::Optional).map_err(|problem| format!("`[{at}.session]`: {problem}"))
    }

    fn limits(&self) -> [(Measure, &Option<Limits>); 6] {
        let Self { calls, writes, destructive, wall_time, output_bytes, request_bytes, .. } = self;
        by_measure([calls, writes, destructive, wall_time, output_bytes, request_bytes])
    }
}

impl SessionRule {
    fn limits(&self) -> [(Measure, &Option<Limits>); 6] {
        let Self { calls, writes, destructive, wall_time, output_bytes, request_bytes, .. } = self;
        by_measure([calls, writes, destructive, wall_time, output_bytes, request_bytes])
    }
}

/// Names limits by what they are about; they stand in the order of [`Measure::ALL`].
fn by_measure(limits: [&Option<Limits>; 6]) -> [(Measure, &Option<Limits>); 6] {
    let mut measures = Measure::ALL.iter();
    limits.map(|limits| (*measures.next().unwrap_or(&Measure::Calls), limits))
}

fn check(limits: [(Measure, &Option<Limits>); 6], window: Window) -> Result<(), String> {
    for (measure, limits) in limits {
        for limit in limits.iter().flat_map(|limits| &limits.0) {
            let key = measure.key();
            let example = if measure == Measure::WallTime { "10min/1h" } else { "100/1h" };
            if limit.quota(measure).is_none() {
                let kind = if measure == Measure::WallTime { "a time" } else { "a number" };
                return Err(format!("the amount of `{key}` is {kind}, as in `{key} = \"{example}\"`"));
            }
            if limit.window.is_none() && window == Window::Needed {
                return Err(format!(
                    "`{key}` has to say in which time, as in `{key} = \"{example}\"`; what a session may use up in all stands in the table `session`"
                ));
            }
        }
    }
    Ok(())
}

fn quotas(limits: [(Measure, &Option<Limits>); 6], concurrency: Option<NonZeroUsize>) -> Quotas {
    let mut quotas = Quotas::default();
    for (measure, limits) in limits {
        if let Some(Limits(limits)) = limits {
            quotas.limits.insert(measure, limits.iter().filter_map(|limit| limit.quota(measure)).collect());
        }
    }
    quotas.concurrency = concurrency.map(NonZeroUsize::get);
    quotas
}

impl Limit {
    /// Returns what it means for a measure; nothing where the amount is of another kind.
    fn quota(self, measure: Measure) -> Option<Quota> {
        let amount = match (self.amount, measure) {
            (Amount::Time(time), Measure::WallTime) => u64::try_from(time.as_millis()).ok()?,
            (Amount::Number(number), measure) if measure != Measure::WallTime => number,
            _ => return None,
        };
        Some(Quota { amount, window: self.window })
    }
}

impl FromStr for Limit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (amount, window) = match text.split_once('/') {
            Some((amount, window)) => (amount.trim(), Some(window.trim())),
            None => (text.trim(), None),
        };
        let amount = match amount.replace('_', "").parse::<u64>() {
            Ok(number) => Amount::Number(number),
            Err(_) => Amount::Time(time(amount).ok_or_else(|| unlike(text))?),
        };
        let window = window.map(|window| time(window).ok_or_else(|| unlike(text))).transpose()?;
        if amount == Amount::Number(0) {
            return Err(format!(
                "`{text}` allows nothing: to refuse all of it, narrow the principal's `scope` or `allow`"
            ));
        }
        if window.is_some_and(|window| window < Duration::from_secs(1)) {
            return Err(format!("`{text}`: a limit holds for at least 1s and at most 30 days"));
        }
        Ok(Self { amount, window })
    }
}

fn time(text: &str) -> Option<Duration> {
    humantime::parse_duration(text).ok().filter(|time| !time.is_zero() && *time <= LONGEST)
}

fn unlike(text: &str) -> String {
    format!("`{text}` is not a limit like `100/1h`, `10min/1h` or `1000`, with times of at most 30 days")
}

impl<'de> Deserialize<'de> for Limits {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LimitsVisitor)
    }
}

struct LimitsVisitor;

impl<'de> Visitor<'de> for LimitsVisitor {
    type Value = Limits;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a limit")
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Limits, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Limits, E> {
        text.parse().map(|limit| Limits(vec![limit])).map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Limits, A::Error> {
        let mut all = Vec::new();
        while let Some(Limits(limits)) = items.next_element()? {
            all.extend(limits);
        }
        Ok(Limits(all))
    }
}

impl JsonSchema for Limits {
    fn schema_name() -> Cow<'static, str> {
        "Limits".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "One limit, or several that all hold; none says that there is no limit.",
            "anyOf": [
                { "type": "string", "pattern": "^[^/]+(/[^/]+)?$" },
                { "type": "integer", "minimum": 1 },
                { "type": "array", "items": { "type": ["string", "integer"] } },
            ],
        })
    }
}
