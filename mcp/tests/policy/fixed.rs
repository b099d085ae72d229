use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Output;

/// A program whose help lists `pip list` and `pip purge`, and its policy, in a home of their own.
struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let page =
            |usage: &str, commands: &str| format!("Does things\n\nUsage: {usage} <COMMAND>\n\nCommands:\n{commands}\n");
        let leaf = |usage: &str| format!("A leaf\n\nUsage: {usage}\n");
        let script = format!(
            "#!/bin/sh\nwhile [ \"${{1#[-+]}}\" != \"$1\" ] && [ \"$1\" != --help ]; do shift; done\ncase \"$*\" in\n\
             --help) cat <<'X'\n{}X\n;;\n'pip --help') cat <<'X'\n{}X\n;;\n'pip list --help') cat <<'X'\n{}X\n;;\n\
             'pip purge --help') cat <<'X'\n{}X\n;;\n*) echo ran ;;\nesac\n",
            page("tool", "  pip  Packages"),
            page("tool pip", "  list   Lists\n  purge  Removes all"),
            leaf("tool pip list"),
            leaf("tool pip purge"),
        );
        std::fs::write(home.path().join("tool"), script).unwrap();
        std::fs::set_permissions(home.path().join("tool"), PermissionsExt::from_mode(0o755)).unwrap();
        symlink("tool", home.path().join("linked")).unwrap();
        std::fs::create_dir_all(home.path().join(".config/tool")).unwrap();
        std::fs::write(home.path().join(".config/tool/tool.mcp.toml"), "deny = ['pip purge']").unwrap();
        Self(home)
    }

    fn tools(&self, program: &str, fixed: &[&str]) -> Output {
        std::process::Command::new(env!("CARGO_BIN_EXE_clap-facade"))
            .args(["tools", "--json", "--surface", "mirror", "--"])
            .arg(self.0.path().join(program))
            .args(fixed)
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", self.0.path())
            .output()
            .unwrap()
    }
}

#[test]
fn a_policy_holds_however_its_program_is_served() {
    let home = Home::new();
    for (program, fixed) in
        [("tool", &[][..]), ("tool", &["pip"]), ("tool", &["+nightly", "pip"]), ("linked", &[]), ("linked", &["pip"])]
    {
        let output = home.tools(program, fixed);
        let said = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{program} {fixed:?}: {errors}");
        assert!(said.contains("list") && !said.contains("purge"), "{program} {fixed:?}: {said}");
    }
}

#[test]
fn what_hides_where_the_commands_stand_is_refused_where_there_is_a_policy() {
    let home = Home::new();
    let output = home.tools("tool", &["--offline", "pip"]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && errors.contains("`--offline`"), "{errors}");
    std::fs::remove_dir_all(home.0.path().join(".config")).unwrap();
    assert!(home.tools("tool", &["--offline", "pip"]).status.success());
}
