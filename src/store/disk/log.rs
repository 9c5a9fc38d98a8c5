//! A session's message log: one line a message, only ever added to.
//!
//! An append that was cut short leaves a last line without its line break. Such a
//! line is read when it is a whole record; otherwise readers leave it out, and the
//! next append moves it to `.store/salvage/` before it goes on at a clean line. A
//! broken line anywhere else is damage, and is said to be.

use super::{
    layout::{self, Home},
    recent::Recent,
};
use crate::{
    engine::{FileError, Op, RelPath, View},
    error::{Error, Result},
    model::{Entity as _, MessageLine, Session, SessionMessage},
    store::{Log, records::LogWriter},
};

/// How much of a log's end is looked at in one step, in bytes.
const TAIL_STEP: usize = 4096;

/// Reads a whole log, each line written by `write`.
pub(super) fn read(
    view: &View<'_>,
    path: &RelPath,
    session: &Session,
    write: impl Fn(&mut String, &MessageLine<'_>),
) -> Result<Log> {
    let bytes = view.read(path)?.unwrap_or_default();
    let mut log = LogWriter::default();
    log.reserve(bytes.len());
    let tenant = serde_json::Value::from(session.tenant_id.as_str()).to_string();
    let mut rest = bytes.as_slice();
    let mut number = 0;
    while !rest.is_empty() {
        let (line, ended) = match memchr::memchr(b'\n', rest) {
            Some(end) => {
                let (line, tail) = rest.split_at_checked(end).unwrap_or((rest, &[]));
                rest = tail.get(1..).unwrap_or_default();
                (line, true)
            }
            None => (std::mem::take(&mut rest), false),
        };
        number += 1;
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match MessageLine::parse(line) {
            Ok(line) if line.tenant_id.get() == tenant || same_tenant(&line, session) => {
                log.push(|text| write(text, &line));
            }
            Ok(_) => {
                return Err(Error::TenantIsolation {
                    requested: session.tenant_id.clone(),
                    resource: format!("session({})", session.id),
                });
            }
            Err(reason) if ended => {
                return Err(Error::CorruptRecord {
                    path: path.as_str().to_owned(),
                    line: Some(number),
                    reason,
                });
            }
            Err(_) => {} // an append that was cut short
        }
    }
    Ok(log.finish())
}

/// Whether a line's tenant, written with escapes we would not use, is the session's.
pub(super) fn same_tenant(line: &MessageLine<'_>, session: &Session) -> bool {
    serde_json::from_str::<String>(line.tenant_id.get())
        .is_ok_and(|tenant| tenant == session.tenant_id.as_str())
}

/// Writes a line as the API's envelope.
pub(super) fn envelope(text: &mut String, line: &MessageLine<'_>) {
    for (key, value) in [
        ("{\"id\":", line.id),
        (",\"sessionId\":", line.session_id),
        (",\"tenantId\":", line.tenant_id),
        (",\"message\":", line.message),
        (",\"at\":", line.at),
    ] {
        text.push_str(key);
        text.push_str(value.get());
    }
    text.push('}');
}

/// What adding messages at the end of a log takes.
pub(super) fn append(
    view: &View<'_>,
    recent: &Recent,
    home: &Home,
    messages: &[SessionMessage],
) -> Result<Vec<Op>, FileError> {
    let path = home.messages_file();
    let mut ops = Vec::with_capacity(2);
    let mut bytes = Vec::new();
    let mut offset = view.len(&path)?;
    let unended = match recent.is_whole(&path, offset) {
        true => Vec::new(),
        false => unended_line(view, &path, offset)?,
    };
    if !unended.is_empty() {
        if MessageLine::parse(&unended).is_ok() {
            bytes.push(b'\n');
        } else {
            offset -= unended.len() as u64;
            ops.push(Op::Put { path: layout::salvaged(&home.session, offset), bytes: unended });
        }
    }
    for message in messages {
        bytes.extend_from_slice(message.to_json().as_bytes());
        bytes.push(b'\n');
    }
    recent.whole(path.clone(), offset + bytes.len() as u64);
    ops.push(Op::Append { path, offset, bytes });
    Ok(ops)
}

/// What follows the last line break of a log of `len` bytes.
fn unended_line(view: &View<'_>, path: &RelPath, len: u64) -> Result<Vec<u8>, FileError> {
    let mut step = 1_usize;
    loop {
        let start = len.saturating_sub(step as u64);
        let tail = view.read_at(path, start, step)?;
        match memchr::memrchr(b'\n', &tail) {
            Some(end) => return Ok(tail.get(end + 1..).unwrap_or_default().to_vec()),
            None if start == 0 => return Ok(tail),
            None => step = (step * 2).max(TAIL_STEP),
        }
    }
}
