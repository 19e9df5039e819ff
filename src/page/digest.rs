//! What a prompt shows of a page: elements ranked by use for the goal, like ones folded, text in its place among them.

use std::collections::HashMap;

use super::{
    Element, PageView, Passage, Role,
    rank::{self, Pick},
};
use crate::base::text;

/// How much of a page is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct DigestOptions {
    /// Most elements. Default: 60, the requirement.
    pub max_elements: usize,
    /// Most text beside them. Unit: characters. Default: 800, the requirement.
    pub max_text: usize,
    /// Whether menus share a line and crowds of like elements are shown by their first few. Default: yes.
    pub folded: bool,
}

impl Default for DigestOptions {
    fn default() -> Self {
        Self {
            max_elements: 60,
            max_text: 800,
            folded: true,
        }
    }
}

impl DigestOptions {
    /// All elements and all the text that a view keeps, nothing folded: for models with room, and to measure what leanness costs.
    pub const fn whole() -> Self {
        Self {
            max_elements: usize::MAX,
            max_text: usize::MAX,
            folded: false,
        }
    }

    /// Shows at most this many elements.
    pub const fn with_max_elements(self, max_elements: usize) -> Self {
        Self {
            max_elements,
            ..self
        }
    }

    /// Shows at most this many characters of text.
    pub const fn with_max_text(self, max_text: usize) -> Self {
        Self { max_text, ..self }
    }
}

/// One line of a digest.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DigestLine<'v> {
    /// Text, perhaps cut short.
    Text(String),
    /// A heading.
    Heading(String),
    /// An element.
    Element(&'v Element),
    /// What banners, menus and side columns hold, as far as it is plain; of a footer what the goal speaks of.
    Menu {
        /// The first few of its elements, and those that match the goal.
        elements: Vec<&'v Element>,
        /// How many more there are.
        more: usize,
    },
    /// What the footer holds, as far as it is plain and the goal does not speak of it: to be found by its label.
    Footer {
        /// The first few of its elements.
        elements: Vec<&'v Element>,
        /// How many more there are.
        more: usize,
    },
    /// A crowd of like elements.
    Crowd {
        /// The first few; those that match the goal have lines of their own.
        elements: Vec<&'v Element>,
        /// How many there are in all.
        size: u32,
    },
}

/// What is shown of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Digest<'v> {
    /// The lines: those of open dialogs, then in document order.
    pub lines: Vec<DigestLine<'v>>,
    /// How many elements they show so that they can be named.
    pub shown: usize,
}

impl<'v> Digest<'v> {
    /// The elements in order.
    pub fn elements(&self) -> impl Iterator<Item = &'v Element> {
        self.lines
            .iter()
            .flat_map(|line| match line {
                DigestLine::Element(element) => std::slice::from_ref(element),
                DigestLine::Menu { elements, .. } | DigestLine::Crowd { elements, .. } => {
                    elements.as_slice()
                }
                DigestLine::Footer { .. } | DigestLine::Text(_) | DigestLine::Heading(_) => &[],
            })
            .copied()
    }
}

/// Fewest elements of a menu that share a line.
const MIN_MENU: usize = 2;
/// Most elements of a menu that are shown although the goal does not speak of them. Source: chosen; a usual menu fits.
const MAX_MENU: usize = 12;

/// Writes the digest.
pub(super) fn digest<'v>(
    view: &'v PageView,
    goal_words: &[String],
    options: DigestOptions,
) -> Digest<'v> {
    let picks = rank::pick(
        &view.elements,
        goal_words,
        options.max_elements,
        options.folded,
    );
    let mut lines = Lines {
        out: Vec::new(),
        menu: Vec::new(),
        footer: Vec::new(),
        crowds: HashMap::new(),
        sizes: sizes(&view.elements),
    };
    let mut passages = fitting(&view.passages, options.max_text)
        .into_iter()
        .peekable();
    for Pick { at, matched } in &picks {
        while let Some(passage) = passages.next_if(|passage| passage.before <= *at) {
            lines.text(passage);
        }
        let element = &view.elements[*at];
        match element.crowd.filter(|_| options.folded && !matched) {
            Some(crowd) => lines.crowd(crowd, element),
            None if options.folded && !matched && element.in_footer && is_menu(element) => {
                lines.footer.push(element);
            }
            None if options.folded && is_menu(element) => lines.menu(element, *matched),
            None => lines.element(element),
        }
    }
    passages.for_each(|passage| lines.text(passage));
    lines.end_menu();
    let Lines {
        out: mut lines,
        mut footer,
        ..
    } = lines;
    let left_out = |line: &DigestLine<'_>| {
        if let DigestLine::Menu { more, .. } = line {
            *more
        } else {
            0
        }
    };
    let shown = picks.len() - footer.len() - lines.iter().map(left_out).sum::<usize>();
    if !footer.is_empty() {
        let more = footer.len().saturating_sub(MAX_MENU);
        footer.truncate(MAX_MENU);
        lines.push(DigestLine::Footer {
            elements: footer,
            more,
        });
    }
    Digest { lines, shown }
}

