//! Every action dropped at many moments: the driver goes on, and no button and no key stays pressed.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use tokio::time::timeout;
use webwise::{
    action::{
        BrowserAction, Drag, Key, NoArguments, OnTarget, Outcome, Press, Select, TabNew, Type,
    },
    browser::{BrowserDriver as _, ObserveRequest, ScreenshotRequest},
};

use crate::driver::{
    bed::{Bed, NEVER, button, click, fill, goto, see, tab_close, target},
    profile::pick,
};

/// Maximum number of moments at which one action is dropped. Source: chosen; most end before.
const MOMENTS: u32 = 14;
/// Browsers that share the actions. Source: chosen.
fn browsers() -> usize {
    pick(1, 2)
}

/// Number of early moments. The quick profile takes one of them for each action. Source: chosen; most actions have as
/// many.
const EARLY: usize = 8;

/// Returns the moments at which an action is dropped. Unit: polls. The quick profile takes only one for an action. It
/// takes the next moment for the next action.
fn moments(nth: usize) -> impl Iterator<Item = u32> {
    let all = (1..=MOMENTS).skip(pick(nth % EARLY, 0));
    all.take(pick(1, usize::MAX))
}

/// A future that is polled only so often.
struct Cut<F> {
    inner: Pin<Box<F>>,
    left: u32,
}

impl<F: Future> Future for Cut<F> {
    type Output = Option<F::Output>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if self.left == 0 {
            return Poll::Ready(None);
        }
        self.left -= 1;
        self.inner.as_mut().poll(context).map(Some)
    }
}

/// Polls so often, and drops; whether it was over by then.
async fn cut<F: Future>(work: F, polls: u32) -> bool {
    let cut = Cut {
        inner: Box::pin(work),
        left: polls,
    };
    timeout(NEVER, cut)
        .await
        .expect("it does not hang")
        .is_some()
}

const PAGE: &str = "<title>Page</title><label>Name <input></label><label>Pick <select><option>a<option>b</select></label>
    <label><input type=checkbox> Tick</label><button>One</button>
    <div role=img aria-label=From draggable=true style='width:40px;height:40px;background:#ccc'></div>
    <div role=img aria-label=Slide style='width:40px;height:40px;background:#aaa'></div>
    <div role=img aria-label=To style='width:60px;height:60px;background:#eee' ondragover='event.preventDefault()' ondrop='event.preventDefault()'></div>
    <button onclick='hits++; show()'>Other</button><output></output><script>
    let hits = 0, buttons = 0;
    const keys = new Set();
    const show = () => { document.querySelector('output').textContent = `hits ${hits} buttons ${buttons} keys ${[...keys]}.`; };
    addEventListener('keydown', event => keys.add(event.key), true);
    addEventListener('keyup', event => keys.delete(event.key), true);
    for (const name of ['mousemove', 'mousedown', 'mouseup', 'click']) addEventListener(name, event => { buttons = event.buttons; }, true);
    </script>";

fn actions(bed: &Bed) -> Vec<BrowserAction> {
    let on = |text: &str| OnTarget {
        target: target(text),
    };
    let key = |text: &str| {
        BrowserAction::Press(Press {
            key: Key::parse(text).unwrap(),
            target: None,
            times: None,
        })
    };
    let drag = |from: &str| {
        BrowserAction::Drag(Drag {
            from: target(&format!("role=img[name={from:?}]")),
            to: target("role=img[name=\"To\"]"),
        })
    };
    vec![
        button("One"),
        BrowserAction::Dblclick(webwise::action::Click {
            target: target("role=button[name=\"One\"]"),
            button: None,
        }),
        BrowserAction::Hover(on("role=button[name=\"One\"]")),
        BrowserAction::Check(on("label=\"Tick\"")),
        BrowserAction::Uncheck(on("label=\"Tick\"")),
        fill(target("label=\"Name\""), "some text"),
        click(target("label=\"Name\"")),
        BrowserAction::Type(Type {
            text: webwise::action::TextValue::Literal("typed".into()),
            submit: false,
        }),
        key("Shift+A"),
        key("Control+Alt+ArrowDown"),
        BrowserAction::Select(Select {
            target: target("label=\"Pick\""),
            values: vec![webwise::action::TextValue::Literal("b".into())],
        }),
        drag("From"),
        drag("Slide"),
        BrowserAction::Scroll(webwise::action::Scroll {
            direction: Some(webwise::action::ScrollDirection::Down),
            target: None,
            pixels: Some(10),
        }),
        goto(bed.url("/")),
        BrowserAction::Reload(NoArguments {}),
        BrowserAction::TabNew(TabNew { url: None }),
    ]
}

