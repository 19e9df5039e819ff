//! Decides which recipients may get a typed secret from a page, by a form or by any other request.
//!
//! A secret may go to each origin that it is bound to. If that origin is https, the secret may also go by https to
//! every origin in the same registrable domain. An IP address, a name without a dot and this machine have no
//! registrable domain. A secret may go to an origin of this kind only if the secret is bound to that very origin.

use std::{fmt, sync::Arc};

use url::Url;

use super::{Redactor, SecretName, SecretResolver, Vault};
use crate::base::{Origin, Site};

/// A refusal to send a secret to an address.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Misdirected {
    secret: SecretName,
    /// The origin that the secret would go to; `None` for an address without a web origin, such as `mailto:`.
    to: Option<Origin>,
    is_certain: bool,
}

impl Misdirected {
    fn new(secret: &SecretName, to: Option<Origin>) -> Self {
        Self {
            secret: secret.clone(),
            to,
            is_certain: true,
        }
    }

    /// Returns the name of the secret.
    pub const fn secret(&self) -> &SecretName {
        &self.secret
    }

    /// Returns the origin that the secret would have gone to; `None` for an address without a web origin.
    pub const fn to(&self) -> Option<&Origin> {
        self.to.as_ref()
    }

    /// Returns false if a request is refused only because its body cannot be read and may contain the secret. Returns
    /// true for any other refusal.
    pub const fn is_certain(&self) -> bool {
        self.is_certain
    }
}

/// Writes the refusal for a person: the secret's placeholder, the origin that the secret would go to, and the option
/// that would allow this. Leaves out the option if nothing can allow it: for plain http on another machine, and for an
/// address without a web origin.
impl fmt::Display for Misdirected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, secret) = (&self.secret, self.secret.placeholder());
        let Some(to) = &self.to else {
            return write!(f, "{secret} would go to an address that is no web origin");
        };
        if self.is_certain {
            write!(f, "{secret} would go to {to}, which it is not bound to")?;
        } else {
            write!(
                f,
                "{secret} may be in a request to {to}, which it is not bound to and whose content cannot be read"
            )?;
        }
        if to.is_private_channel() {
            write!(
                f,
                "; --secret {name}=ENVVAR@ORIGIN with that origin would allow it"
            )
        } else {
            f.write_str("; no secret can be bound to plain http on another machine")
        }
    }
}

impl Vault {
    pub(super) fn may_send(&self, name: &SecretName, address: &str) -> Result<(), Misdirected> {
        let url = Url::parse(address).ok();
        if url.as_ref().is_some_and(|url| url.scheme() == "javascript") {
            // A script runs in the page and sends nothing by itself.
            return Ok(());
        }
        let to = url.as_ref().and_then(|url| Origin::of(url).ok());
        let (Some(url), Some(to)) = (url, to) else {
            return Err(Misdirected::new(name, None));
        };
        let is_bound = |bound: &Origin| *bound == to || are_one_site(bound, &url);
        if self.origins(name).iter().any(is_bound) {
            Ok(())
        } else {
            Err(Misdirected::new(name, Some(to)))
        }
    }
}

/// Returns true if the origin and the address are both https and belong to the same registrable domain.
fn are_one_site(bound: &Origin, to: &Url) -> bool {
    let Ok(bound) = Url::parse(bound.as_str()) else {
        return false;
    };
    let domain = |url: &Url| {
        let is_name = url.scheme() == "https" && url.domain().is_some();
        let site = Site::of(url).ok().filter(|_| is_name)?;
        (site.as_str().contains('.') && !site.is_loopback()).then_some(site)
    };
    domain(&bound).is_some_and(|site| domain(to) == Some(site))
}

/// A request that is about to leave a browser.
#[derive(Debug)]
pub struct Outgoing<'a> {
    /// The address with its fragment, because a page at that address can read the fragment.
    pub address: &'a str,
    /// Values of the headers.
    pub headers: Vec<&'a str>,
    /// The bytes of the body; `None` if a part of them cannot be read.
    pub body: Option<&'a [u8]>,
}

/// The list of the secrets that were typed into a browser. A secret is never removed from the list, because a page may
/// keep it for as long as it likes.
#[derive(Debug, Clone, Default)]
pub struct TypedSecrets(Vec<Typed>);

