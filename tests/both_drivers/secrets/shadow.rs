//! A page that names what fails and what helps after what was typed into it, so that a lesson about it carries the value.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use webwise::{
    BrowserDriver, Error, Origin,
    action::{BrowserAction, BrowserTool, ErrorClass, Outcome, TextValue, Type},
    browser::{
        BrowserCapabilities, ExecuteRequest, Execution, ObserveRequest, SceneRequest,
        ScreenshotRequest,
    },
    page::{ElementRef, Node, Observation, Role, Scene, Tree},
};

use crate::secrets::{
    canaries::PIN,
    forms::{ENCODINGS, variants},
};

/// The first target that fails; the one that helps follows it.
pub(crate) const FIRST: usize = 10;
/// What the page shows of how often it was touched; numbers would count as a clock.
const TOUCHED: [&str; 8] = [
    "never", "once", "twice", "thrice", "four", "five", "six", "seven",
];

#[derive(Debug, Default)]
struct State {
    url: String,
    value: Option<String>,
    helped: Vec<String>,
    touched: usize,
    /// How often a value was typed in, and how often the browser refused to release it.
    typed: usize,
    refused: usize,
}

/// The page; clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shadow(Arc<Mutex<State>>, webwise::browser::Lease);

impl Shadow {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was typed last.
    pub(crate) fn value(&self) -> Option<String> {
        self.lock().value.clone()
    }

    /// How often something was typed, and how often a secret was not released.
    pub(crate) fn counts(&self) -> (usize, usize) {
        let state = self.lock();
        (state.typed, state.refused)
    }
}

/// One form of the value for each encoding, and two that become the value when markup is taken out of a name.
pub(crate) fn names(value: &str) -> Vec<String> {
    let all = variants(value);
    let mut out: Vec<String> = (0..ENCODINGS.len())
        .map(|n| {
            all.iter()
                .find(|(encoding, _)| *encoding == n)
                .unwrap()
                .1
                .clone()
        })
        .collect();
    for sign in ["*", "|"].iter().filter(|_| value != PIN) {
        out.push(
            value
                .trim()
                .chars()
                .map(String::from)
                .collect::<Vec<_>>()
                .join(sign),
        );
    }
    out
}

fn node(role: Role, name: impl Into<Box<str>>, at: usize) -> Node {
    Node::new(role, name).with_ref(ElementRef::parse(&format!("e{at}")).unwrap())
}

impl State {
    fn tree(&self) -> Tree {
        let mut b = Tree::builder();
        b.leaf(Node::new(Role::Heading, "Account"));
        b.leaf(Node::text(format!(
            "touched {}",
            TOUCHED[self.touched % TOUCHED.len()]
        )));
        b.leaf(node(Role::TextBox, "Word", 2));
        for (n, name) in self.value.iter().flat_map(|value| names(value)).enumerate() {
            b.leaf(node(Role::Button, name.clone(), FIRST + 2 * n));
            b.leaf(node(Role::Link, name, FIRST + 2 * n + 1));
        }
        b.finish()
    }

    fn act(&mut self, request: &ExecuteRequest) -> Result<Outcome, Error> {
        let at = |action: &BrowserAction| {
            let target = action
                .targets()
                .first()
                .and_then(|target| target.as_ref().cloned());
            target.map_or(0, |target| target.as_str()[1..].parse::<usize>().unwrap())
        };
        match &request.action {
            BrowserAction::Goto(goto) => {
                *self = Self {
                    url: goto.url.clone(),
                    typed: self.typed,
                    refused: self.refused,
                    ..Self::default()
                };
                return Ok(Outcome::Done);
            }
            BrowserAction::Fill(_) => {
                return Ok(Outcome::failed(ErrorClass::NotEditable, "not a field"));
            }
            BrowserAction::Type(Type { text, .. }) => {
                let origin = Origin::parse(&self.url)?;
                let typed = match text {
                    TextValue::Secret(name) => request
                        .secrets
                        .resolve(name, &origin, &origin)
                        .ok()
                        .map(|secret| secret.expose().to_owned()),
                    TextValue::Literal(text) => Some(text.clone()),
                    other @ TextValue::Parameter(_) => unreachable!("{other:?} was not put in"),
                };
                if typed.is_none() {
                    self.refused += 1;
                    return Ok(Outcome::failed(ErrorClass::SecretRefused, ""));
                }
                self.value = typed;
                self.typed += 1;
            }
            BrowserAction::Click(_) => {
                let at = at(&request.action);
                let helper = format!("e{}", at + 1);
                if at >= FIRST && (at - FIRST).is_multiple_of(2) && !self.helped.contains(&helper) {
                    let value = self.value.clone().unwrap_or_default();
                    return Ok(Outcome::failed(
                        ErrorClass::Intercepted,
                        &format!("<div id=\"{value}\"> covers it"),
                    ));
                }
                self.helped.push(format!("e{at}"));
            }
            _ => {}
        }
        self.touched += 1;
        Ok(Outcome::Done)
    }
}

#[async_trait]
impl BrowserDriver for Shadow {
    fn capabilities(&self) -> BrowserCapabilities {
        BrowserCapabilities::new("shadow", BrowserTool::ALL.iter().copied())
    }

    fn lease(&self) -> &webwise::browser::Lease {
        &self.1
    }

    async fn observe(&self, _: &ObserveRequest) -> Result<Observation, Error> {
        let state = self.lock();
        if state.url.is_empty() {
            return Ok(Observation::new("about:blank", "", Tree::default()));
        }
        Ok(Observation::new(state.url.clone(), "Account", state.tree()))
    }

    async fn execute(&self, request: &ExecuteRequest) -> Result<Execution, Error> {
        self.lock().act(request).map(Execution::from)
    }

    async fn screenshot(&self, _: &ScreenshotRequest) -> Result<Vec<u8>, Error> {
        Ok(Vec::new())
    }

    async fn scene(&self, _: &SceneRequest) -> Result<Scene, Error> {
        Ok(Scene::default())
    }

    async fn close(&self) -> Result<(), Error> {
        Ok(())
    }
}
