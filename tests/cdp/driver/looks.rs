//! What a look reads: as much as can be told, of one document at a time, and of all that answer.

use std::time::Duration;

use tokio::time::timeout;
use webwise::{
    action::BrowserAction,
    browser::{BrowserDriver as _, ObserveRequest, SceneRequest},
    page::Role,
};

use crate::driver::{
    bed::{Bed, NEVER, button, click, element, reference, text_of},
    profile::pick,
};

#[tokio::test(flavor = "multi_thread")]
async fn a_page_with_more_text_than_can_be_told_is_told_in_part_and_says_so() {
    // One text of a million characters, which the browser keeps once, as the address of each link.
    let links = pick(40, 300);
    let page = "<button onclick=\"document.title = 'pressed'\">Go</button><script>
        const long = '/' + 'x'.repeat(999_999);
        for (let at = 0; at < LINKS; at++) {
            const link = document.body.appendChild(document.createElement('a'));
            link.setAttribute('href', long);
            link.textContent = 'Link ' + at;
        }</script><p>end</p>"
        .replace("LINKS", &links.to_string());
    let bed = Bed::start(&[("/", &page), ("/calm", "<p>calm")]).await;
    bed.open("/").await;
    let seen = bed.see_all().await;
    let told: usize = seen
        .tree
        .nodes()
        .iter()
        .filter_map(|node| node.url.as_deref())
        .map(str::len)
        .sum();
    assert!((7_000_000..=9_000_000).contains(&told), "{told} characters");
    assert!(
        seen.tree.omitted() > links - 20,
        "{} left out",
        seen.tree.omitted()
    );
    assert!(!text_of(&seen).contains("end"));
    bed.does(click(reference(&seen, "Go"))).await;
    assert_eq!(bed.see_all().await.title, "pressed");
    bed.open("/calm").await;
    let seen = bed.see().await;
    assert_eq!(
        (text_of(&seen), seen.tree.omitted()),
        ("calm".to_owned(), 0)
    );
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_text_without_end_hides_nothing_else() {
    let page = "<p></p><button>Go</button><script>
        document.querySelector('p').textContent = 'word '.repeat(1_000_000);</script>";
    let bed = Bed::start(&[("/", page)]).await;
    bed.open("/").await;
    let seen = bed.see().await;
    let long = seen
        .tree
        .nodes()
        .iter()
        .filter_map(|node| node.value.as_deref())
        .max_by_key(|text| text.len())
        .unwrap();
    assert_eq!(
        (long.chars().count(), long.ends_with('…')),
        (1_000_000, true)
    );
    assert_eq!(
        (seen.tree.omitted(), &*element(&seen, "Go").name),
        (0, "Go")
    );
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn frames_that_answer_nothing_are_waited_for_together() {
    const STUCK: usize = 12;
    let page = format!(
        // What counts the frames stands before them: one that comes soon is not missed.
        "<script>
         let left = {STUCK} + 1;
         function came() {{ if (--left === 0) document.querySelector('p').textContent = 'loaded'; }}
         </script>
         <button onclick=\"for (let at = 0; at < {STUCK}; at++) frames[at].postMessage('stop', '*')\">Stop</button>
         <button onclick=\"this.classList.toggle('on')\">Toggle</button>
         <p>loading</p>{}<iframe src=/near onload='came()'></iframe>",
        "<iframe src=THERE/stops onload='came()'></iframe>".repeat(STUCK)
    );
    let stops = "<button>Stuck</button><script>onmessage = () => { for (;;); }</script>";
    let near = "<button>Near</button><iframe src=/nested></iframe>";
    let bed = Bed::whole(&[
        ("/", &page),
        ("/stops", stops),
        ("/near", near),
        ("/nested", "<p>nested"),
    ])
    .await;
    bed.open("/").await;
    bed.shows("loaded").await;
    let all = async { while text_of(&bed.see().await).matches("Stuck").count() < STUCK {} };
    timeout(NEVER, all)
        .await
        .expect("every frame is seen while it answers");
    timeout(NEVER, bed.act(button("Stop")))
        .await
        .expect("it does not hang");
    // One after the other they would take longer than that.
    let mut request = ObserveRequest::default();
    request.timeout = Duration::from_secs(20);
    let seen = bed.driver.observe(&request).await.unwrap();
    let text = text_of(&seen);
    assert!(
        text.contains("Near") && text.contains("nested") && !text.contains("Stuck"),
        "{text}"
    );
    // A scene without the frames that do not answer, and with the ones that do.
    let near = element(&seen, "Near").reference.clone().unwrap();
    let scene = bed.driver.scene(&SceneRequest::new(vec![near])).await;
    assert_eq!(scene.unwrap().boxes.len(), 1);
    let toggled = bed.act(button("Toggle")).await;
    assert!(
        toggled.traces.is_some(),
        "the page itself tells: {toggled:?}"
    );
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frame_among_many_that_are_hidden_is_in_the_scene() {
    let hidden = "<iframe hidden></iframe>".repeat(60);
    let page = format!("<iframe src=/shown></iframe>{hidden}");
    let bed = Bed::start(&[("/", &page), ("/shown", "<button>Shown</button>")]).await;
    bed.open("/").await;
    bed.shows("Shown").await;
    let shown = element(&bed.see().await, "Shown").reference.clone();
    let request = SceneRequest::new(vec![shown.unwrap()]);
    let scene = bed.driver.scene(&request).await.unwrap();
    assert_eq!(scene.boxes.len(), 1);
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_told_of_a_frame_is_all_of_one_document() {
    let page = "<div></div><script>
        const box = document.querySelector('div');
        for (let at = 0; at < 8; at++) box.append(Object.assign(document.createElement('iframe'), { src: '/a' }));
        let turn = 0;
        setInterval(() => { box.children[turn++ % 8].contentWindow.location.replace(turn % 3 === 0 ? '/a' : '/b?' + turn); }, EVERY);
        </script>".replace("EVERY", pick("60", "20"));
    let bed = Bed::start(&[
        ("/", &page),
        ("/a", "<button>/a</button>"),
        ("/b", "<button>/b</button>"),
    ])
    .await;
    bed.open("/").await;
    let (mut looks, mut frames) = (0, 0);
    // A frame that goes on while it is read is left out, so the number of looks that it takes depends on the machine.
    let (wanted, most) = pick((2, 60), (60, 600));
    while frames < wanted && looks < most {
        let seen = timeout(NEVER, bed.see()).await.expect("it does not hang");
        looks += 1;
        for (id, frame) in seen
            .tree
            .iter()
            .filter(|(_, node)| node.role == Role::Iframe)
        {
            let url = frame
                .url
                .as_deref()
                .expect("a frame has an address, or an empty one");
            let inside = seen.tree.descendants(id).map(|id| &seen.tree[id]);
            for button in inside.filter(|node| node.role == Role::Button) {
                assert!(
                    url.contains(&*button.name),
                    "{} in the frame at {url}",
                    button.name
                );
                frames += 1;
            }
        }
    }
    figure!(
        "cdp: {looks} looks at frames that go on all the time: {frames} frames, each with its own address"
    );
    assert!(frames >= wanted, "{frames} frames were read");
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn halves_of_characters_break_no_look() {
    let page =
        "<input aria-label=Field><a href=/>Link</a><img><textarea aria-label=Area></textarea><select></select><p></p>
        <button onclick=\"document.title = 'pressed'\">Go</button><style></style><script>
        const half = '\\ud83d', rest = '\\udc00';
        const one = (css) => document.querySelector(css);
        document.title = 'Title' + half;
        one('input').value = rest + 'value';
        one('input').placeholder = 'placeholder' + half;
        one('a').setAttribute('href', '/to' + rest);
        one('a').setAttribute('aria-label', half + 'link');
        one('img').setAttribute('alt', 'image' + half);
        one('textarea').value = 'area' + half;
        one('select').append(new Option('choice' + rest));
        one('p').append('text' + half);
        one('p').append(document.createElement('br'), 'x'.repeat(1_000_000 - 2) + '\\ud83d\\ude00');
        one('style').textContent = 'p::before { content: \"before' + half + '\" }';
        </script>";
    let bed = Bed::start(&[("/", page)]).await;
    bed.open("/").await;
    let seen = bed.see().await;
    assert_eq!(seen.title, "Title\u{fffd}");
    let field = element(&seen, "Field");
    assert_eq!(field.value.as_deref(), Some("\u{fffd}value"));
    assert_eq!(field.property("placeholder"), Some("placeholder\u{fffd}"));
    assert_eq!(
        element(&seen, "\u{fffd}link").url.as_deref(),
        Some("/to\u{fffd}")
    );
    assert_eq!(
        element(&seen, "Area").value.as_deref(),
        Some("area\u{fffd}")
    );
    let text = text_of(&seen);
    for wanted in [
        "image\u{fffd}",
        "choice\u{fffd}",
        "before\u{fffd}",
        "text\u{fffd}",
    ] {
        assert!(text.contains(wanted), "{wanted:?}");
    }
    let go: BrowserAction = click(reference(&seen, "Go"));
    bed.does(go).await;
    assert_eq!(bed.see().await.title, "pressed");
    bed.close().await;
}
