//! The edges of a memory store, each in two chains: of those with its parent, and of
//! those with its child. Adding or removing one touches its neighbours alone, however
//! many edges name the same session.

use std::{
    collections::{HashMap, hash_map::Entry},
    iter::successors,
    num::NonZeroUsize,
};

use super::IdMap;
use crate::{
    id::{SessionId, SubSessionId},
    model::SubSession,
};

#[derive(Debug, Default)]
pub(super) struct Edges {
    places: IdMap<SubSessionId, Place>,
    held: Vec<Option<Held>>,
    /// Places whose edge was removed.
    free: Vec<Place>,
    /// The newest edges, by the sessions that they name: an update may name any, so these
    /// ids are hashed with a random seed.
    newest: Ends<HashMap<SessionId, Place>>,
}

/// Where an edge is held, counted from 1.
type Place = NonZeroUsize;

#[derive(Debug)]
struct Held {
    /// Boxed: a list that grows moves all its entries.
    edge: Box<SubSession>,
    links: Ends<Links>,
    /// The how manieth record it was to be created; 0 where that was not said.
    number: u64,
}

/// The neighbours in a chain.
#[derive(Debug, Clone, Copy, Default)]
struct Links {
    newer: Option<Place>,
    older: Option<Place>,
}

/// Which session of an edge a chain is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Parent,
    Child,
}

/// Something of each end.
#[derive(Debug, Default)]
struct Ends<T> {
    parent: T,
    child: T,
}

impl<T> Ends<T> {
    fn of(&self, end: End) -> &T {
        match end {
            End::Parent => &self.parent,
            End::Child => &self.child,
        }
    }

    fn of_mut(&mut self, end: End) -> &mut T {
        match end {
            End::Parent => &mut self.parent,
            End::Child => &mut self.child,
        }
    }
}

impl Edges {
    pub(super) fn get(&self, id: &SubSessionId) -> Option<&SubSession> {
        self.places.get(id).and_then(|place| self.at(*place)).map(|held| &*held.edge)
    }

    /// The edges that name a session at that end.
    pub(super) fn of(&self, end: End, session: &SessionId) -> impl Iterator<Item = &SubSession> {
        let newest = self.newest.of(end).get(session).and_then(|place| self.at(*place));
        successors(newest, move |held| held.links.of(end).older.and_then(|place| self.at(place)))
            .map(|held| &*held.edge)
    }

    /// The how manieth record an edge was to be created.
    pub(super) fn number(&self, id: &SubSessionId) -> Option<u64> {
        self.places.get(id).and_then(|place| self.at(*place)).map(|held| held.number)
    }

    /// As [`Self::number`], to say it.
    pub(super) fn number_mut(&mut self, id: &SubSessionId) -> Option<&mut u64> {
        let place = *self.places.get(id)?;
        self.room(place)?.as_mut().map(|held| &mut held.number)
    }

    /// Adds an edge, or puts it in the place of one with its id.
    pub(super) fn put(&mut self, edge: &SubSession) {
        let (place, was_held) = match self.places.entry(edge.id.clone()) {
            Entry::Occupied(place) => (*place.get(), true),
            Entry::Vacant(free) => {
                let grown = || {
                    self.held.push(None);
                    Place::MIN.saturating_add(self.held.len() - 1)
                };
                (*free.insert(self.free.pop().unwrap_or_else(grown)), false)
            }
        };
        let number = self.at(place).map_or(0, |held| held.number);
        if was_held {
            self.unlink(place);
        }
        let mut edge = Box::new(edge.clone());
        let links = Ends {
            parent: self.link(End::Parent, &mut edge.parent_session_id, place),
            child: self.link(End::Child, &mut edge.child_session_id, place),
        };
        if let Some(room) = self.room(place) {
            *room = Some(Held { edge, links, number });
        }
    }

    /// Removes an edge.
    pub(super) fn remove(&mut self, id: &SubSessionId) {
        if let Some(place) = self.places.remove(id) {
            self.free.push(place);
            self.unlink(place);
        }
    }

