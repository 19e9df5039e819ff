use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;

/// A tree as a test builds it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Given {
    Text(String),
    Element {
        role: String,
        name: String,
        attributes: Vec<(String, Option<String>)>,
        properties: Vec<(&'static str, String)>,
        text: Option<String>,
        children: Vec<Given>,
    },
}

/// Prints a tree by the tool's rules (`renderAriaSnapshotAsYaml`, `yamlEscapeKeyIfNeeded`, `yamlEscapeValueIfNeeded` of
/// playwright-core 1.62).
fn print(nodes: &[Given], depth: usize, out: &mut Vec<String>) {
    let indent = "  ".repeat(depth);
    for node in nodes {
        match node {
            Given::Text(text) => out.push(format!("{indent}- text: {}", value(text))),
            Given::Element {
                role,
                name,
                attributes,
                properties,
                text,
                children,
            } => {
                let mut key = role.clone();
                if !name.is_empty() {
                    write!(key, " {}", serde_json::to_string(name).unwrap()).unwrap();
                }
                for (name, value) in attributes {
                    match value {
                        Some(value) => write!(key, " [{name}={value}]").unwrap(),
                        None => write!(key, " [{name}]").unwrap(),
                    }
                }
                if needs_quotes(&key) {
                    key = format!("'{}'", key.replace('\'', "''"));
                }
                match text {
                    None if properties.is_empty() && children.is_empty() => {
                        out.push(format!("{indent}- {key}"));
                    }
                    Some(text) if properties.is_empty() => {
                        out.push(format!("{indent}- {key}: {}", value(text)));
                    }
                    _ => {
                        out.push(format!("{indent}- {key}:"));
                        for (name, text) in properties {
                            out.push(format!("{indent}  - /{name}: {}", value(text)));
                        }
                        match text {
                            Some(text) => out.push(format!("{indent}  - text: {}", value(text))),
                            None => print(children, depth + 1, out),
                        }
                    }
                }
            }
        }
    }
}

