//! `webwise explore`: opens the pages of a site and remembers them.

use chrono::Utc;
use clap::{Args, value_parser};
use serde_json::json;
use url::Url;

use super::{
    Refusal,
    drive::{Browser, OwnDir, Source, Stop, check_screen},
    memory_place::MemoryPlace,
    run_args::BrowserArgs,
    say,
    say::{Voice, one_line},
    setup, values,
};
use crate::{
    BrowserDriver as _, Error, GuardedBrowser,
    agent::explore,
    base::{Host, text::counted},
    explore::{Limits, Reach},
    store::Memory,
    working::{MapPage, SiteMap},
};

#[derive(Debug, Args)]
pub(super) struct ExploreArgs {
    /// The address to start at.
    #[arg(value_parser = values::url)]
    pub(super) url: Url,
    /// Maximum number of links between the start page and a page that is opened.
    #[arg(long, value_name = "N", default_value_t = Limits::default().depth)]
    pub(super) depth: u32,
    /// Maximum number of pages to open.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = value_parser!(u32).range(1..=60))]
    pub(super) pages: u32,
    #[command(flatten)]
    pub(super) memory: MemoryPlace,
    /// Print the map without remembering it.
    #[arg(long)]
    pub(super) no_memory: bool,
    #[command(flatten)]
    pub(super) browser: BrowserArgs,
    /// Use a browser that is already running with remote debugging, such as `http://127.0.0.1:9222`, with its cookies. Only
    /// plain links of menus and contents are opened. Needs the driver cdp.
    #[arg(long, value_name = "URL", value_parser = values::debugger, conflicts_with_all = ["headed", "driver"])]
    pub(super) attach: Option<Url>,
    /// Print the map as JSON to stdout; progress goes to stderr.
    #[arg(long)]
    pub(super) json: bool,
}

/// Explores the site, prints its map, and lets memory learn from the map unless `--no-memory` is given.
pub(super) async fn run(args: &ExploreArgs) -> Result<(), Refusal> {
    check_screen(args.browser.headed)?;
    let memory = if args.no_memory {
        None
    } else {
        Some((args.memory.open()?, OwnDir::of_memory(&args.memory)?))
    };
    let voice = Voice { json: args.json };
    let stop = Stop::listen(voice)?;
    let source = match &args.attach {
        Some(address) => Source::Attach(address.clone()),
        None => Source::Start {
            choice: setup::chosen(args.browser.driver)?,
            args: args.browser.clone(),
        },
    };
    let browser = tokio::select! {
        () = stop.asked() => return Err(Refusal::failure("it was stopped before the browser was there")),
        browser = Browser::open(&source, false) => browser?,
    };
    let map = explored(args, &browser, &stop, voice).await;
    let closed = browser.driver().close().await;
    if let Err(error) = closed {
        voice.line(format_args!(
            "     warning: the browser was not closed in order: {error:?}"
        ));
    }
    let map = map?;
    if args.json {
        say(json!(map));
    } else {
        for line in summary(&map) {
            say(one_line(&line));
        }
    }
    if map.pages.is_empty() {
        return Err(nothing_seen(&args.url, stop.is_asked()).told());
    }
    let Some((memory, dir)) = memory else {
        return Ok(());
    };
    let start = map.start.parse().unwrap_or_else(|_| args.url.clone());
    let host = Host::of(&start).map_err(|error| failed(&error).told())?;
    Memory::new(&memory, args.memory.namespace())
        .learn_map(&host, &map, Utc::now())
        .await
        .map_err(|error| failed(&error).told())?;
    if dir.is_new() {
        voice.line(format_args!(
            "Memory    new folder {}",
            dir.path().display()
        ));
    }
    voice.line(format_args!(
        "Remembered for runs on {host}. `webwise memory list` shows it."
    ));
    Ok(())
}

async fn explored(
    args: &ExploreArgs,
    browser: &Browser,
    stop: &Stop,
    voice: Voice,
) -> Result<SiteMap, Refusal> {
    let limits = Limits {
        depth: args.depth,
        pages: usize::try_from(args.pages).unwrap_or(usize::MAX),
        reach: if args.attach.is_some() {
            Reach::Attached
        } else {
            Reach::Fresh
        },
        ..Limits::default()
    };
    let guarded = GuardedBrowser::builder(browser.driver())
        .with_cancel(stop.cancel())
        .build_guarded()
        .map_err(|error| failed(&error))?;
    let mut count = 0;
    let opened = |page: &MapPage| {
        count += 1;
        let line = format!("{count:>4}  {}  {}", page.url, page.title);
        voice.line(one_line(&line));
    };
    explore(&guarded, args.url.as_str(), limits, opened)
        .await
        .map_err(|error| failed(&error))
}

fn failed(error: &Error) -> Refusal {
    Refusal::failure(one_line(&match (error.said("url"), error.said("why")) {
        (Some(url), Some(why)) => format!("{url} cannot be opened: {why}"),
        (None, Some(why)) => format!("the exploration ended: {why}"),
        _ => format!("the exploration failed: {error}"),
    }))
}

/// Returns the error for a map without pages.
fn nothing_seen(start: &Url, is_stopped: bool) -> Refusal {
    let why = if is_stopped {
        "the exploration was stopped before the first one".to_owned()
    } else {
        format!("{start} shows an error")
    };
    Refusal::failure(format!("no page was seen: {why}"))
}

/// Returns lines that say how many pages were found, and how many links were left out and why, with those links that were
/// left out because of what they may do. Returns no lines if no page was seen, because the caller reports that as an error.
fn summary(map: &SiteMap) -> Vec<String> {
    if map.pages.is_empty() {
        return Vec::new();
    }
    let pages = map.pages.len();
    let whole = if map.is_complete() {
        "apart from pages of the same kind, that is the site to this depth"
    } else {
        "there is more"
    };
    let mut lines = vec![format!("{}; {whole}.", counted(pages, "page"))];
    for (why, count) in &map.left_out {
        let links = counted(*count, "link");
        lines.push(format!("      {links} {}", why.sentence()));
        let doubted = map.doubted.iter().filter(|link| link.why == *why);
        lines.extend(doubted.map(|link| format!("        {}  {}", link.url, link.words)));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{page::PageType, working::LeftOut};

    #[test]
    fn who_stops_the_exploration_before_its_first_page_is_not_told_of_a_broken_page() {
        let start: Url = "https://a.example/".parse().unwrap();
        for (is_stopped, has_error) in [(true, false), (false, true)] {
            let said = nothing_seen(&start, is_stopped);
            assert_eq!(said.sentence().contains("shows an error"), has_error);
        }
    }

    #[test]
    fn a_start_page_that_shows_an_error_is_not_summed_up_as_a_site() {
        let mut map = SiteMap::new("https://a.example/");
        map.left_out.insert(LeftOut::Unreachable, 1);
        assert_eq!(summary(&map), [""; 0]);
        let page = json!({
            "url": "https://a.example/", "title": "A", "page_type": PageType::Form, "depth": 0,
            "navigation_links": 0, "content_links": 0,
        });
        map.pages.push(serde_json::from_value(page).unwrap());
        assert_eq!(summary(&map)[0], "1 page; there is more.");
        map.leave_out_link(
            &"https://a.example/x".parse().unwrap(),
            "Delete",
            LeftOut::Excluded,
        );
        let lines = summary(&map);
        assert_eq!(lines[1], "      1 link to accounts, purchases or changes");
        assert_eq!(lines[2], "        https://a.example/x  Delete");
    }
}
