//! Calls that are right in themselves, through a tool, by a caller or on a server that may not make them.

use super::run::{Server, Told};
use clap_facade::Facade;
use clap_facade::catalog::{Approval, Effect};
use clap_facade::policy::Policy;
use clap_facade::refusal::Kind;
use clap_facade::run::Principal;
use clap_facade::run::budget::{Allowance, Measure};
use clap_facade::surface::Choice;
use serde_json::{Value, json};

/// Who keeps the call from being made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Limit {
    /// The tool runs what reads alone.
    Tool,
    /// The caller may have this effect at most.
    Scope(Effect),
    /// The caller may run these commands at most: `get` and what is below `tags`, but not `tags audit fix`.
    Rules,
    /// The caller has used up its changes.
    Budget,
    /// The operator allows nothing that changes anything.
    Approval,
    /// The operator is asked about every change, and has not answered.
    Ask,
    /// The operator stopped the server.
    Killed,
    /// The operator's policy.
    Policy,
    /// The audit can't be written.
    Audit,
}

impl Limit {
    fn server(self, surface: Choice) -> Server {
        let server = Server::with(|facade| {
            let facade: Facade = facade.surface(surface);
            match self {
                Self::Approval => facade.approve(Approval::Deny),
                Self::Ask => facade.approve(Approval::Ask),
                Self::Policy => facade.policy(&Policy::parse(POLICY).unwrap()).unwrap(),
                Self::Audit => facade.audit("/dev/full"),
                Self::Tool | Self::Scope(_) | Self::Rules | Self::Budget | Self::Killed => facade,
            }
        });
        if self == Self::Killed {
            server.pipeline.kill().throw();
        }
        server
    }

    fn principal(self) -> Principal {
        match self {
            Self::Scope(scope) => Principal::new("test", scope),
            Self::Rules => Principal::default().allow(["get", "tags", "workflow_submit"]).deny(["tags audit fix"]),
            Self::Budget => Principal::default().budget(Allowance::new().in_a_session(Measure::Writes, 0)),
            _ => Principal::default(),
        }
    }
}

const POLICY: &str = r#"
deny = ["remove", "tags"]
secret = ["note"]
host-owned = ["list output"]

[[command]]
match = ["capabilities"]
effect = "mutating"

[[command]]
match = ["get"]
mutating-when = ["key"]
"#;

/// Its name, the limit, the tool (of the facade, or of the mirror where it starts with `=`), its arguments, the kind,
/// a word of the text.
type Row = (&'static str, Limit, &'static str, Value, Kind, &'static str);

pub(super) fn names() -> Vec<&'static str> {
    rows().iter().map(|row| row.0).collect()
}

fn rows() -> Vec<Row> {
    let mut rows = wrappers();
    rows.extend(scopes());
    rows.extend(principals());
    rows.extend(operators());
    rows
}

fn add() -> Value {
    json!({ "name": "add", "flags": { "title": "t" } })
}

fn workflow(step: Value) -> Value {
    json!({ "steps": [{ "command": "get", "args": ["k"] }, step], "yes": true })
}

/// The effect of the target in this very call decides, never the tool's name.
fn wrappers() -> Vec<Row> {
    use Kind::EffectDenied;
    let read = |name, arguments, says| (name, Limit::Tool, "command_read", arguments, EffectDenied, says);
    let list = |flags: Value| json!({ "name": "list", "flags": flags });
    vec![
        read("a change as a read", add(), "command_run"),
        read(
            "a change as a read, by its tool's name",
            json!({ "name": "ADD", "flags": { "title": "t" } }),
            "command_run",
        ),
        read(
            "a change as a read that says it is a dry run",
            json!({ "name": "add", "flags": { "title": "t", "dry-run": true } }),
            "mutating",
        ),
        read("a change as a read, one level too deep", json!({ "arguments": add() }), "mutating"),
        read("a change as a read, params beside the name", json!({ "name": "add", "title": "t" }), "mutating"),
        read("a deletion as a read", json!({ "name": "remove", "args": ["k"] }), "destructive"),
        read(
            "a deletion as a read behind the program's name",
            json!({ "name": "app remove", "args": ["k"] }),
            "destructive",
        ),
        read("a read that writes a file", list(json!({ "output": "/x" })), "mutating"),
        read("a read that writes a file, by its flag", list(json!({ "--output": "/x" })), "mutating"),
        read("a read that writes a file, wrapped", list(json!({ "flags": { "output": "/x" } })), "mutating"),
        read("a read that writes a file, beside the flags", json!({ "name": "list", "output": "/x" }), "mutating"),
        read("a read that writes to nothing", list(json!({ "output": "" })), "mutating"),
        read("a command below one that reads", json!({ "name": "tags audit fix" }), "mutating"),
        read("a changing child of a reading command", json!({ "name": "capabilities sync" }), "mutating"),
        (
            "the tool for several as a command",
            Limit::Tool,
            "command_run",
            json!({ "name": "workflow_submit" }),
            Kind::UnknownOperation,
            "",
        ),
        read("an undeclared command as a read", json!({ "name": "each", "args": ["a"] }), "mutating"),
    ]
}

