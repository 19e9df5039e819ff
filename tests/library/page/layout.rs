use std::fmt::Write as _;

use webwise::{
    page::{DigestOptions, Layout, Shown, Tree, ViewOptions, interpret},
    prompt::reading,
};

use super::sample::{head, tree, words};

/// The lines that a prompt shows of a page.
fn shown(page: &str, goal: &str, max_tokens: usize) -> Vec<String> {
    let tree = tree(page);
    let (layout, elements) = laid_out(&tree);
    let options = DigestOptions::default().with_max_tokens(max_tokens);
    let digest = layout.digest(&elements, &words(goal), options);
    reading(&digest.lines, &elements)
}

fn laid_out(tree: &Tree) -> (Layout, Vec<webwise::page::Element>) {
    let view = interpret(
        &head("https://a.example/", ""),
        tree,
        &ViewOptions::default(),
    );
    (Layout::of(tree, &view.elements), view.elements)
}

fn whole(page: &str) -> Vec<String> {
    shown(page, "", usize::MAX)
}

/// A shop with a menu, a list of 300, a form and a footer.
fn shop() -> String {
    let mut page = String::from("navigation @e1\n  list @e2\n");
    for i in 0..40 {
        let _ = writeln!(
            page,
            "    listitem\n      link \"Menu {i}\" @e{} url=/m/{i}",
            10 + i
        );
    }
    page.push_str("main\n  searchbox \"Search\" @e90\n  list \"Things\" @e91\n");
    for i in 0..300 {
        let name = if i == 217 {
            "Blue kayak".to_owned()
        } else {
            format!("Thing {i}")
        };
        let _ = writeln!(
            page,
            "    listitem @e{0}\n      link \"{name}\" @e{1} url=/p/{i}\n      text: {i}.50 EUR\n      button \"Buy\" @e{2}",
            1_000 + 3 * i,
            1_001 + 3 * i,
            1_002 + 3 * i,
        );
    }
    page.push_str(
        "  button \"Next page\" @e950\ncontentinfo @e951\n  link \"Imprint\" @e952 url=/imprint\n",
    );
    page
}

#[test]
fn groups_rows_and_fields_keep_what_belongs_together() {
    let page = r#"
        main
          form "Order" @e1
            generic
              text: Amount
              spinbutton "Amount" @e2: 3
            generic
              text: Size
              combobox "Size" @e3
                option "S"
                option "M" selected
            button "Send" @e4 disabled
          table "Stock" @e5
            rowgroup
              row "Name Left" @e6
                columnheader "Name" @e7
                columnheader "Left" @e8
              row "Kayak" @e9
                cell "Kayak" @e10
                cell "" @e11
              row "Canoe 3 Edit" @e12
                cell "Canoe" @e13
                cell "3" @e14
                cell @e15
                  link "Edit" @e16 url=/edit
        "#;
    assert_eq!(
        whole(page),
        [
            r#"form "Order""#,
            r#" e2 spinbutton "Amount" value "3""#,
            r#" e3 combobox "Size" value "M" options "S" "M""#,
            r#" e4 button "Send" [disabled]"#,
            r#"e5 table "Stock""#,
            r#" - "Name" | "Left""#,
            r#" - "Kayak" | """#,
            r#" - "Canoe" | "3" | e16 link "Edit""#,
        ]
    );
}

#[test]
fn words_that_can_be_clicked_have_references_each_by_itself() {
    let page = r#"
        generic @e1 pointer
          generic @e2: Reply
          generic @e3: Forward
        generic @e4 pointer: - +
        generic @e5: Plain
        generic @e6 pointer
        img "star" @e7 pointer
        "#;
    assert_eq!(
        whole(page),
        [
            r#"e2 "Reply" [clickable]"#,
            r#"e3 "Forward" [clickable]"#,
            r#"e4 "- +" [clickable]"#,
            r#"e5 "Plain""#,
            r#"e6 generic "" [clickable]"#,
            r#"e7 img "star" [clickable]"#,
        ]
    );
}

