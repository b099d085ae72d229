use super::super::edit;
use super::*;

/// Files as people have them. `@` stands for the host's own key of servers.
const JSON: &[&str] = &[
    "",
    "   ",
    "\n\n",
    "{}",
    "{ }",
    "{\n}\n",
    "{\n\n\n}\n\n",
    "{\"a\":1}",
    "{\"@\":{\"b\":{\"command\":\"x\"}},\"z\":[1,{\"q\":null}]}",
    "{\"@\":{}}",
    "{ \"@\": { \"b\": { \"command\": \"x\" } } }\n",
    "{ \"@\": {} }\n",
    "{\n  \"theme\": \"dark\"\n}\n",
    "{\n  \"theme\": \"dark\",\n  \"@\": {}\n}\n",
    "{\n  \"theme\": \"dark\",\n  \"@\": {\n  }\n}\n",
    "{\n   \"@\": {\n      \"b\": {\n         \"command\": \"x\",\n         \"unknown\": {\"deep\": [ 1.0,2e3 ,\"\\u00e9\"]}\n      }\n   },\n   \"last\": true\n}\n",
    "{\n\t\"@\": {\n\t\t\"b\": {\n\t\t\t\"command\": \"x\"\n\t\t}\n\t}\n}\n",
    "{\n  \"@\": {\"b\": {\"command\": \"x\"}, \"c\": {\"command\": \"y\"}}\n}\n",
    "{\n        \"odd\"   :   1   ,\n  \"@\":\n  {\n \"b\" : { \"command\" : \"x\" }\n  }\n    }\n",
    "{\"text\": \"// no comment, /* none */ {\\\"@\\\": {}}\",\n \"@\": {\"b\": {\"command\": \"é\u{1f600}\"}}}",
];

const JSONC: &[&str] = &[
    "// only a comment\n",
    "/* only a comment */",
    "// before\n{\n  // first\n  \"a\": 1, // after a\n  /* @ */ \"@\": { // open\n    // \"old\": {},\n    \"b\": {\"command\": \"x\"} // after b\n    // end of servers\n  }, // after servers\n  // end\n}\n// after\n",
    "{\n  \"@\": {\n    \"b\": {\"command\": \"x\",},\n  },\n}\n",
    "{\n  \"@\": {\n    \"b\": {\"command\": \"x\"}, // last\n    /* more */\n  },\n  \"z\": 1, /* end */\n}",
    "{\n  \"@\": {\n    // \"off\": {\"command\": \"x\"},\n  }\n}\n",
    "{\n  \"@\": { /* none yet */ }\n}\n",
    "{ // c\n}",
    "{\"@\": {\"b\": {} // c\n}}",
    "{\"@\": {\"b\": {} /* c */ , /* d */ }, }",
    "{\"@\": {\"b\": {}\n, // leading comma\n\"c\": {}\n}}",
];

const TOML: &[&str] = &[
    "",
    "\n",
    "# only a comment\n",
    "model = \"o\" # c\n",
    "model = \"o\"\n\n\n",
    "model = \"o\"\n\n[@]\n",
    "[@]\n# none yet\n\n[other]\na = 1\n",
    "a = 1\n[@.b]\ncommand = \"x\"   # why\nargs = [\n  \"a\", # first\n  \"b\",\n]\nunknown = 1979-05-27T07:32:00Z\n\n  [@.b.env]\n  K = '''x\ny'''\n\n# end\n[[list]]\nn = 1\n[[list]]\nn = 2\n",
    "@ = { b = { command = \"x\" } }\n",
    "@ = {}\n",
    "@ = { }\n[t]\nx = 1\n",
    "@.b.command = \"x\"\n@.b.args = []\n",
    "[@]\nb = { command = \"x\", args = [] }\nc.command = \"y\"\n",
    "\"@\".b.command = \"x\"\n\n[profiles.\"my @.app\"]\nx = 0x10\n",
    "[projects.\"/home/é\"]\ntrust_level = \"trusted\"\n\n[tools]\nweb = true\n",
];

