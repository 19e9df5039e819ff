//! A CDP session of the test's own: real input, and questions to the witness, without any of our code.

use std::time::{Duration, Instant};

use futures_util::{SinkExt as _, StreamExt as _};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async, tungstenite::Message};

/// Longest wait for a document to load completely. Source: chosen; on an idle machine pages here load in a fraction of it, and the
/// few that never do are tried in the full size alone.
const PATIENCE: Duration = Duration::from_secs(20);
/// The script that sees what reacts.
const WITNESS: &str = include_str!("witness.js");

/// What a probe changed.
#[derive(Default)]
pub(crate) struct Answer {
    pub(crate) told: Vec<String>,
    /// What had the focus when keys were pressed, if nothing before them was answered and they were.
    pub(crate) keyed: Option<usize>,
}

impl From<Vec<String>> for Answer {
    fn from(told: Vec<String>) -> Self {
        Self { told, keyed: None }
    }
}

/// One page of the browser.
pub(crate) struct Chrome {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    session: Option<String>,
    last: u64,
}

impl Chrome {
    /// Takes the page of this browser that shows `url`, and puts the witness into whatever it opens.
    pub(crate) async fn attach(browser: &str, url: &str) -> Self {
        let address = socket_of(browser).await;
        let (socket, _) = connect_async(address).await.expect("the browser listens");
        let mut chrome = Self {
            socket,
            session: None,
            last: 0,
        };
        let told = chrome.call("Target.getTargets", json!({})).await;
        let targets = told["targetInfos"].as_array().expect("a list").clone();
        let page = targets
            .iter()
            .find(|target| target["type"] == "page" && target["url"] == url)
            .expect("the page is open");
        let params = json!({ "targetId": page["targetId"], "flatten": true });
        let told = chrome.call("Target.attachToTarget", params).await;
        chrome.session = told["sessionId"].as_str().map(str::to_owned);
        chrome.call("Page.enable", json!({})).await;
        let script = json!({ "source": WITNESS });
        chrome
            .call("Page.addScriptToEvaluateOnNewDocument", script)
            .await;
        chrome
    }

