//! The stdio door: MCP over the process's standard streams, both protocol eras.

use super::ask::{self, Answered, Brought};
use super::lines::Lines;
use super::progress::Relay;
use super::roots::ClientRoots;
use crate::exec::leave_terminal;
use crate::refusal::{Kind, Refusal};
use crate::run::bound::{Form, Media};
use crate::run::confine::Roots;
use crate::run::{Caller, Outcome, Pipeline, Principal};
use crate::surface::Tool;
use crate::surface::fixed::nearest;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, Implementation,
    ListToolsResult, MetaObject, PaginatedRequestParams, ResourceContents, ServerCapabilities, ServerConfig,
    ToolAnnotations,
};
use rmcp::service::{NotificationContext, RequestContext, ServerInitializeError};
use rmcp::{RoleServer, ServerHandler, ServiceExt};
use std::io;
use std::pin::Pin;
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

/// The member of a result's `_meta` that says what was left out of the output.
const TRUNCATED: &str = "clap-facade/truncated";

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
        let version = catalog.version().unwrap_or(env!("CARGO_PKG_VERSION")).to_owned();
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
        let (progress, _relay) = Relay::start(&context).unzip();
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

fn listed(tool: Tool) -> rmcp::model::Tool {
    let annotations = serde_json::Value::Object(tool.annotations());
    let annotations: ToolAnnotations = serde_json::from_value(annotations).unwrap_or_default();
    rmcp::model::Tool::new(tool.name, tool.description, tool.input_schema).with_annotations(annotations)
}

fn answer(outcome: Outcome) -> CallToolResult {
    let mut blocks = Vec::new();
    if let Some(media) = outcome.media {
        blocks.push(content(&media));
    }
    if !outcome.text.is_empty() {
        blocks.push(ContentBlock::text(outcome.text));
    }
    if !outcome.notes.is_empty() {
        blocks.push(ContentBlock::text(outcome.notes.join("\n")));
    }
    if blocks.is_empty() {
        blocks.push(ContentBlock::text("(no output)"));
    }
    let result = if outcome.failed { CallToolResult::error(blocks) } else { CallToolResult::success(blocks) };
    let meta = outcome.truncated.map(|truncated| {
        let mut meta = MetaObject::new();
        meta.insert(TRUNCATED.to_owned(), truncated.to_json());
        meta
    });
    result.with_meta(meta)
}

fn content(media: &Media) -> ContentBlock {
    let data = media.base64();
    match media.form {
        Form::Image => ContentBlock::image(data, media.mime),
        Form::Audio => ContentBlock::audio(data, media.mime),
        Form::Blob => ContentBlock::resource(ResourceContents::blob(data, "output:///blob").with_mime_type(media.mime)),
    }
}

/// A refusal is a tool error, so that the model can correct itself.
fn refused(refusal: &Refusal) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(refusal.to_json().to_string())])
}

#[cfg(unix)]
async fn told_to_end() {
    use tokio::signal::unix::{SignalKind, signal};
    let signals = [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()].map(signal);
    let [Ok(mut terminate), Ok(mut interrupt), Ok(mut hangup)] = signals else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
        _ = hangup.recv() => {}
    }
}

#[cfg(not(unix))]
async fn told_to_end() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
}

type Reader = Pin<Box<dyn AsyncRead + Send>>;
type Writer = Pin<Box<dyn AsyncWrite + Send>>;

/// Takes the standard streams for the protocol alone.
#[cfg(unix)]
fn private_streams() -> io::Result<(Reader, Writer)> {
    use std::os::fd::AsFd;
    let stdin = io::stdin().as_fd().try_clone_to_owned()?;
    let stdout = io::stdout().as_fd().try_clone_to_owned()?;
    // Reopening a pipe gives it a description of its own, which may be non-blocking without the
    // process at the other end, or a child, seeing it.
    use tokio::net::unix::pipe::OpenOptions;
    let reader: Reader = match OpenOptions::new().open_receiver("/proc/self/fd/0") {
        Ok(pipe) => Box::pin(pipe),
        Err(_) => Box::pin(tokio::fs::File::from_std(stdin.into())),
    };
    let writer: Writer = match OpenOptions::new().open_sender("/proc/self/fd/1") {
        Ok(pipe) => Box::pin(pipe),
        Err(_) => Box::pin(tokio::fs::File::from_std(stdout.into())),
    };
    nix::unistd::dup2_stdin(std::fs::File::open("/dev/null")?)?;
    nix::unistd::dup2_stdout(io::stderr())?;
    Ok((reader, writer))
}

#[cfg(not(unix))]
fn private_streams() -> io::Result<(Reader, Writer)> {
    Ok((Box::pin(tokio::io::stdin()), Box::pin(tokio::io::stdout())))
}
