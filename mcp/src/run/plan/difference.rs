//! What changed, in a few lines.

use serde_json::{Map, Value};
use similar::{ChangeTag, TextDiff};
use std::fmt::Write;
use std::time::Duration;

/// The most bytes of a difference that are told.
const BYTES: usize = 1_500;

/// The longest that is looked for a small difference, before a rough one has to do.
const PATIENCE: Duration = Duration::from_millis(50);

/// Tells which lines of a preview went and which came.
pub(super) fn lines(before: &str, now: &str) -> String {
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(before, now);
    let changes = diff.iter_all_changes().filter_map(|change| {
        let sign = match change.tag() {
            ChangeTag::Delete => '-',
            ChangeTag::Insert => '+',
            ChangeTag::Equal => return None,
        };
        Some(format!("\n{sign} {}", change.value().trim_end()))
    });
    let mut text = String::new();
    for change in changes {
        if text.len() + change.len() > BYTES {
            let room = BYTES.saturating_sub(text.len());
            text.push_str(&change[..change.floor_char_boundary(room)]);
            text.push_str("\n…");
            break;
        }
        text.push_str(&change);
    }
    text
}

/// Names the params that two calls set differently.
pub(super) fn params(planned: &Map<String, Value>, now: &Map<String, Value>) -> String {
    let mut names: Vec<&String> = planned.keys().chain(now.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let mut text = String::new();
    for name in names.into_iter().filter(|name| planned.get(*name) != now.get(*name)) {
        let said = |value: Option<&Value>| value.map_or("not set".to_owned(), |value| cut(&value.to_string()));
        let between = if text.is_empty() { "" } else { "; " };
        let _ = write!(text, "{between}{name}: {} in the plan, {} now", said(planned.get(name)), said(now.get(name)));
    }
    text
}

fn cut(text: &str) -> String {
    match text.len() <= 80 {
        true => text.to_owned(),
        false => format!("{}…", &text[..text.floor_char_boundary(80)]),
    }
}
