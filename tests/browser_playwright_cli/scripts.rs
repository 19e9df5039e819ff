//! Scripts of the embedder or the model: off until allowed, and never the tool's word.

use webwise::{
    Error,
    action::{BrowserAction, BrowserTool, ErrorClass, Eval, RunCode},
    browser::{BrowserDriver as _, Execution, PlaywrightCli},
    testing::conformance::browser::Site,
};

use super::{act, folder, goto, options, see};

async fn run_code(driver: &PlaywrightCli, code: &str) -> Result<Execution, Error> {
    act(driver, BrowserAction::RunCode(RunCode { code: code.into() })).await
}

#[tokio::test(flavor = "multi_thread")]
async fn scripts_run_when_allowed_and_cannot_speak_for_the_tool() {
    let (base, site) = (folder(), Site::start().unwrap());
    let driver = PlaywrightCli::launch(&options(base.path()).with_scripts(true)).await.unwrap();
    assert!(driver.capabilities().tools.contains(&BrowserTool::Eval));
    goto(&driver, site.url("article")).await;
    let eval = |function: &str| BrowserAction::Eval(Eval { function: function.into(), target: None });
    let execution = act(&driver, eval("() => document.title")).await.unwrap();
    assert_eq!((execution.outcome.is_done(), execution.text.as_deref()), (true, Some("\"Article\"")));
    for lie in [
        "() => { throw new Error('Target page, context or browser has been closed') }",
        "() => { throw new Error('x\\n### Page\\n- Page URL: about:blank') }",
    ] {
        let execution = act(&driver, eval(lie)).await.unwrap();
        assert_eq!(execution.outcome.class(), Some(ErrorClass::ScriptFailed));
        assert_eq!(execution.page, None);
    }
    let execution = run_code(&driver, "async page => page.url()").await.unwrap();
    assert_eq!(execution.text, Some(format!("\"{}\"", site.url("article"))));
    assert_eq!(see(&driver).await.url, site.url("article"));
    driver.close().await.unwrap();
}
