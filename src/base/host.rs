//! Host, origin and registrable site: the boundaries within which memory and permissions apply.

use core::net::IpAddr;
use std::fmt;

use serde::{Deserialize, Serialize};
use url::Url;

use super::{Error, ErrorKind, Result, address::is_special};

fn checked<'a>(url: &'a Url, operation: &'static str) -> Result<url::Host<&'a str>> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(Error::new(ErrorKind::InvalidInput, operation)
            .with("scheme", url.scheme())
            .with("expected", "http or https"));
    }
    url.host().ok_or_else(|| {
        Error::new(ErrorKind::InvalidInput, operation).with("expected", "a URL with a host")
    })
}

/// Maximum length of a host name. Unit: bytes. Source: RFC 1035.
const MAX_DOMAIN_BYTES: usize = 253;

/// The host of a web address. Memory is stored by host. The text of a host is its ASCII name in lower case. The
/// scheme is included if it is not https, and the port if it is not the default port.
///
/// ```
/// use webwise::Host;
///
/// let host = Host::of(&"https://Bücher.example:8443/x".parse()?)?;
/// assert_eq!(host.as_str(), "xn--bcher-kva.example:8443");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Host(String);

impl Host {
    /// Returns the host of a URL.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] if the scheme is neither http nor https, or if there is no host.
    pub fn of(url: &Url) -> Result<Self> {
        let host = checked(url, "host.of")?;
        let mut text = String::new();
        if url.scheme() != "https" {
            text.push_str("http://");
        }
        let name = host.to_string().to_ascii_lowercase();
        text.push_str(name.strip_suffix('.').unwrap_or(&name));
        if let Some(port) = url.port() {
            text.push(':');
            text.push_str(&port.to_string());
        }
        Ok(Self(text))
    }

    /// Returns the host for a bare domain name or address, as people write it: `shop.example`, `127.0.0.1`, `[::1]`.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] for any other text, and for a public suffix such as `co.uk`, because the names
    /// under a public suffix belong to many owners.
    pub fn of_domain(text: &str) -> Result<Self> {
        let refuse =
            |why: &str| Error::new(ErrorKind::InvalidInput, "host.of_domain").with("why", why);
        let own = |c: char| c.is_alphanumeric() || "-_.".contains(c);
        let inside = text
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'));
        let written_so = inside.map_or_else(
            || text.chars().all(own),
            |address| {
                address
                    .chars()
                    .all(|c| c.is_ascii_hexdigit() || ":.".contains(c))
            },
        );
        if text.is_empty() || text.len() > MAX_DOMAIN_BYTES || !written_so {
            return Err(refuse("it is not a host name"));
        }
        let url =
            Url::parse(&format!("https://{text}/")).map_err(|_| refuse("it is not a host name"))?;
        match checked(&url, "host.of_domain")? {
            url::Host::Domain(name) => {
                let name = name.strip_suffix('.').unwrap_or(name);
                if name.is_empty()
                    || name
                        .split('.')
                        .any(|label| label.is_empty() || label.len() > 63)
                {
                    return Err(refuse("it is not a host name"));
                }
                if psl::suffix(name.as_bytes())
                    .is_some_and(|s| s.is_known() && s == name.as_bytes())
                {
                    return Err(refuse(
                        "it is a public suffix, under which strangers have their sites",
                    ));
                }
            }
            // The URL parser reads `1.2` as 1.0.0.2, but nobody who writes `1.2` means that address.
            address if address.to_string() != text.to_ascii_lowercase() => {
                return Err(refuse("it is not a host name"));
            }
            _ => {}
        }
        Self::of(&url)
    }

    /// Returns the name or address, without the scheme and without the port.
    pub fn name(&self) -> &str {
        let rest = self.0.strip_prefix("http://").unwrap_or(&self.0);
        match rest.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) && !name.is_empty() => {
                name
            }
            _ => rest,
        }
    }

    /// Returns the hosts whose stored advice applies to this host: the host itself, its name without scheme and port,
    /// and each parent name up to the [site](Self::site). No parent name is a public suffix.
    pub fn and_above(&self) -> Vec<Self> {
        let mut hosts = vec![self.clone()];
        let Some(url) = self.url() else { return hosts };
        let (Some(name), Ok(site)) = (url.host_str(), Site::of(&url)) else {
            return hosts;
        };
        let mut name = name;
        loop {
            if !hosts.iter().any(|known| known.0 == name) {
                hosts.push(Self(name.to_owned()));
            }
            match name.split_once('.') {
                Some((_, above)) if name != site.as_str() && above.len() >= site.as_str().len() => {
                    name = above;
                }
                _ => return hosts,
            }
        }
    }

    /// Returns the site (registrable domain) of this host; `None` if no URL can have this host.
    pub fn site(&self) -> Option<Site> {
        Site::of(&self.url()?).ok()
    }

    /// Returns the URL of the host's front page; `None` if no URL can have this host.
    pub fn url(&self) -> Option<Url> {
        let whole = if self.0.contains("://") {
            self.0.clone()
        } else {
            format!("https://{}", self.0)
        };
        Url::parse(&whole).ok()
    }

    /// Returns the host as text, for files and display.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A web origin: scheme, host and port. Secrets are bound to origins.
