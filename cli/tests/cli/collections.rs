//! `mycli collections`.

use crate::support::Lab;
use clap_facade::catalog::{Catalog, Settings};
use serde_json::json;

/// Thesis > Methods > Statistics with two works, and an empty shelf.
fn shelved() -> Lab {
    let lab = Lab::seeded();
    for line in [
        &["collections", "create", "Thesis", "--yes"][..],
        &["collections", "create", "Methods", "--parent=Thesis", "--yes"],
        &["collections", "create", "Statistics", "--parent=Thesis/Methods", "--yes"],
        &["collections", "create", "Empty", "--yes"],
        &["collections", "add", "Methods", "darwin1859", "--yes"],
        &["collections", "add", "Statistics", "einstein1905", "darwin1871", "--yes"],
    ] {
        lab.ok(line);
    }
    lab
}

#[test]
fn a_collection_goes_by_name_path_or_id() {
    let lab = shelved();
    for name in ["Statistics", "statistics", "Thesis/Methods/Statistics", "thesis/methods/statistics/", "3"] {
        assert_eq!(lab.json(&["collections", "get", name])["path"], "Thesis/Methods/Statistics", "{name}");
    }
    lab.ok(&["collections", "create", "Statistics", "--yes"]);
    assert_eq!(
        lab.json(&["collections", "get", "Statistics"])["path"],
        "Statistics",
        "a path wins over a name further down"
    );
    lab.ok(&["collections", "create", "Methods", "--parent=Empty", "--yes"]);
    let answer = lab.run(&["collections", "get", "methods"]);
    assert_eq!(answer.code, 2, "{answer:?}");
    assert!(answer.stderr.contains("Empty/Methods") && answer.stderr.contains("Thesis/Methods"), "{answer:?}");
}

#[test]
fn lists_and_trees() {
    let lab = shelved();
    assert_eq!(
        lab.column(&["collections", "list"], "path"),
        ["Empty", "Thesis", "Thesis/Methods", "Thesis/Methods/Statistics"]
    );
    assert_eq!(lab.column(&["collections", "list"], "items"), ["0", "0", "1", "2"]);
    assert_eq!(lab.column(&["collections", "list", "--parent=Thesis"], "name"), ["Methods"]);
    assert_eq!(lab.column(&["collections", "list", "--empty"], "name"), ["Empty", "Thesis"]);
    let tree = "Empty (0)\nThesis (0)\n└─ Methods (1)\n   └─ Statistics (2)\n";
    assert_eq!(lab.ok(&["collections", "tree"]).stdout, tree);
    assert_eq!(lab.ok(&["collections", "tree", "Methods", "--depth=0"]).stdout, "Methods (1)\n");
    let json = lab.json(&["collections", "tree", "Methods"]);
    assert_eq!(json["collections"][0]["collections"][0], json!({"name": "Statistics", "id": 3, "items": 2}));
}

