//! Real processes, started as a host with windows starts them.
#![cfg(unix)]

use super::{facade, notes};
use clap_facade::verbs::Launch;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

fn script(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

fn doctor(program: &Path, behind: Vec<OsString>, words: &[&str]) -> (bool, String) {
    let facade = facade(notes());
    let matches = facade.parse(["notes-mcp", "doctor"].iter().chain(words)).unwrap();
    let launch = Launch { program: program.to_owned(), before: Vec::new(), options: Vec::new(), behind };
    let mut out = Vec::new();
    let ended = facade.execute(&matches, launch, &mut out).unwrap();
    (ended == ExitCode::SUCCESS, String::from_utf8(out).unwrap())
}

const HELP: &str = r#"#!/bin/sh
case "$*" in
  --help) printf 'Keeps notes\n\nUsage: notes <COMMAND>\n\nCommands:\n  list  List notes\n\nOptions:\n  -h, --help  Print help\n';;
  "list --help") printf 'List notes\n\nUsage: notes list\n\nOptions:\n  -h, --help  Print help\n';;
  list) echo '["one"]';;
  *) exit 2;;
esac
"#;

#[test]
fn a_server_that_works_is_said_to_work_though_it_is_not_quite_this_one() {
    let folder = tempfile::tempdir().unwrap();
    let notes = script(folder.path(), "notes", HELP);
    let behind = vec!["--".into(), notes.into()];
    let (good, out) = doctor(Path::new(env!("CARGO_BIN_EXE_clap-facade")), behind, &[]);
    assert!(good, "{out}");
    for line in [
        "ok   start",
        "PATH=/usr/bin:/bin",
        "ok   handshake  notes, version unknown,",
        "ok   tools      3: command_search",
    ] {
        assert!(out.contains(line), "{line:?} is not in {out}");
    }
}

#[test]
fn what_is_missing_is_named_in_plain_words() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text, words) in [
        (
            "ends",
            "#!/bin/sh\necho 'the library is not there' >&2\nexit 3\n",
            &["instead of answering `initialize`", "exit status: 3", "the library is not there"][..],
        ),
        ("silent", "#!/bin/sh\nexit 0\n", &["it said nothing on its stderr"]),
        ("prints", "#!/bin/sh\necho Welcome\ncat >/dev/null\n", &["prints on its stdout", "`Welcome`"]),
        ("helper", "#!/bin/sh\nno-such-helper serve\n", &["no-such-helper", "not found"]),
        ("interpreter", "#!/no/such/interpreter\n", &["interpreter that does not exist"]),
        (
            "empty",
            "#!/bin/sh\nread line; echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}'\nread line; read line; echo '{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":[]}}'\n",
            &["lists no tools"],
        ),
        (
            "refuses",
            "#!/bin/sh\nread line; echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,\"message\":\"no\"}}'\n",
            &["`initialize` is refused"],
        ),
    ] {
        let (good, out) = doctor(&script(folder.path(), name, text), Vec::new(), &[]);
        assert!(!good && out.contains("BAD"), "{name}: {out}");
        for word in words {
            assert!(out.contains(word), "{name}: {word:?} is not in {out}");
        }
    }
}

#[test]
fn no_agent_can_work_with_a_server_that_offers_no_command() {
    let folder = tempfile::tempdir().unwrap();
    let policy = folder.path().join("notes.mcp.toml");
    std::fs::write(&policy, "default = 'deny'").unwrap();
    let policy = policy.to_str().unwrap();
    let program = script(folder.path(), "notes", HELP);
    let behind = vec!["--".into(), program.clone().into()];
    let (good, out) = doctor(Path::new(env!("CARGO_BIN_EXE_clap-facade")), behind, &["--policy", policy]);
    let said = "no command of `notes` is offered: all are denied by the policy";
    assert!(!good && out.contains(&format!("BAD  commands   {said}")), "{out}");
    for verb in ["start", "tools"] {
        let (_, err) = wrapped(&[verb, "--policy", policy, "--", program.to_str().unwrap()]);
        assert_eq!(err.matches(said).count(), 1, "{verb}: {err}");
    }
    let passes_on = script(folder.path(), "run", "#!/bin/sh\necho 'usage: run [--deep] <command> [<args>]'\n");
    let (_, err) = wrapped(&["tools", "--", passes_on.to_str().unwrap()]);
    assert!(err.contains("no command of `run` is offered: its help lists none as clap does"), "{err}");
}

#[test]
fn a_program_that_is_named_before_the_dashes_is_told_where_it_stands() {
    for (words, right) in [
        (&["uv"][..], "clap-facade -- uv"),
        (&["tools", "uv"], "clap-facade tools -- uv"),
        (&["tools", "--json", "cargo", "nextest"], "clap-facade tools --json -- cargo nextest"),
    ] {
        let (_, err) = wrapped(words);
        assert!(err.contains(&format!("tip: the program stands behind `--`: {right}\n")), "{words:?}: {err}");
    }
    for words in [&["tols"][..], &["tools", "--jsn"], &["tools", "x", "--", "uv"]] {
        let (_, err) = wrapped(words);
        assert!(!err.contains("stands behind"), "{words:?}: {err}");
    }
}

