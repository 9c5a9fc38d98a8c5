//! A session's message log: one line a message, only ever added to.
//!
//! An append that was cut short leaves a last line without its line break. Such a
//! line is read when it is a whole record; otherwise readers leave it out, and the
//! next append moves it to `.store/salvage/` before it goes on at a clean line. A
//! broken line anywhere else is damage, and is said to be. So is a log that begins with
//! NULs: no append does, so what it had is lost, and no append makes that unseen.
//!
//! A replacement line stands for all that comes before it: the messages of a log
//! are those of its last replacement and of the lines after it.

mod lines;
mod memory;
mod outline;
mod resolve;

pub(super) use self::{lines::Source, memory::LogMemory};

use std::ops::ControlFlow;

use self::{
    lines::{FIRST_STEP, Line, STEP, backward, forward, forward_in, unended},
    memory::Bookmark,
    outline::Outline,
};
use super::recent::Recent;
use crate::{
    engine::{Op, Opened, RelPath, View},
    error::{Error, Result},
    id::{MessageId, SessionId, TenantId},
    json::string,
    layout::{self, Home},
    model::{LogLine, MessageLine, Session, SessionMessage, replacement_line},
    store::{
        Form, Log, SentMessage,
        records::LogWriter,
        selection::{ChunkWriter, FileSpan, Position},
    },
};

/// The log of one session, for reading.
#[derive(Debug, Clone, Copy)]
pub(super) struct LogFile<'a> {
    pub(super) source: Source<'a>,
    pub(super) session: &'a SessionId,
    pub(super) tenant: &'a TenantId,
    pub(super) memory: &'a LogMemory,
    /// Whether what the view shows is there to stay, so that it may be remembered.
    pub(super) lasting: bool,
}

/// A log that is kept open between the reads of a span.
#[derive(Debug)]
pub(in crate::store) struct OpenLog {
    pub(super) file: Opened,
    pub(super) path: RelPath,
    pub(super) session: SessionId,
    pub(super) tenant: TenantId,
}

