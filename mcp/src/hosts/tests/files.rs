use super::super::edit;
use super::*;
use std::fs;
use std::path::{Path, PathBuf};

/// A folder with one host's file, or none.
struct Disk {
    folder: tempfile::TempDir,
    target: Target,
}

impl Disk {
    fn new(host: Host, text: Option<&str>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let places = Places::usual(Os::Linux, folder.path(), folder.path().join("work"));
        let target = Target::new(host, Scope::User, &places, "app").unwrap();
        if let Some(text) = text {
            fs::create_dir_all(target.file.parent().unwrap()).unwrap();
            fs::write(&target.file, text).unwrap();
        }
        Self { folder, target }
    }

    fn request(&self, entry: Entry, existing: Existing, mode: Mode) -> Request {
        Request { target: self.target.clone(), entry, existing, mode }
    }

    fn install(&self) -> Change {
        install(&self.request(entry(), Existing::Refuse, Mode::Apply)).unwrap()
    }

    fn uninstall(&self) -> Change {
        uninstall(&self.target, Mode::Apply).unwrap()
    }

    fn text(&self) -> String {
        fs::read_to_string(&self.target.file).unwrap()
    }

    /// Lists every file below the folder.
    fn files(&self) -> Vec<PathBuf> {
        let mut files = Vec::new();
        let mut folders = vec![self.folder.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for item in fs::read_dir(folder).unwrap() {
                let path = item.unwrap().path();
                if path.is_dir() { folders.push(path) } else { files.push(path) }
            }
        }
        files.sort();
        files
    }
}

const TEXT: &str = "{\n  \"mcpServers\": {} ,\n  \"z\": 1}\r\n";

#[test]
fn install_and_uninstall_restore_the_very_bytes() {
    let disk = Disk::new(Host::Cursor, Some(TEXT));
    let installed = disk.install();
    assert_eq!(installed.kind, ChangeKind::Installed);
    assert_eq!(fs::read_to_string(installed.backup.unwrap()).unwrap(), TEXT);
    assert_eq!(registered(&disk.target).unwrap(), Some(entry()));
    assert_eq!(disk.install().kind, ChangeKind::Unchanged);
    install(&disk.request(other(), Existing::Replace, Mode::Apply)).unwrap();
    assert_eq!(disk.uninstall().kind, ChangeKind::Uninstalled);
    assert_eq!(disk.text(), TEXT);
    assert_eq!(disk.uninstall().kind, ChangeKind::Unchanged);
}

#[test]
fn what_changed_in_between_stays() {
    let disk = Disk::new(Host::Cursor, Some(TEXT));
    disk.install();
    let edited = disk.text().replace("\"z\": 1", "\"z\": [2], // new\n\"y\": 3");
    fs::write(&disk.target.file, edited).unwrap();
    disk.uninstall();
    assert_eq!(disk.text(), TEXT.replace("\"z\": 1", "\"z\": [2], // new\n\"y\": 3"));
}

#[test]
fn a_second_life_does_not_go_back_to_the_first() {
    let disk = Disk::new(Host::Cursor, Some(TEXT));
    disk.install();
    disk.uninstall();
    let later = "{\"mcpServers\": {\"app\": {\"command\": \"mine\"}}}";
    fs::write(&disk.target.file, later).unwrap();
    install(&disk.request(entry(), Existing::Replace, Mode::Apply)).unwrap();
    disk.uninstall();
    assert_eq!(disk.text(), later);
    assert_eq!(disk.uninstall().kind, ChangeKind::Uninstalled, "the earlier entry goes when asked again");
    assert_eq!(disk.text(), "{\"mcpServers\": {}}");
}

#[test]
fn a_file_made_for_the_entry_goes_with_it() {
    for host in Host::ALL {
        let disk = Disk::new(*host, None);
        let change = disk.install();
        assert_eq!((change.kind, change.backup), (ChangeKind::Created, None));
        assert_eq!(disk.files(), std::slice::from_ref(&disk.target.file));
        assert_eq!(disk.uninstall().kind, ChangeKind::Deleted, "{host}");
        assert_eq!(disk.files(), Vec::<PathBuf>::new());
        disk.install();
        insert_other(&disk);
        assert_eq!(disk.uninstall().kind, ChangeKind::Uninstalled);
        assert_eq!(registered(&Target { name: "later".to_owned(), ..disk.target.clone() }).unwrap(), Some(other()));
    }
}

fn insert_other(disk: &Disk) {
    let text = insert(&disk.text(), disk.target.host, "later", &other(), Existing::Refuse).unwrap();
    fs::write(&disk.target.file, text).unwrap();
}

#[test]
fn a_preview_writes_nothing() {
    for text in [None, Some(TEXT)] {
        let disk = Disk::new(Host::Cursor, text);
        let change = install(&disk.request(entry(), Existing::Refuse, Mode::Preview)).unwrap();
        assert!(change.diff.contains("+    \"app\": {"), "{}", change.diff);
        assert_eq!(disk.files().len(), usize::from(text.is_some()));
        assert_eq!(fs::read_to_string(&disk.target.file).ok().as_deref(), text);
        disk.install();
        let (files, before) = (disk.files(), disk.text());
        assert!(uninstall(&disk.target, Mode::Preview).unwrap().diff.contains("-    \"app\": {"));
        assert_eq!((disk.files(), disk.text()), (files, before));
    }
}

