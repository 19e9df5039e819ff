//! Saving and loading states: cookies and local storage. The format is that of playwright's `storageState`, so both
//! drivers read each other's files.
//!
//! A state is saved only if all of it could be read from the browser. If a state cannot be loaded, or not in time, the
//! current cookies stay.
//!
//! ```text
//! file   the format of the saved files
//! visit  reads and writes the local storage of an origin
//! ```

mod file;
mod visit;

use std::{collections::HashSet, io, path::PathBuf};

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::task::spawn_blocking;
use url::Url;

use self::{
    file::{Cookie, OfOrigin, State},
    visit::{Stored, Visit},
};
use super::{driver::Cdp, error::CdpError, wire::WireError};
use crate::{
    action::ErrorClass,
    base::{Error, ErrorKind, SessionId},
    browser::rules::STATE_NAME,
};

#[derive(Deserialize)]
struct Cookies {
    cookies: Vec<Value>,
}

type Answer = Result<Value, WireError>;

/// The cookies `old` that the loading of a state replaces, and those that it sets. Dropping this value sets the old ones
/// again unless `is_over`, because the time of the action may end first.
struct Undoing<'a> {
    cdp: &'a Cdp,
    session: String,
    old: Vec<Value>,
    new: &'a [Value],
    is_over: bool,
}

impl Drop for Undoing<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            drop(self.cdp.set(&self.old));
            drop(self.cdp.remove(&self.session, self.new, &self.old));
        }
    }
}

impl Cdp {
    /// Saves a state with this name: the browser's cookies, and the local storage of the web origins that were shown or
    /// came from a loaded state.
    pub(super) async fn save_state(&self, name: &str) -> Result<(), CdpError> {
        let path = self.state_file(name)?;
        let cookies = self
            .cookies()
            .await?
            .into_iter()
            .filter_map(Cookie::told)
            .collect();
        let visited = self.hub.state().origins.clone();
        let mut origins: Vec<OfOrigin> = Vec::new();
        if !visited.is_empty() {
            origins.extend(self.kept_here().await?);
        }
        let mut visit = None;
        for origin in visited {
            if origins.iter().any(|of| of.origin == origin) {
                continue;
            }
            let Some(url) = web_origin(&origin) else {
                continue;
            };
            let unreadable = |trouble| match trouble {
                CdpError::Broken(_) | CdpError::Refused(_) | CdpError::Moved => CdpError::refused(
                    ErrorClass::FileRefused,
                    &format!("what {origin} keeps cannot be read"),
                ),
                other => other,
            };
            if visit.is_none() {
                visit = Some(Visit::begin(&self.hub).await?);
            }
            if let Some(visit) = &visit {
                origins.push(visit.read(&url).await.map_err(unreadable)?);
            }
        }
        origins.retain(|of| !of.local_storage.is_empty());
        let state = State { cookies, origins };
        spawn_blocking(move || state.write(&path))
            .await
            .map_err(io::Error::other)
            .flatten()
            .map_err(broken)
    }

    /// Returns the local storage of the current page's origin; `None` if the document is gone or cannot read its
    /// storage.
    async fn kept_here(&self) -> Result<Option<OfOrigin>, CdpError> {
        let page = self.page()?;
        match self.hub.ask::<Stored>(&page, "stored", json!([])).await {
            Ok(Stored { origin, items }) => Ok(Some(OfOrigin {
                origin,
                local_storage: items,
            })),
            Err(CdpError::Moved | CdpError::Refused(_) | CdpError::Broken(_)) => Ok(None),
            Err(trouble) => Err(trouble),
        }
    }

    /// Replaces the current cookies by those of a saved state, and adds the state's local storage. An attached
    /// browser keeps its cookies of sites that the state does not mention.
    pub(super) async fn load_state(&self, name: &str) -> Result<(), CdpError> {
        let path = self.state_file(name)?;
        let refused =
            |_| CdpError::refused(ErrorClass::FileRefused, "there is no such saved state");
        let state = spawn_blocking(move || State::read(&path))
            .await
            .map_err(io::Error::other)
            .flatten();
        let state = state.map_err(refused)?;
        let new: Vec<Value> = state.cookies.iter().map(Cookie::given).collect();
        let mut old = self.cookies().await?;
        // Cookies of a page without a site cannot be set again, and are not removed.
        old.retain(|cookie| cookie["partitionKeyOpaque"] != true);
        let is_replaced = |domain: &str| self.hub.owned || state.speaks_of(domain);
        old.retain(|cookie| is_replaced(cookie["domain"].as_str().unwrap_or_default()));
        let mut undoing = Undoing {
            cdp: self,
            session: self.main_session()?,
            old,
            new: &new,
            is_over: false,
        };
        let loaded = self.put(&state, &undoing.old, &new).await;
        if loaded.is_err() {
            // If this fails too, the first error is the one to report.
            let _ = self.exchange(&new, &undoing.old).await;
        }
        undoing.is_over = true;
        loaded
    }

