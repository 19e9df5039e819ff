//! Steps of a known task that a run takes without its model.

use super::*;
use crate::{
    action::{BrowserAction, ErrorClass, Failure},
    memory::ReplayStep,
    working::By,
};

type Taken = (Action, Vec<TargetIdentity>, String);

fn fill(field: &str, text: &str, to: &str) -> Taken {
    let target = element(Role::TextBox, field);
    step("fill", json!({ "text": text }), target, to)
}

fn click(role: Role, name: &str, to: &str) -> Taken {
    step("click", json!({}), element(role, name), to)
}

/// A booking: two fields, an item of a list, and the button that saves it.
fn book(run: &str, minute: i64, name: &str, day: &str, typed_day: &str, room: &str) -> RunLog {
    let mut chosen = product(room);
    chosen.role = Role::Radio;
    let steps = vec![
        fill("Name", name, SHOP),
        fill("Day", typed_day, SHOP),
        step("check", json!({}), chosen, SHOP),
        click(Role::Button, "Save", "https://shop.example/saved"),
    ];
    log(run, minute, &goal(name, day, room), steps)
}

fn goal(name: &str, day: &str, room: &str) -> String {
    format!("Book the room \"{room}\" for \"{name}\" on {day} and save it")
}

const FORM: &str = "textbox \"Name\" e1\ntextbox \"Day\" e2\nradio \"Elm\" e3\nradio \"Oak\" e4\nbutton \"Save\" e5";

fn records() -> Vec<Record> {
    let first = book("run_1", 0, "Ann", "14 September 2026", "2026-09-14", "Elm");
    learned(&[], &first)
}

/// Returns the step that a run with this goal takes on a page from memory.
fn replayed(
    records: &[Record],
    goal: &str,
    taken: &[Step],
    (url, page): (&str, &str),
) -> Option<ReplayStep> {
    let seen = Observation::new(url, "Shop", crate::testing::tree(page));
    let cue = Cue::PageShown {
        host: Host::of_domain("shop.example").unwrap(),
        page: Place::of(url).template().cloned(),
        seen: Arc::new(seen),
    };
    let about = About::new(goal);
    let moment = Moment::new(&cue, &about, taken, at(60));
    Trajectories::default()
        .index(&shelf(), records)
        .replay(&moment)
}

/// Returns the action as `tool target text`.
fn said(step: Option<ReplayStep>) -> Option<String> {
    step.map(|step| {
        let texts = step.action.texts().into_iter().map(ToString::to_string);
        let targets = step.action.targets().into_iter().map(ToString::to_string);
        let words: Vec<String> = targets.chain(texts).collect();
        format!("{} {}", step.action.tool().as_str(), words.join(" "))
    })
}

/// Returns what a run with Bob's goal takes from memory after these steps.
fn next(taken: &[Step]) -> Option<String> {
    let goal = goal("Bob", "23 October 2026", "Oak");
    said(replayed(&records(), &goal, taken, (SHOP, FORM)))
}

/// The steps of Bob's run.
fn bobs() -> Vec<Step> {
    book("run_2", 1, "Bob", "23 October 2026", "2026-10-23", "Oak").steps
}

#[test]
fn a_task_with_other_values_is_taken_step_by_step_with_them() {
    let bob = bobs();
    assert_eq!(next(&[]).as_deref(), Some("fill e1 Bob"));
    // The date is typed in the form that the field took before.
    assert_eq!(next(&bob[..1]).as_deref(), Some("fill e2 2026-10-23"));
    assert_eq!(next(&bob[..2]).as_deref(), Some("check e4"));
    assert_eq!(next(&bob[..3]).as_deref(), Some("click e5"));
    assert_eq!(next(&bob), None, "the model ends the task");

    let own = goal("Ann", "14 September 2026", "Elm");
    let step = replayed(&records(), &own, &bob[..1], (SHOP, FORM)).unwrap();
    assert_eq!((step.number, step.of), (2, 4));
    assert_eq!(said(Some(step)).as_deref(), Some("fill e2 2026-09-14"));
}

