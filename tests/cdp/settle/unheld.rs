//! What goes on for ever and must not hold an action up.

use std::time::Instant;

use crate::settle::bed::{Bed, CAP, FOREVER, SHORT, click, goto};

/// Pages that never rest, and on which a click on "go" shows "here it is". The time for settling is longer than the test: who
/// ends before has seen through them.
const RESTLESS: &[(&str, &str)] = &[
    (
        "a clock that sets its text each frame",
        "frame(() => { a.textContent = performance.now() })",
    ),
    (
        "a clock that sets the data of its text",
        "a.append('0'); frame(() => { a.firstChild.data = performance.now() })",
    ),
    (
        "a clock made of elements",
        "frame(() => { a.innerHTML = `<b>${performance.now()}</b> <i>s</i>` })",
    ),
    (
        "a clock that takes its text out and puts one in",
        "frame(() => { a.firstChild?.remove(); a.append(performance.now()) })",
    ),
    (
        "an animation by style",
        "frame(() => { a.style.left = performance.now() % 50 + 'px' })",
    ),
    (
        "an animation by attributes",
        "frame(() => { a.setAttribute('data-turn', performance.now()) })",
    ),
    (
        "a dozen of them",
        "for (let n = 0; n < 12; n++) { const e = document.createElement('p'); a.append(e); frame(() => { e.textContent = n + performance.now() }) }",
    ),
    (
        "a carousel",
        "a.innerHTML = '<p>1<p>2<p>3'; frame(() => { a.append(a.firstChild) })",
    ),
    (
        "an animation by style sheet",
        "a.animate([{ left: 0 }, { left: '9px' }], { duration: 100, iterations: Infinity })",
    ),
    (
        "a canvas",
        "const c = document.createElement('canvas'); a.append(c); frame(() => c.getContext('2d').fillRect(0, 0, performance.now() % 9, 9))",
    ),
    (
        "a clock in a shadow root",
        "const r = a.attachShadow({ mode: 'open' }); r.innerHTML = '<p>0</p>'; frame(() => { r.firstChild.textContent = performance.now() })",
    ),
    (
        "a clock in a frame",
        "const f = document.createElement('iframe'); f.srcdoc = '<p>0</p><script>setInterval(() => { document.querySelector(`p`).textContent = performance.now() }, 10)</script>'; a.append(f)",
    ),
    (
        "a long poll from before",
        "setTimeout(() => { fetch('/held/poll') }, 400)",
    ),
    (
        "an event source from before",
        "new EventSource('/held/source')",
    ),
    ("a timer of ten minutes", "setTimeout(() => 0, 600000)"),
    ("a worker", "new Worker('/worker.js')"),
];

/// What a click on "go" begins beside what it shows, and that is not waited for.
const BEGUN: &[(&str, &str)] = &[
    ("an event source", "new EventSource('/held/1')"),
    (
        "a web socket",
        "new WebSocket(`ws://${location.host}/held/2`)",
    ),
    ("a beacon", "navigator.sendBeacon('/held/3', 'x')"),
    ("an image", "new Image().src = '/held/4'"),
    (
        "an image in the page",
        "document.body.insertAdjacentHTML('beforeend', '<img src=/held/5>')",
    ),
    (
        "a video",
        "document.body.insertAdjacentHTML('beforeend', '<video src=/held/6></video>')",
    ),
    (
        "a prefetch",
        "document.head.insertAdjacentHTML('beforeend', '<link rel=prefetch href=/held/7>')",
    ),
    ("a font", "new FontFace('f', 'url(/held/8)').load()"),
    (
        "a timer of ten minutes",
        "setTimeout(() => out.remove(), 600000)",
    ),
    (
        "an animation",
        "frame(() => { a.textContent = performance.now() })",
    ),
    (
        "a link check",
        "a.innerHTML = '<a href=/x ping=/held/9>x</a>'; a.firstChild.onclick = (e) => e.preventDefault(); a.firstChild.click()",
    ),
];

