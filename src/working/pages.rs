//! The pages that a run was on. They are a view of the run's steps.

use std::collections::BTreeMap;

use super::{Place, Step, tally::Tally};
use crate::{
    action::{Action, BrowserAction, Effect, Fill, Goto, Outcome, Scroll, ScrollDirection, Type},
    page::{Role, TargetIdentity},
};

/// The page on which a run began, and the pages that its steps led to. A page is identified by the address that the
/// browser showed. Two kinds of pages are left out: those that could not be loaded, and those that were left again
/// because they are outside the run's scope.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pages<'a>(&'a [Step]);

/// A page that a run was on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Visited<'a> {
    /// The address.
    pub url: &'a str,
    /// The title of the page when the run first came to it; empty if the page has none, or if the run began there. The
    /// page wrote this text, so it is untrusted.
    pub title: &'a str,
    /// A summary of the page when the run first came to it, as in
    /// [`PageView::summary`](crate::page::PageView::summary); empty if the run began there. It quotes the page, so it is
    /// untrusted.
    pub summary: &'a str,
    /// Number of the step that first led to the page; 0 if the run began there.
    pub first: u32,
    /// Number of the last step after which the run was on the page.
    pub last: u32,
    /// Number of times that the run came to the page.
    pub visits: usize,
}

/// A page of a run as it was before a step: its address, and the earlier actions that gave its fields their values.
///
/// A snapshot is not stored, because it is computed from the steps. It contains only values that were filled in, chosen or
/// ticked, and how far the page was scrolled. It does not contain the results of other actions, such as an open menu or a
/// text that was typed key by key, because repeating these actions could have a second effect.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot<'a> {
    place: &'a Place,
    /// The steps that gave the fields of the page their values, oldest first. If these steps are repeated, the fields
    /// have the values again.
    made: Vec<&'a Step>,
    /// Distance by which the page was scrolled to the right and down. Unit: pixels.
    scrolled: [u32; 2],
    others: usize,
}

impl<'a> Snapshot<'a> {
    /// Returns the page's address.
    pub const fn place(&self) -> &'a Place {
        self.place
    }

    /// Returns the number of actions that may have changed fields or boxes of the page but are not in
    /// [`actions`](Self::actions): typed texts, and actions such as a click on a field or box.
    pub const fn others(&self) -> usize {
        self.others
    }

    /// Returns the actions that open the page again, give its fields their values and scroll it. Each action comes with
    /// the identities of its target elements.
    pub fn actions(&self) -> Vec<(BrowserAction, Vec<TargetIdentity>)> {
        let url = self.place.url().to_owned();
        let open = (BrowserAction::Goto(Goto { url }), Vec::new());
        let again = self.made.iter().filter_map(|step| {
            let Action::Browser(action) = &step.action else {
                return None;
            };
            Some((action.clone(), step.targets.clone()))
        });
        let directions = [ScrollDirection::Right, ScrollDirection::Down];
        let scrolls = directions.into_iter().zip(self.scrolled);
        // Last, because filling in a field may scroll the page.
        let scrolls = scrolls.filter(|(_, pixels)| *pixels > 0);
        let scrolls = scrolls.map(|(direction, pixels)| {
            let scroll = Scroll {
                direction: Some(direction),
                pixels: Some(pixels),
                target: None,
            };
            (BrowserAction::Scroll(scroll), Vec::new())
        });
        std::iter::once(open).chain(again).chain(scrolls).collect()
    }
}

/// Returns true if an action sets the value of a field or box. Repeating such an action does no harm, except a `fill`
/// with `submit`, which may send a form. The result is true for this `fill` too, so callers must first rule it out with
/// [`may_have_loaded`].
const fn sets_value(action: &Action) -> bool {
    use BrowserAction as A;
    matches!(
        action,
        Action::Browser(A::Fill(_) | A::Select(_) | A::Check(_) | A::Uncheck(_))
    )
}

