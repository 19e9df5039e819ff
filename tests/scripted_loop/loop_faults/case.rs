//! Faults, where they strike, and the reason in which the run must end.

use std::time::Duration;

use webwise::{
    testing::faults::{BrowserFault, LookFault, ModelFault, When},
    working::StopReason,
};

use crate::loop_faults::profile::full;

/// A fault of the browser, on an action or on a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Browser {
    Act(BrowserFault),
    Look(LookFault),
}

/// How long a fault lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lasting {
    Once,
    Always,
}

/// What strikes in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Case {
    pub(crate) model: Option<(ModelFault, u32)>,
    pub(crate) browser: Option<(Browser, u32)>,
    pub(crate) lasting: Lasting,
}

/// The wait that a provider names in seconds.
pub(crate) const SECONDS: Duration = Duration::from_secs(7);
/// The wait of a provider that names a date, as the adapter reckons it from the reply's own `date` header.
pub(crate) const DATE: Duration = Duration::from_secs(77);
/// Shorter than the time-out of a command.
const SLOW: Duration = Duration::from_secs(5);

pub(crate) const MODEL_FAULTS: [ModelFault; 16] = [
    ModelFault::Empty,
    ModelFault::MalformedJson,
    ModelFault::InventedRef,
    ModelFault::Refusal,
    ModelFault::CutOff,
    ModelFault::ContentFilter,
    ModelFault::RateLimited(Some(SECONDS)),
    ModelFault::RateLimited(Some(DATE)),
    ModelFault::RateLimited(None),
    ModelFault::Silent,
    ModelFault::ServerError,
    ModelFault::Garbled,
    ModelFault::TwoCalls,
    ModelFault::WrongTool,
    ModelFault::Misplaced,
    ModelFault::TextOnly,
];

pub(crate) const BROWSER_FAULTS: [Browser; 16] = [
    Browser::Act(BrowserFault::StaleRef),
    Browser::Act(BrowserFault::Intercepted),
    Browser::Act(BrowserFault::TimeOut { done: false }),
    Browser::Act(BrowserFault::TimeOut { done: true }),
    Browser::Act(BrowserFault::Silent { done: false }),
    Browser::Act(BrowserFault::Silent { done: true }),
    Browser::Act(BrowserFault::Dialog),
    Browser::Act(BrowserFault::PageLost),
    Browser::Act(BrowserFault::Dead),
    Browser::Act(BrowserFault::Slow(SLOW)),
    Browser::Act(BrowserFault::Garbled { done: false }),
    Browser::Act(BrowserFault::Garbled { done: true }),
    Browser::Act(BrowserFault::NoEffect),
    Browser::Look(LookFault::Silent),
    Browser::Look(LookFault::Garbled),
    Browser::Look(LookFault::Slow(SLOW)),
];

/// The first, the third and the last of the shortest way; its last action sends the form, the last call finishes.
pub(crate) const PLACES: [u32; 3] = [1, 3, 5];

impl Case {
    /// Every fault alone, once and from then on, and every pair of a model's and a browser's that can both happen.
    pub(crate) fn all() -> Vec<Self> {
        let mut cases = Vec::new();
        for place in PLACES {
            for lasting in [Lasting::Once, Lasting::Always] {
                cases.extend(MODEL_FAULTS.map(|fault| Self {
                    model: Some((fault, place)),
                    browser: None,
                    lasting,
                }));
                cases.extend(BROWSER_FAULTS.map(|fault| Self {
                    model: None,
                    browser: Some((fault, place)),
                    lasting,
                }));
            }
            for model in MODEL_FAULTS {
                cases.extend(
                    BROWSER_FAULTS
                        .iter()
                        .filter_map(|browser| Self::pair(model, *browser, place)),
                );
            }
        }
        cases
    }

    /// Both at one place: the call of a number comes after the action of that number. Before a dead browser the model
    /// fails one call earlier, because none comes later; with nothing before the first action, that pair cannot be.
    fn pair(model: ModelFault, browser: Browser, place: u32) -> Option<Self> {
        let call = match (browser, model, place) {
            (Browser::Act(BrowserFault::Dead), _, 1)
            | (Browser::Act(BrowserFault::Dead), ModelFault::ContentFilter, _) => {
                return None;
            }
            (Browser::Act(BrowserFault::Dead), ..) => place - 1,
            _ => place,
        };
        Some(Self {
            model: Some((model, call)),
            browser: Some((browser, place)),
            lasting: Lasting::Once,
        })
    }

