//! An action in words, for the model of its run and for a person.

use serde_json::{Map, Value};

use super::fence::{quoted, verbatim};
use crate::{
    action::{Action, AgentAction, BrowserAction, Target},
    base::{
        canonical,
        text::{clean, squeeze, truncate},
    },
    memory::Piece,
    page::{Appearance, ElementRef, TargetIdentity},
    working::{
        Step,
        words::{Audience, StepWords},
    },
};

/// Maximum length of a name. Unit: characters. Source: chosen.
const MAX_NAME: usize = 60;
/// Maximum length of an argument. Unit: characters. Source: chosen.
const MAX_ARGUMENT: usize = 160;
/// Maximum length of the values with which a recipe was followed. Unit: characters.
const MAX_VALUES: usize = 800;
/// Names of the arguments that refer to an element. The words describe the element instead.
const TARGETS: [&str; 3] = ["target", "from", "to"];
/// Names of the arguments that are left out if [`points`] has written the action's points.
const COORDINATES: [&str; 6] = ["target", "x", "y", "to_x", "to_y", "via"];
/// Maximum number of points between the start and the end of a drag. Source: chosen.
const MAX_POINTS: usize = 4;

/// Returns the action of a step in words for the model of its run, such as `fill searchbox "Search" "padel"`.
///
/// References are left out, because they refer to elements of an earlier page, or to no element at all. If the step has no
/// [`targets`](Step::targets), a target in words is written as the model gave it.
pub(super) fn for_model(step: &Step) -> String {
    let place = (step.within.as_deref(), &step.picked[..]);
    in_words(&step.action, &step.targets, place, Audience::Model)
}

/// Returns an action in words for a person, such as `fill textbox "User name" with "demo"`.
pub(crate) fn for_person(action: &Action, targets: &[TargetIdentity]) -> String {
    in_words(action, targets, (None, &[]), Audience::Person)
}

/// Returns an action in words. `within` and `picked` are the fields of its [`Step`].
fn in_words(
    action: &Action,
    targets: &[TargetIdentity],
    (within, picked): (Option<&str>, &[(u32, u32)]),
    reader: Audience,
) -> String {
    let is_for_person = reader == Audience::Person;
    let mut arguments = match (action, action.arguments()) {
        // A message shows the text of a note in the section with the notes.
        (Action::Agent(AgentAction::Note(_)), _) if !is_for_person => Map::new(),
        (_, Value::Object(arguments)) => arguments,
        _ => Map::new(),
    };
    let named = targets.iter();
    let mut target: Vec<String> = named.map(|of| target_words(of, within.is_some())).collect();
    target.extend(within.map(|within| format!("in {}", quoted(within, MAX_NAME))));
    let points = points(action, picked, !targets.is_empty());
    let spoken = match action {
        Action::Browser(action) if targets.is_empty() => spoken(&action.targets()),
        _ => None,
    };
    let is_told = |value: &Value| {
        let is_reference = || value.as_str().is_some_and(ElementRef::is_valid);
        !targets.is_empty() || spoken.is_some() || (!is_for_person && is_reference())
    };
    arguments.retain(|name, value| match points {
        Some(_) => !COORDINATES.contains(&name.as_str()),
        None => !(TARGETS.contains(&name.as_str()) && is_told(value)),
    });
    target.extend(points);
    target.extend(spoken.into_iter().flatten());
    // For a flag such as `submit`, the name alone is shown, because it is clear without the value.
    let mut flags = Vec::new();
    arguments.retain(|name, value| {
        let is_flag = *value == Value::Bool(true);
        flags.extend(is_flag.then(|| name.clone()));
        !is_flag
    });
    let text = arguments.get("text").filter(|_| is_for_person);
    let text = text.map(|text| format!("with {}", value_words(text)));
    arguments.retain(|name, _| text.is_none() || name != "text");
    let needs_name = arguments.contains_key("gone")
        || matches!(action, Action::Browser(BrowserAction::DragBy(_)));
    let value = match arguments.len() {
        0 => None,
        // The value of a `fill` and the key of a `press` are clear without the argument's name.
        1 if !needs_name => arguments.values().next().map(|value| match action {
            Action::Browser(BrowserAction::Goto(_) | BrowserAction::Press(_)) if is_for_person => {
                truncate(&squeeze(value.as_str().unwrap_or_default()), MAX_ARGUMENT)
            }
            _ => value_words(value),
        }),
        _ => {
            let is_follow = matches!(action, Action::Agent(AgentAction::Follow(_)));
            let most = if is_follow { MAX_VALUES } else { MAX_ARGUMENT };
            Some(words_up_to(&Value::Object(arguments), most))
        }
    };
    let target = Some(target.join(" ")).filter(|words| !words.is_empty());
    let words = StepWords {
        tool: action.tool_name(),
        target: target.map(Piece::from).into_iter().collect(),
        values: value.into_iter().chain(text).map(Piece::from).collect(),
        flags,
    };
    words.pieces(reader).iter().map(Piece::to_string).collect()
}

/// Returns targets that no element of the page was, in the words that the model gives: `link "Send"` or `"Send"`. Returns `None` if
/// one of them is another locator, or a reference.
fn spoken(targets: &[&Target]) -> Option<Vec<String>> {
    let words = |target: &&Target| match target {
        Target::Ref(_) => None,
        Target::Locator(locator) => Some(truncate(&locator.spoken()?, MAX_ARGUMENT)),
    };
    targets.iter().map(words).collect()
}

