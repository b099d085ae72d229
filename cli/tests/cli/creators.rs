//! `mycli creators`.

use crate::support::Lab;

fn names(lab: &Lab) -> Vec<String> {
    lab.column(&["creators", "list"], "name")
}

#[test]
fn lists_people_with_their_items_and_roles() {
    let lab = Lab::seeded();
    lab.ok(&["items", "add", "Letters", "--key=letters", "--creator=editor:Darwin, Charles", "--yes"]);
    assert_eq!(names(&lab), ["Darwin, Charles", "Einstein, A.", "Einstein, Albert"]);
    assert_eq!(lab.column(&["creators", "list"], "items"), ["3", "1", "1"]);
    assert_eq!(lab.column(&["creators", "list", "--role=editor"], "items"), ["1"]);
    assert_eq!(lab.column(&["creators", "list", "--contains=ALBÉRT"], "name"), ["Einstein, Albert"]);
    assert_eq!(lab.json(&["creators", "list", "--limit=1"])["total"], 3);
}

#[test]
fn the_audit_names_the_spelling_to_keep() {
    let lab = Lab::seeded();
    let report = lab.json(&["creators", "audit"]);
    assert_eq!(
        report["rows"],
        serde_json::json!([{"name": "Einstein, A.", "items": 1, "differs_by": "initials", "rename_to": "Einstein, Albert"}])
    );
}

#[test]
fn what_the_audit_proposes_can_be_done() {
    let lab = Lab::seeded();
    for (name, to) in
        lab.column(&["creators", "audit"], "name").iter().zip(lab.column(&["creators", "audit"], "rename_to"))
    {
        lab.ok(&["creators", "rename", name, &to, "--yes"]);
    }
    assert_eq!(names(&lab), ["Darwin, Charles", "Einstein, Albert"]);
    assert_eq!(lab.column(&["creators", "audit"], "name").len(), 0);
}

#[test]
fn a_family_name_is_renamed_for_all_who_bear_it() {
    let lab = Lab::seeded();
    lab.ok(&["creators", "rename", "Einstein", "Ainstein", "--yes"]);
    assert_eq!(names(&lab), ["Ainstein, A.", "Ainstein, Albert", "Darwin, Charles"]);
    assert_eq!(lab.column(&["search", "Ainstein"], "key").len(), 2);
    assert_eq!(lab.column(&["search", "Einstein", "--within=creators"], "key").len(), 0);
}

#[test]
fn two_who_become_one_are_joined_without_doubles() {
    let lab = Lab::seeded();
    lab.ok(&["items", "add", "Both", "--key=both", "--author=Einstein, Albert", "--author=Einstein, A.", "--yes"]);
    lab.ok(&["creators", "rename", "Einstein, A.", "Einstein, Albert", "--yes"]);
    let item = lab.json(&["items", "list", "--creator=Einstein"]);
    let both = item["rows"].as_array().unwrap().iter().find(|row| row["key"] == "both").unwrap();
    assert_eq!(both["creators"].as_array().unwrap().len(), 1, "{both}");
}

#[test]
fn a_role_limits_the_change() {
    let lab = Lab::seeded();
    lab.ok(&["items", "add", "Letters", "--key=letters", "--creator=editor:Darwin, Charles", "--yes"]);
    lab.ok(&["creators", "rename", "Darwin, Charles", "Darwin, Francis", "--role=editor", "--yes"]);
    assert_eq!(lab.column(&["creators", "list", "--role=editor"], "name"), ["Darwin, Francis"]);
    assert_eq!(lab.column(&["creators", "list", "--role=author", "--contains=Darwin"], "name"), ["Darwin, Charles"]);
}

#[test]
fn bad_input_is_named() {
    let lab = Lab::seeded();
    for (line, code, says) in [
        (&["creators", "rename", "Darwn", "Darwin"][..], 3, "Darwin"),
        (&["creators", "rename", "", "Darwin"], 2, "family name"),
        (&["creators", "rename", "Darwin", ", Charles"], 2, "family name"),
        (&["creators", "rename", "Einstein", "Einstein, Albert"], 2, "one person"),
        (&["creators", "rename", "Darwin", "X", "--role=auther"], 3, "author"),
    ] {
        let before = lab.dump();
        let answer = lab.run(&[line, &["--yes"]].concat());
        assert_eq!(answer.code, code, "{line:?}: {answer:?}");
        assert!(answer.stderr.contains(says), "{line:?}: {answer:?}");
        assert_eq!(lab.dump(), before);
    }
    assert_eq!(lab.run(&["creators", "list", "--role=nonsense"]).code, 3);
}
