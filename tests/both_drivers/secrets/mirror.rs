//! A browser whose page shows back whatever was typed into it, everywhere and in every encoding.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use webwise::{
    BrowserDriver, Error, ErrorKind, Origin,
    action::{BrowserAction, BrowserTool, ErrorClass, Fill, Outcome, TextValue, Type},
    browser::{
        BrowserCapabilities, ExecuteRequest, Execution, ObserveRequest, SceneRequest,
        ScreenshotRequest,
    },
    page::{
        Dialog, DialogKind, ElementRef, Locator, Node, Notice, Observation, Role, Scene, Tab, Tree,
    },
};

use crate::secrets::{canaries::PIN, forms::variants};

pub(crate) const SITE: &str = "https://shop.example";

#[derive(Debug, Default)]
struct State {
    value: Option<String>,
    dialog: bool,
    pictures: usize,
    asked: Vec<String>,
}

/// The page; clones share it.
#[derive(Clone, Default)]
pub(crate) struct Mirror(Arc<Mutex<State>>, webwise::browser::Lease);

impl std::fmt::Debug for Mirror {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Mirror")
    }
}

impl Mirror {
    /// A page that shows a value before anything was typed: a browser that was used before.
    pub(crate) fn showing(value: &str) -> Self {
        let mirror = Self::default();
        mirror.lock().value = Some(value.to_owned());
        mirror
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was typed, as the page got it.
    pub(crate) fn typed(&self) -> Option<String> {
        self.lock().value.clone()
    }

    /// How many pictures were taken that show the value.
    pub(crate) fn pictures(&self) -> usize {
        self.lock().pictures
    }

    /// Each request as a driver would log it.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.lock().asked.clone()
    }
}

/// The page's address with the value in path, query and fragment; a short one only where a value stands.
fn url(value: &str) -> String {
    let coded: Vec<String> = variants(value).into_iter().map(|(_, v)| v).collect();
    // 3 and 4: percent signs in upper and lower case.
    let (upper, lower) = (&coded[3], &coded[4]);
    let form: String = url::form_urlencoded::byte_serialize(value.as_bytes()).collect();
    let hex = value
        .bytes()
        .fold(String::new(), |out, b| out + &format!("{b:02x}"));
    let path = if value == PIN { "" } else { upper.as_str() };
    format!("{SITE}/u/{path}?q={lower}&form={form}&hex={hex}#v={upper}")
}

fn reference(text: &str) -> ElementRef {
    ElementRef::parse(text).unwrap()
}

fn with(mut node: Node, properties: &[(&str, &str)]) -> Node {
    node.properties = properties
        .iter()
        .map(|(name, value)| ((*name).into(), (*value).into()))
        .collect();
    node
}

/// What the page shows of how often it was touched; numbers would count as a clock.
const TOUCHED: [&str; 20] = [
    "never",
    "once",
    "twice",
    "thrice",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];

fn page(value: Option<&str>, touched: usize) -> Tree {
    let mut b = Tree::builder();
    let shown = value.unwrap_or_default();
    b.open(Node::new(Role::Main, ""));
    b.leaf(Node::new(
        Role::Heading,
        if value.is_some() {
            "Account settings"
        } else {
            "Sign in"
        },
    ));
    b.leaf(with(
        Node::new(Role::TextBox, "Password")
            .with_ref(reference("e2"))
            .with_value(shown),
        &[("type", "text")],
    ));
    for (name, at) in [
        ("Sign in", "e3"),
        ("Fail", "e4"),
        ("Break", "e5"),
        ("Ask", "e6"),
        ("Place order", "e7"),
    ] {
        b.leaf(Node::new(Role::Button, name).with_ref(reference(at)));
    }
    b.leaf(Node::text(format!(
        "touched {}",
        TOUCHED[touched % TOUCHED.len()]
    )));
    if let Some(value) = value {
        echo(&mut b, value);
    }
    b.close();
    b.finish()
}

fn echo(b: &mut webwise::page::TreeBuilder, value: &str) {
    b.leaf(Node::text(format!("Welcome back, user: {value}")));
    let label = format!("Signed in as: {value}");
    b.leaf(with(
        Node::new(Role::TextBox, label).with_ref(reference("e8")),
        &[("placeholder", value), ("id", value)],
    ));
    let mut link = with(
        Node::new(Role::Link, value).with_ref(reference("e9")),
        &[("title", value)],
    );
    link.url = Some(url(value).into());
    b.leaf(link);
    b.leaf(Node::new(Role::Img, value));
    b.leaf(Node::new(Role::Alert, "").with_value(format!("wrong value \"{value}\"")));
    b.open(Node::new(Role::List, "Log"));
    for (_, variant) in variants(value) {
        b.leaf(Node::new(Role::ListItem, "").with_value(variant));
    }
    b.close();
    // Spread over neighbours: in two halves, and a letter a node with and without names.
    let letters: Vec<char> = value.chars().collect();
    if value != PIN {
        let (left, right) = letters.split_at(letters.len() / 2);
        b.leaf(Node::text(format!(
            "Your word is {}",
            left.iter().collect::<String>()
        )));
        b.leaf(Node::text(format!("{}.", right.iter().collect::<String>())));
    }
    b.leaf(Node::text("Letter by letter"));
    b.open(Node::new(Role::Group, "Letters").with_ref(reference("e20")));
    for letter in &letters {
        b.leaf(Node::text(letter.to_string()));
    }
    b.close();
    b.leaf(Node::text("Buttons"));
    for (letter, n) in letters.iter().zip(30..) {
        b.leaf(Node::new(Role::Button, letter.to_string()).with_ref(reference(&format!("e{n}"))));
    }
    b.leaf(Node::text("The end"));
}

