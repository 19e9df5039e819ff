//! Provenance: the source of each text of the steps, as plain values for other modules.

use serde::Serialize;

use super::{
    origin::{Explained, Origin, Source},
    program::Program,
    record::{Field, Recorded},
    template::Template,
    verdict::State,
};

/// A slot of a template: a place in the goal whose value can change.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Slot {
    /// The name of the slot: the name of the parameter; or else the words of the label of the field that the slot's
    /// value fills, in lower case and joined by `_`, such as `first_name`; or else `slot_` and a number. If another
    /// slot has the name already, `_` and a number are added.
    pub id: String,
    /// The recorded value.
    pub value: String,
    /// The evidence that the value may change; `None` only in `Slot::default()`.
    pub state: Option<State>,
    /// Byte offset at which the value starts in the recorded goal. The offset counts bytes of the goal's composed form
    /// (NFC), after the values of parameters have replaced their names in braces. If the value is in quotes, it is the
    /// offset of the opening quote.
    pub start: usize,
    /// Byte offset at which the value ends in the recorded goal, counted as for `start` and after a closing quote.
    pub end: usize,
}

/// A text of a recorded step, with the place that the text comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Traced {
    /// Index of the step in its run, counted from 0.
    pub step: usize,
    /// The part of the step to which the text belongs.
    pub field: Field,
    /// The recorded text. In addresses, percent-encoded characters are decoded.
    pub value: String,
    /// The place that the text comes from.
    pub from: Provenance,
}

/// The place that a text of a step comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Provenance {
    /// The value of a slot. If the list has several slots, the text may come from any of them.
    Slot(Vec<Use>),
    /// A text that contains values of slots among other words, or that comes from words of the goal that overlap with a
    /// slot. The slots are given by their names.
    Composed(Vec<String>),
    /// Words of the goal that belong to no slot.
    Frame,
    /// An unknown source, but the text was the same in several runs although the values in their goals differed. The
    /// number is the number of these runs.
    Constant(u32),
    /// A choice that the run made on the page: the text names a target that the run picked from several elements of the
    /// same kind. The goal does not contain this name.
    PageChoice,
    /// The page itself: the name of an element such as a button, a field or a plain link, or a part of an address
    /// without digits.
    Page,
    /// An unknown source: neither the goal nor the page explains the text.
    Unexplained,
}

/// The use of a slot's value in a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Use {
    /// The name of the slot.
    pub slot: String,
    /// The programs that turn the slot's value into the text. For a new value, all of them must give the same text.
    pub programs: Vec<Program>,
}

/// Returns each text of a run's steps with its source.
///
/// ```
/// use webwise::goal::{Literals, Provenance, Recorded, trace};
///
/// let mut fill = Literals::default();
/// fill.action = "fill".to_owned();
/// fill.text = Some("padel rackets".to_owned());
/// let traced = trace(&Recorded::new("Search for padel rackets", vec![fill]));
/// assert!(matches!(traced[0].from, Provenance::Slot(_)));
/// ```
pub fn trace(run: &Recorded) -> Vec<Traced> {
    Template::compile(run).texts()
}

pub(super) fn slots(template: &Template) -> Vec<Slot> {
    let of_hole = |hole: &super::slots::Hole| Slot {
        id: hole.id.clone(),
        value: hole.value.text.clone(),
        state: Some(hole.state),
        start: template.tokens[hole.start].start,
        end: template.tokens[hole.end - 1].end,
    };
    template.holes.iter().map(of_hole).collect()
}

pub(super) fn texts(template: &Template) -> Vec<Traced> {
    let is_text = |text: &&Explained| text.literal.class != super::trace::Class::Fixed;
    let traced = |text: &Explained| Traced {
        step: text.literal.step,
        field: text.literal.field,
        value: text.literal.value.clone(),
        from: provenance(template, text),
    };
    template
        .explained
        .iter()
        .filter(is_text)
        .map(traced)
        .collect()
}

fn provenance(template: &Template, text: &Explained) -> Provenance {
    let id = |hole: usize| template.holes[hole].id.clone();
    let sources = text.origin.sources();
    let uses: Vec<Use> = sources
        .iter()
        .filter_map(|source| match source {
            Source::Hole { hole, programs } => Some(Use {
                slot: id(*hole),
                programs: programs.clone(),
            }),
            _ => None,
        })
        .collect();
    let touched: Vec<String> = sources
        .iter()
        .filter_map(|source| match source {
            Source::Hole { hole, .. } | Source::Entangled(hole) => Some(id(*hole)),
            Source::Frame => None,
        })
        .collect();
    match &text.origin {
        Origin::Whole(_) if !uses.is_empty() => Provenance::Slot(uses),
        Origin::Whole(_) if sources.contains(&&Source::Frame) => Provenance::Frame,
        _ if text.is_choice() => Provenance::PageChoice,
        Origin::Whole(_) | Origin::Parts(_) if !touched.is_empty() => Provenance::Composed(touched),
        Origin::Constant(runs) => Provenance::Constant(*runs),
        _ if text.comes_from_the_page() => Provenance::Page,
        _ => Provenance::Unexplained,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goal::sample::{click, fill, goto, picked, task};

    #[test]
    fn each_text_has_a_provenance() {
        let run = task(
            "Send order 5512 to Anna",
            vec![
                goto("https://a.example/orders/5512"),
                picked("link", "Anna"),
                picked("link", "Express"),
                fill("Note", "Order 5512 for you"),
                fill("Code", "XK-1"),
                click("button", "Send"),
                click("button", "Confirm"),
            ],
        );
        let shown: Vec<String> = trace(&run)
            .iter()
            .map(|text| match &text.from {
                Provenance::Slot(uses) => format!("{}: slot {}", text.value, uses[0].slot),
                Provenance::Composed(slots) => {
                    format!("{}: composed of {}", text.value, slots.join(","))
                }
                other => format!("{}: {other:?}", text.value),
            })
            .collect();
        assert_eq!(
            shown,
            [
                "orders: Page",
                "5512: slot orders",
                "Anna: slot slot_2",
                "Express: PageChoice",
                "Order 5512 for you: composed of orders",
                "Note: Page",
                "XK-1: Unexplained",
                "Code: Page",
                "Send: Frame",
                "Confirm: Page",
            ]
        );
    }

    #[test]
    fn slots_lead_back_to_the_goal() {
        let template =
            Template::compile(&task("Suche „Müller“ bitte", vec![fill("Kunde", "Müller")]));
        let slots = template.slots();
        assert_eq!(
            (slots[0].id.as_str(), slots[0].value.as_str()),
            ("kunde", "Müller")
        );
        assert_eq!(
            &"Suche „Müller“ bitte"[slots[0].start..slots[0].end],
            "„Müller“"
        );
    }
}