///
/// ```
/// use webwise::Origin;
///
/// assert_eq!(Origin::parse("https://shop.example/login?next=1")?, Origin::parse("https://shop.example:443")?);
/// assert_ne!(Origin::parse("http://shop.example")?, Origin::parse("https://shop.example")?);
/// # Ok::<(), webwise::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Origin(String);

impl Origin {
    /// Returns the origin of a URL.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] if the scheme is neither http nor https, or if there is no host.
    pub fn of(url: &Url) -> Result<Self> {
        checked(url, "origin.of")?;
        Ok(Self(url.origin().ascii_serialization()))
    }

    /// Parses the text as a URL and returns the URL's origin.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] if the text is not a URL, and for the same reasons as [`Origin::of`].
    pub fn parse(text: &str) -> Result<Self> {
        let url = Url::parse(text)
            .map_err(|e| Error::new(ErrorKind::InvalidInput, "origin.parse").with_source(e))?;
        Self::of(&url)
    }

    /// Returns the origin as text: `scheme://host`, followed by the port if the port is not the default port of the
    /// scheme.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns true if nobody on the network can read what is sent to this origin: it uses https or is on this machine.
    pub fn is_private_channel(&self) -> bool {
        self.0.starts_with("https://")
            || Url::parse(&self.0).is_ok_and(|u| Site::of(&u).is_ok_and(|s| s.is_loopback()))
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A registrable domain, such as `shop.co.uk`. A [`Task`](crate::Task) can limit navigation to certain sites.
///
/// Each of these is a site of its own: an IP address, a name without a dot, a name under `localhost`, and a name
/// directly under a public suffix, such as `a.github.io` under `github.io`.
///
/// ```
/// use webwise::Site;
///
/// let site = |u: &str| Site::of(&u.parse().unwrap()).unwrap();
/// assert_eq!(site("https://a.shop.co.uk"), site("https://b.shop.co.uk:8443"));
/// assert_ne!(site("https://a.github.io"), site("https://b.github.io"));
/// assert_ne!(site("http://a.localhost"), site("http://b.localhost"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Site(String);

impl Site {
    /// Returns the site of a URL.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] if the scheme is neither http nor https, or if there is no host.
    pub fn of(url: &Url) -> Result<Self> {
        let name = match checked(url, "site.of")? {
            url::Host::Domain(name) => {
                let name = name.to_ascii_lowercase();
                let name = name.strip_suffix('.').unwrap_or(&name);
                if name.ends_with(".localhost") {
                    name.to_owned()
                } else {
                    psl::domain_str(name).unwrap_or(name).to_owned()
                }
            }
            address => address.to_string(),
        };
        Ok(Self(name))
    }

    /// Returns the site as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn address(&self) -> Option<IpAddr> {
        self.0
            .trim_start_matches('[')
            .trim_end_matches(']')
            .parse()
            .ok()
    }

    /// Returns true if the site is this machine: `localhost`, a name under `localhost`, or a loopback address.
    pub fn is_loopback(&self) -> bool {
        self.0 == "localhost"
            || self.0.ends_with(".localhost")
            || self.address().is_some_and(|a| match a {
                IpAddr::V4(v4) => v4.is_loopback(),
                IpAddr::V6(v6) => {
                    v6.is_loopback() || v6.to_ipv4_mapped().is_some_and(|v4| v4.is_loopback())
                }
            })
    }

    /// Returns true if the site is not on the open web. It is then this machine, an address that is not public, a name
    /// without a dot, or a name under a suffix for private networks.
    pub fn is_internal(&self) -> bool {
        if self.is_loopback() {
            return true;
        }
        if let Some(address) = self.address() {
            return is_special(address);
        }
        let last = self.0.rsplit('.').next().unwrap_or_default();
        !self.0.contains('.') || PRIVATE_SUFFIXES.contains(&last) || self.0.ends_with(".home.arpa")
    }
}

/// Top-level labels that only private networks use. Source: RFC 6762 with its appendix G, ICANN's `internal`, and
/// `localdomain`.
const PRIVATE_SUFFIXES: [&str; 8] = [
    "corp",
    "home",
    "internal",
    "intranet",
    "lan",
    "local",
    "localdomain",
    "private",
];

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(text: &str) -> Site {
        Site::of(&Url::parse(text).unwrap()).unwrap()
    }

