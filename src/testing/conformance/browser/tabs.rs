//! Checks of tabs, of windows that pages open, and of files that pages offer for download.

use std::time::Duration;

use super::{
    Found,
    bed::{Bed, click},
    checks, ensure,
};
use crate::{
    action::{BrowserAction, ErrorClass, Goto, NoArguments, TabAt, TabNew},
    page::{Notice, Role},
};

/// Maximum number of looks for a loaded tab or an opened window. [`BETWEEN`] is the pause after each look. Source:
/// chosen; loading a tab or opening a window takes less than a second.
const TRIES: usize = 100;
const BETWEEN: Duration = Duration::from_millis(100);

checks! {
    the_browser_is_leased_to_one_run_at_a_time needs [],
    a_window_that_a_page_opens_is_told_and_does_not_take_over needs [Click, TabList],
    tabs_are_opened_chosen_and_closed needs [TabNew, TabSelect, TabClose, TabList],
    the_last_tab_stays_and_unknown_tabs_are_refused needs [TabSelect, TabClose],
    a_file_that_a_page_offers_is_told needs [Click],
}

async fn the_browser_is_leased_to_one_run_at_a_time(bed: &Bed<'_>) -> Found {
    let first = bed.driver.lease().take();
    ensure!(first.is_some(), "no run has the browser, but it is taken");
    ensure!(bed.driver.lease().take().is_none(), "two runs have it");
    drop(first);
    let again = bed.driver.lease().take();
    ensure!(again.is_some(), "it was not given back");
    Ok(())
}

async fn a_window_that_a_page_opens_is_told_and_does_not_take_over(bed: &Bed<'_>) -> Found {
    bed.open("windows").await?;
    let mut notices = bed.click("Open").await?.notices;
    let opened = Notice::TabOpened {
        url: bed.site.url("article"),
    };
    // A window that opens late is reported with the next action.
    for _ in 0..TRIES {
        if notices.contains(&opened) {
            break;
        }
        tokio::time::sleep(BETWEEN).await;
        let listed = bed.does(BrowserAction::TabList(NoArguments {})).await?;
        notices.extend(listed.notices);
    }
    ensure!(notices.contains(&opened), "the notices are {notices:?}");
    let seen = bed.see().await?;
    ensure!(
        seen.url == bed.site.url("windows"),
        "the page is now {:?}",
        seen.url
    );
    ensure!(seen.tabs.len() == 2, "{} tabs are seen", seen.tabs.len());
    ensure!(
        seen.tabs[0].current && !seen.tabs[1].current,
        "another tab is current"
    );
    ensure!(
        seen.tabs[1].url == bed.site.url("article"),
        "the other tab shows {:?}",
        seen.tabs[1].url
    );
    // The tab loads in the background, and no action waits for it.
    let mut title = String::new();
    for _ in 0..TRIES {
        title = bed
            .see()
            .await?
            .tabs
            .into_iter()
            .nth(1)
            .map(|tab| tab.title)
            .unwrap_or_default();
        if title == "Article" {
            return Ok(());
        }
        tokio::time::sleep(BETWEEN).await;
    }
    Err(format!("the other tab is called {title:?}"))
}

async fn tabs_are_opened_chosen_and_closed(bed: &Bed<'_>) -> Found {
    bed.open("article").await?;
    let execution = bed
        .does(BrowserAction::TabNew(TabNew {
            url: Some(bed.site.url("form")),
        }))
        .await?;
    ensure!(
        execution.notices.is_empty(),
        "a tab that was asked for is told as {:?}",
        execution.notices
    );
    ensure!(
        bed.see().await?.url == bed.site.url("form"),
        "the new tab is not current"
    );
    bed.does(BrowserAction::TabNew(TabNew { url: None }))
        .await?;
    let blank = bed.see().await?;
    ensure!(
        blank.tabs.len() == 3 && blank.tree.is_empty(),
        "a blank tab is a page like any other: {blank:?}"
    );
    let listed = bed.does(BrowserAction::TabList(NoArguments {})).await?;
    let text = listed.text.unwrap_or_default();
    ensure!(
        text.lines().count() == 3 && text.contains("Article"),
        "the list is {text:?}"
    );
    bed.does(BrowserAction::TabSelect(TabAt { index: 0 }))
        .await?;
    ensure!(
        bed.see().await?.url == bed.site.url("article"),
        "another tab than the chosen one is current"
    );
    bed.does(BrowserAction::TabClose(TabAt { index: 2 }))
        .await?;
    bed.does(BrowserAction::TabClose(TabAt { index: 0 }))
        .await?;
    let left = bed.see().await?;
    ensure!(
        left.url == bed.site.url("form") && left.tabs.len() < 2,
        "what is left is {:?}",
        left.tabs
    );
    let refused = BrowserAction::TabNew(TabNew {
        url: Some("file:///etc/passwd".into()),
    });
    bed.fails(refused, ErrorClass::NavigationFailed).await?;
    ensure!(
        bed.see().await?.tabs.len() < 2,
        "a refused address opened a tab"
    );
    Ok(())
}

async fn the_last_tab_stays_and_unknown_tabs_are_refused(bed: &Bed<'_>) -> Found {
    bed.open("article").await?;
    bed.fails(
        BrowserAction::TabClose(TabAt { index: 0 }),
        ErrorClass::BadArguments,
    )
    .await?;
    bed.fails(
        BrowserAction::TabSelect(TabAt { index: 9 }),
        ErrorClass::NoSuchTab,
    )
    .await?;
    ensure!(
        bed.see().await?.url == bed.site.url("article"),
        "the last tab is gone"
    );
    Ok(())
}

async fn a_file_that_a_page_offers_is_told(bed: &Bed<'_>) -> Found {
    bed.open("windows").await?;
    let link = bed.find(Role::Link, "Download").await?;
    let mut notices = bed.act(click(link)).await?.notices;
    for _ in 0..20 {
        let told = notices.iter().any(
            |notice| matches!(notice, Notice::Download { suggested_name, .. } if suggested_name == "report ### x.csv"),
        );
        if told {
            ensure!(
                bed.see().await?.url == bed.site.url("windows"),
                "the file took the page's place"
            );
            return Ok(());
        }
        notices = bed
            .does(BrowserAction::Goto(Goto {
                url: bed.site.url("windows"),
            }))
            .await?
            .notices;
    }
    Err("no notice of the file".into())
}
