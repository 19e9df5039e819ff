//! Dialogs: whenever one opens, it is told, it blocks, and the run goes on when it is answered.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use async_trait::async_trait;
use webwise::{
    Result,
    browser::{
        BrowserCapabilities, BrowserDriver, ExecuteRequest, Execution, ObserveRequest,
        SceneRequest, ScreenshotRequest,
    },
    page::{Dialog, DialogKind, Observation, Scene},
    working::StopReason,
};

use crate::hostile_pages::{
    bed::{Bed, options},
    browsers::Driver,
    played::{accept, click, decides, dismiss, finish, follow, give_up, go, says},
    server::Gates,
    tally::ways,
};

on_each_driver! {
    an_alert_on_load_is_told_before_anything_else,
    dialogs_that_a_click_opens_are_answered_as_the_model_says,
    an_alert_while_the_model_thinks_fails_the_action_and_nothing_else,
}

// That the other driver tells of such a page is a check of `browser_conformance`.
in_turn! {
    leaving_a_page_that_asks_to_stay_takes_two_actions,
    an_alert_that_opens_during_a_snapshot_is_a_page_under_a_dialog,
    a_page_that_nags_without_end_ends_the_run,
}

async fn an_alert_on_load_is_told_before_anything_else(by: Driver) {
    for (page, by) in ways(by, "alert on load", "alert on load, by processes") {
        let bed = Bed::start(by).await;
        let model = says([accept(), finish("Behind the alert")]);
        let played = bed
            .play(page, "alert-on-load", model, StopReason::Finished)
            .await;
        let first = &played.seen()[0];
        assert_eq!(
            first.dialog,
            Some(Dialog::new(DialogKind::Alert, "Welcome, press OK")),
            "{played:?}"
        );
        assert!(first.tree.is_empty());
        assert!(
            played.messages[0].contains("Welcome, press OK")
                && !played.messages[0].contains("Behind the alert")
        );
        assert_eq!(played.course()[1..], ["dialog_accept done"], "{played:?}");
        bed.close().await;
    }
}

async fn dialogs_that_a_click_opens_are_answered_as_the_model_says(by: Driver) {
    let bed = Bed::start(by).await;
    let course = [
        click("Tell"),
        click("Ask"),
        accept(),
        click("Ask"),
        dismiss(),
        finish("sure=false"),
    ];
    let played = bed
        .play(
            "alert on click",
            "alert-on-click",
            says(course),
            StopReason::Finished,
        )
        .await;
    // The second click came under the dialog of the first.
    assert_eq!(
        played.course(),
        [
            "goto done",
            "click done",
            "click dialog_open",
            "dialog_accept done",
            "click done",
            "dialog_dismiss done"
        ],
        "{played:?}"
    );
    assert!(
        played.last_text().contains("alert=over;sure=false;"),
        "{played:?}"
    );

    let course = [
        click("Question"),
        webwise::testing::call("dialog_accept", serde_json::json!({ "text": "Ann" })),
        finish("name=Ann"),
    ];
    let played = bed
        .play(
            "prompt",
            "alert-on-click",
            says(course),
            StopReason::Finished,
        )
        .await;
    let told = played.seen().iter().find_map(|seen| seen.dialog.clone());
    assert_eq!(told, Some(Dialog::new(DialogKind::Prompt, "Your name?")));

    let course = [click("Ask"), accept(), finish("sure=true")];
    let played = bed
        .play(
            "confirm",
            "alert-on-click",
            says(course),
            StopReason::Finished,
        )
        .await;
    assert_eq!(
        played.course(),
        ["goto done", "click done", "dialog_accept done"],
        "{played:?}"
    );

    // What a dialog asks is judged like the label of a button.
    let course = [click("Choose"), accept(), dismiss(), finish("gone=false")];
    let played = bed
        .play(
            "confirm that deletes",
            "alert-on-click",
            says(course),
            StopReason::Finished,
        )
        .await;
    assert_eq!(
        played.course()[2..],
        ["dialog_accept rejected", "dialog_dismiss done"],
        "{played:?}"
    );
    bed.close().await;
}

async fn leaving_a_page_that_asks_to_stay_takes_two_actions(by: Driver) {
    let bed = Bed::start(by).await;
    let elsewhere = bed.site.url("plain");
    let course = [
        click("Guard"),
        go(&elsewhere),
        accept(),
        finish("All is well"),
    ];
    let played = bed
        .play(
            "beforeunload",
            "guarded",
            says(course),
            StopReason::Finished,
        )
        .await;
    assert_eq!(
        played.course(),
        [
            "goto done",
            "click done",
            "goto dialog_open",
            "dialog_accept done"
        ],
        "{played:?}"
    );
    assert_eq!(played.report.final_url.as_deref(), Some(&*elsewhere));

    let course = [click("Guard"), follow("Leave"), dismiss(), finish("Stay")];
    let played = bed
        .play(
            "beforeunload, stayed",
            "guarded",
            says(course),
            StopReason::Finished,
        )
        .await;
    let kinds: Vec<_> = played
        .seen()
        .iter()
        .filter_map(|seen| seen.dialog.as_ref().map(|dialog| dialog.kind))
        .collect();
    assert!(kinds.contains(&DialogKind::BeforeUnload), "{played:?}");
    assert_eq!(played.report.final_url, Some(bed.site.url("guarded")));
    bed.close().await;
}

