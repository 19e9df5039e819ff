//! Two hosts of this machine: `start.localhost`, where runs begin and may be, and `off.localhost`, where each page carries
//! a canary that no run may see.

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc, Condvar, Mutex,
        atomic::{AtomicU16, Ordering},
    },
    thread,
    time::Duration,
};

use super::web::{Answer, Asked, Web};

/// What no model may be told by a page off scope.
pub(crate) const CANARY: &str = "canary-7f3a";
/// Where runs start.
pub(crate) const START: &str = "start.localhost";
/// Where they may not be.
pub(crate) const OFF: &str = "off.localhost";

/// Longest time for a page to go where it was let go. Source: chosen; it takes well under a second on an idle machine.
const LEAVING: Duration = Duration::from_secs(30);
/// Time in which a browser tells its driver of a page that runs already. Source: chosen.
const TELLING: Duration = Duration::from_millis(200);

/// Holds pages of the start host until the test lets them go to the other one, and knows when they are there.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    state: Mutex<Leaving>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Leaving {
    /// The queries of the first pages that may go.
    open: HashSet<String>,
    /// How often a page off scope ran its script.
    arrived: u32,
    ended: bool,
}

impl Gate {
    /// The answer that a page waits for: an event of a source, for which neither browser nor driver waits.
    fn answer(&self, query: &str) -> Answer {
        let state = self.state.lock().expect("nobody panics with it");
        let held = |state: &mut Leaving| !state.ended && !state.open.contains(query);
        drop(
            self.changed
                .wait_while(state, held)
                .expect("nobody panics with it"),
        );
        Answer {
            status: 200,
            headers: vec!["Content-Type: text/event-stream".to_owned()],
            body: "data: go\n\n".to_owned(),
        }
    }

    fn change(&self, change: impl FnOnce(&mut Leaving)) {
        change(&mut self.state.lock().expect("nobody panics with it"));
        self.changed.notify_all();
    }

    /// How often a page off scope was there.
    pub(crate) fn arrived(&self) -> u32 {
        self.state.lock().expect("nobody panics with it").arrived
    }

    /// Lets the page with this query go.
    pub(crate) fn open(&self, query: &str) {
        self.change(|state| _ = state.open.insert(query.to_owned()));
    }

    /// The same, and waits until a page off scope was there once more than so often, as far as one comes.
    pub(crate) fn leave(&self, query: &str, before: u32) {
        self.open(query);
        let state = self.state.lock().expect("nobody panics with it");
        let on_its_way = |state: &mut Leaving| state.arrived <= before;
        drop(
            self.changed
                .wait_timeout_while(state, LEAVING, on_its_way)
                .expect("nobody panics with it"),
        );
        thread::sleep(TELLING);
    }
}

/// The two servers.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) start: Web,
    pub(crate) off: Web,
    pub(crate) gate: Arc<Gate>,
}

impl Drop for World {
    fn drop(&mut self) {
        self.gate.change(|state| state.ended = true);
    }
}

impl World {
    pub(crate) fn start() -> Self {
        let (back, gate) = (Arc::<AtomicU16>::default(), Arc::<Gate>::default());
        let (home, arriving) = (Arc::clone(&back), Arc::clone(&gate));
        let off = Web::start(move |asked| {
            if asked.path == "/there" {
                arriving.change(|state| state.arrived += 1);
            }
            off_page(asked, home.load(Ordering::Relaxed))
        });
        let (port, visits) = (off.port(), Mutex::<HashMap<String, u32>>::default());
        let held = Arc::clone(&gate);
        let start = Web::start(move |asked| {
            if let Some(query) = asked.path.strip_prefix("/gate?") {
                return held.answer(query);
            }
            let mut visits = visits.lock().expect("nobody panics with it");
            let visit = visits.entry(asked.path.clone()).or_default();
            *visit += 1;
            start_page(asked, port, *visit)
        });
        back.store(start.port(), Ordering::Relaxed);
        Self { start, off, gate }
    }

