use super::tree;
use clap_facade::Facade;
use clap_facade::policy::Policy;
use std::path::Path;

/// What a wrong policy is answered with: by its text alone, or by the tree.
fn complaint(text: &str) -> String {
    match Policy::parse(text) {
        Err(error) => error.to_string(),
        Ok(policy) => match Facade::new(tree()).policy(&policy) {
            Err(error) => error.to_string(),
            Ok(_) => panic!("taken: {text}"),
        },
    }
}

#[test]
fn wrong_policies_are_refused_with_what_would_be_right() {
    let table = [
        ("\ndefalt = 'deny'", "line 2, column 1: unknown key `defalt`", "did you mean `default`?"),
        ("[[command]]\nmatch = ['**']\nefect = 'read-only'", "line 3, column 1: unknown key `efect`", "`effect`?"),
        ("[environment]\npas = []", "line 2, column 1: unknown key `pas`", "`pass`?"),
        ("mutating-when = ['x']", "line 1, column 1", "a key of another table"),
        ("default = 'none'", "line 1, column 11: `none` is", "one of `allow`, `deny`"),
        ("default = 'denny'", "`denny` is not one of", "did you mean `deny`?"),
        ("[[command]]\nmatch = ['**']\neffect = 'readonly'", "`readonly` is not one of", "did you mean `read-only`?"),
        ("[[command]]\nmatch = ['**']\neffect = 1", "line 3, column 10: `1`", "a text in quotes"),
        ("deny = 'self'", "line 1, column 8: `'self'`", "a list belongs: `[\"pip list\"]`"),
        ("deny = [1]", "column 9: `1`", "a text in quotes"),
        ("[command]\nmatch = ['**']", "line 1, column 1: `[command]`", "`[[command]]`"),
        ("output-bytes = 'x'", "column 16: `'x'`", "a whole number"),
        ("output-bytes = -1", "column 16: `-1`", "a whole number"),
        ("timeout = 5", "column 11: `5`", "a text in quotes"),
        ("cwd = 1", "column 7: `1`", "path of a folder"),
        ("environment = 1", "column 15: `1`", "a table belongs: `[environment]`"),
        ("environment = { set = 1 }", "`1`", "a table of names and values"),
        ("[exit-codes]\n1 = 'gone'", "line 2, column 5: `'gone'`", "{ kind = "),
        ("[exit-codes]\n1 = {}", "line 2, column 5", "`kind` is missing"),
        ("[exit-codes]\n1 = { kind = 'x', retryable = 1 }", "`1`", "`true` or `false`"),
        ("[[command]]\nmatch = ['**']\nexamples = ['x']", "`'x'`", "title = "),
        ("deny = ['self'", "line 1", "array"),
        ("timeout = '5 parsecs'", "line 1, column 11", "`90s`"),
        ("timeout = '0s'", "line 1, column 11", "longer than nothing"),
        ("[exit-codes]\nx = { kind = 'bad' }", "`x`", "1 to 255"),
        ("[exit-codes]\n0 = { kind = 'bad' }", "`0`", "1 to 255"),
        ("timeout = '500000000000y'", "line 1, column 11", "30 days"),
        ("[[command]]\neffect = 'read-only'", "number 1", "no `match`"),
        ("tool-prefix = 'Uv-'", "`Uv-`", "[a-z]"),
        ("deny = ['slef']", "deny `slef` names nothing in `app`", "did you mean `self`?"),
        ("deny = ['package ls']", "deny `package ls`", "did you mean `pip list`?"),
        ("deny = ['self', 'pip x*']", "deny `pip x*`", "nothing"),
        ("[[command]]\nmatch = ['pip lst']", "match `pip lst`", "did you mean `pip list`?"),
        ("secret = ['tokn']", "secret `tokn`", "did you mean `token`?"),
        ("secret = ['self update token']", "secret `self update token`", "nothing"),
        ("host-owned = ['pip * outptu']", "host-owned", "nothing"),
        ("[[command]]\nmatch = ['pip *']\nmutating-when = ['outptu']", "mutating-when `outptu`", "`output`?"),
        ("budget = 1", "column 10: `1`", "a table belongs: `[budget]`"),
        ("[budget]\ncalls = true", "line 2, column 9: `true`", "a limit or a list of limits"),
        ("[budget]\ncalls = 'many'", "line 2, column 9: `many` is not a limit", "`100/1h`"),
        ("[budget]\ncalls = ['100/1h', '5/never']", "`5/never` is not a limit", "`100/1h`"),
        ("[budget]\ncalls = '100/0s'", "`100/0s`", "`100/1h`"),
        ("[budget]\ncalls = '100/1ms'", "`100/1ms`", "at least 1s"),
        ("[budget]\ncalls = '100/31d'", "`100/31d`", "at most 30 days"),
        ("[budget]\nwrites = '0/1h'", "`0/1h` allows nothing", "`scope`"),
        ("[budget]\nwrites = -1", "`-1`", "is not a limit"),
        (
            "[budget]\ncalls = 100",
            "`[budget]`: `calls` has to say in which time",
            "`calls = \"100/1h\"`; what a session",
        ),
        ("[budget]\ncalls = '1min/1h'", "`[budget]`: the amount of `calls` is a number", "`calls = \"100/1h\"`"),
        ("[budget]\nwall-time = '5/1h'", "the amount of `wall-time` is a time", "`wall-time = \"10min/1h\"`"),
        ("[budget.session]\nwall-time = 5", "`[budget.session]`: the amount of `wall-time`", "a time"),
        ("[budget]\nwal-time = '5s/1h'", "unknown key `wal-time`", "did you mean `wall-time`?"),
        ("[budget]\nconcurrency = 0", "line 2, column 15", "nonzero"),
        ("[principal.ci.budget]\ncalls = 5", "`[principal.ci.budget]`: `calls`", "\"100/1h\""),
        ("[principal.ci.budget.session]\ncalls = '5s'", "`[principal.ci.budget.session]`: the amount", "a number"),
        ("principal = 1", "`1`", "a table"),
        ("[principal]\nci = 1", "`1`", "a table belongs: `[principal.NAME]`"),
        (
            "[principal.ci]\nscope = 'reed'",
            "`reed` is not one of `read`, `write`, `destructive`",
            "did you mean `read`?",
        ),
        ("[principal.ci]\nscop = 'read'", "unknown key `scop`", "did you mean `scope`?"),
        ("[principal.ci]\nallow = 'pip'", "`'pip'`", "a list belongs"),
        ("[principal.ci]\nallow = ['pip lst']", "principal allow `pip lst` names nothing in `app`", "`pip list`?"),
        ("[principal.ci]\ndeny = ['slef']", "principal deny `slef` names nothing", "did you mean `self`?"),
        ("[principal.'a b']\nscope = 'read'", "`[principal.a b]`", "letters, digits"),
        ("[principal.'']\nscope = 'read'", "`[principal.]`", "at most 64"),
        ("gates = ['dry-rn']", "`dry-rn`", "did you mean `dry-run`?"),
    ];
    for (text, at, right) in table {
        let said = match text.starts_with("gates") {
            // A gate is looked for where every other setting of the tree is.
            true => super::facade(text).catalog().unwrap_err().to_string(),
            false => complaint(text),
        };
        assert!(said.contains(at) && said.contains(right), "{text}\nsaid: {said}");
    }
}

