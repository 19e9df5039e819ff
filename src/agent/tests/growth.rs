//! The cost of a run, in visited nodes and sent commands, grows no faster than the page.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use serde_json::{Value, json};

use crate::{
    BrowserDriver, DecisionLoop, Origin, Result, Task,
    action::{BrowserAction, BrowserTool, ErrorClass, Outcome, RawCall},
    agent::{Approval, ApprovalRequest, Approver},
    browser::{
        BrowserCapabilities, ExecuteRequest, Execution, ObserveRequest, SceneRequest,
        ScreenshotRequest,
    },
    chat::ChatResponse,
    page::{ElementRef, Node, Observation, Role, Scene, Tree, TreeBuilder, counted},
    secret::{Secret, SecretName, Vault},
    store::InMemory,
    testing::{ScriptedModel, call},
    working::StopReason,
};

#[path = "../../../tests/support/profile.rs"]
mod profile;

const URL: &str = "https://shop.example/";
const SECRET: &str = "hunter2-and-more";

/// A function that adds a number of elements to a page.
type Shape = fn(&mut TreeBuilder, usize);

/// The shapes of pages, each with the numbers of elements to try.
const SHAPES: [(&str, &[usize], Shape); 6] = [
    (BUTTONS, &[10, 300, 3_000, 10_000], flat),
    ("rows with a button each", &[10, 300, 3_000], rows),
    ("fields without a name", &[10, 300, 3_000], unnamed),
    (
        "groups in groups with names",
        &[10, 300, 3_000],
        |page, n| nested(page, n, &Role::Group, "Part"),
    ),
    (
        "plain elements in one another",
        &[10, 300, 3_000],
        |page, n| nested(page, n, &Role::Generic, ""),
    ),
    (SPREAD, &[10, 300, 1_000], spread),
];
const BUTTONS: &str = "buttons in a form";
/// Maximum number of elements of the shape [`BUTTONS`] in the quick profile.
const QUICK_BUTTONS: usize = 3_000;
/// Maximum number of elements in the quick profile, for all shapes of pages except [`BUTTONS`].
const QUICK: usize = 1_000;
const SPREAD: &str = "a secret spread over elements in one another";
/// Maximum factor by which the cost grows from one size of a page to the next. The cost is the number of visited nodes
/// per node of the page. If the cost were proportional to the size, the factor would be at least 3.3.
const MOST: usize = 2;

fn node(role: Role, name: &str, number: usize) -> Node {
    Node::new(role, name).with_ref(ElementRef::parse(&format!("e{number}")).unwrap())
}

/// Adds the elements that every page has.
fn common(page: &mut TreeBuilder, turn: usize) {
    page.leaf(Node::text(if turn == 0 { "not yet" } else { "done now" }));
    page.leaf(node(Role::TextBox, "Note", 1));
    page.leaf(node(Role::Button, "Place order", 2));
    page.leaf(node(Role::Combobox, "Size", 3));
}

fn flat(page: &mut TreeBuilder, n: usize) {
    for at in 0..n {
        page.leaf(node(Role::Button, &format!("Button {at}"), 10 + at));
    }
}

fn rows(page: &mut TreeBuilder, n: usize) {
    page.open(Node::new(Role::Table, ""));
    for at in 0..n / 4 {
        page.open(Node::new(Role::Row, ""));
        page.open(Node::new(Role::Cell, ""));
        page.leaf(Node::text(format!("Thing {at}")));
        page.close();
        page.leaf(node(Role::Button, "Add", 10 + at));
        page.close();
    }
    page.close();
}

fn unnamed(page: &mut TreeBuilder, n: usize) {
    for at in 0..n / 2 {
        page.leaf(Node::text("Amount"));
        page.leaf(node(Role::TextBox, "", 10 + at).with_value("x"));
    }
}

fn nested(page: &mut TreeBuilder, n: usize, role: &Role, name: &str) {
    for at in 0..n {
        let mut around = node(role.clone(), name, 10 + at);
        around.states.pointer = true;
        page.open(around);
    }
    page.leaf(node(Role::TextBox, "Inmost", 5));
    for _ in 0..n {
        page.close();
    }
}

fn spread(page: &mut TreeBuilder, n: usize) {
    let letters: Vec<char> = SECRET.chars().collect();
    for at in 0..n {
        page.open(Node::text(letters[at % letters.len()].to_string()));
    }
    for _ in 0..n {
        page.close();
    }
}

/// A browser with one page that every action changes a little.
#[derive(Debug, Clone)]
struct OnePage {
    looks: Arc<[Observation; 2]>,
    commands: Arc<AtomicUsize>,
    lease: crate::browser::Lease,
}

impl OnePage {
    fn new(shape: Shape, n: usize) -> Self {
        let look = |turn| {
            let mut page = Tree::builder();
            page.open(Node::new(Role::Form, "Order"));
            common(&mut page, turn);
            shape(&mut page, n);
            Observation::new(URL, "Shop", page.finish())
        };
        Self {
            looks: Arc::new([look(0), look(1)]),
            commands: Arc::default(),
            lease: crate::browser::Lease::new(),
        }
    }
}

