//! The stdio door: MCP over the process's standard streams, both protocol eras.

use super::answers::{answer, listed, refused};
use super::ask::{self, Answered, Brought};
use super::lines::Lines;
use super::progress::Relay;
use super::roots::ClientRoots;
use super::streams::{private_streams, survive_full_files, told_to_end};
use crate::exec::leave_terminal;
use crate::invocation::nearest;
use crate::refusal::{Kind, Refusal};
use crate::run::confine::Roots;
use crate::run::{Caller, Pipeline, Principal};
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, ErrorData, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::{NotificationContext, RequestContext, ServerInitializeError};
use rmcp::{RoleServer, ServerHandler, ServiceExt};
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// How long running calls may go on once the client has closed its side, so that a last answer still gets out.
const LAST_CALLS: Duration = Duration::from_secs(1);

/// The longest wait for stopped calls to be written down before the server leaves.
const STOP_GRACE: Duration = Duration::from_secs(2);

/// The most tools that are all named to a caller of one that does not exist.
const SHOWN_TOOLS: usize = 12;

/// How long a client may keep the tool list, in milliseconds: it never changes while a server runs.
const LIST_TTL_MS: u64 = 3_600_000;

/// Serves the process's standard streams until the client closes them or the process is told to end.
///
/// From here on the process's own stdout is its stderr and its stdin is empty, so that nothing a
/// library prints or reads can harm the protocol.
///
/// # Errors
/// Where the streams can't be taken over, or the client does not speak MCP.
pub async fn serve(pipeline: Arc<Pipeline>, principal: Arc<Principal>) -> io::Result<()> {
    leave_terminal();
    survive_full_files();
    let (reader, writer) = private_streams()?;
    serve_on(pipeline, principal, reader, writer).await
}

/// Serves any pair of streams: what [`serve`] does, for tests and embedders.
///
/// # Errors
/// Where the client does not speak MCP.
pub async fn serve_on(
    pipeline: Arc<Pipeline>,
    principal: Arc<Principal>,
    reader: impl AsyncRead + Send + Unpin + 'static,
    writer: impl AsyncWrite + Send + Unpin + 'static,
) -> io::Result<()> {
    let handler = Handler::new(pipeline.clone(), principal);
    let ended = CancellationToken::new();
    let lines = Lines::new(reader, writer, ended.clone());
    let served = async {
        match handler.serve(lines).await {
            Ok(running) => running.waiting().await.map(drop).map_err(io::Error::other),
            // A client that leaves before it said anything is no fault.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(io::Error::other(error)),
        }
    };
    let served = tokio::select! {
        served = served => served,
        () = told_to_end() => Ok(()),
        () = async { ended.cancelled().await; sleep(LAST_CALLS).await } => Ok(()),
    };
    pipeline.stop(STOP_GRACE).await;
    served
}

/// Carries MCP requests to the pipeline.
struct Handler {
    pipeline: Arc<Pipeline>,
    config: ServerConfig,
    tools: Vec<rmcp::model::Tool>,
    principal: Arc<Principal>,
    session: String,
    /// Asked for where it matters.
    roots: Option<ClientRoots>,
}

impl Handler {
    fn new(pipeline: Arc<Pipeline>, principal: Arc<Principal>) -> Self {
        let catalog = pipeline.catalog();
        // The protocol demands one, and this library's would be taken for the CLI's.
        let version = catalog.version().unwrap_or("unknown").to_owned();
        let config = ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new(catalog.root().to_owned(), version))
            .with_instructions(pipeline.instructions());
        let tools = pipeline.surface().tools(catalog).into_iter().map(listed).collect();
        Self {
            config,
            tools,
            principal,
            session: format!("stdio-{}", std::process::id()),
            roots: pipeline.confines().then(ClientRoots::default),
            pipeline,
        }
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        self.config.clone()
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.clone())
            .with_ttl_ms(LIST_TTL_MS)
            .with_cache_scope(CacheScope::Public))
    }

    async fn on_roots_list_changed(&self, _context: NotificationContext<RoleServer>) {
        if let Some(roots) = &self.roots {
            roots.forget().await;
        }
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let (progress, _relay) = Relay::start(&context, self.pipeline.mask()).unzip();
        let caller = Caller {
            principal: self.principal.clone(),
            session: self.session.clone(),
            door: "stdio",
            cancel: context.ct.clone(),
            roots: match &self.roots {
                Some(roots) => roots.of(&context).await,
                None => Roots::Unsaid,
            },
            progress,
        };
        let (tool, arguments) = (&request.name, request.arguments.unwrap_or_default());
        let brought = Brought { state: request.request_state, responses: request.input_responses };
        match ask::call(&self.pipeline, tool, arguments, brought, &caller, &context).await {
            Answered::Ended(Ok(outcome)) => Ok(answer(outcome).into()),
            Answered::Ended(Err(refusal)) if refusal.kind == Kind::UnknownTool => Err(self.unknown(tool, &refusal)),
            Answered::Ended(Err(refusal)) => Ok(refused(&refusal).into()),
            Answered::Asks(question) => Ok(question.into()),
        }
    }
}

impl Handler {
    /// An unknown tool is a protocol error, as MCP has it; it names the tools that there are.
    fn unknown(&self, name: &str, refusal: &Refusal) -> ErrorData {
        let names = self.tools.iter().map(|tool| &*tool.name);
        let there_are = match nearest(name, names.clone()) {
            _ if refusal.hint.is_some() => String::new(),
            Some(near) => format!("; did you mean `{near}`?"),
            None if self.tools.len() > SHOWN_TOOLS => String::new(),
            None => format!("; there are: {}", names.collect::<Vec<_>>().join(", ")),
        };
        ErrorData::invalid_params(format!("{refusal}{there_are}"), None)
    }
}
