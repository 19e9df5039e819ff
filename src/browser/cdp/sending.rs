//! Checks of the addresses that would receive typed secrets. A form is checked before a secret is typed into it, and
//! before a click or a key that may send it. From the first secret on, every request is held and checked as well.
//!
//! Requests are held in the whole browser: in all tabs with their frames, and in workers of all kinds. Only documents
//! and workers that began before the driver, which only an attached browser has, are not held. Requests that cannot be
//! read are let go in an attached browser, unless they come from this driver's tabs. Web sockets, WebRTC
//! connections, reports and cookies cannot be checked, nor can what speculation rules load ahead. A whole browser that
//! the driver starts loads nothing ahead.

use std::collections::BTreeSet;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{driver::Cdp, error::CdpError, events::Paused, hub::Hub, state::World};
use crate::{
    action::{ErrorClass, Failure},
    secret::{Misdirected, Outgoing, SecretName, SecretResolver, TypedSecrets},
};

/// Maximum size of a request's body that is searched for secrets. A larger body counts as unreadable. Unit: bytes.
/// Source: chosen; a search takes about 100 bytes of memory for each byte of the body.
const MAX_BODY: usize = 4 << 20;
/// Maximum size of a request that is searched on the current thread. A larger request is searched on a thread of its
/// own. Unit: bytes. Source: chosen; forms are smaller.
const AT_ONCE: usize = 64 << 10;

/// A pattern that matches no address.
pub(super) const NONE: &str = "webwise-none:";

/// The typed secrets, and the requests that were held back because of them.
#[derive(Debug, Default)]
pub(super) struct Guard {
    typed: TypedSecrets,
    /// The browser's ids of the documents into which a secret was typed.
    documents: BTreeSet<String>,
    /// The latest held-back request that has to be reported; `None` once it is reported.
    held: Option<Misdirected>,
    /// The secrets and recipients of requests that were held back because they certainly contain a secret. A further
    /// request with the same secret and recipient is reported only if it is for a document.
    told: BTreeSet<Misdirected>,
}

#[derive(Deserialize)]
struct Sends {
    to: Vec<String>,
}

/// The names of the secrets that a form would send, and the address that would receive them. The address is `None` if
/// no secret would be sent.
#[derive(Deserialize)]
struct Sending {
    names: Vec<SecretName>,
    to: Option<String>,
}

/// The kind of input that may send a form.
#[derive(Debug, Clone, Copy)]
pub(super) enum By<'a> {
    /// A click on an element: the id of its frame, and its number in the frame.
    Click(&'a str, u64),
    Enter,
    Space,
}

fn refused(misdirected: &Misdirected) -> CdpError {
    CdpError::refused(ErrorClass::SecretLeaves, &misdirected.to_string())
}

impl Cdp {
    /// Checks every address to which a field's form could be sent, before a secret is typed into the field.
    ///
    /// # Errors
    /// A refusal that names the first address that may not receive the secret.
    pub(super) async fn may_be_sent(
        &self,
        at: &(String, World),
        field: Option<u64>,
        (name, secrets): (&SecretName, &SecretResolver),
    ) -> Result<(), CdpError> {
        let Sends { to } = self.hub.ask_in(at, "sendsFrom", json!([field])).await?;
        to.iter()
            .try_for_each(|address| secrets.may_send(name, address))
            .map_err(|misdirected| refused(&misdirected))
    }

    /// Checks the address of a form before an input that may send the form.
    ///
    /// # Errors
    /// A refusal if the address may not receive one of the secrets in the form.
    pub(super) async fn may_send(&self, by: By<'_>) -> Result<(), CdpError> {
        if !self.hub.state().guards {
            return Ok(());
        }
        let asked = |frame: String| async move {
            let (function, given) = match by {
                By::Click(_, number) => ("sendsOn", json!([number])),
                By::Enter => ("sendsByKey", json!([true])),
                By::Space => ("sendsByKey", json!([false])),
            };
            self.hub.ask::<Sending>(&frame, function, given).await
        };
        let frames: Vec<String> = match by {
            By::Click(frame, _) => vec![frame.to_owned()],
            // A document without our script world was never typed into, so it is not checked.
            By::Enter | By::Space => {
                let known = self.hub.state();
                let frames = known.tab().into_iter().flat_map(|tab| &tab.frames);
                frames
                    .filter(|(_, at)| at.world.is_some())
                    .map(|(frame, _)| frame.clone())
                    .collect()
            }
        };
        for frame in frames {
            let sending = match asked(frame).await {
                Ok(sending) => sending,
                // The document is gone, and with it all text that was typed into it.
                Err(CdpError::Moved) => continue,
                Err(trouble) => return Err(trouble),
            };
            let Sending {
                names,
                to: Some(to),
            } = sending
            else {
                continue;
            };
            if let Some(misdirected) = self.hub.guard().typed.misdirected(&names, &to) {
                return Err(refused(&misdirected));
            }
        }
        Ok(())
    }
}

