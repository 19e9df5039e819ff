use std::sync::Arc;

use chrono::TimeDelta;
use serde_json::json;

use super::{distill::Learned, *};
use crate::{
    action::{Action, ErrorClass, Outcome, RawCall, Signature, ToolSet, parse_calls},
    memory::{Advice, MAX_STEP_BYTES, Namespace, Uses, agent_memory::Domain, apply},
    page::{Collection, Observation, PageTemplate, Role, TargetIdentity},
    working::{About, BudgetKind, Place, Step, StopReason},
};

mod other_values;
mod replay;
mod resumed;

const SHOP: &str = "https://shop.example/";
const FOUND: &str = "https://shop.example/search?q=x";
const GOAL: &str = "Search for padel rackets and add the cheapest to the cart";

fn at(minute: i64) -> DateTime<Utc> {
    "2026-01-02T03:04:05Z".parse::<DateTime<Utc>>().unwrap() + TimeDelta::minutes(minute)
}

fn step(
    tool: &str,
    arguments: Value,
    target: impl Into<Option<TargetIdentity>>,
    to: &str,
) -> (Action, Vec<TargetIdentity>, String) {
    let tools = ToolSet::new(
        &crate::action::BrowserTool::ALL.iter().copied().collect(),
        false,
        [],
    );
    let (mut arguments, target) = (arguments, target.into());
    if target.is_some() {
        arguments["target"] = json!("e1");
    }
    let call = RawCall::new(tool, arguments);
    let action = parse_calls(&[call], "", &tools).unwrap().remove(0).unwrap();
    (action, target.into_iter().collect(), to.to_owned())
}

fn element(role: Role, name: &str) -> TargetIdentity {
    TargetIdentity::new(role, name)
}

/// Returns a link in a list of 24 links.
fn product(name: &str) -> TargetIdentity {
    let mut product = TargetIdentity::new(Role::Link, name);
    product.landmark = Some(Role::Main);
    product.collection = Some(Collection { index: 0, size: 24 });
    product
}

fn log(
    run: &str,
    minute: i64,
    goal: &str,
    steps: Vec<(Action, Vec<TargetIdentity>, String)>,
) -> RunLog {
    let mut here = SHOP.to_owned();
    let steps = steps
        .into_iter()
        .zip(1..)
        .map(|((action, targets, to), number)| {
            let signature = Signature::of(&action, &targets, &here);
            let mut step = Step::new(number, action, Outcome::Done, signature);
            step.turn = number;
            step.targets = targets;
            step.before = Place::of(here.as_str());
            step.after = Place::of(to.as_str());
            here = to;
            step
        });
    let steps = steps.collect();
    let run = RunId::parse(run).unwrap();
    RunLog::new(run, About::new(goal), at(minute), true, steps, Vec::new())
        .started_at(at(minute - 1))
}

/// Returns the log of a run that searches for `what` and puts a product into the cart.
fn search(run: &str, minute: i64, what: &str, product_name: &str) -> RunLog {
    let steps = vec![
        step(
            "fill",
            json!({ "text": what, "submit": true }),
            element(Role::SearchBox, "Search"),
            FOUND,
        ),
        step(
            "click",
            json!({}),
            element(Role::Button, "Sort: price ascending"),
            FOUND,
        ),
        step(
            "click",
            json!({}),
            product(product_name),
            "https://shop.example/item/3",
        ),
        step(
            "click",
            json!({}),
            element(Role::Button, "Add to cart"),
            "https://shop.example/item/3",
        ),
    ];
    let goal = format!("Search for {what} and add the cheapest to the cart");
    log(run, minute, &goal, steps)
}

fn shelf() -> Shelf {
    let host = Host::of_domain("shop.example").unwrap();
    Shelf::host(&Namespace::default(), COLLECTION, &host)
}

