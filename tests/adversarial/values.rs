//! Values beyond their kind: numbers, counts, lists, texts that no command line can carry.

use super::{Case, bad};
use serde_json::{Value, json};

pub(super) fn cases() -> Vec<Case> {
    let mut cases = numbers();
    cases.extend(counts());
    cases.extend(lists());
    cases.extend(texts());
    cases.extend(relations());
    cases
}

fn with(param: &str, value: Value) -> Value {
    json!({ "title": "t", param: value })
}

fn number(name: &'static str, param: &'static str, value: Value, says: &'static str) -> Case {
    bad(name, "add", with(param, value), param, says)
}

fn numbers() -> Vec<Case> {
    vec![
        number("a fraction for a whole number", "count", json!(1.5), "not a whole number"),
        number("a fraction as text", "count", json!("1.5"), "not a whole number"),
        number("an exponent as text", "count", json!("1e6"), "not a whole number"),
        number("a hexadecimal number", "count", json!("0x10"), "not a whole number"),
        number("a number with a separator", "count", json!("1_000"), "not a whole number"),
        number("a number with spaces", "count", json!(" 5"), "not a whole number"),
        number("a number in other digits", "count", json!("٥"), "not a whole number"),
        number("a number with a unicode minus", "count", json!("−5"), "not a whole number"),
        number("a number word", "count", json!("five"), "not a whole number"),
        number("an empty number", "count", json!(""), "not a whole number"),
        number("true for a number", "count", json!(true), "a boolean"),
        number("a number beyond its type", "count", json!("9223372036854775808"), "out of range"),
        number("a float beyond exactness", "count", json!(1e300), "too large to be exact"),
        number("a float above 2^53", "count", json!(9_007_199_254_740_994.0), "too large to be exact"),
        number("a number of a thousand digits", "count", json!("9".repeat(1000)), "not a whole number"),
        number("a number below its type", "small", json!(-1), "out of range"),
        number("a number above its type", "small", json!(256), "out of range"),
        number("a number that wraps around", "small", json!(4_294_967_296_u64), "out of range"),
        number("a number beside its range", "level", json!(4), "out of range"),
        number("a number below its range", "level", json!("0"), "out of range"),
        number("a list for a number", "count", json!([5]), "a list"),
        number("a word for a float", "ratio", json!("many"), "not a number"),
        number("a float with a comma", "ratio", json!("1,5"), "not a number"),
        number("yes for a boolean", "plain", json!("yes"), "not a boolean"),
        number("one for a boolean", "plain", json!(1), "not a boolean"),
    ]
}

fn counts() -> Vec<Case> {
    vec![
        number("a count below nothing", "verbose", json!(-1), "out of range"),
        number("a count of a trillion", "verbose", json!(1_000_000_000_000_u64), "out of range"),
        number("a count beyond every type", "verbose", json!(1e300), "too large"),
        number("a count above the most", "verbose", json!(256), "out of range"),
        number("a count in words", "verbose", json!("three"), "not a whole number"),
        number("half a count", "verbose", json!(0.5), "not a whole number"),
        number("a count as a list", "verbose", json!([true, true]), "not a whole number"),
    ]
}

fn lists() -> Vec<Case> {
    let at = |name, value: Value, says| bad(name, "point", json!({ "at": value }), "at", says);
    vec![
        at("half a pair", json!([1]), "too few items"),
        at("a pair and a half", json!([1, 2, 3]), "too many items"),
        at("a pair as an object", json!({"x": 1, "y": 2}), "an object"),
        at("a pair in one text", json!("1,2"), "not a whole number"),
        at("a pair of fractions", json!([1.5, 2]), "item 0: not a whole number"),
        at("a pair with a fraction of text", json!(["1.5", 2]), "item 0: not a whole number"),
        number("a list that could be one text", "tag", json!("[1]"), "could be an array or one text"),
        number("false for an optional value", "color", json!(false), "false could mean two things"),
        number("an object for a list", "tag", json!({"0": "a"}), "an object"),
        number("a boolean for a list", "tag", json!(true), "a boolean"),
        bad("an empty list where one is needed", "remove", json!({"keys": []}), "keys", "missing"),
    ]
}

fn texts() -> Vec<Case> {
    vec![
        number("a NUL in a text", "note", json!("a\u{0}b"), "NUL"),
        number("a NUL at the end", "note", json!("a\u{0}"), "NUL"),
        number("a NUL in an item", "tag", json!(["a", "b\u{0}"]), "NUL"),
        number("a NUL in a choice", "kind", json!("book\u{0}"), "NUL"),
        number("a text longer than an argument", "note", json!("x".repeat(200_000)), "more than the operating system"),
        number(
            "a list longer than a command line",
            "tag",
            json!(vec!["x".repeat(1000); 600]),
            "more than the operating",
        ),
        number("a fraction for a text", "note", json!(1.10), "a fraction may lose digits"),
        number("true for a text", "note", json!(true), "a boolean"),
    ]
}

/// What clap itself forbids between params.
fn relations() -> Vec<Case> {
    vec![
        bad(
            "two params that exclude each other",
            "add",
            json!({"title": "t", "note": "n", "erase": true}),
            "note",
            "erase",
        ),
        bad("neither of two", "edit", json!({"title": "t"}), "key", ""),
        bad("both of two", "edit", json!({"key": "k", "query": "q"}), "key", ""),
        bad("one without the other that it needs", "edit", json!({"key": "k", "year": "1"}), "title", ""),
        bad("nothing where something is needed", "add", json!({}), "title", "missing"),
        bad("null where something is needed", "add", json!({"title": null}), "title", "missing"),
    ]
}
