//! The pages, and how they are brought to a state that is the same in both browsers.

use std::path::{Path, PathBuf};

use webwise::{browser::ProgramPlaces, demo::Shop};

use crate::tree_parity::{apps::App, pair::Step, profile::pick, server, site};

/// Pages that one pair of browsers visits in a row; what a page needs may be done on the pages before.
pub(crate) struct Course {
    pub(crate) group: &'static str,
    pub(crate) pages: Vec<Page>,
}

/// A page in a state.
pub(crate) struct Page {
    pub(crate) name: String,
    pub(crate) steps: Vec<Step>,
}

fn page(name: impl Into<String>, steps: impl Into<Vec<Step>>) -> Page {
    Page {
        name: name.into(),
        steps: steps.into(),
    }
}

fn fill(css: &'static str, text: impl Into<String>) -> Step {
    Step::Fill(css, text.into())
}

/// How many pages of MiniWoB++ a pair visits before another course may begin.
const IN_A_ROW: usize = 10;
/// Where they are in webwise's own folder; the example `test_beds` brings them.
const MINIWOB: &str = "miniwob/1.1.0/miniwob/html";
/// How many there are. Source: the release.
const TASKS: usize = 130;
/// Begins an episode that is the same at every start: its clock, the things that move and the counters stand still.
const BEGIN: &str = "() => { window.setInterval = () => 0; Math.seedrandom('s1'); core.EPISODE_MAX_TIME = 1e9; \
    core.startEpisodeReal(); return null; }";

pub(crate) fn miniwob_folder() -> PathBuf {
    let places = ProgramPlaces::from_env();
    let own = places
        .installation_folder()
        .and_then(Path::parent)
        .expect("HOME or WEBWISE_HOME is set");
    let pages = own.join(MINIWOB);
    let bring = "run `cargo run --features full --example test_beds` first";
    assert!(
        pages.is_dir(),
        "the pages of MiniWoB++ are not in {}: {bring}",
        pages.display()
    );
    pages
}

pub(crate) fn miniwob(site: &site::Site) -> Vec<Course> {
    let entries = std::fs::read_dir(miniwob_folder().join("miniwob"))
        .expect("the folder can be read")
        .flatten();
    let mut names: Vec<String> = entries
        .filter_map(|entry| {
            entry
                .file_name()
                .to_str()?
                .strip_suffix(".html")
                .map(str::to_owned)
        })
        .collect();
    names.sort();
    assert_eq!(names.len(), TASKS, "the pages are not those of the release");
    let names: Vec<String> = names.into_iter().step_by(pick(26, 1)).collect();
    let visit = |name: &String| {
        let url = site.url("a.localhost", &format!("miniwob/{name}.html"));
        page(name, [Step::Open(url), Step::Run(BEGIN.to_owned())])
    };
    let rows = names.chunks(IN_A_ROW);
    rows.map(|names| Course {
        group: "miniwob",
        pages: names.iter().map(visit).collect(),
    })
    .collect()
}

/// Hostile pages that give a document which stays as it is. The others have a dialog over the page, no document at all, or one
/// that playwright-cli cannot read.
const HOSTILE: [&str; 26] = [
    "plain",
    "alert-on-click",
    "guarded",
    "popup",
    "blank-target",
    "popups",
    "tiny",
    "opens-a-short-life",
    "closes-itself",
    "offers",
    "frame",
    "frame-elsewhere",
    "frames-in-frames",
    "inner",
    "shadow",
    "much",
    "crowd",
    "endless-scroll",
    "spins",
    "error-500",
    "bad-bytes",
    "slow-link",
    "names",
    "title",
    "speaks",
    "no-such-page",
];
/// Those that the quick profile visits: links, frames of both origins and in each other, a shadow tree, broken bytes, and names,
/// a title and texts that look like the tool's own.
const QUICK: [&str; 9] = [
    "plain",
    "offers",
    "frame-elsewhere",
    "frames-in-frames",
    "shadow",
    "bad-bytes",
    "names",
    "title",
    "speaks",
];
/// Those whose document is torn: what came of it stays.
const TORN: [&str; 3] = ["half", "reset-midway", "short"];
/// Those that never rest, with what stills them at a moment that is the same in both browsers.
const RESTLESS: [(&str, &str); 2] = [
    ("rewrites-itself", "n = 6; write();"),
    (
        "never-settles",
        "requestAnimationFrame = () => 0; t.textContent = 'still'; t.style.marginLeft = '5px';",
    ),
];

pub(crate) fn hostile(site: &server::Site) -> Vec<Course> {
    let whole = pick(&QUICK[..], &HOSTILE[..])
        .iter()
        .map(|name| page(*name, [Step::Open(site.url(name))]));
    let torn = TORN
        .iter()
        .step_by(pick(TORN.len(), 1))
        .map(|name| page(*name, [Step::OpenTorn(site.url(name))]));
    let restless = RESTLESS.iter().map(|(name, still)| {
        let script = format!(
            "() => {{ for (let id = 1; id < 9999; id++) clearInterval(id); {still} return null; }}"
        );
        page(*name, [Step::Open(site.url(name)), Step::Run(script)])
    });
    let alert = page(
        "alert-on-load",
        [Step::OpenTorn(site.url("alert-on-load")), Step::Dismiss],
    );
    vec![
        Course {
            group: "hostile",
            pages: whole.collect(),
        },
        Course {
            group: "hostile",
            pages: torn.chain(restless).chain([alert]).collect(),
        },
    ]
}

/// Made pages, in the quick suite and in the full one, and how often each is changed.
const MADE: (u32, u32) = (1, 20);
const CHANGES: u32 = 3;

