//! Each refusal declared once: its code, sentence, HTTP status, exit code and whether to retry.

use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

macro_rules! kinds {
    ($($(#[$doc:meta])+ $kind:ident = $code:literal, $http:literal, $exit:literal, $retry:literal, $sentence:literal;)+) => {
        /// Why a call was not run to its end.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Kind { $($(#[$doc])+ $kind,)+ }

        impl Kind {
            /// Every kind, in declaration order.
            pub const ALL: &[Self] = &[$(Self::$kind),+];

            /// Returns the stable code that clients match on.
            pub const fn code(self) -> &'static str {
                match self { $(Self::$kind => $code),+ }
            }

            /// Returns the HTTP status that REST doors answer with.
            pub const fn http_status(self) -> u16 {
                match self { $(Self::$kind => $http),+ }
            }

            /// Returns the exit code of a command-line verb that ends in it.
            pub const fn exit_code(self) -> u8 {
                match self { $(Self::$kind => $exit),+ }
            }

            /// Tells whether the same call may succeed later.
            pub const fn is_retryable(self) -> bool {
                match self { $(Self::$kind => $retry),+ }
            }

            /// Returns the sentence that says what happened, for any reader.
            pub const fn sentence(self) -> &'static str {
                match self { $(Self::$kind => $sentence),+ }
            }
        }
    };
}

kinds! {
    // kind = code, HTTP status, exit code, retryable, sentence
    /// The surface lists no such tool: the one refusal that is a JSON-RPC error (−32602).
    UnknownTool = "UNKNOWN_TOOL", 404, 2, false, "no such tool";
    /// The catalog has no such operation.
    UnknownOperation = "UNKNOWN_OPERATION", 404, 2, false, "no such command";
    /// Arguments that don't fit the operation; every problem is listed.
    InvalidParams = "INVALID_PARAMS", 400, 2, false, "the arguments don't fit the command";
    /// The argv would not set exactly what was asked.
    ProofFailed = "PROOF_FAILED", 422, 2, false, "the command line would not mean exactly this call";
    /// The call's effect is wider than the tool or the caller may have.
    EffectDenied = "EFFECT_DENIED", 403, 13, false, "the call's effect is not allowed here";
    /// A param leads out of the folders that calls may name.
    PathOutside = "PATH_OUTSIDE", 403, 13, false, "a path leads out of the folders that are allowed";
    /// The operator stopped this server.
    Killed = "KILLED", 503, 13, false, "the operator stopped this server";
    /// The principal is not allowed this command.
    OperationDenied = "OPERATION_DENIED", 403, 13, false, "this caller may not run this command";
    /// More than the principal may use up, or more calls at once than there is room for.
    BudgetExhausted = "BUDGET_EXHAUSTED", 429, 7, true, "the budget is used up";
    /// What principals have used up can't be read or written down.
    BudgetUnavailable = "BUDGET_UNAVAILABLE", 503, 1, true, "what was used up can't be recorded, so nothing is run";
    /// Another change has not ended, and changes are made one at a time.
    Busy = "BUSY", 409, 9, true, "another change has not ended; nothing was run";
    /// Approval mode refuses the call.
    ApprovalDenied = "APPROVAL_DENIED", 403, 13, false, "the operator does not allow this call";
    /// The call waits for the operator's word; the same call may run once he has given it.
    ApprovalRequired = "APPROVAL_REQUIRED", 403, 13, true, "the operator has to allow this call first";
    /// The call changes something, and names no plan that stands.
    PlanRequired = "PLAN_REQUIRED", 428, 13, false, "a change needs the plan of its preview";
    /// What the call would do is no longer what its plan says.
    PlanChanged = "PLAN_CHANGED", 409, 9, false, "the call would no longer do what was planned; nothing was changed";
    /// The audit can't be written, and the call would change something.
    AuditUnavailable = "AUDIT_UNAVAILABLE", 503, 1, true, "the audit can't be written, so nothing that changes anything is run";
    /// A fixed tool could not do what was asked.
    ToolFailed = "TOOL_FAILED", 422, 1, false, "the tool failed";
    /// The command did not end in time; its process group was ended.
    TimedOut = "TIMED_OUT", 504, 13, true, "the command ran out of time and was stopped";
    /// The command asked for something that nobody answers; its process group was ended.
    NeedsInput = "NEEDS_INPUT", 422, 13, false, "the command waited for input and was stopped";
    /// The caller cancelled.
    Cancelled = "CANCELLED", 499, 13, true, "the call was cancelled";
    /// The command could not be started.
    NotStarted = "NOT_STARTED", 500, 1, false, "the command could not be started";
    /// The command panicked in process; the server goes on.
    Panicked = "PANICKED", 500, 1, false, "the command crashed";
    /// A fault of the facade itself.
    Internal = "INTERNAL", 500, 1, false, "the server failed";
}

