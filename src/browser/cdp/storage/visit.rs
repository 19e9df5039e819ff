//! Reading and writing the local storage of an origin, in a hidden tab. The tab shows an empty page of that origin,
//! which this driver supplies.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};
use url::Url;
use uuid::Uuid;

use super::file::{Item, OfOrigin};
use crate::browser::cdp::{
    error::CdpError,
    hub::{Evaluated, Hub, evaluated},
    page::STORED,
    tabs::Opened,
    wire::Wire,
};

#[derive(Debug, Deserialize)]
pub(super) struct Stored {
    pub(super) origin: String,
    pub(super) items: Vec<Item>,
}

/// A hidden tab that visits web origins in turn and shows an empty page of each. Dropping this value closes the tab.
#[derive(Debug)]
pub(super) struct Visit<'a> {
    hub: &'a Hub,
    _tab: Hidden,
    session: String,
}

#[derive(Debug)]
struct Hidden {
    wire: Wire,
    target: String,
}

impl Hidden {
    async fn open(hub: Arc<Hub>) -> Result<Self, CdpError> {
        let address = format!("about:blank#webwise-{}", Uuid::new_v4().simple());
        {
            let mut known = hub.state();
            known.hidden = Some(address.clone());
            known.opening = true;
        }
        // Browsers that know `hidden` show the tab in no window, and close it when the connection ends.
        let params = hub.in_context(json!({ "url": address, "background": true, "hidden": true }));
        let opened: Result<Opened, _> = hub.wire.call(None, "Target.createTarget", params).await;
        hub.state().opening = false;
        let target = opened?.target_id;
        // A browser may report the new tab before its address.
        hub.state().destroyed(&target);
        let wire = hub.wire.clone();
        Ok(Self { wire, target })
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        drop(self.wire.call::<Value>(
            None,
            "Target.closeTarget",
            json!({ "targetId": self.target }),
        ));
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Attached {
    session_id: String,
}

/// Returns true if `there`, the origin that a page reports, is the requested `origin`. Returns false if the browser
/// turned the origin's http into https. Any other `there` is an error.
fn is_at(origin: &Url, there: &str) -> Result<bool, CdpError> {
    let mut safe = origin.clone();
    // Another port is another origin.
    let has_safe = origin.scheme() == "http" && safe.set_scheme("https").is_ok();
    match there {
        there if there == origin.origin().ascii_serialization() => Ok(true),
        there if has_safe && there == safe.origin().ascii_serialization() => Ok(false),
        _ => Err(CdpError::malformed("a page of another origin")),
    }
}

impl<'a> Visit<'a> {
    pub(super) async fn begin(hub: &'a Arc<Hub>) -> Result<Self, CdpError> {
        // If the caller gives up waiting, this task drops the tab, which closes it.
        let tab = tokio::spawn(Hidden::open(Arc::clone(hub)));
        let tab = tab.await.map_err(|_| CdpError::Late)??;
        let params = json!({ "targetId": tab.target, "flatten": true });
        let Attached {
            session_id: session,
        } = hub.wire.call(None, "Target.attachToTarget", params).await?;
        for (method, params) in [
            ("Page.enable", json!({})),
            (
                "Network.enable",
                json!({ "maxTotalBufferSize": 0, "maxResourceBufferSize": 0 }),
            ),
            // A service worker would answer in place of the empty page.
            ("Network.setBypassServiceWorker", json!({ "bypass": true })),
            (
                "Fetch.enable",
                json!({ "patterns": [{ "urlPattern": "*" }] }),
            ),
        ] {
            hub.wire
                .call::<Value>(Some(&session), method, params)
                .await?;
        }
        Ok(Self {
            hub,
            _tab: tab,
            session,
        })
    }

    pub(super) async fn read(&self, origin: &Url) -> Result<OfOrigin, CdpError> {
        self.go(origin).await?;
        let Stored {
            origin: there,
            items,
        } = self
            .evaluate(&format!("(() => {{ {STORED} return stored(); }})()"))
            .await?;
        let items = if is_at(origin, &there)? {
            items
        } else {
            Vec::new()
        };
        Ok(OfOrigin {
            origin: origin.origin().ascii_serialization(),
            local_storage: items,
        })
    }

    /// Adds items to the local storage of an origin. Writes nothing if the browser turns the origin's http into https.
    pub(super) async fn write(&self, origin: &Url, items: &[Item]) -> Result<(), CdpError> {
        self.go(origin).await?;
        let items = serde_json::to_string(items)
            .map_err(|_| CdpError::malformed("a state that cannot be written"))?;
        let wanted = json!(origin.origin().ascii_serialization());
        let write = format!(
            "if (self.origin === {wanted}) for (const {{ name, value }} of {items}) localStorage.setItem(name, value); \
             self.origin"
        );
        let there: String = self.evaluate(&write).await?;
        is_at(origin, &there).map(drop)
    }

    async fn go(&self, origin: &Url) -> Result<(), CdpError> {
        let (wire, session) = (&self.hub.wire, Some(&*self.session));
        let navigated = wire.call::<Value>(session, "Page.navigate", json!({ "url": origin }));
        let answered = async {
            loop {
                let request = self.hub.until(|known| {
                    let closed = known.closed.then_some(Err(CdpError::Lost(
                        "the connection to the browser is closed",
                    )));
                    closed.or_else(|| known.paused.remove(&self.session).map(Ok))
                });
                let answer = json!({
                    "requestId": request.await?,
                    "responseCode": 200,
                    "responseHeaders": [{ "name": "Content-Type", "value": "text/html" }],
                    "body": "",
                });
                // A request that was cancelled meanwhile needs no answer.
                let _ = wire
                    .call::<Value>(session, "Fetch.fulfillRequest", answer)
                    .await;
            }
        };
        tokio::select! {
            biased;
            navigated = navigated => match navigated?.get("errorText") {
                None => Ok(()),
                Some(_) => Err(CdpError::malformed("a page of an origin that did not come")),
            },
            never = answered => never,
        }
    }

    async fn evaluate<T: serde::de::DeserializeOwned>(
        &self,
        expression: &str,
    ) -> Result<T, CdpError> {
        let params = json!({ "expression": expression, "returnByValue": true });
        let told = self
            .hub
            .wire
            .call::<Evaluated>(Some(&self.session), "Runtime.evaluate", params)
            .await?;
        serde_json::from_str(evaluated(told)?.json())
            .map_err(|_| CdpError::malformed("a storage that is not understood"))
    }
}
