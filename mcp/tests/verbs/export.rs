use super::{facade, notes, run, trees};
use clap::Command;
use clap_facade::verbs::Launch;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Exports, and reads every file that was written.
fn export(command: Command, format: &str) -> BTreeMap<String, String> {
    let folder = tempfile::tempdir().unwrap();
    let (ended, out) = run(facade(command), &["export", format, "--out", folder.path().to_str().unwrap()]);
    assert_eq!(ended.unwrap(), ExitCode::SUCCESS, "{out}");
    let mut files = BTreeMap::new();
    let mut left = vec![folder.path().to_owned()];
    while let Some(path) = left.pop() {
        for entry in std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                left.push(entry);
            } else {
                let name = entry.strip_prefix(folder.path()).unwrap().to_str().unwrap().to_owned();
                files.insert(name, std::fs::read_to_string(entry).unwrap());
            }
        }
    }
    files
}

#[test]
fn a_file_that_says_something_else_is_replaced_only_where_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let file = folder.path().join("llms.txt");
    std::fs::write(&file, "mine").unwrap();
    let (ended, _) = run(facade(notes()), &["export", "llms", "--out", out]);
    let said = ended.unwrap_err().to_string();
    assert!(said.contains("llms.txt") && said.contains("`--replace`"), "{said}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else was written");
    for words in [&["--replace"][..], &[]] {
        let (ended, _) = run(facade(notes()), &[&["export", "llms", "--out", out], words].concat());
        assert_eq!(ended.unwrap(), ExitCode::SUCCESS, "{words:?}");
    }
}

/// Returns what a Markdown text links to.
fn links(text: &str) -> Vec<&str> {
    text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link).collect()
}

#[test]
fn a_skill_keeps_the_limits_of_its_format_for_any_tree() {
    let long =
        Command::new("A_very__Long name-".repeat(9)).about("é\" \\ : #".repeat(400)).subcommand(Command::new("go"));
    for (name, command) in trees::all().into_iter().chain([("long", long)]) {
        let operations = facade(command.clone()).catalog().unwrap().operations().len();
        let files = export(command, "skill");
        let (path, text) = files.iter().find(|(path, _)| path.ends_with("/SKILL.md")).unwrap();
        let folder = path.trim_end_matches("/SKILL.md");
        let (front, body) = text.strip_prefix("---\n").unwrap().split_once("\n---\n").unwrap();
        let fields: BTreeMap<&str, &str> = front.lines().map(|line| line.split_once(": ").unwrap()).collect();
        assert_eq!(fields.keys().copied().collect::<Vec<_>>(), ["description", "name"], "{name}");
        let skill = fields["name"];
        assert!(skill == folder && skill.len() <= 64 && !skill.contains("--"), "{name}: {skill}");
        assert!(
            skill.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'),
            "{skill}"
        );
        assert!(!skill.starts_with('-') && !skill.ends_with('-') && !skill.is_empty(), "{skill}");
        let description: String = serde_json::from_str(fields["description"]).unwrap();
        assert!((1..=1024).contains(&description.chars().count()), "{name}: {description}");
        assert!(body.lines().count() < 500, "{name}");
        let links = links(body);
        assert!(links.iter().all(|link| files.contains_key(&format!("{folder}/{link}"))), "{name}: {links:?}");
        assert_eq!(links.len(), operations, "{name}");
    }
}

#[test]
fn llms_txt_has_its_parts_in_order_and_links_that_resolve() {
    for (name, command) in trees::all() {
        let operations = facade(command.clone()).catalog().unwrap().operations().len();
        let files = export(command, "llms");
        let text = &files["llms.txt"];
        assert!(text.starts_with("# ") && text.matches("\n# ").count() == 0, "{name}: {text}");
        let links = links(text);
        assert!(links.iter().all(|link| files.contains_key(*link)), "{name}: {links:?}");
        assert_eq!(links.len(), operations, "{name}");
    }
}

#[test]
fn a_page_says_what_a_command_takes() {
    insta::assert_snapshot!(export(notes(), "llms")["commands/list.md"]);
}

