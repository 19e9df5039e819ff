//! The form in which memory keeps the target of a step.

use serde::{Deserialize, Serialize};

use super::{PageName, Piece};
use crate::{
    base::text,
    page::{Collection, Role, TargetIdentity},
};

/// Maximum length of a label, of an attribute's value, or of a group's name. A longer text is not kept. Unit:
/// characters. Source: chosen; a longer text is a sentence, which may change by the next visit.
const MAX_LABEL: usize = 40;

/// Attributes that can name an element without a name or a label, the clearest first.
const MAKERS: [&str; 6] = [
    "icon",
    "placeholder",
    "name",
    "testid",
    "autocomplete",
    "inputmode",
];

/// The target of a step, reduced to the data by which a later visit can find it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Aim {
    /// The role of the element, such as `button`.
    pub role: Role,
    /// The name of the element, else its label, else the value of an attribute such as `icon`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Position of the element among the elements with the same role and accessible name (usually none) in the same
    /// frame, counted from 0; `None` if `name` is not empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ordinal: Option<u32>,
    /// The name of a group around the element. It is kept only if the page may have other elements with this role and
    /// name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
}

pub(super) fn is_of_search(role: &Role, landmark: Option<&Role>) -> bool {
    *role == Role::SearchBox || landmark == Some(&Role::Search)
}

impl Aim {
    /// Returns the target that `identity` describes.
    pub fn of(identity: &TargetIdentity) -> Self {
        let name = plain(said(identity));
        let ordinal = name.is_empty().then_some(identity.ordinal);
        Self {
            role: identity.role.clone(),
            name,
            ordinal,
            within: None,
        }
    }

    /// Returns the names of groups around an element, nearest first, without names that will probably change by the
    /// next visit.
    pub(crate) fn groups(identity: &TargetIdentity) -> Vec<String> {
        let groups = identity.ancestors.iter();
        groups.filter_map(|name| Self::group(name)).collect()
    }

    /// Returns the name of a group in the form in which it is kept; `None` if it will probably change by the next visit.
    pub(crate) fn group(name: &str) -> Option<String> {
        let group = is_lasting(name).then(|| plain(name));
        group.filter(|group| !group.is_empty())
    }

    /// Returns the target once for each group around the element, with the group as `within`.
    pub(crate) fn in_groups(identity: &TargetIdentity) -> impl Iterator<Item = Self> {
        let aim = Self::of(identity);
        let within = |group| Self {
            within: Some(group),
            ..aim.clone()
        };
        Self::groups(identity)
            .into_iter()
            .map(within)
            .collect::<Vec<_>>()
            .into_iter()
    }

    /// Returns the target described by its position alone. Older records describe an element without a name in this
    /// form. Returns `None` if the element has a name or a lasting label.
    pub(crate) fn by_place(identity: &TargetIdentity) -> Option<Self> {
        let bare = TargetIdentity {
            attributes: Vec::new(),
            ..identity.clone()
        };
        Some(Self::of(&bare)).filter(|aim| aim.ordinal.is_some())
    }

    /// Returns true if role, name and position are equal, whatever the groups around the elements.
    pub(crate) fn is_called(&self, other: &Self) -> bool {
        (&self.role, &self.name, self.ordinal) == (&other.role, &other.name, other.ordinal)
    }

    pub(crate) fn named(&self) -> Piece {
        self.page_name().into()
    }

    pub(super) fn page_name(&self) -> PageName {
        let name = PageName::new(&self.role, &self.name, self.ordinal);
        match &self.within {
            Some(group) => name.within(group),
            None => name,
        }
    }
}

/// Returns the name of an element, else its lasting label, else its first lasting attribute of [`MAKERS`], else an
/// empty text.
fn said(identity: &TargetIdentity) -> &str {
    if !identity.name.is_empty() {
        return &identity.name;
    }
    let label = std::iter::once(identity.label.as_deref());
    let makers = MAKERS.iter().map(|name| identity.attribute(name));
    let mut lasting = label.chain(makers).flatten();
    lasting
        .find(|said| !said.is_empty() && is_lasting(said))
        .unwrap_or_default()
}

/// Returns true if a label, an attribute's value or a group's name will probably be the same on the next visit. This is
/// the case if it is short and has no digits.
fn is_lasting(label: &str) -> bool {
    label.chars().count() <= MAX_LABEL && !label.chars().any(char::is_numeric)
}

/// Returns a name on one line, without characters that a renderer or a model could take for markup.
fn plain(page_text: &str) -> String {
    let kept: String = text::clean(page_text)
        .chars()
        .filter(|c| !"`<>*_#[]{}|\\~".contains(*c))
        .collect();
    text::truncate(&text::squeeze(&kept), PageName::MAX_NAME)
}

/// Removes the remark in brackets at the end of a choice's name if the remark contains a number: "Express delivery
/// (€ 12.90)" becomes "Express delivery". A remark in words, as in "Economy (refundable)", is kept.
pub(super) fn without_remark<'a>(role: &Role, name: &'a str) -> &'a str {
    let is_choice = matches!(role, Role::Radio | Role::Checkbox | Role::Option);
    match name
        .strip_suffix(')')
        .and_then(|name| name.rsplit_once(" ("))
    {
        Some((bare, remark))
            if is_choice && remark.contains(char::is_numeric) && !remark.contains(')') =>
        {
            bare
        }
        _ => name,
    }
}

/// Returns true if an element is probably one of several choices in a list, such as a search result. Another run may
/// then have to choose a different element. Buttons, menus and navigation links do not count as choices.
pub(super) const fn is_choice(
    role: &Role,
    landmark: Option<&Role>,
    collection: Option<Collection>,
) -> bool {
    let is_data = matches!(
        role,
        Role::Link
            | Role::Option
            | Role::Row
            | Role::Cell
            | Role::ListItem
            | Role::TreeItem
            | Role::Heading
            | Role::Generic
    );
    is_data && !is_menu(landmark) && collection.is_some()
}

/// Returns true if this landmark, such as a navigation or a footer, contains the site's own links.
pub(super) const fn is_menu(landmark: Option<&Role>) -> bool {
    matches!(
        landmark,
        Some(Role::Navigation | Role::Banner | Role::ContentInfo)
    )
}
