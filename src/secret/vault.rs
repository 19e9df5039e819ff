//! The secrets of one run, each with the origins whose pages it may be typed into.

use std::collections::BTreeMap;

use super::{Redactor, Secret, SecretName};
use crate::base::{Error, ErrorKind, Origin, Result};

/// The secrets of a run. Each is bound to the origins whose pages it may be typed into.
#[derive(Debug, Clone, Default)]
pub struct Vault {
    entries: BTreeMap<SecretName, Entry>,
}

#[derive(Debug, Clone)]
struct Entry {
    value: Secret,
    origins: Vec<Origin>,
}

impl Vault {
    /// Makes an empty vault.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a secret that may be typed into pages of these origins and nowhere else. A form may send the secret to
    /// these origins, and by https to their registrable domains. Replaces an earlier secret with the same name,
    /// together with its origins.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] if the value is empty, if no origin is given, or if an origin is plain http and not
    /// on this machine, because anyone on the network could then read the value.
    pub fn with(mut self, name: SecretName, value: Secret, origins: Vec<Origin>) -> Result<Self> {
        let refuse = |why: &'static str| {
            Err(Error::new(ErrorKind::InvalidInput, "vault.with")
                .with("secret", &name)
                .with("why", why))
        };
        if value.expose().is_empty() {
            return refuse("the value is empty");
        }
        if origins.is_empty() {
            return refuse("no origin is named that may receive it");
        }
        if !origins.iter().all(Origin::is_private_channel) {
            return refuse("an origin must be https or this machine");
        }
        self.entries.insert(name, Entry { value, origins });
        Ok(self)
    }

    /// Returns true if the vault contains no secret.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the names of the secrets, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &SecretName> {
        self.entries.keys()
    }

    /// Returns true if there is a secret with this name.
    pub fn contains(&self, name: &SecretName) -> bool {
        self.entries.contains_key(name)
    }

    /// Returns a redactor for all secrets.
    pub fn redactor(&self) -> Redactor {
        Redactor::new(
            self.entries
                .iter()
                .map(|(name, entry)| (name, &entry.value)),
        )
    }

    pub(super) fn redactor_of(&self, name: &SecretName) -> Redactor {
        Redactor::new(
            self.entries
                .get_key_value(name)
                .map(|(name, entry)| (name, &entry.value)),
        )
    }

    /// Returns the origins to which a secret is bound; an empty slice if there is no secret with this name.
    pub(super) fn origins(&self, name: &SecretName) -> &[Origin] {
        self.entries
            .get(name)
            .map_or(&[], |entry| &entry.origins[..])
    }

    /// Returns the value of a secret. The secret must be bound to both the origin of the page, `top`, and the origin of
    /// the frame, `frame`.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] for an unknown name, and [`ErrorKind::Refused`] if the secret is not bound to both
    /// origins.
    pub(super) fn release(
        &self,
        name: &SecretName,
        top: &Origin,
        frame: &Origin,
    ) -> Result<Secret> {
        let entry = self.entries.get(name).ok_or_else(|| {
            Error::new(ErrorKind::InvalidInput, "secret.resolve").with("unknown_secret", name)
        })?;
        match [top, frame]
            .into_iter()
            .find(|origin| !entry.origins.contains(origin))
        {
            None => Ok(entry.value.clone()),
            Some(origin) => Err(Error::new(ErrorKind::Refused, "secret.resolve")
                .with("secret", name)
                .with("not_bound_to", origin)),
        }
    }
}
