//! Step 3b: the folders that a call's paths may lead to.

use super::{Call, Caller, Target};
use crate::catalog::{Operation, Param, ParamKind};
use crate::folders::from_home;
use crate::invocation::Given;
use crate::refusal::{Kind, Problem, Refusal};
use nix::unistd::User;
use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::{env, fs};

/// Compares where a call's path params lead with the folders that are allowed.
#[derive(Clone, Debug, Default)]
pub struct Confine {
    /// The operator's word; `None` for the client's.
    pub roots: Option<Vec<PathBuf>>,
}

/// The folders that a client works in, as it says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Roots {
    /// It does not say: nothing is confined on its account.
    #[default]
    Unsaid,
    /// It has these open.
    Folders(Vec<PathBuf>),
    /// It has some, and did not answer which.
    Unanswered,
}

impl Confine {
    /// Lets the call pass where every path that it sets leads into an allowed folder, links followed.
    ///
    /// The operator's folders stand over the client's; an empty list confines nothing. `cwd` is where the command
    /// starts. What is not a path but for this check is not touched: `-`, nothing at all, addresses of other hosts.
    ///
    /// The steps of a workflow are checked before any of them runs, and what only earlier steps tell in its turn.
    ///
    /// A link that is made between this check and the command's own look is not seen.
    ///
    /// # Errors
    /// [`Kind::PathOutside`], with every such path.
    pub fn check(&self, call: &Call, caller: &Caller, cwd: Option<&Path>) -> Result<(), Refusal> {
        let paths: Vec<(String, &Given)> = match &call.target {
            Target::Operation(proved) => {
                let paths = proved.invocation().values().filter(|(param, _)| is_path(param));
                paths.map(|(param, given)| (param.name.clone(), given)).collect()
            }
            Target::Workflow(workflow) => workflow.paths().collect(),
            Target::Tool(..) => return Ok(()),
        };
        let (folders, hint) = match (&self.roots, &caller.roots) {
            (Some(roots), _) => (roots, "the operator's policy allows more with `roots`"),
            (None, Roots::Folders(folders)) => (
                folders,
                "these are the folders that the client has open; the operator's policy says others with `roots`",
            ),
            (None, Roots::Unsaid) => return Ok(()),
            (None, Roots::Unanswered) if paths.is_empty() => return Ok(()),
            (None, Roots::Unanswered) => {
                return Err(Refusal::new(Kind::PathOutside)
                    .because("the client did not say which folders it has open, so that no path can be allowed")
                    .hint("call again, or let the operator's policy say `roots`"));
            }
        };
        if folders.is_empty() || paths.is_empty() {
            return Ok(());
        }
        let base = match cwd {
            Some(cwd) => cwd.to_owned(),
            None => env::current_dir().unwrap_or_else(|_| "/".into()),
        };
        let allowed: Vec<PathBuf> = folders.iter().map(|root| follow(&base.join(from_home(root)))).collect();
        let problems: Vec<Problem> = paths
            .iter()
            .flat_map(|(param, given)| texts(given).iter().map(move |text| (param, text)))
            .filter_map(|(param, text)| outside(param, text, &base, &allowed))
            .collect();
        if problems.is_empty() {
            return Ok(());
        }
        let shown: Vec<String> = allowed.iter().map(|root| root.display().to_string()).collect();
        let first = problems.iter().filter_map(|problem| Some((&problem.param, problem.given.as_ref()?))).next();
        let what = first.map(|(param, given)| format!("`{param}` ({given})")).unwrap_or_default();
        Err(Refusal { problems, ..Refusal::new(Kind::PathOutside) }
            .because(format!("{what} leads out of what is allowed: {}", shown.join(", ")))
            .hint(hint))
    }
}

/// Tells whether a call of an operation may name files.
pub(crate) fn takes_paths(operation: &Operation) -> bool {
    operation.params.iter().any(|param| is_path(param))
}

