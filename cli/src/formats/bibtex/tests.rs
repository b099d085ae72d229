use super::super::testing;
use crate::formats::{Creator, Format, FormatError, Kind, Record, Role, When};

fn read(text: &str) -> Result<Vec<Record>, FormatError> {
    Format::Bibtex.parse(text).map(|parsed| parsed.records)
}

fn read_one(fields: &str) -> Record {
    read(&format!("@article{{key, {fields}}}")).unwrap().remove(0)
}

#[test]
fn text_loses_its_tex() {
    for (tex, expected) in [
        (r"{A {\LaTeX} Guide}", "A LaTeX Guide"),
        (r#""Die Verwandlung: Erz{\"a}hlung""#, "Die Verwandlung: Erzählung"),
        (r"{Garc{\'\i}a M\'arquez}", "García Márquez"),
        (r"{Fran{\c c}ois, \v{S}afa\v{r}\'{\i}k}", "François, Šafařík"),
        (r"{\emph{Origin} of {\it Species}}", "Origin of Species"),
        (r"{Volume~2, pp.\ 3\,--\,5}", "Volume 2, pp. 3 – 5"),
        (r"{Research \& Development: 50\% \#1}", "Research & Development: 50% #1"),
        (r"{The $\alpha$ and the omega}", r"The $\alpha$ and the omega"),
        ("{Several\n   lines}", "Several lines"),
        (r"{\noopsort{1973b}Art}", "Art"),
        ("{日本語 😀}", "日本語 😀"),
    ] {
        assert_eq!(read_one(&format!("title = {tex}")).title.as_deref(), Some(expected), "{tex}");
    }
}

#[test]
fn names_are_taken_apart() {
    let person = |family, given| Creator::person(Role::Author, family, given);
    for (tex, expected) in [
        ("Donald E. Knuth", vec![person("Knuth", "Donald E.")]),
        ("Knuth, Donald E.", vec![person("Knuth", "Donald E.")]),
        (
            "Ludwig van Beethoven and von Neumann, John",
            vec![person("van Beethoven", "Ludwig"), person("von Neumann", "John")],
        ),
        ("King, Jr., Martin Luther", vec![person("King", "Martin Luther, Jr.")]),
        ("{Free Software Foundation} AND others", vec![Creator::literal(Role::Author, "Free Software Foundation")]),
        ("{Barnes and Noble, Inc.}", vec![Creator::literal(Role::Author, "Barnes and Noble, Inc.")]),
        ("Aristotle", vec![person("Aristotle", "")]),
        ("Sandy Anderson and\n  Andy Sand", vec![person("Anderson", "Sandy"), person("Sand", "Andy")]),
        (r"P. Erd{\H o}s and {\'E}. Galois", vec![person("Erdős", "P."), person("Galois", "É.")]),
        ("J.~R. Smith", vec![person("Smith", "J. R.")]),
        ("family=Duchamp, given=Philip, prefix=du", vec![person("du Duchamp", "Philip")]),
        ("", vec![]),
    ] {
        assert_eq!(read_one(&format!("author = {{{tex}}}")).creators, expected, "{tex}");
    }
}

#[test]
fn dates_are_put_together() {
    let date = |year, month, day| Some(When::Date { year, month, day });
    for (fields, expected) in [
        ("year = 1651", date(1651, None, None)),
        ("year = {1948}, month = jul", date(1948, Some(7), None)),
        ("year = {1948}, month = {July}", date(1948, Some(7), None)),
        ("year = 1948, month = jul # \"~12\"", date(1948, Some(7), Some(12))),
        ("year = 1948, month = 7, day = 12", date(1948, Some(7), Some(12))),
        ("date = {1948-07-12}", date(1948, Some(7), Some(12))),
        ("date = {1844/1846}", date(1844, None, None)),
        ("year = {in press}", Some(When::Literal("in press".into()))),
        ("month = jul", None),
        ("year = {}", None),
    ] {
        assert_eq!(read_one(fields).issued, expected, "{fields}");
    }
}

#[test]
fn strings_and_parents_are_resolved() {
    let records = read(
        "@STRING{PAMI = \"Pattern Analysis\"}\n@string{full = pami # { and Machine Intelligence}}\n\
         @inproceedings{child, title = {Child}, author = {A. B.}, crossref = {parent}}\n\
         @article{paper, title = {Paper}, journal = Full}\n\
         @proceedings{parent, title = {Proceedings of X}, year = 1999, publisher = {ACM}}",
    )
    .unwrap();
    assert_eq!(records[0].container_title.as_deref(), Some("Proceedings of X"));
    assert_eq!(records[0].year(), Some(1999));
    assert_eq!(records[1].container_title.as_deref(), Some("Pattern Analysis and Machine Intelligence"));
    assert_eq!(records[2].kind, Kind::Book);
}

#[test]
fn fields_find_their_place() {
    let record = read_one(
        r"doi = {https://doi.org/10.1000/AB_1}, url = {http://x.org/a\_b~c%20d}, pages = {12--34}, number = 3, keywords = {a; {b, c}, d},
          file = {x.pdf}, booktitle = {},",
    );
    assert_eq!(record.doi.as_deref(), Some("10.1000/ab_1"));
    assert_eq!(record.url.as_deref(), Some("http://x.org/a_b~c%20d"));
    assert_eq!(record.pages.as_deref(), Some("12-34"));
    assert_eq!(record.keywords, ["a", "b, c", "d"]);
    let preprint = read("@misc{a, title={T}, eprint={2101.00001}, archivePrefix={arXiv}}").unwrap().remove(0);
    assert_eq!(preprint.url.as_deref(), Some("https://arxiv.org/abs/2101.00001"));
    let ignored = Format::Bibtex.parse("@book{a, file={x}}@book{b, file={y}, title={T}}").unwrap().ignored;
    assert_eq!(ignored.into_iter().collect::<Vec<_>>(), [("file".to_owned(), 2)]);
    let keyless = read("@misc{, title={A}}\n@misc{, title={B}}").unwrap();
    assert_eq!(keyless.iter().map(|record| &record.citekey).collect::<Vec<_>>(), [&None, &None]);
}

#[test]
fn faults_are_named_with_line_and_field() {
    for (text, line, field, words) in [
        ("@article{a,\n  title = {T},\n  year 1948\n}", 3, None, "expected equals"),
        ("@article{a,\n  title = {T}\n  year = 1948\n}", 3, None, "expected comma"),
        ("@article{a, title = {T}}\n\n@book{a, title = {U}}", 3, None, "duplicate key \"a\""),
        ("@article{a,\n  journal = nosuch,\n}", 2, Some("journal"), "nosuch"),
        ("@article{a,\n title = {T", 2, None, "unexpected end of file"),
        ("@article{a,\n\n title = {$x}}", 3, Some("title"), "unexpected end"),
        ("\n@string{a = b # \"x\"}\n@string{b = a}", 2, Some("@string"), "by itself"),
        ("@string{a = a}", 1, Some("@string"), "by itself"),
        ("@book{a, crossref = {b}}\n@book{b,\n crossref = {a}}", 1, Some("crossref"), "refers to itself"),
        ("@book{a, xdata = {a}}", 1, Some("xdata"), "refers to itself"),
        ("@book(a, title = {T})", 1, None, "expected opening brace"),
    ] {
        let error = read(text).unwrap_err();
        assert_eq!((error.line, error.field.as_deref()), (line, field), "{text:?}: {error}");
        assert!(error.message.contains(words), "{text:?}: {error}");
    }
    let deep = format!("@book{{a, title = {{{}}}}}", "\\x{".repeat(50_000));
    assert!(read(&deep).unwrap_err().message.contains("nested"));
    assert!(read(&format!("@book{{a, title = {{{}}}}}", "\\'{".repeat(90) + &"}".repeat(90))).is_ok());
}

#[test]
fn a_small_file_does_not_fill_the_memory() {
    let doubled = |levels: u32| -> String {
        let level = |n: u32| format!("@string{{s{n} = s{} # s{}}}\n", n - 1, n - 1);
        format!("@string{{s0 = \"0123456789\"}}\n{}", (1..=levels).map(level).collect::<String>())
    };
    for levels in [25, 40, 100, 20_000] {
        let error = read(&doubled(levels)).unwrap_err();
        assert!((20..30).contains(&error.line) && error.message.contains("grow beyond 32 MiB"), "{levels}: {error}");
    }
    assert!(read(&doubled(10)).is_ok());
    let joined = |parts: usize| format!("@string{{s = \"a\"}}\n@book{{k,\n  title = s{}\n}}", " # s".repeat(parts - 1));
    let error = read(&joined(200_000)).unwrap_err();
    assert_eq!((error.line, error.field.as_deref()), (3, Some("title")), "{error}");
    assert!(read(&joined(2_000)).is_ok());
    let parent = format!("{}@xdata{{p, note = s20, abstract = s20}}\n", doubled(20));
    let children: String = (0..10).map(|n| format!("@book{{c{n}, title = {{T}}, xdata = {{p}}}}\n")).collect();
    let error = read(&format!("{parent}{children}")).unwrap_err();
    assert!(error.message.contains("`c0` makes the file grow"), "{error}");
}

#[test]
fn long_chains_of_parents_are_no_circle() {
    let chain: String = (0..200).map(|i| format!("@xdata{{k{i}, xdata = {{k{}}}}}\n", i + 1)).collect();
    assert_eq!(read(&chain).unwrap(), []);
}

#[test]
fn what_is_written_is_tex() {
    let record = Record {
        title: Some("The NASA {x} & Co. of $x^2$".into()),
        creators: vec![Creator::literal(Role::Author, "R&D"), Creator::person(Role::Editor, "von Neumann", "John")],
        issued: Some(When::Date { year: 1948, month: Some(7), day: None }),
        pages: Some("1-2".into()),
        kind: Kind::ArticleMagazine,
        ..Record::default()
    };
    insta::assert_snapshot!(super::render(&[record]), @r"
    @article{rd1948,
      entrysubtype = {article-magazine},
      author = {{R\&D}},
      editor = {von Neumann, John},
      title = {The NASA \textbraceleft{}x\textbraceright{} \& Co. of $x^2$},
      year = {1948},
      month = {7},
      pages = {1--2},
    }
    ");
}

#[test]
fn what_is_written_is_read_again() {
    testing::assert_round_trip(Format::Bibtex);
}

proptest::proptest! {
    #[test]
    fn no_text_brings_the_reader_down(text in "(@[a-z]{1,3}\\{|[{}\\\\\"$@,=#%~a-c '^\n]|\\\\[a-z]\\{|crossref|year){0,60}") {
        let _ = read(&text);
        let _ = read(&format!("@misc{{k, title = {{{text}}}, year = {{{text}}}, author = {{{text}}}}}"));
    }
}