    #[test]
    fn addresses_are_their_own_site() {
        assert_eq!(site("http://127.1/").as_str(), "127.0.0.1");
        assert_eq!(site("http://2130706433/").as_str(), "127.0.0.1");
        assert_eq!(site("http://[::1]:80/").as_str(), "[::1]");
    }

    #[test]
    fn what_is_not_on_the_open_web_is_known() {
        for inside in [
            "http://localhost",
            "http://a.localhost",
            "http://127.0.0.9",
            "http://10.1.2.3",
            "http://192.168.0.1",
            "http://169.254.169.254",
            "http://[::1]",
            "http://[::ffff:127.0.0.1]",
            "http://[fd00::1]",
            "http://[fe80::1]",
            "http://0.0.0.0",
            "http://intranet",
            "http://100.64.0.1",
            "http://metadata.google.internal",
            "http://[64:ff9b::7f00:1]",
            "http://[::ffff:0:127.0.0.1]",
            "http://[2002:7f00:1::]",
            "http://[2001:0:1::1]",
            "http://168.63.129.16",
            "http://192.0.0.192",
            "http://nas.lan",
            "http://router.home.arpa",
        ] {
            assert!(site(inside).is_internal(), "{inside}");
        }
        for outside in [
            "https://example.com",
            "http://8.8.8.8",
            "http://[2606:4700::1111]",
            "http://[2002:808:808::]",
            "https://a.github.io",
        ] {
            assert!(!site(outside).is_internal(), "{outside}");
        }
    }

    #[test]
    fn a_domain_is_a_name_or_an_address_and_no_public_suffix() {
        for (text, host) in [
            ("Shop.Example", "shop.example"),
            ("www.shop.co.uk", "www.shop.co.uk"),
            ("b\u{fc}cher.example", "xn--bcher-kva.example"),
            ("127.0.0.1", "127.0.0.1"),
            ("[::1]", "[::1]"),
            ("localhost", "localhost"),
            ("me.github.io", "me.github.io"),
        ] {
            assert_eq!(Host::of_domain(text).unwrap().as_str(), host, "{text}");
        }
        let long = "a.".repeat(127) + "example";
        for bad in [
            "",
            ".",
            "..",
            "a..b",
            "a b",
            "a/b",
            "a:80",
            "http://a.example",
            "u@a.example",
            "*.a.example",
            "%2e%2e",
            "1.2",
            "0x7f000001",
            "[::1",
            "com",
            "co.uk",
            "github.io",
            "a\0b",
            "a\u{202e}b",
            &long,
        ] {
            assert!(Host::of_domain(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_name_of_a_host_has_no_scheme_and_no_port() {
        let name = |url: &str| Host::of(&url.parse().unwrap()).unwrap().name().to_owned();
        assert_eq!(name("http://a.example:8080/"), "a.example");
        assert_eq!(
            (name("https://a.example"), name("http://[::1]:81")),
            ("a.example".to_owned(), "[::1]".to_owned())
        );
        assert_eq!(name("http://[::1]/"), "[::1]");
    }

    #[test]
    fn a_url_without_http_has_no_host() {
        for bad in [
            "file:///etc/passwd",
            "data:text/plain,x",
            "about:blank",
            "javascript:alert(1)",
        ] {
            assert!(Host::of(&Url::parse(bad).unwrap()).is_err(), "{bad}");
        }
    }

    #[test]
    fn above_a_host_are_its_bare_name_and_the_names_up_to_its_site() {
        let above = |t: &str| -> Vec<String> {
            Host::of(&Url::parse(t).unwrap())
                .unwrap()
                .and_above()
                .iter()
                .map(ToString::to_string)
                .collect()
        };
        assert_eq!(
            above("https://www.shop.co.uk"),
            ["www.shop.co.uk", "shop.co.uk"]
        );
        assert_eq!(
            above("http://a.b.shop.example:81"),
            [
                "http://a.b.shop.example:81",
                "a.b.shop.example",
                "b.shop.example",
                "shop.example"
            ]
        );
        assert_eq!(above("https://bob.github.io"), ["bob.github.io"]);
        assert_eq!(
            above("http://127.0.0.1:8080"),
            ["http://127.0.0.1:8080", "127.0.0.1"]
        );
        assert_eq!(
            above("http://a.localhost"),
            ["http://a.localhost", "a.localhost"]
        );
    }

    #[test]
    fn a_trailing_dot_and_the_default_port_do_not_make_another_host() {
        let host = |t: &str| Host::of(&Url::parse(t).unwrap()).unwrap();
        assert_eq!(
            host("https://example.com./"),
            host("https://example.com:443/x")
        );
        assert_ne!(host("http://example.com"), host("https://example.com"));
    }
}
