use super::super::edit;
use super::*;
use proptest::prelude::*;
use proptest::sample::select;
use std::fs;

/// Blanks and, where the format has them, comments.
fn gap(comments: bool) -> impl Strategy<Value = String> {
    let blanks = ["", "", "", " ", "\n", "\n  ", "\n\t", "  ", "\r\n"];
    let notes = ["/* @ */", " // \"app\": {\n", "\n// é\n  ", " /**/ "];
    select(if comments { [&blanks[..], &notes[..]].concat() } else { blanks.to_vec() }).prop_map(str::to_owned)
}

fn word() -> impl Strategy<Value = String> {
    "[a-d]{1,3}".prop_map(|word| word)
}

fn json_value(comments: bool) -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        select(vec!["1", "-2.50e3", "true", "null", "\"\"", "\"a\\\"}é\\u00e9,\"", "\"// no\"", "[]", "{}"])
            .prop_map(str::to_owned),
    ];
    leaf.prop_recursive(3, 16, 4, move |inner| {
        let items = prop::collection::vec((gap(comments), inner.clone(), gap(comments)), 0..3);
        prop_oneof![
            json_object(comments, inner),
            (items, gap(comments)).prop_map(|(items, end)| {
                let items: Vec<_> = items.into_iter().map(|(a, item, b)| format!("{a}{item}{b}")).collect();
                if items.is_empty() { format!("[{end}]") } else { format!("[{}]", items.join(",")) }
            }),
        ]
    })
}

fn json_object(comments: bool, value: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    let member = (gap(comments), word(), gap(comments), gap(comments), value, gap(comments))
        .prop_map(|(a, key, b, c, value, d)| (key.clone(), format!("{a}\"{key}\"{b}:{c}{value}{d}")));
    let members = prop::collection::vec(member, 0..4);
    (members, gap(comments), any::<bool>()).prop_map(move |(mut members, end, trailing)| {
        let mut seen = std::collections::HashSet::new();
        members.retain(|(key, _)| seen.insert(key.clone()));
        let members: Vec<_> = members.into_iter().map(|(_, member)| member).collect();
        let comma = if trailing && comments && !members.is_empty() { "," } else { "" };
        format!("{{{}{comma}{end}}}", members.join(","))
    })
}

fn json(host: Host) -> impl Strategy<Value = String> {
    let comments = host.format() == Format::Jsonc;
    let servers =
        prop_oneof![Just(None), json_object(comments, json_object(comments, json_value(comments))).prop_map(Some)];
    let root = (json_object(comments, json_value(comments)), servers, gap(comments), 0..3_usize);
    (root, gap(comments), gap(comments), any::<bool>()).prop_map(
        move |((root, servers, blank, place), before, after, mark)| {
            let key = host.key();
            let root = match servers {
                None => root,
                Some(servers) => {
                    let member = format!("{blank}\"{key}\":{blank}{servers}");
                    match (root.starts_with("{}"), place) {
                        (true, _) => format!("{{{member}}}"),
                        (false, _) if root[1..].trim_start().starts_with('"') => format!("{{{member},{}", &root[1..]),
                        (false, _) => format!("{{{member}}}"),
                    }
                }
            };
            format!("{}{before}{root}{after}", if mark { "\u{feff}" } else { "" })
        },
    )
}

fn toml() -> impl Strategy<Value = String> {
    let line = select(vec![
        "",
        "# @ c",
        "  # [mcp_servers.app]",
        "k%=1",
        "k% = \"a # é\" # c",
        "k%=[\n 1, # x\n]",
        "k%.x = {a=1}",
    ]);
    let table =
        select(vec!["[t%]", "[[l%]]", "  [t%.\"é.x\"] # c", "[mcp_servers.b%] # b", "[mcp_servers.\"b.%\".env]"]);
    let body = prop::collection::vec(prop_oneof![4 => line.boxed(), 1 => table.boxed()], 0..14);
    let servers = select(vec!["", "", "[mcp_servers]", "[mcp_servers] # c\nb.command = 1"]);
    (body, servers, any::<(bool, bool, bool)>()).prop_map(|(body, servers, (crlf, ended, mark))| {
        let mut lines: Vec<_> = body.iter().enumerate().map(|(at, line)| line.replace('%', &at.to_string())).collect();
        lines.push(servers.to_owned());
        finish(lines.join("\n"), crlf, ended, mark)
    })
}

