//! Walks over the lines of a log, from its start on or from its end back, in
//! bounded memory.

use std::ops::ControlFlow;

use crate::{
    engine::{FileError, Opened, RelPath, View},
    error::Error,
    model::is_blank,
};

/// A log that is open, and how it is read.
#[derive(Debug, Clone, Copy)]
pub(in crate::store::disk) struct Source<'a> {
    pub(in crate::store::disk) view: &'a View<'a>,
    pub(in crate::store::disk) file: &'a Opened,
    /// What an error calls it.
    pub(in crate::store::disk) path: &'a RelPath,
}

impl Source<'_> {
    /// How long it was when it was opened.
    pub(super) fn len(&self) -> u64 {
        self.file.len()
    }

    pub(super) fn read_at(&self, offset: u64, len: usize) -> Result<Vec<u8>, FileError> {
        self.view.read_from(self.file, self.path, offset, len)
    }
}

/// How much is read in one step at most, unless a single line is longer, in bytes.
pub(super) const STEP: usize = 1 << 20;
/// How much the first step reads; the next ones read more each time.
pub(super) const FIRST_STEP: usize = 32 << 10;

/// One line, without its line break.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// Where it starts.
    pub(super) offset: u64,
    /// What it holds.
    pub(super) bytes: &'a [u8],
    /// Whether it has a line break; only the last of a log may have none.
    pub(super) ended: bool,
}

impl Line<'_> {
    /// Where the next line starts.
    pub(super) fn end(&self) -> u64 {
        self.offset + self.bytes.len() as u64 + u64::from(self.ended)
    }

    pub(super) fn is_blank(&self) -> bool {
        is_blank(self.bytes)
    }
}

/// What a visitor answers: whether to go on.
pub(super) type Visit = Result<ControlFlow<()>, Error>;