pub(crate) fn is_path(param: &Param) -> bool {
    match &param.kind {
        ParamKind::One(value) | ParamKind::Optional { value, .. } => value.path,
        ParamKind::Many { item, .. } => item.path,
        ParamKind::Switch | ParamKind::Count => false,
    }
}

fn texts(given: &Given) -> &[String] {
    match given {
        Given::Value(text) => std::slice::from_ref(text),
        Given::Values(texts) => texts,
        Given::Present | Given::Times(_) | Given::Bare => &[],
    }
}

/// Tells where a path leads, if that is outside.
fn outside(param: &str, text: &str, base: &Path, allowed: &[PathBuf]) -> Option<Problem> {
    if text.is_empty() || text == "-" {
        return None;
    }
    let inside = |path: &PathBuf| allowed.iter().any(|root| path.starts_with(root));
    let led = readings(text).into_iter().flat_map(|path| ways(&base.join(path))).find(|path| !inside(path))?;
    Some(Problem {
        param: param.to_owned(),
        problem: format!("leads to {}", led.display()),
        given: Some(text.to_owned()),
        expected: Some(format!(
            "a path inside {}",
            allowed.iter().map(|root| root.display().to_string()).collect::<Vec<_>>().join(" or ")
        )),
        ..Problem::default()
    })
}

/// Returns every path that a program may take a text for: many expand the home and variables themselves.
fn readings(text: &str) -> Vec<PathBuf> {
    let mut readings = vec![PathBuf::from(text)];
    if let Some(path) = file_address(text) {
        readings.push(path);
    }
    let expanded = from_home(Path::new(text));
    if expanded != Path::new(text) {
        readings.push(expanded);
    }
    if let Some((user, rest)) = text.strip_prefix('~').map(|rest| rest.split_at(rest.find('/').unwrap_or(rest.len())))
        && let Ok(Some(user)) = User::from_name(user)
    {
        readings.push(user.dir.join(rest.trim_start_matches('/')));
    }
    if let Some(rest) = text.strip_prefix('$') {
        let named = match rest.strip_prefix('{') {
            Some(rest) => rest.split_once('}'),
            None => {
                Some(rest.split_at(rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len())))
            }
        };
        if let Some((name, rest)) = named
            && let Some(value) = env::var_os(name).filter(|_| !name.is_empty())
        {
            let mut whole = value;
            whole.push(rest);
            readings.push(whole.into());
        }
    }
    readings
}

/// Returns the file of an address such as `file:///tmp/a%20b`.
pub(crate) fn file_address(address: &str) -> Option<PathBuf> {
    let (scheme, rest) = address.split_once(':')?;
    if !scheme.eq_ignore_ascii_case("file") {
        return None;
    }
    let path = match rest.strip_prefix("//") {
        Some(rest) => &rest[rest.find('/')?..],
        None => rest,
    };
    let mut bytes = Vec::with_capacity(path.len());
    let mut left = path.as_bytes();
    while let [first, rest @ ..] = left {
        let coded = (*first == b'%').then(|| u8::from_str_radix(std::str::from_utf8(rest.get(..2)?).ok()?, 16).ok());
        match coded.flatten() {
            Some(byte) => {
                bytes.push(byte);
                left = &rest[2..];
            }
            None => {
                bytes.push(*first);
                left = rest;
            }
        }
    }
    Some(PathBuf::from(String::from_utf8(bytes).ok()?))
}

/// Returns where a path leads: as the system reads it, and as a program does that first takes `..` by its text.
fn ways(path: &Path) -> Vec<PathBuf> {
    let mut ways = vec![follow(path)];
    if path.components().any(|part| part == Component::ParentDir) {
        let mut plain = PathBuf::new();
        for part in path.components() {
            match part {
                Component::ParentDir => drop(plain.pop()),
                Component::CurDir => {}
                part => plain.push(part),
            }
        }
        ways.push(follow(&plain));
    }
    ways
}

