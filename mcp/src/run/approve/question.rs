//! What a person reads before he allows a call.

use crate::argv::Proved;
use crate::catalog::Catalog;
use crate::run::workflow::Workflow;
use crate::run::{Call, Caller, Target};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::fmt::Write;

/// The longest word that is shown whole, in bytes.
const WORD_BYTES: usize = 300;

/// How much of a preview is shown, in bytes.
const PREVIEW_BYTES: usize = 2_000;

/// Asks whether a call may run; `preview` is what it was planned with.
pub(super) fn question(call: &Call, preview: Option<&str>, caller: &Caller, catalog: &Catalog) -> String {
    let mut text = format!("Allow this {} call once?\n", call.target.effect());
    match &call.target {
        Target::Operation(proved) => text.push_str(&line(proved, catalog)),
        Target::Tool(tool, arguments) => text.push_str(&format!("{} {}", tool.name(), members(arguments))),
        Target::Workflow(workflow) => text.push_str(&steps(workflow)),
    }
    let _ = write!(text, "\nasked for by {} through {}", plain(&caller.principal.name), plain(caller.door));
    if let Some(preview) = preview {
        let shown = &preview[..preview.floor_char_boundary(PREVIEW_BYTES)];
        text.push_str("\nits preview:");
        for line in shown.lines() {
            // No line of what a command printed may pass for one of the question's own.
            let _ = write!(text, "\n  | {}", plain(line));
        }
        if shown.len() < preview.len() {
            let _ = write!(text, "\n  … and {} bytes more", preview.len() - shown.len());
        }
    }
    text
}

/// Renders the command line as a shell takes it.
fn line(proved: &Proved, catalog: &Catalog) -> String {
    let program = proved.arg0().map_or_else(|| catalog.program().to_owned(), |arg0| quoted(&arg0.to_string_lossy()));
    let words = proved.argv().iter().map(|word| word.to_string_lossy());
    let secrets: Vec<&str> =
        catalog.inject.iter().filter(|injected| injected.secret).map(|injected| injected.token.as_str()).collect();
    let shown = words.map(|word| match secrets.contains(&&*word) {
        true => format!("{}=…", word.split_once('=').map_or(&*word, |(flag, _)| flag)),
        false => quoted(&word),
    });
    std::iter::once(program).chain(shown).collect::<Vec<_>>().join(" ")
}

fn steps(workflow: &Workflow) -> String {
    let mut text = format!("a workflow of {} steps:", workflow.names().len());
    for (number, step) in workflow.steps().enumerate() {
        let _ = write!(text, "\n{}. {} ({}) {}", number + 1, step.name, step.effect, members(&step.params));
    }
    let settings = workflow.settings();
    if !settings.is_empty() {
        let _ = write!(text, "\nwith {}", members(&settings));
    }
    text
}

fn members(members: &Map<String, Value>) -> String {
    let shown = members.iter().map(|(key, value)| {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        format!("{}={}", quoted(key), quoted(&value))
    });
    shown.collect::<Vec<_>>().join(" ")
}

/// Quotes a word as shells do; what can't be seen is escaped, what is too long is cut and says so.
fn quoted(word: &str) -> String {
    let shown = &word[..word.floor_char_boundary(WORD_BYTES)];
    let mut text = match shown.chars().any(is_unseen) {
        false => shell_words::quote(shown).into_owned(),
        true => {
            let mut text = "$'".to_owned();
            for c in shown.chars() {
                match c {
                    '\'' | '\\' => text.extend(['\\', c]),
                    '\n' => text.push_str("\\n"),
                    c if is_unseen(c) => {
                        let _ = write!(text, "\\U{:08x}", u32::from(c));
                    }
                    c => text.push(c),
                }
            }
            text.push('\'');
            text
        }
    };
    if shown.len() < word.len() {
        let _ = write!(text, "…(and {} bytes more)", word.len() - shown.len());
    }
    text
}

/// Escapes what can't be seen, or would change how the rest is seen.
fn plain(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unseen) {
        return text.into();
    }
    let escaped = text.chars().fold(String::with_capacity(text.len()), |mut escaped, c| {
        match is_unseen(c) {
            true => escaped.extend(c.escape_unicode()),
            false => escaped.push(c),
        }
        escaped
    });
    escaped.into()
}

/// Tells whether a character steers a terminal, reorders what stands beside it, or shows nothing.
fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::{plain, quoted};

    #[test]
    fn words_are_shown_as_a_shell_takes_them() {
        for (word, shown) in [
            ("plain", "plain".to_owned()),
            ("", "''".to_owned()),
            ("two words; rm -rf /", "'two words; rm -rf /'".to_owned()),
            ("a\nAllow 'this'?", r"$'a\nAllow \'this\'?'".to_owned()),
            ("\u{1b}[2Jx", r"$'\U0000001b[2Jx'".to_owned()),
            ("txt.\u{202e}exe", r"$'txt.\U0000202eexe'".to_owned()),
            (&"é".repeat(200), format!("{}…(and 100 bytes more)", shell_words::quote(&"é".repeat(150)))),
        ] {
            assert_eq!(quoted(word), shown);
        }
        assert_eq!(plain("a\u{200b}b\tc"), r"a\u{200b}b\u{9}c");
    }
}
