//! One fact of a tree, one test. The numbers in the names are those of the faults seen in the field.

use crate::{catalog, compact, full, named, operation, param, param_names, trees};
use clap::{Arg, ArgAction, ArgGroup, Command};
use clap_facade::annotate::{framework, read_only};
use clap_facade::catalog::{Catalog, CatalogError, Effect, Excuse, Settings};

fn reason(catalog: &Catalog, path: &str) -> Option<Excuse> {
    catalog.excused().iter().find(|excused| excused.path == path).map(|excused| excused.reason)
}

fn error(tree: Command, settings: &Settings) -> CatalogError {
    Catalog::new(tree, settings).unwrap_err()
}

fn with(change: impl FnOnce(&mut Settings)) -> Settings {
    let mut settings = Settings::default();
    change(&mut settings);
    settings
}

#[test]
fn fault_10_the_id_of_an_option_is_not_its_name() {
    let catalog = named("property names");
    assert_eq!(param_names(operation(&catalog, "kinds")), ["no-errexit", "x", "tint", "in_put"]);
}

#[test]
fn fault_10_two_args_of_one_name_stay_two() {
    let catalog = named("property names");
    let clash = operation(&catalog, "clash");
    assert_eq!(param_names(clash), ["name_2", "name", "dry_run_2", "dry-run", "n", "other"]);
    assert_eq!((param(clash, "name").id.as_str(), param(clash, "name_2").id.as_str()), ("username", "name"));
    assert_eq!(catalog.lints().iter().filter(|lint| lint.path == "clash").count(), 2);
}

#[test]
fn fault_13_a_constraint_does_not_name_what_the_caller_has_not() {
    let catalog = named("constraints");
    let sentences = &operation(&catalog, "withheld").constraints;
    assert_eq!(sentences, &["`b` is required unless the host's environment gives one."]);
}

#[test]
fn fault_14_no_schema_holds_a_secret_a_default_behind_an_environment_or_its_value() {
    let path = std::env::var("PATH").unwrap();
    let run = Command::new("cli").arg(Arg::new("path").long("path").env("PATH").default_value("fallback"));
    for catalog in [catalog(run), named("defaults"), named("globals at two levels")] {
        for operation in catalog.operations() {
            let text = format!("{operation:?}{}{}", compact(operation), full(operation));
            for leak in [path.as_str(), "fallback", "hunter2", "\"eu\"", "user:pw"] {
                assert!(!text.contains(leak), "{}: {leak}", operation.name);
            }
            assert!(
                !format!("{:?}{:?}", compact(operation), full(operation)).contains("password"),
                "{}",
                operation.name
            );
        }
    }
}

#[test]
fn fault_15_a_command_is_no_framework_by_its_name_alone() {
    let catalog = named("own help");
    assert_eq!(reason(&catalog, "help"), Some(Excuse::Framework));
    assert_eq!(operation(&catalog, "tickets help").tool, "tickets_help");
    assert_eq!(operation(&catalog, "tickets completions").tool, "tickets_completions");
}

#[test]
fn fault_15_help_below_the_root_is_framework_where_its_parent_replaced_the_generated_one() {
    let tickets = Command::new("tickets").disable_help_subcommand(true).subcommand(Command::new("help"));
    let catalog = catalog(Command::new("cli").subcommand(tickets));
    assert_eq!(reason(&catalog, "tickets help"), Some(Excuse::Framework));
}

#[test]
fn fault_15_what_is_hidden_hides_its_children() {
    let catalog = named("hidden");
    for path in ["internal", "internal dump", "internal deep probe", "noted dump", "shown secretly"] {
        assert_eq!(reason(&catalog, path), Some(Excuse::Hidden), "{path}");
    }
    let settings = with(|settings| settings.hide.push("items".into()));
    let catalog = Catalog::new(trees::tree("groups"), &settings).unwrap();
    assert_eq!(reason(&catalog, "items get"), Some(Excuse::Hidden));
    assert!(catalog.groups().is_empty());
}

#[test]
fn fault_15_the_generated_help_grows_no_tree() {
    let catalog = named("generated help");
    assert_eq!(catalog.operations().len() + catalog.excused().len(), 3);
}

#[test]
fn fault_16_two_commands_of_one_rendered_name_stay_two() {
    let catalog = named("one rendered name");
    for name in ["by-cell list", "by_cell list", "by cell-list"] {
        let tool = &operation(&catalog, name).tool;
        assert_eq!(catalog.find(name).unwrap().name, name);
        assert_eq!(catalog.find(tool).unwrap().name, name);
    }
    assert!(catalog.find("by cell list").is_none(), "three operations may be meant");
    assert!(catalog.find("by_cell_list").is_none(), "three operations may be meant");
}

