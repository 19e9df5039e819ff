//! Conversion of rows into nodes of a page tree. Our script in the page returns a document as rows, one for each node.

use std::collections::HashMap;

use serde::{Deserialize, Deserializer, de};

use super::listening::Listening;
use crate::{
    base::text::clean,
    page::{ElementRef, Node, Role, States, Tree, TreeBuilder},
};

/// One node of a document, as our script in the page returns it: depth, role, name, number of the element (0 for none),
/// states, value, and further properties.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Row(
    u32,
    String,
    String,
    u64,
    #[serde(deserialize_with = "or_zero")] Option<States>,
    Option<String>,
    #[serde(deserialize_with = "or_zero")] Option<Extra>,
);

/// Properties of a [`Row`] that only some nodes have.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
struct Extra {
    url: Option<String>,
    props: Vec<(String, String)>,
    frame: bool,
}

/// The result of a walk, which is one reading of a document by our script: all rows, or only those from the first to
/// the last that changed since the previous walk.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Walk {
    pub(super) generation: u64,
    rows: Vec<Row>,
    /// Number of unchanged rows at the beginning of the document, which `rows` leaves out. `tail` is the number at the
    /// end.
    head: usize,
    tail: usize,
    #[serde(default)]
    omitted: u32,
}

/// The content of a frame's document, as it was last read.
#[derive(Debug, Clone, Default)]
pub(super) struct Seen {
    /// The browser's id of the document.
    pub(super) document: String,
    /// The frame's number in element references, such as 2 in `f2e1`; 0 for the main frame.
    pub(super) number: u32,
    pub(super) url: String,
    pub(super) generation: u64,
    pub(super) listening: Listening,
    rows: Vec<Row>,
    omitted: u32,
}

/// Reads an object as `Some`, and a number or `null` as `None`. Our script writes 0 if there is no object.
fn or_zero<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    struct Visitor<T>(std::marker::PhantomData<T>);

    impl<'de, T: Deserialize<'de>> de::Visitor<'de> for Visitor<T> {
        type Value = Option<T>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object or 0")
        }

        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
            Ok(None)
        }

        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
            Ok(None)
        }

        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(None)
        }

        fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
            T::deserialize(de::value::MapAccessDeserializer::new(map)).map(Some)
        }
    }

    deserializer.deserialize_any(Visitor(std::marker::PhantomData))
}

impl Seen {
    /// Replaces the rows that have changed by those of the walk. Returns false, and changes nothing, if the walk counts
    /// more rows as unchanged than are known here.
    pub(super) fn take(&mut self, walk: Walk) -> bool {
        let Some(between) = walk
            .head
            .checked_add(walk.tail)
            .and_then(|kept| self.rows.len().checked_sub(kept))
        else {
            return false;
        };
        self.rows.splice(walk.head..walk.head + between, walk.rows);
        self.generation = walk.generation;
        self.omitted = walk.omitted;
        true
    }

    /// Returns the numbers of the elements that show frames.
    pub(super) fn frames(&self) -> Vec<u64> {
        self.rows
            .iter()
            .filter(|row| row.6.as_ref().is_some_and(|extra| extra.frame))
            .map(|row| row.3)
            .collect()
    }

    /// Returns the highest element number in the rows; 0 if there is none.
    pub(super) fn last_number(&self) -> u64 {
        self.rows.iter().map(|row| row.3).max().unwrap_or(0)
    }
}

/// A frame of a page, with its own content and the content of the frames inside it.
#[derive(Debug)]
pub(super) struct Shown<'a> {
    pub(super) seen: &'a Seen,
    /// The readable frames directly inside this frame. The key is the number of the element that shows the inner frame.
    pub(super) frames: HashMap<u64, Self>,
}

pub(super) fn tree(page: &Shown<'_>, max_nodes: usize) -> Tree {
    let mut tree = Tree::builder()
        .with_max_nodes(max_nodes)
        .with_room_for(page.seen.rows.len());
    add(&mut tree, page);
    tree.finish()
}

/// Adds a document to the tree and, by recursion, the frames in it.
fn add(tree: &mut TreeBuilder, shown: &Shown<'_>) {
    let seen = shown.seen;
    let floor = tree.depth();
    for row in &seen.rows {
        // A depth that skips a level counts as the next level.
        while tree.depth() > floor + row.0 as usize {
            tree.close();
        }
        let frame = row
            .6
            .as_ref()
            .filter(|extra| extra.frame)
            .map(|_| shown.frames.get(&row.3));
        let mut node = node(row, seen.number);
        if let Some(frame) = frame {
            node.url = Some(
                frame
                    .map_or_else(String::new, |frame| clean(&frame.seen.url))
                    .into(),
            );
        }
        tree.open(node);
        match frame {
            Some(Some(frame)) => add(tree, frame),
            // The content of this frame could not be read.
            Some(None) => tree.count_omitted(1),
            None => {}
        }
    }
    while tree.depth() > floor {
        tree.close();
    }
    tree.count_omitted(seen.omitted);
}

