//! What a press guarantees: it meets the element it is meant for, or nothing, and then the reason is told.

use webwise::action::{BrowserAction, ErrorClass, OnTarget, Target};

use crate::acting::bed::{BRIEF, Bed, PATIENT, click, failure, hover, id};

/// What the elements of these pages call when they are pressed.
const HIT: &str = "<script>function hit() { window.pressed = 1; }</script>";

/// A button that says that it was pressed, with these attributes.
fn button(attributes: &str) -> String {
    format!("<button id=b onclick=hit() {attributes}>Press</button>")
}

#[tokio::test(flavor = "multi_thread")]
async fn every_reason_against_a_press_is_told_as_what_it_is() {
    use ErrorClass as C;
    let bed = Bed::start(BRIEF).await;
    let moving = "<style>@keyframes m { from { margin-left: 0 } to { margin-left: 500px } }
        #b { animation: m 3s infinite }</style>";
    let restless = "<script>let n = 0; (function step() {
        b.style.left = (n++ % 200) + 'px'; requestAnimationFrame(step); })();</script>";
    let cases = [
        (button("disabled"), C::Disabled, "<button"),
        (
            format!("<fieldset disabled>{}</fieldset>", button("")),
            C::Disabled,
            "<button",
        ),
        (
            format!("<div aria-disabled=true>{}</div>", button("")),
            C::Disabled,
            "<button",
        ),
        (
            "<button disabled><span id=b>Press</span></button>".into(),
            C::Disabled,
            "<button",
        ),
        (button("style='display:none'"), C::NotVisible, "<button"),
        (
            button("style='visibility:hidden'"),
            C::NotVisible,
            "<button",
        ),
        ("<div id=b></div>".into(), C::NotVisible, "<div id=\"b\">"),
        (
            "<select><option id=b>a</select>".into(),
            C::NotVisible,
            "<option",
        ),
        (
            "<details><summary>s</summary><p id=b>closed</details>".into(),
            C::NotVisible,
            "<p",
        ),
        (
            format!(
                "{}<div class=veil style='position:fixed;inset:0'><p>Cookies?</p></div>",
                button("")
            ),
            C::Intercepted,
            "<div class=\"veil\">",
        ),
        (
            button("style='pointer-events:none'"),
            C::Intercepted,
            "intercepts pointer events",
        ),
        (
            "<label style='position:relative;display:block;height:20px'><input id=b type=checkbox>
             <a href=# style='position:absolute;inset:0'>terms</a></label>"
                .into(),
            C::Intercepted,
            "<a href",
        ),
        (format!("{moving}{}", button("")), C::NotStable, "moving"),
        (
            format!("{}{restless}", button("style='position:absolute'")),
            C::NotStable,
            "moving",
        ),
        (
            button("style='position:absolute;left:-900px'"),
            C::NotStable,
            "outside",
        ),
    ];
    for (body, class, part) in &cases {
        bed.show(&format!("{HIT}{body}")).await;
        let (told, detail) = failure(&bed.act(click(id("b"))).await);
        assert_eq!(told, Some(*class), "{body}: {detail}");
        assert!(detail.contains(part), "{body}: {detail}");
        assert_eq!(bed.value("window.pressed ?? 0").await, "0", "{body}");
    }
    figure!(
        "cdp: {} reasons against a press told as what they are",
        cases.len()
    );
    bed.close().await;
}

