//! A simulated site of a library. Its pages are trees of nodes, and actions change its state.

use crate::{
    action::{BrowserAction, ErrorClass, Outcome, TextValue},
    page::{ElementRef, Node, Role, Tree, TreeBuilder, Tri},
};

/// The obstacles of the site; true means switched on.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent obstacles")]
pub(super) struct Rules {
    pub overlay: bool,
    pub suggestions: bool,
    pub stubborn_field: bool,
    pub logged_in: bool,
    /// Reason for which every action is refused.
    pub forbidden: Option<ErrorClass>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    Home,
    Login,
    Results,
    Book,
    Done,
}

#[derive(Debug)]
pub(super) struct Library {
    rules: Rules,
    at: At,
    /// True while a notice covers the page.
    covered: bool,
    user: String,
    password: String,
    query: String,
    listed: bool,
    focus: String,
    branch: String,
    conditions: bool,
}

impl Library {
    pub(super) fn new(rules: Rules) -> Self {
        Self {
            rules,
            at: At::Home,
            covered: rules.overlay,
            user: String::new(),
            password: String::new(),
            query: String::new(),
            listed: false,
            focus: String::new(),
            branch: String::new(),
            conditions: false,
        }
    }

    pub(super) fn url(&self) -> String {
        format!("https://library.example/{:?}", self.at).to_lowercase()
    }

    fn inside(&self) -> bool {
        self.rules.logged_in || self.at != At::Home && self.at != At::Login || self.password == "in"
    }

    /// Returns the current page as a tree. No two pages share an element reference.
    pub(super) fn tree(&self) -> Tree {
        let mut page = Page {
            tree: Tree::builder(),
            count: 0,
            base: self.at as usize * 100,
        };
        if self.covered {
            page.tree.open(Node::new(Role::Dialog, "Notice"));
            page.leaf(Role::Button, "Details");
            page.leaf(Role::Button, "I agree");
            page.tree.close();
        }
        page.leaf(
            Role::Link,
            if self.inside() { "Sign out" } else { "Sign in" },
        );
        page.leaf(Role::Link, "Opening hours");
        match self.at {
            At::Home | At::Results => self.catalogue(&mut page),
            At::Login => {
                page.field("User name", &self.user);
                page.field(
                    "Password",
                    if self.password.is_empty() {
                        ""
                    } else {
                        "[hidden]"
                    },
                );
                page.leaf(Role::Button, "Sign in");
            }
            At::Book => self.book(&mut page),
            At::Done => page.text("Thank you, ada. Reservation code: LB-2207. Bring your card."),
        }
        page.tree.finish()
    }

    fn catalogue(&self, page: &mut Page) {
        page.node(Role::SearchBox, "Search the catalogue", |node| {
            node.with_value(self.query.as_str())
        });
        page.leaf(Role::Button, "Search");
        if self.listed {
            page.leaf(Role::Option, "mechanical engineering");
        }
        if self.at == At::Results {
            for title in [
                "Mechanical Computing in Practice",
                "Mechanical Computing",
                "Computing, an Introduction",
            ] {
                page.leaf(Role::Link, title);
            }
        }
    }

    fn book(&self, page: &mut Page) {
        let list = page.numbered(Role::Combobox, "Branch");
        page.tree.open(list.with_value(self.branch.as_str()));
        for branch in ["Choose", "Old Town", "Harbour"] {
            // The choices of a closed list have no reference.
            page.tree.leaf(Node::new(Role::Option, branch));
        }
        page.tree.close();
        let conditions = self.conditions;
        page.node(Role::Checkbox, "I accept the conditions", |mut node| {
            node.states.checked = Some(if conditions { Tri::True } else { Tri::False });
            node
        });
        page.leaf(Role::Button, "Place reservation");
    }

