//! `command_search`: from what a caller wants to the commands that do it.

use super::detail;
use super::facade::{SEARCH, find};
use super::fixed::{Answer, FixedTool};
use crate::catalog::search::Index;
use crate::catalog::{Catalog, Effect, Operation};
use crate::invocation::nearest;
use crate::refusal::{Problem, Refusal};
use crate::run::{Principal, guard};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::sync::{Arc, OnceLock};

/// How many hits a search shows unless told otherwise.
const HITS: usize = 6;

/// How many commands of a group are shown at most.
const GROUP: usize = 50;

/// Hits past the first are shown with their params while the answer stays below this, in bytes.
const ANSWER_BYTES: usize = 1_000;

/// What stands in an answer for what the caller may not run.
const NOT_ALLOWED: &str = "not_allowed";

/// What `command_search` takes.
#[derive(Deserialize, JsonSchema)]
struct Search {
    /// what to do, in words
    query: Option<String>,
    /// one exact command: all details
    name: Option<String>,
    limit: Option<usize>,
    cursor: Option<String>,
    /// Arguments that a search has no use for: said, not refused, since a search changes nothing.
    #[serde(default)]
    #[schemars(skip)]
    ignored: Vec<String>,
}

/// Makes the tool.
pub(super) fn tool(catalog: &Arc<Catalog>) -> FixedTool {
    let finder = Finder { index: OnceLock::new(), catalog: catalog.clone() };
    let description = format!("Find {} commands and their params: {}.", catalog.root(), words(catalog));
    let answer = move |search: Search, principal: &Principal| finder.answer(&search, principal);
    FixedTool::refusing(SEARCH, description, Effect::ReadOnly, answer).built_in()
}

/// Fits the arguments of `command_search`: the one text among them is what is searched for, under whatever name.
pub(super) fn arguments(search: &FixedTool, arguments: Map<String, Value>) -> Result<Map<String, Value>, Refusal> {
    let (mut known, mut stray): (Map<_, _>, Map<_, _>) =
        arguments.into_iter().partition(|(key, _)| search.arguments().any(|known| known == key));
    known.retain(|_, value| !value.is_null());
    if !known.contains_key("query") && !known.contains_key("name") && !stray.is_empty() {
        let mut texts = stray.iter().filter(|(_, value)| value.is_string());
        match (texts.next(), texts.next()) {
            (Some((key, text)), None) => {
                known.insert("query".to_owned(), text.clone());
                let key = key.clone();
                stray.remove(&key);
            }
            _ => return search.fit(known.into_iter().chain(stray).collect()),
        }
    }
    let mut fitted = search.fit(known)?;
    let near = |key: &String| match nearest(key, search.arguments()) {
        Some(near) => format!("{key}: did you mean `{near}`?"),
        None => key.clone(),
    };
    let mut ignored: Vec<String> = stray.keys().map(near).collect();
    let says = |key: &str| fitted.get(key).and_then(Value::as_str).is_some_and(|text| !text.trim().is_empty());
    // What a name or the list of all groups leaves without a use.
    let unused = match (says("name"), says("query")) {
        (true, _) => &["query", "limit", "cursor"][..],
        (false, false) => &["limit", "cursor"],
        (false, true) => &[],
    };
    ignored.extend(unused.iter().filter(|key| fitted.contains_key(**key)).map(|key| (*key).to_owned()));
    if !ignored.is_empty() {
        fitted.insert("ignored".into(), ignored.into());
    }
    Ok(fitted)
}

/// Answers `command_search`; the index is made at the first search.
struct Finder {
    index: OnceLock<Index>,
    catalog: Arc<Catalog>,
}

impl Finder {
    fn answer(&self, search: &Search, principal: &Principal) -> Result<Answer, Refusal> {
        let mut answer = self.found(search, principal)?;
        if !search.ignored.is_empty() {
            answer["ignored"] = search.ignored.clone().into();
        }
        Ok(answer.into())
    }

