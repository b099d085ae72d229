//! A client's side of a connection: what a test says to a server, and what it answers.

use rmcp::ClientHandler;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientCapabilities, ClientConfig, ClientRequest, ContentBlock,
    ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationCapability, ErrorCode, ErrorData, ProtocolVersion,
    Tool,
};
use rmcp::service::{
    ClientLifecycleMode, ClientServiceExt, PeerRequestOptions, RequestContext, RequestHandle, RoleClient,
    RunningService, ServiceError,
};
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::{AsyncRead, AsyncWrite};

/// Which of the protocol's two eras the client speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Era {
    /// `initialize`, up to 2025-11-25.
    Legacy,
    /// `server/discover`, from 2026-07-28 on.
    Modern,
}

impl Era {
    pub(crate) const ALL: [Self; 2] = [Self::Legacy, Self::Modern];

    fn lifecycle(self) -> ClientLifecycleMode {
        match self {
            Self::Legacy => ClientLifecycleMode::Initialize,
            Self::Modern => ClientLifecycleMode::Auto {
                preferred_versions: vec![ProtocolVersion::V_2026_07_28],
                legacy_version: None,
            },
        }
    }
}

/// The person behind a client, or nobody.
#[derive(Clone, Debug, Default)]
pub(crate) struct Human {
    /// What is said to every question; `None` for a client that can't ask.
    says: Option<ElicitationAction>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Human {
    pub(crate) fn who_says(action: ElicitationAction) -> Self {
        Self { says: Some(action), ..Self::default() }
    }

    /// Returns what was asked, in order.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl ClientHandler for Human {
    fn get_info(&self) -> ClientConfig {
        let mut info = ClientConfig::default();
        if self.says.is_some() {
            info.capabilities = ClientCapabilities::default();
            info.capabilities.elicitation = Some(ElicitationCapability::default());
        }
        info
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let ElicitRequestParams::FormElicitationParams { message, .. } = request else { panic!("{request:?}") };
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(message);
        Ok(ElicitResult::new(self.says.clone().expect("a client that can't ask is not asked")))
    }
}

/// A connected client.
pub(crate) struct Session {
    client: RunningService<RoleClient, Human>,
}

impl Session {
    /// Connects over a pair of streams.
    pub(crate) async fn over(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
        era: Era,
    ) -> Self {
        Self::of(Human::default(), reader, writer, era).await
    }

    /// Connects as the client of a person.
    pub(crate) async fn of(
        human: Human,
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
        era: Era,
    ) -> Self {
        let client = human.serve_with_lifecycle((reader, writer), era.lifecycle()).await.expect("the server answers");
        let modern = client.peer_info().unwrap().protocol_version >= ProtocolVersion::V_2026_07_28;
        assert_eq!(modern, era == Era::Modern, "the era is the one that was asked for");
        Self { client }
    }

    /// Returns what the agent is told at connect.
    pub(crate) fn instructions(&self) -> String {
        self.client.peer_info().unwrap().instructions.clone().unwrap_or_default()
    }

    pub(crate) async fn tools(&self) -> Vec<Tool> {
        self.client.list_all_tools().await.unwrap()
    }

    /// Calls a tool that is listed.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Answer {
        match self.client.call_tool(request(tool, arguments.clone())).await {
            Ok(result) => Answer {
                texts: result
                    .content
                    .iter()
                    .filter_map(ContentBlock::as_text)
                    .map(|block| block.text.clone())
                    .collect(),
                failed: result.is_error.unwrap_or_default(),
            },
            Err(error) => panic!("{tool} {arguments}: {error}"),
        }
    }

    /// Calls a tool and returns the JSON-RPC error that it must end in.
    pub(crate) async fn protocol_error(&self, tool: &str, arguments: Value) -> (ErrorCode, String) {
        match self.client.call_tool(request(tool, arguments)).await {
            Err(ServiceError::McpError(error)) => (error.code, error.message.into_owned()),
            other => panic!("{tool}: {other:?}"),
        }
    }

    /// Sends a call and does not wait for its answer.
    pub(crate) async fn send(&self, tool: &str, arguments: Value) -> RequestHandle<RoleClient> {
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(request(tool, arguments)));
        self.client.send_cancellable_request(request, PeerRequestOptions::no_options()).await.unwrap()
    }

    /// Closes the connection, as a client does that ends.
    pub(crate) async fn close(self) {
        self.client.cancel().await.unwrap();
    }
}

/// What a tool answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    /// Its text blocks: the result, then notes.
    pub(crate) texts: Vec<String>,
    /// It is a tool error.
    pub(crate) failed: bool,
}

impl Answer {
    /// Returns the result, without the notes.
    pub(crate) fn text(&self) -> &str {
        self.texts.first().map_or("", String::as_str)
    }

    /// Returns all blocks, one below the other.
    pub(crate) fn all(&self) -> String {
        self.texts.join("\n")
    }

    /// Returns the result as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(self.text()).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// Returns the JSON that a command printed, out of the mark that it comes from data.
    pub(crate) fn data(&self) -> Value {
        let mut json = self.json();
        if json.get("provenance").is_some() { json["data"].take() } else { json }
    }

    /// Returns the code of the refusal that it is.
    pub(crate) fn refusal(&self) -> String {
        assert!(self.failed, "not refused: {self:?}");
        self.json()["error"]["code"].as_str().unwrap_or_else(|| panic!("no code: {}", self.text())).to_owned()
    }
}

fn request(tool: &str, arguments: Value) -> CallToolRequestParams {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments)
}
