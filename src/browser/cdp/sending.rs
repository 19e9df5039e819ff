//! Checks of the addresses that would receive typed secrets. A form is checked before a secret is typed into it, and
//! before a click or a key that may send it. From the first secret on, every request is held and checked as well.
//!
//! Requests are held in the whole browser: in all tabs with their frames, and in workers of all kinds. Only documents
//! and workers that began before the driver, which only an attached browser has, are not held. Requests that cannot be
//! read are let go in an attached browser, unless they come from this driver's tabs. WebRTC connections, reports and
//! cookies cannot be checked, nor can what speculation rules load ahead. A whole browser that the driver starts loads
//! nothing ahead.
//!
//! The browser cannot hold a WebSocket. It can fail those whose addresses match a pattern, before anything of them is
//! sent. So all fail, except those to origins to which every typed secret is bound, by TLS to their registrable domains,
//! and those with an address that was checked before: a WebSocket to another place fails once and opens at the next
//! attempt of its page, unless the address carries a secret. One with a new token in each address never opens.
//!
//! What a page sends in the frames of a WebSocket, or as names of its protocols, cannot be checked. Neither can the
//! WebSockets of shared workers, those of a window in the moment in which a page opens it, and those of a browser older than
//! Chromium 150.

use std::collections::BTreeSet;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::Deserialize;
use serde_json::{Value, json};
use url::Url;

use super::{driver::Cdp, error::CdpError, events::Paused, hub::Hub, state::World};
use crate::{
    action::{ErrorClass, Failure},
    base::Site,
    secret::{Misdirected, Outgoing, SecretName, SecretResolver, TypedSecrets},
};

/// Maximum size of a request's body that is searched for secrets. A larger body counts as unreadable. Unit: bytes.
/// Source: chosen; a search takes about 100 bytes of memory for each byte of the body.
const MAX_BODY: usize = 4 << 20;
/// Maximum size of a request that is searched on the current thread. A larger request is searched on a thread of its
/// own. Unit: bytes. Source: chosen; forms are smaller.
const AT_ONCE: usize = 64 << 10;

/// Maximum number of addresses of WebSockets that are remembered as checked. Source: chosen; a page has a few.
const MAX_SOCKETS: usize = 50;

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
    /// The addresses of the WebSockets that were checked and carry none of the typed secrets.
    sockets: BTreeSet<String>,
}

impl Guard {
    /// Returns the rules by which the browser fails WebSockets. The first rule whose pattern matches decides.
    fn socket_rules(&self) -> Value {
        let rule = |pattern: &str, fails: bool| {
            json!({
                "urlPattern": pattern, "offline": fails,
                "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1,
            })
        };
        let bound = self.typed.bound_by_all().into_iter();
        let bound = bound.flat_map(|origin| bound_patterns(origin.as_str()));
        let checked = self.sockets.iter().filter_map(|url| exactly(url));
        let mut rules: Vec<Value> = bound
            .chain(checked)
            .map(|open| rule(&open, false))
            .collect();
        rules.push(rule("ws{s}?://*:*/*", true));
        json!({ "matchedNetworkConditions": rules })
    }
}

/// Returns the patterns of the WebSockets that may receive a secret which is bound to this origin: those of the origin,
/// and by TLS those of its registrable domain.
fn bound_patterns(origin: &str) -> Vec<String> {
    let own = origin.replacen("http", "ws", 1);
    let site = origin
        .strip_prefix("https://")
        .and_then(|_| Site::of(&Url::parse(origin).ok()?).ok());
    let wide = site.filter(|site| site.as_str().contains('.') && !site.as_str().contains(':'));
    let wide = wide
        .into_iter()
        .flat_map(|site| [format!("wss://{site}/*"), format!("wss://*.{site}/*")]);
    // The colons in the address of a host are no ports.
    let own = match own
        .split_once('[')
        .and_then(|(scheme, rest)| Some((scheme, rest.split_once(']')?)))
    {
        Some((scheme, (host, port))) => format!("{scheme}[{}]{port}", host.replace(':', "\\:")),
        None => own,
    };
    std::iter::once(format!("{own}/*")).chain(wide).collect()
}

