//! What a JSON value says as text, by the kind of its param.

use super::call::Given;
use super::names::nearest;
use crate::catalog::{BaseType, COUNT_MAX, Choice, Param, ParamKind, Repeat, Spelling, ValueType};
use crate::refusal::Problem;
use serde_json::{Number, Value};

/// Reads what a call gives for a param; `None` where it means the same as leaving the param out.
///
/// The problem has no `param` and no `given` yet: the caller knows them.
pub(super) fn read(param: &Param, value: &Value) -> Result<Option<Given>, Box<Problem>> {
    given(param, value).map_err(|fault| {
        Box::new(Problem {
            problem: fault.problem,
            expected: Some(fault.expected.unwrap_or_else(|| describe(param))),
            allowed: if fault.choice { allowed(param) } else { Vec::new() },
            nearest: fault.nearest,
            ..Problem::default()
        })
    })
}

/// Says what belongs where a param is missing: what is read there, and what it is for.
pub(crate) fn describe_missing(param: &Param) -> String {
    const LONGEST: usize = 120;
    let help = param.help.lines().next().unwrap_or_default();
    let sentence = help.find(". ").map_or(help, |end| &help[..end]).trim_end_matches('.');
    match sentence.is_empty() || sentence.len() > LONGEST {
        true => describe(param),
        false => format!("{} ({sentence})", describe(param)),
    }
}

/// Describes what a param takes, in a few words.
pub(crate) fn describe(param: &Param) -> String {
    match &param.kind {
        ParamKind::Switch => "true to pass it, or nothing".into(),
        ParamKind::Count => format!("how often to pass it, 0 to {COUNT_MAX}"),
        ParamKind::One(kind) => describe_value(kind),
        ParamKind::Optional { value, .. } if value.base == BaseType::Boolean => describe_value(value),
        ParamKind::Optional { value, .. } => format!("{}, or true for the bare flag", describe_value(value)),
        ParamKind::Many { item, repeat } if repeat.one_or_more => {
            let bare = if repeat.min == 0 { ", or true for the bare flag" } else { "" };
            format!("{}, or an array of them{bare}", describe_value(item))
        }
        ParamKind::Many { item, repeat } => {
            let length = match (repeat.min, repeat.max) {
                (min, max) if min == max && min > 1 && repeat.append => format!(", {min} at a time"),
                (min, max) if min == max && min > 1 => format!(" of {min}"),
                (min, usize::MAX) if min > 1 => format!(" of at least {min}"),
                (min, max) if max != usize::MAX && max > 1 && !repeat.append && repeat.delimiter.is_none() => {
                    format!(" of {} to {max}", min.max(1))
                }
                _ => String::new(),
            };
            format!("an array{length}, each item {}", describe_value(item))
        }
    }
}

/// Returns the values a param allows, where they are a closed set.
pub(super) fn allowed(param: &Param) -> Vec<String> {
    value_type(&param.kind).into_iter().flat_map(|kind| &kind.choices).map(|choice| choice.name.clone()).collect()
}

/// Returns the type of each value, for kinds that take any.
pub(crate) fn value_type(kind: &ParamKind) -> Option<&ValueType> {
    match kind {
        ParamKind::One(kind) | ParamKind::Optional { value: kind, .. } | ParamKind::Many { item: kind, .. } => {
            Some(kind)
        }
        ParamKind::Switch | ParamKind::Count => None,
    }
}

/// Renders a value for display, cut.
pub(super) fn show(value: &Value) -> String {
    match value {
        // A string is cut before it is quoted, so that 100 KB are not escaped for nothing.
        Value::String(text) => Value::from(cut(text)).to_string(),
        value => cut(&value.to_string()),
    }
}

/// Cuts a text for display at a character, saying how long it was.
pub(crate) fn cut(text: &str) -> String {
    const SHOWN: usize = 80;
    match text.char_indices().nth(SHOWN) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
    }
}

/// What is wrong with a value.
#[derive(Default)]
struct Fault {
    problem: String,
    /// Where the param's own description does not say enough.
    expected: Option<String>,
    nearest: Option<String>,
    /// The value is not one of the choices.
    choice: bool,
}

impl Fault {
    fn new(problem: impl Into<String>) -> Self {
        Self { problem: problem.into(), ..Self::default() }
    }

    fn expected(self, expected: impl Into<String>) -> Self {
        Self { expected: Some(expected.into()), ..self }
    }
}

