//! The requests that an evaluation sends to the browser of a run: to open a set-up page before the run, and to read the
//! last page after the run.

use crate::{
    BrowserDriver,
    action::{BrowserAction, Eval, Goto, Outcome},
    base::text,
    browser::{ExecuteRequest, ObserveRequest},
    cli::Refusal,
    eval::LastPage,
};

/// Maximum length of the browser's description of a failure. Unit: characters. Source: chosen.
const MAX_REASON: usize = 200;

#[derive(Debug, Clone, Default)]
pub(in crate::cli) struct Probe {
    /// Address of the set-up page, which is opened before the run.
    pub(in crate::cli) setup: Option<String>,
    /// JavaScript expression that is evaluated in the last page after the run.
    pub(in crate::cli) script: Option<String>,
}

impl Probe {
    pub(super) const fn needs_scripts(&self) -> bool {
        self.script.is_some()
    }

    pub(super) async fn prepare(&self, browser: &dyn BrowserDriver) -> Result<(), Refusal> {
        let Some(url) = self.setup.clone() else {
            return Ok(());
        };
        let goto = BrowserAction::Goto(Goto { url: url.clone() });
        let why = match browser.execute(&ExecuteRequest::new(goto)).await {
            Ok(done) if done.outcome.is_done() => return Ok(()),
            Ok(done) => reason(&done.outcome),
            Err(error) => error.to_string(),
        };
        Err(Refusal::failure(format!(
            "the set-up page {url} cannot be opened: {why}"
        )))
    }

    /// Evaluates `script`, if there is one, in the page at which the run ended. Returns this page and the result. If
    /// the page cannot be read, the error is the reason.
    pub(super) async fn look(&self, browser: &dyn BrowserDriver) -> Result<LastPage, String> {
        let script = match &self.script {
            Some(script) => Some(evaluate(browser, script).await),
            None => None,
        };
        let page = browser
            .observe(&ObserveRequest::default())
            .await
            .map_err(|error| error.to_string())?;
        Ok(LastPage::of(&page, script))
    }
}

/// Evaluates a JavaScript expression in the current page. Returns true if JavaScript counts its value as true. If the
/// evaluation fails, the error says why.
async fn evaluate(browser: &dyn BrowserDriver, script: &str) -> Result<bool, String> {
    // The line breaks end a comment in the expression before the bracket that follows.
    let eval = BrowserAction::Eval(Eval {
        function: format!("async () => Boolean(await (\n{script}\n))"),
        target: None,
    });
    let done = browser
        .execute(&ExecuteRequest::new(eval))
        .await
        .map_err(|error| error.to_string())?;
    match (done.outcome.is_done(), done.text.as_deref().map(str::trim)) {
        (true, Some("true")) => Ok(true),
        (true, Some("false")) => Ok(false),
        (true, other) => Err(format!("it gave {other:?}")),
        (false, _) => Err(reason(&done.outcome)),
    }
}

fn reason(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Failed(failure) | Outcome::Unclear(failure) => {
            let detail = text::truncate(&text::squeeze(&failure.detail), MAX_REASON);
            format!("{} {detail}", failure.class).trim().to_owned()
        }
        other => other.as_str().to_owned(),
    }
}
