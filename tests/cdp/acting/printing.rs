//! The lines in which the model reads widgets: what tells their parts apart, and the states that only their looks show.

use std::time::Duration;

use webwise::{
    action::{BrowserAction, ErrorClass, Wait},
    browser::ExecuteRequest,
};

use crate::acting::bed::{Bed, PATIENT, failure};

/// Returns the lines without references and looks, which tests cannot know.
async fn printed(bed: &Bed) -> Vec<String> {
    let lines = bed.lines().await;
    lines.iter().map(|line| bare(line)).collect()
}

fn bare(line: &str) -> String {
    let mut out = String::new();
    let mut words = line.split(' ');
    while let Some(word) = words.next() {
        let is_reference = word.starts_with('e') && word[1..].parse::<u32>().is_ok();
        if word == "look" {
            // A look is a colour, a size and a place: `"#ffd700 20x20 top left 8,51"`.
            while words.next().is_some_and(|word| !word.ends_with('"')) {}
        } else if !is_reference {
            out.push_str(if out.is_empty() { "" } else { " " });
            out.push_str(word);
        }
    }
    out
}

#[tokio::test(flavor = "multi_thread")]
async fn equal_icons_are_told_apart_and_the_chosen_ones_are_marked() {
    let bed = Bed::start(PATIENT).await;
    let stars = |on: usize| {
        let star = |at| {
            let class = if at < on { "star active" } else { "star" };
            format!("<span class='{class}'></span>")
        };
        let all: String = (0..5).map(star).collect();
        format!(
            "<style>.star {{ display:inline-block; width:20px; height:20px; background:#ccc; cursor:pointer }}
            .active {{ background:gold }}</style><p>Rate it</p><div>{all}</div>"
        )
    };
    for on in [0, 2, 5] {
        bed.show(&stars(on)).await;
        let state = |at| if at < on { " [selected]" } else { "" };
        let star = |at| format!("\"star\" {} of 5 [clickable]{}", at + 1, state(at));
        let wanted: Vec<String> = (0..5).map(star).collect();
        assert_eq!(printed(&bed).await[1..], wanted, "{on} stars");
    }
    // The choice of a group of radio buttons, and the icons in an item of a list each.
    let icon = "<svg width=20 height=20><path d='M1 1h10v10z'/></svg>";
    bed.show(&format!(
        "<div role=radiogroup aria-label=Rating><span role=radio aria-checked=false tabindex=0>★</span>
        <span role=radio aria-checked=true tabindex=0>★</span></div>
        <ul><li><button class='star filled'>{icon}</button></li><li><button class=star>{icon}</button></li></ul>"
    ))
    .await;
    assert_eq!(
        printed(&bed).await,
        [
            "radiogroup \"Rating\": radio \"★\" 1 of 2 | radio \"★\" [checked] 2 of 2",
            "list: button \"star\" [pressed] 1 of 2 | button \"star\" 2 of 2",
        ]
    );
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_on_by_its_class_alone_is_shown_as_on() {
    let bed = Bed::start(PATIENT).await;
    for (body, lines) in [
        // Quill, CKEditor, TinyMCE.
        (
            "<div class=ql-toolbar><button class='ql-bold ql-active' aria-label=bold>B</button>
            <button class=ql-italic aria-label=italic>I</button></div>",
            vec!["button \"bold\" value \"B\" [pressed]", "button \"italic\" value \"I\""],
        ),
        (
            "<button class='ck ck-button ck-off'>Bold</button><button class='ck ck-button ck-on'>Italic</button>",
            vec!["button \"Bold\"", "button \"Italic\" [pressed]"],
        ),
        (
            "<button class='tox-tbtn tox-tbtn--enabled' aria-label=Bold></button>
            <button class=tox-tbtn aria-label=Italic aria-pressed=false></button>",
            vec!["button \"Bold\" [pressed]", "button \"Italic\""],
        ),
        // Bootstrap: the class is that of the link, or of the item around it.
        (
            "<ul><li class=nav-item><a class='nav-link active' href=#a>A</a></li><li class=nav-item><a class=nav-link
            href=#b>B</a></li></ul><ul><li class=page-item><a href=#1>1</a></li><li class='page-item active'><a
            href=#2>2</a></li></ul>",
            vec!["list: link \"A\" [selected] | link \"B\"", "list: link \"1\" | link \"2\" [selected]"],
        ),
        // What the page states itself is what counts, and a class of all of them says nothing.
        (
            "<button class=active aria-pressed=false>A</button><button>B</button>
            <p><a class=active href=#c>C</a> and <a class=active href=#d>D</a>",
            vec!["button \"A\"", "button \"B\"", "link \"C\" \"and\" link \"D\""],
        ),
    ] {
        bed.show(body).await;
        let printed = printed(&bed).await;
        assert_eq!(printed, lines, "{body}");
    }
    bed.close().await;
}

/// What Select2 makes of a list with one choice, and the style that hides the list.
fn select2(shown: &str) -> String {
    format!(
        "<style>.select2-hidden-accessible {{ border:0!important; clip:rect(0 0 0 0)!important;
        clip-path:inset(50%)!important; height:1px!important; overflow:hidden!important; padding:0!important;
        position:absolute!important; width:1px!important; white-space:nowrap!important }}</style>
        <label for=u>User:</label> <select name=user id=u class=select2-hidden-accessible tabindex=-1 aria-hidden=true><option
        value=''>---------</option><option value=1 selected>{shown}</option></select><span class='select2 select2-container'
        dir=ltr style='width:200px'><span class=selection><span class='select2-selection select2-selection--single'
        role=combobox aria-haspopup=true aria-expanded=false tabindex=0 aria-disabled=false
        aria-labelledby=select2-u-container><span class=select2-selection__rendered id=select2-u-container role=textbox
        aria-readonly=true title='{shown}'>{shown}</span><span class=select2-selection__arrow role=presentation><b
        role=presentation></b></span></span></span></span>"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_behind_a_widget_is_shown_once() {
    let bed = Bed::start(PATIENT).await;
    for shown in ["---------", "ada"] {
        bed.show(&select2(shown)).await;
        let line = format!("combobox \"User:\" value \"{shown}\" [collapsed]");
        assert_eq!(printed(&bed).await, [line]);
    }
    bed.show(
        "<link rel=stylesheet href=/packages/tom-select/dist/css/tom-select.min.css>
        <script src=/packages/tom-select/dist/js/tom-select.complete.min.js></script>
        <label for=s>Fruit</label><select id=s><option>Apple<option>Pear</select><script>new TomSelect(s)</script>",
    )
    .await;
    let lines = printed(&bed).await.join("\n");
    assert_eq!(lines.matches("Apple").count(), 1, "{lines}");
    assert_eq!(lines.matches("combobox").count(), 1, "{lines}");
    // A list that can be seen or reached stays.
    bed.show("<select tabindex=-1 aria-label=A><option>B</select><select style='width:1px' aria-label=C><option>D</select>")
        .await;
    let lines = printed(&bed).await.join("\n");
    assert!(
        lines.contains("\"A\"") && lines.contains("\"C\""),
        "{lines}"
    );
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_path_is_shown_with_its_links_and_the_current_part() {
    let bed = Bed::start(PATIENT).await;
    for (body, line) in [
        (
            "<nav aria-label=Breadcrumb><ol><li><a href=/>Home</a></li><li><a href=/lib>Library</a></li><li
            aria-current=page>Data</li></ol></nav>",
            "navigation \"Breadcrumb\": link \"Home\" | link \"Library\" | \"Data\"",
        ),
        (
            "<div><a href=/>Home</a> &rsaquo; <a href=/shop>Shop</a> <i>›</i> <span>Orders</span></div>",
            "link \"Home\" link \"Shop\" \"› Orders\"",
        ),
        (
            "<nav><a href=/>Home</a> / <a href=/shop>Shop</a> / <a href=/shop/1 aria-current=page>Kayak</a></nav>",
            "navigation: link \"Home\" | link \"Shop\" | link \"Kayak\" current \"page\"",
        ),
        // Signs beside anything else are content.
        ("<p>1 <b>/</b> 2 <a href=#x>x</a> | </p>", "\"1 / 2\" link \"x\" \"|\""),
    ] {
        bed.show(body).await;
        assert_eq!(printed(&bed).await, [line], "{body}");
    }
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn headings_have_their_level_and_editors_their_formats() {
    let bed = Bed::start(PATIENT).await;
    bed.show("<h1>Top</h1><p>Some <b>bold</b> prose</p><h2><a href=/x>Linked</a></h2><div role=heading aria-level=4>Deep</div>")
        .await;
    assert_eq!(
        printed(&bed).await,
        [
            "heading \"Top\" [h1]",
            "\"Some bold prose\"",
            "link \"Linked\" [h2]",
            "heading \"Deep\" [h4]"
        ]
    );
    let written = "<h2>Head</h2><p>Some <strong>bold</strong> and <em>soft</em> words</p>
        <ul><li>one</li><li>two</li></ul><ol><li>a</li><li>b</li></ol>";
    bed.show(&format!(
        "<div contenteditable role=textbox aria-label=Body>{written}</div>"
    ))
    .await;
    assert_eq!(
        printed(&bed).await,
        [
            r###"textbox "Body" value "## Head\nSome **bold** and *soft* words\n- one\n- two\n1. a\n2. b""###
        ]
    );
    bed.show(&format!("<div contenteditable>{written}</div>"))
        .await;
    assert_eq!(
        printed(&bed).await,
        [
            "heading \"Head\" [h2] [clickable]",
            "\"Some\" [clickable] \"**bold**\" [clickable] \"and\" [clickable] \"*soft*\" [clickable] \"words\" [clickable]",
            "list: \"one\" [clickable] | \"two\" [clickable]",
            "list: \"a\" [clickable] | \"b\" [clickable]",
        ]
    );
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_grid_says_how_many_rows_it_shows_and_each_cell_can_be_pointed_at() {
    let bed = Bed::start(PATIENT).await;
    let row = |n: usize| {
        let cell =
            |text: &str| format!("<div role=gridcell tabindex=-1 style='flex:1'>{text}</div>");
        let cells = [cell(&format!("A-{n}")), cell(""), cell("")].concat();
        format!("<div role=row style='display:flex; height:20px'>{cells}</div>")
    };
    let rows: String = (1..=4).map(row).collect();
    // The rows of a large grid are made as it is scrolled.
    let scroller = format!(
        "<div style='height:80px; overflow:auto'><div style='height:580px'>{rows}</div></div>"
    );
    for (count, head) in [
        ("aria-rowcount=29", "(4 of 29 rows shown, scrolls)"),
        ("", "(4 rows shown, scrolls for more)"),
    ] {
        bed.show(&format!(
            "<div role=grid aria-label=Issues {count}>{scroller}</div>"
        ))
        .await;
        assert_eq!(printed(&bed).await[0], format!("grid \"Issues\" {head}"));
    }
    let lines = bed.lines().await;
    let cells: Vec<&str> = lines[1].trim_start_matches(" - ").split(" | ").collect();
    assert_eq!(cells.len(), 3, "{lines:#?}");
    for (cell, text) in cells.iter().zip(["\"A-1\"", "\"\"", "\"\""]) {
        let (reference, shown) = cell.split_once(' ').unwrap_or_default();
        assert!(reference.starts_with('e') && shown == text, "{lines:#?}");
    }
    // A grid with all of its rows says nothing, and the cells of a table for reading have no references.
    bed.show(&format!(
        "<div role=grid aria-label=All aria-rowcount=4>{rows}</div>
        <table><tr><th>Due date:<td></tr><tr><th>Owner:<td>Ada</tr></table>"
    ))
    .await;
    let printed = printed(&bed).await;
    assert_eq!(printed[0], "grid \"All\"");
    assert_eq!(
        printed[6..],
        [" - \"Due date:\" | \"\"", " - \"Owner:\" | \"Ada\""].map(str::trim_start)
    );
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wait_in_vain_says_where_the_text_still_stands() {
    let bed = Bed::start(PATIENT).await;
    bed.show("<h1>Draft</h1><div role=status>Saving the draft</div>")
        .await;
    let wait = BrowserAction::Wait(Wait {
        text: None,
        gone: Some("saving".into()),
        seconds: None,
    });
    let request = ExecuteRequest::new(wait).with_timeout(Duration::from_secs(2));
    let (class, detail) = failure(&bed.ask(request).await);
    assert_eq!(class, Some(ErrorClass::WaitedInVain));
    assert!(
        detail.starts_with("the text still stands in e")
            && detail.ends_with("status \"Saving the draft\""),
        "{detail}"
    );
    bed.close().await;
}
