//! `mycli notes`.

use crate::support::Lab;

#[test]
fn a_note_is_written_read_changed_and_deleted() {
    let lab = Lab::seeded();
    let added =
        lab.json(&["notes", "add", "darwin1859", "Tangled bank", "--page=490", "--quote=There is grandeur", "--yes"]);
    assert_eq!(added["result"]["id"], 1);
    let note = lab.json(&["notes", "get", "1"]);
    assert_eq!(note["item"], "darwin1859");
    assert_eq!(note["title"], "Tangled bank");
    assert_eq!(note["body"], "> There is grandeur\n> (p. 490)\n\nTangled bank");
    lab.ok(&["notes", "edit", "1", "--append=And more.", "--title=Grandeur", "--yes"]);
    let text = lab.ok(&["notes", "get", "1"]).stdout;
    assert_eq!(text, "# Grandeur\n\n> There is grandeur\n> (p. 490)\n\nTangled bank\n\nAnd more.\n");
    lab.ok(&["notes", "edit", "1", "--text=Short.", "--yes"]);
    assert_eq!(lab.json(&["notes", "get", "1"])["body"], "Short.");
    lab.ok(&["notes", "delete", "1", "1", "--yes", "--allow-destructive"]);
    assert_eq!(lab.json(&["notes", "list"])["total"], 0);
}

#[test]
fn text_comes_from_standard_input_too() {
    let lab = Lab::seeded();
    let answer = lab.run_with_input(&["notes", "add", "darwin1859", "-", "--yes"], "# From afar\n\nwith a body\n");
    assert_eq!(answer.code, 0, "{answer:?}");
    assert_eq!(lab.json(&["notes", "get", "1"])["title"], "From afar");
}

#[test]
fn lists_are_filtered() {
    let lab = Lab::seeded();
    lab.ok(&["notes", "add", "darwin1859", "Natural selection", "--yes"]);
    lab.ok(&["notes", "add", "einstein1905", "Relativity of time", "--yes"]);
    assert_eq!(lab.column(&["notes", "list"], "note"), ["2", "1"]);
    assert_eq!(lab.column(&["notes", "list", "darwin1859"], "title"), ["Natural selection"]);
    assert_eq!(lab.column(&["notes", "list", "--contains=RELATIV"], "item"), ["einstein1905"]);
    assert_eq!(lab.json(&["notes", "list", "--limit=1"])["total"], 2);
    assert_eq!(lab.column(&["search", "selection", "--within=notes"], "key"), ["darwin1859"]);
}

#[test]
fn bad_input_is_named() {
    let lab = Lab::seeded();
    lab.ok(&["notes", "add", "darwin1859", "Natural selection", "--yes"]);
    for (line, code, says) in [
        (&["notes", "add", "darwin1895", "x"][..], 3, "darwin1859"),
        (&["notes", "add", "darwin1859", " "], 2, "empty"),
        (&["notes", "add", "darwin1859", "", "--page=3"], 2, "empty"),
        (&["notes", "edit", "1"], 2, "--text"),
        (&["notes", "edit", "1", "--text="], 2, "notes delete"),
        (&["notes", "edit", "1", "--text=a", "--append=b"], 2, "--append"),
        (&["notes", "edit", "7", "--text=a"], 3, "no note 7"),
        (&["notes", "edit", "one", "--text=a"], 2, "one"),
        (&["notes", "delete", "7"], 3, "no note 7"),
        (&["notes", "delete", "1", "7"], 13, "no note 7"),
    ] {
        let answer = lab.run(&[line, &["--yes", "--allow-destructive"]].concat());
        assert_eq!(answer.code, code, "{line:?}: {answer:?}");
        assert!(answer.stderr.contains(says), "{line:?}: {answer:?}");
    }
    assert_eq!(lab.run(&["notes", "get", "7"]).code, 3);
    assert_eq!(lab.run(&["notes", "list", "nobody"]).code, 3);
    lab.ok(&["notes", "delete", "7", "--ignore-missing", "--yes"]);
}
