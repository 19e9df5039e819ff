//! Puts an action into words for a person.

use serde_json::Value;

use super::Action;
use crate::{
    base::text::{squeeze, truncate},
    page::TargetIdentity,
};

/// Maximum length of the name of an element in the words for an action. Unit: characters. Source: chosen for a terminal
/// 100 characters wide.
const MAX_NAME: usize = 40;
/// Maximum length of a typed text in the words for an action. Unit: characters. Source: chosen.
const MAX_TEXT: usize = 60;
/// Names of the arguments that refer to an element. The words for an action describe the element instead.
const TARGETS: [&str; 3] = ["target", "from", "to"];

/// Returns an action in words, such as `fill textbox "User name" with "demo"`.
pub(crate) fn action(action: &Action, targets: &[TargetIdentity]) -> String {
    let mut words = vec![action.tool_name().replace('_', " ")];
    words.extend(
        targets
            .iter()
            .map(|target| format!("{} {}", target.role, quoted(&target.name, MAX_NAME))),
    );
    let arguments = action.arguments();
    for (name, value) in arguments.as_object().into_iter().flatten() {
        let is_target = TARGETS.contains(&name.as_str());
        match (name.as_str(), value) {
            _ if is_target && !targets.is_empty() => {}
            ("text", Value::String(text)) => words.push(format!("with {}", quoted(text, MAX_TEXT))),
            ("url" | "key", Value::String(text)) => words.push(truncate(&squeeze(text), MAX_TEXT)),
            (_, Value::String(text)) if is_target => words.push(truncate(&squeeze(text), MAX_TEXT)),
            (_, Value::String(text)) => words.push(quoted(text, MAX_TEXT)),
            (_, Value::Array(items)) => {
                let items = items
                    .iter()
                    .filter_map(Value::as_str)
                    .map(|text| quoted(text, MAX_TEXT));
                words.push(items.collect::<Vec<_>>().join(", "));
            }
            (name, Value::Bool(true)) => words.push(format!("({name})")),
            (name, Value::Number(number)) => words.push(format!("{name} {number}")),
            _ => {}
        }
    }
    words.join(" ")
}

pub(crate) fn quoted(text: &str, max: usize) -> String {
    format!("\"{}\"", truncate(&squeeze(text), max))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        action::{BrowserAction, Click, Fill, Goto, Key, Press, Select, Target},
        page::{ElementRef, Node, Role, Tree},
    };

    fn identity(role: Role, name: &str) -> TargetIdentity {
        let mut builder = Tree::builder();
        builder.leaf(Node::new(role, name).with_ref(ElementRef::parse("e1").unwrap()));
        let tree = builder.finish();
        TargetIdentity::of(&tree, tree.by_ref("e1").unwrap())
    }

    fn words(browser: BrowserAction, targets: &[TargetIdentity]) -> String {
        action(&Action::Browser(browser), targets)
    }

    #[test]
    fn actions_are_told_by_the_names_of_their_targets() {
        let target = || Target::parse("e1").unwrap();
        let field = identity(Role::TextBox, "User name");
        let fill = Fill {
            target: target(),
            text: "<secret:PASSWORD>".into(),
            submit: true,
        };
        assert_eq!(
            words(BrowserAction::Fill(fill), &[field]),
            "fill textbox \"User name\" with \"<secret:PASSWORD>\" (submit)"
        );
        let select = Select {
            target: target(),
            values: vec!["M".into()],
        };
        assert_eq!(
            words(
                BrowserAction::Select(select),
                &[identity(Role::Combobox, "Size")]
            ),
            "select combobox \"Size\" \"M\""
        );
        assert_eq!(
            words(
                BrowserAction::Press(Press {
                    key: Key::parse("Enter").unwrap(),
                    target: None,
                    times: None,
                }),
                &[]
            ),
            "press Enter"
        );
        let goto = Goto {
            url: "http://127.0.0.1/".into(),
        };
        assert_eq!(
            words(BrowserAction::Goto(goto), &[]),
            "goto http://127.0.0.1/"
        );
        // If the element's identity is unknown, the reference is shown, which is better than nothing.
        assert_eq!(
            words(
                BrowserAction::Click(Click {
                    target: target(),
                    button: None
                }),
                &[]
            ),
            "click e1"
        );
    }

    #[test]
    fn long_names_are_cut() {
        let name = identity(Role::Button, &"x".repeat(100));
        let click = Click {
            target: Target::parse("e1").unwrap(),
            button: None,
        };
        assert!(words(BrowserAction::Click(click), &[name]).chars().count() < 60);
    }
}
