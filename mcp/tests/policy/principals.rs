//! Who may call and how much they may use up, as the policy says it.

use super::facade;
use clap_facade::Facade;
use clap_facade::catalog::Effect;
use clap_facade::policy::Policy;
use clap_facade::run::Principal;
use clap_facade::run::budget::Quotas;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};
use std::sync::Arc;

fn served(policy: &str, name: &str) -> Arc<Principal> {
    facade(policy).serves(name).served().unwrap()
}

/// Writes quotas as the policy has them: `calls 100/3600s, writes 5`.
fn written(quotas: &Quotas) -> String {
    let quota = |key: &str, amount: u64, window: Option<std::time::Duration>| match window {
        Some(window) => format!("{key} {amount}/{}s", window.as_secs()),
        None => format!("{key} {amount}"),
    };
    let limits = quotas.limits.iter();
    let mut all: Vec<String> = limits
        .flat_map(|(measure, quotas)| quotas.iter().map(|it| quota(measure.key(), it.amount, it.window)))
        .collect();
    all.extend(quotas.concurrency.map(|most| format!("at once {most}")));
    all.join(", ")
}

#[test]
fn a_budget_means_what_it_says() {
    let table = [
        ("", "", ""),
        ("[budget]\ncalls = '100/1h'", "calls 100/3600s", ""),
        ("[budget]\ncalls = ['100/1h', '1_000 / 1d']", "calls 100/3600s, calls 1000/86400s", ""),
        ("[budget]\ncalls = []", "", ""),
        ("[budget]\nwall-time = '10min/1h'\nconcurrency = 4", "wall-time 600000/3600s, at once 4", ""),
        (
            "[budget]\nwrites = '9/30d'\ndestructive = '1/1s'\noutput-bytes = '5/1m'\nrequest-bytes = '6/1m'",
            "writes 9/2592000s, destructive 1/1s, output-bytes 5/60s, request-bytes 6/60s",
            "",
        ),
        (
            "[budget.session]\ncalls = [1000, '30/1min']\nwrites = '7'\nwall-time = '5min'\nconcurrency = 1",
            "",
            "calls 1000, calls 30/60s, writes 7, wall-time 300000, at once 1",
        ),
    ];
    for (policy, shared, session) in table {
        for policy in [policy.to_owned(), policy.replace("[budget", "[principal.ci.budget")] {
            let budget = &served(&format!("{policy}\n[principal.ci]"), "ci").budget;
            assert_eq!(
                (written(&budget.shared), written(&budget.session)),
                (shared.into(), session.into()),
                "{policy}"
            );
        }
    }
}

#[test]
fn what_a_principal_says_of_a_measure_stands_in_place_of_what_all_have() {
    let policy = "[budget]\ncalls = '9/1h'\nwrites = '9/1h'\nconcurrency = 9\n[budget.session]\ncalls = 9\n\
                  [principal.ci.budget]\ncalls = '1/1s'\nwrites = []\n[principal.more.budget]\nconcurrency = 20\n";
    let budget = |name| {
        let principal = served(policy, name);
        [written(&principal.budget.shared), written(&principal.budget.session)]
    };
    assert_eq!(budget("local"), ["calls 9/3600s, writes 9/3600s, at once 9", "calls 9"]);
    assert_eq!(budget("ci"), ["calls 1/1s, at once 9", "calls 9"]);
    assert_eq!(budget("more"), ["calls 9/3600s, writes 9/3600s, at once 20", "calls 9"]);
}

#[test]
fn principals_are_what_the_policy_makes_of_them() {
    let policy = "[principal.reader]\nscope = 'read'\n[principal.ci]\nscope = 'write'\nallow = ['pip', 'sql']\n\
                  deny = ['pip install']\n[principal.any]\n[principal.local]\nscope = 'read'";
    let answer = |_: super::effects::Nothing| Ok::<_, std::io::Error>(serde_json::Value::Null.into());
    let sql = clap_facade::surface::fixed::FixedTool::new("sql", "Query", Effect::ReadOnly, answer);
    let facade = Facade::new(super::tree()).tool(sql).principal(Principal::new("any", Effect::ReadOnly).deny(["self"]));
    let facade = facade.policy(&Policy::parse(policy).unwrap()).unwrap();
    let catalog = facade.catalog().unwrap();
    let can_run = |name: &str| -> Vec<String> {
        let principal = facade.clone().serves(name).served().unwrap();
        let operations = catalog.operations().iter().filter(|operation| principal.can_run(operation));
        operations.map(|operation| operation.name.clone()).collect()
    };
    let scope = |name: &str| facade.clone().serves(name).served().unwrap().scope;
    assert_eq!(["reader", "ci", "any"].map(scope), [Effect::ReadOnly, Effect::Mutating, Effect::ReadOnly]);
    assert_eq!(facade.served().unwrap().scope, Effect::ReadOnly);
    assert_eq!(can_run("ci"), ["pip list"]);
    assert_eq!(can_run("reader"), Vec::<String>::new(), "undeclared is mutating");
    let over = facade.clone().policy(&Policy::parse("[principal.any]\nscope = 'destructive'").unwrap()).unwrap();
    let any = over.serves("any").served().unwrap();
    assert_eq!((any.scope, any.deny.len()), (Effect::Destructive, 1), "key by key");
}

