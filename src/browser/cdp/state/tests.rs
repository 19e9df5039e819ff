use serde_json::{Value, json, value::RawValue};

use super::*;
use crate::{
    browser::cdp::{events::FrameInfo, settle::Pending, wire::Event},
    page::{Dialog, DialogKind},
};

/// A simulated browser whose events the test creates.
#[derive(Default)]
struct Played(BrowserState);

impl Played {
    fn hears(&mut self, session: Option<&str>, method: &str, params: &Value) -> Vec<Effect> {
        let params = RawValue::from_string(params.to_string()).unwrap();
        let told = BrowserEvent::read(&Event {
            session,
            method,
            params: &params,
        });
        told.map(|told| self.0.learn(session, told))
            .unwrap_or_default()
    }

    fn target(&mut self, id: &str, opener: Option<&str>, url: &str) -> Vec<Effect> {
        let info =
            json!({ "targetId": id, "type": "page", "title": "", "url": url, "openerId": opener });
        self.hears(None, "Target.targetCreated", &json!({ "targetInfo": info }))
    }

    fn attach(&mut self, parent: Option<&str>, session: &str, id: &str, kind: &str) -> Vec<Effect> {
        let info = json!({ "targetId": id, "type": kind, "title": "", "url": "" });
        self.hears(
            parent,
            "Target.attachedToTarget",
            &json!({ "sessionId": session, "targetInfo": info }),
        )
    }

    fn navigated(
        &mut self,
        session: &str,
        frame: &str,
        parent: Option<&str>,
        loader: &str,
        url: &str,
    ) {
        let frame = json!({ "id": frame, "parentId": parent, "loaderId": loader, "url": url });
        self.hears(
            Some(session),
            "Page.frameNavigated",
            &json!({ "frame": frame }),
        );
    }

    fn of(&mut self, session: &str, method: &str, frame: &str) {
        self.hears(
            Some(session),
            method,
            &json!({ "frameId": frame, "disposition": "currentTab" }),
        );
    }

    /// Returns a browser with a tab `T`, which has the session `s` and shows a page.
    fn with_a_page() -> Self {
        let mut played = Self::default();
        played.target("T", None, "about:blank");
        played.attach(None, "s", "T", "page");
        played.navigated("s", "T", None, "L1", "http://a.test/");
        played
    }

    fn frame(&self, id: &str) -> &Frame {
        &self.0.tab().unwrap().frames[id]
    }
}

fn world() -> World {
    World {
        context: 7,
        object: "o".into(),
    }
}

#[test]
fn a_tab_is_attached_to_prepared_and_current() {
    let mut played = Played::default();
    assert_eq!(
        played.target("T", None, ""),
        [Effect::Attach { target: "T".into() }]
    );
    assert_eq!(played.target("T", None, ""), [], "it is told once");
    let prepare = Effect::Prepare {
        session: "s".into(),
        target: "T".into(),
        is_tab: true,
    };
    assert_eq!(played.attach(None, "s", "T", "page"), [prepare]);
    assert_eq!(
        played.attach(None, "s2", "T", "page"),
        [],
        "one session is enough"
    );
    assert_eq!(played.0.tab().unwrap().session.as_deref(), Some("s"));
    assert_eq!(
        played.hears(
            None,
            "Target.targetCreated",
            &json!({ "targetInfo": { "targetId": "W", "type": "worker" } })
        ),
        []
    );
}

#[test]
fn the_sockets_of_tabs_and_workers_are_judged_once_a_secret_was_typed() {
    let mut played = Played::with_a_page();
    let made = json!({ "requestId": "1", "url": "wss://a.test/" });
    let attached =
        |id: &str| json!({ "sessionId": id, "targetInfo": { "targetId": id, "type": "worker" } });
    let of = "Network.webSocketCreated";
    assert_eq!(played.hears(Some("s"), of, &made), []);
    assert_eq!(
        played.hears(Some("s"), "Target.attachedToTarget", &attached("early")),
        []
    );
    played.0.guards = true;
    let judge = Effect::JudgeSocket {
        url: "wss://a.test/".into(),
    };
    assert_eq!(played.hears(Some("early"), of, &made), [judge]);
    let prepare = Effect::Prepare {
        session: "late".into(),
        target: "late".into(),
        is_tab: false,
    };
    assert_eq!(
        played.hears(Some("s"), "Target.attachedToTarget", &attached("late")),
        [prepare]
    );
    let mut sessions = played.0.sessions();
    sessions.sort();
    assert_eq!(sessions, ["early", "late", "s"]);
}

