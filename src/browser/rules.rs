//! Decisions that every driver makes in the same way, such as the addresses that may be opened, the end of a wait, and
//! the texts of refusals. The functions do no input or output.

use std::{
    collections::{BTreeMap, HashMap},
    path::{Path, PathBuf},
    time::Duration,
};

use serde::Deserialize;
use url::Url;

use crate::{
    action::{BrowserAction, ErrorClass, Failure, Outcome, Target, Upload, Wait},
    base::text::{Folded, squeeze, truncate},
    browser::Execution,
    page::{
        Area, Drawing, DrawingKind, ElementRef, Locator, LocatorStep, Node, NodeId, Observation,
        Role, Tab,
    },
};

/// Maximum number of places at which a text stands that are told, and maximum length of each in characters. The detail of a failure
/// holds as much.
const MAX_PLACES: usize = 3;
const MAX_PLACE: usize = 80;

/// The first bytes of a PNG file.
pub(in crate::browser) const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";
/// Longest time that a `wait` action waits for a text. Source: the maximum number of seconds that a `wait` action
/// accepts.
pub(in crate::browser) const MAX_WAIT: Duration = Duration::from_secs(30);

pub(in crate::browser) const MOVED: &str =
    "another page is shown than the one that this was decided for";
pub(in crate::browser) const LAST_TAB: &str = "the last tab cannot be closed";
/// The reason for refusing an action with points but without a target element.
pub(in crate::browser) const NO_TARGET: &str = "a driver takes points of a target only";
pub(in crate::browser) const OPTION_SECRET: &str = "a secret cannot be an option";
/// The reason for refusing a secret as the answer to a dialog.
pub(in crate::browser) const DIALOG_SECRET: &str = "a dialog does not say which site will read it";
pub(in crate::browser) const STATE_NAME: &str = "letters, digits, `_` and `-` only";

/// Returns an http or https address in its normal form. Refuses every other address.
pub(in crate::browser) fn web_address(address: &str) -> Result<String, Outcome> {
    let refuse = |why| Outcome::failed(ErrorClass::NavigationFailed, why);
    let url = Url::parse(address).map_err(|_| refuse("not an address with http:// or https://"))?;
    match url.scheme() {
        "http" | "https" => Ok(url.into()),
        _ => Err(refuse("only http and https addresses can be opened")),
    }
}

/// Returns the paths of the files that an `upload` names. If one of the names is not among the `given` files, returns a
/// refusal that lists the names of the given files.
pub(in crate::browser) fn uploaded<'g>(
    upload: &Upload,
    given: &'g BTreeMap<String, PathBuf>,
) -> Result<Vec<&'g Path>, Outcome> {
    let paths = upload.files.iter().map(|name| given.get(name));
    let paths: Option<Vec<&Path>> = paths.map(|path| path.map(PathBuf::as_path)).collect();
    paths.ok_or_else(|| {
        let names = given.keys().map(String::as_str);
        Outcome::failed(
            ErrorClass::FileRefused,
            &Upload::offered(&names.collect::<Vec<_>>()),
        )
    })
}

/// Returns true if an action must be refused when a page of another origin is shown than the one it was decided for.
/// Such actions type, press keys, upload files, accept a dialog, run scripts, take a picture, or name an element by a
/// locator.
pub(in crate::browser) fn meets_any_page(action: &BrowserAction) -> bool {
    let by_locator = |target: &&Target| target.as_ref().is_none();
    match action {
        BrowserAction::Type(_)
        | BrowserAction::Press(_)
        | BrowserAction::Upload(_)
        | BrowserAction::DialogAccept(_)
        | BrowserAction::Eval(_)
        | BrowserAction::RunCode(_)
        | BrowserAction::Screenshot(_) => true,
        other => other.targets().iter().any(by_locator),
    }
}

/// Returns true for an action that points, clicks, drags or types on the page, or changes a field or the selection.
/// Returns false for `scroll`, although it turns the mouse wheel, and for `upload`.
pub(in crate::browser) const fn sends_events(action: &BrowserAction) -> bool {
    use BrowserAction as A;
    matches!(
        action,
        A::Click(_)
            | A::Dblclick(_)
            | A::ClickAt(_)
            | A::ClickXy(_)
            | A::DragBy(_)
            | A::DragXy(_)
            | A::Hover(_)
            | A::HoverXy(_)
            | A::Check(_)
            | A::Uncheck(_)
            | A::Drag(_)
            | A::Fill(_)
            | A::Type(_)
            | A::Press(_)
            | A::Select(_)
            | A::SelectText(_)
    )
}

