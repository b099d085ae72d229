use super::VerbError;
use super::desk::{Desk, user};
use crate::run::kill::{Kill, SwitchedOn};
use clap::{Args, Subcommand};
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;

/// Stop every running server of this CLI at once, and let them go on
#[derive(Args, Clone, Debug)]
pub(super) struct KillVerb {
    #[command(subcommand)]
    what: What,
}

#[derive(Clone, Debug, Subcommand)]
enum What {
    /// Refuse new calls and stop the running ones
    On {
        /// Why, for the agent and the audit
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
    /// Let calls run again
    Off,
    /// Say whether calls run, and if not, who stopped them and when
    Status {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

impl KillVerb {
    pub(super) fn run(self, mut desk: Desk<'_>) -> Result<ExitCode, VerbError> {
        let kill = desk.facade.kill();
        if !matches!(self.what, What::Status { .. }) {
            desk.is_operators()?;
        }
        let by = user();
        let failed = |error| VerbError::File { path: kill.file().map_or_else(PathBuf::new, Into::into), error };
        match self.what {
            What::On { reason } => match kill.turn_on(&by, reason.as_deref()).map_err(failed)? {
                true => {
                    desk.say("on: new calls are refused, and running ones are being stopped")?;
                    note(&desk, "on", &by, reason.as_deref())?;
                }
                false => desk.say(describe(&kill))?,
            },
            What::Off => match kill.turn_off().map_err(failed)? {
                true => {
                    desk.say("off: calls run again")?;
                    note(&desk, "off", &by, None)?;
                }
                false => desk.say("off")?,
            },
            What::Status { json: false } => desk.say(describe(&kill))?,
            What::Status { json: true } => {
                let said = kill.status();
                let SwitchedOn { by, time, reason } = said.clone().unwrap_or_default();
                desk.json(&json!({
                    "on": said.is_some(), "by": by, "time": time, "reason": reason, "file": kill.file(),
                }))?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn describe(kill: &Kill) -> String {
    let Some(said) = kill.status() else { return "off".to_owned() };
    let since = said.time.map(|time| format!(" since {time}")).unwrap_or_default();
    let by = said.by.map(|by| format!(", by {by}")).unwrap_or_default();
    let reason = said.reason.map(|reason| format!(": {reason}")).unwrap_or_default();
    format!("on{since}{by}{reason}")
}

/// Writes down what was done. It is done by then: a full disk must not keep the operator from it.
fn note(desk: &Desk<'_>, decision: &str, by: &str, reason: Option<&str>) -> Result<(), VerbError> {
    let audit = desk.facade.audit_log();
    audit.operator("kill", decision, by, reason).map_err(|error| VerbError::File {
        path: audit.path().map_or_else(PathBuf::new, Into::into),
        error: std::io::Error::new(error.kind(), format!("it is done, but could not be written down: {error}")),
    })
}
