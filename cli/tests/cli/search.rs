//! `mycli search` and `mycli searches`.

use crate::support::Lab;

/// Works whose parts hold the same word in different places.
fn texts() -> Lab {
    let lab = Lab::new();
    for line in [
        &["items", "add", "Phlogiston and its fall", "--key=title", "--yes"][..],
        &["items", "add", "Other", "--key=abstract", "--set=abstract=On the doctrine of phlogiston.", "--yes"],
        &["items", "add", "Other", "--key=tag", "--tag=phlogiston", "--yes"],
        &["items", "add", "Other", "--key=creator", "--author=Phlogiston, P.", "--yes"],
        &["items", "add", "Other", "--key=note", "--yes"],
        &["items", "add", "Graph neural networks", "--key=gnn", "--issued=2020", "--type=article", "--yes"],
        &["items", "add", "Gödel's proof", "--key=goedel", "--set=publisher=Springer", "--yes"],
        &["notes", "add", "note", "Nobody believes in phlogiston, says normal science.", "--yes"],
    ] {
        lab.ok(line);
    }
    lab
}

#[test]
fn every_part_is_searched_and_titles_come_first() {
    let lab = texts();
    let found = lab.column(&["search", "phlogiston"], "key");
    assert_eq!(found[0], "title");
    let mut sorted = found.clone();
    sorted.sort();
    assert_eq!(sorted, ["abstract", "creator", "note", "tag", "title"]);
    for (part, key) in
        [("title", "title"), ("abstract", "abstract"), ("tags", "tag"), ("creators", "creator"), ("notes", "note")]
    {
        assert_eq!(lab.column(&["search", "phlogiston", &format!("--within={part}")], "key"), [key], "{part}");
    }
    assert_eq!(lab.column(&["search", "phlogiston", "--within=title,tags"], "key").len(), 2);
    let snippet = lab.column(&["search", "phlogiston", "--within=abstract"], "snippet").remove(0);
    assert_eq!(snippet, "On the doctrine of [phlogiston].");
}

#[test]
fn words_are_stems_prefixes_and_phrases() {
    let lab = texts();
    for (query, keys) in [
        (&["network"][..], &["gnn"][..]),
        (&["net*"], &["gnn"]),
        (&["neural", "graph"], &["gnn"]),
        (&["\"neural graph\""], &[]),
        (&["\"normal science\""], &["note"]),
        (&["godel"], &["goedel"]),
        (&["neural OR godel"], &["gnn", "goedel"]),
        (&["phlogiston", "--without=fall", "--without=normal science", "--within=title,notes"], &[]),
        (&["title:x"], &[]),
        (&["NEAR(a b)"], &[]),
        (&["a\"; DROP TABLE items; --x"], &[]),
    ] {
        let mut line = vec!["search"];
        line.extend(query);
        let mut found = lab.column(&line, "key");
        found.sort();
        assert_eq!(found, keys, "{query:?}");
    }
    for query in ["", " ", "***", "\"\""] {
        assert_eq!(lab.run(&["search", query]).code, 2, "{query:?}");
    }
}

#[test]
fn limits_collections_and_the_trash() {
    let lab = texts();
    assert_eq!(lab.json(&["search", "phlogiston", "--limit=2"])["total"], 5);
    lab.ok(&["collections", "create", "Chemistry", "--yes"]);
    lab.ok(&["collections", "create", "Air", "--parent=Chemistry", "--yes"]);
    lab.ok(&["collections", "add", "Air", "tag", "--yes"]);
    assert_eq!(lab.column(&["search", "phlogiston", "--collection=Chemistry"], "key"), ["tag"]);
    assert_eq!(lab.run(&["search", "phlogiston", "--collection=Nowhere"]).code, 3);
    let library = rusqlite::Connection::open(lab.library()).unwrap();
    library.execute("UPDATE items SET trashed_at = 'x' WHERE key = 'tag'", []).unwrap();
    assert_eq!(lab.json(&["search", "phlogiston"])["total"], 4);
}

#[test]
fn a_saved_search_gives_the_hits_of_the_day() {
    let lab = texts();
    lab.ok(&["searches", "save", "gnn-weekly", "neural", "--since=2019", "--added-days=7", "--yes"]);
    assert_eq!(lab.column(&["searches", "run", "GNN-weekly"], "key"), ["gnn"]);
    lab.ok(&["items", "add", "Neural things", "--key=newer", "--issued=2024", "--yes"]);
    assert_eq!(lab.column(&["searches", "run", "gnn-weekly"], "key").len(), 2);
    let library = rusqlite::Connection::open(lab.library()).unwrap();
    library.execute("UPDATE items SET added_at = '2001-01-01T00:00:00Z' WHERE key = 'gnn'", []).unwrap();
    assert_eq!(lab.column(&["searches", "run", "gnn-weekly"], "key"), ["newer"]);
    assert_eq!(lab.column(&["searches", "list"], "filters"), ["--since 2019 --added-days 7"]);
}

#[test]
fn filters_stand_alone_too() {
    let lab = texts();
    lab.ok(&["collections", "create", "Air", "--yes"]);
    lab.ok(&["collections", "add", "Air", "tag", "--yes"]);
    for (filter, keys) in [
        ("--where=publisher=springer", &["goedel"][..]),
        ("--type=article", &["gnn"]),
        ("--tag=phlogiston", &["tag"]),
        ("--creator=phlogis", &["creator"]),
        ("--collection=Air", &["tag"]),
        ("--until=1990", &[]),
        ("--since=1990", &["gnn"]),
    ] {
        lab.ok(&["searches", "save", "filter", filter, "--replace", "--yes"]);
        assert_eq!(lab.column(&["searches", "run", "filter"], "key"), keys, "{filter}");
    }
}

#[test]
fn bad_input_is_named() {
    let lab = texts();
    lab.ok(&["searches", "save", "weekly", "neural", "--yes"]);
    for (line, code, says) in [
        (&["searches", "save", "", "x"][..], 2, "needs a name"),
        (&["searches", "save", "new"], 2, "nothing to save"),
        (&["searches", "save", "new", "***"], 2, "no word"),
        (&["searches", "save", "new", "--where=colour=red"], 2, "schema fields"),
        (&["searches", "save", "new", "--where=publisher"], 2, "FIELD=TEXT"),
        (&["searches", "save", "new", "--added-days=0"], 2, "added-days"),
        (&["searches", "save", "Weekly", "other"], 9, "--replace"),
        (&["searches", "delete", "weekli"], 3, "weekly"),
    ] {
        let before = lab.dump();
        let answer = lab.run(&[line, &["--yes"]].concat());
        assert_eq!(answer.code, code, "{line:?}: {answer:?}");
        assert!(answer.stderr.contains(says), "{line:?}: {answer:?}");
        assert_eq!(lab.dump(), before);
    }
    assert_eq!(lab.run(&["searches", "run", "monthly"]).code, 3);
    lab.ok(&["searches", "save", "weekly", "neural", "--idempotent", "--yes"]);
    lab.ok(&["searches", "delete", "weekli", "--ignore-missing", "--yes"]);
}
