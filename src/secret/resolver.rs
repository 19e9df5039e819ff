//! Gives the driver access to secrets: one secret at a time, for the page and the frame into which the driver is about
//! to type the secret.

use std::sync::Arc;

use super::{Misdirected, Redactor, Secret, SecretName, Vault};
use crate::base::{Origin, Result};

/// Releases the secrets of one run to a browser driver.
#[derive(Debug, Clone, Default)]
pub struct SecretResolver(Arc<Vault>);

impl SecretResolver {
    /// Makes a resolver over the run's vault.
    pub fn new(vault: Arc<Vault>) -> Self {
        Self(vault)
    }

    /// Returns one redactor for all secrets that this resolver could release.
    pub fn redactor(&self) -> Redactor {
        self.0.redactor()
    }

    /// Returns the value of a secret if the secret is bound to both origins. `top` is the origin of the top page, and
    /// `frame` is the origin of the frame that contains the field.
    ///
    /// Read both origins from the browser right before the call. An origin remembered from the last observation is not
    /// enough.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`](crate::ErrorKind::InvalidInput) for an unknown name, and
    /// [`ErrorKind::Refused`](crate::ErrorKind::Refused) if the secret is not bound to both origins.
    pub fn resolve(&self, name: &SecretName, top: &Origin, frame: &Origin) -> Result<Secret> {
        self.0.release(name, top, frame)
    }

    /// Returns `Ok` if a form may send the secret to this address. It may do so in these cases:
    ///
    /// - The secret is bound to the origin of the address.
    /// - The address is https, and its registrable domain is that of an https origin to which the secret is bound.
    /// - The address is a `javascript:` URL, which sends nothing by itself.
    ///
    /// Check every address that the form may go to, before typing the value and again before sending the form.
    ///
    /// # Errors
    /// A [`Misdirected`]. It names the origin to which the secret would go, if the address has a web origin.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use webwise::{Origin, secret::{Secret, SecretName, SecretResolver, Vault}};
    ///
    /// let name = SecretName::parse("PASSWORD")?;
    /// let origins = vec![Origin::parse("https://login.shop.example")?];
    /// let secrets = SecretResolver::new(Arc::new(Vault::new().with(name.clone(), Secret::new("hunter2"), origins)?));
    /// assert!(secrets.may_send(&name, "https://shop.example/session").is_ok());
    /// assert!(secrets.may_send(&name, "https://shop.example.evil.test/").is_err());
    /// # Ok::<(), webwise::Error>(())
    /// ```
    pub fn may_send(
        &self,
        name: &SecretName,
        address: &str,
    ) -> std::result::Result<(), Misdirected> {
        self.0.may_send(name, address)
    }

    pub(super) const fn vault(&self) -> &Arc<Vault> {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::ErrorKind;

    fn origin(text: &str) -> Origin {
        Origin::parse(text).unwrap()
    }

    #[test]
    fn a_value_is_released_only_when_page_and_frame_are_both_bound() {
        let name = SecretName::parse("PASSWORD").unwrap();
        let shop = origin("https://shop.example");
        let vault = Vault::new()
            .with(name.clone(), Secret::new("hunter2"), vec![shop.clone()])
            .unwrap();
        let resolver = SecretResolver::new(Arc::new(vault));

        assert_eq!(
            resolver.resolve(&name, &shop, &shop).unwrap().expose(),
            "hunter2"
        );
        for other in [
            "http://shop.example",
            "https://shop.example:8443",
            "https://a.shop.example",
            "https://shop.example.evil.test",
        ] {
            let other = origin(other);
            for (top, frame) in [(&shop, &other), (&other, &shop), (&other, &other)] {
                assert_eq!(
                    resolver.resolve(&name, top, frame).unwrap_err().kind(),
                    ErrorKind::Refused,
                    "{top} {frame}"
                );
            }
        }
        let unknown = SecretName::parse("OTHER").unwrap();
        assert_eq!(
            resolver.resolve(&unknown, &shop, &shop).unwrap_err().kind(),
            ErrorKind::InvalidInput
        );
    }

    #[test]
    fn a_secret_cannot_be_bound_to_a_readable_channel() {
        let bind = |origin_text: &str| {
            Vault::new().with(
                SecretName::parse("P").unwrap(),
                Secret::new("x"),
                vec![origin(origin_text)],
            )
        };
        assert!(bind("http://shop.example").is_err());
        assert!(bind("http://127.0.0.1:8080").is_ok());
        assert!(bind("http://a.localhost").is_ok());
    }
}
