//! Cookies and local storage, kept in files. The format is that of playwright's `storageState`, so that both drivers read
//! each other's files.

use std::{fs, io, path::PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use url::Url;
use uuid::Uuid;

use super::{
    driver::Cdp,
    hub::{Evaluated, evaluated},
    known::HIDDEN,
    trouble::Trouble,
};
use crate::{
    action::ErrorClass,
    base::{Error, ErrorKind, SessionId},
    browser::{chromium, rules::STATE_NAME},
};

/// Largest file read. Unit: bytes. Source: chosen; browsers keep 10 MB an origin.
const MAX_FILE: u64 = 64 << 20;

/// A saved state.
#[derive(Debug, Default, Serialize, Deserialize)]
struct State {
    #[serde(default)]
    cookies: Vec<Cookie>,
    #[serde(default)]
    origins: Vec<OfOrigin>,
}

/// A cookie; what is not named here is not kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Cookie {
    name: String,
    value: String,
    domain: String,
    path: String,
    /// Seconds since 1970; -1 for one that ends with the browser.
    #[serde(default = "with_the_browser")]
    expires: f64,
    #[serde(default)]
    http_only: bool,
    #[serde(default)]
    secure: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    same_site: Option<String>,
}

const fn with_the_browser() -> f64 {
    -1.0
}

/// What an origin keeps in its local storage.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct OfOrigin {
    origin: String,
    #[serde(default)]
    local_storage: Vec<Item>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Item {
    name: String,
    value: String,
}

#[derive(Deserialize)]
struct Cookies {
    cookies: Vec<Cookie>,
}

/// Local storage as the page side tells it.
#[derive(Deserialize)]
struct Stored {
    origin: String,
    items: Vec<Item>,
}

impl Cdp {
    /// Saves cookies, and what the origins of the current tab keep.
    pub(super) async fn save_state(&self, name: &str) -> Result<(), Trouble> {
        let path = self.state_file(name)?;
        let Cookies { cookies } = self.hub.wire.call(None, "Storage.getCookies", json!({})).await?;
        let frames: Vec<String> =
            self.hub.known().tab().map(|tab| tab.frames.keys().cloned().collect()).unwrap_or_default();
        let mut origins: Vec<OfOrigin> = Vec::new();
        for frame in frames {
            match self.hub.ask::<Stored>(&frame, "stored", json!([])).await {
                Ok(Stored { origin, items }) if !items.is_empty() && !origins.iter().any(|o| o.origin == origin) => {
                    origins.push(OfOrigin { origin, local_storage: items });
                }
                // Nothing kept, a document that may keep nothing, or one that is gone.
                Ok(_) | Err(Trouble::Moved | Trouble::Refused(_) | Trouble::Broken(_)) => {}
                Err(trouble) => return Err(trouble),
            }
        }
        write(&path, &State { cookies, origins }).map_err(broken)
    }

    /// Puts a saved state in the place of the cookies that are there, and adds what origins kept.
    pub(super) async fn load_state(&self, name: &str) -> Result<(), Trouble> {
        let path = self.state_file(name)?;
        let refused = || Trouble::refused(ErrorClass::FileRefused, "there is no such saved state");
        let state = read(&path).map_err(|_| refused())?;
        self.hub.wire.call::<Value>(None, "Storage.clearCookies", json!({})).await?;
        self.hub.wire.call::<Value>(None, "Storage.setCookies", json!({ "cookies": state.cookies })).await?;
        for of in state.origins.iter().filter(|of| !of.local_storage.is_empty()) {
            self.restore(of).await?;
        }
        Ok(())
    }