/// Visits the lines from `start`, which is the start of one, up to `end`.
pub(super) fn forward(
    log: Source<'_>,
    start: u64,
    end: u64,
    visit: impl FnMut(Line<'_>) -> Visit,
) -> Result<(), Error> {
    forward_in(log, start, end, FIRST_STEP, visit)
}

/// As [`forward`], for a caller that knows about how much it will read.
pub(super) fn forward_in(
    log: Source<'_>,
    start: u64,
    end: u64,
    first_step: usize,
    mut visit: impl FnMut(Line<'_>) -> Visit,
) -> Result<(), Error> {
    let mut buffer: Vec<u8> = Vec::new();
    let mut at = start; // where the buffer starts
    let mut step = first_step.clamp(1, STEP);
    loop {
        let read = at + buffer.len() as u64;
        let left = usize::try_from(end.saturating_sub(read)).unwrap_or(usize::MAX);
        let wanted = left.min(step.max(buffer.len()));
        let bytes = if wanted == 0 { Vec::new() } else { log.read_at(read, wanted)? };
        step = (step * 2).min(STEP);
        if bytes.is_empty() {
            break;
        }
        if buffer.is_empty() {
            buffer = bytes;
        } else {
            buffer.extend_from_slice(&bytes);
        }
        let mut used = 0;
        for line_end in memchr::memchr_iter(b'\n', &buffer) {
            let bytes = buffer.get(used..line_end).unwrap_or_default();
            let line = Line { offset: at + used as u64, bytes, ended: true };
            if visit(line)?.is_break() {
                return Ok(());
            }
            used = line_end + 1;
        }
        buffer.drain(..used);
        at += used as u64;
    }
    if !buffer.is_empty() {
        let _ = visit(Line { offset: at, bytes: &buffer, ended: false })?;
    }
    Ok(())
}

/// Visits the lines before `end`, the last first.
pub(super) fn backward(
    log: Source<'_>,
    end: u64,
    mut visit: impl FnMut(Line<'_>) -> Visit,
) -> Result<(), Error> {
    let mut buffer: Vec<u8> = Vec::new();
    let mut at = end; // where the buffer starts
    let mut step = FIRST_STEP;
    loop {
        while let Some(before) = memchr::memrchr(b'\n', split_break(&buffer).0) {
            let (bytes, ended) = split_break(buffer.get(before + 1..).unwrap_or_default());
            let line = Line { offset: at + before as u64 + 1, bytes, ended };
            if visit(line)?.is_break() {
                return Ok(());
            }
            buffer.truncate(before + 1);
        }
        if at == 0 {
            if !buffer.is_empty() {
                let (bytes, ended) = split_break(&buffer);
                let _ = visit(Line { offset: 0, bytes, ended })?;
            }
            return Ok(());
        }
        let wanted = usize::try_from(at).unwrap_or(usize::MAX).min(step.max(buffer.len()));
        let mut bytes = log.read_at(at - wanted as u64, wanted)?;
        if bytes.len() < wanted {
            return Ok(()); // another program cut the log under its reader
        }
        bytes.extend_from_slice(&buffer);
        buffer = bytes;
        at -= wanted as u64;
        step = (step * 2).min(STEP);
    }
}

/// A line's bytes without its line break, and whether it has one.
fn split_break(bytes: &[u8]) -> (&[u8], bool) {
    match bytes.split_last() {
        Some((b'\n', line)) => (line, true),
        _ => (bytes, false),
    }
}

/// What follows the last line break of a log.
pub(super) fn unended(log: Source<'_>) -> Result<Vec<u8>, FileError> {
    let len = log.len();
    let mut step = 1_usize;
    loop {
        let start = len.saturating_sub(step as u64);
        let tail = log.read_at(start, step)?;
        match memchr::memrchr(b'\n', &tail) {
            Some(end) => return Ok(tail.get(end + 1..).unwrap_or_default().to_vec()),
            None if start == 0 => return Ok(tail),
            None => step = (step * 2).max(4096),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Engine;

    type Walk = Vec<(u64, String, bool)>;

    fn walks(text: &str) -> (Walk, Walk) {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join("log"), text).unwrap();
        let engine = Engine::open(root.path(), |_, _, _| Ok(Vec::new())).unwrap();
        let (view, path) = (engine.view(), RelPath::of("log"));
        let file = view.open(&path).unwrap();
        let log = Source { view: &view, file: &file, path: &path };
        let (mut there, mut back) = (Vec::new(), Vec::new());
        let keep = |list: &mut Vec<_>, line: Line<'_>| {
            list.push((line.offset, String::from_utf8(line.bytes.to_vec()).unwrap(), line.ended));
            Ok(ControlFlow::Continue(()))
        };
        let len = text.len() as u64;
        forward(log, 0, len, |line| keep(&mut there, line)).unwrap();
        backward(log, len, |line| keep(&mut back, line)).unwrap();
        back.reverse();
        (there, back)
    }

    #[test]
    fn both_ways_see_the_same_lines() {
        let long = "x".repeat(3 * STEP);
        let many: String = (0..40_000).map(|n| format!("line {n} of many\n")).collect();
        for text in
            ["", "\n", "a", "a\n", "a\n\nb\n", "\n\na", &long, &format!("a\n{long}\nb"), &many]
        {
            let (there, back) = walks(text);
            assert_eq!(there, back);
            let joined: String = there
                .iter()
                .map(|(_, line, ended)| format!("{line}{}", if *ended { "\n" } else { "" }))
                .collect();
            assert_eq!(joined, text);
            assert!(there.iter().rev().skip(1).all(|(_, _, ended)| *ended));
        }
    }

    #[test]
    fn what_follows_the_last_line_break_is_found() {
        let root = tempfile::tempdir().unwrap();
        let engine = Engine::open(root.path(), |_, _, _| Ok(Vec::new())).unwrap();
        let path = RelPath::of("log");
        for (text, tail) in [("", ""), ("a\n", ""), ("a\nbc", "bc"), ("abc", "abc")] {
            std::fs::write(root.path().join("log"), text).unwrap();
            let view = engine.view();
            let file = view.open(&path).unwrap();
            let found = unended(Source { view: &view, file: &file, path: &path }).unwrap();
            assert_eq!(found, tail.as_bytes());
        }
    }
}
