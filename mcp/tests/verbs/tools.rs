use super::{facade, notes, print, trees};
use serde_json::Value;

#[test]
fn tools_shows_what_is_listed_behind_it_and_kept() {
    insta::assert_snapshot!(print(facade(notes()), &["tools", "--surface", "mirror"]));
}

#[test]
fn tools_as_json_is_what_the_server_lists_for_any_tree_and_surface() {
    for (name, command) in trees::all() {
        for surface in clap_facade::surface::Choice::ALL {
            let facade = facade(command.clone()).surface(*surface);
            let listed: Value = serde_json::from_str(&print(facade.clone(), &["tools", "--json"])).unwrap();
            let pipeline = facade.build().unwrap();
            let tools = pipeline.surface().tools(pipeline.catalog());
            let tools: Vec<Value> = tools.iter().map(|tool| tool.to_json()).collect();
            assert_eq!(listed["tools"], Value::from(tools), "{name} {surface}");
        }
    }
}

#[test]
fn stats_counts_bytes_in_every_build() {
    let peers = facade(trees::tree("peers"));
    let stats: Value = serde_json::from_str(&print(peers, &["stats", "--json"])).unwrap();
    for surface in stats["surfaces"].as_array().unwrap() {
        assert!(surface["total"]["bytes"].as_u64().unwrap() > 0, "{surface}");
        assert_eq!(surface["total"]["tokens"].is_u64(), cfg!(feature = "stats"), "{surface}");
    }
}
