//! Tests of presses and drags. For the presses, a simulated browser replaces a document, or closes the tab, at an exact
//! moment.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::{drag::landing, *};
use crate::browser::cdp::{
    CdpOptions,
    hub::Hub,
    launch::{Life, there},
    stderr_tail::StderrTail,
    target::Area,
    wire::tests::{From, To},
};

/// The id of the main frame of the tab.
const PAGE: &str = "P";
/// The id of a frame inside the main frame.
const INNER: &str = "I";
/// The number of the element that is pressed.
const BUTTON: u64 = 1;
/// The number of the element that shows the inner frame.
const OWNER: u64 = 2;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Then {
    /// The click has no effect on frames or tabs.
    Stays,
    /// A frame gets another document, which then answers the calls.
    Replaced(&'static str),
    /// The tab closes, and another tab stays open.
    Closed,
}

/// A simulated browser that shows a page with a frame. It also gives the answers of our script in the page.
struct Played {
    then: Then,
    /// The report that each frame's watching script gives about a press, by frame id. A document
    /// without such a script reports no hit.
    saw: BTreeMap<&'static str, Value>,
    /// The number of each frame's current document. It grows by 1 when the frame gets another document.
    documents: BTreeMap<&'static str, u64>,
    armed: Vec<String>,
    closed: bool,
}

impl Played {
    fn new(then: Then) -> Self {
        let hit = || json!({ "hit": true, "intercepted": null });
        Self {
            then,
            saw: [(PAGE, hit()), (INNER, hit())].into(),
            documents: [(PAGE, 1), (INNER, 1)].into(),
            armed: Vec::new(),
            closed: false,
        }
    }

    /// Returns the id of a frame's document. The document's script worlds and objects have the same id.
    fn object(&self, frame: &str) -> String {
        format!("{frame}{}", self.documents[frame])
    }

    /// Returns what the browser sends upon a call: events, then the answer as the last item.
    fn hears(&mut self, call: &Value) -> Vec<Value> {
        let (id, params) = (&call["id"], &call["params"]);
        let mut says = Vec::new();
        let gone = json!({ "code": -32001, "message": "Session with given id not found." });
        if self.closed && call["sessionId"] == "s" {
            return vec![json!({ "id": id, "error": gone })];
        }
        let result = match call["method"].as_str().unwrap() {
            "Page.getFrameTree" => {
                let frame = |id: &str| json!({ "id": id, "loaderId": self.object(id), "url": "http://a.test/" });
                let mut inner = frame(INNER);
                inner["parentId"] = json!(PAGE);
                json!({ "frameTree": { "frame": frame(PAGE), "childFrames": [{ "frame": inner }] } })
            }
            "Page.createIsolatedWorld" => {
                let frame = params["frameId"].as_str().unwrap();
                let nth = if frame == PAGE { 100 } else { 200 };
                json!({ "executionContextId": nth + self.documents[frame] })
            }
            "Runtime.evaluate" => {
                let context = params["contextId"].as_u64().unwrap();
                let frame = if context < 200 { PAGE } else { INNER };
                json!({ "result": { "objectId": self.object(frame) } })
            }
            "Runtime.callFunctionOn" => {
                let object = params["objectId"].as_str().unwrap();
                let Some(frame) = [PAGE, INNER].into_iter().find(|f| self.object(f) == object)
                else {
                    let gone =
                        json!({ "code": -32000, "message": "Could not find object with given id" });
                    return vec![json!({ "id": id, "error": gone })];
                };
                let value = self.page_side(frame, &params["arguments"][0]["value"]);
                json!({ "result": { "value": value } })
            }
            "DOM.getFrameOwner" => json!({ "backendNodeId": 7 }),
            "DOM.resolveNode" => json!({ "object": { "objectId": "element" } }),
            "Input.dispatchMouseEvent" if params["type"] == "mouseReleased" => match self.then {
                Then::Stays => json!({}),
                Then::Replaced(frame) => {
                    *self.documents.get_mut(frame).unwrap() += 1;
                    let parent = (frame == INNER).then_some(PAGE);
                    let info = json!({ "id": frame, "parentId": parent, "loaderId": self.object(frame), "url": "http://a.test/next" });
                    says.push(json!({ "sessionId": "s", "method": "Page.frameNavigated", "params": { "frame": info } }));
                    json!({})
                }
                Then::Closed => {
                    self.closed = true;
                    let closed =
                        |method: &str, params: Value| json!({ "method": method, "params": params });
                    says.push(closed(
                        "Target.detachedFromTarget",
                        json!({ "sessionId": "s" }),
                    ));
                    says.push(closed(
                        "Target.targetDestroyed",
                        json!({ "targetId": PAGE }),
                    ));
                    says.push(json!({ "id": id, "error": gone }));
                    return says;
                }
            },
            _ => json!({}),
        };
        says.push(json!({ "id": id, "result": result }));
        says
    }

    fn page_side(&mut self, frame: &'static str, function: &Value) -> Value {
        let object = self.object(frame);
        match function.as_str() {
            Some("ready" | "throughFrame") => json!({ "x": 5, "y": 5 }),
            Some("arm") => {
                self.armed.push(object);
                json!(1)
            }
            Some("verdict") if self.armed.contains(&object) => self.saw[frame].clone(),
            Some("verdict") => json!({ "hit": false, "intercepted": null }),
            // The call that asks for the number of an element. It names no function.
            _ => json!(OWNER),
        }
    }
}

/// Returns a driver of a simulated browser with two tabs. The first tab is the current one.
async fn driver(mut played: Played) -> Cdp {
    let (to, mut sent) = mpsc::unbounded_channel();
    let (says, from) = mpsc::unbounded_channel();
    let options = CdpOptions::new("unused");
    let (hub, line) = Hub::start(
        From(from),
        To(to),
        options,
        Some("/unused".as_ref()),
        StderrTail::default(),
    );
    let say = move |message: &Value| says.send(message.to_string().into_bytes());
    for (target, session) in [(PAGE, "s"), ("other", "s2")] {
        let info = json!({ "targetId": target, "type": "page", "title": "", "url": "" });
        let created = json!({ "method": "Target.targetCreated", "params": { "targetInfo": info } });
        let params = json!({ "sessionId": session, "targetInfo": info });
        let attached = json!({ "method": "Target.attachedToTarget", "params": params });
        say(&created).and(say(&attached)).unwrap();
    }
    tokio::spawn(async move {
        while let Some(call) = sent.recv().await {
            let call: Value = serde_json::from_slice(&call).unwrap();
            // The driver may be dropped already.
            played.hears(&call).iter().for_each(|m| _ = say(m));
        }
    });
    hub.state().current = Some(PAGE.to_owned());
    there(&hub).await.unwrap();
    let life = Life {
        line: Some(line),
        own: None,
    };
    Cdp::new(Arc::clone(&hub), life)
}

async fn pressed(frame: &str, played: Played) -> Result<(), CdpError> {
    let driver = driver(played).await;
    let mut turn = Turn::default();
    turn.session = Some("s".to_owned());
    let aim = Aim {
        frame: frame.to_owned(),
        number: BUTTON,
    };
    driver.press(&mut turn, &aim, None, Needs::CLICK, 1).await
}

#[tokio::test]
async fn a_press_whose_document_was_replaced_before_the_verdict_is_a_hit() {
    for (frame, then) in [
        (PAGE, Then::Stays),
        (PAGE, Then::Replaced(PAGE)),
        (PAGE, Then::Closed),
        (INNER, Then::Stays),
        (INNER, Then::Replaced(INNER)),
        // A link in a frame that navigates the page around the frame.
        (INNER, Then::Replaced(PAGE)),
        (INNER, Then::Closed),
    ] {
        let told = pressed(frame, Played::new(then)).await;
        assert!(told.is_ok(), "{frame} {then:?}: {told:?}");
    }
}

#[tokio::test]
async fn a_press_that_its_own_document_saw_go_astray_is_none_whatever_becomes_of_others() {
    let class = |told: Result<(), CdpError>| match told {
        Err(CdpError::Refused(failure)) => Some(failure.class),
        _ => None,
    };
    for (frame, then) in [
        (PAGE, Then::Stays),
        (INNER, Then::Stays),
        (INNER, Then::Replaced(INNER)),
    ] {
        let mut played = Played::new(then);
        let astray = json!({ "hit": false, "intercepted": "<div>" });
        played.saw.insert(PAGE, astray);
        let told = class(pressed(frame, played).await);
        assert_eq!(told, Some(ErrorClass::Intercepted), "{frame} {then:?}");
    }
    let mut played = Played::new(Then::Stays);
    played
        .saw
        .insert(PAGE, json!({ "hit": false, "intercepted": null }));
    let told = class(pressed(PAGE, played).await);
    assert_eq!(told, Some(ErrorClass::NotStable));
}

#[test]
fn the_last_move_of_a_drag_goes_on_in_reading_order() {
    let at = |x: f64, y: f64| Point { x, y };
    let item = Area {
        x: 0.0,
        y: 0.0,
        width: 40.0,
        height: 40.0,
    };
    let ends = |start: Point| {
        let [before, end] = landing((start, 40.0), at(73.0, 123.0), &item);
        ((before.x, before.y), (end.x, end.y))
    };
    let (forwards, backwards) = (
        ((71.0, 121.0), (75.0, 125.0)),
        ((75.0, 125.0), (71.0, 121.0)),
    );
    assert_eq!(ends(at(27.0, 123.0)), forwards, "from the left");
    assert_eq!(ends(at(73.0, 77.0)), forwards, "from the row above");
    assert_eq!(
        ends(at(119.0, 77.0)),
        forwards,
        "from the right of the row above"
    );
    assert_eq!(ends(at(119.0, 123.0)), backwards, "from the right");
    assert_eq!(ends(at(73.0, 169.0)), backwards, "from the row below");
    assert_eq!(
        ends(at(27.0, 169.0)),
        backwards,
        "from the left of the row below"
    );
    let low = Area {
        height: 20.0,
        ..item
    };
    let [_, end] = landing((at(20.0, 100.0), 200.0), at(73.0, 10.0), &low);
    assert!(
        end.x > 73.0,
        "from the left, though its middle is far below"
    );
    let narrow = Area { width: 6.0, ..item };
    let [before, end] = landing((at(73.0, 169.0), 40.0), at(73.0, 123.0), &narrow);
    assert_eq!(
        (before.x, end.x),
        (73.0, 73.0),
        "a small side is aimed at in the middle"
    );
}
