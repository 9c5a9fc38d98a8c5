//! One attempt at a handoff: whether it runs, what it locked, and how that is given back.

use std::{
    collections::HashSet,
    sync::{LazyLock, Mutex, MutexGuard, PoisonError},
};

use crate::{
    error::Result,
    host::{Arguments, Host},
    id::{self, SessionId},
    json::date,
    model::{Intent, Session, SessionStatus},
    store::{Records, RecordsMut},
    timestamp::Timestamp,
};

pub(super) fn with_status(session: Session, status: SessionStatus, now: Timestamp) -> Session {
    Session { status, updated_at: now, ..session }
}

pub(super) fn own_intent(
    records: &(impl Records + ?Sized),
    source: &SessionId,
    attempt: &str,
) -> Result<Option<Intent>> {
    Ok(records.intent(source)?.filter(|intent| intent.attempt == attempt))
}

/// Gives the source of an unfinished handoff back; returns whether there is a source, or
/// `None` when the handoff is not unfinished.
pub(super) fn unlock(
    records: &mut dyn RecordsMut,
    source: &SessionId,
    attempt: &str,
    now: Timestamp,
) -> Result<Option<bool>> {
    let Some(intent) = own_intent(records, source, attempt)? else { return Ok(None) };
    let session = records.session(source)?;
    let has_source = session.is_some();
    let still_locked = |session: &Session| {
        session.status == SessionStatus::Locked && session.owner_version == intent.owner_version
    };
    if let Some(session) = session.filter(still_locked) {
        records.put_session(&with_status(session, SessionStatus::Idle, now))?;
    }
    records.remove_intent(source)?;
    Ok(Some(has_source))
}

/// The time by the application's clock, which a test of it may have stopped; by the
/// system's where the application can no longer be called.
pub(super) async fn now(host: &dyn Host) -> Timestamp {
    let told = host.call("clock", "now", Arguments::none()).await.ok().flatten();
    told.and_then(|raw| date(&raw)).unwrap_or_else(Timestamp::now)
}

/// Whether the attempt of a handoff may still be running.
pub(super) fn may_be_running(intent: &Intent) -> bool {
    if intent.process.is_this() {
        return running().contains(&intent.attempt);
    }
    intent.process.may_run()
}

/// Whether an attempt of this process has ended, and could not undo what it had done.
pub(super) fn was_given_up(intent: &Intent) -> bool {
    intent.process.is_this() && !may_be_running(intent)
}

static RUNNING: LazyLock<Mutex<HashSet<String>>> = LazyLock::new(Mutex::default);

fn running() -> MutexGuard<'static, HashSet<String>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One attempt to hand a session over, or to recover it, for as long as this lives.
pub(super) struct Attempt(pub(super) String);

impl Attempt {
    pub(super) fn start() -> Self {
        let name = id::generate("att_");
        running().insert(name.clone());
        Self(name)
    }
}

impl Drop for Attempt {
    fn drop(&mut self) {
        running().remove(&self.0);
    }
}