/// A call that was not run to its end: why, where, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Which of the declared refusals it is.
    pub kind: Kind,
    /// What was wrong, for the reader; the kind's sentence where there is nothing to add.
    pub message: String,
    /// Every problem of the call, for refusals of arguments.
    pub problems: Vec<Problem>,
    /// What to do about it.
    pub hint: Option<String>,
    /// Whether and when the same call may succeed.
    pub retry: Retry,
    /// What the command had printed before it was stopped.
    pub partial: Option<Box<Partial>>,
    /// What a person has to allow first, for [`Kind::ApprovalRequired`].
    pub question: Option<Box<Question>>,
}

/// What a person has to allow before a call may run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Question {
    /// What the pending approval is called by.
    pub id: String,
    /// What is asked, text without control characters other than line ends.
    pub text: String,
    /// When it is too late to answer, in milliseconds since 1970.
    pub expires: u64,
    /// Tells this question from an earlier or later one about the same call; an agent never sees it.
    pub(crate) nonce: String,
}

/// Whether and when a refused call may succeed without a change to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    /// It will not.
    Never,
    /// It may at some time.
    Later,
    /// It may after that time, in whole seconds: what HTTP calls `Retry-After`.
    After(Duration),
}

/// What a command had printed before it was stopped, decoded and cut for display.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Partial {
    /// The start of its stdout.
    pub stdout: String,
    /// The end of its stderr.
    pub stderr: String,
}

/// One problem of a call's arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problem {
    /// The property name, as given.
    pub param: String,
    /// What is wrong, a short fragment: `unknown param`, `missing`, `not an integer`.
    pub problem: String,
    /// The value given, cut for display; `None` where nothing was.
    pub given: Option<String>,
    /// What would be right.
    pub expected: Option<String>,
    /// The values allowed, where they are a closed set.
    pub allowed: Vec<String>,
    /// The nearest valid name or value.
    pub nearest: Option<String>,
}

impl Refusal {
    /// Makes a refusal with the kind's own sentence.
    pub fn new(kind: Kind) -> Self {
        Self {
            kind,
            message: kind.sentence().to_owned(),
            problems: Vec::new(),
            hint: None,
            retry: if kind.is_retryable() { Retry::Later } else { Retry::Never },
            partial: None,
            question: None,
        }
    }

    /// Makes a refusal of arguments from its problems.
    pub fn invalid(problems: Vec<Problem>) -> Self {
        Self { problems, ..Self::new(Kind::InvalidParams) }
    }

    /// Says more precisely what was wrong.
    #[must_use]
    pub fn because(mut self, message: impl Into<String>) -> Self {
        self.message = message.into();
        self
    }

    /// Says what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Says whether and when the same call may succeed, where that is not what its kind says.
    #[must_use]
    pub fn retry(mut self, retry: Retry) -> Self {
        self.retry = retry;
        self
    }

