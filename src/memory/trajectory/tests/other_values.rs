//! Prompts that show a trajectory to a run whose goal has other values.

use super::*;
use crate::page::{PageHead, diff};

/// Learns from a run with the goal `first`, and returns the lines that a prompt then shows to a run with the goal `second`.
fn read(
    first: &str,
    steps: Vec<(Action, Vec<TargetIdentity>, String)>,
    second: &str,
    page: &str,
) -> Vec<String> {
    let records = learned(&[], &log("run_1", 0, first, steps));
    shown(&records, second, &[], page)
}

fn fill(field: &str, text: &str) -> (Action, Vec<TargetIdentity>, String) {
    step(
        "fill",
        json!({ "text": text }),
        element(Role::TextBox, field),
        SHOP,
    )
}

fn select(field: &str, option: &str) -> (Action, Vec<TargetIdentity>, String) {
    step(
        "select",
        json!({ "values": [option] }),
        element(Role::Combobox, field),
        SHOP,
    )
}

fn click(role: Role, name: &str) -> (Action, Vec<TargetIdentity>, String) {
    step("click", json!({}), element(role, name), SHOP)
}

fn issue(title: &str, priority: &str) -> String {
    format!(
        "Log in as \"admin\" with the password <secret:PASSWORD>. File a new issue with the title {title} and the priority {priority}."
    )
}

const FORM: &str =
    "textbox \"Login\" e1\ntextbox \"Title\" e2\ncombobox \"Priority\" e3\nbutton \"Submit\" e4";

#[test]
fn quoted_values_are_read_without_their_quotes() {
    let steps = || {
        vec![
            fill("Login", "admin"),
            fill("Title", "Printer jams"),
            select("Priority", "urgent"),
            click(Role::Button, "Submit"),
        ]
    };
    let first = issue("\"Printer jams\"", "\"urgent\"");
    let expected = |title: &str, priority: &str| {
        [
            "1. fill textbox \"Login\" with <1> (in your goal \"admin\")".to_owned(),
            format!("2. fill textbox \"Title\" with <2> (in your goal \"{title}\")"),
            format!("3. choose <3> (in your goal \"{priority}\") in combobox \"Priority\""),
            "4. click button \"Submit\"".to_owned(),
        ]
    };
    let same = read(&first, steps(), &first, FORM);
    assert_eq!(same[1..], expected("Printer jams", "urgent"));
    let other = read(&first, steps(), &issue("\"Roof leaks\"", "\"wish\""), FORM);
    assert_eq!(other[1..], expected("Roof leaks", "wish"));
    assert_eq!(
        other[0],
        "A similar task was done here 1 hour ago, in 4 steps. Its values were others: take yours from the goal. In words of your goal, it was: \
         Log in as <1> with the password <secret:PASSWORD>. File a new issue with the title <2> and the priority <3>"
    );
}

#[test]
fn a_name_that_says_a_value_of_the_other_goal_is_not_shown() {
    let goal = |status: &str, method: &str| {
        format!("Find the orders with the status \"{status}\", choose \"{method}\" and log in")
    };
    let mut filter = product("Confirmed");
    filter.landmark = Some(Role::Navigation);
    let steps = vec![
        step("click", json!({}), filter, SHOP),
        click(Role::Radio, "Standard delivery (€ 4.90)"),
        click(Role::Button, "Log in"),
    ];
    let first = goal("confirmed", "Standard delivery");
    let page = "link \"Cancelled\" e1\nlink \"Confirmed\" e2\nradio \"Pickup (€ 2.90)\" e3\nbutton \"Log in\" e4";
    let records = learned(&[], &log("run_1", 0, &first, steps));
    let other = goal("cancelled", "Pickup");
    let expected = [
        "1. click the link in the navigation that fits your goal",
        "2. click the radio <1>",
        "3. click button \"Log in\"",
    ];
    assert_eq!(shown(&records, &other, &[], page)[1..], expected);
    let same = shown(&records, &first, &[], page);
    assert!(
        same[1].contains("\"Confirmed\"") && same[2].contains("\"Standard delivery"),
        "{same:?}"
    );

    // The run took another link, and is further for it.
    let taken = log("run_2", 1, &other, vec![click(Role::Link, "Cancelled")]).steps;
    let next = shown(&records, &other, &taken, page);
    assert!(next[1].starts_with("2. click the radio"), "{next:?}");
}

#[test]
fn a_choice_that_repeats_words_of_the_goal_is_named_for_goals_with_these_words() {
    let steps = vec![
        step("click", json!({}), product("Bookings"), FOUND),
        step(
            "click",
            json!({}),
            product("Choir 1"),
            "https://shop.example/item/3",
        ),
    ];
    let goal =
        |verb: &str, thing: &str, name: &str| format!("{verb} the {thing} \"{name}\" in the admin");
    let records = learned(
        &[],
        &log("run_1", 0, &goal("Change", "booking", "Choir 1"), steps),
    );
    let next = |goal: &str| {
        let page = "link \"Bookings\" e1\nlink \"Rooms\" e2";
        shown(&records, goal, &[], page)
            .get(1)
            .cloned()
            .unwrap_or_default()
    };
    let named = "1. click link \"Bookings\"";
    assert_eq!(next(&goal("Delete", "booking", "Choir 5")), named);
    let other = "1. click the link in the main part that fits your goal";
    assert_eq!(next(&goal("Change", "room", "Oak")), other);
}

