//! Conversion of a parsed snapshot into a page tree. Every line becomes a node, or a property, the address or the value
//! of the node around it.
//!
//! Page text is cleaned here, and the values of fields with secrets are masked here, before any other code sees them.

use super::{Element, Line, Snapshot};
use crate::{
    base::text::clean,
    page::{ElementRef, Node, Role, Tree, Tri},
};

const MASK: &str = "••••••";
pub(crate) fn filled_fields<'a>(snapshot: &Snapshot<'a>) -> Vec<&'a str> {
    let nodes = snapshot.nodes();
    let mut fields = Vec::new();
    for (index, node) in nodes.iter().enumerate() {
        let Line::Element(element) = &node.line else {
            continue;
        };
        if !Role::parse(element.role).is_editable() {
            continue;
        }
        let filled = element.value().is_some()
            || nodes[index + 1..node.end()]
                .iter()
                .any(|inside| matches!(inside.line, Line::Text(_)));
        if filled {
            fields.extend(reference(element));
        }
    }
    fields
}

/// Converts a snapshot to a page tree. `is_secret` gets the reference of a field (`None` if it has none), and returns
/// true if the field's value must be masked.
pub(crate) fn lower(snapshot: &Snapshot<'_>, is_secret: impl Fn(Option<&str>) -> bool) -> Tree {
    let nodes = snapshot.nodes();
    let mut tree = Tree::builder().with_room_for(nodes.len());
    let mut ends: Vec<usize> = Vec::new();
    let mut masked_until = 0;
    let mut index = 0;
    while let Some(node) = nodes.get(index) {
        while ends.last().is_some_and(|end| *end <= index) {
            ends.pop();
            tree.close();
        }
        match &node.line {
            Line::Element(element) => {
                let mut lowered = lower_element(element);
                // The tool prints the properties of an element before its other content.
                let mut next = index + 1;
                while let Some(Line::Property { name, value }) =
                    nodes[next..node.end()].first().map(|n| &n.line)
                {
                    let value = clean(&value.decode()).into();
                    match *name {
                        "url" => lowered.url = Some(value),
                        name => lowered.properties.push((name.into(), value)),
                    }
                    next += 1;
                }
                // If a field has a placeholder, its value is printed as its only text.
                if lowered.role.is_editable()
                    && next + 1 == node.end()
                    && let Line::Text(value) = &nodes[next].line
                {
                    lowered.value = Some(clean(&value.decode()).into());
                    next += 1;
                }
                let named = reference(element);
                if (named.is_some() || lowered.role.is_editable()) && is_secret(named) {
                    masked_until = node.end();
                }
                if index < masked_until && lowered.value.is_some() {
                    lowered.value = Some(MASK.into());
                }
                tree.open(lowered);
                ends.push(node.end());
                index = next;
                continue;
            }
            Line::Text(value) if index < masked_until && !value.decode().is_empty() => {
                tree.leaf(Node::text(MASK));
            }
            Line::Text(value) => tree.leaf(Node::text(clean(&value.decode()))),
            // A property without an element is kept as malformed text.
            Line::Property { name, value } => {
                tree.count_malformed();
                tree.leaf(Node::text(clean(&format!("/{name}: {}", value.decode()))));
            }
            Line::Malformed(text) => {
                tree.count_malformed();
                tree.leaf(Node::text(clean(text)));
            }
        }
        index += 1;
    }
    tree.finish()
}

fn reference<'a>(element: &Element<'a>) -> Option<&'a str> {
    element
        .attributes()
        .find_map(|(name, value)| if name == "ref" { value } else { None })
}

