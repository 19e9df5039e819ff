//! Small runs for the tests of this module.

use std::collections::BTreeMap;

use super::{Literals, Reason, Recorded, Template};

pub(super) fn task(goal: &str, steps: Vec<Literals>) -> Recorded {
    Recorded::new(goal, steps)
}

pub(super) fn none() -> BTreeMap<String, String> {
    BTreeMap::new()
}

pub(super) fn goto(url: &str) -> Literals {
    Literals {
        action: "goto".to_owned(),
        url: Some(url.to_owned()),
        ..Literals::default()
    }
}

pub(super) fn click(role: &str, name: &str) -> Literals {
    Literals {
        action: "click".to_owned(),
        role: Some(role.to_owned()),
        name: Some(name.to_owned()),
        landmark: Some("main".to_owned()),
        ..Literals::default()
    }
}

pub(super) fn picked(role: &str, name: &str) -> Literals {
    Literals {
        is_picked: true,
        ..click(role, name)
    }
}

pub(super) fn check(name: &str) -> Literals {
    Literals {
        action: "check".to_owned(),
        ..click("checkbox", name)
    }
}

pub(super) fn fill(label: &str, text: &str) -> Literals {
    Literals {
        action: "fill".to_owned(),
        text: Some(text.to_owned()),
        ..click("textbox", label)
    }
}

pub(super) fn select(label: &str, option: &str) -> Literals {
    Literals {
        action: "select".to_owned(),
        option: Some(option.to_owned()),
        ..click("combobox", label)
    }
}

pub(super) fn press(key: &str) -> Literals {
    Literals {
        action: "press".to_owned(),
        key: Some(key.to_owned()),
        ..Literals::default()
    }
}

/// Returns each new text that `goal` gives a step, written as `step.field text`. Panics if the template does not accept
/// `goal`.
pub(super) fn accepted(template: &Template, goal: &str) -> Vec<String> {
    let verdict = template.matches(goal, &none());
    let Some(accepted) = verdict.accepted() else {
        panic!("{goal}: {verdict:?}");
    };
    let shown = accepted.args.iter().map(|arg| {
        let field = serde_json::to_value(arg.field).unwrap();
        format!("{}.{} {}", arg.step, field.as_str().unwrap(), arg.new)
    });
    shown.collect()
}

pub(super) fn refused(template: &Template, goal: &str) -> Reason {
    let verdict = template.matches(goal, &none());
    verdict
        .reason()
        .unwrap_or_else(|| panic!("{goal}: {verdict:?}"))
}
