//! Placeholders in a step's values: `${vars.x}`, `${steps.NAME.output/json/pointer}`.
//!
//! A value that is one placeholder takes the selected value with its type; inside a longer text the
//! selected value is written out. `$${` is a plain `${`. What is put in is always a value: it is
//! made an invocation afterwards, by the same constructor as any other call.

use crate::invocation::nearest;
use crate::refusal::{Problem, Refusal};
use crate::run::Outcome;
use serde_json::{Map, Value, json};

/// The longest text that placeholders may grow to, in bytes: more than one argument can carry.
const FILLED_BYTES: usize = 512 * 1024;

/// What placeholders can refer to.
#[derive(Debug)]
pub(crate) struct Scope {
    vars: Map<String, Value>,
    steps: Map<String, Value>,
}

impl Scope {
    pub(crate) fn new(vars: &Map<String, Value>) -> Self {
        Self { vars: vars.clone(), steps: Map::new() }
    }

    /// Remembers what a step came to.
    pub(crate) fn record(&mut self, name: &str, outcome: &Outcome, output: Value) {
        let step = json!({ "output": output, "text": outcome.text, "exit": outcome.exit, "ok": !outcome.failed });
        self.steps.insert(name.to_owned(), step);
    }

    /// Returns what a step's `stdin_from` selects.
    pub(crate) fn printed(&self, from: &str) -> Result<String, Refusal> {
        self.fill_text(&selection(from)).map(|value| written(&value)).map_err(at("stdin_from"))
    }

    /// Fills the placeholders of a value.
    pub(crate) fn fill(&self, value: &Value) -> Result<Value, Refusal> {
        match value {
            Value::String(text) => self.fill_text(text),
            Value::Array(items) => items.iter().map(|item| self.fill(item)).collect(),
            Value::Object(members) => self.fill_map(members).map(Value::Object),
            plain => Ok(plain.clone()),
        }
    }

    /// Fills the placeholders of every member.
    pub(crate) fn fill_map(&self, members: &Map<String, Value>) -> Result<Map<String, Value>, Refusal> {
        members.iter().map(|(key, member)| Ok((key.clone(), self.fill(member).map_err(at(key))?))).collect()
    }

    /// Tells whether a condition holds: `A`, `!A`, `A == B` or `A != B`, where `A` alone holds
    /// unless it is empty, zero, `false` or `null`.
    pub(crate) fn holds(&self, condition: Option<&str>) -> Result<bool, Refusal> {
        let Some(condition) = condition else { return Ok(true) };
        let fill = |text: &str| self.fill_text(text).map_err(at("when"));
        Ok(match read_condition(condition)? {
            Condition::Holds { reference, wanted } => truthy(&fill(reference)?) == wanted,
            Condition::Equal { left, right, wanted } => (written(&fill(left)?) == written(&fill(right)?)) == wanted,
        })
    }

    /// Remembers that a step was left out, so that later conditions can ask for it.
    pub(crate) fn skip(&mut self, name: &str) {
        let step = json!({ "output": null, "text": "", "exit": null, "ok": false });
        self.steps.insert(name.to_owned(), step);
    }

    fn fill_text(&self, text: &str) -> Result<Value, Refusal> {
        let parts = parse(text)?;
        if let [Part::Reference(reference)] = parts.as_slice() {
            return self.select(reference);
        }
        let mut filled = String::new();
        for part in &parts {
            match part {
                Part::Text(text) => filled.push_str(text),
                Part::Reference(reference) => filled.push_str(&written(&self.select(reference)?)),
            }
            if filled.len() > FILLED_BYTES {
                return Err(refuse(text, "filled in, it is longer than a command line can carry"));
            }
        }
        Ok(filled.into())
    }

    fn select(&self, reference: &Reference) -> Result<Value, Refusal> {
        let name = reference.to_string();
        let root = match reference {
            Reference::Var { name: var, .. } => self.vars.get(var).ok_or_else(|| refuse(&name, "no such var"))?,
            Reference::Step { name: step, field, .. } => {
                let step = self.steps.get(step).ok_or_else(|| refuse(&name, "that step did not run"))?;
                &step[field.as_str()]
            }
        };
        let (Reference::Var { pointer, .. } | Reference::Step { pointer, .. }) = reference;
        root.pointer(pointer).cloned().ok_or_else(|| nothing_there(&name, root, pointer))
    }
}

