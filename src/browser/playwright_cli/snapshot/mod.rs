//! The text that playwright-cli prints for a page, as a lossless syntax tree.
//!
//! The tool prints one line for each node, in a small subset of YAML:
//!
//! ```text
//! - navigation "Main" [ref=e2]:
//!   - link "Home" [ref=e3] [cursor=pointer]:
//!     - /url: /home
//!   - 'button "Save: now" [disabled] [ref=e4]'
//!   - text: "quoted # because of the sign"
//! ```
//!
//! Every line becomes one [`Node`] of a flat list in reading order. A node borrows its parts from the text, undecoded,
//! so printing the parts gives the input back byte for byte. A line outside the grammar is kept whole as
//! [`Line::Malformed`] and counted, so page text cannot make the parser drop or move anything. The grammar excludes the
//! block scalars and flow collections of YAML, because the tool never prints them.
//!
//! Nothing here recurses, so a deeply nested page cannot exhaust the stack. The module `lower` converts the nodes into
//! the page tree that the rest of the crate uses.

mod lower;
mod parse;
mod scalar;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

pub(crate) use lower::{filled_fields, lower};

/// A parsed snapshot: the nodes in reading order (parents before children).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Snapshot<'a> {
    nodes: Vec<Node<'a>>,
    ends_with_newline: bool,
}

/// One line of the snapshot, with its place in the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Node<'a> {
    /// The white space at the start of the line.
    indent: &'a str,
    /// Index of the next node that is not below this one.
    end: usize,
    /// The content of the line.
    pub(crate) line: Line<'a>,
}

/// The content of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// `- role "name" [attribute]: value`
    Element(Element<'a>),
    /// `- text: value`
    Text(Scalar<'a>),
    /// `- /url: value`
    Property {
        /// The word between the slash and the colon.
        name: &'a str,
        /// The value after the colon.
        value: Scalar<'a>,
    },
    /// Any other line, without its indentation.
    Malformed(&'a str),
}

/// An element of the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Element<'a> {
    /// True if everything before the value stands in single quotes.
    quoted: bool,
    /// The role as printed: an ARIA role, `generic` or `iframe`.
    pub(crate) role: &'a str,
    /// The accessible name as printed: a JSON string with its quotes.
    name: Option<&'a str>,
    /// The attributes as printed, each with the space before it.
    attributes: &'a str,
    tail: Tail<'a>,
}

/// The part after an element's attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tail<'a> {
    /// Nothing: the element is a leaf.
    None,
    /// `:`: the children follow.
    Open,
    /// `: value`: the only child is text.
    Value(Scalar<'a>),
}

/// A value as printed: plain, or in quotes with escapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Scalar<'a>(&'a str);

impl<'a> Snapshot<'a> {
    /// Parses a snapshot. No text is refused.
    pub(crate) fn parse(text: &'a str) -> Self {
        parse::snapshot(text)
    }

    /// Returns all nodes in reading order.
    pub(crate) fn nodes(&self) -> &[Node<'a>] {
        &self.nodes
    }
}

impl std::fmt::Display for Snapshot<'_> {
    /// Prints the parts of every line, which gives the input back byte for byte.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut separator = "";
        for node in &self.nodes {
            f.write_str(separator)?;
            separator = "\n";
            f.write_str(node.indent)?;
            match &node.line {
                Line::Element(element) => element.print(f)?,
                Line::Text(value) => write!(f, "- text: {}", value.0)?,
                Line::Property { name, value } => write!(f, "- /{name}: {}", value.0)?,
                Line::Malformed(text) => f.write_str(text)?,
            }
        }
        f.write_str(if self.ends_with_newline { "\n" } else { "" })
    }
}

impl Node<'_> {
    /// Returns the index of the next node that is not below this one.
    pub(crate) fn end(&self) -> usize {
        self.end
    }
}

impl<'a> Element<'a> {
    fn print(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let quote = if self.quoted { "'" } else { "" };
        write!(f, "- {quote}{}", self.role)?;
        if let Some(name) = self.name {
            write!(f, " {name}")?;
        }
        write!(f, "{}{quote}", self.attributes)?;
        match self.tail {
            Tail::None => Ok(()),
            Tail::Open => f.write_str(":"),
            Tail::Value(value) => write!(f, ": {}", value.0),
        }
    }

    /// Returns the decoded accessible name. It is empty if the tool printed none, as for names of more than 900 characters.
    pub(crate) fn name(&self) -> Cow<'a, str> {
        self.name.map_or(Cow::Borrowed(""), |raw| {
            scalar::json_string(raw, self.quoted)
        })
    }

    /// Returns the text after the colon, if the only child is text.
    pub(crate) fn value(&self) -> Option<Scalar<'a>> {
        match self.tail {
            Tail::Value(value) => Some(value),
            Tail::None | Tail::Open => None,
        }
    }

    /// Returns the attribute names with their values, in the order in which they were printed. A flag such as `[checked]` has no value.
    pub(crate) fn attributes(&self) -> impl Iterator<Item = (&'a str, Option<&'a str>)> + use<'a> {
        self.attributes
            .split_terminator(']')
            .filter_map(|part| part.strip_prefix(" ["))
            .map(|body| match body.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (body, None),
            })
    }
}

impl<'a> Scalar<'a> {
    /// Returns the value without quotes and escapes.
    pub(crate) fn decode(self) -> Cow<'a, str> {
        scalar::yaml(self.0)
    }
}
