//! Where a user's programs keep what is theirs.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Expands a leading `~`, where there is a home.
pub(crate) fn from_home(path: &Path) -> PathBuf {
    match (path.strip_prefix("~"), env::var_os("HOME").filter(|home| !home.is_empty())) {
        (Ok(below), Some(home)) => Path::new(&home).join(below),
        _ => path.to_owned(),
    }
}

/// A folder of a user's: the variable of the XDG base directories that names it, and its default below the home.
#[derive(Clone, Copy)]
pub(crate) struct Kind(&'static str, &'static str);

/// Where policies stand.
pub(crate) const CONFIG: Kind = Kind("XDG_CONFIG_HOME", ".config");
/// Where audits stand, and beside them approvals and the switch that stops servers.
pub(crate) const STATE: Kind = Kind("XDG_STATE_HOME", ".local/state");
/// Where programs keep what is the user's.
pub(crate) const DATA: Kind = Kind("XDG_DATA_HOME", ".local/share");
/// Where it costs only time when it is lost.
pub(crate) const CACHE: Kind = Kind("XDG_CACHE_HOME", ".cache");

impl Kind {
    /// Returns the folder of this process's user.
    pub(crate) fn folder(self) -> Option<PathBuf> {
        self.folder_by(|name| env::var_os(name))
    }

    /// Returns the folder in another environment.
    pub(crate) fn folder_by(self, variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
        let set = variable(self.0).map(PathBuf::from).filter(|path| path.is_absolute());
        set.or_else(|| Some(Path::new(&variable("HOME")?).join(self.1)))
    }

    /// Returns the variable and its value where it names another folder than the default: a server that is started
    /// without it would look elsewhere than the operator's own verbs.
    pub(crate) fn moved(self) -> Option<(&'static str, String)> {
        let default = self.folder_by(|name| env::var_os(name).filter(|_| name == "HOME"));
        let folder = self.folder().filter(|folder| Some(folder) != default.as_ref())?;
        Some((self.0, folder.into_os_string().into_string().ok()?))
    }
}
