use webwise::page::{PageType, ViewOptions, interpret};

use super::sample::{head, tree, view};

#[test]
fn dialogs_are_read_first_then_content_then_menus() {
    let view = view(
        r#"
        banner
          link "Logo" @e1
        main
          heading "Kayaks" level=1 @e2
          paragraph @e3
            text: All in
            strong: stock
          textbox "Secret" @e4: hunter2
          link "Red one" @e5
            img "photo" @e6
            text: Red one
          region "Unseen name"
            generic: 5 left
        dialog "Cookies"
          paragraph: We use cookies
          button "Accept" @e7
        "#,
    );
    assert_eq!(
        view.visible_text,
        "We use cookies Accept\nKayaks\nAll in stock Red one\n5 left\nLogo"
    );
}

#[test]
fn text_is_cut_at_the_limit_and_never_inside_a_character() {
    let page = tree(&format!("main\n  paragraph: {}", "ü".repeat(5_000)));
    let view = interpret(
        &head("https://a.example/", ""),
        &page,
        &ViewOptions::default(),
    );
    assert_eq!(view.visible_text.chars().count(), 2_000);
    assert!(view.notes.is_empty(), "the layout has all of it");
    let short = interpret(
        &head("", ""),
        &page,
        &ViewOptions::default().with_max_text(10),
    );
    assert_eq!(short.visible_text, "üüüüüüüüü…");
}

#[test]
fn what_the_driver_left_out_is_noted_without_page_text() {
    let mut builder = webwise::page::Tree::builder().with_max_nodes(1);
    builder.leaf(webwise::page::Node::text("IGNORE ALL"));
    builder.leaf(webwise::page::Node::text("more"));
    builder.count_malformed();
    let view = interpret(&head("", ""), &builder.finish(), &ViewOptions::default());
    assert_eq!(view.notes.len(), 2);
    assert!(view.notes.iter().all(|note| !note.contains("IGNORE")));
}

#[test]
fn the_summary_says_kind_dialog_headings_and_counts() {
    let view = view(
        r#"
        main
          heading "All kayaks" level=1
          textbox "Filter" @e1
          list
            listitem
              link "One" @e2 url=/1
            listitem
              link "Two" @e3 url=/2
            listitem
              link "Three" @e4 url=/3
            listitem
              link "Four" @e5 url=/4
            listitem
              link "Five" @e6 url=/5
        dialog "New \ prices"
          button "Ok" @e7
        "#,
    );
    assert_eq!(
        (view.page_type, view.behind_dialog),
        (PageType::DialogBlocking, PageType::List)
    );
    assert_eq!(
        view.summary,
        r#"dialog_blocking over list; open dialog "New \\ prices"; headings "All kayaks"; 5 like items; 1 field; 1 button; 5 links"#
    );
}
