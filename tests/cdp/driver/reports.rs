//! The report of a run, opened in a real browser: what a hostile page said stands in it as text.

use std::sync::Arc;

use serde_json::json;
use webwise::{
    BrowserDriver as _, DecisionLoop, Site, Task,
    agent::Options,
    browser::Cdp,
    event::RunFolder,
    report::RunRecord,
    store::InMemory,
    testing::{ScriptedModel, call},
};

use crate::driver::{
    bed::{act, folder, goto, options, see, serve, site, text_of},
    web::Answer,
};

/// Words that would be markup, a script and a request.
const SAID: &str = "</details></pre><script>document.title = 'ran'</script><img src=/stolen onerror=\"document.title = 'ran'\">]]>";

#[tokio::test(flavor = "multi_thread")]
async fn what_a_hostile_page_said_is_text_in_the_report() {
    let words = SAID.replace('<', "&lt;").replace('"', "&quot;");
    let page = format!("<title>{words}</title><h1>{words}</h1><button>{words}</button>");
    let (web, base, runs) = (site(&[("/", &page)]), folder(), folder());
    let browser = Cdp::launch(&options(base.path())).await;
    let browser = Arc::new(browser.expect("the browser starts"));
    let kept = Arc::new(RunFolder::new(runs.path()).expect("the folder can be written"));
    let model = ScriptedModel::new([
        call("click", json!({ "target": "role=button" })),
        call("note", json!({ "text": SAID })),
        call(
            "finish",
            json!({ "answer": SAID, "evidence": SAID, "success": true }),
        ),
    ]);
    let agent = DecisionLoop::builder(Arc::clone(&browser), model, InMemory::new())
        .with_options(Options::default())
        .with_sink(Arc::clone(&kept))
        .build()
        .expect("the options make sense");
    let url = web.url("127.0.0.1", "/");
    let task = Task::new(SAID)
        .and_then(|task| {
            task.with_allowed(Site::of(&url.parse().expect("an address"))?)
                .with_start_url(&url)
        })
        .expect("a task");
    let report = agent.run(task).await;
    assert!(report.summary.success, "{report:?}");
    kept.close().expect("all is written");

    let record = RunRecord::open(kept.path_of(&report.run)).expect("it is a run's folder");
    assert_eq!(record.unreadable, [""; 0]);
    let html = record.to_html();
    let shown = serve(move |asked| match &*asked.path {
        "/report" => Answer::page(html.clone()),
        _ => Answer::page("stolen"),
    });
    let opened = act(&browser, goto(shown.url("127.0.0.1", "/report"))).await;
    assert!(opened.expect("the browser answers").outcome.is_done());
    let seen = see(&browser).await;
    assert_eq!(seen.title, report.run.to_string(), "no script ran");
    let text = text_of(&seen);
    // The goal, the answer, the evidence, the name of the page, of the button and of the text that was read.
    assert!(text.matches(SAID).count() >= 5, "{text}");
    let paths: Vec<String> = shown
        .asked()
        .iter()
        .map(|asked| asked.path.clone())
        .collect();
    assert!(
        paths
            .iter()
            .all(|path| ["/report", "/favicon.ico"].contains(&&**path)),
        "{paths:?}"
    );
    browser.close().await.expect("it ends");
}
