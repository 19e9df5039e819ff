//! How a recipe finds what a step was done to: by where a link leads, by the letter of a name, by the row, by the only result.

use super::*;

const HOME: &str = "https://desk.example/";
const MENU: &str = "heading \"Desk\" [level=1]\ntable \"\"\n  row \"\"\n    cell \"Rooms\"\n    cell \"\"\n      link \"Add\" e1 -> /room/add\n  row \"\"\n    cell \"Bookings\"\n    cell \"\"\n      link \"Add\" e2 -> /booking/add";

fn one(page: &Observation, goal: &str, tool: &str, arguments: Value, to: &str) -> Recipe {
    let steps = vec![step(tool, arguments, page, to)];
    only(&learned(&[], &log("run_1", 0, goal, steps)))
}

/// Returns the next call on a page, or why there is none.
fn called(recipe: &Recipe, values: &[(&str, &str)], page: &Observation) -> String {
    let mut own = following(recipe, values, 1, Some(1)).unwrap();
    match next(&mut own, page) {
        Next::Act { action, .. } => Action::Browser(action).line(),
        _ => own.answer().join(" "),
    }
}

#[test]
fn a_link_to_a_page_is_found_by_where_it_leads() {
    let page = seen(HOME, MENU);
    let to = "https://desk.example/booking/add";
    let recipe = one(
        &page,
        "Add a booking for Ann",
        "click",
        json!({ "target": "e2" }),
        to,
    );
    assert_eq!(lines(&recipe)[1], "1. click link \"Add\" -> /booking/add");
    assert_eq!(called(&recipe, &[], &page), r#"click {"target":"e2"}"#);
    let swapped = MENU
        .replace("/room/add", "/x")
        .replace("/booking/add", "/room/add")
        .replace("/x", "/booking/add");
    assert_eq!(
        called(&recipe, &[], &seen(HOME, &swapped)),
        r#"click {"target":"e1"}"#
    );
    let elsewhere = MENU.replace("\"Desk\"", "\"Another page\"");
    let elsewhere = seen("https://desk.example/rooms", &elsewhere);
    assert_eq!(called(&recipe, &[], &elsewhere), r#"click {"target":"e2"}"#);
    let gone = MENU.replace("/booking/add", "/order/add");
    assert!(called(&recipe, &[], &seen(HOME, &gone)).contains("2 elements could be its"));
}

#[test]
fn the_name_of_an_item_is_meant_to_the_letter_and_the_number() {
    let list = |names: [&str; 3]| {
        let rows = names.iter().zip(1..).map(|(name, n)| {
            format!("  row \"\"\n    cell \"\"\n      link \"{name}\" e{n} -> /tickets/{n}\n")
        });
        let rows: String = rows.collect();
        seen(
            LIST,
            &format!("heading \"Tickets\" [level=1]\ntable \"\"\n{rows}"),
        )
    };
    let page = list(["Yoga 2", "Yoga 12", "Choir"]);
    let to = "https://desk.example/tickets/1";
    let recipe = one(&page, "Open Yoga 2", "click", json!({ "target": "e1" }), to);
    let open = |name: &str, page: &Observation| called(&recipe, &[("link", name)], page);
    assert_eq!(open("Yoga 12", &page), r#"click {"target":"e2"}"#);
    for missing in ["Yoga 6", "Yoga", "Choir 2"] {
        let said = open(missing, &page);
        assert!(said.contains("there is no link"), "{missing}: {said}");
        assert!(said.contains("\"Yoga 12\""), "{said}");
    }
    let remarked = list(["Choir (closed)", "Yoga 2", "Yoga 3"]);
    assert!(open("Choir", &remarked).contains("there is no link"));
}

#[test]
fn links_to_further_pages_of_a_list_are_left_out_if_the_item_is_on_the_first() {
    let list = |url: &str, name: &str| {
        let links =
            format!("link \"{name}\" e1 -> /tickets/1\nlink \"next >>\" e2 -> /tickets?page=2");
        seen(url, &format!("heading \"Tickets\" [level=1]\n{links}"))
    };
    let second = "https://desk.example/tickets?page=2";
    let steps = vec![
        step(
            "click",
            json!({ "target": "e2" }),
            &list(LIST, "Lamp"),
            second,
        ),
        step(
            "click",
            json!({ "target": "e1" }),
            &list(second, "Yoga"),
            "https://desk.example/tickets/1",
        ),
    ];
    let recipe = only(&learned(&[], &log("run_1", 0, "Open Yoga", steps)));
    let first = |name: &str| {
        let mut own = following(&recipe, &[("link", name)], 1, None).unwrap();
        match next(&mut own, &list(LIST, "Lamp")) {
            Next::Act { action, .. } => Action::Browser(action).line(),
            _ => own.answer().join(" "),
        }
    };
    assert_eq!(first("Yoga"), r#"click {"target":"e2"}"#);
    assert_eq!(first("Lamp"), r#"click {"target":"e1"}"#);
}

#[test]
fn a_box_that_the_goal_asks_for_is_ticked_only_if_the_call_says_yes() {
    let page = seen(
        DESK,
        "heading \"New ticket\" [level=1]\ncheckbox \"Urgent\" e1 [unchecked]",
    );
    let recipe = one(
        &page,
        "File an urgent ticket",
        "check",
        json!({ "target": "e1" }),
        DESK,
    );
    assert_eq!(
        lines(&recipe)[1],
        "1. check checkbox \"Urgent\" <urgent: yes or no>"
    );
    assert_eq!(
        called(&recipe, &[("urgent", "Yes")], &page),
        r#"check {"target":"e1"}"#
    );
    assert!(called(&recipe, &[("urgent", "no")], &page).contains("skipped 1 (not asked for)"));
    let refused = |values: &[(&str, &str)]| following(&recipe, values, 1, None).unwrap_err();
    assert_eq!(refused(&[]), "values lacks urgent");
    assert_eq!(
        refused(&[("urgent", "maybe")]),
        "the value urgent must be yes or no"
    );
    // The very same task ticks it.
    assert_eq!(recipe.known_steps(), 1);
}

#[test]
fn a_field_of_a_grid_is_found_by_its_row_and_not_by_its_number() {
    let rows = ["Yoga", "Choir"].iter().zip(0..).map(|(name, n)| {
        format!("  row \"\"\n    cell \"{name}\"\n    cell \"\"\n      textbox \"Starts\" e{n} [testid=starts-{n}]\n")
    });
    let page = seen(
        LIST,
        &format!(
            "heading \"Room\" [level=1]\ntable \"\"\n{}",
            rows.collect::<String>()
        ),
    );
    let fill = json!({ "target": "e0", "text": "17:15" });
    let recipe = one(&page, "Let Yoga begin at 17:15", "fill", fill, LIST);
    assert_eq!(
        lines(&recipe)[1],
        "1. fill textbox \"Starts\" in row <row> <starts>"
    );
    let values = [("row", "Choir"), ("starts", "18:00")];
    assert_eq!(
        called(&recipe, &values, &page),
        r#"fill {"target":"e1","text":"18:00"}"#
    );
}

#[test]
fn the_only_result_of_a_search_is_opened_and_of_several_none() {
    let search = seen(
        LIST,
        "heading \"Tickets\" [level=1]\nsearchbox \"Search\" e1",
    );
    let found = "https://desk.example/tickets?q=lamp";
    let results = |names: &[&str]| {
        let links = names
            .iter()
            .zip(2..)
            .map(|(name, n)| format!("link \"{name}\" e{n} -> /tickets/{n}\n"));
        seen(
            found,
            &format!(
                "heading \"Tickets\" [level=1]\n{}",
                links.collect::<String>()
            ),
        )
    };
    let steps = vec![
        step(
            "fill",
            json!({ "target": "e1", "text": "lamp", "submit": true }),
            &search,
            found,
        ),
        step(
            "click",
            json!({ "target": "e2" }),
            &results(&["Broken light"]),
            SAVED,
        ),
    ];
    let recipe = only(&learned(
        &[],
        &log("run_1", 0, "Open the ticket about the lamp", steps),
    ));
    let line = "2. click link -> /tickets/:n (the only result, else choose it yourself)";
    assert_eq!(lines(&recipe)[2], line);
    assert!(!serde_json::to_string(&recipe).unwrap().contains("light"));
    let second = |page: &Observation| {
        let mut own = following(&recipe, &[], 2, None).unwrap();
        next(&mut own, page)
    };
    let Next::Act { action, .. } = second(&results(&["Cold room"])) else {
        panic!("the only result")
    };
    assert_eq!(Action::Browser(action).line(), r#"click {"target":"e2"}"#);
    assert_eq!(second(&results(&["Cold room", "Warm room"])), Next::End);
    assert_eq!(second(&results(&[])), Next::End);
}

#[test]
fn an_address_is_opened_with_the_values_of_the_call() {
    let page = seen(HOME, "heading \"Desk\" [level=1]");
    let to = "https://desk.example/query?owner=~ann&col=owner&col=id&order=id";
    let recipe = one(
        &page,
        "List the tickets of ann",
        "goto",
        json!({ "url": to }),
        to,
    );
    let shown = "https://desk.example/query?col=owner&col=id&order=id&owner=~<owner>";
    assert_eq!(lines(&recipe)[1], format!("1. goto {shown:?} -> /query"));
    let opened = called(
        &recipe,
        &[("owner", "bob&x=1")],
        &seen(LIST, "heading \"Other\" [level=1]"),
    );
    assert!(opened.contains("order=id&owner=%7Ebob%26x%3D1"), "{opened}");
    for item in [
        "https://desk.example/tickets/7",
        "https://desk.example/query?id=7",
    ] {
        let recipe = one(
            &page,
            "List the tickets of ann",
            "goto",
            json!({ "url": item }),
            item,
        );
        assert!(
            lines(&recipe)[1].contains("open the page that fits your goal yourself"),
            "{item}"
        );
        assert!(!serde_json::to_string(&recipe).unwrap().contains("id=7"));
    }
}

#[test]
fn the_answer_is_read_again_from_where_it_stood_and_an_old_one_is_never_told() {
    let form = seen(DESK, "heading \"New ticket\" [level=1]\nbutton \"Save\" e1");
    let done = |texts: &str| seen(SAVED, &format!("heading \"Filed\" [level=1]\n{texts}"));
    let mut finish = step(
        "finish",
        json!({ "answer": "number: T-17", "evidence": "Your number is T-17" }),
        &done("\"Your number is T-17.\""),
        SAVED,
    );
    finish.finished = Some(crate::working::Finished::new(
        "number: T-17".into(),
        "Your number is T-17".into(),
        true,
    ));
    let steps = vec![
        step("click", json!({ "target": "e1" }), &form, SAVED),
        finish,
    ];
    let recipe = only(&learned(
        &[],
        &log("run_1", 0, "File it and report the number", steps),
    ));
    assert!(
        !serde_json::to_string(&recipe.header)
            .unwrap()
            .contains("T-17")
    );
    let read = |page: &Observation| {
        let mut own = Following::of_task("t1", id("k"), Arc::new(recipe.clone()), true).unwrap();
        act(&mut own, &form, SAVED);
        let words: Vec<&str> = page
            .tree
            .iter()
            .flat_map(|(_, node)| {
                let said = node.value.as_deref().unwrap_or(&node.name);
                said.split_whitespace().chain([""])
            })
            .collect();
        on(page, &[], |here| own.read_again(here, &words))
    };
    let finish = read(&done("\"Your number is T-99.\"")).unwrap();
    assert_eq!(
        (&*finish.answer, &*finish.evidence),
        ("number T-99", "Your number is T-99.")
    );
    for other in [
        "\"Your order is T-99.\"",
        "\"Your number is T-98.\"\n\"Your number is T-99.\"",
        "\"T-99\"",
    ] {
        assert!(read(&done(other)).is_none(), "{other}");
    }
}