    async fn call(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let mut message = json!({ "id": self.last, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        let sent = self.socket.send(Message::text(message.to_string())).await;
        sent.expect("the browser takes commands");
        loop {
            let next = self.socket.next().await.expect("the browser lives");
            let Message::Text(text) = next.expect("the browser answers") else {
                continue;
            };
            let told: Value = serde_json::from_str(&text).expect("JSON");
            if told["id"] == self.last {
                assert!(told["error"].is_null(), "{method}: {}", told["error"]);
                return told["result"].clone();
            }
        }
    }

    /// The value of an expression in the page, awaited.
    pub(crate) async fn ask<T: DeserializeOwned>(&mut self, expression: &str) -> T {
        let params =
            json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let told = self.call("Runtime.evaluate", params).await;
        let failed = &told["exceptionDetails"];
        assert!(failed.is_null(), "{expression:.200}: {failed}");
        let value = told["result"]["value"].clone();
        serde_json::from_value(value)
            .unwrap_or_else(|error| panic!("{expression:.200} gave {told}: {error}"))
    }

    /// Opens a page anew, readies it, and numbers its elements; how many there are.
    pub(crate) async fn open(&mut self, url: &str, ready: &str) -> usize {
        // A pointer that rests on the page would hover what appears under it. What a page stores would change the next load.
        let leave = "globalThis.isOld = true, localStorage.clear(), sessionStorage.clear(), \
                     [innerWidth - 3, innerHeight - 3]";
        let corner: (f64, f64) = self.ask(leave).await;
        self.mouse("mouseMoved", corner, false).await;
        self.call("Page.navigate", json!({ "url": url })).await;
        self.loaded().await;
        self.ask(&format!(
            "({ready}, new Promise(done => setTimeout(() => done(witness.number()), 20)))"
        ))
        .await
    }

    /// Opens a page and waits for the one that a script in it leads to.
    pub(crate) async fn go(&mut self, url: &str, script: &str) {
        self.open(url, "0").await;
        self.ask::<bool>(&format!("globalThis.isOld = true, {script}, true"))
            .await;
        self.loaded().await;
    }

    /// Waits until a new document has loaded. One that never has is taken as it is.
    async fn loaded(&mut self) {
        let new = "globalThis.isOld === undefined && globalThis.witness !== undefined && document.body !== null";
        let whole = format!("{new} && document.readyState === 'complete'");
        let since = Instant::now();
        let mut wanted = whole.as_str();
        while !self.ask::<bool>(wanted).await {
            tokio::time::sleep(Duration::from_millis(4)).await;
            if since.elapsed() > PATIENCE {
                wanted = new;
            }
        }
    }

    async fn mouse(&mut self, kind: &str, (x, y): (f64, f64), pressed: bool) {
        let params = json!({
            "type": kind, "x": x, "y": y, "clickCount": u8::from(kind != "mouseMoved"),
            "button": if kind != "mouseMoved" || pressed { "left" } else { "none" },
            "buttons": u8::from(pressed),
        });
        self.call("Input.dispatchMouseEvent", params).await;
    }

    async fn key(&mut self, key: &str, text: &str, code: u8) {
        let mut params = json!({ "type": "keyDown", "key": key, "windowsVirtualKeyCode": code });
        if !text.is_empty() {
            params["text"] = json!(text);
        }
        self.call("Input.dispatchKeyEvent", params).await;
        let up = json!({ "type": "keyUp", "key": key, "windowsVirtualKeyCode": code });
        self.call("Input.dispatchKeyEvent", up).await;
    }

    /// What a hover, a click, keys and a drag on an element change, the first of them that changes something.
    pub(crate) async fn probe(&mut self, number: Option<usize>) -> Answer {
        let aimed = format!("witness.aim({})", json!(number));
        let Some((x, y)) = self.ask::<Option<(f64, f64)>>(&aimed).await else {
            return Answer::default();
        };
        self.mouse("mouseMoved", (x, y), false).await;
        self.mouse("mousePressed", (x, y), true).await;
        self.mouse("mouseReleased", (x, y), false).await;
        let told: Vec<String> = self.ask("witness.told()").await;
        let Some(number) = number else {
            // What comes by itself is looked for as long as an answer to the longest probe.
            self.ask::<Vec<String>>("witness.told()").await;
            return self.ask::<Vec<String>>("witness.told()").await.into();
        };
        if !told.is_empty() {
            return told.into();
        }
        let keyed: Option<usize> = self.ask(&format!("witness.focus({number})")).await;
        for (key, text, code) in [("ArrowDown", "", 40), ("a", "a", 65), ("Enter", "\r", 13)] {
            self.key(key, text, code).await;
        }
        let told: Vec<String> = self.ask("witness.told()").await;
        if !told.is_empty() {
            return Answer { told, keyed };
        }
        if !self.ask::<bool>(&format!("witness.drags({number})")).await {
            return Answer::default();
        }
        self.mouse("mousePressed", (x, y), true).await;
        for step in [10.0, 30.0, 45.0] {
            self.mouse("mouseMoved", (x + step, y + step), true).await;
        }
        self.mouse("mouseReleased", (x + 45.0, y + 45.0), false)
            .await;
        self.ask::<Vec<String>>("witness.told()").await.into()
    }
}

/// The address of the browser's socket.
async fn socket_of(browser: &str) -> String {
    let host = browser.trim_start_matches("http://");
    let mut stream = TcpStream::connect(host).await.expect("the browser listens");
    let asked = format!("GET /json/version HTTP/1.1\r\nHost: {host}\r\n\r\n");
    let sent = stream.write_all(asked.as_bytes()).await;
    sent.expect("the browser takes a question");
    let mut told = Vec::new();
    let mut part = [0; 4096];
    loop {
        let count = stream.read(&mut part).await.expect("the browser answers");
        told.extend_from_slice(&part[..count]);
        let text = String::from_utf8_lossy(&told);
        let address = text
            .split('"')
            .find(|word| word.starts_with("ws://") && text.contains('}'));
        if let Some(address) = address {
            return address.to_owned();
        }
        assert!(count > 0, "the browser says where its socket is: {text}");
    }
}
