//! Enrichment and import by DOI, at a provider that behaves and one that doesn't.

use crate::server::{Reply, Server};
use crate::support::Lab;
use serde_json::{Value, json};

fn crossref(doi: &str, title: &str, year: i32, author: &str) -> Reply {
    let work = json!({
        "DOI": doi, "type": "book", "title": [title], "author": [{"family": author, "given": "C."}],
        "issued": {"date-parts": [[year]]}, "publisher": "Appleton", "abstract": "<jats:p>On &lt;life&gt;.</jats:p>",
    });
    Reply::json(&json!({"status": "ok", "message": {"items": [work]}}).to_string())
}

fn origin() -> Reply {
    crossref("10.1000/ORIGIN", "On the Origin of Species", 1859, "Darwin")
}

fn enrich(lab: &Lab, server: &Server, more: &[&str]) -> Value {
    let address = server.address();
    let mut line = vec!["items", "enrich", "--base-url", &address, "--rate-limit=1000"];
    line.extend(more);
    lab.json(&line)
}

fn item(lab: &Lab, key: &str) -> Value {
    lab.json(&["items", "get", key])
}

#[test]
fn gaps_are_filled_and_nothing_else_is_touched() {
    let lab = Lab::seeded();
    let server = Server::start(vec![origin()]);
    let answer = enrich(&lab, &server, &["darwin1859", "--yes"]);
    assert_eq!(answer["ok"], true, "{answer}");
    let darwin = item(&lab, "darwin1859");
    assert_eq!((&darwin["doi"], &darwin["abstract"]), (&json!("10.1000/origin"), &json!("On <life>.")));
    assert_eq!((&darwin["publisher"], &darwin["issued"]), (&json!("John Murray"), &json!("1859")));
    let request = &server.requests()[0];
    assert!(request.contains("query.bibliographic=On%20the%20Origin%20of%20Species%20Darwin"), "{request}");
}

#[test]
fn an_unsure_match_proposes_nothing() {
    for reply in [
        crossref("10.1000/1", "On the Origin of Species", 1995, "Darwin"),
        crossref("10.1000/2", "On the Origin of Species", 1859, "Butler"),
        crossref("10.1000/3", "The Origin of Continents", 1859, "Darwin"),
        Reply::json("{\"message\": {\"items\": []}}"),
        Reply::status(404),
    ] {
        let lab = Lab::seeded();
        let before = lab.dump();
        let server = Server::start(vec![reply]);
        let answer = enrich(&lab, &server, &["darwin1859", "--yes"]);
        assert_eq!((&answer["ok"], &answer["result"]["applied"]), (&json!(true), &json!(0)), "{answer}");
        assert_eq!(lab.dump(), before);
    }
}

#[test]
fn a_doi_is_asked_for_first() {
    let lab = Lab::seeded();
    let work = json!({"message": {
        "DOI": "10.1002/andp.19053221004", "title": ["Another title"], "volume": "322", "page": "891-921", "issue": "10",
    }});
    let server = Server::start(vec![Reply::json(&work.to_string())]);
    enrich(&lab, &server, &["einstein1905", "--field=pages", "--field=volume", "--yes"]);
    assert!(server.requests()[0].starts_with("GET /works/10.1002%2Fandp.19053221004 "), "{:?}", server.requests());
    let einstein = item(&lab, "einstein1905");
    assert_eq!(
        (&einstein["pages"], &einstein["volume"], &einstein["issue"]),
        (&json!("891-921"), &json!("322"), &Value::Null)
    );
}

#[test]
fn one_items_failure_does_not_sink_the_run() {
    let lab = Lab::seeded();
    let server =
        Server::start(vec![Reply::json("{broken"), crossref("10.1000/9", "The Descent of Man", 1871, "Darwin")]);
    let answer = enrich(&lab, &server, &["darwin1859", "darwin1871", "--yes"]);
    assert_eq!(answer["error"]["exit_code"], 13, "{answer}");
    assert_eq!(answer["result"]["targets"], json!(["item darwin1871"]));
    assert_eq!(answer["result"]["failed"][0]["error"]["exit_code"], 5);
    assert_eq!(item(&lab, "darwin1871")["doi"], "10.1000/9");
}