#[test]
fn a_clickable_box_is_shown_by_its_first_words_only_if_no_words_in_it_stand_for_it() {
    let boxed = |head: &str, items: &[&str]| {
        whole(&format!("{head}\n  {}\n", items.join("\n  "))).join("\n")
    };
    let bare = ["text: Kayak", "text: 49 EUR"];
    assert_eq!(
        boxed("listitem @e1 pointer", &bare),
        r#"- e1 "Kayak" [clickable] "49 EUR" [clickable]"#
    );
    // A click on the price is one on the box, and one on the heart is not.
    assert_eq!(
        boxed(
            "listitem @e1 pointer",
            &["text: Kayak", "generic @e3: 49 EUR"]
        ),
        r#"- "Kayak" [clickable] e3 "49 EUR" [clickable]"#
    );
    assert_eq!(
        boxed(
            "listitem @e1 pointer",
            &["text: Kayak", "generic @e3 listens: ♥"]
        ),
        r#"- e1 "Kayak" [clickable] e3 "♥" [clickable]"#
    );
    // A click on the middle of the box might press the button.
    assert_eq!(
        boxed(
            "listitem @e1 pointer",
            &["text: Kayak", "button \"Buy\" @e2"]
        ),
        r#"- "Kayak" [clickable] e2 button "Buy""#
    );
    for head in ["listitem @e1", "generic @e1 pointer"] {
        let label = boxed(head, &["checkbox \"On\" @e2", "text: Switches it on"]);
        assert!(!label.contains("e1"), "{label}");
    }
}

#[test]
fn short_words_of_a_row_have_references_where_something_around_them_listens() {
    let days = |table: &str, cells: u32| {
        let mut page = format!("table @e1 {table}\n  row @e2\n");
        for day in 1..=cells {
            let _ = writeln!(page, "    cell @e{}: {day}", 10 + day);
        }
        page.push_str("  row @e3\n    cell @e4: The whole of the last week\n    cell @e5: 8\n");
        whole(&page)
    };
    assert_eq!(
        days("listens", 2),
        [
            "e1 table",
            " - e11 \"1\" | e12 \"2\"",
            " - \"The whole of the last week\" | e5 \"8\""
        ]
    );
    assert_eq!(days("", 2)[1], " - \"1\" | \"2\"");
    // What holds so much listens for the page.
    assert_eq!(days("listens", 90), days("", 90));
}