#[test]
fn a_value_that_is_not_on_the_page_is_no_next_step() {
    let steps = |name: &str| vec![step("click", json!({}), product(name), FOUND)];
    let goal = |name: &str| format!("Open the booking \"{name}\" of the list");
    let way = |page: &str| read(&goal("Yoga 3"), steps("Yoga 3"), &goal("Choir 5"), page);
    assert_eq!(
        way("link \"Bookings\" e1\nlink \"Yoga 3\" e2\nlink \"List\" e3"),
        [""; 0]
    );
    let there = way("link \"Bookings\" e1\nlink \"Choir 5\" e2");
    assert_eq!(there[1], "1. click the link <1> (in your goal \"Choir 5\")");
}

#[test]
fn scrolling_that_changed_the_page_is_a_step() {
    let scroll = || {
        step(
            "scroll",
            json!({ "direction": "down" }),
            element(Role::TextBox, "Terms"),
            SHOP,
        )
    };
    let steps = vec![scroll(), scroll(), click(Role::Button, "Agree")];
    let mut log = log("run_1", 0, "Read the terms and agree", steps);
    let way = |log: &RunLog| {
        shown(
            &learned(&[], log),
            "Read the terms and agree",
            &[],
            "textbox \"Terms\" e1\nbutton \"Agree\" e2",
        )
    };
    assert_eq!(way(&log)[1..], ["1. click button \"Agree\""]);
    let (before, after) = ("button \"Agree\" e2 [disabled]", "button \"Agree\" e2");
    let head = PageHead::new(SHOP, "Shop");
    let [before, after] = [before, after].map(crate::testing::tree);
    log.steps[1].changes = Some(diff((&head, &before), (&head, &after)));
    assert_eq!(
        way(&log)[1..],
        ["1. scroll textbox \"Terms\"", "2. click button \"Agree\""]
    );
}

#[test]
fn fields_of_one_name_are_told_apart_by_their_groups() {
    let steps = vec![select("Filter on", "urgent"), select("Filter on", "open")];
    let first = "Show the issues with the priority urgent and the status open";
    let mut log = log("run_1", 0, first, steps);
    log.steps[0].within = Some("Priority: Display Sort on Group on".to_owned());
    log.steps[1].within = Some("Status: Display Sort on Group on".to_owned());
    // Another field, so that the second choice does not replace the first one.
    log.steps[1].targets[0].ordinal = 1;
    let records = learned(&[], &log);
    let page = "combobox \"Filter on\" e1\ncombobox \"Filter on\" e2";
    let way = shown(&records, first, &[], page);
    assert!(
        way[1].contains("in combobox \"Filter on\" in \"Priority: Display"),
        "{way:?}"
    );
    assert!(
        way[2].contains("in combobox \"Filter on\" in \"Status: Display"),
        "{way:?}"
    );
    let second = log.steps.split_off(1);
    let next = shown(&records, first, &second, page);
    assert!(
        next[1].starts_with("1. "),
        "the first one was left out: {next:?}"
    );
}

#[test]
fn the_row_of_a_chosen_item_is_not_kept() {
    let mut cancel = element(Role::Button, "Cancel");
    cancel.collection = Some(Collection { index: 3, size: 20 });
    let first = "Cancel the order of Maria Gonzalez";
    let mut log = log(
        "run_1",
        0,
        first,
        vec![step("click", json!({}), cancel, SHOP)],
    );
    for row in [
        "4711 Maria Gonzalez shipped",
        "Maria Gonzalez of Cologne is waiting for it",
    ] {
        log.steps[0].within = Some(row.to_owned());
        let records = learned(&[], &log);
        let stored = serde_json::to_string(&records[1..]).unwrap();
        assert!(!stored.contains("Gonzalez"), "{stored}");
    }
    // The same for a button in no list, if the group says a value.
    log.steps[0].targets[0].collection = None;
    log.steps[0].within = Some("Maria Gonzalez of Cologne is waiting now".to_owned());
    let page = "button \"Cancel\" e1";
    let way = |goal: &str| shown(&learned(&[], &log), goal, &[], page);
    assert_eq!(
        way("Cancel the order of John Smith")[1],
        "1. click button \"Cancel\""
    );
    assert!(
        way(first)[1].contains("in \"Maria Gonzalez"),
        "{:?}",
        way(first)
    );
}