/// What a click on "go" begins and what does hold it up, until the time for settling is over.
const ENDLESS: &[(&str, &str)] = &[
    ("a fetch without an answer", "fetch('/held/fetch')"),
    (
        "requests without end",
        "(async () => { for (;;) await fetch('/say') })()",
    ),
    (
        "a frame without an answer",
        "document.body.insertAdjacentHTML('beforeend', '<iframe src=/held/frame></iframe>')",
    ),
    (
        "a page that grows without end",
        "frame(() => { a.append(document.createElement('p')) })",
    ),
    ("a window without an answer", "open('/held/window')"),
];

const SCRIPT: &str =
    "<output></output><div id=a style='position: relative; height: 90px; overflow: hidden'></div><script>
    const out = document.querySelector('output');
    function frame(draw) { draw(); requestAnimationFrame(() => frame(draw)); }
    </script>";

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_never_rests_holds_no_action_up() {
    let bed = Bed::start(FOREVER).await;
    for (name, script) in RESTLESS {
        println!("{name}");
        bed.open(&format!(
            "{SCRIPT}<button onclick=\"out.textContent = 'here it is'\">go</button><script>{script}</script>"
        ))
        .await;
        if script.contains("/held/poll") {
            bed.asked("/held/poll").await;
        }
        bed.done(click("go")).await;
        // And the second action neither.
        bed.done(click("go")).await;
        let shown = bed.shown().await;
        assert!(shown.contains("here it is"), "{name}: {shown}");
    }
    bed.close().await;
    figure!("settle: restless pages: {}, held up: 0", RESTLESS.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_action_begins_and_nobody_waits_for_holds_it_up_neither() {
    let bed = Bed::start(FOREVER).await;
    for (name, script) in BEGUN {
        println!("{name}");
        bed.open(&format!("{SCRIPT}<button>go</button><script>document.querySelector('button').onclick = () => {{ {script}; out.textContent = 'here it is'; }}</script>"))
            .await;
        bed.done(click("go")).await;
        let shown = bed.shown().await;
        assert!(shown.contains("here it is"), "{name}: {shown}");
    }
    bed.close().await;
    figure!("settle: begun and not waited for: {}", BEGUN.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_never_ends_is_waited_for_no_longer_than_the_options_say() {
    for (name, script) in ENDLESS {
        let bed = Bed::start(SHORT).await;
        println!("{name}");
        bed.open(&format!("{SCRIPT}<button>go</button><script>document.querySelector('button').onclick = () => {{ out.textContent = 'here it is'; {script} }}</script>"))
            .await;
        let begin = Instant::now();
        bed.done(click("go")).await;
        assert!(begin.elapsed() < CAP, "{name}");
        let shown = bed.shown().await;
        assert!(shown.contains("here it is"), "{name}: {shown}");
        bed.close().await;
    }
    figure!(
        "settle: endless and ended by the options: {}",
        ENDLESS.len()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_whose_picture_never_comes_is_there_without_it() {
    let bed = Bed::start(SHORT).await;
    bed.serve(
        "/gallery",
        "<h1>gallery</h1><img src=/held/picture><button onclick=\"this.textContent = 'pressed'\">go</button>",
    );
    bed.done(goto(&bed.web.url("127.0.0.1", "/gallery"))).await;
    bed.asked("/held/picture").await;
    assert!(bed.shown().await.contains("gallery"));
    bed.done(click("go")).await;
    assert!(bed.shown().await.contains("pressed"));
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_loads_itself_again_and_again_is_left_alone() {
    let bed = Bed::start(FOREVER).await;
    bed.serve(
        "/again",
        "<script>onload = () => location.replace('/again')</script>",
    );
    bed.open("<a href=/again>go</a>").await;
    bed.done(click("go")).await;
    let loads = bed
        .web
        .asked()
        .iter()
        .filter(|asked| asked.path == "/again")
        .count();
    assert!(loads > 1, "it was followed for a while");
    bed.done(goto(&bed.web.url("127.0.0.1", "/say"))).await;
    assert!(bed.shown().await.contains("this is /say"));
    bed.close().await;
}