/// The most links on one path, as Linux has it.
const LINKS: usize = 40;

/// Follows every link of an absolute path, also of one whose end does not exist yet.
fn follow(path: &Path) -> PathBuf {
    let mut at = PathBuf::from("/");
    let mut left: VecDeque<OsString> = parts(path);
    let mut links = 0;
    while let Some(part) = left.pop_front() {
        if part == ".." {
            at.pop();
            continue;
        }
        let next = at.join(&part);
        match fs::read_link(&next) {
            Ok(target) if links < LINKS => {
                links += 1;
                if target.is_absolute() {
                    at = PathBuf::from("/");
                }
                for part in parts(&target).into_iter().rev() {
                    left.push_front(part);
                }
            }
            // No link, nothing at all, or a circle, which leads nowhere.
            _ => at = next,
        }
    }
    at
}

fn parts(path: &Path) -> VecDeque<OsString> {
    let part = |part: Component<'_>| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    };
    path.components().filter_map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// `work/` with `in/`, a file, and links to inside, outside and nowhere; beside it `out/`.
    fn land() -> tempfile::TempDir {
        let land = tempfile::tempdir().unwrap();
        let at = |name: &str| land.path().join(name);
        for folder in ["work/in/deep", "out/deep", "work-2"] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        fs::write(at("work/in/file"), "").unwrap();
        symlink("in", at("work/inside")).unwrap();
        symlink("../out", at("work/outside")).unwrap();
        symlink("../out/new", at("work/dangling")).unwrap();
        symlink("in/deep", at("work/up")).unwrap();
        symlink("../../out/deep", at("work/in/hop")).unwrap();
        symlink("circle", at("work/circle")).unwrap();
        land
    }

    fn leads_out(land: &Path, text: &str) -> bool {
        let (base, allowed) = (land.join("work"), [follow(&land.join("work"))]);
        readings(text).into_iter().flat_map(|path| ways(&base.join(path))).any(|path| !path.starts_with(&allowed[0]))
    }

    #[test]
    fn paths_that_lead_out_are_found_and_no_others() {
        let land = land();
        let here = land.path().display();
        let inside = [
            ".",
            "in",
            "in/file",
            "in/new",
            "new/newer",
            "./in/../in",
            "in/deep/../../new",
            "inside/file",
            "inside/../in",
            "inside/new",
            "a b",
            "-5",
            "~x",
            "$",
            "$()",
            "${",
            "%2e",
            "http://host/../a",
            "circle",
            &format!("{here}/work"),
            &format!("{here}/work/in/../new"),
            &format!("file://{here}/work/a"),
            &format!("{here}/out/../work/x"),
        ]
        .map(ToOwned::to_owned);
        for text in inside {
            assert!(!leads_out(land.path(), &text), "{text}");
        }
        let outside = [
            "..",
            "../out",
            "../work-2",
            "../work-2/x",
            "in/../../out",
            "outside",
            "outside/new",
            "dangling",
            "in/hop",
            "in/hop/new",
            "up/../../x",
            // The system goes up from the link's target, a program that reads the text from the link's folder.
            "in/hop/../../out",
            "outside/../work/in/../../out",
            "inside/../../out",
            "new/../../out",
            "/",
            "/etc/passwd",
            "//etc/passwd",
            "~",
            "~/x",
            "~root",
            "~root/x",
            "$HOME/x",
            "${HOME}/x",
            "${HOME}",
            "file:///etc/passwd",
            "FILE:///etc/passwd",
            "file://localhost/etc/passwd",
            "file:/etc/passwd",
            "file:///%65tc/passwd",
            "/proc/self/root/etc",
            "/dev/stdin",
            &format!("{here}/work-2"),
            &format!("{here}/work/../out"),
            &format!("file://{here}/work/%2e%2e/out"),
        ]
        .map(ToOwned::to_owned);
        for text in outside {
            assert!(leads_out(land.path(), &text), "{text}");
        }
    }
}
