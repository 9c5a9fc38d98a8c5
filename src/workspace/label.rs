//! Labels of workspaces: at once the name of a folder and the end of a branch's name.

/// What a label must be, for an error.
pub(super) const EXPECTED: &str = "one path component that git accepts at the end of a branch name";

/// Whether a label is one path component and ends a branch name that git accepts,
/// by the rules of `git check-ref-format`.
pub(super) fn is_valid(label: &str) -> bool {
    let forbidden = |c: char| c.is_control() || " ~^:?*[\\/".contains(c);
    !label.is_empty()
        && !label.starts_with(['-', '.'])
        && !label.ends_with('.')
        && !label.contains("..")
        && !label.contains("@{")
        && !label.contains(forbidden)
        // A file system may not tell `.LOCK` from `.lock`.
        && !label.to_ascii_lowercase().ends_with(".lock")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_a_path_component_and_ends_a_branch_name() {
        for good in ["handoff-hof_1", "a.b", "é☂", "@", "x-", "A_b"] {
            assert!(is_valid(good), "{good:?}");
        }
        for bad in [
            "", "../x", "a/b", "a\\b", "-rf", ".", "..", ".x", "x.", "a..b", "x.lock", "x.LOCK",
            "a b", "a\nb", "a\0", "a\u{7f}", "a~1", "a^", "a:b", "a?", "a*", "a[", "a@{1}",
        ] {
            assert!(!is_valid(bad), "{bad:?}");
        }
    }
}
