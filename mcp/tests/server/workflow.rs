//! `workflow_submit` around executors that tell what they were given.

use super::{caller, facade};
use clap_facade::exec::{BoxFuture, Captured, Executor, Exit, Finished, Job, Limits};
use clap_facade::refusal::Refusal;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Takes a while for each job, whatever it may take, and notes what it may take.
#[derive(Clone)]
struct Slow {
    takes: Duration,
    allowed: Arc<Mutex<Vec<Duration>>>,
}

impl Executor for Slow {
    fn execute(&self, job: Job) -> BoxFuture<'_, Result<Finished, Refusal>> {
        Box::pin(async move {
            self.allowed.lock().unwrap().push(job.limits.timeout);
            tokio::time::sleep(self.takes).await;
            let nothing = Captured::default();
            Ok(Finished { exit: Exit::Code(0), stdout: nothing.clone(), stderr: nothing, elapsed: self.takes })
        })
    }
}

#[tokio::test]
async fn one_deadline_holds_for_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let steps = json!({ "steps": [{ "command": "show" }, { "command": "show" }, { "command": "show" }] });
    let Value::Object(steps) = steps else { unreachable!() };
    let takes = Duration::from_millis(20);
    for (timeout, ran) in [(Duration::from_secs(3600), 3), (takes, 1)] {
        let slow = Slow { takes, allowed: Arc::default() };
        let limits = Limits { timeout, ..Limits::default() };
        let pipeline = facade(slow.clone(), &folder.path().join("audit")).limits(limits).build().unwrap();
        let outcome = pipeline.call("workflow_submit", steps.clone(), &caller()).await.unwrap();
        let report: Value = serde_json::from_str(&outcome.text).unwrap();
        let allowed = slow.allowed.lock().unwrap().clone();
        assert_eq!(allowed.len(), ran, "{report}");
        assert!(allowed[0] <= timeout);
        for pair in allowed.windows(2) {
            assert!(pair[1] + takes <= pair[0], "what one step took is gone for the next: {allowed:?}");
        }
        if ran == 1 {
            assert_eq!(report["steps"][1]["error"]["code"], "TIMED_OUT");
            assert_eq!(report["steps"][2]["skipped"], "an earlier step failed");
        }
    }
}
