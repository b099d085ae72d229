use crate::support::Lab;

#[test]
fn lists_filter_and_order() {
    let lab = Lab::seeded();
    let cases: &[(&[&str], &[&str])] = &[
        (&[], &["darwin1859", "darwin1871", "einstein1905", "einstein1905copy"]),
        (&["--type=book"], &["darwin1859", "darwin1871"]),
        (&["--tag=evolution"], &["darwin1859", "darwin1871"]),
        (&["--tag=evolution", "--tag=classic"], &["darwin1859"]),
        (&["--creator=EINSTEIN"], &["einstein1905", "einstein1905copy"]),
        (&["--since=1871", "--until=1900"], &["darwin1871"]),
        (&["--sort=year", "--reverse", "--limit=2"], &["einstein1905", "einstein1905copy"]),
        (&["--sort=title", "--limit=1", "--offset=1"], &["darwin1871"]),
        (&["--trashed"], &[]),
    ];
    for (flags, keys) in cases {
        assert_eq!(lab.column(&[&["items", "list"], *flags].concat(), "key"), *keys, "{flags:?}");
    }
}

#[test]
fn a_value_of_any_length_is_listed() {
    let lab = Lab::seeded();
    lab.ok(&["items", "edit", "darwin1859", &format!("--title={}", "t".repeat(70_000)), "--yes"]);
    let answer = lab.run(&["items", "list"]);
    assert!(answer.code == 0 && answer.stdout.contains("darwin1859"), "{}", answer.stderr);
    let plain = lab.run(&["items", "list", "--plain"]);
    assert!(plain.code == 0 && plain.stdout.contains(&"t".repeat(70_000)), "{}", plain.stderr);
}

#[test]
fn find_conditions() {
    let lab = Lab::seeded();
    let cases: &[(&[&str], &[&str])] = &[
        (&["year<1900"], &["darwin1859", "darwin1871"]),
        (&["year>=1871", "type=book"], &["darwin1871"]),
        (&["title~SPECIES"], &["darwin1859"]),
        (&["title!~zur"], &["darwin1859", "darwin1871"]),
        (&["publisher="], &["darwin1871", "einstein1905", "einstein1905copy"]),
        (&["publisher!="], &["darwin1859"]),
        (&["publisher!=john murray"], &["darwin1871", "einstein1905", "einstein1905copy"]),
        (&["tag=classic"], &["darwin1859", "einstein1905"]),
        (&["tag!=evolution"], &["einstein1905", "einstein1905copy"]),
        (&["tags="], &["einstein1905copy"]),
        (&["author=Albert Einstein"], &["einstein1905"]),
        (&["--any", "key=darwin1871", "doi~andp"], &["darwin1871", "einstein1905", "einstein1905copy"]),
        (&["container-title=annalen der physik"], &["einstein1905"]),
        (&["title=a=b"], &[]),
        (&["title=x' OR '1'='1"], &[]),
    ];
    for (conditions, keys) in cases {
        assert_eq!(lab.column(&[&["items", "find"], *conditions].concat(), "key"), *keys, "{conditions:?}");
    }
    for wrong in ["title", "=x", "year=soon", "yaer=1859", "year~18", "title;x"] {
        assert_eq!(lab.run(&["items", "find", wrong]).code, if wrong == "year~18" { 0 } else { 2 }, "{wrong}");
    }
    let answer = lab.run(&["items", "find", "publsher=x"]);
    assert!(answer.stderr.contains("did you mean publisher?"), "{answer:?}");
}

