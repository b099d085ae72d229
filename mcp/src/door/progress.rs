//! How far a call has got, told to the client that asked for it.

use crate::exec::{Mask, Progress};
use rmcp::RoleServer;
use rmcp::model::ProgressNotificationParam;
use rmcp::service::RequestContext;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::sleep;

/// The least time between two steps that are told.
const APART: Duration = Duration::from_millis(100);

/// Tells the steps of one call; ends when dropped, since a client may hear nothing of a call after its answer.
pub(super) struct Relay {
    task: JoinHandle<()>,
}

impl Relay {
    /// Begins for a request that carries a token; `None` for any other.
    pub(super) fn start(context: &RequestContext<RoleServer>, mask: &Arc<Mask>) -> Option<(Progress, Self)> {
        let token = context.meta.get_progress_token()?;
        let (peer, mask) = (context.peer.clone(), mask.clone());
        let (progress, mut steps) = Progress::new();
        let task = tokio::spawn(async move {
            while steps.changed().await.is_ok() {
                let step = steps.borrow_and_update().clone();
                let mut told = ProgressNotificationParam::new(token.clone(), step.progress);
                if let Some(total) = step.total {
                    told = told.with_total(total);
                }
                if !step.message.is_empty() {
                    told = told.with_message(mask.text(&step.message));
                }
                if peer.notify_progress(told).await.is_err() {
                    return;
                }
                // What comes meanwhile is told by its latest alone.
                sleep(APART).await;
            }
        });
        Some((progress, Self { task }))
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.task.abort();
    }
}
