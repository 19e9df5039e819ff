use webwise::page::{Fingerprint, Tree};

use super::sample::tree;

fn structure(text: &str) -> Fingerprint {
    Fingerprint::structure(&tree(text))
}

fn state(text: &str) -> Fingerprint {
    Fingerprint::state(&tree(text))
}

const PAGE: &str = r#"
main @e1
  heading "Kayaks" level=1 @e2
  generic @e3: Time left 9
  list @e4
    listitem @e5
      link "Red kayak" @e6 url=/p/1
    listitem @e7
      link "Blue kayak" @e8 url=/p/2
      strong: Sale
  textbox "Amount" @e9: 1
  checkbox "Gift" @e10 unchecked
  link "Cart (0)" @e11 url=/cart
"#;

#[test]
fn references_and_ticking_numbers_change_neither_fingerprint() {
    let other = PAGE.replace("@e1", "@e41").replace("left 9", "left 10:05");
    assert_eq!(structure(PAGE), structure(&other));
    assert_eq!(state(PAGE), state(&other));
    let bare = PAGE
        .split(" @e")
        .map(|part| part.trim_start_matches(|c: char| c.is_ascii_digit()))
        .collect::<String>();
    assert_eq!(
        (structure(PAGE), state(PAGE)),
        (structure(&bare), state(&bare))
    );
}

#[test]
fn structure_ignores_length_and_order_of_lists_and_what_is_written_or_typed() {
    let longer = PAGE.replace(
        "    listitem @e5",
        "    listitem\n      button \"New\"\n    listitem @e5",
    );
    let other_item = PAGE
        .replace("Kayaks", "Tents")
        .replace("Red kayak", "Tent")
        .replace(": 1", ": 3");
    let wrapped = PAGE
        .replace("  checkbox", "  generic\n  checkbox")
        .replace("unchecked", "checked");
    for same in [longer, other_item, wrapped] {
        assert_eq!(structure(PAGE), structure(&same), "{same}");
        assert_ne!(state(PAGE), state(&same), "{same}");
    }
}

#[test]
fn structure_tells_kinds_of_pages_apart() {
    let no_list = PAGE
        .lines()
        .filter(|l| !l.contains("list") && !l.contains("      "))
        .collect::<Vec<_>>()
        .join("\n");
    let other_field = PAGE.replace("Amount", "E-mail");
    let dialog = format!("{PAGE}\ndialog \"Sure?\"\n  button \"Yes\"\n");
    let empty_list = "list\n";
    for other in [no_list, other_field, dialog, empty_list.to_owned()] {
        assert_ne!(structure(PAGE), structure(&other), "{other}");
    }
    assert_ne!(structure("list"), structure("list\n  listitem"));
}

#[test]
fn state_sees_every_effect_of_an_action() {
    for (from, to) in [
        ("\"Amount\" @e9: 1", "\"Amount\" @e9: 2"),
        ("\"Amount\" @e9: 1", "\"Amount\" @e9 active: 1"),
        ("\"Amount\" @e9: 1", "\"Amount\" @e9 invalid: 1"),
        ("unchecked", "checked"),
        ("Cart (0)", "Cart (1)"),
        ("Kayaks", "Canoes"),
        ("strong: Sale", "strong: Sold"),
    ] {
        assert!(PAGE.contains(from));
        assert_ne!(
            state(PAGE),
            state(&PAGE.replace(from, to)),
            "{from} -> {to}"
        );
    }
    let swapped = PAGE
        .replace("Red", "X")
        .replace("Blue", "Red")
        .replace('X', "Blue");
    assert_ne!(state(PAGE), state(&swapped), "order is shown");
}

#[test]
fn state_ignores_layout_and_focus_outside_of_fields() {
    let wrapped = "generic\n  generic\n    text: Hello\nbutton \"Go\" active";
    assert_eq!(state("generic: Hello\nbutton \"Go\""), state(wrapped));
}

#[test]
fn a_fingerprint_is_the_same_in_every_release_and_reads_back() {
    let fingerprint = structure(PAGE);
    assert_eq!(fingerprint.to_string(), "ba265961b8ec5c03");
    assert_eq!(
        Fingerprint::parse(&fingerprint.to_string()).unwrap(),
        fingerprint
    );
    let json = serde_json::to_string(&fingerprint).unwrap();
    assert_eq!(
        serde_json::from_str::<Fingerprint>(&json).unwrap(),
        fingerprint
    );
    for bad in [
        "",
        "12",
        "00000000000000zz",
        "00000000000000AA",
        "+000000000000000",
    ] {
        assert!(Fingerprint::parse(bad).is_err(), "{bad}");
    }
    assert_eq!(
        Fingerprint::state(&Tree::default()),
        Fingerprint::state(&Tree::default())
    );
}
