//! What is to be handed over, by whom, to whom.

use serde_json::value::RawValue;

use crate::{
    engine::mutant,
    error::{Error, Result},
    id::TenantId,
    json::{Fields, Invalid, Json, object, string},
    model::HandoffMode,
};

/// One session to one actor.
#[derive(Debug, Clone)]
pub struct Assignment {
    /// Its id.
    pub id: String,
    /// `single` or `broadcast`, as the application wrote it.
    pub mode: String,
    /// The session that is handed over.
    pub source: String,
    /// Who owns it.
    pub tenant_id: String,
    /// The project that it is in.
    pub project_id: String,
    /// Who hands it over.
    pub source_actor: Json,
    /// Who gets it.
    pub recipient: Json,
    /// The session's version that the assignment was made for.
    pub expected_version: u64,
    /// The broadcast that it is part of.
    pub broadcast_id: Option<String>,
    /// The whole assignment, as the application wrote it.
    pub json: Json,
}

impl Assignment {
    fn decode(raw: &RawValue) -> Result<Self, Invalid> {
        let fields = Fields::of_payload(raw.get())?;
        let text = |key| fields.decoded(key, "a string", |raw| string(raw).map(String::from));
        Ok(Self {
            id: text("id")?,
            mode: text("mode")?,
            source: text("sourceSessionId")?,
            tenant_id: text("tenantId")?,
            project_id: text("projectId")?,
            source_actor: fields.decoded("sourceActor", "an actor", object)?,
            recipient: fields.decoded("recipientActor", "an actor", object)?,
            expected_version: fields.whole_number("expectedOwnerVersion")?,
            broadcast_id: fields
                .optional("broadcastId", "a string", |raw| string(raw).map(String::from))?,
            json: Json::from(raw),
        })
    }

    /// Kind and id of the recipient, as the application wrote them.
    fn recipient_key(&self) -> (String, String) {
        let Ok(fields) = Fields::of_payload(self.recipient.as_str()) else {
            return Default::default();
        };
        let raw = |key| fields.get(key).map(|raw| raw.get().to_owned());
        let id = raw("userId").or_else(|| raw("agentId")).or_else(|| raw("role"));
        (raw("kind").unwrap_or_default(), id.unwrap_or_default())
    }
}

/// A handoff: one session, and whom it goes to.
#[derive(Debug, Clone)]
pub struct Handoff {
    /// To one actor or to several.
    pub mode: HandoffMode,
    /// Who asks.
    pub tenant: TenantId,
    first: Assignment,
    others: Vec<Assignment>,
}

impl Handoff {
    /// Reads one assignment and checks what can be checked without looking.
    ///
    /// # Errors
    /// [`Error::TenantIsolation`] when it is another tenant's,
    /// [`Error::InvalidArgument`] when it is none.
    pub fn single(text: &str, tenant: TenantId) -> Result<Self> {
        let raw = serde_json::from_str::<&RawValue>(text).map_err(|_| not_an("object"))?;
        let first = Assignment::decode(raw).map_err(|e| Error::argument("assignment", e))?;
        check_tenant(&first, &tenant)?;
        Ok(Self { mode: HandoffMode::Single, tenant, first, others: Vec::new() })
    }

    /// Reads the assignments of a broadcast and checks that they are of one.
    ///
    /// # Errors
    /// [`Error::Assignments`] when they are not, [`Error::TenantIsolation`] when one
    /// is another tenant's, [`Error::InvalidArgument`] when one is none.
    pub fn broadcast(text: &str, tenant: TenantId) -> Result<Self> {
        let raw = serde_json::from_str::<Vec<&RawValue>>(text).map_err(|_| not_an("array"))?;
        let problem = match raw.len() {
            0 => Some("assignments must not be empty"),
            1 => Some("single-recipient handoffs must use executeSingleHandoff"),
            _ => None,
        };
        if let Some(problem) = problem {
            let received = format!("an array of {}", raw.len());
            return Err(refused("assignments".to_owned(), received, problem.to_owned()));
        }
        let decode = |(row, raw)| {
            Assignment::decode(raw)
                .map_err(|e| Error::argument("assignments", e.below(&usize::to_string(&row))))
        };
        let mut rows = raw.into_iter().enumerate().map(decode).collect::<Result<Vec<_>>>()?;
        let others = rows.split_off(1);
        let Some(first) = rows.pop() else { return Err(not_an("array")) };
        let handoff = Self { mode: HandoffMode::Broadcast, tenant, first, others };
        handoff.check_rows()?;
        Ok(handoff)
    }

