//! Hostile values in a real browser: filled in, and read back by what the page says it got.

use std::time::Duration;

use webwise::{
    action::{BrowserAction, Fill, Goto, Target, TextValue},
    browser::{
        BrowserDriver as _, ExecuteRequest, ObserveRequest, PlaywrightCli, PlaywrightCliOptions,
        TransportChoice,
    },
    page::Role,
};

use crate::{
    profile::pick,
    values::{Dice, pieces},
    web::{Answer, Web},
};

/// Values that are filled in: by each transport in the full profile, and by the two in turns in the quick one.
const QUICK: usize = 15;
const FULL: usize = 50;
/// How long the page may take to tell what it got. Unit: looks and time. Source: chosen.
const LOOKS: u32 = 40;
/// How long the browser may take for the longest value. Unit: time. Source: a busy machine took more than 40 s; this is three times
/// that.
const SLOW: Duration = Duration::from_mins(2);
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// A field, and beside it what was typed into it, in letters that no tree, cleaner or quoting changes.
const PAGE: &str = "<!doctype html><meta charset=utf-8><title>Field</title><textarea aria-label=Field></textarea>
<output>nothing</output><script>
const [field, out] = [document.querySelector('textarea'), document.querySelector('output')];
field.addEventListener('input', () => out.textContent = 'got:' + encodeURIComponent(field.value) + ';');
</script>";

/// Values that fields take: the hostile pieces first, then made ones and one that is too long for an argument.
fn values() -> Vec<String> {
    let mut dice = Dice::new(50);
    let first = [
        "--help",
        "-s=other",
        "--",
        "-1",
        "--submit",
        "'",
        "\"",
        "\\",
        "$(id)",
        "file:///etc/passwd",
        "### Error",
        "\u{202e}abc",
    ];
    // Without line breaks: with thousands of them a field takes minutes.
    let long = "--help é 日本 ".repeat(6_000);
    let made: Vec<String> = (0..pick(QUICK, FULL) - first.len() - 1)
        .map(|_| format!("{}{}", dice.pick(pieces()), dice.value()))
        .collect();
    first
        .iter()
        .map(|&text| text.to_owned())
        .chain(made)
        .chain([long])
        .collect()
}

/// The beginning of a value, for people.
fn short(value: &str) -> &str {
    &value[..value.floor_char_boundary(60)]
}

/// Whether a text area holds this value: as it is, or with its line breaks as the HTML standard normalises them.
fn is_kept(value: &str, text: &str) -> bool {
    text == value || text == value.replace("\r\n", "\n").replace('\r', "\n")
}

fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            other => other,
        });
    }
    String::from_utf8(bytes).ok()
}

/// Returns the values that a transport fills in. In the quick profile the two transports take turns, and the socket
/// gets the last value. Either transport sends that value in a script.
fn share(transport: TransportChoice) -> Vec<String> {
    let first = usize::from(transport != TransportChoice::Socket);
    let values = values().into_iter();
    values.skip(pick(first, 0)).step_by(pick(2, 1)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_values_are_read_back_as_they_were_typed() {
    for transport in [TransportChoice::Socket, TransportChoice::Process] {
        let (good, all) = read_back(transport).await;
        figure!("playwright-cli: {transport:?}: {good} of {all} hostile values read back");
        assert_eq!(good, all);
    }
}

/// How many of its values the page got as they are, by this transport, of how many.
async fn read_back(transport: TransportChoice) -> (usize, usize) {
    let folder = tempfile::Builder::new()
        .prefix("ww")
        .tempdir_in("/tmp")
        .expect("a folder");
    let web = Web::start(|_| Answer::page(PAGE));
    let options = PlaywrightCliOptions::from_env()
        .expect("playwright-cli and Chromium are needed: run `cargo run --features full --example test_beds` first");
    let options = options
        .with_folder(folder.path())
        .with_transport(transport)
        .with_action_timeout(SLOW);
    let browser = PlaywrightCli::launch(&options)
        .await
        .expect("the browser starts");
    let mut good = 0;
    let values = share(transport);
    for value in &values {
        // A page of its own for each, so that no value can meet what another left behind.
        let goto = BrowserAction::Goto(Goto {
            url: web.url("127.0.0.1", "/"),
        });
        assert!(
            browser
                .execute(&ExecuteRequest::new(goto))
                .await
                .expect("the page opens")
                .outcome
                .is_done()
        );
        let seen = browser
            .observe(&ObserveRequest::default())
            .await
            .expect("the page can be seen");
        let field = seen
            .tree
            .nodes()
            .iter()
            .find(|node| node.role == Role::TextBox)
            .expect("the field");
        let target = Target::Ref(field.reference.clone().expect("the field has a reference"));
        // An empty value changes nothing in an empty field, so something stands there before.
        let texts = if value.is_empty() {
            vec!["before", value]
        } else {
            vec![value.as_str()]
        };
        for text in &texts {
            let fill = BrowserAction::Fill(Fill {
                target: target.clone(),
                text: TextValue::Literal((*text).to_owned()),
                submit: false,
            });
            let execution = browser
                .execute(&ExecuteRequest::new(fill).with_timeout(SLOW))
                .await
                .expect("the browser answers");
            assert!(
                execution.outcome.is_done(),
                "{:?}: {:?}",
                short(value),
                execution.outcome
            );
        }
        match told(&browser, value).await {
            Some(text) if is_kept(value, &text) => good += 1,
            other => println!(
                "{transport:?}: {:?} was read back as {:?}",
                short(value),
                other.as_deref().map(short)
            ),
        }
    }
    browser.close().await.expect("the browser ends");
    (good, values.len())
}

/// What the page says it got the last time: it may be told of one text in several strokes.
async fn told(browser: &PlaywrightCli, wanted: &str) -> Option<String> {
    let mut last = None;
    for _ in 0..LOOKS {
        let seen = browser
            .observe(&ObserveRequest::default().with_timeout(SLOW))
            .await
            .expect("the page can be seen");
        let out = seen
            .tree
            .nodes()
            .iter()
            .find(|node| node.role == Role::Status)
            .expect("the page tells what it got");
        last = out
            .value
            .as_deref()
            .and_then(|text| decoded(text.strip_prefix("got:")?.strip_suffix(';')?));
        if last.as_deref().is_some_and(|text| is_kept(wanted, text)) {
            break;
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
    last
}
