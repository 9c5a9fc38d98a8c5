//! Who owns a session or spawned one: a user, an agent or the system.

use std::cell::RefCell;

use crate::json::{Fields, Invalid, Json, NON_EMPTY, non_empty_string, words};

words! {
    /// The kinds of actor.
    ActorKind {
        User = "user",
        Agent = "agent",
        System = "system",
    }
}

impl ActorKind {
    /// The key that names an actor of this kind.
    fn id_key(self) -> &'static str {
        match self {
            Self::User => "userId",
            Self::Agent => "agentId",
            Self::System => "role",
        }
    }
}

/// A user, agent or system actor, kept as the application wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActorRef(Json);

impl ActorRef {
    /// Checks the kind, the id that goes with it, the tenant, and its parents likewise.
    ///
    /// # Errors
    /// [`Invalid`], with the field named below the actor.
    pub fn parse(raw: &str) -> Result<Self, Invalid> {
        let last =
            LAST.with_borrow(|last| last.as_ref().filter(|last| last.0.as_str() == raw).cloned());
        if let Some(same) = last {
            return Ok(same);
        }
        check(raw, CHECKED_PARENTS)?;
        let json = Json::parse(raw).map_err(|_| Invalid::field("", "an object", "no JSON"))?;
        let actor = Self(json);
        LAST.set((raw.len() <= MOST_KEPT).then(|| actor.clone()));
        Ok(actor)
    }

    /// The actor's JSON.
    #[must_use]
    pub fn json(&self) -> &Json {
        &self.0
    }
}

/// The longest actor that is kept for being recognized.
const MOST_KEPT: usize = 1024;

thread_local! {
    /// The actor that this thread read last: an agent that goes on is read again and again.
    static LAST: RefCell<Option<ActorRef>> = const { RefCell::new(None) };
}

/// How many parents of an actor are looked into; those above are only kept. Each level
/// is read once more by the level above, so an endless chain would cost its square.
const CHECKED_PARENTS: usize = 64;

fn check(raw: &str, parents: usize) -> Result<(), Invalid> {
    let fields = Fields::of_payload(raw)?;
    let kind: ActorKind = fields.word("kind")?;
    fields.decoded(kind.id_key(), NON_EMPTY, non_empty_string)?;
    fields.decoded("tenantId", NON_EMPTY, non_empty_string)?;
    match fields.optional("parentActor", "an actor", Some)? {
        Some(parent) if parents > 0 => {
            check(parent, parents - 1).map_err(|invalid| invalid.below("parentActor"))
        }
        _ => Ok(()),
    }
}

/// Reads the actor at `key`.
pub(super) fn required(fields: &Fields<'_>, key: &str) -> Result<ActorRef, Invalid> {
    let raw = fields.decoded(key, "an actor", Some)?;
    ActorRef::parse(raw).map_err(|invalid| invalid.below(key))
}

/// Reads the actor at `key`, which may be `null`.
pub(super) fn nullable(fields: &Fields<'_>, key: &str) -> Result<Option<ActorRef>, Invalid> {
    match fields.nullable(key, "an actor or null", Some)? {
        None => Ok(None),
        Some(raw) => ActorRef::parse(raw).map(Some).map_err(|invalid| invalid.below(key)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_the_three_kinds_verbatim() {
        for text in [
            r#"{"kind":"user","userId":"usr_1","tenantId":"t"}"#,
            r#"{"tenantId":"t","agentId":"a","kind":"agent","parentActor":{"kind":"user","userId":"u","tenantId":"t"},"x":1}"#,
            r#"{"kind":"system","role":"sys_r","tenantId":"t"}"#,
        ] {
            assert_eq!(ActorRef::parse(text).unwrap().json().as_str(), text);
        }
    }

    #[test]
    fn names_the_field_that_is_wrong() {
        let wrong = |text: &str| match ActorRef::parse(text).unwrap_err() {
            Invalid::Field { field, .. } => field,
            Invalid::Id(_) => unreachable!(),
        };
        assert_eq!(wrong("7"), "");
        assert_eq!(wrong(r#"{"kind":"robot"}"#), "kind");
        assert_eq!(wrong(r#"{"kind":"agent","userId":"u","tenantId":"t"}"#), "agentId");
        assert_eq!(wrong(r#"{"kind":"user","userId":"u"}"#), "tenantId");
        let parent =
            r#"{"kind":"agent","agentId":"a","tenantId":"t","parentActor":{"kind":"user"}}"#;
        assert_eq!(wrong(parent), "parentActor.userId");
    }
}
