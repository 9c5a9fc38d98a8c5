//! The real git, as a child process.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    io::{self, Read},
    path::PathBuf,
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::{Duration, Instant},
};

use super::Git;
use crate::error::{Error, GitCode, GitFailure, Result, system_code};

/// How long a child that ended is given for its output to arrive: a background
/// process that it started may hold the pipes open for as long as it likes.
const OUTPUT_GRACE: Duration = Duration::from_millis(200);
/// How often a child is looked at while its pipes are open.
const LOOK: Duration = Duration::from_millis(20);

/// Variables that would make git work on another repository than the one asked for,
/// as they are set while a hook runs.
const REPOSITORY_VARIABLES: &[&str] = &[
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_CEILING_DIRECTORIES",
];

/// Runs the `git` of the search path: without a shell, a prompt, or the terminal.
#[derive(Debug, Clone)]
pub struct GitProcess {
    /// The environment it gets, beside what is always set.
    pub environment: BTreeMap<String, String>,
    /// How long one run may take before it is ended.
    pub limit: Duration,
}

impl Git for GitProcess {
    const MAY_LOOK_FIRST: bool = true;

    async fn run(&self, arguments: Vec<String>) -> Result<String> {
        let this = self.clone();
        let run = tokio::task::spawn_blocking(move || this.run_to_the_end(&arguments));
        match run.await {
            Ok(finished) => finished.map_err(|failure| Error::Git(Box::new(failure))),
            Err(panicked) => std::panic::resume_unwind(panicked.into_panic()),
        }
    }
}

impl GitProcess {
    fn run_to_the_end(&self, arguments: &[String]) -> Result<String, GitFailure> {
        let deadline = Instant::now().checked_add(self.limit);
        let mut child =
            self.command().args(arguments).spawn().map_err(|error| not_started(&error))?;
        let output = Output::of(&mut child).map_err(|error| {
            // What it writes would be lost, and it must not go on unseen.
            let _ = child.kill().and_then(|()| child.wait());
            not_started(&error)
        })?;
        let (status, killed) = output.wait_for(&mut child, deadline);
        let (stdout, stderr) = output.finish();
        match status {
            Ok(status) if status.success() && !killed => Ok(stdout),
            status => Err(failure(arguments, status, killed, self.limit, stdout, stderr)),
        }
    }

    fn command(&self) -> Command {
        let mut command = Command::new(self.program());
        command.env_clear().envs(&self.environment);
        for name in REPOSITORY_VARIABLES {
            command.env_remove(name);
        }
        command
            .env("GIT_TERMINAL_PROMPT", "0")
            // What git says is read by a program.
            .env("LC_ALL", "C")
            .env_remove("LANGUAGE")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        // Its own group: away from the terminal, and ended as one with its hooks.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command
    }

    /// Where git is. Found here rather than by the child, which is started several
    /// times faster that way.
    fn program(&self) -> PathBuf {
        let name = PathBuf::from("git");
        if cfg!(windows) {
            return name;
        }
        let path = self.environment.get("PATH").map(OsString::from).unwrap_or_default();
        let mut candidates = std::env::split_paths(&path).map(|folder| folder.join("git"));
        // A name with a separator is not searched for: what is missing here is missing.
        candidates.find(|file| is_program(file)).unwrap_or_else(|| PathBuf::from("/no/git/in/PATH"))
    }
}

#[cfg(unix)]
fn is_program(file: &std::path::Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &std::path::Path) -> bool {
    file.is_file()
}

/// What a child writes, collected by two threads.
struct Output {
    pipes: Receiver<(Pipe, Vec<u8>)>,
    collected: std::cell::RefCell<Collected>,
}

#[derive(Clone, Copy)]
enum Pipe {
    Out,
    Err,
}

#[derive(Default)]
struct Collected {
    ended: usize,
    out: Vec<u8>,
    err: Vec<u8>,
}

impl Output {
    /// # Errors
    /// When the system makes no more threads.
    fn of(child: &mut Child) -> io::Result<Self> {
        let (sender, pipes) = channel();
        let collect = |pipe: Pipe, from: Option<Box<dyn Read + Send>>| {
            let sender = sender.clone();
            let read = move || {
                let mut bytes = Vec::new();
                if let Some(mut from) = from {
                    // What came before an error is all there is.
                    let _ = from.read_to_end(&mut bytes);
                }
                let _ = sender.send((pipe, bytes));
            };
            thread::Builder::new().spawn(read).map(drop)
        };
        collect(Pipe::Out, child.stdout.take().map(|pipe| Box::new(pipe) as _))?;
        collect(Pipe::Err, child.stderr.take().map(|pipe| Box::new(pipe) as _))?;
        Ok(Self { pipes, collected: std::cell::RefCell::default() })
    }

    /// Waits up to `limit` for a pipe to end; answers whether both have.
    fn both_ended(&self, limit: Duration) -> bool {
        let mut collected = self.collected.borrow_mut();
        if collected.ended < 2 {
            match self.pipes.recv_timeout(limit) {
                Ok((Pipe::Out, bytes)) => {
                    (collected.out, collected.ended) = (bytes, collected.ended + 1)
                }
                Ok((Pipe::Err, bytes)) => {
                    (collected.err, collected.ended) = (bytes, collected.ended + 1)
                }
                Err(RecvTimeoutError::Disconnected) => collected.ended = 2,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        collected.ended == 2
    }

    /// Waits for a child to end, and ends it at the deadline; answers whether it did.
    fn wait_for(
        &self,
        child: &mut Child,
        deadline: Option<Instant>,
    ) -> (io::Result<ExitStatus>, bool) {
        loop {
            let ended = self.both_ended(LOOK);
            match child.try_wait() {
                Ok(None) => {}
                Ok(Some(status)) => return (Ok(status), false),
                Err(error) => return (Err(error), false),
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                end(child);
                return (child.wait(), true);
            }
            if ended {
                thread::sleep(Duration::from_micros(200)); // about to end, or silent for good
            }
        }
    }

    fn finish(self) -> (String, String) {
        let until = Instant::now() + OUTPUT_GRACE;
        while !self.both_ended(until.saturating_duration_since(Instant::now()))
            && Instant::now() < until
        {}
        let Collected { out, err, .. } = self.collected.into_inner();
        (String::from_utf8_lossy(&out).into(), String::from_utf8_lossy(&err).into())
    }
}

/// Ends a child and what it started.
fn end(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        // A group that is gone already is what was wanted.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
}

fn not_started(error: &io::Error) -> GitFailure {
    let code = system_code(error);
    GitFailure {
        code: Some(GitCode::System(code.clone())),
        ..GitFailure::of(format!("spawn git {code}"))
    }
}

fn failure(
    arguments: &[String],
    status: io::Result<ExitStatus>,
    killed: bool,
    limit: Duration,
    stdout: String,
    stderr: String,
) -> GitFailure {
    let mut message = format!("Command failed: git {}\n{stderr}", arguments.join(" "));
    if killed {
        message.push_str(&format!("It was ended after {} ms", limit.as_millis()));
    }
    GitFailure {
        message,
        code: match &status {
            Ok(status) => status.code().map(GitCode::Exit),
            Err(error) => Some(GitCode::System(system_code(error))),
        },
        signal: status.as_ref().ok().and_then(signal),
        killed,
        stdout,
        stderr,
    }
}

#[cfg(unix)]
fn signal(status: &ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(status)
}

#[cfg(not(unix))]
fn signal(_: &ExitStatus) -> Option<i32> {
    None
}