fn lower_element(element: &Element<'_>) -> Node {
    let mut node = Node::new(Role::parse(element.role), clean(&element.name()));
    node.value = element.value().map(|value| clean(&value.decode()).into());
    // The tool leaves out states that are off, but elements of these roles always have the state.
    node.states.checked = matches!(
        node.role,
        Role::Checkbox | Role::Radio | Role::Switch | Role::MenuItemCheckbox | Role::MenuItemRadio
    )
    .then_some(Tri::False);
    node.states.selected = matches!(node.role, Role::Option | Role::Tab).then_some(false);
    for (name, value) in element.attributes() {
        let states = &mut node.states;
        let tri = if value == Some("mixed") {
            Tri::Mixed
        } else {
            Tri::True
        };
        match (name, value) {
            ("checked", _) => states.checked = Some(tri),
            ("pressed", _) => states.pressed = Some(tri),
            ("expanded", None) => states.expanded = Some(true),
            ("selected", None) => states.selected = Some(true),
            ("disabled", None) => states.disabled = true,
            ("active", None) => states.active = true,
            ("invalid", _) => states.invalid = true,
            ("cursor", Some("pointer")) => states.pointer = true,
            ("level", Some(level)) if level.parse::<u8>().is_ok() => {
                states.level = level.parse().ok();
            }
            ("ref", Some(text)) if ElementRef::is_valid(text) => {
                node.reference = ElementRef::parse(text).ok();
            }
            _ => node
                .properties
                .push((name.into(), clean(value.unwrap_or("true")).into())),
        }
    }
    node
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORM: &str = r#"- form "Sign in" [ref=e2]:
  - textbox "User" [active] [ref=e3]: bob
  - textbox "Password" [ref=e4]:
    - /placeholder: at least 8
    - text: hunter2
  - checkbox "Keep" [ref=e5]
  - checkbox "All" [checked=mixed] [ref=e6]
  - link "Help" [ref=e7] [cursor=pointer]:
    - /url: /help
    - text: "He\x1blp\u202e"
  - heading "T" [level=2] [box=1,2,3,4]
  - /url: stray
nonsense"#;

    #[test]
    fn a_field_that_cannot_be_asked_about_because_it_has_no_reference_is_masked() {
        let text = "- main [ref=e1]:\n  - textbox \"Password\": hunter2\n  - textbox \"Name\" [ref=e2]: Ada\n  - textbox \"Pin\":\n    - /placeholder: PIN\n    - text: \"1234\"\n";
        let shown = format!(
            "{:?}",
            lower(&Snapshot::parse(text), |reference| reference.is_none())
        );
        assert!(
            shown.contains("Ada") && !shown.contains("hunter2") && !shown.contains("1234"),
            "{shown}"
        );
    }

    #[test]
    fn every_line_becomes_a_node_a_state_or_a_property() {
        let tree = lower(&Snapshot::parse(FORM), |_| false);
        let node = |r: &str| &tree[tree.by_ref(r).unwrap()];
        assert_eq!(node("e3").value.as_deref(), Some("bob"));
        assert!(node("e3").states.active);
        assert_eq!(node("e4").value.as_deref(), Some("hunter2"));
        assert_eq!(node("e4").property("placeholder"), Some("at least 8"));
        assert_eq!(node("e5").states.checked, Some(Tri::False));
        assert_eq!(node("e6").states.checked, Some(Tri::Mixed));
        assert_eq!(node("e7").url.as_deref(), Some("/help"));
        assert!(node("e7").states.pointer);
        assert_eq!(tree.malformed(), 2);
        let texts: Vec<_> = tree
            .nodes()
            .iter()
            .filter(|n| n.role == Role::Text)
            .map(|n| n.value.as_deref())
            .collect();
        assert_eq!(texts, [Some("Help"), Some("/url: stray"), Some("nonsense")]);
        let heading = tree
            .nodes()
            .iter()
            .find(|n| n.role == Role::Heading)
            .unwrap();
        assert_eq!(
            (heading.states.level, heading.property("box")),
            (Some(2), Some("1,2,3,4"))
        );
    }

    #[test]
    fn the_value_of_a_secret_field_is_masked_wherever_it_stands() {
        let snapshot = Snapshot::parse(FORM);
        assert_eq!(filled_fields(&snapshot), ["e3", "e4"]);
        let tree = lower(&snapshot, |r| r == Some("e4"));
        assert_eq!(
            tree[tree.by_ref("e4").unwrap()].value.as_deref(),
            Some(MASK)
        );
        assert_eq!(
            tree[tree.by_ref("e3").unwrap()].value.as_deref(),
            Some("bob")
        );

        let nested =
            Snapshot::parse("- textbox \"P\" [ref=e1]:\n  - strong [ref=e2]: hun\n  - text: ter2");
        let shown = format!("{:?}", lower(&nested, |r| r == Some("e1")));
        assert!(!shown.contains("hun") && !shown.contains("ter2"), "{shown}");
    }

    #[test]
    fn no_node_of_a_recorded_page_is_lost() {
        let text = include_str!("../../../../tests/fixtures/snapshots/forms.yml");
        let snapshot = Snapshot::parse(text);
        let tree = lower(&snapshot, |_| false);
        let refs = text.matches("[ref=").count();
        assert_eq!(
            tree.nodes()
                .iter()
                .filter(|n| n.reference.is_some())
                .count(),
            refs
        );
        let elements = snapshot
            .nodes()
            .iter()
            .filter(|n| matches!(n.line, Line::Element(_)))
            .count();
        assert_eq!(
            tree.nodes().iter().filter(|n| n.role != Role::Text).count(),
            elements
        );
    }

    #[test]
    fn a_page_of_any_depth_is_lowered() {
        let lines: Vec<String> = (0..5000)
            .map(|depth| format!("{}- generic:", "  ".repeat(depth)))
            .collect();
        let text = lines.join("\n");
        assert_eq!(lower(&Snapshot::parse(&text), |_| false).len(), 5000);
    }
}