fn given(param: &Param, value: &Value) -> Result<Option<Given>, Fault> {
    match &param.kind {
        ParamKind::Switch => Ok(switch(value)?.then_some(Given::Present)),
        ParamKind::Count => Ok(match count(value)? {
            0 => None,
            times => Some(Given::Times(times)),
        }),
        ParamKind::Optional { value: kind, .. } if is_flag(param) => optional(kind, value).map(Some),
        ParamKind::One(kind) | ParamKind::Optional { value: kind, .. } => Ok(Some(Given::Value(one(kind, value)?))),
        ParamKind::Many { item, repeat } => many(param, item, repeat, value),
    }
}

fn switch(value: &Value) -> Result<bool, Fault> {
    match value {
        Value::Bool(on) => Ok(*on),
        Value::String(text) => boolean_text(text).ok_or_else(|| Fault::new("not a boolean")),
        _ => Err(Fault::new("not a boolean")),
    }
}

fn count(value: &Value) -> Result<u8, Fault> {
    let times = match value {
        Value::Bool(on) => i128::from(*on),
        value => integer(value)?.parse().map_err(|_| Fault::new("not a whole number"))?,
    };
    u8::try_from(times).map_err(|_| Fault::new("out of range"))
}

fn optional(kind: &ValueType, value: &Value) -> Result<Given, Fault> {
    match value {
        Value::Bool(true) if kind.base != BaseType::Boolean => Ok(Given::Bare),
        Value::Bool(false) if kind.base != BaseType::Boolean => Err(Fault::new("false could mean two things")
            .expected(format!("nothing to leave it out, true for the bare flag, or {}", describe_value(kind)))),
        value => match one(kind, value) {
            Err(_) if value.as_str().and_then(boolean_text) == Some(true) => Ok(Given::Bare),
            read => read.map(Given::Value),
        },
    }
}

fn many(param: &Param, item: &ValueType, repeat: &Repeat, value: &Value) -> Result<Option<Given>, Fault> {
    let may_be_bare = repeat.min == 0 && is_flag(param);
    let items = match value {
        Value::Array(items) if items.is_empty() && may_be_bare => {
            return Err(Fault::new("an empty array could mean two things")
                .expected("nothing to leave it out, or true for the flag without values"));
        }
        Value::Array(items) if items.is_empty() => return Ok(None),
        Value::Array(items) => list(item, repeat, items)?,
        Value::Bool(true) if may_be_bare && item.base != BaseType::Boolean => return Ok(Some(Given::Bare)),
        Value::String(text) => match text_as_array(item, text)? {
            Some(items) if items.is_empty() => return Ok(None),
            Some(items) => list(item, repeat, &items)?,
            None => match repeat.delimiter {
                Some(delimiter) => text.split(delimiter).map(|part| one_text(item, part)).collect::<Result<_, _>>()?,
                None => vec![one_text(item, text)?],
            },
        },
        value => list(item, repeat, std::slice::from_ref(value))?,
    };
    number_of_items(repeat, items.len())?;
    Ok(Some(Given::Values(items)))
}

fn list(kind: &ValueType, repeat: &Repeat, items: &[Value]) -> Result<Vec<String>, Fault> {
    let read = |(at, item): (usize, &Value)| {
        let text =
            one(kind, item).map_err(|fault| Fault { problem: format!("item {at}: {}", fault.problem), ..fault })?;
        match repeat.delimiter {
            Some(delimiter) if text.contains(delimiter) => Err(Fault::new(format!(
                "item {at}: holds `{delimiter}`, which the command takes for the end of the item"
            ))
            .expected(format!("items without `{delimiter}`"))),
            _ => Ok(text),
        }
    };
    items.iter().enumerate().map(read).collect()
}

/// Tells whether a text given for a list is an array written out.
fn text_as_array(kind: &ValueType, text: &str) -> Result<Option<Vec<Value>>, Fault> {
    if !text.trim_start().starts_with('[') || choice(kind, text).is_some() {
        return Ok(None);
    }
    let Ok(items) = serde_json::from_str::<Vec<Value>>(text) else { return Ok(None) };
    // `[1]` may be a pattern as well as an array; quotes inside make it an array.
    let quoted = !items.is_empty() && items.iter().all(Value::is_string);
    if kind.base == BaseType::String && kind.choices.is_empty() && !quoted {
        return Err(Fault::new("could be an array or one text").expected("a JSON array of strings"));
    }
    Ok(Some(items))
}

fn number_of_items(repeat: &Repeat, given: usize) -> Result<(), Fault> {
    let Repeat { min, max, append, .. } = *repeat;
    let endless =
        append && (min <= 1 || (min == max && given.is_multiple_of(min))) || repeat.delimiter.is_some() && min <= 1;
    if given < min {
        Err(Fault::new(format!("too few items: {given}, at least {min} needed")))
    } else if endless || given <= max {
        Ok(())
    } else if append && min == max {
        Err(Fault::new(format!("{given} items, which is no multiple of {min}")))
    } else {
        Err(Fault::new(format!("too many items: {given}, at most {max} taken")))
    }
}

