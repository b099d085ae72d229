use crate::support::Lab;

#[test]
fn undo_leaves_names_that_others_use_by_now() {
    let lab = Lab::seeded();
    lab.ok(&["journal", "undo", "1", "--yes"]);
    assert_eq!(lab.column(&["items", "list", "--tag=evolution"], "key"), ["darwin1871"]);
    assert_eq!(lab.column(&["items", "list", "--tag=classic"], "key"), [""; 0]);
}

#[test]
fn undo_names_the_later_run_that_changed_the_same_rows() {
    let lab = Lab::seeded();
    lab.ok(&["journal", "undo", "1", "--yes"]);
    let refused = lab.run(&["journal", "undo", "1", "--yes"]);
    assert_eq!(refused.code, 9, "{refused:?}");
    assert!(refused.stderr.contains("undone already, by run 5"), "{refused:?}");
}

#[test]
fn runs_are_listed_and_shown() {
    let lab = Lab::seeded();
    assert_eq!(lab.column(&["journal", "list"], "run"), ["4", "3", "2", "1"]);
    let run = lab.json(&["journal", "show", "2"]);
    assert_eq!(run["operation"], "items add");
    assert!(run["changes"].as_array().unwrap().iter().all(|change| change["before"].is_null()));
    assert_eq!(lab.run(&["journal", "show", "99"]).code, 3);
    assert_eq!(lab.run(&["journal", "undo", "99"]).code, 3);
}

#[test]
fn undo_refuses_where_a_later_run_changed_the_same_rows() {
    let lab = Lab::seeded();
    lab.ok(&["items", "edit", "darwin1859", "darwin1871", "--set=language=en", "--yes"]);
    lab.ok(&["items", "edit", "darwin1859", "--set=language=de", "--yes"]);
    let before = lab.dump();
    let refused = lab.run(&["journal", "undo", "5", "--yes", "--json"]);
    assert_eq!(refused.code, 9, "{refused:?}");
    assert!(refused.stdout.contains("changed later, by run 6"), "{refused:?}");
    assert_eq!(lab.dump(), before);
    let partly = lab.run(&["journal", "undo", "5", "--yes", "--continue-on-error"]);
    assert_eq!(partly.code, 13, "{partly:?}");
    assert_eq!(lab.json(&["items", "get", "darwin1871"])["language"], serde_json::Value::Null);
    assert_eq!(lab.json(&["items", "get", "darwin1859"])["language"], "de");
}

#[test]
fn undo_in_the_reverse_order_reaches_the_beginning() {
    let lab = Lab::seeded();
    let start = lab.dump();
    let lines: &[&[&str]] = &[
        &["items", "edit", "darwin1859", "--set=language=en", "--author=Wallace, A. R.", "--yes"],
        &["items", "tags", "add", "darwin1859", "--tag=new", "--yes"],
        &["items", "edit", "darwin1859", "--key=origin", "--yes"],
        &["items", "trash", "origin", "--yes"],
        &["items", "delete", "origin", "--yes", "--allow-destructive"],
        &["items", "add", "Other", "--key=origin", "--yes"],
    ];
    for line in lines {
        lab.ok(line);
    }
    let taken = lab.run(&["journal", "undo", "9", "--yes"]);
    assert_eq!(taken.code, 9, "the key is taken: {taken:?}");
    for run in (5..=10).rev() {
        lab.ok(&["journal", "undo", &run.to_string(), "--yes"]);
    }
    assert_eq!(lab.dump(), start);
    lab.ok(&["items", "find", "key=darwin1859", "author~darwin"]);
}

#[test]
fn undo_refuses_to_leave_rows_without_their_parent() {
    let lab = Lab::seeded();
    lab.ok(&["items", "add", "Frankenstein", "--key=shelley", "--yes"]);
    lab.ok(&["items", "tags", "add", "shelley", "--tag=novel", "--yes"]);
    let refused = lab.run(&["journal", "undo", "5", "--yes"]);
    assert_eq!(refused.code, 9, "{refused:?}");
    assert!(refused.stdout.contains("by run 6"), "{refused:?}");
    lab.ok(&["items", "delete", "shelley", "--yes", "--allow-destructive"]);
    let refused = lab.run(&["journal", "undo", "6", "--yes"]);
    assert_eq!(refused.code, 9, "{refused:?}");
}