    /// Puts an edge before the newest of a session, of whose id it takes the copy that
    /// others share.
    fn link(&mut self, end: End, session: &mut SessionId, place: Place) -> Links {
        let older = match self.newest.of_mut(end).entry(session.clone()) {
            Entry::Occupied(mut newest) => {
                *session = newest.key().clone();
                Some(newest.insert(place))
            }
            Entry::Vacant(newest) => {
                newest.insert(place);
                None
            }
        };
        if let Some(links) = older.and_then(|older| self.links_mut(end, older)) {
            links.newer = Some(place);
        }
        Links { newer: None, older }
    }

    /// Takes an edge out of its chains and its place.
    fn unlink(&mut self, place: Place) {
        let Some(held) = self.room(place).and_then(Option::take) else { return };
        for (end, session) in
            [(End::Parent, &held.edge.parent_session_id), (End::Child, &held.edge.child_session_id)]
        {
            let Links { newer, older } = *held.links.of(end);
            match (newer, older) {
                (Some(newer), _) => {
                    if let Some(links) = self.links_mut(end, newer) {
                        links.older = older;
                    }
                }
                (None, Some(older)) => {
                    self.newest.of_mut(end).insert(session.clone(), older);
                }
                (None, None) => {
                    self.newest.of_mut(end).remove(session);
                }
            }
            if let Some(links) = older.and_then(|older| self.links_mut(end, older)) {
                links.newer = newer;
            }
        }
    }

    fn at(&self, place: Place) -> Option<&Held> {
        self.held.get(place.get() - 1)?.as_ref()
    }

    fn room(&mut self, place: Place) -> Option<&mut Option<Held>> {
        self.held.get_mut(place.get() - 1)
    }

    fn links_mut(&mut self, end: End, place: Place) -> Option<&mut Links> {
        Some(self.room(place)?.as_mut()?.links.of_mut(end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        engine::simulated::Seed,
        id::TenantId,
        model::{NewSubSession, SubSession},
        timestamp::Timestamp,
    };

    fn edge(id: &SubSessionId, parent: &SessionId, child: &SessionId) -> SubSession {
        let text = format!(
            r#"{{"parentSessionId":"{parent}","childSessionId":"{child}","kind":"agent_spawn",
                "spawnedBy":{{"kind":"agent","agentId":"agt","tenantId":"tnt"}}}}"#
        );
        let new = NewSubSession::from_payload(&text).unwrap();
        SubSession::new(id.clone(), TenantId::new("tnt").unwrap(), new, Timestamp::now())
    }

    fn said(edge: &SubSession) -> [String; 3] {
        let SubSession { id, parent_session_id, child_session_id, .. } = edge;
        [id.to_string(), parent_session_id.to_string(), child_session_id.to_string()]
    }

    fn ids<'e>(edges: impl Iterator<Item = &'e SubSession>) -> Vec<SubSessionId> {
        let mut ids: Vec<_> = edges.map(|edge| edge.id.clone()).collect();
        ids.sort();
        ids
    }

    #[test]
    fn chains_hold_what_a_plain_list_holds() {
        let id = |n| SubSessionId::parse(&format!("sub_{n}")).unwrap();
        let session = |n| SessionId::parse(&format!("ses_{n}")).unwrap();
        for seed in 0..50 {
            let mut seed = Seed::new(seed);
            let (mut edges, mut plain) = (Edges::default(), Vec::<SubSession>::new());
            for _ in 0..300 {
                let one = id(seed.below(20));
                plain.retain(|edge| edge.id != one);
                if seed.below(3) == 0 {
                    edges.remove(&one);
                } else {
                    let new = edge(&one, &session(seed.below(4)), &session(seed.below(4)));
                    edges.put(&new);
                    plain.push(new);
                }
                for n in 0..4 {
                    let (parents, children) = (End::Parent, End::Child);
                    let session = session(n);
                    let from = plain.iter().filter(|edge| edge.parent_session_id == session);
                    assert_eq!(ids(edges.of(parents, &session)), ids(from));
                    let to = plain.iter().filter(|edge| edge.child_session_id == session);
                    assert_eq!(ids(edges.of(children, &session)), ids(to));
                }
                for n in 0..20 {
                    let held = plain.iter().find(|edge| edge.id == id(n));
                    assert_eq!(edges.get(&id(n)).map(said), held.map(said));
                }
            }
            // Places are used again: there were never more edges than ids.
            assert!(edges.held.len() <= 20);
        }
    }
}
