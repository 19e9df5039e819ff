//! A small world: a club's site with a form, and a model that joins by what the browser shows.
//!
//! Home, form, thanks: `goto`, `click`, `fill`, `check`, `click`, then `finish`. What was sent once stays sent: whoever
//! opens the form again sees the thanks. Every call waits as it is told, so that it can be dropped there.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use serde_json::{Value, json};
use webwise::{
    BrowserDriver, Result, Task,
    action::{BrowserAction, BrowserTool, ErrorClass, Outcome, Target, TextValue},
    base::TokenCount,
    browser::{
        BrowserCapabilities, ExecuteRequest, Execution, ObserveRequest, SceneRequest,
        ScreenshotRequest,
    },
    chat::{ChatResponse, Usage},
    page::{Node, Observation, Role, Scene, Tri},
    testing::{call, tree},
};

pub(crate) const HOME: &str = "https://club.example/";
pub(crate) const FORM: &str = "https://club.example/join";
const NUMBER: &str = "M-4711";

pub(crate) fn task() -> Task {
    Task::new("Join the club as Ada and tell the member number")
        .unwrap()
        .with_start_url(HOME)
        .unwrap()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Page {
    Blank,
    Home,
    Form,
}

#[derive(Debug)]
struct State {
    page: Page,
    name: String,
    agreed: bool,
    sent: u32,
}

/// The browser; clones share it.
#[derive(Debug, Clone)]
pub(crate) struct Club {
    state: Arc<Mutex<State>>,
    /// Decides which references and which order the form has.
    seed: u32,
    delay: Duration,
    lease: webwise::browser::Lease,
}

impl Club {
    pub(crate) fn new(seed: u32, delay: Duration) -> Self {
        let state = State {
            page: Page::Blank,
            name: String::new(),
            agreed: false,
            sent: 0,
        };
        Self {
            state: Arc::new(Mutex::new(state)),
            seed,
            delay,
            lease: webwise::browser::Lease::new(),
        }
    }

    /// How often the form was sent, tries to send it again included.
    pub(crate) fn sent(&self) -> u32 {
        self.lock().sent
    }

    /// Makes a new browser for the same site: what was typed is gone, what was sent is not.
    #[allow(dead_code, reason = "only a target that ends processes needs it")]
    pub(crate) fn restart(&self) {
        let mut state = self.lock();
        state.page = Page::Blank;
        if state.sent == 0 {
            (state.name, state.agreed) = (String::new(), false);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn reference(&self, nth: u32) -> u32 {
        1 + self.seed * 3 % 40 + nth
    }

    async fn pause(&self) {
        tokio::task::yield_now().await;
        if !self.delay.is_zero() {
            tokio::time::sleep(self.delay).await;
        }
    }

    fn look(&self) -> Observation {
        let state = self.lock();
        let [a, b, c] = [0, 1, 2].map(|nth| self.reference(nth));
        match state.page {
            Page::Blank => Observation::new("about:blank", "", tree("")),
            Page::Home => Observation::new(
                HOME,
                "Club",
                tree(&format!(
                    "heading \"Club\"\nlink \"Join\" e{a} -> {FORM}\nbutton \"Help\" e{b}"
                )),
            ),
            Page::Form if state.sent > 0 => {
                let thanks = format!(
                    "heading \"Welcome {}\"\n\"Your member number is {NUMBER}.\"",
                    state.name
                );
                Observation::new(FORM, "Thanks", tree(&thanks))
            }
            Page::Form => {
                let value = if state.name.is_empty() {
                    String::new()
                } else {
                    format!(" = {}", state.name)
                };
                let name = format!("textbox \"Name\" e{a}{value}");
                let agree = format!(
                    "checkbox \"I agree\" e{b}{}",
                    if state.agreed { " [checked]" } else { "" }
                );
                let fields = if self.seed.is_multiple_of(2) {
                    [name, agree]
                } else {
                    [agree, name]
                };
                let form = format!(
                    "heading \"Join\"\n{}\nbutton \"Send\" e{c}",
                    fields.join("\n")
                );
                Observation::new(FORM, "Join", tree(&form))
            }
        }
    }

    /// Carries an action out on what is shown now.
    fn act(&self, action: &BrowserAction) -> Outcome {
        let target = action
            .targets()
            .into_iter()
            .find_map(Target::as_ref)
            .map(|r| r.as_str().to_owned());
        let send = format!("e{}", self.reference(2));
        let shown = self.look().tree;
        let on = target
            .as_deref()
            .and_then(|reference| shown.by_ref(reference))
            .map(|id| shown[id].name.to_string());
        let mut state = self.lock();
        let again = state.sent > 0
            && matches!(action, BrowserAction::Click(_))
            && target.as_ref() == Some(&send);
        state.sent += u32::from(again);
        match (action, on.as_deref()) {
            (BrowserAction::Goto(goto), _) => {
                state.page = match goto.url.as_str() {
                    HOME => Page::Home,
                    FORM => Page::Form,
                    _ => return Outcome::failed(ErrorClass::NavigationFailed, ""),
                }
            }
            (BrowserAction::Click(_), Some("Join")) => state.page = Page::Form,
            (BrowserAction::Click(_), Some("Send")) if state.agreed && !state.name.is_empty() => {
                state.sent += 1;
            }
            (BrowserAction::Fill(fill), Some("Name")) => match &fill.text {
                TextValue::Literal(text) => state.name.clone_from(text),
                _ => return Outcome::failed(ErrorClass::BadValue, ""),
            },
            (BrowserAction::Check(_), Some("I agree")) => state.agreed = true,
            (BrowserAction::DialogAccept(_) | BrowserAction::DialogDismiss(_), _) => {
                return Outcome::failed(ErrorClass::NoDialog, "");
            }
            (_, None) if target.is_some() => return Outcome::failed(ErrorClass::RefNotFound, ""),
            _ => {}
        }
        Outcome::Done
    }
}

#[async_trait]
impl BrowserDriver for Club {
    fn capabilities(&self) -> BrowserCapabilities {
        // The tools that its pages need: describing all of them takes most of a run's time.
        let tools = [
            BrowserTool::Goto,
            BrowserTool::GoBack,
            BrowserTool::Click,
            BrowserTool::Fill,
            BrowserTool::Check,
            BrowserTool::Press,
            BrowserTool::DialogAccept,
            BrowserTool::DialogDismiss,
        ];
        BrowserCapabilities::new("club", tools)
    }

    fn lease(&self) -> &webwise::browser::Lease {
        &self.lease
    }

    async fn observe(&self, _: &ObserveRequest) -> Result<Observation> {
        self.pause().await;
        Ok(self.look())
    }

    async fn execute(&self, request: &ExecuteRequest) -> Result<Execution> {
        self.pause().await;
        let outcome = self.act(&request.action);
        self.pause().await;
        Ok(outcome.into())
    }

    async fn screenshot(&self, _: &ScreenshotRequest) -> Result<Vec<u8>> {
        Ok(b"club".to_vec())
    }

    async fn scene(&self, _: &SceneRequest) -> Result<Scene> {
        Ok(Scene::default())
    }

    async fn close(&self) -> Result<()> {
        Ok(())
    }
}

/// Remembers what a browser showed last, for the model to decide by; clones share it.
#[derive(Debug, Clone)]
pub(crate) struct Eyes<B> {
    inner: B,
    seen: Arc<Mutex<Option<Observation>>>,
}

impl<B> Eyes<B> {
    pub(crate) fn new(inner: B) -> Self {
        Self {
            inner,
            seen: Arc::default(),
        }
    }

    /// A function of what was seen last.
    pub(crate) fn policy(&self) -> impl Fn() -> ChatResponse + Send + 'static {
        let seen = Arc::clone(&self.seen);
        move || decide(seen.lock().unwrap_or_else(PoisonError::into_inner).as_ref())
    }
}

#[async_trait]
impl<B: BrowserDriver> BrowserDriver for Eyes<B> {
    fn capabilities(&self) -> BrowserCapabilities {
        self.inner.capabilities()
    }

    fn lease(&self) -> &webwise::browser::Lease {
        self.inner.lease()
    }

    async fn observe(&self, request: &ObserveRequest) -> Result<Observation> {
        let observation = self.inner.observe(request).await?;
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(observation.clone());
        Ok(observation)
    }

    async fn execute(&self, request: &ExecuteRequest) -> Result<Execution> {
        self.inner.execute(request).await
    }

    async fn screenshot(&self, request: &ScreenshotRequest) -> Result<Vec<u8>> {
        self.inner.screenshot(request).await
    }

    async fn scene(&self, request: &SceneRequest) -> Result<Scene> {
        self.inner.scene(request).await
    }

    async fn close(&self) -> Result<()> {
        self.inner.close().await
    }
}

/// What a sensible model does next.
fn decide(seen: Option<&Observation>) -> ChatResponse {
    let mut response = match seen {
        Some(page) if page.dialog.is_some() => call("dialog_accept", json!({})),
        Some(page) if page.url.starts_with("https:") => next(page),
        _ => call("goto", json!({ "url": HOME })),
    };
    response.usage = Some(Usage {
        input: TokenCount(900),
        output: TokenCount(30),
        cached: TokenCount(0),
    });
    response
}

fn next(page: &Observation) -> ChatResponse {
    let find = |role: Role, name: &str| {
        page.tree
            .iter()
            .map(|(_, n)| n)
            .find(|n| n.role == role && &*n.name == name)
    };
    let on = |node: &Node, tool: &str, more: &[(&str, &str)]| {
        let mut arguments = json!({ "target": node.reference.as_ref().unwrap().as_str() });
        for (key, value) in more {
            arguments[*key] = Value::from(*value);
        }
        call(tool, arguments)
    };
    if let Some(link) = find(Role::Link, "Join") {
        return on(link, "click", &[]);
    }
    match (
        find(Role::TextBox, "Name"),
        find(Role::Checkbox, "I agree"),
        find(Role::Button, "Send"),
    ) {
        (Some(field), _, _) if field.value.is_none() => on(field, "fill", &[("text", "Ada")]),
        (_, Some(field), _) if field.states.checked != Some(Tri::True) => on(field, "check", &[]),
        (_, _, Some(button)) => on(button, "click", &[]),
        _ => {
            let evidence = format!("Your member number is {NUMBER}");
            call("finish", json!({ "answer": NUMBER, "evidence": evidence }))
        }
    }
}
