//! `mycli reading-list`.

use crate::support::Lab;

fn states(lab: &Lab) -> Vec<String> {
    let line = ["reading-list", "show"];
    lab.column(&line, "key")
        .into_iter()
        .zip(lab.column(&line, "state"))
        .map(|(key, state)| format!("{key} {state}"))
        .collect()
}

#[test]
fn entries_go_from_queued_to_done() {
    let lab = Lab::seeded();
    lab.ok(&["reading-list", "add", "darwin1859", "darwin1871", "--yes"]);
    lab.ok(&["reading-list", "add", "einstein1905", "--priority=high", "--yes"]);
    assert_eq!(states(&lab), ["einstein1905 queued", "darwin1859 queued", "darwin1871 queued"]);
    lab.ok(&["reading-list", "start", "einstein1905", "--yes"]);
    lab.ok(&["reading-list", "done", "darwin1859", "--yes"]);
    assert_eq!(states(&lab), ["darwin1871 queued", "einstein1905 reading", "darwin1859 done"]);
    assert_eq!(lab.column(&["reading-list", "show", "--state=done"], "key"), ["darwin1859"]);
    assert_eq!(lab.json(&["reading-list", "show", "--limit=1"])["total"], 3);
    lab.ok(&["reading-list", "remove", "darwin1859", "--yes"]);
    assert_eq!(states(&lab).len(), 2);
}

#[test]
fn adding_again_queues_what_was_read_and_keeps_the_priority() {
    let lab = Lab::seeded();
    lab.ok(&["reading-list", "add", "darwin1859", "--priority=high", "--yes"]);
    lab.ok(&["reading-list", "done", "darwin1859", "--yes"]);
    lab.ok(&["reading-list", "add", "darwin1859", "--yes"]);
    let row = &lab.json(&["reading-list", "show"])["rows"][0];
    assert_eq!((&row["state"], &row["priority"]), (&"queued".into(), &"high".into()));
    assert!(row["finished_at"].is_null(), "{row}");
    assert_eq!(lab.json(&["reading-list", "add", "darwin1859", "--yes"])["result"]["skipped"], 1);
}

#[test]
fn what_was_never_queued_can_be_started_or_done() {
    let lab = Lab::seeded();
    lab.ok(&["reading-list", "done", "darwin1859", "--yes"]);
    lab.ok(&["reading-list", "start", "darwin1871", "--yes"]);
    assert_eq!(states(&lab), ["darwin1871 reading", "darwin1859 done"]);
}

#[test]
fn bad_input_is_named() {
    let lab = Lab::seeded();
    for (line, code, says) in [
        (&["reading-list", "add", "darwn1859"][..], 3, "darwin1859"),
        (&["reading-list", "add"], 2, "ITEM"),
        (&["reading-list", "add", "darwin1859", "--priority=urgent"], 2, "high"),
        (&["reading-list", "start", "nobody"], 3, "nobody"),
        (&["reading-list", "done", "nobody"], 3, "nobody"),
        (&["reading-list", "remove", "darwin1859"], 3, "not on the reading list"),
    ] {
        let before = lab.dump();
        let answer = lab.run(&[line, &["--yes"]].concat());
        assert_eq!(answer.code, code, "{line:?}: {answer:?}");
        assert!(answer.stderr.contains(says), "{line:?}: {answer:?}");
        assert_eq!(lab.dump(), before);
    }
    assert_eq!(lab.run(&["reading-list", "show", "--state=lost"]).code, 2);
    lab.ok(&["reading-list", "remove", "darwin1859", "--ignore-missing", "--yes"]);
}
