//! Step 1: nothing runs while the operator has the server stopped.

use super::Caller;
use super::audit;
use crate::refusal::{Kind, Refusal};
use serde::{Deserialize, Serialize};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// How often the file is looked at while a call runs.
const LOOK: Duration = Duration::from_millis(25);

/// The operator's switch: while it is on, new calls are refused and running ones are cancelled.
///
/// It is a file, so that any process of the operator's can turn it on and off for every server of the CLI; that the file
/// is there is all that counts. A handle in this process throws it for this server alone, and for good.
#[derive(Clone, Debug, Default)]
pub struct Kill {
    thrown: CancellationToken,
    file: Option<PathBuf>,
}

/// What is said of a switch that is on; nothing where somebody made the file by hand.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SwitchedOn {
    /// Who turned it on.
    pub by: Option<String>,
    /// When, in UTC.
    pub time: Option<String>,
    /// Why.
    pub reason: Option<String>,
}

impl Kill {
    /// Heeds the file that belongs to an audit: its name and `.kill`.
    pub fn beside(audit: &Path) -> Self {
        Self { thrown: CancellationToken::new(), file: Some(audit::beside(audit, "kill")) }
    }

    /// Returns the file that is the switch; `None` where there is only this handle.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Throws the switch of this server for good.
    pub fn throw(&self) {
        self.thrown.cancel();
    }

    /// Returns the token that is set once this server's own switch is thrown.
    pub fn token(&self) -> &CancellationToken {
        &self.thrown
    }

    /// Turns the switch on for every server of the CLI; tells whether it was off.
    ///
    /// # Errors
    /// Why the file can't be made.
    pub fn turn_on(&self, by: &str, reason: Option<&str>) -> io::Result<bool> {
        let file = self.file.as_deref().ok_or_else(no_place)?;
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = match options.open(file) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(false),
            Err(error) => return Err(error),
        };
        let time = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
        let said = SwitchedOn { by: Some(by.to_owned()), time: Some(time), reason: reason.map(str::to_owned) };
        // The switch is on already: that a full disk keeps nothing of who and why must not turn it off.
        let _ = file.write_all(&serde_json::to_vec(&said)?);
        Ok(true)
    }

    /// Turns the switch off; tells whether it was on.
    ///
    /// # Errors
    /// Why the file can't be removed.
    pub fn turn_off(&self) -> io::Result<bool> {
        match fs::remove_file(self.file.as_deref().ok_or_else(no_place)?) {
            Ok(()) => Ok(true),
            Err(error) if audit::is_absent(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Returns what is said of the switch where it is on.
    pub fn status(&self) -> Option<SwitchedOn> {
        let file = self.file.as_deref()?;
        is_on(file).then(|| fs::read(file).ok().and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default())
    }

    /// Lets the call pass while the switch is off.
    ///
    /// # Errors
    /// [`Kind::Killed`].
    pub fn check(&self, _caller: &Caller) -> Result<(), Refusal> {
        match self.file.as_deref().is_some_and(is_on) {
            true => Err(self.refusal(Kind::Killed.sentence())),
            false if self.thrown.is_cancelled() => Err(Refusal::new(Kind::Killed)),
            false => Ok(()),
        }
    }

    /// Waits until the file is there.
    pub(crate) async fn switched_on(&self) {
        let Some(file) = &self.file else { return std::future::pending().await };
        while !is_on(file) {
            sleep(LOOK).await;
        }
    }

    /// Says of a call that was cancelled that the operator did it, where that is so.
    pub(crate) fn explain(&self, refusal: Refusal) -> Refusal {
        match refusal.kind == Kind::Cancelled && self.file.as_deref().is_some_and(is_on) {
            true => Refusal { partial: refusal.partial, ..self.refusal("the operator stopped this call while it ran") },
            false => refusal,
        }
    }

    fn refusal(&self, sentence: &str) -> Refusal {
        let said = self.status().unwrap_or_default();
        let mut message = sentence.to_owned();
        for (before, word) in [(" at ", &said.time), (", by ", &said.by), (": ", &said.reason)] {
            if let Some(word) = word {
                message.extend([before, word]);
            }
        }
        Refusal::new(Kind::Killed).because(message)
    }
}

/// Tells whether the file is there; what can't be told counts as on.
fn is_on(file: &Path) -> bool {
    fs::symlink_metadata(file).map_or_else(|error| !audit::is_absent(&error), |_| true)
}

fn no_place() -> io::Error {
    io::Error::other("neither XDG_STATE_HOME nor HOME is set, so there is no place for the switch")
}
