use std::{collections::BTreeMap, sync::OnceLock};

use super::*;
use crate::{
    action::{
        Action, BrowserAction, Effect, ErrorClass, Failure, Outcome, Parameters, RawCall,
        Signature, ToolSet, parse_calls,
    },
    memory::{Use, apply},
    page::{
        Identities, Observation, PageHead, Searched, TargetIdentity, ViewOptions, interpret,
        item_words,
    },
    working::{About, By, Chosen, Place, Step},
};

mod aims;
mod forms;

const DESK: &str = "https://desk.example/tickets/new";
const SAVED: &str = "https://desk.example/tickets/7";
const PAGE: &str = "heading \"New ticket\" [level=1]\nform \"Ticket\"\n  textbox \"Subject\" e1\n  textbox \"Amount\" e2\n  combobox \"Priority\" e3\n  button \"Save\" e4";

fn at(minute: i64) -> DateTime<Utc> {
    "2026-01-02T03:04:05Z".parse::<DateTime<Utc>>().unwrap() + TimeDelta::minutes(minute)
}

fn seen(url: &str, page: &str) -> Observation {
    Observation::new(url, "Desk", crate::testing::tree(page))
}

/// Returns a step that a run took on a page.
fn step(tool: &str, arguments: Value, page: &Observation, to: &str) -> Step {
    let tools = ToolSet::new(
        &crate::action::BrowserTool::ALL.iter().copied().collect(),
        false,
        [],
    );
    let call = RawCall::new(tool, arguments);
    let action = parse_calls(&[call], "", &tools).unwrap().remove(0).unwrap();
    taken(action, page, to)
}

fn taken(action: Action, page: &Observation, to: &str) -> Step {
    let ids: Vec<_> = action
        .references()
        .into_iter()
        .filter_map(|reference| page.tree.by_ref(reference.as_str()))
        .collect();
    let targets: Vec<TargetIdentity> = ids
        .iter()
        .map(|id| TargetIdentity::of(&page.tree, *id))
        .collect();
    let signature = Signature::of(&action, &targets, &page.url);
    let mut step = Step::new(1, action, Outcome::Done, signature);
    step.item = ids
        .first()
        .map(|id| item_words(&page.tree, *id))
        .unwrap_or_default();
    let alike = |target: &TargetIdentity| {
        let same = page.tree.nodes().iter().filter(|node| {
            node.role == target.role && *node.name == *target.name && node.reference.is_some()
        });
        same.count() > 1
    };
    step.within = targets
        .first()
        .filter(|target| alike(target))
        .map(|_| step.item.join(" "));
    step.targets = targets;
    if let Action::Browser(action) = &step.action {
        step.effect = action.effect();
    }
    step.heading = page.main_heading().to_owned();
    step.before = Place::of(page.url.as_str());
    step.after = Place::of(to);
    step
}

fn log(run: &str, minute: i64, goal: &str, mut steps: Vec<Step>) -> RunLog {
    for (step, number) in steps.iter_mut().zip(1..) {
        (step.number, step.turn) = (number, number);
    }
    RunLog::new(
        RunId::parse(run).unwrap(),
        About::new(goal),
        at(minute),
        true,
        steps,
        Vec::new(),
    )
    .started_at(at(minute - 1))
}

/// Returns the log of a run that files a ticket.
fn ticket(run: &str, minute: i64, subject: &str, amount: &str, priority: &str) -> RunLog {
    let page = seen(DESK, PAGE);
    let steps = vec![
        step(
            "fill",
            json!({ "target": "e1", "text": subject }),
            &page,
            DESK,
        ),
        step(
            "fill",
            json!({ "target": "e2", "text": amount }),
            &page,
            DESK,
        ),
        step(
            "select",
            json!({ "target": "e3", "values": [priority] }),
            &page,
            DESK,
        ),
        step("click", json!({ "target": "e4" }), &page, SAVED),
    ];
    let goal = format!("File the ticket {subject} with priority {priority}");
    log(run, minute, &goal, steps)
}

fn shelf() -> Shelf {
    let host = Host::of_domain("desk.example").unwrap();
    Shelf::host(&Namespace::default(), COLLECTION, &host)
}