fn node(Row(_, role, name, number, states, value, extra): &Row, frame: u32) -> Node {
    let reference = match (frame, number) {
        (_, 0) => None,
        (0, number) => ElementRef::parse(&format!("e{number}")).ok(),
        (frame, number) => ElementRef::parse(&format!("f{frame}e{number}")).ok(),
    };
    let mut node = Node::new(Role::parse(role), clean(name));
    node.reference = reference;
    node.value = value.as_deref().map(|value| clean(value).into());
    node.states = states.clone().unwrap_or_default();
    if let Some(extra) = extra {
        node.url = extra.url.as_deref().map(|url| clean(url).into());
        node.properties = extra
            .props
            .iter()
            .map(|(name, value)| (clean(name).into(), clean(value).into()))
            .collect();
    }
    node
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Tri;

    fn walk(json: &str) -> Walk {
        serde_json::from_str(json).unwrap()
    }

    fn outline(tree: &Tree) -> Vec<String> {
        let line = |(id, node): (_, &Node)| {
            let depth = tree.ancestors(id).count();
            format!(
                "{}{} {}",
                " ".repeat(depth),
                node.role,
                node.value.as_deref().unwrap_or(&node.name)
            )
        };
        tree.iter().map(line).collect()
    }

    const FORM: &str = r#"{"generation":1,"head":0,"tail":0,"omitted":2,"rows":[
        [0,"form","Sign in",1,0,null,0],
        [1,"checkbox","Keep",2,{"checked":"mixed","active":true},null,0],
        [1,"link","Help",3,null,"He\u001blp",{"url":"/help","props":[["placeholder","x"]]}],
        [0,"text","",0,0,"after",0]]}"#;

    fn page(seen: &Seen) -> Shown<'_> {
        Shown {
            seen,
            frames: HashMap::new(),
        }
    }

    #[test]
    fn rows_become_nodes_with_states_references_and_clean_text() {
        let mut seen = Seen::default();
        assert!(seen.take(walk(FORM)));
        let tree = tree(&page(&seen), 100);
        assert_eq!(
            outline(&tree),
            ["form Sign in", " checkbox Keep", " link Help", "text after"]
        );
        let node = |reference: &str| &tree[tree.by_ref(reference).unwrap()];
        assert_eq!(
            (node("e2").states.checked, node("e2").states.active),
            (Some(Tri::Mixed), true)
        );
        assert_eq!(
            (
                node("e3").url.as_deref(),
                node("e3").property("placeholder")
            ),
            (Some("/help"), Some("x"))
        );
        assert_eq!((tree.omitted(), seen.last_number()), (2, 3));
    }

    #[test]
    fn what_changed_is_put_between_what_stayed() {
        let mut seen = Seen::default();
        seen.take(walk(FORM));
        let change = r#"{"generation":2,"head":1,"tail":1,"rows":[[1,"button","Go",9,0,null,0]]}"#;
        assert!(seen.take(walk(change)));
        assert_eq!(
            outline(&tree(&page(&seen), 100)),
            ["form Sign in", " button Go", "text after"]
        );
        let nonsense = r#"{"generation":3,"head":7,"tail":1,"rows":[]}"#;
        assert!(!seen.take(walk(nonsense)) && seen.generation == 2);
    }

    #[test]
    fn what_is_in_a_frame_stands_in_its_element_and_bears_its_number() {
        let (mut outer, mut inner) = (Seen::default(), Seen::default());
        outer.take(walk(
            r#"{"generation":1,"head":0,"tail":0,"rows":[[0,"iframe","",4,0,null,{"frame":true}],
            [0,"iframe","",5,0,null,{"frame":true}],[0,"text","",0,0,"after",0]]}"#,
        ));
        inner.take(walk(FORM));
        assert_eq!(outer.frames(), [4, 5]);
        (inner.number, inner.url) = (3, "https://b.test/".into());
        let shown = Shown {
            frames: HashMap::from([(4, page(&inner))]),
            ..page(&outer)
        };
        let tree = tree(&shown, 100);
        let expected = [
            "iframe ",
            " form Sign in",
            "  checkbox Keep",
            "  link Help",
            " text after",
            "iframe ",
            "text after",
        ];
        assert_eq!(outline(&tree), expected);
        let urls: Vec<_> = tree
            .frames()
            .map(|r| tree[tree.by_ref(r.as_str()).unwrap()].url.as_deref())
            .collect();
        assert_eq!(
            urls,
            [Some("https://b.test/"), Some("")],
            "of a frame that could not be read nobody knows the address"
        );
        assert!(tree.by_ref("f3e2").is_some() && tree.by_ref("e2").is_none());
    }

    #[test]
    fn no_depth_and_no_number_of_rows_breaks_it() {
        let rows: Vec<String> = (0..30_000)
            .map(|depth| format!(r#"[{depth},"generic","",0,0,null,0]"#))
            .collect();
        let mut seen = Seen::default();
        seen.take(walk(&format!(
            r#"{{"generation":1,"head":0,"tail":0,"rows":[{}]}}"#,
            rows.join(",")
        )));
        let tree = tree(&page(&seen), 20_000);
        assert_eq!((tree.len(), tree.omitted()), (20_000, 10_000));
        let mut jump = Seen::default();
        jump.take(walk(
            r#"{"generation":1,"head":0,"tail":0,"rows":[[7,"main","",0,0,null,0],[9,"text","",0,0,"x",0]]}"#,
        ));
        assert_eq!(outline(&super::tree(&page(&jump), 9)), ["main ", " text x"]);
    }
}
