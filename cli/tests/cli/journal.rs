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
