use webwise::page::{ElementRef, PageView, Role, ViewOptions, interpret};

use super::sample::{head, tree, view};

fn lines(view: &PageView) -> Vec<String> {
    view.elements
        .iter()
        .map(|e| {
            let reference = e.reference.as_ref().map_or("-", ElementRef::as_str);
            format!("{} {} {:?}", reference, e.role, e.label)
        })
        .collect()
}

#[test]
fn what_a_person_can_act_on_is_listed_with_its_best_label() {
    let view = view(
        r#"
        main @e1
          heading "Parts" @e2
          generic @e3 pointer: Open the drawer
          img "Star" @e4 pointer
          img @e5 pointer
          listitem @e6 pointer
            text: Row text
          paragraph @e7: only text
          link @e8 url=/files/manual.pdf?v=2
          textbox @e9 placeholder=Nickname: bob
          generic @e10
            generic @e11: City
            textbox @e12: Bern
          button "Save" @e13 disabled
          button
        "#,
    );
    assert_eq!(
        lines(&view),
        [
            r#"e3 generic "Open the drawer""#,
            r#"e4 img "Star""#,
            r#"e5 img """#,
            r#"e6 listitem "Row text""#,
            r#"e8 link "manual.pdf""#,
            r#"e9 textbox "Nickname""#,
            r#"e12 textbox "City""#,
            r#"e13 button "Save""#,
            r#"- button """#,
        ]
    );
    assert_eq!(view.elements[5].value.as_deref(), Some("bob"));
    assert_eq!(view.elements[6].value.as_deref(), Some("Bern"));
    assert!(view.elements[7].states.disabled);
    assert!(view.elements.iter().all(|e| e.landmark == Some(Role::Main)));
}

#[test]
fn items_in_a_clickable_item_can_be_clicked_each_for_itself() {
    let view = view(
        "
        list @e1
          listitem @e2 pointer
            generic @e3: Documents
            list @e4
              listitem @e5
                generic @e6: Letters
                list @e7
                  listitem @e8: Anna
                  listitem: no way to reach it
              listitem @e9: Bills
          listitem @e10: Plain
            list @e11
              listitem @e12: Plain too
        ",
    );
    assert_eq!(
        lines(&view),
        [
            r#"e2 listitem "Documents""#,
            r#"e5 listitem "Letters no way to reach it""#,
            r#"e8 listitem "Anna""#,
            r#"e9 listitem "Bills""#,
        ]
    );
}

#[test]
fn a_field_takes_the_label_before_it_and_a_box_the_text_after_it() {
    let view = view(
        r#"
        table @e1
          row @e2
            cell @e3: Login name
            cell @e4
              textbox @e5
          row @e6
            cell @e7: "Pass word:"
            cell @e8
              textbox @e9
        generic @e10
          checkbox @e11
          text: Remember me
          checkbox @e12
          text: Tell nobody
        "#,
    );
    let labels: Vec<&str> = view.elements.iter().map(|e| &*e.label).collect();
    assert_eq!(
        labels,
        ["Login name", "\"Pass word:\"", "Remember me", "Tell nobody"]
    );
}

#[test]
fn the_heading_of_a_table_names_a_field_before_what_stands_near_it() {
    let view = view(
        r#"
        table @e1
          rowgroup @e2
            row @e3
              columnheader "Product" @e4
              columnheader "Amount" @e5
              columnheader "" @e6
          rowgroup @e7
            row @e8
              cell "Kayak" @e9
              cell @e10
                generic @e11
                  textbox @e12
              cell @e13
                textbox @e14
        table @e20
          row @e21
            rowheader "Street" @e22
            cell @e23: (required)
            cell @e24
              textbox @e25
        "#,
    );
    let labels: Vec<&str> = view.elements.iter().map(|e| &*e.label).collect();
    // The third column has no heading and nothing that names a field beside it.
    assert_eq!(labels, ["Amount", "", "Street"]);
}

#[test]
fn a_paragraph_is_no_label() {
    let view = view(
        r"
        paragraph @e1: Please write to us in full sentences. We read everything.
        textbox @e2
        paragraph @e3: Send the message to everybody who has ever been a member of the rowing club
        textbox @e4
        text: Type your name below.
        textbox @e5
        text: Tel.
        textbox @e6
        text: What is your pet called?
        textbox @e7
        ",
    );
    let labels: Vec<&str> = view.elements.iter().map(|e| &*e.label).collect();
    assert_eq!(labels, ["", "", "", "Tel.", "What is your pet called?"]);
}

#[test]
fn a_wrapper_of_one_thing_is_that_thing() {
    let view = view(
        r#"
        generic @e1 pointer
          checkbox "I agree" @e2
          text: I agree
        generic @e3 pointer
          link "Home" @e4 url=/home
        link @e5 url=/buy
          button "Buy" @e6
        combobox "Town" @e7
          textbox @e8
        generic @e9 pointer
          text: Mail from Ann
          checkbox "Select" @e10
        tab "Doc" @e11
          text: Doc
          button "Close" @e12
        "#,
    );
    assert_eq!(
        lines(&view),
        [
            r#"e2 checkbox "I agree""#,
            r#"e4 link "Home""#,
            r#"e5 link "Buy""#,
            r#"e8 textbox "Town""#,
            r#"e9 generic "Mail from Ann""#,
            r#"e10 checkbox "Select""#,
            r#"e11 tab "Doc""#,
            r#"e12 button "Close""#,
        ]
    );
    let inner = ElementRef::parse("e6").unwrap();
    assert_eq!(
        view.element(&inner).map(|e| &*e.label),
        Some("Buy"),
        "a folded reference is still known"
    );
}

