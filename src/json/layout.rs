//! The two layouts that JSON text is stored in: compact lines and records with
//! two-space indentation, both as `JSON.stringify` writes them.

/// Deeper values are indented no further: the text would grow with the square of its
/// depth.
const DEEPEST_INDENT: usize = 64;

/// Rewrites well-formed JSON without any space between its tokens.
#[must_use]
pub fn compact(json: &str) -> String {
    lay_out(json, false)
}

/// Rewrites well-formed JSON with two-space indentation and no newline at the end.
#[must_use]
pub fn indented(json: &str) -> String {
    lay_out(json, true)
}

fn lay_out(json: &str, indent: bool) -> String {
    let mut out = String::with_capacity(json.len() + if indent { json.len() / 2 } else { 0 });
    let mut depth = 0_usize;
    let mut opened = false; // the last token opened a container that is empty so far
    let mut rest = json;
    while let Some(first) = rest.chars().next() {
        let (token, tail) = rest.split_at_checked(token_len(rest, first)).unwrap_or((rest, ""));
        rest = tail;
        if first.is_ascii_whitespace() {
            continue;
        }
        let closes = matches!(first, '}' | ']');
        if closes {
            depth = depth.saturating_sub(1);
        }
        if indent && opened != closes && (opened || closes) {
            new_line(&mut out, depth);
        }
        out.push_str(token);
        opened = matches!(first, '{' | '[');
        match first {
            '{' | '[' => depth += 1,
            ',' if indent => new_line(&mut out, depth),
            ':' if indent => out.push(' '),
            _ => {}
        }
    }
    out
}

fn new_line(out: &mut String, depth: usize) {
    out.push('\n');
    for _ in 0..depth.min(DEEPEST_INDENT) {
        out.push_str("  ");
    }
}

/// Length of the token that `rest` starts with.
fn token_len(rest: &str, first: char) -> usize {
    match first {
        '"' => string_len(rest),
        '{' | '}' | '[' | ']' | ',' | ':' => 1,
        _ if first.is_ascii_whitespace() => 1,
        _ => rest
            .find(|c: char| "{}[],:\"".contains(c) || c.is_ascii_whitespace())
            .unwrap_or(rest.len()),
    }
}

fn string_len(rest: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in rest.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMPACT: &str =
        r#"{"a":[],"b":{},"c":[1,-2.5e3,[null]],"d":"x\\\" : , {","e":{"f":true,"g":[{"h":"☂"}]}}"#;
    const INDENTED: &str = r#"{
  "a": [],
  "b": {},
  "c": [
    1,
    -2.5e3,
    [
      null
    ]
  ],
  "d": "x\\\" : , {",
  "e": {
    "f": true,
    "g": [
      {
        "h": "☂"
      }
    ]
  }
}"#;

    #[test]
    fn lays_out_as_json_stringify_does() {
        assert_eq!(indented(COMPACT), INDENTED);
        assert_eq!(compact(INDENTED), COMPACT);
        assert_eq!(indented(INDENTED), INDENTED);
        assert_eq!(indented(" [ ] "), "[]");
        assert_eq!(compact("7"), "7");
    }

    #[test]
    fn a_deep_value_costs_no_more_than_a_flat_one() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        let indented = indented(&deep);
        assert!(indented.len() < 300 * deep.len());
        assert_eq!(compact(&indented), deep);
    }
}
