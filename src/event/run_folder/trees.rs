//! Page trees as a run's folder stores them. The first tree is stored whole, also after the run was resumed. A later
//! tree is stored as its differences from the tree before if these are smaller, and otherwise whole.
//!
//! ```json
//! { "since": 3, "lines": [[0, 120], { "depth": 4, "role": "text", "states": {}, "value": "14:02" }, [121, 9879]] }
//! ```
//!
//! This example is the value of `tree` in the fourth line of `observations.jsonl`. `since` is the number of the preceding
//! line, counted from 1. `lines` are the nodes of the tree in document order. `[from, count]` copies `count` nodes of the
//! preceding tree, beginning with its node `from`, counted from 0. An object is a new node.
//!
//! In a whole tree, each node has `parent` and `end`. In a list of differences, a new node has its `depth` instead,
//! counted from 0. So adding or removing a node changes no other node. Version 1 of the folder contains only whole
//! trees. This module does no input or output: it turns events into JSON values and back.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use crate::{
    base::{Error, ErrorKind, Result},
    event::{Event, EventKind},
    page::MAX_NODES,
};

/// Maximum size of one `[from, count]` entry. Unit: bytes. Source: the length of two numbers below [`MAX_NODES`], with comma
/// and brackets.
const COPY: usize = 16;

#[derive(Debug, Default)]
pub(super) struct Writer {
    count: u64,
    /// The nodes of the last observation's tree, each as text. These texts are compared and written.
    last: Vec<String>,
}

impl Writer {
    /// Returns a writer for a file that already has `count` observations. The next tree is written whole.
    pub(super) fn after(count: u64) -> Self {
        Self {
            count,
            last: Vec::new(),
        }
    }

    /// Returns the event as the JSON value to write. In an observation, the tree is replaced by its differences from
    /// the previous tree if these are smaller than the tree.
    pub(super) fn line(&mut self, event: &Event) -> serde_json::Result<Value> {
        let mut value = serde_json::to_value(event)?;
        if !matches!(event.kind, EventKind::Observed { .. }) {
            return Ok(value);
        }
        let Some(tree) = value.pointer_mut("/observation/tree") else {
            return Ok(value);
        };
        let nodes = leveled(tree)
            .iter()
            .map(serde_json::to_string)
            .collect::<serde_json::Result<Vec<String>>>()?;
        let since = self.count;
        // A reader refuses differences that stand for more nodes.
        if since > 0
            && nodes.len() <= MAX_NODES
            && let Some(lines) = differences(&self.last, &nodes)?
            && let Value::Object(fields) = tree
        {
            fields.remove("nodes");
            fields.insert("since".to_owned(), json!(since));
            fields.insert("lines".to_owned(), lines);
        }
        self.count += 1;
        self.last = nodes;
        Ok(value)
    }
}

/// Returns the nodes of a whole tree with `depth` (their number of ancestors) instead of `parent` and `end`.
fn leveled(tree: &Value) -> Vec<Value> {
    let nodes = tree.get("nodes").and_then(Value::as_array);
    let mut depths: Vec<u64> = Vec::new();
    let mut leveled = Vec::new();
    for node in nodes.into_iter().flatten() {
        let mut node = node.clone();
        let mut depth = 0;
        if let Value::Object(fields) = &mut node {
            fields.remove("end");
            let parent = fields.remove("parent").and_then(|parent| parent.as_u64());
            depth = parent
                .and_then(|parent| depths.get(usize::try_from(parent).ok()?))
                .map_or(0, |above| above + 1);
            fields.insert("depth".to_owned(), json!(depth));
        }
        depths.push(depth);
        leveled.push(node);
    }
    leveled
}

/// Returns the new tree's nodes as a list of `[from, count]` copies of old nodes, with new nodes between them; `None`
/// if this list is not smaller than the whole tree.
fn differences(old: &[String], new: &[String]) -> serde_json::Result<Option<Value>> {
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, line) in old.iter().enumerate() {
        places.entry(line).or_default().push(at);
    }
    let (mut lines, mut bytes) = (Vec::new(), 0);
    let (mut at, mut cursor) = (0, 0);
    while let Some(line) = new.get(at) {
        // The node after the last copy is the likeliest match. If it is not equal, the next equal node after it is
        // taken, then any equal node.
        let from = if old.get(cursor) == Some(line) {
            Some(cursor)
        } else {
            places.get(line.as_str()).and_then(|equal| {
                let next = equal.partition_point(|place| *place < cursor);
                equal.get(next).or_else(|| equal.first()).copied()
            })
        };
        let Some(from) = from else {
            lines.push(serde_json::from_str(line)?);
            bytes += line.len();
            at += 1;
            continue;
        };
        let run = old[from..].iter().zip(&new[at..]);
        let count = run.take_while(|(old, new)| old == new).count();
        lines.push(json!([from, count]));
        bytes += COPY;
        at += count;
        cursor = from + count;
    }
    let whole: usize = new.iter().map(String::len).sum();
    Ok((bytes < whole).then_some(Value::Array(lines)))
}