/// Returns true for an action during which the page is watched for reactions.
pub(in crate::browser) const fn is_watched(action: &BrowserAction) -> bool {
    sends_events(action) || matches!(action, BrowserAction::Scroll(_))
}

/// Returns true if two addresses have the same origin; addresses without an origin must be equal.
pub(in crate::browser) fn is_same_origin(seen: &str, now: &str) -> bool {
    match (Url::parse(seen), Url::parse(now)) {
        (Ok(a), Ok(b)) if a.origin().is_tuple() => a.origin() == b.origin(),
        _ => seen == now,
    }
}

/// Returns the list of tabs as a text for the model, with titles and addresses.
pub(in crate::browser) fn listing(tabs: &[Tab]) -> String {
    let line = |tab: &Tab| {
        let current = if tab.current { " (current)" } else { "" };
        format!("{}{current}: {} {}", tab.index, tab.title, tab.url)
    };
    tabs.iter().map(line).collect::<Vec<_>>().join("\n")
}

pub(in crate::browser) const UNFOCUSED: &str = "the element takes no focus, so no key";

pub(in crate::browser) fn out_of_time(action: &BrowserAction) -> Execution {
    match action {
        // A wait for a text looks at the page again and again until its time ends, so this end means that the wait was
        // in vain.
        BrowserAction::Wait(Wait { seconds: None, .. }) => {
            Outcome::failed(ErrorClass::WaitedInVain, "").into()
        }
        _ => Outcome::failed(ErrorClass::Timeout, "the browser gave no answer in time").into(),
    }
}

/// The text for which a `wait` action waits.
#[derive(Debug)]
pub(in crate::browser) struct Awaited {
    text: String,
    /// True if the text must appear, false if it must disappear.
    here: bool,
}

impl Awaited {
    /// Returns the text for which this action waits.
    ///
    /// # Errors
    /// A refusal if the action does not name exactly one text.
    pub(in crate::browser) fn of(wait: &Wait) -> Result<Self, Outcome> {
        let (text, here) = match (&wait.text, &wait.gone) {
            (Some(text), None) => (text, true),
            (None, Some(text)) => (text, false),
            _ => {
                return Err(Outcome::failed(
                    ErrorClass::BadArguments,
                    "wait takes one of text, gone and seconds",
                ));
            }
        };
        Ok(Self {
            text: text.clone(),
            here,
        })
    }

    /// Returns true if this observation ends the wait. An unresponsive page never ends it: its observation is empty,
    /// but the text may still be on the page.
    pub(in crate::browser) fn is_met_by(&self, seen: &Observation) -> bool {
        !seen.unresponsive && seen.shows(&self.text) == self.here
    }

    /// Returns the failure of a wait that ended with this observation. If the text was to disappear, the failure says where it
    /// still stands.
    pub(in crate::browser) fn in_vain(&self, seen: Option<&Observation>) -> Failure {
        let seen = seen.filter(|_| !self.here);
        let places = seen.map_or_else(Vec::new, |seen| places_of(seen, &self.text));
        let places = if places.is_empty() {
            String::new()
        } else {
            format!("the text still stands in {}", places.join(", "))
        };
        Failure::new(ErrorClass::WaitedInVain, &places)
    }
}

/// The answer of the script that selects the text of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::browser) enum Selecting {
    Done,
    /// The text of the element does not contain the words, or it may contain a secret. In that case no answer is given
    /// about a part of it.
    Absent,
    /// The element has no text that can be selected.
    Empty,
    /// The browser allows only the whole text of this field to be selected.
    Whole,
    /// The element left the page when it got the focus.
    Gone,
}

impl From<Selecting> for Outcome {
    fn from(answer: Selecting) -> Self {
        let (class, why) = match answer {
            Selecting::Done => return Self::Done,
            Selecting::Absent => (
                ErrorClass::BadArguments,
                "the text of the element does not contain these words",
            ),
            Selecting::Empty => (
                ErrorClass::WrongElement,
                "the element has no text that can be selected",
            ),
            Selecting::Whole => (
                ErrorClass::BadArguments,
                "only the whole text of this field can be selected",
            ),
            Selecting::Gone => (
                ErrorClass::Detached,
                "the element left the page when it got the focus",
            ),
        };
        Self::failed(class, why)
    }
}

