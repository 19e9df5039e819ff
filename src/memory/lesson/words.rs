//! The closed vocabularies of lessons: how something goes wrong, what is done about it, and on what kind of thing.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{
    action::{Action, BrowserAction, BrowserTool, ErrorClass, Outcome},
    base::{Error, ErrorKind},
    page::Role,
};

/// How a command goes wrong. Written as `any`, `no_effect`, or the name of the error class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Trouble {
    /// In any way, or not at all: advice for every time.
    Any,
    /// It is carried out and nothing changes.
    NoEffect,
    /// It fails in this way.
    Failed(ErrorClass),
}

impl Trouble {
    /// The trouble of an outcome; `None` for one that is done, or may be.
    pub const fn of(outcome: &Outcome) -> Option<Self> {
        match outcome {
            Outcome::Done | Outcome::Unclear(_) => None,
            Outcome::NoEffect => Some(Self::NoEffect),
            Outcome::Failed(failure) => Some(Self::Failed(failure.class)),
        }
    }

    /// As events and files write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::NoEffect => "no_effect",
            Self::Failed(class) => class.as_str(),
        }
    }

    /// Whether a way out of it can be learned: the page was the cause, and not a rule of ours, a wrong argument, or a
    /// reference that was never there.
    pub const fn teaches(self) -> bool {
        match self {
            Self::Any => false,
            Self::NoEffect => true,
            Self::Failed(class) => matches!(
                class,
                ErrorClass::Intercepted
                    | ErrorClass::NotVisible
                    | ErrorClass::Disabled
                    | ErrorClass::NotEditable
                    | ErrorClass::WrongElement
                    | ErrorClass::NoSuchOption
                    | ErrorClass::BadValue
                    | ErrorClass::Detached
                    | ErrorClass::NotStable
                    | ErrorClass::Timeout
                    | ErrorClass::DialogOpen
            ),
        }
    }

    /// `click fails because …`.
    pub(super) fn sentence(self, command: &str) -> String {
        format!("{command}{}", self.ending())
    }

    /// ` fails because …`: what follows the command.
    pub(super) fn ending(self) -> String {
        match self {
            Self::Any => " fails".to_owned(),
            Self::NoEffect => " has no effect".to_owned(),
            Self::Failed(class) => format!(" fails because {}", class.sentence()),
        }
    }
}

impl TryFrom<String> for Trouble {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        let class = || {
            ErrorClass::ALL
                .iter()
                .copied()
                .find(|class| class.as_str() == text)
                .map(Self::Failed)
        };
        match text.as_str() {
            "any" => Ok(Self::Any),
            "no_effect" => Ok(Self::NoEffect),
            _ => class().ok_or_else(|| {
                Error::new(ErrorKind::InvalidInput, "trouble.parse").with("text", &text)
            }),
        }
    }
}

