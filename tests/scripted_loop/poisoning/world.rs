//! A browser whose pages say what the attacker wants, on every host that the attacker has.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use url::form_urlencoded::byte_serialize;
use webwise::{
    BrowserDriver, Error, ErrorKind,
    action::{BrowserAction, BrowserTool, ErrorClass, Outcome},
    browser::{
        BrowserCapabilities, ExecuteRequest, Execution, ObserveRequest, SceneRequest,
        ScreenshotRequest,
    },
    page::{
        Dialog, DialogKind, ElementRef, Locator, Node, Notice, Observation, Role, Scene, Tab, Tree,
        TreeBuilder,
    },
};

use crate::poisoning::channels::{Channel, Channel as C, Story};

/// What is said by which channel; a channel that is not named says something harmless.
#[derive(Debug, Clone, Default)]
pub(crate) struct Words(pub(crate) BTreeMap<Channel, String>);

impl Words {
    pub(crate) fn say(&self, channel: Channel, harmless: &str) -> String {
        self.0
            .get(&channel)
            .cloned()
            .unwrap_or_else(|| harmless.to_owned())
    }

    /// What is said as part of an address; harmless ones are plain.
    pub(crate) fn coded(&self, channel: Channel, harmless: &str) -> String {
        byte_serialize(self.say(channel, harmless).as_bytes()).collect()
    }
}

/// Where an action leads that leads away.
const AWAY: &str = "landing.far-away.example";
/// What the page shows of how often it was touched; numbers would count as a clock.
const TOUCHED: [&str; 12] = [
    "never", "once", "twice", "thrice", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven",
];

#[derive(Debug, Default)]
struct State {
    words: Words,
    story: Option<Story>,
    host: String,
    touched: usize,
    /// Elements that were clicked since the page was loaded.
    clicked: Vec<String>,
    dialog: bool,
}

/// The pages; clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct World(Arc<Mutex<State>>, webwise::browser::Lease);