/// Returns the words for a target: its role and name, or its role, position and surroundings if it has no name.
/// `has_place` is true if the words around the target follow.
fn target_words(target: &TargetIdentity, has_place: bool) -> String {
    let (role, name) = (&target.role, target.best_name());
    if !name.is_empty() {
        return format!("{role} {}{}", quoted(name, MAX_NAME), place_of_icon(target));
    }
    let at = ordinal(target.ordinal);
    let (link, words) = match &target.appearance {
        // The position alone says little to a reader, and a look has the element's place.
        Some(Appearance::Look(look)) => {
            return format!("{role} look {}", quoted(place_of(look), MAX_NAME));
        }
        Some(Appearance::Beside(words)) => ("beside", Some(words)),
        None => ("in", target.ancestors.first()),
    };
    match words.filter(|_| !has_place) {
        Some(words) => format!("{at} {role} {link} {}", quoted(words, MAX_NAME)),
        None => format!("{at} {role}"),
    }
}

/// Returns the place of an element among its siblings if only an icon or a sign tells what it is, such as ` 4 of 5`.
fn place_of_icon(target: &TargetIdentity) -> String {
    let said = target.label.as_deref().unwrap_or_default();
    let has_words = |text: &str| text.contains(char::is_alphanumeric);
    let is_icon = !has_words(&target.name) && !has_words(said);
    let place = target.collection.filter(|_| is_icon);
    place.map_or_else(String::new, |place| {
        format!(" {} of {}", place.index + 1, place.size)
    })
}

/// Returns a text as a JSON string, and any other value as JSON.
fn value_words(value: &Value) -> String {
    words_up_to(value, MAX_ARGUMENT)
}

fn words_up_to(value: &Value, most: usize) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        other => clean(&canonical(other)),
    };
    // JSON that is cut is no longer valid, so it is shown as a quoted text.
    if value.is_string() || text.chars().count() > most {
        verbatim(&text, most)
    } else {
        text
    }
}

/// Returns an element's position among similar elements as an ordinal: `1st` for 0. A plain number would be taken for a
/// reference.
fn ordinal(at: u32) -> String {
    let position = u64::from(at) + 1;
    let ending = match (position % 10, position % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{position}{ending}")
}

/// Returns an element's `look` property without the shapes inside a drawing, because each action on the drawing may change
/// them.
fn place_of(look: &str) -> &str {
    look.split_once(": ").map_or(look, |(place, _)| place)
}

/// Returns the points of an action as text, such as `at 78,63 of it`; `None` if it has no points. If the model chose
/// points in the picture (`picked`), returns these, so that they can be compared with what the page shows next. The text
/// ends with `of it` if the points are relative to the target.
fn points(action: &Action, picked: &[(u32, u32)], has_target: bool) -> Option<String> {
    let Action::Browser(action) = action else {
        return None;
    };
    let own = action.points();
    let points = if picked.is_empty() { &own[..] } else { picked };
    let at = |(x, y): &(u32, u32)| format!("{x},{y}");
    let mut said = match points {
        [] => return None,
        [point] => format!("at {}", at(point)),
        [start, end] => format!("from {} to {}", at(start), at(end)),
        [start, via @ .., end] => {
            let via: Vec<String> = via.iter().take(MAX_POINTS).map(at).collect();
            let more = if points.len() - 2 > via.len() {
                " ..."
            } else {
                ""
            };
            let via = via.join(" ");
            format!("from {} over {via}{more} to {}", at(start), at(end))
        }
    };
    if picked.is_empty() && has_target {
        said.push_str(" of it");
    }
    Some(said)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        action::{Click, Fill, Goto, Key, Press, Select, Target},
        page::{Collection, Node, Role, Tree},
    };

    fn identity(role: Role, name: &str) -> TargetIdentity {
        let mut builder = Tree::builder();
        builder.leaf(Node::new(role, name).with_ref(ElementRef::parse("e1").unwrap()));
        let tree = builder.finish();
        TargetIdentity::of(&tree, tree.by_ref("e1").unwrap())
    }

    fn words(browser: BrowserAction, targets: &[TargetIdentity]) -> String {
        for_person(&Action::Browser(browser), targets)
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
            "select combobox \"Size\" [\"M\"]"
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
        let star = TargetIdentity {
            collection: Some(Collection { index: 3, size: 5 }),
            ..identity(Role::Button, "★")
        };
        let click = Click {
            target: target(),
            button: None,
        };
        assert_eq!(
            words(BrowserAction::Click(click), &[star]),
            "click button \"★\" 4 of 5"
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
            "click \"e1\""
        );
    }

    #[test]
    fn positions_are_told_as_ordinal_numbers() {
        let told = [0, 1, 2, 3, 10, 11, 12, 20, 21, 110, 111, u32::MAX].map(ordinal);
        let expected = [
            "1st",
            "2nd",
            "3rd",
            "4th",
            "11th",
            "12th",
            "13th",
            "21st",
            "22nd",
            "111th",
            "112th",
            "4294967296th",
        ];
        assert_eq!(told, expected);
    }
}