    fn check_rows(&self) -> Result<()> {
        let first = &self.first;
        let refuse = |row: usize, field: &str, received: &str, problem: String| {
            let argument = format!("assignments.{row}.{field}");
            Err(refused(argument, received.to_owned(), problem))
        };
        let mode = "broadcast";
        if first.mode != mode {
            let problem = format!("broadcast assignments must have mode `{mode}`: {}", first.id);
            return refuse(0, "mode", &first.mode, problem);
        }
        if first.broadcast_id.as_ref().is_none_or(String::is_empty) {
            let problem = format!("broadcast assignments must have a broadcastId: {}", first.id);
            return refuse(0, "broadcastId", "none", problem);
        }
        for (n, row) in self.rows().enumerate() {
            check_tenant(row, &self.tenant)?;
            let differs = [
                ("sourceSessionId", "source session", row.source != first.source),
                ("broadcastId", "broadcastId", row.broadcast_id != first.broadcast_id),
                (
                    "expectedOwnerVersion",
                    "expectedOwnerVersion",
                    row.expected_version != first.expected_version,
                ),
                ("projectId", "project", row.project_id != first.project_id),
                ("mode", "mode", row.mode != first.mode),
            ];
            if let Some((field, what, _)) = differs.into_iter().find(|(_, _, differs)| *differs) {
                let problem = format!(
                    "broadcast assignments must agree on the {what}: {} and {} do not",
                    first.id, row.id
                );
                return refuse(n, field, "another than that of the first", problem);
            }
        }
        let mut seen = std::collections::HashSet::new();
        match self.rows().enumerate().find(|(_, row)| !seen.insert(row.recipient_key())) {
            Some((n, row)) => {
                let problem = format!("duplicate recipient in broadcast assignment {}", row.id);
                refuse(n, "recipientActor", "that of an earlier one", problem)
            }
            None => Ok(()),
        }
    }

    /// Every assignment, in order; at least one.
    pub fn rows(&self) -> impl Iterator<Item = &Assignment> {
        std::iter::once(&self.first).chain(&self.others)
    }

    /// How many assignments there are.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.others.len() as u64 + 1
    }

    /// Never: there is always one.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        false
    }

    /// What all assignments agree on is taken from the first.
    #[must_use]
    pub fn first(&self) -> &Assignment {
        &self.first
    }

    /// The session that is handed over.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.first.source
    }

    /// The label of a row's workspace.
    #[must_use]
    pub fn label(&self, row: &Assignment) -> String {
        match self.mode {
            HandoffMode::Single => format!("handoff-{}", row.id),
            HandoffMode::Broadcast => format!("broadcast-{}", row.id),
        }
    }

    /// The labels of all rows, as a JSON array.
    #[must_use]
    pub fn labels(&self) -> String {
        let labels: Vec<String> = self.rows().map(|row| self.label(row)).collect();
        serde_json::Value::from(labels).to_string()
    }

    /// Why a session of this status cannot be handed over; `None` when it can.
    #[must_use]
    pub fn refusal(&self, status: &str) -> Option<&'static str> {
        match (status, self.mode) {
            ("idle", _) => None,
            ("awaiting_hitl", HandoffMode::Broadcast) if mutant!(HitlIsASubsession) => {
                Some("pending_subsession")
            }
            ("awaiting_hitl", _) => Some("pending_hitl"),
            ("awaiting_merge", HandoffMode::Single) => Some("pending_subsession"),
            (_, HandoffMode::Single) | ("active", HandoffMode::Broadcast) => Some("active_run"),
            (_, HandoffMode::Broadcast) => Some("pending_subsession"),
        }
    }

    /// The status of the source once it is handed over.
    #[must_use]
    pub fn committed_status(&self) -> &'static str {
        match self.mode {
            HandoffMode::Single => "idle",
            HandoffMode::Broadcast => "awaiting_merge",
        }
    }
}

fn check_tenant(assignment: &Assignment, tenant: &TenantId) -> Result<()> {
    if assignment.tenant_id == tenant.as_str() {
        return Ok(());
    }
    let resource = format!("handoff-assignment({})", assignment.id);
    Err(Error::TenantIsolation { requested: tenant.clone(), resource })
}

