//! `mycli library`, `init` and `doctor`.

use crate::support::Lab;
use serde_json::json;

#[test]
fn stats_count_what_is_there() {
    let lab = Lab::seeded();
    lab.ok(&["notes", "add", "darwin1859", "A note", "--yes"]);
    lab.ok(&["reading-list", "add", "darwin1859", "--yes"]);
    let stats = lab.json(&["library", "stats"]);
    for (name, value) in [
        ("items", json!(4)),
        ("types", json!({"article-journal": 2, "book": 2})),
        ("oldest", json!(1859)),
        ("newest", json!(1905)),
        ("tags", json!(3)),
        ("notes", json!(1)),
        ("reading_list", json!({"queued": 1})),
        ("decades", json!({"1900s": 2, "1850s": 1, "1870s": 1})),
    ] {
        assert_eq!(stats[name], value, "{name}");
    }
    assert_eq!(Lab::new().json(&["library", "stats"])["items"], 0);
}

#[test]
fn health_reports_by_purpose() {
    let lab = Lab::seeded();
    let checks = |purpose: &str| lab.json(&["library", "health", "--for", purpose])["findings"].clone();
    let has =
        |findings: &serde_json::Value, check: &str| findings.as_array().unwrap().iter().any(|f| f["check"] == check);
    let quick = checks("quick");
    assert!(has(&quick, "same-doi") && !has(&quick, "field-missing") && !has(&quick, "no-pdf"), "{quick}");
    let citation = checks("citation");
    assert!(has(&citation, "same-doi") && has(&citation, "field-missing") && !has(&citation, "no-pdf"), "{citation}");
    let review = checks("review");
    assert!(has(&review, "same-doi") && !has(&review, "field-missing") && has(&review, "no-pdf"), "{review}");
    let all = checks("all");
    assert!(has(&all, "field-missing") && has(&all, "no-pdf"));
    assert_eq!(lab.json(&["library", "health", "--for=all", "--limit=1"])["findings"].as_array().unwrap().len(), 1);
}

#[test]
fn fail_on_is_a_gate() {
    let lab = Lab::seeded();
    assert_eq!(lab.run(&["library", "health"]).code, 0, "nothing fails unless asked");
    let answer = lab.run(&["library", "health", "--fail-on=error", "--json"]);
    assert_eq!(answer.code, 11, "{answer:?}");
    let document: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(document["ok"], false);
    let sound = Lab::new();
    sound.ok(&["items", "add", "Sound", "--author=A, B", "--issued=1999", "--yes"]);
    assert_eq!(sound.run(&["library", "health", "--fail-on=info"]).code, 0);
    assert_eq!(sound.run(&["library", "health", "--for=review", "--fail-on=error"]).code, 0);
    assert_eq!(sound.run(&["library", "health", "--for=review", "--fail-on=warning"]).code, 11);
}

#[test]
fn fix_repairs_and_leaves_the_rest_to_the_gate() {
    let lab = Lab::new();
    lab.ok(&["items", "add", "On  Pages", "--key=a", "--author=A, B", "--issued=1999", "--set=pages=1 -- 20", "--yes"]);
    let before = lab.bytes();
    let preview = lab.json(&["library", "health", "--for=citation", "--fix"]);
    assert_eq!(preview["mode"], "preview");
    assert!(lab.bytes() == before);
    let line = ["library", "health", "--for=citation", "--fix", "--yes", "--fail-on=error"];
    assert_eq!(lab.run(&line).code, 11, "container title and volume are still missing");
    let item = &lab.json(&["items", "list"])["rows"][0];
    assert_eq!((&item["title"], &item["pages"]), (&json!("On Pages"), &json!("1-20")));
    assert_eq!(lab.json(&["library", "health", "--for=citation", "--fix"])["plan"]["summary"], "no changes");
}

#[test]
fn a_lost_file_is_an_error() {
    let lab = Lab::new();
    lab.ok(&["items", "add", "Sound", "--author=A, B", "--issued=1999", "--yes"]);
    let pdf = lab.file("a.pdf", "%PDF-1.4");
    let library = rusqlite::Connection::open(lab.library()).unwrap();
    let sql = "INSERT INTO attachments (item_id, title, path, media_type, added_at) VALUES (1, 'a', ?1, 'application/pdf', '')";
    library.execute(sql, [&pdf]).unwrap();
    assert_eq!(lab.run(&["library", "health", "--fail-on=error"]).code, 0);
    std::fs::remove_file(&pdf).unwrap();
    assert_eq!(lab.json(&["library", "health"])["findings"][0]["check"], "file-lost");
}

#[test]
fn health_of_one_collection() {
    let lab = Lab::seeded();
    lab.ok(&["collections", "create", "Books", "--yes"]);
    lab.ok(&["collections", "add", "Books", "darwin1859", "--yes"]);
    assert_eq!(lab.json(&["library", "health", "--collection=Books"])["items"], 1);
    assert_eq!(lab.run(&["library", "health", "--collection=Boks"]).code, 3);
}

#[test]
fn a_snapshot_is_a_library_of_its_own() {
    let lab = Lab::seeded();
    let path = lab.folder().join("copy");
    let name = path.to_str().unwrap();
    lab.ok(&["library", "snapshot", "create", "--output", name, "--yes"]);
    let verdict = lab.json(&["library", "snapshot", "verify", name]);
    assert_eq!(
        (&verdict["ok"], &verdict["content"]["items"], &verdict["checksum_file"]),
        (&json!(true), &json!(4), &json!(true))
    );
    let again = lab.run(&["library", "snapshot", "create", "--output", name, "--yes"]);
    assert_eq!(again.code, 9, "{again:?}");
    let sum = std::fs::read_to_string(lab.folder().join("copy.sha256")).unwrap();
    assert!(sum.ends_with("  copy\n") && sum.len() == 64 + 7, "{sum:?}");
}

