//! A secret is planted wherever one can stand, and everything that leaves is searched for it.

use super::{Client, caller, request};
use clap::{Arg, ArgAction, Command};
use clap_facade::Facade;
use clap_facade::annotate::{plain, read_only, secret};
use clap_facade::exec::{Executor, InProcess, Subprocess};
use clap_facade::policy::Policy;
use clap_facade::refusal::Kind;
use clap_facade::surface::Choice;
use serde_json::{Map, Value, json};
use std::path::Path;
use std::sync::Arc;

/// What is planted: in a file, in this process's environment, and as a default.
const FROM_FILE: &str = "hunter2-from-a-file";
const FROM_DEFAULT: &str = "hunter2-by-default";
const GIVEN: &str = "hunter2-by-the-caller";
/// What a caller gives for an arg that may as well come from the environment.
const ENDPOINT: &str = "https://user:pass@host";

fn option(name: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::Set)
}

/// A tree with secrets that are annotated, recognised, filled in and required, in every place.
fn tree() -> Command {
    let rejects = |value: &str| match value == FROM_FILE {
        true => Ok(value.to_owned()),
        false => Err(format!("{value} is not the password")),
    };
    Command::new("vault")
        .arg(option("api-key").global(true).default_value(FROM_DEFAULT))
        .subcommand(
            Command::new("show")
                .add(read_only())
                .arg(option("pass").add(secret()).default_value(FROM_DEFAULT))
                .arg(option("db-password").required(true).help("The password of the database"))
                .arg(option("endpoint").env("FACADE_TEST_ENDPOINT"))
                .arg(option("page-token"))
                .arg(option("refresh-token").add(plain()))
                .arg(option("access-token").env("FACADE_TEST_ACCESS_TOKEN"))
                .arg(option("how")),
        )
        .subcommand(Command::new("picky").add(read_only()).arg(option("login-password").value_parser(rejects)))
        .subcommand(Command::new("lost").add(read_only()).arg(option("root-password").required(true)))
}

const POLICY: &str = "
    [secrets]
    db-password = { file = 'password' }
    access-token = { file = 'password' }
    'picky login-password' = { file = 'password' }
";

fn policy(folder: &Path) -> Policy {
    std::fs::write(folder.join("password"), format!("{FROM_FILE}\n")).unwrap();
    std::fs::write(folder.join("vault.mcp.toml"), POLICY).unwrap();
    Policy::read(&folder.join("vault.mcp.toml")).unwrap()
}

/// Prints what it was given in several ways, and fails or crashes where it is told to.
fn in_process() -> InProcess {
    InProcess::new(|matches, io| {
        let (_, matches) = matches.subcommand().unwrap();
        let Some(password) = matches.try_get_one::<String>("db-password").ok().flatten() else { return Ok(0) };
        assert_eq!(password, FROM_FILE, "the command itself has it");
        match matches.get_one::<String>("how").map(String::as_str) {
            Some("fail") => Err(format!("could not log in with {password}").into()),
            Some("panic") => panic!("crashed on {password}"),
            Some("long") => Ok(write!(io.stdout, "{}", format!("{password} é\n").repeat(20_000)).map(|()| 0)?),
            // What is between the parts is cleaned away later.
            Some(how @ ("coloured" | "coloured-fail")) => {
                let (start, end) = password.split_at(5);
                write!(io.stdout, "{start}\u{1b}[31m{end}\u{1b}[0m {start}\u{1b}]0;x\u{7}{end} {start}\0{end}")?;
                write!(io.stderr, "{start}\u{1b}[31m{end}")?;
                Ok(u8::from(how == "coloured-fail"))
            }
            Some("escaped") => {
                let escaped: String = password.chars().map(|c| format!("\\u{:04X}", u32::from(c))).collect();
                Ok(write!(io.stdout, "{{\"p\": \"{escaped}\"}}").map(|()| 0)?)
            }
            Some("parts") => {
                password.bytes().try_for_each(|byte| io.stdout.write_all(&[byte]))?;
                Ok(0)
            }
            _ => {
                write!(io.stderr, "warning: {password}")?;
                Ok(write!(io.stdout, "{}", json!({ "password": password, "n": 1 })).map(|()| 0)?)
            }
        }
    })
}

/// A program that prints its environment and its command line.
fn subprocess(folder: &Path) -> Subprocess {
    let program = folder.join("program");
    let script = "#!/bin/sh\nprintf 'args: %s\\ntoken: %s\\n' \"$*\" \"$FACADE_TEST_ACCESS_TOKEN\"\nprintf '%s' \"$*\" | wc -c\necho \"$*\" >&2\nexit 3\n";
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    Subprocess::new(program)
}

