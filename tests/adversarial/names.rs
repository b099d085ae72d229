//! Names of params that no caller may set, or that only look like one.

use super::{Case, bad};
use serde_json::{Value, json};

pub(super) fn cases() -> Vec<Case> {
    let mut cases = withheld();
    cases.extend(likenesses());
    cases.extend(disguised());
    cases
}

fn named(name: &'static str, param: &'static str, value: Value) -> Case {
    bad(name, "add", json!({ "title": "t", param: value }), param, "unknown param")
}

fn secret(name: &'static str, param: &'static str) -> Case {
    bad(name, "add", json!({ "title": "t", param: "x" }), param, "a secret, which only the host sets")
}

/// What the host, the author or nobody sets.
fn withheld() -> Vec<Case> {
    vec![
        named("the host's file of settings", "config", json!("/x")),
        named("the host's file of settings as a flag", "--config", json!("/x")),
        named("the host's file of settings by its letter", "c", json!("/x")),
        named("the host's file of settings by a flag's letter", "-c", json!("/x")),
        named("the host's profile", "profile", json!("root")),
        named("the host's group", "group", json!("other")),
        named("the host's way of delivery", "deliver", json!("file:/etc/passwd")),
        named("an arg of the host's by annotation", "socket", json!("/x")),
        named("the flag that the host puts first", "agent", json!(true)),
        named("a flag of output", "json", json!(true)),
        named("a flag of output by its letter", "q", json!(true)),
        secret("a secret", "password"),
        secret("a secret of its own", "token"),
        named("a hidden option", "backdoor", json!("x")),
        named("help", "help", json!(true)),
        named("help by its letter", "h", json!(true)),
        named("the version", "version", json!(true)),
        named("the version by its letter", "V", json!(true)),
        named("an option of another command", "output", json!("/x")),
        named("the variable behind a secret", "ADVERSARIAL_TOKEN", json!("x")),
        named("the group of two", "target", json!("x")),
        bad("a gate on a command that only reads", "get", json!({"key": "k", "yes": true}), "yes", "unknown param"),
        bad(
            "a dry run on a command that only reads",
            "get",
            json!({"key": "k", "dry-run": true}),
            "dry-run",
            "unknown",
        ),
    ]
}

/// Abbreviations and likenesses, which this CLI's own parser would take.
fn likenesses() -> Vec<Case> {
    vec![
        named("a flag by its start", "conf", json!("/x")),
        named("a gate by its start", "ye", json!(true)),
        named("a gate with a letter more", "yess", json!(true)),
        named("a gate in capitals", "YES", json!(true)),
        named("a gate without its dash", "dryrun", json!(true)),
        named("a gate with a capital", "Dry-Run", json!(true)),
        named("a gate by its letter's flag", "-y=true", json!(true)),
        named("a param in capitals", "NOTE", json!("x")),
        named("a param by its start", "not", json!("x")),
        named("a param's id", "destination", json!("x")),
        named("a param in the plural", "tags", json!(["a"])),
        named("a switch by the id that means its opposite", "exit_on_error", json!(true)),
        named("a switch without its negation", "errexit", json!(false)),
        named("a switch with a negation", "no-force", json!(true)),
        bad("a positional in the plural", "get", json!({"keys": "a"}), "keys", "unknown param"),
    ]
}

/// Names that would be tokens, keys of other languages or other letters.
fn disguised() -> Vec<Case> {
    vec![
        named("a name that is nothing", "", json!(true)),
        named("a name that is a dash", "-", json!("x")),
        named("a name that is a separator", "--", json!("--yes")),
        named("a name with a value", "note=x", json!("y")),
        named("a flag with a value", "--note=x", json!("y")),
        named("a name with a space and a flag", "note --yes", json!("y")),
        named("a name with a line break", "note\n--yes", json!("y")),
        named("a name with a NUL", "note\u{0}", json!("y")),
        named("a name with a space behind it", "note ", json!("y")),
        named("a name in fullwidth letters", "ｎｏｔｅ", json!("y")),
        named("a name with a Cyrillic letter", "nоte", json!("y")),
        named("a name with a unicode dash", "dry‐run", json!(true)),
        named("a name behind unicode dashes", "––yes", json!(true)),
        named("a name with an invisible letter", "yes\u{200b}", json!(true)),
        named("a name that runs backwards", "\u{202e}sey", json!(true)),
        named("a prototype", "__proto__", json!({"yes": true})),
        named("a constructor", "constructor", json!({"prototype": {"yes": true}})),
        named("a name with a dot", "note.x", json!("y")),
        named("a name that is a pointer", "/note", json!("y")),
        named("a name that is a response file", "@/etc/passwd", json!(true)),
        named("a name that is a placeholder", "${vars.x}", json!(true)),
        bad(
            "a name of a hundred thousand letters",
            "add",
            json!({"title": "t", "x".repeat(100_000): 1}),
            "",
            "unknown",
        ),
        bad("a thousand unknown names", "add", many(), "unknown-0", "unknown param"),
        bad(
            "a param twice by two spellings",
            "add",
            json!({"title": "t", "dry_run": true, "dry-run": false}),
            "dry-run",
            "given twice",
        ),
        bad(
            "a param twice by a dash",
            "add",
            json!({"title": "t", "note": "a", "--note": "b"}),
            "--note",
            "given twice",
        ),
        bad(
            "a gate twice, once as text",
            "add",
            json!({"title": "t", "yes": false, "--yes": "true"}),
            "--yes",
            "given twice",
        ),
    ]
}

fn many() -> Value {
    (0..1000).map(|n| (format!("unknown-{n}"), json!("x"))).collect::<serde_json::Map<_, _>>().into()
}
