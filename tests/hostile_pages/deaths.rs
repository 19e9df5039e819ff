//! What dies under a run: renderer, browser, daemon. It is told as a lost browser, at once, and never as a blank page.

use std::process::Command;

use webwise::{browser::TransportChoice, working::StopReason};

use crate::{
    bed::{Bed, descends, processes},
    played::{click, decides, finish, look},
};

/// Kills processes of this bed's browser and of no other.
fn kill(pids: &[u32]) {
    assert!(!pids.is_empty(), "there is nothing to kill");
    for pid in pids {
        assert!(Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap().success());
    }
    std::thread::sleep(std::time::Duration::from_millis(300));
}

/// The processes under a daemon whose command line holds a text.
fn under(daemon: u32, naming: &str) -> Vec<u32> {
    processes(naming).into_iter().filter(|pid| *pid != daemon && descends(*pid, daemon)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_renderer_that_is_killed_is_a_lost_page() {
    for (page, transport) in
        [("renderer killed", TransportChoice::Socket), ("renderer killed, by processes", TransportChoice::Process)]
    {
        let bed = Bed::with(|options| options.with_transport(transport)).await;
        let daemon = bed.daemon();
        let model = decides(move |call, _| match call {
            0 => {
                kill(&under(daemon, "--type=renderer"));
                look()
            }
            _ => finish("All is well"),
        });
        let played = bed.play(page, "plain", model, StopReason::BrowserLost).await;
        assert_eq!(played.messages.len(), 1, "the model is not asked about a page that is gone");
        assert!(
            played.seen().iter().all(|seen| seen.url == bed.site.url("plain")),
            "no blank page is shown: {played:?}"
        );
        bed.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_or_a_daemon_that_is_killed_is_a_lost_browser() {
    for (page, transport, whole) in [
        ("browser killed", TransportChoice::Socket, false),
        ("browser killed, by processes", TransportChoice::Process, false),
        ("daemon killed", TransportChoice::Socket, true),
        ("daemon killed, by processes", TransportChoice::Process, true),
    ] {
        let bed = Bed::with(|options| options.with_transport(transport)).await;
        let daemon = bed.daemon();
        let model = decides(move |call, _| match call {
            0 => {
                if whole {
                    kill(&[daemon]);
                } else {
                    let browser: Vec<u32> = under(daemon, "--remote-debugging-pipe").into_iter().take(1).collect();
                    kill(&browser);
                }
                click("Press")
            }
            _ => finish("All is well"),
        });
        let played = bed.play(page, "plain", model, StopReason::BrowserLost).await;
        assert_eq!(played.messages.len(), 1);
        assert!(played.report.error.as_deref().is_some_and(|error| error.contains("browser lost")), "{played:?}");
        bed.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_whose_folder_is_removed_is_a_lost_browser_and_ends_all_the_same() {
    let bed = Bed::start().await;
    let folder = bed.private_folder();
    let model = decides(move |call, _| match call {
        0 => {
            // The browser may still write into it meanwhile; its sockets are gone at the first attempt.
            while folder.join("s").exists() || folder.join("watch.cjs").exists() {
                let _ = std::fs::remove_dir_all(&folder);
            }
            click("Press")
        }
        _ => finish("All is well"),
    });
    let played = bed.play("folder removed", "plain", model, StopReason::BrowserLost).await;
    assert!(played.report.error.as_deref().is_some_and(|error| error.contains("browser lost")), "{played:?}");
    assert_eq!(played.messages.len(), 1);
    bed.close().await;
}
