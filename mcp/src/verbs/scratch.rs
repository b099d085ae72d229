//! Whether gates are read: previews run on a copy of what the CLI works on, which must stay as it was.

use super::VerbError;
use crate::Facade;
use crate::argv::Proved;
use crate::catalog::{Catalog, Effect, Lint, LintCode, Operation, Param, ParamKind, Spelling};
use crate::exec::{Executor, Job, apart};
use crate::invocation::Invocation;
use clap::parser::ValueSource;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::runtime::Runtime;

/// Makes, in an empty folder, a copy of what the CLI works on, and what runs calls on that copy alone.
pub(crate) type MakeScratch = dyn Fn(&Path) -> io::Result<Arc<dyn Executor>> + Send + Sync;

/// The gate that asks for a preview, and the one without which a change is only previewed.
const PREVIEWS: &str = "dry-run";
const APPLIES: &str = "yes";

/// What came of one operation's preview.
pub(super) struct Preview {
    operation: String,
    gate: String,
    end: End,
}

enum End {
    /// Nothing changed.
    Read,
    /// Files changed all the same.
    Changed(Vec<String>),
    /// It could not be tried.
    Unchecked(String),
}

impl Facade {
    /// Tells how calls can be tried on a copy of what the CLI works on, so that `lint` sees whether gates are read.
    ///
    /// `make` fills an empty folder with such a copy, and returns an executor whose calls change that folder alone.
    #[must_use]
    pub fn scratch<E: Executor + 'static>(
        mut self,
        make: impl Fn(&Path) -> io::Result<E> + Send + Sync + 'static,
    ) -> Self {
        self.scratch = Some(Arc::new(move |folder| Ok(Arc::new(make(folder)?) as Arc<dyn Executor>)));
        self
    }
}

impl Preview {
    pub(super) fn lint(&self) -> Option<Lint> {
        let End::Changed(files) = &self.end else { return None };
        let how = if self.gate == APPLIES { "without" } else { "with" };
        Some(Lint {
            code: LintCode::GateNotRead,
            path: self.operation.clone(),
            param: Some(self.gate.clone()),
            message: format!("a call {how} `--{}` is to change nothing, and changed {}", self.gate, files.join(", ")),
        })
    }

    pub(super) fn unchecked(&self) -> Option<String> {
        let End::Unchecked(why) = &self.end else { return None };
        let gate = &self.gate;
        Some(match self.operation.is_empty() {
            true => why.clone(),
            false => format!("whether `{}` reads `--{gate}`: {why}", self.operation),
        })
    }
}

/// Tries the preview of every command that has one.
pub(super) fn check(facade: &Facade, catalog: &Catalog) -> Result<Vec<Preview>, VerbError> {
    let gated: Vec<(&Arc<Operation>, &'static str)> =
        catalog.operations().iter().filter_map(|operation| Some((operation, preview_gate(operation)?))).collect();
    let Some(make) = &facade.scratch else {
        let why = match facade.report {
            Some(_) => "whether gates are read: a wrapped program's calls can't be tried on a copy",
            None => "whether gates are read: `Facade::scratch` does not say how to try calls on a copy",
        };
        let nothing = Preview { operation: String::new(), gate: String::new(), end: End::Unchecked(why.to_owned()) };
        return Ok(if gated.is_empty() { Vec::new() } else { vec![nothing] });
    };
    apart("previews", || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        Ok(try_all(&runtime, catalog, gated, make.as_ref()))
    })
    .map_err(failed)?
}

fn try_all(
    runtime: &Runtime,
    catalog: &Catalog,
    gated: Vec<(&Arc<Operation>, &'static str)>,
    make: &MakeScratch,
) -> Result<Vec<Preview>, VerbError> {
    let mut previews = Vec::new();
    for (operation, gate) in gated {
        let end = match sample(catalog, operation, gate) {
            Err(why) => End::Unchecked(why),
            Ok(proved) => {
                let folder = Folder::new().map_err(failed)?;
                let executor = make(&folder.0).map_err(failed)?;
                let before = prints(&folder.0).map_err(failed)?;
                let finished = runtime.block_on(executor.execute(Job::new(proved)));
                let after = prints(&folder.0).map_err(failed)?;
                let changed = changed(&before, &after);
                match finished {
                    Err(refusal) => End::Unchecked(refusal.to_string()),
                    Ok(_) if !changed.is_empty() => End::Changed(changed),
                    Ok(finished) if !finished.exit.is_success() => {
                        End::Unchecked(format!("its preview ended in {}", finished.exit))
                    }
                    Ok(_) => End::Read,
                }
            }
        };
        previews.push(Preview { operation: operation.name.clone(), gate: gate.to_owned(), end });
    }
    Ok(previews)
}

fn failed(error: io::Error) -> VerbError {
    VerbError::Own(format!("the scratch copy can't be made: {error}").into())
}

/// Returns the gate that decides whether a command only previews.
fn preview_gate(operation: &Operation) -> Option<&'static str> {
    if operation.widest_effect() == Effect::ReadOnly {
        return None;
    }
    let has = |name: &str| operation.params.iter().any(|param| param.gate && param.name == name);
    [PREVIEWS, APPLIES].into_iter().find(|gate| has(gate))
}

