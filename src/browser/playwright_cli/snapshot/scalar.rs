//! Decoding of quoted texts in a snapshot.
//!
//! Escapes that the tool never prints are kept as they are, because refusing them would lose text.

use std::borrow::Cow;

pub(super) fn yaml(raw: &str) -> Cow<'_, str> {
    match raw.strip_prefix('"').and_then(|r| r.strip_suffix('"')) {
        Some(inner) => unescape(inner),
        None => Cow::Borrowed(raw),
    }
}

/// Decodes a JSON string, given with its quotes. `doubled` is true if `''` stands for `'`, because the string is part
/// of a text in single quotes.
pub(super) fn json_string(raw: &str, doubled: bool) -> Cow<'_, str> {
    let inner = raw
        .strip_prefix('"')
        .and_then(|r| r.strip_suffix('"'))
        .unwrap_or(raw);
    if doubled && inner.contains("''") {
        return Cow::Owned(unescape(&inner.replace("''", "'")).into_owned());
    }
    unescape(inner)
}

fn unescape(inner: &str) -> Cow<'_, str> {
    let Some(first) = inner.find('\\') else {
        return Cow::Borrowed(inner);
    };
    let mut out = String::with_capacity(inner.len());
    out.push_str(&inner[..first]);
    let mut rest = &inner[first..];
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let (decoded, used) = escape(&rest[at..]);
        match decoded {
            Some(c) => out.push(c),
            None => out.push_str(&rest[at..at + used]),
        }
        rest = &rest[at + used..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Returns the character that the escape at the start of `text` represents, and the escape's length in bytes. The
/// character is `None` for an escape that the tool never prints.
fn escape(text: &str) -> (Option<char>, usize) {
    let Some(&kind) = text.as_bytes().get(1) else {
        return (None, 1);
    };
    let simple = match kind {
        b'"' | b'\\' | b'/' => char::from(kind),
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'x' => return hex(text, 2, 2).map_or((None, 2), |code| (char::from_u32(code), 4)),
        b'u' => return unicode(text),
        _ => return (None, 1),
    };
    (Some(simple), 2)
}

/// Decodes the escape `\uXXXX` at the start of `text`, or the two escapes of a surrogate pair. Returns the character
/// and the length in bytes. Half a pair gives U+FFFD.
fn unicode(text: &str) -> (Option<char>, usize) {
    let Some(high) = hex(text, 2, 4) else {
        return (None, 2);
    };
    if (0xd800..0xdc00).contains(&high)
        && text[6..].starts_with("\\u")
        && let Some(low) = hex(text, 8, 4).filter(|low| (0xdc00..0xe000).contains(low))
    {
        return (
            char::from_u32(0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00)),
            12,
        );
    }
    (
        Some(char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER)),
        6,
    )
}

fn hex(text: &str, from: usize, digits: usize) -> Option<u32> {
    let part = text.get(from..from + digits)?;
    if part.bytes().all(|b| b.is_ascii_hexdigit()) {
        u32::from_str_radix(part, 16).ok()
    } else {
        None
    }
}
