//! Finds where a selection of messages starts and ends, from the log's end back, so
//! that the last messages of a long log cost what they cost in a short one.

use std::{ops::ControlFlow, sync::Arc};

use super::{LogFile, OpenLog, Position, Result, outline::replaced};
use crate::{
    engine::mutant,
    id::MessageId,
    store::{
        Selection, Span,
        selection::{FileSpan, SpanPlace},
    },
};

/// A walk from the end of a log back.
struct Walk<'s> {
    selection: &'s Selection,
    /// The first message that is wanted, as far as is known.
    at: Position,
    /// The first message after it that is no longer wanted.
    end: Position,
    /// Whether `before` was passed, or was not asked for.
    inside: bool,
    /// Whether `after` was met, or was not asked for.
    met_after: bool,
    taken: u64,
}

impl LogFile<'_> {
    /// Where the selected messages are, in `log`, which is this log.
    pub(in crate::store::disk) fn resolve(
        &self,
        log: &Arc<OpenLog>,
        selection: &Selection,
    ) -> Result<Span> {
        let len = self.source.len();
        let (known, _) = self.length()?;
        let span = |at, end, left| {
            let log = Arc::clone(log);
            Span { place: SpanPlace::File(FileSpan { log, at, end, known }), left }
        };
        if selection.is_everything() {
            let at = Position::of_line(self.base(known, len)?);
            let end = Position::of_line(len);
            return Ok(span(at, end, None));
        }
        let mut walk = Walk::new(selection, Position::of_line(len));
        if let Some(before) = &selection.before
            && let Some(at) = self.bookmarked(before, known)?
        {
            walk.passed_before(at);
        }
        let after = match &selection.after {
            Some(after) if walk.inside => self.bookmarked(after, known)?,
            _ => None,
        };
        match after {
            Some(at) => walk.meet_after(at),
            None => self.walk(&mut walk)?,
        }
        if !walk.met_after && selection.before.is_some() {
            // What was not found before a place known from a bookmark may come after it.
            walk = Walk::new(selection, Position::of_line(len));
            self.walk(&mut walk)?;
        }
        walk.check()?;
        let Walk { at, end, .. } = walk;
        // A limit that the walk kept is still there to say that this is a page.
        let left = Some(selection.limit.unwrap_or(u64::MAX));
        Ok(span(at, end, left))
    }

    /// Where the messages start that a reader of the whole log sees.
    fn base(&self, known: u64, len: u64) -> Result<u64> {
        let mut base = self.with_outline(known, |outline, _| outline.base())?;
        if known < len {
            self.forward(known, len, |line| {
                if replaced(line.bytes).is_some() {
                    base = line.offset;
                }
                Ok(ControlFlow::Continue(()))
            })?;
        }
        Ok(base)
    }

    fn walk(&self, walk: &mut Walk<'_>) -> Result<()> {
        if walk.is_done() {
            return Ok(());
        }
        // A list may start before the position at which the walk does.
        let from = walk.end;
        let start = if from.index == 0 { from.line } else { self.line_end(from.line)? };
        self.backward(start, |line| {
            let Some(messages) = self.ids(&line, walk)? else {
                return Ok(ControlFlow::Continue(()));
            };
            for (index, id) in messages.ids.iter().enumerate().rev() {
                let at = Position { line: line.offset, index: index as u64 };
                if at < from && walk.pass(at, id.as_deref()).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
            Ok(if messages.replacement {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            })
        })
    }

    fn line_end(&self, line: u64) -> Result<u64> {
        let mut end = line;
        self.forward(line, u64::MAX, |line| {
            end = line.end();
            Ok(ControlFlow::Break(()))
        })?;
        Ok(end)
    }

    /// The messages of a line, as far as the walk must know them; `None` for a line
    /// without any. Only a line that may hold what is looked for is parsed.
    fn ids(&self, line: &super::Line<'_>, walk: &Walk<'_>) -> Result<Option<Messages>> {
        if line.is_blank() {
            return Ok(None);
        }
        let wanted = walk.looked_for();
        let may_hold = |id: &&MessageId| {
            // An id that JSON writes with escapes is not found by its own bytes.
            let plain = id.as_str().bytes().all(|b| b.is_ascii_graphic() && !b"\"\\/".contains(&b));
            !plain || memchr::memmem::find(line.bytes, id.as_str().as_bytes()).is_some()
        };
        if line.ended && replaced(line.bytes).is_none() && !wanted.iter().any(may_hold) {
            return Ok(Some(Messages { ids: vec![None], replacement: false }));
        }
        let Some(parsed) = self.parse(line)? else { return Ok(None) };
        let name = |message: &super::MessageLine<'_>| {
            crate::json::string(message.id).map(std::borrow::Cow::into_owned)
        };
        Ok(Some(Messages {
            ids: parsed.messages().iter().map(name).collect(),
            replacement: parsed.is_replacement(),
        }))
    }

    /// Where a message is that was at the end of an earlier page, if it is still
    /// there and not replaced.
    fn bookmarked(&self, id: &MessageId, known: u64) -> Result<Option<Position>> {
        let Some(bookmark) = self.memory.find(self.source.path, id) else {
            return Ok(None);
        };
        if bookmark.known > known || bookmark.file != self.source.file.id() {
            return Ok(None);
        }
        let mut holds = false;
        self.forward(bookmark.at.line, known, |line| {
            let parsed = self.parse(&line)?;
            let index = usize::try_from(bookmark.at.index).unwrap_or(usize::MAX);
            let message = parsed.as_ref().and_then(|line| line.messages().get(index));
            holds = message.is_some_and(|message| message.has_id(id.as_str()));
            Ok(ControlFlow::Break(()))
        })?;
        self.forward(bookmark.known, known, |line| {
            holds &= replaced(line.bytes).is_none();
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(holds.then_some(bookmark.at))
    }
}

/// The ids of a line's messages, each where it matters.
struct Messages {
    ids: Vec<Option<String>>,
    replacement: bool,
}

impl<'s> Walk<'s> {
    fn new(selection: &'s Selection, end: Position) -> Self {
        Self {
            selection,
            at: end,
            end,
            inside: selection.before.is_none(),
            met_after: selection.after.is_none(),
            taken: 0,
        }
    }

    fn passed_before(&mut self, at: Position) {
        (self.at, self.end, self.inside) = (at, at, true);
    }

    /// Nothing is left of a selection whose `after` is not before its `before`, which is
    /// looked for all the same: it may not be there.
    fn meet_after(&mut self, at: Position) {
        self.at = if self.inside { at.next().min(self.end) } else { self.end };
        self.met_after = true;
        self.inside |= mutant!(BeforeNotLookedFor);
    }

    fn looked_for(&self) -> Vec<&'s MessageId> {
        let before = self.selection.before.as_ref().filter(|_| !self.inside);
        before.into_iter().chain(&self.selection.after).collect()
    }

    /// Whether as many were passed as are wanted.
    fn is_done(&self) -> bool {
        self.inside
            && self.selection.after.is_none()
            && self.selection.limit.is_some_and(|limit| self.taken >= limit)
    }

    fn pass(&mut self, at: Position, id: Option<&str>) -> ControlFlow<()> {
        let is = |wanted: &Option<MessageId>| {
            wanted.as_ref().is_some_and(|wanted| id == Some(wanted.as_str()))
        };
        if !self.inside && is(&self.selection.before) {
            self.passed_before(at);
        } else if self.inside && !is(&self.selection.after) {
            self.at = at;
            self.taken += 1;
        }
        if is(&self.selection.after) {
            self.meet_after(at);
        }
        let has_both_ends = self.inside && self.met_after && self.selection.after.is_some();
        if has_both_ends || self.is_done() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    /// Refuses a selection that names a message which is not there.
    fn check(&self) -> Result<()> {
        match (&self.selection.before, &self.selection.after) {
            (Some(before), _) if !self.inside => Err(Selection::missing("before", before)),
            (_, Some(after)) if !self.met_after => Err(Selection::missing("after", after)),
            _ => Ok(()),
        }
    }
}