#[test]
fn a_file_is_named_in_its_complaints() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.mcp.toml");
    let said = Policy::read(&path).unwrap_err().to_string();
    assert!(said.contains("app.mcp.toml") && said.contains("can't be read"), "{said}");
    std::fs::write(&path, "deny = [\n'self'\n]\ndney = []\n").unwrap();
    let said = Policy::read(&path).unwrap_err().to_string();
    assert!(said.contains("app.mcp.toml:4:1: unknown key `dney`"), "{said}");
    std::fs::write(&path, "deny = ['slef']").unwrap();
    let said = Facade::new(tree()).policy(&Policy::read(&path).unwrap()).err().unwrap().to_string();
    assert!(said.contains("app.mcp.toml: the policy's deny `slef`"), "{said}");
}

#[test]
fn the_schema_that_is_shipped_is_the_files() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("policies/policy.schema.json");
    let schema = format!("{:#}\n", Policy::schema());
    if std::env::var_os("INSTA_UPDATE").is_some_and(|update| update == "always") {
        std::fs::write(&path, &schema).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap(), schema, "INSTA_UPDATE=always writes it anew");
}

#[test]
fn the_policies_that_are_shipped_are_valid_by_the_schema() {
    let schema = jsonschema::validator_for(&Policy::schema()).unwrap();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("policies");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let Some(name) = path.file_name().unwrap().to_str().unwrap().strip_suffix(".mcp.toml") else { continue };
        let policy: serde_json::Value = toml_edit::de::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let errors: Vec<String> = schema.iter_errors(&policy).map(|error| error.to_string()).collect();
        assert_eq!(errors, Vec::<String>::new(), "{name}");
        assert!(Policy::ready(name).unwrap().is_some(), "`{name}` comes with the library");
        seen += 1;
    }
    assert!(seen >= 5, "{seen} policies");
    assert!(Policy::ready("app").unwrap().is_none());
}
