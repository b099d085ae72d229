//! `output read`: the one command of the facade's own.

use super::page::{Missing, Page, Part};
use super::store::{Owner, Store};
use crate::annotate::read_only;
use crate::catalog::{Catalog, CatalogError, Settings};
use crate::invocation::{Given, Invocation};
use crate::refusal::{Kind, Problem, Refusal};
use crate::run::Outcome;
use crate::run::bound::{Bound, Cut, Delivery, Printed, Selection, Truncated, Unit, Untrusted, read_on};
use crate::surface::Way;
use clap::{Arg, Command};
use serde_json::Value;
use std::sync::Arc;

/// Makes the catalog of the built-in command, under a name that nothing of the CLI goes by.
///
/// # Errors
/// As [`Catalog::new`].
pub(crate) fn beside(catalog: &Catalog, settings: &Settings) -> Result<Catalog, CatalogError> {
    let taken = |words: &[String]| catalog.knows(&words.join(" ")) || settings.reserved.contains(&words.join("_"));
    let words = |number: usize| -> Vec<String> {
        let plain = ["output", "read"].map(str::to_owned);
        match number {
            0 => plain.into(),
            1 => [vec!["kept".to_owned()], plain.into()].concat(),
            n => [vec![format!("kept{n}")], plain.into()].concat(),
        }
    };
    let words = (0..).map(words).find(|words| !taken(words)).unwrap_or_default();
    let tools = catalog.operations().iter().map(|operation| operation.tool.clone());
    let own = Settings {
        tool_prefix: settings.tool_prefix.clone(),
        reserved: settings.reserved.iter().cloned().chain(tools).collect(),
        gates: Vec::new(),
        host_owned: Vec::new(),
        inject: Vec::new(),
        ..Settings::default()
    };
    let tree = words.iter().rev().fold(read(), |below, word| match below.get_name() {
        "" => below.name(word.clone()),
        _ => Command::new(word.clone()).subcommand_required(true).subcommand(below),
    });
    Catalog::new(Command::new(catalog.root().to_owned()).subcommand_required(true).subcommand(tree), &own)
}

fn read() -> Command {
    Command::new("")
        .about("Read on in an output that was cut")
        .add(read_only().example("The next elements of a list", "output read out_1 --pointer=/items --skip=100"))
        .arg(Arg::new("handle").required(true).help("What the cut result calls the whole: out_1"))
        .arg(Arg::new("pointer").long("pointer").help("JSON pointer of the part to read: /items/3/title"))
        .arg(
            Arg::new("pattern")
                .long("pattern")
                .help("Show only lines, or values and their pointers, that hold this text"),
        )
        .arg(number("skip").default_value("0").help("How many elements or lines to pass over"))
        .arg(number("limit").help("The most elements or lines to show"))
}

fn number(name: &'static str) -> Arg {
    Arg::new(name).long(name).value_parser(clap::value_parser!(u64))
}

/// A call of the built-in command.
pub(crate) struct Ask {
    handle: String,
    part: Part,
}

impl Ask {
    /// Reads a call that was validated and proved.
    pub(crate) fn new(invocation: &Invocation) -> Self {
        let text = |name: &str| match invocation.value(name) {
            Some(Given::Value(text)) => Some(text.clone()),
            _ => None,
        };
        let number = |name: &str| text(name).and_then(|text| text.parse().ok());
        let pointer = text("pointer").map(|pointer| match pointer.starts_with('/') || pointer.is_empty() {
            true => pointer,
            false => format!("/{pointer}"),
        });
        let (skip, most) = (number("skip").unwrap_or_default(), number("limit").unwrap_or(u64::MAX));
        let pattern = text("pattern").filter(|pattern| !pattern.is_empty());
        Self { handle: text("handle").unwrap_or_default(), part: Part { pointer, pattern, skip, most } }
    }