#[test]
fn fault_17_inherited_args_are_not_repeated_but_write_gates_are() {
    let catalog = named("gates");
    assert_eq!(param_names(operation(&catalog, "items list")), ["limit"]);
    let delete = operation(&catalog, "items delete");
    assert_eq!(param_names(delete), ["yes", "dry-run", "allow-destructive", "really"]);
    assert!(delete.params.iter().all(|param| param.gate));
    let depths: Vec<usize> = delete.params.iter().map(|param| param.depth).collect();
    assert_eq!(depths, [2, 2, 1, 1], "an ancestor's own option stands behind the ancestor");
}

#[test]
fn fault_17_an_operation_that_may_write_has_the_gates_even_if_it_mostly_reads() {
    let catalog = named("gates");
    let export = operation(&catalog, "items export");
    assert_eq!(export.effect([]), Effect::ReadOnly);
    assert_eq!(export.effect(["output"]), Effect::Mutating);
    assert!(param_names(export).contains(&"yes"));
}

#[test]
fn an_ancestors_option_that_excludes_subcommands_is_no_gate_of_theirs() {
    let catalog = named("args or subcommands");
    assert!(param_names(operation(&catalog, "dispatch")).contains(&"dry-run"));
    assert!(operation(&catalog, "dispatch list").params.is_empty());
}

#[test]
fn host_owned_names_mean_inherited_args_and_leave_a_commands_own() {
    let catalog = named("host owned");
    assert_eq!(param_names(operation(&catalog, "move")), ["profile"]);
    assert_eq!(
        param_names(operation(&catalog, "serve")),
        ["port"],
        "a global arg is the host's where it is defined, too"
    );
    let settings = with(|settings| settings.host_owned.push("move profile".into()));
    let catalog = Catalog::new(trees::tree("host owned"), &settings).unwrap();
    assert!(operation(&catalog, "move").params.is_empty());
}

#[test]
fn what_nobody_could_call_is_excused() {
    let catalog = named("not callable");
    for path in ["hidden", "secret", "hosts", "group"] {
        assert_eq!(reason(&catalog, path), Some(Excuse::NotCallable), "{path}");
    }
    assert_eq!(reason(&named("required above"), "strict list"), Some(Excuse::NotCallable));
}

#[test]
fn what_the_host_injects_makes_a_command_callable_and_is_not_offered() {
    let tree = || {
        let root = Command::new("cli").arg(Arg::new("server").long("server").required(true));
        root.arg(Arg::new("json").long("json").action(ArgAction::SetTrue)).subcommand(Command::new("list"))
    };
    assert_eq!(reason(&catalog(tree()), "list"), Some(Excuse::NotCallable));
    let settings = with(|settings| settings.inject = vec!["--server=a,b".into(), "--json".into()]);
    let catalog = Catalog::new(tree(), &settings).unwrap();
    assert!(operation(&catalog, "list").params.is_empty());
    assert!(operation(&catalog, "cli").params.is_empty());
}

#[test]
fn external_subcommands_are_exposed_by_their_owner_alone() {
    let catalog = named("external");
    assert_eq!(reason(&catalog, "plain"), Some(Excuse::TakesCommands));
    assert_eq!(param_names(operation(&catalog, "exposed")), ["list", "external"]);
    let settings = with(|settings| settings.expose.push("plain".into()));
    let catalog = Catalog::new(trees::tree("external"), &settings).unwrap();
    assert_eq!(param_names(operation(&catalog, "plain")), ["list", "external"]);
}

#[test]
fn a_required_arg_that_another_can_stand_for_is_not_required() {
    let catalog = named("waived requirements");
    for operation in catalog.operations() {
        assert!(!param(operation, "id").required, "{}", operation.name);
        assert!(operation.constraints[0].starts_with("`id` is required unless"), "{}", operation.name);
    }
}

#[test]
fn aliases_of_any_word_lead_to_the_operation() {
    let catalog = named("aliases");
    for name in [
        "items list",
        "items ls",
        "it list",
        "it l",
        "cli it ls",
        "Items_List",
        "items.list",
        "items/ls",
        " items  list ",
    ] {
        assert_eq!(catalog.find(name).map(|found| found.name.as_str()), Some("items list"), "{name}");
    }
    assert!(catalog.find("old list").is_none(), "an invisible alias is nobody's business");
    assert_eq!(operation(&catalog, "items list").aliases, ["items ls", "items l"]);
}

#[test]
fn the_nearest_names_come_best_first() {
    let catalog = catalog(trees::peers::command());
    assert_eq!(catalog.nearest("project lst", 1), ["project list"]);
    assert_eq!(catalog.nearest("list project", 1), ["project list"]);
    assert_eq!(catalog.nearest("db migrate don", 2)[0], "db migrate down");
    assert!(catalog.nearest("rollback", 3).contains(&"deploy rollback"));
    assert!(catalog.nearest("qqqq", 3).is_empty());
    assert_eq!(catalog.nearest("project", 3).len(), 3);
}

