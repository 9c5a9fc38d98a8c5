//! What is planted below a root, for both ways of reaching things.

use std::{ffi::OsStr, fs, io, path::Path};

use super::{Access, Folder};

type Way = fn(&Folder, Call<'_>) -> io::Result<Vec<String>>;
type Open = fn(&Path) -> Folder;

/// What is done below a root.
#[derive(Clone, Copy)]
enum Call<'p> {
    Open(&'p str, Access),
    List(&'p str),
    CreateDir(&'p str),
    RemoveFile(&'p str),
    Rename(&'p str, &'p str),
    SyncDir(&'p str),
    Stat(&'p str),
}

fn unicode(name: &OsStr) -> Option<String> {
    name.to_str().map(str::to_owned)
}

/// By what this system does.
fn by_system(root: &Folder, call: Call<'_>) -> io::Result<Vec<String>> {
    let none = |()| Vec::new();
    match call {
        Call::Open(path, access) => {
            root.open(path.as_ref(), access).map(|(_, stat)| vec![stat.len.to_string()])
        }
        Call::List(path) => root.list(path.as_ref(), usize::MAX, unicode),
        Call::CreateDir(path) => root.create_dir(path.as_ref()).map(none),
        Call::RemoveFile(path) => root.remove_file(path.as_ref()).map(none),
        Call::Rename(from, to) => root.rename(from.as_ref(), to.as_ref()).map(none),
        Call::SyncDir(path) => root.sync_dir(path.as_ref()).map(none),
        Call::Stat(path) => root.stat(path.as_ref()).map(|stat| vec![stat.is_link.to_string()]),
    }
}

/// By a look at each name.
fn by_path(root: &Folder, call: Call<'_>) -> io::Result<Vec<String>> {
    use super::by_path;
    let none = |()| Vec::new();
    match call {
        Call::Open(path, access) => {
            let file = by_path::open(root, path.as_ref(), access)?;
            let stat = super::Stat::of(&file.metadata()?, || root.join(path.as_ref()))?;
            super::only_file(&stat)?;
            super::one_name_at_most(&stat)?;
            Ok(vec![stat.len.to_string()])
        }
        Call::List(path) => by_path::list(root, path.as_ref(), usize::MAX, unicode),
        Call::CreateDir(path) => by_path::create_dir(root, path.as_ref()).map(none),
        Call::RemoveFile(path) => by_path::remove_file(root, path.as_ref()).map(none),
        Call::Rename(from, to) => by_path::rename(root, from.as_ref(), to.as_ref()).map(none),
        Call::SyncDir(path) => by_path::folder(root, path.as_ref()).map(|_| Vec::new()),
        Call::Stat(path) => {
            by_path::stat(root, path.as_ref()).map(|stat| vec![stat.is_link.to_string()])
        }
    }
}

/// Each way to reach things, with each kind of root.
fn ways() -> Vec<(Way, Open)> {
    let at: Open = Folder::at;
    let mut ways: Vec<(Way, Open)> = vec![(by_system, at), (by_path, at)];
    #[cfg(unix)]
    {
        let held: Open = |path| Folder::hold(path).unwrap();
        let walking: Way = |root, call| super::unix::without_kernel(|| by_system(root, call));
        ways.extend([(by_system as Way, held), (walking, at), (walking, held)]);
    }
    ways
}

/// A folder with a root in it, and beside the root what is not to be reached.
fn world() -> (tempfile::TempDir, std::path::PathBuf) {
    let parent = tempfile::tempdir().unwrap();
    let base = fs::canonicalize(parent.path()).unwrap();
    fs::create_dir_all(base.join("outside/below")).unwrap();
    fs::write(base.join("outside/secret"), "secret").unwrap();
    fs::create_dir_all(base.join("root/folder")).unwrap();
    fs::write(base.join("root/folder/file"), "ours").unwrap();
    (parent, base.join("root"))
}

#[test]
fn files_and_folders_of_the_root_are_reached() {
    for (way, open) in ways() {
        let (_parent, path) = world();
        let root = &open(&path);
        assert_eq!(way(root, Call::Open("folder/file", Access::Read)).unwrap(), ["4"]);
        way(root, Call::Open("folder/new", Access::Create)).unwrap();
        way(root, Call::CreateDir("folder/more")).unwrap();
        way(root, Call::Rename("folder/new", "folder/more/new")).unwrap();
        way(root, Call::Rename("folder/more/new", "folder/file")).unwrap();
        way(root, Call::SyncDir("folder")).unwrap();
        let mut names = way(root, Call::List("folder")).unwrap();
        names.sort();
        assert_eq!(names, ["file", "more"]);
        way(root, Call::RemoveFile("folder/file")).unwrap();
        assert_eq!(way(root, Call::List("")).unwrap(), ["folder"]);
    }
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    use std::os::unix::fs::symlink;
    for (way, open) in ways() {
        let (_parent, path) = world();
        let root = &open(&path);
        let linked = |call| way(root, call).unwrap_err().raw_os_error() == Some(libc::ELOOP);
        symlink("../outside", path.join("away")).unwrap();
        symlink("../outside/secret", path.join("leaf")).unwrap();
        for access in [Access::Read, Access::ReadWrite, Access::Create] {
            assert!(linked(Call::Open("away/secret", access)));
            assert!(linked(Call::Open("leaf", access)));
        }
        assert!(linked(Call::Open("away/made", Access::Create)));
        assert!(linked(Call::List("away")));
        assert!(linked(Call::List("away/below")));
        assert!(linked(Call::CreateDir("away/made")));
        assert!(linked(Call::RemoveFile("away/secret")));
        assert!(linked(Call::Rename("folder/file", "away/file")));
        assert!(linked(Call::Rename("away/secret", "folder/secret")));
        assert!(linked(Call::SyncDir("away")));
        assert_eq!(way(root, Call::Stat("leaf")).unwrap(), ["true"]);
        assert!(linked(Call::Stat("away/secret")));
        way(root, Call::RemoveFile("leaf")).unwrap();
        assert_eq!(fs::read_dir(path.join("../outside")).unwrap().count(), 2);
        assert_eq!(fs::read_to_string(path.join("../outside/secret")).unwrap(), "secret");
    }
}

#[cfg(unix)]
#[test]
fn a_file_with_a_second_name_is_refused() {
    for (way, open) in ways() {
        let (_parent, path) = world();
        let root = &open(&path);
        fs::hard_link(path.join("../outside/secret"), path.join("linked")).unwrap();
        for access in [Access::Read, Access::ReadWrite, Access::Create] {
            let error = way(root, Call::Open("linked", access)).unwrap_err();
            assert_eq!(error.raw_os_error(), Some(libc::EMLINK));
        }
    }
}

#[cfg(unix)]
#[test]
fn names_that_cannot_be_counted_are_no_second_name() {
    let (_parent, root) = world();
    let stat = |name| super::Stat::of(&fs::metadata(root.join(name))?, || root.join(name));
    let opened = stat("folder/file").unwrap();
    let look = |named: io::Result<super::Stat>| super::stat::is_alone(&opened, named);
    let wants = || io::Error::from_raw_os_error(libc::EMFILE);
    assert_eq!(look(Err(wants())).unwrap_err().raw_os_error(), Some(libc::EMFILE));
    assert!(!look(Err(io::ErrorKind::NotFound.into())).unwrap());
    assert!(!look(stat("../outside/secret")).unwrap());
    assert!(look(stat("folder/file")).unwrap());
}

#[cfg(unix)]
#[test]
fn a_folder_that_its_file_system_does_not_sync_has_nothing_to_sync() {
    let synced = |code| super::root::pass_over_refusal(Err(io::Error::from_raw_os_error(code)));
    for refusal in [libc::EINVAL, libc::EBADF, libc::ENOTSUP, libc::EOPNOTSUPP] {
        synced(refusal).unwrap();
    }
    for failure in [libc::EIO, libc::ENOSPC, libc::EDQUOT, libc::EROFS] {
        assert_eq!(synced(failure).unwrap_err().raw_os_error(), Some(failure));
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_is_refused_without_waiting_for_its_other_end() {
    for (way, open) in ways() {
        let (_parent, path) = world();
        let root = &open(&path);
        let made = std::process::Command::new("mkfifo").arg(path.join("pipe")).status();
        assert!(made.unwrap().success());
        for access in [Access::Read, Access::ReadWrite, Access::Create] {
            assert!(way(root, Call::Open("pipe", access)).is_err());
        }
    }
}
