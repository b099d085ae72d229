//! Where the values of secrets come from, and how they reach their commands.

use super::apply::{join, named_args};
use crate::annotate::{GivenBy, secret};
use crate::catalog::{Filled, Hidden};
use crate::folders::from_home;
use clap::{Command, Id};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The longest file that is taken for a secret.
const LONGEST: u64 = 64 << 10;

/// Where the value of a secret comes from: one of the two.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct SecretSource {
    /// A variable of the server's environment.
    pub env: Option<String>,
    /// A file, without the newline at its end. `~` is the home; a relative one starts at the policy's own folder.
    pub file: Option<PathBuf>,
}

impl fmt::Display for SecretSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self { env: Some(variable), .. } => write!(f, "${variable}"),
            Self { file, .. } => file.as_deref().unwrap_or(Path::new("")).display().fmt(f),
        }
    }
}

impl SecretSource {
    /// Reads the value; says in a fragment why there is none.
    fn read(&self, beside: Option<&Path>) -> Result<Hidden, String> {
        let value = match (&self.env, &self.file) {
            (Some(variable), _) => std::env::var(variable).map_err(|error| match error {
                std::env::VarError::NotPresent => "is not set".to_owned(),
                std::env::VarError::NotUnicode(_) => "is not valid Unicode".to_owned(),
            })?,
            (None, None) => return Err("comes from nowhere".to_owned()),
            (None, Some(path)) => {
                let mut text = String::new();
                let file =
                    std::fs::File::open(located(path, beside)).map_err(|error| format!("can't be read: {error}"))?;
                file.take(LONGEST + 1).read_to_string(&mut text).map_err(|error| format!("can't be read: {error}"))?;
                if text.len() as u64 > LONGEST {
                    return Err("is too long for a secret".to_owned());
                }
                let line = text.strip_suffix('\n').unwrap_or(&text);
                line.strip_suffix('\r').unwrap_or(line).to_owned()
            }
        };
        if value.is_empty() { Err("is empty".to_owned()) } else { Ok(Hidden::new(value)) }
    }
}

fn located(path: &Path, beside: Option<&Path>) -> PathBuf {
    let path = from_home(path);
    beside.and_then(Path::parent).map_or_else(|| path.clone(), |folder| folder.join(&path))
}

/// A secret that the policy fills in.
#[derive(Clone, Debug)]
pub(crate) struct Fill {
    /// The args that it is for: `NAME` or `PATTERN NAME`.
    pub(crate) name: String,
    pub(crate) source: SecretSource,
    /// The value, or why there is none.
    pub(crate) value: Result<Hidden, String>,
}

/// How what is filled in reaches a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// In its environment where the arg has a variable, which other users of the system can't see.
    Environment,
    /// On its command line: it runs in this process, which has one environment for all.
    CommandLine,
}

impl Fill {
    /// Reads what `name` is filled from.
    pub(crate) fn new(name: &str, source: &SecretSource, beside: Option<&Path>) -> Self {
        Self { name: name.to_owned(), source: source.clone(), value: source.read(beside) }
    }
}

/// Declares on a tree what is filled in; returns the variables to set for its commands.
pub(crate) fn fill(mut command: Command, path: &str, fills: &[Fill], by: By) -> (Command, Vec<(String, Hidden)>) {
    let mut variables = Vec::new();
    for child in command.get_subcommands_mut() {
        let below = join(path, child.get_name());
        let (filled, more) = fill(std::mem::take(child), &below, fills, by);
        *child = filled;
        variables.extend(more);
    }
    for Fill { name, value, .. } in fills {
        let names = std::slice::from_ref(name);
        let found: Vec<Id> = named_args(&command, path, names).map(|arg| arg.get_id().clone()).collect();
        command = command.mut_args(|arg| {
            if !found.contains(arg.get_id()) {
                return arg;
            }
            let told = || arg.get::<GivenBy>().and_then(|given| given.0.first()).map(String::as_str);
            let variable = arg.get_env().and_then(|name| name.to_str()).or_else(told);
            let filled = match (value, variable.filter(|_| by == By::Environment).map(str::to_owned)) {
                (Ok(value), Some(variable)) => {
                    variables.push((variable, value.clone()));
                    // The server's own environment does not have it, and what is required there is given here.
                    arg.required(false)
                }
                (Ok(value), None) => arg.add(Filled(value.clone())),
                (Err(_), _) => arg,
            };
            filled.add(secret())
        });
    }
    (command, variables)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_comes_from_a_file_or_the_environment() {
        let folder = tempfile::tempdir().unwrap();
        let policy = folder.path().join("app.mcp.toml");
        std::fs::write(folder.path().join("token"), "hunter2\r\n").unwrap();
        std::fs::write(folder.path().join("empty"), "\n").unwrap();
        std::fs::write(folder.path().join("long"), vec![b'x'; 70_000]).unwrap();
        let of_file = |file: &str| SecretSource { file: Some(file.into()), env: None };
        let of_env = |variable: &str| SecretSource { env: Some(variable.into()), file: None };
        let read = |source: SecretSource| source.read(Some(&policy)).map(|value| value.reveal().to_owned());
        assert_eq!(read(of_file("token")), Ok("hunter2".to_owned()));
        for (source, why) in [
            (of_file("empty"), "is empty"),
            (of_file("long"), "too long"),
            (of_file("none"), "can't be read"),
            (of_env("CLAP_FACADE_NO_SUCH_VARIABLE"), "is not set"),
        ] {
            assert!(read(source).unwrap_err().contains(why));
        }
        assert!(read(of_env("PATH")).is_ok());
    }
}