#[derive(Debug, Clone)]
struct Typed {
    name: SecretName,
    vault: Arc<Vault>,
    redactor: Redactor,
}

impl TypedSecrets {
    /// Returns true if no secret was typed.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Remembers that a secret was typed.
    pub fn add(&mut self, name: &SecretName, secrets: &SecretResolver) {
        let vault = secrets.vault();
        let is_same = |typed: &Typed| typed.name == *name && Arc::ptr_eq(&typed.vault, vault);
        if !self.0.iter().any(is_same) {
            self.0.push(Typed {
                name: name.clone(),
                vault: Arc::clone(vault),
                redactor: vault.redactor_of(name),
            });
        }
    }

    /// Returns a refusal if a form with the secrets `names` in its fields may not be sent to the address; `None` if the
    /// form may be sent. Names that are not in this list are ignored.
    pub fn misdirected(&self, names: &[SecretName], address: &str) -> Option<Misdirected> {
        self.0
            .iter()
            .filter(|typed| names.contains(&typed.name))
            .find_map(|typed| typed.vault.may_send(&typed.name, address).err())
    }

    /// Returns the origins to which every secret of this list is bound.
    pub fn bound_by_all(&self) -> Vec<&Origin> {
        let Some((first, others)) = self.0.split_first() else {
            return Vec::new();
        };
        let is_bound = |typed: &Typed, to: &Origin| typed.vault.origins(&typed.name).contains(to);
        let by_all = |to: &&Origin| others.iter().all(|typed| is_bound(typed, to));
        first
            .vault
            .origins(&first.name)
            .iter()
            .filter(by_all)
            .collect()
    }

    /// Returns a refusal if the request carries, or may carry, a secret to an origin that may not receive the secret;
    /// `None` if the request may be sent. The server of a WebSocket counts as the origin with the same host and port.
    /// Returns `None` for addresses that no server receives, such as `data:`.
    pub fn held(&self, request: &Outgoing<'_>) -> Option<Misdirected> {
        let to = receiver(request.address)?;
        self.0.iter().find_map(|typed| {
            let misdirected = typed.vault.may_send(&typed.name, &to).err()?;
            let texts = request.headers.iter().map(|header| header.as_bytes());
            let mut parts = [request.address.as_bytes()]
                .into_iter()
                .chain(texts)
                .chain(request.body);
            if parts.any(|part| carries(&typed.redactor, part)) {
                return Some(misdirected);
            }
            request.body.is_none().then_some(Misdirected {
                is_certain: false,
                ..misdirected
            })
        })
    }
}

/// Returns the http or https address of the server that receives a request; `None` if no server receives it. An address
/// that cannot be parsed is returned as it is, so that it counts as one to which no secret may go.
fn receiver(address: &str) -> Option<String> {
    let Ok(mut url) = Url::parse(address) else {
        return Some(address.to_owned());
    };
    let scheme = match url.scheme() {
        "http" | "ws" => "http",
        "https" | "wss" => "https",
        _ => return None,
    };
    url.set_scheme(scheme).ok()?;
    Some(url.into())
}

/// Sets of characters at which a request is split into pieces: line ends; the separators in addresses; and both of these,
/// together with the separators of form fields. Each set is tried on its own, because a short secret may itself contain
/// characters of another set.
const BORDERS: [&[u8]; 3] = [b"\r\n", b"/?#", b"\r\n/?#&=;"];

