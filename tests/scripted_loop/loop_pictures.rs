//! Which steps show the model a picture, and what it can do with its points, by the whole loop with scripted ports.

use std::time::Duration;

use serde_json::json;
use webwise::{
    DecisionLoop, Origin, Task,
    action::RawCall,
    agent::{Images, Options},
    base::TokenCount,
    chat::{ChatRequest, ChatResponse, LlmCapabilities},
    event::EventKind,
    page::{Area, Drawing, DrawingKind, ElementRef, Locator, Scene},
    secret::{Secret, SecretName, Vault},
    store::InMemory,
    testing::{Recorder, ScriptedBrowser, ScriptedModel, ScriptedReply, call},
};

const FORM: &str = "https://form.example/";
const BOARD: &str = "https://board.example/";
const ICONS: &str = "https://icons.example/";
/// What the scripted browser gives for a picture; it is none, so it stays as it is.
const PICTURE: &[u8] = b"scripted";

/// A PNG file of this size, all white.
fn white(width: u32, height: u32) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Grayscale);
    let mut writer = encoder.write_header().unwrap();
    let count = usize::try_from(width * height).unwrap();
    writer.write_image_data(&vec![255; count]).unwrap();
    writer.finish().unwrap();
    file
}

fn scene(url: &str, boxes: &[(&str, Area)]) -> Scene {
    let mut scene = Scene::new(url, 800, 600);
    for (reference, area) in boxes {
        let reference = ElementRef::parse(reference).unwrap();
        scene.boxes.push((reference, *area));
    }
    scene
}

fn browser() -> ScriptedBrowser {
    let button = Area::new(10.0, 10.0, 80.0, 30.0);
    let mut board = scene(BOARD, &[("e2", button)]);
    let canvas = Drawing::new(
        DrawingKind::Canvas,
        Area::new(100.0, 50.0, 300.0, 200.0),
        false,
    );
    let locator = Locator::parse("css=\"canvas\" >> nth=0").unwrap();
    board.drawings.push(canvas.with_locator(locator));
    ScriptedBrowser::new()
        .with_page(
            FORM,
            "Form",
            "heading \"Sign up\" e1\nbutton \"Send\" e2\ntextbox \"Name\" e3",
        )
        .with_page(
            BOARD,
            "Board",
            "heading \"Play\" e1\nbutton \"Start\" e2\ntextbox \"Name\" e3",
        )
        .with_page(
            ICONS,
            "Icons",
            "heading \"Mail\" e1\nbutton \"\" e2\nbutton \"\" e3\nbutton \"\" e4",
        )
        .with_scene(scene(FORM, &[("e2", button), ("e3", button)]))
        .with_scene(board)
        .with_scene(scene(
            ICONS,
            &[("e2", button), ("e3", button), ("e4", button)],
        ))
}

fn does(tool: &str, arguments: serde_json::Value) -> ChatResponse {
    ChatResponse::with_calls([RawCall::new(tool, arguments)])
}

/// A reply with several calls.
fn do_all(calls: &[(&str, serde_json::Value)]) -> ChatResponse {
    let calls = calls.iter();
    ChatResponse::with_calls(calls.map(|(tool, arguments)| RawCall::new(*tool, arguments.clone())))
}

fn seeing(replies: Vec<ChatResponse>) -> ScriptedModel {
    let mut capabilities = LlmCapabilities::new("scripted");
    capabilities.images = true;
    ScriptedModel::new(replies).with_capabilities(capabilities)
}