#[test]
fn another_task_is_not_taken() {
    for other in [
        "Book the room \"Oak\" for \"Bob\" on 23 October 2026 and print it",
        "Book the room \"Oak\" for \"Bob\" on 23 October 2026 and save it twice",
        "Do not book the room \"Oak\" for \"Bob\" on 23 October 2026 and save it",
        // The value is of another type.
        "Book the room \"Oak\" for \"Bob\" on Friday and save it",
    ] {
        assert_eq!(
            replayed(&records(), other, &[], (SHOP, FORM)),
            None,
            "{other}"
        );
    }
}

#[test]
fn a_step_is_taken_only_on_its_page_and_only_if_one_element_can_be_meant() {
    let goal = goal("Bob", "23 October 2026", "Oak");
    let on = |url: &str, page: &str, taken: &[Step]| {
        said(replayed(&records(), &goal, taken, (url, page)))
    };
    assert_eq!(on("https://shop.example/other", FORM, &[]), None);
    assert_eq!(
        on(SHOP, "textbox \"Name\" e1\ntextbox \"Name\" e2", &[]),
        None
    );
    assert_eq!(on(SHOP, "searchbox \"Name\" e1", &[]), None);
    let bob = bobs();
    // A name that says more than the value is taken, unless two do.
    let longer = "radio \"Oak (first floor)\" e3\nradio \"Elm\" e4";
    assert_eq!(on(SHOP, longer, &bob[..2]).as_deref(), Some("check e3"));
    let both = "radio \"Oak (first floor)\" e3\nradio \"Oak (second floor)\" e4";
    assert_eq!(on(SHOP, both, &bob[..2]), None);
}

#[test]
fn a_target_is_told_from_another_of_its_name_by_its_landmark() {
    let mut save = element(Role::Button, "Save");
    save.landmark = Some(Role::Main);
    let steps = vec![step("click", json!({}), save, SHOP)];
    let records = learned(&[], &log("run_1", 0, "Save it", steps));
    let page = "navigation\n  button \"Save\" e1\nmain\n  button \"Save\" e2";
    let taken = replayed(&records, "Save it", &[], (SHOP, page));
    assert_eq!(said(taken).as_deref(), Some("click e2"));
}

#[test]
fn what_the_model_does_on_the_way_is_followed_and_what_it_does_beside_it_ends_the_way() {
    let bob = bobs();
    let by = |steps: Vec<Taken>| log("run_2", 1, "", steps).steps;
    // It looked, and it followed a link to come here.
    let mut detour = bob[..1].to_vec();
    detour.extend(by(vec![
        step("snapshot", json!({}), None, SHOP),
        click(Role::Link, "Next page", "https://shop.example/?page=2"),
    ]));
    assert_eq!(next(&detour).as_deref(), Some("fill e2 2026-10-23"));
    // It gave another value, took a later step first, or pressed another button.
    for beside in [
        fill("Notice", "x", SHOP),
        click(Role::Button, "Save", "https://shop.example/saved"),
        click(Role::Button, "Reset", SHOP),
    ] {
        let mut taken = bob[..1].to_vec();
        taken.extend(by(vec![beside]));
        assert_eq!(next(&taken), None);
    }
    // It chose another item than the goal names.
    let mut chosen = bob[..2].to_vec();
    let mut elm = product("Elm");
    elm.role = Role::Radio;
    chosen.extend(by(vec![step("check", json!({}), elm, SHOP)]));
    assert_eq!(next(&chosen), None);
}

#[test]
fn after_a_step_from_memory_that_failed_or_led_elsewhere_the_model_decides() {
    let mut bob = bobs();
    for step in &mut bob {
        step.by = By::Memory;
    }
    assert_eq!(next(&bob[..1]).as_deref(), Some("fill e2 2026-10-23"));
    let mut failed = bob[..1].to_vec();
    failed[0].outcome = Outcome::Failed(Failure::new(ErrorClass::NotStable, ""));
    assert_eq!(next(&failed), None);
    failed[0].outcome = Outcome::NoEffect;
    assert_eq!(next(&failed), None);
    // The model failed and may try again.
    failed[0].by = By::Model;
    assert_eq!(next(&failed).as_deref(), Some("fill e1 Bob"));
    let mut elsewhere = bob;
    elsewhere[3].after = Place::of("https://shop.example/error");
    let goal = goal("Bob", "23 October 2026", "Oak");
    assert_eq!(replayed(&records(), &goal, &elsewhere, (SHOP, FORM)), None);
}

