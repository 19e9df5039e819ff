//! Tasks in which what is needed has to be uncovered, moved or asked for first.

use serde_json::json;
use webwise::action::RawCall;

use super::{
    policy::{between, by, call, on, quoted},
    reading::Seen,
};

/// Opens the first folder that is closed until the wanted name shows. Only its class tells a folder from a file, and the
/// mark that opens it has no name.
pub(crate) fn navigate_tree(seen: &Seen) -> Vec<RawCall> {
    let wanted = quoted(&seen.goal).first().copied().unwrap_or_default();
    let item = seen.of("listitem").find(|item| item.label == wanted);
    let target = item.map_or_else(
        || format!("{} >> nth=0", by("css", "li.expandable > .hitarea")),
        |i| i.reference.clone(),
    );
    vec![on("click", &target)]
}

/// Goes down the path: what is shown of its end is clicked, what leads there is hovered.
pub(crate) fn click_menu(seen: &Seen) -> Vec<RawCall> {
    let path: Vec<&str> = seen.goal.trim_start_matches("Select ").split('>').collect();
    let shown = path
        .iter()
        .enumerate()
        .rev()
        .find_map(|(depth, name)| Some((depth, seen.named("menuitem", name)?)));
    let Some((depth, item)) = shown else {
        return Vec::new();
    };
    vec![on(
        if depth + 1 == path.len() {
            "click"
        } else {
            "hover"
        },
        &item.reference,
    )]
}

/// The star has no name and no role: the mail is opened, which leaves one star that can be seen.
pub(crate) fn email_important(seen: &Seen) -> Vec<RawCall> {
    let name = between(&seen.goal, "email by ", " and click").unwrap_or_default();
    let row = seen
        .elements
        .iter()
        .find(|e| e.label.split(' ').next() == Some(name));
    match row {
        Some(row) => vec![on("click", &row.reference)],
        // The star has no size until its picture is loaded.
        None => vec![
            RawCall::new("wait", json!({ "seconds": 1 })),
            on("click", &by("css", "[class*=star]:visible")),
        ],
    }
}

/// Moves the first number that is out of place to where it belongs.
pub(crate) fn drag_sort_numbers(seen: &Seen) -> Vec<RawCall> {
    let numbers: Vec<i32> = seen
        .text
        .split_once("top of the list.")
        .map(|(_, rest)| {
            rest.split_whitespace()
                .map_while(|word| word.parse().ok())
                .collect()
        })
        .unwrap_or_default();
    let mut sorted = numbers.clone();
    sorted.sort_unstable();
    let Some(to) = (0..numbers.len()).find(|at| numbers[*at] != sorted[*at]) else {
        return seen.press("Submit").into_iter().collect();
    };
    let from = numbers
        .iter()
        .rposition(|number| *number == sorted[to])
        .unwrap_or(to);
    let item = |place: usize| format!("role=listitem >> nth={place}");
    vec![call("drag", json!({ "from": item(from), "to": item(to) }))]
}

/// Asks for the files, then removes one that has the ending.
pub(crate) fn terminal(seen: &Seen) -> Vec<RawCall> {
    let ending = seen
        .goal
        .rsplit_once("extension ")
        .map(|(_, ending)| ending.trim());
    let is_wanted = |file: &&str| match ending {
        Some(ending) => file.ends_with(ending),
        None => !file.contains('.'),
    };
    let Some(field) = seen.of("textbox").next() else {
        return Vec::new();
    };
    let listed = seen
        .text
        .rsplit_once("user$ ls ")
        .map(|(_, rest)| rest.split(" user$").next().unwrap_or_default());
    let command = match listed {
        None => "ls".to_owned(),
        Some(files) => match files.split(' ').find(is_wanted) {
            Some(file) => format!("rm {file}"),
            None => return Vec::new(),
        },
    };
    let focus = (!field.is("focused")).then(|| on("click", &field.reference));
    focus
        .into_iter()
        .chain([call("type", json!({ "text": command, "submit": true }))])
        .collect()
}
