use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

/// Runs lines in a shell that finds this build's `clap-facade` first, with a home of its own.
fn shell(script: &str, home: &Path) -> Output {
    let binaries = Path::new(env!("CARGO_BIN_EXE_clap-facade")).parent().unwrap();
    let path = format!("{}:{}", binaries.display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("sh");
    shell.args(["-exc", script]).current_dir(home).env("PATH", path).env("HOME", home);
    for moved in ["XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"] {
        shell.env_remove(moved);
    }
    shell.output().unwrap()
}

#[test]
fn the_readmes_lines_serve_a_program_that_is_not_ones_own() {
    let readme = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md")).unwrap();
    let mut blocks =
        readme.split("```console\n").skip(1).filter_map(|rest| rest.split_once("```").map(|(block, _)| block));
    let block = blocks.find(|block| block.contains("$ clap-facade ")).unwrap();
    let lines: Vec<&str> = block.lines().filter_map(|line| line.strip_prefix("$ clap-facade ")).collect();
    assert_eq!(lines.len(), 2, "one to see the tools, one for a host:\n{block}");
    let home = tempfile::tempdir().unwrap();
    if !shell("uv --version", home.path()).status.success() {
        assert!(std::env::var_os("SUITE_NOTHING_SKIPPED").is_none(), "uv is not on the PATH");
        eprintln!("skipped: uv is not on the PATH");
        return;
    }
    let script: String = lines.iter().map(|line| format!("clap-facade {line}\n")).collect();

    let output = shell(&script, home.path());

    let (said, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}\n{errors}");
    assert!(said.contains("command_search") && said.contains("command_read"), "{said}\n{errors}");
    for policy in policies_of_the_guide() {
        assert_eq!(wrong(&policy, "uv", home.path()), None, "{policy}");
    }
    let doctor = shell("clap-facade doctor --host claude-desktop -- uv", home.path());
    assert!(
        doctor.status.success(),
        "{}{}",
        String::from_utf8_lossy(&doctor.stdout),
        String::from_utf8_lossy(&doctor.stderr)
    );
}

/// Returns the first block of a kind in a text.
fn block<'a>(text: &'a str, kind: &str) -> &'a str {
    text.split_once(&format!("```{kind}\n")).unwrap().1.split_once("```").unwrap().0
}

#[test]
fn the_readmes_entry_is_what_install_writes() {
    let readme = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md")).unwrap();
    let by_hand: Value = serde_json::from_str(block(&readme, "json")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mcp.json");
    let words = ["install", "cursor", "--name", "mycli", "--env", "MYCLI_DATA_DIR=/home/me/library", "--file"];
    let facade = super::facade(super::notes());
    let matches = facade.parse(["notes-mcp"].iter().chain(&words).copied().chain(file.to_str())).unwrap();
    facade.execute(&matches, clap_facade::verbs::Launch::own().unwrap(), &mut Vec::new()).unwrap();
    let mut written: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    // What is this machine's, and not the entry's shape.
    for place in ["/mcpServers/mycli/command", "/mcpServers/mycli/env/PATH"] {
        *written.pointer_mut(place).unwrap() = by_hand.pointer(place).cloned().unwrap_or_default();
    }
    // Where the folders of the one who installs are moved, the entry says so as well.
    let env = written.pointer_mut("/mcpServers/mycli/env").and_then(Value::as_object_mut).unwrap();
    env.retain(|name, _| !name.starts_with("XDG_"));
    assert_eq!(written, by_hand);
}

#[test]
fn the_guide_to_adopting_names_every_feature_of_clap_that_comes_along() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let guide = std::fs::read_to_string(root.join("docs/adopt.md")).unwrap();
    let manifest = std::fs::read_to_string(root.join("../Cargo.toml")).unwrap();
    let line = manifest.lines().find(|line| line.starts_with("clap = ")).unwrap();
    let features = line.split_once('[').unwrap().1.split('"').skip(1).step_by(2);
    for feature in features {
        assert!(guide.contains(&format!("`{feature}`")), "{feature}");
    }
}

