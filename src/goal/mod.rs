//! Goals: decides whether a new goal is a recorded task with other values.
//!
//! A recorded run is compiled into a [`Template`]. The template is the goal of the run, with a hole for each text of
//! the goal that a step uses as a value, such as a typed search term. In a single run, the name of a button makes no
//! hole, because it is often the verb of the goal. The public types call a hole a slot. All other words are the frame.
//! A new goal must repeat the frame word for word. Its words at the places of the holes are the new values. They
//! replace the recorded values in the texts of the steps. The answer is a [`Verdict`]: the texts that change, a
//! question for a person, or a typed [`Reason`] for refusing.
//!
//! The module does no input or output: it takes runs and goals and returns templates and verdicts. Trajectories are
//! recorded steps that reached a goal. The kind of memory for trajectories turns their steps into [`Literals`], builds
//! a template from them whenever it compares goals, and matches new goals against it. [`trace`] says where each text of
//! a run comes from, and [`overlap`] ranks earlier goals that are shown to the model as hints.
//!
//! ```
//! use std::collections::BTreeMap;
//!
//! use webwise::goal::{Literals, Reason, Recorded, Template};
//!
//! let mut fill = Literals::default();
//! fill.action = "fill".to_owned();
//! fill.text = Some("padel rackets".to_owned());
//! let template = Template::compile(&Recorded::new("Search for padel rackets", vec![fill]));
//!
//! let verdict = template.matches("search for tennis balls", &BTreeMap::new());
//! assert_eq!(verdict.accepted().unwrap().args[0].new, "tennis balls");
//! let verdict = template.matches("Search for tennis balls and buy them", &BTreeMap::new());
//! assert_eq!(verdict.reason(), Some(Reason::ClosedClass));
//! ```
//!
//! # Decisions
//!
//! - Nothing is scored by similarity. A similarity score would rate a goal with an added "not" or with another account
//!   number as highly as a goal with another value. The frame admits a difference only in the words that a step uses. This
//!   works in every script and without a dictionary.
//! - The text of a step can often be explained in several ways, for example as a copy of a value or as the value in lower
//!   case. As a rule, every explanation that fits the recorded run is kept, and a new value is used only if all of
//!   these explanations give the same text. But an exact copy rules out other forms of the value. And if a word of the
//!   field's label stands beside exactly one of the possible values in the goal, only this value counts.
//! - A refusal costs model calls, and a wrong replay costs more. So every guard, which is a check of a new value, refuses if
//!   in doubt. A value that the user quotes, or gives as a named parameter, passes nearly all guards.
//! - A slot that only one run has shown is tentative, unless the user declared it as a parameter. A person must approve
//!   a new value in a tentative slot before a step that cannot be undone. A second run with another value confirms the
//!   slot, unless the value may be the verb of the goal.
//! - Rephrasings are not guessed. A goal in other words is carried out by the model, and this run becomes a template of its
//!   own.
//! - A template is derived from its runs and is built anew when it is read, so a new version of this module never uses
//!   the decisions of an old version.

mod account;
mod address;
mod confirm;
mod date_format;
mod dates;
mod fold;
mod guards;
mod lex;
mod merge;
mod months;
mod numbers;
mod origin;
mod overlap;
mod parse;
mod program;
mod provenance;
mod record;
#[cfg(test)]
mod sample;
mod scripts;
mod shared;
mod slots;
mod template;
mod trace;
mod verdict;
mod words;

pub use date_format::{DateFormat, TimeFormat};
pub use dates::Order;
pub use fold::compose;
pub(crate) use lex::{inside_quotes, quoted_values};
pub use months::Language;
pub use numbers::{Convention, Output};
pub use overlap::overlap;
pub use program::{Border, Case, Marks, Program};
pub use provenance::{Provenance, Slot, Traced, Use, trace};
pub use record::{Field, Literals, Recorded};
pub use shared::{Shared, shared};
pub use template::Template;
pub use verdict::{Accepted, Arg, ArgField, Change, Question, Reason, State, Verdict};

/// Version of the code that matches goals against templates, stored in each template. When a template of any version is
/// read, it is built anew from its runs.
pub const MATCHER_VERSION: u32 = 1;

/// Maximum number of characters of a goal; a longer goal is neither compiled nor matched. Source: chosen; a longer
/// goal usually describes something and has no values to replace.
pub const MAX_GOAL: usize = 2_000;
