//! Secret fields. The value of such a field is always hidden, whoever typed it, because a browser may fill in passwords
//! that are in no vault.

use std::collections::BTreeSet;

use crate::page::{ElementRef, Node, Tree};

/// The text shown in place of the value of a secret field.
pub const HIDDEN: &str = "[hidden]";

/// Values of the attribute `autocomplete` that mark a field as secret. Values that begin with `cc-` (for payment cards)
/// mark it too. Source: chosen from the HTML standard's autofill names.
const SECRET_TOKENS: [&str; 3] = ["current-password", "new-password", "one-time-code"];

/// Returns true if the page itself marks the value of this field as secret: `type` is `password`, or `autocomplete`
/// names a password, a one-time code or a part of a payment card.
///
/// Returns false if the driver does not report these properties. Even then, [`mask_fields`] hides a field into which a
/// secret was typed.
pub fn is_secret_field(node: &Node) -> bool {
    let is = |name: &str, test: &dyn Fn(&str) -> bool| {
        node.property(name).is_some_and(|value| {
            value
                .to_ascii_lowercase()
                .split_ascii_whitespace()
                .any(test)
        })
    };
    is("type", &|value| value == "password")
        || is("autocomplete", &|token| {
            SECRET_TOKENS.contains(&token) || token.starts_with("cc-")
        })
}

/// Returns true if the field contains a secret now. Pass a node of a redacted tree. The node must be a field that can
/// be edited, its value must not be empty, and one of these conditions must hold:
///
/// - The value contains a placeholder of a secret.
/// - The value is [`HIDDEN`].
/// - The value consists only of bullets, such as `•`, or asterisks.
/// - The page marks the field as secret ([`is_secret_field`]).
pub fn holds_secret(node: &Node) -> bool {
    let value = node.value.as_deref().unwrap_or_default();
    let is_dots = || {
        value
            .chars()
            .all(|c| matches!(c, '\u{2022}' | '\u{25cf}' | '\u{2217}' | '*'))
    };
    node.role.is_editable()
        && !value.is_empty()
        && (value.contains("<secret:") || value == HIDDEN || is_dots() || is_secret_field(node))
}

/// Returns the tree with [`HIDDEN`] as the value of every secret field that is not empty, and in place of all names,
/// values, addresses and properties inside such a field, as [`Tree::mask_values`] does.
///
/// `typed` holds the references of the fields into which a secret was typed since the page was loaded. The value of
/// such a field stays hidden even if a "show password" button turns it into an ordinary field.
///
/// ```
/// use webwise::{page::{ElementRef, Node, Role, Tree}, secret::mask_fields};
///
/// let mut page = Tree::builder();
/// page.leaf(Node::new(Role::TextBox, "Password").with_ref(ElementRef::parse("e3")?).with_value("hunter2"));
/// let tree = mask_fields(page.finish(), &[ElementRef::parse("e3")?].into());
/// assert_eq!(tree.nodes()[0].value.as_deref(), Some("[hidden]"));
/// # Ok::<(), webwise::Error>(())
/// ```
pub fn mask_fields(tree: Tree, typed: &BTreeSet<ElementRef>) -> Tree {
    let is_typed = |node: &Node| {
        node.reference
            .as_ref()
            .is_some_and(|reference| typed.contains(reference))
    };
    tree.mask_values(|node| is_typed(node) || is_secret_field(node), HIDDEN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Role;

    #[test]
    fn a_field_holds_a_secret_while_something_secret_stands_in_it() {
        let field = |value: &str| Node::new(Role::TextBox, "Password").with_value(value);
        for value in ["<secret:PASSWORD>", "x<secret:A>", HIDDEN, "••••", "***"] {
            assert!(holds_secret(&field(value)), "{value}");
        }
        assert!(!holds_secret(&field("")) && !holds_secret(&field("kayak")));
        assert!(
            !holds_secret(&Node::text("<secret:PASSWORD>")),
            "an echo is no field"
        );
    }

    #[test]
    fn a_field_that_the_page_calls_secret_is_hidden_with_what_is_in_it() {
        for (name, value, secret) in [
            ("type", "password", true),
            ("type", "PASSWORD", true),
            ("type", "text", false),
            ("autocomplete", "new-password", true),
            ("autocomplete", "section-a billing cc-number", true),
            ("autocomplete", "one-time-code", true),
            ("autocomplete", "username", false),
            ("placeholder", "password", false),
        ] {
            let mut b = Tree::builder();
            let mut field = Node::new(Role::TextBox, "Label").with_value("hunter2");
            field.properties.push((name.into(), value.into()));
            b.open(field);
            b.leaf(Node::text("hunter2"));
            b.close();
            let tree = mask_fields(b.finish(), &BTreeSet::new());
            let shown = tree.text_of(tree.roots().next().unwrap());
            let expected = if secret {
                "Label [hidden] [hidden]"
            } else {
                "Label hunter2 hunter2"
            };
            assert_eq!(shown, expected, "{name}={value}");
        }
    }
}
