//! What a question costs, in file operations, beside another tenant's records and without
//! them: counting calls, or taking the time, tells nothing of the other.

use super::scenario::{
    Run, Step, append, append_batch, checkpoint, create_edge, create_project, create_session,
    delete_edge, delete_session, now, record_summary, replace, update_project, update_session,
};
use crate::{
    engine::simulated::SimulatedDisk,
    id::{TenantId, repeat_ids},
    store::{
        Durability, ExtendedSessionStore as _, Form, PageRequest, Selection, SessionStore as _,
    },
};

/// Everything that a tenant has.
const OWN: &[Step] = &[
    create_project,
    create_session,
    append,
    create_session,
    create_edge,
    append_batch,
    replace,
    record_summary,
    checkpoint,
];

/// How much another tenant has: nothing, one of each, many.
const OTHERS: [u8; 3] = [0, 1, 12];

/// A root with the records of `others` other tenants, and then those of one.
fn root(others: u8) -> (SimulatedDisk, Run) {
    let disk = SimulatedDisk::default();
    for n in 0..others {
        let mut other = Run::new(&disk, Durability::Full).of(&format!("tnt_other_{n}"));
        repeat_ids(100 + n);
        OWN.iter().for_each(|step| step(&mut other).unwrap());
    }
    let mut run = Run::new(&disk, Durability::Full);
    OWN.iter().for_each(|step| step(&mut run).unwrap());
    (disk, run)
}

type Question = (&'static str, fn(&mut Run));

fn tenant() -> TenantId {
    TenantId::new("tnt_a").unwrap()
}

/// Asks about the first session, or the edge or the project, by its id.
macro_rules! ask {
    ($name:ident, session) => {
        (stringify!($name), |run| {
            let id = run.sessions[0].id.to_string();
            let _ = now(run.store.$name(&id, &tenant())).unwrap();
        })
    };
    ($name:ident, edge) => {
        (stringify!($name), |run| {
            let id = run.edges[0].id.to_string();
            let _ = now(run.store.$name(&id, &tenant())).unwrap();
        })
    };
    ($name:ident, project) => {
        (stringify!($name), |run| {
            let id = run.project.as_ref().unwrap().id.to_string();
            let _ = now(run.store.$name(&id, &tenant())).unwrap();
        })
    };
}

macro_rules! change {
    ($step:ident) => {
        (stringify!($step), |run| $step(run).unwrap())
    };
}

/// All that names a record of the tenant's own. Listings of projects, ids that do not exist,
/// and the first looks for sessions after a start look into each project, of whatever
/// tenant: see docs/testing.md.
const QUESTIONS: &[Question] = &[
    ask!(get_project, project),
    ask!(get_session, session),
    ask!(load_messages, session),
    ask!(load_session_messages, session),
    ask!(count_messages, session),
    ask!(get_children, session),
    ask!(get_ancestry, session),
    ask!(drill, session),
    ask!(get_summary, session),
    ask!(get_sub_session, edge),
    ("load_selected", |run| {
        let id = run.sessions[0].id.to_string();
        let selection = Selection { limit: Some(1), ..Selection::default() };
        let load = run.store.load_selected(&id, &selection, Form::Envelope, &tenant());
        drop(now(load).unwrap());
    }),
    ("list_sessions_by_project", |run| {
        let id = run.project.as_ref().unwrap().id.to_string();
        let page = PageRequest::default();
        drop(now(run.store.list_sessions_by_project(&id, None, &tenant(), &page)).unwrap());
    }),
    change!(update_project),
    change!(create_session),
    change!(append),
    change!(append_batch),
    change!(update_session),
    change!(record_summary),
    change!(create_edge),
    change!(delete_edge),
    ("delete_session", |run| {
        create_session(run).unwrap();
        delete_session(run).unwrap();
    }),
    change!(checkpoint),
];

/// After so many lookups a process has filled its locator; before, it looks into each project.
const LOOKUPS: u32 = 300;

/// How many operations each question takes in a store that is open.
fn costs(others: u8) -> Vec<(&'static str, u64)> {
    let cost = |ask: fn(&mut Run)| {
        let (disk, own) = root(others);
        let disk = disk.after_kill();
        let mut run = own.over(&disk);
        let id = run.sessions[1].id.to_string();
        for _ in 0..LOOKUPS {
            now(run.store.get_ancestry(&id, &tenant())).unwrap();
        }
        disk.set_fault(None); // counts from here
        ask(&mut run);
        disk.calls()
    };
    QUESTIONS.iter().map(|(name, ask)| (*name, cost(*ask))).collect()
}

#[test]
fn what_a_question_costs_does_not_depend_on_what_other_tenants_have() {
    let [alone, beside_one, beside_many] = OTHERS.map(costs);
    assert!(alone.iter().all(|(_, cost)| *cost > 0), "{alone:?}");
    assert_eq!(alone, beside_one);
    assert_eq!(alone, beside_many);
}