    /// Writes to the local storage of an origin: from a page of that origin that is made for it, empty and without a server.
    async fn restore(&self, of: &OfOrigin) -> Result<(), Trouble> {
        // What is not an origin was written by nobody who could keep anything there.
        let Ok(url) = Url::parse(&of.origin) else { return Ok(()) };
        if !matches!(url.scheme(), "http" | "https") {
            return Ok(());
        }
        let wire = &self.hub.wire;
        let address = format!("{HIDDEN}{}", Uuid::new_v4().simple());
        let made: Made = wire.call(None, "Target.createTarget", json!({ "url": address, "background": true })).await?;
        let work = async {
            let params = json!({ "targetId": made.target_id, "flatten": true });
            let Attached { session_id } = wire.call(None, "Target.attachToTarget", params).await?;
            let session = Some(&*session_id);
            wire.call::<Value>(session, "Page.enable", json!({})).await?;
            wire.call::<Value>(session, "Fetch.enable", json!({ "patterns": [{ "urlPattern": "*" }] })).await?;
            let navigated = wire.call::<Value>(session, "Page.navigate", json!({ "url": url }));
            let request = self
                .hub
                .until(|known| {
                    let closed = known.closed.then_some(Err(Trouble::Lost("the connection to the browser is closed")));
                    closed.or_else(|| known.paused.remove(&session_id).map(Ok))
                })
                .await?;
            let answer = json!({
                "requestId": request,
                "responseCode": 200,
                "responseHeaders": [{ "name": "Content-Type", "value": "text/html" }],
                "body": "",
            });
            wire.call::<Value>(session, "Fetch.fulfillRequest", answer).await?;
            navigated.await?;
            let expression = format!(
                "for (const {{ name, value }} of {}) localStorage.setItem(name, value)",
                serde_json::to_string(&of.local_storage).unwrap_or_default()
            );
            let params = json!({ "expression": expression, "returnByValue": true });
            evaluated(wire.call::<Evaluated>(session, "Runtime.evaluate", params).await?).map(drop)
        };
        let restored = work.await;
        // Whatever became of it, the page goes.
        let _ = wire.call::<Value>(None, "Target.closeTarget", json!({ "targetId": made.target_id })).await;
        restored
    }

    fn state_file(&self, name: &str) -> Result<PathBuf, Trouble> {
        if SessionId::parse(name).is_err() {
            return Err(Trouble::refused(ErrorClass::BadArguments, STATE_NAME));
        }
        let folder = self.hub.options.state_folder.clone().or_else(|| self.hub.private.clone());
        let folder = folder.ok_or_else(|| {
            Trouble::refused(ErrorClass::FileRefused, "a browser that was attached to has no folder for saved states")
        })?;
        Ok(folder.join(format!("state-{name}.json")))
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Made {
    target_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Attached {
    session_id: String,
}

fn broken(error: io::Error) -> Trouble {
    Trouble::Broken(Error::new(ErrorKind::Io, "browser.state").with_source(error))
}

/// Writes a file that only this user can read, in one step: who reads it finds the old one or the new one.
fn write(path: &std::path::Path, state: &State) -> io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder)?;
    let new = folder.join(format!(".state-{}.new", Uuid::new_v4().simple()));
    chromium::write_private(&new, &serde_json::to_vec_pretty(state)?)?;
    fs::rename(&new, path).inspect_err(|_| _ = fs::remove_file(&new))
}

fn read(path: &std::path::Path) -> io::Result<State> {
    use io::Read as _;
    let mut text = String::new();
    let read = fs::File::open(path)?.take(MAX_FILE + 1).read_to_string(&mut text)?;
    if read as u64 > MAX_FILE {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    // A list would be read as the fields in their order.
    if !text.trim_start().starts_with('{') {
        return Err(io::ErrorKind::InvalidData.into());
    }
    Ok(serde_json::from_str(&text)?)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_state_is_read_back_as_it_was_written_and_only_its_owner_can_read_it() {
        let base = tempfile::tempdir().unwrap();
        let path = base.path().join("states/state-a.json");
        let cookie = Cookie {
            name: "n".into(),
            value: "v".into(),
            domain: "a.test".into(),
            path: "/".into(),
            expires: -1.0,
            http_only: true,
            secure: false,
            same_site: Some("Lax".into()),
        };
        let item = Item { name: "k".into(), value: "\u{2028}".into() };
        let origins = vec![OfOrigin { origin: "https://a.test".into(), local_storage: vec![item.clone()] }];
        write(&path, &State { cookies: vec![cookie.clone()], origins }).unwrap();
        write(&path, &read(&path).unwrap()).unwrap();
        let state = read(&path).unwrap();
        assert_eq!((&state.cookies[0], &state.origins[0].local_storage[0]), (&cookie, &item));
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "nothing else is left there");
    }

    #[test]
    fn what_another_tool_saved_is_read_and_what_is_broken_is_refused() {
        let base = tempfile::tempdir().unwrap();
        let path = base.path().join("state-b.json");
        fs::write(&path, r#"{"cookies":[{"name":"a","value":"b","domain":"x","path":"/","partitionKey":"p"}]}"#)
            .unwrap();
        let state = read(&path).unwrap();
        assert_eq!((state.cookies[0].expires, state.origins.len()), (-1.0, 0));
        for broken in ["", "[]", r#"{"cookies":7}"#] {
            fs::write(&path, broken).unwrap();
            assert!(read(&path).is_err(), "{broken}");
        }
    }
}