impl PageView {
    /// What to show of the page for a goal: at most so many elements, in page order with those of dialogs first, and the
    /// text between them.
    ///
    /// Elements that match the goal, ask for input or are in a dialog win over menus, which share a line, and footers, of
    /// which only the labels are shown. Of a crowd of more than [`CROWD`](super::CROWD) like elements the first few share a
    /// line that says how many there are, those that match the goal are shown one by one, and [`find`](Self::find) reaches
    /// the rest.
    pub fn digest(&self, goal_words: &[String], options: DigestOptions) -> Digest<'_> {
        digest(self, goal_words, options)
    }
}

/// The passages that fit, the furniture's last; one that is too long is cut.
fn fitting(passages: &[Passage], max: usize) -> Vec<Passage> {
    let mut room = max;
    let mut kept: Vec<Option<String>> = vec![None; passages.len()];
    for aside in [false, true] {
        for (passage, kept) in passages
            .iter()
            .zip(&mut kept)
            .filter(|(passage, _)| passage.aside == aside)
        {
            if room == 0 {
                break;
            }
            let fits = text::truncate(&passage.text, room);
            room -= fits.chars().count().min(room);
            *kept = Some(fits);
        }
    }
    passages
        .iter()
        .zip(kept)
        .filter_map(|(passage, text)| {
            Some(Passage {
                text: text?,
                ..*passage
            })
        })
        .collect()
}

/// Whether it is one of the plain things of a page's furniture.
fn is_menu(element: &Element) -> bool {
    let states = &element.states;
    let plain = element.value.is_none() && element.options.is_empty() && element.context.is_none();
    let quiet = !(states.invalid || states.active || states.disabled)
        && states.expanded.is_none()
        && states.checked.is_none()
        && states.pressed.is_none()
        && states.selected != Some(true);
    plain
        && quiet
        && matches!(
            element.role,
            Role::Link | Role::Button | Role::MenuItem | Role::Tab
        )
        && is_aside(element)
}

fn is_aside(element: &Element) -> bool {
    !element.in_dialog && element.landmark.as_ref().is_some_and(Role::is_aside)
}

struct Lines<'v> {
    out: Vec<DigestLine<'v>>,
    /// The menu that is not written yet, with whether the goal speaks of the element.
    menu: Vec<(&'v Element, bool)>,
    /// What stands in the page's last line.
    footer: Vec<&'v Element>,
    /// Where the crowds that have a line have it.
    crowds: HashMap<u32, usize>,
    /// How many elements each crowd has.
    sizes: HashMap<u32, u32>,
}

/// How many elements each crowd has; the first of a crowd knows.
fn sizes(elements: &[Element]) -> HashMap<u32, u32> {
    let mut sizes = HashMap::new();
    for element in elements {
        if let Some(crowd) = element.crowd {
            sizes.entry(crowd).or_insert(element.group);
        }
    }
    sizes
}

impl<'v> Lines<'v> {
    fn text(&mut self, passage: Passage) {
        if !passage.aside {
            self.end_menu();
        }
        let Passage { text, heading, .. } = passage;
        self.out.push(if heading {
            DigestLine::Heading(text)
        } else {
            DigestLine::Text(text)
        });
    }

    fn element(&mut self, element: &'v Element) {
        self.leave_menu(element);
        self.out.push(DigestLine::Element(element));
    }

    fn menu(&mut self, element: &'v Element, matched: bool) {
        self.menu.push((element, matched));
    }

    /// A menu goes on past what stands alone in it, and its line comes after that.
    fn leave_menu(&mut self, next: &Element) {
        if !is_aside(next) {
            self.end_menu();
        }
    }

    fn crowd(&mut self, crowd: u32, element: &'v Element) {
        self.leave_menu(element);
        let at = self.crowds.get(&crowd);
        let line = at.and_then(|at| self.out.get_mut(*at));
        if let Some(DigestLine::Crowd { elements, .. }) = line {
            elements.push(element);
            return;
        }
        let size = self.sizes.get(&crowd).copied().unwrap_or(1);
        self.crowds.insert(crowd, self.out.len());
        self.out.push(DigestLine::Crowd {
            elements: vec![element],
            size,
        });
    }

    fn end_menu(&mut self) {
        let menu = std::mem::take(&mut self.menu);
        if menu.len() < MIN_MENU {
            self.out.extend(
                menu.into_iter()
                    .map(|(element, _)| DigestLine::Element(element)),
            );
            return;
        }
        let mut more = 0;
        let mut elements = Vec::with_capacity(menu.len().min(MAX_MENU));
        for (element, matched) in menu {
            if matched || elements.len() < MAX_MENU {
                elements.push(element);
            } else {
                more += 1;
            }
        }
        self.out.push(DigestLine::Menu { elements, more });
    }
}
