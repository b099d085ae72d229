use super::*;
use std::path::Path;

#[test]
fn every_host_has_its_files_on_every_system() {
    let mut table = String::new();
    for os in [Os::Linux, Os::MacOs, Os::Windows] {
        let places = Places::usual(os, "~", "./");
        for host in Host::ALL {
            for scope in host.scopes() {
                for file in host.files(*scope, &places).unwrap() {
                    table.push_str(&format!("{os:?} {host} {scope}: {} {}\n", file.display(), host.key()));
                }
            }
        }
    }
    insta::assert_snapshot!(table);
}

#[test]
fn a_scope_without_a_file_is_an_error_that_names_the_other() {
    let places = Places::usual(Os::Linux, "/h", "/w");
    for host in Host::ALL {
        for scope in [Scope::User, Scope::Workspace] {
            assert_eq!(host.files(scope, &places).is_ok(), host.scopes().contains(&scope), "{host} {scope}");
        }
    }
    let error = Host::Windsurf.file(Scope::Workspace, &places).unwrap_err();
    assert_eq!(error.to_string(), "Windsurf has no workspace file for servers, only the user one");
}

#[test]
fn the_users_own_folder_of_settings_counts() {
    let places = Places { config: "/cfg".into(), ..Places::usual(Os::Linux, "/h", "/w") };
    assert_eq!(Host::Goose.files(Scope::User, &places).unwrap(), [Path::new("/cfg/goose/config.yaml")]);
    assert_eq!(Host::Codex.files(Scope::User, &places).unwrap(), [Path::new("/h/.codex/config.toml")]);
}

#[test]
fn the_file_that_exists_is_the_one_that_is_edited() {
    let folder = tempfile::tempdir().unwrap();
    let places = Places::usual(Os::Linux, folder.path(), folder.path());
    let file = |name: &str| folder.path().join(name);
    assert_eq!(Host::OpenCode.file(Scope::Workspace, &places).unwrap(), file("opencode.json"));
    std::fs::write(file("opencode.jsonc"), "{}").unwrap();
    assert_eq!(Host::OpenCode.file(Scope::Workspace, &places).unwrap(), file("opencode.jsonc"));
}

#[test]
fn a_host_is_found_by_id_and_title_and_else_suggested() {
    for host in Host::ALL {
        for name in [host.id(), host.title(), &host.id().to_uppercase()] {
            assert_eq!(name.parse(), Ok(*host), "{name}");
        }
    }
    let error = |name: &str| name.parse::<Host>().unwrap_err().to_string();
    assert_eq!(error("cursro"), "no host is called \"cursro\"; did you mean cursor?");
    assert!(error("emacs").contains("known are claude-desktop, claude-code"));
}

#[test]
fn every_host_gets_its_own_shape_of_entry() {
    let entry = Entry::new("/bin/app", ["mcp"]).env("PATH", "/bin");
    let shapes: String = Host::ALL
        .iter()
        .map(|host| format!("# {host}\n{}", insert("", *host, "app", &entry, Existing::Refuse).unwrap()))
        .collect();
    insta::assert_snapshot!(shapes);
}

#[cfg(unix)]
#[test]
fn a_captured_entry_has_absolute_paths_only() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("app.sh");
    std::fs::write(&program, "").unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let bin = folder.path().display();
    let path = format!("{bin}:.::/no/such/folder:{bin}:/usr");
    let captured = Entry::capture(Path::new("app.sh"), ["mcp"], Some(path.as_ref())).unwrap();
    assert_eq!(captured, Entry::new(program.to_str().unwrap(), ["mcp"]).env("PATH", format!("{bin}:/usr")));
    assert_eq!(Entry::capture(&program, ["mcp"], None).unwrap().env.len(), 0);
    let missing = Entry::capture(Path::new("no-such-app"), ["mcp"], Some(path.as_ref())).unwrap_err();
    assert_eq!(missing.to_string(), "no program no-such-app is found");
}
