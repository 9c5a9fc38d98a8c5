//! Makes up operations from a seed: mostly sensible ones, some on what is deleted,
//! unknown, malformed or another tenant's.

use namzu_native::id::TenantId;
use serde_json::{Value, json};

use crate::{
    known::{self, Known},
    operation::{Call, Operation},
    random::Random,
    support::{EDGE_KINDS, EDGE_STATUSES, SESSION_STATUSES, payload},
};

const TENANTS: [&str; 2] = ["tnt_alpha", "tnt_beta"];
/// Sessions are few, so that the operations meet one another.
const MAX_SESSIONS: usize = 12;
const MAX_PROJECTS: usize = 4;

/// What the operations so far have made.
pub struct Script {
    random: Random,
    projects: Vec<Known>,
    sessions: Vec<Known>,
    edges: Vec<Known>,
    made: usize,
}

impl Script {
    pub fn new(seed: u64) -> Self {
        Self {
            random: Random::new(seed),
            projects: Vec::new(),
            sessions: Vec::new(),
            edges: Vec::new(),
            made: 0,
        }
    }

    /// Takes note of a record that an operation created.
    pub fn learn(&mut self, operation: &Operation, answer: &str) {
        let known = match operation.call {
            Call::CreateProject(_) => &mut self.projects,
            Call::CreateSession(_) => &mut self.sessions,
            Call::CreateEdge(..) => &mut self.edges,
            _ => return,
        };
        if answer.starts_with("ok ") {
            known.push(Known { name: operation.makes.clone(), tenant: operation.tenant });
        }
    }

    /// Whether the disk store is opened anew at this point.
    pub fn reopens(&mut self) -> bool {
        self.random.percent(3)
    }

    /// Every read of everything that was ever made, by its own tenant.
    pub fn everything(&self) -> Vec<Operation> {
        let mut all = known::reads(&self.projects, &[Call::GetProject]);
        all.extend(known::reads(&self.sessions, &known::OF_A_SESSION));
        all.extend(known::reads(&self.edges, &[Call::GetEdge]));
        all
    }

    /// The next operation.
    pub fn next(&mut self) -> Operation {
        self.made += 1;
        let makes = format!("$record {}", self.made);
        let (call, owner) = self.call();
        let stranger = self.random.percent(7);
        let tenant = if stranger { *self.random.pick(&TENANTS) } else { owner };
        Operation { call, tenant, makes }
    }

    fn call(&mut self) -> (Call, &'static str) {
        if self.projects.is_empty() {
            return self.create_project();
        }
        if self.sessions.len() < 3 {
            return self.create_session();
        }
        match self.random.below(100) {
            0..3 if self.projects.len() < MAX_PROJECTS => self.create_project(),
            0..12 if self.sessions.len() < MAX_SESSIONS => self.create_session(),
            0..18 => self.create_edge(),
            18..30 => self.update_session(),
            30..44 => self.update_edge(),
            44..56 => self.append(),
            56..62 => self.record_summary(),
            62..66 => self.on_session(Call::DeleteSession),
            66..69 => self.on_edge(Call::DeleteEdge),
            69..72 => self.on_project(Call::GetProject),
            72..76 => self.on_session(Call::GetSession),
            76..80 => self.on_edge(Call::GetEdge),
            80..83 => self.on_session(Call::LoadMessages),
            83..86 => self.on_session(Call::LoadEnvelopes),
            86..90 => self.on_session(Call::GetChildren),
            90..94 => self.on_session(Call::GetAncestry),
            94..97 => self.on_session(Call::Drill),
            _ => self.on_session(Call::GetSummary),
        }
    }

    fn create_project(&mut self) -> (Call, &'static str) {
        let owner = self.tenant();
        let claimed = if self.random.percent(5) { self.tenant() } else { owner };
        let name = *self.random.pick(&["Desk", "東京 ✈", "", "a/b"]);
        (Call::CreateProject(json!({ "tenantId": claimed, "name": name })), owner)
    }

    fn create_session(&mut self) -> (Call, &'static str) {
        let (project, owner) = self.project();
        let actor = self.actor(owner);
        (Call::CreateSession(json!({ "projectId": project, "currentActor": actor })), owner)
    }

    fn create_edge(&mut self) -> (Call, &'static str) {
        let (parent, owner) = self.session();
        let mut params = json!({
            "parentSessionId": parent,
            "childSessionId": self.session().0,
            "kind": self.random.pick(&EDGE_KINDS),
            "spawnedBy": payload::user(&named(owner)),
        });
        if self.random.percent(50) {
            params["failureMode"] = json!(self.random.pick(&["fail_fast", "delegate"]));
            params["completionMode"] = json!(self.random.pick(&["summary_ref", "merge_back"]));
        }
        (Call::CreateEdge(params, self.date()), owner)
    }

