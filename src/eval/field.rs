//! A value of a case file with its place in the file, so that an error can name the place of a mistake.

use std::fmt;

use serde_json::{Map, Value};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wrong {
    place: String,
    why: String,
}

impl Wrong {
    pub(crate) fn new(place: impl Into<String>, why: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            why: why.into(),
        }
    }
}

impl fmt::Display for Wrong {
    /// Formats the place and the mistake, such as `cases[0].url: is missing`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.place.is_empty() {
            return f.write_str(&self.why);
        }
        write!(f, "{}: {}", self.place, self.why)
    }
}

/// A value of a case file and its place in the file, such as `cases[0].url`.
#[derive(Debug, Clone)]
pub(super) struct Field<'v> {
    value: &'v Value,
    place: String,
}

impl<'v> Field<'v> {
    pub(super) const fn root(value: &'v Value) -> Self {
        Self {
            value,
            place: String::new(),
        }
    }

    pub(super) fn place(&self) -> &str {
        &self.place
    }

    pub(super) fn wrong(&self, why: impl Into<String>) -> Wrong {
        Wrong::new(&self.place, why)
    }

    fn at(&self, name: &str) -> String {
        if self.place.is_empty() {
            name.to_owned()
        } else {
            format!("{}.{name}", self.place)
        }
    }

    fn object(&self) -> Result<&'v Map<String, Value>, Wrong> {
        self.value
            .as_object()
            .ok_or_else(|| self.wrong("must be an object"))
    }

    /// Checks that the value is an object whose fields are all in `known`.
    pub(super) fn only(&self, known: &[&str]) -> Result<(), Wrong> {
        let unknown = self
            .object()?
            .keys()
            .find(|name| !known.contains(&name.as_str()));
        unknown.map_or(Ok(()), |name| {
            let known = known.join(", ");
            Err(Wrong::new(
                self.at(name),
                format!("is no field here; there are {known}"),
            ))
        })
    }

    /// Returns a field of the object; `None` if the object does not have the field or its value is `null`.
    pub(super) fn get(&self, name: &str) -> Result<Option<Self>, Wrong> {
        let value = self.object()?.get(name).filter(|value| !value.is_null());
        Ok(value.map(|value| Self {
            value,
            place: self.at(name),
        }))
    }

    /// Returns a field of the object. It is an error if the object does not have the field, or if its value is `null`.
    pub(super) fn need(&self, name: &str) -> Result<Self, Wrong> {
        self.get(name)?
            .ok_or_else(|| Wrong::new(self.at(name), "is missing"))
    }

    /// Returns the value as text. It is an error if the value is not a text, or is empty or only white space.
    pub(super) fn text(&self) -> Result<&'v str, Wrong> {
        self.value
            .as_str()
            .filter(|text| !text.trim().is_empty())
            .ok_or_else(|| self.wrong("must be a text that is not empty"))
    }

    /// Returns the value as a whole number of at least 0. Any other value is an error.
    pub(super) fn number(&self) -> Result<u64, Wrong> {
        self.value
            .as_u64()
            .ok_or_else(|| self.wrong("must be a whole number"))
    }

    /// Returns the items of the list, each with its place in the file. It is an error if the value is not a list.
    pub(super) fn items(&self) -> Result<Vec<Self>, Wrong> {
        let items = self
            .value
            .as_array()
            .ok_or_else(|| self.wrong("must be a list"))?;
        let item = |(n, value)| Self {
            value,
            place: format!("{}[{n}]", self.place),
        };
        Ok(items.iter().enumerate().map(item).collect())
    }

    /// Returns the names and values of the fields of the object, in the order of the names.
    pub(super) fn entries(&self) -> Result<Vec<(&'v str, Self)>, Wrong> {
        let entries = self.object()?.iter().map(|(name, value)| {
            let place = self.at(name);
            (name.as_str(), Self { value, place })
        });
        Ok(entries.collect())
    }
}
