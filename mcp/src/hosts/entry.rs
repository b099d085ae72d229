use super::edit::Data;
use super::host::{Host, Shape};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::io;
use std::path::{self, Path, PathBuf};

/// What a host runs to start a server: a program, its arguments, its environment.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Entry {
    /// The program.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// What is set in its environment besides what the host sets.
    pub env: BTreeMap<String, String>,
}

impl Entry {
    /// Describes the start of `program`, as text that a host can hold.
    pub fn new(program: impl Into<String>, args: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { command: program.into(), args: args.into_iter().map(Into::into).collect(), env: BTreeMap::new() }
    }

    /// Describes the start of `program` so that it works from any folder and a bare environment.
    ///
    /// The program becomes an absolute path; links are kept, since an upgrade often moves what they point to. `path` is
    /// what `PATH` was for the user: a host with windows starts its servers with `/usr/bin:/bin`, where the helpers of
    /// a command line are not found.
    ///
    /// # Errors
    /// When the program isn't found, or its path isn't text that a file of settings can hold.
    pub fn capture(
        program: &Path,
        args: impl IntoIterator<Item = impl Into<String>>,
        path: Option<&OsStr>,
    ) -> io::Result<Self> {
        let found = find_program(program, path)?;
        let text = found.to_str().ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidInput, format!("the path {} isn't UTF-8", found.display()))
        })?;
        let mut entry = Self::new(text, args);
        if let Some(path) = path.and_then(helpers_path) {
            entry.env.insert("PATH".to_owned(), path);
        }
        Ok(entry)
    }

    /// Returns the entry with `name` set to `value` in its environment.
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }

    /// Returns the keys that the installer owns in an entry, as the host spells them.
    pub(super) fn owned(&self, host: Host) -> Map<String, Value> {
        let (command, args) = (&self.command, &self.args);
        let env = |key: &str| (!self.env.is_empty()).then(|| (key.to_owned(), json!(self.env)));
        let (keys, env) = match host.shape() {
            Shape::Plain => (json!({"command": command, "args": args}), env("env")),
            Shape::Typed => (json!({"type": "stdio", "command": command, "args": args}), env("env")),
            Shape::OpenCode => {
                let command: Vec<_> = std::iter::once(command).chain(args).collect();
                (json!({"type": "local", "command": command}), env("environment"))
            }
            Shape::Goose => (json!({"type": "stdio", "cmd": command, "args": args}), env("envs")),
        };
        let Value::Object(mut keys) = keys else { unreachable!("an entry is an object") };
        keys.extend(env);
        keys
    }

    /// Returns a whole new entry: the owned keys, and what the host wants in a fresh one.
    pub(super) fn fresh(&self, host: Host, name: &str) -> Map<String, Value> {
        let mut keys = self.owned(host);
        let more = match host.shape() {
            Shape::Plain | Shape::Typed => json!({}),
            Shape::OpenCode => json!({"enabled": true}),
            Shape::Goose => json!({"name": name, "enabled": true, "timeout": 300}),
        };
        if let Value::Object(more) = more {
            keys.extend(more);
        }
        keys
    }

    /// Reads an entry as the host spells it; `None` when it starts no program.
    pub(super) fn read(host: Host, data: &Data) -> Option<Self> {
        let texts = |key: &str| data.get(key).map_or(Some(Vec::new()), Data::texts);
        let env = |key: &str| data.get(key).map_or(Some(BTreeMap::new()), Data::text_map);
        match host.shape() {
            Shape::Plain | Shape::Typed => {
                Some(Self { command: data.get("command")?.text()?.to_owned(), args: texts("args")?, env: env("env")? })
            }
            Shape::OpenCode => {
                let mut words = texts("command")?.into_iter();
                Some(Self { command: words.next()?, args: words.collect(), env: env("environment")? })
            }
            Shape::Goose => {
                Some(Self { command: data.get("cmd")?.text()?.to_owned(), args: texts("args")?, env: env("envs")? })
            }
        }
    }
}

/// Finds a program given as a path, or by its name in `path`.
fn find_program(program: &Path, path: Option<&OsStr>) -> io::Result<PathBuf> {
    let candidates: Vec<PathBuf> = if program.components().count() > 1 || program.is_absolute() {
        vec![path::absolute(program)?]
    } else {
        let folders = path.map(|path| env::split_paths(path).collect::<Vec<_>>()).unwrap_or_default();
        let mut name = program.as_os_str().to_owned();
        if program.extension().is_none() {
            name.push(env::consts::EXE_SUFFIX);
        }
        folders.iter().filter(|folder| folder.is_absolute()).map(|folder| folder.join(&name)).collect()
    };
    candidates
        .into_iter()
        .find(|file| file.is_file())
        .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, format!("no program {} is found", program.display())))
}

/// Returns `path` without what only makes sense in a shell: relative, absent and repeated folders.
fn helpers_path(path: &OsStr) -> Option<String> {
    let mut kept: Vec<PathBuf> = Vec::new();
    for folder in env::split_paths(path) {
        if folder.is_absolute() && folder.is_dir() && !kept.contains(&folder) {
            kept.push(folder);
        }
    }
    if kept.is_empty() {
        return None;
    }
    env::join_paths(kept).ok()?.into_string().ok()
}
