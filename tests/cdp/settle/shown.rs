//! What a page did because of an action stands in the next observation.

use std::fmt::Write as _;

use webwise::action::{BrowserAction, Fill, Key, OnTarget, Press, Select, Target, TextValue};

use crate::settle::bed::{Bed, FOREVER, click};

/// Pages on which a click on "go" shows "here it is", with nothing that comes from elsewhere.
const BY_ITSELF: &[(&str, &str)] = &[
    ("at once", "show()"),
    (
        "in a microtask",
        "Promise.resolve().then(() => Promise.resolve()).then(show)",
    ),
    ("in the next frame", "requestAnimationFrame(show)"),
    (
        "two frames later",
        "requestAnimationFrame(() => requestAnimationFrame(show))",
    ),
    ("by a short timer", "setTimeout(show, 10)"),
    ("by timers that change the page in between", "step(6)"),
    (
        "by a message",
        "new MessageChannel().port1.postMessage(0); const c = new MessageChannel(); c.port1.onmessage = show; c.port2.postMessage(0)",
    ),
    (
        "by an event of its own",
        "addEventListener('own', show); dispatchEvent(new Event('own'))",
    ),
    (
        "once the page is idle",
        "requestIdleCallback(show, { timeout: 20 })",
    ),
    (
        "by an observer",
        "new MutationObserver(show).observe(document.body, { childList: true }); document.body.append('x')",
    ),
    (
        "in a shadow root",
        "const h = document.createElement('div'); document.body.append(h); const r = h.attachShadow({ mode: 'open' }); setTimeout(() => { r.innerHTML = '<p>here it is</p>' }, 10)",
    ),
    (
        "by a document in a frame",
        "const f = document.createElement('iframe'); f.srcdoc = '<p>here it is'; document.body.append(f)",
    ),
];

const SCRIPT: &str = "<output></output><script>
    const out = document.querySelector('output');
    function show() { out.textContent = 'here it is'; }
    function step(left) {
        document.body.append(' ' + left);
        if (left > 0) setTimeout(step, 15, left - 1); else show();
    }
    async function ask(...paths) { for (const path of paths) await (await fetch(path)).text(); show(); }
    </script>";