/// Names the deepest part of a pointer that there is, and what can be selected below it.
fn nothing_there(placeholder: &str, root: &Value, pointer: &str) -> Refusal {
    let (mut here, mut found, mut lost) = (root, String::new(), "");
    for token in pointer.split('/').skip(1) {
        let below = here.pointer(&format!("/{token}"));
        lost = token;
        let Some(below) = below else { break };
        here = below;
        found = format!("{found}/{token}");
    }
    let mut refusal = refuse(placeholder, "");
    let problem = &mut refusal.problems[0];
    let is = match here {
        Value::Object(members) => {
            problem.allowed = members.keys().take(SHOWN_KEYS).cloned().collect();
            problem.nearest = nearest(lost, members.keys().map(String::as_str)).map(str::to_owned);
            format!("an object of {} keys", members.len())
        }
        Value::Array(items) => format!("an array of {}", items.len()),
        Value::String(_) => "text".to_owned(),
        plain => plain.to_string(),
    };
    let place = if found.is_empty() { "what it points into" } else { found.as_str() };
    problem.problem = format!("{place} is {is}, and has no `{lost}`");
    refusal
}

/// The most keys that are named where a pointer selects nothing.
const SHOWN_KEYS: usize = 20;

/// Spells a `stdin_from` as a placeholder: `NAME` is all that the step printed, and
/// `NAME.output/json/pointer` a part of it.
pub(crate) fn selection(from: &str) -> String {
    if from.contains('.') { format!("${{steps.{from}}}") } else { format!("${{steps.{from}.text}}") }
}

/// A condition as it is written, before its placeholders are filled.
enum Condition<'a> {
    Holds { reference: &'a str, wanted: bool },
    Equal { left: &'a str, right: &'a str, wanted: bool },
}

fn unquoted(text: &str) -> &str {
    let text = text.trim();
    let quoted = |mark: char| text.strip_prefix(mark).and_then(|text| text.strip_suffix(mark));
    quoted('"').or_else(|| quoted('\'')).unwrap_or(text)
}

/// Reads a condition; what is not one is refused, since a guard that can't be read must not hold.
fn read_condition(condition: &str) -> Result<Condition<'_>, Refusal> {
    let operators: usize = ["==", "!=", "&&", "||"].iter().map(|operator| condition.matches(operator).count()).sum();
    for (operator, wanted) in [("==", true), ("!=", false)] {
        if operators == 1
            && let Some((left, right)) = condition.split_once(operator)
        {
            return Ok(Condition::Equal { left: unquoted(left), right: unquoted(right), wanted });
        }
    }
    let (reference, wanted) = match condition.trim().strip_prefix('!') {
        Some(rest) => (rest.trim(), false),
        None => (condition.trim(), true),
    };
    match parse(reference).map_err(at("when"))?.as_slice() {
        [Part::Reference(_)] if operators == 0 => Ok(Condition::Holds { reference, wanted }),
        _ => Err(Refusal::invalid(vec![Problem {
            param: "when".into(),
            problem: "not a condition".into(),
            given: Some(condition.chars().take(80).collect()),
            expected: Some("${…}, !${…}, A == B or A != B".into()),
            ..Problem::default()
        }])),
    }
}

/// Checks that every placeholder of a step, by its place, can be resolved when its turn comes; `before` are the names of
/// the steps before it.
pub(crate) fn check<'a>(
    values: impl Iterator<Item = (&'a str, &'a Value)>,
    when: Option<&'a str>,
    vars: &Map<String, Value>,
    before: &[String],
) -> Result<(), Refusal> {
    let mut texts = Vec::new();
    for (place, value) in values {
        let mut inside = Vec::new();
        collect(value, &mut inside);
        texts.extend(inside.into_iter().map(|text| (place, text)));
    }
    if let Some(when) = when {
        read_condition(when)?;
        texts.push(("when", when));
    }
    let mut problems: Vec<Problem> = Vec::new();
    let mut unknown = Vec::new();
    for (place, text) in texts {
        let parts = match parse(text).map_err(at(place)) {
            Ok(parts) => parts,
            Err(refusal) => {
                problems.extend(refusal.problems);
                continue;
            }
        };
        for part in parts {
            let Part::Reference(reference) = part else { continue };
            let shown = reference.to_string();
            let (name, known, missing): (_, Vec<&str>, _) = match &reference {
                Reference::Var { name, .. } => (name, vars.keys().map(String::as_str).collect(), "no such var"),
                Reference::Step { name, .. } => {
                    (name, before.iter().map(String::as_str).collect(), "no earlier step has that name")
                }
            };
            // One name that is not there is one problem, however often it is used.
            if known.contains(&name.as_str()) || unknown.contains(&(missing, name.clone())) {
                continue;
            }
            unknown.push((missing, name.clone()));
            let nearest = nearest(name, known.iter().copied());
            let refusal = at(place)(refuse(&shown, missing));
            let allowed: Vec<String> = known.iter().take(SHOWN_KEYS).map(|name| (*name).to_owned()).collect();
            problems.extend(refusal.problems.into_iter().map(|problem| Problem {
                nearest: nearest.map(str::to_owned),
                allowed: allowed.clone(),
                expected: None,
                ..problem
            }));
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(Refusal::invalid(problems)) }
}

/// Puts problems that have no place yet where they were found.
pub(crate) fn at(place: &str) -> impl Fn(Refusal) -> Refusal {
    move |mut refusal| {
        for problem in refusal.problems.iter_mut().filter(|problem| problem.param.is_empty()) {
            problem.param = place.to_owned();
        }
        refusal
    }
}

/// Tells whether a value depends on a step that has yet to run.
pub(crate) fn is_open(value: &Value) -> bool {
    let mut texts = Vec::new();
    collect(value, &mut texts);
    let open = |part: &Part| matches!(part, Part::Reference(Reference::Step { .. }));
    texts.iter().any(|text| parse(text).is_ok_and(|parts| parts.iter().any(open)))
}

#[derive(Debug, PartialEq)]
enum Part {
    Text(String),
    Reference(Reference),
}

#[derive(Debug, PartialEq)]
enum Reference {
    Var { name: String, pointer: String },
    Step { name: String, field: String, pointer: String },
}

impl std::fmt::Display for Reference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Var { name, pointer } => write!(f, "${{vars.{name}{pointer}}}"),
            Self::Step { name, field, pointer } => write!(f, "${{steps.{name}.{field}{pointer}}}"),
        }
    }
}

