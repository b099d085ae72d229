//! Where a user's programs keep what is theirs.

use std::env;
use std::path::{Path, PathBuf};

/// Expands a leading `~`, where there is a home.
pub(crate) fn from_home(path: &Path) -> PathBuf {
    match (path.strip_prefix("~"), env::var_os("HOME").filter(|home| !home.is_empty())) {
        (Ok(below), Some(home)) => Path::new(&home).join(below),
        _ => path.to_owned(),
    }
}

/// Returns the folder that a variable of the XDG base directories names, else the one below the home.
pub(crate) fn user_folder(variable: &str, below_home: &str) -> Option<PathBuf> {
    let set = env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    set.or_else(|| Some(Path::new(&env::var_os("HOME")?).join(below_home)))
}