fn learned(records: &[Record], log: &RunLog) -> Vec<Record> {
    let said = Recipes::default().distill(log).unwrap();
    let [ShelfEdit { shelf: at, edit }] = &Recipes::default()
        .learn(&Namespace::default(), &said)
        .unwrap()[..]
    else {
        panic!("one shelf");
    };
    assert_eq!(*at, shelf());
    let records = apply(records, &edit.changes(records).unwrap());
    assert_eq!(edit.changes(&records).unwrap(), [], "a run counts once");
    records
}

fn only(records: &[Record]) -> Recipe {
    let mut all = Recipe::all(records);
    assert_eq!(all.len(), 1);
    all.remove(0).1
}

fn lines(recipe: &Recipe) -> Vec<String> {
    let lines = recipe.lines("t1").into_iter();
    lines
        .map(|line| line.iter().map(ToString::to_string).collect())
        .collect()
}

fn id(key: &str) -> AdviceId {
    AdviceId {
        shelf: shelf(),
        key: key.to_owned(),
    }
}

fn following(
    recipe: &Recipe,
    values: &[(&str, &str)],
    first: u32,
    last: Option<u32>,
) -> Result<Following, String> {
    let values = values
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let values: BTreeMap<String, String> = values.collect();
    let asked = Asked {
        values: &values,
        first: Some(first),
        last,
        parameters: &Parameters::new(),
    };
    Following::begin("t1", id("k"), Arc::new(recipe.clone()), asked)
}

/// Returns what comes next on a page.
fn next(following: &mut Following, page: &Observation) -> Next {
    next_with(following, page, &[])
}

fn next_with(
    following: &mut Following,
    page: &Observation,
    secrets: &[crate::secret::SecretName],
) -> Next {
    on(page, secrets, |here| {
        loop {
            match following.next(here) {
                Next::Wait => {}
                next => return next,
            }
        }
    })
}