/// A drawing as the script in the page reports it: tag, left, top, width, height, whether it has a name, and index. The
/// index counts the elements of this tag from 0; -1 means none. Unit of the lengths: CSS pixels.
pub(in crate::browser) type SeenDrawing = (String, f64, f64, f64, f64, bool, i32);

/// Maximum number of frames that are asked for their visible part. Source: chosen; each frame takes some milliseconds.
pub(in crate::browser) const MAX_SEEN_FRAMES: usize = 20;

/// Converts a rectangle (left, top, width, height) from a document's window to the page's window. `corner` is the
/// document's top left corner in the page's window.
pub(in crate::browser) fn placed([x, y, width, height]: [f64; 4], corner: (f64, f64)) -> Area {
    Area::new(x + corner.0, y + corner.1, width, height)
}

/// Sorts boxes by the order of their elements in `wanted`.
pub(in crate::browser) fn in_order(boxes: &mut [(ElementRef, Area)], wanted: &[ElementRef]) {
    let place: HashMap<&ElementRef, usize> = wanted.iter().zip(0..).collect();
    boxes.sort_by_key(|(reference, _)| place.get(reference).copied());
}

/// Converts a drawing that a document reported. `corner` is the document's top left corner in the page's window. The
/// drawing gets a locator if the document is the main one (`in_page`) and the drawing's index is not -1. Returns `None`
/// for an unknown tag.
pub(in crate::browser) fn drawing(
    seen: &SeenDrawing,
    corner: (f64, f64),
    in_page: bool,
) -> Option<Drawing> {
    let (tag, x, y, width, height, named, place) = seen;
    let kind = match tag.as_str() {
        "canvas" => DrawingKind::Canvas,
        "svg" => DrawingKind::Svg,
        "img" => DrawingKind::Image,
        "video" | "object" | "embed" => DrawingKind::Video,
        _ => return None,
    };
    let drawing = Drawing::new(kind, placed([*x, *y, *width, *height], corner), *named);
    let steps = || vec![LocatorStep::Css(tag.clone()), LocatorStep::Nth(*place)];
    let is_found = in_page && *place >= 0;
    let locator = is_found.then(|| Locator::new(steps()).ok()).flatten();
    Some(Drawing { locator, ..drawing })
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is held within the type first"
)]
pub(in crate::browser) fn whole_pixels(length: f64) -> u32 {
    length.round().clamp(0.0, f64::from(u32::MAX)) as u32
}

