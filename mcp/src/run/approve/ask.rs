//! Asking the client's user: what a door carries to him and back.

use super::step::Approve;
use super::store::Answer;
use crate::refusal::{Kind, Question, Refusal};
use crate::run::canonical;
use serde_json::{Map, Value};

/// What the client's user said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    /// The call may run.
    Yes,
    /// It may not.
    No,
    /// Nothing: he turned away, or what came back is no answer.
    Nothing,
}

/// What the audit names for the client's user.
const BY: &str = "elicitation";

/// The first word of every sealed state.
const FORM: &str = "v1";

impl Approve {
    /// Seals what a client gives back with its user's answer: it is good for this question about this call alone.
    pub(crate) fn seal(&self, question: &Question, tool: &str, arguments: &Map<String, Value>) -> Option<String> {
        let expires = question.expires.to_string();
        let seal = self.key.as_ref()?.seal(&sealed(&question.id, &question.nonce, &expires, tool, &call(arguments)));
        Some(format!("{FORM}.{}.{}.{expires}.{seal}", question.id, question.nonce))
    }

    /// Takes an answer that came with a sealed state.
    ///
    /// # Errors
    /// [`Kind::ApprovalRequired`] where the state is not one of this call, has expired or was answered before.
    pub(crate) async fn hear_sealed(
        &self,
        state: &str,
        said: Said,
        tool: &str,
        arguments: &Map<String, Value>,
    ) -> Result<(), Refusal> {
        let words: Vec<&str> = state.split('.').collect();
        let ([FORM, id, nonce, expires, seal], Some(key)) = (words.as_slice(), &self.key) else {
            return Err(astray("the requestState is none of this server's"));
        };
        if !key.fits(seal, &sealed(id, nonce, expires, tool, &call(arguments))) {
            return Err(astray("the requestState is not of this call"));
        }
        if expires.parse::<u64>().is_ok_and(|expires| expires <= self.approvals.now()) {
            return Err(astray("the answer came too late"));
        }
        self.hear(id, nonce, said).await
    }

    /// Takes an answer to a question.
    ///
    /// # Errors
    /// [`Kind::ApprovalRequired`] where it was answered before.
    pub(crate) async fn hear(&self, id: &str, nonce: &str, said: Said) -> Result<(), Refusal> {
        let answer = match said {
            Said::Yes => Answer::Grant,
            Said::No => Answer::Deny,
            Said::Nothing => return Ok(()),
        };
        let (approvals, id, nonce) = (self.approvals.clone(), id.to_owned(), nonce.to_owned());
        let decided = tokio::task::spawn_blocking(move || approvals.answer(&id, &nonce, answer, BY)).await;
        match decided {
            Ok(Ok(Some(_))) => Ok(()),
            Ok(Ok(None)) => Err(astray("the question was answered before, or has expired")),
            Ok(Err(error)) => Err(astray(&format!("the answer can't be kept: {error}"))),
            Err(error) => Err(Refusal::new(Kind::Internal).because(error.to_string())),
        }
    }
}

fn call(arguments: &Map<String, Value>) -> String {
    canonical(&Value::Object(arguments.clone()))
}

fn sealed<'a>(id: &'a str, nonce: &'a str, expires: &'a str, tool: &'a str, call: &'a str) -> [&'a str; 6] {
    [FORM, id, nonce, expires, tool, call]
}

fn astray(why: &str) -> Refusal {
    Refusal::new(Kind::ApprovalRequired).because(why).hint("make the call again, without a requestState")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Approval;
    use crate::run::approve::Approvals;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
    use std::time::{Duration, UNIX_EPOCH};

    #[tokio::test]
    async fn a_state_is_too_late_when_its_question_has_expired() {
        let now = Arc::new(AtomicU64::new(999));
        let clock = now.clone();
        let approvals = Approvals::beside(None).by(move || UNIX_EPOCH + Duration::from_millis(clock.load(SeqCst)));
        let approve = Approve::new(Approval::Ask, Approval::Auto, approvals);
        let (id, text, nonce) = ("ap_0".to_owned(), String::new(), "n".to_owned());
        let state = approve.seal(&Question { id, text, expires: 1_000, nonce }, "tool", &Map::new()).unwrap();
        let hear = async || approve.hear_sealed(&state, Said::Nothing, "tool", &Map::new()).await;
        assert_eq!(hear().await, Ok(()));
        assert!(approve.hear_sealed(&state, Said::Nothing, "other", &Map::new()).await.is_err());
        now.store(1_000, SeqCst);
        assert!(hear().await.unwrap_err().message.contains("too late"));
    }
}
