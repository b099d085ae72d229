use super::{facade, notes, run};
use clap_facade::verbs::Launch;
use std::process::ExitCode;

/// Installs into a file of its own, the test's own executable taken for the server.
fn install(words: &[&str], file: &std::path::Path) -> (Result<ExitCode, String>, String) {
    let facade = facade(notes());
    let line = ["notes-mcp"].iter().chain(words).copied().chain(["--file", file.to_str().unwrap()]);
    let matches = facade.parse(line).unwrap();
    let launch = Launch { before: vec!["agents".into()], ..Launch::own().unwrap() };
    let mut out = Vec::new();
    let ended = facade.execute(&matches, launch, &mut out).map_err(|error| error.to_string());
    (ended, String::from_utf8(out).unwrap())
}

#[test]
fn install_writes_the_words_that_start_this_server_and_uninstall_restores_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mcp.json");
    let before = "{ \"mcpServers\": {} , \"other\": 1 }\n";
    std::fs::write(&file, before).unwrap();

    let (ended, out) = install(&["install", "cursor", "--dry-run", "--read-only"], &file);
    assert!(ended.is_ok() && out.contains("+") && out.contains("--read-only"), "{out}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before);

    install(&["install", "cursor", "--read-only", "--surface", "mirror"], &file).0.unwrap();
    let written: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let entry = &written["mcpServers"]["notes"];
    assert_eq!(entry["args"], serde_json::json!(["agents", "start", "--surface=mirror", "--read-only"]));
    assert_eq!(entry["command"], std::env::current_exe().unwrap().to_str().unwrap());

    let policy = folder.path().join("notes.mcp.toml");
    std::fs::write(&policy, "").unwrap();
    let policy = policy.to_str().unwrap();
    let (ended, out) = install(&["install", "cursor", "--replace", "--dry-run", "--policy", policy], &file);
    assert!(ended.is_ok() && out.contains(&format!("--policy={policy}")), "{out}");

    let (refused, _) = install(&["install", "cursor"], &file);
    let refused = refused.expect_err("another entry of that name is not overwritten unasked");
    assert_eq!(refused.matches("there is an entry").count(), 1, "{refused}");
    assert!(refused.contains("`--replace`") && refused.contains("`--name OTHER`"), "{refused}");
    install(&["install", "cursor", "--replace"], &file).0.unwrap();

    let (ended, out) = install(&["uninstall", "cursor"], &file);
    assert!(ended.is_ok(), "{out}");
    assert!(!std::fs::read_to_string(&file).unwrap().contains("notes"));
    for file in [&file, &folder.path().join("none.json")] {
        let (ended, out) = install(&["uninstall", "cursor"], file);
        assert!(ended.is_ok() && out.contains("there is no entry `notes`"), "{out}");
    }
}

#[test]
fn variables_are_handed_on_with_their_value_of_now_or_another() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mcp.json");
    install(&["install", "cursor", "--env", "HOME", "--env", "NOTES_DIR=/a=b", "--env=EMPTY="], &file).0.unwrap();
    let written: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let env = &written["mcpServers"]["notes"]["env"];
    assert_eq!((&env["NOTES_DIR"], &env["EMPTY"]), (&"/a=b".into(), &"".into()));
    assert_eq!(env["HOME"], std::env::var("HOME").unwrap());
    assert_eq!(env["PATH"].is_string(), std::env::var_os("PATH").is_some());
    for (given, said) in [("NOTES_IS_NOT_SET", "give NOTES_IS_NOT_SET=VALUE"), ("=x", "needs a name")] {
        let error = facade(notes()).parse(["notes-mcp", "install", "cursor", "--env", given]).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn an_unknown_host_is_named_with_those_there_are() {
    let error = facade(notes()).parse(["notes-mcp", "install", "emacs"]).unwrap_err().to_string();
    assert!(error.contains("claude-desktop"), "{error}");
    let (ended, _) = run(facade(notes()), &["install", "claude-desktop", "--workspace", "--dry-run"]);
    assert!(ended.is_err(), "Claude Desktop has no file in a workspace");
}
