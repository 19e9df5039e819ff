//! Judgement of actions and answers: the outcome of an action, the harm it may do, and the evidence of an answer.
//!
//! This module does no I/O. The loop passes the observations before and after an action, and acts on the verdict.

mod again;
mod around;
mod batch;
mod effect;
mod error_page;
mod fields;
mod finish;
mod judge;
mod numbers;
mod page_now;
mod restored;
mod traces;
mod typed;
mod unused;
mod window;

pub(crate) use again::is_field_gone;
pub(crate) use batch::{ANOTHER_PAGE, CallMade, changes};
pub(crate) use effect::{HIDDEN, effect, self_submission};
pub(crate) use fields::untied;
pub(crate) use finish::{Evidence, Seen, check, own_words, unverified};
pub(crate) use judge::{is_another_document, moves_the_caret, waited_for_nothing};
pub(crate) use page_now::PageNow;
pub(crate) use restored::{empties, restored};
pub(crate) use typed::Typed;
pub(crate) use unused::{Used, unused};
pub(crate) use window::{Before, KnownNumbers, Next, Timing, Window, WindowVerdict};
