use proptest::prelude::*;
use webwise::page::{
    DigestOptions, ElementRef, Fingerprint, Layout, Node, PageHead, Role, Shown, TargetIdentity,
    Tree, Tri, ViewOptions, diff, interpret,
};

const ROLES: [&str; 26] = [
    "text",
    "generic",
    "link",
    "button",
    "textbox",
    "combobox",
    "option",
    "checkbox",
    "list",
    "listitem",
    "table",
    "row",
    "cell",
    "heading",
    "img",
    "main",
    "navigation",
    "form",
    "dialog",
    "iframe",
    "searchbox",
    "listbox",
    "paragraph",
    "article",
    "x-made-up",
    "timer",
];

#[derive(Debug, Clone)]
struct Spec {
    up: usize,
    role: usize,
    name: String,
    value: Option<String>,
    reference: Option<u16>,
    flags: u8,
    url: Option<String>,
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just("Add to cart".to_owned()),
        "[a-z]{1,8} [0-9]{1,3}",
        "\\PC{0,30}",
        Just("€ 12,50 パスワード كلمة".to_owned())
    ]
}

fn spec() -> impl Strategy<Value = Spec> {
    let refs = proptest::option::of(0..400_u16);
    let url = proptest::option::of(prop_oneof![
        Just("#".to_owned()),
        "/[a-z]{0,3}",
        "\\PC{0,10}"
    ]);
    (
        0..4_usize,
        0..ROLES.len(),
        text(),
        proptest::option::of(text()),
        refs,
        any::<u8>(),
        url,
    )
        .prop_map(|(up, role, name, value, reference, flags, url)| Spec {
            up,
            role,
            name,
            value,
            reference,
            flags,
            url,
        })
}

/// Builds the tree; `shift` moves every reference.
fn build(specs: &[Spec], shift: u32) -> Tree {
    let mut builder = Tree::builder();
    for spec in specs {
        (0..spec.up).for_each(|_| builder.close());
        let mut node = Node::new(Role::parse(ROLES[spec.role]), &*spec.name);
        node.value = spec.value.as_deref().map(Into::into);
        node.url = spec.url.as_deref().map(Into::into);
        node.reference = spec
            .reference
            .and_then(|r| ElementRef::parse(&format!("e{}", u32::from(r) + shift)).ok());
        node.states.pointer = spec.flags & 1 != 0;
        node.states.disabled = spec.flags & 2 != 0;
        node.states.checked = (spec.flags & 4 != 0).then_some(Tri::Mixed);
        node.states.expanded = (spec.flags & 8 != 0).then_some(spec.flags & 16 != 0);
        node.states.active = spec.flags & 32 != 0;
        builder.open(node);
    }
    builder.finish()
}

fn specs() -> impl Strategy<Value = Vec<Spec>> {
    proptest::collection::vec(spec(), 0..60)
}