    /// Renders the refusal as the `error` object that every door sends.
    pub fn to_json(&self) -> Value {
        let mut error = Map::new();
        error.insert("code".into(), self.kind.code().into());
        error.insert("message".into(), cut(&self.message).into());
        if !self.problems.is_empty() {
            error.insert("problems".into(), self.problems.iter().take(PROBLEMS).map(Problem::to_json).collect());
            if self.problems.len() > PROBLEMS {
                error.insert("more_problems".into(), (self.problems.len() - PROBLEMS).into());
            }
        }
        if let Some(hint) = &self.hint {
            error.insert("hint".into(), cut(hint).into());
        }
        if let Some(question) = &self.question {
            error.insert("approval".into(), question.id.as_str().into());
        }
        if self.retry != Retry::Never {
            error.insert("retryable".into(), true.into());
        }
        if let Retry::After(wait) = self.retry {
            error.insert("retry_after".into(), wait.as_secs().into());
        }
        if let Some(partial) = &self.partial {
            error.insert("partial".into(), json!({ "stdout": partial.stdout, "stderr": partial.stderr }));
        }
        json!({ "error": error })
    }
}

impl Problem {
    fn to_json(&self) -> Value {
        let mut json = Map::new();
        json.insert("param".into(), cut(&self.param).into());
        json.insert("problem".into(), cut(&self.problem).into());
        let mut text = |key: &str, value: &Option<String>| {
            if let Some(value) = value {
                json.insert(key.into(), cut(value).into());
            }
        };
        text("given", &self.given);
        text("expected", &self.expected);
        text("nearest", &self.nearest);
        if !self.allowed.is_empty() {
            json.insert("allowed".into(), self.allowed.clone().into());
        }
        Value::Object(json)
    }
}

/// The most problems that one refusal tells, and the most bytes of one text in it: what a caller
/// sent may be of any size, and must not come back in that size.
const PROBLEMS: usize = 20;
const TEXT_BYTES: usize = 2_000;

fn cut(text: &str) -> Cow<'_, str> {
    match text.len() <= TEXT_BYTES {
        true => text.into(),
        false => format!("{}…", &text[..text.floor_char_boundary(TEXT_BYTES)]).into(),
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&cut(&self.message))?;
        for problem in self.problems.iter().take(PROBLEMS) {
            write!(f, "\n  {}: {}", cut(&problem.param), cut(&problem.problem))?;
            if let Some(expected) = &problem.expected {
                write!(f, "; expected {}", cut(expected))?;
            }
            if let Some(nearest) = &problem.nearest {
                write!(f, "; did you mean `{}`?", cut(nearest))?;
            }
        }
        if self.problems.len() > PROBLEMS {
            write!(f, "\n  and {} more", self.problems.len() - PROBLEMS)?;
        }
        if let Some(hint) = &self.hint {
            write!(f, "\n  hint: {}", cut(hint))?;
        }
        Ok(())
    }
}

impl std::error::Error for Refusal {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns every text in a value.
    fn texts(value: &Value) -> Vec<&str> {
        match value {
            Value::String(text) => vec![text],
            Value::Array(items) => items.iter().flat_map(texts).collect(),
            Value::Object(members) => members.values().flat_map(texts).collect(),
            _ => Vec::new(),
        }
    }

    #[test]
    fn what_a_caller_sent_does_not_come_back_in_any_size() {
        let long = "é".repeat(4_000);
        let problem = Problem {
            param: long.clone(),
            problem: long.clone(),
            given: Some(long.clone()),
            expected: Some(long.clone()),
            allowed: Vec::new(),
            nearest: Some(long.clone()),
        };
        for count in [20, 21, 50] {
            let refusal = Refusal::invalid(vec![problem.clone(); count]).because(&long).hint(&long);
            let json = refusal.to_json();
            let error = &json["error"];
            assert_eq!(error["problems"].as_array().unwrap().len(), 20);
            assert_eq!(error["more_problems"].as_u64(), (count > 20).then_some(count as u64 - 20));
            assert_eq!(texts(&json).iter().map(|text| text.len()).max(), Some(2_000 + '…'.len_utf8()));
            assert!(refusal.to_string().len() < 200_000);
            assert!(refusal.to_string().ends_with('…'));
        }
        let short = Refusal::new(Kind::Cancelled).because("x".repeat(2_000));
        assert_eq!(short.to_json()["error"]["message"], "x".repeat(2_000), "what fits is whole");
    }

    #[test]
    fn codes_are_distinct() {
        let mut codes: Vec<_> = Kind::ALL.iter().map(|kind| kind.code()).collect();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), Kind::ALL.len());
    }
}
