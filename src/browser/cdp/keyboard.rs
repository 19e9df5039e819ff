//! The keyboard: keys as input events of the browser. The keyboard layout is the American one, as in every tool for
//! browser automation.

use serde_json::{Value, json};

use super::{
    driver::{Cdp, Turn},
    error::CdpError,
    sending::By,
};
use crate::action::{ErrorClass, Key};

/// Maximum length of a text that is typed key by key. Of a longer text, only line breaks and tabs are typed as keys,
/// and the rest is inserted. Unit: characters. Source: chosen; a key takes about 2 ms.
const BY_KEYS: usize = 1_000;

const NO_KEY: &str = "the keyboard has no key for this character";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Physical {
    /// The `KeyboardEvent.code`, such as `KeyA`.
    code: &'static str,
    /// The `KeyboardEvent.keyCode`.
    number: u32,
    shift: bool,
}

/// Named keys: name, `code` and `keyCode` (see [`Physical`]), and the text that the key types, which may be empty.
const NAMED: &[(&str, &str, u32, &str)] = &[
    ("Enter", "Enter", 13, "\r"),
    ("Tab", "Tab", 9, ""),
    ("Escape", "Escape", 27, ""),
    ("Backspace", "Backspace", 8, ""),
    ("Delete", "Delete", 46, ""),
    ("Insert", "Insert", 45, ""),
    ("Space", "Space", 32, " "),
    ("ArrowUp", "ArrowUp", 38, ""),
    ("ArrowDown", "ArrowDown", 40, ""),
    ("ArrowLeft", "ArrowLeft", 37, ""),
    ("ArrowRight", "ArrowRight", 39, ""),
    ("Home", "Home", 36, ""),
    ("End", "End", 35, ""),
    ("PageUp", "PageUp", 33, ""),
    ("PageDown", "PageDown", 34, ""),
    ("F1", "F1", 112, ""),
    ("F2", "F2", 113, ""),
    ("F3", "F3", 114, ""),
    ("F4", "F4", 115, ""),
    ("F5", "F5", 116, ""),
    ("F6", "F6", 117, ""),
    ("F7", "F7", 118, ""),
    ("F8", "F8", 119, ""),
    ("F9", "F9", 120, ""),
    ("F10", "F10", 121, ""),
    ("F11", "F11", 122, ""),
    ("F12", "F12", 123, ""),
];

/// Keys of digits and punctuation: `code` and `keyCode` (see [`Physical`]), character without Shift, character with
/// Shift.
const SIGNS: &[(&str, u32, char, char)] = &[
    ("Backquote", 192, '`', '~'),
    ("Minus", 189, '-', '_'),
    ("Equal", 187, '=', '+'),
    ("BracketLeft", 219, '[', '{'),
    ("BracketRight", 221, ']', '}'),
    ("Backslash", 220, '\\', '|'),
    ("Semicolon", 186, ';', ':'),
    ("Quote", 222, '\'', '"'),
    ("Comma", 188, ',', '<'),
    ("Period", 190, '.', '>'),
    ("Slash", 191, '/', '?'),
    ("Digit0", 48, '0', ')'),
    ("Digit1", 49, '1', '!'),
    ("Digit2", 50, '2', '@'),
    ("Digit3", 51, '3', '#'),
    ("Digit4", 52, '4', '$'),
    ("Digit5", 53, '5', '%'),
    ("Digit6", 54, '6', '^'),
    ("Digit7", 55, '7', '&'),
    ("Digit8", 56, '8', '*'),
    ("Digit9", 57, '9', '('),
];

const LETTERS: [&str; 26] = [
    "KeyA", "KeyB", "KeyC", "KeyD", "KeyE", "KeyF", "KeyG", "KeyH", "KeyI", "KeyJ", "KeyK", "KeyL",
    "KeyM", "KeyN", "KeyO", "KeyP", "KeyQ", "KeyR", "KeyS", "KeyT", "KeyU", "KeyV", "KeyW", "KeyX",
    "KeyY", "KeyZ",
];

/// Modifier keys: name, `code` and `keyCode` (see [`Physical`]), and bit in a set of modifiers.
const MODIFIERS: &[(&str, &str, u32, u32)] = &[
    ("Alt", "AltLeft", 18, 1),
    ("Control", "ControlLeft", 17, 2),
    ("Meta", "MetaLeft", 91, 4),
    ("Shift", "ShiftLeft", 16, 8),
];
const SHIFT: u32 = 8;