#[test]
fn tools_are_exported_as_the_mirror_lists_them() {
    let files = export(notes(), "tools");
    let tools: Value = serde_json::from_str(&files["notes-tools.json"]).unwrap();
    let names: Vec<&str> =
        tools["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["list", "add", "purge"]);
}

/// One entry of a zip's directory: its name, Unix mode and content.
fn entries(zip: &[u8]) -> Vec<(String, u32, Vec<u8>)> {
    let short = |at: usize| u16::from_le_bytes(zip[at..at + 2].try_into().unwrap()) as usize;
    let long = |at: usize| u32::from_le_bytes(zip[at..at + 4].try_into().unwrap()) as usize;
    let end = zip.len() - 22;
    assert_eq!(long(end), 0x0605_4b50);
    let mut at = long(end + 16);
    let mut entries = Vec::new();
    for _ in 0..short(end + 10) {
        assert_eq!((long(at), short(at + 10)), (0x0201_4b50, 0), "a stored entry");
        let (size, name_length, offset) = (long(at + 24), short(at + 28), long(at + 42));
        let name = String::from_utf8(zip[at + 46..at + 46 + name_length].to_vec()).unwrap();
        assert_eq!((long(offset), short(offset + 26)), (0x0403_4b50, name_length));
        let start = offset + 30 + name_length;
        entries.push((name, (long(at + 38) >> 16) as u32, zip[start..start + size].to_vec()));
        at += 46 + name_length + short(at + 30) + short(at + 32);
    }
    assert_eq!(at, end);
    entries
}

fn bundle(command: Command, program: &Path, behind: &[&str]) -> Vec<(String, u32, Vec<u8>)> {
    let folder = tempfile::tempdir().unwrap();
    let facade = facade(command);
    let matches = facade.parse(["notes-mcp", "export", "mcpb", "--out", folder.path().to_str().unwrap()]).unwrap();
    let behind = behind.iter().map(Into::into).collect();
    let launch = Launch { program: program.to_owned(), before: Vec::new(), options: Vec::new(), behind };
    facade.execute(&matches, launch, &mut Vec::new()).unwrap();
    entries(&std::fs::read(folder.path().join("notes.mcpb")).unwrap())
}

#[test]
fn a_bundle_holds_a_manifest_the_server_and_what_runs_its_calls() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| -> PathBuf {
        let path = folder.path().join(name);
        std::fs::write(&path, format!("the program {name}")).unwrap();
        path
    };
    let server = file("notes-mcp");
    let names = |entries: &[(String, u32, Vec<u8>)]| entries.iter().map(|(name, ..)| name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&bundle(notes(), &server, &[])), ["manifest.json", "server/notes-mcp"]);
    file("notes");
    let entries = bundle(notes(), &server, &["--", "/opt/bin/uv", "tool"]);
    assert_eq!(names(&entries), ["manifest.json", "server/notes-mcp", "server/notes"]);
    assert_eq!((entries[1].1, &entries[1].2[..]), (0o100_755, &b"the program notes-mcp"[..]));
    let mut manifest: Value = serde_json::from_slice(&entries[0].2).unwrap();
    manifest["compatibility"]["platforms"].take();
    insta::assert_snapshot!(format!("{manifest:#}"));
}

#[test]
fn a_version_that_is_not_semantic_is_not_published() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("notes");
    std::fs::write(&program, "x").unwrap();
    for (own, published) in
        [("1.2.3", "1.2.3"), ("1.2.3-rc.1+b", "1.2.3-rc.1+b"), ("v2", "0.0.0"), ("1.2", "0.0.0"), ("1..3", "0.0.0")]
    {
        let manifest: Value = serde_json::from_slice(&bundle(notes().version(own), &program, &[])[0].2).unwrap();
        assert_eq!(manifest["version"], published, "{own}");
    }
    // The server's would be taken for that of one that has none.
    let manifest: Value = serde_json::from_slice(&bundle(Command::new("notes"), &program, &[])[0].2).unwrap();
    assert_eq!(manifest["version"], "0.0.0");
}