fn scopes() -> Vec<Row> {
    use Effect::{Mutating, ReadOnly};
    use Kind::EffectDenied;
    let reader = |name, tool, arguments| (name, Limit::Scope(ReadOnly), tool, arguments, EffectDenied, "read-only");
    let writer = |name, tool, arguments| (name, Limit::Scope(Mutating), tool, arguments, EffectDenied, "mutating");
    vec![
        reader("a reader's change", "command_run", add()),
        reader("a reader's deletion", "command_run", json!({ "name": "remove", "args": ["k"] })),
        reader("a reader's read that writes", "command_run", json!({ "name": "list", "flags": { "output": "/x" } })),
        reader("a reader's change as a tool", "=add", json!({ "title": "t" })),
        reader("a reader's read that writes as a tool", "=list", json!({ "output": "/x" })),
        reader(
            "a reader's change in a workflow",
            "workflow_submit",
            workflow(json!({ "command": "add", "flags": { "title": "t" } })),
        ),
        reader(
            "a reader's preview of a change in a workflow",
            "workflow_submit",
            json!({ "steps": [{ "command": "add", "flags": { "title": "t" } }] }),
        ),
        reader(
            "a reader's read that writes in a workflow",
            "workflow_submit",
            workflow(
                json!({ "command": "list", "flags": { "output": "${vars.x}" }, "when": "${vars.x}" , "name": "w" }),
            )
            .with_vars(),
        ),
        writer("a writer's deletion", "command_run", json!({ "name": "remove", "args": ["k"] })),
        writer("a writer's deletion as a tool", "=remove", json!({ "keys": ["k"] })),
        writer(
            "a writer's deletion in a workflow",
            "workflow_submit",
            workflow(json!({ "command": "remove", "args": ["k"] })),
        ),
        writer(
            "a writer's deletion without its gate",
            "command_run",
            json!({ "name": "remove", "flags": { "keys": ["k"], "dry-run": true } }),
        ),
    ]
}

fn principals() -> Vec<Row> {
    let denied = |name, tool, arguments| (name, Limit::Rules, tool, arguments, Kind::OperationDenied, "");
    let spent = |name, tool, arguments| (name, Limit::Budget, tool, arguments, Kind::BudgetExhausted, "");
    let list = || json!({ "output": "/x", "yes": true });
    vec![
        denied("a command that is none of the caller's", "command_run", add()),
        denied("a read that is none of the caller's", "command_read", json!({ "name": "list" })),
        denied("a command of others in capitals", "command_run", json!({ "name": "ADD", "flags": { "title": "t" } })),
        denied("a command of others as a tool", "=add", json!({ "title": "t" })),
        denied("a denied command below an allowed one", "command_run", json!({ "name": "tags audit fix" })),
        denied("a denied command by another spelling", "command_run", json!({ "name": "tags_audit_fix" })),
        denied("a denied command below an allowed one as a tool", "=tags_audit_fix", json!({})),
        denied("a command of others in a workflow", "workflow_submit", workflow(json!({ "command": "list" }))),
        denied(
            "a denied command in a workflow's preview",
            "workflow_submit",
            json!({ "steps": [{ "command": "add", "flags": { "title": "t" } }] }),
        ),
        // What does not say `yes` is made to preview, which is no change.
        spent("a change too many", "command_run", json!({ "name": "add", "flags": { "title": "t", "yes": true } })),
        spent("a read that writes too many", "command_run", json!({ "name": "list", "flags": list() })),
        spent("a change too many as a tool", "=add", json!({ "title": "t", "yes": true })),
        spent(
            "a change too many in a workflow",
            "workflow_submit",
            workflow(json!({ "command": "add", "flags": { "title": "t" } })),
        ),
    ]
}

