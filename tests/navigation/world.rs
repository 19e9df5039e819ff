//! Two hosts of this machine: `start.localhost`, where runs begin and may be, and `off.localhost`, where each page carries
//! a canary that no run may see.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU16, Ordering},
    },
};

use super::web::{Answer, Asked, Web};

/// What no model may be told by a page off scope.
pub(crate) const CANARY: &str = "canary-7f3a";
/// Where runs start.
pub(crate) const START: &str = "start.localhost";
/// Where they may not be.
pub(crate) const OFF: &str = "off.localhost";

/// The two servers.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) start: Web,
    pub(crate) off: Web,
}

impl World {
    pub(crate) fn start() -> Self {
        let back = Arc::<AtomicU16>::default();
        let home = Arc::clone(&back);
        let off = Web::start(move |asked| off_page(asked, home.load(Ordering::Relaxed)));
        let (port, visits) = (off.port(), Mutex::<HashMap<String, u32>>::default());
        let start = Web::start(move |asked| {
            let mut visits = visits.lock().expect("nobody panics with it");
            let visit = visits.entry(asked.path.clone()).or_default();
            *visit += 1;
            start_page(asked, port, *visit)
        });
        back.store(start.port(), Ordering::Relaxed);
        Self { start, off }
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
    let path = asked.path.split('?').next().unwrap_or_default();
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
            "<h1>Home</h1><iframe src=/top></iframe><button>Go</button>",
        ),
        "/top" => runs(&format!("setTimeout(() => top.location = '{away}', 400)")),
        // A redirect some time after the page was seen.
        "/timer" => runs(&format!("setTimeout(() => location = '{away}', 1200)")),
        "/timerbutton" => html(
            "Home",
            &format!(
                "<h1>Home</h1><button>Go</button><script>setTimeout(() => location = '{away}', 1200)</script>"
            ),
        ),
        "/timeralert" => runs(&format!(
            "setTimeout(() => location = '{}', 1200)",
            at("/alert")
        )),
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
