//! The comparison of addresses.
//!
//! There are three questions, from the narrowest to the widest:
//!
//! - The same page: what a reader would call one page. See [`PageAddress::is_same_page`].
//! - The same document: the browser loads the same bytes. See [`PageAddress::is_same_document`].
//! - The same place of a site: pages of one kind, such as all articles of a shop. Two addresses are of one place if their
//!   [`PageTemplate`](super::PageTemplate)s are equal.
//!
//! Boundaries of permissions and secrets are not compared here, but as [`Host`], [`Origin`](crate::base::Origin) or
//! [`Site`](crate::base::Site).

use std::borrow::Cow;

use url::Url;

use crate::base::Host;

/// The address of a page. A text that is no URL is equal only to the same text.
#[derive(Debug, Clone)]
pub(crate) struct PageAddress(Result<Url, String>);

impl PageAddress {
    pub(crate) fn new(text: &str) -> Self {
        Self(Url::parse(text).map_err(|_| text.to_owned()))
    }

    /// Returns true if the two addresses name one page: they differ at most in their user names, in the order of their
    /// parameters, and in a fragment that only names a position, such as `#comments`. A fragment that selects a page of
    /// an application, such as `#/cart` or `#!cart`, must be equal.
    pub(crate) fn is_same_page(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Ok(one), Ok(other)) => {
                one.scheme() == other.scheme()
                    && one.host() == other.host()
                    && one.port() == other.port()
                    && one.path() == other.path()
                    && parameters(one) == parameters(other)
                    && route(one) == route(other)
            }
            (one, other) => one == other,
        }
    }

    /// Returns true if the two addresses differ at most in their fragments.
    pub(crate) fn is_same_document(&self, other: &Self) -> bool {
        let document = |address: &Self| address.0.clone().map(Self::document);
        document(self) == document(other)
    }

    /// Returns the address without its fragment.
    pub(crate) fn document(mut url: Url) -> Url {
        url.set_fragment(None);
        url
    }

    /// Returns the fragment, if it only names a position in the page. `#` alone names none.
    pub(crate) fn position(&self) -> Option<&str> {
        let fragment = self.0.as_ref().ok()?.fragment()?;
        (!fragment.is_empty() && !is_route(fragment)).then_some(fragment)
    }

    /// Returns the path; empty if the text is no URL.
    pub(crate) fn path(&self) -> &str {
        self.0.as_ref().map_or("", Url::path)
    }

    /// Returns the address as it may be stored: without user name and password, and without the query parameters, given
    /// as name and value, for which `is_left_out` returns true. `None` if it is not an http or https address.
    pub(crate) fn storable(&self, is_left_out: impl Fn(&str, &str) -> bool) -> Option<Url> {
        let mut url = self.0.clone().ok().filter(|url| Host::of(url).is_ok())?;
        // Both fail only for addresses without a host.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        let pairs = || self.0.iter().flat_map(Url::query_pairs);
        let is_kept = |(name, value): &(Cow<'_, str>, Cow<'_, str>)| !is_left_out(name, value);
        // The query is written anew only if something is left out, because that may write it in another form.
        if !pairs().all(|pair| is_kept(&pair)) {
            url.set_query(None);
            for (name, value) in pairs().filter(is_kept) {
                url.query_pairs_mut().append_pair(&name, &value);
            }
        }
        Some(url)
    }
}

impl From<Url> for PageAddress {
    fn from(url: Url) -> Self {
        Self(Ok(url))
    }
}

fn parameters(url: &Url) -> Vec<&str> {
    let mut parameters: Vec<&str> = url.query().unwrap_or_default().split('&').collect();
    parameters.sort_unstable();
    parameters
}

fn route(url: &Url) -> Option<&str> {
    url.fragment().filter(|fragment| is_route(fragment))
}

fn is_route(fragment: &str) -> bool {
    fragment.starts_with(['/', '!'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_the_same_only_with_its_record_and_route() {
        let page = PageAddress::new("https://a.example/edit?id=5&lang=en#top");
        for same in [
            "https://a.example/edit?id=5&lang=en",
            "https://a.example:443/edit?lang=en&id=5#end",
            "https://bob@a.example/edit?id=5&lang=en",
        ] {
            assert!(page.is_same_page(&PageAddress::new(same)), "{same}");
        }
        for other in [
            "https://a.example/edit?id=6&lang=en",
            "https://a.example/edit?id=5",
            "https://a.example/edit",
            "http://a.example/edit?id=5&lang=en",
            "https://a.example:8443/edit?id=5&lang=en",
            "https://b.example/edit?id=5&lang=en",
            "https://a.example/login?id=5&lang=en",
            "https://a.example/edit?id=5&lang=en#/login",
            "https://a.example/edit?id=5&lang=en#!login",
            "edit?id=5&lang=en",
        ] {
            assert!(!page.is_same_page(&PageAddress::new(other)), "{other}");
        }
        let is_same =
            |one: &str, other: &str| PageAddress::new(one).is_same_page(&PageAddress::new(other));
        assert!(!is_same(
            "https://a.example/#/new",
            "https://a.example/#/login"
        ));
        for text in ["", "about:blank", "data:text/html,x", "no address"] {
            assert!(
                is_same(text, text) && !is_same(text, "about:srcdoc"),
                "{text}"
            );
        }
    }

    #[test]
    fn a_document_is_the_same_whatever_its_fragment() {
        let page = PageAddress::new("https://a.example/list?b=1#/cart");
        assert!(page.is_same_document(&PageAddress::new("https://a.example/list?b=1#top")));
        assert!(!page.is_same_document(&PageAddress::new("https://a.example/list?b=2#/cart")));
        assert_eq!(page.position(), None);
        assert_eq!(
            PageAddress::new("https://a.example/#top").position(),
            Some("top")
        );
        assert_eq!(PageAddress::new("https://a.example/#").position(), None);
    }

    #[test]
    fn a_stored_address_has_no_user_name_and_otherwise_stays_as_it_is() {
        let stored = |text: &str| {
            let url =
                PageAddress::new(text).storable(|name, value| name == "key" || value.len() > 9);
            url.map(String::from)
        };
        for (text, kept) in [
            (
                "https://bob:pw@a.example/x?flag&q=a+b%20c#p",
                Some("https://a.example/x?flag&q=a+b%20c#p"),
            ),
            ("https://a.example/x?key=1", Some("https://a.example/x")),
            (
                "https://a.example/x?a=1&long=0123456789",
                Some("https://a.example/x?a=1"),
            ),
            ("ftp://a.example/x", None),
            ("about:blank", None),
            ("no address", None),
        ] {
            assert_eq!(stored(text).as_deref(), kept, "{text}");
        }
    }
}