#[test]
fn get_names_items_by_key_or_doi() {
    let lab = Lab::seeded();
    for name in ["einstein1905", "EINSTEIN1905", "https://doi.org/10.1002/andp.19053221004"] {
        let item = lab.json(&["items", "get", name]);
        assert_eq!((&item["key"], &item["year"]), (&"einstein1905".into(), &1905.into()), "{name}");
    }
    assert_eq!(lab.column(&["items", "get", "darwin1871", "darwin1859"], "key"), ["darwin1871", "darwin1859"]);
    let missing = lab.run(&["items", "get", "darwin1895"]);
    assert_eq!(missing.code, 3);
    assert!(missing.stderr.contains("did you mean darwin1859"), "{missing:?}");
    assert_eq!(lab.column(&["items", "get", "nobody", "darwin1859", "--ignore-missing"], "key"), ["darwin1859"]);
    let piped = lab.run_with_input(&["items", "get", "-", "--quiet"], "darwin1859\ndarwin1871\n");
    assert_eq!(piped.stdout, "darwin1859\ndarwin1871\n");
}

#[test]
fn adding_makes_keys_and_refuses_what_is_wrong() {
    let lab = Lab::seeded();
    let add = |flags: &[&str]| lab.json(&[&["items", "add"], flags, &["--yes"]].concat());
    assert_eq!(add(&["Another", "--author=Darwin, Charles", "--issued=1859-11"])["result"]["key"], "darwin1859a");
    assert_eq!(add(&["Phaidon", "--author={Πλάτων}", "--issued=-0380"])["result"]["key"], "πλατων380");
    assert_eq!(add(&["The Epic of Gilgamesh"])["result"]["key"], "epic");
    let wrong: &[(&[&str], u8, &str)] = &[
        (&["x", "--type=bok"], 2, "unknown type"),
        (&["  "], 2, "needs a title"),
        (&["x", "--issued=soon"], 2, "is no date"),
        (&["x", "--doi=soon"], 2, "is no DOI"),
        (&["x", "--set=nonsense=1"], 2, "unknown field"),
        (&["x", "--set=volume"], 2, "has no `=`"),
        (&["x", "--creator=boss:A, B"], 2, "names no role"),
        (&["x", "--author= "], 2, "is no name"),
        (&["x", "--tag="], 2, "tag's name is empty"),
        (&["x", "--key=DARWIN1859"], 9, "already"),
        (&["x", "--collection=Nowhere"], 3, "no collection"),
    ];
    let before = lab.dump();
    for (flags, code, text) in wrong {
        for gate in ["--dry-run", "--yes"] {
            let answer = lab.run(&[&["items", "add"], *flags, &[gate]].concat());
            assert_eq!(answer.code, *code, "{flags:?} {answer:?}");
            assert!(answer.stderr.contains(text), "{flags:?} {answer:?}");
        }
    }
    assert_eq!(lab.dump(), before);
    lab.ok(&["items", "add", "x", "--key=darwin1859", "--idempotent", "--yes"]);
    assert_eq!(lab.dump(), before);
}

#[test]
fn editing_changes_what_is_named_and_nothing_else() {
    let lab = Lab::seeded();
    let before = lab.json(&["items", "get", "darwin1859"]);
    lab.ok(&["items", "edit", "darwin1859", "--issued=1860", "--set=publisher=", "--set=edition=2", "--yes"]);
    let after = lab.json(&["items", "get", "darwin1859"]);
    for (name, value) in after.as_object().unwrap() {
        match name.as_str() {
            "issued" => assert_eq!(value, "1860"),
            "year" => assert_eq!(value, 1860),
            "edition" => assert_eq!(value, "2"),
            "publisher" => assert!(value.is_null()),
            "updated_at" => {}
            _ => assert_eq!(value, &before[name], "{name}"),
        }
    }
    let creators = |key: &str| lab.json(&["items", "get", key])["creators"].to_string();
    lab.ok(&["items", "edit", "darwin1859", "--creator=editor:Huxley, T. H.", "--yes"]);
    assert!(creators("darwin1859").contains("Darwin") && creators("darwin1859").contains("Huxley"));
    lab.ok(&["items", "edit", "darwin1859", "--author={Anonymous}", "--yes"]);
    assert!(!creators("darwin1859").contains("Darwin") && creators("darwin1859").contains("Huxley"));
    assert!(creators("darwin1871").contains("Darwin"), "another item's author is gone");
    lab.ok(&["items", "edit", "darwin1859", "--key=origin", "--yes"]);
    assert_eq!(lab.run(&["items", "edit", "origin", "--key=darwin1871", "--yes"]).code, 9);
    assert_eq!(lab.run(&["items", "edit", "origin", "darwin1871", "--key=x"]).code, 2);
    assert_eq!(lab.run(&["items", "edit", "origin"]).code, 2);
    let same = lab.json(&["items", "edit", "origin", "--key=origin", "--yes"]);
    assert_eq!((&same["journal"]["run_id"], &same["result"]["skipped"]), (&serde_json::Value::Null, &1.into()));
}

