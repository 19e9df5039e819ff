//! What is told of the selected text, and what selecting a text guarantees.

use webwise::action::{BrowserAction, ErrorClass, Key, Press, SelectText, Target};

use crate::acting::bed::{BRIEF, Bed, PATIENT, SECRET, failure, fill_secret, id};

fn select(target: Target, words: Option<&str>) -> BrowserAction {
    BrowserAction::SelectText(SelectText {
        target,
        text: words.map(Into::into),
    })
}

fn press(key: &str, times: u32) -> BrowserAction {
    BrowserAction::Press(Press {
        key: Key::parse(key).expect("a key"),
        target: None,
        times: Some(times),
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_extend_a_selection_and_it_is_told() {
    let bed = Bed::start(PATIENT).await;
    bed.show("<p id=p>The fox runs.</p><label>Name <input id=f value=kayak></label>")
        .await;
    assert_eq!(bed.see().await.selected, "");
    bed.does(select(id("p"), Some("fox"))).await;
    assert_eq!(bed.see().await.selected, "fox");
    bed.does(press("Shift+ArrowRight", 5)).await;
    assert_eq!(bed.see().await.selected, "fox runs");
    bed.does(select(id("f"), Some("kay"))).await;
    assert_eq!(bed.see().await.selected, "kay");
    bed.does(press("Shift+ArrowRight", 1)).await;
    assert_eq!(bed.see().await.selected, "kaya");
    bed.does(press("ArrowRight", 1)).await;
    assert_eq!(bed.see().await.selected, "");
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_selection_is_told_wherever_it_is_on_the_page() {
    let bed = Bed::start(PATIENT).await;
    bed.show(
        "<h1>Head</h1><div id=host></div><div id=e contenteditable>rich <b>words</b></div>
        <input name=getSelection><form name=activeElement></form><script>
        host.attachShadow({ mode: 'open' }).innerHTML = '<p id=inner>in the shadow</p>';</script>",
    )
    .await;
    for (element, words, told) in [
        ("inner", Some("the"), "the"),
        ("inner", None, "in the shadow"),
        ("e", Some("rich words"), "rich words"),
        ("e", Some("ords"), "ords"),
    ] {
        bed.does(select(id(element), words)).await;
        assert_eq!(bed.see().await.selected.trim(), told, "{element}");
    }
    assert_eq!(
        bed.value("document.querySelector('#e').matches(':focus')")
            .await,
        "true"
    );
    bed.value("getSelection().selectAllChildren(document.body)")
        .await;
    let told = bed.see().await.selected;
    assert!(
        told.starts_with("Head") && told.contains("rich words"),
        "{told}"
    );
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_selected_secret_is_not_told() {
    let bed = Bed::start(BRIEF).await;
    for field in [
        "<input id=f>",
        "<textarea id=f></textarea>",
        "<div id=f contenteditable>x</div>",
        "<div id=f role=textbox contenteditable><p>x</p></div>",
    ] {
        bed.show(&format!(
            "<section id=all><p>before</p>{field}<p>after</p></section>"
        ))
        .await;
        let filled = bed.ask(bed.with_secret(fill_secret(id("f")))).await;
        assert!(filled.outcome.is_done(), "{field}: {:?}", filled.outcome);
        bed.does(select(id("f"), None)).await;
        assert_eq!(bed.see().await.selected, "", "{field}");
        // Neither a part of it, which no search for the value would find.
        bed.does(press("Shift+ArrowLeft", 2)).await;
        assert_eq!(bed.see().await.selected, "", "{field}");
        let (class, detail) = failure(&bed.act(select(id("f"), Some(&SECRET[..3]))).await);
        assert_eq!(class, Some(ErrorClass::BadArguments), "{field}: {detail}");
        // Nor a search in an element around it.
        let (class, detail) = failure(&bed.act(select(id("all"), Some(&SECRET[..3]))).await);
        assert_eq!(class, Some(ErrorClass::BadArguments), "{field}: {detail}");
        bed.does(select(id("all"), Some("after"))).await;
        assert_eq!(bed.see().await.selected, "after", "{field}");
        bed.value("getSelection().selectAllChildren(document.body)")
            .await;
        let told = bed.see().await.selected;
        assert!(!told.contains(&SECRET[..3]), "{field}: {told}");
        bed.value("f.blur()").await;
        assert!(!bed.see().await.selected.contains(&SECRET[..3]), "{field}");
    }
    bed.close().await;
}