fn one(kind: &ValueType, value: &Value) -> Result<String, Fault> {
    match value {
        Value::String(text) => one_text(kind, text),
        Value::Null => Err(Fault::new("null inside a list")),
        Value::Array(_) => Err(Fault::new("a list where one value is taken")),
        Value::Object(_) => Err(Fault::new("an object can't be passed on a command line")
            .expected(format!("{}; JSON only written out as a string", describe_value(kind)))),
        Value::Bool(on) if kind.base == BaseType::Boolean => Ok(on.to_string()),
        Value::Bool(_) => Err(Fault::new(format!("a boolean where {} is taken", describe_value(kind)))),
        Value::Number(number) => {
            let text = match kind.base {
                BaseType::Integer { .. } => integer(value)?,
                BaseType::Number => decimal(number),
                // 1.10 has become 1.1 by the time it is read, so only whole numbers are sure to be what was meant.
                BaseType::String if number.is_f64() => {
                    return Err(Fault::new("a fraction may lose digits as text").expected("it in quotes, as a string"));
                }
                BaseType::String => number.to_string(),
                BaseType::Boolean => return Err(Fault::new("not a boolean")),
            };
            one_text(kind, &text)
        }
    }
}

/// Checks a text against the type, and keeps it as it is.
fn one_text(kind: &ValueType, text: &str) -> Result<String, Fault> {
    if text.contains('\0') {
        return Err(Fault::new("holds a NUL character, which no command line can carry"));
    }
    match kind.base {
        BaseType::String => {}
        BaseType::Integer { min, max } => {
            let number: i128 = text.parse().map_err(|_| Fault::new("not a whole number"))?;
            if number < min || number > max {
                return Err(Fault::new("out of range"));
            }
        }
        BaseType::Number if text.parse::<f64>().is_err() => return Err(Fault::new("not a number")),
        BaseType::Number => {}
        BaseType::Boolean => {
            return boolean_text(text).map(|on| on.to_string()).ok_or_else(|| Fault::new("not a boolean"));
        }
    }
    if !kind.choices.is_empty() && choice(kind, text).is_none() {
        return Err(Fault {
            nearest: nearest(text, kind.choices.iter().map(|choice| choice.name.as_str())).map(str::to_owned),
            choice: true,
            ..Fault::new("not an allowed value")
        });
    }
    Ok(text.to_owned())
}

fn integer(value: &Value) -> Result<String, Fault> {
    /// Above it, neighbouring whole numbers share one float.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let number = match value {
        Value::String(text) => return Ok(text.clone()),
        Value::Number(number) => number,
        _ => return Err(Fault::new("not a whole number")),
    };
    match number.as_f64() {
        _ if !number.is_f64() => Ok(number.to_string()),
        Some(float) if float.fract() != 0.0 => Err(Fault::new("not a whole number")),
        Some(float) if float.abs() < EXACT => Ok(format!("{}", float as i64)),
        _ => Err(Fault::new("too large to be exact as a float").expected("all its digits, in quotes")),
    }
}

/// Writes a number without an exponent, so that it reads the same to every parser.
fn decimal(number: &Number) -> String {
    match number.as_f64() {
        Some(float) if number.is_f64() => float.to_string(),
        _ => number.to_string(),
    }
}

fn boolean_text(text: &str) -> Option<bool> {
    if text.eq_ignore_ascii_case("true") {
        Some(true)
    } else if text.eq_ignore_ascii_case("false") {
        Some(false)
    } else {
        None
    }
}

fn choice<'a>(kind: &'a ValueType, text: &str) -> Option<&'a Choice> {
    let is = |name: &String| if kind.ignore_case { name.eq_ignore_ascii_case(text) } else { name == text };
    kind.choices.iter().find(|choice| is(&choice.name) || choice.aliases.iter().any(is))
}

fn describe_value(kind: &ValueType) -> String {
    match kind.base {
        _ if !kind.choices.is_empty() => "one of the allowed values".into(),
        BaseType::String if kind.path => "a path".into(),
        BaseType::String => "a string".into(),
        BaseType::Integer { min, max } => match (min > i128::from(i64::MIN), max < i128::from(i64::MAX)) {
            (true, true) => format!("a whole number from {min} to {max}"),
            (true, false) => format!("a whole number, at least {min}"),
            (false, true) => format!("a whole number, at most {max}"),
            (false, false) => "a whole number".into(),
        },
        BaseType::Number => "a number".into(),
        BaseType::Boolean => "true or false".into(),
    }
}

fn is_flag(param: &Param) -> bool {
    matches!(param.spelling, Spelling::Long(_) | Spelling::Short(_))
}
