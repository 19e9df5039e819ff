//! A saved state as a file in the format of playwright's `storageState`.

use std::{fs, io, path::Path};

use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use serde_json::{Value, json, value::RawValue};
use url::Url;
use uuid::Uuid;

use crate::browser::chromium;

/// Maximum size of a saved state's file. A larger file is neither written nor read. Unit: bytes. Source: chosen; browsers allow 10 MB
/// for each origin.
const MAX_FILE: u64 = 64 << 20;

#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct State {
    #[serde(default)]
    pub(super) cookies: Vec<Cookie>,
    #[serde(default)]
    pub(super) origins: Vec<OfOrigin>,
}

/// A cookie of a saved state, with the properties that are saved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Cookie {
    name: String,
    value: String,
    pub(super) domain: String,
    path: String,
    /// The expiry time. Unit: seconds since 1970; -1 for a cookie that ends with the browser.
    #[serde(default = "with_the_browser")]
    expires: f64,
    #[serde(default)]
    http_only: bool,
    #[serde(default)]
    secure: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    same_site: Option<SameSite>,
    /// The top-level site of a partitioned cookie; `None` for any other cookie.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    partition_key: Option<String>,
    /// True if a partitioned cookie is for frames inside a frame of another site.
    #[serde(
        rename = "_crHasCrossSiteAncestor",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    below_another_site: Option<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum SameSite {
    Strict,
    Lax,
    None,
}

const fn with_the_browser() -> f64 {
    -1.0
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct OfOrigin {
    pub(super) origin: String,
    #[serde(default)]
    pub(super) local_storage: Vec<Item>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Item {
    name: Text,
    value: Text,
}

/// A string, stored as its JSON text. A page's string may contain half of a surrogate pair, which a Rust string cannot
/// hold.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
struct Text(Box<RawValue>);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = Box::<RawValue>::deserialize(deserializer)?;
        if json.get().starts_with('"') {
            Ok(Self(json))
        } else {
            Err(D::Error::custom("expected a string"))
        }
    }
}

impl Cookie {
    /// Converts a cookie from the browser's form. Returns `None` if it cannot be set in another browser.
    pub(super) fn told(mut cookie: Value) -> Option<Self> {
        let key = cookie.as_object_mut()?.remove("partitionKey");
        // The cookie belongs to a page without a site, and ends with that page.
        if cookie["partitionKeyOpaque"] == true {
            return None;
        }
        let mut cookie: Self = serde_json::from_value(cookie).ok()?;
        if let Some(key) = key {
            cookie.partition_key = Some(key["topLevelSite"].as_str()?.to_owned());
            cookie.below_another_site = key["hasCrossSiteAncestor"].as_bool();
        }
        Some(cookie)
    }

    /// Converts the cookie to the form that the browser accepts.
    pub(super) fn given(&self) -> Value {
        let mut cookie = json!({
            "name": self.name,
            "value": self.value,
            "domain": self.domain,
            "path": self.path,
            "expires": self.expires,
            "httpOnly": self.http_only,
            "secure": self.secure,
        });
        if let Some(same_site) = self.same_site {
            cookie["sameSite"] = json!(same_site);
        }
        if let Some(site) = &self.partition_key {
            // If the file does not say, assume a frame of another site, for which such cookies are made.
            let below = self.below_another_site.unwrap_or(true);
            cookie["partitionKey"] = json!({ "topLevelSite": site, "hasCrossSiteAncestor": below });
        }
        cookie
    }
}

impl State {
    /// Returns true if the state has a cookie or local storage for the domain, a host inside it, or a domain that
    /// contains it.
    pub(super) fn speaks_of(&self, domain: &str) -> bool {
        let domain = host(domain);
        let hosts = self
            .origins
            .iter()
            .filter_map(|of| Url::parse(&of.origin).ok()?.host_str().map(str::to_owned));
        let mut hosts = hosts.chain(self.cookies.iter().map(|cookie| host(&cookie.domain)));
        let is_below = |a: &str, b: &str| a.strip_suffix(b).is_some_and(|rest| rest.ends_with('.'));
        hosts.any(|host| host == domain || is_below(&host, &domain) || is_below(&domain, &host))
    }