#[async_trait]
impl BrowserDriver for OnePage {
    fn capabilities(&self) -> BrowserCapabilities {
        BrowserCapabilities::new("one page", BrowserTool::ALL.iter().copied())
    }

    fn lease(&self) -> &crate::browser::Lease {
        &self.lease
    }

    async fn observe(&self, _: &ObserveRequest) -> Result<Observation> {
        Ok(self.looks[self.commands.load(Ordering::Relaxed) % 2].clone())
    }

    async fn execute(&self, request: &ExecuteRequest) -> Result<Execution> {
        self.commands.fetch_add(1, Ordering::Relaxed);
        Ok(match &request.action {
            BrowserAction::Select(_) => Outcome::failed(ErrorClass::WrongElement, "").into(),
            _ => Outcome::Done.into(),
        })
    }

    async fn screenshot(&self, _: &ScreenshotRequest) -> Result<Vec<u8>> {
        Ok(Vec::new())
    }

    async fn scene(&self, _: &SceneRequest) -> Result<Scene> {
        Ok(Scene::default())
    }

    async fn close(&self) -> Result<()> {
        Ok(())
    }
}

/// A person who takes so long to approve an action that the page is observed again.
#[derive(Debug)]
pub(super) struct Slow;

#[async_trait]
impl Approver for Slow {
    async fn approve(&self, _: &ApprovalRequest) -> Approval {
        tokio::time::sleep(Duration::from_secs(3)).await;
        Approval::Yes
    }

    async fn answer(&self, _: &str) -> Option<String> {
        None
    }
}

/// Returns a call for every action on a page, and for every tool of the loop itself.
fn replies() -> Vec<ChatResponse> {
    let mut replies: Vec<ChatResponse> = [
        ("fill", json!({ "target": "e1", "text": "a" })),
        (
            "fill",
            json!({ "target": "e1", "text": "b", "submit": true }),
        ),
        ("fill", json!({ "target": "e5", "text": "c", "submit": true })),
        ("click", json!({ "target": "e2" })),
        ("drag", json!({ "from": "e10", "to": "e2" })),
        (
            "click",
            json!({ "target": "role=generic >> role=generic >> has-text=\"Inmost\" >> role=textbox" }),
        ),
        ("select", json!({ "target": "e3", "values": ["M"] })),
        ("find", json!({ "query": "button 7 thing inmost" })),
        ("extract", json!({ "name": "all", "target": "e10" })),
    ]
    .map(|(tool, arguments): (&str, Value)| call(tool, arguments))
    .into();
    let several =
        ["e1", "e2", "e3", "e10"].map(|target| RawCall::new("hover", json!({ "target": target })));
    replies.push(ChatResponse::with_calls(several));
    replies.push(call(
        "finish",
        json!({ "answer": "done", "evidence": "place order" }),
    ));
    replies
}

/// Returns the cost of a run as three numbers: the nodes of the page, the visited nodes, and the sent commands.
async fn cost(shape: Shape, n: usize, with_secret: bool) -> (usize, usize, usize) {
    let browser = OnePage::new(shape, n);
    let nodes = browser.looks[0].tree.len();
    let commands = Arc::clone(&browser.commands);
    let agent = DecisionLoop::builder(browser, ScriptedModel::new(replies()), InMemory::new())
        .with_approver(Slow)
        .build()
        .unwrap();
    let mut task = Task::new("Order thing 7")
        .unwrap()
        .with_start_url(URL)
        .unwrap();
    if with_secret {
        let name = SecretName::parse("WORD").unwrap();
        let origin = Origin::parse(URL).unwrap();
        let vault = Vault::new().with(name, Secret::new(SECRET), vec![origin]);
        task = task.with_secrets(vault.unwrap());
    }
    counted::take();
    let report = agent.run(task).await;
    let looked_at = counted::take();
    assert_eq!(report.summary.stop, StopReason::Finished, "{report:?}");
    (nodes, looked_at, commands.load(Ordering::Relaxed))
}

#[tokio::test(start_paused = true)]
async fn what_a_run_costs_grows_no_faster_than_its_page() {
    for (name, sizes, shape) in SHAPES {
        let mut costs = Vec::new();
        let most = match name {
            _ if profile::full() => usize::MAX,
            BUTTONS => QUICK_BUTTONS,
            _ => QUICK,
        };
        let wanted = sizes.iter().filter(|n| **n <= most);
        for n in wanted {
            let (nodes, looked_at, commands) = cost(shape, *n, name == SPREAD).await;
            println!(
                "{name}, {n} elements: {nodes} nodes, {looked_at} looked at, {commands} commands"
            );
            costs.push((nodes, looked_at, commands));
        }
        for pair in costs.windows(2) {
            let [
                (nodes, looked_at, commands),
                (more, looked_at_more, commands_of_more),
            ] = *pair
            else {
                unreachable!("windows of two")
            };
            assert!(
                looked_at_more * nodes <= looked_at * more * MOST,
                "{name}: {looked_at} for {nodes} nodes, {looked_at_more} for {more}"
            );
            assert_eq!(commands, commands_of_more, "{name}");
        }
    }
}