/// Makes a call that only previews: of the command's first example, or of nothing where nothing is required.
fn sample(catalog: &Catalog, operation: &Arc<Operation>, gate: &str) -> Result<Arc<Proved>, String> {
    let mut params = match operation.examples.first() {
        Some(example) => by_name(catalog, operation, &example.line)?,
        None => Map::new(),
    };
    params.retain(|name, _| operation.param(name).is_some_and(|param| !param.gate));
    if gate == PREVIEWS {
        params.insert(PREVIEWS.to_owned(), true.into());
    }
    let invocation = Invocation::new(operation, &params, &[]);
    let proved = invocation.and_then(|invocation| Proved::new(catalog, invocation));
    proved.map(Arc::new).map_err(|_| "it needs an example, declared by `.example(…)`, to be tried".to_owned())
}

/// Reads an example's command line into params by name.
fn by_name(catalog: &Catalog, operation: &Operation, line: &str) -> Result<Map<String, Value>, String> {
    let wrong = || format!("its example `{line}` is not one of its command lines");
    let words = shell_words::split(line).map_err(|_| wrong())?;
    let parser = catalog.prototype.clone().no_binary_name(true);
    let root = parser.try_get_matches_from(words).map_err(|_| wrong())?;
    let mut levels = vec![&root];
    for word in &operation.path {
        match levels.last().and_then(|matches| matches.subcommand()) {
            Some((name, below)) if name == word => levels.push(below),
            _ => return Err(wrong()),
        }
    }
    let given = |param: &Arc<Param>| {
        let matches = levels.get(param.depth)?;
        let id = param.id.as_str();
        if param.spelling == Spelling::External || matches.value_source(id) != Some(ValueSource::CommandLine) {
            return None;
        }
        let values: Vec<Value> = matches.get_raw(id)?.map(|value| value.to_string_lossy().into()).collect();
        let value = match &param.kind {
            ParamKind::Switch => true.into(),
            ParamKind::Count => matches.get_count(id).into(),
            ParamKind::One(_) | ParamKind::Optional { .. } => values.into_iter().next()?,
            ParamKind::Many { .. } => values.into(),
        };
        Some((param.name.clone(), value))
    };
    Ok(operation.params.iter().filter_map(given).collect())
}

type Prints = BTreeMap<PathBuf, Vec<u8>>;

/// Reads every file below a folder.
fn prints(folder: &Path) -> io::Result<Prints> {
    let mut prints = Prints::new();
    let mut left = vec![folder.to_owned()];
    while let Some(folder) = left.pop() {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            match entry.file_type()? {
                kind if kind.is_dir() => left.push(entry.path()),
                kind if kind.is_file() => drop(prints.insert(entry.path(), std::fs::read(entry.path())?)),
                _ => {}
            }
        }
    }
    Ok(prints)
}

fn changed(before: &Prints, after: &Prints) -> Vec<String> {
    let names = before.keys().chain(after.keys()).collect::<std::collections::BTreeSet<_>>();
    let changed = names.into_iter().filter(|name| before.get(*name) != after.get(*name));
    changed.filter_map(|name| Some(name.file_name()?.to_string_lossy().into_owned())).collect()
}

/// A folder that is gone with its value.
struct Folder(PathBuf);

impl Folder {
    fn new() -> io::Result<Self> {
        static NUMBER: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
        loop {
            let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let path = std::env::temp_dir().join(format!("clap-facade-scratch-{}-{number}", std::process::id()));
            match std::fs::create_dir(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => return made.map(|()| Self(path)),
            }
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What can't be removed is left to the system, which clears its temporary folder.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