/// Where a button may stand.
fn places() -> Vec<(&'static str, String)> {
    let far = "<div style='height:3000px'></div>";
    vec![
        ("in the legend", format!("<fieldset disabled><legend>{}</legend></fieldset>", button(""))),
        ("not its own aria-disabled", "<div id=b aria-disabled=true onclick=hit()>Press</div>".into()),
        ("far down", format!("{far}{}{far}", button(""))),
        ("far down, smoothly", format!("<style>html {{ scroll-behavior:smooth }}</style>{far}{}", button(""))),
        ("in a box that scrolls", format!("<div style='height:90px;overflow:auto'>{far}{}</div>", button(""))),
        ("clipped", format!("<div style='height:90px;overflow:hidden'>{far}{}</div>", button(""))),
        ("taller than the window", button("style='height:4000px'")),
        (
            "under what sticks to the top",
            format!(
                "<div style='position:fixed;top:0;left:0;right:0;height:90px;background:red'></div>
                 {far}{}{far}<script>scrollTo(0, 2995)</script>",
                button("")
            ),
        ),
        (
            "half covered",
            format!(
                "{}<div style='position:fixed;left:80px;top:0;width:60px;height:90px;background:red'></div>",
                button("style='width:200px'")
            ),
        ),
        (
            "over several lines",
            "<p style='width:80px'>before <a id=b href=# onclick=hit()>a link of many words</a></p>".into(),
        ),
    ]
}

/// What may be pressed.
fn kinds() -> Vec<(&'static str, String)> {
    let drawn = "<style>label { position:relative; display:block; width:20px; height:20px }
        label * { position:absolute; inset:0; margin:0; background:red }</style>";
    let unseen = "style='position:absolute;top:300px;width:1px;height:1px;clip:rect(0 0 0 0)'";
    vec![
        ("without a box of its own", button("style='display:contents'")),
        ("not to be seen through", button("style='opacity:0'")),
        ("turned", format!("<div style='rotate:30deg;scale:2;margin:200px;width:90px'>{}</div>", button(""))),
        (
            "a drawing",
            "<svg width=90 height=90><g id=b onclick=hit()><circle cx=40 cy=40 r=30 /></g></svg>"
                .into(),
        ),
        (
            "an option that is shown",
            "<select size=3 onchange=hit()><option>a<option id=b>b</select>"
                .into(),
        ),
        (
            "around a disabled one",
            "<div id=b style='width:90px' onpointerdown=hit()><button disabled style='width:90px'>x</button></div>"
                .into(),
        ),
        (
            "under its drawn label",
            format!(
                "{drawn}<label><input id=b type=checkbox onchange=hit()><span></span></label>"
            ),
        ),
        (
            "unseen with a label",
            format!(
                "<input id=b type=checkbox onchange=hit() {unseen}><label for=b>Label</label>"
            ),
        ),
        ("a label", "<label id=b for=i>Label</label><input id=i type=checkbox onchange=hit()>".into()),
        (
            "in a shadow root",
            "<div><template shadowrootmode=open><button id=b onclick=hit()><slot></slot></button></template>Press"
                .into(),
        ),
        (
            "in a slot",
            "<div onclick=hit()><template shadowrootmode=open><p><slot></slot></template><b id=b>Press</b></div>"
                .into(),
        ),
        (
            "a form that hides its own properties",
            "<form id=b onclick=hit() style='height:90px'><input name=parentNode><input name=isConnected>
             <input name=getBoundingClientRect><input name=attributes><input name=localName><input name=closest></form>"
                .into(),
        ),
        (
            "a document that hides its own properties",
            format!(
                "<img name=elementFromPoint><img name=activeElement><form name=createElement></form>{}",
                button("")
            ),
        ),
    ]
}

