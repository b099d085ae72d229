//! What tracing sees of a call: OpenTelemetry's attributes for MCP, and neither arguments nor output.

use super::{Call, Caller, Outcome};
use crate::catalog::{Effect, Operation};
use crate::exec::{Exit, Finished};
use crate::refusal::Refusal;
use tracing::Span;
use tracing::field::{Empty, display};

/// The `tracing` target of the spans that a call makes.
pub const SPANS: &str = "clap_facade::call";

/// The most bytes of a tool's name, which a caller may make as long as they like.
const TOOL_BYTES: usize = 64;

/// Begins the span of a call.
pub(super) fn of_call(tool: &str, caller: &Caller, call: Option<&Call>) -> Span {
    let tool = &tool[..tool.floor_char_boundary(TOOL_BYTES)];
    let span = tracing::info_span!(
        target: SPANS,
        "tools/call",
        otel.name = Empty,
        otel.kind = "server",
        mcp.method.name = "tools/call",
        gen_ai.tool.name = tool,
        gen_ai.operation.name = "execute_tool",
        mcp.session.id = caller.session.as_str(),
        network.transport = caller.door,
        clap_facade.principal = caller.principal.name.as_str(),
        clap_facade.operation = Empty,
        clap_facade.effect = Empty,
        error.type = Empty,
    );
    if !span.is_disabled() {
        span.record("otel.name", display(format_args!("tools/call {tool}")));
        if let Some(call) = call {
            span.record("clap_facade.operation", call.target.name());
            span.record("clap_facade.effect", display(call.target.effect()));
        }
    }
    span
}

/// Says in a call's span what came of it.
pub(super) fn end(span: &Span, result: &Result<Outcome, Refusal>) {
    match result {
        Ok(outcome) if outcome.failed => span.record("error.type", "tool_error"),
        Ok(_) => span,
        Err(refusal) => span.record("error.type", refusal.kind.code()),
    };
}

/// Begins the span of a command that runs.
pub(super) fn of_command(operation: &Operation, effect: Effect) -> Span {
    let span = tracing::info_span!(
        target: SPANS,
        "command",
        otel.name = operation.name.as_str(),
        otel.kind = "internal",
        clap_facade.effect = Empty,
        process.exit.code = Empty,
        error.type = Empty,
    );
    if !span.is_disabled() {
        span.record("clap_facade.effect", display(effect));
    }
    span
}

/// Says in a command's span how it ended.
pub(super) fn ended(span: &Span, finished: &Result<Finished, Refusal>) {
    match finished {
        Ok(Finished { exit: Exit::Code(code), .. }) => span.record("process.exit.code", *code),
        Ok(Finished { exit: Exit::Signal(signal), .. }) => {
            span.record("error.type", display(format_args!("signal {signal}")))
        }
        Err(refusal) => span.record("error.type", refusal.kind.code()),
    };
}
