//! Roots of the earlier layout, and what they are before and after.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicBool},
};

use tempfile::TempDir;

use super::{
    super::{Answer, Kind, Migration, Step},
    hostile::{Fault, Hostile},
};
use crate::{error::MigrationFailure, process::Process, timestamp::Timestamp};

/// What each thread of [`legacy_root`] holds below `runs/`.
const FILES: [(&str, &str); 5] = [
    ("thd_a", "run_1/run.json"),
    ("thd_a", "run_1/transcript.jsonl"),
    ("thd_a", "run_2/children/run_3/messages.json"),
    ("thd_b", "run_4/report.md"),
    ("thd_b", "loose file"),
];

/// Every file of a root, by its path, with what it holds; links with where they lead.
pub(super) type Snapshot = BTreeMap<String, String>;

pub(super) struct World {
    parent: TempDir,
}

impl World {
    pub(super) fn empty() -> Self {
        let world = Self { parent: TempDir::new().unwrap() };
        fs::create_dir(world.root()).unwrap();
        world
    }

    /// Three threads, one without runs, one with a link among its runs, and two entries
    /// that are none.
    pub(super) fn legacy() -> Self {
        let world = Self::empty();
        for (thread, file) in FILES {
            world.write(&format!("threads/{thread}/runs/{file}"), &content(thread, file));
        }
        world.write("threads/thd_empty/.keep", "");
        world.write("threads/thd_a/notes.txt", "stays");
        world.write("threads/other/file", "left alone");
        #[cfg(unix)]
        std::os::unix::fs::symlink("run_1", world.root().join("threads/thd_a/runs/latest"))
            .unwrap();
        world
    }

    pub(super) fn root(&self) -> PathBuf {
        self.parent.path().join("root")
    }

    pub(super) fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(super) fn exists(&self, path: &str) -> bool {
        self.root().join(path).symlink_metadata().is_ok()
    }

    /// A migration of a process that is gone once the migration is.
    pub(super) fn migration(&self, fault: Fault, day: u32) -> (Migration, Hostile) {
        let hostile = Hostile::new(&self.root(), fault);
        let owner = Process {
            start_time: "1".to_owned(),
            copy: "gone".to_owned(),
            ..Process::this().clone()
        };
        let now = Timestamp::parse(&format!("2026-01-{day:02}T00:00:00.000Z")).unwrap();
        let migration = Migration::over(
            &self.root(),
            Box::new(hostile.clone()),
            Box::new(hostile.clone()),
            owner,
            now,
            Arc::new(AtomicBool::new(false)),
        );
        (migration, hostile)
    }

    /// Migrates to the end.
    pub(super) fn migrate(&self, day: u32) -> Result<Answer, Box<MigrationFailure>> {
        let (mut migration, _) = self.migration(Fault::default(), day);
        let answer = finish(&mut migration);
        migration.release().unwrap();
        answer
    }

    /// The root without the engine's own folder, and without dates.
    pub(super) fn snapshot(&self) -> Snapshot {
        let mut found = Snapshot::new();
        collect(&self.root(), &self.root(), &mut found);
        found
    }

    /// Fails unless each run is whole, where it was or where it goes.
    #[track_caller]
    pub(super) fn check_nothing_is_lost(&self, what: &str) {
        for (thread, file) in FILES {
            let before = self.root().join(format!("threads/{thread}/runs/{file}"));
            let project = thread.replace("thd_", "prj_legacy_");
            let session = format!("projects/{project}/sessions/ses_legacy_default");
            let after = self.root().join(format!("{session}/runs/{file}"));
            let whole = |path| fs::read_to_string(path).ok() == Some(content(thread, file));
            assert!(whole(&before) || whole(&after), "{what}: {thread}/{file} is lost");
            assert!(!after.exists() || whole(&after), "{what}: {} is half made", after.display());
        }
    }
}

fn content(thread: &str, file: &str) -> String {
    format!("{thread} {file} ☂\n").repeat(5)
}

pub(super) fn finish(migration: &mut Migration) -> Result<Answer, Box<MigrationFailure>> {
    loop {
        match migration.step()? {
            Step::Working(_) => {}
            Step::Stopped => panic!("it was not told to stop"),
            Step::Done(answer) => return Ok(answer),
        }
    }
}

/// The root of [`World::legacy`] as one migration leaves it that nothing interrupts.
pub(super) fn migrated() -> Snapshot {
    let world = World::legacy();
    assert_eq!(world.migrate(1).unwrap().kind, Kind::Migrated);
    world.check_nothing_is_lost("migrated at once");
    let snapshot = world.snapshot();
    assert!(!snapshot.keys().any(|path| path.ends_with(".tmp") || path.ends_with(".part")));
    assert!(!snapshot.contains_key("threads/thd_a/runs/"));
    snapshot
}

fn collect(root: &Path, folder: &Path, found: &mut Snapshot) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
        if name == ".store" {
            continue;
        }
        let metadata = path.symlink_metadata().unwrap();
        if metadata.is_dir() {
            found.insert(format!("{name}/"), String::new());
            collect(root, &path, found);
        } else if metadata.is_symlink() {
            found.insert(name, format!("-> {}", fs::read_link(&path).unwrap().display()));
        } else {
            let text = fs::read_to_string(&path).unwrap();
            found.insert(name, without_dates(&text));
        }
    }
}

/// What differs between two days.
fn without_dates(text: &str) -> String {
    text.split("2026-01-")
        .map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()))
        .collect()
}