#[test]
fn a_run_that_was_interrupted_is_left_to_the_model() {
    let mut taken = bobs()[..1].to_vec();
    let mut again = log(
        "run_2",
        1,
        "",
        vec![step("goto", json!({ "url": SHOP }), None, SHOP)],
    )
    .steps;
    again[0].by = By::Task;
    taken.splice(0..0, again.clone());
    assert_eq!(next(&taken).as_deref(), Some("fill e2 2026-10-23"));
    taken.extend(again);
    assert_eq!(next(&taken), None);
}

#[test]
fn what_memory_does_not_keep_is_left_to_the_model() {
    let goal = "Set it up";
    let first = |step: Taken| {
        let records = learned(&[], &log("run_1", 0, goal, vec![step]));
        let page = "textbox \"Code\" e1\nlistbox \"Sizes\" e2\nlink \"Third\" e3\nbutton \"Third\" e5\nbutton \"Open\" e4";
        said(replayed(&records, goal, &[], (SHOP, page)))
    };
    assert_eq!(
        first(click(Role::Button, "Open", SHOP)).as_deref(),
        Some("click e4")
    );
    // A text that is not in the goal, two options, an item of a list, another mouse button, an address.
    assert_eq!(first(fill("Code", "XK-1", SHOP)), None);
    let sizes = json!({ "values": ["S", "M"] });
    assert_eq!(
        first(step("select", sizes, element(Role::ListBox, "Sizes"), SHOP)),
        None
    );
    for role in [Role::Link, Role::Button] {
        let mut third = product("Third");
        third.role = role;
        assert_eq!(first(step("click", json!({}), third, SHOP)), None);
    }
    let right = json!({ "button": "right" });
    assert_eq!(
        first(step("click", right, element(Role::Button, "Open"), SHOP)),
        None
    );
    assert_eq!(
        first(step("goto", json!({ "url": FOUND }), None, FOUND)),
        None
    );
}

#[test]
fn a_key_goes_where_the_focus_is_only_right_after_a_field_was_filled() {
    let enter = || step("press", json!({ "key": "Enter" }), None, FOUND);
    let goal = |what: &str| format!("Search for {what}");
    let first = log(
        "run_1",
        0,
        &goal("red hats"),
        vec![fill("Find", "red hats", SHOP), enter()],
    );
    let records = learned(&[], &first);
    let now = log(
        "run_2",
        0,
        &goal("blue caps"),
        vec![fill("Find", "blue caps", SHOP)],
    );
    let page = (SHOP, "textbox \"Find\" e1");
    let next = said(replayed(&records, &now.about.goal, &now.steps, page));
    assert_eq!(next.as_deref(), Some("press "));
    let alone = learned(&[], &log("run_1", 0, "Send it", vec![enter()]));
    assert_eq!(said(replayed(&alone, "Send it", &[], page)), None);
}

#[test]
fn a_part_of_an_address_may_be_the_value() {
    let open = |name: &str, slug: &str| {
        let page = format!("https://shop.example/product/{slug}");
        vec![
            step("click", json!({}), product(name), &page),
            click(Role::Button, "Put into cart", &page),
        ]
    };
    let goal = |name: &str| format!("Put one \"{name}\" into the cart");
    let first = log(
        "run_1",
        0,
        &goal("Wool Socks"),
        open("Wool Socks", "wool-socks"),
    );
    let records = learned(&[], &first);
    let now = log("run_2", 0, &goal("Rain Hat"), open("Rain Hat", "rain-hat"));
    let page = "button \"Put into cart\" e1";
    let on = |url: &str| {
        let taken = &now.steps[..1];
        said(replayed(&records, &now.about.goal, taken, (url, page)))
    };
    assert_eq!(
        on("https://shop.example/product/rain-hat").as_deref(),
        Some("click e1")
    );
    assert_eq!(on("https://shop.example/imprint/rain-hat"), None);
}

#[test]
fn a_secret_is_typed_as_its_placeholder() {
    let goal = "Log in with <secret:PASSWORD>";
    let steps = vec![step(
        "fill",
        json!({ "text": "<secret:PASSWORD>" }),
        element(Role::TextBox, "Password"),
        SHOP,
    )];
    let records = learned(&[], &log("run_1", 0, goal, steps));
    let page = "textbox \"Password\" e1";
    let step = replayed(&records, goal, &[], (SHOP, page)).unwrap();
    assert!(
        matches!(&step.action, BrowserAction::Fill(fill) if fill.text.to_string() == "<secret:PASSWORD>")
    );
}

