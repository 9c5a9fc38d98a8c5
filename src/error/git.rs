//! How a run of git failed.

use crate::json::ObjectWriter;

/// How a run of git failed, in the terms of Node's `execFile`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitFailure {
    /// What happened, with all that git wrote to standard error.
    pub message: String,
    /// The exit code, or the system's name of the error when git could not be run.
    pub code: Option<GitCode>,
    /// What ended git, when a signal did.
    pub signal: Option<i32>,
    /// Whether it was ended for taking too long.
    pub killed: bool,
    /// What git wrote to standard output.
    pub stdout: String,
    /// What git wrote to standard error.
    pub stderr: String,
}

/// Why a run of git failed, for a program to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GitCode {
    /// The exit code.
    Exit(i32),
    /// The system's name of the error, as in `ENOENT`.
    System(String),
}

impl GitFailure {
    /// A failure that git itself said nothing about.
    #[must_use]
    pub fn of(message: String) -> Self {
        Self {
            message,
            code: None,
            signal: None,
            killed: false,
            stdout: String::new(),
            stderr: String::new(),
        }
    }

    /// The properties of the error that JavaScript gets.
    #[must_use]
    pub fn details(&self) -> String {
        let mut json = ObjectWriter::new();
        match &self.code {
            Some(GitCode::Exit(code)) => json.raw("code", &code.to_string()),
            Some(GitCode::System(name)) => json.string("code", name),
            None => json.raw("code", "null"),
        };
        match self.signal {
            Some(signal) => json.raw("signal", &signal.to_string()),
            None => json.raw("signal", "null"),
        };
        json.raw("killed", if self.killed { "true" } else { "false" });
        json.string("stdout", &self.stdout).string("stderr", &self.stderr);
        json.finish()
    }
}
