//! Pages and goals whose meaning changed since the steps were recorded: no step is taken without the model.

use super::*;

/// A page with a login and a menu.
const LOGIN: &str = "heading \"Log in to the desk\" [level=1]\n\
    navigation\n  link \"Orders\" e7 -> /orders\n\
    form \"Credentials\"\n  textbox \"User\" e1 [type=text]\n  textbox \"Password\" e2 [type=password]\n  button \"Log in\" e3";
const LOGIN_GOAL: &str = "Log in as \"admin\" with <secret:PASSWORD>. Open the orders.";
const SEARCH_GOAL: &str = "Search for \"red hats\".";
const ORDER_GOAL: &str = "Order 2 pieces of \"Wool Socks\" for \"Ann\".";

fn login() -> RunLog {
    let mut link = element(Role::Link, "Orders");
    link.landmark = Some(Role::Navigation);
    let steps = vec![
        fill("User", "admin", SHOP),
        fill("Password", "<secret:PASSWORD>", SHOP),
        click(Role::Button, "Log in", SHOP),
        step("click", json!({}), link, "https://shop.example/orders"),
    ];
    on_page(LOGIN, log("run_1", 0, LOGIN_GOAL, steps))
}

/// The steps that need the form, and the step that needs the menu.
const FORM_STEPS: &[usize] = &[0, 1, 2];
const MENU_STEP: &[usize] = &[3];
const ALL_STEPS: &[usize] = &[0, 1, 2, 3];

/// A change of the page, as a text and the text in its place, and the steps that it concerns.
type Changed = (&'static str, &'static str, &'static str, &'static [usize]);

const CHANGED: [Changed; 16] = [
    (
        "another heading",
        "Log in to the desk",
        "Delete your account",
        ALL_STEPS,
    ),
    (
        "a heading above the form",
        "form ",
        "heading \"Delete your account\" [level=2]\nform ",
        FORM_STEPS,
    ),
    (
        "another button",
        "button \"Log in\"",
        "button \"Delete my account\"",
        FORM_STEPS,
    ),
    (
        "other words on the button",
        "\"Log in\" e3",
        "\"Log in\" e3\n    \"Delete my account\"",
        FORM_STEPS,
    ),
    (
        "a second button",
        "\"Log in\" e3",
        "\"Log in\" e3\n  button \"Delete my account\" e4",
        FORM_STEPS,
    ),
    (
        "a field that became one for a password",
        "[type=text]",
        "[type=password]",
        FORM_STEPS,
    ),
    (
        "a field that is no longer one for a password",
        "[type=password]",
        "[type=text]",
        FORM_STEPS,
    ),
    (
        "a second field for a password",
        "e2 [type=password]",
        "e2 [type=password]\n  textbox \"Again\" e5 [type=password]",
        FORM_STEPS,
    ),
    (
        "a checkbox in the form",
        "  button",
        "  checkbox \"Delete my data\" e5\n  button",
        FORM_STEPS,
    ),
    (
        "a field fewer",
        "  textbox \"User\" e1 [type=text]\n",
        "",
        FORM_STEPS,
    ),
    (
        "a field of the same name",
        "e1 [type=text]",
        "e1 [type=text]\n  textbox \"User\" e9 [type=text]",
        FORM_STEPS,
    ),
    (
        "a text in the form",
        "  button",
        "  \"Confirm that your account is deleted.\"\n  button",
        FORM_STEPS,
    ),
    (
        "a link to another path",
        "/orders",
        "/orders/delete-all",
        MENU_STEP,
    ),
    (
        "a link to another host",
        "/orders",
        "https://other.example/orders",
        MENU_STEP,
    ),
    ("another link", "\"Orders\"", "\"Delete orders\"", MENU_STEP),
    (
        "an open dialog",
        "navigation\n",
        "dialog \"Delete your account?\"\n  button \"Yes\" e8\nnavigation\n",
        ALL_STEPS,
    ),
];