#[test]
fn the_first_failure_stops_unless_told_to_go_on() {
    let lab = Lab::seeded();
    let line = ["items", "tags", "add", "darwin1859", "nobody", "darwin1871", "--tag=new", "--yes"];
    let stopped = lab.json(&line);
    assert_eq!(stopped["error"]["exit_code"], 13, "{stopped}");
    assert_eq!(stopped["result"]["targets"], serde_json::json!(["item darwin1859"]));
    assert_eq!(stopped["result"]["failed"][0]["target"], "item nobody");
    assert_eq!(stopped["result"]["not_attempted"], serde_json::json!(["item darwin1871"]));
    assert_eq!(lab.column(&["items", "list", "--tag=new"], "key"), ["darwin1859"]);
    let whole = lab.json(&[&line[..], &["--continue-on-error"]].concat());
    assert_eq!(whole["error"]["exit_code"], 13, "{whole}");
    assert_eq!(lab.column(&["items", "list", "--tag=new"], "key"), ["darwin1859", "darwin1871"]);
    let line = ["items", "trash", "a1", "a2", "a3", "darwin1859", "--yes", "--continue-on-error", "--max-failures=2"];
    let capped = lab.json(&line);
    assert_eq!(capped["error"]["exit_code"], 3, "{capped}");
    assert_eq!(capped["result"]["not_attempted"].as_array().unwrap().len(), 2);
    let alone = lab.run(&["items", "trash", "nobody", "--yes"]);
    assert_eq!(alone.code, 3, "{alone:?}");
    assert_eq!(lab.run(&["items", "trash", "nobody"]).code, 3);
    lab.ok(&["items", "trash", "nobody", "darwin1859", "--ignore-missing", "--yes"]);
    assert_eq!(lab.column(&["items", "list", "--trashed"], "key"), ["darwin1859"]);
}

#[test]
fn the_trash_hides_and_delete_empties_it() {
    let lab = Lab::seeded();
    lab.ok(&["items", "trash", "darwin1859", "--yes"]);
    assert_eq!(lab.column(&["items", "find", "type=book"], "key"), ["darwin1871"]);
    assert_eq!(lab.column(&["items", "find", "type=book", "--trashed"], "key"), ["darwin1859", "darwin1871"]);
    lab.ok(&["items", "delete", "--all-trashed", "--allow-destructive", "--yes"]);
    assert_eq!(lab.run(&["items", "get", "darwin1859"]).code, 3);
    assert_eq!(lab.json(&["items", "list"])["total"], 3);
    assert_eq!(lab.run(&["items", "delete"]).code, 2);
}

#[test]
fn gates_count_changes_and_name_the_flag() {
    let lab = Lab::seeded();
    let keys = ["darwin1859", "darwin1871"];
    let line = [&["items", "tags", "add"][..], &keys, &["--tag=new"]].concat();
    let capped = [&line[..], &["--max-changes=1"]].concat();
    let preview = lab.json(&capped);
    assert_eq!(preview["ok"], true);
    assert!(preview["warnings"][0].as_str().unwrap().contains("--max-changes 2"), "{preview}");
    assert_eq!(lab.run(&[&capped[..], &["--yes"]].concat()).code, 9);
    lab.ok(&[&line[..], &["--yes", "--max-changes=2"]].concat());
}

