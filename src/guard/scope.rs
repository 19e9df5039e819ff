//! Scope: the pages that a run may visit.
//!
//! The scope is checked before an address is opened and after every action, because clicks and redirects change the
//! page. Only the addresses of the page, of its frames and of the other tabs are checked. A name that resolves to an
//! internal address is not detected; images and scripts are not checked.

use std::fmt;

use serde::{Deserialize, Serialize};
use url::Url;

use crate::{
    action::{ErrorClass, Outcome},
    base::Site,
    page::ERROR_PAGE,
};

const BLANK_PAGE: &str = "about:blank";

/// The rule for whether a run may show a page without content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blank {
    /// The page `about:blank` is accepted, but not an empty address, because a driver may report one for a page whose
    /// address it does not know. The agent's loop uses this for the first page of a run, after an action on tabs, and if
    /// no web page was shown before the action.
    Tolerated,
    /// A page without content is refused. The agent's loop uses this whenever it does not use `Tolerated`.
    Refused,
}

/// The reason for refusing an address.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ScopeRefusal {
    /// The text is not an absolute address.
    NotAnAddress,
    /// The scheme is neither http nor https.
    NotWeb,
    /// The address contains a user name or password, which hides the real host.
    UserInfo,
    /// The host is neither an IP address nor a possible name in DNS.
    BadHost,
    /// The site is on this machine or in a private network, and is neither the start site nor an allowed site.
    Internal(Site),
    /// The run is limited to certain sites, and this one is not among them.
    OffList(Site),
    /// A page without content replaced the page that was shown.
    Blank,
}

impl ScopeRefusal {
    /// Returns one sentence that tells the model why the address was refused. It quotes no part of the address.
    pub const fn sentence(&self) -> &'static str {
        match self {
            Self::NotAnAddress => "that is not an address; it must begin with https:// or http://",
            Self::NotWeb => "only http and https addresses may be opened",
            Self::UserInfo => "an address may not contain a user name or password",
            Self::BadHost => "the host of that address is not valid",
            Self::Internal(_) => {
                "that address is in a private network, which this run may not enter"
            }
            Self::OffList(_) => "that site is not one of those this run is allowed to visit",
            Self::Blank => "the page is gone",
        }
    }

    /// Returns the refused site; `None` if the reason is not the site. The site's name is untrusted text.
    pub const fn site(&self) -> Option<&Site> {
        match self {
            Self::Internal(site) | Self::OffList(site) => Some(site),
            _ => None,
        }
    }
}

impl fmt::Display for ScopeRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.sentence())
    }
}

impl std::error::Error for ScopeRefusal {}

impl From<ScopeRefusal> for Outcome {
    fn from(refusal: ScopeRefusal) -> Self {
        Self::failed(ErrorClass::Blocked, refusal.sentence())
    }
}

/// The sites that a run may visit.
///
/// - The site of the start address is always included, even if it is internal (loopback, private, link-local or
///   metadata).
/// - If there are allowed sites or secrets, the run may also visit the allowed sites, but no others. An internal site
///   may be one of the allowed sites, because a person chose these.
/// - Without allowed sites and secrets, the whole open web is included, but no internal site except that of the start
///   address.
///
/// ```
/// use webwise::guard::Scope;
///
/// let scope = Scope::new(Some(&"https://shop.example/".parse()?), vec![], true);
/// assert_eq!(scope.check_url("https:\\\\www.shop.example/a b")?.as_str(), "https://www.shop.example/a%20b");
/// assert!(scope.check_url("https://shop.example@evil.test/").is_err());
/// assert!(scope.check_url("https://shop.example.evil.test/").is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scope {
    sites: Vec<Site>,
    is_bounded: bool,
}

impl Scope {
    /// Makes the scope of a run. If there is an allowed site or a secret, the run may visit only the start site and the
    /// allowed sites.
    pub fn new(start: Option<&Url>, allow: Vec<Site>, has_secrets: bool) -> Self {
        let is_bounded = has_secrets || !allow.is_empty();
        let mut sites = allow;
        sites.extend(start.and_then(|url| Site::of(url).ok()));
        Self { sites, is_bounded }
    }

    /// Returns true if only the start site and the allowed sites may be visited.
    pub const fn is_bounded(&self) -> bool {
        self.is_bounded
    }

    /// Checks an address before it is opened, and returns the normalised address. Pass the result to the driver, so
    /// that the browser cannot parse it differently from this check.
    ///
    /// # Errors
    /// Returns the reason for the refusal.
    pub fn check_url(&self, text: &str) -> Result<Url, ScopeRefusal> {
        let url = Url::parse(text).map_err(|_| ScopeRefusal::NotAnAddress)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(ScopeRefusal::NotWeb);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(ScopeRefusal::UserInfo);
        }
        if !url.host().is_some_and(|host| is_plain(&host)) {
            return Err(ScopeRefusal::BadHost);
        }
        let site = Site::of(&url).map_err(|_| ScopeRefusal::BadHost)?;
        if self.sites.contains(&site) {
            Ok(url)
        } else if site.is_internal() {
            Err(ScopeRefusal::Internal(site))
        } else if self.is_bounded {
            Err(ScopeRefusal::OffList(site))
        } else {
            Ok(url)
        }
    }

    /// Returns true if the content of a frame at this address may be shown. This includes frames without a web address,
    /// whose content the page itself makes.
    pub fn may_show_frame(&self, url: &str) -> bool {
        match Url::parse(url).as_ref().map(Url::scheme) {
            Ok("about" | "data" | "blob" | "chrome-error") => true,
            _ => self.check_url(url).is_ok(),
        }
    }

    /// Checks the address of the page after an action.
    ///
    /// # Errors
    /// Returns the reason why the run may not stay on the page.
    pub fn check_page(&self, url: &str, blank: Blank) -> Result<(), ScopeRefusal> {
        match (url, blank) {
            (ERROR_PAGE, _) | (BLANK_PAGE, Blank::Tolerated) => Ok(()),
            (BLANK_PAGE | "", Blank::Refused) => Err(ScopeRefusal::Blank),
            _ => self.check_url(url).map(|_| ()),
        }
    }
}

/// Returns true if the host is an IP address, or a name whose parts between the dots consist of letters, digits, `-`
/// and `_` and do not begin with `-`.
///
/// The URL standard also accepts names that DNS does not have, such as `..` and `-rf`.
fn is_plain(host: &url::Host<&str>) -> bool {
    let url::Host::Domain(name) = host else {
        return true;
    };
    let name = name.strip_suffix('.').unwrap_or(name);
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && !label.starts_with('-')
            && label
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
    };
    name.len() <= 253 && name.split('.').all(is_label)
}

#[cfg(test)]
mod tests;
