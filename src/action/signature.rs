//! Signatures of actions. Equal signatures show that an action was repeated.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Action;
use crate::{
    base::{canonical, short_hash},
    page::TargetIdentity,
};

/// A short key that identifies an action together with its target and page. Equal actions have equal keys in every
/// process.
///
/// The key is 16 hexadecimal digits of a SHA-256 hash. The hash covers the tool, the sorted arguments and the page
/// template (the page's address without query and fragment, with numbers and ids replaced). The identity of the
/// target's element is hashed instead of the element's reference, because references are numbered anew on every load.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Signature(String);

impl Signature {
    /// Computes the signature of an action with these targets. `template` is the template of the page on which the
    /// action is carried out.
    pub fn of(action: &Action, targets: &[TargetIdentity], template: &str) -> Self {
        let mut arguments = action.arguments();
        if let (Some(map), false) = (arguments.as_object_mut(), targets.is_empty()) {
            for key in ["target", "from", "to"] {
                map.remove(key);
            }
        }
        let mut parts = Vec::new();
        let mut part = |text: &str| {
            parts.extend(u64::try_from(text.len()).unwrap_or(u64::MAX).to_le_bytes());
            parts.extend(text.as_bytes());
        };
        part(action.tool_name());
        part(&canonical(&arguments));
        part(template);
        for target in targets {
            part(target.role.as_str());
            part(&target.name);
            part(target.label.as_deref().unwrap_or_default());
            part(&target.ordinal.to_string());
            part(&target.frames.join("/"));
        }
        Self(short_hash(parts))
    }

    /// Returns the signature as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{action::ToolSet, page::Role};

    fn call(arguments: serde_json::Value) -> Action {
        let tools = ToolSet::new(
            &crate::action::BrowserTool::ALL.iter().copied().collect(),
            false,
            [],
        );
        crate::action::parse_calls(
            &[crate::action::RawCall::new("click", arguments)],
            "",
            &tools,
        )
        .unwrap()
        .remove(0)
        .unwrap()
    }

    #[test]
    fn a_reference_counts_by_what_it_points_at() {
        let go = [TargetIdentity::new(Role::Button, "Go")];
        let stop = [TargetIdentity::new(Role::Button, "Stop")];
        let (e1, e2) = (call(json!({"target": "e1"})), call(json!({"target": "e2"})));
        assert_eq!(
            Signature::of(&e1, &go, "http://x/"),
            Signature::of(&e2, &go, "http://x/")
        );
        assert_ne!(
            Signature::of(&e1, &go, "http://x/"),
            Signature::of(&e1, &stop, "http://x/")
        );
        assert_ne!(
            Signature::of(&e1, &go, "http://x/"),
            Signature::of(&e1, &go, "http://x/y")
        );
    }
}
