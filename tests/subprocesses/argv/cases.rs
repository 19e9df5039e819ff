//! Every action that carries free text, with what must reach the tool for it.

use std::path::PathBuf;

use serde_json::Value;
use webwise::{
    action::{
        BrowserAction, Click, DialogAccept, Drag, Eval, Fill, Goto, Key, OnTarget, Press, RunCode,
        Screenshot, Select, StateFile, TabNew, Target, TextValue, Type, Upload, Wait,
    },
    page::{ElementRef, Locator, LocatorStep, Role},
};

use super::values::Dice;

/// Maximum number of bytes that go as one argument; what is longer goes in a script.
const MAX_ARGUMENT: usize = 100_000;
/// One value in so many is longer than the system takes for one argument.
const LONG: usize = 200;
/// Kinds of cases.
pub(crate) const KINDS: usize = 24;

/// An action and what must be sent for it.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) action: BrowserAction,
    pub(crate) command: &'static str,
    /// Options beside the session, without values; a file that the driver names itself has none here.
    pub(crate) options: Vec<&'static str>,
    pub(crate) words: Vec<Word>,
    pub(crate) script: Option<Script>,
}

/// One word of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Word {
    /// These bytes.
    Exactly(String),
    /// A JavaScript string with this text between these bytes.
    Quoted(&'static str, String, &'static str),
}

/// What a script must be.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Script {
    /// These bytes.
    Exactly(String),
    /// What follows these bytes is this JSON.
    Literal(&'static str, Value),
    /// One of the driver's own that holds these words, and nothing from outside.
    Own(&'static str),
}

impl Word {
    pub(crate) fn is(&self, bytes: &[u8]) -> bool {
        match self {
            Self::Exactly(text) => text.as_bytes() == bytes,
            Self::Quoted(before, text, after) => {
                let inside = bytes
                    .strip_prefix(before.as_bytes())
                    .and_then(|b| b.strip_suffix(after.as_bytes()));
                inside
                    .and_then(unquoted)
                    .is_some_and(|found| found == text.as_bytes())
            }
        }
    }
}

/// The bytes that a JavaScript string in single quotes stands for, if it is one string and nothing else.
fn unquoted(literal: &[u8]) -> Option<Vec<u8>> {
    let inside = literal.strip_prefix(b"'")?.strip_suffix(b"'")?;
    let (mut out, mut bytes) = (Vec::new(), inside.iter());
    while let Some(byte) = bytes.next() {
        match byte {
            b'\'' | b'\n' => return None,
            b'\\' => match bytes.next()? {
                b'n' => out.push(b'\n'),
                escaped @ (b'\\' | b'\'') => out.push(*escaped),
                _ => return None,
            },
            other => out.push(*other),
        }
    }
    Some(out)
}

impl Script {
    pub(crate) fn is(&self, script: &[u8]) -> bool {
        match self {
            Self::Exactly(text) => text.as_bytes() == script,
            Self::Own(words) => String::from_utf8_lossy(script).contains(words),
            Self::Literal(before, wanted) => {
                let Ok(script) = std::str::from_utf8(script) else {
                    return false;
                };
                let Some((_, rest)) = script.split_once(before) else {
                    return false;
                };
                let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
                values
                    .next()
                    .is_some_and(|found| found.is_ok_and(|found| found == *wanted))
            }
        }
    }
}

/// Names and files that the browser may upload: hostile ones.
pub(crate) fn uploads() -> Vec<(String, PathBuf)> {
    let mut dice = Dice::new(7);
    let path = |value: &str| PathBuf::from(format!("/up/{}", value.replace('/', "_")));
    (0..60)
        .map(|_| dice.value())
        .map(|value| (value.clone(), path(&value)))
        .collect()
}

fn reference() -> Target {
    Target::Ref(ElementRef::parse("f1e2").expect("a reference"))
}

/// A literal, whatever it looks like: a placeholder would not be sent as it stands.
fn literal(text: &str) -> TextValue {
    TextValue::Literal(text.to_owned())
}

fn exactly(text: impl Into<String>) -> Word {
    Word::Exactly(text.into())
}

/// A locator of a hostile text, and the word that it must become.
fn located(dice: &mut Dice) -> (Target, Word) {
    let text = dice.short_value();
    let role = |exact| LocatorStep::Role {
        role: Role::Button,
        name: Some(text.clone()),
        exact,
    };
    let list = LocatorStep::Role {
        role: Role::ListItem,
        name: None,
        exact: false,
    };
    let css: String = text
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || "#.-_[]=\"'() *~^$|,+".contains(*c))
        .collect();
    let css = format!("a{css}");
    let (steps, before, after, text) = match dice.below(10) {
        0 => (
            vec![role(false)],
            "getByRole('button', { name: ",
            " })",
            text.clone(),
        ),
        1 => (
            vec![role(true)],
            "getByRole('button', { name: ",
            ", exact: true })",
            text.clone(),
        ),
        2 => (
            vec![LocatorStep::Label(text.clone())],
            "getByLabel(",
            ")",
            text.clone(),
        ),
        3 => (
            vec![LocatorStep::Placeholder(text.clone())],
            "getByPlaceholder(",
            ")",
            text.clone(),
        ),
        4 => (
            vec![LocatorStep::Alt(text.clone())],
            "getByAltText(",
            ")",
            text.clone(),
        ),
        5 => (
            vec![LocatorStep::Title(text.clone())],
            "getByTitle(",
            ")",
            text.clone(),
        ),
        6 => (
            vec![LocatorStep::TestId(text.clone())],
            "getByTestId(",
            ")",
            text.clone(),
        ),
        7 => {
            let steps = vec![
                list,
                LocatorStep::HasText(text.clone()),
                LocatorStep::Nth(-1),
            ];
            (
                steps,
                "getByRole('listitem').filter({ hasText: ",
                " }).nth(-1)",
                text.clone(),
            )
        }
        8 => (
            vec![LocatorStep::Css(css.clone())],
            "locator(",
            ")",
            format!("css={css}"),
        ),
        _ => (
            vec![LocatorStep::Text(text.clone())],
            "getByText(",
            ")",
            text.clone(),
        ),
    };
    let locator =
        Locator::new(steps).unwrap_or_else(|error| panic!("{text:?} is in the grammar: {error:?}"));
    (Target::Locator(locator), Word::Quoted(before, text, after))
}