    fn found(&self, search: &Search, principal: &Principal) -> Result<Value, Refusal> {
        if let Some(name) = search.name.as_deref().filter(|name| !name.trim().is_empty()) {
            let found = find(&self.catalog, name);
            return match found.is_err().then(|| self.group(name, principal)).flatten() {
                Some(group) => Ok(group),
                None => {
                    let operation = found?;
                    let mut whole = detail::whole(operation);
                    if let Err(refusal) = guard::could_run(principal, operation) {
                        whole[NOT_ALLOWED] = refusal.message.into();
                    }
                    Ok(whole)
                }
            };
        }
        match search.query.as_deref().map(str::trim).filter(|query| !query.is_empty()) {
            None => Ok(self.groups()),
            Some(query) => self.hits(query, search, principal),
        }
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| Index::new(self.catalog.operations(), self.catalog.groups()))
    }

    /// Returns the commands of a group; nothing where none is called so.
    fn group(&self, name: &str, principal: &Principal) -> Option<Value> {
        let wanted: Vec<String> = name.split_whitespace().map(str::to_lowercase).collect();
        let is_below = |operation: &&Arc<Operation>| {
            operation.path.len() > wanted.len()
                && operation.path.iter().zip(&wanted).all(|(word, wanted)| word.to_lowercase() == *wanted)
        };
        let below: Vec<_> = self.catalog.operations().iter().filter(is_below).collect();
        if below.is_empty() {
            return None;
        }
        let (below, closed): (Vec<_>, Vec<_>) = below.into_iter().partition(|operation| principal.can_run(operation));
        let shown: Vec<Value> = below.iter().take(GROUP).map(|operation| detail::line(operation)).collect();
        let mut answer = json!({ "group": wanted.join(" "), "commands": shown });
        tell_closed(&mut answer, closed.into_iter());
        if below.len() > GROUP {
            answer["more"] = (below.len() - GROUP).into();
        }
        Some(answer)
    }

    fn groups(&self) -> Value {
        let groups = self.index().groups();
        let shown = groups
            .iter()
            .map(|group| json!({ "name": group.name, "commands": group.operations, "about": group.about }));
        json!({ "groups": shown.collect::<Vec<_>>(), "commands": self.catalog.operations().len() })
    }

    fn hits(&self, query: &str, search: &Search, principal: &Principal) -> Result<Value, Refusal> {
        let skip = match search.cursor.as_deref() {
            None | Some("") => 0,
            Some(cursor) => cursor.parse::<usize>().map_err(|_| {
                Refusal::invalid(vec![Problem {
                    param: "cursor".into(),
                    problem: "not a cursor of this search".into(),
                    given: Some(cursor.chars().take(80).collect()),
                    ..Problem::default()
                }])
            })?,
        };
        let limit = search.limit.unwrap_or(HITS).clamp(1, 50);
        let wanted = skip.saturating_add(limit).saturating_add(1);
        let found = self.index().search(query, if principal.is_narrow() { usize::MAX } else { wanted });
        // What an agent can't run only keeps it from what it can.
        let (hits, closed): (Vec<_>, Vec<_>) = found.into_iter().partition(|hit| principal.can_run(&hit.operation));
        if hits.is_empty() && closed.is_empty() {
            let near = self.index().nearest(query, 5);
            return Ok(json!({ "commands": [], "nearest": near, "groups": words(&self.catalog) }));
        }
        let mut bytes = 0;
        let mut detailed = true;
        let mut shown = Vec::new();
        for (rank, hit) in hits.iter().skip(skip).take(limit).enumerate() {
            let signature = detail::signature(&hit.operation);
            bytes += signature.to_string().len();
            detailed &= rank == 0 || bytes <= ANSWER_BYTES;
            shown.push(if detailed { signature } else { detail::line(&hit.operation) });
        }
        let mut answer = json!({ "commands": shown });
        if skip == 0 {
            tell_closed(&mut answer, closed.iter().map(|hit| &hit.operation));
        }
        if hits.len() > skip.saturating_add(limit) {
            answer["cursor"] = (skip + limit).to_string().into();
        }
        Ok(answer)
    }
}

/// Names the commands that would fit but that the caller can't run, so that it neither tries nor looks further.
fn tell_closed<'a>(answer: &mut Value, closed: impl Iterator<Item = &'a Arc<Operation>>) {
    let names: Vec<&str> = closed.take(HITS).map(|operation| operation.name.as_str()).collect();
    if !names.is_empty() {
        answer[NOT_ALLOWED] = names.into();
    }
}

/// Returns the CLI's own words for its groups, so that hosts which search tools find this one.
fn words(catalog: &Catalog) -> String {
    let mut words: Vec<&str> = Vec::new();
    for operation in catalog.operations() {
        if let Some(word) = operation.path.first()
            && !words.contains(&word.as_str())
        {
            words.push(word);
        }
    }
    let mut text = String::new();
    for word in &words {
        if text.len() + word.len() > 180 {
            text.push_str(", …");
            break;
        }
        if !text.is_empty() {
            text.push_str(", ");
        }
        text.push_str(word);
    }
    text
}