#[test]
fn a_run_of_text_is_one_line_and_a_long_one_several() {
    let page = r#"
        paragraph @e1
          text: Read the
          link "guide" @e2 url=/guide
          text: first.
        "#;
    assert_eq!(whole(page), [r#""Read the" e2 link "guide" "first.""#]);
    let mut long = String::from("paragraph @e1\n");
    for i in 0..60 {
        let _ = writeln!(
            long,
            "  text: Words number {i} and\n  link \"more\" @e{} url=/x",
            i + 2
        );
    }
    let lines = whole(&long);
    assert!((4..=12).contains(&lines.len()), "{}", lines.len());
}

#[test]
fn repeated_boxes_are_items_although_they_have_no_role() {
    let card = |n: usize| {
        format!(
            "  generic\n    img \"boat\"\n    link \"Boat {n}\" @e{n} url=/b/{n}\n    text: {n}9 EUR\n"
        )
    };
    let page = format!("main\n{}{}  generic: The end\n", card(1), card(2));
    assert_eq!(
        whole(&page),
        [
            r#"- img "boat" | e1 link "Boat 1" | "19 EUR""#,
            r#"- img "boat" | e2 link "Boat 2" | "29 EUR""#,
            r#""The end""#,
        ]
    );
}

#[test]
fn a_heading_that_is_a_link_is_the_link() {
    let page = r#"
        heading "Boats" level=2 @e1
          link "Boats" @e2 url=/boats
        heading level=3 @e6
          link "Rafts" @e7 url=/rafts
        heading "Plain" level=2 @e3
        heading "More boats" level=2 @e4
          text: More
          link "boats" @e5 url=/boats
        "#;
    assert_eq!(
        whole(page),
        [
            r#"e2 link "Boats" [h2]"#,
            r#"e7 link "Rafts" [h3]"#,
            r#"heading "Plain" [h2]"#,
            r#"heading "More boats" [h2] e5 link "boats""#,
        ]
    );
}

#[test]
fn equal_elements_without_words_are_told_apart_by_their_place() {
    let stars = |count: u32| {
        let star = |n| format!("  listitem\n    generic @e{n} pointer icon=star\n");
        format!("list\n{}", (1..=count).map(star).collect::<String>())
    };
    assert_eq!(
        whole(&stars(2)),
        [r#"list: e1 "star" 1 of 2 [clickable] | e2 "star" 2 of 2 [clickable]"#]
    );
    // Neither a single one, nor many, nor those that differ.
    for page in [
        stars(1),
        stars(21),
        "generic @e1 pointer icon=cut\ngeneric @e2 pointer icon=copy".to_owned(),
        "list\n  listitem\n    text: A\n    button @e1 icon=bin\n  listitem\n    text: B\n    button @e2 icon=bin".to_owned(),
        "button \"Buy\" @e1\nbutton \"Buy\" @e2".to_owned(),
    ] {
        let lines = whole(&page).join("\n");
        assert!(!lines.contains(" of "), "{lines}");
    }
}

#[test]
fn each_cell_of_a_grid_can_be_pointed_at_and_the_grid_says_how_many_rows_it_shows() {
    let cells = |role: &str| {
        format!(
            "  row @e2\n    {role} @e3: The whole of the last week\n    {role} @e4\n    {role} @e5\n      \
             checkbox \"Done\" @e6 unchecked\n"
        )
    };
    assert_eq!(
        whole(&format!(
            "grid \"Plan\" @e1 rows=1_of_9_rows_shown,_scrolls\n{}",
            cells("gridcell")
        )),
        [
            r#"e1 grid "Plan" (1 of 9 rows shown, scrolls)"#,
            r#" - e3 "The whole of the last week" | e4 "" | e6 checkbox "Done""#,
        ]
    );
    assert_eq!(
        whole(&format!("table \"Plan\" @e1\n{}", cells("cell"))),
        [
            r#"e1 table "Plan""#,
            r#" - "The whole of the last week" | "" | e6 checkbox "Done""#,
        ]
    );
}

#[test]
fn the_content_of_a_list_of_the_pages_own_is_its_value() {
    let page = r#"
        combobox "Fuel" @e1 collapsed
          generic @e3: Electric
          img "arrow"
        combobox "Zone" @e2 collapsed
          generic "Zone"
        "#;
    assert_eq!(
        whole(page),
        [
            r#"e1 combobox "Fuel" value "Electric" [collapsed]"#,
            r#"e2 combobox "Zone" [collapsed]"#
        ]
    );
}

#[test]
fn the_field_in_a_list_of_the_pages_own_is_its_value() {
    let page = r#"
        text: User
        combobox @e1 collapsed
          textbox "ada" @e2 readonly
            button "Clear" @e3
        "#;
    assert_eq!(
        whole(page),
        [r#"e1 combobox "User" value "ada" [collapsed] e3 button "Clear""#]
    );
}

#[test]
fn the_signs_between_links_are_left_out() {
    let page =
        |sign: &str| format!("paragraph\n  link \"Home\" @e1\n  text: {sign}\n  text: Orders");
    assert_eq!(whole(&page("›")), [r#"e1 link "Home" "Orders""#]);
    assert_eq!(whole(&page("+")), [r#"e1 link "Home" "+" "Orders""#]);
}

#[test]
fn a_group_that_holds_only_a_list_replaces_its_line_and_keeps_its_items() {
    let sizes = |items: &str| {
        format!("radiogroup @e1\n  list @e2\n    listitem\n      radio \"Small\" @e3\n{items}")
    };
    let large = "    listitem\n      radio \"Large\" @e4\n";
    assert_eq!(
        whole(&sizes(large)),
        [r#"e1 radiogroup: e3 radio "Small" | e4 radio "Large""#]
    );
    let held = "    listitem @e4\n      group \"Large\" @e5\n        radio \"Wide\" @e6\n";
    assert_eq!(
        whole(&sizes(held)),
        [
            "e1 radiogroup",
            r#" - e3 radio "Small""#,
            " - ",
            r#"  e5 group "Large": e6 radio "Wide""#,
        ]
    );
    // A group of one line has no line of its own.
    assert_eq!(whole(&sizes("")), [r#"- e3 radio "Small""#]);
}

#[test]
fn a_dialog_is_shown_first() {
    let page = r#"
        main
          heading "Kayaks" @e1
          dialog "Cookies" @e2
            paragraph: We use them
            button "Accept" @e3
          link "Red one" @e4 url=/red
        "#;
    assert_eq!(
        whole(page),
        [
            r#"e2 dialog "Cookies": "We use them" | e3 button "Accept""#,
            r#"heading "Kayaks""#,
            r#"e4 link "Red one""#,
        ]
    );
}

#[test]
fn a_large_page_shows_the_first_of_many_and_what_the_goal_speaks_of() {
    let lines = shown(&shop(), "Buy the blue kayaks", 600);
    let has = |wanted: &str| lines.iter().any(|line| line.contains(wanted));
    for wanted in [
        "Blue kayak",
        "217.50 EUR",
        "Search",
        "Next page",
        "Imprint",
        "Thing 0",
        "Thing 2",
    ] {
        assert!(has(wanted), "{wanted}: {lines:#?}");
    }
    assert!(!has("Thing 250") && lines.len() < 60, "{lines:#?}");
    assert!(
        has("more alike, up to \"Thing 216\": read(target=\"e91\", line="),
        "{lines:#?}"
    );
}

#[test]
fn an_entry_of_a_long_menu_that_the_goal_names_is_shown_however_many_rows_match_better() {
    let mut page = shop().replace("\"Menu 31\"", "\"store Suppliers\"");
    for n in 0..12 {
        page = page.replace(
            &format!("\"Thing {}\"", 20 * n + 7),
            "\"Chain hoist of the suppliers\"",
        );
    }
    let goal = "In Suppliers change the chain hoist";
    let lines = shown(&page, goal, 300);
    let has = |wanted: &str| lines.iter().any(|line| line.contains(wanted));
    assert!(
        has("link \"store Suppliers\"") && !has("link \"Menu 30\""),
        "{lines:#?}"
    );
}

#[test]
fn what_is_left_out_begins_where_it_says() {
    let tree = tree(&shop());
    let (layout, elements) = laid_out(&tree);
    for max_tokens in [50, 200, 600, 3_000] {
        let options = DigestOptions::default().with_max_tokens(max_tokens);
        let digest = layout.digest(&elements, &words("blue kayak"), options);
        let mut next = 0;
        for shown in &digest.lines {
            match shown {
                Shown::Line { number, .. } => {
                    assert_eq!(*number, next);
                    next += 1;
                }
                Shown::More {
                    number,
                    lines,
                    of,
                    from,
                    ..
                } => {
                    assert_eq!(*number, next);
                    let before = match of {
                        Some(head) => layout.inside(head.node).unwrap().start,
                        None => 0,
                    };
                    assert_eq!(before + from - 1, next);
                    next += lines;
                }
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(next, layout.lines().len());
        assert!(!digest.whole);
    }
}

#[test]
fn a_page_that_is_one_long_text_is_cut_with_a_word_of_how_much_is_left() {
    let page = format!("main\n  paragraph @e1: {}", "word ".repeat(4_000));
    let lines = shown(&page, "", 500);
    assert_eq!(lines.len(), 1);
}

#[test]
fn find_searches_labels_words_values_and_choices_best_first() {
    let tree = tree(
        r#"
        link "Save the whales" @e1 url=/whales
        button "Save" @e2
        textbox "City" @e3: Savern
        combobox "Unit" @e4
          option "Metres"
        checkbox "Autosave" @e5
        paragraph @e6: The boat is 4 m long
        list
          listitem
            text: Kayak
            button "Add" @e7
          listitem
            text: Paddle
            button "Add" @e8
        generic @e9: - +
        "#,
    );
    let (layout, elements) = laid_out(&tree);
    let found = |query: &str| -> Vec<String> {
        layout
            .find(&elements, query, 10)
            .lines
            .into_iter()
            .filter_map(|number| {
                let part = layout.lines()[number].all_parts().last()?;
                Some(part.reference.as_ref()?.to_string())
            })
            .collect()
    };
    assert_eq!(found("save"), ["e2", "e1", "e3", "e5"]);
    assert_eq!(found("save button")[0], "e2");
    assert_eq!(found("metres"), ["e4"]);
    assert_eq!(found("add paddle"), ["e8"]);
    assert_eq!(found("paddle unheard"), ["e8"]);
    assert_eq!(found("is 4 m long"), ["e6"]);
    assert_eq!(found("- +"), ["e9"]);
    assert!(found("").is_empty() && found("zzz").is_empty());
    assert_eq!(layout.find(&elements, "save", 1).lines.len(), 1);
}

#[test]
fn goals_in_other_scripts_match_too() {
    for (goal, label) in [
        ("ログアウトする", "ログアウト"),
        ("اضغط على تسجيل الخروج", "تسجيل الخروج"),
        ("bitte abmelden", "Abmelden"),
    ] {
        let mut page = String::from("navigation\n  list\n");
        for i in 0..200 {
            let name = if i == 150 {
                label.to_owned()
            } else {
                format!("項目 {i}")
            };
            let _ = writeln!(page, "    listitem\n      link \"{name}\" @e{i} url=/m/{i}");
        }
        let lines = shown(&page, goal, 300);
        assert!(
            lines.iter().any(|line| line.contains(label)),
            "{goal}: {lines:#?}"
        );
    }
}

#[test]
fn a_word_that_all_have_matches_none() {
    let lines = shown(&shop(), "open thing 250", 600);
    assert!(lines.iter().any(|line| line.contains("Thing 250")));
    let things = lines.iter().filter(|line| line.contains("Thing ")).count();
    assert!(things <= 20, "{lines:#?}");
}

#[test]
fn a_box_that_cannot_be_pressed_has_the_reference_of_the_label_that_holds_nothing_else() {
    let alone =
        "generic @e1\n  checkbox \"Wi-Fi\"\nheading \"Ports\"\ngeneric @e2\n  radio \"USB\"\n";
    assert_eq!(
        whole(alone),
        [
            "e1 checkbox \"Wi-Fi\"",
            "heading \"Ports\"",
            "e2 radio \"USB\""
        ]
    );
    let both = "generic @e1\n  checkbox \"Wi-Fi\"\n  checkbox \"Radio\"\n";
    assert!(whole(both).iter().all(|line| !line.contains("e1 ")));
    // A label around it says its name once more.
    let labelled = "generic @e1\n  checkbox \"Wi-Fi\"\n  text: Wi-Fi\n";
    assert_eq!(whole(labelled), ["e1 checkbox \"Wi-Fi\""]);
    for others in ["radio \"Yes\"\n  radio \"Yes\"", "radio \"\"\n  radio \"\""] {
        let page = format!("generic @e1 pointer\n  {others}\n");
        assert!(
            whole(&page).iter().all(|line| !line.contains("e1 radio")),
            "{:?}",
            whole(&page)
        );
    }
    let more = "generic @e1\n  checkbox \"Wi-Fi\"\n  text: Wi-Fi is off\n";
    assert!(whole(more).iter().all(|line| !line.contains("e1 checkbox")));
}

#[test]
fn a_sign_beside_a_field_without_a_label_is_no_label() {
    let page = "generic @e1 listens: -\ntextbox \"\" @e2\ngeneric @e3 listens: +\n";
    let shown = whole(page).join("\n");
    assert!(
        shown.contains("e1 \"-\"") && shown.contains("e3 \"+\""),
        "{shown}"
    );
}

#[test]
fn what_listens_shows_its_name_and_the_words_that_a_person_reads() {
    assert_eq!(
        whole("generic \"Undo\" @e1 listens: ↶\n"),
        ["e1 \"Undo\" [clickable] \"↶\""]
    );
    assert_eq!(
        whole("generic \"Undo it\" @e1 listens: Undo\n"),
        ["e1 \"Undo it\" [clickable]"]
    );
}

#[test]
fn a_table_that_listens_is_still_a_table_of_cells() {
    let page = r#"
        table @e1 listens
          row @e2
            cell "1" @e3
            cell "2" @e4
          row @e5
            cell "3" @e6
            cell "4" @e7
        "#;
    assert_eq!(
        whole(page),
        ["e1 table", r#" - e3 "1" | e4 "2""#, r#" - e6 "3" | e7 "4""#,]
    );
}

#[test]
fn a_heading_or_a_pager_between_rows_is_never_left_out_as_one_of_them() {
    let mut page = String::from("table @e1\n");
    for (group, rows) in [("critical", 20), ("urgent", 30)] {
        let _ = writeln!(page, "  row\n    columnheader \"{group}\"");
        for row in 0..rows {
            let _ = writeln!(
                page,
                "  row\n    cell \"{row}\"\n    cell \"{group} matter of the day {row}\"\n    cell \"open\""
            );
        }
    }
    page.push_str("  row\n    cell \"1..50 of 54\"\n");
    let lines = shown(&page, "", 400);
    let at = |words: &str| {
        lines
            .iter()
            .position(|line| line.contains(words))
            .unwrap_or_else(|| panic!("{words}: {lines:#?}"))
    };
    assert!(at("\"critical\"") < at("... ") && at("... ") < at("\"urgent\""));
    assert!(lines[at("... ")].contains("more alike, up to \"19\": read("));
    assert!(at("\"urgent\"") < at("\"1..50 of 54\""));
    // Where there is no room for all of them, they are left out like the rest.
    let groups: String = (0..300).fold(String::from("table @e1\n"), |mut page, nth| {
        let _ = writeln!(page, "  row\n    columnheader \"Group {nth}\"");
        let _ = writeln!(page, "  row\n    cell \"{nth}\"\n    cell \"a matter\"");
        page
    });
    let lines = shown(&groups, "", 300);
    assert!(lines.len() < 60 && lines.iter().any(|line| line.contains("more alike")));
}

#[test]
fn a_row_after_a_gap_stands_below_its_own_group_and_the_last_row_is_kept() {
    let mut page =
        String::from("table @e1\n  row\n    columnheader \"Id\"\n    columnheader \"Title\"\n");
    for group in 0..60 {
        let _ = writeln!(page, "  row\n    cell \"Group {group}\"");
        for row in 0..5 {
            let _ = writeln!(
                page,
                "  row\n    cell \"{group}-{row}\"\n    cell \"a matter of group {group}\""
            );
        }
    }
    page.push_str("  row\n    cell \"1..50 of 300\"\n    cell \"next\"\n");
    let lines = shown(&page, "Open 41-3", 300);
    let at = |words: &str| {
        lines
            .iter()
            .position(|line| line.contains(words))
            .unwrap_or_else(|| panic!("{words}: {lines:#?}"))
    };
    assert!(at("\"41-3\"") > at("\"Group 41\""), "{lines:#?}");
    let between = &lines[at("\"Group 41\"") + 1..at("\"41-3\"")];
    assert!(
        !between.iter().any(|line| line.contains("\"Group ")),
        "{lines:#?}"
    );
    assert_eq!(at("\"1..50 of 300\""), lines.len() - 1, "{lines:#?}");
    assert!(lines.len() < 30, "{lines:#?}");
}

#[test]
fn a_box_further_on_in_a_row_is_called_by_its_column_and_not_by_the_cell_beside_it() {
    let table = |heads: &str| {
        whole(&format!(
            r#"
            table
              row
                columnheader
                  checkbox @e1
                columnheader
                  link "Status" @e2
                columnheader
                  {heads}
              row
                cell
                  checkbox @e4
                cell "Asked"
                cell
                  checkbox @e5
            "#
        ))
    };
    let lines = table("link \"Paid\" @e3");
    assert_eq!(lines[2], r#" - e4 checkbox "Asked" | e5 checkbox "Paid""#);
    let lines = table("text: ?");
    assert_eq!(lines[2], r#" - e4 checkbox "Asked" | e5 checkbox """#);
}

#[test]
fn a_sentence_in_an_item_is_one_whatever_stands_in_it() {
    let lines = whole(
        r#"
        list
          listitem
            text: The booking
            link "Nora" @e1
            text: was added
          listitem
            link "Home" @e2
            link "Help" @e3
        "#,
    );
    assert_eq!(
        lines,
        [
            "list",
            r#" - "The booking" e1 link "Nora" "was added""#,
            r#" - e2 link "Home" | e3 link "Help""#,
        ]
    );
}

#[test]
fn a_fold_says_how_many_of_its_lines_match_the_goal_and_no_line_is_folded_alone() {
    let mut page = String::from("table @e1\n");
    for row in 0..300 {
        let who = if row % 15 == 0 {
            "Emil Dahl"
        } else {
            "Ana Nagy"
        };
        let _ = writeln!(
            page,
            "  row\n    cell \"{row}\"\n    cell \"The book of the year {row}\"\n    cell \"{who}\""
        );
    }
    let lines = shown(&page, "How many books by Emil Dahl are there?", 600);
    let told = |line: &&String| line.contains("\"Emil Dahl\"");
    let counted = |line: &String| -> Option<usize> {
        let (_, rest) = line.split_once(" more alike, ")?;
        let (count, words) = rest.split_once(" of them with ")?;
        assert!(words.starts_with("\"emil, dahl\", up to "), "{line}");
        count.parse().ok()
    };
    let hidden: usize = lines.iter().filter_map(counted).sum();
    assert_eq!(lines.iter().filter(told).count() + hidden, 20, "{lines:#?}");
    assert!(hidden > 0 && !lines.iter().any(|line| line.contains("... 1 more")));
}

#[test]
fn of_a_long_text_the_headings_are_shown_with_the_beginning_of_each_section() {
    let mut page = String::from("article @e1\n");
    for section in 1..=12 {
        let _ = writeln!(page, "  heading \"Section {section}\"");
        for n in 1..=6 {
            let more = "It goes on and on. ".repeat(20);
            let _ = writeln!(page, "  paragraph: Paragraph {n} of {section}. {more}");
        }
    }
    let lines = shown(&page, "", 1_000);
    for section in 1..=12 {
        let heading = lines
            .iter()
            .position(|line| line.contains(&format!("\"Section {section}\"")));
        let below = &lines[heading.unwrap() + 1..];
        let first = format!(" \"Paragraph 1 of {section}. ");
        assert!(below[0].starts_with(&first), "{lines:?}");
        let mark = format!("read(line={})", 7 * section - 4);
        assert!(
            below[1].starts_with(" ... 5 more alike") && below[1].ends_with(&mark),
            "{lines:?}"
        );
    }
}

#[test]
fn words_that_the_lines_of_one_card_have_together_find_the_card() {
    let card = |name: &str, features: [&str; 2]| {
        let [one, other] = features;
        format!(
            "  listitem\n    link \"{name}\" @e1\n    list\n      listitem\n        text: {one}\n      listitem\n        text: {other}\n    button \"Buy\" @e2\n"
        )
    };
    let page = [
        card("Tent", ["waterproof", "light"]),
        card("Tarp", ["waterproof", "cheap"]),
        card("Hut", ["light", "cheap"]),
    ];
    let tree = tree(&format!("list @e9\n{}", page.concat()));
    let (layout, elements) = laid_out(&tree);
    let found = |query: &str| {
        let hits = layout.find(&elements, query, 10);
        let names = hits.lines.iter().map(|at| {
            let parts = layout.lines()[*at].all_parts();
            parts
                .map(|part| part.text.as_str())
                .collect::<Vec<_>>()
                .join(" ")
        });
        (hits.have_all, names.collect::<Vec<_>>())
    };
    assert_eq!(found("tarp cheap"), (true, vec!["Tarp".to_owned()]));
    // A single line that has all words is the hit, not its card.
    assert_eq!(
        found("waterproof cheap"),
        (true, vec![" waterproof cheap".to_owned()])
    );
    assert_eq!(found("tent buy"), (true, vec!["Tent".to_owned()]));
    assert!(!found("tent cheap hut").0);
}
