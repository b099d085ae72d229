//! Asking the client's user whether a call may run: a request of the server's own in the legacy era; in the modern one
//! an answer that asks back, which the client takes up by making the call again with its user's answer and a sealed state.

use crate::refusal::{Question, Refusal};
use crate::run::approve::Said;
use crate::run::{Caller, Outcome, Pipeline};
use rmcp::RoleServer;
use rmcp::model::{
    ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema, InputRequest,
    InputRequests, InputRequiredResult, InputResponses, JsonObject, ServerRequest,
};
use rmcp::service::{PeerRequestOptions, RequestContext};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The name of the one question that a call asks.
const QUESTION: &str = "approval";

/// What a client sends with a call beside its arguments.
pub(super) struct Brought {
    pub(super) state: Option<String>,
    pub(super) responses: Option<InputResponses>,
}

/// What becomes of a call.
pub(super) enum Answered {
    Ended(Result<Outcome, Refusal>),
    /// The client has to ask its user, and to call again.
    Asks(InputRequiredResult),
}

/// Calls the pipeline, and asks the client's user where that is needed and the client can.
pub(super) async fn call(
    pipeline: &Pipeline,
    tool: &str,
    arguments: Map<String, Value>,
    brought: Brought,
    caller: &Caller,
    context: &RequestContext<RoleServer>,
) -> Answered {
    let approve = pipeline.approve();
    let asks_back = context.protocol_version().is_some_and(|version| !version.has_initialize());
    if let Some(state) = brought.state {
        let said = said(brought.responses.as_ref().and_then(|responses| responses.get(QUESTION)));
        if let Err(refusal) = approve.hear_sealed(&state, said, tool, &arguments).await {
            return Answered::Ended(Err(pipeline.refuse(tool, caller, refusal)));
        }
        // Whatever was said, it was asked: a second question about the same call would only be the first again.
        return Answered::Ended(pipeline.call(tool, arguments, caller).await);
    }
    if !pipeline.may_ask(caller) || !can_ask(context) {
        return Answered::Ended(pipeline.call(tool, arguments, caller).await);
    }
    let refusal = match pipeline.call(tool, arguments.clone(), caller).await {
        Err(refusal) if refusal.question.is_some() => refusal,
        ended => return Answered::Ended(ended),
    };
    let Some(question) = refusal.question.as_deref() else { return Answered::Ended(Err(refusal)) };
    if asks_back {
        let state = approve.seal(question, tool, &arguments);
        return match (state, form(question)) {
            (Some(state), Some(form)) => {
                let asked =
                    BTreeMap::from([(QUESTION.to_owned(), InputRequest::Elicitation(ElicitRequest::new(form)))]);
                Answered::Asks(InputRequiredResult::new(Some(InputRequests::from(asked)), Some(state)))
            }
            _ => Answered::Ended(Err(refusal)),
        };
    }
    match elicit(question, context).await {
        Said::Nothing => Answered::Ended(Err(refusal)),
        said => match approve.hear(&question.id, &question.nonce, said).await {
            Ok(()) => Answered::Ended(pipeline.call(tool, arguments, caller).await),
            Err(refusal) => Answered::Ended(Err(pipeline.refuse(tool, caller, refusal))),
        },
    }
}

/// Tells whether the client shows forms to its user: what names neither form nor URL means forms.
fn can_ask(context: &RequestContext<RoleServer>) -> bool {
    let elicitation = context.client_capabilities().and_then(|capabilities| capabilities.elicitation);
    elicitation.is_some_and(|elicitation| elicitation.form.is_some() || elicitation.url.is_none())
}

/// Asks over the connection, for as long as the answer would still count.
async fn elicit(question: &Question, context: &RequestContext<RoleServer>) -> Said {
    let Some(form) = form(question) else { return Said::Nothing };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let left = Duration::from_millis(question.expires).saturating_sub(now);
    let request = ServerRequest::ElicitRequest(ElicitRequest::new(form));
    let options = PeerRequestOptions::with_timeout(left);
    let asked = async {
        let handle = context.peer.send_cancellable_request(request, options).await.ok()?;
        handle.await_response().await.ok()
    };
    let answer = tokio::select! {
        answer = asked => answer,
        () = context.ct.cancelled() => None,
    };
    match answer {
        Some(ClientResult::ElicitResult(result)) => meant(&result),
        Some(other) => said(serde_json::to_value(other).ok().as_ref()),
        None => Said::Nothing,
    }
}

/// A form without fields: all that is asked is whether it is accepted.
fn form(question: &Question) -> Option<ElicitRequestParams> {
    let schema =
        JsonObject::from_iter([("type".to_owned(), "object".into()), ("properties".to_owned(), Map::new().into())]);
    Some(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: question.text.clone(),
        requested_schema: ElicitationSchema::from_json_schema(schema).ok()?,
    })
}

/// Reads an answer; what is none says nothing.
fn said(answer: Option<&Value>) -> Said {
    let result = answer.and_then(|answer| serde_json::from_value::<ElicitResult>(answer.clone()).ok());
    result.map_or(Said::Nothing, |result| meant(&result))
}

fn meant(result: &ElicitResult) -> Said {
    match result.action {
        ElicitationAction::Accept => Said::Yes,
        ElicitationAction::Decline => Said::No,
        _ => Said::Nothing,
    }
}
