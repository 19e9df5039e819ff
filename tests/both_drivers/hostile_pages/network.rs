//! Servers that answer badly or not at all: an address that cannot be loaded is a failure that the model reads, and the next one
//! loads.

use std::time::Duration;

use serde_json::json;
use webwise::{action::ErrorClass, agent::Options, testing::call, working::StopReason};

use crate::hostile_pages::{
    bed::{Bed, options},
    browsers::Driver,
    played::{Played, finish, follow, go, says, text_of},
    profile::pick,
};

on_each_driver! {
    an_address_that_cannot_be_loaded_is_told_and_the_next_one_loads,
    a_link_to_a_dead_port_fails_and_the_browsers_error_page_proves_nothing,
    a_start_page_of_no_host_proves_nothing,
}

// What the tree of such a page says is compared between the drivers in `tree_parity`. On a document without a body, playwright-cli
// waits for half a minute.
in_turn! {
    a_page_is_a_page_whatever_its_status_length_or_bytes,
    a_link_to_a_server_that_never_answers_leaves_the_page_in_place,
    a_document_without_a_body_is_read_or_is_an_empty_page_that_says_so,
}

/// Options under which nothing that waits for a server waits long.
fn hasty() -> Options {
    let mut options = options();
    options.command_timeout = Duration::from_secs(24);
    options
}

/// Options for a document that the other driver's tool cannot read. The driver gives each attempt a share of this time: the first
/// look, which is in vain, and the question whether there is a body, to which a busy machine takes seconds to answer.
fn patient() -> Options {
    let mut options = options();
    options.command_timeout = Duration::from_secs(72);
    options
}

/// Opens a page, then another one that is well.
async fn visit(bed: &Bed, page: &'static str, path: &str, options: Options) -> Played {
    let course = says([go(&bed.site.url("plain")), finish("All is well")]);
    let played = bed
        .play_with(
            page,
            path,
            bed.driver(),
            course,
            options,
            StopReason::Finished,
        )
        .await;
    assert_eq!(played.course()[1..], ["goto done"], "{page}: {played:?}");
    assert_eq!(played.report.final_url, Some(bed.site.url("plain")));
    played
}

async fn an_address_that_cannot_be_loaded_is_told_and_the_next_one_loads(by: Driver) {
    let bed = Bed::start(by).await;
    // The tool waits for documents to be whole, as far as it can be told; Chromium by itself shows what came of them.
    let (late, part) = if by == Driver::Cdp {
        ("in time", None)
    } else {
        ("Timeout", Some(ErrorClass::Timeout))
    };
    let failed = Some(ErrorClass::NavigationFailed);
    // One of each kind first: refused, never there, there in part. The other driver leaves the rest to the full profile. An address
    // that never answers leaves the page before in place, so that must be one of this site.
    let addresses = [
        ("connection reset", "reset", failed, "ERR_CONNECTION_RESET"),
        ("no headers ever", "never", Some(ErrorClass::Timeout), late),
        ("half a body", "half", part, late),
        (
            "redirect loop",
            "redirect-loop",
            failed,
            "ERR_TOO_MANY_REDIRECTS",
        ),
        ("status 204", "nothing-204", failed, "ERR_ABORTED"),
        ("empty reply", "silent", failed, "ERR_EMPTY_RESPONSE"),
        ("not HTTP", "garbage", failed, "ERR_INVALID_HTTP_RESPONSE"),
        ("broken gzip", "bad-gzip", part, late),
        ("reset in the middle", "reset-midway", part, late),
        ("shorter than it says", "short", part, late),
    ];
    let tried = if by == Driver::Cdp {
        addresses.len()
    } else {
        pick(3, addresses.len())
    };
    for (page, path, class, said) in addresses.into_iter().take(tried) {
        let played = visit(&bed, page, path, hasty()).await;
        let told = &played.messages[0];
        assert_eq!(played.actions()[0].1.class(), class, "{page}: {played:?}");
        let is_told = |class: ErrorClass| told.contains(class.as_str()) && told.contains(said);
        assert!(class.is_none_or(is_told), "{page}: {told}");
        // What came before the end is shown.
        let came = [
            ("half", "Half a page"),
            ("reset-midway", "Torn"),
            ("short", "Short of"),
        ];
        let came = came.iter().find(|(of, _)| *of == path);
        assert!(
            came.is_none_or(|(_, text)| told.contains(text)),
            "{page}: {told}"
        );
    }
    bed.close().await;
}