#[test]
fn in_a_browser_of_others_only_what_was_opened_here_is_seen() {
    let mut played = Played::default();
    played.0.own_only = true;
    assert_eq!(played.target("theirs", None, "https://bank.test/"), []);
    played.0.open("ours");
    assert_eq!(played.target("ours", None, ""), []);
    assert_eq!(
        played.target("popup", Some("ours"), ""),
        [Effect::Attach {
            target: "popup".into()
        }]
    );
    assert_eq!(played.target("other", Some("theirs"), ""), []);
    assert_eq!(
        played
            .0
            .tabs
            .iter()
            .map(|tab| &*tab.target)
            .collect::<Vec<_>>(),
        ["ours", "popup"]
    );
}

#[test]
fn a_hidden_tab_is_ours_and_no_page_can_make_one() {
    let mut played = Played::with_a_page();
    played.0.hidden = Some("about:blank#webwise-1".into());
    assert_eq!(played.target("H", None, "about:blank#webwise-1"), []);
    // A click with Ctrl opens a tab without an opener.
    assert_eq!(
        played.target("P", None, "about:blank#webwise-2"),
        [Effect::Attach { target: "P".into() }]
    );
}

#[test]
fn when_the_current_tab_goes_the_next_one_takes_its_place() {
    let mut played = Played::with_a_page();
    played.target("U", None, "");
    played.target("V", None, "");
    for (gone, current) in [("T", Some("U")), ("V", Some("U")), ("U", None)] {
        played.hears(None, "Target.targetDestroyed", &json!({ "targetId": gone }));
        assert_eq!(played.0.current.as_deref(), current);
    }
}

#[test]
fn a_new_document_voids_the_world_and_what_was_in_it() {
    let mut played = Played::with_a_page();
    played.hears(
        Some("s"),
        "Page.frameAttached",
        &json!({ "frameId": "F", "parentFrameId": "T" }),
    );
    played.navigated("s", "F", Some("T"), "M1", "http://a.test/inner");
    let number = played.frame("F").number;
    assert!(number > 0 && played.frame("T").number == 0);
    played
        .0
        .tab_mut()
        .unwrap()
        .frames
        .get_mut("F")
        .unwrap()
        .world = Some(world());

    played.hears(
        Some("s"),
        "Page.navigatedWithinDocument",
        &json!({ "frameId": "F", "url": "http://a.test/inner#x" }),
    );
    assert_eq!(
        (played.frame("F").world.clone(), &*played.frame("F").url),
        (Some(world()), "http://a.test/inner#x")
    );
    played.navigated("s", "F", Some("T"), "M2", "http://a.test/next");
    assert_eq!(played.frame("F").world, None);
    assert!(
        played.frame("F").number > number,
        "references of the document before must not mean this one"
    );

    played.navigated("s", "T", None, "L2", "http://b.test/");
    assert_eq!(
        played.0.tab().unwrap().frames.keys().collect::<Vec<_>>(),
        ["T"]
    );
    assert_eq!(played.0.tab().unwrap().url, "http://b.test/");
}