/// Returns the steps of [`LOGIN_GOAL`] that are taken on the page.
fn taken_on(seen: &Observation) -> Vec<usize> {
    let log = login();
    let records = learned(&[], &log);
    let is_taken = |n: &usize| {
        let (taken, seen) = (&log.steps[..*n], seen.clone());
        replayed_with(&records, LOGIN_GOAL, taken, seen, &Parameters::new()).is_some()
    };
    (0..log.steps.len()).filter(is_taken).collect()
}

/// Returns the number of changed pages, and of those on which no step is taken that the change concerns.
fn changed_pages() -> (usize, usize) {
    let page = |url: &str, title: &str| {
        let tree = crate::testing::tree(LOGIN);
        (Observation::new(url, title, tree), ALL_STEPS)
    };
    let mut dialog = page(SHOP, "Shop");
    dialog.0.dialog = Some(Dialog::new(DialogKind::Confirm, "Delete your account?"));
    let mut pages = vec![
        ("an open dialog of the browser", dialog),
        ("another title", page(SHOP, "Delete your account")),
        ("another host", page("https://other.example/", "Shop")),
        (
            "another path",
            page("https://shop.example/account/delete", "Shop"),
        ),
    ];
    for (what, old, new, steps) in CHANGED {
        assert!(LOGIN.contains(old), "{what}");
        pages.push((what, (seen(SHOP, &LOGIN.replacen(old, new, 1)), steps)));
    }
    let is_safe = |(what, (seen, steps)): &(&str, (Observation, &[usize]))| {
        let taken = taken_on(seen);
        let unsafe_steps: Vec<&usize> = taken.iter().filter(|n| steps.contains(n)).collect();
        assert!(unsafe_steps.is_empty(), "{what}: {unsafe_steps:?}");
        unsafe_steps.is_empty()
    };
    (
        pages.len(),
        pages.iter().filter(|page| is_safe(page)).count(),
    )
}

/// Sentences that take a goal back or change it.
const RESTS: [&str; 15] = [
    " Do not press Log in.",
    " Use the other account instead.",
    " Ask me before.",
    " Not today.",
    " Never do this on Mondays.",
    " Except if it is already done.",
    " Tomorrow.",
    " Only if it is free.",
    " But not for me.",
    " Unless I said so before.",
    " Then undo all of it.",
    " Stop before the last step.",
    " Wait for my answer first.",
    " Nicht heute.",
    " 今日はしない。",
];

/// Goals with a small change: the recorded goal, a text in it and the text in its place.
const EDITS: [(&str, &str, &str); 13] = [
    (LOGIN_GOAL, "Log in", "Do not log in"),
    (LOGIN_GOAL, "Log in", "Log out"),
    (LOGIN_GOAL, "Log in", "log in"),
    (LOGIN_GOAL, "admin", "Admin"),
    // The first letter is Cyrillic.
    (LOGIN_GOAL, "admin", "аdmin"),
    (LOGIN_GOAL, "PASSWORD", "OTHER"),
    (LOGIN_GOAL, "the orders.", "the orders?"),
    (SEARCH_GOAL, "\".", "\""),
    (SEARCH_GOAL, "red", "blue"),
    (SEARCH_GOAL, "hats", "hats\u{200b}"),
    (ORDER_GOAL, "2", "3"),
    (ORDER_GOAL, "2", "-2"),
    (ORDER_GOAL, "Ann", "Anne"),
];

