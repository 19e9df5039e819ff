//! Elements that earlier runs used. They are found again by attributes that the page's authors gave them.

use super::{Role, TargetIdentity};
use crate::base::text::Folded;

/// Attributes by which an element is found again, the most reliable first. Source: chosen; these are the stable attributes
/// that differ between the elements of a page.
const MARKS: [&str; 5] = ["testid", "name", "placeholder", "alt", "icon"];

/// An element on the pages of a host, as earlier runs saw it: its role, its names, and attributes by which it can be
/// recognised under a new name.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct KnownElement {
    /// The role of the element.
    pub role: Role,
    /// The names that the element had in earlier runs. The page wrote these texts, so they are untrusted.
    pub names: Vec<String>,
    /// The attributes by which the element is found again, each as name and value, the most reliable first. The page wrote
    /// these texts, so they are untrusted.
    pub marks: Vec<(String, String)>,
}

impl KnownElement {
    /// Returns the attributes by which an element can be found again, each as name and value, the most reliable first.
    pub fn marks_of(identity: &TargetIdentity) -> Vec<(String, String)> {
        let mark = |name: &&str| {
            let value = identity.attribute(name)?;
            Some(((*name).to_owned(), value.to_owned()))
        };
        MARKS.iter().filter_map(mark).collect()
    }

    /// Returns true if the element had this name in an earlier run, ignoring case, and has `role`, if one is given.
    pub(crate) fn was_called(&self, role: Option<&Role>, words: &str) -> bool {
        let words = Folded::of(words);
        role.is_none_or(|role| *role == self.role)
            && self.names.iter().any(|name| Folded::of(name) == words)
    }

    /// Returns true if `identity` has the role of this element and also the first mark in `marks`.
    pub(crate) fn is_it(&self, identity: &TargetIdentity) -> bool {
        let marks = Self::marks_of(identity);
        self.role == identity.role
            && self
                .marks
                .first()
                .is_some_and(|surest| marks.contains(surest))
    }
}