#[test]
fn a_frame_goes_on_in_another_process_and_comes_back() {
    let mut played = Played::with_a_page();
    played.hears(
        Some("s"),
        "Page.frameAttached",
        &json!({ "frameId": "F", "parentFrameId": "T" }),
    );
    played.hears(
        Some("s"),
        "Page.frameDetached",
        &json!({ "frameId": "F", "reason": "swap" }),
    );
    let effects = played.attach(Some("s"), "f", "F", "iframe");
    assert_eq!(
        effects,
        [Effect::Prepare {
            session: "f".into(),
            target: "F".into(),
            is_tab: false
        }]
    );
    played.navigated("f", "F", None, "M1", "http://b.test/");
    assert_eq!(
        (
            &*played.frame("F").session,
            played.frame("F").parent.as_deref()
        ),
        ("f", Some("T"))
    );
    // The frame's own session reports its content.
    played.hears(
        Some("f"),
        "Page.frameAttached",
        &json!({ "frameId": "G", "parentFrameId": "F" }),
    );
    assert!(played.0.tab().unwrap().frames.contains_key("G"));

    assert_eq!(
        played.hears(
            None,
            "Target.detachedFromTarget",
            &json!({ "sessionId": "f" })
        ),
        [Effect::End {
            session: "f".into()
        }]
    );
    played.navigated("s", "F", Some("T"), "M2", "http://a.test/");
    assert_eq!(
        (&*played.frame("F").session, played.frame("F").world.clone()),
        ("s", None)
    );
    played.hears(
        Some("s"),
        "Page.frameDetached",
        &json!({ "frameId": "F", "reason": "remove" }),
    );
    assert_eq!(
        played.0.tab().unwrap().frames.keys().collect::<Vec<_>>(),
        ["T"]
    );
}

#[test]
fn what_is_inside_of_a_frame_may_be_told_of_first() {
    let mut played = Played::with_a_page();
    played.hears(
        Some("s"),
        "Page.frameAttached",
        &json!({ "frameId": "F", "parentFrameId": "T" }),
    );
    // `F` gets its own process and `N` in it another one, and both are reported before the page's process says that `F`
    // left it.
    played.attach(Some("s"), "f", "F", "iframe");
    played.attach(Some("f"), "n", "N", "iframe");
    played.navigated("n", "N", Some("F"), "N1", "http://a.test/nested");
    played.hears(
        Some("s"),
        "Page.frameDetached",
        &json!({ "frameId": "F", "reason": "swap" }),
    );
    assert_eq!(played.frame("N").session, "n");
    played.navigated("f", "F", Some("T"), "F1", "http://b.test/");
    assert_eq!(
        (&*played.frame("N").session, &*played.frame("N").loader),
        ("n", "N1")
    );
    // The next document of `F` removes `N`.
    played.navigated("f", "F", Some("T"), "F2", "http://b.test/next");
    assert_eq!(
        played.0.tab().unwrap().frames.keys().collect::<Vec<_>>(),
        ["F", "T"]
    );
}

#[test]
fn what_events_told_is_not_overwritten_by_an_older_look() {
    let mut played = Played::with_a_page();
    let frame = |id: &str, loader: &str, url: &str| FrameInfo {
        id: id.into(),
        parent_id: (id != "T").then(|| "T".into()),
        loader_id: loader.into(),
        url: url.into(),
        url_fragment: String::new(),
    };
    let child = FrameTree {
        frame: frame("F", "M1", "http://a.test/inner"),
        child_frames: Vec::new(),
    };
    let tree = FrameTree {
        frame: frame("T", "L0", "http://old.test/"),
        child_frames: vec![child],
    };
    played.0.frames("s", &tree);
    assert_eq!(
        (&*played.frame("T").loader, &*played.frame("F").url),
        ("L1", "http://a.test/inner")
    );
}

#[test]
fn a_frame_that_went_to_a_process_of_its_own_is_not_taken_back_by_an_older_look() {
    let mut played = Played::with_a_page();
    let tree = |id: &str, loader: &str, url: &str, child_frames: Vec<FrameTree>| FrameTree {
        frame: FrameInfo {
            id: id.into(),
            parent_id: Some(if id == "F" { "T" } else { "F" }.into()),
            loader_id: loader.into(),
            url: url.into(),
            url_fragment: String::new(),
        },
        child_frames,
    };
    played.attach(Some("s"), "f", "F", "iframe");
    // The session reported the inner frame, first as empty, then with a session of its own. Only then do the answers
    // come.
    played.hears(
        Some("f"),
        "Page.frameAttached",
        &json!({ "frameId": "N", "parentFrameId": "F" }),
    );
    played.attach(Some("f"), "n", "N", "iframe");
    let empty = tree("N", "L3", "about:blank", Vec::new());
    played
        .0
        .frames("f", &tree("F", "L2", "http://b.test/", vec![empty]));
    played
        .0
        .frames("n", &tree("N", "L4", "http://a.test/nested", Vec::new()));
    let nested = played.frame("N");
    assert_eq!(
        (&*nested.session, &*nested.loader, &*nested.url),
        ("n", "L4", "http://a.test/nested")
    );
}

