//! Summaries: recorded once, and what recording does to the session.

use std::thread;

use namzu_native::{Error, store::SessionStore};
use serde_json::{Value, json};

use crate::support::{
    SESSION_STATUSES, UNKNOWN_SESSION, alpha, beta,
    errors::{expect_error, expect_isolation, expect_not_found, refusal},
    payload::{Text, deliverables, summary, value_of},
    wait,
    world::World,
};

/// The statuses that a summary ends.
const ENDED: [&str; 3] = ["active", "locked", "awaiting_merge"];

fn stored<S: SessionStore>(world: &World<'_, S>, session: &str) -> Option<Value> {
    let summary = wait(world.store.get_summary(session, &world.tenant)).unwrap();
    summary.map(|summary| value_of(&summary))
}

pub fn a_summary_reads_back_as_it_was_recorded<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let full = json!({
        "id": "../any text",
        "outcome": { "status": "partial", "verdict": "" },
        "deliverables": deliverables(),
        "agentSummary": "Rebooked ✈ — \"done\"\n\u{0}",
        "keyDecisions": [
            { "at": "2026-04-02T07:59:00.123Z", "summary": "the later one first" },
            { "at": "2026-04-01T00:00:00.000Z", "summary": "" },
        ],
    });
    let outcomes = ["succeeded", "failed"].map(|status| json!({ "outcome": { "status": status } }));
    for changes in outcomes.iter().chain([&full]) {
        let session = world.session();
        world.summarize(&session, changes).unwrap();
        let expected = world.summary(&session, changes);
        assert_eq!(stored(&world, session.id.as_str()), Some(expected));
    }
}

pub fn what_has_no_summary_answers_none<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let session = world.session();
    assert_eq!(stored(&world, session.id.as_str()), None);
    assert_eq!(stored(&world, UNKNOWN_SESSION), None);
}

pub fn recording_ends_what_the_session_was_doing<S: SessionStore>(store: &S) {
    let world = World::new(store);
    for status in SESSION_STATUSES {
        let session = world.session();
        let changes = json!({ "status": status, "ownerVersion": 3, "workspaceId": "wsp_1" });
        world.update(&session, &changes).unwrap();
        let before = world.stored(&session);
        world.summarize(&session, &json!({})).unwrap();
        let after = world.stored(&session);
        let expected = if ENDED.contains(&status) { "idle" } else { status };
        let mut fields = value_of(&before);
        fields["status"] = json!(expected);
        fields["updatedAt"] = json!(after.updated_at.to_string());
        assert_eq!(value_of(&after), fields, "nothing else of a session {status} changes");
        assert!(after.updated_at >= before.updated_at);
    }
}

pub fn the_same_summary_again_replays_the_status_change_only<S: SessionStore>(store: &S) {
    let world = World::new(store);
    for status in SESSION_STATUSES {
        let session = world.session();
        world.summarize(&session, &json!({})).unwrap();
        let first = stored(&world, session.id.as_str());
        world.update(&session, &json!({ "status": status })).unwrap();

        let other_words =
            json!({ "agentSummary": "other words", "outcome": { "status": "failed" } });
        world.summarize(&session, &other_words).unwrap();
        assert_eq!(stored(&world, session.id.as_str()), first);
        let expected = if ENDED.contains(&status) { "idle" } else { status };
        assert_eq!(value_of(&world.stored(&session))["status"], expected);
    }
}

pub fn another_summary_of_the_session_is_refused<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let session = world.session();
    world.summarize(&session, &json!({})).unwrap();
    world.update(&session, &json!({ "status": "active" })).unwrap();
    let details = json!({ "sessionId": session.id.as_str(), "existingSummaryId": "sum_1" });
    let refused = world.summarize(&session, &json!({ "id": "sum_2" }));
    let error = expect_error(refused, "SessionAlreadySummarizedError", &details).to_string();
    assert!(error.contains(session.id.as_str()) && error.contains("sum_1"), "{error}");
    assert_eq!(stored(&world, session.id.as_str()).unwrap()["id"], "sum_1");
    let status = &value_of(&world.stored(&session))["status"];
    assert_eq!(status, "active", "a refusal changes nothing");
}

pub fn two_sessions_may_share_a_summary_id<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let [one, two] = world.sessions();
    for session in [&one, &two] {
        world.summarize(session, &json!({})).unwrap();
        let expected = world.summary(session, &json!({}));
        assert_eq!(stored(&world, session.id.as_str()), Some(expected));
    }
}

pub fn a_summary_needs_its_session<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let changes = json!({ "sessionRef": UNKNOWN_SESSION });
    let unknown = world.summary(&world.session(), &changes);
    let unknown = summary(&unknown).unwrap();
    expect_not_found(wait(store.record_summary(unknown, &alpha())), UNKNOWN_SESSION);
}

pub fn a_summary_is_recorded_by_its_own_tenant_alone<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let session = world.session();
    let ours = summary(&world.summary(&session, &json!({}))).unwrap();
    expect_isolation(
        wait(store.record_summary(ours, &beta())),
        "tnt_beta",
        "summary(sum_1) payload",
    );
    let theirs = world.summary(&session, &json!({ "tenantId": "tnt_beta" }));
    let theirs = summary(&theirs).unwrap();
    expect_isolation(
        wait(store.record_summary(theirs, &beta())),
        "tnt_beta",
        &format!("session({})", session.id),
    );
    assert_eq!(stored(&world, session.id.as_str()), None);
    // The payload is looked at before the session is looked for.
    let unknown =
        world.summary(&session, &json!({ "tenantId": "tnt_beta", "sessionRef": UNKNOWN_SESSION }));
    let unknown = summary(&unknown).unwrap();
    expect_isolation(
        wait(store.record_summary(unknown, &alpha())),
        "tnt_alpha",
        "summary(sum_1) payload",
    );
}

pub fn a_summary_of_another_tenants_session_is_refused_recorded_or_not<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let session = world.session();
    let id = session.id.as_str();
    let ask = || refusal(wait(store.get_summary(id, &beta())));
    let before = ask();
    let says = |error: &Error, resource: &str| {
        assert_eq!(error.name(), "TenantIsolationError");
        assert!(error.to_string().ends_with(resource), "{error}");
    };
    says(&before, &format!("session({id})"));
    world.summarize(&session, &json!({})).unwrap();
    says(&ask(), "summary(sum_1)");
}

pub fn of_racing_summaries_exactly_one_is_recorded<S: SessionStore>(store: &S) {
    let world = World::new(store);
    for _ in 0..10 {
        let session = world.session();
        world.update(&session, &json!({ "status": "active" })).unwrap();
        let winners: Vec<String> = thread::scope(|scope| {
            let racers: Vec<_> = (0..4)
                .map(|racer| {
                    let (world, session) = (&world, &session);
                    scope.spawn(move || {
                        let id = format!("sum_{racer}");
                        world.summarize(session, &json!({ "id": id })).is_ok().then_some(id)
                    })
                })
                .collect();
            racers.into_iter().filter_map(|racer| racer.join().unwrap()).collect()
        });
        assert_eq!(winners.len(), 1, "{winners:?}");
        let recorded = wait(store.get_summary(session.id.as_str(), &alpha())).unwrap().unwrap();
        assert_eq!(recorded.id.as_str(), winners[0]);
        assert!(world.stored(&session).text().contains(r#""status":"idle""#));
    }
}