/// Returns true if this part of a request contains a secret of the redactor. A short secret is recognised only if it stands
/// alone, so the part is also split at the characters of each set in [`BORDERS`].
fn carries(redactor: &Redactor, part: &[u8]) -> bool {
    let in_pieces = |borders: &&[u8]| {
        part.split(|byte| borders.contains(byte))
            .any(|piece| redactor.is_in(piece))
    };
    // A form sent as plain text has one field on each line.
    let in_fields = || {
        part.split(|byte| *byte == b'\n').any(|line| {
            let equals = line.iter().position(|byte| *byte == b'=');
            equals.is_some_and(|at| redactor.is_in(&line[at + 1..]))
        })
    };
    let is_weak = !redactor.too_short().is_empty();
    redactor.is_in(part) || is_weak && (BORDERS.iter().any(in_pieces) || in_fields())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::Secret;

    fn name() -> SecretName {
        SecretName::parse("PASSWORD").unwrap()
    }

    fn typed(value: &str, origins: &[&str]) -> (TypedSecrets, SecretResolver) {
        let origins = origins.iter().map(|o| Origin::parse(o).unwrap()).collect();
        let vault = Vault::new()
            .with(name(), Secret::new(value), origins)
            .unwrap();
        let secrets = SecretResolver::new(Arc::new(vault));
        let mut typed = TypedSecrets::default();
        typed.add(&name(), &secrets);
        (typed, secrets)
    }

    #[test]
    fn a_secret_may_go_where_it_is_bound_and_by_https_to_that_site() {
        let bound = [
            "https://login.shop.co.uk",
            "http://127.0.0.1:8080",
            "https://me.github.io",
            "https://10.0.0.1",
            "https://intranet",
            "https://app.localhost:3000",
        ];
        let (typed, secrets) = typed("hunter2", &bound);
        for right in [
            "https://login.shop.co.uk/login?next=1#top",
            "https://login.shop.co.uk:443/",
            "https://shop.co.uk/",
            "https://pay.shop.co.uk:8443/x",
            "https://LOGIN.shop.co.uk./",
            "http://127.0.0.1:8080/",
            "http://127.1:8080/",
            "https://me.github.io/login",
            "https://10.0.0.1/",
            "https://intranet/",
            "https://app.localhost:3000/",
            "javascript:void(0)",
        ] {
            assert_eq!(secrets.may_send(&name(), right), Ok(()), "{right}");
        }
        for wrong in [
            "http://login.shop.co.uk/",
            "http://shop.co.uk/",
            "https://other.co.uk/",
            "https://co.uk/",
            "https://shop.co.uk.evil.test/",
            "https://xshop.co.uk/",
            "https://login.shop.co.uk@evil.test/",
            "https://evil.test\\.shop.co.uk/",
            "http://127.0.0.1:8081/",
            "https://127.0.0.1:8080/",
            "http://localhost:8080/",
            "http://[::1]:8080/",
            "https://you.github.io/",
            "https://github.io/",
            "https://10.0.0.1:8443/",
            "https://intranet:8443/",
            "https://app.localhost:3001/",
            "https://b.app.localhost:3000/",
            "mailto:a@evil.test",
            "data:text/html,x",
            "ftp://login.shop.co.uk/",
            "wss://login.shop.co.uk/",
            "about:blank",
            "http://",
            "",
        ] {
            let refused = secrets.may_send(&name(), wrong).unwrap_err();
            assert_eq!(
                typed.misdirected(&[name()], wrong),
                Some(refused),
                "{wrong}"
            );
        }
        assert_eq!(typed.misdirected(&[], "https://evil.test/"), None);
    }

    #[test]
    fn a_refusal_names_the_secret_the_origin_and_the_flag() {
        let (_, secrets) = typed("hunter2", &["https://shop.example"]);
        let told = |address: &str| secrets.may_send(&name(), address).unwrap_err().to_string();
        assert_eq!(
            told("https://B\u{fc}cher.example/x?hunter2"),
            "<secret:PASSWORD> would go to https://xn--bcher-kva.example, which it is not bound to; \
             --secret PASSWORD=ENVVAR@ORIGIN with that origin would allow it"
        );
        assert_eq!(
            told("http://evil.test:81/"),
            "<secret:PASSWORD> would go to http://evil.test:81, which it is not bound to; no secret can be bound to plain \
             http on another machine"
        );
        assert_eq!(
            told("mailto:a@evil.test"),
            "<secret:PASSWORD> would go to an address that is no web origin"
        );
    }

    #[test]
    fn a_request_elsewhere_is_held_if_it_carries_the_secret_in_a_form_that_browsers_make() {
        for value in [
            "hunter2!",
            "a \"b\" & c=d%25",
            "line one\nline two",
            "Gr\u{f6}\u{df}e-\u{5bc6}\u{7801}",
            "1234",
            "9&-1",
        ] {
            let (typed, _) = typed(value, &["http://127.0.0.1:8080"]);
            let lines = value.replace('\n', "\r\n");
            let form: String = url::form_urlencoded::byte_serialize(lines.as_bytes()).collect();
            let quoted = serde_json::json!({ "user": "me", "pin": value }).to_string();
            let multipart = format!(
                "--x\r\nContent-Disposition: form-data; name=\"p\"\r\n\r\n{lines}\r\n--x--\r\n"
            );
            let url = Url::parse_with_params("http://evil.test/", [("p", value)]).unwrap();
            let mut path = Url::parse("http://evil.test/").unwrap();
            path.path_segments_mut().unwrap().push(value).push("x");
            let held = |to: &str, headers: Vec<&str>, body: &[u8]| {
                let request = Outgoing {
                    address: to,
                    headers,
                    body: Some(body),
                };
                typed.held(&request).is_some()
            };
            let plain = |body: &str| held("https://evil.test/", vec![], body.as_bytes());
            assert!(held(url.as_str(), vec![], b""), "in {url}");
            assert!(held(path.as_str(), vec![], b""), "in {path}");
            assert!(held(&format!("http://evil.test/#{form}"), vec![], b""));
            assert!(held("http://evil.test/", vec!["x", value], b""), "a header");
            for body in [
                value,
                &format!("user=me&p={form}&q=1"),
                &format!("user=me\r\np={lines}\r\n"),
                &quoted,
                &multipart,
            ] {
                assert!(plain(body), "{body:?}");
                assert!(
                    !held("http://127.0.0.1:8080/", vec![], body.as_bytes()),
                    "where it is bound"
                );
            }
            assert!(
                !plain("user=me&p=&q=12345"),
                "nothing of {value:?} is there"
            );
            assert!(!held("data:,hunter2!", vec![], b""), "nothing leaves");
        }
    }

    #[test]
    fn the_address_of_a_web_socket_is_checked_like_that_of_a_request() {
        let bound = ["https://shop.example", "http://127.0.0.1:8080"];
        let (mut typed, _) = typed("hunter2", &bound);
        let held = |typed: &TypedSecrets, address: &str| {
            let request = Outgoing {
                address,
                headers: Vec::new(),
                body: Some(&[]),
            };
            typed.held(&request).is_some()
        };
        for wrong in [
            "wss://evil.test/?p=hunter2",
            "WSS://evil.test/hunter2",
            "HTTPS://evil.test/?p=HUNTER2",
            " hTTp://evil.test/?p=hunter2",
            "ws://shop.example/?p=hunter2",
            "wss://hunter2.evil.test/",
            "ws://127.0.0.1/?p=aHVudGVyMg",
            "https://[evil/?p=hunter2",
        ] {
            assert!(held(&typed, wrong), "{wrong}");
        }
        for right in [
            "wss://evil.test/?p=other",
            "wss://shop.example/?p=hunter2",
            "WSS://live.shop.example:8443/?p=hunter2",
            "ws://127.0.0.1:8080/?p=hunter2",
            "blob:https://evil.test/hunter2",
        ] {
            assert!(!held(&typed, right), "{right}");
        }
        assert_eq!(
            typed.bound_by_all(),
            bound
                .map(|o| Origin::parse(o).unwrap())
                .iter()
                .collect::<Vec<_>>()
        );
        let other = SecretName::parse("OTHER").unwrap();
        let origins = vec![Origin::parse("https://shop.example").unwrap()];
        let vault = Vault::new().with(other.clone(), Secret::new("swordfish"), origins);
        typed.add(&other, &SecretResolver::new(Arc::new(vault.unwrap())));
        assert_eq!(
            typed.bound_by_all(),
            [&Origin::parse("https://shop.example").unwrap()]
        );
    }

    #[test]
    fn what_cannot_be_read_is_held_only_where_a_secret_may_not_go() {
        let (typed, _) = typed("hunter2", &["https://shop.example"]);
        let held = |address: &str| {
            let request = Outgoing {
                address,
                headers: Vec::new(),
                body: None,
            };
            let held = typed.held(&request)?;
            assert!(!held.is_certain());
            Some(held.to_string())
        };
        assert_eq!(held("https://files.shop.example/"), None);
        let told = held("https://evil.test/").unwrap();
        assert!(told.contains("cannot be read"), "{told}");
    }
}
