//! Parsing of the lines of a snapshot into nodes, without recursion.

use super::{Element, Line, Node, Scalar, Snapshot, Tail};

/// Average length of a line, used to reserve memory for the nodes. Unit: bytes. Source: the recorded snapshots of the
/// tests.
const TYPICAL_LINE: usize = 48;

pub(super) fn snapshot(text: &str) -> Snapshot<'_> {
    let mut nodes: Vec<Node<'_>> = Vec::with_capacity(text.len() / TYPICAL_LINE);
    // Indices of the open nodes, outermost first. Their indents increase strictly.
    let mut open: Vec<usize> = Vec::new();
    let (body, ends_with_newline) = match text.strip_suffix('\n') {
        Some(body) => (body, true),
        None => (text, false),
    };
    if text.is_empty() {
        return Snapshot::default();
    }
    let mut rest = Some(body);
    while let Some(current) = rest {
        let (line, next) = match current.split_once('\n') {
            Some((line, next)) => (line, Some(next)),
            None => (current, None),
        };
        rest = next;
        let content = line.trim_start_matches(' ');
        let indent = &line[..line.len() - content.len()];
        let index = nodes.len();
        if let Some(line) = parse_line(content) {
            while let Some(&last) = open.last() {
                if nodes[last].indent.len() < indent.len() {
                    break;
                }
                nodes[last].end = index;
                open.pop();
            }
            open.push(index);
            nodes.push(Node {
                indent,
                end: index + 1,
                line,
            });
        } else {
            // A malformed line belongs to the innermost open node, so that the lines after it keep their ancestors.
            nodes.push(Node {
                indent,
                end: index + 1,
                line: Line::Malformed(content),
            });
        }
    }
    let end = nodes.len();
    for index in open {
        nodes[index].end = end;
    }
    Snapshot {
        nodes,
        ends_with_newline,
    }
}

fn parse_line(content: &str) -> Option<Line<'_>> {
    let body = content.strip_prefix("- ")?;
    if let Some(value) = body.strip_prefix("text: ") {
        return scalar(value).map(Line::Text);
    }
    if let Some(property) = body.strip_prefix('/') {
        let (name, value) = property.split_once(": ")?;
        let word = !name.is_empty() && name.bytes().all(is_word);
        return if word {
            scalar(value).map(|value| Line::Property { name, value })
        } else {
            None
        };
    }
    let quoted = body.starts_with('\'');
    let key = if quoted { &body[1..] } else { body };
    element(key, quoted).map(Line::Element)
}

fn element(key: &str, quoted: bool) -> Option<Element<'_>> {
    let role_end = key.bytes().position(|b| !is_word(b)).unwrap_or(key.len());
    let (role, mut rest) = key.split_at(role_end);
    if !role.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let mut name = None;
    if rest.starts_with(" \"") {
        let end = 1 + json_string_end(&rest.as_bytes()[1..])?;
        name = Some(&rest[1..end]);
        rest = &rest[end..];
    }
    let attributes_end = attributes_end(rest)?;
    let (attributes, mut rest) = rest.split_at(attributes_end);
    if quoted {
        rest = rest.strip_prefix('\'')?;
        // Inside single quotes, each `'` is doubled. A `'` that is not doubled would have ended the key.
        if name.is_some_and(|raw| !quotes_are_doubled(raw)) {
            return None;
        }
    }
    let tail = match rest {
        "" => Tail::None,
        ":" => Tail::Open,
        _ => Tail::Value(scalar(rest.strip_prefix(": ")?)?),
    };
    Some(Element {
        quoted,
        role,
        name,
        attributes,
        tail,
    })
}

/// Returns the length of the attributes at the start of `text`; `None` if one of them is malformed. Unit: bytes.
fn attributes_end(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while bytes[at..].starts_with(b" [") {
        let inside = &bytes[at + 2..];
        let close = inside
            .iter()
            .position(|b| matches!(b, b']' | b'[' | b' ' | b'"' | b'\''))?;
        if close == 0 || inside[close] != b']' || !inside[0].is_ascii_alphabetic() {
            return None;
        }
        at += 2 + close + 1;
    }
    Some(at)
}

/// Returns the length of the JSON string at the start of `bytes`, with its quotes; `None` if it does not end. Unit:
/// bytes.
fn json_string_end(bytes: &[u8]) -> Option<usize> {
    let mut at = 1;
    while let Some(step) = bytes
        .get(at..)?
        .iter()
        .position(|b| matches!(b, b'"' | b'\\'))
    {
        at += step;
        if bytes[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
    }
    None
}

fn quotes_are_doubled(raw: &str) -> bool {
    let mut bytes = raw.bytes();
    while let Some(b) = bytes.next() {
        if b == b'\'' && bytes.next() != Some(b'\'') {
            return false;
        }
    }
    true
}

/// Parses a value that extends to the end of the line: plain text, or a string in double quotes.
fn scalar(raw: &str) -> Option<Scalar<'_>> {
    let fine = !raw.starts_with('"') || json_string_end(raw.as_bytes()) == Some(raw.len());
    fine.then_some(Scalar(raw))
}

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'-' || b == b'_'
}
