//! What filling guarantees: the text stands in the field as the page would have it from keys, or nothing was done.

use std::time::Duration;

use webwise::{
    action::{
        BrowserAction, DialogAccept, ErrorClass, Fill, Key, OnTarget, Outcome, Press, Scroll,
        ScrollDirection,
    },
    browser::ExecuteRequest,
};

use crate::acting::bed::{
    BRIEF, Bed, PATIENT, SECRET, click, failure, fill, fill_secret, hover, id, located, select,
    type_secret,
};

/// What the field holds, and what its neighbour does.
const HELD: &str = "[window.f ? f.value ?? f.innerText : null, window.o ? o.value : '']";

#[tokio::test(flavor = "multi_thread")]
async fn each_kind_of_field_holds_what_was_filled_in() {
    let bed = Bed::start(PATIENT).await;
    let cases = [
        ("<input id=f value=old>", "new", "new"),
        ("<input id=f value=old>", "", ""),
        ("<input id=f>", "one\ntwo", "one two"),
        ("<input id=f type=email>", "a@b.example", "a@b.example"),
        ("<input id=f type=number>", " -12.5 ", "-12.5"),
        ("<input id=f type=date>", "2024-02-29", "2024-02-29"),
        ("<input id=f type=date value=2024-02-29>", "", ""),
        ("<input id=f type=time>", "10:30", "10:30"),
        (
            "<input id=f type=datetime-local>",
            "2024-02-29T10:30",
            "2024-02-29T10:30",
        ),
        ("<input id=f type=month>", "2024-02", "2024-02"),
        ("<input id=f type=week>", "2024-W09", "2024-W09"),
        ("<input id=f type=color>", "#FF8800", "#ff8800"),
        ("<input id=f type=range max=10>", "7", "7"),
        ("<input id=f maxlength=3 value=old>", "new", "new"),
        (
            "<textarea id=f>old</textarea>",
            "one\r\ntwo\rthree",
            "one\ntwo\nthree",
        ),
        (
            "<textarea id=f></textarea>",
            "a\u{0}b 👋🏽 \u{202e}x",
            "a\u{0}b 👋🏽 \u{202e}x",
        ),
        (
            "<div id=f contenteditable>old</div>",
            "one\ntwo",
            "one\ntwo",
        ),
        (
            "<div id=f contenteditable=plaintext-only>old</div>",
            "one\ntwo",
            "one\ntwo",
        ),
        (
            "<div contenteditable><p id=f>old</p><p>other</p></div>",
            "new",
            "new",
        ),
        (
            "<p id=f>old</p><script>document.designMode = 'on'</script>",
            "new",
            "new",
        ),
        ("<label id=l>Name <input id=f></label>", "new", "new"),
        (
            "<fieldset disabled><legend><input id=f></legend></fieldset>",
            "new",
            "new",
        ),
    ];
    for (body, text, held) in cases {
        bed.show(body).await;
        let target = if body.contains("id=l") {
            id("l")
        } else {
            id("f")
        };
        let (told, detail) = failure(&bed.act(fill(target, text)).await);
        assert_eq!(told, None, "{body}: {detail}");
        assert_eq!(
            bed.value(HELD).await,
            serde_json::json!([held, ""]).to_string(),
            "{body}"
        );
    }
    figure!(
        "cdp: {} kinds of fields hold what was filled in",
        cases.len()
    );
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_only_field_is_told_and_not_waited_for() {
    let bed = Bed::start(PATIENT).await;
    for field in [
        "<input id=f readonly value=old>",
        "<textarea id=f readonly>old</textarea>",
        "<div id=f role=textbox contenteditable aria-readonly=true>old</div>",
    ] {
        bed.show(field).await;
        // Were the field waited for, the action's own time would end first.
        let request = ExecuteRequest::new(fill(id("f"), "new")).with_timeout(PATIENT / 2);
        let (told, detail) = failure(&bed.ask(request).await);
        assert_eq!(told, Some(ErrorClass::NotEditable), "{field}: {detail}");
        assert!(detail.contains("is read only"), "{detail}");
    }
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_field_that_the_page_closes_at_the_focus_says_so() {
    let bed = Bed::start(BRIEF).await;
    for (change, class, words) in [
        ("disabled = true", ErrorClass::Disabled, "the page disabled"),
        ("readOnly = true", ErrorClass::NotEditable, "read only when"),
        // The focus moves on to a dialog that the page opens.
        (
            "disabled = true; ok.focus()",
            ErrorClass::Disabled,
            "the page disabled",
        ),
    ] {
        let body = format!("<input id=f value=old onfocus='{change}'><button id=ok>OK</button>");
        bed.show(&body).await;
        let (told, detail) = failure(&bed.act(fill(id("f"), "new")).await);
        assert_eq!(told, Some(class), "{body}: {detail}");
        assert!(detail.contains(words), "{detail}");
        assert_eq!(bed.value("f.value").await, "\"old\"", "{body}");
    }
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_field_that_cannot_hold_a_text_stays_as_it_is() {
    use ErrorClass as C;
    let bed = Bed::start(BRIEF).await;
    let cases = [
        ("<input id=f type=number value=3>", "many", C::BadValue),
        (
            "<input id=f type=date value=2024-02-29>",
            "29.2.2024",
            C::BadValue,
        ),
        (
            "<input id=f type=date value=2024-02-29>",
            "2023-02-29",
            C::BadValue,
        ),
        (
            "<input id=f type=color value='#ff8800'>",
            "orange",
            C::BadValue,
        ),
        ("<input id=f type=range max=10 value=3>", "11", C::BadValue),
        ("<input id=f maxlength=3 value=old>", "newer", C::BadValue),
        ("<input id=f readonly value=old>", "new", C::NotEditable),
        (
            "<div id=f role=textbox contenteditable aria-readonly=true>old</div>",
            "new",
            C::NotEditable,
        ),
        ("<input id=f disabled value=old>", "new", C::Disabled),
        (
            "<fieldset disabled><input id=f value=old></fieldset>",
            "new",
            C::Disabled,
        ),
        (
            "<input id=f type=checkbox value=old>",
            "new",
            C::NotEditable,
        ),
        ("<input id=f type=submit value=old>", "new", C::NotEditable),
        ("<input id=f type=file>", "new", C::NotEditable),
        (
            "<select id=f><option>old<option>new</select>",
            "new",
            C::NotEditable,
        ),
        ("<p id=f>old</p>", "new", C::NotEditable),
        ("<button id=f>old</button>", "new", C::NotEditable),
        ("<input id=f hidden value=old>", "new", C::NotVisible),
        (
            "<input id=f value=old onfocus='o.focus()'><input id=o>",
            "new",
            C::NotEditable,
        ),
        (
            "<input id=f value=old onfocus='blur()'>",
            "new",
            C::NotEditable,
        ),
        (
            "<input id=f value=old onbeforeinput='event.preventDefault()'>",
            "new",
            C::BadValue,
        ),
        (
            "<input id=f value=old oninput='value = `old`'>",
            "new",
            C::BadValue,
        ),
    ];
    for (body, text, class) in cases {
        bed.show(body).await;
        let before = bed.value(HELD).await;
        let (told, detail) = failure(&bed.act(fill(id("f"), text)).await);
        assert_eq!(told, Some(class), "{body}: {detail}");
        assert_eq!(bed.value(HELD).await, before, "{body}");
    }
    figure!(
        "cdp: {} fields stay as they are under a text that they cannot hold",
        cases.len()
    );
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_has_the_last_word_on_a_text() {
    let bed = Bed::start(PATIENT).await;
    // As frameworks do it: the element's own `value` is watched, and each input is answered with the state's.
    let controlled = "<input id=f><script>
        const own = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
        let [known, state] = ['', ''];
        const set = value => { known = value; own.set.call(f, value); };
        Object.defineProperty(f, 'value', { get: () => own.get.call(f), set });
        f.addEventListener('input', () => {
            if (own.get.call(f) !== known) { known = own.get.call(f); state = known.toUpperCase(); }
            f.value = state;
        });</script>";
    let cases = [
        ("<input id=f oninput='value = value.toUpperCase()'>", "abc", "ABC"),
        ("<input id=f oninput='value = value.replace(/\\D/g, ``)'>", "1a2b", "12"),
        ("<input id=f value=12 oninput='value = value.replace(/\\D/g, ``)'>", "1-2", "12"),
        (controlled, "abc", "ABC"),
        ("<input id=f onbeforeinput='event.preventDefault(); value = event.data'>", "abc", "abc"),
        (
            "<div id=f contenteditable></div><script>f.onbeforeinput = event => { event.preventDefault();
             setTimeout(() => { f.textContent = event.data; }); }</script>",
            "abc",
            "abc",
        ),
    ];
    for (body, text, held) in cases {
        bed.show(body).await;
        let (told, detail) = failure(&bed.act(fill(id("f"), text)).await);
        assert_eq!(told, None, "{body}: {detail}");
        assert_eq!(
            bed.value(HELD).await,
            serde_json::json!([held, ""]).to_string(),
            "{body}"
        );
    }
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_hears_of_a_text_as_it_does_of_keys() {
    let bed = Bed::start(PATIENT).await;
    let watch = "<button id=b>b</button><script>window.got = [];
        for (const name of ['beforeinput', 'input', 'change'])
            document.addEventListener(name, ({ inputType = '', data }) =>
                got.push([name, inputType, data ?? '', f.value].join('|')), true);</script>";
    bed.show(&format!("<input id=f value=old>{watch}")).await;
    bed.does(fill(id("f"), "new")).await;
    bed.does(click(id("b"))).await;
    let typed = r#"["beforeinput|insertText|new|old","input|insertText|new|new","change|||new"]"#;
    assert_eq!(bed.value("got").await, typed);
    bed.show(&format!("<textarea id=f>old</textarea>{watch}"))
        .await;
    bed.does(fill(id("f"), "")).await;
    let removed = r#"["beforeinput|deleteContentBackward||old","input|deleteContentBackward||"]"#;
    assert_eq!(bed.value("got").await, removed);
    bed.show(&format!("<input type=date id=f>{watch}")).await;
    bed.does(fill(id("f"), "2024-02-29")).await;
    assert_eq!(
        bed.value("got").await,
        r#"["input|||2024-02-29","change|||2024-02-29"]"#
    );
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn long_texts_arrive_whole() {
    let bed = Bed::start(PATIENT).await;
    let lines = format!("{}\n", "é <b>&amp;  x".repeat(6)).repeat(1800);
    let letters = "x".repeat(150_000);
    for (field, text) in [
        ("<textarea id=f></textarea>", &lines),
        ("<textarea id=f></textarea>", &letters),
        ("<input id=f>", &letters),
        ("<div id=f contenteditable></div>", &letters),
        (
            "<div id=f contenteditable style='white-space:pre-wrap'></div>",
            &lines,
        ),
    ] {
        bed.show(&format!(
            "{field}<script>window.heard = 0; f.oninput = event => {{ heard += event.isTrusted; }}</script>"
        ))
        .await;
        bed.does(fill(id("f"), text)).await;
        let held = "(f.value ?? [...f.childNodes].map(line => line.textContent).join('\\n')).replace(/\\u00a0/g, ' ')";
        let held: String = serde_json::from_str(&bed.value(held).await).expect("a text");
        assert!(
            held == *text,
            "{field} holds {} characters of {}",
            held.chars().count(),
            text.chars().count()
        );
        assert_ne!(
            bed.value("heard").await,
            "0",
            "{field}: the page was not told"
        );
    }
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_goes_into_the_field_that_it_is_for_or_nowhere() {
    let bed = Bed::start(PATIENT).await;
    let length = SECRET.encode_utf16().count();
    bed.show("<input id=f type=password><input id=o>").await;
    let execution = bed.ask(bed.with_secret(fill_secret(id("f")))).await;
    assert_eq!(execution.outcome, Outcome::Done);
    assert_eq!(
        bed.value("[f.value.length, o.value.length]").await,
        format!("[{length},0]")
    );
    let diverting = [
        "<input id=f type=password onfocus='o.focus()'><input id=o>",
        "<input id=f type=password onfocus='blur(); o.focus()'><input id=o>",
        "<input id=f type=password onbeforeinput='o.focus()'><input id=o>",
        "<input id=f type=password onbeforeinput='o.select()'><input id=o>",
        "<input id=f onbeforeinput='getSelection().selectAllChildren(o)'><p id=o contenteditable></p>",
        "<style>p { height:20px }</style><p id=f contenteditable onbeforeinput='getSelection().selectAllChildren(o)'></p>
         <p id=o contenteditable></p>",
        "<input id=f type=password onselect='o.focus()' onfocus='setTimeout(() => o.focus())'><input id=o>",
        "<div id=f contenteditable onfocus='setTimeout(() => o.focus())'></div><input id=o>",
    ];
    for body in diverting {
        bed.show(body).await;
        let execution = bed.ask(bed.with_secret(fill_secret(id("f")))).await;
        let other = bed
            .value("window.o ? o.value ?? o.innerText.trim() : ''")
            .await;
        assert_eq!(other, "\"\"", "{body}: it went elsewhere");
        let refused = execution.outcome.class() == Some(ErrorClass::SecretRefused);
        assert!(
            refused || execution.outcome.is_done(),
            "{body}: {:?}",
            execution.outcome
        );
        if refused {
            assert_eq!(
                bed.value("f.value ?? f.innerText.trim()").await,
                "\"\"",
                "{body}"
            );
        }
    }
    // While it is typed: what has gone in stays, and nothing more goes anywhere.
    bed.show("<input id=f type=password oninput='if (value.length === 3) o.focus()'><input id=o>")
        .await;
    bed.does(click(id("f"))).await;
    let execution = bed.ask(bed.with_secret(type_secret())).await;
    assert_eq!(execution.outcome.class(), Some(ErrorClass::SecretRefused));
    assert_eq!(bed.value("[f.value.length, o.value.length]").await, "[3,0]");
    bed.show("<input id=f type=password readonly><p tabindex=0 id=o>x</p>")
        .await;
    for focused in ["f", "o"] {
        bed.does(click(id(focused))).await;
        let execution = bed.ask(bed.with_secret(type_secret())).await;
        assert_eq!(
            execution.outcome.class(),
            Some(ErrorClass::SecretRefused),
            "{focused}"
        );
    }
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_is_not_told_by_what_is_said_of_its_field() {
    let bed = Bed::start(BRIEF).await;
    bed.show("<div contenteditable id=f role=textbox>old</div><p id=p>p</p>")
        .await;
    let execution = bed.ask(bed.with_secret(fill_secret(id("f")))).await;
    assert_eq!(execution.outcome, Outcome::Done);
    assert_eq!(
        bed.value(&format!("f.innerText === {}", serde_json::json!(SECRET)))
            .await,
        "true"
    );
    // The field covers what is to be clicked, and is what must be named.
    bed.value("{ f.style.cssText = 'position:fixed;inset:0'; }")
        .await;
    let executions = [
        bed.act(click(id("p"))).await,
        bed.act(fill(id("p"), "x")).await,
        bed.act(hover(id("f"))).await,
        bed.act(BrowserAction::Check(OnTarget { target: id("f") }))
            .await,
        bed.act(click(located(&format!(
            "text={}",
            serde_json::json!(SECRET)
        ))))
        .await,
    ];
    assert_eq!(executions[0].outcome.class(), Some(ErrorClass::Intercepted));
    assert_eq!(
        executions[4].outcome.class(),
        Some(ErrorClass::NotFound),
        "it can be looked for"
    );
    for execution in executions {
        let told = format!("{execution:?}");
        assert!(!told.contains("s3cr") && !told.contains("ß東"), "{told}");
    }
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn options_are_chosen_as_they_are_called() {
    use ErrorClass as C;
    let list = "<label id=l>Colour <select id=f onchange='window.changed = value'>
        <option value=green>red<option value=g>  dark  green
        <option value=red>blue<option disabled>off</select></label>";
    let bed = Bed::start(PATIENT).await;
    for (target, wanted, value) in [
        ("f", "red", "green"),
        ("f", "dark green", "g"),
        ("f", "g", "g"),
        ("l", "blue", "red"),
    ] {
        bed.show(list).await;
        bed.does(select(id(target), &[wanted])).await;
        assert_eq!(
            bed.value("[f.value, window.changed]").await,
            format!("[\"{value}\",\"{value}\"]"),
            "{wanted}"
        );
    }
    bed.show(
        "<select id=f></select><script>setTimeout(() => { f.innerHTML = '<option>x<option>late'; }, 200)</script>",
    )
    .await;
    bed.does(select(id("f"), &["late"])).await;
    assert_eq!(bed.value("f.value").await, "\"late\"");
    bed.show("<select id=f multiple><option>a<option selected>b<option>c</select>")
        .await;
    bed.does(select(id("f"), &["c", "a"])).await;
    assert_eq!(
        bed.value("[...f.selectedOptions].map(one => one.value)")
            .await,
        r#"["a","c"]"#
    );
    let brief = Bed::start(BRIEF).await;
    for (values, class) in [
        (&["purple"][..], C::NoSuchOption),
        (&["off"], C::Disabled),
        (&["red", "blue"], C::BadValue),
    ] {
        brief.show(list).await;
        let (told, detail) = failure(&brief.act(select(id("f"), values)).await);
        assert_eq!(told, Some(class), "{values:?}: {detail}");
        assert_eq!(
            brief.value("[f.value, window.changed ?? 0]").await,
            "[\"green\",0]",
            "{values:?}"
        );
    }
    brief.show("<ul id=f><li>red</ul>").await;
    assert_eq!(
        failure(&brief.act(select(id("f"), &["red"])).await).0,
        Some(C::WrongElement)
    );
    bed.close().await;
    brief.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_for_its_field_does_nothing_once_it_is_given_up() {
    let bed = Bed::start(PATIENT).await;
    let body =
        "<input id=f value=old disabled><select id=s disabled><option>old<option>new</select>";
    for action in [fill(id("f"), "new"), select(id("s"), &["new"])] {
        bed.show(body).await;
        let given_up = ExecuteRequest::new(action).with_timeout(Duration::from_millis(150));
        assert_eq!(
            failure(&bed.ask(given_up).await).0,
            Some(ErrorClass::Timeout)
        );
        bed.value(
            "{ f.disabled = s.disabled = false; return new Promise(go => setTimeout(go, 800)); }",
        )
        .await;
        assert_eq!(
            bed.value("[f.disabled, f.value, s.value]").await,
            r#"[false,"old","old"]"#
        );
    }
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dialog_that_opens_while_a_field_is_waited_for_is_not_the_doing_of_the_action() {
    let bed = Bed::start(PATIENT).await;
    for action in [fill(id("f"), "new"), select(id("s"), &["new"])] {
        bed.show(
            "<input id=f disabled><select id=s disabled><option>new</select><script>setTimeout(alert, 300)</script>",
        )
        .await;
        let execution = bed.act(action).await;
        assert_eq!(
            failure(&execution).0,
            Some(ErrorClass::DialogOpen),
            "{execution:?}"
        );
        bed.does(BrowserAction::DialogAccept(DialogAccept { text: None }))
            .await;
    }
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_is_filled_anew_when_it_gets_the_focus_is_chosen_from_as_it_is_then() {
    let bed = Bed::start(PATIENT).await;
    bed.show("<select id=s onfocus='this.innerHTML = this.innerHTML'><option>a<option>b<option>c</select>").await;
    bed.does(select(id("s"), &["c"])).await;
    assert_eq!(bed.value("s.value").await, r#""c""#);
    bed.show("<select id=s onfocus='this.innerHTML = `<option>a`'><option>a<option>b</select>")
        .await;
    assert_eq!(
        failure(&bed.act(select(id("s"), &["b"])).await).0,
        Some(ErrorClass::NoSuchOption)
    );
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_character_of_no_key_is_typed_without_its_modifiers_and_is_no_command() {
    let bed = Bed::start(PATIENT).await;
    bed.show("<input id=f autofocus>").await;
    for (key, class, value) in [
        ("é", None, "é"),
        ("Shift+é", None, "éé"),
        ("Control+é", Some(ErrorClass::BadArguments), "éé"),
    ] {
        let press = BrowserAction::Press(Press {
            key: Key::parse(key).unwrap(),
            target: Some(id("f")),
            times: None,
        });
        assert_eq!(failure(&bed.act(press).await).0, class, "{key}");
        assert_eq!(bed.value("f.value").await, format!("\"{value}\""));
    }
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_action_of_several_parts_is_not_done_if_a_dialog_opens_before_the_last_part() {
    let bed = Bed::start(PATIENT).await;
    // The element lies where no other test leaves the pointer.
    let body = "<div id=f tabindex=0 onkeydown='alert()' onmousemove='alert()' style='margin:190px 0 0 470px;height:90px;
        width:110px;overflow:auto'><p style='height:3000px'>long</div>";
    let press = |times| {
        BrowserAction::Press(Press {
            key: Key::parse("ArrowDown").unwrap(),
            target: Some(id("f")),
            times,
        })
    };
    let scroll = BrowserAction::Scroll(Scroll {
        direction: Some(ScrollDirection::Down),
        pixels: None,
        target: Some(id("f")),
    });
    for (action, class) in [
        (press(None), None),
        (press(Some(3)), Some(ErrorClass::DialogOpen)),
        (scroll, Some(ErrorClass::DialogOpen)),
    ] {
        bed.show(body).await;
        let execution = bed.act(action).await;
        assert!(execution.dialog.is_some(), "{execution:?}");
        assert_eq!(failure(&execution).0, class, "{execution:?}");
        bed.does(BrowserAction::DialogAccept(DialogAccept { text: None }))
            .await;
    }
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_dialog_keeps_from_being_done_is_not_told_as_done() {
    let bed = Bed::start(PATIENT).await;
    let body = "<form onsubmit='window.sent = 1; event.preventDefault()'><input id=f oninput='alert()'></form>";
    for submit in [false, true] {
        bed.show(body).await;
        let action = BrowserAction::Fill(Fill {
            target: id("f"),
            text: "x".into(),
            submit,
        });
        let execution = bed.act(action).await;
        assert!(execution.dialog.is_some(), "{execution:?}");
        assert_eq!(
            failure(&execution).0,
            submit.then_some(ErrorClass::DialogOpen),
            "{execution:?}"
        );
        bed.does(BrowserAction::DialogAccept(DialogAccept { text: None }))
            .await;
        assert_eq!(bed.value("[f.value, window.sent ?? 0]").await, r#"["x",0]"#);
    }
    bed.close().await;
}
