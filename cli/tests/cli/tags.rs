//! `mycli tags`.

use crate::support::Lab;

/// Adds a work with these tags.
fn tagged(lab: &Lab, key: &str, tags: &[&str]) {
    let tags: Vec<String> = tags.iter().map(|tag| format!("--tag={tag}")).collect();
    let key = format!("--key={key}");
    let mut line = vec!["items", "add", "Some work", &key, "--yes"];
    line.extend(tags.iter().map(String::as_str));
    lab.ok(&line);
}

#[test]
fn lists_and_counts() {
    let lab = Lab::seeded();
    tagged(&lab, "x", &["neural network", "neural networks"]);
    assert_eq!(
        lab.column(&["tags", "list"], "name"),
        ["Classic", "classic", "evolution", "neural network", "neural networks"]
    );
    assert_eq!(lab.column(&["tags", "list", "--contains=NETWÖRK"], "name"), ["neural network", "neural networks"]);
    assert_eq!(lab.column(&["tags", "list", "--limit=1"], "name"), ["Classic"]);
    assert_eq!(lab.column(&["tags", "inventory", "--limit=1"], "name"), ["evolution"]);
    assert_eq!(lab.column(&["tags", "inventory", "--min=2"], "items"), ["2"]);
    let inventory = lab.json(&["tags", "inventory", "--sort=name"]);
    assert_eq!(inventory["rows"][0]["variants"], serde_json::json!(["classic"]));
    assert_eq!(inventory["rows"][2]["variants"], serde_json::json!([]));
}

#[test]
fn the_audit_finds_variants_singletons_and_unused_tags() {
    let lab = Lab::seeded();
    tagged(&lab, "x", &["method", "methods", "single", "evolution"]);
    rusqlite::Connection::open(lab.library())
        .unwrap()
        .execute("INSERT INTO tags (name) VALUES ('nobody')", [])
        .unwrap();
    let found = |line: &[&str]| -> Vec<String> {
        let (kinds, tags) = (lab.column(line, "finding"), lab.column(line, "tag"));
        kinds.into_iter().zip(tags).map(|(kind, tag)| format!("{kind} {tag}")).collect()
    };
    assert_eq!(found(&["tags", "audit", "--only=variants"]), ["variant: case Classic", "variant: plural methods"]);
    assert_eq!(found(&["tags", "audit", "--only=unused"]), ["unused nobody"]);
    assert_eq!(found(&["tags", "audit", "--only=singletons"]), ["singleton single"]);
    assert_eq!(found(&["tags", "audit"]).len(), 4);
}

#[test]
fn the_fix_merges_what_is_sure_and_the_rest_on_demand() {
    let lab = Lab::seeded();
    tagged(&lab, "x", &["method", "methods"]);
    rusqlite::Connection::open(lab.library())
        .unwrap()
        .execute("INSERT INTO tags (name) VALUES ('nobody')", [])
        .unwrap();
    lab.ok(&["tags", "audit", "fix", "--keep-unused", "--yes"]);
    assert_eq!(lab.column(&["tags", "list"], "name"), ["classic", "evolution", "method", "methods", "nobody"]);
    assert_eq!(lab.column(&["items", "list", "--tag=classic"], "key"), ["darwin1859", "einstein1905"]);
    lab.ok(&["tags", "audit", "fix", "--all", "--yes"]);
    assert_eq!(lab.column(&["tags", "list"], "name"), ["classic", "evolution", "method"]);
    assert_eq!(lab.column(&["tags", "audit", "--only=variants"], "tag"), [""; 0]);
}

#[test]
fn a_merge_leaves_one_tag_an_item() {
    let lab = Lab::seeded();
    tagged(&lab, "x", &["a", "b", "c"]);
    tagged(&lab, "y", &["b"]);
    let merged = lab.json(&["tags", "merge", "a", "b", "--into=d", "--yes"]);
    assert_eq!(merged["result"]["targets"], serde_json::json!(["d", "a", "b"]));
    assert_eq!(lab.column(&["items", "list", "--tag=d"], "key"), ["x", "y"]);
    assert_eq!(lab.json(&["tags", "merge", "d", "--into=d", "--yes"])["result"]["skipped"], 1);
}

#[test]
fn renaming_reaches_every_item_and_the_search() {
    let lab = Lab::seeded();
    lab.ok(&["tags", "rename", "evolution", "descent of species", "--yes"]);
    assert_eq!(lab.column(&["items", "list", "--tag=descent of species"], "key").len(), 2);
    assert_eq!(lab.column(&["search", "evolution"], "key").len(), 0);
    assert_eq!(lab.column(&["search", "descent", "--within=tags"], "key").len(), 2);
}

#[test]
fn bad_input_is_named() {
    let lab = Lab::seeded();
    for (line, code, says) in [
        (&["tags", "rename", "evolutoin", "x"][..], 3, "evolution"),
        (&["tags", "rename", "evolution", " "], 2, "needs a name"),
        (&["tags", "rename", "evolution", "classic"], 9, "tags merge"),
        (&["tags", "rename", "CLASSIC", "x"], 2, "several tags"),
        (&["tags", "merge", "nonsense", "--into=classic"], 3, "nonsense"),
        (&["tags", "merge", "evolution", "--into="], 2, "needs a name"),
        (&["tags", "merge", "evolution"], 2, "--into"),
        (&["tags", "merge", "--into=x"], 2, "TAG"),
        (&["tags", "delete", "evolution", "nonsense"], 13, "nonsense"),
        (&["tags", "delete", "nonsense", "evolution"], 3, "nonsense"),
    ] {
        let answer = lab.run(&[line, &["--yes"]].concat());
        assert_eq!(answer.code, code, "{line:?}: {answer:?}");
        assert!(answer.stderr.contains(says), "{line:?}: {answer:?}");
    }
    lab.ok(&["tags", "delete", "nonsense", "--ignore-missing", "--yes"]);
    lab.ok(&["tags", "merge", "nonsense", "--into=classic", "--ignore-missing", "--yes"]);
}

#[test]
fn a_tag_on_many_items_is_as_many_changes() {
    let lab = Lab::seeded();
    for key in ["x", "y", "z"] {
        tagged(&lab, key, &["shared"]);
    }
    let line = ["tags", "delete", "shared", "--allow-destructive"];
    let bytes = lab.bytes();
    let refused = lab.run(&[&line[..], &["--yes", "--max-changes=2"]].concat());
    assert_eq!(refused.code, 9, "{refused:?}");
    assert!(refused.stderr.contains("--max-changes 3"), "{refused:?}");
    assert!(lab.bytes() == bytes, "the library changed");
    lab.ok(&["tags", "delete", "shared", "--allow-destructive", "--yes", "--max-changes=3"]);
    assert!(!lab.column(&["tags", "list"], "name").contains(&"shared".to_owned()));
}
