use std::path::Path;
use std::process::Command;

/// The lines of the README's console blocks that run `mycli`, with what they set before.
fn script() -> String {
    let readme = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md")).unwrap();
    let blocks = readme.split("```console\n").skip(1).filter_map(|rest| rest.split_once("```").map(|(block, _)| block));
    let lines = blocks.filter(|block| block.contains("$ mycli ")).flat_map(str::lines);
    let typed = lines.filter_map(|line| line.strip_prefix("$ "));
    // What is tested is on the PATH already.
    typed.filter(|line| !line.starts_with("cargo install ")).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_readmes_shell_lines_do_what_they_say() {
    let script = script();
    assert!(script.lines().count() >= 5, "{script}");
    let folder = tempfile::tempdir().unwrap();
    let binaries = Path::new(env!("CARGO_BIN_EXE_mycli")).parent().unwrap();
    let path = format!("{}:{}", binaries.display(), std::env::var("PATH").unwrap());
    let output = Command::new("sh")
        .args(["-exc", &script])
        .current_dir(&folder)
        .env("PATH", path)
        .env("HOME", folder.path())
        .env_remove("MYCLI_DATA_DIR")
        .output()
        .unwrap();
    let (said, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{script}\n{said}\n{errors}");
    let library = folder.path().join("library/library.sqlite");
    assert!(library.is_file(), "the library is where the README puts it\n{said}");
    for word in ["preview", "applied", "undo"] {
        assert!(said.to_lowercase().contains(word), "nothing says `{word}`:\n{said}\n{errors}");
    }
}