/// An address with a hostile part, and how the URL standard writes it.
fn address(dice: &mut Dice) -> (String, String) {
    let form = *dice.pick(&[
        "http://x.test/",
        "https://x.test/?q=",
        "http://x.test/#",
        "HTTP:\\\\x.test\\",
    ]);
    let address = format!("{form}{}", dice.value());
    let url = url::Url::parse(&address)
        .unwrap_or_else(|error| panic!("{address:?} is an address: {error}"));
    (address, url.into())
}

/// The case of a kind, made of new values.
pub(crate) fn case(kind: usize, dice: &mut Dice) -> Case {
    let long = dice.below(LONG) == 0;
    let value = if long {
        dice.long_value()
    } else {
        dice.value()
    };
    let plain = |action, command, words| Case {
        action,
        command,
        options: Vec::new(),
        words,
        script: None,
    };
    let scripted = |action, script| Case {
        action,
        command: "run-code",
        options: vec!["filename"],
        words: Vec::new(),
        script: Some(script),
    };
    let submit = dice.below(2) == 0;
    let with_submit = |case: Case| Case {
        options: if submit { vec!["submit"] } else { Vec::new() },
        ..case
    };
    match kind % KINDS {
        0..=4 => {
            let (target, word) = if kind.is_multiple_of(2) {
                (reference(), exactly("f1e2"))
            } else {
                located(dice)
            };
            let action = BrowserAction::Fill(Fill {
                target,
                text: literal(&value),
                submit,
            });
            if value.len() > MAX_ARGUMENT {
                return scripted(action, Script::Literal(".fill(", value.into()));
            }
            with_submit(plain(action, "fill", vec![word, exactly(value)]))
        }
        5..=8 => {
            let action = BrowserAction::Type(Type {
                text: literal(&value),
                submit,
            });
            if value.len() > MAX_ARGUMENT || value.contains(['\n', '\r']) {
                return scripted(action, Script::Literal("page.keyboard.type(", value.into()));
            }
            with_submit(plain(action, "type", vec![exactly(value)]))
        }
        9 | 10 => {
            let action = BrowserAction::Select(Select {
                target: reference(),
                values: vec![literal(&value)],
            });
            if value.len() > MAX_ARGUMENT {
                return scripted(
                    action,
                    Script::Literal(".selectOption(", vec![value].into()),
                );
            }
            plain(action, "select", vec![exactly("f1e2"), exactly(value)])
        }
        11 => {
            let values = vec![value, dice.value(), dice.value()];
            let texts = values.iter().map(|value| literal(value)).collect();
            let action = BrowserAction::Select(Select {
                target: reference(),
                values: texts,
            });
            scripted(action, Script::Literal(".selectOption(", values.into()))
        }
        12 => {
            let text = dice.value();
            let action = BrowserAction::DialogAccept(DialogAccept {
                text: Some(literal(&text)),
            });
            plain(action, "dialog-accept", vec![exactly(text)])
        }
        13 | 14 => {
            let (url, written) = address(dice);
            plain(
                BrowserAction::Goto(Goto { url }),
                "goto",
                vec![exactly(written)],
            )
        }
        15 => {
            let (url, written) = address(dice);
            plain(
                BrowserAction::TabNew(TabNew { url: Some(url) }),
                "tab-new",
                vec![exactly(written)],
            )
        }
        16 => {
            let known = uploads();
            let (name, _) = dice.pick(&known);
            // The last file of a name counts.
            let (_, file) = known
                .iter()
                .rfind(|(other, _)| other == name)
                .expect("it was picked from there");
            let file = std::path::absolute(file)
                .expect("an absolute path")
                .display()
                .to_string();
            let action = BrowserAction::Upload(Upload {
                files: vec![name.clone(), name.clone()],
            });
            plain(action, "upload", vec![exactly(file.clone()), exactly(file)])
        }
        17 => {
            let (target, word) = located(dice);
            plain(
                BrowserAction::Click(Click {
                    target,
                    button: None,
                }),
                "click",
                vec![word],
            )
        }
        18 => {
            let (target, word) = located(dice);
            plain(
                BrowserAction::Hover(OnTarget { target }),
                "hover",
                vec![word],
            )
        }
        19 => {
            let ((from, first), (to, second)) = (located(dice), located(dice));
            plain(
                BrowserAction::Drag(Drag { from, to }),
                "drag",
                vec![first, second],
            )
        }
        20 => {
            let (target, word) = located(dice);
            let case = plain(
                BrowserAction::Screenshot(Screenshot {
                    target: Some(target),
                }),
                "screenshot",
                vec![word],
            );
            Case {
                options: vec!["filename"],
                ..case
            }
        }
        21 => {
            let (function, (target, word)) = (dice.value(), located(dice));
            let action = BrowserAction::Eval(Eval {
                function: function.clone(),
                target: Some(target),
            });
            plain(action, "eval", vec![exactly(function), word])
        }
        22 => scripted(
            BrowserAction::RunCode(RunCode {
                code: value.clone(),
            }),
            Script::Exactly(value),
        ),
        _ => small(dice),
    }
}

