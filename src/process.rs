//! Which process this is, told apart from every other that has or had its number.

use std::sync::LazyLock;

use crate::{
    id,
    json::{Fields, Invalid, ObjectWriter, string},
};

/// A process: its number, when it started, and the boot of the machine it runs on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// Its number.
    pub pid: u64,
    /// When it started, in the system's own terms; empty where that is not known.
    pub start_time: String,
    /// The machine's boot; empty where that is not known.
    pub boot_id: String,
    /// Tells several copies of this library in one process apart.
    pub copy: String,
}

static THIS: LazyLock<Process> = LazyLock::new(|| Process {
    pid: u64::from(std::process::id()),
    start_time: start_time(u64::from(std::process::id())).unwrap_or_default(),
    boot_id: boot_id(),
    copy: id::generate(""),
});

impl Process {
    /// This process.
    #[must_use]
    pub fn this() -> &'static Self {
        &THIS
    }

    /// Whether it is this process, and this very copy of the library.
    #[must_use]
    pub fn is_this(&self) -> bool {
        self == Self::this()
    }

    /// Whether it may still run; where that cannot be found out, it may.
    #[must_use]
    pub fn may_run(&self) -> bool {
        let this = Self::this();
        if self.boot_id != this.boot_id {
            // Both known and different: the machine was started anew.
            return self.boot_id.is_empty() || this.boot_id.is_empty();
        }
        match start_time(self.pid) {
            None => false,
            Some(found) => {
                found == self.start_time || found.is_empty() || self.start_time.is_empty()
            }
        }
    }

    /// `{ pid, startTime, bootId, copy }`.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut json = ObjectWriter::new();
        json.number("pid", self.pid).string("startTime", &self.start_time);
        json.string("bootId", &self.boot_id).string("copy", &self.copy);
        json.finish()
    }

    /// Reads [`Process::to_json`].
    ///
    /// # Errors
    /// [`Invalid`], with the field named.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let fields = Fields::of_payload(text)?;
        let text = |key| fields.decoded(key, "a string", |raw| string(raw).map(String::from));
        Ok(Self {
            pid: fields.whole_number("pid")?,
            start_time: text("startTime")?,
            boot_id: text("bootId")?,
            copy: text("copy")?,
        })
    }
}

/// When a process started; `None` when there is none of that number, and empty text
/// where it cannot be found out.
#[cfg(target_os = "linux")]
fn start_time(pid: u64) -> Option<String> {
    started(pid, std::fs::read(format!("/proc/{pid}/stat")))
}

/// As [`start_time`], by what was read of the process.
#[cfg(target_os = "linux")]
fn started(pid: u64, stat: std::io::Result<Vec<u8>>) -> Option<String> {
    let stat = match stat {
        Ok(stat) => String::from_utf8_lossy(&stat).into_owned(),
        // What is not shown of it may also be hidden, or not be told for want of a descriptor.
        Err(_) if is_gone(pid) => return None,
        Err(_) => return Some(String::new()),
    };
    // The name, in parentheses, may hold anything; then come the state and the rest.
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_ascii_whitespace();
    match fields.next()? {
        "Z" | "X" => None, // ended, and not yet collected by its parent
        _ => fields.nth(18).map(str::to_owned),
    }
}

/// When a process started; `None` when there is none of that number, and empty text
/// where it cannot be found out.
#[cfg(unix)]
#[cfg(not(target_os = "linux"))]
fn start_time(pid: u64) -> Option<String> {
    let ps = std::process::Command::new("ps")
        .args(["-o", "lstart=", "-p", &pid.to_string()])
        .env("LC_ALL", "C")
        .output();
    match ps {
        Ok(ps) => {
            let started = String::from_utf8_lossy(&ps.stdout).trim().to_owned();
            // What it says nothing of may have ended, or it may have failed.
            (!started.is_empty() || !is_gone(pid)).then_some(started)
        }
        Err(_) => Some(String::new()),
    }
}

/// When a process started: it cannot be found out.
#[cfg(not(unix))]
fn start_time(_: u64) -> Option<String> {
    Some(String::new())
}

/// Whether the system says that there is no process of that number.
#[cfg(unix)]
fn is_gone(pid: u64) -> bool {
    use rustix::{
        io::Errno,
        process::{Pid, test_kill_process},
    };
    let number = i32::try_from(pid).ok().and_then(Pid::from_raw);
    number.is_none_or(|number| test_kill_process(number) == Err(Errno::SRCH))
}

#[cfg(target_os = "linux")]
fn boot_id() -> String {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    id.trim().to_owned()
}

#[cfg(not(target_os = "linux"))]
fn boot_id() -> String {
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_runs_and_reads_back() {
        let this = Process::this();
        assert!(this.may_run());
        assert!(Process::parse(&this.to_json()).unwrap().is_this());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn another_process_of_the_same_number_is_another() {
        let this = Process::this();
        let earlier = Process { start_time: "1".to_owned(), ..this.clone() };
        assert!(!earlier.may_run());
        assert!(!Process { boot_id: "another".to_owned(), ..this.clone() }.may_run());
        let copy = Process { copy: "another".to_owned(), ..this.clone() };
        assert!(copy.may_run() && !copy.is_this());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_that_is_not_shown_may_run() {
        for code in [libc::EMFILE, libc::ENOENT] {
            let unread = || Err(std::io::Error::from_raw_os_error(code));
            assert_eq!(started(Process::this().pid, unread()).as_deref(), Some(""));
            for nobodys in [0, u64::from(i32::MAX.unsigned_abs()), u64::MAX] {
                assert_eq!(started(nobodys, unread()), None);
            }
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_may_have_any_name() {
        let mut stat = std::fs::read("/proc/self/stat").unwrap();
        let name = stat.iter().position(|byte| *byte == b'(').unwrap() + 1;
        stat.splice(name..name, *b") \xff (Z");
        assert_eq!(started(1, Ok(stat)).as_deref(), Some(&*Process::this().start_time));
    }

    #[cfg(unix)]
    #[test]
    fn a_process_that_ended_does_not_run_even_while_nobody_collected_it() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let pid = u64::from(child.id());
        let ended = Process { pid, start_time: "x".to_owned(), ..Process::this().clone() };
        child.wait().unwrap();
        assert!(!ended.may_run());
    }
}