#[test]
fn a_dialog_blocks_until_it_is_closed_and_a_chooser_until_it_is_answered() {
    let mut played = Played::with_a_page();
    played.hears(
        Some("s"),
        "Page.javascriptDialogOpening",
        &json!({ "type": "confirm", "message": "Sure?", "url": "" }),
    );
    let dialog = played.0.tab().unwrap().blocked_by();
    assert_eq!(dialog, Some(Dialog::new(DialogKind::Confirm, "Sure?")));
    assert!(matches!(
        played.0.trouble(),
        Some(crate::browser::cdp::error::CdpError::Dialog(_))
    ));
    played.hears(
        Some("s"),
        "Page.javascriptDialogClosed",
        &json!({ "result": true }),
    );
    assert_eq!(played.0.tab().unwrap().blocked_by(), None);
    played.hears(
        Some("s"),
        "Page.fileChooserOpened",
        &json!({ "frameId": "T", "backendNodeId": 5, "mode": "selectSingle" }),
    );
    assert_eq!(
        played
            .0
            .tab()
            .unwrap()
            .blocked_by()
            .map(|dialog| dialog.kind),
        Some(DialogKind::FileChooser)
    );
    assert!(played.0.trouble().is_none(), "the browser itself goes on");
}

#[test]
fn a_crash_and_the_end_are_told_before_anything_else() {
    let mut played = Played::with_a_page();
    played.attach(Some("s"), "f", "F", "iframe");
    played.hears(Some("f"), "Inspector.targetCrashed", &json!({}));
    assert!(played.0.trouble().is_none(), "a frame is not the page");
    played.hears(Some("s"), "Inspector.targetCrashed", &json!({}));
    assert!(matches!(
        played.0.trouble(),
        Some(crate::browser::cdp::error::CdpError::Lost(
            "the page crashed"
        ))
    ));
    let crash = json!({ "targetId": "T", "status": "oom", "errorCode": 5 });
    played.hears(None, "Target.targetCrashed", &crash);
    let why = "the page's process was out of memory";
    assert!(
        matches!(played.0.trouble(), Some(crate::browser::cdp::error::CdpError::Lost(said)) if said == why)
    );
    let how = played.0.tab().and_then(|tab| tab.how.clone());
    assert_eq!(how.as_deref(), Some("oom, 5"), "in the browser's words");
    let mut played = Played::with_a_page();
    played.hears(None, "Target.targetDestroyed", &json!({ "targetId": "T" }));
    assert!(matches!(
        played.0.trouble(),
        Some(crate::browser::cdp::error::CdpError::Lost(
            "the last tab was closed"
        ))
    ));
}