#[test]
fn a_snapshot_that_was_touched_does_not_verify() {
    let lab = Lab::seeded();
    lab.ok(&["library", "snapshot", "create", "--yes"]);
    let file = lab.json(&["library", "snapshot", "verify"])["file"].as_str().unwrap().to_owned();
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xff;
    std::fs::write(&file, bytes).unwrap();
    let answer = lab.run(&["library", "snapshot", "verify", "--json"]);
    assert_eq!(answer.code, 11, "{answer:?}");
    assert!(answer.stdout.contains("checksum"), "{answer:?}");
    std::fs::write(&file, "no library at all").unwrap();
    assert_eq!(lab.run(&["library", "snapshot", "verify"]).code, 11);
}

#[test]
fn the_default_snapshot_is_named_after_the_last_run_and_is_no_group() {
    let lab = Lab::seeded();
    lab.ok(&["library", "snapshot", "create", "--yes"]);
    lab.ok(&["tags", "delete", "classic", "--yes"]);
    lab.ok(&["library", "snapshot", "create", "--yes"]);
    let newest = lab.json(&["library", "snapshot", "verify"]);
    assert!(newest["file"].as_str().unwrap().ends_with("library.snapshot-6.sqlite"), "{newest}");
    assert_eq!(lab.run(&["items", "list", "--group=library.snapshot-4"]).code, 2);
}

#[test]
fn undo_leaves_a_snapshot_that_was_changed_since() {
    let lab = Lab::seeded();
    let path = lab.folder().join("copy");
    lab.ok(&["library", "snapshot", "create", "--output", path.to_str().unwrap(), "--yes"]);
    std::fs::write(&path, "precious").unwrap();
    let run = lab.column(&["journal", "list", "--limit=1"], "run").remove(0);
    let answer = lab.run(&["journal", "undo", &run, "--yes"]);
    assert_ne!(answer.code, 0, "{answer:?}");
    assert_eq!(std::fs::read(&path).unwrap(), b"precious");
}

#[test]
fn snapshots_need_a_library_and_a_file() {
    let lab = Lab::new();
    for line in [
        &["library", "snapshot", "create"][..],
        &["library", "snapshot", "verify"],
        &["library", "snapshot", "verify", "nowhere"],
        &["library", "compact"],
    ] {
        assert_eq!(lab.run(line).code, 3, "{line:?}");
    }
    assert!(!lab.library().exists());
    let lab = Lab::seeded();
    assert_eq!(lab.run(&["library", "snapshot", "create", "--output=no/where/copy"]).code, 3);
}

#[test]
fn compact_gives_space_back_and_keeps_the_content() {
    let lab = Lab::seeded();
    let long = "phlogiston ".repeat(20_000);
    let abstracts = format!("--set=abstract={long}");
    lab.ok(&["items", "add", "Long", "--key=long", &abstracts, "--yes"]);
    let library = rusqlite::Connection::open(lab.library()).unwrap();
    library.execute_batch("UPDATE items SET abstract = '' WHERE key = 'long'; DELETE FROM journal_changes").unwrap();
    drop(library);
    let before = (lab.dump(), lab.bytes().unwrap().len());
    let applied = lab.json(&["library", "compact", "--yes"]);
    assert_eq!(applied["ok"], true, "{applied}");
    assert_eq!(lab.dump(), before.0);
    assert!(lab.bytes().unwrap().len() < before.1 / 2, "{applied}");
}

#[test]
fn init_makes_an_empty_library_once() {
    let lab = Lab::new();
    lab.ok(&["init"]);
    assert!(!lab.library().exists());
    lab.ok(&["init", "--yes"]);
    assert!(lab.library().exists());
    assert_eq!(lab.run(&["init", "--yes"]).code, 9);
    lab.ok(&["init", "--yes", "--idempotent"]);
    assert_eq!(lab.json(&["items", "list"])["total"], 0);
}

#[test]
fn doctor_says_what_is_wrong() {
    let lab = Lab::new();
    assert_eq!(lab.column(&["doctor"], "state"), ["warning", "ok", "warning"]);
    assert!(!lab.library().exists());
    let lab = Lab::seeded();
    let sound = lab.column(&["doctor"], "state");
    assert!(sound.len() > 5 && sound.iter().all(|state| state == "ok"), "{sound:?}");

    let writer = rusqlite::Connection::open(lab.library()).unwrap();
    writer.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(lab.column(&["doctor"], "state").last().unwrap(), "warning");
    writer.execute_batch("ROLLBACK; DELETE FROM items_fts").unwrap();
    let answer = lab.run(&["doctor", "--json"]);
    assert_eq!(answer.code, 4, "{answer:?}");
    assert!(answer.stdout.contains("search index"), "{answer:?}");
    drop(writer);

    std::fs::write(lab.library(), "this is no database at all, but it is long enough to be one").unwrap();
    let answer = lab.run(&["doctor"]);
    assert_eq!(answer.code, 4, "{answer:?}");
    assert!(answer.stdout.contains("library file"), "{answer:?}");
}
