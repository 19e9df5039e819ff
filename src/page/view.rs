//! The interpretation of one observation of a page. The loop, the prompt and the guards use it.

use serde::{Deserialize, Serialize};

use super::{
    Element, ElementRef, Fingerprint, PageType, Tree, collect::elements, current::mark_current,
    features::Features, outline::Outline, page_type::classify, reading::visible_text,
    summary::summary,
};

/// The address and title of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PageHead {
    /// The URL as the driver reports it; empty if unknown.
    pub url: String,
    /// The title of the page. The page wrote this text, so it is untrusted.
    pub title: String,
}

impl PageHead {
    /// Creates a head with this address and title.
    pub fn new(url: impl Into<String>, title: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            title: title.into(),
        }
    }
}

/// Limits on the size of a [`PageView`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ViewOptions {
    /// Maximum number of elements in [`PageView::elements`]. Default: 10,000. Source: chosen.
    pub max_elements: usize,
    /// Maximum length of [`PageView::visible_text`]. Unit: characters. Default: 2,000. Source: chosen.
    pub max_text: usize,
}

impl Default for ViewOptions {
    fn default() -> Self {
        Self {
            max_elements: 10_000,
            max_text: 2_000,
        }
    }
}

impl ViewOptions {
    /// Sets the maximum number of elements in a view.
    pub fn with_max_elements(self, max_elements: usize) -> Self {
        Self {
            max_elements,
            ..self
        }
    }

    /// Sets the maximum length of the visible text in a view, in characters.
    pub fn with_max_text(self, max_text: usize) -> Self {
        Self { max_text, ..self }
    }
}

/// The interpretation of a page: its type, its text and the elements that can be acted on. The title, the summary, the
/// visible text and the elements contain text that the page wrote, so they are untrusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PageView {
    /// The URL as the driver reports it.
    pub url: String,
    /// The title of the page.
    pub title: String,
    /// The kind of page; [`PageType::DialogBlocking`] while the page shows a dialog of its own. A dialog of the
    /// browser, such as an alert, does not count.
    pub page_type: PageType,
    /// The kind of page, ignoring an open dialog; equal to `page_type` if no dialog is open.
    #[serde(rename = "under")]
    pub behind_dialog: PageType,
    /// A summary of the page in one line, at most [`MAX_SUMMARY`](super::MAX_SUMMARY) characters.
    pub summary: String,
    /// The elements that can be clicked or edited, at most [`ViewOptions::max_elements`]. Elements in dialogs come first;
    /// otherwise the order is that of the document. Duplicates are merged into one element.
    pub elements: Vec<Element>,
    /// The readable text of the page, one line for each block of text. Open dialogs come first, then the content, then
    /// menus and footers.
    pub visible_text: String,
    /// The fingerprint of the page's structure, which pages of the same kind share; see [`Fingerprint::structure`].
    pub fingerprint: Fingerprint,
    /// The fingerprint of the page's content; see [`Fingerprint::state`].
    pub state: Fingerprint,
    /// Notes about parts of the page that were left out or could not be understood. They are this crate's own words.
    pub notes: Vec<String>,
}

/// Interprets a page: finds its type, its text and the elements that can be acted on.
///
/// ```
/// use webwise::page::{ElementRef, Node, PageHead, PageType, Role, Tree, ViewOptions, interpret};
///
/// let mut page = Tree::builder();
/// for (reference, role, name) in [("e1", Role::TextBox, "User"), ("e2", Role::TextBox, "Password"), ("e3", Role::Button, "Go")] {
///     page.leaf(Node::new(role, name).with_ref(ElementRef::parse(reference)?));
/// }
/// let head = PageHead::new("https://shop.example/account", "Welcome back");
/// let view = interpret(&head, &page.finish(), &ViewOptions::default());
///
/// assert_eq!(view.page_type, PageType::Login);
/// assert_eq!(view.elements[1].label, "Password");
/// # Ok::<(), webwise::Error>(())
/// ```
pub fn interpret(head: &PageHead, tree: &Tree, options: &ViewOptions) -> PageView {
    let outline = Outline::of(tree);
    let features = Features::of(tree, &outline);
    let behind_dialog = classify(head, tree, &outline, &features);
    let page_type = if features.dialogs.is_empty() {
        behind_dialog
    } else {
        PageType::DialogBlocking
    };
    let mut elements = elements(tree, &outline);
    mark_current(&head.url, &mut elements);
    let summary = summary(tree, page_type, behind_dialog, &features, &elements);
    let (visible_text, _) = visible_text(tree, &outline, options.max_text);

    let mut notes = Vec::new();
    if tree.omitted() > 0 {
        notes.push(format!(
            "the page has more nodes than were read; left out: {}",
            tree.omitted()
        ));
    }
    if tree.malformed() > 0 {
        notes.push(format!(
            "parts of the page that could not be understood and were kept as text: {}",
            tree.malformed()
        ));
    }
    if elements.len() > options.max_elements {
        notes.push(format!(
            "only the first {} of {} elements were kept",
            options.max_elements,
            elements.len()
        ));
        elements.truncate(options.max_elements);
    }
    PageView {
        url: head.url.clone(),
        title: head.title.clone(),
        page_type,
        behind_dialog,
        summary,
        elements,
        visible_text,
        fingerprint: Fingerprint::structure(tree),
        state: Fingerprint::state(tree),
        notes,
    }
}

impl PageView {
    /// Returns the view with each text of the page replaced by the result of `f` for that text. References and the
    /// crate's own notes stay as they are.
    #[must_use]
    pub fn map_text(mut self, mut f: impl FnMut(&str) -> String) -> Self {
        let own = [
            &mut self.url,
            &mut self.title,
            &mut self.summary,
            &mut self.visible_text,
        ];
        let elements = self.elements.iter_mut().flat_map(|element| {
            [&mut element.label]
                .into_iter()
                .chain(&mut element.value)
                .chain(&mut element.url)
                .chain(&mut element.context)
                .chain(&mut element.options)
        });
        for text in own
            .into_iter()
            .chain(elements)
            .filter(|text| !text.is_empty())
        {
            *text = f(text);
        }
        let hints = self
            .elements
            .iter_mut()
            .flat_map(|element| &mut element.hints);
        for (_, value) in hints {
            *value = f(value).into();
        }
        self
    }

    /// Returns the element with this reference. If that element was dropped as a duplicate, returns the element that
    /// was kept in its place.
    pub fn element(&self, reference: &ElementRef) -> Option<&Element> {
        let own = self
            .elements
            .iter()
            .find(|e| e.reference.as_ref() == Some(reference));
        own.or_else(|| self.elements.iter().find(|e| e.answers_to(reference)))
    }
}
