//! Functions about the frames in a tree: their references, addresses and content.

use super::{ElementRef, Node, Role, Tree};

impl Tree {
    /// Returns the references of the frames in the tree, in document order.
    pub fn frames(&self) -> impl Iterator<Item = &ElementRef> {
        self.nodes
            .iter()
            .filter(|node| node.role == Role::Iframe)
            .filter_map(|node| node.reference.as_ref())
    }

    /// Returns the tree with the address of each frame stored in [`Node::url`]. `url_of` returns the address of a
    /// frame; an empty address means that the address is unknown. A frame without a reference gets no address.
    #[must_use]
    pub fn with_frame_urls(mut self, mut url_of: impl FnMut(&ElementRef) -> String) -> Self {
        for node in self
            .nodes
            .iter_mut()
            .filter(|node| node.role == Role::Iframe)
        {
            node.url = node
                .reference
                .as_ref()
                .map(|reference| url_of(reference).into());
        }
        self
    }

    /// Returns the tree with the content of some frames replaced by the text `instead`. These are the frames whose
    /// address is empty, and those whose address `may_show` refuses. A frame whose [`Node::url`] is `None` keeps its
    /// content, because its driver does not report addresses.
    ///
    /// ```
    /// use webwise::page::{ElementRef, Node, Role, Tree};
    ///
    /// let mut page = Tree::builder();
    /// page.open(Node::new(Role::Iframe, "").with_ref(ElementRef::parse("e2")?));
    /// page.leaf(Node::text("inside"));
    /// let tree = page.finish().with_frame_urls(|_| "https://b.test/".to_owned()).close_frames(|_| false, "closed");
    /// assert_eq!(tree.text_of(tree.roots().next().unwrap()), "closed");
    /// # Ok::<(), webwise::Error>(())
    /// ```
    #[must_use]
    pub fn close_frames(self, mut may_show: impl FnMut(&str) -> bool, instead: &str) -> Self {
        let mut is_closed = |node: &Node| {
            node.role == Role::Iframe
                && node
                    .url
                    .as_deref()
                    .is_some_and(|url| url.is_empty() || !may_show(url))
        };
        let closed: Vec<bool> = self.nodes.iter().map(&mut is_closed).collect();
        if !closed.contains(&true) {
            return self;
        }
        let (malformed, omitted) = (self.malformed, self.omitted);
        let mut tree = Self::builder().with_max_nodes(usize::MAX);
        let mut ends: Vec<u32> = Vec::new();
        let mut hidden_to = 0;
        for ((index, node), is_closed) in (0_u32..).zip(self.nodes).zip(closed) {
            while ends.last().is_some_and(|end| *end <= index) {
                ends.pop();
                tree.close();
            }
            if index < hidden_to {
                continue;
            }
            let end = node.end;
            ends.push(end);
            if is_closed {
                hidden_to = end;
                tree.open(Node {
                    value: Some(instead.into()),
                    ..node
                });
            } else {
                tree.open(node);
            }
        }
        let mut tree = tree.finish();
        (tree.malformed, tree.omitted) = (malformed, omitted);
        tree
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> Tree {
        let reference = |text: &str| ElementRef::parse(text).unwrap();
        let mut b = Tree::builder();
        b.open(Node::new(Role::Main, "Main"));
        b.open(Node::new(Role::Iframe, "").with_ref(reference("e2")));
        b.open(Node::new(Role::Group, ""));
        b.leaf(Node::text("outside"));
        b.leaf(Node::new(Role::Button, "Pay").with_ref(reference("f1e3")));
        b.close();
        b.close();
        b.open(Node::new(Role::Iframe, "").with_ref(reference("e5")));
        b.leaf(Node::text("own"));
        b.open(Node::new(Role::Iframe, "").with_ref(reference("f2e1")));
        b.leaf(Node::text("nested"));
        b.close();
        b.close();
        b.leaf(Node::new(Role::Button, "After").with_ref(reference("e6")));
        b.finish()
    }

    fn urls(reference: &ElementRef) -> String {
        match reference.as_str() {
            "e2" => "https://out.test/".to_owned(),
            "e5" => "https://in.test/".to_owned(),
            _ => String::new(),
        }
    }

    #[test]
    fn what_is_in_a_closed_frame_is_gone_and_the_rest_stays_in_its_place() {
        let tree = page()
            .with_frame_urls(urls)
            .close_frames(|url| url.contains("in.test"), "closed");
        assert_eq!(
            tree.text_of(tree.roots().next().unwrap()),
            "Main closed own closed After"
        );
        assert_eq!(
            (tree.by_ref("f1e3"), tree.by_ref("e6").is_some()),
            (None, true)
        );
        assert_eq!(tree.parent(tree.by_ref("e6").unwrap()), tree.roots().next());
        assert_eq!(tree.len(), 6);
    }

    #[test]
    fn frames_of_which_no_address_was_told_stay() {
        assert_eq!(page().close_frames(|_| false, "closed"), page());
        let all = page().with_frame_urls(|_| "about:srcdoc".to_owned());
        assert_eq!(all.clone().close_frames(|_| true, "closed"), all);
        assert_eq!(
            page().frames().map(ElementRef::as_str).collect::<Vec<_>>(),
            ["e2", "e5", "f2e1"]
        );
    }
}