#[test]
fn recent_and_stale() {
    let lab = Lab::seeded();
    assert_eq!(lab.json(&["items", "recent"])["total"], 4);
    assert_eq!(lab.json(&["items", "stale"])["total"], 0);
    let library = rusqlite::Connection::open(lab.library()).unwrap();
    for table_and_column in ["items SET added_at", "items SET updated_at", "item_tags SET added_at"] {
        library.execute(&format!("UPDATE {table_and_column} = '2001-01-01T00:00:00Z'"), []).unwrap();
    }
    drop(library);
    assert_eq!(lab.json(&["items", "recent"])["total"], 0);
    assert_eq!(lab.json(&["items", "stale"])["total"], 4);
    lab.ok(&["items", "tags", "add", "darwin1859", "--tag=new", "--yes"]);
    lab.ok(&["items", "edit", "darwin1871", "--issued=1872", "--yes"]);
    assert_eq!(lab.column(&["items", "stale"], "key"), ["einstein1905", "einstein1905copy"]);
    assert_eq!(lab.column(&["items", "recent", "--by=updated"], "key"), ["darwin1871"]);
}

#[test]
fn similar_items_share_words_authors_and_tags() {
    let lab = Lab::seeded();
    assert_eq!(lab.column(&["items", "similar", "darwin1859"], "key"), ["darwin1871", "einstein1905"]);
    assert_eq!(lab.column(&["items", "similar", "darwin1859", "--min-score=0.3"], "key"), ["darwin1871"]);
    assert_eq!(lab.run(&["items", "similar", "darwin1859", "--min-score=2"]).code, 2);
}

#[test]
fn audit_names_what_a_citation_lacks() {
    let lab = Lab::seeded();
    let audit = lab.json(&["items", "audit", "--type=book"]);
    assert_eq!(audit["rows"][0]["key"], "darwin1871");
    assert_eq!(audit["rows"][0]["missing"], serde_json::json!(["publisher"]));
    assert_eq!(lab.column(&["items", "audit", "--field=container-title"], "key"), ["einstein1905copy"]);
    assert_eq!(lab.run(&["items", "audit", "--field=nonsense"]).code, 2);
}

#[test]
fn attachments_are_checked_by_content() {
    let lab = Lab::seeded();
    let (pdf, page) = (lab.file("a.dat", "%PDF-1.7 text"), lab.file("b.pdf", "<!DOCTYPE html><p>"));
    lab.ok(&["items", "attachments", "add", "darwin1859", &pdf, &page, "--yes"]);
    assert_eq!(lab.column(&["items", "attachments", "list"], "media_type"), ["application/pdf", "text/html"]);
    assert_eq!(lab.column(&["items", "attachments", "list", "darwin1871"], "id"), [""; 0]);
    assert_eq!(lab.run(&["items", "attachments", "add", "darwin1859", &pdf, "--yes"]).code, 9);
    lab.ok(&["items", "attachments", "add", "darwin1859", &pdf, "--yes", "--idempotent"]);
    assert_eq!(lab.run(&["items", "attachments", "add", "darwin1859", "/nonexistent/x.pdf"]).code, 3);
    assert_eq!(lab.run(&["items", "attachments", "add", "nobody", &pdf]).code, 3);
    assert_eq!(lab.run(&["items", "attachments", "add", "darwin1859", lab.folder().to_str().unwrap()]).code, 2);
    let missing = ["darwin1871", "einstein1905", "einstein1905copy"];
    assert_eq!(lab.column(&["items", "missing-pdf"], "key"), missing);
    assert_eq!(lab.column(&["items", "attachments", "check"], "state"), ["ok", "ok"]);
    std::fs::write(&page, "other").unwrap();
    std::fs::remove_file(&pdf).unwrap();
    assert_eq!(lab.column(&["items", "attachments", "check", "--problems"], "state"), ["gone", "changed"]);
    assert_eq!(
        lab.column(&["items", "missing-pdf"], "reason"),
        ["file gone", "none attached", "none attached", "none attached"]
    );
}

