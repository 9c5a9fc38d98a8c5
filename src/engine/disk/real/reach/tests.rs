//! What is planted below a root, for both ways of reaching things.

use std::{fs, io, path::Path};

use super::{How, portable};

type Open = fn(&Path, &str, How) -> io::Result<(fs::File, fs::Metadata)>;
type Do = fn(&Path, &str) -> io::Result<()>;
type Rename = fn(&Path, &str, &str) -> io::Result<()>;
type List = fn(&Path, &str) -> io::Result<Vec<String>>;

struct Way {
    open: Open,
    list: List,
    create_dir: Do,
    remove_file: Do,
    rename: Rename,
    sync_dir: Do,
}

fn ways() -> Vec<Way> {
    let mut ways = vec![Way {
        open: |root, path, how| portable::open(root.into(), path, how),
        list: |root, path| portable::list_some(root.into(), path, usize::MAX),
        create_dir: |root, path| portable::create_dir(root.into(), path),
        remove_file: |root, path| portable::remove_file(root.into(), path),
        rename: |root, from, to| portable::rename(root.into(), from, to),
        sync_dir: |root, path| portable::sync_dir(root.into(), path),
    }];
    #[cfg(target_os = "linux")]
    if super::linux::is_known() {
        use super::linux;
        ways.push(Way {
            open: |root, path, how| linux::open(root.into(), path, how),
            list: |root, path| linux::list_some(root.into(), path, usize::MAX),
            create_dir: |root, path| linux::create_dir(root.into(), path),
            remove_file: |root, path| linux::remove_file(root.into(), path),
            rename: |root, from, to| linux::rename(root.into(), from, to),
            sync_dir: |root, path| linux::sync_dir(root.into(), path),
        });
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
    for way in ways() {
        let (_parent, root) = world();
        assert_eq!((way.open)(&root, "folder/file", How::Read).unwrap().1.len(), 4);
        (way.open)(&root, "folder/new", How::Create).unwrap();
        (way.create_dir)(&root, "folder/more").unwrap();
        (way.rename)(&root, "folder/new", "folder/more/new").unwrap();
        (way.rename)(&root, "folder/more/new", "folder/file").unwrap();
        (way.sync_dir)(&root, "folder").unwrap();
        let mut names = (way.list)(&root, "folder").unwrap();
        names.sort();
        assert_eq!(names, ["file", "more"]);
        (way.remove_file)(&root, "folder/file").unwrap();
        assert_eq!((way.list)(&root, "").unwrap(), ["folder"]);
    }
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    use std::os::unix::fs::symlink;
    for way in ways() {
        let (_parent, root) = world();
        symlink("../outside", root.join("away")).unwrap();
        symlink("../outside/secret", root.join("leaf")).unwrap();
        for how in [How::Read, How::Update, How::Create] {
            assert!((way.open)(&root, "away/secret", how).is_err());
            assert!((way.open)(&root, "leaf", how).is_err());
        }
        assert!((way.open)(&root, "away/made", How::Create).is_err());
        assert!((way.list)(&root, "away").is_err());
        assert!((way.list)(&root, "away/below").is_err());
        assert!((way.create_dir)(&root, "away/made").is_err());
        assert!((way.remove_file)(&root, "away/secret").is_err());
        assert!((way.rename)(&root, "folder/file", "away/file").is_err());
        assert!((way.rename)(&root, "away/secret", "folder/secret").is_err());
        assert!((way.sync_dir)(&root, "away").is_err());
        (way.remove_file)(&root, "leaf").unwrap();
        assert_eq!(fs::read_dir(root.join("../outside")).unwrap().count(), 2);
        assert_eq!(fs::read_to_string(root.join("../outside/secret")).unwrap(), "secret");
    }
}

#[cfg(unix)]
#[test]
fn a_file_with_a_second_name_is_refused() {
    for way in ways() {
        let (_parent, root) = world();
        fs::hard_link(root.join("../outside/secret"), root.join("linked")).unwrap();
        for how in [How::Read, How::Update, How::Create] {
            let error = (way.open)(&root, "linked", how).unwrap_err();
            assert_eq!(error.raw_os_error(), Some(libc::EMLINK));
        }
    }
}

#[cfg(unix)]
#[test]
fn names_that_cannot_be_counted_are_no_second_name() {
    let (_parent, root) = world();
    let opened = fs::metadata(root.join("folder/file")).unwrap();
    let look = |named: io::Result<fs::Metadata>| super::is_alone(&opened, named);
    let wants = || io::Error::from_raw_os_error(libc::EMFILE);
    assert_eq!(look(Err(wants())).unwrap_err().raw_os_error(), Some(libc::EMFILE));
    assert!(!look(Err(io::ErrorKind::NotFound.into())).unwrap());
    assert!(!look(fs::metadata(root.join("../outside/secret"))).unwrap());
    assert!(look(fs::metadata(root.join("folder/file"))).unwrap());
}

#[cfg(unix)]
#[test]
fn a_folder_that_its_file_system_does_not_sync_has_nothing_to_sync() {
    let synced = |code| super::pass_over_refusal(Err(io::Error::from_raw_os_error(code)));
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
    for way in ways() {
        let (_parent, root) = world();
        let made = std::process::Command::new("mkfifo").arg(root.join("pipe")).status();
        assert!(made.unwrap().success());
        for how in [How::Read, How::Update, How::Create] {
            assert!((way.open)(&root, "pipe", how).is_err());
        }
    }
}