/// Returns the places at which `text` stands, without regard to case: the title, and the innermost nodes with all of the
/// text, such as `e4 status "Saving"`. At most [`MAX_PLACES`] of them.
fn places_of(page: &Observation, text: &str) -> Vec<String> {
    let wanted = Folded::of(text);
    let has = |own: &str| Folded::of(own).contains(&wanted);
    let quoted =
        |own: &str| serde_json::Value::from(truncate(&squeeze(own), MAX_PLACE)).to_string();
    let title = has(&page.title).then(|| format!("the title {}", quoted(&page.title)));
    let words_of = |node: &Node| match &node.value {
        Some(value) if has(value) => Some(value.to_string()),
        _ => has(&node.name).then(|| node.name.to_string()),
    };
    let found: Vec<(NodeId, String)> = page
        .tree
        .iter()
        .filter_map(|(id, node)| Some((id, words_of(node)?)))
        .collect();
    let innermost = found.iter().enumerate().filter(|(at, (id, _))| {
        let last = page.tree.descendants(*id).next_back();
        found.get(at + 1).is_none_or(|(next, _)| Some(*next) > last)
    });
    let places = innermost.map(|(_, (id, words))| {
        let mut around = std::iter::once(*id).chain(page.tree.ancestors(*id));
        let reference = around.find_map(|at| page.tree[at].reference.clone());
        let reference = reference.map_or_else(String::new, |r| format!("{r} "));
        let role = match &page.tree[*id].role {
            Role::Text => String::new(),
            role => format!("{role} "),
        };
        format!("{reference}{role}{}", quoted(words))
    });
    title.into_iter().chain(places).take(MAX_PLACES).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        action::{Click, Press},
        page::{Node, Role, Tree},
    };

    #[test]
    fn only_web_addresses_are_opened() {
        assert_eq!(
            web_address(" http://Example.com/ü ").unwrap(),
            "http://example.com/%C3%BC"
        );
        // Nothing is trimmed before the URL standard does it, and that keeps a no-break space.
        assert_eq!(
            web_address("http://a.test/x\u{a0}").unwrap(),
            "http://a.test/x%C2%A0"
        );
        for bad in [
            "file:///etc/passwd",
            "javascript:alert(1)",
            "chrome://version",
            "about:blank",
            "data:text/html,x",
            "example.com",
            "--help",
            "",
        ] {
            assert!(web_address(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn only_what_is_aimed_at_no_reference_meets_any_page() {
        let click = |target: &str| {
            BrowserAction::Click(Click {
                target: Target::parse(target).unwrap(),
                button: None,
            })
        };
        assert!(!meets_any_page(&click("e1")) && meets_any_page(&click("role=button")));
        assert!(meets_any_page(&BrowserAction::Press(Press {
            key: crate::action::Key::parse("a").unwrap(),
            target: None,
            times: None,
        })));
    }

    #[test]
    fn a_page_is_another_one_when_its_origin_is() {
        assert!(is_same_origin("https://a.test/x", "https://a.test:443/y#z"));
        for other in [
            "http://a.test/",
            "https://b.test/",
            "https://a.test:8443/",
            "about:blank",
            "",
        ] {
            assert!(!is_same_origin("https://a.test/x", other), "{other}");
        }
        assert!(is_same_origin("about:blank", "about:blank"));
    }

    #[test]
    fn a_text_is_awaited_without_regard_to_case_and_spaces() {
        let mut tree = Tree::builder();
        tree.leaf(Node::text("Ready:  10:30"));
        let seen = Observation::new("http://a.test/", "Late", tree.finish());
        let wait = |text: Option<&str>, gone: Option<&str>| {
            let wait = Wait {
                text: text.map(Into::into),
                gone: gone.map(Into::into),
                seconds: None,
            };
            Awaited::of(&wait)
                .map(|awaited| awaited.is_met_by(&seen))
                .ok()
        };
        assert_eq!(
            (wait(Some("ready: 10"), None), wait(Some("LATE"), None)),
            (Some(true), Some(true))
        );
        assert_eq!(
            (wait(None, Some("loading")), wait(None, Some("ready"))),
            (Some(true), Some(false))
        );
        assert_eq!((wait(None, None), wait(Some("a"), Some("b"))), (None, None));
    }

    #[test]
    fn a_wait_in_vain_for_a_text_to_go_says_where_it_stands() {
        let mut tree = Tree::builder();
        let row = Node::new(Role::Row, "Draft Saving  now");
        tree.open(row.with_ref(ElementRef::parse("e3").unwrap()));
        tree.leaf(Node::text("Draft"));
        tree.leaf(Node::text("Saving now"));
        tree.close();
        tree.leaf(Node::new(Role::Button, "Saving"));
        let seen = Observation::new("http://a.test/", "Saving \"x\"", tree.finish());
        let detail = |text: Option<&str>, gone: Option<&str>| {
            let wait = Wait {
                text: text.map(Into::into),
                gone: gone.map(Into::into),
                seconds: None,
            };
            Awaited::of(&wait).unwrap().in_vain(Some(&seen)).detail
        };
        assert_eq!(
            detail(None, Some("saving")),
            r#"the text still stands in the title "Saving \"x\"", e3 "Saving now", button "Saving""#
        );
        assert_eq!(
            detail(None, Some("Draft saving")),
            r#"the text still stands in e3 row "Draft Saving now""#
        );
        assert_eq!(detail(Some("absent"), None), "");
    }

    #[test]
    fn nothing_is_gone_from_a_page_that_gives_no_answer() {
        let gone = Wait {
            text: None,
            gone: Some("loading".into()),
            seconds: None,
        };
        let gone = Awaited::of(&gone).unwrap();
        let empty = Observation::new("http://a.test/", "", Tree::builder().finish());
        assert!(gone.is_met_by(&empty));
        assert!(!gone.is_met_by(&Observation::unresponsive("http://a.test/", "")));
    }
}