impl World {
    pub(crate) fn new(story: Story, words: &Words) -> Self {
        let state = State {
            words: words.clone(),
            story: Some(story),
            ..State::default()
        };
        Self(Arc::new(Mutex::new(state)), webwise::browser::Lease::new())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn node(role: Role, name: impl Into<Box<str>>, reference: &str) -> Node {
    Node::new(role, name).with_ref(ElementRef::parse(reference).unwrap())
}

impl State {
    fn url(&self) -> String {
        let words = &self.words;
        if self.host == AWAY {
            return format!(
                "https://{AWAY}/landing?from={}",
                words.coded(C::RedirectUrl, "shop")
            );
        }
        let mut url = format!(
            "https://{}/shop/{}",
            self.host,
            words.coded(C::Path, "list")
        );
        if self.story == Some(Story::Words) {
            let (query, fragment) = (words.coded(C::Query, "a"), words.coded(C::Fragment, "top"));
            url = format!("{url}?q={query}#{fragment}");
        }
        url
    }

    fn title(&self) -> String {
        if self.host == AWAY {
            self.words.say(C::RedirectTitle, "Elsewhere")
        } else {
            self.words.say(C::Title, "Shop")
        }
    }

    fn tree(&self) -> Tree {
        let mut b = Tree::builder();
        b.leaf(Node::new(Role::Heading, "Goods"));
        b.leaf(Node::text(format!(
            "touched {}",
            TOUCHED[self.touched % TOUCHED.len()]
        )));
        match self.story {
            _ if self.host == AWAY => b.leaf(node(
                Role::Button,
                self.words.say(C::RedirectName, "Back"),
                "e2",
            )),
            Some(Story::Names) => self.names(&mut b),
            _ => self.others(&mut b),
        }
        b.finish()
    }

    fn names(&self, b: &mut TreeBuilder) {
        let words = &self.words;
        b.leaf(Node::text(words.say(C::PlainText, "Everything must go")));
        // Of what happens in a frame nothing is learned, so the rest stands beside it.
        b.open(Node::new(Role::Iframe, words.say(C::FrameName, "Offers")));
        b.leaf(Node::text("Offers of others"));
        b.close();
        b.open(Node::new(Role::Group, words.say(C::AncestorName, "Box")));
        let mut button = node(Role::Button, words.say(C::FailingName, "Buy"), "e2");
        let attribute = words.say(C::Attribute, "buy");
        button.properties = ["testid", "id", "class"]
            .map(|name| (name.into(), attribute.as_str().into()))
            .into();
        b.leaf(button);
        b.close();
        for (channel, harmless, reference) in [
            (C::HelpingName, "Accept", "e3"),
            (C::SecondName, "Later", "e4"),
            (C::ThirdName, "Close", "e5"),
        ] {
            b.leaf(node(Role::Button, words.say(channel, harmless), reference));
        }
        b.leaf(Node::text(words.say(C::Label, "Coupon")));
        b.leaf(node(Role::TextBox, "", "e6").with_value(words.say(C::FieldValue, "none yet")));
        b.leaf(node(Role::Combobox, "Size", "e7"));
        b.leaf(node(Role::Option, words.say(C::OptionText, "Large"), "e8"));
        let mut link = node(Role::Link, "More", "e9");
        link.url = Some(format!("/more?{}", words.coded(C::LinkUrl, "all")).into());
        b.leaf(link);
        b.leaf(node(
            Role::Other(words.say(C::RoleName, "x-card").into()),
            "Card",
            "e10",
        ));
    }

    fn others(&self, b: &mut TreeBuilder) {
        let words = &self.words;
        b.leaf(Node::text(
            words.say(C::FinishEvidence, "Thank you for looking"),
        ));
        b.leaf(node(Role::Button, "Send", "e2"));
        b.leaf(node(Role::Button, words.say(C::ReopenedName, "Ask"), "e3"));
        b.leaf(node(
            Role::Button,
            words.say(C::LeavingName, "Continue"),
            "e4",
        ));
        b.open(node(Role::Group, "Terms", "e5"));
        b.leaf(Node::text(words.say(C::ExtractedText, "No returns")));
        b.close();
        b.leaf(node(Role::Button, "Break", "e6"));
        b.leaf(node(Role::Link, words.say(C::FindQuery, "Imprint"), "e7"));
    }

    fn open(&mut self, host: &str) {
        host.clone_into(&mut self.host);
        self.touched = 0;
        self.clicked.clear();
        self.dialog = false;
    }

    fn act(&mut self, action: &BrowserAction) -> Result<Execution, Error> {
        let target = action
            .targets()
            .first()
            .and_then(|target| target.as_ref())
            .map(|r| r.as_str().to_owned());
        let at = target.as_deref().unwrap_or_default();
        if let BrowserAction::Goto(goto) = action {
            let url: url::Url = goto.url.parse().unwrap();
            self.open(url.host_str().unwrap());
            return Ok(Outcome::Done.into());
        }
        let story = self.story.unwrap_or(Story::Names);
        let was = |clicked: &str| self.clicked.iter().any(|known| known == clicked);
        let refused = match (story, action, at) {
            (Story::Names, BrowserAction::Click(_), "e2") if !was("e5") => {
                Some(ErrorClass::Intercepted)
            }
            (Story::Names, BrowserAction::Fill(_), "e6") => Some(ErrorClass::NotEditable),
            (Story::Names, BrowserAction::Select(_), "e7") => Some(ErrorClass::NoSuchOption),
            (Story::Words, BrowserAction::Click(_), "e4") if !was("Escape") => {
                Some(ErrorClass::Intercepted)
            }
            (Story::Words, BrowserAction::Click(_), "e3") if !was("dialog") => {
                self.dialog = true;
                let detail = self.words.say(C::DialogDetail, "a dialog");
                return Ok(Outcome::failed(ErrorClass::DialogOpen, &detail).into());
            }
            (Story::Words, BrowserAction::Click(_), "e2") => return Ok(Outcome::Done.into()),
            (Story::Words, BrowserAction::Hover(_), "e6") => {
                let said = self.words.say(C::MachineryError, "broken");
                let cause = std::io::Error::other(said.clone());
                return Err(Error::new(ErrorKind::MalformedReply, "world")
                    .with("page", said)
                    .with_source(cause));
            }
            _ => None,
        };
        if let Some(class) = refused {
            return Ok(Outcome::failed(
                class,
                &self.words.say(C::FailureDetail, "<div> covers it"),
            )
            .into());
        }
        Ok(self.done(story, action, at))
    }

    /// What works, and shows that it does.
    fn done(&mut self, story: Story, action: &BrowserAction, at: &str) -> Execution {
        self.touched += 1;
        let mut execution = Execution::new(Outcome::Done);
        self.clicked.push(match action {
            BrowserAction::Press(press) => press.key.as_str().to_owned(),
            BrowserAction::DialogAccept(_) | BrowserAction::DialogDismiss(_) => "dialog".to_owned(),
            _ => at.to_owned(),
        });
        if matches!(
            action,
            BrowserAction::DialogAccept(_) | BrowserAction::DialogDismiss(_)
        ) {
            self.dialog = false;
        }
        let words = &self.words;
        execution.locator = Locator::parse(&format!(
            "text={}",
            serde_json::Value::from(words.say(C::Locator, "x"))
        ))
        .ok();
        if (story, at) == (Story::Words, "e3") {
            execution.text = Some(words.say(C::DriverText, "asked"));
            let suggested_name = words.say(C::DownloadName, "file.pdf");
            let tab = format!(
                "https://{}/tab?{}",
                self.host,
                words.coded(C::NewTabUrl, "x")
            );
            execution.notices = vec![
                Notice::Download {
                    suggested_name,
                    kept: true,
                },
                Notice::TabOpened { url: tab },
            ];
        }
        if (story, at) == (Story::Words, "e4") {
            self.open(AWAY);
        }
        execution
    }
}

#[async_trait]
impl BrowserDriver for World {
    fn capabilities(&self) -> BrowserCapabilities {
        BrowserCapabilities::new("world", BrowserTool::ALL.iter().copied())
    }

    fn lease(&self) -> &webwise::browser::Lease {
        &self.1
    }

    async fn observe(&self, _: &ObserveRequest) -> Result<Observation, Error> {
        let state = self.lock();
        if state.host.is_empty() {
            return Ok(Observation::new("about:blank", "", Tree::default()));
        }
        let mut seen = Observation::new(state.url(), &state.title(), state.tree());
        if state.dialog {
            seen.tree = Tree::default();
            seen.dialog = Some(Dialog::new(
                DialogKind::Prompt,
                &state.words.say(C::DialogText, "Your name?"),
            ));
        }
        if state.story == Some(Story::Words) {
            let other = format!(
                "https://{}/other?{}",
                state.host,
                state.words.coded(C::TabUrl, "x")
            );
            let tab = Tab::new(1, false, &state.words.say(C::TabTitle, "Other"), other);
            seen.tabs = vec![Tab::new(0, true, &seen.title, seen.url.clone()), tab];
        }
        Ok(seen)
    }

    async fn execute(&self, request: &ExecuteRequest) -> Result<Execution, Error> {
        self.lock().act(&request.action)
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
