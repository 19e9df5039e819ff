//! Tests of loading a state, with a simulated browser that stops answering at an exact moment.

use std::sync::Arc;

use tokio::sync::mpsc;

use super::*;
use crate::browser::cdp::{
    CdpOptions,
    hub::Hub,
    launch::{Life, there},
    stderr_tail::StderrTail,
    wire::tests::{From, To},
};

/// The state to load: a cookie, and local storage, for which the driver opens a hidden tab.
const STATE: &str = r#"{ "cookies": [{ "name": "new", "value": "1", "domain": "a.test", "path": "/", "expires": -1,
    "httpOnly": false, "secure": false, "sameSite": "Lax" }],
    "origins": [{ "origin": "http://a.test", "localStorage": [{ "name": "n", "value": "v" }] }] }"#;

#[tokio::test]
async fn a_load_that_is_given_up_leaves_the_cookies_of_before() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("state-s.json"), STATE).unwrap();
    let (to, mut sent) = mpsc::unbounded_channel();
    let (says, from) = mpsc::unbounded_channel();
    let options = CdpOptions::new("unused").with_state_folder(folder.path());
    let unused = Some("/unused".as_ref());
    let (hub, line) = Hub::start(From(from), To(to), options, unused, StderrTail::default());
    let say = move |message: Value| _ = says.send(message.to_string().into_bytes());
    let info = json!({ "targetId": "T", "type": "page", "title": "", "url": "" });
    say(json!({ "method": "Target.targetCreated", "params": { "targetInfo": info } }));
    let params = json!({ "sessionId": "s", "targetInfo": info });
    say(json!({ "method": "Target.attachedToTarget", "params": params }));
    let (calls, mut called) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Some(call) = sent.recv().await {
            let call: Value = serde_json::from_slice(&call).unwrap();
            let result = match call["method"].as_str().unwrap() {
                "Page.getFrameTree" => {
                    json!({ "frameTree": { "frame": { "id": "T", "loaderId": "L", "url": "http://a.test/" } } })
                }
                "Storage.getCookies" => {
                    json!({ "cookies": [{ "name": "old", "domain": "a.test", "path": "/" }] })
                }
                _ => json!({}),
            };
            if call["method"] != "Target.createTarget" {
                say(json!({ "id": call["id"], "result": result }));
            }
            // Nobody may listen any more.
            let _ = calls.send(call);
        }
    });
    there(&hub).await.unwrap();
    let life = Life {
        line: Some(line),
        own: None,
    };
    let driver = Cdp::new(Arc::clone(&hub), life);
    let mut upon = async |wanted: &str| loop {
        let call = called.recv().await.unwrap();
        if call["method"] == wanted {
            return call["params"].clone();
        }
    };
    tokio::select! {
        done = driver.load_state("s") => panic!("{done:?}"),
        _ = upon("Target.createTarget") => {}
    }
    assert_eq!(
        upon("Storage.setCookies").await["cookies"][0]["name"],
        "old"
    );
    assert_eq!(upon("Network.deleteCookies").await["name"], "new");
}
