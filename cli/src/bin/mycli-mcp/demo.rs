//! The main job, step by step: a real MCP client against the real server, on a library of its own.

use anyhow::{Context, bail, ensure};
use clap_facade::exec::Subprocess;
use rmcp::ServiceExt;
use rmcp::model::{CallToolRequestParams, ContentBlock};
use rmcp::service::{RoleClient, RunningService};
use rmcp::transport::TokioChildProcess;
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;

/// The longest answer that is shown whole, in characters.
const SHOWN: usize = 1_500;

/// Seeds a demo library in a temporary folder, works on it through the server, and shows all of it.
pub(crate) fn run() -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(show())
}

/// Seeds a demo library in an empty folder, for previews to be tried on by mycli's own executable.
pub(crate) fn scratch(folder: &Path) -> std::io::Result<Subprocess> {
    let mycli = std::env::current_exe()?.with_file_name(format!("mycli{}", std::env::consts::EXE_SUFFIX));
    let seeded = std::process::Command::new(&mycli).args(["demo", "--yes"]).env("MYCLI_DATA_DIR", folder).output();
    let seeded = seeded.map_err(|error| std::io::Error::other(format!("{}: {error}", mycli.display())))?;
    if !seeded.status.success() {
        return Err(std::io::Error::other(String::from_utf8_lossy(&seeded.stderr).into_owned()));
    }
    // Nothing answers at that port: a check must neither ask the network nor fill a cache.
    let providers = ["MYCLI_CROSSREF_URL", "MYCLI_OPENALEX_URL"];
    let run = Subprocess::new(mycli).env("MYCLI_DATA_DIR", folder).cwd(folder);
    Ok(providers.into_iter().fold(run, |run, provider| run.env(provider, "http://127.0.0.1:9")))
}

async fn show() -> anyhow::Result<()> {
    let folder = tempfile::tempdir().context("the demo needs a temporary folder")?;
    let mut session = Session::connect(folder.path()).await?;
    session.opening().await?;

    step("Seed the demo library")?;
    session.call("command_run", json!({"name": "demo", "flags": {"yes": true, "max-changes": 200}})).await?;

    step("Search: the first hit comes with its params, so that one search is enough to run it")?;
    let found =
        session.call("command_search", json!({"query": "fill in missing DOIs and abstracts", "limit": 3})).await?;
    ensure!(found["commands"][0]["name"] == "items enrich", "the search found {}", found["commands"][0]["name"]);

    step("Preview: without `yes` nothing changes")?;
    let works = folder.path().join("data").join("demo-works.json");
    let enrich = |yes: bool| json!({"name": "items enrich", "flags": {"from": works, "yes": yes}});
    let preview = session.call("command_run", enrich(false)).await?;
    ensure!(preview["mode"] == "preview", "the preview said {}", preview["mode"]);

    step("Apply: the plan that was previewed, by its digest")?;
    let applied = session.call("command_run", enrich(true)).await?;
    ensure!(applied["mode"] == "apply", "the apply said {}", applied["mode"]);
    ensure!(applied["plan"]["digest"] == preview["plan"]["digest"], "the plan changed between preview and apply");

    step("Undo: every applied run can be taken back")?;
    let run = applied["journal"]["run_id"].clone();
    let undone = session
        .call("command_run", json!({"name": "journal undo", "flags": {"yes": true}, "args": [run.to_string()]}))
        .await?;
    ensure!(undone["ok"] == true, "the undo said {}", undone["error"]);

    step("A smuggled flag: a value stays a value, and what has no reading is refused")?;
    let smuggled =
        json!({"name": "items list", "args": "--config=/tmp/evil", "flags": {"trashed": "--config=/tmp/evil"}});
    let refused = session.call("command_read", smuggled).await?;
    ensure!(refused["error"]["code"] == "INVALID_PARAMS", "the smuggled flag was not refused");

    let title = json!({"name": "items add", "flags": {"title": "--yes"}});
    let kept = session.call("command_run", title).await?;
    ensure!(kept["mode"] == "preview", "a title that looks like a flag was taken for one");

    step("A write through the read-only tool")?;
    let denied = session.call("command_read", enrich(true)).await?;
    ensure!(denied["error"]["code"] == "EFFECT_DENIED", "the write was not refused");

    session.client.cancel().await?;
    step("The audit: every call, refusals included")?;
    let audit = std::fs::read_to_string(folder.path().join("state/mycli/mcp-audit.jsonl"))?;
    for line in audit.lines() {
        let entry: Value = serde_json::from_str(line)?;
        let word = |key: &str| entry[key].as_str().unwrap_or("-").to_owned();
        let end = if entry["code"].is_null() { format!("exit {}", entry["exit"]) } else { word("code") };
        say(&format!(
            "  {}  {:<14} {:<13} {:<11} {:<8} {end}, {} ms",
            &word("time")[11..19],
            word("tool"),
            word("target"),
            word("effect"),
            word("decision"),
            entry["ms"]
        ))?;
    }
    say("\nDone. The demo library is gone with its folder; yours was not touched.")
}

