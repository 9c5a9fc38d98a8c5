//! Reading a log bit by bit, in memory that does not grow with it.

use std::{
    cell::RefCell,
    sync::{Mutex, PoisonError},
};

use super::{Form, RecordStore, Selection, Span, rules};
use crate::{
    error::Result,
    id::{SessionId, TenantId},
};

/// About how much text is answered at a time, in bytes.
const CHUNK_BYTES: usize = 512 << 10;

/// The selected messages of a session, read as they are asked for: those that are there when
/// the first is asked for. Whatever becomes of the session later, of what is appended,
/// replaced, evicted or deleted, changes nothing of a stream that has begun.
#[derive(Debug)]
pub struct MessageStream<S> {
    store: S,
    session: String,
    tenant: TenantId,
    progress: Mutex<Progress>,
}

#[derive(Debug)]
enum Progress {
    Before(Selection),
    At(Span),
    Ended,
}

impl<S: RecordStore> MessageStream<S> {
    /// A stream that reads nothing before it is asked.
    #[must_use]
    pub fn new(store: S, session: String, selection: Selection, tenant: TenantId) -> Self {
        Self { store, session, tenant, progress: Mutex::new(Progress::Before(selection)) }
    }

    /// The store as a read may use it that was asked for before the store closes.
    ///
    /// # Errors
    /// The store is closed.
    pub fn admit(&self) -> Result<S> {
        self.store.admit()
    }

    /// The next messages in their envelopes, as an array text; `None` at the end.
    ///
    /// # Errors
    /// As reading the log does; that ends the stream.
    pub fn next(&self) -> Result<Option<String>> {
        self.next_of(&self.store)
    }

    /// As [`Self::next`], of a store that [`Self::admit`] answered.
    ///
    /// # Errors
    /// As [`Self::next`].
    pub fn next_of(&self, store: &S) -> Result<Option<String>> {
        let progress = &mut *self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        if let Progress::Before(selection) = progress {
            *progress = self.open(store, selection)?;
        }
        let Progress::At(span) = progress else { return Ok(None) };
        let span = RefCell::new(span);
        let chunk = store.read(|records| {
            records.next_chunk(&mut span.borrow_mut(), Form::Envelope, CHUNK_BYTES)
        });
        if !matches!(chunk, Ok(Some(_))) {
            *progress = Progress::Ended;
        }
        chunk
    }

    fn open(&self, store: &S, selection: &Selection) -> Result<Progress> {
        let Ok(session) = SessionId::parse(&self.session) else { return Ok(Progress::Ended) };
        let span = store
            .read(|records| rules::messages::open(records, &session, selection, &self.tenant))?;
        Ok(span.map_or(Progress::Ended, Progress::At))
    }
}