    /// A path where a run may be.
    pub(crate) fn home(&self, path: &str) -> String {
        self.start.url(START, path)
    }

    /// A path where it may not be.
    pub(crate) fn away(&self, path: &str) -> String {
        self.off.url(OFF, path)
    }
}

fn html(title: &str, body: &str) -> Answer {
    Answer::page(format!(
        "<!doctype html><meta charset=utf-8><title>{title}</title>{body}"
    ))
}

fn to(status: u16, url: &str) -> Answer {
    Answer {
        status,
        headers: vec![format!("Location: {url}")],
        body: String::new(),
    }
}

/// A page off scope: the canary in its title, its text, its controls, and what its script does.
fn off_page(asked: &Asked, home: u16) -> Answer {
    let path = asked.path.split('?').next().unwrap_or_default();
    let script = match path {
        "/alert" => format!("alert('{CANARY}')"),
        "/alerts" => format!("alert('{CANARY}'); confirm('{CANARY}'); prompt('{CANARY}')"),
        "/stay" => {
            "addEventListener('beforeunload', e => { e.preventDefault(); e.returnValue = 'x'; })"
                .to_owned()
        }
        "/back" => format!("setTimeout(() => location = 'http://{START}:{home}/', 1500)"),
        // What is typed or pressed here is told to the server.
        _ => "addEventListener('keydown', e => fetch('/typed?' + encodeURIComponent(e.key)))"
            .to_owned(),
    };
    // It is told before anything else that the page is there, and the script waits until the server knows.
    let script = format!(
        "const there = new XMLHttpRequest(); there.open('GET', '/there', false); there.send(); {script}"
    );
    let body = format!(
        "<h1>{CANARY}</h1><p>{CANARY} text</p><button>{CANARY} button</button><a href=/x>{CANARY} link</a>
         <button onclick=\"fetch('/typed?click')\">Go</button><input aria-label=Field autofocus placeholder={CANARY}><script>{script}</script>"
    );
    html(CANARY, &body)
}

