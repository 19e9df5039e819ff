//! The differences between two stored memories, item by item.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use serde::Serialize;
use serde_json::Value;

use super::{AdviceId, Described, MemoryKind, Record, Shelf, waiting::is_for_waiting};

/// The way in which an item differs between two memories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Difference {
    /// Only the first memory has the item.
    OnlyInFirst,
    /// Only the second memory has the item.
    OnlyInSecond,
    /// Both memories have the item, but its content differs.
    Changed,
}

/// An item that is not the same in two memories.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Differing {
    /// The id of the item.
    pub id: AdviceId,
    /// The kind of difference.
    pub difference: Difference,
    /// The names of the fields that differ; empty if only one memory has the item. If the item has further records,
    /// such as the steps of a recipe, the keys of the records that differ are included.
    pub fields: BTreeSet<String>,
    /// The item in the first memory; `None` if it is missing or cannot be described.
    pub first: Option<Described>,
    /// The item in the second memory; `None` if it is missing or cannot be described.
    pub second: Option<Described>,
}

/// The differences between two memories, as [`compare`] finds them.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Comparison {
    /// The items that differ, or that only one memory has, ordered by namespace, kind, host and key.
    pub differing: Vec<Differing>,
    /// Number of items that are equal in both memories.
    pub same: usize,
}

/// Compares two memories. Leaves out the shelves with finished runs from which memory has yet to learn.
pub fn compare(
    first: &[(Shelf, Vec<Record>)],
    second: &[(Shelf, Vec<Record>)],
    kinds: &[Arc<dyn MemoryKind>],
) -> Comparison {
    let (first, second) = (items(first, kinds), items(second, kinds));
    let ids: BTreeSet<&AdviceId> = first.keys().chain(second.keys()).collect();
    let mut comparison = Comparison::default();
    for id in ids {
        let (one, other) = (first.get(id), second.get(id));
        let difference = match (one, other) {
            (Some(one), Some(other)) if one == other => {
                comparison.same += 1;
                continue;
            }
            (Some(_), Some(_)) => Difference::Changed,
            (Some(_), None) => Difference::OnlyInFirst,
            (None, _) => Difference::OnlyInSecond,
        };
        let described = |records: Option<&Vec<&Record>>| {
            let record = records?.iter().find(|record| record.key == id.key)?;
            let mut kinds = kinds.iter();
            let kind = kinds.find(|kind| kind.name() == id.shelf.collection)?;
            kind.describe(record).ok()
        };
        let fields = match (one, other) {
            (Some(one), Some(other)) => fields(&id.key, one, other),
            _ => BTreeSet::new(),
        };
        comparison.differing.push(Differing {
            id: id.clone(),
            difference,
            fields,
            first: described(one),
            second: described(other),
        });
    }
    comparison
}

/// Returns what differs between two versions of an item: the names of the fields of its main record that differ, and the
/// keys of its other records that differ. `item` is the key of the main record.
fn fields(item: &str, one: &[&Record], other: &[&Record]) -> BTreeSet<String> {
    let body = |records: &[&Record], key: &str| {
        let mut records = records.iter();
        let found = records.find(|record| record.key == key);
        found.map_or(Value::Null, |record| record.body.clone())
    };
    let keys: BTreeSet<&str> = one.iter().chain(other).map(|record| &*record.key).collect();
    let mut differing = BTreeSet::new();
    for key in keys {
        match (body(one, key), body(other, key)) {
            (one, other) if one == other => {}
            (Value::Object(one), Value::Object(other)) if key == item => {
                let names = one.keys().chain(other.keys());
                let names = names.filter(|name| one.get(*name) != other.get(*name));
                differing.extend(names.cloned());
            }
            _ => drop(differing.insert(key.to_owned())),
        }
    }
    differing
}

fn items<'r>(
    shelves: &'r [(Shelf, Vec<Record>)],
    kinds: &[Arc<dyn MemoryKind>],
) -> BTreeMap<AdviceId, Vec<&'r Record>> {
    let mut items: BTreeMap<AdviceId, Vec<&Record>> = BTreeMap::new();
    for (shelf, records) in shelves.iter().filter(|(shelf, _)| !is_for_waiting(shelf)) {
        for record in records {
            let id = AdviceId {
                shelf: shelf.clone(),
                key: item(shelf, &record.key, kinds).to_owned(),
            };
            items.entry(id).or_default().push(record);
        }
    }
    for records in items.values_mut() {
        records.sort_by(|a, b| a.key.cmp(&b.key));
    }
    items
}

/// Returns the key of the item to which the record with this key belongs.
pub(super) fn item<'k>(shelf: &Shelf, key: &'k str, kinds: &[Arc<dyn MemoryKind>]) -> &'k str {
    let kind = kinds.iter().find(|kind| kind.name() == shelf.collection);
    kind.map_or(key, |kind| kind.item(key))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::memory::{Namespace, kinds};

    #[test]
    fn an_item_of_several_records_differs_as_one() {
        let namespace = Namespace::default();
        let way = Shelf::global(&namespace, "recipes");
        let notes = Shelf::global(&namespace, "notes");
        let waiting = Shelf::global(&namespace, "pending");
        let record = |key: &str, n: u32| Record::new(key, &json!({ "n": n }));
        let first = [
            (
                way.clone(),
                vec![record("t-1", 1), record("t-1.00", 1), record("t-2", 1)],
            ),
            (notes.clone(), vec![record("a", 1), record("b", 1)]),
            (waiting, vec![record("w", 1)]),
        ];
        let second = [
            (notes, vec![record("b", 1), record("c.1", 1)]),
            (
                way.clone(),
                vec![record("t-1", 1), record("t-1.00", 2), record("t-2", 1)],
            ),
        ];
        let compared = compare(&first, &second, &kinds());
        let found: Vec<_> = compared
            .differing
            .iter()
            .map(|one| (&*one.id.shelf.collection, &*one.id.key, one.difference))
            .collect();
        assert_eq!(
            found,
            [
                ("notes", "a", Difference::OnlyInFirst),
                ("notes", "c.1", Difference::OnlyInSecond),
                ("recipes", "t-1", Difference::Changed),
            ]
        );
        assert_eq!(compared.same, 2);
        assert_eq!(compared.differing[2].fields, ["t-1.00".to_owned()].into());
        let changed = [(way, vec![record("t-1", 3), record("t-2", 1)])];
        let compared = compare(&second[1..], &changed, &kinds());
        let fields = ["n".to_owned(), "t-1.00".to_owned()];
        assert_eq!(compared.differing[0].fields, fields.into());
    }
}
