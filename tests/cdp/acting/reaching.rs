//! What has a reference although the page hides it: areas of a picture, what is in closed shadow roots, and parts of what listens.

use webwise::{action::Target, page::Node};

use crate::acting::bed::{Bed, PATIENT, click};

/// A name, a page, and the words of parts with what a press on each says.
type Case = (
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
);

const CASES: [Case; 4] = [
    (
        "areas of a picture",
        "<div style='height:2000px'></div><img usemap=#m width=200 height=100 alt=Plan \
         src='data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA='><map name=m>\
         <area shape=rect coords='0,0,90,90' href=# alt=Left onclick=\"got('left')\">\
         <area shape=circle coords='150,50,30' href=# alt=Right onclick=\"got('right')\"></map>",
        &[("Left", "left"), ("Right", "right")],
    ),
    (
        "a button in a closed shadow root",
        "<div id=host></div><script>const root = host.attachShadow({ mode: 'closed' }); root.innerHTML = '<button>Inside</button>'; \
         root.firstChild.onclick = () => got('inside');</script>",
        &[("Inside", "inside")],
    ),
    (
        "what opens a branch of a tree",
        "<ul role=tree><li role=treeitem aria-expanded=false><span>+</span> Docs</li></ul><script>const item = document.querySelector('li'); \
         item.onclick = () => got('item'); item.firstChild.onclick = event => { event.stopPropagation(); got('open'); };</script>",
        &[("+", "open")],
    ),
    (
        "parts of rows whose list listens",
        "<div id=list><div class=row><span class=star>o</span><b>Ada</b> <span class=text>Lunch</span></div>\
         <div class=row><span class=star>x</span><b>Bea</b> <span class=text>Report</span></div></div>\
         <script>list.onclick = ({ target }) => got(target.className);</script>",
        &[("o", "star"), ("x", "star"), ("Report", "text")],
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn what_a_page_hides_is_pressed_by_its_reference() {
    let bed = Bed::start(PATIENT).await;
    for (name, body, parts) in CASES {
        bed.show(&format!(
            "<script>const got = what => {{ window.told = what; }};</script>{body}"
        ))
        .await;
        let seen = bed.see().await;
        for (words, told) in parts {
            let is_it =
                |node: &&Node| &*node.name == *words || node.value.as_deref() == Some(*words);
            let node = seen.tree.nodes().iter().find(is_it);
            let reference = node.and_then(|node| node.reference.clone());
            let reference = reference.unwrap_or_else(|| panic!("{name}: no reference for {words}"));
            bed.does(click(Target::Ref(reference))).await;
            let expected = format!("\"{told}\"");
            assert_eq!(bed.value("window.told").await, expected, "{name}: {words}");
        }
    }
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn text_in_a_line_is_in_one_piece_where_nothing_listens_for_its_parts() {
    let bed = Bed::start(PATIENT).await;
    let row = "<div><span class=a>One</span> two <span class=b>three</span></div>";
    let heard = "<script>document.querySelector('main').onclick = () => {}</script>";
    // A list that listens for more than a small list's worth listens for a whole page.
    for body in [
        row.repeat(2),
        format!("<main>{}</main>{heard}", row.repeat(90)),
    ] {
        bed.show(&body).await;
        let nodes = bed.see().await.tree;
        assert!(
            nodes
                .nodes()
                .iter()
                .all(|node| node.value.as_deref() != Some("One"))
        );
        assert!(
            nodes
                .nodes()
                .iter()
                .any(|node| node.value.as_deref() == Some("One two three"))
        );
    }
    bed.close().await;
}