#[test]
fn a_page_is_settled_when_nothing_that_began_is_under_way() {
    let mut played = Played::with_a_page();
    let request = |id: &str, kind: &str| json!({ "requestId": id, "frameId": "T", "type": kind });
    played.hears(
        Some("s"),
        "Network.requestWillBeSent",
        &request("old", "Fetch"),
    );
    let mark = played.0.mark();
    assert_eq!(
        played.0.pending(&mark),
        Pending::Nothing,
        "what began before is not the action's"
    );

    played.hears(
        Some("s"),
        "Network.requestWillBeSent",
        &request("socket", "WebSocket"),
    );
    played.hears(
        Some("s"),
        "Network.requestWillBeSent",
        &request("image", "Image"),
    );
    assert_eq!(played.0.pending(&mark), Pending::Nothing);
    let mut worker = request("worker", "Script");
    worker["loaderId"] = "".into();
    played.hears(Some("s"), "Network.requestWillBeSent", &worker);
    assert_eq!(
        played.0.pending(&mark),
        Pending::Nothing,
        "the end of a worker's script is never told here"
    );
    played.hears(
        Some("s"),
        "Network.requestWillBeSent",
        &request("new", "XHR"),
    );
    assert_eq!(played.0.pending(&mark), Pending::Parts);
    played.hears(
        Some("s"),
        "Network.loadingFailed",
        &json!({ "requestId": "new" }),
    );
    assert_eq!(played.0.pending(&mark), Pending::Nothing);

    played.of("s", "Page.frameRequestedNavigation", "T");
    assert_eq!(played.0.pending(&mark), Pending::Asked);
    played.of("s", "Page.frameStartedLoading", "T");
    played.navigated("s", "T", None, "L2", "http://a.test/next");
    assert_eq!(played.0.pending(&mark), Pending::Navigation);
    let ready = json!({ "frameId": "T", "loaderId": "L2", "name": "DOMContentLoaded" });
    played.hears(Some("s"), "Page.lifecycleEvent", &ready);
    assert_eq!(
        played.0.pending(&mark),
        Pending::Parts,
        "its images are missing"
    );
    played.of("s", "Page.frameStoppedLoading", "T");
    assert_eq!(played.0.pending(&mark), Pending::Nothing);

    played.target("U", Some("T"), "");
    assert_eq!(
        played.0.pending(&mark),
        Pending::Parts,
        "a new tab has no address yet"
    );
    let info =
        json!({ "targetId": "U", "type": "page", "title": "", "url": "http://a.test/popup" });
    played.hears(
        None,
        "Target.targetInfoChanged",
        &json!({ "targetInfo": info }),
    );
    assert_eq!(played.0.pending(&mark), Pending::Nothing);
}

#[test]
fn an_answer_that_began_to_come_is_told_from_one_that_did_not() {
    let mut played = Played::with_a_page();
    let mark = played.0.mark();
    let of = |kind: &str| json!({ "requestId": kind, "frameId": "T", "type": kind });
    for kind in ["Fetch", "Script"] {
        played.hears(Some("s"), "Network.requestWillBeSent", &of(kind));
        played.hears(Some("s"), "Network.responseReceived", &of(kind));
    }
    assert_eq!(
        played.0.pending(&mark),
        Pending::Parts,
        "a script is run when it is whole"
    );
    played.hears(Some("s"), "Network.loadingFinished", &of("Script"));
    assert_eq!(played.0.pending(&mark), Pending::Rest);
    let before = played.0.tab().unwrap().received;
    played.hears(Some("s"), "Network.dataReceived", &of("Fetch"));
    assert!(played.0.tab().unwrap().received > before);
    played.0.forget_rest();
    assert_eq!(played.0.pending(&mark), Pending::Nothing, "nobody reads it");
}

#[test]
fn a_document_is_waited_for_from_its_request_until_it_is_read() {
    let mut played = Played::with_a_page();
    for name in ["DOMContentLoaded", "load"] {
        played.hears(
            Some("s"),
            "Page.lifecycleEvent",
            &json!({ "frameId": "T", "loaderId": "L1", "name": name }),
        );
    }
    let mark = played.0.mark();
    let begins = json!({ "frameId": "T", "loaderId": "L2", "url": "http://a.test/", "navigationType": "differentDocument" });
    played.of("s", "Page.frameRequestedNavigation", "T");
    played.hears(Some("s"), "Page.frameStartedNavigating", &begins);
    played.of("s", "Page.frameStartedLoading", "T");
    assert_eq!(
        played.0.pending(&mark),
        Pending::Navigation,
        "the page that is left is whole, and another one comes"
    );
    let request = json!({ "requestId": "L2", "frameId": "T", "type": "Document" });
    played.hears(Some("s"), "Network.requestWillBeSent", &request);
    assert_eq!(played.0.pending(&mark), Pending::Navigation);
    played.navigated("s", "T", None, "L2", "http://a.test/");
    // A late report of it changes nothing.
    played.hears(Some("s"), "Page.frameStartedNavigating", &begins);
    assert_eq!(played.frame("T").goes, None);
    assert_eq!(
        played.0.pending(&mark),
        Pending::Navigation,
        "it is not read yet"
    );
}

