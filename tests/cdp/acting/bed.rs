//! A browser with one page that each test writes anew, and short words for what tests do with it. Tests take turns in two
//! browsers of each patience.

use std::{
    fs,
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use webwise::{
    action::{
        BrowserAction, Click, ErrorClass, Eval, Fill, Goto, OnTarget, Select, Target, TextValue,
        Type,
    },
    base::Origin,
    browser::{
        BrowserDriver as _, Cdp, CdpOptions, ExecuteRequest, Execution, ObserveRequest,
        ProgramPlaces,
    },
    page::{DigestOptions, Layout, Locator, Observation, PageHead, ViewOptions, interpret},
    prompt::reading,
    secret::{Secret, SecretName, SecretResolver, Vault},
};

use crate::acting::{
    shared::{Lent, Shared},
    web::{Answer, Web},
};

/// For elements that become ready: longer than any machine needs.
pub(crate) const PATIENT: Duration = Duration::from_secs(20);
/// For elements that never do.
pub(crate) const BRIEF: Duration = Duration::from_millis(600);
/// How long the answer to `/late` takes: longer than a cover of a page that is still is waited for.
const LATE: Duration = Duration::from_secs(3);
/// The secret that tests type.
pub(crate) const SECRET: &str = "s3cr\"et-ß東";

/// Those that wait for long, and those that do not.
static SHARED: [Shared<Cdp>; 2] = [Shared::new(), Shared::new()];

pub(crate) struct Bed {
    browser: Lent<Cdp>,
    shared: &'static Shared<Cdp>,
    web: Web,
    page: Arc<Mutex<String>>,
}

impl Bed {
    /// A browser whose actions wait so long for their element.
    pub(crate) async fn start(patience: Duration) -> Self {
        let page = Arc::<Mutex<String>>::default();
        let shown = Arc::clone(&page);
        let web = Web::start(move |asked| {
            let body = shown.lock().expect("a page").clone();
            if asked.path == "/late" {
                std::thread::sleep(LATE);
            }
            if let Some(file) = asked.path.strip_prefix("/packages/") {
                return library(file);
            }
            let (outer, inner) = body.split_once("<!-- inner -->").unwrap_or((&body, ""));
            Answer::page(if asked.path == "/inner" { inner } else { outer })
        });
        let options = CdpOptions::from_env().expect(
            "Chromium is needed: run `cargo run --features full --example test_beds` first",
        );
        let options = options.with_action_timeout(patience).with_scripts(true);
        let shared = &SHARED[usize::from(patience == BRIEF)];
        let launch = |base| async move {
            let browser = Cdp::launch(&options.with_folder(base)).await;
            browser.expect("the browser starts")
        };
        Self {
            browser: shared.take(launch).await,
            shared,
            web,
            page,
        }
    }

    /// Leaves the browser to the next test.
    pub(crate) async fn close(self) {
        self.shared.give_back(self.browser).await;
    }

    /// Opens a page with this body; what stands behind `<!-- inner -->` is the page `/inner`.
    pub(crate) async fn show(&self, body: &str) {
        *self.page.lock().expect("a page") =
            format!("<!doctype html><meta charset=utf-8><title>t</title><body>{body}");
        let url = self.web.url("127.0.0.1", "/");
        self.does(BrowserAction::Goto(Goto { url })).await;
    }

    /// The address of a page under this name of the server.
    pub(crate) fn at(&self, host: &str, path: &str) -> String {
        self.web.url(host, path)
    }

    /// How often pages below this path were asked for.
    pub(crate) fn asked(&self, path: &str) -> u32 {
        let asked = self.web.asked();
        let asked = asked.iter().filter(|asked| asked.path.starts_with(path));
        u32::try_from(asked.count()).expect("a number of requests")
    }

    pub(crate) async fn act(&self, action: BrowserAction) -> Execution {
        self.ask(ExecuteRequest::new(action)).await
    }

    pub(crate) async fn ask(&self, request: ExecuteRequest) -> Execution {
        self.browser
            .execute(&request)
            .await
            .expect("the browser answers")
    }

    pub(crate) async fn see(&self) -> Observation {
        self.browser
            .observe(&ObserveRequest::default())
            .await
            .expect("the page can be seen")
    }

    /// The lines in which the model reads the page.
    pub(crate) async fn lines(&self) -> Vec<String> {
        let seen = self.see().await;
        let view = interpret(&PageHead::default(), &seen.tree, &ViewOptions::default());
        let layout = Layout::of(&seen.tree, &view.elements);
        let all = layout.digest(&view.elements, &[], DigestOptions::whole());
        reading(&all.lines, &view.elements)
    }

    /// Acts, and the action must be done.
    pub(crate) async fn does(&self, action: BrowserAction) -> Execution {
        let said = format!("{action:?}");
        let execution = self.act(action).await;
        assert!(
            execution.outcome.is_done(),
            "{said} gave {:?}",
            execution.outcome
        );
        execution
    }

    /// What an expression is in the page, as JSON.
    pub(crate) async fn value(&self, expression: &str) -> String {
        let function = format!("() => {expression}");
        let execution = self
            .does(BrowserAction::Eval(Eval {
                function,
                target: None,
            }))
            .await;
        let text = execution.text.unwrap_or_default();
        // The browser escapes more than is necessary.
        serde_json::from_str::<serde_json::Value>(&text).map_or(text, |value| value.to_string())
    }

    /// A request that releases [`SECRET`] to the page.
    pub(crate) fn with_secret(&self, action: BrowserAction) -> ExecuteRequest {
        let origin = Origin::parse(&self.web.url("127.0.0.1", "")).expect("an origin");
        let vault = Vault::new()
            .with(secret_name(), Secret::new(SECRET), vec![origin])
            .expect("a vault");
        ExecuteRequest::new(action).with_secrets(SecretResolver::new(Arc::new(vault)))
    }
}

/// A file of a component library; the example `test_beds` brings them.
fn library(file: &str) -> Answer {
    let places = ProgramPlaces::from_env();
    let own = places.installation_folder().and_then(Path::parent);
    let folder = own.expect("HOME or WEBWISE_HOME is set").join("widgets/1");
    let kind = if file.ends_with("css") {
        "css"
    } else {
        "javascript"
    };
    Answer {
        status: 200,
        headers: vec![format!("Content-Type: text/{kind}; charset=utf-8")],
        body: fs::read_to_string(folder.join(file)).expect("a file of a library"),
    }
}

fn secret_name() -> SecretName {
    SecretName::parse("WORD").expect("a name")
}

/// The class and the detail of a failure, or what it was instead.
pub(crate) fn failure(execution: &Execution) -> (Option<ErrorClass>, String) {
    match &execution.outcome {
        webwise::action::Outcome::Failed(failure) => (Some(failure.class), failure.detail.clone()),
        other => (None, format!("{other:?}")),
    }
}

/// The element with this id.
pub(crate) fn id(id: &str) -> Target {
    located(&format!("css=\"#{id}\""))
}

pub(crate) fn located(text: &str) -> Target {
    Target::Locator(Locator::parse(text).expect("a locator"))
}

pub(crate) fn click(target: Target) -> BrowserAction {
    BrowserAction::Click(Click {
        target,
        button: None,
    })
}

pub(crate) fn hover(target: Target) -> BrowserAction {
    BrowserAction::Hover(OnTarget { target })
}

pub(crate) fn fill(target: Target, text: &str) -> BrowserAction {
    BrowserAction::Fill(Fill {
        target,
        text: text.into(),
        submit: false,
    })
}

pub(crate) fn fill_secret(target: Target) -> BrowserAction {
    BrowserAction::Fill(Fill {
        target,
        text: TextValue::Secret(secret_name()),
        submit: false,
    })
}

pub(crate) fn type_secret() -> BrowserAction {
    BrowserAction::Type(Type {
        text: TextValue::Secret(secret_name()),
        submit: false,
    })
}

pub(crate) fn select(target: Target, values: &[&str]) -> BrowserAction {
    BrowserAction::Select(Select {
        target,
        values: values.iter().map(|value| (*value).into()).collect(),
    })
}