const YAML: &[&str] = &[
    "",
    "\n",
    "# only a comment\n",
    "GOOSE_MODEL: o # c\n",
    "---\nGOOSE_MODEL: o\n",
    "@:\n",
    "@: # none yet\nGOOSE_MODEL: o\n",
    "@: {}\n",
    "@: { } # none\nz: 1\n",
    "@: ~\nz: 1\n",
    "@: {b: {cmd: x, args: [a, 'b']}, c: {}}\n",
    "# top\n@:\n  # dev\n  b:\n    bundled: true\n    args:\n    - a # first\n    - \"b\"\n    envs: {}\n\n  # last\n  c:\n    description: |\n      some\n      text\n\n# end\nGOOSE_MODEL: o\n",
    "@:\n    b:\n        cmd: x\n        list: [1,\n          2]\n    c: {cmd: y}\nz: >-\n  folded\n  text\n",
    "a: &anchor\n  x: 1\nb: *anchor\n@:\n  b:\n    <<: *anchor\n    cmd: 'it''s'\n",
    "{a: 1, @: {b: {cmd: x}}}\n",
    "{a: 1}",
    "list:\n- @: 1\n- b\n@:\n  \"b\": {cmd: x}\n  ? c\n  : {cmd: y}\n",
    "é: ü # ß\n@:\n  b:\n    cmd: é\n",
];

/// Returns the corpus for a host: its format's files, with other line endings, a byte order mark, and cut off ends.
fn texts(host: Host) -> Vec<String> {
    let files: Vec<&str> = match host.format() {
        Format::Json => JSON.to_vec(),
        Format::Jsonc => [JSON, JSONC].concat(),
        Format::Toml => TOML.to_vec(),
        Format::Yaml => YAML.to_vec(),
    };
    let mut texts = Vec::new();
    for text in files {
        let text = text.replace('@', host.key());
        let windows = text.replace('\n', "\r\n");
        let cut = text.trim_end().to_owned();
        texts.extend([format!("\u{feff}{text}"), format!("\u{feff}{windows}"), cut, text, windows]);
    }
    texts.sort();
    texts.dedup();
    texts
}

/// What an edit must keep of a text: all of it, but for a null that gives way to a map.
fn kept(text: &str) -> String {
    text.replace(": ~", ":")
}

/// Runs a check for each host and file; what fails is named with both.
fn for_each(check: impl Fn(Host, &str)) {
    for host in Host::ALL {
        for text in texts(*host) {
            let run = std::panic::AssertUnwindSafe(|| check(*host, &text));
            if std::panic::catch_unwind(run).is_err() {
                panic!("in a file of {host}: {text:?}");
            }
        }
    }
}

fn add(text: &str, host: Host, name: &str, entry: &Entry) -> String {
    insert(text, host, name, entry, Existing::Refuse).unwrap()
}

#[test]
fn an_insert_keeps_every_byte_and_reads_back() {
    for_each(|host, text| {
        let after = add(text, host, "app", &entry());
        assert!(keeps(&after, &kept(text)), "lost: {after:?}");
        assert_eq!(after.matches('\u{feff}').count(), text.matches('\u{feff}').count());
        if text.contains("\r\n") {
            assert_eq!(after.matches('\n').count(), after.matches("\r\n").count(), "line endings: {after:?}");
        }
        if !text.trim_start_matches('\u{feff}').trim().is_empty() && host.format() != Format::Jsonc {
            assert_eq!(after.ends_with('\n'), text.ends_with('\n'), "final line ending: {after:?}");
        }
        assert_eq!(edit::read(&after, host, "app").unwrap(), Some(entry()));
        assert_eq!(edit::read(&after, host, "b").ok(), edit::read(text, host, "b").ok());
    });
}

#[test]
fn inserting_twice_is_inserting_once() {
    for_each(|host, text| {
        let after = add(text, host, "app", &entry());
        assert_eq!(add(&after, host, "app", &entry()), after);
    });
}

#[test]
fn an_entry_is_replaced_only_when_asked() {
    for_each(|host, text| {
        let after = add(text, host, "app", &entry());
        let refused = insert(&after, host, "app", &other(), Existing::Refuse);
        assert_eq!(refused, Err(EditError::Exists { name: "app".to_owned() }));
        let replaced = insert(&after, host, "app", &other(), Existing::Replace).unwrap();
        assert!(keeps(&replaced, &kept(text)), "lost: {replaced:?}");
        assert_eq!(edit::read(&replaced, host, "app").unwrap(), Some(other()));
    });
}

#[test]
fn a_removed_entry_leaves_what_was_there() {
    for_each(|host, text| {
        let removed = remove(&add(text, host, "app", &entry()), host, "app").unwrap();
        assert!(keeps(&removed, &kept(text)), "lost: {removed:?}");
        assert_eq!(edit::read(&removed, host, "app").unwrap(), None);
        let has_servers = edit::read(text, host, "b").is_ok_and(|entry| entry.is_some());
        if has_servers {
            assert_eq!(removed, text);
        }
    });
}

#[test]
fn a_reverted_entry_leaves_the_very_bytes() {
    for_each(|host, text| {
        let after = add(text, host, "app", &entry());
        assert_eq!(edit::revert(&after, text, host, "app").unwrap(), text);
        let replaced = insert(&after, host, "app", &other(), Existing::Replace).unwrap();
        assert_eq!(edit::revert(&replaced, text, host, "app").unwrap(), text);
        assert_eq!(edit::revert(&replaced, &after, host, "app").unwrap(), after, "an earlier entry is put back");
    });
}

