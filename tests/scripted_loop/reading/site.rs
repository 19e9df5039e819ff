//! A site of page trees that a run can walk through by its links, and what every page of it has beside its content.

use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use webwise::{
    BrowserDriver, Result,
    action::{BrowserAction, BrowserTool, ErrorClass, Outcome},
    browser::{
        BrowserCapabilities, ExecuteRequest, Execution, ObserveRequest, SceneRequest,
        ScreenshotRequest,
    },
    page::{ElementRef, Node, Observation, Role, Scene, Tree, TreeBuilder},
};

/// A page in the making. Every node has a reference, as real drivers give it.
pub(crate) struct Page {
    tree: TreeBuilder,
    count: u32,
}

impl Page {
    fn node(&mut self, role: Role, name: &str) -> Node {
        self.count += 1;
        let reference = ElementRef::parse(&format!("e{}", self.count)).expect("a reference");
        Node::new(role, name).with_ref(reference)
    }

    /// Adds a node with what `inside` adds.
    pub(crate) fn open(&mut self, role: Role, name: &str, inside: impl FnOnce(&mut Self)) {
        let node = self.node(role, name);
        self.tree.open(node);
        inside(self);
        self.tree.close();
    }

    pub(crate) fn leaf(&mut self, role: Role, name: &str) {
        let node = self.node(role, name);
        self.tree.leaf(node);
    }

    pub(crate) fn text(&mut self, words: &str) {
        self.tree.leaf(Node::text(words));
    }

    pub(crate) fn heading(&mut self, level: u8, words: &str) {
        let mut node = self.node(Role::Heading, words);
        node.states.level = Some(level);
        self.tree.leaf(node);
    }

    pub(crate) fn paragraph(&mut self, words: &str) {
        self.open(Role::Paragraph, "", |page| page.text(words));
    }

    pub(crate) fn link(&mut self, words: &str, url: &str) {
        let mut node = self.node(Role::Link, words);
        node.url = Some(url.into());
        self.tree.leaf(node);
    }

    /// Adds a list of links.
    pub(crate) fn links(&mut self, links: &[(String, String)]) {
        self.open(Role::List, "", |page| {
            for (words, url) in links {
                page.open(Role::ListItem, "", |page| page.link(words, url));
            }
        });
    }

    /// Adds a group of links, such as a menu.
    pub(crate) fn menu(&mut self, role: Role, name: &str, words: &[&str]) {
        let links: Vec<(String, String)> = words
            .iter()
            .map(|words| ((*words).to_owned(), format!("/{}", words.to_lowercase())))
            .collect();
        self.open(role, name, |page| page.links(&links));
    }
}

/// A page of a site.
pub(crate) struct Document {
    pub(crate) url: String,
    pub(crate) title: String,
    pub(crate) tree: Tree,
}

/// Makes a page with a banner, a menu and a footer around its content.
pub(crate) fn document(
    url: String,
    title: &str,
    [site, menu]: [&str; 2],
    content: impl FnOnce(&mut Page),
) -> Document {
    let mut page = Page {
        tree: Tree::builder(),
        count: 0,
    };
    page.link("Skip to content", "#content");
    page.open(Role::Banner, "", |page| {
        page.link(site, "/");
        page.link("Sign in", "/login");
    });
    page.menu(
        Role::Navigation,
        "Main",
        &menu.split(' ').collect::<Vec<_>>(),
    );
    content(&mut page);
    page.open(Role::ContentInfo, "", |page| {
        page.links(
            &[
                "About us",
                "Contact",
                "Imprint",
                "Privacy",
                "Terms",
                "Accessibility",
            ]
            .map(|words| (words.to_owned(), "/legal".to_owned())),
        );
        page.paragraph(&format!("{site}, all rights reserved"));
    });
    Document {
        url,
        title: title.to_owned(),
        tree: page.tree.finish(),
    }
}

/// A browser on the pages of one site. Links between them work.
#[derive(Debug)]
pub(crate) struct Site {
    pages: Vec<(String, String, Tree)>,
    at: AtomicUsize,
    lease: webwise::browser::Lease,
}

impl Site {
    pub(crate) fn new(pages: &[Document]) -> Self {
        let pages = pages.iter();
        Self {
            pages: pages
                .map(|page| (page.url.clone(), page.title.clone(), page.tree.clone()))
                .collect(),
            at: AtomicUsize::new(0),
            lease: webwise::browser::Lease::new(),
        }
    }

    fn show(&self, url: &str) -> Outcome {
        let is_it = |(page, ..): &(String, String, Tree)| page.ends_with(url);
        match self.pages.iter().position(is_it) {
            Some(at) if !url.is_empty() => {
                self.at.store(at, Ordering::Relaxed);
                Outcome::Done
            }
            _ => Outcome::failed(ErrorClass::NavigationFailed, "no such page"),
        }
    }
}

#[async_trait]
impl BrowserDriver for Site {
    fn capabilities(&self) -> BrowserCapabilities {
        BrowserCapabilities::new("site", BrowserTool::ALL.iter().copied())
    }

    fn lease(&self) -> &webwise::browser::Lease {
        &self.lease
    }

    async fn observe(&self, _: &ObserveRequest) -> Result<Observation> {
        let (url, title, tree) = &self.pages[self.at.load(Ordering::Relaxed)];
        Ok(Observation::new(url.clone(), title, tree.clone()))
    }

    async fn execute(&self, request: &ExecuteRequest) -> Result<Execution> {
        let outcome = match &request.action {
            BrowserAction::Goto(goto) => self.show(&goto.url),
            BrowserAction::Click(click) => {
                let (.., tree) = &self.pages[self.at.load(Ordering::Relaxed)];
                let at = click
                    .target
                    .as_ref()
                    .and_then(|to| tree.by_ref(to.as_str()));
                let link = at.and_then(|id| tree[id].url.clone());
                link.map_or(Outcome::Done, |url| self.show(&url))
            }
            _ => Outcome::Done,
        };
        Ok(outcome.into())
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