#[derive(Debug, Default)]
pub(super) struct Reader {
    /// The number of lines so far, including those that could not be read.
    count: u64,
    /// The nodes of the tree in the last line; `None` if they could not be read.
    last: Option<Vec<Value>>,
}

impl Reader {
    /// Parses the event in a line of a run's folder. If the line has only the differences of a page tree, restores the
    /// whole tree.
    ///
    /// # Errors
    /// `Corrupt` if the line is not an event, if a line that it refers to is missing, or if the tree cannot be
    /// restored.
    pub(super) fn event(&mut self, line: &[u8]) -> Result<Event> {
        let corrupt = |error| Error::new(ErrorKind::Corrupt, "event.read").with_source(error);
        let before = self.last.take().map(|nodes| (self.count, nodes));
        self.count += 1;
        let mut value: Value = serde_json::from_slice(line).map_err(corrupt)?;
        if let Some(tree) = value.pointer_mut("/observation/tree") {
            self.last = Some(restored(tree, before)?);
        }
        serde_json::from_value(value).map_err(corrupt)
    }
}

/// Replaces the differences in `tree` by the whole tree, and returns the nodes of the tree, with their depths. `before`
/// is the number of the preceding line and the nodes of its tree; `None` if that line could not be read.
fn restored(tree: &mut Value, before: Option<(u64, Vec<Value>)>) -> Result<Vec<Value>> {
    let refuse = |why: &str| Error::new(ErrorKind::Corrupt, "event.read").with("why", why);
    match tree {
        Value::Object(fields) if fields.contains_key("lines") => {
            let since = fields.remove("since");
            let (_, before) = before
                .filter(|(number, _)| since == Some(json!(number)))
                .ok_or_else(|| refuse("the line before it is missing"))?;
            let nodes = fields
                .remove("lines")
                .and_then(|lines| nodes_of(&lines, &before))
                .ok_or_else(|| refuse("its tree cannot be restored"))?;
            let linked = linked(nodes.clone()).ok_or_else(|| refuse("its nodes make no tree"))?;
            fields.insert("nodes".to_owned(), Value::Array(linked));
            Ok(nodes)
        }
        whole => Ok(leveled(whole)),
    }
}

/// Returns the nodes that a list of differences stands for. `before` are the nodes of the preceding tree. Returns `None`
/// if the list is not valid, or if it has more than [`MAX_NODES`] nodes.
fn nodes_of(lines: &Value, before: &[Value]) -> Option<Vec<Value>> {
    let mut nodes = Vec::new();
    for line in lines.as_array()? {
        match line {
            Value::Array(run) => {
                let [from, count] = run.as_slice() else {
                    return None;
                };
                let [from, count] = [from, count]
                    .map(|number| number.as_u64().and_then(|n| usize::try_from(n).ok()));
                let from = from?;
                nodes.extend_from_slice(before.get(from..from.checked_add(count?)?)?);
            }
            node => nodes.push(node.clone()),
        }
        if nodes.len() > MAX_NODES {
            return None;
        }
    }
    Some(nodes)
}

/// Returns the nodes with `parent` and `end` instead of `depth`; `None` if the depths form no tree.
fn linked(nodes: Vec<Value>) -> Option<Vec<Value>> {
    let mut linked: Vec<Map<String, Value>> = Vec::new();
    // The ancestors of the current node, from the root down.
    let mut open: Vec<usize> = Vec::new();
    for node in nodes {
        let Value::Object(mut fields) = node else {
            return None;
        };
        let depth = usize::try_from(fields.remove("depth")?.as_u64()?).ok()?;
        if depth > open.len() {
            return None;
        }
        let at = linked.len();
        for closed in open.drain(depth..) {
            linked[closed].insert("end".to_owned(), json!(at));
        }
        fields.insert("parent".to_owned(), json!(open.last()));
        open.push(at);
        linked.push(fields);
    }
    let end = linked.len();
    for closed in open {
        linked[closed].insert("end".to_owned(), json!(end));
    }
    Some(linked.into_iter().map(Value::Object).collect())
}
