//! The folders that a client has open: asked once, and again when it says that they changed.

#![expect(deprecated, reason = "roots are deprecated in the modern era, and what legacy clients have")]

use crate::run::confine::{Roots, file_address};
use rmcp::RoleServer;
use rmcp::service::{Peer, RequestContext};
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::timeout;

/// How long a client may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// What a client said of its roots.
#[derive(Debug, Default)]
pub(super) struct ClientRoots(Mutex<Option<Roots>>);

impl ClientRoots {
    /// Returns the client's roots. One that speaks the modern protocol can't be asked.
    pub(super) async fn of(&self, context: &RequestContext<RoleServer>) -> Roots {
        let legacy = context.protocol_version().is_none_or(|version| version.has_initialize());
        let has_roots = context.client_capabilities().is_some_and(|capabilities| capabilities.roots.is_some());
        if !legacy || !has_roots {
            return Roots::Unsaid;
        }
        // Held over the question, so that calls at once ask once.
        let mut known = self.0.lock().await;
        if let Some(roots) = &*known {
            return roots.clone();
        }
        let roots = ask(&context.peer).await;
        if roots != Roots::Unanswered {
            *known = Some(roots.clone());
        }
        roots
    }

    /// Forgets them, to ask again.
    pub(super) async fn forget(&self) {
        *self.0.lock().await = None;
    }
}

async fn ask(peer: &Peer<RoleServer>) -> Roots {
    match timeout(PATIENCE, peer.list_roots()).await {
        Ok(Ok(answer)) => {
            let folders: Vec<_> = answer.roots.iter().filter_map(|root| file_address(&root.uri)).collect();
            if folders.is_empty() { Roots::Unsaid } else { Roots::Folders(folders) }
        }
        Ok(Err(error)) => {
            tracing::warn!(%error, "the client did not say its roots");
            Roots::Unanswered
        }
        Err(_) => Roots::Unanswered,
    }
}