    /// Reads a state from its file. Fails if the file does not have the expected form.
    pub(super) fn read(path: &Path) -> io::Result<Self> {
        use io::Read as _;
        let mut text = String::new();
        let read = fs::File::open(path)?
            .take(MAX_FILE + 1)
            .read_to_string(&mut text)?;
        if read as u64 > MAX_FILE {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        // Serde would also accept a list, and take its items for the fields in their order.
        if !text.trim_start().starts_with('{') {
            return Err(io::ErrorKind::InvalidData.into());
        }
        Ok(serde_json::from_str(&text)?)
    }

    /// Writes the state to a file that only this user can read. The file is replaced atomically.
    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        let folder = path.parent().unwrap_or(path);
        fs::create_dir_all(folder)?;
        let new = folder.join(format!(".state-{}.new", Uuid::new_v4().simple()));
        let text = serde_json::to_vec_pretty(self)?;
        if text.len() as u64 > MAX_FILE {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let written = chromium::write_private(&new, &text).and_then(|()| fs::rename(&new, path));
        // An incomplete file is removed, because it would still contain somebody's cookies.
        written.inspect_err(|_| _ = fs::remove_file(&new))
    }
}

fn host(domain: &str) -> String {
    domain.trim_start_matches('.').to_ascii_lowercase()
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    const WHOLE: &str = r#"{"cookies":[
        {"name":"n","value":"v","domain":"a.test","path":"/","expires":-1.0,"httpOnly":true,"secure":false,"sameSite":"Lax"},
        {"name":"p","value":"v","domain":".b.test","path":"/","expires":9.5,"httpOnly":false,"secure":true,
         "sameSite":"None","partitionKey":"https://top.test","_crHasCrossSiteAncestor":false}],
        "origins":[{"origin":"https://a.test","localStorage":[{"name":"k","value":"half \ud83d"}]}]}"#;

    #[test]
    fn a_state_is_read_back_as_it_was_written_and_only_its_owner_can_read_it() {
        let base = tempfile::tempdir().unwrap();
        let path = base.path().join("states/state-a.json");
        serde_json::from_str::<State>(WHOLE)
            .unwrap()
            .write(&path)
            .unwrap();
        State::read(&path).unwrap().write(&path).unwrap();
        let squeezed = |text: &str| text.replace(['\n', ' '], "");
        assert_eq!(
            squeezed(&fs::read_to_string(&path).unwrap()),
            squeezed(WHOLE)
        );
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600
        );
        assert_eq!(
            fs::read_dir(path.parent().unwrap()).unwrap().count(),
            1,
            "nothing else is left there"
        );
    }

    #[test]
    fn a_state_that_could_not_be_read_back_is_not_written() {
        let base = tempfile::tempdir().unwrap();
        let mut state: State = serde_json::from_str(WHOLE).unwrap();
        state.cookies[0].value = "v".repeat(usize::try_from(MAX_FILE).unwrap());
        let written = state.write(&base.path().join("state-c.json"));
        assert_eq!(written.unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(fs::read_dir(base.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_another_tool_saved_is_read_and_what_is_broken_is_refused() {
        let base = tempfile::tempdir().unwrap();
        let path = base.path().join("state-b.json");
        fs::write(
            &path,
            r#"{"cookies":[{"name":"a","value":"b","domain":"x","path":"/","other":"p"}]}"#,
        )
        .unwrap();
        let state = State::read(&path).unwrap();
        assert_eq!((state.cookies[0].expires, state.origins.len()), (-1.0, 0));
        let odd =
            r#"{"cookies":[{"name":"a","value":"b","domain":"x","path":"/","sameSite":"Odd"}]}"#;
        let number =
            r#"{"origins":[{"origin":"https://a.test","localStorage":[{"name":"k","value":7}]}]}"#;
        for broken in ["", "[]", r#"{"cookies":7}"#, odd, number] {
            fs::write(&path, broken).unwrap();
            assert!(State::read(&path).is_err(), "{broken}");
        }
    }

    #[test]
    fn a_partitioned_cookie_is_told_kept_and_given_back_with_its_partition() {
        let told = json!({
            "name": "p", "value": "v", "domain": "b.test", "path": "/", "expires": -1.0, "size": 2, "httpOnly": false,
            "secure": true, "sameSite": "None", "session": true,
            "partitionKey": { "topLevelSite": "https://top.test", "hasCrossSiteAncestor": true },
        });
        let cookie = Cookie::told(told.clone()).unwrap();
        assert_eq!(cookie.partition_key.as_deref(), Some("https://top.test"));
        assert_eq!(cookie.given()["partitionKey"], told["partitionKey"]);
        let of_another_tool = Cookie {
            below_another_site: None,
            ..cookie
        };
        assert_eq!(
            of_another_tool.given()["partitionKey"],
            told["partitionKey"]
        );
        let mut opaque = told;
        opaque["partitionKeyOpaque"] = json!(true);
        assert_eq!(Cookie::told(opaque), None);
    }

    #[test]
    fn a_state_speaks_of_its_own_sites_and_of_no_others() {
        let state: State = serde_json::from_str(WHOLE).unwrap();
        for (domain, speaks) in [
            ("a.test", true),
            (".www.A.test", true),
            ("b.test", true),
            ("ba.test", false),
            ("c.test", false),
        ] {
            assert_eq!(state.speaks_of(domain), speaks, "{domain}");
        }
    }
}