#[test]
fn an_answer_that_is_no_document_ends_the_navigation() {
    let mut played = Played::with_a_page();
    let mark = played.0.mark();
    let begins = json!({ "frameId": "T", "loaderId": "L2", "navigationType": "differentDocument" });
    let ends = |canceled: bool| json!({ "requestId": "L2", "canceled": canceled });
    played.hears(Some("s"), "Page.frameStartedNavigating", &begins);
    played.hears(Some("s"), "Network.loadingFailed", &ends(false));
    assert_eq!(
        played.0.pending(&mark),
        Pending::Navigation,
        "the browser's page about it comes"
    );
    played.hears(Some("s"), "Network.loadingFailed", &ends(true));
    assert_eq!(
        played.0.pending(&mark),
        Pending::Nothing,
        "a file, or an answer without content"
    );

    let within = json!({ "frameId": "T", "loaderId": "L3", "navigationType": "sameDocument" });
    played.hears(Some("s"), "Page.frameStartedNavigating", &within);
    assert_eq!(
        played.0.pending(&mark),
        Pending::Nothing,
        "steps within a document load nothing"
    );
}

#[test]
fn what_was_waited_for_in_vain_is_not_waited_for_again() {
    let mut played = Played::with_a_page();
    let mark = played.0.mark();
    played.hears(
        Some("s"),
        "Page.frameAttached",
        &json!({ "frameId": "F", "parentFrameId": "T" }),
    );
    played.of("s", "Page.frameStartedLoading", "F");
    played.of("s", "Page.frameStartedLoading", "T");
    played.hears(
        Some("s"),
        "Page.lifecycleEvent",
        &json!({ "frameId": "T", "loaderId": "L1", "name": "load" }),
    );
    assert_eq!(played.0.pending(&mark), Pending::Parts);
    played.0.give_up();
    assert_eq!(played.0.pending(&mark), Pending::Nothing);
    // A later navigation is waited for.
    let begins = json!({ "frameId": "F", "loaderId": "M2", "navigationType": "differentDocument" });
    played.hears(Some("s"), "Page.frameStartedNavigating", &begins);
    assert_eq!(played.0.pending(&mark), Pending::Parts);
    played.0.give_up();
    played.of("s", "Page.frameRequestedNavigation", "T");
    assert_eq!(played.0.pending(&mark), Pending::Asked);
}

#[test]
fn a_window_that_a_page_writes_itself_is_not_waited_for() {
    let mut played = Played::with_a_page();
    let mark = played.0.mark();
    played.hears(
        Some("s"),
        "Page.windowOpen",
        &json!({ "url": "about:blank", "windowName": "" }),
    );
    played.target("U", Some("T"), "");
    assert_eq!(played.0.pending(&mark), Pending::Nothing);
    played.hears(
        Some("s"),
        "Page.windowOpen",
        &json!({ "url": "http://a.test/popup", "windowName": "" }),
    );
    played.target("V", Some("T"), "");
    assert_eq!(played.0.pending(&mark), Pending::Parts);
}

#[test]
fn a_later_navigation_and_one_elsewhere_are_not_waited_for() {
    let mut played = Played::with_a_page();
    let mark = played.0.mark();
    let elsewhere = json!({ "frameId": "T", "disposition": "newTab" });
    played.hears(Some("s"), "Page.frameRequestedNavigation", &elsewhere);
    let refresh = json!({ "frameId": "T", "delay": 30, "reason": "metaTagRefresh" });
    played.hears(Some("s"), "Page.frameScheduledNavigation", &refresh);
    assert_eq!(played.0.pending(&mark), Pending::Nothing);
}

fn began(played: &mut Played, id: &str) -> Vec<Effect> {
    played.hears(
        None,
        "Browser.downloadWillBegin",
        &json!({ "guid": id, "suggestedFilename": "a.csv" }),
    )
}

fn came(played: &mut Played, id: &str, state: &str, received: u64) -> Vec<Effect> {
    let progress = json!({ "guid": id, "receivedBytes": received, "state": state });
    played.hears(None, "Browser.downloadProgress", &progress)
}

fn ended(id: &str, whole: bool) -> [Effect; 1] {
    [Effect::KeepDownload {
        id: id.into(),
        name: "a.csv".into(),
        whole,
    }]
}

fn dropped(id: &str) -> Effect {
    Effect::CancelDownload { id: id.into() }
}

