//! The ways in which a run can come to a page off scope.

use serde_json::json;
use webwise::action::ErrorClass;

use super::drive::Do;

/// How a run must deal with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// It leaves the page, says so in the action's outcome, and goes on.
    Left,
    /// It leaves the page, or ends, before the next action; no action is at fault.
    Gone,
    /// It ends, because every way leads there.
    Stopped,
    /// The page is beside the one it stands on, and is not shown.
    Hidden,
}

/// A way, from its first page.
#[derive(Debug)]
pub(crate) struct Course {
    pub(crate) name: &'static str,
    pub(crate) path: &'static str,
    pub(crate) script: Vec<Do>,
    pub(crate) end: End,
    /// Whether keys or clicks would reach the page if nothing held them back.
    pub(crate) types: bool,
}

fn course(path: &'static str, script: Vec<Do>, end: End) -> Course {
    Course {
        name: path,
        path,
        script,
        end,
        types: false,
    }
}

fn look() -> Do {
    Do::Call("snapshot", json!({}))
}

fn dismiss() -> Do {
    Do::Call("dialog_dismiss", json!({}))
}

fn goto(url: &str) -> Do {
    Do::Call("goto", json!({ "url": url }))
}

/// Every course; `home` gives addresses where a run may be.
#[expect(clippy::too_many_lines, reason = "it is a table")]
pub(crate) fn all(home: impl Fn(&str) -> String) -> Vec<Course> {
    // By a click that leads away, in every way a page has.
    let clicks = [
        "/301",
        "/302",
        "/303",
        "/307",
        "/308",
        "/chained",
        "/meta",
        "/header",
        "/onload",
        "/link",
        "/jslink",
        "/area",
        "/assign",
        "/replace",
        "/history",
        "/submit",
        "/get",
        "/post",
        "/formredirect",
        "/opener",
        "/linkstay",
    ];
    let mut courses: Vec<Course> = clicks
        .into_iter()
        .map(|path| course(path, vec![Do::Go, look(), look()], End::Left))
        .collect();
    let named = |name, course: Course| Course { name, ..course };
    let typing = |name, course: Course| Course {
        name,
        types: true,
        ..course
    };
    let key = || Do::Call("press", json!({ "key": "a" }));
    let text = || Do::Call("type", json!({ "text": "private" }));
    let select = |index: u32| Do::Call("tab_select", json!({ "index": index }));
    // A page that alerts at once: what it says is hidden until the page itself was seen, so the control looks behind it.
    let dismissed = || vec![Do::Go, dismiss(), dismiss(), dismiss(), look()];
    courses.extend(["/linkalert", "/linkalerts"].map(|path| course(path, dismissed(), End::Left)));
    courses.extend([
        course("/late", vec![Do::Go, Do::Leave, look(), look()], End::Gone),
        course("/metalate", vec![Do::Leave, look(), look()], End::Gone),
        named(
            "a page that leaves while a person is asked",
            course(
                "/laterbutton",
                vec![Do::GoWhenAllowed, look(), look()],
                End::Gone,
            ),
        ),
        course("/framebreak", vec![Do::Leave, look(), look()], End::Gone),
        course(
            "/lateralert",
            vec![Do::Leave, look(), dismiss(), look()],
            End::Gone,
        ),
        // While the model thinks, the page becomes another one: what it decided must not meet that one.
        typing(
            "keys after the page moved",
            course("/later", vec![Do::Leave, text(), key(), look()], End::Gone),
        ),
        typing(
            "a locator after the page moved",
            course(
                "/laterbutton",
                vec![
                    Do::Leave,
                    Do::Call("click", json!({ "target": "role=button[name=\"Go\"]" })),
                    Do::Go,
                    look(),
                ],
                End::Gone,
            ),
        ),
        named(
            "a reference after the page moved",
            course("/laterbutton", vec![Do::Leave, Do::Go, look()], End::Gone),
        ),
        named(
            "a picture after the page moved",
            course(
                "/later",
                vec![Do::Leave, Do::Call("screenshot", json!({})), look()],
                End::Gone,
            ),
        ),
        named(
            "a wait in which the page moves",
            course(
                "/soon",
                vec![Do::Open, Do::Call("wait", json!({ "seconds": 2 })), look()],
                End::Left,
            ),
        ),
        // Addresses that the model opens, and that lead on.
        named(
            "goto that is redirected",
            course(
                "/",
                vec![
                    goto(&home("/r/302")),
                    look(),
                    goto(&home("/metarefresh")),
                    look(),
                ],
                End::Left,
            ),
        ),
        named(
            "goto that is redirected in a chain",
            course("/", vec![goto(&home("/chain/6")), look()], End::Left),
        ),
        named(
            "a new tab that is redirected",
            course(
                "/",
                vec![
                    Do::Call("tab_new", json!({ "url": home("/r/307") })),
                    look(),
                    Do::Call("tab_list", json!({})),
                ],
                End::Left,
            ),
        ),
        // Back, forward, and again.
        course(
            "/flip",
            vec![Do::Call("reload", json!({})), look()],
            End::Left,
        ),
        named(
            "back to a page that was left",
            course(
                "/link",
                vec![Do::Go, Do::Call("go_back", json!({})), look()],
                End::Left,
            ),
        ),
        named(
            "back and forward",
            course(
                "/replace",
                vec![
                    Do::Go,
                    Do::Call("go_back", json!({})),
                    Do::Call("go_forward", json!({})),
                    look(),
                ],
                End::Left,
            ),
        ),
        // Windows beside the page.
        named(
            "a window by a link",
            course(
                "/blank",
                vec![Do::Go, look(), Do::Call("tab_list", json!({})), look()],
                End::Hidden,
            ),
        ),
        named(
            "a window by a script",
            course(
                "/open",
                vec![Do::Go, look(), Do::Call("tab_list", json!({})), look()],
                End::Hidden,
            ),
        ),
        named(
            "a window that is chosen",
            course(
                "/blank",
                vec![Do::Go, select(1), look(), Do::Call("tab_list", json!({}))],
                End::Left,
            ),
        ),
        named(
            "a window that comes to the front",
            course(
                "/open",
                vec![Do::Go, Do::Call("tab_close", json!({ "index": 0 })), look()],
                End::Left,
            ),
        ),
        // Frames in the page.
        course(
            "/frame",
            vec![
                look(),
                Do::Go,
                Do::Call("extract", json!({ "name": "all" })),
                look(),
            ],
            End::Hidden,
        ),
        course("/framealert", vec![look(), dismiss(), look()], End::Hidden),
        course("/frameset", vec![look(), Do::Go, look()], End::Hidden),
        course("/framenav", vec![Do::Go, look(), look()], End::Hidden),
        // Every way leads there.
        course("/r/301", vec![look()], End::Stopped),
        course("/metarefresh", vec![look(), look()], End::Stopped),
    ]);
    courses
}

/// The classes with which an action may end that came too late.
pub(crate) const TOO_LATE: [ErrorClass; 3] = [
    ErrorClass::Blocked,
    ErrorClass::Detached,
    ErrorClass::RefNotFound,
];
