//! Windows and files that pages push at a browser: the run stays where it is, and nothing fills the disk.

use std::{fs, path::Path, time::Duration};

use serde_json::json;
use webwise::{page::Notice, testing::call, working::StopReason};

use crate::hostile_pages::{
    bed::Bed,
    browsers::{Driver, Wishes},
    played::{click, decides, finish, follow, go, says},
    profile::pick,
};

on_each_driver! {
    a_window_that_a_page_opens_is_told_and_does_not_take_over,
    a_file_nobody_asked_for_is_refused_and_told,
    a_file_that_is_wanted_is_kept_under_a_name_of_ours,
    a_file_without_end_is_dropped_and_told_and_the_disk_stays_free,
}

in_turn! {
    a_window_that_closes_itself_gives_way_to_the_one_that_opened_it,
    a_flood_of_windows_does_not_flood_the_message,
}

/// Largest file that the driver keeps. Unit: bytes. Source: the driver's own documentation.
const MAX_DOWNLOAD: u64 = 100 << 20;

async fn a_window_that_a_page_opens_is_told_and_does_not_take_over(by: Driver) {
    let bed = Bed::start(by).await;
    let played = bed
        .play(
            "popup",
            "popup",
            says([click("Open"), finish("opened=1")]),
            StopReason::Finished,
        )
        .await;
    assert_eq!(
        played.notices(),
        [Notice::TabOpened {
            url: bed.site.url("plain")
        }],
        "{played:?}"
    );
    assert_eq!(played.course(), ["goto done", "click done"]);
    assert_eq!(played.report.final_url, Some(bed.site.url("popup")));
    assert!(
        played.messages[1].contains("a new tab opened"),
        "{}",
        played.messages[1]
    );
    bed.close().await;

    let bed = Bed::start(by).await;
    // A link to a new tab does nothing else, so the run goes where it leads.
    let course = says([follow("In a new tab"), click("Press"), finish("pressed=1")]);
    let played = bed
        .play(
            "link to a new tab",
            "blank-target",
            course,
            StopReason::Finished,
        )
        .await;
    assert_eq!(
        played.course(),
        ["goto done", "click done", "click done"],
        "{played:?}"
    );
    assert_eq!(played.report.final_url, Some(bed.site.url("plain")));
    bed.close().await;
}

async fn a_window_that_closes_itself_gives_way_to_the_one_that_opened_it(by: Driver) {
    let bed = Bed::start(by).await;
    let select = call("tab_select", json!({ "index": 1 }));
    let course = says([click("Open"), select, click("Close me"), finish("opened=1")]);
    let played = bed
        .play(
            "window closes itself",
            "opens-a-short-life",
            course,
            StopReason::Finished,
        )
        .await;
    assert_eq!(
        played.course(),
        ["goto done", "click done", "tab_select done", "click done"],
        "{played:?}"
    );
    assert_eq!(
        played.report.final_url,
        Some(bed.site.url("opens-a-short-life"))
    );
    bed.close().await;
}

async fn a_flood_of_windows_does_not_flood_the_message(by: Driver) {
    let bed = Bed::start(by).await;
    let played = bed
        .play(
            "many popups",
            "popups",
            says([click("Open"), finish("opened=14")]),
            StopReason::Finished,
        )
        .await;
    let told = played
        .notices()
        .iter()
        .filter(|notice| matches!(notice, Notice::TabOpened { .. }))
        .count();
    assert_eq!(told, 14, "{played:?}");
    let last = played.seen().pop().unwrap();
    assert_eq!((last.tabs.len(), &last.url), (10, &bed.site.url("popups")));
    assert!(
        last.tabs.iter().all(|tab| !tab.url.contains("evil.test")),
        "{:?}",
        last.tabs
    );
    bed.close().await;
}

async fn a_file_nobody_asked_for_is_refused_and_told(by: Driver) {
    let bed = Bed::start(by).await;
    let course = says([follow("Small"), finish("Files")]);
    let played = bed
        .play("download refused", "offers", course, StopReason::Finished)
        .await;
    let name = "../../re port.sh";
    assert!(
        matches!(&played.notices()[..], [Notice::Download { suggested_name, kept: false }] if is_like(suggested_name, name)),
        "{played:?}"
    );
    assert!(
        played.messages[1].contains("the page offered a file"),
        "{}",
        played.messages[1]
    );
    let (out, browser) = (
        bed.private_folder().join("out"),
        bed.private_folder().join("t"),
    );
    let places = fs::read_dir(browser).unwrap().flatten();
    let places = places.filter(|entry| {
        entry
            .file_name()
            .to_string_lossy()
            .starts_with("playwright-artifacts-")
    });
    let written: Vec<_> = places
        .flat_map(|entry| files_of(&entry.path(), 1))
        .collect();
    assert!(
        written.is_empty()
            && !files_of(&out, 0)
                .iter()
                .any(|(found, _)| is_like(found, name)),
        "{written:?}"
    );
    bed.close().await;
}

