//! Projects: what a new one is, and who gets to see it.

use namzu_native::{model::NewProject, store::SessionStore};
use serde_json::json;

use crate::support::{
    UNKNOWN_PROJECT, alpha, beta,
    errors::expect_isolation,
    is_date, is_generated,
    payload::{Text, new_project, value_of},
    wait,
    world::World,
};

pub fn a_new_project_has_the_default_limits<S: SessionStore>(store: &S) {
    let new = new_project(&json!({ "tenantId": "tnt_alpha", "name": "Desk" })).unwrap();
    let project = wait(store.create_project(new, &alpha())).unwrap();
    assert!(is_generated(project.id.as_str(), "prj_"));
    assert!(is_date(&project.created_at.to_string()));
    let expected = json!({
        "id": project.id.as_str(),
        "tenantId": "tnt_alpha",
        "name": "Desk",
        "config": { "maxDelegationDepth": 4, "maxDelegationWidth": 8, "maxInterventionDepth": 10 },
        "createdAt": project.created_at.to_string(),
        "updatedAt": project.created_at.to_string(),
    });
    assert_eq!(value_of(&project), expected);
}

pub fn a_project_reads_back_as_it_was_answered<S: SessionStore>(store: &S) {
    let world = World::new(store);
    let read = wait(store.get_project(world.project.id.as_str(), &alpha())).unwrap().unwrap();
    assert_eq!(read.text(), world.project.text());
}

pub fn a_name_is_kept_whatever_is_in_it<S: SessionStore>(store: &S) {
    for name in [r#""""#, r#""東京 ✈ \u0000 \ud800 \n""#, r#""../../x""#] {
        let text = format!(r#"{{"tenantId":"tnt_alpha","name":{name}}}"#);
        let new = NewProject::from_payload(&text).unwrap();
        let project = wait(store.create_project(new, &alpha())).unwrap();
        let read = wait(store.get_project(project.id.as_str(), &alpha())).unwrap().unwrap();
        assert_eq!(read.name.as_str(), name);
    }
}

pub fn one_name_may_be_given_twice<S: SessionStore>(store: &S) {
    let (one, two) = (World::new(store), World::new(store));
    assert_ne!(one.project.id, two.project.id);
    for project in [&one.project, &two.project] {
        let read = wait(store.get_project(project.id.as_str(), &alpha())).unwrap().unwrap();
        assert_eq!(read.text(), project.text());
    }
}

pub fn an_unknown_project_is_nothing<S: SessionStore>(store: &S) {
    assert!(wait(store.get_project(UNKNOWN_PROJECT, &alpha())).unwrap().is_none());
    World::new(store);
    assert!(wait(store.get_project(UNKNOWN_PROJECT, &alpha())).unwrap().is_none());
}

pub fn a_project_of_another_tenant_is_refused<S: SessionStore>(store: &S) {
    let id = World::new(store).project.id;
    expect_isolation(
        wait(store.get_project(id.as_str(), &beta())),
        "tnt_beta",
        &format!("project({id})"),
    );
}

pub fn a_project_is_created_by_its_own_tenant_alone<S: SessionStore>(store: &S) {
    let new = new_project(&json!({ "tenantId": "tnt_alpha", "name": "Desk ✈" })).unwrap();
    expect_isolation(wait(store.create_project(new, &beta())), "tnt_beta", "project(name=Desk ✈)");
}