fn parse(text: &str) -> Result<Vec<Part>, Refusal> {
    let mut parts = Vec::new();
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        if rest[..at].ends_with('$') {
            plain.push_str(&rest[..at - 1]);
            plain.push_str("${");
            rest = &rest[at + 2..];
            continue;
        }
        plain.push_str(&rest[..at]);
        let body = &rest[at + 2..];
        let end = body
            .find('}')
            .ok_or_else(|| refuse(&rest[at..], "the placeholder is not closed; `$${` is a plain `${`"))?;
        if !plain.is_empty() {
            parts.push(Part::Text(std::mem::take(&mut plain)));
        }
        parts.push(Part::Reference(reference(&body[..end])?));
        rest = &body[end + 1..];
    }
    plain.push_str(rest);
    if !plain.is_empty() || parts.is_empty() {
        parts.push(Part::Text(plain));
    }
    Ok(parts)
}

fn reference(body: &str) -> Result<Reference, Refusal> {
    let (path, pointer) = body.find('/').map_or((body, ""), |slash| body.split_at(slash));
    let pointer = pointer.to_owned();
    if let Some(name) = path.strip_prefix("vars.") {
        return Ok(Reference::Var { name: name.to_owned(), pointer });
    }
    if let Some((name, field)) = path.strip_prefix("steps.").and_then(|path| path.rsplit_once('.'))
        && ["output", "text", "exit", "ok"].contains(&field)
    {
        return Ok(Reference::Step { name: name.to_owned(), field: field.to_owned(), pointer });
    }
    Err(refuse(&format!("${{{body}}}"), "not a placeholder"))
}

fn refuse(placeholder: &str, problem: &str) -> Refusal {
    Refusal::invalid(vec![Problem {
        problem: problem.to_owned(),
        given: Some(placeholder.chars().take(80).collect()),
        expected: Some(
            "${vars.NAME}, ${steps.NAME.output}, .text, .exit or .ok, each with a JSON pointer behind it".to_owned(),
        ),
        ..Problem::default()
    }])
}

fn collect<'a>(value: &'a Value, texts: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => items.iter().for_each(|item| collect(item, texts)),
        Value::Object(members) => members.values().for_each(|member| collect(member, texts)),
        _ => {}
    }
}