fn physical(sign: char) -> Option<Physical> {
    if sign.is_ascii_alphabetic() {
        let upper = sign.to_ascii_uppercase();
        let place = usize::try_from(u32::from(upper) - u32::from('A')).ok()?;
        return Some(Physical {
            code: LETTERS[place],
            number: u32::from(upper),
            shift: sign == upper,
        });
    }
    SIGNS
        .iter()
        .find(|(.., alone, shifted)| [*alone, *shifted].contains(&sign))
        .map(|(code, number, alone, _)| Physical {
            code,
            number: *number,
            shift: *alone != sign,
        })
}

/// Returns the events that press and release a key with its modifiers; `None` if no key types the character.
fn strokes(key: &Key) -> Option<Vec<Value>> {
    // The last `+` separates the key from its modifiers, unless the key itself is `+`.
    let text = key.as_str();
    let (held, name) = match text.strip_suffix('+') {
        Some(rest) => (rest.strip_suffix('+').unwrap_or(rest), "+"),
        None => text.rsplit_once('+').unwrap_or(("", text)),
    };
    let control = if cfg!(target_os = "macos") {
        "Meta"
    } else {
        "Control"
    };
    let held: Vec<_> = held
        .split('+')
        .map(|name| {
            if name == "ControlOrMeta" {
                control
            } else {
                name
            }
        })
        .filter_map(|name| MODIFIERS.iter().find(|(known, ..)| *known == name))
        .collect();
    let mut mask = 0;
    let mut events = Vec::new();
    for (name, code, number, bit) in &held {
        mask |= bit;
        events.push(event("rawKeyDown", name, code, *number, "", mask));
    }
    events.extend(stroke(name, mask)?);
    for (name, code, number, bit) in held.iter().rev() {
        mask &= !bit;
        events.push(event("keyUp", name, code, *number, "", mask));
    }
    Some(events)
}

/// Returns the events that press and release one key, given by its name or character; `None` if there is no such key.
/// `mask` is the set of held modifiers.
fn stroke(name: &str, mask: u32) -> Option<[Value; 2]> {
    let named = NAMED.iter().find(|(known, ..)| *known == name);
    let (key, code, number, text) = if let Some((name, code, number, text)) = named {
        (
            if *name == "Space" { " " } else { name },
            *code,
            *number,
            (*text).to_owned(),
        )
    } else {
        let sign = name.chars().next()?;
        let key = physical(sign)?;
        (name, key.code, key.number, sign.to_string())
    };
    // With Control, Alt or Meta held, a key is a command and types nothing.
    let text = if mask & !SHIFT == 0 {
        text
    } else {
        String::new()
    };
    let kind = if text.is_empty() {
        "rawKeyDown"
    } else {
        "keyDown"
    };
    Some([
        event(kind, key, code, number, &text, mask),
        event("keyUp", key, code, number, "", mask),
    ])
}

fn event(kind: &str, key: &str, code: &str, number: u32, text: &str, mask: u32) -> Value {
    let mut event = json!({
        "type": kind,
        "key": key,
        "code": code,
        "windowsVirtualKeyCode": number,
        "modifiers": mask,
    });
    if !text.is_empty() {
        event["text"] = json!(text);
        event["unmodifiedText"] = json!(text);
    }
    event
}

#[derive(Debug, PartialEq)]
enum Typed {
    Keys(Vec<Value>),
    /// Text that is inserted without key events.
    Text(String),
}

/// Splits a text into pieces that are typed with keys and pieces that are inserted (see [`BY_KEYS`]).
fn typed(text: &str) -> Vec<Typed> {
    let mut out = Vec::new();
    let by_keys = text.chars().count() <= BY_KEYS;
    for sign in text
        .chars()
        .filter(|sign| *sign != '\r' || !text.contains("\r\n"))
    {
        let keys = match sign {
            '\n' | '\r' => stroke("Enter", 0),
            '\t' => stroke("Tab", 0),
            ' ' if by_keys => stroke("Space", 0),
            sign if by_keys => physical(sign).and_then(|key| {
                stroke(
                    sign.encode_utf8(&mut [0; 4]),
                    if key.shift { SHIFT } else { 0 },
                )
            }),
            _ => None,
        };
        match (keys, out.last_mut()) {
            (Some(keys), Some(Typed::Keys(before))) => before.extend(keys),
            (Some(keys), _) => out.push(Typed::Keys(keys.into())),
            (None, Some(Typed::Text(before))) => before.push(sign),
            (None, _) => out.push(Typed::Text(sign.into())),
        }
    }
    out
}

impl Cdp {
    /// Presses a key. If the character is on no key of the keyboard, inserts it as text. Fails if such a character would be
    /// part of a command.
    pub(super) async fn press_key(&self, turn: &mut Turn, key: &Key) -> Result<(), CdpError> {
        match key.last() {
            "Enter" => self.may_send(By::Enter).await?,
            "Space" | " " => self.may_send(By::Space).await?,
            _ => {}
        }
        match strokes(key) {
            Some(events) => self.dispatch(turn, "Input.dispatchKeyEvent", events).await,
            None if key.modifiers().all(|held| held == "Shift") => {
                self.insert(turn, key.last()).await
            }
            None => Err(CdpError::refused(ErrorClass::BadArguments, NO_KEY)),
        }
    }