impl From<Trouble> for String {
    fn from(trouble: Trouble) -> Self {
        trouble.as_str().to_owned()
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

macro_rules! vocabulary {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[non_exhaustive]
        pub enum $name {
            $(#[doc = concat!("`", $text, "`")] #[serde(rename = $text)] $variant,)*
        }

        impl $name {
            /// The word.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// The value of a word.
            pub fn parse(word: &str) -> Option<Self> {
                match word { $($text => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

vocabulary! {
    /// A kind of thing on a page, coarser than a role, in words that a sentence can use.
    Thing {
        Button = "button", Link = "link", Field = "field", List = "list", Checkbox = "checkbox", Choice = "choice",
        Tab = "tab", MenuItem = "menu item", Dialog = "dialog", Picture = "picture", Cell = "cell", Element = "element",
    }
}

impl Thing {
    /// What kind of thing has this role.
    pub const fn of(role: &Role) -> Self {
        match role {
            Role::Button | Role::Switch => Self::Button,
            Role::Link => Self::Link,
            Role::TextBox | Role::SearchBox | Role::SpinButton => Self::Field,
            Role::Combobox | Role::ListBox => Self::List,
            Role::Checkbox | Role::MenuItemCheckbox => Self::Checkbox,
            Role::Radio | Role::Option | Role::MenuItemRadio | Role::TreeItem | Role::ListItem => {
                Self::Choice
            }
            Role::Tab => Self::Tab,
            Role::MenuItem => Self::MenuItem,
            Role::Dialog | Role::AlertDialog => Self::Dialog,
            Role::Img => Self::Picture,
            Role::Cell | Role::GridCell => Self::Cell,
            _ => Self::Element,
        }
    }
}

vocabulary! {
    /// A key that means something by itself; a letter would be a way to spell.
    NamedKey {
        Enter = "Enter", Escape = "Escape", Tab = "Tab", Space = "Space", Backspace = "Backspace", Delete = "Delete",
        ArrowUp = "ArrowUp", ArrowDown = "ArrowDown", ArrowLeft = "ArrowLeft", ArrowRight = "ArrowRight", Home = "Home",
        End = "End", PageUp = "PageUp", PageDown = "PageDown",
    }
}

vocabulary! {
    /// A form that fields ask of a value. Source: the HTML standard's formats of dates, times, numbers and colours.
    Form {
        Date = "date", Time = "time", DateTime = "date_time", Month = "month", Week = "week", Number = "number",
        Color = "color",
    }
}

impl Form {
    /// The form of a text, if it is one of these.
    pub fn of(text: &str) -> Option<Self> {
        // Digits become `9`, so that a shape can be compared.
        let shape: String = text
            .chars()
            .map(|c| if c.is_ascii_digit() { '9' } else { c })
            .collect();
        let is_color = |text: &str| {
            text.strip_prefix('#')
                .is_some_and(|hex| hex.len() == 6 && hex.bytes().all(|b| b.is_ascii_hexdigit()))
        };
        match shape.as_str() {
            "9999-99-99" => Some(Self::Date),
            "99:99" | "99:99:99" => Some(Self::Time),
            "9999-99-99T99:99" | "9999-99-99T99:99:99" => Some(Self::DateTime),
            "9999-99" => Some(Self::Month),
            "9999-W99" => Some(Self::Week),
            _ if is_color(text) => Some(Self::Color),
            _ if !text.is_empty() && text.parse::<f64>().is_ok_and(f64::is_finite) => {
                Some(Self::Number)
            }
            _ => None,
        }
    }

    pub(super) const fn sentence(self) -> &'static str {
        match self {
            Self::Date => "the date as YYYY-MM-DD",
            Self::Time => "the time as HH:MM with 24 hours",
            Self::DateTime => "date and time as YYYY-MM-DDTHH:MM",
            Self::Month => "the month as YYYY-MM",
            Self::Week => "the week as YYYY-Www",
            Self::Number => "a plain number with a point",
            Self::Color => "the colour as #rrggbb",
        }
    }
}

/// Something that is done about a failure, as a closed kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Move {
    /// The tool.
    pub tool: BrowserTool,
    /// On what kind of thing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<Thing>,
    /// Which key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<NamedKey>,
}

impl Move {
    /// Pressing a key.
    pub const fn press(key: NamedKey) -> Self {
        Self {
            tool: BrowserTool::Press,
            on: None,
            key: Some(key),
        }
    }

    /// What an action is as a move; `None` for what no recovery is made of: looking, waiting, going elsewhere, letters.
    pub fn of(action: &Action, target: Option<&Role>) -> Option<Self> {
        let Action::Browser(action) = action else {
            return None;
        };
        let tool = action.tool();
        let on = target.map(Thing::of);
        match action {
            BrowserAction::Press(press) => NamedKey::parse(press.key.as_str()).map(Self::press),
            BrowserAction::Click(_)
            | BrowserAction::Dblclick(_)
            | BrowserAction::Hover(_)
            | BrowserAction::Fill(_)
            | BrowserAction::Type(_)
            | BrowserAction::Select(_)
            | BrowserAction::Check(_)
            | BrowserAction::Uncheck(_)
            | BrowserAction::Drag(_) => Some(Self {
                tool,
                on,
                key: None,
            }),
            BrowserAction::Reload(_)
            | BrowserAction::DialogAccept(_)
            | BrowserAction::DialogDismiss(_) => Some(Self {
                tool,
                on: None,
                key: None,
            }),
            _ => None,
        }
    }

    /// `press Enter`, `click the button it belongs to`.
    pub(super) fn before(self) -> String {
        self.sentence(&format!(
            "the {} it belongs to",
            self.on.map_or("element", Thing::as_str)
        ))
    }

    /// The sentence, said of what this names.
    pub(super) fn sentence(self, what: &str) -> String {
        match self.verb() {
            (verb, true) => format!("{verb} {what}"),
            (verb, false) => verb,
        }
    }

    /// What is done, and whether the target follows.
    pub(super) fn verb(self) -> (String, bool) {
        let (verb, takes_target) = match self.tool {
            BrowserTool::Press => {
                let key = self.key.map_or("the key", NamedKey::as_str);
                return (format!("press {key}"), false);
            }
            BrowserTool::Dblclick => ("double-click", true),
            BrowserTool::Hover => ("hover over", true),
            BrowserTool::Select => ("choose in", true),
            BrowserTool::Check => ("tick", true),
            BrowserTool::Uncheck => ("untick", true),
            BrowserTool::Type => ("type the text", false),
            BrowserTool::Reload => ("reload the page", false),
            BrowserTool::DialogAccept => ("accept the dialog", false),
            BrowserTool::DialogDismiss => ("dismiss the dialog", false),
            other => (other.as_str(), true),
        };
        (verb.to_owned(), takes_target)
    }
}
