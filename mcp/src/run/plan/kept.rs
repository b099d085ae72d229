//! The plans that stand, and what they are compared by.

use crate::run::approve::random;
use crate::run::audit::hash;
use crate::run::canonical;
use serde_json::{Map, Value};
use std::collections::VecDeque;
use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// The most that stand at once: the oldest makes room.
const MOST: usize = 64;

/// How long one stands.
const LIFETIME: Duration = Duration::from_secs(3_600);

/// How much of a preview is kept for telling what changed, in bytes.
const TEXT_BYTES: usize = 64 << 10;

/// The longest JSON that is compared by its values; what is longer is compared byte by byte.
const JSON_BYTES: usize = 1 << 20;

/// The start of every token.
const PREFIX: &str = "pl_";

/// What comes behind it, in hexadecimal digits.
const DIGITS: usize = 12;

/// What a token looks like, for callers.
pub(super) const FORM: &str = "pl_ and 12 hexadecimal digits";

/// The plans of this server.
pub(super) struct Kept {
    plans: Mutex<VecDeque<Plan>>,
    pub(super) clock: fn() -> SystemTime,
}

/// A preview that was shown.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) token: String,
    pub(super) principal: String,
    pub(super) target: String,
    /// The params, without those that apply or preview.
    pub(super) params: Map<String, Value>,
    pub(super) seen: Seen,
    made: SystemTime,
}

/// What a preview printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) digest: String,
    /// Its start, for people.
    pub(super) text: String,
}

impl Kept {
    pub(super) fn new() -> Self {
        Self { plans: Mutex::default(), clock: SystemTime::now }
    }

    /// Keeps a preview and returns its token.
    pub(super) fn keep(
        &self,
        principal: &str,
        target: &str,
        params: Map<String, Value>,
        seen: Seen,
    ) -> io::Result<String> {
        let token = format!("{PREFIX}{}", &hash(&random()?)[..DIGITS]);
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        if plans.len() >= MOST {
            plans.pop_front();
        }
        let (principal, target) = (principal.to_owned(), target.to_owned());
        plans.push_back(Plan { token: token.clone(), principal, target, params, seen, made: (self.clock)() });
        Ok(token)
    }

    /// Finds one that still stands.
    pub(super) fn find(&self, token: &str, principal: &str) -> Option<Plan> {
        let now = (self.clock)();
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        // One from the future was made before the clock was turned back.
        plans.retain(|plan| now.duration_since(plan.made).is_ok_and(|age| age < LIFETIME));
        plans.iter().find(|plan| plan.token == token && plan.principal == principal).cloned()
    }

    /// Forgets one; tells whether it stood.
    pub(super) fn forget(&self, token: &str) -> bool {
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        let before = plans.len();
        plans.retain(|plan| plan.token != token);
        plans.len() < before
    }
}

impl Seen {
    /// Reads what a preview printed, without what `ignores` points at.
    pub(super) fn new(printed: &[u8], ignores: &[String]) -> Self {
        let json = (printed.len() <= JSON_BYTES).then(|| serde_json::from_slice::<Value>(printed).ok()).flatten();
        let (digest, mut text) = match json {
            Some(mut json) => {
                for pointer in ignores {
                    remove(&mut json, pointer);
                }
                (hash(canonical(&json).as_bytes()), format!("{json:#}"))
            }
            None => (hash(printed), String::from_utf8_lossy(printed).into_owned()),
        };
        text.truncate(text.floor_char_boundary(TEXT_BYTES));
        Self { digest, text }
    }
}

/// Tells whether a text has the form of a token.
pub(super) fn is_token(text: &str) -> bool {
    text.strip_prefix(PREFIX).is_some_and(|digits| {
        digits.len() == DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
    })
}