/// A program with the commands `pip list` and `pip purge`, and a policy of its user.
struct Home(tempfile::TempDir);

impl Home {
    fn new(policy: &str) -> Self {
        let home = tempfile::tempdir().unwrap();
        let script = "#!/bin/sh\ncase \"$*\" in\n\
            --help) printf 'Does\\n\\nUsage: tool <COMMAND>\\n\\nCommands:\\n  pip  Packages\\n' ;;\n\
            'pip --help') printf 'Does\\n\\nUsage: tool pip <COMMAND>\\n\\nCommands:\\n  list   Lists\\n  purge  Removes\\n' ;;\n\
            'pip list --help') printf 'Lists\\n\\nUsage: tool pip list\\n' ;;\n\
            'pip purge --help') printf 'Removes\\n\\nUsage: tool pip purge\\n' ;;\n\
            *) echo ran ;;\nesac\n";
        std::fs::write(home.path().join("tool"), script).unwrap();
        std::fs::set_permissions(home.path().join("tool"), PermissionsExt::from_mode(0o755)).unwrap();
        std::fs::create_dir_all(home.path().join(".config/tool")).unwrap();
        std::fs::write(home.path().join(".config/tool/tool.mcp.toml"), policy).unwrap();
        Self(home)
    }

    fn run(&self, words: &[&str], fixed: &[&str], principal: Option<&str>) -> Output {
        Command::new(env!("CARGO_BIN_EXE_clap-facade"))
            .args(words)
            .arg("--")
            .arg(self.0.path().join("tool"))
            .args(fixed)
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", self.0.path())
            .envs(principal.map(|name| ("TOOL_MCP_PRINCIPAL", name)))
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap()
    }
}

#[test]
fn whoever_starts_the_server_says_whose_calls_these_are() {
    let home = Home::new("[principal.ci]\nallow = ['pip list']\n[principal.reader]\nscope = 'read'\n");
    let pip = |name: &str| -> String { format!("pip {name}") };
    // The name of a command is shorter behind a fixed word, and the policy's patterns are not.
    for (fixed, spell) in [(&[][..], &pip as &dyn Fn(&str) -> String), (&["pip"], &str::to_owned)] {
        for (name, option, variable, denied) in [
            ("list", None, None, None),
            ("purge", None, None, None),
            ("list", Some("ci"), None, None),
            ("purge", Some("ci"), None, Some("OPERATION_DENIED")),
            ("purge", None, Some("ci"), Some("OPERATION_DENIED")),
            ("purge", None, Some(""), None),
            ("purge", Some("local"), Some("ci"), None),
            ("list", Some("reader"), Some("ci"), Some("EFFECT_DENIED")),
        ] {
            let (command, option) = (spell(name), option.map(|name| format!("--principal={name}")));
            let words: Vec<&str> = ["explain", &command].into_iter().chain(option.as_deref()).collect();
            let output = home.run(&words, fixed, variable);
            let said = String::from_utf8_lossy(&output.stdout);
            let errors = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.success(), denied.is_none(), "{words:?} {variable:?}: {said}{errors}");
            assert!(said.contains(denied.unwrap_or("runs")), "{words:?} {variable:?}: {said}{errors}");
        }
    }
}

#[test]
fn nobody_starts_a_server_for_a_principal_that_does_not_exist() {
    let home = Home::new("[principal.ci]\nscope = 'read'\n");
    for (words, variable, said) in [
        (&["start", "--principal", "cli"][..], None, "error: no principal is called `cli`; there are: ci, local"),
        (&["start"], Some("cli"), "error: TOOL_MCP_PRINCIPAL: no principal is called `cli`; there are: ci, local"),
        (&["explain", "pip list", "--principal", "cli"], None, "no principal is called `cli`"),
        (&["install", "claude-code", "--dry-run", "--principal", "cli"], None, "no principal is called `cli`"),
    ] {
        let output = home.run(words, &[], variable);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && errors.contains(said), "{words:?}: {errors}");
    }
    let output = home.run(&["install", "claude-code", "--dry-run", "--principal", "ci"], &[], None);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("--principal=ci"), "{said}");
}