fn value(text: &str) -> String {
    if !needs_quotes(text) {
        return text.to_owned();
    }
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '"' => out.push_str("\\\""),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' => {
                write!(out, "\\x{:02x}", u32::from(c)).unwrap();
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn needs_quotes(text: &str) -> bool {
    let space = |c: char| (c.is_whitespace() && c != '\u{85}') || c == '\u{feff}';
    let hex = text
        .strip_prefix("0x")
        .is_some_and(|t| u64::from_str_radix(t, 16).is_ok());
    let words = ["y", "n", "yes", "no", "true", "false", "on", "off", "null"];
    let mut pairs = text
        .chars()
        .zip(text.chars().skip(1).map(Some).chain([None]));
    text.is_empty()
        || text.starts_with(space)
        || text.ends_with(space)
        || text.chars().any(|c| c.is_control() && c != '\t')
        || text.starts_with([
            '-', '&', '*', ']', ',', '?', '!', '>', '|', '@', '"', '\'', '#', '%', '[',
        ])
        || pairs.any(|(c, next)| {
            (c == ':' && next.is_none_or(space)) || (space(c) && next == Some('#'))
        })
        || text.contains(['{', '}', '`'])
        || hex
        || text.parse::<f64>().is_ok()
        || words.contains(&text.to_lowercase().as_str())
}

/// Converts the parsed nodes to [`Given`] values.
fn understood(snapshot: &Snapshot<'_>) -> Vec<Given> {
    let mut roots = Vec::new();
    let mut at = 0;
    while at < snapshot.nodes().len() {
        roots.push(node(snapshot, at));
        at = snapshot.nodes()[at].end();
    }
    roots
}

fn node(snapshot: &Snapshot<'_>, at: usize) -> Given {
    let element = match &snapshot.nodes()[at].line {
        Line::Text(text) => return Given::Text(text.decode().into_owned()),
        Line::Element(element) => element,
        other => panic!("not a node of a page: {other:?}"),
    };
    let (mut properties, mut children) = (Vec::new(), Vec::new());
    let mut child = at + 1;
    while child < snapshot.nodes()[at].end() {
        match &snapshot.nodes()[child].line {
            Line::Property { name, value } => {
                let name = ["url", "placeholder"]
                    .into_iter()
                    .find(|n| n == name)
                    .unwrap();
                properties.push((name, value.decode().into_owned()));
            }
            _ => children.push(node(snapshot, child)),
        }
        child = snapshot.nodes()[child].end();
    }
    let mut text = element.value().map(|v| v.decode().into_owned());
    // If an element has properties, the tool prints its only text as a child, and the test's printer does the same.
    if let (false, [Given::Text(only)]) = (properties.is_empty(), &children[..]) {
        text = Some(only.clone());
        children.clear();
    }
    Given::Element {
        role: element.role.to_owned(),
        name: element.name().into_owned(),
        attributes: element
            .attributes()
            .map(|(n, v)| (n.to_owned(), v.map(str::to_owned)))
            .collect(),
        properties,
        text,
        children,
    }
}

const ROLES: [&str; 6] = ["button", "link", "generic", "iframe", "heading", "textbox"];

fn given() -> impl Strategy<Value = Vec<Given>> {
    // Text that looks like the grammar itself, and any other text.
    let text = prop_oneof![
        "[ -~]{0,12}",
        "\\PC{0,12}",
        any::<String>(),
        prop::sample::select(vec![
            "- x",
            "key: value",
            "#",
            "|",
            "null",
            "true",
            "12",
            "'",
            "''",
            "\"",
            "\\",
            "[ref=e1]",
            "a\nb",
            "text: x",
            "/url: x",
            " [level=2]",
            "x:",
            ": ",
            "\u{202e}abc",
            "\u{85}",
            "{",
            "`",
        ])
        .prop_map(str::to_owned),
    ];
    let attribute = prop_oneof![
        prop::sample::select(vec![
            "checked", "disabled", "expanded", "active", "selected"
        ])
        .prop_map(|n| (n, None)),
        Just(("checked", Some("mixed".to_owned()))),
        Just(("cursor", Some("pointer".to_owned()))),
        (1..9_u8).prop_map(|n| ("level", Some(n.to_string()))),
        (0..99_u8, 0..999_u16).prop_map(|(f, e)| ("ref", Some(format!("f{f}e{e}")))),
        (any::<i16>(), any::<i16>()).prop_map(|(x, y)| ("box", Some(format!("{x},{y},1.5,0")))),
    ];
    let property = (
        prop::sample::select(vec!["url", "placeholder"]),
        text.clone(),
    );
    let leaf = prop_oneof![
        text.clone().prop_map(Given::Text),
        element(
            text.clone(),
            attribute.clone(),
            property.clone(),
            Just(Vec::new()).boxed()
        ),
    ];
    let tree = leaf.prop_recursive(5, 40, 5, move |inner| {
        let children = prop::collection::vec(inner, 0..5).boxed();
        element(text.clone(), attribute.clone(), property.clone(), children)
    });
    prop::collection::vec(tree, 0..5)
}

fn element(
    text: impl Strategy<Value = String> + Clone + 'static,
    attribute: impl Strategy<Value = (&'static str, Option<String>)> + 'static,
    property: impl Strategy<Value = (&'static str, String)> + 'static,
    children: BoxedStrategy<Vec<Given>>,
) -> impl Strategy<Value = Given> {
    (
        prop::sample::select(ROLES.to_vec()),
        text.clone(),
        prop::collection::vec(attribute, 0..4),
        prop::collection::vec(property, 0..2),
        prop::option::of(text),
        children,
    )
        .prop_map(|(role, name, attributes, properties, text, children)| {
            let role = role.to_owned();
            let attributes = attributes
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect();
            let alone = properties.len() == 1 && matches!(children[..], [Given::Text(_)]);
            let text = if children.is_empty() { text } else { None };
            // The tool merges two texts that print the same way, so the test builds no single text child beside properties.
            let children = if alone { Vec::new() } else { children };
            Given::Element {
                role,
                name,
                attributes,
                properties,
                text,
                children,
            }
        })
}

fn malformed(snapshot: &Snapshot<'_>) -> usize {
    snapshot
        .nodes()
        .iter()
        .filter(|node| matches!(node.line, Line::Malformed(_)))
        .count()
}

proptest! {
    #[test]
    fn any_text_prints_as_it_came(text in prop_oneof![any::<String>(), "[-\n :'\"\\[\\]/a=e1\\\\]{0,80}"]) {
        prop_assert_eq!(Snapshot::parse(&text).to_string(), text);
    }

    #[test]
    fn a_printed_tree_is_understood_as_it_was_built(given in given()) {
        let mut lines = Vec::new();
        print(&given, 0, &mut lines);
        let text = lines.join("\n");
        let snapshot = Snapshot::parse(&text);
        prop_assert_eq!(malformed(&snapshot), 0, "{}", text);
        prop_assert_eq!(understood(&snapshot), given);
        prop_assert_eq!(snapshot.to_string(), text);
    }
}

#[test]
fn the_depth_of_a_page_does_not_matter() {
    let mut text = String::new();
    for depth in 0..3000 {
        writeln!(text, "{:depth$}- generic:", "", depth = depth * 2).unwrap();
    }
    let snapshot = Snapshot::parse(&text);
    assert_eq!(snapshot.nodes()[0].end(), 3000);
    assert_eq!(snapshot.to_string(), text);
}

#[test]
fn a_broken_line_is_kept_and_counted_and_breaks_nothing_else() {
    let text = "- list [ref=e1]:\n### Page\n  - listitem [ref=e2]: \"unclosed\n  - listitem [ref=e3]: fine\n\n  - button 'x'";
    let snapshot = Snapshot::parse(text);
    assert_eq!(malformed(&snapshot), 4);
    assert_eq!(snapshot.nodes()[0].end(), 6);
    assert_eq!(snapshot.to_string(), text);
}

#[test]
fn half_a_surrogate_pair_is_shown_as_a_replacement() {
    let snapshot = Snapshot::parse(r#"- button "a\ud800b \ud83d\ude00" [ref=e1]"#);
    let Line::Element(element) = &snapshot.nodes()[0].line else {
        panic!("an element")
    };
    assert_eq!(element.name(), "a\u{fffd}b \u{1f600}");
}

fn recorded() -> Vec<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/snapshots");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files
        .iter()
        .map(|path| {
            (
                path.display().to_string(),
                std::fs::read_to_string(path).unwrap(),
            )
        })
        .collect()
}

#[test]
fn recorded_pages_have_no_malformed_line_and_print_as_they_came() {
    let recorded = recorded();
    assert!(recorded.len() >= 40, "{} fixtures", recorded.len());
    for (name, text) in recorded {
        let snapshot = Snapshot::parse(&text);
        assert_eq!(malformed(&snapshot), 0, "{name}");
        assert_eq!(snapshot.to_string(), text, "{name}");
        // The test's own printer agrees with the tool's on real pages, so the generated trees are realistic.
        let mut lines = Vec::new();
        print(&understood(&snapshot), 0, &mut lines);
        // Half a surrogate pair is the only thing that a Rust string cannot contain.
        for (ours, theirs) in lines
            .iter()
            .zip(text.split('\n'))
            .filter(|(_, theirs)| !theirs.contains("\\ud800"))
        {
            assert_eq!(ours, theirs, "{name}");
        }
    }
}