#[test]
fn a_revert_keeps_what_was_added_since() {
    for_each(|host, text| {
        let both = add(&add(text, host, "app", &entry()), host, "later", &other());
        let reverted = edit::revert(&both, text, host, "app").unwrap();
        assert_eq!(edit::read(&reverted, host, "later").unwrap(), Some(other()));
        assert_eq!(edit::read(&reverted, host, "app").unwrap(), None);
        assert!(keeps(&reverted, &kept(text)), "lost: {reverted:?}");
        if edit::read(text, host, "b").is_ok_and(|entry| entry.is_some()) {
            assert_eq!(reverted, add(text, host, "later", &other()));
        }
    });
}

#[test]
fn every_server_can_be_removed_alone() {
    for_each(|host, text| {
        for name in ["b", "c"] {
            match remove(text, host, name) {
                // The last key leaves an empty map, which YAML has to write.
                Ok(after) => assert!(keeps(text, &after.replacen(" {}", "", 1)), "changed: {after:?}"),
                Err(EditError::Absent { .. }) => {}
                // An explicit key is more than this editor removes.
                Err(EditError::Unsafe { .. }) => assert!(text.contains("? c"), "{name} can't be removed"),
                Err(error) => panic!("{error}"),
            }
        }
    });
}

/// An entry that its user has added to, and what must be left of it.
const TOUCHED: &[(Host, &str, &[&str])] = &[
    (
        Host::Cline,
        "{\"mcpServers\": {\n  \"app\": {\n    \"disabled\": true,\n    \"command\": \"/old\",\n    \"alwaysAllow\": [\"x\" , \"y\"],\n    \"args\":[ ],\n    \"env\": {\"KEY\": \"s\", \"PATH\": \"/old\"}\n  }\n}}",
        &["\"disabled\": true,\n    ", "\"alwaysAllow\": [\"x\" , \"y\"],\n", "{\"KEY\": \"s\", "],
    ),
    (
        Host::Zed,
        "{\n  \"context_servers\": {\n    // mine\n    \"app\": { // here\n      \"command\": \"/old\", // why\n      /* off */ \"enabled\": false,\n    },\n  },\n}\n",
        &["// mine\n    \"app\": { // here\n", ", // why\n      /* off */ \"enabled\": false,\n"],
    ),
    (
        Host::OpenCode,
        "{\"mcp\":{\"app\":{\"type\":\"local\",\"command\":[\"/old\"],\"enabled\":false,\"timeout\":9}}}",
        &["\"enabled\":false,\"timeout\":9"],
    ),
    (
        Host::Codex,
        "[mcp_servers.app] # mine\ncommand = \"/old\" # why\nstartup_timeout_sec = 20\n# about env\nenv = { KEY = \"s\" }\n",
        &["[mcp_servers.app] # mine\n", " # why\nstartup_timeout_sec = 20\n# about env\nenv = {", " KEY = \"s\" }\n"],
    ),
    (
        Host::Codex,
        "[mcp_servers.app.env]\nKEY = 's'\n[mcp_servers.app]\nenabled = false\ncommand = '/old'\n",
        &["KEY = 's'\n", "enabled = false\n"],
    ),
    (
        Host::Goose,
        "extensions:\n  app: # mine\n    enabled: false # off\n    cmd: /old # why\n    args:\n    - old\n    timeout: 9\n    envs:\n      KEY: s # secret\n",
        &[
            "  app: # mine\n",
            "    enabled: false # off\n    cmd: ",
            " # why\n",
            "    timeout: 9\n    envs:\n",
            "      KEY: s # secret\n",
        ],
    ),
];

#[test]
fn a_replaced_entry_keeps_what_its_user_added() {
    for (host, text, kept) in TOUCHED {
        let after = insert(text, *host, "app", &entry(), Existing::Replace).unwrap();
        for part in *kept {
            assert!(after.contains(part), "{host}: {part:?} is lost from {after}");
        }
        let mut expected = entry();
        if let Some(secret) = edit::read(text, *host, "app").unwrap().unwrap().env.get("KEY") {
            expected.env.insert("KEY".to_owned(), secret.clone());
        }
        assert_eq!(edit::read(&after, *host, "app").unwrap(), Some(expected), "{after}");
        assert_eq!(edit::revert(&after, text, *host, "app").unwrap(), *text);
        let removed = remove(&after, *host, "app").unwrap();
        assert_eq!(edit::read(&removed, *host, "app").unwrap(), None);
    }
}