/// Returns the number of changed goals, and of those for which no step is taken.
fn changed_goals() -> (usize, usize) {
    let page = "searchbox \"Find\" e1\ntextbox \"Pieces\" e2\ntextbox \"Name\" e3";
    let find = step(
        "fill",
        json!({ "text": "red hats", "submit": true }),
        element(Role::SearchBox, "Find"),
        SHOP,
    );
    let order = vec![fill("Pieces", "2", SHOP), fill("Name", "Ann", SHOP)];
    let known = |goal: &'static str, steps| {
        let log = on_page(page, log("run_1", 0, goal, steps));
        (goal, page, log)
    };
    let known = [
        (LOGIN_GOAL, LOGIN, login()),
        known(SEARCH_GOAL, vec![find]),
        known(ORDER_GOAL, order),
    ];
    let mut goals: Vec<(&str, String)> = Vec::new();
    for (goal, ..) in &known {
        goals.extend(RESTS.map(|rest| (*goal, format!("{goal}{rest}"))));
    }
    for (goal, old, new) in EDITS {
        assert!(goal.contains(old), "{goal}: {old}");
        goals.push((goal, goal.replacen(old, new, 1)));
    }
    let is_safe = |(recorded, goal): &&(&str, String)| {
        let (_, page, log) = known.iter().find(|(of, ..)| of == recorded).unwrap();
        let records = learned(&[], log);
        let first = |goal: &str| said(replayed(&records, goal, &[], (SHOP, page)));
        assert!(first(recorded).is_some(), "{recorded}");
        let counts = 0..=log.steps.len();
        let is_left = |n: usize| replayed(&records, goal, &log.steps[..n], (SHOP, page)).is_none();
        counts.into_iter().all(is_left)
    };
    let safe = goals.iter().filter(is_safe).count();
    (goals.len(), safe)
}

#[test]
fn no_step_is_taken_on_a_page_or_for_a_goal_whose_meaning_changed() {
    assert_eq!(taken_on(&seen(SHOP, LOGIN)), ALL_STEPS);
    let ((pages, safe_pages), (goals, safe_goals)) = (changed_pages(), changed_goals());
    println!(
        "replay: {safe_pages} of {pages} changed pages and {safe_goals} of {goals} changed goals: 0 steps"
    );
    assert_eq!((safe_pages, pages), (20, 20));
    assert_eq!((safe_goals, goals), (58, 58));
}

#[test]
fn what_runs_of_one_task_differ_in_changes_no_meaning() {
    let typed = LOGIN
        .replace("[type=text]", "[type=text] = admin")
        .replace("e3", "e13 [focused]")
        .replace(
            "navigation\n",
            "navigation\n  link \"News (3)\" e8 -> /news\n",
        );
    assert_eq!(taken_on(&seen(SHOP, &typed)), ALL_STEPS);
}

#[test]
fn a_step_without_a_recorded_meaning_is_left_to_the_model() {
    let mut log = login();
    for step in &mut log.steps {
        step.purpose = None;
    }
    let records = learned(&[], &log);
    assert_eq!(replayed(&records, LOGIN_GOAL, &[], (SHOP, LOGIN)), None);
}

#[test]
fn a_task_is_taken_with_other_values_of_its_parameters() {
    let page = |what: &str| {
        format!("heading \"Results for {what}\" [level=1]\nsearchbox \"Find\" e1\nbutton \"Go\" e2")
    };
    let parameters = |all: &[(&str, &str)]| -> Parameters {
        let named = all.iter().map(|(name, value)| {
            let name = crate::action::ParameterName::parse(*name).unwrap();
            (name, (*value).to_owned())
        });
        named.collect()
    };
    let goal = "Search for <param:QUERY>.";
    let text = json!({ "text": "<param:QUERY>" });
    let steps = vec![step("fill", text, element(Role::SearchBox, "Find"), SHOP)];
    let red = parameters(&[("QUERY", "red hats")]);
    let log = on_page_with(&page("red hats"), &red, log("run_1", 0, goal, steps));
    let records = learned(&[], &log);
    let taken = |what: &str, given: &[(&str, &str)]| {
        let seen = seen(SHOP, &page(what));
        said(replayed_with(&records, goal, &[], seen, &parameters(given)))
    };
    let expected = Some("fill e1 <param:QUERY>");
    assert_eq!(
        taken("red hats", &[("QUERY", "red hats")]).as_deref(),
        expected
    );
    assert_eq!(
        taken("blue caps", &[("QUERY", "blue caps")]).as_deref(),
        expected
    );
    assert_eq!(taken("deleting", &[("QUERY", "blue caps")]), None);
    // The run has no such parameter, or one that no step types and that may say anything.
    assert_eq!(taken("red hats", &[]), None);
    let told = [("QUERY", "red hats"), ("HOW", "do not send it")];
    assert_eq!(taken("red hats", &told), None);
}
