//! Reads a tree from indented text, two spaces a level: `role "name" @ref word key=value ...: text`.
//!
//! Words are states (`pointer`, `listens`, `checked`, `unchecked`, `disabled`, `active`, `expanded`, `collapsed`, `selected`,
//! `invalid`, `readonly`); keys are `level`, `url` and properties; in `look` and `rows`, `_` is a space. `text: words` is a run of text.

use webwise::page::{
    ElementRef, Node, PageHead, PageView, Role, Tree, Tri, ViewOptions, interpret,
};

pub(crate) fn tree(text: &str) -> Tree {
    let mut builder = Tree::builder();
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let margin = lines.iter().map(|line| indent(line)).min().unwrap_or(0);
    for line in lines {
        let depth = (indent(line) - margin) / 2;
        while builder.depth() > depth {
            builder.close();
        }
        builder.open(node(line.trim()));
    }
    builder.finish()
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn node(line: &str) -> Node {
    let end = line.find([' ', ':']).unwrap_or(line.len());
    let (role, mut rest) = line.split_at(end);
    let mut name = "";
    if let Some(quoted) = rest.trim_start().strip_prefix('"') {
        (name, rest) = quoted.split_once('"').expect("a closing quote");
    }
    let mut node = Node::new(Role::parse(role), name);
    loop {
        rest = rest.trim_start();
        if let Some(value) = rest.strip_prefix(':') {
            node.value = Some(value.trim().into());
            return node;
        }
        if rest.is_empty() {
            return node;
        }
        let end = rest.find([' ']).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        // `word: value` ends with a colon that belongs to the value.
        let (word, after) = match word.strip_suffix(':') {
            Some(word) => (word, &rest[end - 1..]),
            None => (word, after),
        };
        set(&mut node, word);
        rest = after;
    }
}

fn set(node: &mut Node, word: &str) {
    let states = &mut node.states;
    match word {
        "pointer" => states.pointer = true,
        "listens" => states.listens = true,
        "checked" => states.checked = Some(Tri::True),
        "unchecked" => states.checked = Some(Tri::False),
        "disabled" => states.disabled = true,
        "active" => states.active = true,
        "expanded" => states.expanded = Some(true),
        "collapsed" => states.expanded = Some(false),
        "selected" => states.selected = Some(true),
        "invalid" => states.invalid = true,
        "readonly" => states.readonly = true,
        _ => {
            if let Some(reference) = word.strip_prefix('@') {
                node.reference = Some(ElementRef::parse(reference).expect("a reference"));
                return;
            }
            let (key, value) = word
                .split_once('=')
                .unwrap_or_else(|| panic!("unknown word {word:?}"));
            match key {
                "level" => states.level = value.parse().ok(),
                "url" => node.url = Some(value.into()),
                "look" | "rows" => node
                    .properties
                    .push((key.into(), value.replace('_', " ").into())),
                _ => node.properties.push((key.into(), value.into())),
            }
        }
    }
}

pub(crate) fn head(url: &str, title: &str) -> PageHead {
    PageHead::new(url, title)
}

/// The view of a page at some address.
pub(crate) fn view(text: &str) -> PageView {
    view_at("https://site.example/", "", text)
}

pub(crate) fn view_at(url: &str, title: &str, text: &str) -> PageView {
    interpret(&head(url, title), &tree(text), &ViewOptions::default())
}

pub(crate) fn words(text: &str) -> Vec<String> {
    webwise::base::text::words(text)
}
