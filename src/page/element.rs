//! The elements of a page: the nodes that a person could act on, in the form used by the prompt, `find` and the guards.

use serde::{Deserialize, Serialize};

use super::{ElementRef, NodeId, Role, States};

/// An element that a person could click or type into. The page wrote all texts in it, so they are untrusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Element {
    /// The node of the element in the tree from which the elements were computed.
    pub id: NodeId,
    /// The driver's reference to the element; `None` if the driver gave none. Only elements of an interactive role may
    /// have none.
    pub reference: Option<ElementRef>,
    /// The role of the element; `generic` for a role that is not in the known set.
    pub role: Role,
    /// The first of these texts that is not empty: the element's name, its text, the label beside it, its placeholder, the
    /// name of its icon, the file name of its link. Cut to [`MAX_LABEL`](super::MAX_LABEL) characters.
    pub label: String,
    /// The text that is typed, chosen or shown in the element. `None` if there is none, or if the element is not a
    /// field and its label contains the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The states of the element.
    #[serde(default)]
    pub states: States,
    /// Further attributes, each as name and value. The names are `type`, `placeholder` (unless it is the label),
    /// `current`, `valuetext`, `range`, `look`, `multiple` and `editable`. An element without a label also has the
    /// first available of `name`, `testid`, `autocomplete` and `inputmode`. A link to the page's own address also gets
    /// `current`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<(Box<str>, Box<str>)>,
    /// The address to which a link leads, as written in the page; `None` if the element is not a link with an address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Names of the first [`MAX_OPTIONS`] options of a closed select box, each cut to 60 characters; empty for any
    /// other element.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// Number of further options, which `options` leaves out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_options: usize,
    /// The first words of the row or card around the element, or else the nearest text before it. Given only if the element
    /// has no label, or other elements have the same role and label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// True if the element is in an open dialog.
    #[serde(default)]
    pub in_dialog: bool,
    /// The role of the landmark around the element. A landmark is a region of a page, such as the navigation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub landmark: Option<Role>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) duplicates: Vec<ElementRef>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Maximum number of options kept of one list. Source: chosen; months and weekdays fit, countries do not.
pub const MAX_OPTIONS: usize = 25;

impl Element {
    /// Returns true if the reference is that of this element or of one of its duplicates. A duplicate, such as a second link
    /// to the same address, is not listed as an element of its own.
    pub fn answers_to(&self, reference: &ElementRef) -> bool {
        self.reference.as_ref() == Some(reference) || self.duplicates.contains(reference)
    }
}