#[test]
fn the_picture_and_the_title_of_a_card_are_one_link() {
    let view = view(
        r#"
        banner
          link "Shop" @e1 url=/
        main
          link @e2 url=/p/1
            img @e3
          link "Kayak" @e4 url=/p/1
          link "Paddle" @e5 url=/p/2
          link "Reply" @e6 url=#
          link "Reply" @e7 url=#
        contentinfo
          link "Shop" @e8 url=/
        "#,
    );
    assert_eq!(
        lines(&view),
        [
            r#"e1 link "Shop""#,
            r#"e4 link "Kayak""#,
            r#"e5 link "Paddle""#,
            r#"e6 link "Reply""#,
            r#"e7 link "Reply""#,
        ]
    );
    for (duplicate, label) in [("e2", "Kayak"), ("e8", "Shop")] {
        let found = view.element(&ElementRef::parse(duplicate).unwrap());
        assert_eq!(found.map(|e| &*e.label), Some(label));
    }
}

#[test]
fn the_choices_of_a_closed_list_belong_to_the_list() {
    let view = view(
        r#"
        combobox "Size" @e1
          option "Small"
          option "Large" selected
        listbox "Days" @e2
          option "Monday" @e3
          option "Tuesday" @e4
        "#,
    );
    assert_eq!(view.elements[0].options, ["Small", "Large"]);
    assert_eq!(view.elements[0].value.as_deref(), Some("Large"));
    assert_eq!(
        lines(&view)[1..],
        [
            r#"e2 listbox "Days""#,
            r#"e3 option "Monday""#,
            r#"e4 option "Tuesday""#
        ]
    );
}

#[test]
fn equal_buttons_are_told_apart_by_the_row_or_card_they_are_in() {
    let view = view(
        r#"
        list
          listitem @e1
            link "Kayak" @e2 url=/p/1
            button "Add" @e3
          listitem @e4
            link "Paddle" @e5 url=/p/2
            button "Add" @e6
        generic
          generic
            heading "Tent" @e7
            generic: from $90
            button "Rent" @e8
          generic
            heading "Stove" @e9
            button "Rent" @e10
        generic
          text: First
          button "Vote" @e11
          text: Second
          button "Vote" @e12
        table
          row
            cell "Red"
            cell
              spinbutton "Amount" @e13
          row
            cell "Blue"
            cell
              spinbutton "Amount" @e14
        "#,
    );
    let context = |label: &str| -> Vec<&str> {
        view.elements
            .iter()
            .filter(|e| e.label == label)
            .map(|e| e.context.as_deref().unwrap_or("-"))
            .collect()
    };
    assert_eq!(context("Add"), ["Kayak Add", "Paddle Add"]);
    assert_eq!(context("Rent"), ["Tent from $90 Rent", "Stove Rent"]);
    assert_eq!(context("Vote"), ["First", "Second"]);
    assert_eq!(context("Amount"), ["Red", "Blue"]);
    assert_eq!(context("Kayak"), ["-"]);
}

#[test]
fn elements_of_an_open_dialog_come_first_and_are_marked() {
    let view = view(
        r#"
        main
          button "Behind" @e1
        dialog "Cookies" @e2
          button "Accept" @e3
        iframe @e4
          alertdialog @f1e1
            button "Leave" @f1e2
          button "In frame" @f1e3
        "#,
    );
    let marks: Vec<(&str, bool)> = view
        .elements
        .iter()
        .map(|e| (&*e.label, e.in_dialog))
        .collect();
    assert_eq!(
        marks,
        [
            ("Accept", true),
            ("Leave", true),
            ("Behind", false),
            ("In frame", false)
        ]
    );
}

#[test]
fn labels_are_one_line_of_at_most_160_characters() {
    let long = "ü ".repeat(400);
    let view = view(&format!(
        "button \"{long}\" @e1\ngeneric @e2 pointer: {long}"
    ));
    for element in &view.elements {
        assert_eq!(element.label.chars().count(), 160);
        assert!(element.label.ends_with('…'));
    }
}

#[test]
fn too_many_elements_are_cut_the_same_way_each_time_and_a_note_says_so() {
    let page: Vec<String> = (0..20_000)
        .map(|i| format!("button \"B {i}\" @e{i}"))
        .collect();
    let page = tree(&page.join("\n"));
    let view = interpret(
        &head("https://a.example/", ""),
        &page,
        &ViewOptions::default(),
    );
    assert_eq!(view.elements.len(), 10_000);
    assert_eq!(view.elements[9_999].label, "B 9999");
    assert!(
        view.notes
            .contains(&"only the first 10000 of 20000 elements were kept".to_owned()),
        "{:?}",
        view.notes
    );
    assert_eq!(
        view,
        interpret(
            &head("https://a.example/", ""),
            &page,
            &ViewOptions::default()
        )
    );
    let three = ViewOptions::default().with_max_elements(3);
    assert_eq!(interpret(&head("", ""), &page, &three).elements.len(), 3);
}

#[test]
fn a_stored_view_reads_back_equal() {
    let view =
        view("dialog \"Hi\"\n  button \"Ok\" @e1\nlink \"x\" @e2 url=/a\nlink \"x\" @e3 url=/a");
    let text = serde_json::to_string(&view).unwrap();
    assert_eq!(serde_json::from_str::<PageView>(&text).unwrap(), view);
}
