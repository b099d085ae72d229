use super::*;

const MALFORMED: &[(Host, &str, (usize, usize))] = &[
    (Host::ClaudeDesktop, "{", (1, 1)),
    (Host::ClaudeDesktop, "{\"a\": 1,}", (1, 8)),
    (Host::ClaudeDesktop, "{\n  // c\n}", (2, 3)),
    (Host::ClaudeDesktop, "{\"a\": 'x'}", (1, 7)),
    (Host::ClaudeDesktop, "{\n\"é\": \"\t\"}", (2, 7)),
    (Host::ClaudeDesktop, "{\u{a0}}", (1, 2)),
    (Host::ClaudeCode, "{\"mcpServers\": {}} x", (1, 20)),
    (Host::VsCode, "{\"a\": 1 \"b\": 2}", (1, 8)),
    (Host::VsCode, "{\r\n  \"é\": é\r\n}", (2, 8)),
    (Host::VsCode, "{\"a\": /* c }", (1, 7)),
    (Host::Zed, "{\"a\": [\"x\n\"]}", (1, 10)),
    (Host::Zed, "\u{feff}{a: 1}", (1, 2)),
    (Host::Codex, "a = 1\na = 2\n", (2, 1)),
    (Host::Codex, "[mcp_servers\n", (1, 13)),
    (Host::Codex, "é = 1\n", (1, 1)),
    (Host::Goose, "a: 1\nb: [\n", (3, 1)),
    (Host::Goose, "a: b: c\n", (1, 5)),
    (Host::Goose, "\"é\": 'x\n", (1, 6)),
    (Host::Goose, "a:\n\t- b\n", (2, 2)),
];

#[test]
fn a_malformed_file_is_refused_with_its_place() {
    let mut wrong = Vec::new();
    for (host, text, place) in MALFORMED {
        for result in [insert(text, *host, "app", &entry(), Existing::Replace), remove(text, *host, "app")] {
            match result {
                Err(EditError::Malformed { line, column, .. }) if (line, column) == *place => {}
                other => wrong.push(format!("{host} {text:?}: {other:?}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn another_type_on_the_way_is_refused() {
    let files: &[(Host, &str, &str)] = &[
        (Host::ClaudeDesktop, "[]", "."),
        (Host::ClaudeDesktop, "null", "."),
        (Host::ClaudeDesktop, "{\"mcpServers\": []}", "mcpServers"),
        (Host::ClaudeDesktop, "{\"mcpServers\": null}", "mcpServers"),
        (Host::VsCode, "{\"servers\": {\"app\": \"x\"}}", "servers.app"),
        (Host::Codex, "mcp_servers = 1", "mcp_servers"),
        (Host::Codex, "[[mcp_servers]]\n", "mcp_servers"),
        (Host::Codex, "mcp_servers.app = []", "mcp_servers.app"),
        (Host::Goose, "- a\n", "."),
        (Host::Goose, "text\n", "."),
        (Host::Goose, "extensions: []\n", "extensions"),
        (Host::Goose, "extensions:\n- a\n", "extensions"),
        (Host::Goose, "extensions: &a {}\n", "extensions"),
        (Host::Goose, "extensions:\n  app: x\n", "extensions.app"),
    ];
    for (host, text, expected) in files {
        match insert(text, *host, "app", &entry(), Existing::Replace) {
            Err(EditError::WrongType { path, .. }) => assert_eq!(path, *expected, "{host} {text:?}"),
            other => panic!("{host} {text:?}: {other:?}"),
        }
    }
}

#[test]
fn a_key_that_is_written_twice_is_refused() {
    let files: &[(Host, &str)] = &[
        (Host::ClaudeDesktop, "{\"mcpServers\": {}, \"mcpServers\": {}}"),
        (Host::VsCode, "{\"servers\": {\"app\": {}, \"app\": {}}}"),
        (Host::VsCode, "{\"servers\": {\"app\": {\"command\": \"a\", \"command\": \"b\"}}}"),
        (Host::Goose, "extensions: {}\nextensions: {}\n"),
    ];
    for (host, text) in files {
        let result = insert(text, *host, "app", &entry(), Existing::Replace);
        assert!(matches!(result, Err(EditError::Twice { .. } | EditError::Malformed { .. })), "{text:?}: {result:?}");
    }
}

#[test]
fn a_server_at_an_address_is_not_turned_into_a_program() {
    let files: &[(Host, &str, &str)] = &[
        (Host::ClaudeCode, "{\"mcpServers\": {\"app\": {\"type\": \"http\", \"url\": \"https://x\"}}}", "url"),
        (Host::Windsurf, "{\"mcpServers\": {\"app\": {\"serverUrl\": \"https://x\"}}}", "serverUrl"),
        (Host::Codex, "[mcp_servers.app]\nurl = \"https://x\"\n", "url"),
        (Host::Goose, "extensions:\n  app: {type: sse, uri: 'https://x'}\n", "uri"),
    ];
    for (host, text, key) in files {
        let result = insert(text, *host, "app", &entry(), Existing::Replace);
        assert_eq!(result, Err(EditError::Remote { name: "app".to_owned(), key }), "{text:?}");
    }
}

#[test]
fn what_cannot_be_proved_is_refused() {
    let files: &[(Host, &str)] = &[
        (Host::Goose, "a: 1\n---\nb: 2\n"),
        (Host::Goose, "a: 1\n...\n"),
        (Host::Goose, "a: |\n  text"),
        (Host::Goose, "a:\n- >+\n  text"),
        (Host::Codex, "mcp_servers.app.command = \"x\"\n"),
    ];
    for (host, text) in files {
        let result = insert(text, *host, "app", &entry(), Existing::Replace);
        assert!(matches!(result, Err(EditError::Unsafe { .. })), "{text:?}: {result:?}");
    }
}

#[test]
fn a_name_that_some_host_refuses_is_refused() {
    for name in ["", "a.b", "a b", "é", "a\"b", &"a".repeat(65)] {
        let result = insert("", Host::Cursor, name, &entry(), Existing::Refuse);
        assert_eq!(result, Err(EditError::Name { name: name.to_owned() }));
    }
    for name in ["a", "My_app-2", "null", "0x1", "-", &"a".repeat(64)] {
        for host in Host::ALL {
            let after = insert("", *host, name, &entry(), Existing::Refuse).unwrap();
            assert_eq!(super::super::edit::read(&after, *host, name).unwrap(), Some(entry()));
        }
    }
}
