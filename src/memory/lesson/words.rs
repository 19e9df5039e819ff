//! The fixed sets of words from which lessons are built: moves (actions of a recovery), kinds of elements and forms of
//! values. This module also determines which kinds of failure can teach a lesson.

use serde::{Deserialize, Serialize};

use crate::{
    action::{Action, BrowserAction, BrowserTool, ErrorClass, FailureKind},
    page::Role,
};

/// Methods of [`FailureKind`] that only lessons need.
impl FailureKind {
    /// Returns true if lessons can learn a recovery from this kind of failure: the page caused it, not a rule of this crate,
    /// a wrong argument, or a reference that never existed.
    pub(super) const fn teaches(self) -> bool {
        match self {
            Self::Any => false,
            Self::NoEffect => true,
            Self::Failed(class) => matches!(
                class,
                ErrorClass::Intercepted
                    | ErrorClass::NotFound
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

    /// Returns the first half of a sentence about a failure of `command`, such as `click fails because …`.
    pub(super) fn sentence(self, command: &str) -> String {
        format!("{command}{}", self.ending())
    }

    /// Returns the text that [`sentence`](Self::sentence) puts after the command, such as ` fails because …`.
    pub(super) fn ending(self) -> String {
        match self {
            Self::Any => " fails".to_owned(),
            Self::NoEffect => " has no effect".to_owned(),
            Self::Failed(class) => format!(" fails because {}", class.sentence()),
        }
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
            /// Returns the word for this value.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// Returns the value for this word; `None` if there is none.
            pub fn parse(word: &str) -> Option<Self> {
                match word { $($text => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

vocabulary! {
    /// A kind of element, such as a button. A kind can cover several roles.
    Thing {
        Button = "button", Link = "link", Field = "field", List = "list", Checkbox = "checkbox", Choice = "choice",
        Tab = "tab", MenuItem = "menu item", Dialog = "dialog", Picture = "picture", Cell = "cell", Element = "element",
    }
}

impl Thing {
    /// Returns the kind of element to which a role belongs.
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
    /// A key that has a function, such as Enter. Letter keys are excluded, because they could spell out a text.
    NamedKey {
        Enter = "Enter", Escape = "Escape", Tab = "Tab", Space = "Space", Backspace = "Backspace", Delete = "Delete",
        ArrowUp = "ArrowUp", ArrowDown = "ArrowDown", ArrowLeft = "ArrowLeft", ArrowRight = "ArrowRight", Home = "Home",
        End = "End", PageUp = "PageUp", PageDown = "PageDown",
    }
}

vocabulary! {
    /// A form in which a field expects its value, such as a date format. Source: the HTML standard, which defines formats
    /// for dates, times, numbers and colours.
    Form {
        Date = "date", Time = "time", DateTime = "date_time", Month = "month", Week = "week", Number = "number",
        Color = "color",
    }
}

impl Form {
    /// Returns the form of a text; `None` if the text has none of these forms.
    pub fn of(text: &str) -> Option<Self> {
        // Replace digits by `9` so that the shape can be compared.
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

/// One action of a recovery. Its parts come from fixed sets, so it contains no text of a page or of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Move {
    /// The tool that the move uses.
    pub tool: BrowserTool,
    /// The kind of element on which the move acts; `None` if the move has no target, for example if it only presses a key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<Thing>,
    /// The key to press; `None` if the tool does not press a key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<NamedKey>,
}

impl Move {
    /// Creates the move that presses a key.
    pub const fn press(key: NamedKey) -> Self {
        Self {
            tool: BrowserTool::Press,
            on: None,
            key: Some(key),
        }
    }

    /// Returns the action as a move; `None` for actions that are never part of a recovery, such as looking at the page,
    /// waiting, opening an address and pressing a letter key.
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

    /// Returns the move as words that name no particular element, such as `press Enter` or `click the button it belongs to`.
    pub(super) fn before(self) -> String {
        self.sentence(&format!(
            "the {} it belongs to",
            self.on.map_or("element", Thing::as_str)
        ))
    }

    pub(super) fn sentence(self, what: &str) -> String {
        match self.verb() {
            (verb, true) => format!("{verb} {what}"),
            (verb, false) => verb,
        }
    }

    /// Returns the verb of the move, and true if the verb needs an object.
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
