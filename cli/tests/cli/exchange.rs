//! Works in and out: import, export, citing, manuscripts, the demo.

use crate::support::Lab;
use mycli::formats::{Creator, Format, Kind, Record, Role, When};
use serde_json::{Value, json};

/// Works that hold what formats trip over.
fn works() -> Vec<Record> {
    let work = |key: &str, title: &str| Record {
        citekey: Some(key.to_owned()),
        kind: Kind::ArticleJournal,
        title: Some(title.to_owned()),
        creators: vec![
            Creator::person(Role::Author, "von Neumann", "John, Jr."),
            Creator::literal(Role::Author, "Bell & Sons"),
            Creator::person(Role::Editor, "Erdős", "Pál"),
        ],
        issued: Some(When::Date { year: 1948, month: Some(7), day: Some(12) }),
        container_title: Some("R&D_Letters 50%".to_owned()),
        volume: Some("27".to_owned()),
        pages: Some("379-423".to_owned()),
        doi: Some(format!("10.1000/{key}_x")),
        url: Some("https://example.org/~a--b?c=%20d".to_owned()),
        abstract_text: Some("Costs $5 -- {not} \\LaTeX, \"quoted\".".to_owned()),
        keywords: vec!["a b".to_owned(), "z".to_owned()],
        note: Some("see also".to_owned()),
        ..Record::default()
    };
    let mut bare = Record { citekey: Some("bare".into()), title: Some("日本語".into()), ..Record::default() };
    bare.kind = Kind::LegalCase;
    bare.issued = Some(When::Literal("forthcoming".into()));
    vec![bare, work("one", "The NASA $x^2$ Report: 100% {Sure}"), work("two", "Über α & ω")]
}

#[test]
fn what_is_exported_is_imported_again_unchanged() {
    for (format, command) in [(Format::Bibtex, "bibtex"), (Format::Ris, "ris"), (Format::CslJson, "csl-json")] {
        let lab = Lab::new();
        let file = lab.file("in.txt", format.render(&works()));
        lab.ok(&["import", "file", &file, "--yes"]);
        let out = lab.folder().join("out.txt");
        lab.ok(&["export", command, "--output", out.to_str().unwrap(), "--yes"]);
        let text = std::fs::read_to_string(&out).unwrap();
        assert_eq!(format.parse(&text).unwrap().records, works(), "{text}");
        let again = Lab::new();
        again.ok(&["import", "file", out.to_str().unwrap(), "--yes"]);
        assert_eq!(again.ok(&["export", "csl-json"]).stdout, lab.ok(&["export", "csl-json"]).stdout);
        let printed = again.json(&["export", command]);
        assert_eq!(
            (&printed["format"], &printed["count"], &printed["text"]),
            (&json!(command), &json!(3), &json!(text))
        );
    }
}

#[test]
fn faults_of_a_file_name_file_line_and_field_and_leave_nothing_behind() {
    for (name, content, code, at, words) in [
        ("a.bib", "@book{a,\n title = {T}\n year = 1\n}", 1, json!({"line": 3}), "comma"),
        (
            "a.bib",
            "@book{a, title = {A}, year = 1900}\n\n@book{b,\n year = 1900}",
            1,
            json!({"line": 3, "field": "title"}),
            "title",
        ),
        (
            "a.bib",
            "@book{a, title={A}}\n@book{b, title={B},\n doi={nonsense}}",
            1,
            json!({"line": 2, "field": "doi"}),
            "no DOI",
        ),
        ("a.ris", "TY  - JOUR\nTI  - A\nER  - \nTI  - B\n", 1, json!({"line": 4}), "outside a record"),
        ("a.json", "[{\"title\": \"A\"},\n {\"title\": {}}]", 1, json!({"line": 2, "field": "title"}), "object"),
        ("a.txt", "hello", 1, json!({"line": 1}), "neither BibTeX"),
        ("a.bib", "", 1, json!({"line": 1}), "neither BibTeX"),
    ] {
        let lab = Lab::new();
        let file = lab.file(name, content);
        for gate in ["--dry-run", "--yes"] {
            let answer = lab.json(&["import", "file", &file, gate]);
            assert_eq!(answer["ok"], false, "{content:?}: {answer}");
            let error = &answer["error"];
            assert_eq!(error["exit_code"], code, "{content:?}: {error}");
            let mut place = at.clone();
            place["file"] = json!(file);
            assert_eq!(error["at"], place, "{content:?}: {error}");
            assert!(error["message"].as_str().unwrap().contains(words), "{content:?}: {error}");
        }
        assert_eq!(lab.dump(), "");
    }
    let lab = Lab::new();
    let file = lab.file("latin1.bib", b"@book{a,\n title = {\xfcber}}");
    let answer = lab.json(&["import", "file", &file, "--yes"]);
    assert_eq!(answer["error"]["at"]["line"], 2, "{answer}");
    assert_eq!(lab.run(&["import", "file", "/nowhere.bib"]).code, 3);
    assert_eq!(lab.run(&["import", "file", lab.folder().to_str().unwrap()]).code, 2);
}