impl State {
    fn told(&self) -> String {
        self.value.clone().unwrap_or_default()
    }

    fn error(&self, kind: ErrorKind) -> Error {
        let value = self.told();
        let cause = std::io::Error::other(format!("the page said: {value}"));
        Error::new(kind, "mirror.execute")
            .with("page", format!("value=\"{value}\""))
            .with_source(cause)
    }

    fn act(&mut self, request: &ExecuteRequest) -> Result<Execution, Error> {
        let value = self.told();
        let mut execution = Execution::new(Outcome::Done);
        match &request.action {
            BrowserAction::Fill(Fill { text, .. }) | BrowserAction::Type(Type { text, .. }) => {
                let origin = Origin::parse(SITE)?;
                self.value = Some(match text {
                    TextValue::Secret(name) => request
                        .secrets
                        .resolve(name, &origin, &origin)?
                        .expose()
                        .to_owned(),
                    TextValue::Literal(text) => text.clone(),
                    other @ TextValue::Parameter(_) => unreachable!("{other:?} was not put in"),
                });
                let value = self.told();
                execution.locator =
                    Locator::parse(&format!("text={}", serde_json::Value::from(value.as_str())))
                        .ok();
                execution.page = Some((url(&value), format!("Account: {value}")));
                execution.notices = vec![
                    Notice::TabOpened { url: url(&value) },
                    Notice::Download {
                        suggested_name: value.clone(),
                        kept: false,
                    },
                ];
                execution.text = Some(format!("typed: {value}"));
            }
            BrowserAction::Click(click) => match click.target.as_ref().map(ElementRef::as_str) {
                Some("e4") => {
                    return Ok(Outcome::failed(
                        ErrorClass::Other,
                        &format!("rejected \"{value}\""),
                    )
                    .into());
                }
                Some("e5") => return Err(self.error(ErrorKind::MalformedReply)),
                Some("e6") => {
                    self.dialog = true;
                    execution.dialog = Some(self.message());
                }
                _ => {}
            },
            BrowserAction::DialogAccept(_) | BrowserAction::DialogDismiss(_) => self.dialog = false,
            BrowserAction::TabList(_) => execution.text = Some(format!("0: value={value}")),
            BrowserAction::Screenshot(_) => {
                self.pictures += 1;
                execution.image = Some(value.into_bytes());
            }
            BrowserAction::Reload(_) => return Err(self.error(ErrorKind::BrowserLost)),
            _ => {}
        }
        Ok(execution)
    }

    fn message(&self) -> Dialog {
        Dialog::new(
            DialogKind::Alert,
            &format!("Saved your word: {}", self.told()),
        )
    }
}

#[async_trait]
impl BrowserDriver for Mirror {
    fn capabilities(&self) -> BrowserCapabilities {
        BrowserCapabilities::new("mirror", BrowserTool::ALL.iter().copied())
    }

    fn lease(&self) -> &webwise::browser::Lease {
        &self.1
    }

    async fn observe(&self, request: &ObserveRequest) -> Result<Observation, Error> {
        let mut state = self.lock();
        let value = state.value.clone();
        let (address, title) = match &value {
            Some(value) => (url(value), format!("Account: {value}")),
            None => (format!("{SITE}/"), "Sign in".to_owned()),
        };
        let mut seen = Observation::new(
            address.clone(),
            &title,
            page(value.as_deref(), state.asked.len()),
        );
        if state.dialog {
            seen.tree = Tree::default();
            seen.dialog = Some(state.message());
        }
        seen.tabs = vec![
            Tab::new(0, true, &title, address.clone()),
            Tab::new(1, false, &title, address),
        ];
        if request.screenshot {
            state.pictures += usize::from(value.is_some());
            // What a camera would see.
            seen.screenshot = Some(state.told().into_bytes());
        }
        Ok(seen)
    }

    async fn execute(&self, request: &ExecuteRequest) -> Result<Execution, Error> {
        let mut state = self.lock();
        state.asked.push(format!("{request:?}"));
        state.act(request)
    }

    async fn screenshot(&self, _: &ScreenshotRequest) -> Result<Vec<u8>, Error> {
        Ok(self.lock().told().into_bytes())
    }

    async fn scene(&self, _: &SceneRequest) -> Result<Scene, Error> {
        Ok(Scene::default())
    }

    async fn close(&self) -> Result<(), Error> {
        Ok(())
    }
}