#[test]
fn no_program_is_praised_that_was_not_understood_or_not_tried() {
    let folder = tempfile::tempdir().unwrap();
    let read = "[[command]]\nmatch = ['']\neffect = 'read-only'\n";
    let page = |entries: &str| format!("printf 'Usage: notes [FILE]...\\n\\n{entries}'");
    let clap = page(r"Options:\n  -h, --help  Print help\n");
    for (help, rest, policy, good, said) in [
        (&page(""), ":", "", false, "nothing can be called but `notes` by itself, without any option"),
        (&clap, ":", "", true, "the server answers; no command was tried\n"),
        (&clap, "echo nothing to list >&2; exit 1", read, true, "the one command that was tried failed\n"),
        (&clap, "echo one", read, true, "an agent can work with it\n"),
    ] {
        let case = format!("#!/bin/sh\ncase \"$*\" in --help) {help};; *) {rest};; esac\n");
        let program = script(folder.path(), "notes", &case);
        let file = folder.path().join("notes.mcp.toml");
        std::fs::write(&file, policy).unwrap();
        let words = ["doctor", "--policy", file.to_str().unwrap(), "--", program.to_str().unwrap()];
        let (out, _) = wrapped(&words);
        assert!(out.contains(said), "{said}: {out}");
        assert_eq!(out.contains("BAD "), !good, "{said}: {out}");
        assert_eq!(out.contains("an agent can work with it"), said.starts_with("an agent"), "{said}: {out}");
    }
}

#[test]
fn a_wrapped_program_is_linted_by_the_keys_of_a_policy() {
    let folder = tempfile::tempdir().unwrap();
    let page = |text: &str| format!("printf 'Usage: notes\\n\\n{text}Options:\\n  -h, --help  Print help\\n'");
    let [read, gated] =
        [r"      --output <FILE>  Write there\n      --pin <PIN>  A pin\n", r"      --dry-run  Only show\n"];
    let cases = [
        ("--help", page(r"Commands:\n  list  List\n  purge  Remove all\n  run  Run\n  login  Log in\n")),
        ("list --help", page("") + "'" + read + "'"),
        ("purge --help", page("") + "'" + gated + "'"),
        (
            "run --help",
            r"printf 'Usage: notes run <COMMAND>\n\nCommands:\n  one  One\n  [command]...  Any\n'".to_owned(),
        ),
        ("login --help", page("") + r"'      --token <TOKEN>  A token\n'"),
    ];
    let cases: String = cases.iter().map(|(words, page)| format!("'{words}') {page};;\n")).collect();
    let program = script(folder.path(), "notes", &format!("#!/bin/sh\ncase \"$*\" in\n{cases}esac\n"));
    let policy = folder.path().join("notes.mcp.toml");
    std::fs::write(&policy, "[[command]]\nmatch = ['list']\neffect = 'read-only'\n").unwrap();
    let (out, err) = wrapped(&["lint", "--policy", policy.to_str().unwrap(), "--", program.to_str().unwrap()]);
    for said in [
        "`effect = \"destructive\"`?",
        "`mutating-when = [\"output\"]`?",
        "name it in the policy's `secret`",
        "its `not-secret` that it is none",
        "`[[command]]` of ",
        "not checked: whether gates are read",
    ] {
        assert!(out.contains(said), "{said}: {out}{err}");
    }
    for rust in ["annotate", "_", "Facade"] {
        assert!(!out.contains(rust), "{rust}: {out}");
    }
}

#[test]
fn a_bundle_of_a_debug_build_is_told_to_be_large() {
    let folder = tempfile::tempdir().unwrap();
    let program = script(folder.path(), "notes", HELP);
    let out = folder.path().to_str().unwrap();
    let (_, err) = wrapped(&["export", "mcpb", "--out", out, "--", program.to_str().unwrap()]);
    assert!(folder.path().join("notes.mcpb").is_file(), "{err}");
    assert_eq!(err.contains("is a debug build of ") && err.contains(" MB"), cfg!(debug_assertions), "{err}");
}

/// Runs the binary `clap-facade`, and returns what it printed on stdout and on stderr.
fn wrapped(words: &[&str]) -> (String, String) {
    let folder = tempfile::tempdir().unwrap();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_clap-facade"));
    command.args(words).stdin(std::process::Stdio::null());
    for variable in ["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"] {
        command.env(variable, folder.path());
    }
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr))
}

