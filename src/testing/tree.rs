//! Parses page trees from a short notation: indented text.

use crate::page::{ElementRef, Node, Role, Tree, Tri};

/// Parses a page tree from indented text, with two spaces for each level.
///
/// A line begins with a role. These parts may follow in any order, but a value or address must be the last part:
///
/// - a name in quotes,
/// - a reference,
/// - states in brackets: `[checked]`, `[unchecked]`, `[disabled]`, `[pointer]`, `[level=2]`, `[expanded]`, `[collapsed]`,
///   `[selected]`, `[focused]`, `[readonly]`, `[required]`, `[listens]`,
/// - the property `[testid=x]`, `[type=x]`, `[icon=x]`, `[look=x]` or `[multiple=x]`,
/// - `= value` or `-> url`, which takes the rest of the line.
///
/// A line that begins with a quotation mark is a text node.
///
/// # Panics
/// If a part of a line has another form, which is a mistake in the test. A role that is not known, an odd indentation
/// and the rest of a line after a text node are not noticed.
///
/// ```
/// use webwise::testing::tree;
///
/// let page = tree("form \"Sign in\"\n  textbox \"User\" e2 [focused] = demo\n  \"Forgot it?\"");
/// assert_eq!(page.len(), 3);
/// ```
pub fn tree(text: &str) -> Tree {
    let mut builder = Tree::builder();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let depth = (line.len() - line.trim_start().len()) / 2;
        while builder.depth() > depth {
            builder.close();
        }
        builder.open(node(line.trim()));
    }
    builder.finish()
}

fn node(line: &str) -> Node {
    if line.starts_with('"') {
        return Node::text(quoted(line).0);
    }
    let (role, mut rest) = line.split_once(' ').unwrap_or((line, ""));
    let mut node = Node::new(Role::parse(role), "");
    loop {
        rest = rest.trim_start();
        if rest.is_empty() {
            return node;
        } else if rest.starts_with('"') {
            let (name, after) = quoted(rest);
            node.name = name.into();
            rest = after;
        } else if let Some(value) = rest.strip_prefix("= ") {
            node.value = Some(value.into());
            return node;
        } else if let Some(url) = rest.strip_prefix("-> ") {
            node.url = Some(url.into());
            return node;
        } else {
            let (word, after) = rest.split_once(' ').unwrap_or((rest, ""));
            match word
                .strip_prefix('[')
                .and_then(|word| word.strip_suffix(']'))
            {
                Some(state) => set_state(&mut node, state),
                None => node.reference = Some(ElementRef::parse(word).expect("a ref such as e12")),
            }
            rest = after;
        }
    }
}

fn quoted(text: &str) -> (String, &str) {
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<String>();
    let value = stream
        .next()
        .expect("a quoted text")
        .expect("a closed quote");
    (value, &text[stream.byte_offset()..])
}

fn set_state(node: &mut Node, state: &str) {
    if let Some((name @ ("testid" | "type" | "icon" | "look" | "multiple"), value)) =
        state.split_once('=')
    {
        node.properties.push((name.into(), value.into()));
        return;
    }
    let states = &mut node.states;
    match state {
        "checked" => states.checked = Some(Tri::True),
        "unchecked" => states.checked = Some(Tri::False),
        "expanded" => states.expanded = Some(true),
        "collapsed" => states.expanded = Some(false),
        "selected" => states.selected = Some(true),
        "disabled" => states.disabled = true,
        "focused" => states.active = true,
        "pointer" => states.pointer = true,
        "readonly" => states.readonly = true,
        "required" => states.required = true,
        "listens" => states.listens = true,
        other => {
            let level = other
                .strip_prefix("level=")
                .and_then(|level| level.parse().ok());
            states.level = Some(level.unwrap_or_else(|| panic!("a known state, not {other}")));
        }
    }
}
