//! Interventions: sub-sessions that go on from what an earlier one left, and how long
//! a chain of them may become.

use crate::{
    error::{Error, Result},
    host::{Arguments, Host},
    json::{Fields, Invalid, Json, string},
};

/// Follows the chain that a proposed intervention would go on; answers its edges,
/// nearest first. The host's object is `loader`.
///
/// # Errors
/// [`Error::ArtifactRefCycle`], [`Error::InterventionDepthExceeded`], or what the
/// loader throws.
pub async fn validate_chain(
    host: &dyn Host,
    proposed: &str,
    ancestor: &str,
    max_depth: f64,
) -> Result<Vec<String>> {
    let exceeded = |depth| Error::InterventionDepthExceeded {
        sub_session_id: proposed.to_owned(),
        depth,
        limit: max_depth,
    };
    if max_depth <= 0.0 {
        return Err(exceeded(1));
    }
    let invalid = |invalid| Error::argument("candidateAncestor", invalid);
    let mut next = link(ancestor).map_err(invalid)?;
    let mut chain: Vec<String> = Vec::new();
    while let Some(session) = next {
        let arguments = Arguments::none().json(session.as_str());
        let Some(node) = host.call("loader", "loadAncestor", arguments).await? else { break };
        if node == "null" {
            break;
        }
        let invalid = |invalid| Error::argument("loadAncestor", invalid);
        let (sub_session, previous) = read(&node).map_err(invalid)?;
        if sub_session == proposed || chain.contains(&sub_session) {
            chain.push(sub_session);
            return Err(Error::ArtifactRefCycle { start: proposed.to_owned(), path: chain });
        }
        chain.push(sub_session);
        #[expect(clippy::cast_precision_loss, reason = "no chain has 2^53 links")]
        if chain.len() as f64 > max_depth {
            return Err(exceeded(chain.len() as u64));
        }
        next = match previous {
            Some(artifact) => link(artifact.as_str()).map_err(invalid)?,
            None => None,
        };
    }
    Ok(chain)
}

/// The session that a deliverable links to: only a summary links.
fn link(deliverable: &str) -> Result<Option<Json>, Invalid> {
    let fields = Fields::of_payload(deliverable)?;
    if fields.decoded("kind", "a string", string)? != "session_summary" {
        return Ok(None);
    }
    fields.literal("sessionId").map(Some)
}

/// A node's edge, and the deliverable that it went on from.
fn read(node: &str) -> Result<(String, Option<Json>), Invalid> {
    let fields = Fields::of_payload(node)?;
    let sub_session = fields.decoded("subSessionId", "a string", string)?.into_owned();
    let previous = fields.optional("prevArtifactRef", "an object", |raw| Json::parse(raw).ok())?;
    Ok((sub_session, previous))
}
