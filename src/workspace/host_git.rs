//! Git as the application runs it.

use super::Git;
use crate::{
    error::Result,
    host::{Arguments, Host},
    json::string,
};

/// Git through the `execFile` that an application injected.
pub struct HostGit<'h>(pub &'h dyn Host);

impl Git for HostGit<'_> {
    const MAY_LOOK_FIRST: bool = false;

    async fn run(&self, arguments: Vec<String>) -> Result<String> {
        let list = serde_json::Value::from(arguments).to_string();
        let stdout = self.0.call("git", "run", Arguments::none().json(&list)).await?;
        Ok(stdout.and_then(|raw| string(&raw).map(Into::into)).unwrap_or_default())
    }
}
