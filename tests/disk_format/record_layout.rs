//! The text of each record, to the byte.

use namzu_native::{
    model::{NewSession, Session, SubSession, Summary},
    store::SessionStore,
};
use serde_json::json;

use crate::support::{
    alpha, is_date,
    payload::{message, value_of},
    root::{Root, edge_file, session_dir},
    wait,
};

/// An actor whose keys are in no order that a decoder would pick.
const ACTOR: &str = r#"{"kind":"user","userId":"usr_ann","tenantId":"tnt_alpha"}"#;

#[test]
fn a_project() {
    let root = Root::absent();
    let project = root.fill(|world| world.project.clone());
    let text = root.read(&format!("projects/{}/project.json", project.id));
    let at = project.created_at.to_string();
    assert!(is_date(&at));
    let expected = format!(
        r#"{{
  "id": "{id}",
  "tenantId": "tnt_alpha",
  "name": "Desk",
  "config": {{
    "maxDelegationDepth": 4,
    "maxDelegationWidth": 8,
    "maxInterventionDepth": 10
  }},
  "createdAt": "{at}",
  "updatedAt": "{at}"
}}"#,
        id = project.id,
    );
    assert_eq!(text, expected);
}

#[test]
fn a_projects_config_is_answered_as_it_is_stored() {
    let root = Root::absent();
    let project = root.fill(|world| world.project.clone());
    let file = format!("projects/{}/project.json", project.id);
    let optional = r#""maxInterventionDepth": 10,
    "sharedMemoryStores": ["mms_1"],
    "sharedDeliverables": false,
    "retentionPolicy": { "idleSubSessionTTL": 1000, "archiveBackend": "arc_1" }"#;
    root.edit(&file, r#""maxInterventionDepth": 10"#, optional);
    root.edit(&file, r#""maxDelegationDepth": 4"#, r#""maxDelegationDepth": 2"#);
    let read = wait(root.store().get_project(project.id.as_str(), &alpha())).unwrap().unwrap();
    let expected = json!({
        "maxDelegationDepth": 2,
        "maxDelegationWidth": 8,
        "maxInterventionDepth": 10,
        "sharedMemoryStores": ["mms_1"],
        "sharedDeliverables": false,
        "retentionPolicy": { "idleSubSessionTTL": 1000, "archiveBackend": "arc_1" },
    });
    assert_eq!(value_of(&read)["config"], expected);
}

#[test]
fn a_new_session() {
    let root = Root::absent();
    let (project, session) = root.fill(|world| {
        let new = format!(r#"{{"projectId":"{}","currentActor":{ACTOR}}}"#, world.project.id);
        let new = NewSession::from_payload(&new).unwrap();
        (world.project.id.clone(), wait(world.store.create_session(new, &alpha())).unwrap())
    });
    let dir = session_dir(project.as_str(), session.id.as_str());
    let expected = format!(
        r#"{{
  "id": "{id}",
  "projectId": "{project}",
  "tenantId": "tnt_alpha",
  "status": "idle",
  "currentActor": {{
    "kind": "user",
    "userId": "usr_ann",
    "tenantId": "tnt_alpha"
  }},
  "previousActors": [],
  "workspaceId": null,
  "ownerVersion": 0,
  "createdAt": "{at}",
  "updatedAt": "{at}"
}}"#,
        id = session.id,
        at = session.created_at,
    );
    assert_eq!(root.read(&format!("{dir}/session.json")), expected);
    assert_eq!(
        root.records().keys().filter(|path| path.starts_with(&dir) && !path.ends_with('/')).count(),
        1,
        "no log before the first message, no summary before it is recorded",
    );
}

#[test]
fn an_updated_session() {
    let root = Root::absent();
    let (project, session) = root.fill(|world| {
        let session = world.session();
        let payload = format!(
            r#"{{"updatedAt":"2001-01-01T00:00:00Z","createdAt":"2001-02-03T04:05:06.007Z","ownerVersion":7,
                "workspaceId":"wsp_1","previousActors":[{ACTOR},{{"tenantId":"t","kind":"system","role":"sys_r"}}],
                "currentActor":null,"status":"awaiting_hitl","tenantId":"tnt_alpha","projectId":"{}","id":"{}"}}"#,
            world.project.id, session.id,
        );
        let payload = Session::from_payload(&payload).unwrap();
        wait(world.store.update_session(payload, &alpha(), None)).unwrap();
        (world.project.id.clone(), world.stored(&session))
    });
    let dir = session_dir(project.as_str(), session.id.as_str());
    let expected = format!(
        r#"{{
  "id": "{id}",
  "projectId": "{project}",
  "tenantId": "tnt_alpha",
  "status": "awaiting_hitl",
  "currentActor": null,
  "previousActors": [
    {{
      "kind": "user",
      "userId": "usr_ann",
      "tenantId": "tnt_alpha"
    }},
    {{
      "tenantId": "t",
      "kind": "system",
      "role": "sys_r"
    }}
  ],
  "workspaceId": "wsp_1",
  "ownerVersion": 7,
  "createdAt": "2001-02-03T04:05:06.007Z",
  "updatedAt": "{at}"
}}"#,
        id = session.id,
        at = session.updated_at,
    );
    assert_eq!(root.read(&format!("{dir}/session.json")), expected);
}