fn operators() -> Vec<Row> {
    use Limit::{Approval, Ask, Audit, Killed, Policy};
    let get = || json!({ "name": "get", "args": ["k"] });
    vec![
        ("a change that nobody approved", Approval, "command_run", add(), Kind::ApprovalDenied, "operator"),
        (
            "a change as a tool that nobody approved",
            Approval,
            "=add",
            json!({ "title": "t" }),
            Kind::ApprovalDenied,
            "operator",
        ),
        (
            "a read that writes and nobody approved",
            Approval,
            "command_run",
            json!({ "name": "list", "flags": { "output": "/x" } }),
            Kind::ApprovalDenied,
            "",
        ),
        (
            "a workflow that nobody approved",
            Approval,
            "workflow_submit",
            workflow(json!({ "command": "add", "flags": { "title": "t" } })),
            Kind::ApprovalDenied,
            "",
        ),
        (
            "a change that somebody has to approve",
            Ask,
            "command_run",
            json!({ "name": "add", "flags": { "title": "t", "yes": true } }),
            Kind::ApprovalRequired,
            "",
        ),
        (
            "a change as a tool that somebody has to approve",
            Ask,
            "=add",
            json!({ "title": "t", "yes": true }),
            Kind::ApprovalRequired,
            "",
        ),
        (
            "a change that says it is approved",
            Ask,
            "command_run",
            json!({ "name": "add", "flags": { "title": "t", "yes": true, "approval": "granted" } }),
            Kind::InvalidParams,
            "unknown param",
        ),
        (
            "a change that says it is planned",
            Ask,
            "command_run",
            json!({ "name": "add", "flags": { "title": "t", "yes": true }, "plan": "x" }),
            Kind::InvalidParams,
            "",
        ),
        (
            "a workflow that somebody has to approve",
            Ask,
            "workflow_submit",
            workflow(json!({ "command": "add", "flags": { "title": "t" } })),
            Kind::ApprovalRequired,
            "",
        ),
        ("a call of a stopped server", Killed, "command_run", add(), Kind::Killed, "operator"),
        ("a read of a stopped server", Killed, "command_read", get(), Kind::Killed, "operator"),
        ("a tool of a stopped server", Killed, "=get", json!({ "key": "k" }), Kind::Killed, "operator"),
        ("a search of a stopped server", Killed, "command_search", json!({ "query": "add" }), Kind::Killed, "operator"),
        (
            "a workflow of a stopped server",
            Killed,
            "workflow_submit",
            workflow(json!({ "command": "add", "flags": { "title": "t" } })),
            Kind::Killed,
            "",
        ),
        (
            "a denied command",
            Policy,
            "command_run",
            json!({ "name": "remove", "args": ["k"] }),
            Kind::UnknownOperation,
            "",
        ),
        (
            "a denied command behind the program's name",
            Policy,
            "command_run",
            json!({ "name": "app remove", "args": ["k"] }),
            Kind::UnknownOperation,
            "",
        ),
        ("a denied command as a tool", Policy, "=remove", json!({ "keys": ["k"] }), Kind::UnknownTool, ""),
        (
            "a command below a denied one",
            Policy,
            "command_run",
            json!({ "name": "tags audit fix" }),
            Kind::UnknownOperation,
            "",
        ),
        (
            "a denied command in a workflow",
            Policy,
            "workflow_submit",
            workflow(json!({ "command": "remove", "args": ["k"] })),
            Kind::InvalidParams,
            "",
        ),
        (
            "a secret by the policy",
            Policy,
            "command_run",
            json!({ "name": "add", "flags": { "title": "t", "note": "n" } }),
            Kind::InvalidParams,
            "a secret, which only the host sets",
        ),
        (
            "an arg that is the host's by the policy",
            Policy,
            "command_run",
            json!({ "name": "list", "flags": { "output": "/x" } }),
            Kind::InvalidParams,
            "unknown param",
        ),
        (
            "a read that is a change by the policy",
            Policy,
            "command_read",
            json!({ "name": "capabilities" }),
            Kind::EffectDenied,
            "mutating",
        ),
        ("a read that changes by a param by the policy", Policy, "command_read", get(), Kind::EffectDenied, "mutating"),
        ("a change that can't be written down", Audit, "command_run", add(), Kind::AuditUnavailable, ""),
        (
            "a change as a tool that can't be written down",
            Audit,
            "=add",
            json!({ "title": "t" }),
            Kind::AuditUnavailable,
            "",
        ),
        (
            "a workflow that can't be written down",
            Audit,
            "workflow_submit",
            workflow(json!({ "command": "add", "flags": { "title": "t" } })),
            Kind::AuditUnavailable,
            "",
        ),
    ]
}

trait WithVars {
    fn with_vars(self) -> Self;
}

impl WithVars for Value {
    fn with_vars(mut self) -> Self {
        self["vars"] = json!({ "x": "/x" });
        self
    }
}

#[tokio::test]
async fn nothing_runs_that_the_tool_the_caller_or_the_operator_does_not_allow() {
    let mut faults = Vec::new();
    for (name, limit, tool, arguments, kind, says) in rows() {
        let (surface, tool) = match tool.strip_prefix('=') {
            Some(tool) => (Choice::Mirror, tool),
            None => (Choice::Facade, tool),
        };
        let server = limit.server(surface);
        let answer = server.call_as(limit.principal(), tool, arguments).await;
        let is_right = Told::of(&answer).is_some_and(|told| told.code == kind.code() && told.text.contains(says));
        if !is_right || !server.recorder.take().is_empty() {
            faults.push(format!("{name}: {answer:?}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
