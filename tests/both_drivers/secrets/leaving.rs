//! Where a typed secret may go: forms that point elsewhere, and scripts that send it there by themselves. A server of the
//! test's own keeps every byte that arrives in the wrong place.

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::json;
use tempfile::TempDir;
use webwise::{
    BrowserDriver, Origin,
    action::{
        BrowserAction, Click, Drag, ErrorClass, Eval, Fill, Goto, Key, OnTarget, Outcome, Press,
        Target, TextValue, Type,
    },
    browser::ExecuteRequest,
    secret::{Secret, SecretName, SecretResolver, Vault},
};

use crate::secrets::{
    browsers::{Driver, Wishes},
    ear::Ear,
    profile::{self, pick},
};

const VALUE: &str = "leaving-canary-3c9e71";

/// How the address is given.
const HOW: [&str; 5] = ["action", "formaction", "input", "outside", "base"];
const METHODS: [&str; 3] = ["get", "post", "multipart"];
/// From when on the form points elsewhere: from the start, once something was typed, only while it is sent.
const WHEN: [&str; 3] = ["start", "typed", "sent"];
/// How the form is sent.
const BY: [By; 3] = [By::Click, By::Enter, By::Fill];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    Click,
    Enter,
    Fill,
}

/// A form, and how it is sent.
#[derive(Debug, Clone, Copy)]
struct Shape {
    how: &'static str,
    method: &'static str,
    when: &'static str,
    by: By,
}

/// Every form that begins to point elsewhere at one of these times. In the quick profile so many that each way to give an address
/// meets each method, each way to send and each time, and these meet each other.
fn shapes(when: &'static [&'static str]) -> Vec<Shape> {
    let mut all = Vec::new();
    for (nth, how) in HOW.into_iter().enumerate() {
        for (at, method) in METHODS.into_iter().enumerate() {
            let times = pick(&when[(nth + 2 * at) % when.len()..][..1], when);
            let ways = pick(&BY[2 * (nth + at) % BY.len()..][..1], &BY);
            for by in ways.iter().copied() {
                all.extend(times.iter().map(|when| Shape {
                    how,
                    method,
                    when,
                    by,
                }));
            }
        }
    }
    all
}

struct Bed {
    driver: Arc<dyn BrowserDriver>,
    _base: TempDir,
    own: Ear,
    other: Ear,
    bound: Ear,
    secrets: SecretResolver,
}

impl Bed {
    async fn start(by: Driver) -> Self {
        let base = tempfile::Builder::new()
            .prefix("ww")
            .tempdir_in("/tmp")
            .unwrap();
        let driver = by.launch(&wishes(base.path())).await;
        let (own, other, bound) = (Ear::start(), Ear::start(), Ear::start());
        let origins = [own.origin(), bound.origin()].map(|origin| Origin::parse(&origin).unwrap());
        let vault = Vault::new()
            .with(name(), Secret::new(VALUE), origins.into())
            .unwrap();
        Self {
            driver,
            _base: base,
            own,
            other,
            bound,
            secrets: SecretResolver::new(Arc::new(vault)),
        }
    }

    async fn act(&self, action: BrowserAction) -> Outcome {
        let request = ExecuteRequest::new(action).with_secrets(self.secrets.clone());
        self.driver.execute(&request).await.unwrap().outcome
    }

    async fn open(&self) {
        let url = format!("{}/bed", self.own.origin());
        let outcome = self.act(BrowserAction::Goto(Goto { url })).await;
        assert!(outcome.is_done(), "{outcome:?}");
    }

    async fn run(&self, script: String) -> Outcome {
        self.act(BrowserAction::Eval(Eval {
            function: script,
            target: None,
        }))
        .await
    }

