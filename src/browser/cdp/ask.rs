//! Calls to our script, which runs in each document in an isolated JavaScript world and assigns numbers to elements.

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::{
    error::{CdpError, answer},
    hub::{Hub, Object, evaluated},
    page,
    state::World,
};
use crate::action::ErrorClass;

/// The name of the isolated JavaScript world in which our script runs. The page cannot see into it.
const WORLD: &str = "webwise";
/// The functions of our script whose calls the browser treats as gestures of the user.
const GESTURES: [&str; 4] = ["fill", "typeInto", "select", "focus"];

impl Hub {
    /// Calls a function of our script in the document of a frame of the current page. `frame` is the browser's id of
    /// the frame.
    pub(super) async fn ask<T: DeserializeOwned>(
        &self,
        frame: &str,
        function: &'static str,
        arguments: impl Serialize,
    ) -> Result<T, CdpError> {
        let at = self.world(frame).await?;
        self.ask_in(&at, function, arguments).await
    }

    pub(super) async fn ask_in<T: DeserializeOwned>(
        &self,
        (session, world): &(String, World),
        function: &'static str,
        arguments: impl Serialize,
    ) -> Result<T, CdpError> {
        let params = question(world, function, arguments);
        let object = evaluated(self.call(session, "Runtime.callFunctionOn", params).await?)?;
        answer(object.json())
    }

    /// Calls a function of our script in those documents of the current page that have the script's world. Does not
    /// wait for the answers.
    pub(super) fn tell(&self, function: &'static str) {
        let known = self.state();
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

    /// Returns the session and the JavaScript world of our script in a frame's document. Creates the world when it is
    /// first needed.
    pub(super) async fn world(&self, frame: &str) -> Result<(String, World), CdpError> {
        let (session, loader, first) = {
            let known = self.state();
            let at = known
                .tab()
                .and_then(|tab| tab.frames.get(frame))
                .ok_or(CdpError::Moved)?;
            if let Some(world) = &at.world {
                return Ok((at.session.clone(), world.clone()));
            }
            // Only the main frame needs element numbers that no earlier page has used. A reference to an element in
            // another frame also contains that frame's number, which no other document gets.
            let first = if at.number == 0 { known.last_number } else { 0 };
            (at.session.clone(), at.loader.clone(), first)
        };
        let make = || async {
            let params = json!({ "frameId": frame, "worldName": WORLD });
            let made: Made = self
                .call(&session, "Page.createIsolatedWorld", params)
                .await?;
            Ok::<u64, CdpError>(made.execution_context_id)
        };
        let context = make().await?;
        let script = json!({ "expression": page::library(first), "contextId": context });
        let object = evaluated(self.call(&session, "Runtime.evaluate", script).await?)?.object_id;
        // Each process numbers its worlds anew. If the frame moved to another process meanwhile, our script may have
        // run in a world of the page. In that case, a second request for our world returns another number.
        if make().await? != context {
            return Err(CdpError::Moved);
        }
        let world = World {
            context,
            object: object.ok_or(CdpError::Moved)?,
        };
        let mut known = self.state();
        let at = known
            .tab_mut()
            .and_then(|tab| tab.frames.get_mut(frame))
            .ok_or(CdpError::Moved)?;
        // A document that arrived meanwhile needs a world of its own, so this one is not stored for it.
        if at.loader == loader {
            at.world = Some(world.clone());
        }
        Ok((session, world))
    }

    /// Makes an element available as an object in the page's own JavaScript world, and returns the id of that object.
    /// `number` is the number that our script gave to the element.
    pub(super) async fn object_of(&self, frame: &str, number: u64) -> Result<String, CdpError> {
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
        let object = object.ok_or_else(|| CdpError::refused(ErrorClass::RefNotFound, ""))?;
        let node: Described = self
            .call(&session, "DOM.describeNode", json!({ "objectId": object }))
            .await?;
        let params = json!({ "backendNodeId": node.node.backend_node_id });
        let resolved: Resolved = self.call(&session, "DOM.resolveNode", params).await?;
        resolved.object.object_id.ok_or(CdpError::Moved)
    }

    /// Returns the number of the element that shows a frame, as our script in the parent document assigned it.
    pub(super) async fn owner_of(&self, frame: &str) -> Result<u64, CdpError> {
        let (owner, parent) = {
            let known = self.state();
            let at = known
                .tab()
                .and_then(|tab| tab.frames.get(frame))
                .ok_or(CdpError::Moved)?;
            (at.owner, at.parent.clone().ok_or(CdpError::Moved)?)
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
        let object = resolved.object.object_id.ok_or(CdpError::Moved)?;
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
        let mut known = self.state();
        if let Some(at) = known.tab_mut().and_then(|tab| tab.frames.get_mut(frame)) {
            at.owner = Some(number);
        }
        Ok(number)
    }
}

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