    async fn put(&self, state: &State, old: &[Value], new: &[Value]) -> Result<(), CdpError> {
        self.exchange(old, new)
            .await
            .map_err(|trouble| match trouble {
                CdpError::Broken(_) => CdpError::refused(
                    ErrorClass::FileRefused,
                    "it has a cookie that no browser takes",
                ),
                other => other,
            })?;
        let kept = state
            .origins
            .iter()
            .filter(|of| !of.local_storage.is_empty());
        // Entries of origins that are not web origins are left out, because no page can see them.
        let kept: Vec<_> = kept
            .filter_map(|of| Some((web_origin(&of.origin)?, of)))
            .collect();
        if kept.is_empty() {
            return Ok(());
        }
        let visit = Visit::begin(&self.hub).await?;
        for (url, of) in kept {
            visit
                .write(&url, &of.local_storage)
                .await
                .map_err(|trouble| match trouble {
                    CdpError::Broken(_) => CdpError::refused(
                        ErrorClass::FileRefused,
                        &format!("{} cannot keep that much", of.origin),
                    ),
                    other => other,
                })?;
            self.hub.state().visited(&url);
        }
        Ok(())
    }

    async fn cookies(&self) -> Result<Vec<Value>, CdpError> {
        let Cookies { cookies } = self
            .hub
            .wire
            .call(None, "Storage.getCookies", self.hub.in_context(json!({})))
            .await?;
        Ok(cookies)
    }

    /// Replaces the cookies `old` by the cookies `new`. Sets the new cookies first, all or none. Then removes each
    /// remaining old cookie.
    async fn exchange(&self, old: &[Value], new: &[Value]) -> Result<(), CdpError> {
        let session = self.main_session()?;
        self.set(new).await?;
        for call in self.remove(&session, old, new) {
            call.await?;
        }
        Ok(())
    }

    /// Sends the call that sets cookies, all or none. Returns the answer to come.
    fn set(&self, cookies: &[Value]) -> impl Future<Output = Answer> + use<> {
        let params = self.hub.in_context(json!({ "cookies": cookies }));
        self.hub.wire.call(None, "Storage.setCookies", params)
    }

    /// Sends the calls that remove each of the cookies `old` that is not among `new`. Returns the answers to come.
    fn remove(
        &self,
        session: &str,
        old: &[Value],
        new: &[Value],
    ) -> Vec<impl Future<Output = Answer> + use<>> {
        let stay: HashSet<String> = new.iter().map(identity).collect();
        let gone = old
            .iter()
            .filter(|cookie| !stay.contains(&identity(cookie)));
        let calls = gone.map(|cookie| {
            let mut params = json!({ "name": cookie["name"], "domain": cookie["domain"], "path": cookie["path"] });
            if cookie["partitionKey"].is_object() {
                params["partitionKey"] = cookie["partitionKey"].clone();
            }
            self.hub.wire.call(Some(session), "Network.deleteCookies", params)
        });
        calls.collect()
    }

    fn state_file(&self, name: &str) -> Result<PathBuf, CdpError> {
        if SessionId::parse(name).is_err() {
            return Err(CdpError::refused(ErrorClass::BadArguments, STATE_NAME));
        }
        let folder = self
            .hub
            .options
            .common
            .state_folder
            .clone()
            .or_else(|| self.hub.private.clone());
        let folder = folder.ok_or_else(|| {
            CdpError::refused(
                ErrorClass::FileRefused,
                "a browser that was attached to has no folder for saved states",
            )
        })?;
        Ok(folder.join(format!("state-{name}.json")))
    }
}

fn identity(cookie: &Value) -> String {
    let domain = cookie["domain"]
        .as_str()
        .unwrap_or_default()
        .to_ascii_lowercase();
    json!([
        cookie["name"],
        domain,
        cookie["path"],
        cookie["partitionKey"]
    ])
    .to_string()
}

/// Returns a web origin as an address; `None` if its scheme is not http or https.
fn web_origin(origin: &str) -> Option<Url> {
    Url::parse(origin)
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https"))
}

fn broken(error: io::Error) -> CdpError {
    CdpError::Broken(Error::new(ErrorKind::Io, "browser.state").with_source(error))
}

#[cfg(test)]
mod tests;
