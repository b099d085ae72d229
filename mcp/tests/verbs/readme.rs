use std::path::Path;
use std::process::{Command, Output};

/// Runs lines in a shell that finds this build's `clap-facade` first, with a home of its own.
fn shell(script: &str, home: &Path) -> Output {
    let binaries = Path::new(env!("CARGO_BIN_EXE_clap-facade")).parent().unwrap();
    let path = format!("{}:{}", binaries.display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("sh");
    shell.args(["-exc", script]).current_dir(home).env("PATH", path).env("HOME", home);
    for moved in ["XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"] {
        shell.env_remove(moved);
    }
    shell.output().unwrap()
}

#[test]
fn the_readmes_lines_serve_a_program_that_is_not_ones_own() {
    let readme = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md")).unwrap();
    let mut blocks =
        readme.split("```console\n").skip(1).filter_map(|rest| rest.split_once("```").map(|(block, _)| block));
    let block = blocks.find(|block| block.contains("$ clap-facade ")).unwrap();
    let lines: Vec<&str> = block.lines().filter_map(|line| line.strip_prefix("$ clap-facade ")).collect();
    assert_eq!(lines.len(), 2, "one to see the tools, one for a host:\n{block}");
    let home = tempfile::tempdir().unwrap();
    if !shell("uv --version", home.path()).status.success() {
        assert!(std::env::var_os("SUITE_NOTHING_SKIPPED").is_none(), "uv is not on the PATH");
        eprintln!("skipped: uv is not on the PATH");
        return;
    }
    let script: String = lines.iter().map(|line| format!("clap-facade {line}\n")).collect();

    let output = shell(&script, home.path());

    let (said, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}\n{errors}");
    assert!(said.contains("command_search") && said.contains("command_read"), "{said}\n{errors}");
    let guide = home.path().join("uv.mcp.toml");
    std::fs::write(&guide, policy_of_the_guide()).unwrap();
    let held = shell("clap-facade tools --policy uv.mcp.toml -- uv", home.path());
    assert!(held.status.success(), "{}", String::from_utf8_lossy(&held.stderr));
    std::fs::remove_file(guide).unwrap();
    let doctor = shell("clap-facade doctor --host claude-desktop -- uv", home.path());
    assert!(
        doctor.status.success(),
        "{}{}",
        String::from_utf8_lossy(&doctor.stdout),
        String::from_utf8_lossy(&doctor.stderr)
    );
}

#[test]
fn the_guides_policy_is_one() {
    clap_facade::policy::Policy::parse(&policy_of_the_guide()).unwrap();
}

fn policy_of_the_guide() -> String {
    let guide = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/policy.md")).unwrap();
    let (_, rest) = guide.split_once("```toml\n").unwrap();
    rest.split_once("```").unwrap().0.to_owned()
}