    /// Types a text into the focused element.
    pub(super) async fn type_keys(&self, turn: &mut Turn, text: &str) -> Result<(), CdpError> {
        if text.contains(['\n', '\r']) {
            self.may_send(By::Enter).await?;
        }
        let mut parts = typed(text).into_iter().peekable();
        while let Some(part) = parts.next() {
            let done = match part {
                Typed::Keys(events) => self.dispatch(turn, "Input.dispatchKeyEvent", events).await,
                Typed::Text(text) => self.insert(turn, &text).await,
            };
            turn.sent &= parts.peek().is_none();
            done?;
        }
        Ok(())
    }

    async fn insert(&self, turn: &mut Turn, text: &str) -> Result<(), CdpError> {
        self.dispatch(turn, "Input.insertText", vec![json!({ "text": text })])
            .await
    }

    /// Presses Enter. Fails if Enter would send a typed secret to an address that may not receive it.
    pub(super) async fn press_enter(&self, turn: &mut Turn) -> Result<(), CdpError> {
        self.may_send(By::Enter).await?;
        let events = stroke("Enter", 0).into_iter().flatten().collect();
        self.dispatch(turn, "Input.dispatchKeyEvent", events).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(key: &str) -> Vec<(String, String, String)> {
        let field = |event: &Value, name: &str| event[name].as_str().unwrap_or_default().to_owned();
        let events = strokes(&Key::parse(key).unwrap()).unwrap();
        events
            .iter()
            .map(|e| (field(e, "type"), field(e, "code"), field(e, "text")))
            .collect()
    }

    fn told(list: &[(&str, &str, &str)]) -> Vec<(String, String, String)> {
        list.iter()
            .map(|(a, b, c)| ((*a).to_owned(), (*b).to_owned(), (*c).to_owned()))
            .collect()
    }

    #[test]
    fn a_key_goes_down_and_up_and_types_its_text() {
        assert_eq!(
            events("Enter"),
            told(&[("keyDown", "Enter", "\r"), ("keyUp", "Enter", "")])
        );
        assert_eq!(
            events("-"),
            told(&[("keyDown", "Minus", "-"), ("keyUp", "Minus", "")])
        );
        assert_eq!(
            events("Escape"),
            told(&[("rawKeyDown", "Escape", ""), ("keyUp", "Escape", "")])
        );
    }

    #[test]
    fn modifiers_are_held_around_their_key_and_make_it_a_command() {
        let expected = [
            ("rawKeyDown", "ControlLeft", ""),
            ("rawKeyDown", "KeyA", ""),
            ("keyUp", "KeyA", ""),
            ("keyUp", "ControlLeft", ""),
        ];
        assert_eq!(events("Control+a"), told(&expected));
        assert_eq!(events("Control++")[1].1, "Equal");
        assert_eq!(
            events("Shift+A")[1],
            ("keyDown".into(), "KeyA".into(), "A".into())
        );
        let held = strokes(&Key::parse("Control+Shift+Tab").unwrap()).unwrap();
        assert_eq!(
            held.iter()
                .map(|e| e["modifiers"].as_u64().unwrap())
                .collect::<Vec<_>>(),
            [2, 10, 10, 10, 2, 0]
        );
    }

    #[test]
    fn every_key_that_may_be_pressed_is_known_or_is_a_sign() {
        for (name, ..) in NAMED {
            assert!(strokes(&Key::parse(name).unwrap()).is_some(), "{name}");
        }
        for sign in ('!'..='~').filter(|sign| *sign != '+') {
            assert!(
                strokes(&Key::parse(&sign.to_string()).unwrap()).is_some(),
                "{sign}"
            );
        }
        assert!(strokes(&Key::parse("é").unwrap()).is_none());
    }

    #[test]
    fn a_text_is_typed_by_keys_and_what_no_key_has_is_put_in() {
        let parts = typed("aß東B\n");
        assert_eq!(parts.len(), 3);
        assert_eq!(parts[1], Typed::Text("ß東".into()));
        let Typed::Keys(last) = &parts[2] else {
            panic!("keys")
        };
        assert_eq!(
            (last.len(), &last[0]["modifiers"], &last[2]["key"]),
            (4, &json!(SHIFT), &json!("Enter"))
        );
        let long = typed(&"x".repeat(BY_KEYS + 1));
        assert_eq!(long, [Typed::Text("x".repeat(BY_KEYS + 1))]);
        assert_eq!(typed("a\r\nb"), typed("a\nb"));
    }
}
