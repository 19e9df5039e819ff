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

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Snapshot<'a> {
    nodes: Vec<Node<'a>>,
    ends_with_newline: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Node<'a> {
    indent: &'a str,
    /// Index of the next line that is not inside this node.
    end: usize,
    pub(crate) line: Line<'a>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// An element of the page: `- role "name" [attribute]: value`
    Element(Element<'a>),
    /// A text of the page: `- text: value`
    Text(Scalar<'a>),
    /// A property of the parent element: `- /url: value`
    Property { name: &'a str, value: Scalar<'a> },
    /// Any other line, without its indent.
    Malformed(&'a str),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Element<'a> {
    /// True if everything before the value is in single quotes.
    quoted: bool,
    /// The role as printed: an ARIA role, `generic` or `iframe`.
    pub(crate) role: &'a str,
    /// The accessible name as printed: a JSON string with its quotes.
    name: Option<&'a str>,
    /// The attributes as printed.
    attributes: &'a str,
    tail: Tail<'a>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tail<'a> {
    /// Nothing: the element has no children.
    None,
    /// A colon: the children are on the next lines.
    Open,
    /// A colon and a value: the element's only child is this text.
    Value(Scalar<'a>),
}

/// A value as printed: plain, or in quotes with escapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Scalar<'a>(&'a str);

impl<'a> Snapshot<'a> {
    pub(crate) fn parse(text: &'a str) -> Self {
        parse::snapshot(text)
    }

    pub(crate) fn nodes(&self) -> &[Node<'a>] {
        &self.nodes
    }
}

impl std::fmt::Display for Snapshot<'_> {
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

    /// Returns the accessible name without quotes and escapes. It is empty if the tool printed none, as for names of
    /// more than 900 characters.
    pub(crate) fn name(&self) -> Cow<'a, str> {
        self.name.map_or(Cow::Borrowed(""), |raw| {
            scalar::json_string(raw, self.quoted)
        })
    }

    pub(crate) fn value(&self) -> Option<Scalar<'a>> {
        match self.tail {
            Tail::Value(value) => Some(value),
            Tail::None | Tail::Open => None,
        }
    }

    /// Returns the names and values of the attributes. A flag such as `[checked]` has no value.
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
    pub(crate) fn decode(self) -> Cow<'a, str> {
        scalar::yaml(self.0)
    }
}