/// Pages that hold everything, drawn from seeds, and what becomes of them: a driver that tells only what changed is told of by
/// another that reads all of it anew.
pub(crate) fn made(site: &server::Site) -> Vec<Course> {
    let draw = |seed: u32, is_change: bool| {
        Step::Run(format!(
            "() => (\n{})({seed}, {is_change})",
            include_str!("made.js")
        ))
    };
    let course = |number: u32| {
        let first = page(
            format!("{number}"),
            [Step::Open(site.url("plain")), draw(number, false)],
        );
        let changed = (1..=CHANGES).map(|at| {
            page(
                format!("{number}, change {at}"),
                [draw(number * 1000 + at, true)],
            )
        });
        Course {
            group: "made",
            pages: std::iter::once(first).chain(changed).collect(),
        }
    };
    (1..=pick(MADE.0, MADE.1)).map(course).collect()
}

/// How many pages of the shop lead to its checkout and its complaints; the rest only tell something.
const SHOPPING: usize = 15;

/// The way through the shop, with its mistakes.
pub(crate) fn shop(shop: &Shop) -> Course {
    let open = |path: &str| Step::Open(shop.url().join(path).expect("a path of the shop").into());
    let password = "form.panel [name=password]";
    let mut pages = vec![
        page("home under the notice", [open("/")]),
        page("home", [Step::Click(".consent [value=all]")]),
        page("suggestions", [fill("[name=q]", "alpine")]),
        page("results", [open("/search?q=jacket")]),
        page("no results", [open("/search?q=umbrella")]),
        page("product", [open("/product/alpine-rain-jacket")]),
        page("product without a choice", [Step::Click("article button.primary")]),
        page("socks", [open("/product/merino-socks")]),
        page("empty cart", [open("/cart")]),
        page(
            "cart",
            [
                open("/product/alpine-rain-jacket"),
                Step::Run(
                    "() => { const f = document.querySelector('article form'); f.elements.size.selectedIndex = 3; \
                f.querySelector('[type=radio]').checked = true; return null; }"
                        .to_owned(),
                ),
                Step::Click("article button.primary"),
                open("/cart"),
            ],
        ),
        page("login", [open("/login?next=/checkout")]),
        page("login filled in", [fill("[name=user]", shop.user()), fill(password, "wrong")]),
        page("login refused", [Step::Click("form.panel button")]),
        page(
            "checkout",
            [fill("[name=user]", shop.user()), fill(password, shop.password()), Step::Click("form.panel button")],
        ),
        page("checkout with complaints", [Step::Click("form.panel button.primary")]),
        page("sizes", [open("/info/sizes")]),
        page("shipping", [open("/info/shipping")]),
        page("terms", [open("/info/terms")]),
        page("account", [open("/info/account")]),
        page("missing", [open("/no/such/page")]),
    ];
    // The quick profile ends where nothing more is typed or refused.
    pages.truncate(pick(SHOPPING, pages.len()));
    Course {
        group: "shop",
        pages,
    }
}

pub(crate) fn django(app: &App) -> Course {
    let open = |path: &str| Step::Open(app.url(path));
    let pages = vec![
        page("login", [open("/admin/")]),
        page(
            "login refused",
            [
                fill("[name=username]", App::USER),
                fill("[name=password]", "no view"),
                Step::Click("[type=submit]"),
            ],
        ),
        page(
            "index",
            [
                fill("[name=username]", App::USER),
                fill("[name=password]", App::PASSWORD),
                Step::Click("[type=submit]"),
            ],
        ),
        page("bookings", [open("/admin/booking/booking/")]),
        page("page 3", [open("/admin/booking/booking/?p=3")]),
        page("search", [open("/admin/booking/booking/?q=Choir")]),
        page("rooms", [open("/admin/booking/room/")]),
        page("add a booking", [open("/admin/booking/booking/add/")]),
        page("complaints", [Step::Click("input[name=_save]")]),
        page(
            "change a booking",
            [open("/admin/booking/booking/1/change/")],
        ),
        page(
            "delete a booking",
            [open("/admin/booking/booking/2/delete/")],
        ),
        page("history", [open("/admin/booking/booking/1/history/")]),
        page("users", [open("/admin/auth/user/")]),
        page("change a user", [open("/admin/auth/user/1/change/")]),
        page("change a password", [open("/admin/password_change/")]),
        page(
            "password filled in",
            [fill("[name=old_password]", "something")],
        ),
    ];
    Course {
        group: "django",
        pages,
    }
}

pub(crate) fn roundup(app: &App) -> Course {
    let open = |path: &str| Step::Open(app.url(path));
    let log_in = |password: &str| {
        [
            fill("input[name=__login_name]", App::USER),
            fill("input[name=__login_password]", password),
            Step::Click("input[type=submit][value=Login]"),
        ]
    };
    let pages = vec![
        page("index", [open("/")]),
        page("login refused", log_in("no view")),
        page("logged in", log_in(App::PASSWORD)),
        page(
            "all issues",
            [open(
                "/issue?@sort=-activity&@group=priority&@columns=id,activity,title,creator,status",
            )],
        ),
        page("an issue", [open("/issue3")]),
        page("new issue", [open("/issue?@template=item")]),
        page("long form", [open("/issue?@template=search")]),
        page("users", [open("/user")]),
        page("a user", [open("/user1")]),
        page("keywords", [open("/keyword?@template=item")]),
        page("query list", [open("/query?@template=edit")]),
        page("missing", [open("/nothing7")]),
    ];
    Course {
        group: "roundup",
        pages,
    }
}