fn written(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty() && text != "false" && text != "0",
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope() -> Scope {
        let vars = json!({"who": "ada", "n": 5, "dash": "--yes"});
        let mut scope = Scope::new(vars.as_object().unwrap());
        let output = json!({"items": [{"key": "a1"}, {"key": "b2"}], "count": 2, "none": []});
        let outcome = Outcome { text: output.to_string(), exit: Some(0), ..Outcome::default() };
        scope.record("find", &outcome, output);
        scope
    }

    #[test]
    fn a_lone_placeholder_keeps_its_type_and_a_longer_text_is_written_out() {
        for (template, filled) in [
            ("${vars.n}", json!(5)),
            ("${vars.who}-${vars.n}", json!("ada-5")),
            ("${steps.find.output/items/1/key}", json!("b2")),
            ("${steps.find.output/items}", json!([{"key": "a1"}, {"key": "b2"}])),
            ("${steps.find.exit}", json!(0)),
            ("$${vars.n} ${vars.dash}", json!("${vars.n} --yes")),
            ("plain $5 {x}", json!("plain $5 {x}")),
            ("", json!("")),
        ] {
            assert_eq!(scope().fill(&json!(template)), Ok(filled), "{template}");
        }
    }

    #[test]
    fn what_can_not_be_filled_is_named() {
        for (template, problem) in [
            ("${vars.x}", "no such var"),
            ("${steps.later.output}", "that step did not run"),
            ("${steps.find.output/items/9}", "/items is an array of 2, and has no `9`"),
            ("${steps.find.output/items/0/kee}", "/items/0 is an object of 1 keys, and has no `kee`"),
            ("${steps.find.output/item/0}", "what it points into is an object of 3 keys, and has no `item`"),
            ("${steps.find.text/items}", "what it points into is text, and has no `items`"),
            ("${vars.n/x}", "what it points into is 5, and has no `x`"),
            ("${steps.find.stdout}", "not a placeholder"),
            ("${env.HOME}", "not a placeholder"),
            ("a ${vars.who", "the placeholder is not closed; `$${` is a plain `${`"),
        ] {
            let flags = json!({ "title": [template] });
            let refusal = scope().fill_map(flags.as_object().unwrap()).unwrap_err();
            let [found] = refusal.problems.as_slice() else { panic!("{refusal}") };
            assert_eq!((found.param.as_str(), found.problem.as_str()), ("title", problem), "{template}");
            assert!(found.given.as_deref().is_some_and(|given| template.contains(given)), "{template}: {found:?}");
        }
    }

    #[test]
    fn a_pointer_that_misses_names_what_there_is() {
        let miss = |template: &str| scope().fill(&json!(template)).unwrap_err().problems.remove(0);
        let problem = miss("${steps.find.output/item/0}");
        assert_eq!(
            (problem.allowed.join(" ").as_str(), problem.nearest.as_deref()),
            ("items count none", Some("items"))
        );
        assert_eq!(miss("${steps.find.output/items/1/x}").allowed, ["key"]);
    }

    #[test]
    fn each_unknown_name_of_a_step_is_one_problem_at_its_first_place() {
        let vars = json!({ "who": "ada" });
        let check = |flags: Value, when: Option<&str>| {
            let flags = flags.as_object().unwrap().clone();
            let values = flags.iter().map(|(key, value)| (key.as_str(), value));
            let refusal = super::check(values, when, vars.as_object().unwrap(), &["find".to_owned()]).unwrap_err();
            let found = |problem: &Problem| format!("{}: {}", problem.param, problem.problem);
            refusal.problems.iter().map(found).collect::<Vec<_>>()
        };
        let missing = "no earlier step has that name";
        for (flags, when, problems) in [
            (json!({}), Some("${steps.fnd.ok}"), vec![format!("when: {missing}")]),
            (json!({}), Some("${vars.n} > 3"), vec!["when: not a condition".to_owned()]),
            (json!({}), Some("a == a || true"), vec!["when: not a condition".to_owned()]),
            (json!({}), Some("${vars.n} && ${vars.n}"), vec!["when: not a condition".to_owned()]),
            (
                json!({}),
                Some("${vars.x"),
                vec!["when: the placeholder is not closed; `$${` is a plain `${`".to_owned()],
            ),
            (
                json!({ "a": "${steps.b.text} ${steps.b.ok}", "c": ["${steps.b.exit}", "${vars.b}"] }),
                Some("${steps.b.ok}"),
                vec![format!("a: {missing}"), "c: no such var".to_owned()],
            ),
        ] {
            assert_eq!(check(flags, when), problems);
        }
    }

    #[test]
    fn conditions() {
        for (condition, holds) in [
            ("${steps.find.ok}", true),
            ("!${steps.find.ok}", false),
            ("${steps.find.output/none}", false),
            ("${steps.find.output/count} == 2", true),
            ("${steps.find.output/count} != 2", false),
            ("${vars.who} == ada", true),
            ("${vars.who} == \"ada\"", true),
            ("'ada' != ${vars.who}", false),
        ] {
            assert_eq!(scope().holds(Some(condition)), Ok(holds), "{condition}");
        }
    }

    #[test]
    fn what_is_no_condition_is_refused_and_holds_for_nobody() {
        for condition in
            ["${vars.n} > 3", "false && true", "not ${vars.who}", "0.0", "", "a != b == c", "${vars.n} == 1 == 2"]
        {
            assert!(scope().holds(Some(condition)).is_err(), "{condition}");
        }
    }

    #[test]
    fn a_step_that_was_left_out_can_be_asked_for() {
        let mut scope = scope();
        scope.skip("left-out");
        assert_eq!(scope.holds(Some("${steps.left-out.ok}")), Ok(false));
    }

    #[test]
    fn placeholders_can_not_grow_without_bound() {
        let vars = json!({ "a": "x".repeat(100_000) });
        let scope = Scope::new(vars.as_object().unwrap());
        assert!(scope.fill(&json!("${vars.a}".repeat(1_000_000))).is_err());
    }
}
