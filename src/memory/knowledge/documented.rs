//! Conversion of facts from the documented memory folder of another program.

use std::collections::{BTreeMap, btree_map::Entry as Place};

use chrono::{DateTime, Utc};
use serde::Deserialize;

use super::{DROP, Fact, FactKind, MAX_FACTS, show::sentence};
use crate::memory::{
    agent_memory::{Converted, Domain, item, left_out, quoted},
    selector_text::names_reference,
};

/// A fact as an entry in the folder's file of facts.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    #[serde(rename = "type")]
    kind: FactKind,
    key: String,
    value: String,
    confidence: f64,
    #[serde(default)]
    sources: u64,
    #[serde(default)]
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
        if names_reference(&self.key) || names_reference(&self.value) {
            return Err(
                "left out: it names a reference, which belongs to one load of a page".to_owned(),
            );
        }
        let last_seen = self.last_seen.unwrap_or(now).min(now);
        let told = (&*self.key, &*self.value);
        Fact::told(self.kind, told, self.confidence, self.sources, last_seen)
            .ok_or_else(|| "left out: it has no key or no value".to_owned())
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
