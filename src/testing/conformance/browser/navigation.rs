//! Checks of navigation and waiting.

use std::time::Duration;

use super::{
    Found,
    bed::{Bed, nothing},
    checks, ensure,
};
use crate::{
    action::{
        BrowserAction, BrowserTool, ErrorClass, Eval, Goto, Seconds, StateFile, TabNew, Type, Wait,
    },
    browser::ExecuteRequest,
};

checks! {
    an_address_is_opened_and_told needs [Goto],
    only_web_addresses_are_opened needs [Goto],
    an_address_that_cannot_be_loaded_is_told_and_the_next_one_loads needs [Goto],
    history_is_walked_and_ends needs [GoBack, GoForward, Reload, TabNew],
    what_was_decided_for_another_page_is_not_done needs [Type, Press],
    waiting_ends_when_the_text_comes_or_goes needs [Wait],
    waiting_in_vain_is_told needs [Wait],
    cookies_are_saved_and_loaded needs [StateSave, StateLoad],
    what_is_not_declared_is_refused needs [],
}

fn goto(url: impl Into<String>) -> BrowserAction {
    BrowserAction::Goto(Goto { url: url.into() })
}

async fn an_address_is_opened_and_told(bed: &Bed<'_>) -> Found {
    let execution = bed.does(goto(bed.site.url("article"))).await?;
    ensure!(
        execution.page == Some((bed.site.url("article"), "Article".into())),
        "told {:?}",
        execution.page
    );
    let execution = bed.does(goto(bed.site.url("redirect"))).await?;
    let told = execution.page.map(|(url, _)| url);
    ensure!(
        told == Some(bed.site.url("article")),
        "a redirect is told as {told:?}"
    );
    bed.does(goto(bed.site.url("nowhere"))).await?;
    bed.shows("404").await
}

async fn what_was_decided_for_another_page_is_not_done(bed: &Bed<'_>) -> Found {
    bed.open("form").await?;
    let action = BrowserAction::Type(Type {
        text: "x".into(),
        submit: false,
    });
    for (page, class) in [
        (bed.site.other_url("form"), Some(ErrorClass::Detached)),
        ("https://a.test/".to_owned(), Some(ErrorClass::Detached)),
        // A page of the same origin is accepted, because the page may have changed its own address.
        (bed.site.url("article"), None),
    ] {
        let execution = bed
            .ask(ExecuteRequest::new(action.clone()).with_page(page.clone()))
            .await?;
        ensure!(
            execution.outcome.class() == class,
            "text for {page} gave {:?}",
            execution.outcome
        );
    }
    Ok(())
}

async fn only_web_addresses_are_opened(bed: &Bed<'_>) -> Found {
    bed.open("start").await?;
    for address in [
        "file:///etc/passwd",
        "javascript:document.title='x'",
        "chrome://version",
        "data:text/html,x",
        "about:blank",
        "view-source:http://127.0.0.1",
        "--help",
        "",
    ] {
        bed.fails(goto(address), ErrorClass::NavigationFailed)
            .await
            .map_err(|why| format!("{address}: {why}"))?;
    }
    let seen = bed.see().await?;
    ensure!(
        seen.url == bed.site.url("start") && seen.title == "Start",
        "the page moved to {:?}",
        seen.url
    );
    Ok(())
}

async fn an_address_that_cannot_be_loaded_is_told_and_the_next_one_loads(bed: &Bed<'_>) -> Found {
    // No program listens on port 12, and browsers do not block that port.
    for _ in 0..2 {
        bed.fails(goto("http://127.0.0.1:12/"), ErrorClass::NavigationFailed)
            .await?;
        let seen = bed.see().await?;
        ensure!(
            seen.browser_error() == Some("ERR_CONNECTION_REFUSED"),
            "the browser's error page is told as {:?} with the reason {:?}",
            seen.url,
            seen.browser_error()
        );
        bed.open("article").await?;
    }
    Ok(())
}