#[test]
fn faulty_works_alone_are_left_out_when_asked() {
    let lab = Lab::new();
    let file = lab.file("a.bib", "@book{a, title = {A}}\n@book{b, year = 1900}\n@book{c, title = {C}}");
    let answer = lab.json(&["import", "file", &file, "--yes", "--continue-on-error"]);
    assert_eq!(answer["error"]["exit_code"], 13, "{answer}");
    assert_eq!(answer["result"]["keys"], json!(["a", "c"]));
    assert_eq!(answer["result"]["failed"][0]["error"]["at"]["line"], 2);
    assert_eq!(lab.column(&["items", "list"], "key"), ["a", "c"]);
}

#[test]
fn what_the_library_has_is_passed_over_added_or_refused() {
    let lab = Lab::seeded();
    let file = lab.file(
        "a.bib",
        "@book{darwin1859, title = {On the Origin of {S}pecies}, year = 1859}
@article{other, title = {Elektrodynamik}, doi = {https://doi.org/10.1002/ANDP.19053221004}}
@book{darwin1871, title = {The Expression of the Emotions}, year = 1872, keywords = {emotion}}
@book{new, title = {The Voyage of the Beagle}, file = {x.pdf}}",
    );
    let statuses = lab.column(&["import", "scan", &file], "status");
    assert_eq!(statuses, ["known", "known", "new", "new"]);
    let answer = lab.json(&["import", "file", &file, "--yes"]);
    assert_eq!(answer["result"]["applied"], 2, "{answer}");
    let added = lab.column(&["items", "find", "title~expression"], "key");
    assert_eq!(answer["result"]["keys"], json!([added[0], "new"]), "a key that is another item's is replaced");
    assert_ne!(added, ["darwin1871"]);
    assert!(answer["warnings"].to_string().contains("file (1)"), "{answer}");
    assert_eq!(lab.json(&["import", "file", &file, "--yes"])["result"]["applied"], 0);
    let refused = lab.json(&["import", "file", &file, "--yes", "--duplicates=refuse"]);
    assert_eq!(refused["error"]["exit_code"], 9, "{refused}");
    let before = lab.column(&["items", "list"], "key").len();
    lab.ok(&["import", "file", &file, "--yes", "--duplicates=add"]);
    assert_eq!(lab.column(&["items", "list"], "key").len(), before + 4);
}

#[test]
fn a_bibliography_comes_from_stdin_too() {
    let lab = Lab::new();
    let answer = lab.run_with_input(&["import", "file", "-", "--yes"], "@book{a, title = {A}}");
    assert_eq!(answer.code, 0, "{answer:?}");
    assert_eq!(lab.column(&["items", "list"], "key"), ["a"]);
}

#[test]
fn works_go_into_collections_with_tags() {
    let lab = Lab::new();
    lab.ok(&["collections", "create", "Club", "--yes"]);
    let file = lab.file("a.bib", "@book{a, title = {A}, keywords = {x, y}}");
    lab.ok(&["import", "file", &file, "--collection=Club", "--tag=y", "--tag=z", "--yes"]);
    let item = &lab.json(&["items", "list", "--collection=Club"])["rows"][0];
    assert_eq!((&item["key"], &item["tags"]), (&json!("a"), &json!(["x", "y", "z"])));
    let missing = lab.run(&["import", "file", &file, "--collection=Nowhere", "--yes", "--duplicates=add"]);
    assert_ne!(missing.code, 0);
}

#[test]
fn exports_choose_their_works() {
    let lab = Lab::seeded();
    let keys = |line: &[&str]| -> Vec<String> {
        let text = lab.ok(line).stdout;
        Format::CslJson.parse(&text).unwrap().records.into_iter().filter_map(|record| record.citekey).collect()
    };
    assert_eq!(keys(&["export", "csl-json", "darwin1871", "darwin1859"]), ["darwin1871", "darwin1859"]);
    assert_eq!(keys(&["export", "csl-json", "--tag=evolution"]), ["darwin1859", "darwin1871"]);
    assert_eq!(keys(&["export", "csl-json", "--type=article-journal"]), ["einstein1905", "einstein1905copy"]);
    assert_eq!(keys(&["export", "csl-json"]).len(), 4);
    assert_eq!(lab.run(&["export", "ris", "nobody"]).code, 3);
    assert_eq!(lab.run(&["export", "ris", "nobody", "--ignore-missing"]).code, 0);
    assert_eq!(lab.run(&["export", "ris", "--collection=Nowhere"]).code, 3);
    assert_eq!(lab.run(&["export", "ris", "--output=/nowhere/x.ris", "--yes"]).code, 3);
}

#[test]
fn works_are_cited_and_listed_in_a_style() {
    let lab = Lab::seeded();
    assert_eq!(lab.ok(&["items", "cite", "darwin1871", "darwin1859"]).stdout, "(Darwin, 1859; 1871)\n");
    let cited = lab.json(&["items", "cite", "darwin1859", "--style=ieee", "--reference"]);
    assert_eq!(cited["citation"], "[1]");
    assert!(cited["references"][0]["text"].as_str().unwrap().starts_with("[1] C. Darwin"), "{cited}");
    let listed = lab.json(&["items", "bibliography", "--tag=evolution", "--format=html"]);
    assert_eq!(listed["count"], 2);
    assert!(listed["text"].as_str().unwrap().contains("<i>On the Origin of Species</i>"), "{listed}");
    assert_eq!(lab.run(&["items", "cite", "nobody"]).code, 3);
    assert_eq!(lab.run(&["items", "cite", "darwin1859", "--style=nonsense"]).code, 2);
}

#[test]
fn a_manuscript_is_checked() {
    let lab = Lab::seeded();
    lab.ok(&["items", "trash", "darwin1871", "--yes"]);
    let file = lab.file(
        "paper.tex",
        "\\cite{darwin1859,\n  darwin1895}\n\\citep[p.~1]{darwin1871}\n% \\cite{no}\n\\cite{darwin1895}",
    );
    let answer = lab.json(&["items", "bibcheck", &file]);
    let rows = answer["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 2, "{answer}");
    assert_eq!((&rows[0]["status"], rows.len()), (&json!("in the trash"), 2));
    assert_eq!(rows[1]["key"], "darwin1895");
    assert_eq!(rows[1]["lines"], json!([2, 5]));
    assert!(rows[1]["nearest"].as_str().unwrap().starts_with("darwin18"), "{answer}");
    assert_eq!(lab.json(&["items", "bibcheck", &file, "--all"])["rows"].as_array().unwrap().len(), 3);
    assert_eq!(lab.run(&["items", "bibcheck", &file]).code, 0);
    assert_eq!(lab.run(&["items", "bibcheck", &file, "--strict"]).code, 11);
    let clean = lab.file("clean.md", "As [@darwin1859] says.");
    assert_eq!(lab.run(&["items", "bibcheck", &clean, "--strict"]).code, 0);
}

#[test]
fn the_demo_fills_a_library_that_does_not_exist_yet() {
    let lab = Lab::new();
    lab.ok(&["demo"]);
    assert!(!lab.library().parent().unwrap().exists(), "a preview made the data folder");
    let answer = lab.json(&["demo", "--yes", "--max-changes=200"]);
    let file = answer["result"]["works_file"].as_str().unwrap().to_owned();
    let keys = lab.column(&["items", "list", "--limit=500"], "key");
    assert!(keys.len() >= 60 && keys.contains(&"hobbes1651".to_owned()), "{keys:?}");
    assert!(lab.json(&["items", "duplicates"])["total"].as_u64().unwrap() >= 2);
    let again = lab.json(&["demo", "--yes"]);
    assert_eq!((&again["ok"], &again["result"]["applied"]), (&json!(true), &json!(0)), "{again}");
    let enriched = lab.json(&["items", "enrich", "--from", &file, "--limit=500", "--yes"]);
    assert!(enriched["result"]["applied"].as_u64().unwrap() > 60, "{enriched}");
    let doi = "10.1002/j.1538-7305.1948.tb01338.x";
    let shannon = |key: &str| lab.json(&["items", "get", key])["doi"].clone();
    assert_eq!((shannon("shannon1948"), shannon("shannon1948a")), (json!(doi), Value::Null), "one DOI, one item");
    assert!(enriched["warnings"].to_string().contains("duplicates"), "{enriched}");
    let turing = lab.json(&["items", "get", "turing1936"]);
    assert_eq!((&turing["doi"], &turing["pages"]), (&json!("10.1112/plms/s2-42.1.230"), &json!("230-265")));
    lab.ok(&["journal", "undo", "--yes", &enriched["journal"]["run_id"].to_string()]);
    lab.ok(&["journal", "undo", "--yes", &answer["journal"]["run_id"].to_string()]);
    assert_eq!(lab.column(&["items", "list"], "key"), Vec::<String>::new());
    assert!(!std::path::Path::new(&file).exists());
}

#[cfg(unix)]
#[test]
fn an_exported_file_has_the_usual_permissions_and_keeps_those_it_had() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &str| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let lab = Lab::seeded();
    let usual = mode(&lab.file("usual", ""));
    let kept = lab.file("kept.bib", "");
    std::fs::set_permissions(&kept, PermissionsExt::from_mode(0o640)).unwrap();
    let link = lab.folder().join("link.bib").to_str().unwrap().to_owned();
    std::os::unix::fs::symlink(&kept, &link).unwrap();
    let fresh = lab.folder().join("fresh.bib").to_str().unwrap().to_owned();
    for path in [&fresh, &link] {
        lab.ok(&["export", "bibtex", "--output", path, "--yes"]);
    }
    assert_eq!((mode(&fresh), mode(&kept)), (usual, 0o640));
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(std::fs::read_to_string(&kept).unwrap().contains("@book"));
}