#[test]
fn a_provider_that_fails_or_has_no_time_is_told_by_the_exit_code() {
    for (reply, code, kind) in [
        (Reply::status(429).header("Retry-After: 600"), 7, "rate-limited"),
        (Reply::status(403), 5, "provider"),
        (Reply::json("<html>"), 5, "provider"),
    ] {
        let lab = Lab::seeded();
        let before = lab.dump();
        let server = Server::start(vec![reply]);
        let answer = enrich(&lab, &server, &["darwin1859", "--yes"]);
        let error = &answer["error"];
        assert_eq!((&error["exit_code"], &error["kind"]), (&json!(code), &json!(kind)), "{answer}");
        assert_eq!(error["retryable"], true);
        assert_eq!(lab.dump(), before);
    }
    let lab = Lab::seeded();
    let server = Server::start(vec![
        Reply::status(429).header("Retry-After: 0"),
        Reply::status(503).header("Retry-After: 0"),
        origin(),
    ]);
    assert_eq!(enrich(&lab, &server, &["darwin1859", "--yes"])["ok"], true);
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn a_provider_that_keeps_failing_is_not_asked_any_more() {
    let lab = Lab::seeded();
    for number in 0..5 {
        lab.ok(&["items", "add", &format!("Work {number}"), "--yes"]);
    }
    let server = Server::start(vec![Reply::status(400); 20]);
    let answer = enrich(&lab, &server, &["--yes"]);
    assert_eq!(answer["error"]["exit_code"], 5, "{answer}");
    assert_eq!(answer["result"]["failed"].as_array().unwrap().len(), 9);
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn answers_are_kept_and_the_preview_leaves_the_library_alone() {
    let lab = Lab::seeded();
    let server = Server::start(vec![origin(), origin(), origin()]);
    let before = lab.bytes();
    let preview = enrich(&lab, &server, &["darwin1859"]);
    assert_eq!(preview["mode"], "preview");
    assert!(lab.bytes() == before, "the preview changed the library file");
    let local = enrich(&lab, &server, &["darwin1859", "--data-source=local"]);
    assert_eq!(local["plan"], preview["plan"]);
    assert_eq!(server.requests().len(), 1);
    enrich(&lab, &server, &["darwin1859", "--no-cache"]);
    enrich(&lab, &server, &["darwin1859", "--data-source=live"]);
    assert_eq!(server.requests().len(), 3);
    let applied = enrich(&lab, &server, &["darwin1859", "--yes"]);
    assert_eq!(applied["plan"]["digest"], preview["plan"]["digest"]);
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn a_dry_run_reads_kept_answers_and_writes_no_file() {
    let lab = Lab::seeded();
    let server = Server::start(vec![origin(), origin()]);
    let files = || std::fs::read_dir(lab.folder().join("data")).unwrap().count();
    let before = files();
    let dry = enrich(&lab, &server, &["darwin1859", "--dry-run"]);
    assert_eq!((files(), server.requests().len()), (before, 1));
    let preview = enrich(&lab, &server, &["darwin1859"]);
    assert_eq!((files(), server.requests().len()), (before + 1, 2));
    let again = enrich(&lab, &server, &["darwin1859", "--dry-run"]);
    assert_eq!(server.requests().len(), 2);
    assert_eq!((&dry["plan"], &again["plan"]), (&preview["plan"], &preview["plan"]));
}

#[test]
fn openalex_is_asked_in_its_own_way() {
    let lab = Lab::seeded();
    let work = json!({"results": [{
        "doi": "https://doi.org/10.1000/O", "title": "The descent of man", "publication_year": 1871, "type": "book",
        "authorships": [{"author": {"display_name": "Charles Darwin"}}], "abstract_inverted_index": {"Apes": [0], "rise": [1]},
    }]});
    let server = Server::start(vec![Reply::json(&work.to_string())]);
    enrich(&lab, &server, &["darwin1871", "--provider=openalex", "--mailto=ada@example.org", "--yes"]);
    let darwin = item(&lab, "darwin1871");
    assert_eq!((&darwin["doi"], &darwin["abstract"]), (&json!("10.1000/o"), &json!("Apes rise")));
    let request = &server.requests()[0];
    assert!(request.contains("search=The%20Descent") && request.contains("mailto=ada%40example.org"), "{request}");
}

#[test]
fn a_file_that_cannot_be_read_changes_nothing() {
    let lab = Lab::seeded();
    let file = lab.file("works.jsonl", "{\"title\": \"A\"}\n{\"title\": 7, \"author\": 1}\n");
    let answer = lab.json(&["items", "enrich", "--from", &file, "--yes"]);
    assert_eq!(answer["error"]["exit_code"], 1, "{answer}");
    assert_eq!(answer["error"]["at"], json!({"file": file, "line": 2, "field": "author"}));
    assert_eq!(lab.run(&["items", "enrich", "--from=/nowhere.json"]).code, 3);
    assert_eq!(lab.run(&["items", "enrich", "--threshold=2"]).code, 2);
}

#[test]
fn a_work_is_imported_by_its_doi() {
    let lab = Lab::seeded();
    let work = json!({"message": {
        "DOI": "10.1038/171737A0", "type": "journal-article", "title": ["Molecular Structure of Nucleic Acids"],
        "container-title": ["Nature"], "author": [{"given": "J. D.", "family": "Watson"}],
        "issued": {"date-parts": [[1953, 4]]}, "volume": "171", "page": "737-738",
    }});
    let server = Server::start(vec![Reply::json(&work.to_string()), Reply::status(404)]);
    let address = server.address();
    let import = |doi: &str, more: &[&str]| {
        let mut line = vec!["import", "doi", doi, "--base-url", &address, "--rate-limit=1000", "--tag=new", "--yes"];
        line.extend(more);
        lab.json(&line)
    };
    let answer = import("https://doi.org/10.1038/171737a0", &[]);
    assert_eq!(answer["result"]["keys"], json!(["watson1953"]), "{answer}");
    let watson = item(&lab, "watson1953");
    assert_eq!((&watson["container_title"], &watson["pages"]), (&json!("Nature"), &json!("737-738")));
    assert_eq!(import("10.1038/171737a0", &[])["result"]["applied"], 0, "it is there already, and the answer is kept");
    assert_eq!(import("10.1000/nothing", &[])["error"]["exit_code"], 3);
    assert_eq!(import("10.1000/nothing", &["--ignore-missing"])["ok"], true);
    assert_eq!(import("nonsense", &[])["error"]["exit_code"], 2);
    assert_eq!(server.requests().len(), 2);
}