    /// Reads the page; `way` is how the next one is asked for.
    ///
    /// # Errors
    /// [`Kind::InvalidParams`] for a handle that is not the owner's, and a pointer that leads nowhere.
    pub(crate) fn answer(
        self,
        store: &Store,
        owner: &Owner,
        way: &Way,
        fields: Option<Selection>,
    ) -> Result<Outcome, Refusal> {
        let kept = store.find(&self.handle, owner).ok_or_else(|| {
            let mut problem = problem("handle", "no output of this session is kept under it", &self.handle);
            problem.allowed = store.handles(owner);
            let refusal = Refusal::invalid(vec![problem]);
            refusal.hint("only outputs that were cut are kept, the latest of them; run the command again")
        })?;
        let page = self.part.read(&kept).or_else(|missing| self.part.unmarked(&kept).ok_or(missing)?.read(&kept));
        let page = page.map_err(|missing| {
            let pointer = self.part.pointer.as_deref().unwrap_or_default();
            match missing {
                Missing::Pointer => Refusal::invalid(vec![Problem {
                    expected: Some("a JSON pointer into the output: /items/3/title".into()),
                    ..problem("pointer", "it leads to nothing", pointer)
                }]),
                Missing::NoJson => Refusal::invalid(vec![problem("pointer", "the output is no JSON", pointer)]),
                Missing::Fault(error) => {
                    Refusal::new(Kind::ToolFailed).because(format!("the kept output could not be read: {error}"))
                }
            }
        })?;
        let Page { mut delivered, cuts } = page;
        if fields.is_some() {
            let all = Delivery { bound: Bound { limit: kept.limit }, fields, keeper: None, mask: Arc::default() };
            delivered = all.deliver(Printed::text(delivered.text));
        }
        let mut notes = delivered.notes;
        let mut truncated = Truncated { bytes: kept.total, handle: Some(self.handle.clone()), ..Truncated::default() };
        for (n, cut) in cuts.into_iter().enumerate() {
            let (mut said, next) = match n {
                0 => self.place(&cut),
                _ => (cut.to_string(), Some(read_on(&self.handle, &cut))),
            };
            if let Some(mut params) = next {
                if n == 0 {
                    params.extend(
                        self.part.pattern.as_ref().map(|pattern| ("pattern".to_owned(), pattern.as_str().into())),
                    );
                    let most = (self.part.most != u64::MAX).then_some(self.part.most);
                    params.extend(most.map(|most| ("limit".to_owned(), most.into())));
                }
                let (tool, arguments) = way.call(params);
                said.push_str(&format!("; the rest: {tool} {}", Value::Object(arguments.clone())));
                truncated.rest.get_or_insert((tool, arguments));
                truncated.cuts.push(cut);
            }
            if !said.is_empty() {
                notes.push(said);
            }
        }
        let bytes = delivered.text.len() as u64;
        let untrusted = kept.untrusted.then(|| Untrusted { source: kept.source.clone(), json: delivered.json });
        let truncated = (!truncated.cuts.is_empty()).then(|| Box::new(truncated));
        Ok(Outcome {
            text: delivered.text,
            media: delivered.media,
            notes,
            bytes,
            untrusted,
            truncated,
            ..Outcome::default()
        })
    }

    /// Says which part of the whole a page shows, and the params of the next one.
    fn place(&self, cut: &Cut) -> (String, Option<serde_json::Map<String, Value>>) {
        let Cut { unit, shown, total, .. } = cut;
        let (from, to) = (self.part.skip, self.part.skip.saturating_add(*shown));
        let what = if self.part.pattern.is_some() { "matches".to_owned() } else { unit.to_string() };
        if from == 0 && to >= *total {
            let none = *total == 0 && self.part.pattern.is_some();
            return (if none { "no matches".to_owned() } else { String::new() }, None);
        }
        let said = match *shown {
            0 if from >= *total => format!("there are {total} {what}, none behind the first {from}"),
            _ => format!("{what} {} to {to} of {total}", from + 1),
        };
        if to >= *total {
            return (said, None);
        }
        // Also of a string: it is read from its start, and the lines of this page are told.
        let unit = if *unit == Unit::Bytes && cut.at.is_some() { Unit::Lines } else { *unit };
        (said, Some(read_on(&self.handle, &Cut { unit, shown: to, ..cut.clone() })))
    }
}

fn problem(param: &str, problem: &str, given: &str) -> Problem {
    Problem {
        param: param.into(),
        problem: problem.into(),
        given: Some(given.chars().take(80).collect()),
        ..Problem::default()
    }
}