fn page(handler: &str) -> String {
    format!("{SCRIPT}<button onclick=\"{handler}\">go</button>")
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_page_does_by_itself_shortly_after_an_action_is_seen() {
    let bed = Bed::start(FOREVER).await;
    let mut missing = String::new();
    for (name, handler) in BY_ITSELF {
        println!("{name}");
        bed.open(&page(handler)).await;
        bed.done(click("go")).await;
        let shown = bed.shown().await;
        if !shown.contains("here it is") {
            let _ = writeln!(missing, "{name}: {shown}");
        }
    }
    bed.close().await;
    figure!(
        "settle: seen right after a click, by the page itself: {} pages",
        BY_ITSELF.len()
    );
    assert_eq!(missing, "");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_page_asks_for_is_waited_for_and_seen() {
    let cases: &[(&str, &str, &[&str])] = &[
        ("a fetch", "ask('/held/a')", &["/held/a"]),
        (
            "a chain of fetches",
            "ask('/held/b', '/held/c', '/held/d')",
            &["/held/b", "/held/c", "/held/d"],
        ),
        (
            "a fetch after a timer",
            "setTimeout(ask, 10, '/held/e')",
            &["/held/e"],
        ),
        (
            "two at once",
            "Promise.all([fetch('/held/f'), fetch('/held/g')]).then(show)",
            &["/held/f", "/held/g"],
        ),
        (
            "one of which nobody reads more",
            "fetch('/held/m').then((r) => { kept = r; show() })",
            &["/held/m"],
        ),
        (
            "an XMLHttpRequest",
            "const x = new XMLHttpRequest(); x.open('POST', '/held/h'); x.onload = show; x.send('1')",
            &["/held/h"],
        ),
        (
            "a script",
            "const s = document.createElement('script'); s.src = '/held/i.js'; s.onload = show; document.body.append(s)",
            &["/held/i.js"],
        ),
        (
            "a style sheet",
            "const l = document.createElement('link'); l.rel = 'stylesheet'; l.href = '/held/j.css'; l.onload = l.onerror = show; document.head.append(l)",
            &["/held/j.css"],
        ),
        (
            "a frame",
            "const f = document.createElement('iframe'); f.src = '/held/k'; f.onload = show; document.body.append(f)",
            &["/held/k"],
        ),
        (
            "a frame that asks",
            "const f = document.createElement('iframe'); f.srcdoc = '<script>fetch(`/held/l`).then(() => parent.show())</script>'; document.body.append(f)",
            &["/held/l"],
        ),
    ];
    let bed = Bed::start(FOREVER).await;
    for (name, handler, paths) in cases {
        println!("{name}");
        bed.open(&page(handler)).await;
        bed.done_once_answered(click("go"), paths).await;
        let shown = bed.shown().await;
        assert!(shown.contains("here it is"), "{name}: {shown}");
    }
    bed.close().await;
    figure!("settle: answers waited for: {} pages", cases.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_happens_in_the_frame_that_was_acted_in_is_seen() {
    let bed = Bed::start(FOREVER).await;
    let inside = page("step(6)").replace('"', "&quot;");
    bed.open(&format!(
        "<p>outside</p><iframe srcdoc=\"{inside}\"></iframe>"
    ))
    .await;
    let seen = bed.seen().await;
    let button = seen
        .tree
        .nodes()
        .iter()
        .find(|node| &*node.name == "go")
        .and_then(|node| node.reference.clone());
    let target = Target::Ref(button.expect("a button in the frame"));
    bed.done(BrowserAction::Click(webwise::action::Click {
        target,
        button: None,
    }))
    .await;
    let shown = bed.shown().await;
    assert!(shown.contains("here it is"), "{shown}");
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_kind_of_action_waits() {
    let target = |css: &str| Target::parse(&format!("css=\"{css}\"")).expect("a locator");
    let field = |text: &str| Fill {
        target: target("input"),
        text: TextValue::Literal(text.to_owned()),
        submit: false,
    };
    let cases: Vec<(&str, &str, BrowserAction)> = vec![
        (
            "/held/fill",
            "<input oninput=\"ask('/held/fill')\">",
            BrowserAction::Fill(field("Ada")),
        ),
        (
            "/held/enter",
            "<form onsubmit=\"ask('/held/enter'); return false\"><input></form>",
            BrowserAction::Fill(Fill {
                submit: true,
                ..field("Ada")
            }),
        ),
        (
            "/held/check",
            "<input type=checkbox onchange=\"ask('/held/check')\">",
            BrowserAction::Check(OnTarget {
                target: target("input"),
            }),
        ),
        (
            "/held/select",
            "<select onchange=\"ask('/held/select')\"><option>A<option>B</select>",
            BrowserAction::Select(Select {
                target: target("select"),
                values: vec![TextValue::Literal("B".to_owned())],
            }),
        ),
        (
            "/held/hover",
            "<p onmouseenter=\"ask('/held/hover')\">over</p>",
            BrowserAction::Hover(OnTarget {
                target: target("p"),
            }),
        ),
        (
            "/held/key",
            "<body onkeydown=\"ask('/held/key')\">",
            BrowserAction::Press(Press {
                key: Key::parse("Escape").expect("a key"),
                target: None,
                times: None,
            }),
        ),
    ];
    let bed = Bed::start(FOREVER).await;
    for (path, body, action) in &cases {
        bed.open(&format!("{SCRIPT}{body}")).await;
        bed.done_once_answered(action.clone(), &[path]).await;
        let shown = bed.shown().await;
        assert!(shown.contains("here it is"), "{path}: {shown}");
    }
    bed.close().await;
    figure!("settle: kinds of actions that wait: {}", cases.len());
}