#[test]
fn the_server_starts_as_a_host_starts_it() {
    let folder = tempfile::tempdir().unwrap();
    let seen = folder.path().join("seen");
    let text = format!("#!/bin/sh\n{{ pwd; env; [ -t 0 ] && echo tty; }} >{}\n", seen.display());
    doctor(&script(folder.path(), "look", &text), Vec::new(), &[]);
    let seen = std::fs::read_to_string(seen).unwrap();
    assert!(seen.starts_with("/\n") && seen.contains("PATH=/usr/bin:/bin\n") && !seen.contains("tty\n"), "{seen}");
    assert!(!seen.contains("CARGO"), "{seen}");
}

#[test]
fn a_registered_entry_is_what_is_tried_and_a_missing_one_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mcp.json");
    let words = ["--host", "cursor", "--file", file.to_str().unwrap()];
    let (good, out) = doctor(Path::new("/bin/true"), Vec::new(), &words);
    assert!(!good && out.contains("run `install cursor`"), "{out}");
    let ends = script(folder.path(), "ends", "#!/bin/sh\necho \"NOTES=$NOTES\" >&2\nexit 1\n");
    let entry = serde_json::json!({ "command": ends, "args": [], "env": { "NOTES": "here" } });
    std::fs::write(&file, serde_json::json!({ "mcpServers": { "notes": entry } }).to_string()).unwrap();
    let (good, out) = doctor(Path::new("/bin/true"), Vec::new(), &words);
    assert!(!good && out.contains("NOTES=here"), "{out}");
}

#[test]
fn an_installed_server_heeds_the_operators_switch_and_policy_wherever_their_folders_are() {
    let home = tempfile::tempdir().unwrap();
    let notes = script(home.path(), "notes", HELP);
    let (state, config) = (home.path().join("my state"), home.path().join("my config"));
    let policy = config.join("notes/notes.mcp.toml");
    std::fs::create_dir_all(policy.parent().unwrap()).unwrap();
    std::fs::write(
        &policy,
        "expose = [\"list\"]\ndefault = \"deny\"\n[[command]]\nmatch = [\"list\"]\neffect = \"read-only\"\n",
    )
    .unwrap();
    let file = home.path().join("host.json");
    let operator = |words: &[&str]| {
        let out = Command::new(env!("CARGO_BIN_EXE_clap-facade"))
            .args(words)
            .arg("--")
            .arg(&notes)
            .env("HOME", home.path())
            .envs([("XDG_STATE_HOME", &state), ("XDG_CONFIG_HOME", &config)])
            .output()
            .unwrap();
        (
            out.status.success(),
            String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr),
        )
    };
    let host = ["cursor", "--file", file.to_str().unwrap()];
    let (installed, told) = operator(&[&["install"], &host[..]].concat());
    assert!(installed, "{told}");
    let entry = serde_json::from_slice::<Value>(&std::fs::read(&file).unwrap()).unwrap()["mcpServers"]["notes"].clone();
    let handed = |name: &str| entry["env"][name].as_str().map(PathBuf::from);
    assert_eq!((handed("XDG_STATE_HOME"), handed("XDG_CONFIG_HOME")), (Some(state.clone()), Some(config.clone())));

    // What a host starts: hardly any environment beside the entry's own.
    let call = || {
        let mut server = Command::new(entry["command"].as_str().unwrap())
            .args(entry["args"].as_array().unwrap().iter().filter_map(Value::as_str))
            .env_clear()
            .env("HOME", home.path())
            .envs(entry["env"].as_object().unwrap().iter().map(|(name, value)| (name, value.as_str().unwrap())))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = server.stdin.take().unwrap();
        let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "host", "version": "1"}}});
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
            "name": "command_read", "arguments": {"name": "list"}}});
        let mut answers = BufReader::new(server.stdout.take().unwrap()).lines();
        let mut answer = String::new();
        for (line, answered) in [(hello, true), (ready, false), (list, true)] {
            writeln!(stdin, "{line}").unwrap();
            if answered {
                answer = answers.next().unwrap().unwrap();
            }
        }
        drop(stdin);
        server.wait().unwrap();
        answer
    };
    assert!(call().contains(r#"[\"one\"]"#), "{}", call());
    assert!(operator(&["kill", "on"]).0);
    assert!(call().contains("KILLED"), "{}", call());
    assert!(operator(&["kill", "off"]).0);

    let doctor = [&["doctor", "--host"], &host[..]].concat();
    let (good, told) = operator(&doctor);
    assert!(good && told.contains("my state") && told.contains("my config"), "{told}");
    // An entry that somebody wrote by hand.
    let bare = json!({"mcpServers": {"notes": {"command": entry["command"], "args": entry["args"]}}});
    std::fs::write(&file, bare.to_string()).unwrap();
    let (good, told) = operator(&doctor);
    assert!(!good, "{told}");
    for line in ["BAD  audit", "BAD  policy", "install --replace"] {
        assert!(told.contains(line), "{line:?} is not in {told}");
    }
}