#[test]
fn a_wrong_tree_is_an_error_and_no_panic() {
    let twice = || Command::new("cli").subcommand(Command::new("same")).subcommand(Command::new("same"));
    let error = error(twice(), &Settings::default());
    assert!(matches!(&error, CatalogError::Tree(message) if message.contains("same")), "{error}");
    let unknown_conflict = Command::new("cli").arg(Arg::new("a").long("a").conflicts_with("nowhere"));
    assert!(matches!(self::error(unknown_conflict, &Settings::default()), CatalogError::Tree(_)));
}

/// `get_arg_conflicts_with` panics on a global arg that conflicts with a group.
#[test]
fn a_global_conflict_that_clap_cannot_resolve_is_left_out() {
    let yes = Arg::new("yes").long("yes").global(true).action(ArgAction::SetTrue).conflicts_with("preview");
    let root = Command::new("cli").arg(yes).group(ArgGroup::new("preview").arg("look").multiple(true));
    let look = Arg::new("look").long("look").action(ArgAction::SetTrue);
    let catalog = catalog(root.arg(look));
    assert_eq!(param_names(operation(&catalog, "cli")), ["yes", "look"]);
}

#[test]
fn settings_and_annotations_that_name_nothing_are_errors() {
    let table: [(&str, Settings); 5] = [
        ("inject", with(|settings| settings.inject.push("--jsn".into()))),
        ("gates", with(|settings| settings.gates.push("reallly".into()))),
        ("host_owned", with(|settings| settings.host_owned.push("items nothing".into()))),
        ("hide", with(|settings| settings.hide.push("itms".into()))),
        ("expose", with(|settings| settings.expose.push("item list".into()))),
    ];
    for (expected, settings) in table {
        let error = error(trees::tree("gates"), &settings);
        assert!(matches!(&error, CatalogError::NoSuchName { what, .. } if *what == expected), "{expected}: {error}");
    }
    let note = Command::new("cli").add(read_only().mutating_when("otput")).arg(Arg::new("output").long("output"));
    insta::assert_snapshot!(
        error(note, &Settings::default()),
        @"mutating_when names `otput`, which `cli` does not have; did you mean `output`?"
    );
}

#[test]
fn the_default_settings_ask_nothing_of_a_tree() {
    assert!(Catalog::new(Command::new("cli"), &Settings::default()).is_ok());
}

#[test]
fn effects_are_as_declared_and_undeclared_means_mutating() {
    let catalog = named("effects");
    let effect = |name: &str| operation(&catalog, name).widest_effect();
    assert_eq!(effect("undeclared"), Effect::Mutating);
    assert_eq!(operation(&catalog, "undeclared").declared, None);
    assert_eq!(operation(&catalog, "write").declared, Some(Effect::Mutating));
    assert_eq!(
        (effect("read"), effect("wipe"), effect("health")),
        (Effect::ReadOnly, Effect::Destructive, Effect::Mutating)
    );
    assert_eq!(operation(&catalog, "health").mutating_when, ["fix"], "declared by id, published by long name");
    assert!(operation(&catalog, "fetch").untrusted_output);
    assert_eq!(operation(&catalog, "fetch").examples[0].line, "fetch --id 7");
}

#[test]
fn framework_is_declared_with_its_subtree() {
    let catalog =
        catalog(Command::new("cli").subcommand(Command::new("mcp").add(framework()).subcommand(Command::new("serve"))));
    assert_eq!(reason(&catalog, "mcp"), Some(Excuse::Framework));
    assert_eq!(reason(&catalog, "mcp serve"), Some(Excuse::Framework));
}

#[test]
fn help_texts_keep_what_the_long_form_adds() {
    let catalog = named("help texts");
    let run = operation(&catalog, "run");
    assert_eq!(run.about, "Runs it over two lines");
    assert!(run.long_about.as_ref().unwrap().ends_with("And says more about that."));
    assert_eq!(param(run, "long").help, "First paragraph wräpped.");
    assert!(param(run, "long").long_help.as_ref().unwrap().ends_with("Second paragraph."));
    assert_eq!(param(run, "same").long_help, None);
    let full = full(run);
    assert_eq!(full["properties"]["both"]["description"], "Short.\n\nAnd long.");
}

#[test]
fn a_param_that_the_environment_sets_widens_every_call() {
    let tree = |variable: &'static str| {
        let output = Arg::new("output").long("output").env(variable);
        let show = Command::new("show").add(read_only().mutating_when("output")).arg(output);
        catalog(Command::new("app").subcommand_required(true).subcommand(show))
    };
    assert_eq!(operation(&tree("NOBODY_SETS_THIS"), "show").effect([]), Effect::ReadOnly);
    assert_eq!(operation(&tree("PATH"), "show").effect([]), Effect::Mutating);
}
