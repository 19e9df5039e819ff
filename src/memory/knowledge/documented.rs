//! Conversion of facts from and to the documented memory folder of another program.

use std::collections::{BTreeMap, btree_map::Entry as Place};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Map;

use super::{
    About, Claim, DROP, Fact, FactKind, FactSource, Held, MAX_FACTS, Slot,
    show::{said, sentence},
};
use crate::memory::{
    Record,
    agent_memory::{Converted, Domain, item, left_out, quoted},
    selector_text::names_reference,
};

/// A fact as an entry in the folder's file of facts.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    #[serde(rename = "type")]
    kind: FactKind,
    key: String,
    value: String,
    confidence: f64,
    #[serde(default)]
    sources: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last_seen: Option<DateTime<Utc>>,
}

impl Entry {
    fn fact(&self, now: DateTime<Utc>) -> Result<Fact, String> {
        if !(DROP..=1.0).contains(&self.confidence) {
            return Err(format!(
                "left out: its confidence {} is not between {DROP} and 1",
                quoted(&self.confidence.to_string())
            ));
        }
        let (about, claim) = (About::name(&self.key), Claim::words(&self.value));
        if about == About::name("") || claim == Claim::words("") {
            return Err("left out: it has no key or no value".to_owned());
        }
        if names_reference(&self.key) || names_reference(&self.value) {
            return Err(
                "left out: it names a reference, which belongs to one load of a page".to_owned(),
            );
        }
        let last_seen = self.last_seen.unwrap_or(now).min(now);
        Ok(Fact {
            kind: self.kind,
            about,
            source: FactSource::User,
            sources: Vec::new(),
            before: Some(Slot {
                value: Held {
                    claim,
                    confidence: self.confidence,
                },
                challenger: None,
            }),
            runs_before: self.sources,
            last_seen,
            extra: Map::new(),
        })
    }
}

/// Converts the folder's facts about a host to records, and lists the problems found. Of several facts with the same
/// key, only the one with the highest confidence is kept. Of more than [`MAX_FACTS`] facts, those with the lowest
/// confidence are left out.
pub(super) fn read(domain: &Domain, now: DateTime<Utc>) -> Converted {
    let mut out = Converted::default();
    let mut facts: BTreeMap<String, Fact> = BTreeMap::new();
    let confidence = |fact: &Fact| fact.slot().map_or(0.0, |slot| slot.value.confidence);
    for (value, at) in domain.facts.iter().zip(1..) {
        let fact = item::<Entry>(value).and_then(|entry| {
            let fact = entry.fact(now)?;
            if sentence(&fact).ends_with('…') && !entry.value.trim_end().ends_with('…') {
                out.problems.push(format!("fact {at}: its value is cut"));
            }
            Ok(fact)
        });
        let fact = match fact {
            Ok(fact) => fact,
            Err(why) => {
                out.problems.push(format!("fact {at}: {why}"));
                continue;
            }
        };
        match facts.entry(fact.key()) {
            Place::Vacant(place) => {
                place.insert(fact);
            }
            Place::Occupied(mut known) => {
                let why = "another fact has the same key, and only the surer of them is kept";
                out.problems.push(format!("fact {at}: {why}"));
                if confidence(&fact) > confidence(known.get()) {
                    known.insert(fact);
                }
            }
        }
    }
    let mut facts: Vec<Fact> = facts.into_values().collect();
    facts.sort_by(|a, b| confidence(b).total_cmp(&confidence(a)));
    let excess = facts.len().saturating_sub(MAX_FACTS);
    facts.truncate(MAX_FACTS);
    let why = format!("no more than {MAX_FACTS} facts of a host are kept");
    out.problems.extend(left_out(excess, "fact", &why));
    let records = facts.iter().filter_map(|fact| fact.to_record().ok());
    out.records = records.collect();
    out
}

/// Adds a host's facts to `domain`. Returns messages about facts and values that were lost or changed.
pub(super) fn write(records: &[Record], domain: &mut Domain) -> Vec<String> {
    let (mut in_words, mut challengers, mut lost) = (0, 0, 0);
    for record in records {
        let fact = Fact::from_record(record).ok();
        let slot = fact.as_ref().and_then(Fact::slot);
        let (Some(fact), Some(slot)) = (fact, slot) else {
            lost += 1;
            continue;
        };
        challengers += usize::from(slot.challenger.is_some());
        let (key, value) = match (&fact.about, &slot.value.claim) {
            (About::Name(name), Claim::Words(words)) => (name.clone(), words.clone()),
            (About::Element(aim), claim) if claim.tells() => {
                in_words += 1;
                (aim.named().to_string(), said(claim).trim().to_owned())
            }
            _ => {
                lost += 1;
                continue;
            }
        };
        let entry = Entry {
            kind: fact.kind,
            key,
            value,
            confidence: slot.value.confidence,
            sources: fact.runs(),
            last_seen: Some(fact.last_seen),
        };
        match serde_json::to_value(&entry) {
            Ok(entry) => domain.facts.push(entry),
            Err(_) => lost += 1,
        }
    }
    let mut problems = left_out(lost, "fact", "the folder has no words for it");
    if in_words > 0 {
        problems.push(format!(
            "{in_words} facts about elements become words, which are read back as words"
        ));
    }
    let why = "the folder holds one value of a fact";
    problems.extend(left_out(challengers, "contradicting value", why));
    problems
}
