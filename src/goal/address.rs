//! Addresses that steps opened, split into parts, so that a value can replace one part.
//!
//! Values replace only path segments and query values. The origin and the fragment never change.

use std::fmt::Write as _;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Address {
    origin: String,
    pub(super) segments: Vec<String>,
    pub(super) pairs: Vec<Pair>,
    fragment: Option<String>,
}

/// A key and its value in the query of an address; `value` is `None` if no `=` follows the key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pair {
    key: String,
    value: Option<String>,
}

impl Address {
    /// Splits an address. A text without `://` has no origin and begins with the path.
    pub(super) fn parse(url: &str) -> Self {
        let (rest, fragment) = split(url, '#');
        let (rest, query) = split(rest, '?');
        let host_at = rest.find("://").map_or(0, |at| at + 3);
        let path_at = rest[host_at..]
            .find('/')
            .map_or(rest.len(), |at| host_at + at);
        let (origin, path) = if host_at == 0 {
            ("", rest)
        } else {
            rest.split_at(path_at)
        };
        Self {
            origin: origin.to_owned(),
            segments: path.split('/').map(str::to_owned).collect(),
            pairs: query.map_or_else(Vec::new, |query| {
                query.split('&').map(Pair::parse).collect()
            }),
            fragment: fragment.map(str::to_owned),
        }
    }

    pub(super) fn segment(&self, at: usize) -> Option<String> {
        self.segments.get(at).map(|segment| decode(segment, false))
    }

    /// Returns the decoded value of the query pair at an index; `None` if there is no such pair or the pair has no value.
    pub(super) fn value(&self, at: usize) -> Option<String> {
        self.pairs
            .get(at)?
            .value
            .as_deref()
            .map(|value| decode(value, true))
    }

    pub(super) fn key(&self, at: usize) -> Option<String> {
        self.pairs.get(at).map(|pair| decode(&pair.key, true))
    }

    /// Returns the origin and the decoded fragment as one text, separated by a space. A value never replaces these parts.
    pub(super) fn fixed(&self) -> String {
        format!(
            "{} {}",
            self.origin,
            self.fragment
                .as_deref()
                .map_or(String::new(), |text| decode(text, false))
        )
    }

    /// Replaces the path segment at an index. Returns false, and replaces nothing, if the value is `.`, `..` or empty, which
    /// would change the structure of the path.
    pub(super) fn set_segment(&mut self, at: usize, value: &str) -> bool {
        let climbs = matches!(value, "" | "." | "..");
        if let Some(segment) = self.segments.get_mut(at).filter(|_| !climbs) {
            *segment = encode(value, "%20");
        }
        !climbs
    }

    pub(super) fn set_value(&mut self, at: usize, value: &str) {
        if let Some(pair) = self.pairs.get_mut(at) {
            // HTML forms write a space as `+`. But if the recorded value writes `%20`, the new one does too.
            let space = if pair
                .value
                .as_deref()
                .is_some_and(|value| value.contains("%20"))
            {
                "%20"
            } else {
                "+"
            };
            pair.value = Some(encode(value, space));
        }
    }

    pub(super) fn to_url(&self) -> String {
        let mut url = format!("{}{}", self.origin, self.segments.join("/"));
        for (at, pair) in self.pairs.iter().enumerate() {
            url.push(if at == 0 { '?' } else { '&' });
            url.push_str(&pair.key);
            if let Some(value) = &pair.value {
                url.push('=');
                url.push_str(value);
            }
        }
        if let Some(fragment) = &self.fragment {
            url.push('#');
            url.push_str(fragment);
        }
        url
    }
}

impl Pair {
    fn parse(text: &str) -> Self {
        let (key, value) = split(text, '=');
        Self {
            key: key.to_owned(),
            value: value.map(str::to_owned),
        }
    }
}

fn split(text: &str, at: char) -> (&str, Option<&str>) {
    text.split_once(at)
        .map_or((text, None), |(before, after)| (before, Some(after)))
}

/// Decodes percent-encoded bytes and, in a query, `+` as a space. A text that is not UTF-8 afterwards is returned undecoded.
fn decode(text: &str, is_query: bool) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes.get(at + 1..at + 3).and_then(|hex| {
            let digit = |nth: usize| char::from(hex[nth]).to_digit(16);
            u8::try_from(digit(0)? * 16 + digit(1)?).ok()
        });
        match (bytes[at], byte) {
            (b'%', Some(byte)) => {
                out.push(byte);
                at += 2;
            }
            (b'+', _) if is_query => out.push(b' '),
            (byte, _) => out.push(byte),
        }
        at += 1;
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

/// Percent-encodes all characters of `text` except ASCII letters, ASCII digits and the signs `-`, `.`, `_` and `~`. The
/// argument `space` says what replaces a space.
fn encode(text: &str, space: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte == b' ' {
            out.push_str(space);
        } else if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_survives_splitting() {
        for url in [
            "https://a.example/",
            "https://a.example",
            "https://a.example:8080/x//y/?q=1&b&c=#f?g",
            "/only/path",
            "https://a.example?q=%C3%A9+b",
            "",
        ] {
            assert_eq!(Address::parse(url).to_url(), url);
        }
    }

    #[test]
    fn values_are_decoded_and_encoded() {
        let mut address =
            Address::parse("https://a.example/docs/x%20y?city=New+York&m=2025-03#top");
        assert_eq!(address.segment(2).as_deref(), Some("x y"));
        assert_eq!(address.value(0).as_deref(), Some("New York"));
        assert_eq!(address.key(1).as_deref(), Some("m"));
        let no_byte = Address::parse("https://a.example/?q=10%+5");
        assert_eq!(no_byte.value(0).as_deref(), Some("10% 5"));
        assert_eq!(address.fixed(), "https://a.example top");
        assert!(address.set_segment(2, "a/b?c"));
        address.set_value(0, "São Paulo & Rio");
        assert_eq!(
            address.to_url(),
            "https://a.example/docs/a%2Fb%3Fc?city=S%C3%A3o+Paulo+%26+Rio&m=2025-03#top"
        );
    }

    #[test]
    fn a_value_cannot_climb_out_of_the_path() {
        let mut address = Address::parse("https://a.example/users/anna");
        for value in ["..", ".", ""] {
            assert!(!address.set_segment(2, value));
        }
        assert_eq!(address.to_url(), "https://a.example/users/anna");
    }
}