/// As much of uv as the guide speaks of.
const UV: &str = r#"#!/bin/sh
page() { printf 'Usage: uv %s\n\n%b\nOptions:\n  -h, --help  Print help\n%b' "$1" "$2" "$3"; }
case "$*" in
  --help) page '[OPTIONS] <COMMAND>' 'Commands:\n  pip  Packages\n  python  Pythons\n  publish  Publish\n' \
    '      --no-progress  Show none\n      --config-file <FILE>  A file\n';;
  'pip --help') page 'pip <COMMAND>' 'Commands:\n  list  List\n  show  Show\n  compile  Compile\n  uninstall  Remove\n';;
  'python --help') page 'python <COMMAND>' 'Commands:\n  list  List\n  find  Find\n';;
  'pip compile --help') page 'pip compile [OPTIONS]' '' '      --output-file <FILE>  Write there\n';;
  'publish --help') page 'publish [OPTIONS]' '' '      --token <TOKEN>  A token\n      --password <PASSWORD>  A password\n';;
  'pip '*' --help'|'python '*' --help') page "$1 $2" '';;
  *) exit 2;;
esac
"#;

#[test]
fn every_policy_of_the_guide_starts_a_server() {
    let home = tempfile::tempdir().unwrap();
    let uv = program(home.path());
    let policies = policies_of_the_guide();
    assert!(policies.len() > 5, "{policies:?}");
    for policy in policies {
        assert_eq!(wrong(&policy, &uv, home.path()), None, "{policy}");
    }
}

#[test]
fn every_verb_says_the_same_of_a_policy_that_is_none() {
    let home = tempfile::tempdir().unwrap();
    let uv = program(home.path());
    for (policy, said) in [
        ("cwd = '~/no-such-folder'", "no such folder"),
        ("cwd = '~/uv'", "no such folder"),
        ("deny = ['pip lst']", "did you mean `pip list`?"),
        ("[principal.ci]\nallow = ['workflow_submit']", "names nothing"),
        ("[secrets]\napi-token = { env = 'A' }", "names nothing"),
        ("tmeout = '1s'", "timeout"),
    ] {
        let wrong = wrong(policy, &uv, home.path()).unwrap_or_default();
        assert!(wrong.contains(said), "{policy}: {wrong}");
    }
}

/// Writes a program that prints uv's help, and returns its path.
fn program(folder: &Path) -> String {
    let path = folder.join("uv");
    std::fs::write(&path, UV).unwrap();
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Returns what is wrong with a policy: all verbs have to say the same.
fn wrong(policy: &str, program: &str, home: &Path) -> Option<String> {
    let file = home.join("uv.mcp.toml");
    std::fs::write(&file, policy).unwrap();
    let mut said = ["start", "tools", "lint", "explain 'pip list'", "doctor", "lock"].map(|verb| {
        let output = shell(&format!("clap-facade {verb} --policy uv.mcp.toml -- {program} </dev/null"), home);
        let errors = String::from_utf8(output.stderr).unwrap();
        // What explain would refuse, and doctor could not try, is no fault of the policy.
        let is_wrong = !output.status.success() && !verb.starts_with("explain") && verb != "doctor";
        let error = errors.lines().find_map(|line| line.strip_prefix("error: "));
        assert_eq!(is_wrong, is_wrong && error.is_some(), "{verb}: {errors}");
        error.map(str::to_owned)
    });
    std::fs::remove_file(file).unwrap();
    std::fs::remove_file(home.join("uv.mcp.lock")).ok();
    assert!(said.iter().all(|error| *error == said[0]), "{policy}: {said:?}");
    said[0].take()
}

fn policies_of_the_guide() -> Vec<String> {
    let guide = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/policy.md")).unwrap();
    let blocks = guide.split("```toml\n").skip(1);
    blocks.map(|rest| rest.split_once("```").unwrap().0.to_owned()).collect()
}