/// What takes only texts of a small alphabet, or sends none.
fn small(dice: &mut Dice) -> Case {
    let plain = |action, command, words| Case {
        action,
        command,
        options: Vec::new(),
        words,
        script: None,
    };
    match dice.below(3) {
        0 => {
            let key = loop {
                let text = dice.short_value();
                let text = text.chars().next().map(String::from).unwrap_or_default();
                if let Ok(key) = Key::parse(&text) {
                    break key;
                }
            };
            let word = exactly(key.as_str());
            plain(
                BrowserAction::Press(Press {
                    key,
                    target: None,
                    times: None,
                }),
                "press",
                vec![word],
            )
        }
        1 => {
            // It is looked for in what the page shows, which nobody but the driver is told.
            let text = format!("{}x", dice.value());
            plain(
                BrowserAction::Wait(Wait {
                    text: None,
                    gone: Some(text),
                    seconds: None,
                }),
                "snapshot",
                Vec::new(),
            )
        }
        _ => {
            let name =
                (*dice.pick(&["_", "_-help", "help", "1", "a--b", "open", "a-b_C"])).to_owned();
            let case = plain(
                BrowserAction::StateSave(StateFile { name: name.clone() }),
                "state-save",
                Vec::new(),
            );
            Case {
                words: vec![exactly(format!("<out>/state-{name}.json"))],
                ..case
            }
        }
    }
}
