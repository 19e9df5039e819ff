//! What dies under a run: renderer, browser, daemon. It is told as a lost browser, at once, and never as a blank page.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use webwise::{browser::ProgramPlaces, working::StopReason};

use crate::hostile_pages::{
    bed::{Bed, options},
    browsers::{Driver, MISSING, Wishes},
    played::{click, decides, finish, look, says},
    profile::pick,
    tally::ways,
};

on_each_driver! {
    a_browser_or_a_daemon_that_is_killed_is_a_lost_browser,
}

// That the other driver tells what died is tested beside it, in `browser_playwright_cli`.
in_turn! {
    a_renderer_that_is_killed_is_a_lost_page,
    a_browser_whose_folder_is_removed_is_lost_or_goes_on_and_ends_all_the_same,
}

/// Kills processes of this bed's browser and of no other.
fn kill(pids: &[u32]) {
    assert!(!pids.is_empty(), "there is nothing to kill");
    for pid in pids {
        assert!(
            Command::new("kill")
                .args(["-9", &pid.to_string()])
                .status()
                .unwrap()
                .success()
        );
    }
    std::thread::sleep(std::time::Duration::from_millis(300));
}

async fn a_renderer_that_is_killed_is_a_lost_page(by: Driver) {
    for (page, by) in ways(by, "renderer killed", "renderer killed, by processes") {
        let bed = Bed::whole(by).await;
        let renderers = bed.renderers();
        let model = decides(move |call, _| match call {
            0 => {
                kill(&renderers);
                look()
            }
            _ => finish("All is well"),
        });
        let played = bed
            .play(page, "plain", model, StopReason::BrowserLost)
            .await;
        assert_eq!(
            played.messages.len(),
            1,
            "the model is not asked about a page that is gone"
        );
        assert!(
            played
                .seen()
                .iter()
                .all(|seen| seen.url == bed.site.url("plain")),
            "no blank page is shown: {played:?}"
        );
        bed.close().await;
    }
}

async fn a_browser_or_a_daemon_that_is_killed_is_a_lost_browser(by: Driver) {
    let browsers = ways(by, "browser killed", "browser killed, by processes")
        .into_iter()
        .map(|way| (way, false));
    // Only one of the drivers has a tool that can die by itself. The quick profile leaves its death by the socket to the tests of
    // the driver.
    let tools = by
        .ways("daemon killed", "daemon killed, by processes")
        .into_iter()
        .skip(pick(1, 0))
        .map(|way| (way, true));
    for ((page, by), tool) in browsers.chain(tools.filter(|((_, by), _)| *by != Driver::Cdp)) {
        let bed = Bed::whole(by).await;
        let victim = if tool { bed.daemon() } else { bed.browser() };
        let model = decides(move |call, _| match call {
            0 => {
                kill(&[victim]);
                click("Press")
            }
            _ => finish("All is well"),
        });
        let played = bed
            .play(page, "plain", model, StopReason::BrowserLost)
            .await;
        assert_eq!(played.messages.len(), 1);
        assert!(
            played
                .report
                .error
                .as_deref()
                .is_some_and(|error| error.contains("browser lost")),
            "{played:?}"
        );
        bed.close().await;
    }
}

async fn a_browser_whose_folder_is_removed_is_lost_or_goes_on_and_ends_all_the_same(by: Driver) {
    let bed = Bed::whole(by).await;
    let folder = bed.private_folder();
    let model = decides(move |call, _| match call {
        0 => {
            // The browser may still write into it meanwhile; what matters is gone at the first attempt.
            while ["s", "watch.cjs", "browser.pid"]
                .iter()
                .any(|file| folder.join(file).exists())
            {
                let _ = std::fs::remove_dir_all(&folder);
            }
            click("Press")
        }
        _ => finish("All is well"),
    });
    // The tool's sockets are in it. Chromium by itself may have all it needs in memory, or not.
    let stops: &[_] = if by == Driver::Cdp {
        &[StopReason::Finished, StopReason::BrowserLost]
    } else {
        &[StopReason::BrowserLost]
    };
    let played = bed
        .play_to(
            "folder removed",
            "plain",
            bed.driver(),
            model,
            options(),
            stops,
        )
        .await;
    if played.report.summary.stop == StopReason::Finished {
        assert_eq!(played.course(), ["goto done", "click done"], "{played:?}");
    } else {
        assert!(
            played
                .report
                .error
                .as_deref()
                .is_some_and(|error| error.contains("browser lost")),
            "{played:?}"
        );
        assert_eq!(played.messages.len(), 1);
    }
    bed.close().await;
}

/// A Chromium whose pages may hold 64 MB of objects, so that a machine with less than a page may take outlives the test.
fn small_chromium(folder: &Path) -> PathBuf {
    let chromium = ProgramPlaces::from_env().chromium().expect(MISSING);
    let script = folder.join("chromium");
    let lines = format!(
        "exec '{}' --js-flags=--max-old-space-size=64 \"$@\"",
        chromium.display()
    );
    crate::hostile_pages::executable::write(&script, &lines);
    script
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_exhausts_memory_is_a_lost_page() {
    let folder = tempfile::tempdir().unwrap();
    let program = small_chromium(folder.path());
    let pages = [
        ("exhausts memory", "allocates-later", 1),
        ("exhausts memory while it loads", "allocates", 0),
    ];
    for (page, path, steps) in pages.into_iter().take(pick(1, 2)) {
        let wishes = Wishes {
            program: Some(program.clone()),
            ..Wishes::default()
        };
        let bed = Bed::with(Driver::Cdp, wishes).await;
        let model = says([click("Press"), finish("All is well")]);
        let played = bed.play(page, path, model, StopReason::BrowserLost).await;
        assert_eq!(played.messages.len(), steps, "{played:?}");
        let error = played.report.error.as_deref().unwrap_or_default();
        assert!(error.contains("the page crashed"), "{played:?}");
        bed.close().await;
    }
}
