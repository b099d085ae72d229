use std::env;
use std::io;
use std::path::PathBuf;

/// An operating system, as far as hosts' paths differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Os {
    /// Linux and other Unixes that follow the XDG folders.
    Linux,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
}

/// The folders from which every host's file is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// The user's home folder.
    pub home: PathBuf,
    /// Where programs keep settings: `$XDG_CONFIG_HOME`, `~/Library/Application Support` or `%APPDATA%`.
    pub config: PathBuf,
    /// The folder of the project, for the workspace scope.
    pub workspace: PathBuf,
    /// Whose paths are meant.
    pub os: Os,
}

impl Places {
    /// Reads this process's own places from its environment.
    ///
    /// # Errors
    /// When the home folder isn't known, or the working folder can't be read.
    pub fn detect() -> io::Result<Self> {
        let os = match env::consts::OS {
            "macos" => Os::MacOs,
            "windows" => Os::Windows,
            _ => Os::Linux,
        };
        let home = env::home_dir()
            .filter(|home| home.is_absolute())
            .ok_or_else(|| io::Error::other("the home folder isn't known: set HOME"))?;
        let own = match os {
            Os::Linux => env::var_os("XDG_CONFIG_HOME"),
            Os::MacOs => None,
            Os::Windows => env::var_os("APPDATA"),
        };
        let config = own.map(PathBuf::from).filter(|path| path.is_absolute());
        let workspace = env::current_dir()?;
        Ok(Self { config: config.unwrap_or_else(|| Self::usual_config(os, &home)), home, workspace, os })
    }

    /// Returns the places below `home` and `workspace`, with no setting of the user's.
    pub fn usual(os: Os, home: impl Into<PathBuf>, workspace: impl Into<PathBuf>) -> Self {
        let home = home.into();
        Self { config: Self::usual_config(os, &home), home, workspace: workspace.into(), os }
    }

    /// Returns `~/.config`, where some hosts keep their file on macOS too.
    pub(super) fn dot_config(&self) -> PathBuf {
        match self.os {
            Os::Linux => self.config.clone(),
            Os::MacOs | Os::Windows => self.home.join(".config"),
        }
    }

    fn usual_config(os: Os, home: &std::path::Path) -> PathBuf {
        match os {
            Os::Linux => home.join(".config"),
            Os::MacOs => home.join("Library").join("Application Support"),
            Os::Windows => home.join("AppData").join("Roaming"),
        }
    }
}