async fn an_alert_while_the_model_thinks_fails_the_action_and_nothing_else(by: Driver) {
    for (page, by) in ways(by, "alert in a timer", "alert in a timer, by processes") {
        let bed = Bed::start(by).await;
        let gates = bed.site.gates();
        let model = decides(move |call, _| match call {
            0 => {
                gates.open("late");
                std::thread::sleep(Duration::from_secs(1));
                click("Press")
            }
            1 => accept(),
            2 => click("Press"),
            _ => finish("pressed=1"),
        });
        let played = bed
            .play(page, "alert-behind-a-gate", model, StopReason::Finished)
            .await;
        assert_eq!(
            played.course(),
            [
                "goto done",
                "click dialog_open",
                "dialog_accept done",
                "click done"
            ],
            "{played:?}"
        );
        assert!(
            played.messages[1].contains("It is late")
                && played.last_text().contains("alert=over;pressed=1;")
        );
        bed.close().await;
    }
}

/// Number of paragraphs of the page that is slow to read, without its frame.
const PARAGRAPHS: usize = 3_000;

/// Opens a gate of the site while the browser looks at a page.
#[derive(Debug)]
struct OpensWhileLooking {
    driver: Arc<dyn BrowserDriver>,
    gates: Gates,
    after: Duration,
    /// Whether a look has met the alert.
    is_met: AtomicBool,
}

/// Longest time until a look meets the alert. Unit: time. Source: chosen.
const MET: Duration = Duration::from_secs(30);

#[async_trait]
impl BrowserDriver for OpensWhileLooking {
    fn capabilities(&self) -> BrowserCapabilities {
        self.driver.capabilities()
    }

    fn lease(&self) -> &webwise::browser::Lease {
        self.driver.lease()
    }

    async fn observe(&self, request: &ObserveRequest) -> Result<Observation> {
        let open = async {
            tokio::time::sleep(self.after).await;
            self.gates.open("seen");
        };
        let begin = Instant::now();
        let mut seen = tokio::join!(self.driver.observe(request), open).0?;
        // On a busy machine the alert opens after the look, and another one meets it.
        while seen.dialog.is_none() && !self.is_met.load(Ordering::Relaxed) && begin.elapsed() < MET
        {
            seen = self.driver.observe(request).await?;
        }
        self.is_met
            .fetch_or(seen.dialog.is_some(), Ordering::Relaxed);
        Ok(seen)
    }

    async fn execute(&self, request: &ExecuteRequest) -> Result<Execution> {
        self.driver.execute(request).await
    }

    async fn screenshot(&self, request: &ScreenshotRequest) -> Result<Vec<u8>> {
        self.driver.screenshot(request).await
    }

    async fn scene(&self, request: &SceneRequest) -> Result<Scene> {
        self.driver.scene(request).await
    }

    async fn close(&self) -> Result<()> {
        self.driver.close().await
    }
}

async fn an_alert_that_opens_during_a_snapshot_is_a_page_under_a_dialog(by: Driver) {
    let bed = Bed::start(by).await;
    let driver = OpensWhileLooking {
        driver: bed.driver(),
        gates: bed.site.gates(),
        after: Duration::from_millis(20),
        is_met: AtomicBool::new(false),
    };
    let model = says([accept(), finish("Much to read")]);
    let page = "alert during a snapshot";
    let played = bed
        .play_with(
            page,
            "alert-under-way",
            driver,
            model,
            options(),
            StopReason::Finished,
        )
        .await;
    let seen = played.seen();
    // Nothing was open when the look began: that the page was opened says so.
    assert_eq!(
        played.course(),
        ["goto done", "dialog_accept done"],
        "{:?}",
        played.report
    );
    assert_eq!(
        seen[0].dialog,
        Some(Dialog::new(DialogKind::Alert, "Caught you looking"))
    );
    // On a slow machine the alert may open after the page was read, so it is seen with all of the page or none of it.
    let nodes = seen[0].tree.len();
    assert!(nodes == 0 || nodes > PARAGRAPHS, "{nodes} nodes");
    let head = (&*seen[0].url, &*seen[0].title);
    assert_eq!(head, (&*bed.site.url("alert-under-way"), "Slow to read"));
    // A frame that is slow is left out.
    let nodes = seen[1].tree.len();
    assert!(
        seen[1].dialog.is_none() && nodes > PARAGRAPHS,
        "{:?}, {nodes} nodes",
        seen[1].dialog
    );
    bed.close().await;
}

async fn a_page_that_nags_without_end_ends_the_run(by: Driver) {
    let bed = Bed::own(by).await;
    let model = decides(|call, _| if call < 20 { accept() } else { give_up() });
    let played = bed
        .play(
            "alerts without end",
            "alerts-without-end",
            model,
            StopReason::Stuck,
        )
        .await;
    assert!(
        played
            .messages
            .iter()
            .all(|message| message.contains("Look at me")),
        "{played:?}"
    );
    bed.close().await;
}
