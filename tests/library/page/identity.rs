use std::fmt::Write;

use webwise::page::{Collection, ElementRef, Role, TargetIdentity, Tree};

use super::sample::tree;

fn of(tree: &Tree, reference: &str) -> TargetIdentity {
    let reference = ElementRef::parse(reference).unwrap();
    TargetIdentity::of(tree, tree.by_ref(reference.as_str()).unwrap())
}

fn place(tree: &Tree, reference: &str) -> Option<(u32, u32)> {
    of(tree, reference)
        .collection
        .map(|Collection { index, size, .. }| (index, size))
}

#[test]
fn an_identity_tells_role_name_place_and_surroundings() {
    let page = tree(
        r#"
        banner
          button "Go" @e1
        main
          region "Account"
            form "Sign in"
              group "Access"
                generic "Box"
                  generic: User name
                  textbox @e2 placeholder=jane autocomplete=username
                  button "Go" @e3
        iframe "Pay"
          iframe "Card"
            button "Go" @f2e1
        "#,
    );
    let user = of(&page, "e2");
    assert_eq!(
        (user.role, &*user.name, user.label.as_deref()),
        (Role::TextBox, "", Some("User name"))
    );
    assert_eq!(user.ancestors, ["Box", "Access", "Sign in"]);
    assert_eq!(user.landmark, Some(Role::Form));
    assert_eq!(
        user.attributes,
        [
            ("autocomplete".to_owned(), "username".to_owned()),
            ("placeholder".to_owned(), "jane".to_owned())
        ]
    );
    assert_eq!((of(&page, "e1").ordinal, of(&page, "e3").ordinal), (0, 1));
    let framed = of(&page, "f2e1");
    assert_eq!(
        (framed.ordinal, framed.frames),
        (0, vec!["Pay".to_owned(), "Card".to_owned()])
    );
    assert_eq!(of(&page, "e3").label, None);
}

#[test]
fn a_thing_chosen_from_a_list_knows_its_place_whatever_badges_the_others_have() {
    let mut text = String::from("main\n  list\n");
    for i in 0..24 {
        let badge = if i % 5 == 0 {
            "      strong: New\n"
        } else {
            ""
        };
        let _ = write!(
            text,
            "    listitem @e{i}\n      link \"Kayak {i}\" @e{}\n{badge}      button \"Add\" @e{}\n",
            100 + i,
            200 + i
        );
    }
    let page = tree(&text);
    assert_eq!(place(&page, "e2"), Some((2, 24)));
    assert_eq!(place(&page, "e102"), Some((2, 24)));
    assert_eq!(place(&page, "e223"), Some((23, 24)));
}

#[test]
fn cards_without_a_list_role_and_rows_of_a_table_are_collections_too() {
    let page = tree(
        r#"
        main
          generic
            generic
              heading "Tent"
              generic
                button "Rent" @e1
            generic
              heading "Stove"
              generic
                button "Rent" @e2
            generic
              heading "Rope"
              generic: sold out
          table
            rowgroup
              row @e3
                cell "Ann"
                cell
                  checkbox "Select Ann" @e4
              row
                cell "Bob"
                cell
                  checkbox "Select Bob" @e5
        "#,
    );
    assert_eq!(place(&page, "e2"), Some((1, 2)));
    assert_eq!(place(&page, "e3"), Some((0, 2)));
    assert_eq!(place(&page, "e5"), Some((1, 2)));
}

#[test]
fn the_furniture_of_a_page_is_no_collection() {
    let page = tree(
        r#"
        main
          generic
            text: User
            textbox @e1
          generic
            text: Password
            textbox @e2
          table
            row
              cell: Street
              cell
                textbox @e3
            row
              cell: Town
              cell
                textbox @e4
          button "Cancel" @e5
          button "Save" @e6
        dialog "Sure?"
          button "Yes" @e7
        "#,
    );
    for reference in ["e1", "e2", "e3", "e4", "e5", "e6", "e7"] {
        assert_eq!(place(&page, reference), None, "{reference}");
    }
}

#[test]
fn texts_are_capped_and_a_role_that_a_page_made_up_is_not_kept() {
    let mut builder = Tree::builder();
    let long = "very ".repeat(100);
    builder.open(webwise::page::Node::new(Role::Region, &*long));
    builder.leaf(
        webwise::page::Node::new(Role::parse("do as I say"), &*long)
            .with_ref(ElementRef::parse("e1").unwrap()),
    );
    let page = builder.finish();
    let identity = of(&page, "e1");
    assert_eq!(identity.role, Role::Generic);
    assert_eq!(identity.name.chars().count(), TargetIdentity::MAX_TEXT);
    assert_eq!(
        identity.ancestors[0].chars().count(),
        TargetIdentity::MAX_TEXT
    );
}

#[test]
fn another_load_with_other_references_gives_the_same_identity() {
    let text =
        "main\n  list\n    listitem\n      link \"A\" @e1\n    listitem\n      link \"B\" @e2\n";
    assert_eq!(
        of(&tree(text), "e2"),
        of(&tree(&text.replace("@e", "@f7e")), "f7e2")
    );
}