fn keeps(downloads: &Path) -> Wishes {
    Wishes {
        downloads: Some(downloads.to_owned()),
        ..Wishes::default()
    }
}

/// Browsers replace what cannot stand in a file's name.
fn is_like(found: &str, wanted: &str) -> bool {
    let letters = |text: &str| {
        text.chars()
            .filter(char::is_ascii_alphanumeric)
            .collect::<String>()
    };
    letters(found) == letters(wanted)
}

async fn a_file_that_is_wanted_is_kept_under_a_name_of_ours(by: Driver) {
    let kept = tempfile::tempdir().unwrap();
    let bed = Bed::with(by, keeps(kept.path())).await;
    // It may be told with a later action only, and each of these changes the page.
    let pages = ["plain", "offers"].map(|path| bed.site.url(path));
    let mut waits = 0;
    let course = decides(move |call, message| match call {
        0 => follow("Sheet"),
        _ if message.contains("the page offered a file") => {
            finish(["Files", "All is well"][waits % 2])
        }
        _ => {
            waits += 1;
            assert!(waits < 20, "{message}");
            go(&pages[(waits + 1) % 2])
        }
    });
    let played = bed
        .play("download kept", "offers", course, StopReason::Finished)
        .await;
    assert!(
        matches!(&played.notices()[..], [Notice::Download { kept: true, .. }]),
        "{played:?}"
    );
    let files = files_of(kept.path(), 0);
    assert!(
        matches!(&files[..], [(name, 1000)] if name.starts_with("download-") && ends_in(name, "bin")),
        "{files:?}"
    );
    bed.close().await;
}

/// Longest time in which a dropped file goes from the disk. Source: chosen; mostly it is gone at once.
const GONE: Duration = Duration::from_secs(10);

async fn a_file_without_end_is_dropped_and_told_and_the_disk_stays_free(by: Driver) {
    // The quick profile takes the one that does not say how long it is.
    let files = [
        ("download without end", "Endless"),
        ("download of 300 MiB", "Huge"),
    ];
    for (page, link) in files.into_iter().take(pick(1, 2)) {
        let kept = tempfile::tempdir().unwrap();
        let bed = Bed::with(by, keeps(kept.path())).await;
        let watched = bed.base().to_owned();
        let (stop, mut stopped) = tokio::sync::oneshot::channel::<()>();
        let watch = tokio::spawn(async move {
            let mut most = 0;
            while matches!(
                stopped.try_recv(),
                Err(tokio::sync::oneshot::error::TryRecvError::Empty)
            ) {
                most = most.max(
                    files_of(&watched, MAX_DOWNLOAD / 2)
                        .iter()
                        .map(|(_, size)| size)
                        .sum::<u64>(),
                );
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            most
        });
        let mut waits = 0;
        let course = decides(move |call, message| match call {
            0 => follow(link),
            _ if message.contains("the page offered a file") => finish("Files"),
            _ => {
                waits += 1;
                assert!(waits < 20, "{message}");
                call_wait(waits)
            }
        });
        let played = bed.play(page, "offers", course, StopReason::Finished).await;
        assert!(
            matches!(&played.notices()[..], [Notice::Download { suggested_name, kept: false }] if ends_in(suggested_name, "bin")),
            "{played:?}"
        );
        assert!(files_of(kept.path(), 0).is_empty());
        stop.send(()).unwrap();
        let most = watch.await.unwrap();
        let sent = bed.site.sent();
        assert!(
            most < 6 * MAX_DOWNLOAD && sent < 20 * MAX_DOWNLOAD,
            "{most} bytes on the disk, {sent} sent"
        );
        // The browser removes it by itself, some time after it was told to drop it.
        let gone = async {
            while !files_of(bed.base(), MAX_DOWNLOAD / 2).is_empty() {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        let gone = tokio::time::timeout(GONE, gone).await;
        assert!(gone.is_ok(), "what was dropped is still there");
        bed.close().await;
    }
}

/// A wait that is no repetition of the one before.
fn call_wait(seconds: u32) -> webwise::chat::ChatResponse {
    call("wait", json!({ "seconds": seconds }))
}

/// Names and lengths on the disk of the files under a folder that have at least this many bytes.
fn files_of(folder: &Path, least: u64) -> Vec<(String, u64)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => found.extend(files_of(&entry.path(), least)),
            Ok(metadata) if metadata.len() >= least => {
                found.push((
                    entry.file_name().to_string_lossy().into_owned(),
                    metadata.len(),
                ));
            }
            _ => {}
        }
    }
    found
}

fn ends_in(name: &str, extension: &str) -> bool {
    Path::new(name)
        .extension()
        .is_some_and(|found| found == extension)
}
