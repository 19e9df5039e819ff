//! Parsers of the texts by which another program names the elements of a page.

use crate::{base::text, page::Role};

/// Maximum length of an element's name, and of an attribute's value. Unit: bytes. Source: chosen; the same limit applies to
/// the texts in locators.
const MAX_NAME: usize = 300;

/// Returns true if a text contains a reference to an element, such as `@s3f51`.
pub(super) fn names_reference(said: &str) -> bool {
    let mut words =
        said.split(|c: char| !(c.is_alphanumeric() || matches!(c, '@' | '_' | '.' | '-')));
    words.any(|word| {
        let reference = word.strip_prefix('@');
        reference.is_some_and(|name| {
            let name = name.trim_end_matches('.');
            name.bytes().all(|b| b.is_ascii_alphanumeric())
                && name.bytes().any(|b| b.is_ascii_digit())
        })
    })
}

/// Parses a description such as `button "Send"` into a role and a name.
pub(super) fn element(said: &str) -> Option<(Role, String)> {
    let (role, name) = said.trim().split_once(' ').unwrap_or((said.trim(), "\"\""));
    let role = Some(Role::parse(role)).filter(|role| !matches!(role, Role::Other(_)))?;
    let name = name.trim();
    let inside = name.strip_prefix('"')?.strip_suffix('"')?;
    // Quotes inside the name may be escaped or not.
    let name: String = serde_json::from_str(name).unwrap_or_else(|_| inside.to_owned());
    (name.len() <= MAX_NAME).then(|| (role, text::squeeze(&text::clean(&name))))
}

/// Returns the attributes in a CSS selector such as `input[name="q"]`. Returns `None` if it has no attribute, if an
/// attribute has no value or a value longer than [`MAX_NAME`], or if it contains more than attributes and a tag.
pub(super) fn css(selector: &str) -> Option<Vec<(String, String)>> {
    let mut rest = selector.trim();
    rest = rest.trim_start_matches(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit());
    let mut attributes = Vec::new();
    while let Some(inside) = rest.strip_prefix('[') {
        let (name, value) = inside.split_once('=')?;
        let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
        let (value, after) = match value.chars().next().filter(|_| is_name)? {
            '"' => {
                let mut stream = serde_json::Deserializer::from_str(value).into_iter::<String>();
                let text = stream.next()?.ok()?;
                (text, &value[stream.byte_offset()..])
            }
            '\'' => {
                let (text, after) = value[1..].split_once('\'')?;
                (text.to_owned(), after)
            }
            _ => {
                let end = value.find(']')?;
                (value[..end].to_owned(), &value[end..])
            }
        };
        attributes.push((name.to_owned(), text::squeeze(&text::clean(&value))));
        rest = after.strip_prefix(']')?;
    }
    let is_whole = rest.is_empty()
        && attributes
            .iter()
            .all(|(_, value)| (1..=MAX_NAME).contains(&value.len()));
    (is_whole && !attributes.is_empty()).then_some(attributes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_and_a_selector_are_read_or_refused_as_a_whole() {
        let named = |said: &str| element(said).map(|(role, name)| format!("{role} {name}"));
        assert_eq!(named(r#"button "Send""#), Some("button Send".to_owned()));
        assert_eq!(
            named(r#"link "a "b" c""#),
            Some("link a \"b\" c".to_owned())
        );
        assert_eq!(named("textbox"), Some("textbox ".to_owned()));
        for other in ["@b39a5", "blink \"x\"", "button Send", ""] {
            assert_eq!(named(other), None, "{other}");
        }
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            css(r#"input[name='q'][data-testid="a \" b"][alt=x]"#),
            Some(vec![
                pair("name", "q"),
                pair("data-testid", "a \" b"),
                pair("alt", "x")
            ])
        );
        for other in [
            "@b39a5",
            "#id",
            "[name]",
            "[name=\"q\"",
            "a b",
            "[name=\"q\"] > a",
            ".c[name=q]",
            "[name=\"\"]",
            "",
        ] {
            assert_eq!(css(other), None, "{other}");
        }
    }

    #[test]
    fn a_reference_is_known_among_words() {
        for said in ["@s3f51", "click @b39a5.", "(@e12)"] {
            assert!(names_reference(said), "{said}");
        }
        for said in [
            "me@b39a5.example",
            "@media",
            "@",
            "a @ 5",
            "b39a5",
            "@shop.example1",
        ] {
            assert!(!names_reference(said), "{said}");
        }
    }
}
