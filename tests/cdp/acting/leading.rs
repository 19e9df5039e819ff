//! Presses that lead to another document: each is told as done, however soon the next document is there.

use std::collections::BTreeMap;

use webwise::action::{BrowserAction, Fill, Target};

use crate::acting::{
    bed::{Bed, PATIENT, click, id, located},
    profile,
};

/// Presses of the full profile, and of the quick one, which presses three times in each way.
const PRESSES: (u32, u32) = (5_000, 30);

/// Each way leads to a page with the same ways, on this site or on another.
const WAYS: &str = "
    <a id=link href=/next>link</a> <a id=site href=''>link to another site</a>
    <form action=/next><button id=get>get</button></form>
    <form action=/next method=post><button id=post>post</button></form>
    <form action=/next><input id=field name=q></form>
    <button id=script onclick=\"location.href = '/next'\">script</button>
    <button id=down onmousedown=\"location.href = '/next'\">at the press</button>
    <label>box <input id=box type=checkbox onchange=\"location.href = '/next'\"></label>
    <button id=busy>busy</button> <iframe src=/inner></iframe>
    <script>
        const names = { '127.0.0.1': 'localhost', localhost: '127.0.0.1' };
        site.href = `//${names[location.hostname]}:${location.port}/next`;
        // The next document is there while this one still holds the rest of the press up.
        busy.onmousedown = () => { location.href = site.href; };
        busy.onmouseup = () => { for (const end = Date.now() + 300; Date.now() < end;); };
    </script>
    <!-- inner --><body><a id=top target=_top href=/next>link for the page around</a>";

fn ways() -> Vec<(&'static str, BrowserAction)> {
    let pressed = ["link", "site", "get", "post", "script", "down", "busy"];
    let entered = BrowserAction::Fill(Fill {
        target: id("field"),
        text: "words".into(),
        submit: true,
    });
    let ticked = |target: Target| BrowserAction::Check(webwise::action::OnTarget { target });
    let inner = located("css=\"iframe\" >> frame >> css=\"#top\"");
    let mut ways: Vec<_> = pressed.map(|name| (name, click(id(name)))).into();
    ways.push(("field", entered));
    ways.push(("box", ticked(id("box"))));
    ways.push(("frame", click(inner)));
    ways
}

#[tokio::test(flavor = "multi_thread")]
async fn no_press_that_leads_on_is_told_as_failed() {
    let presses = if profile::full() {
        PRESSES.0
    } else {
        PRESSES.1
    };
    let bed = Bed::start(PATIENT).await;
    bed.show(WAYS).await;
    let ways = ways();
    let (mut failed, mut led) = (BTreeMap::<_, u32>::new(), 0);
    for (name, action) in ways.iter().cycle().take(presses as usize) {
        let outcome = bed.act(action.clone()).await.outcome;
        let now = bed.asked("/next");
        led += u32::from(now > led);
        if !outcome.is_done() {
            *failed.entry(format!("{name}: {outcome:?}")).or_default() += 1;
        }
        // Each leads on once.
        assert_eq!(now, led, "{name}");
    }
    figure!(
        "cdp: {presses} presses in {} ways that lead to another document, {led} led there, {} told as failed",
        ways.len(),
        failed.values().sum::<u32>()
    );
    assert_eq!((led, failed), (presses, BTreeMap::new()));
}
