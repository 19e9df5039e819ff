//! HTML as a type of its own, so that no text gets into a page unescaped.

use std::fmt::{self, Display, Write as _};

/// Markup in which every text is escaped.
///
/// It can be made in three ways: by escaping text, from a literal in this crate's source, or by filling a template with
/// other markup. So text from a visitor cannot get into a page unescaped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Html(String);

impl Html {
    /// Escapes a text for element content and for quoted attributes.
    pub(super) fn text(text: impl Display) -> Self {
        let mut out = String::new();
        // Writing to a `String` cannot fail.
        let _ = write!(Escaping(&mut out), "{text}");
        Self(out)
    }

    pub(super) fn literal(markup: &'static str) -> Self {
        Self(markup.to_owned())
    }

    pub(super) fn when(condition: bool, markup: &'static str) -> Self {
        Self::literal(if condition { markup } else { "" })
    }

    /// Replaces each `{{name}}` of a template in one pass, so that a value is never read as a template. A name without a
    /// value stays as it is.
    pub(super) fn fill(template: &'static str, values: &[(&str, Self)]) -> Self {
        let mut out = String::with_capacity(template.len() * 2);
        let mut rest = template;
        while let Some((before, after)) = rest.split_once("{{") {
            out.push_str(before);
            let value = after.split_once("}}").and_then(|(name, tail)| {
                values
                    .iter()
                    .find(|(known, _)| *known == name)
                    .map(|(_, value)| (value, tail))
            });
            if let Some((value, tail)) = value {
                out.push_str(&value.0);
                rest = tail;
            } else {
                out.push_str("{{");
                rest = after;
            }
        }
        out.push_str(rest);
        Self(out)
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromIterator<Self> for Html {
    fn from_iter<I: IntoIterator<Item = Self>>(parts: I) -> Self {
        Self(parts.into_iter().map(|part| part.0).collect())
    }
}

struct Escaping<'a>(&'a mut String);

impl fmt::Write for Escaping<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for c in text.chars() {
            match c {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                c => self.0.push(c),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_can_neither_open_an_element_nor_leave_an_attribute() {
        assert_eq!(
            Html::text(r#"<a b="c">'&"#).as_str(),
            "&lt;a b=&quot;c&quot;&gt;&#39;&amp;"
        );
    }

    #[test]
    fn a_value_is_never_read_as_a_template() {
        let page = Html::fill(
            "{{a}}/{{b}}",
            &[("a", Html::text("{{b}}")), ("b", Html::text("secret"))],
        );
        assert_eq!(page.as_str(), "{{b}}/secret");
    }

    #[test]
    fn an_unknown_name_stays_visible() {
        assert_eq!(
            Html::fill("{{x}} {{ {{a}}", &[("a", Html::text("1"))]).as_str(),
            "{{x}} {{ 1"
        );
    }
}
