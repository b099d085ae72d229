use super::VerbError;
use super::desk::{Desk, user};
use crate::run::approve::{Answer, Approval, Approvals, DecideError};
use clap::{Args, Subcommand};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, UNIX_EPOCH};

/// Decide the calls that wait for your word
#[derive(Args, Clone, Debug)]
pub(super) struct ApprovalsVerb {
    #[command(subcommand)]
    what: What,
}

#[derive(Clone, Debug, Subcommand)]
enum What {
    /// Show what waits, and what is decided but not yet used
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Let a call run, once: when the agent makes it again
    Grant {
        /// What `list` calls it by
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
    },
    /// Refuse a call, and take back what was granted
    Deny {
        /// What `list` calls it by
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
        /// Why, for the agent and the audit
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
}

impl ApprovalsVerb {
    pub(super) fn run(self, mut desk: Desk<'_>) -> Result<ExitCode, VerbError> {
        let approvals = desk.facade.approvals();
        match self.what {
            What::List { json } => {
                let found = approvals.list().map_err(|error| failed(&approvals, error))?;
                if json {
                    let found: Vec<_> = found.iter().map(to_json).collect();
                    desk.json(&json!({ "approvals": found, "folder": approvals.folder() }))?;
                } else if found.is_empty() {
                    desk.say("nothing waits")?;
                }
                if !json {
                    for approval in &found {
                        desk.say(describe(approval))?;
                    }
                }
            }
            What::Grant { ids } => decide(&mut desk, &approvals, &ids, Answer::Grant, None)?,
            What::Deny { ids, reason } => decide(&mut desk, &approvals, &ids, Answer::Deny, reason.as_deref())?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn decide(
    desk: &mut Desk<'_>,
    approvals: &Approvals,
    ids: &[String],
    answer: Answer,
    reason: Option<&str>,
) -> Result<(), VerbError> {
    desk.is_operators()?;
    let by = user();
    for id in ids {
        let decided = approvals.decide(id, answer, &format!("operator {by}"), reason).map_err(|error| match error {
            DecideError::Io(error) => failed(approvals, error),
            unknown => VerbError::argument(id, unknown.to_string()),
        })?;
        let (word, said) = match answer {
            Answer::Grant => ("granted", format!("granted until {}: it runs when it is called again", until(&decided))),
            Answer::Deny => ("denied", format!("denied until {}", until(&decided))),
        };
        desk.say(format!("{id} {said}"))?;
        let audit = desk.facade.audit_log();
        let of = format!("{id} {}{}", decided.target, reason.map(|reason| format!(": {reason}")).unwrap_or_default());
        audit.operator("approvals", word, &by, Some(&of)).map_err(|error| VerbError::File {
            path: audit.path().map_or_else(PathBuf::new, Into::into),
            error: std::io::Error::new(error.kind(), format!("it is done, but could not be written down: {error}")),
        })?;
    }
    Ok(())
}

fn describe(approval: &Approval) -> String {
    let standing = match &approval.decided {
        None => format!("waits until {}", until(approval)),
        Some(decided) => {
            let word = match decided.answer {
                Answer::Grant => "granted",
                Answer::Deny => "denied",
            };
            format!("{word} by {} until {}", decided.by, until(approval))
        }
    };
    format!("{}  {standing}\n  {}", approval.id, approval.question.replace('\n', "\n  "))
}

fn to_json(approval: &Approval) -> serde_json::Value {
    json!({
        "id": approval.id, "target": approval.target, "effect": approval.effect, "principal": approval.principal,
        "question": approval.question, "asked": time(approval.asked), "expires": until(approval),
        "decided": approval.decided,
    })
}

fn until(approval: &Approval) -> String {
    time(approval.expires)
}

fn time(millis: u64) -> String {
    // What is beyond what can be written as a date never comes.
    let latest = Duration::from_secs(253_402_300_799);
    humantime::format_rfc3339_seconds(UNIX_EPOCH + Duration::from_millis(millis).min(latest)).to_string()
}

fn failed(approvals: &Approvals, error: std::io::Error) -> VerbError {
    VerbError::File { path: approvals.folder().map_or_else(PathBuf::new, Path::to_owned), error }
}