proptest! {
    #[test]
    fn no_page_makes_it_panic_and_every_limit_holds(specs in specs(), url in "\\PC{0,40}", goal in text(), max in 0..9_usize) {
        let tree = build(&specs, 0);
        let head = PageHead::new(url, "");
        let view = interpret(&head, &tree, &ViewOptions::default());
        prop_assert_eq!(&view, &interpret(&head, &tree, &ViewOptions::default()));
        prop_assert!(view.visible_text.chars().count() <= 2_000);
        prop_assert!(view.summary.chars().count() <= webwise::page::MAX_SUMMARY);
        for element in &view.elements {
            prop_assert!(element.label.chars().count() <= webwise::page::MAX_LABEL);
            prop_assert!(!element.label.contains('\n'));
            if let Some(reference) = &element.reference {
                prop_assert!(view.element(reference).is_some());
            }
        }
        let words = webwise::base::text::words(&goal);
        let layout = Layout::of(&tree, &view.elements);
        prop_assert!(layout.find(&view.elements, &goal, max).lines.len() <= max);
        for max_tokens in [max, 50, usize::MAX] {
            let options = DigestOptions::default().with_max_tokens(max_tokens);
            let digest = layout.digest(&view.elements, &words, options);
            let told: usize = digest.lines.iter().map(|shown| match shown {
                Shown::More { lines, .. } => *lines,
                _ => 1,
            }).sum();
            prop_assert_eq!(told, layout.lines().len());
        }
        prop_assert_eq!(webwise::prompt::reading(&layout.digest(&view.elements, &words, DigestOptions::whole()).lines, &view.elements).len(), layout.lines().len());
    }

    #[test]
    fn everything_that_can_be_read_or_acted_on_is_laid_out(specs in specs()) {
        let tree = build(&specs, 0);
        let view = interpret(&PageHead::new("https://a.example/", ""), &tree, &ViewOptions::default());
        let layout = Layout::of(&tree, &view.elements);
        let parts = || layout.lines().iter().flat_map(webwise::page::Line::all_parts);
        let plain = |text: &str| text.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect::<String>();
        let mut said: Vec<String> = Vec::new();
        for part in parts() {
            said.push(plain(&part.text));
            if let Some(element) = part.element.map(|at| &view.elements[at]) {
                said.extend(element.value.iter().chain(&element.options).map(|text| plain(text)));
            }
        }
        for (id, node) in tree.iter() {
            let typed = std::iter::once(id).chain(tree.ancestors(id)).any(|at| tree[at].role.is_editable());
            if node.role == Role::Text && !typed {
                let words = plain(node.value.as_deref().unwrap_or_default());
                prop_assert!(words.is_empty() || said.iter().any(|said| said.contains(&words)), "{words} in {said:?}");
            }
        }
        for element in view.elements.iter().filter(|e| e.reference.is_some() && e.role.is_interactive()) {
            prop_assert!(parts().any(|part| part.reference == element.reference), "{element:?}");
        }
    }

    #[test]
    fn identities_of_all_nodes_hold_their_limits(specs in specs()) {
        let tree = build(&specs, 0);
        for (id, _) in tree.iter() {
            let identity = TargetIdentity::of(&tree, id);
            prop_assert!(identity.ancestors.len() <= 3);
            prop_assert!(identity.name.chars().count() <= TargetIdentity::MAX_TEXT);
            prop_assert!(identity.collection.is_none_or(|c| c.size >= 2 && c.index < c.size));
        }
    }

    #[test]
    fn fingerprints_and_differences_ignore_references(specs in specs()) {
        let (one, two) = (build(&specs, 0), build(&specs, 1_000));
        prop_assert_eq!(Fingerprint::structure(&one), Fingerprint::structure(&two));
        prop_assert_eq!(Fingerprint::state(&one), Fingerprint::state(&two));
        let head = PageHead::new("https://a.example/", "t");
        prop_assert!(diff((&head, &one), (&head, &one)).is_empty());
        prop_assert!(diff((&head, &one), (&head, &two)).is_empty());
    }

    #[test]
    fn a_difference_is_found_exactly_when_the_state_differs(a in specs(), b in specs(), cut in any::<prop::sample::Index>()) {
        let head = PageHead::new("https://a.example/", "t");
        // Against another page, and against the same page with one node less or two swapped.
        let mut close = a.clone();
        if !close.is_empty() {
            let at = cut.index(close.len());
            close.rotate_left(at);
            close.pop();
        }
        let first = build(&a, 0);
        for second in [build(&b, 0), build(&close, 0)] {
            let found = diff((&head, &first), (&head, &second));
            prop_assert_eq!(found.is_empty(), Fingerprint::state(&first) == Fingerprint::state(&second));
            prop_assert!(found.summary(5).len() <= 10);
            prop_assert!(found.summary(50).iter().all(|line| !line.contains('\n')));
            prop_assert_eq!(found.is_empty(), found.summary(1).is_empty());
        }
    }
}

#[test]
fn a_page_nested_as_deep_as_a_tree_can_be_is_interpreted() {
    for role in [Role::Generic, Role::Link, Role::Group, Role::ListItem] {
        let mut builder = Tree::builder();
        for i in 0..webwise::page::MAX_NODES {
            let mut node = Node::new(
                role.clone(),
                if role == Role::Group {
                    format!("g{i}")
                } else {
                    String::new()
                },
            );
            node.reference = ElementRef::parse(&format!("e{i}")).ok();
            node.states.pointer = true;
            builder.open(node);
        }
        builder.leaf(Node::text("one too many"));
        let tree = builder.finish();
        let head = PageHead::new("https://a.example/", "");
        let view = interpret(&head, &tree, &ViewOptions::default());
        assert!(!view.elements.is_empty());
        assert_eq!(
            view.notes[0],
            "the page has more nodes than were read; left out: 1"
        );
        assert!(diff((&head, &tree), (&head, &tree)).is_empty());
        let last = tree.iter().next_back().unwrap().0;
        assert_eq!(TargetIdentity::of(&tree, last).role, role);
    }
}