#[test]
fn an_address_that_says_a_value_is_not_shown() {
    let goto = |path: &str| {
        let url = format!("{SHOP}{path}");
        step("goto", json!({ "url": url }), None, &url)
    };
    let records = learned(
        &[],
        &log(
            "run_1",
            0,
            "List the confirmed orders",
            vec![goto("orders/confirmed"), click(Role::Button, "Print")],
        ),
    );
    let way = |goal: &str, taken: &[Step]| shown(&records, goal, taken, "button \"Print\" e1");
    let other = "List the cancelled orders";
    assert_eq!(way(other, &[])[1], "1. open the page that fits your goal");
    assert!(way("List the confirmed orders", &[])[1].contains("\"/orders/confirmed\""));
    let taken = log("run_2", 1, other, vec![goto("orders/cancelled")]).steps;
    assert!(way(other, &taken)[1].starts_with("2. click button \"Print\""));
}

#[test]
fn links_of_one_name_in_a_menu_are_told_apart() {
    let mut link = product("Create New");
    link.landmark = Some(Role::Navigation);
    let mut log = log(
        "run_1",
        0,
        "Report the leak",
        vec![step("click", json!({}), link, SHOP)],
    );
    log.steps[0].within = Some("Issues".to_owned());
    let way = shown(
        &learned(&[], &log),
        "Report the leak",
        &[],
        "link \"Create New\" e1",
    );
    assert_eq!(way[1], "1. click link \"Create New\" in \"Issues\"");
}

/// Returns a click on a filter link in the navigation, which shows other rows of the same page.
fn filter(name: &str, index: u32) -> (Action, Vec<TargetIdentity>, String) {
    let mut link = element(Role::Link, name);
    link.landmark = Some(Role::Navigation);
    link.collection = Some(Collection { index, size: 3 });
    let name = name.to_lowercase();
    step("click", json!({}), link, &format!("{SHOP}?paid={name}"))
}

#[test]
fn another_choice_of_a_filter_is_offered_and_counts_as_the_step() {
    let goal = |paid: &str| format!("Count the orders that are {paid} and report the number");
    let last = || click(Role::Button, "Show the number");
    let steps = vec![filter("Yes", 1), last()];
    let records = learned(&[], &log("run_1", 0, &goal("paid"), steps));
    let page = "link \"All\" e1\nlink \"Yes\" e2\nlink \"No\" e3\nbutton \"Show the number\" e4";

    let other = goal("not paid");
    assert_eq!(
        shown(&records, &other, &[], page)[1],
        "1. click link \"Yes\" or another of its list of 3, as your goal says"
    );
    assert_eq!(
        shown(&records, &goal("paid"), &[], page)[1],
        "1. click link \"Yes\""
    );

    let taken = |goal: &str, step| {
        let steps = log("run_2", 1, goal, vec![step]).steps;
        shown(&records, goal, &steps, page)[1].clone()
    };
    let behind = "2. click button \"Show the number\"";
    assert_eq!(taken(&other, filter("No", 2)), behind);
    assert_eq!(taken(&goal("paid"), filter("Yes", 1)), behind);
    // With the goal of the way, another choice is a mistake.
    assert!(taken(&goal("paid"), filter("No", 2)).starts_with("1. click link \"Yes\""));
    // A button elsewhere, or a link that leads to another page, is not in its place.
    for step in [click(Role::Button, "Help"), click(Role::Link, "No")] {
        assert!(taken(&other, step).starts_with("1. click link \"Yes\""));
    }
}

#[test]
fn fields_of_one_name_are_told_apart_by_their_rows() {
    let field = |index: u32, row: &str, text: &str| {
        let mut field = element(Role::TextBox, "Filter on");
        (field.ordinal, field.collection) = (index, Some(Collection { index, size: 5 }));
        let (action, targets, to) = step("fill", json!({ "text": text }), field, SHOP);
        (action, targets, to, row.to_owned())
    };
    let goal = "Find the issues with the title \"search\" and the keyword \"api\"";
    let fields = [
        field(0, "Title: Display Sort on Group on", "search"),
        field(1, "Keyword: Display Sort on Group on", "api"),
    ];
    let rows: Vec<String> = fields.iter().map(|(.., row)| row.clone()).collect();
    let steps = fields
        .map(|(action, targets, to, _)| (action, targets, to))
        .to_vec();
    let mut log = log("run_1", 0, goal, steps);
    for (step, row) in log.steps.iter_mut().zip(rows) {
        step.within = Some(row);
    }
    let records = learned(&[], &log);
    let way = shown(
        &records,
        goal,
        &[],
        "textbox \"Filter on\" e1\ntextbox \"Filter on\" e2",
    );
    assert!(
        way[1].contains(r#"textbox "Filter on" in "Title: Display Sort on Group on""#),
        "{way:?}"
    );
    assert!(
        way[2].contains(r#"textbox "Filter on" in "Keyword: Display Sort on Group on""#),
        "{way:?}"
    );
}
