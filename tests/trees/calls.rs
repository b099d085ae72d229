//! Random calls of an operation, each value with what it must mean.

use super::reader::Set;
use clap_facade::catalog::{BaseType, Operation, Param, ParamKind, Repeat, Spelling, ValueType};
use serde_json::{Map, Value, json};
use std::ffi::OsString;

/// What a value of a call must mean.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Intent {
    /// The same as leaving the param out.
    Absent,
    /// Exactly this.
    Sets(Set),
    /// The flag without a value: what the tree puts in its place is its own.
    Bare,
    /// No reading, or two.
    Refused,
}

/// Numbers that follow from a seed.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) % sides as u64) as usize
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

/// Texts that break argv builders.
pub(crate) fn hostile(dice: &mut Dice) -> String {
    const TEXTS: &[&str] = &[
        "word",
        "",
        " ",
        "-",
        "--",
        "---",
        "-x",
        "-5",
        "-1.5e3",
        "--yes",
        "--yes=true",
        "--config=/x",
        "--name",
        "-a=b",
        "-yq",
        "a=b",
        "=",
        "a,b",
        ",",
        ",,",
        "\"",
        "'quoted'",
        "two words",
        "line\nbreak",
        "tab\t",
        "ünïcödé ☃",
        "日本",
        "\u{202e}",
        "null",
        "None",
        "true",
        "false",
        "[\"a\"]x",
        "{\"a\":1}",
        "list",
        "get",
        "up",
        "help",
        "--help",
        "-h",
        "--version",
        ";",
        "%",
        "100%",
        "$HOME",
        "`id`",
        "$(id)",
        "*",
        "\\",
        "/etc/passwd",
        "../..",
        "@file",
        "-",
        "+5",
        "0x10",
        "-list",
        "nul\0inside",
        "--agent",
        "1e6",
        "007",
    ];
    match dice.below(40) {
        0 => "x".repeat(100_000),
        1 => "-".repeat(300),
        _ => (*dice.pick(TEXTS)).to_owned(),
    }
}

/// A value that the param must accept in any call.
pub(crate) fn tame(param: &Param) -> Value {
    match &param.kind {
        ParamKind::Switch => json!(true),
        ParamKind::Count => json!(2),
        ParamKind::One(kind) | ParamKind::Optional { value: kind, .. } => tame_value(kind),
        ParamKind::Many { item, repeat } => vec![tame_value(item); repeat.min.max(1)].into(),
    }
}

fn tame_value(kind: &ValueType) -> Value {
    match kind.base {
        _ if !kind.choices.is_empty() => json!(kind.choices[0].name),
        BaseType::String => json!("word"),
        BaseType::Integer { .. } => json!(5),
        BaseType::Number => json!(1.5),
        BaseType::Boolean => json!(true),
    }
}

