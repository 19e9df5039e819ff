//! Elements with click listeners. Such elements react to clicks, even if they have no role, hand cursor or name.
//!
//! The browser reports all listeners of a document in one answer (7 ms for 10,000 elements, 1,000 of them with
//! listeners). The browser's snapshot of a document also says which nodes are clickable, but takes 300 ms.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use futures_util::future::join_all;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    driver::Cdp,
    error::{CdpError, answer},
    hub::{Object, evaluated},
    state::World,
};

/// Events that make an element clickable. An element counts as clickable if it listens for at least one of them.
const CLICKS: [&str; 9] = [
    "click",
    "dblclick",
    "mousedown",
    "mouseup",
    "pointerdown",
    "pointerup",
    "touchstart",
    "keydown",
    "dragstart",
];
/// Maximum number of kinds of events for which a clickable element listens. An element that listens for more kinds
/// probably does so for all elements inside it: libraries register some eighty kinds on the top element of a page.
/// Source: chosen; a widget has up to a dozen.
const MOST_KINDS: usize = 24;
/// Maximum number of tickets (see [`Listening`]) that are requested in one reading of a document. Further tickets are
/// requested in the next reading. Source: chosen; each ticket takes a call, and all calls run at once.
const MOST_NEW: usize = 500;
/// The object group of the elements' handles. One call releases the whole group.
const GROUP: &str = "webwise-listening";

/// The elements of one document that are known to listen for clicks.
#[derive(Debug, Clone, Default)]
pub(super) struct Listening {
    /// The browser's handle of the document object in the page's own JavaScript world; `None` until it is first needed.
    /// Our script's world is not used, because the browser confuses the two worlds when many elements listen.
    top: Option<String>,
    /// The tickets of elements, by the browser's number of the DOM node. A ticket is a number by which our script in
    /// the page recognises an element. It is 0 for a node that is not an element of the document.
    tickets: HashMap<u64, u64>,
}

#[derive(Deserialize)]
struct Listeners {
    listeners: Vec<Listener>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Listener {
    #[serde(rename = "type")]
    kind: String,
    backend_node_id: Option<u64>,
}

#[derive(Deserialize)]
struct Resolved {
    object: Object,
}

#[derive(Deserialize)]
struct Described {
    node: Node,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Node {
    backend_node_id: u64,
}

impl Cdp {
    /// Returns the tickets (see [`Listening`]) of the elements of a document that listen for clicks, and updates
    /// `known`.
    pub(super) async fn listening(
        &self,
        at: &(String, World),
        known: &mut Listening,
    ) -> Result<Vec<u64>, CdpError> {
        let (session, _) = at;
        let top = match known.top.take() {
            Some(top) => top,
            None => self.page_document(at).await?,
        };
        // This names no object group, so the browser keeps no handles of the listeners.
        let all = json!({ "objectId": top, "depth": -1, "pierce": true });
        let told: Listeners = self
            .hub
            .call(session, "DOMDebugger.getEventListeners", all)
            .await?;
        known.top = Some(top);
        let nodes = clicked(told.listeners);
        let tickets = &mut known.tickets;
        tickets.retain(|node, _| nodes.contains(node));
        let new = nodes.iter().filter(|node| !tickets.contains_key(node));
        let new: Vec<u64> = new.copied().take(MOST_NEW).collect();
        if !new.is_empty() {
            self.meet(at, &new, tickets).await?;
        }
        let tickets = tickets.values().copied();
        Ok(tickets.filter(|ticket| *ticket > 0).collect())
    }

    async fn page_document(&self, (session, world): &(String, World)) -> Result<String, CdpError> {
        let ours =
            json!({ "expression": "document", "contextId": world.context, "objectGroup": GROUP });
        let ours = evaluated(self.hub.call(session, "Runtime.evaluate", ours).await?)?;
        let ours = json!({ "objectId": ours.object_id });
        let told: Described = self.hub.call(session, "DOM.describeNode", ours).await?;
        let params = json!({ "backendNodeId": told.node.backend_node_id });
        let theirs: Resolved = self.hub.call(session, "DOM.resolveNode", params).await?;
        theirs.object.object_id.ok_or(CdpError::Moved)
    }

    /// Asks our script in the page for the tickets (see [`Listening`]) of new elements, and adds them to `known`. `new`
    /// contains the browser's numbers of the elements' DOM nodes.
    async fn meet(
        &self,
        (session, world): &(String, World),
        new: &[u64],
        known: &mut HashMap<u64, u64>,
    ) -> Result<(), CdpError> {
        let resolve = |node: &u64| {
            let params = json!({ "backendNodeId": node, "executionContextId": world.context, "objectGroup": GROUP });
            self.hub
                .call::<Resolved>(session, "DOM.resolveNode", params)
        };
        let mut met = Vec::new();
        for (node, resolved) in new.iter().zip(join_all(new.iter().map(resolve)).await) {
            match resolved {
                Ok(resolved) => met.extend(resolved.object.object_id.map(|object| (*node, object))),
                // The node is gone, or in another document.
                Err(CdpError::Moved | CdpError::Broken(_) | CdpError::Refused(_)) => {
                    known.insert(*node, 0);
                }
                Err(trouble) => return Err(trouble),
            }
        }
        let objects: Vec<Value> = met
            .iter()
            .map(|(_, object)| json!({ "objectId": object }))
            .collect();
        let params = json!({
            "functionDeclaration": "function (...elements) { return this.ticketsOf(elements); }",
            "objectId": world.object,
            "arguments": objects,
            "returnByValue": true,
        });
        let told = evaluated(
            self.hub
                .call(session, "Runtime.callFunctionOn", params)
                .await?,
        )?;
        let tickets: Vec<u64> = answer(told.json())?;
        known.extend(met.into_iter().map(|(node, _)| node).zip(tickets));
        let release = json!({ "objectGroup": GROUP });
        drop(
            self.hub
                .wire
                .call::<Value>(Some(session), "Runtime.releaseObjectGroup", release),
        );
        Ok(())
    }
}

/// Returns the browser's numbers of the DOM nodes that listen for clicks. Leaves out elements that listen on behalf of
/// all elements inside them (see [`MOST_KINDS`]).
fn clicked(listeners: Vec<Listener>) -> BTreeSet<u64> {
    let mut kinds: BTreeMap<u64, HashSet<String>> = BTreeMap::new();
    for listener in listeners {
        if let Some(node) = listener.backend_node_id {
            kinds.entry(node).or_default().insert(listener.kind);
        }
    }
    let listens = |kinds: &HashSet<String>| {
        kinds.len() <= MOST_KINDS && CLICKS.iter().any(|click| kinds.contains(*click))
    };
    kinds
        .into_iter()
        .filter(|(_, kinds)| listens(kinds))
        .map(|(node, _)| node)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_listens_for_clicks_counts_unless_it_listens_for_everything() {
        let on = |node: Option<u64>, kind: &str| Listener {
            kind: kind.to_owned(),
            backend_node_id: node,
        };
        let mut all = vec![
            on(Some(1), "click"),
            on(Some(1), "click"),
            on(Some(2), "scroll"),
            on(Some(3), "pointerdown"),
            on(None, "click"),
            on(Some(5), "dragstart"),
            on(Some(6), "dragover"),
        ];
        all.extend((0..40).map(|at| on(Some(4), &format!("kind{at}"))));
        all.push(on(Some(4), "click"));
        assert_eq!(clicked(all), BTreeSet::from([1, 3, 5]));
    }
}
