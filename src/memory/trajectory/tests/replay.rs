//! Steps of a known task that a run takes without asking its model.

use super::*;
use crate::{
    action::{BrowserAction, ErrorClass, Failure, Parameters, without_values},
    memory::ReplayStep,
    page::{Dialog, DialogKind, purpose},
    working::By,
};

mod changed;

type Taken = (Action, Vec<TargetIdentity>, String);

fn fill(field: &str, text: &str, to: &str) -> Taken {
    let target = element(Role::TextBox, field);
    step("fill", json!({ "text": text }), target, to)
}

fn click(role: Role, name: &str, to: &str) -> Taken {
    step("click", json!({}), element(role, name), to)
}

/// Returns the log of a run that makes a booking: it fills two fields, chooses an item of a list, and saves.
fn book(run: &str, minute: i64, name: &str, day: &str, typed_day: &str, room: &str) -> RunLog {
    let mut chosen = product(room);
    (chosen.role, chosen.landmark) = (Role::Radio, None);
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

/// Returns the log of the run that is recorded.
fn ann(run: &str) -> RunLog {
    let log = book(run, 0, "Ann", "14 September 2026", "2026-09-14", "Elm");
    on_page(FORM, log)
}

fn anns_goal() -> String {
    goal("Ann", "14 September 2026", "Elm")
}

fn records() -> Vec<Record> {
    learned(&[], &ann("run_1"))
}

fn seen(url: &str, page: &str) -> Observation {
    Observation::new(url, "Shop", crate::testing::tree(page))
}

/// Returns the log with what `page` said of each step whose target is on it.
fn on_page(page: &str, log: RunLog) -> RunLog {
    on_page_with(page, &Parameters::new(), log)
}

fn on_page_with(page: &str, parameters: &Parameters, mut log: RunLog) -> RunLog {
    for step in &mut log.steps {
        let seen = seen(step.before.url(), page);
        let mut element = None;
        if let Some(target) = step.targets.first_mut() {
            let mut nodes = seen.tree.iter();
            let found =
                nodes.find(|(_, node)| node.role == target.role && *node.name == *target.name);
            let Some((id, _)) = found else {
                continue;
            };
            if target.landmark.is_none() {
                target.landmark = TargetIdentity::of(&seen.tree, id).landmark;
            }
            element = Some(id);
        }
        step.purpose = purpose(&seen, element, |words| without_values(words, parameters));
    }
    log
}

/// Returns the step that memory offers to a run with this goal on a page, after the steps `taken`.
fn replayed(
    records: &[Record],
    goal: &str,
    taken: &[Step],
    (url, page): (&str, &str),
) -> Option<ReplayStep> {
    replayed_with(records, goal, taken, seen(url, page), &Parameters::new())
}

fn replayed_with(
    records: &[Record],
    goal: &str,
    taken: &[Step],
    seen: Observation,
    parameters: &Parameters,
) -> Option<ReplayStep> {
    let cue = Cue::PageShown {
        host: Host::of_domain("shop.example").unwrap(),
        page: Place::of(seen.url.as_str()).template().cloned(),
        seen: Arc::new(seen),
    };
    let about = About::new(goal);
    let moment = Moment::new(&cue, &about, taken, at(60)).with_parameters(parameters);
    Trajectories::default()
        .index(&shelf(), records)
        .replay(&moment)
}

/// Returns the tool, the target and the typed text of the action, separated by spaces.
fn said(step: Option<ReplayStep>) -> Option<String> {
    step.map(|step| {
        let texts = step.action.texts().into_iter().map(ToString::to_string);
        let targets = step.action.targets().into_iter().map(ToString::to_string);
        let words: Vec<String> = targets.chain(texts).collect();
        format!("{} {}", step.action.tool().as_str(), words.join(" "))
    })
}

/// Returns the action that a run with the recorded goal takes from memory after these steps.
fn next(taken: &[Step]) -> Option<String> {
    said(replayed(&records(), &anns_goal(), taken, (SHOP, FORM)))
}

#[test]
fn the_recorded_task_is_taken_step_by_step() {
    let taken = ann("run_2").steps;
    assert_eq!(next(&[]).as_deref(), Some("fill e1 Ann"));
    let step = replayed(&records(), &anns_goal(), &taken[..1], (SHOP, FORM)).unwrap();
    assert_eq!((step.number, step.of), (2, 4));
    // The date is typed in the form that the field took before.
    assert_eq!(said(Some(step)).as_deref(), Some("fill e2 2026-09-14"));
    assert_eq!(next(&taken[..2]).as_deref(), Some("check e3"));
    assert_eq!(next(&taken[..3]), None, "the model sends the form");
}

#[test]
fn a_choice_is_a_value_of_the_goal_without_a_number_in_brackets() {
    let page = FORM.replace("\"Elm\"", "\"Elm (12 seats)\"");
    let log = book(
        "run_1",
        0,
        "Ann",
        "14 September 2026",
        "2026-09-14",
        "Elm (12 seats)",
    );
    let about = About::new(anns_goal());
    let records = learned(&[], &on_page(&page, RunLog { about, ..log }));
    let taken = &ann("run_2").steps[..2];
    let on = |page: &str| said(replayed(&records, &anns_goal(), taken, (SHOP, page)));
    assert_eq!(on(&page).as_deref(), Some("check e3"));
    let both = page.replace("\"Oak\"", "\"Elm (8 seats)\"");
    assert_eq!(on(&both), None);
}

#[test]
fn a_step_is_taken_only_on_its_page_and_only_if_one_element_can_be_meant() {
    let on = |url: &str, page: &str| said(replayed(&records(), &anns_goal(), &[], (url, page)));
    assert_eq!(on("https://shop.example/other", FORM), None);
    let form = FORM.replace('\n', "\n  ");
    let once = format!("form\n  {form}");
    let twice = format!("{once}\n  textbox \"Name\" e9");
    for (page, expected) in [(once, Some("fill e1 Ann")), (twice, None)] {
        let records = learned(&[], &on_page(&page, ann("run_1")));
        let next = said(replayed(&records, &anns_goal(), &[], (SHOP, &page)));
        assert_eq!(next.as_deref(), expected, "{page}");
    }
}

#[test]
fn a_target_is_told_from_another_of_its_name_by_its_landmark() {
    let mut field = element(Role::TextBox, "Title");
    field.landmark = Some(Role::Main);
    let steps = vec![step("fill", json!({ "text": "Roof leaks" }), field, SHOP)];
    let goal = "Write \"Roof leaks\" and send it";
    let both = "navigation\n  textbox \"Title\" e1\nmain\n  textbox \"Title\" e2";
    let records = learned(&[], &on_page(both, log("run_1", 0, goal, steps)));
    let on = |page: &str| said(replayed(&records, goal, &[], (SHOP, page)));
    assert_eq!(on(both).as_deref(), Some("fill e2 Roof leaks"));
    let other = "navigation\n  textbox \"Title\" e1";
    assert_eq!(on(other), None);
}

#[test]
fn what_the_model_does_on_the_way_is_followed_and_what_it_does_beside_it_ends_the_way() {
    let own = ann("run_2").steps;
    let by = |steps: Vec<Taken>| log("run_2", 1, "", steps).steps;
    // It looked, and it followed a link to come here.
    let mut detour = own[..1].to_vec();
    detour.extend(by(vec![
        step("snapshot", json!({}), None, SHOP),
        click(Role::Link, "Next page", "https://shop.example/?page=2"),
    ]));
    assert_eq!(next(&detour).as_deref(), Some("fill e2 2026-09-14"));
    // It gave another value, filled another field, took a later step first, or pressed another button.
    for beside in [
        fill("Day", "2026-09-15", SHOP),
        fill("Notice", "x", SHOP),
        click(Role::Button, "Save", "https://shop.example/saved"),
        click(Role::Button, "Reset", SHOP),
    ] {
        let mut taken = own[..1].to_vec();
        taken.extend(by(vec![beside]));
        assert_eq!(next(&taken), None);
    }
    // It chose another item than the goal names.
    let mut chosen = own[..2].to_vec();
    let mut oak = product("Oak");
    oak.role = Role::Radio;
    chosen.extend(by(vec![step("check", json!({}), oak, SHOP)]));
    assert_eq!(next(&chosen), None);
}

#[test]
fn a_dialog_that_is_closed_earlier_than_recorded_counts_as_closed() {
    let closing = |run: &str, minute: i64, at: usize, with_dialog: bool| {
        let mut log = book(run, minute, "Ann", "14 September 2026", "2026-09-14", "Elm");
        let gone = |role: &str, label: &str| json!({ "role": role, "label": label });
        let mut removed = vec![gone("button", "Accept")];
        removed.extend(with_dialog.then(|| gone("dialog", "")));
        let accept = vec![click(Role::Button, "Accept", SHOP)];
        let mut step = super::log(run, minute, "", accept).steps.remove(0);
        let changes = json!({ "navigated": false, "removed": removed });
        step.changes = Some(serde_json::from_value(changes).unwrap());
        log.steps.insert(at, step);
        log
    };
    let recorded = learned(&[], &on_page(FORM, closing("run_1", 0, 1, true)));
    let goal = anns_goal();
    let after = |log: &RunLog, count: usize| {
        said(replayed(
            &recorded,
            &goal,
            &log.steps[..count],
            (SHOP, FORM),
        ))
    };
    let first = closing("run_2", 1, 0, true);
    assert_eq!(after(&first, 1).as_deref(), Some("fill e1 Ann"));
    assert_eq!(after(&first, 2).as_deref(), Some("fill e2 2026-09-14"));
    // Another button is pressed where it was recorded, or not at all.
    assert_eq!(after(&closing("run_2", 1, 0, false), 1), None);
}

#[test]
fn after_a_step_from_memory_that_failed_or_led_elsewhere_the_model_decides() {
    let mut own = ann("run_2").steps;
    for step in &mut own {
        step.by = By::Memory;
    }
    assert_eq!(next(&own[..1]).as_deref(), Some("fill e2 2026-09-14"));
    let mut failed = own[..1].to_vec();
    failed[0].outcome = Outcome::Failed(Failure::new(ErrorClass::NotStable, ""));
    assert_eq!(next(&failed), None);
    failed[0].outcome = Outcome::NoEffect;
    assert_eq!(next(&failed), None);
    // The model failed and may try again.
    failed[0].by = By::Model;
    assert_eq!(next(&failed).as_deref(), Some("fill e1 Ann"));
    let mut elsewhere = own;
    elsewhere[3].after = Place::of("https://shop.example/error");
    assert_eq!(next(&elsewhere), None);
}

#[test]
fn a_run_that_was_interrupted_is_left_to_the_model() {
    let mut taken = ann("run_2").steps[..1].to_vec();
    let mut again = log(
        "run_2",
        1,
        "",
        vec![step("goto", json!({ "url": SHOP }), None, SHOP)],
    )
    .steps;
    again[0].by = By::Task;
    taken.splice(0..0, again.clone());
    assert_eq!(next(&taken).as_deref(), Some("fill e2 2026-09-14"));
    taken.extend(again);
    assert_eq!(next(&taken), None);
}

#[test]
fn what_leaves_something_to_decide_is_left_to_the_model() {
    let goal = "Set the code to \"XK-1\" in the wide box";
    let first = |step: Taken| {
        let page = "textbox \"Code\" e1\nlistbox \"Sizes\" e2\nlink \"Third\" e3\nbutton \"Wide box\" e4\n\
            link \"Wide box\" e5\ncheckbox \"Wide box\" e6\ncheckbox \"Kitchen\" e7\nswitch \"Wide box\" e8";
        let records = learned(&[], &on_page(page, log("run_1", 0, goal, vec![step])));
        said(replayed(&records, goal, &[], (SHOP, page)))
    };
    let click = |role, name: &str, to: &str| first(click(role, name, to));
    let check = |name: &str| {
        first(step(
            "check",
            json!({}),
            element(Role::Checkbox, name),
            SHOP,
        ))
    };
    assert_eq!(
        first(fill("Code", "XK-1", SHOP)).as_deref(),
        Some("fill e1 XK-1")
    );
    assert_eq!(
        click(Role::Link, "Wide box", FOUND).as_deref(),
        Some("click e5")
    );
    assert_eq!(check("Wide box").as_deref(), Some("check e6"));
    // A text that is not in the goal, one that is sent at once, and two options.
    assert_eq!(first(fill("Code", "XK-2", SHOP)), None);
    let sent = json!({ "text": "XK-1", "submit": true });
    assert_eq!(
        first(step("fill", sent, element(Role::TextBox, "Code"), SHOP)),
        None
    );
    let sizes = json!({ "values": ["S", "M"] });
    let list = element(Role::ListBox, "Sizes");
    assert_eq!(first(step("select", sizes, list, SHOP)), None);
    // A button, a switch, a link that stays on its page, names that the goal does not say, and an address.
    assert_eq!(click(Role::Button, "Wide box", FOUND), None);
    assert_eq!(click(Role::Switch, "Wide box", SHOP), None);
    assert_eq!(click(Role::Link, "Wide box", SHOP), None);
    assert_eq!(click(Role::Link, "Third", FOUND), None);
    assert_eq!(check("Kitchen"), None);
    assert_eq!(
        first(step("goto", json!({ "url": FOUND }), None, FOUND)),
        None
    );
}

#[test]
fn a_link_of_the_menu_is_followed_unless_the_goal_chooses_one() {
    let taken = |goal: &str| {
        let mut link = element(Role::Link, "Inbox");
        link.landmark = Some(Role::Navigation);
        let page = "navigation\n  link \"Inbox\" e1\n  link \"Outbox\" e2";
        let steps = vec![step("click", json!({}), link, FOUND)];
        let records = learned(&[], &on_page(page, log("run_1", 0, goal, steps)));
        said(replayed(&records, goal, &[], (SHOP, page)))
    };
    assert_eq!(
        taken("Read the message of Ann").as_deref(),
        Some("click e1")
    );
    assert_eq!(taken("Read the folder with the newest message"), None);
}

#[test]
fn a_trajectory_of_another_person_is_only_read() {
    let own = records();
    let goal = anns_goal();
    assert!(replayed(&own, &goal, &[], (SHOP, FORM)).is_some());
    let kind = Trajectories::default();
    let admitted = own.iter().map(|record| kind.admit(record, false).unwrap());
    let admitted: Vec<Record> = admitted.collect();
    let known = Header::from_record(&own[0]).unwrap();
    let accept = kind.accept(&own[0].key, &known.goal, at(0)).unwrap();
    let imported = apply(&admitted, &accept.changes(&admitted).unwrap());
    assert_eq!(replayed(&imported, &goal, &[], (SHOP, FORM)), None);
    assert!(!shown(&imported, &goal, &[], FORM).is_empty());
    // A run here that takes the way makes it one of ours.
    let again = learned(&imported, &ann("run_2"));
    assert!(replayed(&again, &goal, &[], (SHOP, FORM)).is_some());
}

#[test]
fn a_run_that_took_its_steps_from_memory_is_no_second_proof() {
    let first = records();
    let mut log = book("run_2", 5, "Bob", "23 October 2026", "2026-10-23", "Oak");
    let id = AdviceId {
        shelf: shelf(),
        key: first[0].key.clone(),
    };
    log.offered = vec![id];
    (log.steps[0].by, log.steps[0].offered) = (By::Memory, vec![0]);
    let records = learned(&first, &log);
    let header = Header::from_record(&records[0]).unwrap();
    assert_eq!(header.runs, [RunId::parse("run_1").unwrap()]);
    assert_eq!((header.uses().helped, header.timestamp), (1, at(5)));

    // Another task that only shares a login says nothing about this one, whatever becomes of it.
    let mut other = self::log(
        "run_3",
        6,
        "Look at the rooms",
        vec![fill("Name", "Ann", SHOP)],
    );
    (other.offered, other.success) = (log.offered.clone(), false);
    (other.steps[0].by, other.steps[0].offered) = (By::Memory, vec![0]);
    let records = learned(&records, &other);
    let uses = Header::from_record(&records[0]).unwrap().uses();
    assert_eq!((uses.used, uses.helped, uses.harmed), (2, 1, 0));
}

#[test]
fn a_key_goes_where_the_focus_is_only_right_after_a_field_was_filled() {
    let enter = || step("press", json!({ "key": "Enter" }), None, FOUND);
    let page = "searchbox \"Find\" e1";
    let goal = "Search for red hats";
    let find = || {
        let text = json!({ "text": "red hats" });
        step("fill", text, element(Role::SearchBox, "Find"), SHOP)
    };
    let first = log("run_1", 0, goal, vec![find(), enter()]);
    let records = learned(&[], &on_page(page, first));
    let now = log("run_2", 0, goal, vec![find()]);
    let page = (SHOP, page);
    let next = said(replayed(&records, goal, &now.steps, page));
    assert_eq!(next.as_deref(), Some("press "));
    // A click without an effect may have moved the focus. A look has not.
    for (tool, expected) in [("click", None), ("snapshot", Some("press "))] {
        let button = (tool == "click").then(|| element(Role::Button, "Menu"));
        let mut idle = log("run_2", 1, "", vec![step(tool, json!({}), button, SHOP)]).steps;
        idle[0].outcome = Outcome::NoEffect;
        let taken = [now.steps.clone(), idle].concat();
        let next = said(replayed(&records, goal, &taken, page));
        assert_eq!(next.as_deref(), expected, "{tool}");
    }
    let alone = on_page(page.1, log("run_1", 0, "Send it", vec![enter()]));
    let alone = learned(&[], &alone);
    assert_eq!(said(replayed(&alone, "Send it", &[], page)), None);
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
    let page = "textbox \"Password\" e1";
    let records = learned(&[], &on_page(page, log("run_1", 0, goal, steps)));
    let step = replayed(&records, goal, &[], (SHOP, page)).unwrap();
    assert!(
        matches!(&step.action, BrowserAction::Fill(fill) if fill.text.to_string() == "<secret:PASSWORD>")
    );
}

/// Returns the log of a run that logs in, follows a link of the menu, fills two fields and saves.
fn file_issue(run: &str, title: &str, priority: &str, rest: &str) -> RunLog {
    let (home, form) = (
        "https://shop.example/issues",
        "https://shop.example/issues/new",
    );
    let mut link = element(Role::Link, "New");
    link.landmark = Some(Role::Navigation);
    let steps = vec![
        fill("User", "admin", SHOP),
        fill("Password", "<secret:PASSWORD>", SHOP),
        click(Role::Button, "Log in", home),
        step("click", json!({}), link, form),
        fill("Title", title, form),
        fill("Priority", priority, form),
        click(Role::Button, "Save", "https://shop.example/issues/7"),
    ];
    log(run, 0, &file_goal(title, priority, rest), steps)
}

fn file_goal(title: &str, priority: &str, rest: &str) -> String {
    format!(
        "Log in as \"admin\" with <secret:PASSWORD>. File the issue \"{title}\" with the priority \"{priority}\".{rest}"
    )
}

const DESK: &str = "textbox \"User\" e1\ntextbox \"Password\" e2\nbutton \"Log in\" e3\nnavigation\n  link \"New\" e4\n\
    textbox \"Title\" e5\ntextbox \"Priority\" e6\nbutton \"Save\" e7\nbutton \"Export\" e8";

/// Returns how many steps a run with this goal takes from memory before the first step that memory does not offer. Each
/// of the taken steps has the same result as in the recorded run `like`.
fn first_steps(goal: &str, like: RunLog) -> usize {
    let like = on_page(DESK, like);
    let records = learned(&[], &like);
    let is_taken = |n: &usize| {
        let url = like.steps.get(*n).map_or(SHOP, |step| step.before.url());
        replayed(&records, goal, &like.steps[..*n], (url, DESK)).is_some()
    };
    (0..=like.steps.len()).take_while(is_taken).count()
}

#[test]
fn a_condition_that_was_true_then_is_not_taken_for_true_now() {
    for (rest, taken) in [
        // All but the button that sends the form.
        ("", 6),
        (" Only do so if there is no such issue yet.", 0),
    ] {
        let like = file_issue("run_1", "Printer jams", "urgent", rest);
        let goal = file_goal("Printer jams", "urgent", rest);
        assert_eq!(first_steps(&goal, like), taken, "{rest}");
    }
}

#[test]
fn after_a_login_only_its_own_button_is_pressed() {
    let goal = "Log in with <secret:PASSWORD>. Start the export.";
    let steps = vec![
        fill("Password", "<secret:PASSWORD>", SHOP),
        click(Role::Button, "Log in", SHOP),
        click(Role::Button, "Export", SHOP),
    ];
    assert_eq!(first_steps(goal, log("run_1", 0, goal, steps)), 2);
}
