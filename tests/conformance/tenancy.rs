//! Tenancy: every method keeps other tenants out, says so, and changes nothing.

use namzu_native::{
    Result,
    id::TenantId,
    model::{Session, SubSession},
    store::SessionStore,
};
use serde_json::json;

use crate::support::{
    alpha, beta,
    errors::{expect_isolation, refusal},
    payload::{Text, changed, edge, new_edge, new_session, said, session, user},
    wait,
    world::World,
};

struct Owned {
    parent: Session,
    child: Session,
    edge: SubSession,
}

fn owned<S: SessionStore>(world: &World<'_, S>) -> Owned {
    let [parent, child] = world.sessions();
    world.say(&parent, "secret");
    world.summarize(&parent, &json!({})).unwrap();
    let edge = world.edge(&parent, &child);
    Owned { parent: world.stored(&parent), child, edge }
}

/// Every way for beta to reach alpha's records, with the resource it is kept from.
fn reaches<S: SessionStore>(world: &World<'_, S>, owned: &Owned) -> Vec<(Result<()>, String)> {
    let (store, tenant) = (world.store, &beta());
    let id = owned.parent.id.as_str();
    let of_project =
        json!({ "projectId": world.project.id.as_str(), "currentActor": user(tenant) });
    let theirs = json!({ "tenantId": tenant.as_str(), "status": "failed" });
    let update = |version| {
        let payload = session(&changed(&owned.parent, &theirs)).unwrap();
        wait(store.update_session(payload, tenant, version))
    };
    let bent = edge(&changed(&owned.edge, &json!({ "status": "failed" })), tenant).unwrap();
    let to_edge = format!("sub-session({})", owned.edge.id);
    let edge_id = owned.edge.id.as_str();

    let of_session = [
        wait(store.get_session(id, tenant)).map(drop),
        update(None),
        // A version that is not the stored one would tell a stranger which one is.
        update(Some(41)),
        wait(store.delete_session(id, tenant)),
        wait(store.append_message(id, said("theirs"), tenant)).map(drop),
        wait(store.load_messages(id, tenant)).map(drop),
        wait(store.load_session_messages(id, tenant)).map(drop),
        wait(store.get_children(id, tenant)).map(drop),
        wait(store.get_ancestry(id, tenant)).map(drop),
        wait(store.drill(id, tenant)).map(drop),
    ];
    let to_session = format!("session({id})");
    let mut all: Vec<_> = of_session.map(|result| (result, to_session.clone())).into();
    let created = new_session(&of_project).unwrap();
    all.push((
        wait(store.create_session(created, tenant)).map(drop),
        format!("project({})", world.project.id),
    ));
    for result in [
        wait(store.get_sub_session(edge_id, tenant)).map(drop),
        wait(store.update_sub_session(bent, tenant)),
        wait(store.delete_sub_session(edge_id, tenant)),
    ] {
        all.push((result, to_edge.clone()));
    }
    all
}

pub fn every_method_refuses_another_tenants_record<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let owned = owned(&world);
    for (result, resource) in reaches(&world, &owned) {
        let message = format!("{result:?}");
        expect_isolation(result, "tnt_beta", &resource);
        assert!(!message.contains("tnt_alpha"), "the owner is not revealed: {message}");
    }
}

pub fn a_refusal_changes_nothing<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let owned = owned(&world);
    let refused = reaches(&world, &owned);
    assert!(refused.iter().all(|(result, _)| result.is_err()));
    assert_eq!(world.stored(&owned.parent).text(), owned.parent.text());
    assert_eq!(world.stored(&owned.child).text(), owned.child.text());
    assert_eq!(world.stored_edge(&owned.edge).text(), owned.edge.text());
    assert_eq!(world.children(&owned.parent), [owned.edge.id.as_str()]);
    assert_eq!(world.contents(&owned.parent), ["secret"]);
}

pub fn an_edge_needs_both_ends_to_be_ones_own<S: SessionStore>(store: &S) {
    let (ours, theirs) = (World::new(store), World::of(store, &beta()));
    let (own, foreign) = (ours.session(), theirs.session());
    let resource = format!("session({})", foreign.id);
    for (parent, child) in [(&own, &foreign), (&foreign, &own)] {
        let result = ours.try_edge(parent.id.as_str(), child.id.as_str());
        expect_isolation(result, "tnt_alpha", &resource);
    }
    assert!(ours.children(&own).is_empty() && theirs.children(&foreign).is_empty());
}

pub fn tenants_work_side_by_side<S: SessionStore>(store: &S) {
    // A tenant's name is the application's own: any text, as it is.
    let names = ["acme/eu ☂", "../..", "tnt_alpha ", "TNT_ALPHA", "tnt_alpha\0"];
    let tenants = names.map(|name| TenantId::new(name).unwrap());
    let worlds = tenants.each_ref().map(|tenant| World::of(store, tenant));
    let sessions = worlds.each_ref().map(|world| world.session());
    for (world, session) in worlds.iter().zip(&sessions) {
        let stored = world.stored(session);
        assert_eq!(stored.text(), session.text());
        assert_eq!(stored.tenant_id, world.tenant);
        for tenant in tenants.iter().filter(|tenant| **tenant != world.tenant) {
            let error = refusal(wait(store.get_session(session.id.as_str(), tenant)));
            assert_eq!(error.name(), "TenantIsolationError");
        }
    }
}

pub fn an_actor_may_be_of_another_tenant<S: SessionStore>(store: &S) {
    // Who owns a record is its tenant, not who acts in it.
    let world = World::new(store);
    let [session, child] = [world.session_by(&user(&beta())), world.session_by(&user(&beta()))];
    let params = json!({
        "parentSessionId": session.id.as_str(),
        "childSessionId": child.id.as_str(),
        "kind": "user_handoff",
        "spawnedBy": user(&beta()),
    });
    let new = new_edge(&params).unwrap();
    let edge = wait(store.create_sub_session(new, &alpha())).unwrap();
    assert_eq!(world.stored(&session).text(), session.text());
    assert_eq!(world.children(&session), [edge.id.as_str()]);
}
