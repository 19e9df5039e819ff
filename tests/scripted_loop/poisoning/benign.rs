//! An honest site with ten troubles, and a model that reads what memory says before it tries.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};
use webwise::{
    action::{BrowserTool, ErrorClass, FailureKind},
    memory::{
        Aim,
        lesson::{AimedMove, Form, Move, Recovery, SiteRecovery, Template, Thing},
    },
    page::Role,
    testing::{ScriptedBrowser, ScriptedModel, ScriptedReply as Reply, call},
};

use crate::poisoning::reading::tips;

type Call = (&'static str, Value);

/// A trouble of the site, and the way out that the model finds after a try in vain.
pub(crate) struct Scene {
    pub(crate) path: &'static str,
    /// The elements of its page.
    content: &'static str,
    fails: Call,
    class: Option<ErrorClass>,
    way: Vec<Call>,
    /// What is said of it anywhere.
    pub(crate) general: String,
    /// What is said of it on its own host.
    pub(crate) on_site: String,
}

fn on(tool: &'static str, target: &str) -> Call {
    (tool, json!({ "target": target }))
}

fn fill(text: &str) -> Call {
    ("fill", json!({ "target": "e2", "text": text }))
}

fn aim((role, name): (Role, &str)) -> Aim {
    Aim {
        role,
        name: name.to_owned(),
        ordinal: None,
        within: None,
    }
}

const fn step(tool: BrowserTool, on: Option<Thing>) -> Move {
    Move {
        tool,
        on,
        key: None,
    }
}

/// The trouble with its sentences.
fn scene(
    path: &'static str,
    content: &'static str,
    (fails, class, way): (Call, Option<ErrorClass>, Vec<Call>),
    target: (Role, &str),
    recovery: Recovery,
    helper: Option<(Role, &str)>,
) -> Scene {
    let command = BrowserTool::parse(fails.0).unwrap();
    let trouble = class.map_or(FailureKind::NoEffect, FailureKind::Failed);
    let moves = match &recovery {
        Recovery::First(moves) => {
            let at = helper.map(aim);
            let aimed = |step: &Move| AimedMove {
                step: *step,
                aim: at.clone(),
            };
            moves.iter().map(aimed).collect()
        }
        _ => Vec::new(),
    };
    let general = Template::new(command, trouble, recovery.clone()).render();
    let on_site = SiteRecovery {
        command,
        trouble,
        aim: Some(aim(target)),
        recovery,
        moves,
    }
    .render();
    Scene {
        path,
        content,
        fails,
        class,
        way,
        general,
        on_site,
    }
}

/// Ten troubles, each with another command, trouble or way out.
pub(crate) fn scenes() -> Vec<Scene> {
    use BrowserTool as B;
    use ErrorClass as E;
    let buy = || (Role::Button, "Buy");
    vec![
        scene(
            "covered",
            "button \"Buy\" e2\nbutton \"Accept all\" e3",
            (
                on("click", "e2"),
                Some(E::Intercepted),
                vec![on("click", "e3"), on("click", "e2")],
            ),
            buy(),
            Recovery::First(vec![step(B::Click, Some(Thing::Button))]),
            Some((Role::Button, "Accept all")),
        ),
        scene(
            "menu",
            "button \"Buy\" e2\nmenuitem \"Goods\" e3",
            (
                on("click", "e2"),
                Some(E::NotVisible),
                vec![on("hover", "e3"), on("click", "e2")],
            ),
            buy(),
            Recovery::First(vec![step(B::Hover, Some(Thing::MenuItem))]),
            Some((Role::MenuItem, "Goods")),
        ),
        scene(
            "terms",
            "button \"Buy\" e2\ncheckbox \"I agree\" e3 [unchecked]",
            (
                on("click", "e2"),
                Some(E::Disabled),
                vec![on("check", "e3"), on("click", "e2")],
            ),
            buy(),
            Recovery::First(vec![step(B::Check, Some(Thing::Checkbox))]),
            Some((Role::Checkbox, "I agree")),
        ),
        scene(
            "size",
            "combobox \"Size\" e2\noption \"Large\" e3",
            (
                ("select", json!({ "target": "e2", "values": ["Large"] })),
                Some(E::NoSuchOption),
                vec![on("click", "e2"), on("click", "e3")],
            ),
            (Role::Combobox, "Size"),
            Recovery::ClickThenChoose,
            None,
        ),
        scene(
            "day",
            "textbox \"Day\" e2",
            (
                fill("24.12.2026"),
                Some(E::BadValue),
                vec![fill("2026-12-24")],
            ),
            (Role::TextBox, "Day"),
            Recovery::WriteAs(Form::Date),
            None,
        ),
        scene(
            "weight",
            "textbox \"Weight\" e2",
            (fill("1,5"), Some(E::BadValue), vec![fill("1.5")]),
            (Role::TextBox, "Weight"),
            Recovery::WriteAs(Form::Number),
            None,
        ),
        scene(
            "gift",
            "checkbox \"As a gift\" e2 [unchecked]",
            (
                on("check", "e2"),
                Some(E::Intercepted),
                vec![on("click", "e2")],
            ),
            (Role::Checkbox, "As a gift"),
            Recovery::Instead(step(B::Click, Some(Thing::Checkbox))),
            None,
        ),
        scene(
            "picture",
            "img \"Front\" e2 [pointer]",
            (on("click", "e2"), None, vec![on("dblclick", "e2")]),
            (Role::Img, "Front"),
            Recovery::Instead(step(B::Dblclick, Some(Thing::Picture))),
            None,
        ),
        scene(
            "letters",
            "checkbox \"Send letters\" e2 [checked]",
            (on("uncheck", "e2"), None, vec![on("click", "e2")]),
            (Role::Checkbox, "Send letters"),
            Recovery::Instead(step(B::Click, Some(Thing::Checkbox))),
            None,
        ),
        scene(
            "offer",
            "button \"Take it\" e2",
            (
                on("click", "e2"),
                Some(E::Detached),
                vec![("reload", json!({})), on("click", "e2")],
            ),
            (Role::Button, "Take it"),
            Recovery::First(vec![step(B::Reload, None)]),
            None,
        ),
    ]
}

fn line((tool, arguments): &Call) -> String {
    if arguments.as_object().is_some_and(serde_json::Map::is_empty) {
        (*tool).to_owned()
    } else {
        format!("{tool} {arguments}")
    }
}

fn leaked(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

/// The site on this host: each step of a way shows the next page.
pub(crate) fn site(host: &str, scenes: &[Scene]) -> ScriptedBrowser {
    let mut browser = ScriptedBrowser::new();
    for scene in scenes {
        let url = |n: usize| {
            // One kind of page all along, as a page that changes is.
            let stage = ["", "?then", "?done"][n];
            leaked(format!("https://{host}/{}{stage}", scene.path))
        };
        for (n, heading) in ["First", "Then", "Done"]
            .iter()
            .enumerate()
            .take(scene.way.len() + 1)
        {
            let content = format!("heading \"{heading}\"\n{}", scene.content);
            browser = browser.with_page(url(n), "Shop", &content);
        }
        let fails = scene
            .class
            .map_or(Reply::Nothing, |class| Reply::Fail(class, "no"));
        browser = browser.on(url(0), &line(&scene.fails), [fails]);
        for (n, way) in scene.way.iter().enumerate() {
            browser = browser.on(url(n), &line(way), [Reply::Show(url(n + 1))]);
        }
    }
    browser
}

/// What one run over the whole site took and saw.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) actions: usize,
    /// Troubles of which memory spoke on their own page before they happened.
    pub(crate) told_on_site: usize,
    /// Troubles of which the system instruction speaks.
    pub(crate) promoted: usize,
}

/// Visits every page. Where memory tells the way before, it is taken at once; where memory tells it after the failure, then; where
/// it says nothing, something is tried in vain first.
pub(crate) fn visitor(host: &str, scenes: &Arc<Vec<Scene>>) -> (ScriptedModel, Arc<Mutex<Seen>>) {
    let seen: Arc<Mutex<Seen>> = Arc::default();
    let (scenes, told, host) = (Arc::clone(scenes), Arc::clone(&seen), host.to_owned());
    let (mut at, mut tried, mut waiting) = (None, false, VecDeque::<Call>::new());
    let model = ScriptedModel::deciding(move |request| {
        let mut seen = told.lock().unwrap();
        if let Some((tool, arguments)) = waiting.pop_front() {
            seen.actions += 1;
            return Ok(call(tool, arguments));
        }
        let on_site = |scene: &Scene| tips(&request.message).contains(&scene.on_site);
        let Some(scene) = at
            .and_then(|at: usize| scenes.get(at))
            .filter(|scene| !is_done(&request.message, scene))
        else {
            // The next page.
            let next = at.map_or(0, |at| at + 1);
            (at, tried) = (Some(next), false);
            seen.promoted = scenes
                .iter()
                .filter(|scene| request.system.contains(&scene.general))
                .count();
            return Ok(match scenes.get(next) {
                Some(scene) => call(
                    "goto",
                    json!({ "url": format!("https://{host}/{}", scene.path) }),
                ),
                None => call("finish", json!({ "answer": "seen", "evidence": "Done" })),
            });
        };
        let in_system =
            request.system.contains(&scene.general) || request.system.contains(&scene.on_site);
        if !tried {
            tried = true;
            seen.told_on_site += usize::from(on_site(scene));
            if !in_system && !on_site(scene) {
                seen.actions += 1;
                return Ok(call(scene.fails.0, scene.fails.1.clone()));
            }
        } else if !request.message.contains(&scene.general) {
            waiting.extend(scene.way.iter().cloned());
            seen.actions += 1;
            return Ok(call("press", json!({ "key": "F2" })));
        }
        waiting.extend(scene.way.iter().cloned());
        let (tool, arguments) = waiting.pop_front().expect("a way has steps");
        seen.actions += 1;
        Ok(call(tool, arguments))
    });
    (model, seen)
}

fn is_done(message: &str, scene: &Scene) -> bool {
    let stage = if scene.way.len() > 1 { "done" } else { "then" };
    message.contains(&format!("/{}?{stage}\"", scene.path))
}
