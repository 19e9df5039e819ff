//! Asking the page side: our script world in each document, and the elements that its numbers mean.

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::{
    hub::{Hub, Object, evaluated},
    known::World,
    page,
    trouble::{Trouble, answer},
};
use crate::action::ErrorClass;

/// The name of our script world in each document. The page cannot see into it.
const WORLD: &str = "webwise";
/// What a person does, and what a page may therefore take for a person's doing; no other look or question is.
const GESTURES: [&str; 4] = ["fill", "typeInto", "select", "focus"];

impl Hub {
    /// Asks the page side of a frame's document something.
    pub(super) async fn ask<T: DeserializeOwned>(
        &self,
        frame: &str,
        function: &'static str,
        arguments: impl Serialize,
    ) -> Result<T, Trouble> {
        let at = self.world(frame).await?;
        self.ask_in(&at, function, arguments).await
    }

    /// Asks the page side of one document something: of this one, or of none.
    pub(super) async fn ask_in<T: DeserializeOwned>(
        &self,
        (session, world): &(String, World),
        function: &'static str,
        arguments: impl Serialize,
    ) -> Result<T, Trouble> {
        let params = question(world, function, arguments);
        let object = evaluated(self.call(session, "Runtime.callFunctionOn", params).await?)?;
        answer(object.json())
    }

    /// Tells the page side of every document of the current page something whose answer nobody waits for; a document without
    /// one has nothing to be told. What is asked later is answered later.
    pub(super) fn tell(&self, function: &'static str) {
        let known = self.known();
        for at in known.tab().into_iter().flat_map(|tab| tab.frames.values()) {
            if let Some(world) = &at.world {
                let params = question(world, function, json!([]));
                drop(
                    self.wire
                        .call::<Value>(Some(&at.session), "Runtime.callFunctionOn", params),
                );
            }
        }
    }

    /// Our script world in a frame's document, made when it is first needed, and the session that speaks for it.
    pub(super) async fn world(&self, frame: &str) -> Result<(String, World), Trouble> {
        let (session, loader, first) = {
            let known = self.known();
            let at = known
                .tab()
                .and_then(|tab| tab.frames.get(frame))
                .ok_or(Trouble::Moved)?;
            if let Some(world) = &at.world {
                return Ok((at.session.clone(), world.clone()));
            }
            // What is in a frame is called by the frame's number too, which no other document gets.
            let first = if at.number == 0 { known.last_number } else { 0 };
            (at.session.clone(), at.loader.clone(), first)
        };
        let make = || async {
            let params = json!({ "frameId": frame, "worldName": WORLD });
            let made: Made = self
                .call(&session, "Page.createIsolatedWorld", params)
                .await?;
            Ok::<u64, Trouble>(made.execution_context_id)
        };
        let context = make().await?;
        let script = json!({ "expression": page::library(first), "contextId": context });
        let object = evaluated(self.call(&session, "Runtime.evaluate", script).await?)?.object_id;
        // Another process counts its worlds anew, so between the two the script may have met a world of the page. Asked once
        // more, the browser gives the world of that name, and makes a new one with another number where there is none.
        if make().await? != context {
            return Err(Trouble::Moved);
        }
        let world = World {
            context,
            object: object.ok_or(Trouble::Moved)?,
        };
        let mut known = self.known();
        let at = known
            .tab_mut()
            .and_then(|tab| tab.frames.get_mut(frame))
            .ok_or(Trouble::Moved)?;
        // A document that came meanwhile has a world of its own.
        if at.loader == loader {
            at.world = Some(world.clone());
        }
        Ok((session, world))
    }

    /// An element as the page itself has it, for a script of the caller's.
    pub(super) async fn object_of(&self, frame: &str, number: u64) -> Result<String, Trouble> {
        let (session, world) = self.world(frame).await?;
        let params = json!({
            "functionDeclaration": "function (number) { return this.elementOf(number); }",
            "objectId": world.object,
            "arguments": [{ "value": number }],
        });
        let object = evaluated(
            self.call(&session, "Runtime.callFunctionOn", params)
                .await?,
        )?
        .object_id;
        let object = object.ok_or_else(|| Trouble::refused(ErrorClass::RefNotFound, ""))?;
        let node: Described = self
            .call(&session, "DOM.describeNode", json!({ "objectId": object }))
            .await?;
        let params = json!({ "backendNodeId": node.node.backend_node_id });
        let resolved: Resolved = self.call(&session, "DOM.resolveNode", params).await?;
        resolved.object.object_id.ok_or(Trouble::Moved)
    }

    /// The number of the element, in its parent's document, that shows a frame.
    pub(super) async fn owner_of(&self, frame: &str) -> Result<u64, Trouble> {
        let (owner, parent) = {
            let known = self.known();
            let at = known
                .tab()
                .and_then(|tab| tab.frames.get(frame))
                .ok_or(Trouble::Moved)?;
            (at.owner, at.parent.clone().ok_or(Trouble::Moved)?)
        };
        if let Some(owner) = owner {
            return Ok(owner);
        }
        let (session, world) = self.world(&parent).await?;
        let node: Owner = self
            .call(&session, "DOM.getFrameOwner", json!({ "frameId": frame }))
            .await?;
        let params =
            json!({ "backendNodeId": node.backend_node_id, "executionContextId": world.context });
        let resolved: Resolved = self.call(&session, "DOM.resolveNode", params).await?;
        let object = resolved.object.object_id.ok_or(Trouble::Moved)?;
        let params = json!({
            "functionDeclaration": "function (element) { return this.numberOf(element); }",
            "objectId": world.object,
            "arguments": [{ "objectId": object }],
            "returnByValue": true,
        });
        let value = evaluated(
            self.call(&session, "Runtime.callFunctionOn", params)
                .await?,
        )?;
        let number: u64 = answer(value.json())?;
        self.told(number);
        let mut known = self.known();
        if let Some(at) = known.tab_mut().and_then(|tab| tab.frames.get_mut(frame)) {
            at.owner = Some(number);
        }
        Ok(number)
    }
}

/// A call of a function of the page side.
fn question(world: &World, function: &'static str, arguments: impl Serialize) -> Value {
    json!({
        "functionDeclaration": "function (name, given) { return this[name](...given); }",
        "objectId": world.object,
        "arguments": [{ "value": function }, { "value": arguments }],
        "returnByValue": true,
        "awaitPromise": true,
        "userGesture": GESTURES.contains(&function),
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Made {
    execution_context_id: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Owner {
    backend_node_id: u64,
}

#[derive(Deserialize)]
struct Described {
    node: Owner,
}

#[derive(Deserialize)]
struct Resolved {
    object: Object,
}
