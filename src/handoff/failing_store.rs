//! Handoffs and recoveries over a store whose transactions fail, one by one and for a
//! while: what is answered must be true of the whole.

use std::sync::{Arc, Mutex, MutexGuard};

use super::{
    Handoff, recover,
    tests::{Application, another, natively, run, scene, session, tenant},
};
use crate::{
    error::{Error, Outcome, Result},
    id::SessionId,
    model::SessionStatus,
    store::{MemoryStore, RecordStore, Records, RecordsMut},
    timestamp::Timestamp,
};

/// How a transaction fails: what it answers, and whether it took effect.
type Failure = (Outcome, bool);

const FAILURES: [Failure; 4] = [
    (Outcome::NotDone, false),
    (Outcome::Done, true),
    (Outcome::Unknown, true),
    (Outcome::Unknown, false),
];

#[derive(Debug, Default)]
struct Plan {
    writes: usize,
    /// The number of the write that fails, counted from 1, and how it does.
    fails: Option<(usize, Failure)>,
    /// Whether all later ones are refused, as on a disk that stays full.
    lasts: bool,
}

impl Plan {
    fn next(&mut self) -> Option<Failure> {
        self.writes += 1;
        let (at, failure) = self.fails?;
        match self.writes {
            now if now == at => Some(failure),
            now if now > at && self.lasts => Some((Outcome::NotDone, false)),
            _ => None,
        }
    }
}

/// A memory store, some of whose writes fail.
#[derive(Debug, Clone)]
struct Failing {
    store: MemoryStore,
    plan: Arc<Mutex<Plan>>,
}

impl Failing {
    fn new(store: MemoryStore) -> Self {
        Self { store, plan: Arc::default() }
    }

    fn plan(&self) -> MutexGuard<'_, Plan> {
        self.plan.lock().unwrap()
    }

    /// Lets one write of those to come fail, and the later ones when it `lasts`.
    fn fail(&self, at: usize, failure: Failure, lasts: bool) {
        *self.plan() = Plan { writes: 0, fails: Some((at, failure)), lasts };
    }

    /// Lets no write fail any more; answers whether one was to, and none did.
    fn mend(&self) -> bool {
        let plan = std::mem::take(&mut *self.plan());
        plan.fails.is_some_and(|(at, _)| plan.writes < at)
    }
}

impl RecordStore for Failing {
    fn read<T>(&self, read: impl Fn(&dyn Records) -> Result<T>) -> Result<T> {
        self.store.read(read)
    }

    fn read_consistently<T>(&self, read: impl Fn(&dyn Records) -> Result<T>) -> Result<T> {
        self.store.read_consistently(read)
    }

    fn write<T, C>(&self, change: C) -> impl Future<Output = Result<T>> + Send + 'static + use<T, C>
    where
        T: Send + 'static,
        C: FnOnce(&mut dyn RecordsMut) -> Result<T> + Send + 'static,
    {
        let failure = self.plan().next();
        let happens = failure.is_none_or(|(_, happens)| happens);
        let written = happens.then(|| self.store.write(change));
        async move {
            let answer = match written {
                Some(written) => Some(written.await?),
                None => None,
            };
            let refused = |(outcome, _)| Error::StoreIo {
                place: None,
                op: "write",
                path: "there".to_owned(),
                code: "EIO".into(),
                outcome,
            };
            match (failure, answer) {
                (None, Some(answer)) => Ok(answer),
                (failure, _) => Err(refused(failure.unwrap_or(FAILURES[0]))),
            }
        }
    }

    fn admit(&self) -> Result<Self> {
        Ok(self.clone())
    }

    fn now(&self) -> Timestamp {
        self.store.now()
    }
}

fn outcome(error: &Error) -> Outcome {
    match error {
        Error::StoreIo { outcome, .. } => *outcome,
        other => panic!("{other}"),
    }
}

/// Whether nothing of a handoff is left in the source but what a whole one leaves.
fn is_whole(store: &Failing, source: &SessionId) -> bool {
    let left = store.read(|records| records.intended()).unwrap();
    left.is_empty() && session(store, source).status != SessionStatus::Locked
}

