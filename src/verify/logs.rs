//! Message logs, line by line, however long they are.

use super::{Finding, FindingKind};
use crate::{
    engine::{FileError, RelPath, View},
    model::{LogLine, Session, is_blank},
    store::disk::log::lost,
};

/// How much of a log is read in one step, in bytes.
const STEP: usize = 1 << 20;

/// Checks a log, which need not be there; its lines belong to the tenant of `session`,
/// where that is known.
pub(super) fn check(
    view: &View<'_>,
    path: &RelPath,
    session: Option<&Session>,
    findings: &mut Vec<Finding>,
) {
    let found = |kind, detail| Finding::new(path.as_str(), kind, detail);
    let read = each_line(view, path, |number, line, ended| {
        let owned = |line: &LogLine<'_>, session: &Session| {
            line.messages().iter().all(|message| message.is_of(session.tenant_id.as_str()))
        };
        let wrong = match LogLine::parse(line) {
            Ok(line) if session.is_none_or(|session| owned(&line, session)) => return,
            Ok(_) => found(FindingKind::BrokenLine, "tenantId: not that of the session".to_owned()),
            Err(reason) if ended => found(FindingKind::BrokenLine, reason),
            Err(_) => match lost(number == 1, line) {
                Some(reason) => found(FindingKind::BrokenLine, reason.to_owned()),
                None => {
                    let nuls = if line.iter().all(|byte| *byte == 0) { ", all NULs" } else { "" };
                    let detail = format!("the last line ends after {} bytes{nuls}", line.len());
                    found(FindingKind::TornLog, detail)
                }
            },
        };
        findings.push(wrong.at_line(number));
    });
    if let Err(error) = read {
        findings.push(Finding::unreadable(&error));
    }
}

/// Shows `visit` every line that is not blank: its number, counted from 1, its bytes
/// without the line break, and whether there is one.
fn each_line(
    view: &View<'_>,
    path: &RelPath,
    mut visit: impl FnMut(u64, &[u8], bool),
) -> Result<(), FileError> {
    let mut number = 0;
    let mut show = |line: &[u8], ended| {
        number += 1;
        if !is_blank(line) {
            visit(number, line, ended);
        }
    };
    let mut offset = 0;
    let mut begun = Vec::new();
    loop {
        let bytes = view.read_at(path, offset, STEP)?;
        offset += bytes.len() as u64;
        let mut rest = bytes.as_slice();
        while let Some((line, tail)) = split_line(rest) {
            rest = tail;
            if begun.is_empty() {
                show(line, true);
            } else {
                begun.extend_from_slice(line);
                show(&begun, true);
                begun.clear();
            }
        }
        begun.extend_from_slice(rest);
        if bytes.len() < STEP {
            break;
        }
    }
    if !begun.is_empty() {
        show(&begun, false);
    }
    Ok(())
}

fn split_line(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (line, rest) = bytes.split_at_checked(memchr::memchr(b'\n', bytes)?)?;
    Some((line, rest.get(1..)?))
}
