use std::fmt::Write;

use webwise::page::{DigestLine, DigestOptions, Element, ElementRef, PageView};

use super::sample::{view, words};

fn labels<'v>(found: &[&'v Element]) -> Vec<&'v str> {
    found.iter().map(|e| &*e.label).collect()
}

fn shown<'v>(view: &'v PageView, goal: &str, max: usize) -> Vec<&'v Element> {
    view.digest(
        &words(goal),
        DigestOptions::default().with_max_elements(max),
    )
    .elements()
    .collect()
}

/// A shop with a large menu, a crowd of links, a form and a footer.
fn shop() -> PageView {
    let mut page = String::from("navigation\n  list\n");
    for i in 0..40 {
        let _ = writeln!(
            page,
            "    listitem\n      link \"Menu {i}\" @e{i} url=/m/{i}"
        );
    }
    page.push_str("main\n  searchbox \"Search\" @e50\n  list\n");
    for i in 0..300 {
        let name = if i == 217 {
            "Blue kayak".to_owned()
        } else {
            format!("Thing {i}")
        };
        let _ = writeln!(
            page,
            "    listitem\n      link \"{name}\" @e{} url=/p/{i}",
            100 + i
        );
    }
    page.push_str(
        "  button \"Next page\" @e900\ncontentinfo\n  link \"Imprint\" @e901 url=/imprint\n",
    );
    view(&page)
}

#[test]
fn what_the_goal_names_is_shown_in_page_order_however_far_down_it_is() {
    let view = shop();
    let shown = shown(&view, "Buy the blue kayaks", 60);
    let labels = labels(&shown);
    assert!(shown.len() <= 60);
    assert!(
        labels.contains(&"Blue kayak")
            && labels.contains(&"Search")
            && labels.contains(&"Next page")
    );
    assert!(shown.is_sorted_by_key(|e| e.id));
}

#[test]
fn a_crowd_is_thinned_out_and_its_first_member_says_how_large_it_is() {
    let view = shop();
    let shown = shown(&view, "buy a blue kayak", 400);
    let things: Vec<_> = shown
        .iter()
        .filter(|e| e.label.starts_with("Thing"))
        .collect();
    assert_eq!(things.len(), 3);
    assert_eq!(things[0].group, 300);
    assert!(things[1..].iter().all(|e| e.group == 1));
    assert!(
        labels(&shown).contains(&"Blue kayak"),
        "a match is shown one by one"
    );
    assert!(!labels(&shown).contains(&"Thing 250"));
    assert_eq!(
        labels(&view.find("thing 250", 5))[0],
        "Thing 250",
        "find reaches the rest"
    );
}

#[test]
fn a_word_that_all_of_a_crowd_have_matches_none_of_it() {
    let view = shop();
    let shown = shown(&view, "open thing 250", 400);
    assert!(labels(&shown).contains(&"Thing 250"));
    assert_eq!(
        labels(&shown)
            .iter()
            .filter(|l| l.starts_with("Thing"))
            .count(),
        4
    );
}

#[test]
fn three_hundred_like_links_cost_one_line() {
    let view = shop();
    let digest = view.digest(&words("search"), DigestOptions::default());
    let crowds: Vec<_> = digest
        .lines
        .iter()
        .filter(|l| matches!(l, DigestLine::Crowd { .. }))
        .collect();
    assert!(
        matches!(crowds[1], DigestLine::Crowd { size: 300, elements } if elements.len() == 3),
        "{crowds:?}"
    );
    assert_eq!(crowds.len(), 2, "the other crowd is the menu of 40");
    let lines = digest
        .lines
        .iter()
        .filter(|l| matches!(l, DigestLine::Element(e) if e.label.starts_with("Thing")));
    assert_eq!(lines.count(), 0);
    assert!(digest.shown < view.elements.len());
    let whole = view.digest(&[], DigestOptions::whole());
    assert_eq!(
        whole.lines.len(),
        view.elements.len(),
        "unfolded, each has a line"
    );
}

#[test]
fn plain_things_of_a_menu_share_a_line() {
    let view = view(
        r#"
        navigation
          link "Jackets" @e1 url=/j
          link "Trousers" @e2 url=/t
          link "Cart" @e3 url=/c
          link "Socks" @e4 url=/s
          link "Boots" @e5 url=/b
          button "More" @e6 expanded
          link "Hats" @e7 url=/h
          link "Gloves" @e8 url=/g
        main
          link "Tents" @e9 url=/n
        "#,
    );
    let digest = view.digest(&words("check the cart"), DigestOptions::default());
    let told: Vec<String> = digest
        .lines
        .iter()
        .map(|line| match line {
            DigestLine::Element(element) => element.label.clone(),
            DigestLine::Menu { elements, more: 0 } => labels(elements).join("+"),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(
        told,
        [
            "More",
            "Jackets+Trousers+Cart+Socks+Boots+Hats+Gloves",
            "Tents"
        ]
    );
}

#[test]
fn when_room_is_short_dialogs_and_fields_win_over_menus() {
    let mut page = String::from("navigation\n");
    for i in 0..20 {
        let _ = writeln!(page, "  link \"Menu {i}\" @e{i} url=/m/{i}");
    }
    page.push_str(
        "main\n  textbox \"Name\" @e30\n  button \"Send\" @e31\ndialog \"Note\"\n  link \"More\" @e32 url=/more\n",
    );
    let view = view(&page);
    assert_eq!(labels(&shown(&view, "", 3)), ["More", "Name", "Send"]);
    assert!(shown(&view, "", 0).is_empty());
}

#[test]
fn goals_in_other_scripts_match_too() {
    let page = |last: &str| {
        let mut page = String::from("navigation\n");
        for i in 0..30 {
            let _ = writeln!(page, "  link \"項目 {i}\" @e{i} url=/m/{i}");
        }
        view(&format!("{page}  link \"{last}\" @e99 url=/last\n"))
    };
    for (goal, label) in [
        ("ログアウトする", "ログアウト"),
        ("اضغط على تسجيل الخروج", "تسجيل الخروج"),
        ("bitte abmelden", "Abmelden"),
    ] {
        let view = page(label);
        assert_eq!(labels(&shown(&view, goal, 1)), [label], "{goal}");
        assert_eq!(labels(&view.find(label, 1)), [label]);
    }
}

#[test]
fn find_looks_at_label_role_value_and_choices_best_first() {
    let view = view(
        r#"
        link "Save the whales" @e1 url=/whales
        button "Save" @e2
        textbox "City" @e3: Savern
        combobox "Unit" @e4
          option "Metres"
        checkbox "Autosave" @e5
        list
          listitem
            text: Kayak
            button "Add" @e6
          listitem
            text: Paddle
            button "Add" @e7
        "#,
    );
    let refs = |query: &str| -> Vec<&str> {
        view.find(query, 10)
            .iter()
            .filter_map(|e| e.reference.as_ref())
            .map(ElementRef::as_str)
            .collect()
    };
    assert_eq!(refs("save"), ["e2", "e1", "e3", "e5"]);
    assert_eq!(refs("save button"), ["e2", "e1", "e6", "e7", "e3"]);
    assert_eq!(refs("metres"), ["e4"]);
    assert_eq!(refs("add paddle"), ["e7", "e6"]);
    assert!(refs("").is_empty() && refs("zzz").is_empty());
    assert_eq!(view.find("save", 1).len(), 1);
}
