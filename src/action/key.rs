//! The keys that may be pressed. Only the named keys in a fixed list and single characters are allowed, because a
//! driver passes the name of a key to another program as an argument.

use std::{borrow::Cow, fmt};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::base::{Error, ErrorKind, Result};

/// Names of keys, as DOM events use them.
const NAMED: &[&str] = &[
    "Enter",
    "Tab",
    "Escape",
    "Backspace",
    "Delete",
    "Insert",
    "Space",
    "ArrowUp",
    "ArrowDown",
    "ArrowLeft",
    "ArrowRight",
    "Home",
    "End",
    "PageUp",
    "PageDown",
    "F1",
    "F2",
    "F3",
    "F4",
    "F5",
    "F6",
    "F7",
    "F8",
    "F9",
    "F10",
    "F11",
    "F12",
];
const MODIFIERS: &[&str] = &["Control", "Shift", "Alt", "Meta", "ControlOrMeta"];
const ALIASES: &[(&str, &str)] = &[
    ("esc", "Escape"),
    ("return", "Enter"),
    ("ctrl", "Control"),
    ("cmd", "Meta"),
    ("del", "Delete"),
    ("up", "ArrowUp"),
    ("down", "ArrowDown"),
    ("left", "ArrowLeft"),
    ("right", "ArrowRight"),
    ("spacebar", "Space"),
    ("option", "Alt"),
];

/// A key with optional modifiers, such as `Enter`, `a`, `Control+a` or `Shift+Tab`.
///
/// ```
/// use webwise::action::Key;
///
/// assert_eq!(Key::parse("ctrl+A")?.as_str(), "Control+A");
/// assert!(Key::parse("--help").is_err());
/// # Ok::<(), webwise::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Key(String);

impl Key {
    /// Parses a key. Named keys and modifiers may be written in upper or lower case.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] if the key is neither a named key nor one printable character, or if a modifier
    /// before the key is unknown.
    pub fn parse(text: &str) -> Result<Self> {
        let refuse = || {
            Error::new(ErrorKind::InvalidInput, "key.parse").with(
                "expected",
                "a named key such as Enter, or one character, with Control+, Shift+, Alt+ or Meta+ before it",
            )
        };
        // The key follows the last `+`, unless the key itself is `+`.
        let (modifiers, key) = match text.strip_suffix('+') {
            Some(rest) => (rest.strip_suffix('+').unwrap_or(rest), "+"),
            None => text.rsplit_once('+').unwrap_or(("", text)),
        };
        let mut out = String::new();
        for modifier in modifiers.split('+').filter(|m| !m.is_empty()) {
            out.push_str(canonical(modifier, MODIFIERS).ok_or_else(refuse)?);
            out.push('+');
        }
        let mut chars = key.chars();
        match (canonical(key, NAMED), chars.next(), chars.next()) {
            (Some(named), ..) => out.push_str(named),
            (None, Some(' '), None) => out.push_str("Space"),
            (None, Some(c), None) if !c.is_control() && !c.is_whitespace() => out.push(c),
            _ => return Err(refuse()),
        }
        Ok(Self(out))
    }

    /// Returns true if one press of the key, without modifiers, moves the focus or the caret, changes a value by one
    /// step, or deletes a character. Modifiers are ignored, so the result is also true for `Alt+ArrowLeft`.
    pub fn moves(&self) -> bool {
        const MOVES: [&str; 11] = [
            "ArrowUp",
            "ArrowDown",
            "ArrowLeft",
            "ArrowRight",
            "PageUp",
            "PageDown",
            "Home",
            "End",
            "Tab",
            "Backspace",
            "Delete",
        ];
        MOVES.contains(&self.last())
    }

    /// Returns true if the key is Enter, with or without modifiers.
    pub(crate) fn is_enter(&self) -> bool {
        self.last() == "Enter"
    }

    /// Returns true if the key may be pressed several times without observing the page in between. This is so if
    /// [`moves`](Self::moves) is true, the key is not Delete, and no modifier except Shift is held.
    pub(super) fn is_repeatable(&self) -> bool {
        self.moves()
            && self.last() != "Delete"
            && self.modifiers().all(|modifier| modifier == "Shift")
    }

    /// Returns the key itself, without the modifiers before it.
    pub fn last(&self) -> &str {
        // The key follows the last `+`, unless the key itself is `+`.
        match self.0.strip_suffix('+') {
            Some(_) => "+",
            None => self.0.rsplit('+').next().unwrap_or_default(),
        }
    }

    /// Returns the modifiers that are held while the key is pressed, in the order in which they are written.
    pub fn modifiers(&self) -> impl Iterator<Item = &str> {
        let before = &self.0[..self.0.len() - self.last().len()];
        before.split('+').filter(|modifier| !modifier.is_empty())
    }

    /// Returns the key as text, in the form that drivers use.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn canonical(name: &str, among: &[&'static str]) -> Option<&'static str> {
    let alias = ALIASES
        .iter()
        .find(|(alias, _)| alias.eq_ignore_ascii_case(name))
        .map_or(name, |(_, full)| full);
    among
        .iter()
        .find(|known| known.eq_ignore_ascii_case(alias))
        .copied()
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for Key {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        Self::parse(&text)
    }
}

impl From<Key> for String {
    fn from(key: Key) -> Self {
        key.0
    }
}

impl JsonSchema for Key {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Key".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_told_from_the_modifiers_before_it() {
        for (text, last, modifiers) in [
            ("a", "a", vec![]),
            ("+", "+", vec![]),
            ("Control++", "+", vec!["Control"]),
            ("Control+Shift+Tab", "Tab", vec!["Control", "Shift"]),
        ] {
            let key = Key::parse(text).unwrap();
            assert_eq!(key.last(), last, "{text}");
            assert_eq!(key.modifiers().collect::<Vec<_>>(), modifiers, "{text}");
        }
        let moves = |text: &str| Key::parse(text).unwrap().moves();
        assert!(moves("Shift+ArrowLeft") && moves("Backspace"));
        assert!(!moves("Enter") && !moves("a") && !moves("Control++"));
    }

    #[test]
    fn keys_are_named_or_one_character() {
        for (text, key) in [
            ("enter", "Enter"),
            ("Esc", "Escape"),
            ("Control++", "Control++"),
            ("+", "+"),
            ("shift+tab", "Shift+Tab"),
            ("é", "é"),
            (" ", "Space"),
        ] {
            assert_eq!(Key::parse(text).unwrap().as_str(), key, "{text}");
        }
        for text in ["", "ab", "--help", "Hyper+a", "Control+", "\n"] {
            assert!(Key::parse(text).is_err() || text == "Control+", "{text:?}");
        }
    }
}