/// Returns a pattern that matches only this address of a WebSocket; `None` for an address with a user name or password.
fn exactly(address: &str) -> Option<String> {
    let url = Url::parse(address).ok()?;
    if !url.username().is_empty() || url.password().is_some() {
        return None;
    }
    // A pattern matches any part that it leaves out, so the empty user name, password and query are written too.
    let (scheme, rest) = url.as_str().split_once("://")?;
    let query = if url.query().is_none() { "?" } else { "" };
    let mut pattern = String::new();
    for c in format!("{scheme}://:@{rest}{query}").chars() {
        if "*?+:(){}\\".contains(c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    Some(pattern)
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
            // They were checked for other secrets.
            guard.sockets.clear();
        }
        if !self.state().guards {
            let hold = self.hold_requests("*");
            self.unless_blocked(async { Ok(hold.await?) }).await?;
            self.state().guards = true;
            for session in self.state().sessions() {
                self.attach_inside(&session, true);
            }
        }
        self.hold_all_sockets();
        Ok(())
    }

    /// Asks the browser to attach to the frames and workers that begin in the target of a session. If `waits` is true,
    /// they do nothing until they are prepared.
    pub(super) fn attach_inside(&self, session: &str, waits: bool) {
        let params =
            json!({ "autoAttach": true, "waitForDebuggerOnStart": waits, "flatten": true });
        let method = "Target.setAutoAttach";
        drop(self.wire.call::<Value>(Some(session), method, params));
    }

    /// Asks the browser to fail the WebSockets of a session's target, except those that may open. The calls are not
    /// awaited, because the browser carries out calls in their order.
    pub(super) fn hold_sockets(&self, session: &str) {
        let rules = self.guard().socket_rules();
        let sizes = json!({ "maxTotalBufferSize": 0, "maxResourceBufferSize": 0 });
        for (method, params) in [
            ("Network.enable", sizes),
            ("Network.emulateNetworkConditionsByRule", rules),
        ] {
            drop(self.wire.call::<Value>(Some(session), method, params));
        }
    }

    fn hold_all_sockets(&self) {
        for session in self.state().sessions() {
            self.hold_sockets(&session);
        }
    }

    /// Checks the address of a WebSocket. If it carries no secret to a wrong place, the browser opens such a WebSocket at
    /// the next attempt.
    pub(super) fn judge_socket(&self, url: String) {
        {
            let mut guard = self.guard();
            if url.len() > AT_ONCE
                || guard.sockets.len() >= MAX_SOCKETS
                || guard.sockets.contains(&url)
            {
                return;
            }
            let held = guard.typed.held(&Outgoing {
                address: &url,
                headers: Vec::new(),
                body: Some(&[]),
            });
            if let Some(misdirected) = held {
                if guard.told.insert(misdirected.clone()) {
                    guard.held = Some(misdirected);
                }
                return;
            }
            guard.sockets.insert(url);
        }
        self.hold_all_sockets();
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
        if self.is_of_another(&request.frame) {
            let params = json!({ "requestId": id });
            return drop(
                self.wire
                    .call::<Value>(None, "Fetch.continueRequest", params),
            );
        }
        // In an attached browser, only the requests of this driver's tabs concern it.
        let is_ours = {
            let known = self.state();
            !known.own_only || known.has(&request.frame)
        };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_of_an_address_leaves_no_part_open() {
        for (address, pattern) in [
            ("wss://a.test", Some(r"wss\://\:@a.test/\?")),
            ("ws://a.test:81/x?", Some(r"ws\://\:@a.test\:81/x\?")),
            (
                "wss://a.test/*?q=(a+b)&c={\\d}:1",
                Some(r"wss\://\:@a.test/\*\?q=\(a\+b\)&c=\{\\d\}\:1"),
            ),
            ("wss://u:p@a.test/", None),
            ("a.test", None),
        ] {
            assert_eq!(exactly(address).as_deref(), pattern, "{address}");
        }
    }
}
