//! What a policy's `writes` mean for one call.

use super::Site;
use std::fs;
use std::path::{Path, PathBuf};

/// Resolves a path as it is written; `None` where it means nothing here.
///
/// A folder that ends in `/` is made: the command could not make it itself.
pub(super) fn resolve(written: &str, site: &Site<'_>) -> Option<PathBuf> {
    let path = expand(written, site)?;
    let path = match (path.is_absolute(), site.cwd) {
        (false, Some(cwd)) => cwd.join(path),
        _ => path,
    };
    if written.ends_with('/') && !path.exists() {
        // Where it can't be made the command says what it misses.
        let _ = fs::create_dir_all(&path);
    }
    Some(path)
}

/// Expands `~` and a first component that is a variable.
fn expand(written: &str, site: &Site<'_>) -> Option<PathBuf> {
    let (first, rest) = written.split_once('/').unwrap_or((written, ""));
    let first = match first.strip_prefix('$') {
        Some(name) => (site.variable)(name)?,
        None if first == "~" => (site.variable)("HOME")?,
        None => return Some(written.into()),
    };
    // An empty variable would make a path of the whole file system.
    (!first.is_empty()).then(|| Path::new(&first).join(rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;

    #[test]
    fn paths_are_resolved_as_written() {
        let variable = |name: &str| -> Option<OsString> {
            match name {
                "HOME" => Some("/home/u".into()),
                "CACHE" => Some("/var/c".into()),
                "EMPTY" => Some("".into()),
                _ => None,
            }
        };
        let site = Site { cwd: Some(Path::new("/work")), variable: &variable };
        let table = [
            ("~", Some("/home/u")),
            ("~/.cache/x", Some("/home/u/.cache/x")),
            ("$CACHE", Some("/var/c")),
            ("$CACHE/y", Some("/var/c/y")),
            ("$UNSET/y", None),
            ("$EMPTY/y", None),
            ("/etc/z", Some("/etc/z")),
            ("here", Some("/work/here")),
            ("~u/x", Some("/work/~u/x")),
        ];
        for (written, meant) in table {
            assert_eq!(resolve(written, &site), meant.map(PathBuf::from), "{written}");
        }
    }

    #[test]
    fn a_folder_that_ends_in_a_slash_is_made() {
        let folder = tempfile::tempdir().unwrap();
        let site = Site { cwd: Some(folder.path()), variable: &|_| None };
        assert!(!resolve("plain", &site).unwrap().exists());
        assert!(resolve("a/b/", &site).unwrap().is_dir());
    }
}