/// Returns how far these scrolls, oldest first, move a page to the right and down. Scrolls of an element, or to an element,
/// do not count. Unit: pixels.
fn position<'s>(scrolls: impl Iterator<Item = &'s Scroll>) -> [u32; 2] {
    let of_page = scrolls.filter(|scroll| scroll.target.is_none());
    // A page cannot be scrolled beyond its beginning.
    let add = |at: u32, by: i64| u32::try_from((i64::from(at) + by).max(0)).unwrap_or(u32::MAX);
    of_page
        .filter_map(Scroll::by)
        .fold([0, 0], |[x, y], (right, down)| {
            [add(x, right), add(y, down)]
        })
}

/// Returns true if a step may have changed a field or box by an action that is not done again when the page is
/// restored, such as typed text or a click on the field. A key that was pressed without a target does not count.
fn is_entered(step: &Step) -> bool {
    let is_value = |target: &TargetIdentity| {
        let boxes = [Role::Checkbox, Role::Radio, Role::Switch, Role::Slider];
        target.role.is_editable() || boxes.contains(&target.role)
    };
    let by_keys = matches!(step.action, Action::Browser(BrowserAction::Type(_)));
    step.outcome == Outcome::Done
        && !sets_value(&step.action)
        && step.effect != Effect::Read
        && (by_keys || step.targets.iter().any(is_value))
}

/// Returns true if the fields of the page may have lost their values in this step, because the browser may have loaded
/// the page again at its address.
fn may_have_loaded(step: &Step) -> bool {
    use BrowserAction as A;
    let by_action = match &step.action {
        Action::Browser(A::Goto(_) | A::Reload(_)) | Action::Custom(_) => true,
        Action::Browser(A::Fill(Fill { submit, .. }) | A::Type(Type { submit, .. })) => *submit,
        Action::Browser(A::Press(press)) => press.key.last() == "Enter",
        _ => false,
    };
    by_action || step.reloaded || step.empties || step.effect == Effect::Irreversible
}

impl<'a> Pages<'a> {
    /// Creates the view of these steps.
    pub const fn of(steps: &'a [Step]) -> Self {
        Self(steps)
    }