/// Removes what a JSON pointer names; `*` stands for every member and every element.
fn remove(value: &mut Value, pointer: &str) {
    let Some((word, below)) = pointer.strip_prefix('/').map(|rest| rest.split_once('/').unwrap_or((rest, ""))) else {
        return;
    };
    let below = (!below.is_empty()).then(|| format!("/{below}"));
    let name = word.replace("~1", "/").replace("~0", "~");
    match (value, below) {
        (Value::Object(members), None) if word == "*" => members.clear(),
        (Value::Object(members), None) => drop(members.shift_remove(&name)),
        (Value::Array(items), None) if word == "*" => items.clear(),
        (Value::Array(items), None) => {
            // The others keep their places, which later pointers go by.
            if let Some(item) = name.parse().ok().and_then(|index: usize| items.get_mut(index)) {
                *item = Value::Null;
            }
        }
        (Value::Object(members), Some(below)) => {
            members.iter_mut().filter(|(key, _)| word == "*" || **key == name).for_each(|(_, member)| {
                remove(member, &below);
            });
        }
        (Value::Array(items), Some(below)) => {
            let is_meant = |index: usize| word == "*" || name.parse() == Ok(index);
            let meant = items.iter_mut().enumerate().filter(|(index, _)| is_meant(*index));
            meant.for_each(|(_, item)| remove(item, &below));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_ignored_is_left_out_and_nothing_else() {
        let value = json!({ "run": 1, "a/b": { "at": 2, "x": 3 }, "steps": [{ "at": 4, "n": 5 }, { "n": 6 }] });
        for (pointer, left) in [
            ("/run", json!({ "a/b": { "at": 2, "x": 3 }, "steps": [{ "at": 4, "n": 5 }, { "n": 6 }] })),
            ("/a~1b/at", json!({ "run": 1, "a/b": { "x": 3 }, "steps": [{ "at": 4, "n": 5 }, { "n": 6 }] })),
            ("/steps/*/at", json!({ "run": 1, "a/b": { "at": 2, "x": 3 }, "steps": [{ "n": 5 }, { "n": 6 }] })),
            ("/steps/1", json!({ "run": 1, "a/b": { "at": 2, "x": 3 }, "steps": [{ "at": 4, "n": 5 }, null] })),
            ("/steps", json!({ "run": 1, "a/b": { "at": 2, "x": 3 } })),
            ("/*/at", json!({ "run": 1, "a/b": { "x": 3 }, "steps": [{ "at": 4, "n": 5 }, { "n": 6 }] })),
            ("/none/at", value.clone()),
            ("/steps/7/n", value.clone()),
            ("run", value.clone()),
            ("", value.clone()),
        ] {
            let mut pruned = value.clone();
            remove(&mut pruned, pointer);
            assert_eq!(pruned, left, "{pointer}");
        }
        let seen = |text: &str| Seen::new(text.as_bytes(), &["/at".to_owned()]).digest;
        assert_eq!(seen(r#"{"a":1,"at":1,"b":2}"#), seen(r#"{ "b": 2, "a": 1, "at": 9 }"#));
        assert_ne!(seen(r#"{"a":1,"b":2}"#), seen(r#"{"a":1,"b":3}"#));
        assert_ne!(seen("a 1"), seen("a 2"));
    }

    #[test]
    fn a_plan_stands_for_an_hour_and_for_its_principal() {
        // The clock is a function, so what it tells stands in a static.
        static NOW: Mutex<u64> = Mutex::new(1_000_000);
        let at = |seconds| *NOW.lock().unwrap() = seconds;
        let clock = || SystemTime::UNIX_EPOCH + Duration::from_secs(*NOW.lock().unwrap());
        let kept = Kept { plans: Mutex::default(), clock };
        let seen = Seen::new(b"x", &[]);
        let token = kept.keep("me", "change", Map::new(), seen.clone()).unwrap();
        assert!(is_token(&token), "{token}");
        assert!(kept.find(&token, "me").is_some() && kept.find(&token, "you").is_none());
        at(1_003_599);
        assert!(kept.find(&token, "me").is_some());
        at(1_003_600);
        assert!(kept.find(&token, "me").is_none() && !kept.forget(&token), "it has expired");

        let token = kept.keep("me", "change", Map::new(), seen.clone()).unwrap();
        at(999_999);
        assert!(kept.find(&token, "me").is_none(), "the clock was turned back");

        let first = kept.keep("me", "change", Map::new(), seen.clone()).unwrap();
        let others: Vec<_> = (0..MOST).map(|_| kept.keep("me", "change", Map::new(), seen.clone()).unwrap()).collect();
        assert!(kept.find(&first, "me").is_none(), "the oldest made room");
        assert!(others.iter().all(|token| kept.find(token, "me").is_some()));
        assert!(kept.forget(&others[0]) && !kept.forget(&others[0]), "it is good for one call");
    }
}