fn learned(records: &[Record], log: &RunLog) -> Vec<Record> {
    let said = Trajectories::default().distill(log).unwrap();
    let [ShelfEdit { shelf: at, edit }] = &Trajectories::default()
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

fn advice(records: &[Record], goal: &str, taken: &[Step], page: &str) -> Vec<Advice> {
    advice_at(None, records, goal, taken, page)
}

fn advice_at(
    url: Option<&str>,
    records: &[Record],
    goal: &str,
    taken: &[Step],
    page: &str,
) -> Vec<Advice> {
    let cue = Cue::PageShown {
        host: Host::of_domain("shop.example").unwrap(),
        page: url.map(|url| PageTemplate::parse(url).unwrap()),
        seen: Arc::new(Observation::new(SHOP, "Shop", crate::testing::tree(page))),
    };
    let about = About::new(goal);
    let moment = Moment::new(&cue, &about, taken, at(60));
    Trajectories::default()
        .index(&shelf(), records)
        .advise(&moment, false)
}

fn shown(records: &[Record], goal: &str, taken: &[Step], page: &str) -> Vec<String> {
    let advice = advice(records, goal, taken, page);
    assert!(advice.len() <= 1);
    let lines = advice.iter().flat_map(Advice::lines);
    lines.map(|line| line.text().to_owned()).collect()
}

#[test]
fn a_similar_task_reads_the_way_with_slots_and_none_of_its_values() {
    let first = search("run_1", 0, "padel rackets", "Bullpadel Hack 03");
    let records = learned(&[], &first);
    let goal = "Search for tennis balls and add the cheapest to the cart";
    let lines = shown(&records, goal, &[], "searchbox \"Search\" e1");
    assert_eq!(
        lines,
        [
            "A similar task was done here 1 hour ago, in 4 steps. Its values were others: take yours from the goal. In words of your goal, it was: \
             Search for <1> and add the cheapest to the cart",
            "1. fill searchbox \"Search\" with <1> (in your goal \"tennis balls\"), then Enter",
            "2. click button \"Sort: price ascending\"",
            "3. click the link that fits your goal, one of 24 alike in the main part",
            "4. click button \"Add to cart\"",
        ]
    );
    let stored = serde_json::to_string(&records).unwrap();
    assert!(
        !stored.contains("Bullpadel"),
        "a choice keeps no name: {stored}"
    );
    let same = shown(&records, GOAL, &[], "searchbox \"Search\" e1");
    assert_eq!(same[0], "This task was done here 1 hour ago, in 4 steps.");
    assert!(same[1].contains("with <1> (in your goal \"padel rackets\"), then Enter"));
    assert_eq!(same[2..], lines[2..]);
    let other = shown(&records, "Cancel my order", &[], "searchbox \"Search\" e1");
    assert_eq!(other, [""; 0]);
}

#[test]
fn values_are_called_others_only_if_one_differs() {
    let told = |known: &str, new: &str| {
        let mut first = search("run_1", 0, "padel rackets", "Bullpadel Hack 03");
        first.about.goal = known.to_owned();
        let records = learned(&[], &first);
        let lines = shown(&records, new, &[], "searchbox \"Search\" e1");
        let start = "A similar task was done here 1 hour ago, in 4 steps. ";
        lines[0].strip_prefix(start).expect(&lines[0]).to_owned()
    };
    let others = "Its values were others: take yours from the goal. ";
    let known = "Search for padel rackets and add the cheapest to the cart";
    for (new, is_other, shared) in [
        (
            "Search for padel rackets. Add the cheapest to the cart",
            false,
            "Search for <1> ... Add the cheapest to the cart",
        ),
        (
            "Search for tennis balls. Add the cheapest to the cart",
            true,
            "Search for <1> ... Add the cheapest to the cart",
        ),
        (
            "Search for padel rackets and add the lightest to the cart",
            true,
            "Search for <1> and add the ... to the cart",
        ),
    ] {
        let before = if is_other { others } else { "" };
        let expected = format!("{before}In words of your goal, it was: {shared}");
        assert_eq!(told(known, new), expected, "{new}");
    }
}

#[test]
fn only_the_rest_of_the_way_is_shown_and_only_where_it_can_be_taken() {
    let first = search("run_1", 0, "padel rackets", "Bullpadel Hack 03");
    let records = learned(&[], &first);
    let now = search("run_2", 0, "tennis balls", "Ball 4");
    let page = "button \"Sort: price ascending\" e1\nlink \"Ball 4\" e2";
    let lines = shown(&records, &now.about.goal, &now.steps[..1], page);
    assert_eq!(lines.len(), 4, "{lines:?}");
    assert!(lines[1].starts_with("2. click button \"Sort: price ascending\""));
    // A step that was left out is passed over, if the page shows the one after it.
    let page = "link \"Ball 4\" e2";
    let lines = shown(&records, &now.about.goal, &now.steps[..1], page);
    assert!(
        lines[1].starts_with("3. click the link that fits your goal, one of 24"),
        "{lines:?}"
    );
    let elsewhere = shown(
        &records,
        &now.about.goal,
        &now.steps[..1],
        "textbox \"Name\" e1",
    );
    assert_eq!(elsewhere, [""; 0]);
    let done = shown(
        &records,
        &now.about.goal,
        &now.steps,
        "button \"Add to cart\" e1",
    );
    assert_eq!(done, [""; 0]);
}

#[test]
fn a_step_that_names_an_element_of_this_very_page_comes_before_one_that_names_none() {
    let first = search("run_1", 0, "padel rackets", "Bullpadel Hack 03");
    let records = learned(&[], &first);
    let now = search("run_2", 0, "tennis balls", "Ball 4");
    let page = "link \"Home\" e1\nbutton \"Add to cart\" e2";
    let next = |url: &str| {
        let advice = advice_at(Some(url), &records, &now.about.goal, &now.steps[..2], page);
        advice[0].lines()[1].text().to_owned()
    };
    // The run may have come to the product on another way.
    assert!(next("https://shop.example/item/9").starts_with("4. click button \"Add to cart\""));
    assert!(next(FOUND).starts_with("3. click the link"));
    assert!(next("https://shop.example/other").starts_with("3. click the link"));
}

#[test]
fn the_steps_of_an_earlier_run_point_at_no_element_of_the_page() {
    let steps = vec![
        step(
            "fill",
            json!({ "text": "zz" }),
            element(Role::TextBox, "Title"),
            SHOP,
        ),
        step("click", json!({}), element(Role::Button, "Save"), SHOP),
    ];
    let goal = "Change the title of the list";
    let records = learned(&[], &log("run_1", 0, goal, steps));
    let page = "textbox \"Title\" e1\nbutton \"Save\" e2";
    let advice = advice_at(Some(SHOP), &records, goal, &[], page);
    assert_eq!(advice[0].lines().len(), 3);
    assert_eq!(
        crate::memory::places(&advice, &crate::testing::tree(page)),
        []
    );
    assert_eq!(
        shown(&records, goal, &[], page)[1..],
        [
            "1. fill textbox \"Title\" with what the task needs there",
            "2. click button \"Save\""
        ]
    );
}

#[test]
fn the_line_about_hidden_steps_is_not_marked() {
    let fills = |n| {
        let field = element(Role::TextBox, &format!("Field {n}"));
        step("fill", json!({ "text": "zz" }), field, SHOP)
    };
    let goal = "Fill in the form";
    let records = learned(&[], &log("run_1", 0, goal, (0..10).map(fills).collect()));
    let lines = shown(&records, goal, &[], "textbox \"Field 0\" e1");
    assert!(lines[8].ends_with("if it appears"), "{lines:?}");
    assert_eq!(lines[9], "(2 more steps)");
}

#[test]
fn a_page_whose_address_is_a_value_of_the_goal_counts_as_the_recorded_one() {
    let open = |run: &str, list: &str, name: &str, verb: &str| {
        let at = format!("https://shop.example/orders/{list}");
        let item = "https://shop.example/order/3";
        let steps = vec![
            step("click", json!({}), element(Role::Link, list), &at),
            step("click", json!({}), product(name), item),
            step("click", json!({}), element(Role::Button, "Details"), item),
        ];
        let goal = format!("{verb} the {list} order \"{name}\" and show it in details");
        log(run, 0, &goal, steps)
    };
    let records = learned(&[], &open("run_1", "confirmed", "Ann Lee", "Open"));
    let now = open("run_2", "cancelled", "Bob Ray", "Find");
    let page = "link \"Home\" e1\nlink \"Bob Ray\" e2";
    let url = Some("https://shop.example/orders/cancelled");
    let advice = advice_at(url, &records, &now.about.goal, &now.steps[..1], page);
    let next = advice[0].lines()[1].text();
    assert!(next.starts_with("2. click the link <2>"), "{next}");
}

#[test]
fn a_step_that_opens_this_page_is_not_the_next_one() {
    let cart = "https://shop.example/cart";
    let steps = vec![
        step(
            "click",
            json!({}),
            element(Role::Button, "Add to cart"),
            SHOP,
        ),
        step("goto", json!({ "url": cart }), None, cart),
        step("click", json!({}), element(Role::Button, "Checkout"), cart),
    ];
    let goal = "Put the boots into the cart and go to the checkout";
    let first = log("run_1", 0, goal, steps);
    let records = learned(&[], &first);
    let page = "button \"Checkout\" e1";
    let next = |url: &str| {
        let advice = advice_at(Some(url), &records, goal, &first.steps[..1], page);
        advice[0].lines()[1].text().to_owned()
    };
    assert!(next(SHOP).starts_with("2. open"), "{}", next(SHOP));
    assert!(next(cart).starts_with("3. click"), "{}", next(cart));
}

#[test]
fn a_value_that_a_goal_quotes_is_looked_for_and_no_other_word_of_the_goal() {
    let open = |run: &str, name: &str| {
        let steps = vec![
            step("click", json!({}), element(Role::Link, "Bookings"), FOUND),
            step(
                "click",
                json!({}),
                product(name),
                "https://shop.example/item/3",
            ),
            step("click", json!({}), element(Role::Button, "Save"), FOUND),
        ];
        log(
            run,
            0,
            &format!("Change the booking \"{name}\" and save it"),
            steps,
        )
    };
    let records = learned(&[], &open("run_1", "Choir 1"));
    let goal = "Delete the booking \"Choir 5\" and save it";
    let taken = &open("run_2", "Choir 5").steps[..1];
    let next = |page: &str| {
        let advice = advice_at(Some(FOUND), &records, goal, taken, page);
        advice.first().map(|one| one.lines()[1].text().to_owned())
    };
    assert_eq!(next("link \"Delete\" e1"), None);
    let found = next("link \"Delete\" e1\nlink \"Choir 5\" e2").unwrap();
    assert!(found.starts_with("2. click the link <1>"), "{found}");
    assert_eq!(
        next("button \"Save\" e1"),
        None,
        "it is the button of another page"
    );
}

#[test]
fn a_step_that_was_left_out_comes_first_while_it_can_be_taken() {
    let first = search("run_1", 0, "padel rackets", "Bullpadel Hack 03");
    let records = learned(&[], &first);
    let now = search("run_2", 0, "tennis balls", "Ball 4");
    let page = "searchbox \"Search\" e3\nbutton \"Sort: price ascending\" e1\nlink \"Ball 4\" e2";
    let lines = |taken: &[Step]| shown(&records, &now.about.goal, taken, page);
    let sorted = lines(&now.steps[1..2]);
    assert!(sorted[1].starts_with("1. fill"), "{sorted:?}");
    assert!(sorted[2].starts_with("3. click"), "{sorted:?}");
    let both = lines(&[now.steps[1].clone(), now.steps[0].clone()]);
    assert!(both[1].starts_with("3. click"), "{both:?}");
}

#[test]
fn steps_that_led_nowhere_are_left_out() {
    let field = || element(Role::SearchBox, "Search");
    let about = "https://shop.example/about";
    let mut failed = log(
        "run_1",
        0,
        GOAL,
        vec![
            step("click", json!({}), element(Role::Link, "About us"), about),
            step("go_back", json!({}), None, SHOP),
            step("fill", json!({ "text": "padel" }), field(), SHOP),
            step("click", json!({}), element(Role::Button, "Help"), SHOP),
            step("fill", json!({ "text": "padel" }), field(), SHOP),
            step("fill", json!({ "text": "padel rackets" }), field(), SHOP),
            step("press", json!({ "key": "Enter" }), None, FOUND),
            step("click", json!({}), element(Role::Link, "About us"), about),
            step(
                "goto",
                json!({ "url": "https://shop.example/item/3" }),
                None,
                "https://shop.example/item/3",
            ),
            step(
                "click",
                json!({}),
                element(Role::Button, "Add to cart"),
                "https://shop.example/item/3",
            ),
        ],
    );
    failed.steps[3].outcome = Outcome::NoEffect;
    let kept: Vec<u32> = crate::memory::shortest::shortest(&failed.steps)
        .iter()
        .map(|step| step.number)
        .collect();
    assert_eq!(kept, [6, 7, 9, 10]);
}

#[test]
fn a_value_that_is_no_part_of_the_goal_leaves_only_its_length() {
    let note = log(
        "run_1",
        0,
        "Leave a note for the courier",
        vec![
            step(
                "fill",
                json!({ "text": "Ring twice at Meyer" }),
                element(Role::TextBox, "Note"),
                SHOP,
            ),
            step(
                "click",
                json!({}),
                element(Role::Button, "Ring twice at Meyer"),
                SHOP,
            ),
            step(
                "fill",
                json!({ "text": "<secret:pin>" }),
                element(Role::TextBox, "PIN"),
                SHOP,
            ),
            step(
                "fill",
                json!({ "text": "<param:phone>" }),
                element(Role::TextBox, "Phone"),
                SHOP,
            ),
        ],
    );
    let records = learned(&[], &note);
    let stored = serde_json::to_string(&records).unwrap();
    assert!(!stored.contains("Meyer"), "{stored}");
    let lines = shown(
        &records,
        "Leave a note for the courier",
        &[],
        "textbox \"Note\" e1",
    );
    assert_eq!(
        lines[1..],
        [
            "1. fill textbox \"Note\" with what the task needs there",
            "2. click a button, whose name was not kept",
            "3. fill textbox \"PIN\" with <secret:pin> if it appears",
            "4. fill textbox \"Phone\" with <param:phone> if it appears",
        ]
    );
}

#[test]
fn goals_that_differ_only_in_values_are_one_trajectory_and_the_shorter_way_stays() {
    let mut records = learned(&[], &search("run_1", 0, "padel rackets", "A"));
    records = learned(&records, &search("run_2", 1, "tennis balls", "B"));
    let [(key, one)] = &Trajectory::all(&records)[..] else {
        panic!("one trajectory: {records:?}");
    };
    assert_eq!(one.header.runs.len(), 2);
    assert_eq!(
        one.header.run.as_str(),
        "run_2",
        "an equal way is the newer one"
    );
    let mut shorter = search("run_3", 2, "golf clubs", "C");
    shorter.steps.remove(1);
    records = learned(&records, &shorter);
    assert_eq!(Trajectory::all(&records)[0].1.steps.len(), 3);
    let without = |run: &str| {
        let undo = Trajectories::default().undo(&RunId::parse(run).unwrap());
        apply(&records, &undo.unwrap().changes(&records).unwrap())
    };
    let kept = |records: &[Record]| {
        let (_, one) = Trajectory::all(records).remove(0);
        let runs: Vec<String> = one.header.runs.iter().map(ToString::to_string).collect();
        (one.header.run.to_string(), runs.join(" "), one.steps.len())
    };
    // The first two took all steps of the shorter way.
    assert_eq!(
        kept(&without("run_3")),
        ("run_2".to_owned(), "run_1 run_2".to_owned(), 3)
    );
    assert_eq!(
        kept(&without("run_1")),
        ("run_3".to_owned(), "run_2 run_3".to_owned(), 3)
    );
    assert_eq!(Trajectories::default().item(&format!("{key}.00")), key);
}

/// Returns the log of a run that opens an item by links and buys it.
fn direct(run: &str, minute: i64) -> RunLog {
    let item = "https://shop.example/item/3";
    let steps = vec![
        step("click", json!({}), element(Role::Link, "Offers"), SHOP),
        step("click", json!({}), element(Role::Link, "Padel"), item),
        step("click", json!({}), element(Role::Button, "Buy"), item),
    ];
    log(run, minute, "Buy the offer of the day", steps)
}

#[test]
fn a_way_stays_while_a_run_that_took_it_is_left_and_another_way_is_no_proof() {
    let undone = |records: &[Record], run: &str| {
        let undo = Trajectories::default()
            .undo(&RunId::parse(run).unwrap())
            .unwrap();
        apply(records, &undo.changes(records).unwrap())
    };
    let mut longer = direct("run_2", 1);
    let help = step("click", json!({}), element(Role::Link, "Help"), SHOP);
    let detour = log("run_2", 1, &longer.about.goal, vec![help]);
    longer.steps.insert(0, detour.steps[0].clone());
    let records = learned(&learned(&[], &direct("run_1", 0)), &longer);
    let header = |records: &[Record]| Trajectory::all(records)[0].1.header.clone();
    assert_eq!(header(&records).runs.len(), 2);
    let left = undone(&records, "run_1");
    assert_eq!(header(&left).run.as_str(), "run_2");
    assert_eq!(undone(&left, "run_2"), []);

    let mut other = direct("run_3", 2);
    other.steps = search("run_3", 2, "padel rackets", "A").steps;
    let both = learned(&records, &other);
    assert_eq!(header(&both), header(&records), "a longer way is no proof");
    assert_eq!(undone(&undone(&both, "run_1"), "run_2"), []);
}

#[test]
fn a_trajectory_that_fails_three_runs_in_a_row_is_not_offered_until_a_run_succeeds() {
    let mut records = learned(&[], &search("run_1", 0, "padel rackets", "A"));
    let key = Trajectory::all(&records)[0].0.clone();
    let goal = "Search for golf clubs and add the cheapest to the cart";
    let offered = AdviceId {
        shelf: shelf(),
        key,
    };
    for n in 0..3 {
        assert_eq!(
            advice(&records, goal, &[], "searchbox \"Search\" e1").len(),
            1
        );
        let mut failed = search(&format!("run_f{n}"), n, "golf clubs", "C");
        failed.success = false;
        failed.offered = vec![offered.clone()];
        records = learned(&records, &failed);
    }
    assert_eq!(advice(&records, goal, &[], "searchbox \"Search\" e1"), []);
    let header = Trajectory::all(&records)[0].1.header.clone();
    assert_eq!(header.uses().harmed, 3);
    let kind = Trajectories::default();
    let accept = kind.accept(&offered.key, &header.goal, at(4)).unwrap();
    let back = apply(&records, &accept.changes(&records).unwrap());
    assert_eq!(advice(&back, goal, &[], "searchbox \"Search\" e1").len(), 1);
    assert_eq!(Trajectory::all(&back)[0].1.header.uses().harmed, 0);
    records = learned(&records, &search("run_5", 9, "golf clubs", "C"));
    assert_eq!(
        advice(&records, goal, &[], "searchbox \"Search\" e1").len(),
        1
    );
    let mut helped = search("run_6", 10, "tennis balls", "D");
    helped.offered = vec![offered];
    records = learned(&records, &helped);
    assert_eq!(Trajectory::all(&records)[0].1.header.uses().helped, 1);
}

#[test]
fn a_run_that_somebody_ended_used_its_trajectory_and_says_nothing_about_it() {
    use StopReason::{Budget, Cancelled, GaveUp, Rejected};
    let records = learned(&[], &search("run_1", 0, "padel rackets", "A"));
    let offered = AdviceId {
        shelf: shelf(),
        key: Trajectory::all(&records)[0].0.clone(),
    };
    let after = |stop, refused| {
        let mut run = search("run_2", 1, "golf clubs", "C");
        run.offered = vec![offered.clone()];
        if refused {
            run.steps.last_mut().unwrap().outcome = Outcome::failed(ErrorClass::Rejected, "");
        }
        let records = learned(&records, &run.ended_by(stop));
        Trajectory::all(&records)[0].1.header.uses()
    };
    let count = |harmed| Uses {
        shown: 1,
        used: 1,
        helped: 0,
        harmed,
    };
    for stop in [Rejected, Cancelled, Budget(BudgetKind::Time)] {
        assert_eq!(after(stop, false), count(0), "{stop:?}");
    }
    assert_eq!(after(GaveUp, true), count(0));
    assert_eq!(after(GaveUp, false), count(1));
}

#[test]
fn twenty_trajectories_of_fifty_steps_fit_on_a_shelf_and_the_oldest_goes() {
    let name = "\u{65e5}\u{672c}\u{8a9e}".repeat(20);
    let mut records = Vec::new();
    for run in 0..22 {
        let steps = (0..MAX_STEPS).map(|n| {
            let mut field = TargetIdentity::new(Role::TextBox, format!("{n} {name}"));
            field.ancestors = vec![name.clone(); 3];
            field.landmark = Some(Role::Main);
            step(
                "fill",
                json!({ "text": format!("value {run} {n}") }),
                field,
                SHOP,
            )
        });
        let goal = format!(
            "{} number {run}",
            char::from(b'A' + run).to_string().repeat(20)
        );
        records = learned(
            &records,
            &log(
                &format!("run_{run}"),
                i64::from(run),
                &goal,
                steps.collect(),
            ),
        );
    }
    assert_eq!(Trajectory::all(&records).len(), MAX_TRAJECTORIES);
    assert!(
        records
            .iter()
            .all(|record| record.size() <= crate::memory::MAX_RECORD_BYTES)
    );
    let steps = records.iter().filter(|record| record.key.contains('.'));
    assert!(steps.clone().all(|record| record.size() <= MAX_STEP_BYTES));
    assert_eq!(steps.count(), MAX_TRAJECTORIES * MAX_STEPS);
    let bytes: usize = records.iter().map(Record::size).sum();
    assert!(bytes < 1_024 * 1_024, "{bytes} bytes");
    let now = at(60 * 24 * 31);
    let upkeep = Trajectories::default()
        .upkeep(&shelf(), &records, now)
        .unwrap();
    assert_eq!(apply(&records, &upkeep.changes(&records).unwrap()), []);
}

#[test]
fn of_two_fitting_trajectories_scoring_prefers_the_recent_and_fast_one() {
    let mut slow = search("run_1", 0, "padel rackets", "A");
    slow = slow.started_at(at(-60));
    let mut records = learned(&[], &slow);
    let mut fast = search("run_2", 55, "padel rackets", "A");
    fast.about.goal =
        "Search for padel rackets, then add the cheapest of them to the cart".to_owned();
    records = learned(&records, &fast);
    let options = TrajectoryOptions {
        trace_scoring: true,
        ..TrajectoryOptions::default()
    };
    let all = Trajectory::all(&records);
    let score = |run: &str| {
        let (_, one) = all
            .iter()
            .find(|(_, one)| one.header.run.as_str() == run)
            .unwrap();
        let alike = rank::similarity(&one.header, GOAL, &options).unwrap();
        (
            alike,
            rank::score(&one.header, alike, one.verified_share(), at(60)),
        )
    };
    let (slow, fast) = (score("run_1"), score("run_2"));
    assert!(slow.0 > fast.0, "{slow:?} {fast:?}");
    assert!((slow.0 - 1.0).abs() < 1e-9);
    let expected = 0.6 + 0.2 * (-(60.0_f64 / 1_440.0) / 14.0).exp() + 0.1 / 61.0 + 0.1;
    assert!((slow.1 - expected).abs() < 1e-9, "{slow:?} {expected}");
    let best = |options: TrajectoryOptions| {
        let cue = Cue::PageShown {
            host: Host::of_domain("shop.example").unwrap(),
            page: None,
            seen: Arc::new(Observation::new(
                SHOP,
                "Shop",
                crate::testing::tree("searchbox \"Search\" e1"),
            )),
        };
        let about = About::new("Search for padel rackets, add the cheapest of them to the cart");
        let moment = Moment::new(&cue, &about, &[], at(60));
        let said = Trajectories::new(options)
            .index(&shelf(), &records)
            .advise(&moment, false);
        said[0].id().key.clone()
    };
    let key = |run: &str| {
        all.iter()
            .find(|(_, one)| one.header.run.as_str() == run)
            .unwrap()
            .0
            .clone()
    };
    assert_eq!(best(options), key("run_2"));
}

#[test]
fn an_imported_trajectory_waits_for_a_person() {
    let records = learned(&[], &search("run_1", 0, "padel rackets", "A"));
    let kind = Trajectories::default();
    let admitted: Vec<Record> = records
        .iter()
        .map(|r| kind.admit(r, false).unwrap())
        .collect();
    assert_eq!(advice(&admitted, GOAL, &[], "searchbox \"Search\" e1"), []);
    let described = kind.describe(&admitted[0]).unwrap();
    assert_eq!(
        (described.standing, &*described.text),
        (Standing::WaitsForReview, GOAL)
    );
    let accept = kind.accept(&admitted[0].key, GOAL, at(0)).unwrap();
    let accepted = apply(&admitted, &accept.changes(&admitted).unwrap());
    assert_eq!(
        advice(&accepted, GOAL, &[], "searchbox \"Search\" e1").len(),
        1
    );
    let other = kind
        .accept(&admitted[0].key, "Another goal", at(0))
        .unwrap();
    assert_eq!(
        other.changes(&admitted).unwrap_err().kind(),
        ErrorKind::InvalidInput
    );
    // A person reads all of a long goal before accepting it.
    let mut header = Header::from_record(&admitted[0]).unwrap();
    header.goal = format!("Search for {}", "padel ".repeat(80))
        .trim_end()
        .to_owned();
    let long = [header.to_record(&admitted[0].key).unwrap()];
    let text = kind.describe(&long[0]).unwrap().text;
    assert_eq!(text, header.goal);
    let accept = kind.accept(&long[0].key, &text, at(0)).unwrap();
    assert_eq!(accept.changes(&long).unwrap().len(), 1);
    let vouched: Vec<Record> = records
        .iter()
        .map(|r| kind.admit(r, true).unwrap())
        .collect();
    assert_eq!(vouched, records);
    let bad = Record::new("../x", &json!({}));
    assert!(kind.admit(&bad, true).is_err());
}

#[test]
fn another_program_reads_a_step_as_it_was_taken_or_not_at_all() {
    let day = |typed: &str| {
        let field = element(Role::TextBox, "Day");
        step("fill", json!({ "text": typed }), field, SHOP)
    };
    let goal = "Book a room on 14 September 2026";
    let press = |arguments| step("press", arguments, None, SHOP);
    let domain = Domain::new(Host::of_domain("shop.example").unwrap());
    let written = |steps| {
        let records = learned(&[], &log("run_1", 0, goal, steps));
        let mut domain = domain.clone();
        let lost = Trajectories::default().write_domain(&records, &mut domain);
        assert_eq!(domain.trajectories.len() + lost.len(), 1);
        (records, domain)
    };
    let (records, domain) = written(vec![
        day("2026-09-14"),
        press(json!({ "key": "ArrowDown" })),
    ]);
    let steps = &domain.trajectories.values().next().unwrap()["steps"];
    assert_eq!(steps[0]["action"]["text"], "2026-09-14");
    let again = Trajectories::default().read_domain(&domain, at(1)).records;
    let form = |records: &[Record]| Trajectory::all(records)[0].1.steps[0].form.clone();
    assert_eq!(form(&again), form(&records));
    let (_, domain) = written(vec![
        day("2026-09-14"),
        press(json!({ "key": "ArrowDown", "times": 5 })),
    ]);
    assert!(domain.trajectories.is_empty());
}

#[test]
fn a_run_over_several_hosts_or_without_steps_teaches_nothing() {
    let two = log(
        "run_1",
        0,
        GOAL,
        vec![step(
            "goto",
            json!({ "url": "https://b.example/" }),
            None,
            "https://b.example/",
        )],
    );
    assert_eq!(Learned::of(&two), None);
    assert_eq!(Learned::of(&log("run_2", 0, GOAL, Vec::new())), None);
    let mut failed = search("run_3", 0, "padel rackets", "A");
    failed.success = false;
    assert_eq!(Trajectories::default().distill(&failed), None);
}
