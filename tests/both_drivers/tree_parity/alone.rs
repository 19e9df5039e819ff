//! What only the native driver is asked, because the other one shows it or cannot bear it.

use webwise::{
    action::{BrowserAction, Eval, Goto},
    browser::{BrowserDriver, Cdp, CdpOptions, ExecuteRequest, ObserveRequest},
    page::{Role, Tree},
};

use crate::tree_parity::{profile::pick, server::Site};

/// A browser on a page whose body is replaced by each test.
struct Alone {
    driver: Cdp,
    site: Site,
}

impl Alone {
    async fn start(change: impl FnOnce(CdpOptions) -> CdpOptions) -> Self {
        let options = CdpOptions::from_env().expect(
            "Chromium is needed: run `cargo run --features full --example test_beds` first",
        );
        let driver = Cdp::launch(&change(options.with_scripts(true)))
            .await
            .expect("the browser starts");
        let site = Site::start();
        let alone = Self { driver, site };
        alone
            .act(BrowserAction::Goto(Goto {
                url: alone.site.url("plain"),
            }))
            .await;
        alone
    }

    async fn act(&self, action: BrowserAction) {
        let done = self
            .driver
            .execute(&ExecuteRequest::new(action))
            .await
            .expect("the browser answers");
        assert!(done.outcome.is_done(), "{:?}", done.outcome);
    }

    async fn run(&self, script: &str) {
        let function = format!("() => {{ {script}; return null; }}");
        self.act(BrowserAction::Eval(Eval {
            function,
            target: None,
        }))
        .await;
    }

    async fn body(&self, html: &str) -> Tree {
        self.run(&format!(
            "document.documentElement.lastElementChild.innerHTML = {}",
            serde_json::json!(html)
        ))
        .await;
        self.see().await
    }

    async fn see(&self) -> Tree {
        self.driver
            .observe(&ObserveRequest::default())
            .await
            .expect("the page is seen")
            .tree
    }

    async fn close(self) {
        self.driver.close().await.expect("the browser ends");
    }
}

/// The number in a reference to the only node of this role.
fn reference(tree: &Tree, role: &Role) -> String {
    let mut nodes = tree.nodes().iter().filter(|node| node.role == *role);
    let node = nodes.next().expect("there is one");
    assert!(nodes.next().is_none(), "there is only one {role}");
    node.reference
        .as_ref()
        .expect("it has a reference")
        .as_str()
        .to_owned()
}

/// Fields that nobody may read, in every place from which a name or a text is taken. What they hold ends in `-secret`.
const SECRETS: &str = r#"<table><tr><td><label>Password <input type=password id=flips value="one-secret"></label></td></tr></table>
    <div role=row>Card <input autocomplete="section-a cc-number" value="two-secret"></div>
    <input type=number id=pin autocomplete=one-time-code value="3" aria-valuetext="three-secret"><h3 aria-labelledby=pin>x</h3>
    <div contenteditable autocomplete=new-password>four-secret <b>five-secret</b><button>six-secret</button></div>
    <div role=button autocomplete=cc-csc>seven-secret</div><h2 aria-labelledby=flips>Heading</h2>
    <div role=searchbox autocomplete=current-password contenteditable>eight-secret</div>
    <div contenteditable autocomplete=new-password><i id=inner>nine-secret</i></div><div role=region aria-labelledby=inner>z</div>
    <select autocomplete=cc-exp-month><option selected>ten-secret</option></select>
    <button aria-labelledby=flips>x</button><label for=flips>eleven</label><p>no-secret</p>"#;