impl Hub {
    /// Starts to check the requests of the browser, before the secret `name` is typed into the document of `frame`.
    ///
    /// # Errors
    /// Any failure to hold the requests; the secret must then not be typed.
    pub(super) async fn guard_secret(
        &self,
        frame: &str,
        name: &SecretName,
        secrets: &SecretResolver,
    ) -> Result<(), CdpError> {
        let document = {
            let known = self.state();
            let at = known.tab().and_then(|tab| tab.frames.get(frame));
            at.ok_or(CdpError::Moved)?.loader.clone()
        };
        {
            let mut guard = self.guard();
            guard.documents.insert(document);
            guard.typed.add(name, secrets);
        }
        if self.state().guards {
            return Ok(());
        }
        let hold = self.hold_requests("*");
        let done = self.unless_blocked(async { Ok(hold.await?) }).await;
        self.state().guards = done.is_ok();
        done.map(drop)
    }

    /// Asks the browser to hold all requests whose addresses match `pattern`, in all its tabs and workers.
    ///
    /// The browser can hold only the requests of documents and workers that began after the first call. So a driver
    /// calls this with [`NONE`] before its first page.
    pub(super) fn hold_requests(
        &self,
        pattern: &str,
    ) -> impl Future<Output = Result<Value, super::wire::WireError>> + Send + use<> {
        let patterns =
            json!({ "patterns": [{ "urlPattern": pattern, "requestStage": "Request" }] });
        self.wire.call(None, "Fetch.enable", patterns)
    }

    /// Checks a held request. The request fails if it would send a typed secret to an address that may not receive it,
    /// or if it concerns this driver and may do so in a body that cannot be read. Otherwise it continues.
    pub(super) async fn judge(&self, request: Paused) {
        let typed = self.guard().typed.clone();
        let id = request.id.clone();
        let is_document = request.kind == "Document";
        let is_ours = self.state().sends(&request.frame);
        let is_small = request.size() <= AT_ONCE;
        let look = move || request.held(&typed);
        let held = if is_small {
            look()
        } else {
            // A failed search proves nothing, so the request must not continue.
            match tokio::task::spawn_blocking(look).await {
                Ok(held) => held,
                Err(_) => return,
            }
        };
        // A request that cannot be read is held back only if it concerns this driver, and only while a document that a
        // secret was typed into is shown.
        let may_carry = || is_ours && self.is_shown_what_was_typed();
        let held = held.filter(|held| held.is_certain() || may_carry());
        let (method, params) = match held {
            None => ("Fetch.continueRequest", json!({ "requestId": id })),
            Some(misdirected) => {
                let mut guard = self.guard();
                // If it is not certain that the request contains a secret, the request is reported only if it is for a
                // document.
                let is_news = misdirected.is_certain() && guard.told.insert(misdirected.clone());
                if is_news || is_document {
                    guard.held = Some(misdirected);
                }
                // After an aborted document request the current page stays; a blocked document would replace it.
                let why = if is_document {
                    "Aborted"
                } else {
                    "BlockedByClient"
                };
                (
                    "Fetch.failRequest",
                    json!({ "requestId": id, "errorReason": why }),
                )
            }
        };
        // A request whose page is gone needs no answer.
        drop(self.wire.call::<Value>(None, method, params));
    }

    fn is_shown_what_was_typed(&self) -> bool {
        let guard = self.guard();
        let known = self.state();
        let mut frames = known.tabs.iter().flat_map(|tab| tab.frames.values());
        frames.any(|at| guard.documents.contains(&at.loader))
    }

    /// Returns a failure for the latest request that was held back, and marks the request as reported. Returns `None`
    /// if there is nothing to report.
    pub(super) fn take_held(&self) -> Option<Failure> {
        let held = self.guard().held.take()?;
        let why = format!("a request of the page was held back: {held}");
        Some(Failure::new(ErrorClass::SecretLeaves, &why))
    }
}

impl Paused {
    fn size(&self) -> usize {
        let entries = self.request.post_data_entries.iter().flatten();
        let body: usize = entries
            .map(|entry| entry.bytes.as_ref().map_or(0, String::len))
            .sum();
        self.request.url.len() + body
    }

    /// Returns the reason why this request must not be sent; `None` if it may be sent.
    fn held(&self, typed: &TypedSecrets) -> Option<Misdirected> {
        let body = self.body();
        let headers = self.request.headers.values().map(String::as_str);
        typed.held(&Outgoing {
            address: &format!("{}{}", self.request.url, self.request.url_fragment),
            headers: headers.collect(),
            body: body.as_deref(),
        })
    }

    /// Returns the request's body. Returns `None` for a body that cannot be searched, because it is a file, incomplete,
    /// or too large.
    fn body(&self) -> Option<Vec<u8>> {
        let Some(entries) = &self.request.post_data_entries else {
            return (!self.request.has_post_data).then(Vec::new);
        };
        let mut body = Vec::new();
        for entry in entries {
            body.extend(STANDARD.decode(entry.bytes.as_ref()?).ok()?);
        }
        (body.len() <= MAX_BODY && (!body.is_empty() || !self.request.has_post_data))
            .then_some(body)
    }
}
