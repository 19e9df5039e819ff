use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;

use super::*;

/// A simulated browser, with the messages in both directions.
struct Played {
    wire: Wire,
    line: Line,
    sent: mpsc::UnboundedReceiver<Vec<u8>>,
    says: Option<mpsc::UnboundedSender<Vec<u8>>>,
    events: mpsc::UnboundedReceiver<Option<(Option<String>, String, Value)>>,
}

pub(in crate::browser::cdp) struct From(
    pub(in crate::browser::cdp) mpsc::UnboundedReceiver<Vec<u8>>,
);
pub(in crate::browser::cdp) struct To(pub(in crate::browser::cdp) mpsc::UnboundedSender<Vec<u8>>);

impl Reader for From {
    async fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        Ok(self.0.recv().await)
    }
}

impl Writer for To {
    async fn send(&mut self, message: Vec<u8>) -> io::Result<()> {
        self.0
            .send(message)
            .map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

impl Played {
    fn start() -> Self {
        let (to, sent) = mpsc::unbounded_channel();
        let (says, from) = mpsc::unbounded_channel();
        let (tell, events) = mpsc::unbounded_channel();
        let on_event = move |event: Option<Event<'_>>| {
            let told = event.map(|e| {
                (
                    e.session.map(str::to_owned),
                    e.method.to_owned(),
                    e.read().unwrap(),
                )
            });
            let _ = tell.send(told);
        };
        let (wire, line) = Wire::start(From(from), To(to), on_event);
        Self {
            wire,
            line,
            sent,
            says: Some(says),
            events,
        }
    }

    async fn asked(&mut self) -> Value {
        serde_json::from_slice(&self.sent.recv().await.unwrap()).unwrap()
    }

    fn say(&self, message: &Value) {
        self.say_raw(message.to_string().as_bytes());
    }

    fn say_raw(&self, message: &[u8]) {
        self.says.as_ref().unwrap().send(message.to_vec()).unwrap();
    }
}

async fn soon<T>(work: impl Future<Output = T>) -> T {
    timeout(Duration::from_secs(10), work)
        .await
        .expect("an end")
}

#[tokio::test]
async fn answers_find_their_calls_in_any_order() {
    let mut browser = Played::start();
    let first = browser.wire.call::<Value>(None, "A.one", json!({"x": 1}));
    let second = browser.wire.call::<Value>(Some("s"), "A.two", json!({}));
    let (one, two) = (browser.asked().await, browser.asked().await);
    assert_eq!(
        (&one["method"], &one["params"]["x"], one.get("sessionId")),
        (&json!("A.one"), &json!(1), None)
    );
    assert_eq!(two["sessionId"], "s");
    browser.say(&json!({"id": two["id"], "result": {"y": 2}}));
    browser.say(&json!({"id": one["id"], "error": {"code": -32000, "message": "no"}}));
    assert_eq!(soon(second).await.unwrap()["y"], 2);
    assert!(matches!(
        soon(first).await,
        Err(WireError::Refused { code: -32000, .. })
    ));
}

#[tokio::test]
async fn the_end_of_the_connection_ends_every_call_at_once() {
    let mut browser = Played::start();
    let open = browser.wire.call::<Value>(None, "A.one", json!({}));
    browser.asked().await;
    browser.says = None;
    assert!(matches!(soon(open).await, Err(WireError::Closed)));
    assert!(
        soon(browser.events.recv()).await.unwrap().is_none(),
        "the end is told"
    );
    assert!(format!("{:?}", browser.wire).contains("closed: true"));
    assert!(matches!(
        soon(browser.wire.call::<Value>(None, "A.two", json!({}))).await,
        Err(WireError::Closed)
    ));
}

#[tokio::test]
async fn the_end_of_a_session_ends_its_calls_and_no_others() {
    let mut browser = Played::start();
    let gone = browser.wire.call::<Value>(Some("a"), "A.one", json!({}));
    let stays = browser.wire.call::<Value>(Some("b"), "A.one", json!({}));
    let (_, second) = (browser.asked().await, browser.asked().await);
    browser.wire.end_session("a");
    assert!(matches!(soon(gone).await, Err(WireError::Gone)));
    browser.say(&json!({"id": second["id"], "result": {}}));
    assert!(soon(stays).await.is_ok());
}

#[tokio::test]
async fn events_come_in_order_and_garbage_is_passed_over() {
    let mut browser = Played::start();
    browser.say(&json!({"method": "P.first", "params": {"n": 1}, "sessionId": "s"}));
    browser.say_raw(b"{not json");
    browser.say_raw(b"\xff");
    browser.say(&json!({"id": 77, "result": {}}));
    browser.say(&json!({"method": "P.second", "params": {}}));
    let first = soon(browser.events.recv()).await.unwrap().unwrap();
    assert_eq!(
        first,
        (Some("s".to_owned()), "P.first".to_owned(), json!({"n": 1}))
    );
    assert_eq!(
        soon(browser.events.recv()).await.unwrap().unwrap().1,
        "P.second"
    );
}

#[tokio::test]
async fn a_result_of_another_shape_is_an_error_and_not_a_default() {
    let mut browser = Played::start();
    let open = browser.wire.call::<Vec<u8>>(None, "A.one", json!({}));
    let asked = browser.asked().await;
    browser.say(&json!({"id": asked["id"], "result": {"x": 1}}));
    assert!(matches!(
        soon(open).await,
        Err(WireError::Malformed {
            method: "A.one",
            ..
        })
    ));
}

#[tokio::test]
async fn what_was_sent_is_not_in_the_debug_form() {
    let browser = Played::start();
    let _open = browser
        .wire
        .call::<Value>(None, "Input.insertText", json!({"text": "hunter2"}));
    assert!(!format!("{:?}", browser.wire).contains("hunter2"));
}

#[tokio::test]
async fn dropping_the_line_ends_the_connection_whoever_holds_a_wire() {
    let Played {
        wire,
        line,
        mut sent,
        says,
        ..
    } = Played::start();
    let open = wire.call::<Value>(None, "A.one", json!({}));
    drop(line);
    assert!(matches!(soon(open).await, Err(WireError::Closed)));
    while soon(sent.recv()).await.is_some() {}
    soon(says.unwrap().closed()).await;
}
