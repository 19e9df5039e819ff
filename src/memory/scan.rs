//! A search for secrets in stored records.

use std::{collections::BTreeSet, sync::Arc};

use super::{AdviceId, MemoryKind, Record, Shelf, diff::item, waiting};
use crate::secret::Redactor;

/// The result of a search for secrets in memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Scan {
    /// Number of items of memory that were searched.
    pub items: usize,
    /// Number of bytes that were searched, in keys and bodies of records and in names of shelves.
    pub bytes: usize,
    /// The items that contain a secret. A secret is found in every form that [`Redactor::FORMS`] lists.
    pub hits: BTreeSet<AdviceId>,
}

/// Searches records for the secrets that a redactor knows. A finished run from which memory has not learned yet may be split
/// into several records. It is also searched as a whole, because a secret may span two records.
pub fn scan(
    shelves: &[(Shelf, Vec<Record>)],
    kinds: &[Arc<dyn MemoryKind>],
    secrets: &Redactor,
) -> Scan {
    let mut scan = Scan::default();
    for (shelf, records) in shelves {
        let name = shelf.to_string();
        let is_named = secrets.contains(&name);
        scan.bytes += name.len();
        let mut items = BTreeSet::new();
        for record in records {
            let body = record.body.to_string();
            scan.bytes += record.key.len() + body.len();
            let key = item(shelf, &record.key, kinds);
            items.insert(key);
            if is_named || secrets.contains(&record.key) || secrets.contains(&body) {
                scan.hits.insert(AdviceId {
                    shelf: shelf.clone(),
                    key: key.to_owned(),
                });
            }
        }
        scan.items += items.len();
        if waiting::is_for_waiting(shelf) {
            let texts = waiting::texts(records);
            let shown = texts.iter().filter(|(_, text)| secrets.contains(text));
            let keys = shown.flat_map(|(keys, _)| keys);
            scan.hits.extend(keys.map(|key| AdviceId {
                shelf: shelf.clone(),
                key: (*key).to_owned(),
            }));
        }
    }
    scan
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        base::RunId,
        memory::{MAX_RECORD_BYTES, Namespace, kinds, waiting},
        secret::{Secret, SecretName},
    };

    #[test]
    fn a_secret_is_found_across_the_parts_of_a_run_that_waits() {
        let (name, secret) = (
            SecretName::parse("PASSWORD").unwrap(),
            Secret::new("Correct-Horse7"),
        );
        let secrets = Redactor::new([(&name, &secret)]);
        let run = RunId::parse("run_1").unwrap();
        let cut = (0..MAX_RECORD_BYTES).find_map(|before| {
            let said = json!({ "text": format!("{}Correct-Horse7", "x".repeat(before)) });
            let parts = waiting::parts("lessons", &run, &said);
            let is_cut = parts[0].body["said"].as_str()?.ends_with("Correct-");
            is_cut.then_some(parts)
        });
        let parts = cut.unwrap();
        assert!(
            parts
                .iter()
                .all(|part| !secrets.contains(&part.body.to_string()))
        );
        let found = |parts: &[Record]| {
            let shelf = waiting::shelves(&Namespace::default())[0].clone();
            scan(&[(shelf, parts.to_vec())], &kinds(), &secrets).hits
        };
        let keys: Vec<String> = found(&parts).into_iter().map(|hit| hit.key).collect();
        assert_eq!(keys, ["run_1.lessons.0000", "run_1.lessons.0001"]);
        assert!(found(&parts[..1]).is_empty());
    }
}