/// A login, a form with two fields and its button.
fn file_issue(run: &str, title: &str, priority: &str, rest: &str) -> RunLog {
    let home = "https://shop.example/issues";
    let steps = vec![
        fill("User", "admin", SHOP),
        fill("Password", "<secret:PASSWORD>", SHOP),
        click(Role::Button, "Log in", home),
        click(Role::Button, "New", home),
        fill("Title", title, home),
        fill("Priority", priority, home),
        click(Role::Button, "Save", "https://shop.example/issues/7"),
    ];
    log(run, 0, &file_goal(title, priority, rest), steps)
}

fn file_goal(title: &str, priority: &str, rest: &str) -> String {
    format!(
        "Log in as \"admin\" with <secret:PASSWORD>. File the issue \"{title}\" with the priority \"{priority}\".{rest}"
    )
}

/// Returns all steps that a run with this goal takes from memory, if each works as it did before.
fn whole_way(records: &[Record], goal: &str, like: &RunLog, pages: &str) -> Vec<String> {
    let mut said_all = Vec::new();
    for n in 0..=like.steps.len() {
        let url = like.steps.get(n).map_or(SHOP, |step| step.before.url());
        match said(replayed(records, goal, &like.steps[..n], (url, pages))) {
            Some(step) => said_all.push(step),
            None => break,
        }
    }
    said_all
}

const ISSUE: &str = "textbox \"User\" e1\ntextbox \"Password\" e2\nbutton \"Log in\" e3\nbutton \"New\" e4\n\
    textbox \"Title\" e5\ntextbox \"Priority\" e6\nbutton \"Save\" e7";

#[test]
fn a_goal_that_only_begins_alike_shares_the_steps_of_that_beginning_and_sends_no_form_but_a_login()
{
    let records = learned(&[], &file_issue("run_1", "Printer jams", "urgent", ""));
    let like = file_issue("run_2", "Roof leaks", "wish", "");
    let way = |goal: &str| whole_way(&records, goal, &like, ISSUE).len();
    // The whole task, with other values.
    assert_eq!(way(&file_goal("Roof leaks", "wish", "")), 7);
    // Another sentence follows, so the form is filled and not sent.
    let more = file_goal(
        "Roof leaks",
        "wish",
        " Only do so if there is no such issue yet.",
    );
    assert_eq!(way(&more), 6);
    // Only the login is the same.
    let other = "Log in as \"admin\" with <secret:PASSWORD>. Close the issue \"Printer jams\" with the priority \"urgent\".";
    assert_eq!(way(other), 3);
    // A sentence in front, or another password: nothing is the same.
    for none in [
        "Look at the weather. Log in as \"admin\" with <secret:PASSWORD>. File the issue \"A\" with the priority \"wish\".",
        "Log in as \"admin\" with <secret:OTHER>. File the issue \"Roof leaks\" with the priority \"wish\".",
    ] {
        assert_eq!(way(none), 0, "{none}");
    }
}

#[test]
fn a_recorded_goal_with_more_sentences_shares_those_that_a_shorter_one_has() {
    let recorded = file_issue("run_1", "Printer jams", "urgent", " Then log out.");
    let records = learned(&[], &recorded);
    let like = file_issue("run_2", "Roof leaks", "wish", "");
    let goal = file_goal("Roof leaks", "wish", "");
    assert_eq!(whole_way(&records, &goal, &like, ISSUE).len(), 6);
}

#[test]
fn a_full_stop_inside_of_quotes_ends_no_sentence() {
    let records = learned(&[], &file_issue("run_1", "Stop. Now. Go.", "urgent", ""));
    let like = file_issue("run_2", "Wait! Then go.", "wish", "");
    let goal = file_goal("Wait! Then go.", "wish", "");
    assert_eq!(whole_way(&records, &goal, &like, ISSUE).len(), 7);
    let more = file_goal("Wait! Then go.", "wish", " Tell its number.");
    assert_eq!(whole_way(&records, &more, &like, ISSUE).len(), 6);
}