/// The request after a reply with these calls on the form, where screenshots give these pictures, and how many pictures there
/// are events of.
async fn after(
    calls: &[(&str, serde_json::Value)],
    pictures: &[&'static str],
) -> (ChatRequest, usize) {
    let pngs = pictures.iter().map(|text| text.as_bytes().to_vec());
    let model = seeing(vec![do_all(calls), give_up()]);
    let (mut requests, _, pictured) =
        drive(browser().with_pictures(pngs), Images::Auto, model, FORM).await;
    (requests.remove(1), pictured)
}

fn shown(request: &ChatRequest) -> Vec<&str> {
    let pngs = request.images.iter();
    pngs.map(|image| std::str::from_utf8(&image.png).unwrap())
        .collect()
}

fn give_up() -> ChatResponse {
    call("finish", json!({ "answer": "enough", "success": false }))
}

/// A run from this page, which has no picture; what the model was sent, what was done, and how many pictures there are events of.
async fn run(
    images: Images,
    sees: bool,
    from: &str,
    replies: Vec<ChatResponse>,
) -> (Vec<ChatRequest>, Vec<String>, usize) {
    let mut capabilities = LlmCapabilities::new("scripted");
    capabilities.images = sees;
    let model = ScriptedModel::new(replies).with_capabilities(capabilities);
    drive(browser(), images, model, from).await
}

async fn drive(
    browser: ScriptedBrowser,
    images: Images,
    model: ScriptedModel,
    from: &str,
) -> (Vec<ChatRequest>, Vec<String>, usize) {
    let events = Recorder::new();
    let mut options = Options::default();
    options.images = images;
    // A point of a drawing may do anything, so it needs approval.
    options.approval = webwise::guard::ApprovalMode::Auto;
    options.settle = Duration::ZERO;
    let agent = DecisionLoop::builder(browser.clone(), model.clone(), InMemory::new())
        .with_options(options)
        .with_sink(events.clone())
        .build()
        .unwrap();
    let task = Task::new("Look at it")
        .unwrap()
        .with_start_url(from)
        .unwrap();
    agent.run(task).await;
    let events = events.events();
    let pictured = events
        .iter()
        .filter(|event| matches!(event.kind, EventKind::PictureTaken { .. }))
        .count();
    (model.requests(), browser.executed(), pictured)
}

/// How many pictures each request of two steps on a page has.
async fn pictures(images: Images, sees: bool, from: &str) -> Vec<usize> {
    let look_again = does("snapshot", json!({}));
    let (requests, ..) = run(images, sees, from, vec![look_again, give_up()]).await;
    requests
        .iter()
        .map(|request| request.images.len())
        .collect()
}

#[tokio::test(start_paused = true)]
async fn a_picture_is_sent_where_the_tree_says_too_little_and_not_on_an_ordinary_form() {
    assert_eq!(pictures(Images::Auto, true, BOARD).await, [1, 1]);
    assert_eq!(pictures(Images::Auto, true, ICONS).await, [1, 1]);
    assert_eq!(pictures(Images::Auto, true, FORM).await, [0, 0]);
}

#[tokio::test(start_paused = true)]
async fn always_sends_one_in_each_step_and_never_none() {
    for page in [BOARD, FORM] {
        assert_eq!(pictures(Images::Always, true, page).await, [1, 1]);
        assert_eq!(pictures(Images::Never, true, page).await, [0, 0]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_model_that_cannot_see_gets_none_and_no_tool_for_them() {
    for images in [Images::Auto, Images::Always, Images::Never] {
        assert_eq!(pictures(images, false, BOARD).await, [0, 0]);
    }
    let has = async |images, sees| {
        let (requests, ..) = run(images, sees, BOARD, vec![give_up()]).await;
        ["screenshot", "click_xy", "drag_xy"].map(|tool| requests[0].tools.contains(tool))
    };
    assert_eq!(has(Images::Auto, true).await, [true; 3]);
    assert_eq!(has(Images::Auto, false).await, [false; 3]);
    assert_eq!(has(Images::Never, true).await, [false; 3]);
}

#[tokio::test(start_paused = true)]
async fn a_model_that_asks_for_a_picture_gets_one_in_the_next_step_only() {
    let replies = vec![
        does("screenshot", json!({})),
        does("snapshot", json!({})),
        give_up(),
    ];
    let (requests, ..) = run(Images::Auto, true, FORM, replies).await;
    let counts: Vec<_> = requests
        .iter()
        .map(|request| request.images.len())
        .collect();
    assert_eq!(counts, [0, 1, 0]);
    assert_eq!(requests[1].images[0].png, PICTURE);
}

#[tokio::test(start_paused = true)]
async fn what_is_no_picture_has_no_marks_and_its_points_are_not_taken() {
    let click = does("click_xy", json!({ "x": 150, "y": 70 }));
    let (requests, executed, pictured) =
        run(Images::Auto, true, BOARD, vec![click, give_up()]).await;
    assert!(
        requests[0]
            .message
            .contains("- the picture shows the window\n"),
        "{}",
        requests[0].message
    );
    assert_eq!(executed.len(), 1, "only the page was opened: {executed:?}");
    assert_eq!(pictured, 2);
}

#[tokio::test(start_paused = true)]
async fn no_picture_is_sent_once_a_secret_was_typed() {
    let name = SecretName::parse("WORD").unwrap();
    let vault = Vault::new()
        .with(
            name,
            Secret::new("a long secret"),
            vec![Origin::parse(FORM).unwrap(), Origin::parse(BOARD).unwrap()],
        )
        .unwrap();
    for (images, page) in [(Images::Always, FORM), (Images::Auto, BOARD)] {
        let fill = do_all(&[
            ("screenshot", json!({})),
            ("screenshot", json!({ "target": "e2" })),
            ("fill", json!({ "target": "e3", "text": "<secret:WORD>" })),
        ]);
        let again = does("screenshot", json!({}));
        let model = seeing(vec![fill, again, give_up()]);
        let mut options = Options::default();
        options.images = images;
        options.settle = Duration::ZERO;
        let (browser, events) = (browser().with_picture(white(800, 600)), Recorder::new());
        let agent = DecisionLoop::builder(browser, model.clone(), InMemory::new())
            .with_options(options)
            .with_sink(events.clone())
            .build()
            .unwrap();
        let task = Task::new("Sign up")
            .unwrap()
            .with_start_url(page)
            .unwrap()
            .with_secrets(vault.clone());
        agent.run(task).await;
        let requests = model.requests();
        let counts: Vec<_> = requests.iter().map(|one| one.images.len()).collect();
        assert_eq!(counts, [1, 0, 0], "{page}");
        let is_picture = |kind: &EventKind| matches!(kind, EventKind::PictureTaken { .. });
        let all = events.events();
        let pictured = all.iter().filter(|event| is_picture(&event.kind)).count();
        assert_eq!(pictured, 3, "two before the secret was typed: {page}");
        for request in &requests[1..] {
            assert!(!request.message.contains("picture is from"), "{page}");
            assert!(!request.message.contains("picture 1"), "{page}");
        }
        let last = &requests[2].message;
        assert!(last.contains("screenshot"), "it was tried: {last}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_point_after_another_call_means_the_element_that_the_picture_showed() {
    // The scripted browser has one page for each address, so the reload also moves to another place of the page.
    const AGAIN: &str = "https://board.example/#again";
    for (again, clicked) in [
        (
            "button \"Start\" e7",
            Some(r#"click_xy {"target":"e7","x":10,"y":20}"#),
        ),
        (
            "button \"Start\" e2",
            Some(r#"click_xy {"target":"e2","x":10,"y":20}"#),
        ),
        ("button \"Delete account\" e2", None),
        ("link \"About\" e4", None),
    ] {
        let browser = browser()
            .with_page(AGAIN, "Board", &format!("heading \"Play\" e1\n{again}"))
            .with_picture(white(800, 600))
            .on(BOARD, "reload", [ScriptedReply::Show(AGAIN)]);
        let replies = vec![
            ChatResponse::with_calls([
                RawCall::new("reload", json!({})),
                RawCall::new("click_xy", json!({ "x": 20, "y": 30 })),
            ]),
            give_up(),
        ];
        let mut capabilities = LlmCapabilities::new("scripted");
        capabilities.images = true;
        let model = ScriptedModel::new(replies).with_capabilities(capabilities);
        let (requests, executed, _) = drive(browser, Images::Always, model, BOARD).await;
        assert_eq!(executed.get(2).map(String::as_str), clicked, "{again}");
        let message = &requests[1].message;
        let told = "what the picture shows at this point is no longer there as it was";
        assert_eq!(message.contains(told), clicked.is_none(), "{message}");
    }
}

#[tokio::test(start_paused = true)]
async fn where_a_dragged_element_came_from_and_where_it_lies_is_told() {
    // The scripted browser has one scene for each address, so the drag also moves to another place of the page.
    const MOVED: &str = "https://form.example/#moved";
    let form = "heading \"Sign up\" e1\nbutton \"Send\" e2\ntextbox \"Name\" e3";
    let place = |x, y| [("e2", Area::new(x, y, 80.0, 30.0))];
    for (to, told) in [
        (
            place(50.0, 35.4),
            Some(r#"~ button "Send": moved by 40,25 to top left 50,35"#),
        ),
        (place(10.2, 10.0), None),
    ] {
        let browser = ScriptedBrowser::new()
            .with_page(FORM, "Form", form)
            .with_page(MOVED, "Form", form)
            .with_scene(scene(FORM, &place(10.0, 10.0)))
            .with_scene(scene(MOVED, &to))
            .on(
                FORM,
                r#"drag_by {"target":"e2","x":40,"y":25}"#,
                [ScriptedReply::Show(MOVED)],
            );
        let replies = vec![
            does("drag_by", json!({ "target": "e2", "x": 40, "y": 25 })),
            give_up(),
        ];
        let model = ScriptedModel::new(replies);
        let (requests, ..) = drive(browser, Images::Never, model, FORM).await;
        let message = &requests[1].message;
        let line = message.lines().find(|line| line.contains("moved by"));
        assert_eq!(line, told, "{message}");
    }
}

#[tokio::test(start_paused = true)]
async fn points_of_a_marked_picture_become_points_of_what_lies_under_them() {
    let replies = vec![
        does("click_xy", json!({ "x": 150, "y": 70 })),
        does(
            "drag_xy",
            json!({ "x": 110, "y": 60, "to_x": 390, "to_y": 240, "via": [[200, 80]] }),
        ),
        does("hover_xy", json!({ "x": 150, "y": 70 })),
        does("click_xy", json!({ "x": 20, "y": 30, "double": true })),
        does("click_xy", json!({ "x": 700, "y": 500 })),
        give_up(),
    ];
    let model = seeing(replies);
    // Of a screen with twice as many pixels.
    let browser = browser().with_picture(white(1_600, 1_200));
    let (requests, executed, pictured) = drive(browser, Images::Auto, model, BOARD).await;
    assert_eq!(
        executed[1..],
        [
            r#"click_xy {"target":"css=\"canvas\" >> nth=0","x":50,"y":20}"#,
            r#"drag_xy {"target":"css=\"canvas\" >> nth=0","to_x":290,"to_y":190,"via":[[100,30]],"x":10,"y":10}"#,
            r#"hover_xy {"target":"css=\"canvas\" >> nth=0","x":50,"y":20}"#,
            r#"click_xy {"double":true,"target":"e2","x":10,"y":20}"#,
        ]
    );
    let told = "- the picture shows the window, 800 x 600 pixels, with the ref at a corner of each outlined element";
    assert!(
        requests[0].message.contains(told),
        "{}",
        requests[0].message
    );
    let last = &requests.last().unwrap().message;
    assert!(
        last.contains("nothing of the page is at this point of the picture"),
        "{last}"
    );
    for told in [
        "2. click_xy at 150,70 -> no_effect\n",
        "3. drag_xy from 110,60 over 200,80 to 390,240 -> no_effect\n",
        "4. hover_xy at 150,70\n",
        "5. click_xy button \"Start\" at 20,30 double -> no_effect\n",
    ] {
        assert!(last.contains(told), "as the model gave it: {last}");
    }
    let png = &requests[0].images[0].png;
    let reader = png::Decoder::new(std::io::Cursor::new(png))
        .read_info()
        .unwrap();
    assert_eq!((reader.info().width, reader.info().height), (800, 600));
    assert_ne!(*png, white(800, 600), "with marks");
    assert_eq!((requests.len(), pictured), (6, 6));
}

#[tokio::test(start_paused = true)]
async fn every_picture_of_a_reply_comes_in_order_with_its_step() {
    let (look, wait) = (
        ("screenshot", json!({})),
        ("wait", json!({ "seconds": 0.3 })),
    );
    let follows = [&look, &wait, &look, &wait, &look].map(Clone::clone);
    let (request, pictured) = after(&follows, &["a", "b", "c"]).await;
    assert_eq!(shown(&request), ["a", "b", "c"], "c is not sent twice");
    let told = "- picture 1 is from step 2, picture 2 from step 4; the last picture shows the window now\n";
    assert!(request.message.contains(told), "{}", request.message);
    assert!(
        request.message.contains("3. wait 0.3\n"),
        "{}",
        request.message
    );
    assert_eq!(pictured, 4);
    // The display goes on.
    let (request, _) = after(&follows, &["a", "b", "c", "d"]).await;
    assert_eq!(shown(&request), ["a", "b", "c", "d"]);
    // It stands still.
    let (request, _) = after(&follows, &["a"]).await;
    assert_eq!(shown(&request), ["a"]);
    let same = "- the picture shows the window; the pictures of steps 2 and 4 and 6 are the same\n";
    assert!(request.message.contains(same), "{}", request.message);
    let alone = "- the picture shows the window\n";
    // A picture alone, as the last call, is that of now.
    let (request, _) = after(&follows[..1], &["a", "b"]).await;
    assert_eq!(shown(&request), ["b"]);
    assert!(request.message.contains(alone), "{}", request.message);
    // One before an action is not lost.
    let fill = ("fill", json!({ "target": "e3", "text": "Ada" }));
    let (request, _) = after(&[look.clone(), fill], &["a", "b"]).await;
    assert_eq!(shown(&request), ["a", "b"]);
    let element = ("screenshot", json!({ "target": "e2" }));
    let (request, _) = after(&[element], &["a", "b"]).await;
    assert_eq!(shown(&request), ["a"]);
    let told = "- the picture is from step 2\n";
    assert!(request.message.contains(told), "{}", request.message);
    // Only so many are sent.
    let many = vec![look; 7];
    let (request, _) = after(&many, &["a", "b", "c", "d", "e", "f", "g", "h"]).await;
    assert_eq!(shown(&request), ["d", "e", "f", "g", "h"]);
    let told = "picture 4 from step 8, older ones are left out; the last";
    assert!(request.message.contains(told), "{}", request.message);
}

#[tokio::test(start_paused = true)]
async fn pictures_leave_room_for_the_message() {
    let look = ("screenshot", json!({}));
    let sent = async |window| {
        let mut capabilities = LlmCapabilities::new("scripted");
        capabilities.images = true;
        capabilities.context_window = Some(TokenCount(window));
        let replies = vec![do_all(&vec![look.clone(); 4]), give_up()];
        let model = ScriptedModel::new(replies).with_capabilities(capabilities);
        let browser = browser().with_pictures(["a", "b", "c", "d", "e"].map(Into::into));
        let (mut requests, ..) = drive(browser, Images::Auto, model, FORM).await;
        let request = requests.remove(1);
        shown(&request).concat()
    };
    assert_eq!(sent(64_000).await, "abcde");
    assert_eq!(sent(16_000).await, "cde");
    assert_eq!(sent(4_000).await, "e");
}

#[tokio::test(start_paused = true)]
async fn no_earlier_picture_is_sent_once_a_frame_is_hidden() {
    let framed = "https://form.example/framed";
    let look = |target| ("screenshot", target);
    let calls = [
        look(json!({})),
        look(json!({ "target": "e2" })),
        ("click", json!({ "target": "e2" })),
    ];
    for (leads_to, sent) in [(BOARD, "abc"), (framed, "")] {
        let browser = browser()
            .with_pictures(["a", "b", "c"].map(Into::into))
            .with_page(framed, "Framed", "iframe \"Ad\" e1 -> http://10.0.0.1/ad")
            .on(
                FORM,
                r#"click {"target":"e2"}"#,
                [ScriptedReply::Show(leads_to)],
            );
        let model = seeing(vec![do_all(&calls), give_up()]);
        let (requests, ..) = drive(browser, Images::Auto, model, FORM).await;
        assert_eq!(shown(&requests[1]).concat(), sent);
    }
}

#[tokio::test(start_paused = true)]
async fn a_model_that_follows_a_display_is_not_warned_at_once() {
    let (look, wait) = (("screenshot", json!({})), ("wait", json!({ "seconds": 1 })));
    let follows = do_all(&[&look, &wait, &look, &wait].map(Clone::clone));
    let (requests, ..) = drive(browser(), Images::Auto, seeing(vec![follows; 12]), FORM).await;
    let warned = |request: &ChatRequest| request.message.contains("Try another way");
    let first = requests.iter().position(warned);
    assert_eq!((first, requests.len()), (Some(5), 10), "it ends");
    let told = "In 5 replies in a row you only looked or waited, and nothing new was shown.";
    assert!(
        requests[5].message.contains(told),
        "{}",
        requests[5].message
    );
}