#[test]
fn a_diff_is_a_unified_one() {
    let disk = Disk::new(Host::Codex, Some("model = \"o\"\n"));
    let change = install(&disk.request(Entry::new("/app", ["x"]), Existing::Refuse, Mode::Preview)).unwrap();
    let shown = change.diff.replace(&change.file.display().to_string(), "FILE");
    insta::assert_snapshot!(shown, @r#"
    --- FILE
    +++ FILE
    @@ -1 +1,5 @@
     model = "o"
    +
    +[mcp_servers.app]
    +command = "/app"
    +args = ["x"]
    "#);
}

#[test]
fn a_file_that_cannot_be_edited_is_left_alone() {
    for bytes in [&b"{\"mcpServers\": "[..], b"{\"a\": \"\xff\"}", b"[]"] {
        let disk = Disk::new(Host::Cursor, Some(""));
        fs::write(&disk.target.file, bytes).unwrap();
        let error = install(&disk.request(entry(), Existing::Replace, Mode::Apply)).unwrap_err();
        assert!(error.to_string().contains("mcp.json"), "{error}");
        assert!(uninstall(&disk.target, Mode::Apply).is_err());
        assert_eq!(fs::read(&disk.target.file).unwrap(), bytes);
        assert_eq!(disk.files().len(), 1);
    }
}

#[test]
fn a_change_by_another_program_is_not_overwritten() {
    let disk = Disk::new(Host::Cursor, Some(TEXT));
    let snapshot = file::Snapshot::read(&disk.target.file).unwrap();
    fs::write(&disk.target.file, "{}").unwrap();
    let result = snapshot.replace("{\"ours\": 1}", &file::Label::install("app"));
    assert!(matches!(result, Err(FileError::Changed { .. })), "{result:?}");
    assert!(matches!(snapshot.delete(), Err(FileError::Changed { .. })));
    assert_eq!(disk.text(), "{}");
    assert_eq!(disk.files().len(), 1, "neither a backup nor a temporary file is left");
    let none = Disk::new(Host::Cursor, None);
    let snapshot = file::Snapshot::read(&none.target.file).unwrap();
    fs::create_dir_all(none.target.file.parent().unwrap()).unwrap();
    fs::write(&none.target.file, "{}").unwrap();
    assert!(matches!(snapshot.replace("{\"ours\": 1}", &file::Label::install("app")), Err(FileError::Changed { .. })));
    assert_eq!(none.text(), "{}");
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn permissions_stay_and_a_new_file_is_the_users_alone() {
        for kept in [0o600, 0o640, 0o644] {
            let disk = Disk::new(Host::Cursor, Some(TEXT));
            fs::set_permissions(&disk.target.file, fs::Permissions::from_mode(kept)).unwrap();
            let backup = disk.install().backup.unwrap();
            assert_eq!((mode(&disk.target.file), mode(&backup)), (kept, kept));
        }
        let disk = Disk::new(Host::Cursor, None);
        disk.install();
        assert_eq!(mode(&disk.target.file), 0o600);
    }

    #[test]
    fn a_link_stays_a_link() {
        for (text, left) in [(Some(TEXT), true), (None, false)] {
            let disk = Disk::new(Host::Cursor, Some(TEXT));
            let real = disk.folder.path().join("dotfiles.json");
            fs::remove_file(&disk.target.file).unwrap();
            if let Some(text) = text {
                fs::write(&real, text).unwrap();
            }
            symlink("../dotfiles.json", &disk.target.file).unwrap();
            let change = disk.install();
            assert_eq!(change.file.file_name(), real.file_name());
            assert!(disk.target.file.is_symlink());
            assert_eq!(edit::read(&fs::read_to_string(&real).unwrap(), Host::Cursor, "app").unwrap(), Some(entry()));
            disk.uninstall();
            assert!(disk.target.file.is_symlink());
            assert_eq!(fs::read_to_string(&real).ok().as_deref(), text);
            assert_eq!(real.exists(), left);
        }
    }

    #[test]
    fn links_in_a_circle_are_refused() {
        let disk = Disk::new(Host::Cursor, Some(TEXT));
        fs::remove_file(&disk.target.file).unwrap();
        symlink(&disk.target.file, &disk.target.file).unwrap();
        let error = install(&disk.request(entry(), Existing::Refuse, Mode::Apply)).unwrap_err();
        assert!(error.to_string().ends_with("the links go round in a circle"), "{error}");
    }
}

#[test]
fn what_is_no_file_of_ones_own_to_write_is_left_alone() {
    let refused = |disk: &Disk| install(&disk.request(entry(), Existing::Refuse, Mode::Apply)).unwrap_err().to_string();
    let disk = Disk::new(Host::Cursor, Some(TEXT));
    let file = disk.target.file.clone();
    let other_name = file.with_extension("other");
    fs::hard_link(&file, &other_name).unwrap();
    assert!(refused(&disk).contains("hard links"));
    fs::remove_file(&other_name).unwrap();
    fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o444)).unwrap();
    assert!(refused(&disk).contains("read-only"));
    assert_eq!(disk.text(), TEXT);
    fs::remove_file(&file).unwrap();
    let socket = file.with_extension("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    std::os::unix::fs::symlink(&socket, &file).unwrap();
    assert!(refused(&disk).contains("no regular file"), "by a link too");
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    assert!(refused(&disk).contains("no regular file"));
}