#[test]
fn items_of_inner_collections_come_with_recursive() {
    let lab = shelved();
    let keys = |line: &[&str]| -> Vec<String> {
        let document = lab.json(line);
        document["items"].as_array().unwrap().iter().map(|item| item["key"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(keys(&["collections", "get", "Methods"]), ["darwin1859"]);
    assert_eq!(keys(&["collections", "get", "Thesis", "-r"]), ["darwin1859", "darwin1871", "einstein1905"]);
    assert_eq!(keys(&["collections", "get", "Thesis", "-r", "--limit=1"]), ["darwin1859"]);
    assert_eq!(lab.json(&["collections", "get", "Thesis", "-r", "--limit=1"])["total"], 3);
}

#[test]
fn stats_count_the_members() {
    let lab = shelved();
    let pdf = lab.file("a.pdf", "%PDF-1.4");
    let library = rusqlite::Connection::open(lab.library()).unwrap();
    let sql = "INSERT INTO attachments (item_id, title, path, media_type, added_at) VALUES (1, 'a', ?1, 'application/pdf', '')";
    library.execute(sql, [pdf]).unwrap();
    lab.ok(&["reading-list", "done", "darwin1871", "--yes"]);
    let stats = lab.json(&["collections", "stats", "Thesis", "--recursive"]);
    assert_eq!(
        (&stats["items"], &stats["with_pdf"], &stats["read"], &stats["oldest"], &stats["newest"]),
        (&json!(3), &json!(1), &json!(1), &json!(1859), &json!(1905))
    );
    assert_eq!(stats["types"], json!({"book": 2, "article-journal": 1}));
    assert_eq!(stats["tags"]["evolution"], 2);
    assert_eq!(lab.column(&["collections", "stats"], "items"), ["0", "0", "1", "2"]);
}

#[test]
fn gaps_are_what_siblings_have() {
    let lab = shelved();
    lab.ok(&["items", "add", "Third", "--type=book", "--key=third", "--issued=1880", "--set=publisher=X", "--yes"]);
    lab.ok(&["collections", "add", "Empty", "darwin1859", "darwin1871", "third", "--yes"]);
    let report = lab.json(&["collections", "gaps", "Empty"]);
    let gaps = report["gaps"].as_array().unwrap();
    let lacking = |kind: &str, name: serde_json::Value| {
        let gap = gaps.iter().find(|gap| gap["kind"] == kind && gap["name"] == name);
        gap.map(|gap| gap["lacking"].clone())
    };
    assert_eq!(lacking("field", json!("publisher")), Some(json!(["darwin1871"])));
    assert_eq!(lacking("field", json!("creators")), Some(json!(["third"])));
    assert_eq!(lacking("tag", json!("evolution")), Some(json!(["third"])));
    assert_eq!(lacking("tags", json!(null)), Some(json!(["third"])));
    assert_eq!(lacking("field", json!("issued")), None);
    assert_eq!(report["years"]["newest"], 1880);
    assert_eq!(report["years"]["recent_items"], 0);
    let strict = lab.json(&["collections", "gaps", "Empty", "--share=90"]);
    assert_eq!(strict["gaps"], json!([]));
}

#[test]
fn moving_takes_the_subtree_along_and_refuses_cycles() {
    let lab = shelved();
    lab.ok(&["collections", "move", "Methods", "--to=Empty", "--yes"]);
    assert_eq!(lab.json(&["collections", "get", "Statistics"])["path"], "Empty/Methods/Statistics");
    for (what, to) in [("Empty", "Statistics"), ("Empty", "Methods"), ("Methods", "Methods")] {
        let before = lab.dump();
        let answer = lab.run(&["collections", "move", what, "--to", to, "--yes"]);
        assert_eq!(answer.code, 9, "{what} to {to}: {answer:?}");
        assert_eq!(lab.dump(), before);
    }
    lab.ok(&["collections", "move", "Methods", "--top", "--yes"]);
    assert_eq!(lab.json(&["collections", "move", "Methods", "--top", "--yes"])["result"]["skipped"], 1);
}

#[test]
fn deleting_keeps_items_and_lifts_what_is_inside() {
    let lab = shelved();
    lab.ok(&["collections", "delete", "Methods", "--yes", "--allow-destructive"]);
    assert_eq!(lab.column(&["collections", "list"], "path"), ["Empty", "Thesis", "Thesis/Statistics"]);
    assert_eq!(lab.json(&["items", "list"])["total"], 4);
    lab.ok(&["journal", "undo", &lab.column(&["journal", "list", "--limit=1"], "run")[0], "--yes"]);
    lab.ok(&["collections", "delete", "Thesis", "Statistics", "--recursive", "--yes", "--allow-destructive"]);
    assert_eq!(lab.column(&["collections", "list"], "path"), ["Empty"]);
}

#[test]
fn lifting_refuses_a_name_that_is_taken() {
    let lab = shelved();
    lab.ok(&["collections", "create", "Methods", "--yes"]);
    let answer = lab.run(&["collections", "delete", "Thesis", "--yes", "--allow-destructive"]);
    assert_eq!(answer.code, 9, "{answer:?}");
    assert!(answer.stderr.contains("--recursive"), "{answer:?}");
    assert_eq!(lab.column(&["collections", "list"], "path").len(), 5);
    lab.ok(&["collections", "create", "Empty", "--parent=Empty", "--yes"]);
    let answer = lab.run(&["collections", "delete", "Empty", "--yes", "--allow-destructive"]);
    assert_eq!(answer.code, 9, "a child can't take the name of a parent that is still there: {answer:?}");
}

#[test]
fn bad_input_is_named() {
    let lab = shelved();
    for (line, code, says) in [
        (&["collections", "create", " "][..], 2, "needs a name"),
        (&["collections", "create", "a/b"], 2, "--parent"),
        (&["collections", "create", "THESIS"], 9, "already"),
        (&["collections", "create", "New", "--parent=Thesys"], 3, "Thesis"),
        (&["collections", "rename", "Methods", ""], 2, "needs a name"),
        (&["collections", "rename", "Empty", "thesis"], 9, "already"),
        (&["collections", "rename", "Metods", "X"], 3, "Methods"),
        (&["collections", "get", "99"], 3, "99"),
        (&["collections", "move", "Methods"], 2, "--to"),
        (&["collections", "move", "Methods", "--to=Empty", "--top"], 2, "--top"),
        (&["collections", "move", "Methods", "--to=Nowhere"], 3, "Nowhere"),
        (&["collections", "delete", "Nowhere"], 3, "Nowhere"),
        (&["collections", "add", "Methods", "darwin185"], 3, "darwin1859"),
        (&["collections", "add", "Methods"], 2, "ITEM"),
        (&["collections", "remove", "Methods", "einstein1905"], 3, "--ignore-missing"),
        (&["collections", "gaps", "Methods", "--share=0"], 2, "1..=99"),
    ] {
        let mut applied = line.to_vec();
        if !["get", "gaps"].contains(&line[1]) {
            applied.extend(["--yes", "--allow-destructive"]);
        }
        let before = lab.dump();
        let answer = lab.run(&applied);
        assert_eq!(answer.code, code, "{line:?}: {answer:?}");
        assert!(answer.stderr.contains(says), "{line:?}: {answer:?}");
        assert_eq!(lab.dump(), before, "{line:?}");
    }
}

#[test]
fn what_is_done_already_is_no_change() {
    let lab = shelved();
    assert_eq!(lab.json(&["collections", "create", "thesis", "--idempotent", "--yes"])["result"]["skipped"], 1);
    let before = lab.dump();
    lab.ok(&["collections", "add", "Methods", "darwin1859", "darwin1859", "--yes"]);
    lab.ok(&["collections", "add", "Methods", "nobody", "--ignore-missing", "--yes"]);
    lab.ok(&["collections", "remove", "Methods", "einstein1905", "--ignore-missing", "--yes"]);
    lab.ok(&["collections", "delete", "Nowhere", "--ignore-missing", "--yes"]);
    assert_eq!(lab.dump(), before);
    lab.ok(&["collections", "rename", "Thesis", "THESIS", "--yes"]);
    assert_eq!(lab.column(&["collections", "list"], "path")[1], "THESIS");
}

#[test]
fn every_command_takes_a_collection_by_name_path_or_id_and_names_the_nearest() {
    let lab = Lab::new();
    lab.ok(&["demo", "--yes"]);
    let catalog = Catalog::new(mycli::command(), &Settings::default()).unwrap();
    for operation in catalog.operations().iter().filter(|operation| operation.param("collection").is_some()) {
        let path: Vec<&str> = operation.path.iter().map(String::as_str).collect();
        let rest: &[&str] = match path.join(" ").as_str() {
            "items add" => &["Opticks"],
            "import file" => &["-"],
            "import doi" | "collections rename" => continue,
            "collections move" => &["--top"],
            "collections add" | "collections remove" => &["hubble1929"],
            "search" => &["theory"],
            "searches save" => &["x", "theory"],
            _ => &[],
        };
        let is_flag = !path[0].starts_with("collections") || path[1] == "missing-pdf";
        let run = |name: &str| {
            let name = if is_flag { format!("--collection={name}") } else { name.to_owned() };
            let line: Vec<&str> = path.iter().copied().chain([name.as_str()]).chain(rest.iter().copied()).collect();
            lab.run_with_input(&line, "@book{x, title = {Opticks}}")
        };
        for name in ["physics", "Sciences/Physics", "2"] {
            let answer = run(name);
            assert_ne!(answer.code, 2, "{path:?} {name}: {answer:?}");
            assert!(!answer.stderr.contains("no collection"), "{path:?} {name}: {answer:?}");
            assert!(!answer.stdout.contains("no collection"), "{path:?} {name}: {answer:?}");
        }
        if path.join(" ") != "searches save" {
            let answer = run("Phisics");
            let said = format!("{}{}", answer.stdout, answer.stderr);
            assert_eq!(answer.code, 3, "{path:?} {answer:?}");
            assert!(said.contains("no collection \"Phisics\""), "{path:?} {answer:?}");
            assert!(answer.stderr.contains("did you mean") || !answer.stdout.is_empty(), "{path:?} {answer:?}");
        }
    }
}