#[test]
fn duplicates_are_found_and_merged_whole() {
    let lab = Lab::seeded();
    lab.ok(&[
        "items",
        "add",
        "on the ORIGIN of species.",
        "--type=book",
        "--key=twin",
        "--set=language=en",
        "--tag=own",
        "--yes",
    ]);
    lab.ok(&["items", "add", "On the Origin of Species", "--type=book", "--key=other", "--issued=1900", "--yes"]);
    let pdf = lab.file("a.pdf", "%PDF-1.7");
    lab.ok(&["items", "attachments", "add", "einstein1905copy", &pdf, "--yes"]);
    assert_eq!(lab.column(&["items", "duplicates"], "keep"), ["darwin1859", "einstein1905"]);
    assert_eq!(lab.column(&["items", "duplicates", "--by=doi"], "keep"), ["einstein1905"]);
    assert_eq!(lab.column(&["items", "duplicates", "--by=title"], "keep"), ["darwin1859", "einstein1905"]);
    lab.ok(&["items", "duplicates", "resolve", "--allow-destructive", "--yes"]);
    let origin = lab.json(&["items", "get", "darwin1859"]);
    assert_eq!(origin["language"], "en");
    assert_eq!(origin["tags"], serde_json::json!(["classic", "evolution", "own"]));
    let einstein = lab.json(&["items", "get", "einstein1905"]);
    assert_eq!(einstein["volume"], "322");
    assert_eq!(einstein["attachments"].as_array().unwrap().len(), 1);
    assert_eq!(lab.run(&["items", "get", "twin"]).code, 3);
    assert_eq!(lab.json(&["items", "duplicates"])["total"], 0);
    assert_eq!(lab.run(&["items", "duplicates", "resolve", "other"]).code, 9);
}

#[test]
fn a_group_keeps_the_item_that_keep_names() {
    let lab = Lab::seeded();
    let keep = "--keep=einstein1905copy";
    lab.ok(&["items", "duplicates", "resolve", "einstein1905", keep, "--allow-destructive", "--yes"]);
    assert_eq!(lab.json(&["items", "get", "einstein1905copy"])["container_title"], "Annalen der Physik");
    assert_eq!(lab.run(&["items", "get", "einstein1905"]).code, 3);
    assert_eq!(lab.run(&["items", "duplicates", "resolve", "--keep=darwin1859"]).code, 3);
}

#[test]
fn moving_leaves_one_collection_for_another() {
    let lab = Lab::seeded();
    for name in ["From", "To"] {
        lab.ok(&["collections", "create", name, "--yes"]);
    }
    lab.ok(&["collections", "add", "From", "darwin1859", "--yes"]);
    let line = ["items", "move", "darwin1859", "--from=from", "--to=To", "--yes"];
    lab.ok(&line);
    assert_eq!(lab.json(&["items", "get", "darwin1859"])["collections"], serde_json::json!(["To"]));
    assert_eq!(lab.run(&line).code, 3);
    lab.ok(&[&line[..], &["--ignore-missing"]].concat());
    assert_eq!(lab.run(&["items", "move", "darwin1859", "--from=To", "--to=Nowhere"]).code, 3);
    assert_eq!(lab.run(&["items", "move", "darwin1859", "--from=To", "--to=to"]).code, 2);
}

#[test]
fn a_caller_who_names_no_item_is_told_of_no_way_that_is_not_there() {
    let lab = Lab::seeded();
    let answer = lab.json(&["items", "cite", "-", "--agent"]);
    assert_eq!(answer["error"]["message"], "no item is named: there is no key on stdin", "{answer}");
    assert_eq!(answer["error"]["hint"], "name items by their keys", "{answer}");
}
