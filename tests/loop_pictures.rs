//! Which steps show the model a picture, and what it can do with its points, by the whole loop with scripted ports.

use std::time::Duration;

use serde_json::json;
use webwise::{
    DecisionLoop, Origin, Task,
    action::RawCall,
    agent::{Images, Options},
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
        let fill = does("fill", json!({ "target": "e3", "text": "<secret:WORD>" }));
        let again = does("screenshot", json!({}));
        let mut capabilities = LlmCapabilities::new("scripted");
        capabilities.images = true;
        let model =
            ScriptedModel::new(vec![fill, again, give_up()]).with_capabilities(capabilities);
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
        assert_eq!(pictured, 1, "{page}");
        let last = &requests[2].message;
        assert!(last.contains("screenshot"), "it was tried: {last}");
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
    let mut capabilities = LlmCapabilities::new("scripted");
    capabilities.images = true;
    let model = ScriptedModel::new(replies).with_capabilities(capabilities);
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