fn refused(argument: String, received: String, problem: String) -> Error {
    Error::Assignments { problem, argument, received }
}

fn not_an(expected: &str) -> Error {
    Error::InvalidArgument {
        argument: "assignments".to_owned(),
        expected: format!("an {expected}"),
        received: "something else".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: &str, changes: &[(&str, &str)]) -> String {
        let recipient = format!(r#"{{"kind":"agent","agentId":"{id}","tenantId":"t"}}"#);
        let mut fields = vec![
            ("id", format!("\"{id}\"")),
            ("mode", r#""broadcast""#.to_owned()),
            ("sourceSessionId", r#""ses_a""#.to_owned()),
            ("tenantId", r#""t""#.to_owned()),
            ("projectId", r#""prj_a""#.to_owned()),
            ("sourceActor", r#"{"kind":"user","userId":"u","tenantId":"t"}"#.to_owned()),
            ("recipientActor", recipient),
            ("expectedOwnerVersion", "0".to_owned()),
            ("broadcastId", r#""b""#.to_owned()),
        ];
        for (key, value) in changes {
            fields.retain(|(k, _)| k != key);
            fields.push((key, (*value).to_owned()));
        }
        let fields: Vec<_> = fields.iter().map(|(k, v)| format!("\"{k}\":{v}")).collect();
        format!("{{{}}}", fields.join(","))
    }

    fn broadcast(rows: &[String]) -> Result<Handoff> {
        Handoff::broadcast(&format!("[{}]", rows.join(",")), TenantId::new("t").unwrap())
    }

    #[test]
    fn a_broadcast_is_checked_row_by_row_in_order() {
        let refused = |rows: &[String]| broadcast(rows).unwrap_err().to_string();
        assert!(refused(&[]).contains("assignments must not be empty"));
        let twice = broadcast(&[row("a", &[]), row("b", &[]), row("a", &[])]).unwrap_err();
        assert_eq!(twice.name(), "InvalidArgumentError");
        assert!(twice.details().unwrap().contains(r#""argument":"assignments.2.recipientActor""#));
        assert!(refused(&[row("a", &[])]).contains("must use executeSingleHandoff"));
        let two = |changes| [row("a", &[]), row("b", changes)];
        for (changes, text) in [
            (("sourceSessionId", r#""ses_b""#), "source session"),
            (("broadcastId", r#""c""#), "broadcastId"),
            (("expectedOwnerVersion", "1"), "expectedOwnerVersion"),
            (("projectId", r#""prj_b""#), "project"),
            (("mode", r#""single""#), "mode"),
        ] {
            assert!(refused(&[row("a", &[]), row("b", &[changes])]).contains(text), "{text}");
        }
        let other = broadcast(&two(&[("tenantId", r#""x""#), ("mode", r#""single""#)]));
        assert_eq!(other.unwrap_err().name(), "TenantIsolationError");
        let same = [row("a", &[]), row("a", &[])];
        assert!(refused(&same).contains("duplicate recipient"));
        let first = [row("a", &[("mode", r#""single""#), ("tenantId", r#""x""#)]), row("b", &[])];
        assert!(refused(&first).contains("mode"));
        assert_eq!(broadcast(&two(&[])).unwrap().len(), 2);
    }

    #[test]
    fn what_a_session_does_says_why_it_cannot_be_handed_over() {
        let handoff = broadcast(&[row("a", &[]), row("b", &[])]).unwrap();
        assert_eq!(handoff.refusal("idle"), None);
        assert_eq!(handoff.refusal("active"), Some("active_run"));
        assert_eq!(handoff.refusal("awaiting_hitl"), Some("pending_hitl"));
        assert_eq!(handoff.refusal("awaiting_merge"), Some("pending_subsession"));
        assert_eq!(handoff.refusal("locked"), Some("pending_subsession"));
        let single = Handoff { mode: HandoffMode::Single, ..handoff };
        assert_eq!(single.refusal("awaiting_hitl"), Some("pending_hitl"));
        assert_eq!(single.refusal("awaiting_merge"), Some("pending_subsession"));
        assert_eq!(single.refusal("whatever"), Some("active_run"));
    }
}