    /// Which of the places it strikes at.
    fn nth_place(&self) -> usize {
        let place = self.browser.map(|(_, place)| place);
        let place = place.or(self.model.map(|(_, place)| place));
        PLACES
            .iter()
            .position(|known| Some(*known) == place)
            .unwrap_or_default()
    }

    /// Whether the quick profile has it: every fault alone, and every pair at one of the places, by turns.
    pub(crate) fn is_in_sample(&self) -> bool {
        let (Some((model, _)), Some((browser, _))) = (self.model, self.browser) else {
            return true;
        };
        let model = MODEL_FAULTS.iter().position(|known| *known == model);
        let browser = BROWSER_FAULTS.iter().position(|known| *known == browser);
        let turn = model.unwrap_or_default() + browser.unwrap_or_default();
        turn % PLACES.len() == self.nth_place()
    }

    /// The seeds of this case out of so many: those of a pair are spread over its places, and a fault alone has all of them in
    /// the full profile.
    pub(crate) fn seeds(&self, all: u32) -> impl Iterator<Item = u32> {
        let is_pair = self.model.is_some() && self.browser.is_some();
        let (first, step) = if is_pair || !full() {
            (self.nth_place(), PLACES.len())
        } else {
            (0, 1)
        };
        (0..all).skip(first).step_by(step)
    }

    pub(crate) const fn when(&self, place: u32) -> When {
        match self.lasting {
            Lasting::Once => When::once(place),
            Lasting::Always => When::from(place),
        }
    }

    /// The reason in which the run must end.
    pub(crate) fn expected(&self) -> StopReason {
        match self.lasting {
            Lasting::Once => self.after_passing(),
            Lasting::Always => match (self.model, self.browser) {
                (Some((fault, _)), _) => after_lasting_model(fault),
                (_, Some((fault, place))) => after_lasting_browser(fault, place),
                (None, None) => StopReason::Finished,
            },
        }
    }

    /// A fault that passes is survived, but for a filter, which says that asking again is of no use, and for a browser
    /// that is gone.
    fn after_passing(&self) -> StopReason {
        match (self.model, self.browser) {
            (_, Some((Browser::Act(BrowserFault::Dead), _))) => StopReason::BrowserLost,
            (Some((ModelFault::ContentFilter, _)), _) => StopReason::ModelUnusable,
            _ => StopReason::Finished,
        }
    }
}

fn after_lasting_model(fault: ModelFault) -> StopReason {
    match fault {
        // The second call of a pair is void or does nothing new.
        ModelFault::TwoCalls => StopReason::Finished,
        // Five errors in a row, each with another reference.
        ModelFault::InventedRef => StopReason::TooManyErrors,
        // It can run, and changes nothing.
        ModelFault::Misplaced => StopReason::Stuck,
        _ => StopReason::ModelUnusable,
    }
}

fn after_lasting_browser(fault: Browser, place: u32) -> StopReason {
    let fault = match fault {
        Browser::Look(LookFault::Slow(_)) => return StopReason::Finished,
        // A page that cannot be looked at twice in a row is gone.
        Browser::Look(_) => return StopReason::BrowserLost,
        Browser::Act(fault) => fault,
    };
    match fault {
        BrowserFault::Dead => StopReason::BrowserLost,
        // The way back is lost too.
        BrowserFault::PageLost if place > 1 => StopReason::BrowserLost,
        // The same click and the same answer in turn; and what never reached the page, so that only the repetition counts.
        BrowserFault::Dialog | BrowserFault::StaleRef => StopReason::RepeatedAction,
        // All of the others was done though each step was told as failed: another page was shown, so that it is unclear and no
        // error.
        BrowserFault::Slow(_)
        | BrowserFault::TimeOut { done: true }
        | BrowserFault::Silent { done: true }
        | BrowserFault::Garbled { done: true } => StopReason::Finished,
        // Nothing opens: the first look counts as a change, so five repetitions come before four standstills.
        _ if place == 1 => StopReason::RepeatedAction,
        _ => StopReason::Stuck,
    }
}
