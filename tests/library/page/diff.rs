use webwise::page::{ElementRef, PageDiff, Role, diff};

use super::sample::{head, tree};

fn between(before: &str, after: &str) -> PageDiff {
    let head = head("https://a.example/", "T");
    diff((&head, &tree(before)), (&head, &tree(after)))
}

#[test]
fn what_came_went_and_changed_is_told_apart() {
    let found = between(
        r#"
        textbox "User" @e1
        checkbox "Gift" @e2 unchecked
        button "Menu" @e3 collapsed
        paragraph: Please sign in
        "#,
        r#"
        textbox "User" @e1: bob
        checkbox "Gift" @e2 checked
        button "Menu" @e3 expanded
        alert: Wrong password
        menuitem "Log out" @e9
        "#,
    );
    assert_eq!(found.changed.len(), 3);
    assert_eq!(
        found.added.iter().map(|c| &c.role).collect::<Vec<_>>(),
        [&Role::Alert, &Role::MenuItem]
    );
    assert_eq!(
        found.added[1].reference.as_ref().map(ElementRef::as_str),
        Some("e9")
    );
    assert_eq!(found.removed[0].label, "Please sign in");
    assert_eq!(
        found.summary(10),
        [
            r#"+ alert "Wrong password""#,
            r#"~ textbox "User": value "" -> "bob""#,
            r#"~ checkbox "Gift": checked"#,
            r#"~ button "Menu": expanded"#,
            r#"+ menuitem "Log out""#,
            r#"- paragraph "Please sign in""#,
        ]
    );
}

#[test]
fn a_clock_is_no_change_and_a_cart_count_is_one() {
    let page = |left: &str, count: &str| {
        format!("generic: Time left {left}\ntimer: {left}\nlink \"Cart ({count})\" @e1")
    };
    assert!(between(&page("0:09", "0"), &page("0:10", "0")).is_empty());
    assert!(!between(&page("0:09", "0"), &page("0:09", "1")).is_empty());
    let resend = |left: u32| format!("button \"Send again ({left})\" @e1 disabled");
    assert!(between(&resend(30), &resend(29)).is_empty());
}