impl LogFile<'_> {
    /// Every message, in one pass.
    pub(super) fn whole(&self, form: Form) -> Result<Log> {
        let end = self.source.len();
        self.source.view.may_read(end)?;
        let mut log = LogWriter::of(form);
        log.reserve(usize::try_from(end).unwrap_or(usize::MAX));
        forward_in(self.source, 0, end, STEP, |line| {
            if let Some(line) = self.parse(&line)? {
                if line.is_replacement() {
                    log.clear();
                }
                line.messages()
                    .iter()
                    .for_each(|message| log.push(|text| write(form, text, message)));
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(log.finish())
    }

    /// The next messages of a span of this log as an array text of about `max_bytes`; `None`
    /// at its end.
    pub(super) fn next_chunk(
        &self,
        span: &mut FileSpan,
        left: &mut Option<u64>,
        form: Form,
        max_bytes: usize,
    ) -> Result<Option<String>> {
        let FileSpan { at, end, known, .. } = span;
        let mut chunk = ChunkWriter::new(form);
        let (mut first, mut last) = (None, None);
        let is_page = left.is_some();
        let stop = if end.index == 0 { end.line } else { u64::MAX };
        if *at < *end && *left != Some(0) {
            let step = if is_page { FIRST_STEP } else { max_bytes };
            forward_in(self.source, at.line, stop, step, |line| {
                let Some(parsed) = self.parse(&line)? else {
                    *at = Position::of_line(line.end());
                    return Ok(ControlFlow::Continue(()));
                };
                for (index, message) in parsed.messages().iter().enumerate() {
                    let position = Position { line: line.offset, index: index as u64 };
                    if position < *at {
                        continue;
                    }
                    if position >= *end || *left == Some(0) || chunk.len() >= max_bytes {
                        return Ok(ControlFlow::Break(()));
                    }
                    chunk.push(|form, text| write(form, text, message));
                    *at = position.next();
                    *left = left.map(|left| left - 1);
                    if is_page {
                        last = Some((id_of(message), position));
                        first = first.take().or_else(|| last.clone());
                    }
                }
                *at = Position::of_line(line.end());
                Ok(ControlFlow::Continue(()))
            })?;
        }
        if self.lasting && is_page {
            for (id, at) in [first, last].into_iter().flatten() {
                let (file, known) = (self.source.file.id(), *known);
                self.memory.bookmark(self.source.path, Bookmark { id, at, file, known });
            }
        }
        Ok(chunk.finish())
    }

    /// How many messages there are.
    pub(super) fn count(&self) -> Result<u64> {
        let (whole, rest) = self.length()?;
        let counted = self.with_outline(whole, |outline, _| outline.count())?;
        let parsed = LogLine::parse(&rest);
        Ok(match &parsed {
            Ok(LogLine::Replacement(messages)) => messages.len() as u64,
            Ok(LogLine::Message(_)) => counted + 1,
            Err(_) => counted,
        })
    }

    /// What was sent with an idempotency key; nothing when it was not used.
    pub(super) fn sent(&self, key: &str) -> Result<Vec<SentMessage>> {
        let (whole, _) = self.length()?;
        let find = |outline: &Outline, earlier: Option<&Outline>| {
            earlier.and_then(|earlier| earlier.find(key)).or_else(|| outline.find(key))
        };
        let Some(offset) = self.with_outline(whole, find)? else { return Ok(Vec::new()) };
        let mut sent = Vec::new();
        self.forward(offset, whole, |line| {
            if let Some(LogLine::Message(message)) = self.parse(&line)?
                && message.has_key(key)
            {
                let text = message.message.to_owned();
                sent.push(SentMessage { id: id_of(&message), message: text });
                return Ok(ControlFlow::Continue(()));
            }
            Ok(ControlFlow::Break(()))
        })?;
        Ok(sent)
    }

    /// The length of all whole lines, and what follows them.
    fn length(&self) -> Result<(u64, Vec<u8>)> {
        let rest = unended(self.source)?;
        let whole = self.source.len().saturating_sub(rest.len() as u64);
        refuse_lost(self.source.path, whole == 0, &rest)?;
        Ok((whole, rest))
    }

    /// Asks the outline of the log up to `whole`. Where what is read may still be taken
    /// back, nothing is added to the outline that is kept: `ask` gets one that goes on
    /// from it, and then the kept one for the keys before.
    fn with_outline<T>(
        &self,
        whole: u64,
        ask: impl Fn(&Outline, Option<&Outline>) -> T,
    ) -> Result<T> {
        self.memory.with_outline(self.source.path, |kept| {
            if self.lasting {
                kept.extend(self.source, whole)?;
                return Ok(ask(kept, None));
            }
            let fits = kept.fits(self.source, whole)?;
            let mut follower = if fits { kept.follower() } else { Outline::default() };
            follower.extend(self.source, whole)?;
            Ok(ask(&follower, fits.then_some(&*kept)))
        })
    }

    fn forward(
        &self,
        start: u64,
        end: u64,
        visit: impl FnMut(Line<'_>) -> lines::Visit,
    ) -> Result<()> {
        forward(self.source, start, end, visit)
    }

    fn backward(&self, end: u64, visit: impl FnMut(Line<'_>) -> lines::Visit) -> Result<()> {
        backward(self.source, end, visit)
    }

    /// Reads a line; `None` for one that is blank or was cut short at the log's end.
    fn parse<'l>(&self, line: &Line<'l>) -> Result<Option<LogLine<'l>>> {
        if line.is_blank() {
            return Ok(None);
        }
        let parsed = match LogLine::parse(line.bytes) {
            Ok(parsed) => parsed,
            Err(_) if !line.ended => {
                refuse_lost(self.source.path, line.offset == 0, line.bytes)?;
                return Ok(None); // an append that was cut short
            }
            Err(reason) => {
                let number = self.number(line.offset)?;
                return Err(Error::corrupt(self.source.path.as_str(), Some(number), reason));
            }
        };
        if parsed.messages().iter().all(|message| message.is_of(self.tenant.as_str())) {
            return Ok(Some(parsed));
        }
        Err(Error::TenantIsolation {
            requested: self.tenant.clone(),
            resource: format!("session({})", self.session),
        })
    }

    /// The number, counted from 1, of the line that starts at `offset`.
    fn number(&self, offset: u64) -> Result<u64> {
        let mut number = 1;
        self.forward(0, offset, |_| {
            number += 1;
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(number)
    }
}

/// Why an unfinished line is no append that was cut short, if it is none.
pub(crate) fn lost(is_first: bool, unended: &[u8]) -> Option<&'static str> {
    (is_first && unended.starts_with(b"\0")).then_some("NULs where the first message was")
}

fn refuse_lost(path: &RelPath, is_first: bool, unended: &[u8]) -> Result<()> {
    lost(is_first, unended)
        .map_or(Ok(()), |reason| Err(Error::corrupt(path.as_str(), Some(1), reason.to_owned())))
}

fn id_of(message: &MessageLine<'_>) -> MessageId {
    // An id that is no text is known by its literal, which is never asked for.
    let text = string(message.id).filter(|text| !text.is_empty());
    MessageId::new(text.as_deref().unwrap_or(message.id)).unwrap_or_else(MessageId::generate)
}

fn write(form: Form, text: &mut String, message: &MessageLine<'_>) {
    match form {
        Form::Bare => text.push_str(message.message),
        Form::Envelope => message.write_answer(text),
        Form::Line => message.write_line(text),
    }
}

/// What adding messages at the end of a log takes.
pub(super) fn append(
    view: &View<'_>,
    recent: &Recent,
    home: &Home,
    messages: &[SessionMessage],
) -> Result<Vec<Op>> {
    let lines: Vec<String> = messages.iter().map(SessionMessage::to_line).collect();
    append_lines(view, recent, home, &lines)
}

/// What making later readers see `messages` instead of what is there takes.
pub(super) fn replace(
    view: &View<'_>,
    recent: &Recent,
    home: &Home,
    session: &Session,
    messages: &[SessionMessage],
) -> Result<Vec<Op>> {
    let line = replacement_line(&session.id, &session.tenant_id, messages);
    append_lines(view, recent, home, &[line])
}

fn append_lines(
    view: &View<'_>,
    recent: &Recent,
    home: &Home,
    lines: &[String],
) -> Result<Vec<Op>> {
    let path = home.messages_file();
    let mut ops = Vec::with_capacity(2);
    let mut bytes = Vec::with_capacity(lines.iter().map(|line| line.len() + 1).sum());
    let mut offset = view.len(&path)?;
    let unended = match recent.is_whole(&path, offset) {
        true => Vec::new(),
        false => {
            let file = view.open(&path)?;
            offset = file.len();
            unended(Source { view, file: &file, path: &path })?
        }
    };
    if !unended.is_empty() {
        if LogLine::parse(&unended).is_ok() {
            bytes.push(b'\n');
        } else {
            offset -= unended.len() as u64;
            refuse_lost(&path, offset == 0, &unended)?;
            ops.push(Op::Put { path: layout::salvaged(&home.session, offset), bytes: unended });
        }
    }
    for line in lines {
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
    }
    recent.whole(path.clone(), offset + bytes.len() as u64);
    ops.push(Op::Append { path, offset, bytes });
    Ok(ops)
}