/// A page of the start host; most lead to the other one.
fn start_page(asked: &Asked, off: u16, visit: u32) -> Answer {
    let away = format!("http://{OFF}:{off}/page");
    let at = |path: &str| format!("http://{OFF}:{off}{path}");
    let link = |href: &str| html("Home", &format!("<h1>Home</h1><a href=\"{href}\">Go</a>"));
    let button = |script: &str| {
        html(
            "Home",
            &format!("<h1>Home</h1><button onclick=\"{script}\">Go</button>"),
        )
    };
    let runs = |script: &str| {
        html(
            "Home",
            &format!("<h1>Home</h1><input aria-label=Field autofocus><script>{script}</script>"),
        )
    };
    // When the test opens the gate.
    let gated = |script: &str| {
        format!(
            "const gate = new EventSource('/gate' + location.search); gate.onmessage = () => {{ gate.close(); {script} }}"
        )
    };
    let (path, query) = asked.path.split_once('?').unwrap_or((&asked.path, ""));
    if let Some(status) = path
        .strip_prefix("/r/")
        .and_then(|status| status.parse().ok())
    {
        return to(status, &away);
    }
    if let Some(left) = path
        .strip_prefix("/chain/")
        .and_then(|left| left.parse::<u32>().ok())
    {
        return to(
            302,
            &if left == 0 {
                away
            } else {
                format!("/chain/{}", left - 1)
            },
        );
    }
    match path {
        "/301" | "/302" | "/303" | "/307" | "/308" => link(&format!("/r{path}")),
        "/chained" => link("/chain/4"),
        "/meta" => link("/metarefresh"),
        "/metarefresh" => html(
            "Home",
            &format!("<meta http-equiv=refresh content=\"0; url={away}\">x"),
        ),
        "/header" => link("/refreshheader"),
        "/refreshheader" => {
            let mut page = html("Home", "<p>x</p>");
            page.headers.push(format!("Refresh: 0; url={away}"));
            page
        }
        "/onload" => link("/onloadjs"),
        "/onloadjs" => runs(&format!("location = '{away}'")),
        "/link" => link(&away),
        "/linkalert" => link(&at("/alert")),
        "/linkalerts" => link(&at("/alerts")),
        "/linkstay" => link(&at("/stay")),
        "/linkback" => link(&at("/back")),
        "/jslink" => link(&format!("javascript:location='{away}'")),
        "/area" => html(
            "Home",
            "<h1>Home</h1><p><a href=\"/r/302\" role=button>Go</a></p>",
        ),
        "/assign" => button(&format!("location.assign('{away}')")),
        "/replace" => button(&format!("location.replace('{away}')")),
        "/history" => button(&format!(
            "history.pushState(1, '', '/pushed'); location.replace('{away}')"
        )),
        "/pushed" | "/" | "/article" => html(
            "Home",
            "<h1>Home</h1><p>fine</p><input aria-label=Field autofocus>",
        ),
        "/late" => button(&format!("setTimeout(() => location = '{away}', 600)")),
        "/submit" => button(&format!(
            "const f = document.createElement('form'); f.action = '{away}'; document.body.append(f); f.submit()"
        )),
        "/get" | "/post" => html(
            "Home",
            &format!(
                "<h1>Home</h1><form action=\"{away}\" method={}><input name=q aria-label=Query><button>Go</button></form>",
                &path[1..]
            ),
        ),
        "/formredirect" => html(
            "Home",
            "<h1>Home</h1><form action=/r/307 method=post><button>Go</button></form>",
        ),
        "/blank" => html(
            "Home",
            &format!("<h1>Home</h1><a href=\"{away}\" target=_blank>Go</a>"),
        ),
        "/open" => button(&format!("window.open('{away}')")),
        "/opener" => button("window.open('/popup')"),
        "/popup" => runs(&format!("opener.location = '{away}'")),
        "/frame" => html(
            "Home",
            &format!("<h1>Home</h1><iframe src=\"{away}\"></iframe><button>Go</button>"),
        ),
        "/framealert" => html(
            "Home",
            &format!(
                "<h1>Home</h1><iframe src=\"{}\"></iframe><button>Go</button>",
                at("/alert")
            ),
        ),
        "/frameset" => html(
            "Home",
            &format!(
                "<h1>Home</h1><iframe srcdoc=\"&lt;p&gt;own&lt;/p&gt;&lt;iframe src='{away}'&gt;&lt;/iframe&gt;\"></iframe><button>Go</button>"
            ),
        ),
        "/framenav" => html(
            "Home",
            &format!(
                "<h1>Home</h1><iframe src=/article></iframe><button onclick=\"frames[0].location='{away}'\">Go</button>"
            ),
        ),
        "/framebreak" => html(
            "Home",
            &format!("<h1>Home</h1><iframe src=\"/top?{query}\"></iframe><button>Go</button>"),
        ),
        "/top" => runs(&gated(&format!("top.location = '{away}'"))),
        // A redirect some time after the page was seen.
        "/later" => runs(&gated(&format!("location = '{away}'"))),
        "/laterbutton" => html(
            "Home",
            &format!(
                "<h1>Home</h1><button>Go</button><script>{}</script>",
                gated(&format!("location = '{away}'"))
            ),
        ),
        "/lateralert" => runs(&gated(&format!("location = '{}'", at("/alert")))),
        "/soon" => runs(&gated(&format!(
            "setTimeout(() => location = '{away}', 500)"
        ))),
        "/metalate" => html(
            "Home",
            &format!("<meta http-equiv=refresh content=\"1; url={away}\"><h1>Home</h1>"),
        ),
        // The second visit leads away.
        "/flip" if visit == 2 => to(302, &away),
        "/flip" | "/reload" => html("Home", "<h1>Home</h1><p>now</p>"),
        _ => Answer {
            status: 404,
            ..html("Nothing", "<p>nothing</p>")
        },
    }
}