    /// Returns the address of the page that was open when the run began; `None` if the run's first step opened the
    /// first page.
    fn start(self) -> Option<&'a str> {
        let url = self.0.first()?.before.url();
        (!url.is_empty() && url != "about:blank").then_some(url)
    }

    fn moves(self) -> impl Iterator<Item = &'a Step> {
        self.0.iter().filter(|step| step.led_to().is_some())
    }

    /// Returns the addresses in the order in which the run came to them. An address appears once for each time that the
    /// run came to it.
    pub fn path(self) -> impl Iterator<Item = &'a str> {
        let moved = self.moves().map(|step| step.after.url());
        self.start().into_iter().chain(moved)
    }

    /// Returns the page on which the step with this number began, as the page was before the step. Returns `None` if
    /// there is no step with this number, or if the step began on a page without a host, such as a blank page.
    pub fn before(self, step: u32) -> Option<Snapshot<'a>> {
        let at = self.0.iter().position(|known| known.number == step)?;
        let place = &self.0[at].before;
        place.host()?;
        let mut made: Vec<&Step> = Vec::new();
        let mut scrolls = Vec::new();
        let mut others = 0;
        for earlier in self.0[..at].iter().rev() {
            let stayed = earlier.before.url() == place.url() && earlier.after.url() == place.url();
            if !stayed || may_have_loaded(earlier) {
                break;
            }
            // The last value of a field is its value.
            let is_later = |later: &&Step| later.targets == earlier.targets;
            let is_done = earlier.outcome == Outcome::Done;
            if let Action::Browser(BrowserAction::Scroll(scroll)) = &earlier.action {
                scrolls.extend(is_done.then_some(scroll));
            } else if sets_value(&earlier.action) && is_done && !made.iter().any(is_later) {
                made.push(earlier);
            } else if is_entered(earlier) {
                others += 1;
            }
        }
        made.reverse();
        Some(Snapshot {
            place,
            made,
            scrolled: position(scrolls.into_iter().rev()),
            others,
        })
    }

    /// Returns each page once, in the order of the first visit.
    pub fn visited(self) -> Vec<Visited<'a>> {
        let tally = Tally::of(self.0);
        let pages = 0..tally.pages.len();
        pages.map(|index| tally.visited(self.0, index)).collect()
    }

    /// Returns the transitions between pages: pairs of the addresses before and after a step, each with the number of
    /// times that the run made this transition.
    pub fn transitions(self) -> BTreeMap<(&'a str, &'a str), usize> {
        let mut ways = BTreeMap::new();
        let between = self.moves().filter(|step| !step.before.url().is_empty());
        for step in between {
            *ways
                .entry((step.before.url(), step.after.url()))
                .or_default() += 1;
        }
        ways
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        action::{Click, ErrorClass, NoArguments, Signature, Target, TextValue},
        page::ElementRef,
    };

    fn steps(between: &[(&str, &str)]) -> Vec<Step> {
        let step = |(at, (before, after)): (usize, &(&str, &str))| {
            let action = Action::Browser(BrowserAction::Reload(NoArguments {}));
            let signature = Signature::of(&action, &[], "");
            let number = u32::try_from(at).unwrap() + 1;
            let mut step = Step::new(number, action, Outcome::Done, signature);
            (step.before, step.after) = (Place::of(*before), Place::of(*after));
            step
        };
        between.iter().enumerate().map(step).collect()
    }

    #[test]
    fn pages_are_told_in_the_order_of_the_first_visit() {
        let mut steps = steps(&[("", "a"), ("a", "a"), ("a", "b"), ("b", "a"), ("a", "b")]);
        (steps[2].title, steps[2].summary) = ("Page b".to_owned(), "page".to_owned());
        let pages = Pages::of(&steps);
        assert_eq!(pages.path().collect::<Vec<_>>(), ["a", "b", "a", "b"]);
        let visited = |url, first, last, visits| Visited {
            url,
            title: if url == "b" { "Page b" } else { "" },
            summary: if url == "b" { "page" } else { "" },
            first,
            last,
            visits,
        };
        assert_eq!(
            pages.visited(),
            [visited("a", 1, 4, 2), visited("b", 3, 5, 2)]
        );
        let ways: Vec<_> = pages.transitions().into_iter().collect();
        assert_eq!(ways, [(("a", "b"), 2), (("b", "a"), 1)]);
        // The same run, without the step that opened the first page.
        let later = Pages::of(&steps[1..]);
        assert_eq!(later.path().collect::<Vec<_>>(), ["a", "b", "a", "b"]);
        assert_eq!(later.visited()[0], visited("a", 0, 4, 2));
    }

    #[test]
    fn a_page_is_opened_again_with_the_last_value_of_each_field() {
        let on = "https://a.example/new";
        let places: [(&str, &str); 9] = [
            ("", on),
            (on, on),
            (on, on),
            (on, on),
            (on, on),
            (on, on),
            (on, on),
            (on, "https://a.example/other"),
            ("https://a.example/other", "https://a.example/other"),
        ];
        let mut steps = steps(&places);
        let fill = |text: &str, submit| {
            Action::Browser(BrowserAction::Fill(Fill {
                target: Target::Ref(ElementRef::parse("e1").unwrap()),
                text: TextValue::Literal(text.into()),
                submit,
            }))
        };
        let field = |name: &str| vec![TargetIdentity::new(Role::TextBox, name)];
        // Before the page was loaded again, a field had a value that it lost.
        (steps[1].action, steps[1].targets) = (fill("lost", false), field("Note"));
        (steps[3].action, steps[3].targets) = (fill("Anna", false), field("Name"));
        (steps[4].action, steps[4].targets) = (fill("Choir", false), field("Title"));
        (steps[5].action, steps[5].targets) = (fill("Anne", false), field("Name"));
        (steps[6].action, steps[6].targets) = (fill("no", false), field("Note"));
        steps[6].outcome = Outcome::NoEffect;
        let again = |number| {
            let snapshot = Pages::of(&steps).before(number)?;
            let actions = snapshot.actions().into_iter();
            Some(
                actions
                    .map(|(action, targets)| {
                        let target = targets.first().map_or("", |target| &*target.name);
                        format!("{} {target} {}", action.tool().as_str(), action.arguments())
                    })
                    .collect::<Vec<_>>(),
            )
        };
        let open = format!(r#"goto  {{"url":"{on}"}}"#);
        let filled = |name, text| format!(r#"fill {name} {{"target":"e1","text":"{text}"}}"#);
        assert_eq!(
            again(8).unwrap(),
            [
                open.clone(),
                filled("Title", "Choir"),
                filled("Name", "Anne")
            ]
        );
        assert_eq!(again(5).unwrap(), [open.clone(), filled("Name", "Anna")]);
        // A page that sent a form may have been loaded anew, so the values from before are gone.
        let mut sent = steps.clone();
        sent[5].action = fill("Anne", true);
        let snapshot = Pages::of(&sent).before(8).unwrap();
        assert_eq!((snapshot.actions().len(), snapshot.others()), (1, 0));
        let mut ticked = steps.clone();
        let click = Action::Browser(BrowserAction::Click(Click {
            target: Target::Ref(ElementRef::parse("e7").unwrap()),
            button: None,
        }));
        (ticked[6].action, ticked[6].targets) =
            (click, vec![TargetIdentity::new(Role::Checkbox, "Paid")]);
        (ticked[6].outcome, ticked[6].effect) = (Outcome::Done, Effect::Reversible);
        assert_eq!(Pages::of(&ticked).before(8).unwrap().others(), 1);
        ticked[6].reloaded = true;
        let snapshot = Pages::of(&ticked).before(8).unwrap();
        assert_eq!((snapshot.actions().len(), snapshot.others()), (1, 0));
        // Scrolls of the page add up. One that moved nothing, and one of an element, do not count.
        let scroll = |direction, pixels, target| {
            Action::Browser(BrowserAction::Scroll(Scroll {
                target,
                direction: Some(direction),
                pixels,
            }))
        };
        let list = || Some(Target::Ref(ElementRef::parse("e5").unwrap()));
        let scrolls = [
            (2, scroll(ScrollDirection::Up, Some(500), None)),
            (3, scroll(ScrollDirection::Down, None, None)),
            (4, scroll(ScrollDirection::Down, Some(300), list())),
            (5, scroll(ScrollDirection::Up, Some(100), None)),
            (6, scroll(ScrollDirection::Down, Some(900), None)),
        ];
        let mut scrolled = steps.clone();
        for (at, action) in scrolls {
            (scrolled[at].action, scrolled[at].targets) = (action, Vec::new());
        }
        let last = Pages::of(&scrolled).before(8).unwrap().actions().pop();
        let down = scroll(ScrollDirection::Down, Some(500), None);
        assert_eq!(last.map(|(action, _)| Action::Browser(action)), Some(down));
        assert_eq!(again(2).unwrap(), [open]);
        assert_eq!(
            again(9).unwrap(),
            [r#"goto  {"url":"https://a.example/other"}"#]
        );
        assert_eq!((again(1), again(10)), (None, None), "no page, no step");
    }

    #[test]
    fn a_page_that_was_left_or_not_reached_is_none() {
        let mut steps = steps(&[("", "a"), ("a", "b"), ("a", "c")]);
        steps[1].left_scope = true;
        steps[2].outcome = Outcome::failed(ErrorClass::NavigationFailed, "refused");
        let pages = Pages::of(&steps);
        assert_eq!(pages.path().collect::<Vec<_>>(), ["a"]);
        assert_eq!(pages.visited().len(), 1);
    }
}
