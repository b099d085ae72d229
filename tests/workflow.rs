//! `workflow_submit` on a real library: previews, one transaction, placeholders, and what is refused.

use crate::server::{MYCLI_MCP, Server, Setup, within};
use crate::session::{Answer, Era};
use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};

/// A server on a library of its own.
struct Library(Server);

impl Library {
    async fn new(era: Era) -> Self {
        let setup = Setup::of(MYCLI_MCP);
        let data = setup.folder.path().join("data");
        let library = Self(setup.env("MYCLI_DATA_DIR", data).start(era).await);
        library.run("items list", json!({})).await;
        library.run("items add", json!({ "title": "Opticks", "key": "newton1704", "yes": true })).await;
        library
    }

    async fn call(&self, tool: &str, arguments: Value) -> Answer {
        within(self.0.session.call(tool, arguments)).await
    }

    async fn submit(&self, workflow: Value) -> Answer {
        self.call("workflow_submit", workflow).await
    }

    /// Runs one command, which must succeed.
    async fn run(&self, name: &str, flags: Value) -> Value {
        let answer = self.call("command_run", json!({ "name": name, "flags": flags })).await;
        assert!(!answer.failed, "{name}: {}", answer.all());
        answer.data()
    }

    async fn keys(&self) -> Vec<String> {
        let listed = self.run("items list", json!({})).await;
        let rows = listed["rows"].as_array().unwrap_or_else(|| panic!("{listed}"));
        let mut keys: Vec<String> = rows.iter().map(|row| row["key"].as_str().unwrap().to_owned()).collect();
        keys.sort();
        keys
    }

    async fn runs(&self) -> usize {
        let listed = self.run("journal list", json!({})).await;
        listed["rows"].as_array().unwrap_or_else(|| panic!("{listed}")).len()
    }