#[test]
fn a_file_is_kept_or_told_and_one_too_large_is_cancelled() {
    let mut played = Played::with_a_page();
    began(&mut played, "g");
    assert_eq!(came(&mut played, "g", "inProgress", 10), []);
    assert_eq!(
        came(&mut played, "g", "inProgress", MAX_DOWNLOAD + 1),
        [dropped("g")]
    );
    assert_eq!(
        came(&mut played, "g", "inProgress", MAX_DOWNLOAD + 2),
        [],
        "it is told once"
    );
    assert_eq!(came(&mut played, "g", "canceled", 0), ended("g", false));
    assert_eq!(came(&mut played, "g", "canceled", 0), [], "told once");
    // The file was complete before it could be dropped.
    began(&mut played, "g");
    assert_eq!(
        came(&mut played, "g", "completed", MAX_DOWNLOAD + 1),
        ended("g", false)
    );
    began(&mut played, "g");
    assert_eq!(
        came(&mut played, "g", "completed", MAX_DOWNLOAD),
        ended("g", true)
    );
}

#[test]
fn files_on_their_way_take_no_more_together_than_one_may() {
    let mut played = Played::with_a_page();
    began(&mut played, "g");
    began(&mut played, "h");
    assert_eq!(came(&mut played, "g", "inProgress", MAX_DOWNLOAD / 2), []);
    let mut both = came(&mut played, "h", "inProgress", MAX_DOWNLOAD / 2 + 1);
    both.sort_by_key(|effect| format!("{effect:?}"));
    assert_eq!(both, [dropped("g"), dropped("h")]);
    assert_eq!(
        came(&mut played, "g", "completed", MAX_DOWNLOAD / 2),
        ended("g", false),
        "it is dropped, come what may"
    );
    for nth in 0..99 {
        assert_eq!(began(&mut played, &format!("n{nth}")), []);
    }
    assert_eq!(
        began(&mut played, "one"),
        [dropped("one")],
        "more than a hundred at once"
    );
    assert_eq!(
        came(&mut played, "one", "canceled", 0),
        ended("one", false),
        "and told"
    );
}

#[test]
fn what_one_browser_keeps_has_an_end() {
    let mut played = Played::with_a_page();
    let mut keeps = |received: u64| {
        began(&mut played, "g");
        came(&mut played, "g", "completed", received) == ended("g", true)
    };
    assert_eq!((0..20).filter(|_| keeps(MAX_DOWNLOAD)).count(), 10, "1 GiB");
    assert!(keeps(1), "what is left of it");
    assert_eq!((0..2000).filter(|_| keeps(1)).count(), 989, "1,000 files");
}

#[test]
fn a_document_that_led_on_at_once_was_come_to() {
    let mut played = Played::with_a_page();
    let came = |played: &Played, document: &str, last: &str| {
        played.0.tab().unwrap().has_come_to(document, last)
    };
    assert!(!came(&played, "L2", "L1"), "it is still on its way");
    played.navigated("s", "T", None, "L2", "http://a.test/brief");
    assert!(came(&played, "L2", "L1"));
    played.navigated("s", "T", None, "L3", "http://a.test/next");
    assert!(
        came(&played, "L2", "L3"),
        "it was there before anybody looked"
    );
    assert!(!came(&played, "L4", "L3"));
    for nth in 4..60 {
        played.navigated("s", "T", None, &format!("L{nth}"), "http://a.test/next");
    }
    assert!(came(&played, "L5", "L4"), "any later one will do");
    assert!(
        played.0.tab().unwrap().documents.len() <= 20,
        "not all of them are kept"
    );
}

#[test]
fn a_file_chooser_goes_with_the_frame_that_opened_it() {
    let mut played = Played::with_a_page();
    played.hears(
        Some("s"),
        "Page.frameAttached",
        &json!({ "frameId": "F", "parentFrameId": "T" }),
    );
    played.attach(Some("s"), "f", "F", "iframe");
    let opened = json!({ "frameId": "F", "backendNodeId": 5, "mode": "selectSingle" });
    played.hears(Some("f"), "Page.fileChooserOpened", &opened);
    assert_eq!(
        played
            .0
            .tab()
            .unwrap()
            .chooser
            .as_ref()
            .map(|chooser| &*chooser.session),
        Some("f")
    );
    played.hears(
        None,
        "Target.detachedFromTarget",
        &json!({ "sessionId": "f" }),
    );
    assert_eq!(played.0.tab().unwrap().chooser, None);
}