/// Back to one tab with the page, whatever was begun.
async fn clean(bed: &Bed) {
    while bed.see().await.tabs.len() > 1 {
        bed.does(tab_close(1)).await;
    }
    bed.open("/").await;
}

/// The page can be acted on, and nothing is pressed in it.
async fn goes_on(bed: &Bed, after: &str) {
    // A tab that was begun is another page.
    let seen = bed.see().await;
    if seen.tabs.len() > 1 || seen.title != "Page" {
        clean(bed).await;
    }
    let clicked = timeout(NEVER, bed.act(button("Other")))
        .await
        .unwrap_or_else(|_| panic!("after {after}: it hangs"));
    assert_eq!(clicked.outcome, Outcome::Done, "after {after}");
    let text = bed.text().await;
    assert!(
        text.contains("hits 1 buttons 0 keys ."),
        "after {after}: {text}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_action_that_is_dropped_anywhere_leaves_the_driver_usable_and_nothing_pressed() {
    let shares = (0..browsers()).map(|share| tokio::spawn(drop_actions(share)));
    let mut cuts = 0;
    for share in shares.collect::<Vec<_>>() {
        cuts += share.await.expect("a share of the actions");
    }
    let bed = Bed::start(&[("/", PAGE)]).await;
    for polls in moments(0) {
        let looked = cut(
            bed.driver
                .observe(&ObserveRequest::default().with_screenshot(true)),
            polls,
        )
        .await;
        let taken = cut(bed.driver.screenshot(&ScreenshotRequest::default()), polls).await;
        goes_on(&bed, "a look").await;
        clean(&bed).await;
        if looked && taken {
            break;
        }
        cuts += 1;
    }
    figure!("cdp: {cuts} actions dropped in the middle");
    let least = pick(8, 60);
    assert!(cuts > least, "{cuts}");
    bed.close().await;
}

/// Drops each action of one share at many moments; returns how many were dropped.
async fn drop_actions(share: usize) -> usize {
    let bed = Bed::start(&[("/", PAGE)]).await;
    let mut cuts = 0;
    for (nth, action) in actions(&bed)
        .into_iter()
        .enumerate()
        .skip(share)
        .step_by(browsers())
    {
        for polls in moments(nth) {
            clean(&bed).await;
            if matches!(action, BrowserAction::Press(_) | BrowserAction::Type(_)) {
                bed.does(click(target("label=\"Name\""))).await;
            }
            let name = format!("{} dropped after {polls} polls", action.tool().as_str());
            if cut(bed.try_act(action.clone()), polls).await {
                break;
            }
            cuts += 1;
            goes_on(&bed, &name).await;
        }
    }
    bed.close().await;
    cuts
}

#[tokio::test(flavor = "multi_thread")]
async fn a_press_that_is_dropped_stands_in_the_way_of_no_later_one() {
    // What was being watched for is in the same document still.
    let bed = Bed::start(&[("/", PAGE)]).await;
    for polls in (1..=MOMENTS).step_by(pick(4, 1)) {
        bed.open("/").await;
        if cut(bed.try_act(button("One")), polls).await {
            break;
        }
        let to = target("role=img[name=\"To\"]");
        let slid = bed
            .act(BrowserAction::Drag(Drag {
                from: target("role=img[name=\"Slide\"]"),
                to,
            }))
            .await;
        assert_eq!(slid.outcome, Outcome::Done, "after {polls} polls");
        let page = see(&bed.driver).await;
        assert_eq!(page.title, "Page");
        goes_on(&bed, "a drag after a dropped click").await;
    }
    bed.close().await;
}
