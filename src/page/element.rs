//! The elements of a page: the nodes that a person could act on, in the form used by the prompt, `find` and the guards.

use serde::{Deserialize, Serialize};

use super::{ElementRef, NodeId, Role, States};

/// An element that a person could click or type into. All texts are page data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Element {
    /// The element's node in the interpreted tree.
    pub id: NodeId,
    /// The driver's reference to the element; an unnamed icon may have none.
    pub reference: Option<ElementRef>,
    /// The role; `generic` for a role that is not in the known set.
    pub role: Role,
    /// The first text of this list that is not empty: the element's name, its text, the label beside it, its
    /// placeholder, the name of its icon, the file name of its link. Empty if all of these texts are empty. At most
    /// [`MAX_LABEL`](super::MAX_LABEL) characters.
    pub label: String,
    /// The text that is typed, chosen or shown in the element, if that text is not its label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The states of the element.
    #[serde(default)]
    pub states: States,
    /// Attributes that say more than the element's label and states, by name: `type`, `placeholder`, `current`,
    /// `valuetext`, `range`, `look`, `editable`. An element without a label also has the first of `name`, `testid`,
    /// `autocomplete`, `inputmode`. A link to the page's own address has the hint `current` too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<(Box<str>, Box<str>)>,
    /// The address that a link leads to, as written in the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Names of the first [`MAX_OPTIONS`] options of a select box that is not open.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// The first words of the row or card around the element, which distinguish the element from others of the same
    /// role and label. `None` if the label is enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// True if the element is in an open dialog.
    #[serde(default)]
    pub in_dialog: bool,
    /// The role of the landmark that the element is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub landmark: Option<Role>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) duplicates: Vec<ElementRef>,
}

/// Maximum number of a list's options that are kept. Source: chosen; months and weekdays fit, countries do not.
pub const MAX_OPTIONS: usize = 25;

impl Element {
    /// Returns true if the reference belongs to this element or to a duplicate that it stands for.
    pub fn answers_to(&self, reference: &ElementRef) -> bool {
        self.reference.as_ref() == Some(reference) || self.duplicates.contains(reference)
    }
}
