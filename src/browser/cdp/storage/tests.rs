//! Tests of loading a state, with a simulated browser that stops answering at an exact moment.

use std::path::Path;

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

/// A driver of a simulated browser, and the calls that it sends. The browser has cookies of a.test and of other.test. It
/// answers each call, but a call to open a tab only if there is an answer for it, which must have a result or an error.
async fn driver(
    folder: &Path,
    is_attached: bool,
    tab: Option<Value>,
) -> (Cdp, mpsc::UnboundedReceiver<Value>) {
    std::fs::write(folder.join("state-s.json"), STATE).unwrap();
    let (to, mut sent) = mpsc::unbounded_channel();
    let (says, from) = mpsc::unbounded_channel();
    let options = CdpOptions::new("unused").with_state_folder(folder);
    let private = (!is_attached).then_some("/unused".as_ref());
    let (hub, line) = Hub::start(From(from), To(to), options, private, StderrTail::default());
    hub.state().open("T");
    hub.state().current = Some("T".to_owned());
    let say = move |message: Value| _ = says.send(message.to_string().into_bytes());
    let info = json!({ "targetId": "T", "type": "page", "title": "", "url": "" });
    let params = json!({ "sessionId": "s", "targetInfo": info });
    say(json!({ "method": "Target.attachedToTarget", "params": params }));
    let (calls, called) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Some(call) = sent.recv().await {
            let call: Value = serde_json::from_slice(&call).unwrap();
            let answer = match call["method"].as_str().unwrap() {
                "Target.createTarget" => tab.clone(),
                "Page.getFrameTree" => {
                    let frame = json!({ "id": "T", "loaderId": "L", "url": "http://a.test/" });
                    Some(json!({ "result": { "frameTree": { "frame": frame } } }))
                }
                "Storage.getCookies" => {
                    let cookie =
                        |name, domain| json!({ "name": name, "domain": domain, "path": "/" });
                    let cookies = [cookie("old", "a.test"), cookie("other", "other.test")];
                    Some(json!({ "result": { "cookies": cookies } }))
                }
                _ => Some(json!({ "result": {} })),
            };
            if let Some(mut answer) = answer {
                answer["id"] = call["id"].clone();
                say(answer);
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
    (Cdp::new(hub, life), called)
}

#[tokio::test]
async fn a_load_that_is_given_up_sets_the_replaced_cookies_again() {
    for (is_attached, replaced) in [(false, &["old", "other"][..]), (true, &["old"])] {
        let folder = tempfile::tempdir().unwrap();
        let (driver, mut called) = driver(folder.path(), is_attached, None).await;
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
        let set = upon("Storage.setCookies").await;
        let set = set["cookies"].as_array().unwrap().iter();
        let names: Vec<_> = set.map(|cookie| cookie["name"].as_str().unwrap()).collect();
        assert_eq!(names, replaced);
        assert_eq!(upon("Network.deleteCookies").await["name"], "new");
    }
}

#[tokio::test]
async fn a_hidden_tab_that_does_not_open_is_not_awaited_any_more() {
    let folder = tempfile::tempdir().unwrap();
    let refused = json!({ "error": { "code": -32000, "message": "no" } });
    let (driver, _called) = driver(folder.path(), false, Some(refused)).await;
    driver.load_state("s").await.unwrap_err();
    assert!(!driver.hub.state().opening);
}