/// Calls `check` with a fresh store for each way to fail in each of the writes of what it
/// does, until it says that there was none of that number.
fn each_failure(check: impl Fn(usize, Failure, bool, usize) -> bool) {
    for recipients in [1, 2] {
        for failure in FAILURES {
            for lasts in [false, true] {
                let met = (1..).take_while(|at| check(*at, failure, lasts, recipients)).count();
                assert!(met > 1, "several writes failed");
            }
        }
    }
}

#[test]
fn what_a_handoff_answers_is_true_of_the_whole_of_it() {
    each_failure(|at, failure, lasts, recipients| {
        let (store, source, handoff) = scene(recipients);
        let store = Failing::new(store);
        store.fail(at, failure, lasts);
        let application = Application::default();
        let answer = natively(&store, &application, &handoff);
        if store.mend() {
            answer.unwrap();
            return false;
        }
        let title = format!("write {at} fails with {failure:?}, lasting {lasts}: {answer:?}");
        let happened = session(&store, &source.id).owner_version == 1;
        match answer.as_ref().map_err(outcome) {
            Ok(_) | Err(Outcome::Done) => assert!(happened, "{title}"),
            Err(Outcome::NotDone) => {
                assert!(!happened && is_whole(&store, &source.id), "{title}");
            }
            Err(Outcome::Unknown) => assert!(lasts, "{title}"),
        }
        let told = application.called("events.onCommitted").len();
        assert!(told <= usize::from(happened), "{title}");
        let unlocked = application.called("events.onUnlocked").len();
        let is_locked = session(&store, &source.id).status == SessionStatus::Locked;
        assert!(unlocked == 0 || !is_locked, "{title}");
        let disposed = application.called("workspaces.dispose").len();
        assert!(!happened || disposed == 0, "{title}");
        expect_to_work(&store, &source.id, &handoff, happened, &title);
        true
    });
}

/// When no fault is left, the same process hands over what was not handed over.
fn expect_to_work(store: &Failing, source: &SessionId, handoff: &Handoff, did: bool, title: &str) {
    let again = natively(store, &Application::default(), handoff);
    assert_eq!(again.is_ok(), !did, "{title}, then {again:?}");
    assert_eq!(session(store, source).owner_version, 1, "{title}");
    assert!(is_whole(store, source), "{title}");
}

#[test]
fn what_a_recovery_answers_is_true_of_the_whole_of_it() {
    each_failure(|at, failure, lasts, recipients| {
        let (store, source, handoff) = scene(recipients);
        let gone = Application::gone_at("workspaces.create");
        natively(&store, &gone, &handoff).unwrap_err();
        let store = Failing::new(store);
        store.fail(at, failure, lasts);
        let answer = run(recover(&store, &Application::default(), &tenant()));
        if store.mend() {
            assert_eq!(answer.unwrap().len(), 1);
            return false;
        }
        let title = format!("write {at} fails with {failure:?}, lasting {lasts}: {answer:?}");
        let undone = is_whole(&store, &source.id);
        match answer.as_ref().map_err(outcome) {
            Ok(_) | Err(Outcome::Done) => assert!(undone, "{title}"),
            Err(Outcome::NotDone) => assert!(!undone, "{title}"),
            Err(Outcome::Unknown) => assert_eq!(at, 2, "{title}"),
        }
        let again = run(recover(&store, &Application::default(), &tenant())).unwrap();
        assert_eq!(again.len(), usize::from(!undone), "{title}");
        expect_to_work(&store, &source.id, &handoff, false, &title);
        true
    });
}

#[test]
fn of_several_recoveries_one_that_was_not_done_is_told() {
    let (store, first, handoff) = scene(1);
    let gone = || Application::gone_at("workspaces.create");
    natively(&store, &gone(), &handoff).unwrap_err();
    let second = another(&store, &first);
    natively(&store, &gone(), &second).unwrap_err();
    let store = Failing::new(store);
    // The first is undone, and what comes then is refused.
    store.fail(2, (Outcome::Done, true), true);
    let error = run(recover(&store, &Application::default(), &tenant())).unwrap_err();
    assert_eq!(outcome(&error), Outcome::NotDone);
    store.mend();
    assert_eq!(run(recover(&store, &Application::default(), &tenant())).unwrap().len(), 1);
}
