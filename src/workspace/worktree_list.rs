//! Reads `git worktree list --porcelain`.

use crate::json::ObjectWriter;

/// One worktree of a list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListedWorktree {
    /// Where it is.
    pub path: String,
    /// The commit that is checked out.
    pub head: Option<String>,
    /// The branch that is checked out, as in `refs/heads/main`.
    pub branch: Option<String>,
    /// Why it is locked, where it is; empty when git was given no reason.
    pub locked: Option<String>,
    /// Whether git found nothing of it where it should be.
    pub prunable: bool,
}

impl ListedWorktree {
    /// Whether git is still making it, or was ended in the middle.
    #[must_use]
    pub fn is_initializing(&self) -> bool {
        self.locked.as_deref() == Some("initializing")
    }

    /// `{ path, head?, branch? }`.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut json = ObjectWriter::new();
        json.string("path", &self.path);
        json.optional_string("head", self.head.as_deref());
        json.optional_string("branch", self.branch.as_deref());
        json.finish()
    }
}

/// The worktree of a list whose path is `path`, to the character.
#[must_use]
pub fn parse_worktree_list(stdout: &str, path: &str) -> Option<ListedWorktree> {
    records(stdout).find(|listed| listed.path == path)
}

/// Every worktree of a list.
pub(super) fn records(stdout: &str) -> impl Iterator<Item = ListedWorktree> {
    let mut lines = stdout.lines();
    std::iter::from_fn(move || {
        let mut record: Option<ListedWorktree> = None;
        for line in lines.by_ref() {
            if line.is_empty() {
                if record.is_some() {
                    break;
                }
                continue;
            }
            let record = record.get_or_insert_default();
            let (key, value) = line.split_once(' ').unwrap_or((line, ""));
            match key {
                "worktree" => value.clone_into(&mut record.path),
                "HEAD" => record.head = Some(value.to_owned()),
                "branch" => record.branch = Some(value.to_owned()),
                "locked" => record.locked = Some(value.to_owned()),
                "prunable" => record.prunable = true,
                _ => {}
            }
        }
        record
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "worktree /repo\nHEAD abc\nbranch refs/heads/main\n\n\
        worktree /repo/.namzu/worktrees/a b é\nHEAD def\nbranch refs/heads/namzu/x\n\n\
        worktree /detached\nHEAD 123\ndetached\nlocked initializing\n\n\
        worktree /bare\nbare\n\nworktree /gone\nlocked\nprunable gitdir file points nowhere\n";

    #[test]
    fn finds_the_record_of_exactly_that_path() {
        let found = parse_worktree_list(LIST, "/repo/.namzu/worktrees/a b é").unwrap();
        assert_eq!(
            found.to_json(),
            r#"{"path":"/repo/.namzu/worktrees/a b é","head":"def","branch":"refs/heads/namzu/x"}"#
        );
        assert_eq!(parse_worktree_list(LIST, "/bare").unwrap().to_json(), r#"{"path":"/bare"}"#);
        for absent in ["/rep", "/repo/", "/repo/.namzu", ""] {
            assert_eq!(parse_worktree_list(LIST, absent), None, "{absent:?}");
        }
        assert_eq!(parse_worktree_list("", "/repo"), None);
    }

    #[test]
    fn knows_a_worktree_that_is_being_made() {
        let detached = parse_worktree_list(LIST, "/detached").unwrap();
        assert!(detached.is_initializing() && detached.branch.is_none());
        assert!(!parse_worktree_list(LIST, "/repo").unwrap().is_initializing());
    }

    #[test]
    fn knows_a_locked_worktree_and_one_that_is_gone() {
        let gone = parse_worktree_list(LIST, "/gone").unwrap();
        assert!(gone.prunable && !gone.is_initializing());
        assert_eq!(gone.locked.as_deref(), Some(""));
        let repo = parse_worktree_list(LIST, "/repo").unwrap();
        assert!(!repo.prunable && repo.locked.is_none());
    }
}