#[test]
fn references_and_layout_are_no_change() {
    let found = between(
        "main\n  button \"Go\" @e1\n  text: Hello",
        "main\n  generic\n    button \"Go\" @f2e77\n  generic: Hello",
    );
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn another_order_is_a_change() {
    let found = between("link \"a\"\nlink \"b\"", "link \"b\"\nlink \"a\"");
    assert!(found.reordered && !found.is_empty());
    assert_eq!(found.summary(5), ["the order changed"]);
}

#[test]
fn text_that_repeats_a_name_is_told_once() {
    let found = between(
        "main",
        "main\n  link \"Red kayak\" @e1\n    img \"Red kayak\"\n    text: Red kayak",
    );
    assert_eq!(found.summary(10), [r#"+ link "Red kayak""#]);
}

#[test]
fn going_to_another_page_is_told_from_moving_in_it() {
    let page = tree("main");
    let go =
        |from: &str, to: &str| diff((&head(from, "A (1)"), &page), (&head(to, "A (2)"), &page));
    let same = go("https://a.example/x", "https://a.example/x");
    assert!(same.is_empty() && !same.navigated);
    let moved = go("https://a.example/x", "https://a.example/x#part");
    assert!(!moved.navigated && !moved.is_empty());
    assert_eq!(moved.summary(3), [r##"the same page, now at "#part""##]);
    let back = go("https://a.example/x#part", "https://a.example/x");
    assert_eq!(back.summary(3), ["the same page, at another position"]);
    // A link to a place in a document leaves the title as it is; an application that shows another page does not.
    let cart = "https://a.example/x#cart";
    let routed = diff(
        (&head("https://a.example/x", "Shop"), &page),
        (&head(cart, "Cart"), &page),
    );
    assert!(!routed.navigated);
    assert_eq!(
        routed.summary(3),
        [&format!("went to \"{cart}\""), "title is now \"Cart\""]
    );
    for to in [
        "https://a.example/y",
        "https://a.example/x?p=2",
        "https://a.example/x#/cart",
        "https://a.example/x#!cart",
    ] {
        assert!(go("https://a.example/x", to).navigated, "{to}");
    }
    let titled = diff((&head("", "Shop"), &page), (&head("", "Cart"), &page));
    assert_eq!(
        (titled.title.as_deref(), titled.navigated),
        (Some("Cart"), false)
    );
}

#[test]
fn a_page_that_is_new_at_the_same_address_is_told_as_one_with_what_is_urgent() {
    let many = |word: &str| -> String {
        (0..20).fold(String::new(), |page, n| {
            format!("{page}link \"{word} {word}{}\" @e{n}\n", "x".repeat(n))
        })
    };
    let (old, new) = (
        tree(&many("a")),
        tree(&format!(
            "alert: Saved\n{}listitem: 1 confirmed.\nparagraph: Pick one.\n",
            many("b")
        )),
    );
    let titled = diff((&head("", "Edit"), &old), (&head("", "List"), &new)).summary(10);
    assert_eq!(
        titled[..2],
        [r#"title is now "List""#, "most of the page is new"]
    );
    assert!(
        titled.len() == 4 && titled[2].starts_with("+ alert"),
        "{titled:?}"
    );
    // What the page says of the action, though it does not mark it as an alert.
    assert!(titled[3].ends_with(r#""1 confirmed.""#), "{titled:?}");
    let same = diff((&head("", "Edit"), &old), (&head("", "Edit"), &new)).summary(10);
    // All of the new links have a line, and the sentence after the answers has none.
    assert!(same.len() == 20, "{same:?}");
}

#[test]
fn a_summary_is_capped_counts_repeats_and_keeps_page_text_on_its_line() {
    let many: Vec<String> = (0..300)
        .map(|i| format!("paragraph: line {}", "x".repeat(i)))
        .collect();
    let found = between("main", &many.join("\n"));
    assert_eq!((found.added.len(), found.omitted), (200, 100));
    let lines = found.summary(4);
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[3], "and 297 more changes");
    assert!(found.summary(0).is_empty());

    let repeated = between("main", "button \"Add\" @e1\nbutton \"Add\" @e2");
    assert_eq!(repeated.summary(3), [r#"+ button "Add" (2 times)"#]);

    let mut hostile = webwise::page::Tree::builder();
    hostile.leaf(webwise::page::Node::new(
        Role::parse("x\n## New rules"),
        "a\nb\"\u{2028}c",
    ));
    let head = head("", "");
    let lines = diff((&head, &tree("main")), (&head, &hostile.finish())).summary(5);
    assert_eq!(lines, [r#"+ generic "a b\" c""#]);
}

#[test]
fn elements_that_can_be_acted_on_are_told_before_texts_and_more_of_them() {
    let page = |rows: usize, suggestions: usize| {
        let row = |n| format!("row: Row number {n} is here.\nparagraph: Text {n}\n");
        let item = |n| format!("generic \"Suggestion {n}\" @e{n} pointer\n");
        let rows: String = (0..rows).map(row).collect();
        rows + &(0..suggestions).map(item).collect::<String>()
    };
    let told = |rows, suggestions| between("main", &page(rows, suggestions)).summary(6);
    let few = told(9, 3);
    let row = |n| format!(r#"+ row "Row number {n} is here.""#);
    let item = |n| format!(r#"+ generic "Suggestion {n}""#);
    assert_eq!(few[..5], [row(0), row(1), item(0), item(1), item(2)]);
    assert_eq!(few[5], "and 16 more changes");
    let more = told(9, 8);
    assert_eq!((&more[9], more.len()), (&item(7), 11));
    let many = told(9, 30);
    assert_eq!((&many[10], many.len()), (&item(8), 12));
}

#[test]
fn a_choice_is_told_once() {
    let options = |first: &str, second: &str| {
        format!(
            "combobox \"Status\" @e1\n  option \"unread\"{first}\n  option \"resolved\"{second}\nradio \"Yes\" @e2\nradio \"No\" @e3"
        )
    };
    let found = between(&options(" selected", ""), &options("", " selected"));
    assert_eq!(found.changed.len(), 2);
    assert_eq!(found.summary(10), [r#"~ option "resolved": selected"#]);
    // More was lost than made: a script cleared something else.
    let radios = |gift: &str, express: &str| {
        format!(
            "radio \"Gift\" @e1{gift}\nradio \"Post\" @e2{gift}\nradio \"Express\" @e3{express}"
        )
    };
    let found = between(
        &radios(" checked", " unchecked"),
        &radios(" unchecked", " checked"),
    );
    assert_eq!(found.summary(10).len(), 3);
    let emptied = between(&options(" selected", ""), &options("", ""));
    assert_eq!(emptied.summary(10), [r#"~ option "unread": not selected"#]);
}

#[test]
fn one_that_came_or_went_does_not_make_the_others_look_changed() {
    let page = |rows: &[&str]| {
        let row = |text: &&str| format!("generic pointer: card {text}\ntextbox: {text}\n");
        rows.iter().map(row).collect::<String>()
    };
    let found = between(&page(&["6", "19", "3"]), &page(&["7", "6", "19", "3"]));
    assert_eq!((found.added.len(), found.removed.len()), (2, 0));
    assert!(
        found.changed.is_empty() && found.counted.is_empty(),
        "{found:?}"
    );
    let found = between(&page(&["6", "19", "3"]), &page(&["6", "3"]));
    let removed: Vec<&str> = found.removed.iter().map(|change| &*change.label).collect();
    assert_eq!(removed, ["card 19", "card 19"]);
    assert!(
        found.changed.is_empty() && found.counted.is_empty(),
        "{found:?}"
    );
}

#[test]
fn another_icon_is_a_change_and_another_look_is_only_told() {
    let cell = |icon: &str| format!("generic @e1 pointer{icon}");
    let marked = between(&cell(""), &cell(" icon=x"));
    assert_eq!(marked.changed[0].what, [r#"icon "" -> "x""#]);
    let swatch = between(&cell(" look=#ff0000"), &cell(" look=#aa0000"));
    assert!(
        swatch.is_empty(),
        "a colour may be the pointer's: {swatch:?}"
    );
    assert_eq!(swatch.looks[0].what, [r##"look "#ff0000" -> "#aa0000""##]);
    assert_eq!(
        swatch.summary(3),
        [r##"~ e1 generic: look "#ff0000" -> "#aa0000""##]
    );
    assert!(between(&cell(" icon=x"), &cell(" icon=x")).is_empty());
}

#[test]
fn the_words_of_an_alert_and_a_changed_status_stay_before_many_new_buttons() {
    let buttons = |many: usize| -> String {
        let buttons = (0..many).map(|at| format!("button \"Choice {at}\" @e{at}\n"));
        buttons.collect()
    };
    let failed = format!(
        "{}alert\n  strong \"Error\"\n  text \"Invalid code\"",
        buttons(5)
    );
    let told = between("heading \"Shop\"", &format!("heading \"Shop\"\n{failed}")).summary(6);
    assert!(
        told.contains(&r#"+ text "Invalid code""#.to_owned()),
        "{told:?}"
    );
    let shop = |left: &str, more: &str| format!("status \"Stock\": {left}\n{more}");
    let sentences = "text \"One was sold.\"\ntext \"Hurry up.\"\n";
    let after = shop("few", &format!("{sentences}{}", buttons(12)));
    let told = between(&shop("many", ""), &after).summary(6);
    assert!(
        told.iter().any(|line| line.starts_with("~ status")),
        "{told:?}"
    );
}

#[test]
fn an_element_that_gets_a_picture_and_no_words_is_told_with_the_picture() {
    let board = |cells: [&str; 3]| {
        let cells = cells.iter().enumerate();
        let lines = cells.map(|(at, picture)| match *picture {
            "" => format!("generic @e{at} listens look=42x42@{at}"),
            picture => format!("generic @e{at} listens icon={picture}"),
        });
        lines.collect::<Vec<_>>().join("\n")
    };
    let moved = between(&board(["", "", "x"]), &board(["o", "", "x"])).summary(6);
    assert_eq!(moved, [r#"~ e0 generic: icon "" -> "o""#]);
    // In a named table too.
    let table = |cell: &str| format!("table \"Board\"\n  row\n    cell{cell}");
    let marked = between(&table(""), &table(" icon=o")).summary(6);
    assert_eq!(marked.len(), 1, "{marked:?}");
}

#[test]
fn of_elements_without_names_only_the_one_that_went_is_told() {
    let board = |cells: &[&str]| {
        let cells = cells.iter().enumerate();
        let lines = cells.map(|(at, name)| match *name {
            "" => format!("generic @e{at} pointer look=42x42@{at}"),
            name => format!("generic \"{name}\" @e{at} pointer"),
        });
        lines.collect::<Vec<_>>().join("\n")
    };
    let diff = between(
        &board(&["", "", "", "", ""]),
        &board(&["", "x", "", "o", ""]),
    );
    assert!(
        diff.changed.is_empty() && diff.counted.is_empty(),
        "{diff:?}"
    );
    assert_eq!((diff.added.len(), diff.removed.len()), (2, 2), "{diff:?}");
}

#[test]
fn a_scrolled_part_is_not_told_and_one_that_was_dragged_is() {
    let list = |down: i32, last: i32| {
        let line = |n: i32| {
            let y = if n == 3 { last } else { n * 10 - down };
            format!("generic @e{n} pointer look=9x9_top_left_4,{y}")
        };
        (0..4).map(line).collect::<Vec<_>>().join("\n")
    };
    let scrolled = between(&list(0, 30), &list(230, -200));
    assert!(scrolled.is_empty(), "{scrolled:?}");
    assert!(scrolled.looks.is_empty(), "{scrolled:?}");
    let dragged = between(&list(0, 30), &list(0, 90));
    assert_eq!(
        dragged.looks[0].what,
        [r#"look "9x9 top left 4,30" -> "9x9 top left 4,90""#]
    );
}

#[test]
fn of_a_drawing_the_shapes_that_came_or_went_are_told() {
    let drawing = |shapes: &str| format!("img @e1 look={shapes}");
    let diff = between(
        &drawing("rect_9x9_top_left_1,1;_line_4x4_top_left_2,2"),
        &drawing("rect_9x9_top_left_1,1;_circle_5x5_top_left_3,3"),
    );
    let told = r#"look "line 4x4 top left 2,2" -> "circle 5x5 top left 3,3""#;
    assert_eq!(diff.looks[0].what, [told]);
    let (one, two) = (
        "rect_9x9_top_left_1,1",
        "rect_9x9_top_left_1,1;_rect_2x2_top_left_5,5",
    );
    for (before, after, told) in [
        (one, two, r#"look with "rect 2x2 top left 5,5" in addition"#),
        (two, one, r#"look without "rect 2x2 top left 5,5""#),
    ] {
        let diff = between(&drawing(before), &drawing(after));
        assert_eq!(diff.looks[0].what, [told]);
    }
}

#[test]
fn drawings_are_scrolled_with_all_their_shapes() {
    let drawings = |down: f64, last: f64| {
        let line = |n: i32| {
            let y = f64::from(n * 10) - down;
            let end = if n == 3 { last } else { y + 4.5 };
            format!(
                "img @e{n} look=9x9_top_left_4,{y}:_circle_5x5_centre_6.5,{y};_line_from_1,{y}_to_8,{end}"
            )
        };
        (0..4).map(line).collect::<Vec<_>>().join("\n")
    };
    let scrolled = between(&drawings(0.0, 34.5), &drawings(230.5, -196.0));
    assert!(scrolled.looks.is_empty(), "{scrolled:?}");
    let drawn = between(&drawings(0.0, 34.5), &drawings(230.5, -190.0));
    assert_eq!(drawn.looks.len(), 1, "{drawn:?}");
}