#[test]
fn an_edge_new_and_full() {
    let root = Root::absent();
    let (file, new, full) = root.fill(|world| {
        let [parent, child] = world.sessions();
        let new = world.edge(&parent, &child);
        let file = edge_file(world.project.id.as_str(), parent.id.as_str(), new.id.as_str());
        let text = root.read(&file);
        assert_eq!(text, edge_text(&new, "pending", "null", "", &new.spawned_at.to_string()));
        let changes = json!({
            "status": "archived",
            "workspaceId": "wsp_1",
            "archivedAt": "2002-02-03T04:05:06.007Z",
            "archiveRef": "arc_1",
            "summaryRef": "sum_1",
            "broadcastGroupId": "group",
            "prevArtifactRef": { "id": "del_1", "kind": "file" },
        });
        world.update_edge(&new, &changes).unwrap();
        let full = world.stored_edge(&new);
        (file, new, full)
    });
    let optional = r#"
  "prevArtifactRef": {
    "id": "del_1",
    "kind": "file"
  },
  "broadcastGroupId": "group",
  "summaryRef": "sum_1",
  "archiveRef": "arc_1",
  "archivedAt": "2002-02-03T04:05:06.007Z","#;
    let updated = full.updated_at.to_string();
    let expected = edge_text(&new, "archived", r#""wsp_1""#, optional, &updated);
    assert_eq!(root.read(&file), expected);
}

fn edge_text(
    edge: &SubSession,
    status: &str,
    workspace: &str,
    optional: &str,
    updated: &str,
) -> String {
    // The actor went through a decoder that sorts, on its way into the store.
    format!(
        r#"{{
  "id": "{id}",
  "parentSessionId": "{parent}",
  "childSessionId": "{child}",
  "tenantId": "tnt_alpha",
  "kind": "agent_spawn",
  "status": "{status}",
  "spawnedBy": {{
    "kind": "user",
    "tenantId": "tnt_alpha",
    "userId": "usr_ann"
  }},
  "spawnedAt": "{spawned}",
  "failureMode": "delegate",
  "completionMode": "summary_ref",
  "workspaceId": {workspace},{optional}
  "updatedAt": "{updated}"
}}"#,
        id = edge.id,
        parent = edge.parent_session_id,
        child = edge.child_session_id,
        spawned = edge.spawned_at,
    )
}

#[test]
fn a_summary() {
    let root = Root::absent();
    let (project, session) = root.fill(|world| {
        let session = world.session();
        let payload = format!(
            r#"{{"materializedBy":"kernel","at":"2026-04-02T08:00:00.000Z",
                "keyDecisions":[{{"summary":"direct ✈","at":"2026-04-02T07:59:00.123Z"}}],
                "agentSummary":"done \ud800\u0000","deliverables":[{{"kind":"file","id":"del_1","sizeBytes":1e3}}],
                "outcome":{{"status":"partial","verdict":""}},"tenantId":"tnt_alpha",
                "sessionRef":"{}","id":"sum_1"}}"#,
            session.id,
        );
        let payload = Summary::from_payload(&payload).unwrap();
        wait(world.store.record_summary(payload, &alpha())).unwrap();
        (world.project.id.clone(), session.id)
    });
    let dir = session_dir(project.as_str(), session.as_str());
    let expected = format!(
        r#"{{
  "id": "sum_1",
  "sessionRef": "{session}",
  "tenantId": "tnt_alpha",
  "outcome": {{
    "status": "partial",
    "verdict": ""
  }},
  "deliverables": [
    {{
      "kind": "file",
      "id": "del_1",
      "sizeBytes": 1e3
    }}
  ],
  "agentSummary": "done \ud800\u0000",
  "keyDecisions": [
    {{
      "at": "2026-04-02T07:59:00.123Z",
      "summary": "direct ✈"
    }}
  ],
  "at": "2026-04-02T08:00:00.000Z",
  "materializedBy": "kernel"
}}"#
    );
    assert_eq!(root.read(&format!("{dir}/summary.json")), expected);
}

#[test]
fn a_message_log() {
    let root = Root::absent();
    let texts = [r#"{"role":"user","content":"é \ud800 ✈","a":[1,{"b":null}]}"#, "{}"];
    let (project, session, ids) = root.fill(|world| {
        let session = world.session().id;
        let append =
            |text| wait(world.store.append_message(session.as_str(), message(text), &alpha()));
        let ids = texts.map(|text| append(text).unwrap());
        (world.project.id.clone(), session, ids)
    });
    let log =
        root.read(&format!("{}/messages.jsonl", session_dir(project.as_str(), session.as_str())));
    assert!(log.ends_with("\"}\n"));
    for ((line, id), text) in log.lines().zip(&ids).zip(texts) {
        let (head, at) = line.rsplit_once(r#","at":""#).unwrap();
        let head_expected = format!(
            r#"{{"id":"{id}","sessionId":"{session}","tenantId":"tnt_alpha","message":{text}"#
        );
        assert_eq!(head, head_expected);
        assert!(is_date(at.strip_suffix("\"}").unwrap()));
    }
    assert_eq!(log.lines().count(), 2);
}