    /// Carries out an action and returns its outcome, as a driver would. `target` is the role and name of the
    /// referenced element.
    pub(super) fn act(
        &mut self,
        action: &BrowserAction,
        target: Option<&(Role, String)>,
    ) -> Outcome {
        let name = target.map_or("", |(_, name)| name);
        let text = |value: &TextValue| String::from(value.clone());
        match action {
            BrowserAction::Click(_) => {
                self.click(target.is_some_and(|(role, _)| *role == Role::Button), name)
            }
            BrowserAction::Fill(_) if self.rules.stubborn_field && name == "User name" => {
                Outcome::failed(ErrorClass::NotEditable, "")
            }
            BrowserAction::Fill(fill) => self.put(name, text(&fill.text)),
            BrowserAction::Type(typed) => {
                let focus = self.focus.clone();
                self.put(&focus, text(&typed.text))
            }
            BrowserAction::Press(press) => self.press(&press.key.to_string()),
            BrowserAction::Select(select) => {
                self.branch = select.values.first().map(text).unwrap_or_default();
                Outcome::Done
            }
            BrowserAction::Check(_) => {
                self.conditions = true;
                Outcome::Done
            }
            BrowserAction::Wait(_) => Outcome::Done,
            BrowserAction::Goto(_) => {
                self.at = At::Home;
                Outcome::Done
            }
            other => panic!("the library knows no {other:?}"),
        }
    }

    fn click(&mut self, button: bool, name: &str) -> Outcome {
        let listed = std::mem::take(&mut self.listed);
        if name != "I agree"
            && !self.covered
            && let Some(class) = self.rules.forbidden
        {
            return Outcome::failed(class, "");
        }
        match name {
            "I agree" => self.covered = false,
            _ if self.covered => return Outcome::failed(ErrorClass::Intercepted, "a notice"),
            "Search" if listed => {
                self.listed = true;
                return Outcome::failed(ErrorClass::Intercepted, "a list");
            }
            "Sign in" if button => return self.press("Enter"),
            "Sign in" => self.at = At::Login,
            "Search" => return self.press("Enter"),
            "Mechanical Computing" => self.at = At::Book,
            "User name" | "Password" => name.clone_into(&mut self.focus),
            "Place reservation" if self.branch == "Harbour" && self.conditions => {
                self.at = At::Done;
            }
            _ => return Outcome::NoEffect,
        }
        Outcome::Done
    }

    fn put(&mut self, field: &str, text: String) -> Outcome {
        match field {
            "User name" => self.user = text,
            "Password" => self.password = text,
            _ => {
                self.query = text;
                self.listed = self.rules.suggestions;
                "search".clone_into(&mut self.focus);
            }
        }
        Outcome::Done
    }

    fn press(&mut self, key: &str) -> Outcome {
        match (key, self.at) {
            ("Enter", At::Login) if self.user == "ada" && self.password == "<secret:CARD_PIN>" => {
                self.at = At::Home;
                "in".clone_into(&mut self.password);
            }
            ("Enter", At::Home) if self.query == "mechanical computing" => {
                self.at = At::Results;
                self.listed = false;
            }
            // Escape empties the field, as in real search fields.
            ("Escape", At::Home) if !self.covered && !self.query.is_empty() => {
                self.query.clear();
                self.listed = false;
            }
            _ => return Outcome::NoEffect,
        }
        Outcome::Done
    }
}

struct Page {
    tree: TreeBuilder,
    count: usize,
    base: usize,
}

impl Page {
    fn numbered(&mut self, role: Role, name: &str) -> Node {
        self.count += 1;
        Node::new(role, name)
            .with_ref(ElementRef::parse(&format!("e{}", self.base + self.count)).unwrap())
    }

    fn node(&mut self, role: Role, name: &str, change: impl FnOnce(Node) -> Node) {
        let node = self.numbered(role, name);
        self.tree.leaf(change(node));
    }

    fn leaf(&mut self, role: Role, name: &str) {
        self.node(role, name, |node| node);
    }

    fn field(&mut self, name: &str, value: &str) {
        self.node(Role::TextBox, name, |node| node.with_value(value));
    }

    fn text(&mut self, text: &str) {
        self.tree.open(Node::new(Role::Paragraph, ""));
        self.tree.leaf(Node::text(text));
        self.tree.close();
    }
}