#[test]
fn a_dialog_of_another_tab_is_told_once_and_blocks_only_if_it_holds_the_page_up() {
    let mut played = Played::with_a_page();
    played.target("U", Some("T"), "http://a.test/popup");
    played.attach(None, "u", "U", "page");
    let opens = json!({ "type": "alert", "message": "Here", "url": "" });
    played.hears(Some("u"), "Page.javascriptDialogOpening", &opens);
    assert_eq!(
        (played.0.dialog(), played.0.dialog_behind().as_deref()),
        (None, Some("U"))
    );
    assert_eq!(
        (played.0.untold_dialogs(), played.0.untold_dialogs()),
        (vec![1], vec![])
    );
    played.0.over = Some("U".into());
    assert_eq!(
        played.0.dialog(),
        Some(Dialog::new(DialogKind::Alert, "Here"))
    );
    assert!(matches!(
        played.0.trouble(),
        Some(crate::browser::cdp::error::CdpError::Dialog(_))
    ));
    played.hears(
        Some("u"),
        "Page.javascriptDialogClosed",
        &json!({ "result": true }),
    );
    assert_eq!((played.0.dialog(), played.0.dialog_behind()), (None, None));
    assert!(played.0.trouble().is_none());
    // The next dialog is another one, and is reported again.
    played.hears(Some("u"), "Page.javascriptDialogOpening", &opens);
    assert_eq!(played.0.untold_dialogs(), [1]);
}

#[test]
fn a_page_that_goes_elsewhere_while_another_comes_may_take_its_place() {
    for (own, contested) in [(false, true), (true, false)] {
        let mut played = Played::with_a_page();
        for loader in ["L2", "M"].iter().take(if own { 1 } else { 2 }) {
            let request = json!({ "requestId": loader, "frameId": "T", "type": "Document", "request": { "url": "" } });
            played.hears(Some("s"), "Network.requestWillBeSent", &request);
        }
        played.navigated("s", "T", None, "L2", "http://b.test/");
        assert_eq!(played.0.tab().unwrap().has_let_in("L2"), !contested);
        // If it navigates on by itself, it was shown.
        played.navigated("s", "T", None, "M", "http://b.test/next");
        assert_eq!(played.0.tab().unwrap().has_let_in("L2"), !contested);
        assert!(played.0.tab().unwrap().has_let_in("M"));
    }
}

#[test]
fn a_window_beyond_what_anybody_can_use_is_closed() {
    let mut played = Played::with_a_page();
    let mut effects = Vec::new();
    for at in 0..MAX_TABS {
        effects = played.target(&format!("w{at}"), Some("T"), "");
    }
    let last = format!("w{}", MAX_TABS - 1);
    assert_eq!(effects, [Effect::Close { target: last }]);
    assert_eq!(played.0.tabs.len(), MAX_TABS);

    // A tab that a page opens by a click with Ctrl has no opener either, but only one tab is opened here.
    played.0.opening = true;
    let [made, page] = ["made", "page"].map(|target| played.target(target, None, ""));
    let target = "made".to_owned();
    assert_eq!(made, [Effect::Attach { target }]);
    let target = "page".to_owned();
    assert_eq!(page, [Effect::Close { target }]);
}

#[test]
fn a_request_that_the_browser_holds_is_judged_and_one_of_a_hidden_tab_is_its_own() {
    let mut played = Played::with_a_page();
    let params = json!({ "requestId": "R", "frameId": "T", "resourceType": "Ping", "request": { "url": "http://a/" } });
    let begun = played.hears(None, "Fetch.requestPaused", &params);
    assert!(matches!(&begun[..], [Effect::Judge { request }] if request.id == "R"));
    assert_eq!(
        played.hears(Some("hidden"), "Fetch.requestPaused", &params),
        []
    );
    assert_eq!(played.0.paused.get("hidden").map(String::as_str), Some("R"));
}