fn on<T>(
    page: &Observation,
    secrets: &[crate::secret::SecretName],
    decide: impl FnOnce(&Here<'_>) -> T,
) -> T {
    let head = PageHead::new(page.url.clone(), page.title.clone());
    let view = interpret(&head, &page.tree, &ViewOptions::default());
    let identities: OnceLock<Identities> = OnceLock::new();
    let place = Place::of(page.url.as_str());
    decide(&Here {
        page: Searched {
            tree: &page.tree,
            view: &view,
            identities: &identities,
        },
        seen: page,
        template: place.template(),
        parameters: &Parameters::new(),
        secrets,
    })
}

/// Takes the next step on a page, which then is `to`. Returns the action as one line.
fn act(following: &mut Following, page: &Observation, to: &str) -> String {
    let Next::Act { action, .. } = next(following, page) else {
        panic!("{}", following.summary());
    };
    let step = taken(Action::Browser(action.clone()), page, to);
    following.acted(&step, &Parameters::new());
    Action::Browser(action).line()
}

#[test]
fn a_recipe_names_its_values_and_shows_none_of_them() {
    let recipe = only(&learned(
        &[],
        &ticket("run_1", 0, "Broken lamp", "12", "High"),
    ));
    assert_eq!(
        lines(&recipe),
        [
            r#"t1 "File the ticket <subject> with priority <priority>" 4 steps, 1 of 1 run reached their goal"#,
            r#"1. fill textbox "Subject" <subject>"#,
            r#"2. fill textbox "Amount" <amount>"#,
            r#"3. select combobox "Priority" <priority>"#,
            r#"4. click button "Save" -> /tickets/:n"#,
            "sets only: subject, amount, priority; found out on the way, not in the goal: amount",
            r#"if this is your task: follow {"recipe":"t1","values":{NAME: VALUE, ...}}"#,
        ]
    );
    let stored = serde_json::to_string(&recipe.steps).unwrap();
    assert!(
        !stored.contains("12\"") && !stored.contains("lamp"),
        "{stored}"
    );
}

#[test]
fn a_value_that_two_goals_share_is_a_default_until_a_run_is_undone() {
    let records = learned(&[], &ticket("run_1", 0, "Broken lamp", "1", "High"));
    let records = learned(&records, &ticket("run_2", 1, "Cold room", "1", "Low"));
    let recipe = only(&records);
    assert!(
        lines(&recipe)[2].ends_with(r#"<amount="1">"#),
        "{:?}",
        lines(&recipe)
    );
    assert_eq!(recipe.header.runs.len(), 2);
    let undo = Recipes::default()
        .undo(&RunId::parse("run_2").unwrap())
        .unwrap();
    let records = apply(&records, &undo.changes(&records).unwrap());
    assert!(lines(&only(&records))[2].ends_with("<amount>"));
    let undo = Recipes::default()
        .undo(&RunId::parse("run_1").unwrap())
        .unwrap();
    assert!(apply(&records, &undo.changes(&records).unwrap()).is_empty());
}

#[test]
fn the_steps_are_taken_with_the_values_of_the_call() {
    let recipe = only(&learned(
        &[],
        &ticket("run_1", 0, "Broken lamp", "12", "High"),
    ));
    let values = [
        ("subject", "Cold room"),
        ("amount", "3"),
        ("priority", "Low"),
    ];
    let mut following = following(&recipe, &values, 1, None).unwrap();
    let page = |values: [&str; 3]| {
        let mut text = PAGE.to_owned();
        for (n, value) in (1..).zip(values) {
            if !value.is_empty() {
                text = text.replace(&format!(" e{n}"), &format!(" e{n} = {value}"));
            }
        }
        seen(DESK, &text)
    };
    assert_eq!(
        act(&mut following, &page(["", "", ""]), DESK),
        r#"fill {"target":"e1","text":"Cold room"}"#
    );
    assert_eq!(
        act(&mut following, &page(["Cold room", "", ""]), DESK),
        r#"fill {"target":"e2","text":"3"}"#
    );
    act(&mut following, &page(["Cold room", "3", ""]), DESK);
    let mut other = following.clone();
    assert_eq!(
        next(&mut other, &page(["Cold room", "33", "Low"])),
        Next::End
    );
    assert!(
        other.summary().contains("stopped before 4"),
        "{}",
        other.summary()
    );
    assert_eq!(
        act(&mut following, &page(["Cold room", "3", "Low"]), SAVED),
        r#"click {"target":"e4"}"#
    );
    assert!(following.is_whole());
    assert_eq!(following.summary(), "did 1-4, the last step");
}

#[test]
fn a_call_without_a_value_or_with_a_secret_is_refused() {
    let recipe = only(&learned(
        &[],
        &ticket("run_1", 0, "Broken lamp", "12", "High"),
    ));
    let refused = |values: &[(&str, &str)], last| following(&recipe, values, 1, last).unwrap_err();
    assert_eq!(refused(&[("amount", "x")], None), "values lacks subject");
    let mut partly = following(&recipe, &[("subject", "x")], 1, None).unwrap();
    act(&mut partly, &seen(DESK, PAGE), DESK);
    assert_eq!(next(&mut partly, &seen(DESK, PAGE)), Next::End);
    let why = "did 1; stopped before 2: it needs the value amount";
    assert_eq!(partly.summary(), why);
    assert!(refused(&[("title", "x")], None).contains("no value of this name"));
    assert!(refused(&[("subject", "<secret:PASSWORD>")], Some(1)).contains("secret"));
    assert!(refused(&[("subject", "a <secret:PASSWORD>")], Some(1)).contains("secret"));
    assert!(refused(&[("subject", "<param:unknown>")], Some(1)).contains("parameter"));
    assert_eq!(refused(&[], Some(9)), "t1 has steps 1 to 4");
    assert!(following(&recipe, &[("subject", "x")], 1, Some(1)).is_ok());
    assert!(
        following(&recipe, &[], 4, None).is_ok(),
        "no value is needed there"
    );
}

const LIST: &str = "https://desk.example/tickets";
const ROWS: &str = "heading \"Tickets\" [level=1]\ntable \"\"\n  row \"\"\n    cell \"\"\n      link \"Broken lamp\" e1\n    cell \"Ann\"\n    cell \"\"\n      button \"Close\" e2\n  row \"\"\n    cell \"\"\n      link \"Cold room\" e3\n    cell \"Bob\"\n    cell \"\"\n      button \"Close\" e4";

#[test]
fn a_row_is_found_by_the_value_that_the_goal_names() {
    let page = seen(LIST, ROWS);
    let steps = vec![step("click", json!({ "target": "e2" }), &page, LIST)];
    let recipe = only(&learned(
        &[],
        &log("run_1", 0, "Close the ticket Broken lamp", steps),
    ));
    assert_eq!(lines(&recipe)[1], r#"1. click button "Close" in row <row>"#);
    let mut other = following(&recipe, &[("row", "Cold room")], 1, None).unwrap();
    assert_eq!(act(&mut other, &page, LIST), r#"click {"target":"e4"}"#);
    let mut unknown = following(&recipe, &[("row", "Warm room")], 1, None).unwrap();
    assert_eq!(next(&mut unknown, &page), Next::End);
    assert!(
        unknown.summary().contains("no row with its value"),
        "{}",
        unknown.summary()
    );
}

#[test]
fn what_was_chosen_from_the_page_is_left_to_the_model_until_another_goal_chooses_it_too() {
    let page = seen(LIST, ROWS);
    let choose = |run, minute, goal, target| {
        let url = "https://desk.example/tickets/7";
        log(
            run,
            minute,
            goal,
            vec![step("click", json!({ "target": target }), &page, url)],
        )
    };
    let records = learned(&[], &choose("run_1", 0, "Open the newest one", "e1"));
    let recipe = only(&records);
    assert_eq!(
        lines(&recipe)[1],
        "1. click link -> /tickets/:n (choose it yourself from what the page shows)"
    );
    assert!(!serde_json::to_string(&recipe).unwrap().contains("lamp"));
    let mut own = following(&recipe, &[], 1, None).unwrap();
    assert_eq!(next(&mut own, &page), Next::End);
    let other = learned(
        &records,
        &choose("run_2", 1, "Read what Bob reported", "e3"),
    );
    assert!(lines(&only(&other))[1].contains("choose it yourself"));
    let same = learned(
        &records,
        &choose("run_2", 1, "Read what Ann reported", "e1"),
    );
    assert_eq!(
        lines(&only(&same))[1],
        r#"1. click link <chosen="Broken lamp"> -> /tickets/:n"#
    );
}

#[test]
fn what_cannot_be_undone_is_done_only_if_it_was_asked_for_first_on_the_page_that_was_shown() {
    let mut log = ticket("run_1", 0, "Broken lamp", "12", "High");
    log.steps[3].effect = Effect::Irreversible;
    let recipe = only(&learned(&[], &log));
    assert!(lines(&recipe)[4].contains("(cannot be undone)"));
    let values = [("subject", "a"), ("amount", "3"), ("priority", "Low")];
    let mut whole = following(&recipe, &values, 1, None).unwrap();
    whole.permit(Effect::Reversible, true);
    let mut first = following(&recipe, &values, 4, None).unwrap();
    assert!(first.clone().permit(Effect::Irreversible, true));
    assert!(
        !first.permit(Effect::Irreversible, false),
        "{}",
        first.summary()
    );
    let mut fill = following(&recipe, &values, 1, None).unwrap();
    assert!(
        !fill.permit(Effect::Irreversible, true),
        "it does more than recorded"
    );
}

const LOGIN: &str = "https://desk.example/login";

/// Returns the log of a run that logs in and opens the list.
fn login(run: &str) -> RunLog {
    let form = "heading \"Sign in\" [level=1]\nform \"Sign in\"\n  textbox \"User\" e1\n  textbox \"Password\" e2\n  button \"Sign in\" e3";
    let page = seen(LOGIN, form);
    let home = seen(
        LIST,
        "heading \"Tickets\" [level=1]\nnavigation \"\"\n  link \"Reports\" e7\nbutton \"New\" e8",
    );
    let steps = vec![
        step(
            "fill",
            json!({ "target": "e1", "text": "ann" }),
            &page,
            LOGIN,
        ),
        step(
            "fill",
            json!({ "target": "e2", "text": "<secret:PASSWORD>" }),
            &page,
            LOGIN,
        ),
        step("click", json!({ "target": "e3" }), &page, LIST),
        step("click", json!({ "target": "e8" }), &home, DESK),
    ];
    log(run, 0, "Sign in as ann and begin a ticket", steps)
}

#[test]
fn a_login_that_is_over_is_skipped() {
    let recipe = only(&learned(&[], &login("run_1")));
    assert_eq!(
        lines(&recipe)[2],
        r#"2. fill textbox "Password" <secret:PASSWORD>"#
    );
    let home = seen(LIST, "heading \"Tickets\" [level=1]\nbutton \"New\" e8");
    let mut own = following(&recipe, &[("user", "ann")], 1, None).unwrap();
    assert_eq!(act(&mut own, &home, DESK), r#"click {"target":"e8"}"#);
    assert_eq!(
        own.summary(),
        "did 4; skipped 1-3 (the login is over), the last step"
    );
}

#[test]
fn a_secret_is_typed_only_by_a_task_that_has_it() {
    let recipe = only(&learned(&[], &login("run_1")));
    let page = seen(
        LOGIN,
        "heading \"Sign in\" [level=1]\nform \"Sign in\"\n  textbox \"User\" e1 = ann\n  textbox \"Password\" e2\n  button \"Sign in\" e3",
    );
    let name = crate::secret::SecretName::parse("PASSWORD").unwrap();
    let mut own = following(&recipe, &[("user", "ann")], 2, None).unwrap();
    assert_eq!(next(&mut own.clone(), &page), Next::End);
    assert!(matches!(
        next_with(&mut own, &page, &[name]),
        Next::Act { .. }
    ));
}

#[test]
fn a_known_task_is_followed_up_to_the_step_that_sends_its_form() {
    let log = ticket("run_1", 0, "Broken lamp", "lamp", "High");
    let recipe = Arc::new(only(&learned(&[], &log)));
    assert!(recipe.is_task(&log.about.goal, &Parameters::new()));
    assert!(!recipe.is_task(
        "File the ticket Cold room with priority High",
        &Parameters::new()
    ));
    // The amount does not stand in the goal.
    let known = Following::of_task("t1", id("k"), Arc::clone(&recipe), false).unwrap();
    assert_eq!(
        known.summary(),
        "did nothing; the rest is yours: look at this page, then go on from 2"
    );
    let log = ticket("run_1", 0, "Broken lamp 12", "12", "High");
    let recipe = Arc::new(only(&learned(&[], &log)));
    let known = |is_full| Following::of_task("t1", id("k"), Arc::clone(&recipe), is_full);
    assert!(
        known(false).unwrap().summary().contains("go on from 2"),
        "the place in the goal is taken"
    );
    let login = Arc::new(only(&learned(&[], &login("run_1"))));
    let known = Following::of_task("t1", id("k"), login, false).unwrap();
    assert!(
        known.summary().contains("the last step"),
        "{}",
        known.summary()
    );
}

#[test]
fn a_run_that_came_to_harm_by_a_recipe_counts_against_it_and_three_retire_it() {
    let mut records = learned(&[], &ticket("run_1", 0, "Broken lamp", "12", "High"));
    let (key, _) = Recipe::all(&records).remove(0);
    let by = |astray| By::Recipe {
        step: 1,
        chosen: Chosen::Model,
        astray,
    };
    let followed = |run: &str, outcome: Outcome, refill: Option<&str>| {
        let mut log = ticket(run, 2, "Cold room", "3", "Low");
        for step in &mut log.steps[..3] {
            (step.by, step.offered) = (by(false), vec![0]);
        }
        log.steps[1].outcome = outcome;
        log.offered = vec![id(&key)];
        if let Some(text) = refill {
            let page = seen(DESK, PAGE);
            let again = step("fill", json!({ "target": "e1", "text": text }), &page, DESK);
            log.steps.insert(3, again);
            for (step, number) in log.steps.iter_mut().zip(1..) {
                step.number = number;
            }
        }
        log
    };
    let results = |records: &[Record]| {
        let results = Recipe::all(records)
            .into_iter()
            .find(|(of, _)| *of == key)
            .unwrap()
            .1
            .header
            .results;
        results
            .iter()
            .map(|(_, result)| *result)
            .collect::<Vec<_>>()
    };
    records = learned(&records, &followed("run_2", Outcome::Done, None));
    records = learned(&records, &followed("run_3", Outcome::Done, Some("Other")));
    let failure = Failure::new(ErrorClass::NotFound, "");
    records = learned(
        &records,
        &followed("run_4", Outcome::Failed(failure.clone()), None),
    );
    assert_eq!(results(&records), [Use::Helped, Use::Failed, Use::Failed]);
    records = learned(&records, &followed("run_5", Outcome::Failed(failure), None));
    assert!(
        Recipe::all(&records)
            .iter()
            .any(|(_, one)| one.header.is_retired())
    );
}

#[test]
fn steps_on_two_hosts_of_one_site_are_one_recipe_and_another_site_ends_it() {
    let (app, auth) = (
        "https://app.desk.example/new",
        "https://auth.desk.example/login",
    );
    let form = "form \"Sign in\"\n  textbox \"Password\" e1\n  button \"Sign in\" e2";
    let page = seen(auth, form);
    let own = seen(app, "button \"New\" e3\nlink \"Help\" e4");
    let far = "https://help.example/";
    let steps = vec![
        step(
            "fill",
            json!({ "target": "e1", "text": "<secret:PASSWORD>" }),
            &page,
            auth,
        ),
        step("click", json!({ "target": "e2" }), &page, app),
        step("click", json!({ "target": "e3" }), &own, app),
        step("click", json!({ "target": "e4" }), &own, far),
    ];
    let log = log("run_1", 0, "Begin and ask for help", steps);
    let records = learned(&[], &log);
    let recipe = only(&records);
    assert_eq!((recipe.steps.len(), recipe.header.leaves), (3, true));
    assert!(
        Recipes::default()
            .unlearned(&log)
            .unwrap()
            .contains("up to where it left")
    );
    let site = Site::of(&auth.parse().unwrap()).unwrap();
    let host = |url: &str| Host::of(&url.parse().unwrap()).unwrap();
    let forget = |url: &str| {
        let edit = Recipes::default().forget(&site, Some(&host(url))).unwrap();
        apply(&records, &edit.changes(&records).unwrap()).len()
    };
    assert_eq!(
        (
            forget(auth),
            forget(app),
            forget("https://www.desk.example/")
        ),
        (0, 0, records.len())
    );
}

#[test]
fn a_way_on_one_host_does_not_replace_a_way_to_the_same_goal_on_another() {
    let mut records = Vec::new();
    for (run, url) in [
        ("run_1", "https://a.desk.example/"),
        ("run_2", "https://b.desk.example/"),
    ] {
        let page = seen(url, "button \"New\" e1");
        let steps = vec![step("click", json!({ "target": "e1" }), &page, url)];
        records = learned(&records, &log(run, 0, "Begin", steps));
    }
    let kept = Recipe::all(&records);
    let mut runs: Vec<&str> = kept
        .iter()
        .map(|(_, one)| one.header.run.as_str())
        .collect();
    runs.sort_unstable();
    assert_eq!(runs, ["run_1", "run_2"]);
}

#[test]
fn an_import_of_an_unknown_source_waits_for_a_person() {
    let records = learned(&[], &ticket("run_1", 0, "Broken lamp", "12", "High"));
    let admitted: Vec<Record> = records
        .iter()
        .map(|record| Recipes::default().admit(record, false).unwrap())
        .collect();
    let recipe = only(&admitted);
    assert!(recipe.header.imported && !recipe.header.own);
    let described = Recipes::default().describe(&admitted[0]).unwrap();
    assert_eq!(described.standing, Standing::WaitsForReview);
    let accept = Recipes::default()
        .accept(&admitted[0].key, &described.text, at(9))
        .unwrap();
    let accepted = apply(&admitted, &accept.changes(&admitted).unwrap());
    let recipe = only(&accepted);
    assert!(!recipe.header.imported && !recipe.is_task(&recipe.header.goal, &Parameters::new()));
}

#[test]
fn two_stores_merged_twice_are_equal() {
    let one = learned(&[], &ticket("run_1", 0, "Broken lamp", "12", "High"));
    let two = learned(&[], &ticket("run_2", 1, "Cold room", "12", "Low"));
    let kind = Recipes::default();
    let there = kind.merge(&one, &two).unwrap();
    assert_eq!(kind.merge(&there, &two).unwrap(), there);
    assert_eq!(kind.merge(&there, &one).unwrap(), there);
}