/// A button under a veil, and what becomes of the veil.
fn veiled(script: &str) -> String {
    let veil = "<div id=o style='position:fixed;inset:0'></div>";
    format!("{}{veil}<script>{script}</script>", button(""))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cover_is_waited_for_only_while_its_page_is_not_still() {
    let bed = Bed::start(PATIENT).await;
    let still = [
        // Long after any machine has seen that it stays, and before the patience is over.
        ("nothing moves", "setTimeout(() => o.remove(), 15000)"),
        (
            "something else is animated",
            "document.body.insertAdjacentHTML('beforeend', `<p id=p>x`);
             p.animate({ opacity: [0, 1] }, { duration: 100, iterations: Infinity });
             setTimeout(() => o.remove(), 15000)",
        ),
    ];
    for (name, script) in still {
        bed.show(&format!("{HIT}{}", veiled(script))).await;
        let (told, detail) = failure(&bed.act(click(id("b"))).await);
        assert_eq!(told, Some(ErrorClass::Intercepted), "{name}: {detail}");
        assert!(detail.contains("id=\"o\""), "{name}: {detail}");
        assert_eq!(bed.value("o.isConnected").await, "true", "{name}");
    }
    let moving = [
        (
            "the page changes",
            "const every = setInterval(() => { document.title += '.'; }, 50);
             setTimeout(() => { o.remove(); clearInterval(every); }, 3000)",
        ),
        (
            "the cover is animated",
            "o.animate({ opacity: [1, 0] }, 3000).finished.then(() => o.remove())",
        ),
        (
            "an answer is waited for",
            "fetch('/late').then((answer) => answer.text()).then(() => o.remove())",
        ),
        (
            "the document loads",
            "document.write('<img src=/late>'); addEventListener('load', () => o.remove())",
        ),
    ];
    for (name, script) in moving {
        bed.show(&format!("{HIT}{}", veiled(script))).await;
        let (told, detail) = failure(&bed.act(click(id("b"))).await);
        assert_eq!(told, None, "{name}: {detail}");
        assert_eq!(bed.value("window.pressed ?? 0").await, "1", "{name}");
    }
    figure!(
        "cdp: {} covers that stay told before the time is over, {} that go waited for",
        still.len(),
        moving.len()
    );
}

/// What changes while it is waited for or pressed.
fn changes() -> Vec<(&'static str, String)> {
    vec![
        (
            "enabled after a while",
            format!(
                "{}<script>setTimeout(() => {{ b.disabled = false; }}, 200)</script>",
                button("disabled")
            ),
        ),
        (
            "uncovered after a while",
            format!(
                "{}<div id=o style='position:fixed;inset:0'></div><script>setTimeout(() => o.remove(), 200)</script>",
                button("")
            ),
        ),
        (
            "at rest after a while",
            format!(
                "<style>@keyframes m {{ from {{ margin-left:0 }} to {{ margin-left:500px }} }}
                 #b {{ animation:m .4s }}</style>{}",
                button("")
            ),
        ),
        (
            "moved on by the press itself",
            format!(
                "{}<div id=o hidden style='position:fixed;inset:0'></div>
                 <script>b.onmousedown = () => {{ hit(); o.hidden = false; }}</script>",
                button("")
            ),
        ),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_person_can_press_is_pressed() {
    let bed = Bed::start(PATIENT).await;
    let cases = [places(), kinds(), changes()].concat();
    for (name, body) in &cases {
        bed.show(&format!("{HIT}{body}")).await;
        let (told, detail) = failure(&bed.act(click(id("b"))).await);
        assert_eq!(told, None, "{name}: {detail}");
        assert_eq!(
            bed.value("window.pressed ?? 0").await,
            "1",
            "{name}: it was not pressed"
        );
    }
    figure!(
        "cdp: {} kinds of elements pressed that a person can press",
        cases.len()
    );
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_press_that_would_meet_something_else_reaches_nothing() {
    let bed = Bed::start(PATIENT).await;
    let veil = "<div id=veil hidden style='position:fixed;inset:0'>veil</div><script>window.got = [];
        for (const name of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click'])
            document.addEventListener(name, event => got.push(name + ' ' + event.target.id), true);</script>";
    let here = format!("<button id=b onmouseover='veil.hidden = false'>Press</button>{veil}");
    let framed = format!(
        "<iframe id=f src=/inner onmouseover='veil.hidden = false'></iframe>{veil}
         <!-- inner --><button id=b>Press</button>"
    );
    let inner = crate::acting::bed::located("css=\"#f\" >> frame >> css=\"#b\"");
    for (name, body, target) in [
        ("in the page", here, id("b")),
        ("in a frame", framed, inner),
    ] {
        bed.show(&body).await;
        let (told, detail) = failure(&bed.act(click(target)).await);
        assert_eq!(told, Some(ErrorClass::Intercepted), "{name}: {detail}");
        assert!(detail.starts_with("<div id=\"veil\""), "{name}: {detail}");
        assert_eq!(
            bed.value("got").await,
            "[]",
            "{name}: the page got something of the press"
        );
        // The watch is over: the next press is the page's again.
        bed.does(click(id("veil"))).await;
        assert!(
            bed.value("got").await.contains("click veil"),
            "{name}: the page got nothing of the next press"
        );
    }
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_element_that_goes_away_is_not_pressed_and_neither_is_its_heir() {
    let bed = Bed::start(PATIENT).await;
    let replace = "b.outerHTML = '<button id=b onclick=hit()>Press</button>';";
    let reference = async || {
        let seen = bed.see().await;
        Target::Ref(
            seen.tree
                .nodes()
                .iter()
                .find_map(|node| node.reference.clone())
                .expect("a reference"),
        )
    };
    let cases = [
        // Late enough for the press to have begun on any machine.
        (
            "while it is waited for",
            "disabled",
            format!("setTimeout(() => {{ {replace} }}, 3000);"),
            ErrorClass::Detached,
        ),
        (
            "under the pointer",
            "",
            format!("b.onmousemove = () => {{ {replace} }};"),
            ErrorClass::Detached,
        ),
        ("before", "", replace.to_owned(), ErrorClass::RefNotFound),
    ];
    for (name, attributes, script, class) in cases {
        bed.show(&format!("{HIT}{}", button(attributes))).await;
        let target = reference().await;
        bed.value(&format!("{{ {script} }}")).await;
        let (told, detail) = failure(&bed.act(click(target)).await);
        assert_eq!(told, Some(class), "{name}: {detail}");
        assert_eq!(bed.value("window.pressed ?? 0").await, "0", "{name}");
        bed.does(click(id("b"))).await;
        assert_eq!(
            bed.value("window.pressed ?? 0").await,
            "1",
            "{name}: the heir is no worse for it"
        );
    }
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_press_is_made_of_the_events_of_a_hand() {
    let bed = Bed::start(PATIENT).await;
    bed.show(
        "<button id=b>Press</button><script>window.got = [];
        for (const name of ['mousemove', 'pointerdown', 'mousedown', 'focus', 'pointerup', 'mouseup', 'click'])
            b.addEventListener(name, event => { if (event.isTrusted && got.at(-1) !== name) got.push(name); });
        </script>",
    )
    .await;
    bed.does(click(id("b"))).await;
    let expected =
        r#"["mousemove","pointerdown","mousedown","focus","pointerup","mouseup","click"]"#;
    assert_eq!(bed.value("got").await, expected);
    assert_eq!(bed.value("document.activeElement.id").await, "\"b\"");
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_press_finds_its_way_through_frames() {
    let bed = Bed::start(PATIENT).await;
    let style =
        "border:7px solid;padding:5px;width:300px;height:1500px;scale:.5;transform-origin:0 0";
    let inner = "<body style=margin:0><button id=b style='position:absolute;top:1300px;left:200px'
        onclick=parent.hit()>Press</button>";
    let target = || crate::acting::bed::located("css=\"iframe\" >> frame >> css=\"#b\"");
    let frame = format!("<iframe src=/inner style='{style}'></iframe>");
    for around in [
        frame.clone(),
        format!("<div style='height:2000px'></div>{frame}"),
        format!(
            "<div style='height:2000px'></div><div style='overflow:auto;height:150px'>
             <div style='height:400px'></div>{frame}</div>"
        ),
    ] {
        bed.show(&format!("{HIT}{around}<!-- inner -->{inner}"))
            .await;
        bed.does(click(target())).await;
        assert_eq!(bed.value("window.pressed ?? 0").await, "1", "{around}");
    }
    // Nothing is drawn in a document of another origin that is out of the window.
    let other = bed.at("localhost", "/inner");
    let listens = "<script>onmessage = () => hit();</script><div style='height:5000px'></div>";
    bed.show(&format!(
        "{HIT}{listens}<iframe src='{other}'></iframe><!-- inner --><button id=b onclick='parent.postMessage(1, \"*\")'>Press"
    ))
    .await;
    bed.does(click(target())).await;
    assert_eq!(bed.value("window.pressed ?? 0").await, "1");
    let brief = Bed::start(BRIEF).await;
    brief
        .show(&format!(
            "{frame}<div id=veil style='position:fixed;inset:0'></div><!-- inner -->{inner}"
        ))
        .await;
    let (told, detail) = failure(&brief.act(click(target())).await);
    assert_eq!(told, Some(ErrorClass::Intercepted), "{detail}");
    assert!(detail.contains("id=\"veil\""), "{detail}");
    bed.close().await;
    brief.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_pointer_goes_over_what_cannot_be_pressed() {
    let bed = Bed::start(PATIENT).await;
    bed.show("<div onmouseenter='window.over = 1' style='width:90px'><button id=b disabled>Off</button></div>").await;
    bed.does(hover(id("b"))).await;
    assert_eq!(bed.value("window.over ?? 0").await, "1");
    bed.close().await;
}

/// A style sheet shows the buttons of a row while the pointer is over it, and no event tells so.
#[tokio::test(flavor = "multi_thread")]
async fn a_row_that_shows_its_buttons_under_the_pointer_has_reacted() {
    let bed = Bed::start(PATIENT).await;
    let row = |style: &str| {
        format!(
            "<style>.more {{ position:absolute; left:-9999px }} {style}</style><table><tr id=r><td><p id=b>Olaf</p><span class=more><button>Approve</button></span></table>"
        )
    };
    let spinner = "@keyframes m { to { rotate: 1turn } } .more { animation: m 1s linear infinite }";
    for (style, reacts) in [
        ("#r:hover .more { left:0 }", true),
        ("#r:hover { background:#eee }", false),
        (spinner, false),
    ] {
        bed.show(&row(style)).await;
        let done = bed.does(hover(id("b"))).await;
        let traces = done.traces.unwrap_or_default();
        assert_eq!(!traces.is_empty(), reacts, "{style}: {traces:?}");
    }
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn boxes_are_ticked_by_what_stands_for_them() {
    let bed = Bed::start(PATIENT).await;
    bed.show(
        "<label id=l><input type=checkbox id=c>Native</label>
        <div role=switch id=s aria-checked=mixed onclick='this.ariaChecked = this.ariaChecked !== `true`'>Switch</div>
        <input type=radio id=r><p id=p>none</p>",
    )
    .await;
    let tick = |name: &str| BrowserAction::Check(OnTarget { target: id(name) });
    let untick = |name: &str| BrowserAction::Uncheck(OnTarget { target: id(name) });
    bed.does(tick("l")).await;
    assert_eq!(bed.value("c.checked").await, "true");
    bed.does(tick("c")).await;
    assert_eq!(
        bed.value("c.checked").await,
        "true",
        "it was ticked already"
    );
    bed.does(untick("c")).await;
    assert_eq!(bed.value("c.checked").await, "false");
    bed.does(tick("s")).await;
    assert_eq!(bed.value("s.ariaChecked").await, "\"true\"");
    bed.does(tick("r")).await;
    for action in [untick("r"), tick("p")] {
        assert_eq!(
            failure(&bed.act(action).await).0,
            Some(ErrorClass::WrongElement)
        );
    }
    bed.close().await;
}
