//! Sessions: creation, replacement, and compare-and-set on the stored version.

use std::thread;

use namzu_native::store::SessionStore;
use serde_json::{Value, json};

use crate::support::{
    SESSION_STATUSES, UNKNOWN_PROJECT, UNKNOWN_SESSION, alpha,
    errors::{expect_error, expect_isolation, expect_not_found},
    is_date, is_generated,
    payload::{Text, agent, new_session, session, system, user, value_of},
    wait,
    world::World,
};

pub fn a_new_session_is_idle_and_nobody_was_there_before<S: SessionStore>(store: &S) {
    let world = World::new(store);
    for actor in [user(&alpha()), agent(&alpha()), system(&alpha()), Value::Null] {
        let session = world.session_by(&actor);
        assert!(is_generated(session.id.as_str(), "ses_"));
        assert!(is_date(&session.created_at.to_string()));
        let expected = json!({
            "id": session.id.as_str(),
            "projectId": world.project.id.as_str(),
            "tenantId": "tnt_alpha",
            "status": "idle",
            "currentActor": actor,
            "previousActors": [],
            "workspaceId": null,
            "ownerVersion": 0,
            "createdAt": session.created_at.to_string(),
            "updatedAt": session.created_at.to_string(),
        });
        assert_eq!(value_of(&session), expected);
        assert_eq!(world.stored(&session).text(), session.text());
    }
}

pub fn a_session_needs_its_project<S: SessionStore>(store: &S) {
    let params = json!({ "projectId": UNKNOWN_PROJECT, "currentActor": null });
    let new = new_session(&params).unwrap();
    expect_not_found(wait(store.create_session(new, &alpha())), UNKNOWN_PROJECT);
}

pub fn an_unknown_session_is_nothing<S: SessionStore>(store: &S) {
    assert!(wait(store.get_session(UNKNOWN_SESSION, &alpha())).unwrap().is_none());
    World::new(store).session();
    assert!(wait(store.get_session(UNKNOWN_SESSION, &alpha())).unwrap().is_none());
}

pub fn an_update_replaces_every_field_and_stamps_the_time<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let session = world.session();
    let mut expected = json!({
        "id": session.id.as_str(),
        "projectId": world.project.id.as_str(),
        "tenantId": "tnt_alpha",
        "status": "locked",
        "currentActor": agent(&alpha()),
        "previousActors": [user(&alpha()), system(&alpha())],
        "workspaceId": "wsp_any text",
        "ownerVersion": 7,
        "createdAt": "2001-02-03T04:05:06.007Z",
        "updatedAt": "2001-02-03T04:05:06.007Z",
    });
    world.update(&session, &expected).unwrap();
    let stored = world.stored(&session);
    assert!(stored.updated_at >= session.updated_at, "the payload's own time is not taken");
    expected["updatedAt"] = json!(stored.updated_at.to_string());
    assert_eq!(value_of(&stored), expected);

    let cleared = json!({ "currentActor": null, "previousActors": [], "workspaceId": null });
    world.update(&stored, &cleared).unwrap();
    let stored = world.stored(&session);
    assert!(stored.current_actor.is_none() && stored.previous_actors.is_empty());
    assert!(stored.workspace_id.is_none());
}

pub fn every_status_can_be_stored<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let session = world.session();
    for status in SESSION_STATUSES {
        world.update(&session, &json!({ "status": status })).unwrap();
        assert_eq!(value_of(&world.stored(&session))["status"], status);
    }
}

pub fn an_update_leaves_its_neighbours_alone<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let [session, neighbour] = world.sessions();
    world.update(&session, &json!({ "status": "failed", "ownerVersion": 3 })).unwrap();
    assert_eq!(world.stored(&neighbour).text(), neighbour.text());
}

pub fn a_session_that_changes_its_project_is_still_found<S: SessionStore>(store: &S) {
    let (world, other) = (World::new(store), World::new(store));
    let session = world.session();
    world.say(&session, "before");
    world.update(&session, &json!({ "projectId": other.project.id.as_str() })).unwrap();
    assert_eq!(world.stored(&session).project_id, other.project.id);
    world.say(&session, "after");
    assert_eq!(world.contents(&session), ["before", "after"]);
}

pub fn an_update_needs_the_session<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let unknown = json!({ "id": UNKNOWN_SESSION });
    let session = world.session();
    expect_not_found(world.update(&session, &unknown), UNKNOWN_SESSION);
    expect_not_found(world.update_if(&session, &unknown, Some(3)), UNKNOWN_SESSION);
}

pub fn an_update_never_gives_a_session_away<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let session = world.session();
    let resource = format!("session({}) payload", session.id);
    let given_away = json!({ "tenantId": "tnt_beta" });
    expect_isolation(world.update(&session, &given_away), "tnt_alpha", &resource);
    assert_eq!(world.stored(&session).text(), session.text());
}

pub fn an_expected_version_is_compared_with_the_stored_one<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let session = world.session();
    world.update_if(&session, &json!({ "ownerVersion": 5 }), Some(0)).unwrap();

    // The payload still carries version 0, which the caller once read.
    let details = |expected: u64| {
        json!({
            "sessionId": session.id.as_str(),
            "expectedVersion": expected,
            "actualVersion": 5,
        })
    };
    for expected in [0, 4, 6] {
        let changes = json!({ "status": "failed" });
        let refused = world.update_if(&session, &changes, Some(expected));
        let message = expect_error(refused, "StaleSessionError", &details(expected)).to_string();
        assert!(message.contains(session.id.as_str()));
        assert!(message.contains(&expected.to_string()) && message.contains('5'), "{message}");
    }
    assert_eq!(value_of(&world.stored(&session))["status"], "idle", "a refusal changes nothing");
    world.update_if(&session, &json!({ "status": "failed" }), Some(5)).unwrap();
    assert_eq!(world.stored(&session).owner_version, 0, "the payload's version is stored");
}

pub fn of_racing_updates_at_one_version_exactly_one_wins<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let original = world.session();
    for round in 0..20_u64 {
        let wins: Vec<u64> = thread::scope(|scope| {
            let racers: Vec<_> = (0..6_u64)
                .map(|racer| {
                    let (world, original) = (&world, &original);
                    scope.spawn(move || {
                        let changes = json!({
                            "ownerVersion": round + 1,
                            "workspaceId": format!("wsp_{round}_{racer}"),
                        });
                        let result = world.update_if(original, &changes, Some(round));
                        if let Err(error) = &result {
                            assert_eq!(error.name(), "StaleSessionError");
                        }
                        result.is_ok().then_some(racer)
                    })
                })
                .collect();
            racers.into_iter().filter_map(|racer| racer.join().unwrap()).collect()
        });
        assert_eq!(wins.len(), 1, "round {round}: {wins:?}");
        let winner = format!("wsp_{round}_{}", wins[0]);
        assert_eq!(world.stored(&original).workspace_id.unwrap().as_str(), winner);
    }
}

pub fn a_payload_is_the_callers_own<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let original = world.session();
    let payload = session(&value_of(&original)).unwrap();
    let mut answered = world.stored(&original);
    answered.owner_version = 99;
    assert_eq!(world.stored(&original).owner_version, 0);
    wait(store.update_session(payload.clone(), &alpha(), None)).unwrap();
    assert_eq!(payload.text(), original.text());
}
