//! A list whose records other processes change while it is gone through.

use super::scenario::{Run, create_project, create_session, now};
use crate::{
    engine::simulated::SimulatedDisk,
    id::TenantId,
    model::Session,
    store::{
        Durability, ExtendedSessionStore as _, Page, PageRequest, Place, SessionStore as _,
        disk::memory::Known,
    },
    timestamp::Timestamp,
};

fn page(run: &Run, after: Option<Place>) -> Page<Session> {
    let project = run.project.as_ref().unwrap().id.to_string();
    let request = PageRequest { limit: 2, after };
    let tenant = TenantId::new("tnt_a").unwrap();
    now(run.store.list_sessions_by_project(&project, None, &tenant, &request)).unwrap()
}

/// Has the next page find the second session at a time, whatever its record says when the page
/// reads it.
fn find_second_at(run: &Run, at: Timestamp) {
    let session = &run.sessions[1];
    let mut known: crate::sync::MutexGuard<'_, Known> = run.store.root.memory.ages.lock();
    let of_project = known.get_mut(&run.project.as_ref().unwrap().id).unwrap();
    of_project.get_mut(&session.id).unwrap().1 = at;
}

#[test]
fn a_session_that_moves_while_a_page_is_made_takes_no_others_along() {
    let disk = SimulatedDisk::default();
    let mut run = Run::new(&disk, Durability::Full);
    create_project(&mut run).unwrap();
    for _ in 0..5 {
        create_session(&mut run).unwrap();
    }
    let created = run.sessions[1].created_at.as_millis();
    for moved in [created - 1000, created + 1000] {
        let at = Timestamp::from_millis(moved).unwrap();
        let session = Session { created_at: at, ..run.sessions[1].clone() };
        now(run.store.update_session(session, &TenantId::new("tnt_a").unwrap(), None)).unwrap();
        page(&run, None);
        // The page found it before it moved, and reads it after.
        find_second_at(&run, run.sessions[1].created_at);
        let mut listed = page(&run, None);
        find_second_at(&run, at);
        let mut ids = Vec::new();
        loop {
            ids.extend(listed.items.drain(..).map(|session| session.id));
            let Some(next) = listed.next.take() else { break };
            listed = page(&run, Some(next));
        }
        for (n, session) in run.sessions.iter().enumerate().filter(|(n, _)| *n != 1) {
            let times = ids.iter().filter(|id| **id == session.id).count();
            assert_eq!(times, 1, "session {n}, the second moved to {moved} from {created}");
        }
    }
}
