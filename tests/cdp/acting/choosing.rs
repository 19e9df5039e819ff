//! Choosing options of lists that pages make of other elements than `select`.

use webwise::action::ErrorClass;

use crate::acting::bed::{BRIEF, Bed, PATIENT, failure, id, located, select};

/// A list that opens at a click, with options that a click chooses. `multiple` lists stay open.
fn own_list(button: &str, list: &str, is_multiple: bool) -> String {
    format!(
        "<style>[role=option] {{ height:20px }}</style><p id=b tabindex=0 {button}>None</p><div id=l {list} hidden><div
        role=option>Red</div><div role=option>Red wine</div><div role=option>White</div></div><p id=got></p><script>
        const close = () => {{ l.hidden = true; b.setAttribute('aria-expanded', false); }};
        b.onclick = () => setTimeout(() => {{ l.hidden = !l.hidden; b.setAttribute('aria-expanded', !l.hidden); }}, 150);
        addEventListener('keydown', event => {{ if (event.key === 'Escape') {{ close(); got.append('esc'); }} }});
        for (const option of l.children) option.onclick = () => {{
          const on = option.getAttribute('aria-selected') !== 'true';
          if (!{is_multiple}) for (const other of l.children) other.removeAttribute('aria-selected');
          option.setAttribute('aria-selected', on);
          b.textContent = [...l.children].filter(at => at.ariaSelected === 'true').map(at => at.textContent).join('+');
          if (!{is_multiple}) setTimeout(close, 100);
        }};</script>"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn an_option_of_a_list_of_the_pages_own_is_chosen_by_its_name() {
    let bed = Bed::start(PATIENT).await;
    let one =
        "role=combobox aria-haspopup=listbox aria-expanded=false aria-controls=l aria-label=Wine";
    for (button, list) in [
        (one, "role=listbox"),
        // The list appears without a word about its owner, as in a part of the page for such lists.
        ("role=combobox", "role=listbox"),
        ("role=button aria-haspopup=listbox", "role=listbox"),
    ] {
        for (value, chosen) in [("Red", "Red"), ("Whi", "White"), (" Red  wine", "Red wine")] {
            bed.show(&own_list(button, list, false)).await;
            bed.does(select(id("b"), &[value])).await;
            assert_eq!(
                bed.value("b.textContent").await,
                format!("\"{chosen}\""),
                "{button}"
            );
            assert_eq!(
                bed.value("l.hidden + got.textContent").await,
                "\"true\"",
                "{button}"
            );
        }
    }
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn several_options_are_chosen_and_the_list_is_closed() {
    let bed = Bed::start(PATIENT).await;
    let (button, list) = (
        "role=combobox aria-controls=l aria-expanded=false",
        "role=listbox aria-multiselectable=true",
    );
    bed.show(&own_list(button, list, true)).await;
    bed.does(select(id("b"), &["Red", "White"])).await;
    assert_eq!(bed.value("b.textContent").await, "\"Red+White\"");
    assert_eq!(bed.value("l.hidden").await, "true");
    // What is chosen already stays so.
    bed.does(select(id("b"), &["White", "Red wine"])).await;
    assert_eq!(bed.value("b.textContent").await, "\"Red+Red wine+White\"");
    // A list that is always there is not closed.
    bed.show(&own_list("role=button", list, true).replace(" hidden>", ">"))
        .await;
    bed.does(select(id("l"), &["Red wine", "White"])).await;
    assert_eq!(bed.value("b.textContent").await, "\"Red wine+White\"");
    assert_eq!(bed.value("l.hidden + got.textContent").await, "\"false\"");
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_of_the_pages_own_without_the_option_lists_those_that_it_has() {
    let bed = Bed::start(BRIEF).await;
    let button = "role=combobox aria-controls=l aria-expanded=false";
    for (values, listed) in [
        (["Blue"], "the options are: Red, Red wine, White"),
        (["R"], "the options are: Red, Red wine, White"),
    ] {
        bed.show(&own_list(button, "role=listbox", false)).await;
        let (class, detail) = failure(&bed.act(select(id("b"), &values)).await);
        assert_eq!((class, &*detail), (Some(ErrorClass::NoSuchOption), listed));
        assert_eq!(bed.value("l.hidden + b.textContent").await, "\"trueNone\"");
    }
    bed.show("<p id=b role=combobox tabindex=0>None</p>").await;
    let (class, detail) = failure(&bed.act(select(id("b"), &["Red"])).await);
    assert_eq!(class, Some(ErrorClass::NoSuchOption));
    assert_eq!(detail, "no options were shown when it was pressed");
    // A field that opens a list for what is typed is not touched.
    bed.show("<button id=c>Go</button><input id=d role=combobox onfocus='value = 1'>")
        .await;
    for other in ["c", "d"] {
        let (class, detail) = failure(&bed.act(select(id(other), &["Red"])).await);
        assert_eq!(class, Some(ErrorClass::WrongElement), "{detail}");
    }
    assert_eq!(bed.value("d.value").await, "\"\"");
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn widgets_of_libraries_take_a_choice() {
    let bed = Bed::start(PATIENT).await;
    let list = |more: &str| {
        format!(
            "<label for=s>Fruit</label><select id=s {more}><option>Apple<option>Pear<option>Plum</select>"
        )
    };
    let tom = "<link rel=stylesheet href=/packages/tom-select/dist/css/tom-select.min.css>
        <script src=/packages/tom-select/dist/js/tom-select.complete.min.js></script>";
    let choices =
        "<link rel=stylesheet href=/packages/choices.js/public/assets/styles/choices.min.css>
        <script src=/packages/choices.js/public/assets/scripts/choices.min.js></script>";
    let jquery = "<link rel=stylesheet href=/packages/jquery-ui-dist/jquery-ui.min.css><script
        src=/packages/jquery/dist/jquery.min.js></script><script src=/packages/jquery-ui-dist/jquery-ui.min.js></script>";
    let chosen = "[...s.selectedOptions].map(option => option.text)";
    for (library, script, target, more, values) in [
        (
            tom,
            "new TomSelect(s)",
            r#"css="input[role=combobox]""#,
            "",
            vec!["Pear"],
        ),
        (
            tom,
            "new TomSelect(s)",
            "css=\".ts-control\"",
            "multiple",
            vec!["Pear", "Plum"],
        ),
        (
            choices,
            "new Choices(s)",
            "css=\".choices\"",
            "",
            vec!["Pear"],
        ),
        (
            jquery,
            "$('#s').selectmenu()",
            "css=\".ui-selectmenu-button\"",
            "",
            vec!["Plum"],
        ),
    ] {
        let list = list(more);
        bed.show(&format!("{library}{list}<script>{script}</script>"))
            .await;
        bed.does(select(located(target), &values)).await;
        let wanted = serde_json::to_string(&values).expect("texts");
        assert_eq!(bed.value(chosen).await, wanted, "{script} {more}");
    }
    bed.close().await;
}
