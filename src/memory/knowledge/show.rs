//! Selection of the facts about a host that a prompt shows, and the sentences for these facts.

use std::collections::HashSet;

use super::{About, Claim, Fact, FactSource, observe::so_far};
use crate::{
    base::{Host, Trust},
    memory::{Advice, AdviceId, Aim, Cue, Index, Lasts, Moment, Piece, Record, Section, Shelf},
    page::{Role, sketch},
};

/// The prompt section that shows facts. Source of its priority: chosen.
pub(super) const SECTION: Section = Section::custom("Facts about this site", 30, Lasts::Page);

#[derive(Debug)]
pub(super) struct FactIndex {
    shelf: Shelf,
    stored: Vec<(AdviceId, Fact)>,
}

impl FactIndex {
    /// Indexes the records of a shelf, without those that cannot be read.
    pub(super) fn new(shelf: &Shelf, records: &[Record]) -> Self {
        let facts = records.iter().filter_map(|record| {
            let (shelf, key) = (shelf.clone(), record.key.clone());
            Some((AdviceId { shelf, key }, Fact::from_record(record).ok()?))
        });
        Self {
            stored: facts.collect(),
            shelf: shelf.clone(),
        }
    }

    /// Returns the facts that the run's own steps prove, except stored facts that may be shown anyway.
    fn so_far(&self, moment: &Moment<'_>, host: &Host) -> Vec<(AdviceId, Fact)> {
        let Some(run) = moment.run else {
            return Vec::new();
        };
        let mut facts = so_far(moment.steps, host, run, moment.now);
        // A stored fact that waits or has faded does not hide what the run has just seen.
        let shown = self
            .stored
            .iter()
            .filter(|(_, fact)| fact.is_shown(moment.now));
        facts.retain(|key, _| !shown.clone().any(|(id, _)| id.key == *key));
        let id = |key| AdviceId {
            shelf: self.shelf.clone(),
            key,
        };
        facts
            .into_iter()
            .map(|(key, fact)| (id(key), fact))
            .collect()
    }
}

impl Index for FactIndex {
    fn advise(&self, moment: &Moment<'_>, _: bool) -> Vec<Advice> {
        let Cue::PageShown { host, seen, .. } = moment.cue else {
            return Vec::new();
        };
        let own = self.so_far(moment, host);
        let mut shown: Vec<&(AdviceId, Fact)> = self
            .stored
            .iter()
            .chain(&own)
            .filter(|(_, fact)| fact.is_shown(moment.now))
            .collect();
        if shown.is_empty() {
            return Vec::new();
        }
        let roles: HashSet<&Role> = shown
            .iter()
            .filter_map(|(_, fact)| match &fact.about {
                About::Element(aim) => Some(&aim.role),
                About::Name(_) => None,
            })
            .collect();
        let elements = sketch(&seen.tree, |role| roles.contains(role));
        let here: HashSet<Aim> = elements.iter().map(Aim::of).collect();
        shown.retain(|(_, fact)| match &fact.about {
            About::Element(aim) => here.contains(aim),
            About::Name(_) => true,
        });
        let confidence = |fact: &Fact| {
            let slot = fact.slot();
            slot.map_or(0.0, |slot| fact.confidence(&slot, moment.now))
        };
        shown.sort_by(|(a, one), (b, other)| {
            let surest = confidence(other).total_cmp(&confidence(one));
            surest.then_with(|| a.cmp(b))
        });
        let advice = shown.into_iter().filter_map(|(id, fact)| {
            let trust = match (&fact.about, fact.source) {
                (About::Element(_), _) => Trust::Code,
                (About::Name(_), FactSource::User) => Trust::User,
                (About::Name(_), _) => Trust::Model,
            };
            Advice::with_names(id.clone(), pieces(fact)?, trust, SECTION)
        });
        advice.collect()
    }
}

/// Returns the fact as one sentence; empty if it has no value.
pub(super) fn sentence(fact: &Fact) -> String {
    let pieces = pieces(fact).unwrap_or_default();
    pieces.iter().map(Piece::to_string).collect()
}

/// Returns the pieces of the fact's sentence. Names from the page and words of this crate are separate pieces. Returns
/// `None` if the fact has no value.
fn pieces(fact: &Fact) -> Option<Vec<Piece>> {
    Some(pieces_of(&fact.about, &fact.slot()?.value.claim))
}

/// Returns the sentence that says this of the fact's subject.
pub(super) fn sentence_of(about: &About, claim: &Claim) -> String {
    pieces_of(about, claim)
        .iter()
        .map(Piece::to_string)
        .collect()
}

fn pieces_of(about: &About, claim: &Claim) -> Vec<Piece> {
    match (about, claim) {
        (About::Element(aim), claim) => vec![aim.named(), Piece::from(said(claim))],
        (About::Name(name), Claim::Words(words)) => vec![Piece::Words(format!("{name}: {words}"))],
        (About::Name(name), claim) => vec![Piece::Words(format!("{name}{}", said(claim)))],
    }
}

/// Returns the part of a fact's sentence after the element's name; empty for free text.
pub(super) const fn said(claim: &Claim) -> &'static str {
    match claim {
        Claim::Covers => " is on top of other elements until you click it: click it first.",
        Claim::NeedsEnter => " does nothing until Enter: fill it with submit.",
        Claim::NeedsKeys => " does not react to fill: click it and type.",
        Claim::AnswersLate => " is answered late: wait for the result in the same reply.",
        Claim::CoversNothing => " is in nobody's way.",
        Claim::NeedsNoEnter => " needs no Enter.",
        Claim::TakesText => " reacts to fill.",
        Claim::AnswersAtOnce => " is answered at once.",
        Claim::Words(_) => "",
    }
}
