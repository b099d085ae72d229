//! stdio's protocol over streams in memory.

#[path = "suite.rs"]
mod suite;

use super::{Connection, Opening, state};
use crate::server::PEERCLI;
use crate::session::Session;
use clap_facade::Facade;
use clap_facade::door::stdio::serve_on;
use clap_facade::exec::Subprocess;
use clap_facade::run::Principal;
use std::sync::Arc;

async fn open(opening: Opening) -> Connection {
    let folder = tempfile::tempdir().unwrap();
    let audit = state(&folder, opening.audit).join("peercli/mcp-audit.jsonl");
    let facade = Facade::new(crate::peers::command()).executor(Subprocess::new(PEERCLI));
    let pipeline = Arc::new(facade.surface(opening.surface).audit(&audit).build().unwrap());
    let (near, far) = tokio::io::duplex(64 * 1024);
    let (reader, writer) = tokio::io::split(far);
    let server = tokio::spawn(serve_on(pipeline, Principal::default().into(), reader, writer));
    let (reader, writer) = tokio::io::split(near);
    let session = Session::over(reader, writer, opening.era).await;
    Connection { session, audit, _server: Box::new(server), _folder: folder }
}