async fn a_page_is_a_page_whatever_its_status_length_or_bytes(by: Driver) {
    let bed = Bed::start(by).await;
    for (page, path, text) in [
        ("status 500", "error-500", "The server fell over"),
        ("status 404", "no-such-page", "Nothing here"),
        (
            "invalid bytes",
            "bad-bytes",
            "Broken \u{fffd}( \u{fffd} text",
        ),
    ] {
        let played = bed
            .play(page, path, says([finish(text)]), StopReason::Finished)
            .await;
        assert_eq!(played.course(), ["goto done"], "{page}: {played:?}");
        assert!(
            played.last_text().contains(text),
            "{page}: {:?}",
            played.last_text()
        );
    }
    bed.close().await;
}

async fn a_link_to_a_server_that_never_answers_leaves_the_page_in_place(by: Driver) {
    let bed = Bed::start(by).await;
    let course = says([
        follow("There"),
        go(&bed.site.url("plain")),
        finish("All is well"),
    ]);
    let played = bed
        .play_with(
            "link to nowhere",
            "slow-link",
            bed.driver(),
            course,
            hasty(),
            StopReason::Finished,
        )
        .await;
    let seen: Vec<_> = played.seen().iter().map(|seen| seen.url.clone()).collect();
    let here = bed.site.url("slow-link");
    assert!(
        seen[..seen.len() - 1].iter().all(|url| *url == here),
        "{seen:?}"
    );
    assert!(
        played.messages[1].contains("link \"There\""),
        "{}",
        played.messages[1]
    );
    bed.close().await;
}

async fn a_link_to_a_dead_port_fails_and_the_browsers_error_page_proves_nothing(by: Driver) {
    let bed = Bed::whole(by).await;
    // The third call goes back to an address that cannot be loaded either.
    let claim = || finish("refused to connect");
    let course = says([
        follow("There"),
        go(&bed.site.url("plain")),
        call("go_back", json!({})),
        claim(),
        claim(),
    ]);
    let stop = StopReason::FinishedUnverified;
    let played = bed.play("dead link", "dead-link", course, stop).await;
    let failed = "navigation_failed";
    let wanted = [
        "goto done",
        &format!("click {failed}"),
        "goto done",
        &format!("go_back {failed}"),
    ];
    assert_eq!(played.course()[..4], wanted, "{played:?}");
    for (_, outcome) in [&played.actions()[1], &played.actions()[3]] {
        let told = format!("{outcome:?}");
        assert!(told.contains("ERR_CONNECTION_REFUSED"), "{told}");
    }
    let told = &played.messages[1];
    assert!(
        told.contains("note this is the browser's own error page"),
        "{told}"
    );
    bed.close().await;
}

async fn a_start_page_of_no_host_proves_nothing(by: Driver) {
    let bed = Bed::start(by).await;
    let claim = || finish("This site can’t be reached");
    let url = "http://no-such-host.invalid/";
    let course = says([claim(), claim()]);
    let stop = StopReason::FinishedUnverified;
    let played = bed.play("no host", url, course, stop).await;
    assert_eq!(
        played.actions()[0].1.class(),
        Some(ErrorClass::NavigationFailed)
    );
    let error = played.report.error.clone().unwrap_or_default();
    assert!(
        error.starts_with("the start page could not be opened: "),
        "{error}"
    );
    let told = &played.messages[0];
    assert!(
        told.contains("note this is the browser's own error page"),
        "{told}"
    );
    bed.close().await;
}

async fn a_document_without_a_body_is_read_or_is_an_empty_page_that_says_so(by: Driver) {
    let bed = Bed::start(by).await;
    let all = [
        ("document removed", "no-document", ""),
        ("picture", "svg", "Only a picture"),
    ];
    for (page, path, text) in all {
        let played = visit(&bed, page, path, patient()).await;
        let first = &played.seen()[0];
        if by == Driver::Cdp {
            assert_eq!(played.course()[0], "goto done", "{page}: {played:?}");
            assert_eq!(
                (&*first.url, &*text_of(first)),
                (&*bed.site.url(path), text),
                "{page}"
            );
            continue;
        }
        // The tool itself looks at what it has opened, and looks in vain.
        assert_eq!(played.course()[0], "goto timeout", "{page}: {played:?}");
        assert_eq!(
            (&*first.url, first.tree.len(), first.tree.omitted()),
            (&*bed.site.url(path), 0, 1),
            "{page}"
        );
        assert!(
            played.messages[0].contains("the page has more nodes than were read"),
            "{page}: {}",
            played.messages[0]
        );
    }
    bed.close().await;
}