    fn update_session(&mut self) -> (Call, &'static str) {
        let (id, owner) = self.session();
        let claimed = if self.random.percent(4) { self.tenant() } else { owner };
        let previous: Vec<Value> =
            (0..self.random.below(3)).map(|_| payload::user(&named(owner))).collect();
        let session = json!({
            "id": id,
            "projectId": self.project().0,
            "tenantId": claimed,
            "status": self.random.pick(&SESSION_STATUSES),
            "currentActor": self.actor(owner),
            "previousActors": previous,
            "workspaceId": self.random.pick(&[Value::Null, json!("wsp_1"), json!("../x")]),
            "ownerVersion": self.random.below(3),
            "createdAt": self.date(),
            "updatedAt": self.date(),
        });
        let version = self.random.percent(40).then(|| self.random.below(3) as u64);
        (Call::UpdateSession(session, version), owner)
    }

    fn update_edge(&mut self) -> (Call, &'static str) {
        let (id, owner) = self.edge();
        let mut edge = json!({
            "id": id,
            "parentSessionId": self.session().0,
            "childSessionId": self.session().0,
            "kind": self.random.pick(&EDGE_KINDS),
            "status": self.random.pick(&EDGE_STATUSES),
            "spawnedBy": payload::agent(&named(owner)),
            "spawnedAt": self.date(),
            "failureMode": self.random.pick(&["fail_fast", "delegate"]),
            "completionMode": self.random.pick(&["summary_ref", "merge_back"]),
            "workspaceId": self.random.pick(&[Value::Null, json!("wsp_1")]),
            "updatedAt": self.date(),
        });
        let optional = json!({
            "prevArtifactRef": self.random.pick(&payload::deliverables()),
            "broadcastGroupId": "group",
            "summaryRef": "sum_1",
            "archiveRef": "arc/1",
            "archivedAt": self.date(),
        });
        for (key, value) in optional.as_object().unwrap() {
            if self.random.percent(40) {
                edge[key.as_str()] = value.clone();
            }
        }
        (Call::UpdateEdge(edge), owner)
    }

    fn append(&mut self) -> (Call, &'static str) {
        let (session, owner) = self.session();
        let message = match self.random.below(3) {
            0 => format!(r#"{{"role":"user","content":"{} ✈ \ud800"}}"#, self.made),
            1 => format!(r#"{{"z":{},"a":[{{"":null}}],"n":1e21}}"#, self.made),
            _ => "{}".to_owned(),
        };
        (Call::Append(session, message), owner)
    }

    fn record_summary(&mut self) -> (Call, &'static str) {
        let (session, owner) = self.session();
        let claimed = if self.random.percent(5) { self.tenant() } else { owner };
        let summary = json!({
            "id": self.random.pick(&["sum_1", "sum_1", "sum_2"]),
            "sessionRef": session,
            "tenantId": claimed,
            "outcome": { "status": self.random.pick(&["succeeded", "partial", "failed"]) },
            "deliverables": payload::deliverables()[..self.random.below(5)],
            "agentSummary": format!("summary {}", self.made),
            "keyDecisions": [{ "at": self.date(), "summary": "chose" }],
            "at": self.date(),
            "materializedBy": "kernel",
        });
        (Call::RecordSummary(summary), owner)
    }

    fn on_project(&mut self, call: fn(String) -> Call) -> (Call, &'static str) {
        let (project, owner) = self.project();
        (call(project), owner)
    }

    fn on_session(&mut self, call: fn(String) -> Call) -> (Call, &'static str) {
        let (session, owner) = self.session();
        (call(session), owner)
    }

    fn on_edge(&mut self, call: fn(String) -> Call) -> (Call, &'static str) {
        let (edge, owner) = self.edge();
        (call(edge), owner)
    }

    fn project(&mut self) -> (String, &'static str) {
        known::pick(&mut self.random, &self.projects, "prj_")
    }

    fn session(&mut self) -> (String, &'static str) {
        known::pick(&mut self.random, &self.sessions, "ses_")
    }

    fn edge(&mut self) -> (String, &'static str) {
        known::pick(&mut self.random, &self.edges, "sub_")
    }

    fn tenant(&mut self) -> &'static str {
        if self.random.percent(75) { TENANTS[0] } else { TENANTS[1] }
    }

    fn actor(&mut self, owner: &str) -> Value {
        let owner = &named(owner);
        let actors = [payload::user(owner), payload::agent(owner), payload::system(owner)];
        if self.random.percent(20) { Value::Null } else { self.random.pick(&actors).clone() }
    }

    /// A date in the past, of any order, and no date twice: edges of one instant are
    /// ordered by ids, which the stores make up apart.
    fn date(&mut self) -> String {
        self.made += 1;
        let (year, millis) = (2001 + self.random.below(20), self.made % 1000);
        format!(
            "{year}-05-06T07:{:02}:{:02}.{millis:03}Z",
            self.made / 60_000,
            self.made / 1000 % 60
        )
    }
}

fn named(tenant: &str) -> TenantId {
    TenantId::new(tenant).unwrap()
}
