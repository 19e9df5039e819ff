//! One act of a way, as an action on the page that is shown.

use serde_json::{Value, json};
use webwise::{
    action::{Action, BrowserAction, BrowserTool, RawCall, ToolSet, parse_calls},
    page::PageView,
};

/// Returns the action that this act means on the page. A target such as `@button2` is the second element of the role; any
/// other target is as a model may write it.
pub(crate) fn action(act: &str, page: &PageView) -> Result<BrowserAction, String> {
    let (verb, rest) = act.split_once(' ').unwrap_or((act, ""));
    let (tool, arguments) = match verb {
        "click" | "dblclick" | "check" => (verb, json!({ "target": target(rest, page)?.0 })),
        "fill" | "submit" => {
            let (target, text) = target(rest, page)?;
            let is_sent = verb == "submit";
            (
                "fill",
                json!({ "target": target, "text": text, "submit": is_sent }),
            )
        }
        "type" => ("type", json!({ "text": rest.replace("\\n", "\n") })),
        "press" => {
            let (key, rest) = rest.split_once(' ').unwrap_or((rest, ""));
            let mut arguments = json!({ "key": key });
            if !rest.is_empty() {
                arguments["target"] = Value::from(target(rest, page)?.0);
            }
            ("press", arguments)
        }
        "select" => {
            let (target, option) = target(rest, page)?;
            ("select", json!({ "target": target, "values": [option] }))
        }
        "drag" => {
            let (from, rest) = target(rest, page)?;
            let to = target(rest, page)?.0;
            ("drag", json!({ "from": from, "to": to }))
        }
        "accept" => ("dialog_accept", json!({})),
        "dismiss" => ("dialog_dismiss", json!({})),
        _ => panic!("{act}: no act"),
    };
    let tools = ToolSet::new(&BrowserTool::ALL.iter().copied().collect(), false, []);
    let calls = parse_calls(&[RawCall::new(tool, arguments)], "", &tools);
    match calls.map(|mut calls| calls.remove(0)) {
        Ok(Ok(Action::Browser(action))) => Ok(action),
        other => Err(format!("{act}: {other:?}")),
    }
}

/// Returns the target with which the text begins, and what follows it.
fn target<'a>(text: &'a str, page: &PageView) -> Result<(String, &'a str), String> {
    if let Some(rest) = text.strip_prefix("text=\"") {
        let (words, rest) = rest.split_once('"').expect("a closing quote");
        return Ok((format!("text=\"{words}\""), rest.trim_start()));
    }
    let (place, rest) = text.split_once(' ').unwrap_or((text, ""));
    let place = place.strip_prefix('@').expect("a role");
    let role = place.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = place[role.len()..].parse().unwrap_or(1);
    let mut elements = page
        .elements
        .iter()
        .filter(|element| element.role.as_str() == role);
    let element = elements.nth(number - 1);
    let reference = element.and_then(|element| element.reference.as_ref());
    let reference = reference.ok_or_else(|| {
        let shown: Vec<String> = page
            .elements
            .iter()
            .map(|element| format!("{} {:?}", element.role.as_str(), element.label))
            .collect();
        format!("no {place} among {}", shown.join(", "))
    })?;
    Ok((reference.to_string(), rest))
}