    /// Returns everything in the library's file.
    fn dump(&self) -> String {
        let folder = self.0.folder.path().join("data");
        let file = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let file = file.into_iter().find(|path| path.extension().is_some_and(|end| end == "db" || end == "sqlite"));
        let connection = Connection::open_with_flags(file.unwrap(), OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
        let tables = column(&connection, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name");
        let rows = tables.iter().flat_map(|table| {
            let names = column(&connection, &format!("SELECT name FROM pragma_table_info('{table}')"));
            let values: Vec<String> = names.iter().map(|name| format!("quote(\"{name}\")")).collect();
            let query =
                format!("SELECT '{table}: ' || {} AS line FROM \"{table}\" ORDER BY 1", values.join(" || ', ' || "));
            column(&connection, &query)
        });
        rows.collect::<Vec<_>>().join("\n")
    }
}

fn column(connection: &Connection, query: &str) -> Vec<String> {
    let mut statement = connection.prepare(query).unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().map(|text| text.unwrap()).collect()
}

fn add(title: &str, key: &str) -> Value {
    json!({ "command": "items add", "flags": { "title": title, "key": key } })
}

/// A step that fails when its turn comes: nothing has that key.
fn failing() -> Value {
    json!({ "command": "items tags add", "flags": { "keys": ["nobody1900"], "tag": ["x"] } })
}

#[tokio::test]
async fn a_preview_changes_nothing() {
    for era in Era::ALL {
        let library = Library::new(era).await;
        let before = library.dump();
        let answer =
            library.submit(json!({ "steps": [add("Leviathan", "hobbes1651"), add("Ethica", "spinoza1677")] })).await;
        assert!(!answer.failed, "{}", answer.all());
        let report = answer.json();
        assert_eq!((&report["ok"], &report["mode"]), (&json!(true), &json!("preview")));
        for step in report["steps"].as_array().unwrap() {
            assert_eq!(step["output"]["mode"], "preview", "{step}");
        }
        assert_eq!(library.dump(), before);
    }
}

#[tokio::test]
async fn a_preview_of_steps_that_need_each_other_changes_nothing() {
    let library = Library::new(Era::Modern).await;
    let file = library.0.folder.path().join("data/library.sqlite");
    let exported = library.0.folder.path().join("out.bib");
    let (before, bytes) = (library.dump(), std::fs::read(&file).unwrap());
    let tagged = json!({ "command": "items tags add", "flags": { "keys": ["hobbes1651"], "tag": ["state"] } });
    let export = json!({ "command": "export bibtex", "flags": { "output": exported } });
    let list = json!({ "command": "items list", "name": "list" });
    let steps = json!([add("Leviathan", "hobbes1651"), tagged, export, list]);
    let answer = library.submit(json!({ "steps": steps })).await;
    assert!(!answer.failed, "{}", answer.all());
    let report = answer.json();
    for step in report["steps"].as_array().unwrap().iter().take(3) {
        assert_eq!(step["output"]["mode"], "preview", "{step}");
        assert!(step["output"]["plan"]["operations"].as_array().is_some_and(|plan| !plan.is_empty()), "{step}");
    }
    assert!(report["steps"][3]["output"].to_string().contains("hobbes1651"), "a read sees what the preview added");
    assert_eq!((library.dump(), std::fs::read(&file).unwrap()), (before, bytes));
    assert!(!exported.exists(), "a file appears at the commit alone");

    let answer = library.submit(json!({ "steps": steps, "yes": true })).await;
    assert!(!answer.failed, "what was previewed is what applies: {}", answer.all());
    assert_eq!(library.keys().await, ["hobbes1651", "newton1704"]);
    assert!(exported.exists());
}

#[tokio::test]
async fn a_preview_makes_no_library() {
    let setup = Setup::of(MYCLI_MCP);
    let data = setup.folder.path().join("data");
    let library = Library(setup.env("MYCLI_DATA_DIR", &data).start(Era::Modern).await);
    let steps = json!([add("Leviathan", "hobbes1651"), { "command": "items list" }]);
    let answer = library.submit(json!({ "steps": steps })).await;
    assert!(!answer.failed && answer.text().contains("hobbes1651"), "{}", answer.all());
    assert!(!data.join("library.sqlite").exists());
}

#[tokio::test]
async fn an_apply_is_one_transaction_and_one_run_of_the_journal() {
    for era in Era::ALL {
        let library = Library::new(era).await;
        let (before, runs) = (library.dump(), library.runs().await);
        let steps = json!([add("Leviathan", "hobbes1651"), add("Ethica", "spinoza1677")]);
        let answer = library.submit(json!({ "steps": steps, "yes": true })).await;
        assert!(!answer.failed, "{}", answer.all());
        let report = answer.json();
        assert_eq!((&report["mode"], &report["committed"]), (&json!("apply"), &json!(true)));
        assert_eq!(library.keys().await, ["hobbes1651", "newton1704", "spinoza1677"]);
        assert_eq!(library.runs().await, runs + 1);
        let run = report["summary"]["run_id"].as_i64().unwrap();
        library.run("journal undo", json!({ "run": run, "yes": true })).await;
        assert_eq!(library.keys().await, ["newton1704"], "one undo takes all of it back");
        assert_ne!(library.dump(), before, "the journal keeps both");
    }
}

#[tokio::test]
async fn a_failing_step_takes_the_whole_back() {
    for era in Era::ALL {
        let library = Library::new(era).await;
        let before = library.dump();
        let steps = json!([add("Leviathan", "hobbes1651"), failing(), add("Ethica", "spinoza1677")]);
        let answer = library.submit(json!({ "steps": steps, "yes": true })).await;
        assert!(answer.failed);
        let report = answer.json();
        assert_eq!((&report["ok"], &report["committed"]), (&json!(false), &json!(false)));
        let steps = report["steps"].as_array().unwrap();
        assert_eq!((&steps[0]["ok"], &steps[1]["ok"]), (&json!(true), &json!(false)), "{report}");
        assert!(steps[1]["output"].to_string().contains("nobody1900"), "the reason is told: {}", steps[1]);
        assert!(steps[2]["skipped"].is_string(), "{}", steps[2]);
        assert_eq!(library.dump(), before);
    }
}

#[tokio::test]
async fn going_on_after_a_failure_keeps_the_others() {
    let library = Library::new(Era::Modern).await;
    let runs = library.runs().await;
    let steps = json!([add("Leviathan", "hobbes1651"), failing(), add("Ethica", "spinoza1677")]);
    let answer = library.submit(json!({ "steps": steps, "yes": true, "continue_on_error": true })).await;
    assert!(answer.failed, "a step failed, and that is told");
    let report = answer.json();
    assert_eq!((&report["ok"], &report["committed"]), (&json!(false), &json!(true)));
    assert_eq!(library.keys().await, ["hobbes1651", "newton1704", "spinoza1677"]);
    assert_eq!(library.runs().await, runs + 1);
}

#[tokio::test]
async fn a_later_step_takes_what_an_earlier_one_answered() {
    let library = Library::new(Era::Legacy).await;
    let steps = json!([
        { "name": "new", "command": "items add", "flags": { "title": "The ${vars.what}", "author": ["Hobbes, Thomas"] } },
        { "command": "items tags add", "flags": { "keys": ["${steps.new.output/result/key}"], "tag": "${vars.tags}" } },
        { "command": "items get", "args": ["${steps.new.output/result/key}"], "name": "got" },
        { "command": "items edit", "args": ["newton1704"],
          "flags": { "title": "After ${steps.got.output/title}, exit ${steps.got.exit}: $${kept}" } },
    ]);
    let vars = json!({ "what": "Leviathan", "tags": ["politics", "a,b"] });
    let answer = library.submit(json!({ "steps": steps, "vars": vars, "yes": true })).await;
    assert!(!answer.failed, "{}", answer.all());
    let report = answer.json();
    let key = report["steps"][0]["output"]["result"]["key"].as_str().unwrap().to_owned();
    let item = library.run("items get", json!({ "keys": [key] })).await;
    assert_eq!(item["title"], "The Leviathan");
    assert!(item["tags"].to_string().contains("politics") && item["tags"].to_string().contains("a,b"), "{item}");
    let item = library.run("items get", json!({ "keys": ["newton1704"] })).await;
    assert_eq!(item["title"], "After The Leviathan, exit 0: ${kept}");
}

#[tokio::test]
async fn a_later_step_reads_what_an_earlier_one_printed() {
    let library = Library::new(Era::Modern).await;
    let steps = json!([
        { "name": "bib", "command": "export csl-json" },
        { "command": "import scan", "args": ["-"], "stdin_from": "bib.output/text" },
        { "command": "import scan", "args": ["-"], "stdin_from": "bib" },
        { "command": "import scan", "args": ["-"] },
    ]);
    let report = library.submit(json!({ "steps": steps, "continue_on_error": true })).await.json();
    let read = &report["steps"][1];
    assert!(read["ok"] == true && read["output"].to_string().contains("Opticks"), "{report}");
    assert!(report["steps"][2]["output"].to_string().contains("faulty"), "the whole is no bibliography: {report}");
    assert!(!report["steps"][3]["output"].to_string().contains("Opticks"), "nothing is left over: {report}");
}

#[tokio::test]
async fn a_condition_decides_whether_a_step_runs() {
    let library = Library::new(Era::Modern).await;
    let step = |when: &str| json!({ "command": "items list", "when": when });
    let cases = [
        ("${vars.yes}", true),
        ("!${vars.yes}", false),
        ("${vars.zero}", false),
        ("${vars.no}", false),
        ("${vars.word} == go", true),
        ("${vars.word} != go", false),
        ("${steps.first.exit} == 0", true),
        ("${steps.first.ok} == false", false),
    ];
    let mut steps = vec![json!({ "command": "items list", "name": "first" })];
    steps.extend(cases.iter().map(|(when, _)| step(when)));
    let vars = json!({ "yes": true, "no": false, "zero": 0, "word": "go" });
    let report = library.submit(json!({ "steps": steps, "vars": vars })).await.json();
    for ((when, runs), step) in cases.iter().zip(&report["steps"].as_array().unwrap()[1..]) {
        assert_eq!(step["skipped"].is_null(), *runs, "{when}: {step}");
    }
}

#[tokio::test]
async fn what_is_put_in_stays_a_value() {
    let library = Library::new(Era::Legacy).await;
    let before = library.dump();
    for value in ["--yes", "--yes=true", "-y", "--", "--config=/tmp/x", "x\" --yes \""] {
        let vars = json!({ "x": value });
        let steps = json!([{ "command": "items add", "flags": { "title": "${vars.x}" } }]);
        let answer = library.submit(json!({ "steps": steps, "vars": vars })).await;
        assert!(!answer.failed, "{value}: {}", answer.all());
        let output = &answer.json()["steps"][0]["output"];
        assert_eq!(output["mode"], "preview", "{value}");
        assert!(
            output["plan"].to_string().contains(&json!(value).to_string().replace('"', "")) || value.contains('"'),
            "{output}"
        );
        let steps = json!([{ "command": "items get", "args": ["${vars.x}"] }]);
        let report = library.submit(json!({ "steps": steps, "vars": vars })).await.json();
        assert_eq!(report["steps"][0]["exit"], 3, "{value} is no key, and no flag: {report}");
    }
    assert_eq!(library.dump(), before);
}

#[tokio::test]
async fn a_workflow_that_can_not_work_is_refused_before_anything_runs() {
    let library = Library::new(Era::Modern).await;
    let before = library.dump();
    let good = add("Leviathan", "hobbes1651");
    let with_flags = |flags: Value| json!({ "command": "items add", "flags": flags });
    for (bad, word) in [
        (json!({ "command": "items get", "args": ["${steps.nwe.output/key}"] }), "nwe"),
        (json!({ "command": "items get", "args": ["${steps.later.output/key}"] }), "later"),
        (json!({ "command": "items get", "args": ["${vars.nothing}"] }), "nothing"),
        (json!({ "command": "items get", "args": ["${unclosed"] }), "unclosed"),
        (json!({ "command": "items get", "args": ["x"], "when": "${steps.nwe.ok}" }), "nwe"),
        (json!({ "command": "items get", "args": ["x"], "stdin_from": "nwe" }), "nwe"),
        (json!({ "command": "items get", "args": ["x"], "stdin_from": "nwe.output/x" }), "nwe"),
        (json!({ "command": "items get", "args": ["x"], "stdin_from": "new.stdout" }), "stdin_from"),
        (json!({ "command": "items gte", "args": ["x"] }), "items get"),
        (json!({ "command": "workflow run", "args": ["x"] }), "workflow run"),
        (json!({ "command": "workflow_submit" }), "workflow_submit"),
        (json!({ "command": "command_run", "flags": { "name": "items list" } }), "command_run"),
        (with_flags(json!({ "title": "x", "titel": "y" })), "titel"),
        (with_flags(json!({ "title": "x", "config": "/tmp/x" })), "config"),
        (with_flags(json!({})), "title"),
        (json!({ "command": "items list", "name": "new" }), "new"),
        (json!({ "command": "items list", "nmae": "x" }), "nmae"),
    ] {
        for yes in [true, false] {
            let mut first = good.clone();
            first["name"] = "new".into();
            let answer = library
                .submit(json!({ "steps": [first, bad, { "command": "items list", "name": "later" }], "yes": yes }))
                .await;
            assert_eq!(answer.refusal(), "INVALID_PARAMS", "{bad}");
            assert!(answer.text().contains(word), "{bad}: {}", answer.text());
        }
    }
    let bad =
        json!({ "steps": [with_flags(json!({})), with_flags(json!({ "titel": "x" })), { "command": "nothing" }] });
    let answer = library.submit(bad).await;
    for word in ["steps.1", "steps.2", "steps.3"] {
        assert!(answer.text().contains(word), "every step's problems at once: {}", answer.text());
    }
    assert_eq!(library.dump(), before);
    let audit = std::fs::read_to_string(library.0.audit("mycli")).unwrap();
    let ran = |line: &&str| line.contains("workflow_submit") && line.contains("\"decision\":\"ran\"");
    assert_eq!(audit.lines().filter(ran).count(), 0, "no step ran");
}

#[tokio::test]
async fn the_workflow_alone_says_yes() {
    let library = Library::new(Era::Legacy).await;
    let before = library.dump();
    let step = json!({ "command": "items add", "flags": { "title": "x", "yes": true } });
    let answer = library.submit(json!({ "steps": [step] })).await;
    assert_eq!(answer.refusal(), "INVALID_PARAMS");
    assert!(answer.text().contains("steps.1.yes"), "{}", answer.text());
    assert_eq!(library.dump(), before);
    for yes in [json!("true"), json!("${vars.yes}")] {
        let step = json!({ "command": "items add", "flags": { "title": "x", "yes": yes } });
        library.submit(json!({ "steps": [step], "vars": { "yes": true } })).await;
        assert_eq!(library.dump(), before, "{yes}");
    }
    let step = json!({ "command": "items add", "flags": { "title": "x", "dry-run": true } });
    let answer = library.submit(json!({ "steps": [step], "yes": true })).await;
    assert_eq!(answer.json()["steps"][0]["output"]["mode"], "preview", "{}", answer.all());
    assert_eq!(library.keys().await, ["newton1704"], "a step's dry run wins");
}

#[tokio::test]
async fn no_spelling_of_a_flag_gets_past_the_preview_or_the_transaction() {
    let library = Library::new(Era::Legacy).await;
    let before = library.dump();
    let spelled = |output: &str| {
        [
            ("export bibtex", json!({ "--output": output, "yes": true })),
            ("export bibtex", json!({ "flags": { "output": output, "yes": true } })),
            ("library health", json!({ "--fix": true, "yes": true })),
            ("library health", json!({ "params": { "fix": true, "yes": true } })),
            ("library health", json!({ "options": { "fix": true }, "--yes": "true" })),
            ("items add", json!({ "title": "x", "--yes": true })),
        ]
    };
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.bib");
    let output = output.to_str().unwrap();
    for (command, flags) in spelled(output) {
        let answer = library.submit(json!({ "steps": [{ "command": command, "flags": flags }] })).await;
        assert_eq!(answer.refusal(), "INVALID_PARAMS", "{command} {flags}: {}", answer.all());
        assert_eq!(library.dump(), before, "{command} {flags}");
        assert!(!std::fs::exists(output).unwrap(), "{command} {flags}");
    }
    let failing = json!({ "command": "items get", "flags": { "keys": ["nope"] } });
    for flags in [json!({ "--output": output }), json!({ "flags": { "output": output } })] {
        let steps = json!([{ "command": "export bibtex", "flags": flags }, failing]);
        let answer = library.submit(json!({ "steps": steps, "yes": true })).await;
        assert_eq!(answer.json()["committed"], false, "{flags}: {}", answer.all());
        assert!(!std::fs::exists(output).unwrap(), "{flags}");
    }
}

#[tokio::test]
async fn the_cap_holds_for_the_whole() {
    let library = Library::new(Era::Modern).await;
    let steps = json!([add("Leviathan", "a"), add("Ethica", "b"), add("Monadologie", "c")]);
    let before = library.dump();
    let answer = library.submit(json!({ "steps": steps, "yes": true, "max_changes": 2 })).await;
    assert!(answer.failed, "{}", answer.all());
    assert!(answer.text().contains("max"), "{}", answer.text());
    assert_eq!(library.dump(), before);
    let answer = library.submit(json!({ "steps": steps, "yes": true, "max_changes": 3 })).await;
    assert!(!answer.failed, "{}", answer.all());
}

#[tokio::test]
async fn commands_that_take_commands_are_not_there() {
    let library = Library::new(Era::Legacy).await;
    for name in ["workflow run", "config set", "config get", "completions", "help"] {
        let answer = library.call("command_run", json!({ "name": name })).await;
        assert_eq!(answer.refusal(), "UNKNOWN_OPERATION", "{name}");
        let found = library.call("command_search", json!({ "query": name })).await.json();
        let names = found["commands"].as_array().unwrap().iter().map(|hit| hit["name"].as_str().unwrap());
        assert!(!names.into_iter().any(|found| found == name), "{found}");
    }
}

#[tokio::test]
async fn the_tools_beside_the_commands_answer() {
    let library = Library::new(Era::Modern).await;
    let context = library.call("context", json!({})).await;
    assert!(!context.failed && context.text().contains("newton1704"), "{}", context.all());
    let found = library.call("search", json!({ "query": "opticks" })).await;
    assert!(!found.failed && found.text().contains("newton1704"), "{}", found.all());
    let rows = library.call("sql", json!({ "sql": "SELECT key FROM items" })).await;
    assert_eq!(rows.json()["rows"], json!([{ "key": "newton1704" }]));
    let before = library.dump();
    for sql in ["DELETE FROM items", "VACUUM INTO '/tmp/x'", "ATTACH '/tmp/x' AS x", "PRAGMA user_version = 9"] {
        assert_eq!(library.call("sql", json!({ "sql": sql })).await.refusal(), "TOOL_FAILED", "{sql}");
    }
    assert_eq!(library.dump(), before);
}