    /// Types the secret into a form of this shape and sends it; how the two went.
    async fn try_form(&self, shape: Shape, to: &str) -> (Outcome, Option<Outcome>) {
        let Shape { how, method, .. } = shape;
        let when = shape.when;
        let form = json!({ "how": how, "to": to, "method": method, "when": when, "own": self.own.origin() });
        let made = self.run(format!("() => make({form})")).await;
        assert!(made.is_done(), "{shape:?}: {made:?}");
        let filled = self
            .act(BrowserAction::Fill(Fill {
                target: target(r#"label="Word""#),
                text: TextValue::Secret(name()),
                submit: shape.by == By::Fill,
            }))
            .await;
        if !filled.is_done() || shape.by == By::Fill {
            return (filled, None);
        }
        let sent = match shape.by {
            By::Click => BrowserAction::Click(Click {
                target: target(r#"role=button[name="Send"]"#),
                button: None,
            }),
            _ => BrowserAction::Press(Press {
                key: Key::parse("Enter").unwrap(),
                target: None,
                times: None,
            }),
        };
        (filled, Some(self.act(sent).await))
    }
}

fn wishes(base: &Path) -> Wishes {
    Wishes {
        scripts: true,
        action: Some(Duration::from_secs(5)),
        ..Wishes::default()
    }
    .in_folder(base)
}

fn name() -> SecretName {
    SecretName::parse("WORD").unwrap()
}

fn target(text: &str) -> Target {
    Target::parse(text).unwrap()
}

/// Waits for something that must come.
async fn until(what: &str, is_so: impl Fn() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < Duration::from_mins(1), "no {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// By the clock, because nothing is to come: what a page still sends is there by then.
async fn rest() {
    tokio::time::sleep(Duration::from_secs(1)).await;
}

on_each_driver! {
    a_form_that_points_elsewhere_sends_no_secret,
    a_button_that_is_pressed_in_another_way_sends_no_secret_elsewhere,
}

async fn a_button_that_is_pressed_in_another_way_sends_no_secret_elsewhere(by: Driver) {
    let bed = Bed::start(by).await;
    bed.open().await;
    let form = json!({
        "how": "action", "to": bed.other.origin(), "method": "post", "when": "typed", "own": bed.own.origin(),
    });
    let button = r#"role=checkbox[name="Send now"]"#;
    let made = bed.run(format!(
        "() => {{ make({form}); const button = document.querySelector('button');
        button.setAttribute('role', 'checkbox'); button.setAttribute('aria-checked', 'false');
        button.innerHTML = '<span>Send</span> <b>now</b>'; }}"
    ));
    assert!(made.await.is_done());
    let filled = bed.act(BrowserAction::Fill(Fill {
        target: target(r#"label="Word""#),
        text: TextValue::Secret(name()),
        submit: false,
    }));
    assert!(filled.await.is_done());
    let ways = [
        BrowserAction::Drag(Drag {
            from: target("css=\"span\""),
            to: target("css=\"b\""),
        }),
        BrowserAction::Check(OnTarget {
            target: target(button),
        }),
        BrowserAction::Type(Type {
            text: TextValue::Literal("a b".to_owned()),
            submit: false,
        }),
    ];
    for way in ways {
        let focused = bed.run("() => document.querySelector('button').focus()".to_owned());
        assert!(focused.await.is_done());
        let outcome = bed.act(way.clone()).await;
        assert_eq!(
            outcome.class(),
            Some(ErrorClass::SecretLeaves),
            "{way:?}: {outcome:?}"
        );
    }
    rest().await;
    assert_eq!(bed.other.heard(VALUE), 0, "values went to the wrong place");
    bed.driver.close().await.unwrap();
}

/// playwright-cli looks at a form by one script whatever the form, and takes long for each: in the quick profile it has every
/// fourth of the forms, so that the ways to give an address and the methods are among them.
fn every(by: Driver) -> usize {
    if by == Driver::Cdp { 1 } else { pick(4, 1) }
}

/// Browsers that share the forms. Source: chosen; most of the time they wait for what does not come.
fn browsers() -> usize {
    pick(1, 2)
}

async fn a_form_that_points_elsewhere_sends_no_secret(by: Driver) {
    let shares = (0..browsers()).map(|share| tokio::spawn(send_forms(by, share)));
    let (mut tried, mut right) = (0, 0);
    for share in shares.collect::<Vec<_>>() {
        let of_share = share.await.expect("a share of the forms");
        tried += of_share.0;
        right += of_share.1;
    }
    let times = times(by).len();
    assert_eq!(
        (tried, right),
        pick(
            (15_usize.div_ceil(every(by)), 6 / every(by)),
            (45 * times * PLACES, 20)
        ),
        "forms tried"
    );
    figure!(
        "secrets: {}: {tried} wrong form targets: 0 values sent; {right} right ones sent",
        by.name()
    );
}

/// How many wrong places there are.
const PLACES: usize = 4;

/// playwright-cli looks at forms and not at requests: what changes while the form is sent is out of its reach.
const fn times(by: Driver) -> &'static [&'static str] {
    match by {
        Driver::Cdp => &WHEN,
        Driver::PlaywrightCli | Driver::PlaywrightCliByProcesses => WHEN.split_at(2).0,
    }
}

/// Sends one share of the forms, to the wrong places and to the right ones; returns how many of each.
async fn send_forms(by: Driver, share: usize) -> (usize, usize) {
    let bed = Bed::start(by).await;
    bed.open().await;
    let wrong: [String; PLACES] = [
        bed.other.origin(),
        bed.other.other_site(),
        bed.own.other_site(),
        bed.own.origin().replace("http:", "https:"),
    ];
    let mut tried = 0;
    let all = shapes(times(by)).into_iter().step_by(every(by)).enumerate();
    for (nth, shape) in all.skip(share).step_by(browsers()) {
        // In the quick profile each shape goes to one wrong place, each place in turn.
        let places: Vec<_> = if profile::full() {
            wrong.iter().collect()
        } else {
            vec![&wrong[nth % wrong.len()]]
        };
        for to in places {
            let (filled, sent) = bed.try_form(shape, to).await;
            let last = sent.as_ref().unwrap_or(&filled);
            let Outcome::Failed(failure) = last else {
                panic!("{shape:?} to {to}: {last:?}");
            };
            assert_eq!(
                failure.class,
                ErrorClass::SecretLeaves,
                "{shape:?}: {last:?}"
            );
            let is_told =
                failure.detail.contains(&**to) && failure.detail.contains("--secret WORD");
            assert!(is_told, "{shape:?} to {to}: {failure:?}");
            assert_eq!(
                filled.is_done(),
                shape.when != "start" && shape.by != By::Fill,
                "{shape:?}: {filled:?}"
            );
            tried += 1;
        }
    }
    rest().await;
    let sent = bed.own.heard(VALUE) + bed.other.heard(VALUE);
    assert_eq!(sent, 0, "values went to the wrong place");
    assert!(
        bed.own.heard("GET /bed") == 1,
        "the page that was typed into was left"
    );

    // Where it is bound, by every shape of sending that there is.
    let mut right = 0;
    let (each, most) = pick((2, 6 / every(by)), (2, 20));
    let right_ones = shapes(&WHEN[..1]).into_iter().step_by(each).take(most);
    for (nth, shape) in right_ones.enumerate().skip(share).step_by(browsers()) {
        let ear = if nth % 4 < 2 { &bed.own } else { &bed.bound };
        let before = ear.heard(VALUE);
        bed.open().await;
        let (filled, sent) = bed.try_form(shape, &ear.origin()).await;
        let last = sent.unwrap_or(filled);
        assert!(last.is_done(), "{shape:?}: {last:?}");
        until("value where it is bound", || ear.heard(VALUE) > before).await;
        right += 1;
    }
    bed.driver.close().await.unwrap();
    (tried, right)
}

/// The press and the release hit different elements, but both in the button, so the browser makes a click of them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_drag_inside_the_button_of_a_form_that_points_elsewhere_is_refused() {
    let bed = Bed::start(Driver::Cdp).await;
    bed.open().await;
    let form = json!({ "how": "action", "to": bed.other.origin(), "method": "post", "when": "typed", "own": bed.own.origin() });
    bed.run(format!("() => make({form})")).await;
    bed.run(
        "() => { document.querySelector('button').innerHTML = '<b>Send</b> <i>it</i>'; }".into(),
    )
    .await;
    let filled = bed
        .act(BrowserAction::Fill(Fill {
            target: target(r#"label="Word""#),
            text: TextValue::Secret(name()),
            submit: false,
        }))
        .await;
    assert!(filled.is_done(), "{filled:?}");
    let [from, to] = ["b", "i"].map(|tag| target(&format!(r#"css="{tag}""#)));
    let dragged = bed.act(BrowserAction::Drag(Drag { from, to })).await;
    let Outcome::Failed(failure) = &dragged else {
        panic!("{dragged:?}");
    };
    let is_refused = failure.class == ErrorClass::SecretLeaves;
    assert!(
        is_refused && !failure.detail.contains("held back"),
        "before the drag, not once the form was sent: {failure:?}"
    );
    bed.driver.close().await.unwrap();
}

/// What scripts of a page do with a value that they read; see `bed.html`.
const WAYS: [&str; 38] = [
    "fetch",
    "fetch in json",
    "fetch in the address",
    "fetch in the path",
    "fetch in a header",
    "fetch of form data",
    "fetch of bytes",
    "fetch of a blob",
    "fetch kept alive",
    "fetch led on by 302",
    "fetch led on by 307",
    "beacon",
    "beacon of a blob",
    "xhr",
    "image",
    "style",
    "frame",
    "worker",
    "worker from before",
    "service worker",
    "shared worker",
    "shared worker from before",
    "prefetch",
    "fetch later",
    "tab by Ctrl",
    "window by Shift",
    "window",
    "window without opener",
    "form to a new tab",
    "form into a frame",
    "socket",
    "socket again",
    "socket in base64",
    "socket of a frame",
    "socket of a worker",
    "socket of a worker from before",
    "socket of a service worker",
    "address",
];

/// The ways of which the action itself says that its request was held back: the first one that surely carries the value, and
/// every document, because that did not come.
const TOLD: [&str; 9] = [
    "fetch",
    "frame",
    "tab by Ctrl",
    "window by Shift",
    "window",
    "window without opener",
    "form to a new tab",
    "form into a frame",
    "address",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_script_sends_elsewhere_is_held_back_while_it_shows_the_secret() {
    let [wrong, right] = [true, false].map(|is_wrong| tokio::spawn(send_by_scripts(is_wrong)));
    let tried: Vec<_> = ways(true).collect();
    let told = TOLD.into_iter().filter(|way| tried.contains(way));
    let told: Vec<_> = told.collect();
    assert_eq!(wrong.await.expect("the wrong place"), told);
    assert_eq!(right.await.expect("the right place"), [""; 0]);
    figure!(
        "secrets: cdp: {} ways of a script to send a value elsewhere: 0 received; {} received where it is bound",
        tried.len(),
        ways(false).count()
    );
}

/// Variations of a way that is in the list too. The quick profile leaves them out.
const VARIATIONS: [&str; 10] = [
    "fetch in json",
    "fetch in the path",
    "fetch in a header",
    "fetch of form data",
    "fetch of a blob",
    "fetch led on by 302",
    "beacon of a blob",
    "worker from before",
    "window by Shift",
    "window without opener",
];

/// The ways that are tried: all in the full profile. The quick one takes one of each kind of request, and every third of these to
/// the right place.
fn ways(is_wrong: bool) -> impl Iterator<Item = &'static str> {
    let all = WAYS.into_iter();
    let all = all.filter(|way| profile::full() || !VARIATIONS.contains(way));
    all.step_by(if is_wrong { 1 } else { pick(3, 1) })
}

/// Lets scripts send the value in every way, to a wrong place or to a right one; returns the ways of which the action said that
/// the value was held back.
async fn send_by_scripts(is_wrong: bool) -> Vec<&'static str> {
    let bed = Bed::start(Driver::Cdp).await;
    let own = bed.own.origin();
    let ear = if is_wrong { &bed.other } else { &bed.bound };
    let to = ear.origin();
    let mut told = Vec::new();
    for way in ways(is_wrong) {
        bed.open().await;
        let form =
            json!({ "how": "action", "to": own, "method": "post", "when": "start", "own": own });
        bed.run(format!("() => make({form})")).await;
        let filled = bed
            .act(BrowserAction::Fill(Fill {
                target: target(r#"label="Word""#),
                text: TextValue::Secret(name()),
                submit: false,
            }))
            .await;
        assert!(filled.is_done(), "{way}: {filled:?}");
        let script = format!(
            "async () => {{ window.word = document.querySelector('input').value; return go('{way}', '{to}'); }}"
        );
        let heard = || ear.heard(VALUE) + ear.heard(&STANDARD.encode(VALUE));
        let before = heard();
        let went = bed.run(script).await;
        if went.class() == Some(ErrorClass::SecretLeaves) {
            told.push(way);
        }
        if is_wrong {
            assert_eq!(heard(), before, "{way}: a value went to the wrong place");
        } else {
            until(way, || heard() > before).await;
        }
    }
    rest().await;
    if is_wrong {
        let sent = ear.heard(VALUE) + ear.heard(&STANDARD.encode(VALUE));
        assert_eq!(sent, 0, "values went to the wrong place");
    }
    bed.driver.close().await.unwrap();
    told
}