async fn history_is_walked_and_ends(bed: &Bed<'_>) -> Found {
    // The new tab has a history of its own.
    bed.does(BrowserAction::TabNew(TabNew { url: None }))
        .await?;
    bed.open("article").await?;
    bed.open("back-only").await?;
    bed.does(BrowserAction::GoBack(nothing())).await?;
    ensure!(
        bed.see().await?.url == bed.site.url("article"),
        "going back did not lead to the page before"
    );
    bed.does(BrowserAction::GoForward(nothing())).await?;
    bed.does(BrowserAction::Reload(nothing())).await?;
    ensure!(
        bed.see().await?.url == bed.site.url("back-only"),
        "going forward did not lead to the page after"
    );
    bed.fails(BrowserAction::GoForward(nothing()), ErrorClass::NoHistory)
        .await?;
    bed.does(BrowserAction::GoBack(nothing())).await?;
    for _ in 0..2 {
        bed.fails(BrowserAction::GoBack(nothing()), ErrorClass::NoHistory)
            .await?;
        ensure!(
            bed.see().await?.url == bed.site.url("article"),
            "beyond the beginning of the history there is a page"
        );
    }
    Ok(())
}

fn wait(text: Option<&str>, gone: Option<&str>, seconds: Option<Seconds>) -> BrowserAction {
    BrowserAction::Wait(Wait {
        text: text.map(Into::into),
        gone: gone.map(Into::into),
        seconds,
    })
}

async fn waiting_ends_when_the_text_comes_or_goes(bed: &Bed<'_>) -> Found {
    bed.open("late").await?;
    bed.does(wait(None, Some("loading"), None)).await?;
    bed.does(wait(Some("READY:  10:30"), None, None)).await?;
    bed.does(wait(None, None, Some(Seconds::from_millis(300))))
        .await
        .map(drop)
}

async fn waiting_in_vain_is_told(bed: &Bed<'_>) -> Found {
    bed.open("article").await?;
    for action in [
        wait(Some("never"), None, None),
        wait(None, Some("tides"), None),
    ] {
        let request = ExecuteRequest::new(action).with_timeout(Duration::from_secs(2));
        let class = bed.ask(request).await?.outcome.class();
        ensure!(
            class == Some(ErrorClass::WaitedInVain),
            "waiting in vain gave {class:?}"
        );
    }
    let request = ExecuteRequest::new(wait(None, None, Some(5.into())))
        .with_timeout(Duration::from_millis(100));
    let class = bed.ask(request).await?.outcome.class();
    ensure!(
        class == Some(ErrorClass::Timeout),
        "a wait that was cut short gave {class:?}"
    );
    Ok(())
}

async fn cookies_are_saved_and_loaded(bed: &Bed<'_>) -> Found {
    let file = || StateFile {
        name: "suite".into(),
    };
    bed.open("set-cookie").await?;
    bed.does(BrowserAction::StateSave(file())).await?;
    bed.does(BrowserAction::StateSave(file())).await?;
    bed.open("clear-cookie").await?;
    bed.open("cookie").await?;
    bed.shows("cookie: []").await?;
    bed.does(BrowserAction::StateLoad(file())).await?;
    bed.open("cookie").await?;
    bed.shows("cookie: [visit=yes]").await?;
    let missing = BrowserAction::StateLoad(StateFile {
        name: "missing".into(),
    });
    bed.fails(missing, ErrorClass::FileRefused).await?;
    let outside = BrowserAction::StateSave(StateFile {
        name: "../outside".into(),
    });
    bed.fails(outside, ErrorClass::BadArguments).await.map(drop)
}

async fn what_is_not_declared_is_refused(bed: &Bed<'_>) -> Found {
    if !bed.driver.capabilities().tools.contains(&BrowserTool::Eval) {
        bed.open("start").await?;
        let script = Eval {
            function: "() => { document.title = 'x' }".into(),
            target: None,
        };
        bed.fails(BrowserAction::Eval(script), ErrorClass::Unsupported)
            .await?;
        ensure!(
            bed.see().await?.title == "Start",
            "a script ran that was not allowed"
        );
    }
    Ok(())
}
