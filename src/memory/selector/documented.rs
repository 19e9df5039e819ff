//! Conversion of stored elements from `selectors.json`, a file of another program's memory folder with a documented
//! format.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::Map;

use super::{MAX_SELECTORS, Mark, Selector};
use crate::{
    memory::{
        agent_memory::{Converted, Domain, item, left_out},
        selector_text::{css, element},
    },
    page::KnownElement,
};

/// Attributes in the CSS selectors of `selectors.json`, with their names in this crate.
const ATTRIBUTES: [(&str, &str); 4] = [
    ("data-testid", "testid"),
    ("name", "name"),
    ("placeholder", "placeholder"),
    ("alt", "alt"),
];

/// An element in `selectors.json`. Its reference is not read, because a reference is valid for one page load only.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    element: String,
    #[serde(default)]
    stable_selector: Option<String>,
    #[serde(default)]
    success_count: u64,
    #[serde(default)]
    last_used: Option<DateTime<Utc>>,
}

impl Entry {
    /// Returns the element; `None` if its description or its CSS selector cannot be read, if it has no attributes, or
    /// if any of them is not in [`ATTRIBUTES`].
    fn selector(&self, now: DateTime<Utc>) -> Option<Selector> {
        let (role, name) = element(&self.element)?;
        let attributes = css(self.stable_selector.as_deref()?)?;
        let mark = |(known, own): (&str, &str)| {
            let (_, value) = attributes.iter().find(|(name, _)| name == known)?;
            Some((own.to_owned(), value.clone()))
        };
        let marks: Vec<(String, String)> = ATTRIBUTES.into_iter().filter_map(mark).collect();
        // An attribute that is not known here may be needed to tell the element from others, so the entry is not used
        // without it.
        if marks.is_empty() || marks.len() < attributes.len() {
            return None;
        }
        let known = KnownElement {
            role,
            names: Some(name)
                .filter(|name| !name.is_empty())
                .into_iter()
                .collect(),
            marks,
        };
        let marks = known.marks.into_iter().map(|(attribute, value)| Mark {
            attribute,
            value,
            succeeded: self.success_count,
        });
        Some(Selector {
            role: known.role,
            names: known.names,
            marks: marks.collect(),
            uses: Vec::new(),
            succeeded: self.success_count,
            failed: 0,
            last_used: self.last_used.unwrap_or(now).min(now),
            imported: false,
            extra: Map::new(),
        })
    }
}

/// Converts the elements of a host to records. Above [`MAX_SELECTORS`], the elements with the most successful uses are kept.
pub(super) fn read(domain: &Domain, now: DateTime<Utc>) -> Converted {
    let mut out = Converted::default();
    let mut found: BTreeMap<String, Selector> = BTreeMap::new();
    let (mut nameless, mut same) = (0, 0);
    for value in domain.selectors.values() {
        let entry = match item::<Entry>(value) {
            Ok(entry) => entry,
            Err(why) => {
                out.problems.push(format!("element {why}"));
                continue;
            }
        };
        let Some(one) = entry.selector(now) else {
            nameless += 1;
            continue;
        };
        match found.get_mut(&one.key()) {
            Some(known) => {
                same += 1;
                if known.succeeded < one.succeeded {
                    *known = one;
                }
            }
            None => drop(found.insert(one.key(), one)),
        }
    }
    let mut found: Vec<Selector> = found.into_values().collect();
    found.sort_by_key(|one| (std::cmp::Reverse(one.succeeded), one.key()));
    let excess = found.len().saturating_sub(MAX_SELECTORS);
    found.truncate(MAX_SELECTORS);
    let why = "no test id, form name, placeholder or picture text finds it on the next load";
    out.problems.extend(left_out(nameless, "element", why));
    let why = "another one has the same role and attributes";
    out.problems.extend(left_out(same, "element", why));
    let why = format!("no more than {MAX_SELECTORS} of a host are kept");
    out.problems.extend(left_out(excess, "element", &why));
    let records = found.iter().filter_map(|one| one.to_record().ok());
    out.records = records.collect();
    out
}
