//! A browser for tests. It consists of a list of pages and of scripted replies to actions.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;

use super::tree;
use crate::{
    BrowserDriver,
    action::{Action, BrowserAction, BrowserTool, ErrorClass, Outcome},
    base::{Error, ErrorKind, Result},
    browser::{
        BrowserCapabilities, ExecuteRequest, Execution, Lease, ObserveRequest, SceneRequest,
        ScreenshotRequest,
    },
    page::{Dialog, Observation, Scene},
};

/// The reply of a [`ScriptedBrowser`] to an action.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum ScriptedReply {
    /// The action succeeds and shows the page at this address.
    Show(&'static str),
    /// The action succeeds and changes nothing.
    Nothing,
    /// The action succeeds, changes nothing and returns this text.
    Return(&'static str),
    /// The action fails with this class and detail.
    Fail(ErrorClass, &'static str),
    /// The action fails with this class, and afterwards the browser shows the page at this address.
    FailOn(&'static str, ErrorClass),
    /// The action succeeds and opens this dialog.
    Open(Dialog),
    /// The driver returns an error of this kind instead of an outcome of the action. After [`ErrorKind::BrowserLost`],
    /// every later call except `close` returns that error too.
    Break(ErrorKind),
}

#[derive(Debug, Clone)]
struct Rule {
    page: &'static str,
    action: String,
    replies: VecDeque<ScriptedReply>,
}

#[derive(Debug, Clone, Default)]
struct State {
    pages: Vec<Observation>,
    scenes: Vec<Scene>,
    pictures: VecDeque<Vec<u8>>,
    current: Option<usize>,
    dialog: Option<Dialog>,
    rules: Vec<Rule>,
    executed: Vec<String>,
    lost: bool,
    closed: bool,
    has_fresh: bool,
}

/// A browser that consists of scripted pages. Clones share its state.
///
/// A rule sets the replies to one action on one page. The action is given as a line, such as `click {"target":"e5"}`.
/// Without a rule for the action on the current page, the reply depends on the action. `goto` shows the page at its
/// address, and fails if there is no such page. An answer to a dialog closes the dialog, and fails if none is open.
/// Every other action succeeds without effect.
#[derive(Debug, Clone, Default)]
pub struct ScriptedBrowser {
    state: Arc<Mutex<State>>,
    lease: Lease,
}

impl ScriptedBrowser {
    /// Creates a browser without pages.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns a copy of this browser, with the same script and the same current page. The copy shares no state with this
    /// browser.
    #[must_use]
    pub fn fork(&self) -> Self {
        Self {
            state: Arc::new(Mutex::new(self.lock().clone())),
            lease: Lease::new(),
        }
    }

    /// Adds the page at this address. `content` is the page's tree in the notation of [`tree`].
    pub fn with_page(self, url: &'static str, title: &str, content: &str) -> Self {
        self.lock()
            .pages
            .push(Observation::new(url, title, tree(content)));
        self
    }

    /// Gives this browser the capability [`fresh`](BrowserCapabilities::fresh). Runs of an agent then use copies, and what they do
    /// is not [`executed`](Self::executed) here, unless they are [shared](crate::agent::Context::Shared).
    pub fn with_fresh(self) -> Self {
        self.lock().has_fresh = true;
        self
    }

    /// Returns a browser with the same pages and replies that has shown and executed nothing.
    fn begun_anew(&self) -> Self {
        let anew = self.fork();
        {
            let mut state = anew.lock();
            state.current = None;
            state.executed.clear();
        }
        anew
    }

    /// Sets the HTTP status with which the page at this address comes.
    pub fn with_status(self, url: &str, status: u16) -> Self {
        for page in self.lock().pages.iter_mut().filter(|page| page.url == url) {
            page.status = Some(status);
        }
        self
    }

    /// Sets the scene (the boxes of the elements in the window) of the page at the scene's address. A page for which no
    /// scene is set has an unknown scene. A later call for the page replaces the scene of an earlier call.
    pub fn with_scene(self, scene: Scene) -> Self {
        self.lock().scenes.push(scene);
        self
    }

    /// Sets the bytes of the PNG file that every screenshot returns.
    pub fn with_picture(self, png: Vec<u8>) -> Self {
        self.with_pictures([png])
    }

    /// Sets the bytes of the PNG files that screenshots return: each returns the next; the last one is repeated.
    pub fn with_pictures(self, pngs: impl IntoIterator<Item = Vec<u8>>) -> Self {
        self.lock().pictures = pngs.into_iter().collect();
        self
    }

    /// Sets the replies to an action on the page at the address `page`. The action is given as a line, such as
    /// `click {"target":"e5"}`. Each time the action is executed, it gets the next reply; the last reply is repeated. A
    /// later call of this method for the action and the page replaces the replies of an earlier call.
    pub fn on(
        self,
        page: &'static str,
        action: &str,
        replies: impl IntoIterator<Item = ScriptedReply>,
    ) -> Self {
        let rule = Rule {
            page,
            action: action.to_owned(),
            replies: replies.into_iter().collect(),
        };
        self.lock().rules.push(rule);
        self
    }

    /// Returns all actions executed so far, in order, each as a line such as `click {"target":"e5"}`.
    pub fn executed(&self) -> Vec<String> {
        self.lock().executed.clone()
    }

    /// Returns true if the browser was closed.
    pub fn is_closed(&self) -> bool {
        self.lock().closed
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn url(&self) -> &str {
        self.current
            .map_or("about:blank", |index| &self.pages[index].url)
    }

    /// Returns the next picture that the test set, or else bytes that are not a picture.
    fn picture(&mut self) -> Vec<u8> {
        let next = match self.pictures.len() {
            0 | 1 => self.pictures.front().cloned(),
            _ => self.pictures.pop_front(),
        };
        next.unwrap_or_else(|| b"scripted".to_vec())
    }

    fn reply(&mut self, line: &str) -> Option<ScriptedReply> {
        let url = self.url().to_owned();
        let rule = self
            .rules
            .iter_mut()
            .rfind(|rule| rule.page == url && rule.action == line)?;
        if rule.replies.len() > 1 {
            return rule.replies.pop_front();
        }
        rule.replies.front().map(|last| match last {
            ScriptedReply::Show(url) => ScriptedReply::Show(url),
            ScriptedReply::Nothing => ScriptedReply::Nothing,
            ScriptedReply::Return(text) => ScriptedReply::Return(text),
            ScriptedReply::Fail(class, detail) => ScriptedReply::Fail(*class, detail),
            ScriptedReply::FailOn(url, class) => ScriptedReply::FailOn(url, *class),
            ScriptedReply::Open(dialog) => ScriptedReply::Open(dialog.clone()),
            ScriptedReply::Break(kind) => ScriptedReply::Break(*kind),
        })
    }

    fn show(&mut self, url: &str) -> Outcome {
        match self.pages.iter().position(|page| page.url == url) {
            Some(index) => {
                self.current = Some(index);
                self.dialog = None;
                Outcome::Done
            }
            None => Outcome::failed(ErrorClass::NavigationFailed, "no such page in the script"),
        }
    }

    fn lost(&self) -> Result<()> {
        if self.lost {
            Err(Error::new(ErrorKind::BrowserLost, "scripted_browser.lost"))
        } else {
            Ok(())
        }
    }
}

#[async_trait]
impl BrowserDriver for ScriptedBrowser {
    fn capabilities(&self) -> BrowserCapabilities {
        BrowserCapabilities::new("scripted", BrowserTool::ALL.iter().copied())
            .with_fresh(self.lock().has_fresh)
    }

    fn lease(&self) -> &Lease {
        &self.lease
    }

    async fn fresh(&self) -> Result<Arc<dyn BrowserDriver>> {
        Ok(Arc::new(self.begun_anew()))
    }

    async fn observe(&self, request: &ObserveRequest) -> Result<Observation> {
        let mut state = self.lock();
        state.lost()?;
        let mut page = state.current.map_or_else(
            || Observation::new("about:blank", "", tree("")),
            |i| state.pages[i].clone(),
        );
        if let Some(dialog) = &state.dialog {
            page.dialog = Some(dialog.clone());
            page.tree = tree("");
        }
        page.screenshot = request.screenshot.then(|| state.picture());
        Ok(page)
    }

    async fn execute(&self, request: &ExecuteRequest) -> Result<Execution> {
        let line = Action::Browser(request.action.clone()).line();
        let mut state = self.lock();
        state.lost()?;
        state.executed.push(line.clone());
        match state.reply(&line) {
            Some(ScriptedReply::Show(url)) => Ok(state.show(url).into()),
            Some(ScriptedReply::Nothing) => Ok(Outcome::Done.into()),
            Some(ScriptedReply::Return(text)) => {
                let mut execution = Execution::new(Outcome::Done);
                execution.text = Some(text.to_owned());
                Ok(execution)
            }
            Some(ScriptedReply::Fail(class, detail)) => Ok(Outcome::failed(class, detail).into()),
            Some(ScriptedReply::FailOn(url, class)) => Ok(match state.show(url) {
                Outcome::Done => Outcome::failed(class, "").into(),
                other => other.into(),
            }),
            Some(ScriptedReply::Open(dialog)) => {
                state.dialog = Some(dialog.clone());
                let mut execution = Execution::new(Outcome::Done);
                execution.dialog = Some(dialog);
                Ok(execution)
            }
            Some(ScriptedReply::Break(kind)) => {
                state.lost |= kind == ErrorKind::BrowserLost;
                Err(Error::new(kind, "scripted_browser.execute"))
            }
            None => Ok(match &request.action {
                BrowserAction::Goto(goto) => state.show(&goto.url).into(),
                BrowserAction::DialogAccept(_) | BrowserAction::DialogDismiss(_) => {
                    match state.dialog.take() {
                        Some(_) => Outcome::Done.into(),
                        None => Outcome::failed(ErrorClass::NoDialog, "").into(),
                    }
                }
                BrowserAction::Screenshot(_) => Execution {
                    image: Some(state.picture()),
                    ..Outcome::Done.into()
                },
                _ => Outcome::Done.into(),
            }),
        }
    }

    async fn screenshot(&self, _: &ScreenshotRequest) -> Result<Vec<u8>> {
        let mut state = self.lock();
        state.lost()?;
        Ok(state.picture())
    }

    async fn scene(&self, request: &SceneRequest) -> Result<Scene> {
        let state = self.lock();
        state.lost()?;
        let mut scenes = state.scenes.iter();
        let known = scenes.rfind(|scene| scene.url == state.url()).cloned();
        let mut scene = known.unwrap_or_default();
        scene
            .boxes
            .retain(|(reference, _)| request.elements.contains(reference));
        Ok(scene)
    }

    async fn close(&self) -> Result<()> {
        self.lock().closed = true;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_last_scene_of_a_page_counts() {
        let scene = |width| Scene::new("about:blank", width, 1);
        let browser = ScriptedBrowser::new();
        let browser = [1, 2]
            .map(scene)
            .into_iter()
            .fold(browser, ScriptedBrowser::with_scene);
        let seen = browser.scene(&SceneRequest::default()).await.unwrap();
        assert_eq!(seen.width, 2);
    }
}