/// A random call: its params, and what each must mean.
pub(crate) fn call<'a>(operation: &'a Operation, dice: &mut Dice) -> (Map<String, Value>, Vec<(&'a Param, Intent)>) {
    let mut params = Map::new();
    let mut intents = Vec::new();
    let busy = 2 + dice.below(4);
    for param in &operation.params {
        if !param.required && dice.below(busy) != 0 {
            continue;
        }
        let (value, intent) = value(param, dice);
        let name = match dice.below(8) {
            0 => param.name.replace('-', "_"),
            1 => param.aliases.first().unwrap_or(&param.name).clone(),
            2 => format!("--{}", param.name),
            _ => param.name.clone(),
        };
        params.insert(name, value);
        intents.push((param.as_ref(), intent));
    }
    (params, intents)
}

fn value(param: &Param, dice: &mut Dice) -> (Value, Intent) {
    let refused = |value: Value| (value, Intent::Refused);
    let garbage = [json!({"a": 1}), json!([["a"]]), json!([{}]), json!([null]), json!({})];
    if dice.below(20) == 0 {
        return refused(dice.pick(&garbage).clone());
    }
    if dice.below(20) == 0 {
        return (Value::Null, Intent::Absent);
    }
    match &param.kind {
        ParamKind::Switch => match dice.below(8) {
            0 => (json!(false), Intent::Absent),
            1 => (json!("false"), Intent::Absent),
            2 => (json!("true"), Intent::Sets(Set::Passed)),
            3 => refused(
                dice.pick(&[json!(1), json!("yes"), json!(0), json!([true]), json!("--yes"), json!("")]).clone(),
            ),
            _ => (json!(true), Intent::Sets(Set::Passed)),
        },
        ParamKind::Count => match dice.below(8) {
            0 => (json!(0), Intent::Absent),
            1 => (json!("3"), Intent::Sets(Set::Counted(3))),
            2 => (json!(255.0), Intent::Sets(Set::Counted(255))),
            3 => refused(
                dice.pick(&[json!(-1), json!(1e12), json!("three"), json!(256), json!(1.5), json!([1])]).clone(),
            ),
            times => (json!(times), Intent::Sets(Set::Counted(times as u8))),
        },
        ParamKind::Optional { value: kind, .. } if is_flag(param) && kind.base != BaseType::Boolean => {
            match dice.below(6) {
                0 | 1 => (json!(true), Intent::Bare),
                2 => refused(json!(false)),
                _ => match single(kind, dice) {
                    (Value::Bool(true), _) => (json!(true), Intent::Bare),
                    (Value::String(text), Intent::Refused) if text == "true" => (json!(true), Intent::Bare),
                    read => read,
                },
            }
        }
        ParamKind::One(kind) | ParamKind::Optional { value: kind, .. } => single(kind, dice),
        ParamKind::Many { item, repeat } => several(param, item, repeat, dice),
    }
}

fn single(kind: &ValueType, dice: &mut Dice) -> (Value, Intent) {
    match text(kind, dice) {
        (value, Some(text)) => (value, Intent::Sets(Set::To(vec![text.into()]))),
        (value, None) => (value, Intent::Refused),
    }
}

fn several(param: &Param, item: &ValueType, repeat: &Repeat, dice: &mut Dice) -> (Value, Intent) {
    let unlimited = repeat.append || repeat.delimiter.is_some();
    let most = if unlimited { repeat.min.max(1) * 2 } else { repeat.max.min(repeat.min + 3) };
    let number = match dice.below(10) {
        0 => most + 1,
        1 if repeat.min > 1 => repeat.min - 1,
        _ => (repeat.min.max(1) + dice.below(most - repeat.min.max(1) + 1)).min(most),
    };
    let right = number >= repeat.min
        && if repeat.append && repeat.min > 1 {
            number.is_multiple_of(repeat.min)
        } else {
            number <= repeat.max || unlimited && repeat.min <= 1
        };
    if repeat.delimiter.is_some()
        && repeat.min <= 1
        && item.base == BaseType::String
        && item.choices.is_empty()
        && dice.below(4) == 0
    {
        let list = "a,,-b";
        return (json!(list), Intent::Sets(Set::To(list.split(',').map(OsString::from).collect())));
    }
    if repeat.min == 0 && is_flag(param) && item.base != BaseType::Boolean && dice.below(4) == 0 {
        return (json!(true), Intent::Bare);
    }
    let items: Vec<(Value, Option<String>)> = (0..number).map(|_| text(item, dice)).collect();
    let texts: Option<Vec<String>> = items.iter().map(|(_, text)| text.clone()).collect();
    let values: Vec<Value> = items.into_iter().map(|(value, _)| value).collect();
    let holds = |text: &String| repeat.delimiter.is_some_and(|delimiter| text.contains(delimiter));
    let intent = match texts {
        Some(texts) if right && !texts.iter().any(holds) => {
            Intent::Sets(Set::To(texts.into_iter().map(OsString::from).collect()))
        }
        _ => Intent::Refused,
    };
    let value = match (values.as_slice(), dice.below(6)) {
        ([one], 0) if !one.is_boolean() && !matches!((one, repeat.delimiter), (Value::String(_), Some(_))) => {
            one.clone()
        }
        (values, 1) if values.iter().all(Value::is_string) => json!(Value::from(values).to_string()),
        (values, _) => values.into(),
    };
    (value, intent)
}

/// One value, and the text it must become; no text where it must be refused.
fn text(kind: &ValueType, dice: &mut Dice) -> (Value, Option<String>) {
    let wrong = |value: Value| (value, None);
    let same = |text: &str| (json!(text), Some(text.to_owned()));
    if !kind.choices.is_empty() {
        let choice = dice.pick(&kind.choices).clone();
        return match dice.below(6) {
            0 => wrong(json!(dice.pick(&["secret-mode", "fas", "", "--yes", "FASTER"]))),
            1 if kind.ignore_case => same(&choice.name.to_uppercase()),
            1 => match choice.name.as_str() {
                "10" => (json!(10), Some("10".into())),
                name => wrong(json!(name.to_uppercase())),
            },
            2 => same(choice.aliases.first().unwrap_or(&choice.name)),
            _ => same(&choice.name),
        };
    }
    match kind.base {
        BaseType::String => match dice.below(12) {
            0 => (json!(12), Some("12".into())),
            1 => (json!(-7), Some("-7".into())),
            2 => wrong(dice.pick(&[json!(1.5), json!(true), json!(1e6)]).clone()),
            _ => {
                let text = hostile(dice);
                let carried = (!text.contains('\0')).then(|| text.clone());
                (json!(text), carried)
            }
        },
        BaseType::Integer { min, max } => {
            let numbers = [min.max(-(1 << 62)), max.min(1 << 62), 5, 1_000_000, 9_007_199_254_740_993, -3, 0];
            let number = *dice.pick(&numbers);
            let inside = number >= min && number <= max;
            let text = number.to_string();
            let value = match dice.below(5) {
                0 => json!(text),
                1 if number.abs() < 1 << 53 => json!(number as f64),
                2 => {
                    return wrong(
                        dice.pick(&[json!(1.5), json!("five"), json!(1e300), json!(" 5"), json!(true), json!("")])
                            .clone(),
                    );
                }
                _ => json!(number as i64),
            };
            (value, inside.then_some(text))
        }
        BaseType::Number => match dice.below(7) {
            0 => wrong(dice.pick(&[json!("many"), json!(true), json!("")]).clone()),
            1 => (json!(1e6), Some("1000000".into())),
            2 => same("-2.50"),
            3 => (json!(-4), Some("-4".into())),
            4 => (json!(1e-7), Some("0.0000001".into())),
            _ => (json!(1.5), Some("1.5".into())),
        },
        BaseType::Boolean => match dice.below(4) {
            0 => wrong(dice.pick(&[json!(1), json!("yes"), json!("")]).clone()),
            1 => (json!("false"), Some("false".into())),
            2 => (json!(false), Some("false".into())),
            _ => (json!(true), Some("true".into())),
        },
    }
}

pub(crate) fn is_flag(param: &Param) -> bool {
    matches!(param.spelling, Spelling::Long(_) | Spelling::Short(_))
}