struct Session {
    client: RunningService<RoleClient, ()>,
}

impl Session {
    /// Starts this very program as the server, on a library in the folder.
    async fn connect(folder: &Path) -> anyhow::Result<Self> {
        let mut server = tokio::process::Command::new(std::env::current_exe()?);
        server
            .env("MYCLI_DATA_DIR", folder.join("data"))
            .env("XDG_STATE_HOME", folder.join("state"))
            .env_remove("MYCLI_MCP_SURFACE")
            .current_dir(folder);
        let client = ().serve(TokioChildProcess::new(server)?).await.context("the server did not answer")?;
        Ok(Self { client })
    }

    /// Shows what an agent pays before it does anything.
    async fn opening(&self) -> anyhow::Result<()> {
        step("Connect: what the agent is told, and what it pays")?;
        let info = self.client.peer_info().context("the server did not introduce itself")?;
        say(&format!("  instructions: {}", info.instructions.as_deref().unwrap_or("none")))?;
        let tools = self.client.list_all_tools().await?;
        for tool in &tools {
            let bytes = serde_json::to_string(tool)?.len();
            say(&format!("  {:<16} {bytes:>5} bytes  {}", tool.name, tool.description.as_deref().unwrap_or_default()))?;
        }
        let bytes = serde_json::to_string(&tools)?.len();
        say(&format!("  {} tools, {bytes} bytes", tools.len()))
    }

    /// Calls a tool and shows the call and its answer.
    async fn call(&mut self, tool: &str, arguments: Value) -> anyhow::Result<Value> {
        say(&format!("  → {tool} {arguments}"))?;
        let Value::Object(arguments) = arguments else { bail!("arguments are an object") };
        let request = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let result = self.client.call_tool(request).await?;
        let texts: Vec<&str> =
            result.content.iter().filter_map(ContentBlock::as_text).map(|text| text.text.as_str()).collect();
        let mut answer: Value = serde_json::from_str(texts.first().unwrap_or(&"")).context("the answer is not JSON")?;
        let pretty = format!("{answer:#}");
        let shown: String = pretty.chars().take(SHOWN).collect();
        for line in shown.lines() {
            say(&format!("    {line}"))?;
        }
        if shown.len() < pretty.len() {
            say(&format!("    … ({} bytes in all)", texts[0].len()))?;
        }
        // What comes from the library's data is marked as that, and stands below the mark.
        Ok(if answer["provenance"].is_null() { answer } else { answer["data"].take() })
    }
}

fn step(title: &str) -> anyhow::Result<()> {
    say(&format!("\n== {title}"))
}

fn say(line: &str) -> anyhow::Result<()> {
    Ok(writeln!(std::io::stdout(), "{line}")?)
}