#[tokio::test(flavor = "multi_thread")]
async fn what_a_secret_field_holds_stands_in_no_name_and_no_text() {
    let alone = Alone::start(|options| options).await;
    let words = |tree: &Tree| -> Vec<String> {
        let shown = format!("{tree:?}");
        let spoken = shown.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
        spoken
            .filter(|word| word.ends_with("-secret"))
            .map(str::to_owned)
            .collect()
    };
    let tree = alone.body(SECRETS).await;
    assert_eq!(
        words(&tree),
        ["no-secret"],
        "the text beside the fields shows that this would see them: {tree:?}"
    );
    // Pages show a password on request; it stays one.
    alone.run("flips.type = 'text'").await;
    assert_eq!(words(&alone.see().await), ["no-secret"]);
    let plain = alone
        .body(
            &SECRETS
                .replace("autocomplete", "data-x")
                .replace("type=password", "type=text"),
        )
        .await;
    let all = words(&plain);
    for number in [
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    ] {
        assert!(
            all.contains(&format!("{number}-secret")),
            "{number} is not even shown in a plain field: {all:?}"
        );
    }
    alone.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn fields_named_like_the_browsers_own_properties_hide_nothing() {
    let alone = Alone::start(|options| options).await;
    let form = |names: &[String]| {
        let fields: Vec<_> = names
            .iter()
            .map(|name| format!("<input name='{name}' value='{name}'>"))
            .collect();
        let fields = fields.concat();
        format!(
            "<form aria-label=F>{fields}<button>ok</button></form><img name=anna alt=x><form name=berta></form><p>end</p>"
        )
    };
    let own = [
        "parentNode",
        "nodeType",
        "firstChild",
        "nextSibling",
        "getAttribute",
        "hasAttribute",
        "attributes",
        "shadowRoot",
        "tagName",
        "localName",
        "namespaceURI",
        "children",
        "childNodes",
        "checkVisibility",
        "getBoundingClientRect",
        "assignedSlot",
        "matches",
        "closest",
        "isConnected",
        "getRootNode",
        "contains",
        "hasAttributes",
        "ownerDocument",
    ]
    .map(str::to_owned);
    let harmless: Vec<String> = own.iter().map(|name| format!("{name}-")).collect();
    let clobber = |html: String| {
        html.replace("anna", "body")
            .replace("berta", "querySelectorAll")
    };
    let plain = alone.body(&form(&harmless)).await;
    let hostile = alone.body(&clobber(form(&own))).await;
    let outline = |tree: &Tree| -> Vec<String> {
        let nodes = tree
            .iter()
            .map(|(id, node)| (tree.ancestors(id).count(), node));
        let line = |value: Option<&str>| value.unwrap_or_default().trim_end_matches('-').to_owned();
        nodes
            .map(|(depth, node)| {
                format!(
                    "{depth} {} {} {}",
                    node.role,
                    node.name,
                    line(node.value.as_deref())
                )
            })
            .collect()
    };
    assert_eq!(outline(&hostile), outline(&plain));
    assert_eq!(
        plain
            .nodes()
            .iter()
            .filter(|node| node.role == Role::TextBox)
            .count(),
        own.len()
    );
    alone.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reference_stays_with_its_element_whatever_becomes_of_it() {
    let alone = Alone::start(|options| options).await;
    let before = alone
        .body("<div><button id=it>Go</button></div><ul><li>x</li></ul>")
        .await;
    let first = reference(&before, &Role::Button);
    alone
        .run("it.textContent = 'Stop'; it.setAttribute('role', 'link'); document.querySelector('li').append(it)")
        .await;
    let after = alone.see().await;
    assert_eq!(reference(&after, &Role::Link), first);
    alone
        .run("const other = it.cloneNode(true); it.replaceWith(other)")
        .await;
    assert_ne!(
        reference(&alone.see().await, &Role::Link),
        first,
        "another element, though it looks the same"
    );
    alone.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_past_the_cap_is_counted_and_the_page_stays_usable() {
    let alone = Alone::start(|options| options.with_max_nodes(500)).await;
    alone
        .run("document.body.innerHTML = '<div><span><button>b</button></span></div>'.repeat(30000)")
        .await;
    // On a busy machine, the first look may end before the browser has laid the page out.
    let mut tree = alone.see().await;
    for _ in 0..10 {
        if !tree.is_empty() {
            break;
        }
        tree = alone.see().await;
    }
    assert!(
        tree.len() == 500 && tree.omitted() >= 29_500,
        "{} nodes, {} left out",
        tree.len(),
        tree.omitted()
    );
    // Less than the cap is there again, and nothing else.
    let tree = alone.body("<button>one</button>").await;
    assert_eq!(
        (
            reference(&tree, &Role::Button).starts_with('e'),
            tree.omitted()
        ),
        (true, 0)
    );
    alone.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn names_that_refer_to_each_other_and_nest_without_end_end() {
    let alone = Alone::start(|options| options).await;
    let labels = pick(400, 1_000);
    alone.run(&format!("globalThis.labels = {labels}")).await;
    alone
        .run(
            "const all = Array.from({ length: labels }, (_, at) => `b${at}`); \
             document.body.innerHTML = all.map((id) => `<button id=${id} aria-labelledby='${all.join(' ')}'>x</button>`).join(''); \
             let at = document.body; \
             for (let left = 1500; left > 0; left--) { const inner = document.createElement('div'); inner.setAttribute('role', 'button'); \
             at.append(inner, 't'); at = inner; }",
        )
        .await;
    let tree = alone.see().await;
    let buttons = tree
        .nodes()
        .iter()
        .filter(|node| node.role == Role::Button)
        .count();
    assert_eq!((buttons, tree.omitted()), (1_500 + labels, 0));
    alone.close().await;
}

/// What is clicked by script alone: a piece of a text, a sign, a cell, a part of a drawing, an empty box, what wraps one thing.
const HEARD: &str = r#"<p>Press <span id=word>here</span> to go on. <span id=plus>+</span> <span id=none>nowhere</span></p>
    <table><tr><td id=cell>7</td><td><span id=inner>8</span></td></tr></table>
    <svg width=40 height=40><circle id=dot cx=20 cy=20 r=9></circle><circle cx=5 cy=5 r=3></circle></svg>
    <canvas id=board width=30 height=30></canvas><div id=wrap><p>wrapped</p></div><div id=root><p>one</p><p>two</p></div>
    <button id=go>Go <i id=part>now</i></button><div id=empty style="width:9px;height:9px"></div><div id=flat></div>"#;

#[tokio::test(flavor = "multi_thread")]
async fn whatever_listens_for_clicks_is_told_and_has_a_reference() {
    let alone = Alone::start(|options| options).await;
    alone.body(HEARD).await;
    alone
        .run(
            "for (const id of ['word', 'plus', 'cell', 'inner', 'dot', 'board', 'wrap', 'go', 'part', 'empty', 'flat']) \
             document.getElementById(id).addEventListener(id === 'plus' ? 'pointerdown' : 'click', () => {}); \
             for (let at = 0; at < 40; at++) root.addEventListener('kind' + at, () => {}); \
             root.addEventListener('click', () => {}); document.body.onclick = () => {}",
        )
        .await;
    let told = |tree: &Tree| -> Vec<(Role, String)> {
        let heard = tree.nodes().iter().filter(|node| node.states.listens);
        heard
            .inspect(|node| assert!(node.reference.is_some(), "{node:?}"))
            .map(|node| {
                let words = node.value.as_deref().unwrap_or(&node.name);
                (node.role.clone(), words.to_owned())
            })
            .collect()
    };
    let tree = alone.see().await;
    let heard = |role: Role, words: &str| (role, words.to_owned());
    let all = [
        heard(Role::Generic, "here"),
        heard(Role::Generic, "+"),
        heard(Role::Cell, "7"),
        heard(Role::Generic, "8"),
        heard(Role::Generic, ""),
        heard(Role::Generic, ""),
        heard(Role::Paragraph, "wrapped"),
        heard(Role::Button, "Go now"),
        heard(Role::Generic, ""),
    ];
    assert_eq!(told(&tree), all);
    let nowhere = tree
        .nodes()
        .iter()
        .find(|node| node.value.as_deref() == Some("nowhere"));
    assert_eq!(
        nowhere.map(|node| &node.role),
        Some(&Role::Text),
        "it is part of the text around it"
    );
    // What no longer listens is part of the text again, and what came listens.
    alone
        .run("word.replaceWith(word.cloneNode(true)); none.addEventListener('click', () => {})")
        .await;
    let tree = alone.see().await;
    assert_eq!(
        told(&tree)[..2],
        [heard(Role::Generic, "+"), heard(Role::Generic, "nowhere")]
    );
    alone.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_the_pointer_can_drag_is_told_and_has_a_reference() {
    let alone = Alone::start(|options| options).await;
    alone
        .body(
            r#"<div id=bar style="cursor:move">Letter <b>unsaved</b></div><p style="cursor:default">Nothing</p>
               <div class="corner" style="cursor:se-resize;width:9px;height:9px"></div>
               <div style="cursor:grab;width:0;height:0"></div>"#,
        )
        .await;
    let tree = alone.see().await;
    let told: Vec<_> = tree
        .nodes()
        .iter()
        .filter(|node| node.states.listens)
        .map(|node| (node.reference.is_some(), node.property("icon")))
        .collect();
    assert_eq!(told, [(true, None), (true, Some("corner"))]);
    alone.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn thousands_that_listen_are_told_look_by_look() {
    let alone = Alone::start(|options| options).await;
    alone
        .run(
            "document.body.innerHTML = '<div>row</div>'.repeat(1200); \
             for (const row of document.querySelectorAll('div')) row.addEventListener('click', () => {})",
        )
        .await;
    let mut counts = Vec::new();
    for _ in 0..4 {
        let tree = alone.see().await;
        counts.push(
            tree.nodes()
                .iter()
                .filter(|node| node.states.listens)
                .count(),
        );
    }
    assert_eq!(counts, [500, 1000, 1200, 1200]);
    alone.close().await;
}
