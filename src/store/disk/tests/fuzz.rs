//! Logs that may be anything, and any sequence of operations, faults and stops.

use std::{io::ErrorKind, sync::OnceLock};

use super::scenario::{
    Mode, Run, Step, append, append_batch, append_long, append_number, append_three, archive_edge,
    checkpoint, create_edge, create_project, create_session, delete_edge, delete_session, evict,
    now, readmit, record_summary, record_tree, replace, update_project, update_session,
};
use crate::{
    engine::simulated::{Fault, Seed, SimulatedDisk},
    error::{Error, Outcome},
    id::{TenantId, repeat_ids},
    model::Message,
    store::{Durability, ExtendedSessionStore as _, Log, SessionStore as _},
    verify::verify_view,
};

/// What random choices start from: `NAMZU_SEED`, or anything. A failure says which.
#[cfg(test)]
pub(crate) fn seed() -> u64 {
    let given = std::env::var("NAMZU_SEED").ok().map(|seed| seed.parse().unwrap());
    given.unwrap_or_else(|| {
        let now = std::time::UNIX_EPOCH.elapsed().unwrap();
        u64::from(now.subsec_nanos()) ^ (now.as_secs() % 1_000_000)
    })
}

/// A message log: it reads as a whole or is refused, each way of reading agrees, and the
/// next append adds one message.
pub(crate) fn message_log(bytes: &[u8]) {
    static ROOT: OnceLock<SimulatedDisk> = OnceLock::new();
    let root = ROOT.get_or_init(|| {
        let disk = SimulatedDisk::default();
        let mut run = Run::new(&disk, Durability::Full);
        [create_project, create_session, append_number::<0>, checkpoint]
            .iter()
            .for_each(|step: &Step| step(&mut run).unwrap());
        disk
    });
    let disk = root.after_kill();
    let (log, _) =
        disk.files().into_iter().find(|(path, _)| path.ends_with("messages.jsonl")).unwrap();
    let session = log.rsplit('/').nth(1).unwrap().to_owned();
    disk.damage(&log, |log| *log = bytes.to_vec());
    let tenant = &TenantId::new("tnt_a").unwrap();
    let run = Run::new(&disk, Durability::Full);
    let _ = verify_view(&run.store.engine().unwrap()).unwrap();
    let read = |disk: &SimulatedDisk| {
        let store = Run::new(disk, Durability::Full).store;
        let bare = now(store.load_messages(&session, tenant));
        let enveloped = now(store.load_session_messages(&session, tenant));
        let count = now(store.count_messages(&session, tenant));
        match (bare, enveloped) {
            (Ok(bare), Ok(enveloped)) => {
                let messages = list(bare);
                assert_eq!(list(enveloped).len(), messages.len());
                assert_eq!(count.unwrap(), messages.len() as u64);
                Some(messages)
            }
            (Err(one), Err(other)) => {
                for error in [one, other] {
                    let named = matches!(
                        error,
                        Error::CorruptRecord { .. } | Error::TenantIsolation { .. }
                    );
                    assert!(named, "{error}");
                }
                None
            }
            (bare, enveloped) => panic!("{bare:?} {enveloped:?}"),
        }
    };
    let before = read(&disk);
    let message = Message::from_payload(r#"{"content":"one more"}"#).unwrap();
    let appended = now(run.store.append_message(&session, message, tenant));
    if let Some(mut expected) = before {
        appended.unwrap();
        expected.push(r#"{"content":"one more"}"#.to_owned());
        assert_eq!(read(&disk), Some(expected));
    }
}

/// The texts of a list's elements: a message may be what no other reader takes.
fn list(log: Log) -> Vec<String> {
    let texts = |text: String| -> Vec<Box<serde_json::value::RawValue>> {
        serde_json::from_str(&text).unwrap()
    };
    log.into_iter().flat_map(texts).map(|text| text.get().to_owned()).collect()
}

/// Whether a step can be done now.
type Possible = fn(&Run) -> bool;

/// What can be done to a run.
const STEPS: &[(Step, Possible)] = &[
    (create_project, |run| run.sessions.is_empty()),
    (create_session, |run| run.project.is_some()),
    (create_edge, |run| run.sessions.len() > 1),
    (append, |run| !run.sessions.is_empty()),
    (append_three, |run| !run.sessions.is_empty()),
    (append_long, |run| !run.sessions.is_empty()),
    (update_session, |run| !run.sessions.is_empty()),
    (record_summary, |run| !run.sessions.is_empty()),
    (delete_edge, |run| !run.edges.is_empty() && !run.is_evicted()),
    (delete_session, |run| !run.sessions.is_empty() && run.edges.is_empty()),
    (update_project, |run| run.project.is_some()),
    (append_batch, |run| run.sessions.len() > 1 && !run.is_evicted()),
    (replace, |run| run.sessions.len() > 1 && !run.is_evicted()),
    (checkpoint, |run| run.project.is_some()),
    (archive_edge, |run| run.sessions.len() > 1 && !run.edges.is_empty() && !run.is_evicted()),
    (evict, |run| run.is_archived() && !run.is_evicted()),
    (readmit, Run::is_evicted),
];

/// Where [`append_three`] and [`readmit`] are among them, which are several transactions: of the
/// one each is answered for itself, the other starts over, and a failure in either is not
/// followed.
const SEVERAL: [usize; 2] = [4, 16];

/// What [`append_three`] is to a power cut, which may fall between its transactions.
const THREE: [Step; 3] = [append_number::<0>, append_number::<1>, append_number::<2>];

/// A store on a disk that fails, with what a store on a faultless one has done.
struct Twins {
    mode: Mode,
    disk: SimulatedDisk,
    run: Run,
    faultless: SimulatedDisk,
    model: Run,
    /// The model as it was before each step that a power cut may still take.
    before: Vec<(SimulatedDisk, Run)>,
    /// A fault was met since the machine started.
    doubtful: bool,
}

/// Any sequence of operations, failing calls, kills and power cuts: two bytes each. The
/// root is at any time what the acknowledged operations made of it, less those that a power
/// cut took: of what was not synced, the last.
pub(crate) fn operations(bytes: &[u8]) {
    Mode::ALL.into_iter().for_each(|mode| operations_in(mode, bytes));
}

fn operations_in(mode: Mode, bytes: &[u8]) {
    let (disk, faultless) = (SimulatedDisk::default(), SimulatedDisk::default());
    let run = Run::of_mode(&disk, mode);
    let model = Run::new(&faultless, Durability::Full);
    let mut twins =
        Twins { mode, disk, run, faultless, model, before: Vec::new(), doubtful: false };
    let pairs = bytes.chunks_exact(2).take(48);
    for (n, pair) in (0..).zip(pairs) {
        match pair[0] {
            what @ 0..=223 => twins.step(n, usize::from(what) % STEPS.len(), pair[1]),
            224..=239 => twins.start_anew(twins.disk.after_kill()),
            _ => twins.cut(u64::from(pair[1])),
        }
    }
    twins.heal_and_compare();
    let findings = verify_view(&twins.run.store.engine().unwrap()).unwrap();
    assert!(findings.is_empty() || record_tree(&twins.disk).is_empty(), "{findings:?}");
}

impl Twins {
    fn step(&mut self, n: u8, which: usize, how: u8) {
        let (step, possible) = STEPS[which];
        if !possible(&self.model) {
            return;
        }
        if how >= 128 && !SEVERAL.contains(&which) {
            let error = [ErrorKind::Other, ErrorKind::StorageFull][usize::from(how & 1)];
            let (at, for_ever) = (u64::from(how & 63) + 1, how & 64 != 0);
            self.disk.set_fault(Some(Fault { at, for_ever, error, written: usize::from(how & 7) }));
            repeat_ids(n);
            let answer = step(&mut self.run);
            self.doubtful |= self.disk.calls() >= at;
            self.disk.set_fault(None);
            return self.check(n, which, answer);
        }
        repeat_ids(n);
        let answer = step(&mut self.run);
        self.check(n, which, answer);
    }

    /// Does what was done to the model too, and compares.
    fn check(&mut self, n: u8, which: usize, answer: Result<(), Error>) {
        let (step, _) = STEPS[which];
        let follow = |twins: &mut Self| {
            repeat_ids(n);
            step(&mut twins.model).unwrap();
        };
        match answer {
            Ok(()) => {
                let mut before = Vec::new();
                repeat_ids(n);
                let parts = if which == SEVERAL[0] { &THREE } else { &[step] as &[Step] };
                for part in parts {
                    before.push((self.faultless.after_kill(), self.model.clone()));
                    part(&mut self.model).unwrap();
                }
                if self.run.is_flushed() {
                    self.before.clear();
                    assert_eq!(record_tree(&self.disk), record_tree(&self.faultless));
                } else {
                    self.before.append(&mut before);
                }
                return;
            }
            // A step that reads before it writes may be told of the write before it.
            Err(Error::StoreIo { outcome: Outcome::NotDone, .. }) => {}
            Err(Error::StoreIo { outcome: Outcome::Done, .. }) => follow(self),
            Err(Error::StoreIo { outcome: Outcome::Unknown, .. }) => {
                self.heal();
                if record_tree(&self.disk) != record_tree(&self.faultless) {
                    follow(self);
                }
            }
            Err(other) => panic!("{other}"),
        }
        self.heal_and_compare();
        self.know();
    }

    fn heal(&mut self) {
        self.run.store.engine().unwrap().checkpoint().unwrap();
        self.before.clear();
    }

    fn heal_and_compare(&mut self) {
        self.heal();
        assert_eq!(record_tree(&self.disk), record_tree(&self.faultless));
    }

    /// The run knows of everything that the model does.
    fn know(&mut self) {
        self.run.project.clone_from(&self.model.project);
        self.run.sessions.clone_from(&self.model.sessions);
        self.run.edges.clone_from(&self.model.edges);
    }

    fn start_anew(&mut self, disk: SimulatedDisk) {
        self.run = Run::of_mode(&disk, self.mode);
        self.disk = disk;
        self.know();
        self.heal_and_compare();
    }

    fn cut(&mut self, seed: u64) {
        // A failed sync of a folder is not made good for by the next checkpoint: see
        // docs/testing.md. A kill shows what programs see.
        if self.doubtful {
            return self.start_anew(self.disk.after_kill());
        }
        let after = self.disk.after_random_power_cut(&mut Seed::new(seed));
        let recovered = after.after_kill();
        Run::new(&recovered, Durability::Full).store.engine().unwrap().checkpoint().unwrap();
        let found = record_tree(&recovered);
        if found != record_tree(&self.faultless) {
            let states = &mut self.before;
            if let Some(nth) = states.iter().position(|(disk, _)| record_tree(disk) == found) {
                let (faultless, model) = states.swap_remove(nth);
                (self.model, self.faultless) = (model.over(&faultless), faultless);
            }
        }
        self.start_anew(after);
    }
}
