//! What a run costs beside the command itself.
//!
//! Targets: a call over the stdio door in 0.3 ms where the command does nothing; the subprocess
//! executor at most 1 ms above a bare spawn.

#![expect(clippy::unwrap_used, reason = "a bench that can't go on fails")]

#[path = "../../mcp/tests/trees/peers.rs"]
mod peers;
#[expect(dead_code, reason = "the suite's client can do more than is measured")]
#[path = "../session.rs"]
mod session;

use clap_facade::Facade;
use clap_facade::annotate::read_only;
use clap_facade::argv::Proved;
use clap_facade::catalog::{Catalog, Effect, Settings};
use clap_facade::door::stdio::serve_on;
use clap_facade::exec::{Executor, InProcess, Job, Subprocess};
use clap_facade::invocation::Invocation;
use clap_facade::run::Principal;
use clap_facade::surface::Choice;
use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::{Map, json};
use session::{Era, Session};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;

const PEERCLI: &str = env!("CARGO_BIN_EXE_peercli");

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap()
}

fn door(criterion: &mut Criterion) {
    let runtime = runtime();
    let folder = tempfile::tempdir().unwrap();
    let connect = |surface: Choice, era: Era| {
        let executor = InProcess::new(|_, io| Ok(writeln!(io.stdout, "pong").map(|()| 0)?));
        let reading =
            peers::command().mut_subcommand("lab", |lab| lab.mut_subcommand("ping", |ping| ping.add(read_only())));
        let facade = Facade::new(reading).executor(executor).surface(surface);
        let pipeline = Arc::new(facade.audit(folder.path().join("audit")).build().unwrap());
        runtime.block_on(async {
            let (near, far) = tokio::io::duplex(64 * 1024);
            let (reader, writer) = tokio::io::split(far);
            tokio::spawn(serve_on(pipeline, Principal::default().into(), reader, writer));
            let (reader, writer) = tokio::io::split(near);
            Session::over(reader, writer, era).await
        })
    };
    let mut group = criterion.benchmark_group("tools/call in memory, in process");
    for era in Era::ALL {
        for (surface, tool, arguments) in
            [(Choice::Facade, "command_run", json!({ "name": "lab ping" })), (Choice::Mirror, "lab_ping", json!({}))]
        {
            let session = connect(surface, era);
            group.bench_function(format!("{surface}, {era:?}"), |bench| {
                bench.iter(|| runtime.block_on(session.call(tool, arguments.clone())));
            });
        }
        let session = connect(Choice::Facade, era);
        let query = json!({ "query": "drain a node" });
        group.bench_function(format!("command_search, {era:?}"), |bench| {
            bench.iter(|| runtime.block_on(session.call("command_search", query.clone())));
        });
    }
    group.finish();
}

fn subprocess(criterion: &mut Criterion) {
    let runtime = runtime();
    let catalog = Catalog::new(peers::command(), &Settings::default()).unwrap();
    let invocation = Invocation::new(catalog.find("lab ping").unwrap(), &Map::new(), &[]).unwrap();
    let proved = Arc::new(Proved::new(&catalog, invocation).unwrap());
    let executor = Subprocess::new(PEERCLI);
    let mut group = criterion.benchmark_group("a process");
    group.bench_function("bare spawn", |bench| {
        bench.iter(|| Command::new(PEERCLI).args(["lab", "ping"]).stdin(Stdio::null()).output().unwrap());
    });
    group.bench_function("subprocess executor", |bench| {
        bench.iter(|| runtime.block_on(executor.execute(Job::new(proved.clone()))).unwrap());
    });
    group.bench_function("subprocess executor, held to reading", |bench| {
        let job = || Job { effect: Effect::ReadOnly, ..Job::new(proved.clone()) };
        bench.iter(|| runtime.block_on(executor.execute(job())).unwrap());
    });
    group.finish();
}

/// From a cancel to the end of the last process, of commands that do what they are told and of such that do not.
fn kill(criterion: &mut Criterion) {
    let runtime = runtime();
    let catalog = Catalog::new(peers::command(), &Settings::default()).unwrap();
    let invocation = Invocation::new(catalog.find("lab ping").unwrap(), &Map::new(), &[]).unwrap();
    let proved = Arc::new(Proved::new(&catalog, invocation).unwrap());
    let mut group = criterion.benchmark_group("cancel to last process gone");
    group.sample_size(10);
    for (name, trap) in [("ends at TERM", ""), ("ignores TERM", "trap '' TERM;")] {
        group.bench_function(name, |bench| {
            bench.iter_custom(|times| (0..times).map(|_| runtime.block_on(cancelled(trap, proved.clone()))).sum());
        });
    }
    group.finish();
}

async fn cancelled(trap: &str, proved: Arc<Proved>) -> Duration {
    let folder = tempfile::tempdir().unwrap();
    let script = format!("{trap} sh -c 'sleep 300; true' & (sleep 300; true) & echo $$ > new; mv new pid; wait; wait");
    let executor = Subprocess::new("/bin/sh").fixed_args(["-c", &script, "sh"]).cwd(folder.path());
    let job = Job::new(proved);
    let cancel = job.cancel.clone();
    let call = tokio::spawn(async move { executor.execute(job).await });
    let group = loop {
        match std::fs::read_to_string(folder.path().join("pid")) {
            Ok(pid) => break pid.trim().to_owned(),
            Err(_) => tokio::time::sleep(Duration::from_millis(2)).await,
        }
    };
    let since = Instant::now();
    cancel.cancel();
    while has_members(&group) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let gone = since.elapsed();
    let _ = call.await.unwrap();
    gone
}

fn has_members(group: &str) -> bool {
    let of = |entry: std::fs::DirEntry| {
        let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        let fields: Vec<String> = stat.rsplit_once(") ")?.1.split(' ').take(3).map(str::to_owned).collect();
        Some(fields[2] == group && !matches!(fields[0].as_str(), "Z" | "X"))
    };
    std::fs::read_dir("/proc").unwrap().filter_map(|entry| of(entry.ok()?)).any(|is_member| is_member)
}

criterion_group!(benches, door, subprocess, kill);
criterion_main!(benches);