fn yaml() -> impl Strategy<Value = String> {
    let value = select(vec![
        "% k%: 1",
        "% k%: 'it''s' # c",
        "% k%: \"é: {\"",
        "%# extensions:",
        "",
        "% k%: |\n%   text\n%\n%   more",
        "% k%: >-\n%   a",
        "% k%:",
        "% k%: ~",
        "% k%: [a, {b: c}] # d",
        "% k%:\n%   - a\n%   - b: 1\n%     c: 2",
        "% k%:\n% - a # x\n% - |\n%   z",
        "% k%:\n%     deep:\n%        deeper: 1",
    ]);
    let lines = prop::collection::vec(value, 0..6);
    let servers = prop_oneof![
        Just(None),
        select(vec!["extensions:", "extensions: {} # c", "extensions: # c", "extensions: {b: {cmd: x}}"])
            .prop_map(|s| Some((s, vec![]))),
        prop::collection::vec(lines.clone(), 1..4).prop_map(|servers| Some(("extensions: # own", servers))),
    ];
    (lines.clone(), servers, lines, select(vec!["  ", " ", "    "]), any::<(bool, bool, bool)>()).prop_map(
        |(before, servers, after, unit, (crlf, ended, mark))| {
            let at = |lines: &[&str], indent: &str, from: usize| -> Vec<String> {
                let key = |(n, line): (usize, &&str)| {
                    line.replace("% k%", &format!("{indent}k{}", n + from)).replace('%', indent)
                };
                lines.iter().enumerate().map(key).collect()
            };
            let mut all = at(&before, "", 0);
            if let Some((key, servers)) = servers {
                all.push(key.to_owned());
                for (n, lines) in servers.iter().enumerate() {
                    all.push(format!("{unit}# server"));
                    all.push(format!("{unit}s{n}: # s"));
                    all.push(format!("{unit}{unit}cmd: x"));
                    all.extend(at(lines, &unit.repeat(2), 0));
                }
            }
            all.extend(at(&after, "", 50));
            // A block of text that the end of the file cuts off would change with a line below it.
            let is_block = all.iter().rfind(|line| !line.is_empty()).is_some_and(|last| last.contains(['|', '>']));
            finish(all.join("\n"), crlf, ended || is_block, mark)
        },
    )
}

fn finish(text: String, crlf: bool, ended: bool, mark: bool) -> String {
    let text = if ended { format!("{text}\n") } else { text.trim_end().to_owned() };
    let text = if crlf { text.replace('\n', "\r\n") } else { text };
    format!("{}{text}", if mark { "\u{feff}" } else { "" })
}

/// Checks one file: the entry goes in and out, is replaced, and another comes in between.
fn check(host: Host, text: &str) -> Result<(), TestCaseError> {
    let add = |text: &str, name: &str, entry: &Entry| insert(text, host, name, entry, Existing::Replace);
    let after = add(text, "app", &entry()).map_err(|error| TestCaseError::fail(format!("{error}: {text:?}")))?;
    let kept = text.replace(": ~", ":");
    prop_assert!(keeps(&after, &kept), "{text:?} became {after:?}");
    prop_assert_eq!(edit::read(&after, host, "app").unwrap(), Some(entry()));
    prop_assert_eq!(edit::revert(&after, text, host, "app").unwrap(), text);
    let note = match host.format() {
        Format::Json => " \n",
        Format::Jsonc => "// a note\n",
        Format::Toml | Format::Yaml => "# a note\n",
    };
    if !text.starts_with('\u{feff}') {
        let noted = edit::revert(&format!("{note}{after}"), text, host, "app").unwrap();
        prop_assert_eq!(noted, format!("{note}{text}"), "a line above in the meantime");
    }
    let removed = remove(&after, host, "app").unwrap();
    prop_assert!(keeps(&removed, &kept), "{text:?} became {removed:?}");
    let replaced = add(&after, "app", &other()).unwrap();
    prop_assert!(keeps(&replaced, &kept), "{text:?} became {replaced:?}");
    prop_assert_eq!(edit::revert(&replaced, text, host, "app").unwrap(), text);
    let both = add(&after, "later", &other()).unwrap();
    let reverted = edit::revert(&both, text, host, "app").unwrap();
    prop_assert!(keeps(&reverted, &kept), "{text:?} became {reverted:?}");
    prop_assert_eq!(edit::read(&reverted, host, "later").unwrap(), Some(other()));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn json_files_lose_no_byte(text in json(Host::ClaudeDesktop)) {
        check(Host::ClaudeDesktop, &text)?;
    }

    #[test]
    fn jsonc_files_lose_no_byte(text in json(Host::Zed)) {
        check(Host::Zed, &text)?;
    }

    #[test]
    fn toml_files_lose_no_byte(text in toml()) {
        check(Host::Codex, &text)?;
    }

    #[test]
    fn yaml_files_lose_no_byte(text in yaml()) {
        check(Host::Goose, &text)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_uninstall_restores_the_file(text in json(Host::Zed), toml in toml(), yaml in yaml()) {
        for (host, text) in [(Host::Zed, text), (Host::Codex, toml), (Host::Goose, yaml)] {
            let folder = tempfile::tempdir().unwrap();
            let target = Target { host, file: folder.path().join("file"), name: "app".to_owned() };
            fs::write(&target.file, &text).unwrap();
            let request = Request { target, entry: entry(), existing: Existing::Refuse, mode: Mode::Apply };
            install(&request).unwrap();
            install(&Request { entry: other(), existing: Existing::Replace, ..request.clone() }).unwrap();
            uninstall(&request.target, Mode::Apply).unwrap();
            prop_assert_eq!(fs::read_to_string(&request.target.file).unwrap(), text);
        }
    }
}
