//! Roles of elements. The set of roles is fixed.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! roles {
    ($($variant:ident = $text:literal,)*) => {
        /// The role of an element: a role of WAI-ARIA 1.2, `mark`, `iframe`, or `text` for text without a role.
        ///
        /// A name outside this set is kept as [`Role::Other`], so that nothing of a page is lost. Such a name never reaches
        /// memory.
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(from = "String", into = "String")]
        #[non_exhaustive]
        pub enum Role {
            $(#[doc = concat!("`", $text, "`")] $variant,)*
            /// A role that is not in the set. The page wrote this text, so it is untrusted.
            Other(Box<str>),
        }

        impl Role {
            /// Returns the role with this lower-case name; [`Role::Other`] for a name outside the set.
            pub fn parse(name: &str) -> Self {
                match name {
                    $($text => Self::$variant,)*
                    other => Self::Other(other.into()),
                }
            }

            /// Returns the name of the role.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $text,)*
                    Self::Other(name) => name,
                }
            }
        }
    };
}

roles! {
    Alert = "alert",
    AlertDialog = "alertdialog",
    Application = "application",
    Article = "article",
    Banner = "banner",
    Blockquote = "blockquote",
    Button = "button",
    Caption = "caption",
    Cell = "cell",
    Checkbox = "checkbox",
    Code = "code",
    ColumnHeader = "columnheader",
    Combobox = "combobox",
    Complementary = "complementary",
    ContentInfo = "contentinfo",
    Definition = "definition",
    Deletion = "deletion",
    Dialog = "dialog",
    Directory = "directory",
    Document = "document",
    Emphasis = "emphasis",
    Feed = "feed",
    Figure = "figure",
    Form = "form",
    Generic = "generic",
    Grid = "grid",
    GridCell = "gridcell",
    Group = "group",
    Heading = "heading",
    Iframe = "iframe",
    Img = "img",
    Insertion = "insertion",
    Link = "link",
    List = "list",
    ListBox = "listbox",
    ListItem = "listitem",
    Log = "log",
    Main = "main",
    Mark = "mark",
    Marquee = "marquee",
    Math = "math",
    Menu = "menu",
    MenuBar = "menubar",
    MenuItem = "menuitem",
    MenuItemCheckbox = "menuitemcheckbox",
    MenuItemRadio = "menuitemradio",
    Meter = "meter",
    Navigation = "navigation",
    None = "none",
    Note = "note",
    Option = "option",
    Paragraph = "paragraph",
    Presentation = "presentation",
    ProgressBar = "progressbar",
    Radio = "radio",
    RadioGroup = "radiogroup",
    Region = "region",
    Row = "row",
    RowGroup = "rowgroup",
    RowHeader = "rowheader",
    ScrollBar = "scrollbar",
    Search = "search",
    SearchBox = "searchbox",
    Separator = "separator",
    Slider = "slider",
    SpinButton = "spinbutton",
    Status = "status",
    Strong = "strong",
    Subscript = "subscript",
    Superscript = "superscript",
    Switch = "switch",
    Tab = "tab",
    Table = "table",
    TabList = "tablist",
    TabPanel = "tabpanel",
    Term = "term",
    Text = "text",
    TextBox = "textbox",
    Time = "time",
    Timer = "timer",
    Toolbar = "toolbar",
    Tooltip = "tooltip",
    Tree = "tree",
    TreeGrid = "treegrid",
    TreeItem = "treeitem",
}

impl Role {
    /// Returns true if a person can act on an element of this role.
    pub const fn is_interactive(&self) -> bool {
        self.is_editable()
            || matches!(
                self,
                Self::Button
                    | Self::Checkbox
                    | Self::Link
                    | Self::ListBox
                    | Self::MenuItem
                    | Self::MenuItemCheckbox
                    | Self::MenuItemRadio
                    | Self::Option
                    | Self::Radio
                    | Self::Slider
                    | Self::Switch
                    | Self::Tab
                    | Self::TreeItem
            )
    }

    /// Returns true if text or a value can be typed into an element of this role.
    pub const fn is_editable(&self) -> bool {
        matches!(
            self,
            Self::TextBox | Self::SearchBox | Self::Combobox | Self::SpinButton
        )
    }

    /// Returns true if an element of this role only makes a choice, which another element usually submits. A switch acts at
    /// once.
    pub const fn makes_a_choice(&self) -> bool {
        matches!(
            self,
            Self::Checkbox
                | Self::Radio
                | Self::Tab
                | Self::Option
                | Self::MenuItemCheckbox
                | Self::MenuItemRadio
                | Self::ListBox
                | Self::Slider
        )
    }

    /// Returns true if the role is that of a region beside the main content: a banner, menu, side column or footer.
    pub const fn is_aside(&self) -> bool {
        matches!(
            self,
            Self::Banner | Self::Navigation | Self::ContentInfo | Self::Complementary
        )
    }

    /// Returns true if the role is that of a landmark, which is a region that structures a page.
    pub const fn is_landmark(&self) -> bool {
        matches!(
            self,
            Self::Banner
                | Self::Complementary
                | Self::ContentInfo
                | Self::Form
                | Self::Main
                | Self::Navigation
                | Self::Region
                | Self::Search
        )
    }

    /// Returns true if the role is that of a dialog or an alert dialog.
    pub const fn is_dialog(&self) -> bool {
        matches!(self, Self::Dialog | Self::AlertDialog)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl From<String> for Role {
    fn from(name: String) -> Self {
        Self::parse(&name)
    }
}

impl From<Role> for String {
    fn from(role: Role) -> Self {
        role.as_str().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_survives_the_round_trip() {
        for name in ["button", "menuitemcheckbox", "x-custom", ""] {
            assert_eq!(Role::parse(name).as_str(), name);
        }
        assert_eq!(Role::parse("x-custom"), Role::Other("x-custom".into()));
    }
}