async fn leaves(surface: Choice, executor: impl Executor + 'static, folder: &Path, calls: &[(&str, Value)]) -> String {
    let audit = folder.join("audit");
    let facade = Facade::new(tree()).executor(executor).audit(&audit).surface(surface).workflows();
    let pipeline = Arc::new(facade.policy(&policy(folder)).unwrap().build().unwrap());
    let mut left = format!("{:?}{:?}", pipeline.catalog().operations(), pipeline.instructions());
    let mut client = Client::connected(pipeline.clone()).await;
    client.send(&request(1, "tools/list", json!({}))).await;
    left.push_str(&client.answer().await.to_string());
    for (tool, arguments) in calls {
        client.send(&request(2, "tools/call", json!({ "name": tool, "arguments": arguments }))).await;
        left.push_str(&client.answer().await.to_string());
    }
    client.leave().await;
    let audited = std::fs::read_to_string(audit).unwrap();
    assert!(audited.contains(r#""endpoint":"[secret]""#) && !audited.contains(ENDPOINT), "{audited}");
    left.push_str(&audited);
    left
}

fn calls(surface: Choice) -> Vec<(&'static str, Value)> {
    let mut calls = Vec::new();
    for (name, flags) in [
        ("show", json!({})),
        ("show", json!({ "how": "fail" })),
        ("show", json!({ "how": "panic" })),
        ("show", json!({ "how": "long" })),
        ("show", json!({ "how": "parts" })),
        ("show", json!({ "how": "coloured" })),
        ("show", json!({ "how": "coloured-fail" })),
        ("show", json!({ "how": "escaped" })),
        ("show", json!({ FROM_FILE: 1, "how": [{ FROM_FILE: 1 }] })),
        ("show", json!({ "db-password": GIVEN, "pass": GIVEN, "api_key": GIVEN, "access-token": [GIVEN] })),
        ("show", json!({ "endpoint": ENDPOINT })),
        ("show", json!({ "how": FROM_FILE, "nonsense": FROM_FILE })),
        ("picky", json!({})),
        ("picky", json!({ "login-password": GIVEN })),
        ("lost", json!({ "root-password": GIVEN })),
    ] {
        calls.push(match surface {
            Choice::Mirror => (name, flags),
            _ => ("command_run", json!({ "name": name, "flags": flags })),
        });
    }
    for name in ["show", "picky", "lost"] {
        calls.push(("command_search", json!({ "name": name })));
        calls.push(("command_search", json!({ "query": format!("{name} password") })));
    }
    let read = json!({ "handle": "out_1", "skip": 15_000 });
    calls.push(match surface {
        Choice::Mirror => ("output_read", read),
        _ => ("command_read", json!({ "name": "output read", "flags": read })),
    });
    calls.push((
        "workflow_submit",
        json!({ "steps": [{ "command": "show" }, { "command": "show", "flags": { "how": "fail" } }] }),
    ));
    calls
}

#[tokio::test]
async fn no_secret_leaves() {
    for surface in Choice::ALL.iter().copied() {
        let folder = tempfile::tempdir().unwrap();
        let by_executor = [
            leaves(surface, in_process(), folder.path(), &calls(surface)).await,
            leaves(surface, subprocess(folder.path()), folder.path(), &calls(surface)).await,
        ];
        for left in &by_executor {
            assert!(!left.contains(r"\\u0068\\u0075"), "escaped: {left}");
            for planted in [FROM_FILE, FROM_DEFAULT, GIVEN] {
                if let Some(at) = left.find(planted) {
                    let shown =
                        &left[left.floor_char_boundary(at.saturating_sub(300))..left.ceil_char_boundary(at + 60)];
                    panic!("{surface}: {planted} in …{shown}…");
                }
            }
        }
        let [inside, apart] = by_executor;
        assert!(inside.contains("could not log in with [secret]"), "the reason is told all the same");
        assert!(inside.contains(r#"{\"password\":\"[secret]\",\"n\":1}"#), "JSON stays JSON");
        assert!(apart.contains("--db-password=[secret]") && apart.contains("token: [secret]"), "{apart}");
        assert!(!apart.contains("--access-token"), "what has a variable is not on the command line");
        assert!(inside.contains("a secret, which only the host sets"));
    }
}

#[tokio::test]
async fn only_what_looks_like_a_secret_is_kept_from_callers() {
    let folder = tempfile::tempdir().unwrap();
    let facade = Facade::new(tree()).executor(in_process()).audit("/dev/null");
    let catalog = facade.clone().policy(&policy(folder.path())).unwrap().catalog().unwrap();
    let params: Vec<&str> = catalog.find("show").unwrap().params.iter().map(|param| param.name.as_str()).collect();
    assert_eq!(params, ["endpoint", "page-token", "refresh-token", "how"]);
    assert!(catalog.find("lost").is_none(), "what requires a secret that nobody fills in can't be called");
    assert!(facade.catalog().unwrap().find("show").is_none());
    let open = Policy::parse("not-secret = ['root-password', 'show db-password']").unwrap();
    let catalog = facade.clone().policy(&open).unwrap().catalog().unwrap();
    assert!(catalog.find("lost").unwrap().param("root-password").is_some());
    for (text, said) in [
        ("[secrets]\ndb-pasword = { env = 'X' }", "did you mean `db-password`?"),
        ("not-secret = ['tokn']", "not-secret `tokn`"),
    ] {
        let error = facade.clone().policy(&Policy::parse(text).unwrap()).err().unwrap().to_string();
        assert!(error.contains(said), "{error}");
    }
    for (text, said) in [
        ("[secrets]\nx = { env = 'A', file = 'B' }", "one place"),
        ("[secrets]\nx = { }", "one place"),
        ("[secrets]\nx = 'hunter2'", "but where it comes from"),
        ("[secrets]\nx = { value = 'hunter2' }", "`value`"),
    ] {
        let error = Policy::parse(text).unwrap_err().to_string();
        assert!(error.contains(said) && !error.contains("hunter2"), "{error}");
    }
}

#[tokio::test]
async fn a_secret_that_is_not_there_is_missing_by_name_alone() {
    let folder = tempfile::tempdir().unwrap();
    let text = "[secrets]\ndb-password = { env = 'FACADE_TEST_NO_SUCH_PASSWORD' }\naccess-token = { file = 'none' }";
    let facade = Facade::new(tree()).executor(in_process()).audit(folder.path().join("audit"));
    let pipeline = facade.policy(&Policy::parse(text).unwrap()).unwrap().build().unwrap();
    let arguments = Map::from_iter([("name".to_owned(), json!("show"))]);
    let refusal = pipeline.call("command_run", arguments, &caller()).await.unwrap_err();
    assert_eq!(refusal.kind, Kind::UnknownOperation, "{refusal}");
}
