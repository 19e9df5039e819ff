//! What tasks with different goals have in common on a site, through the whole loop with scripted ports: two runs log in, and the
//! next one with another goal reads how. `life`: the types of patterns, their order, and what ends them.

mod life;

use serde_json::{Value, json};
use webwise::{
    DecisionLoop, RunId, Task,
    action::BrowserTool,
    agent::Options,
    base::{Host, Origin},
    chat::ChatResponse,
    event::EventKind,
    guard::ApprovalMode,
    memory::{Namespace, StoredStep, StoredText, pattern::Pattern},
    page::Role,
    prompt::{ShownElement, ShownPage},
    secret::{Secret, SecretName, Vault},
    store::{InMemory, Keeper},
    testing::{FixedClock, Recorder, ScriptedBrowser, ScriptedModel, ScriptedReply as Reply, call},
};

/// The pages of the desk on a host.
#[derive(Debug, Clone, Copy)]
struct Site {
    home: &'static str,
    news: &'static str,
    help: &'static str,
    login: &'static str,
    user: &'static str,
    both: &'static str,
    desk: &'static str,
    done: &'static str,
}

const DESK: Site = Site {
    home: "https://desk.example/",
    news: "https://desk.example/news",
    help: "https://desk.example/help",
    login: "https://desk.example/login",
    user: "https://desk.example/login#user",
    both: "https://desk.example/login#both",
    desk: "https://desk.example/desk",
    done: "https://desk.example/done",
};
const OTHER: Site = Site {
    home: "https://other.example/",
    news: "https://other.example/news",
    help: "https://other.example/help",
    login: "https://other.example/login",
    user: "https://other.example/login#user",
    both: "https://other.example/login#both",
    desk: "https://other.example/desk",
    done: "https://other.example/done",
};

/// A task: the user of the desk, and the link behind the login that it is about.
#[derive(Debug, Clone, Copy)]
struct StoryTask {
    run: &'static str,
    goal: &'static str,
    user: &'static str,
    link: &'static str,
}

const ORDERS: StoryTask = StoryTask {
    run: "run_1",
    goal: "As anna, tell how many orders are open",
    user: "anna",
    link: "Orders",
};
const LANGUAGE: StoryTask = StoryTask {
    run: "run_2",
    goal: "Switch the language to German",
    user: "bob.fischer",
    link: "Settings",
};
const REPORT: StoryTask = StoryTask {
    run: "run_3",
    goal: "Print the yearly report",
    user: "carl",
    link: "Reports",
};

/// The desk, to which a link among others leads, behind a form with a user and a password.
fn browser(at: Site, user: &str) -> ScriptedBrowser {
    let form = |user: &str, password: &str| {
        format!(
            "textbox \"User\" e1{user}\ntextbox \"Password\" e2{password}\nbutton \"Log in\" e3"
        )
    };
    let typed = format!(" = {user}");
    let home = "navigation\n  link \"News\" e1\n  link \"Help\" e2\n  link \"Staff\" e3";
    let links = "navigation\n  link \"Orders\" e1\n  link \"Settings\" e2\n  link \"Reports\" e3";
    let fill =
        |target: &str, text: &str| format!("fill {}", json!({ "target": target, "text": text }));
    let click = |target: &str| format!("click {}", json!({ "target": target }));
    let mut browser = ScriptedBrowser::new()
        .with_page(at.home, "Home", home)
        .with_page(at.news, "News", "heading \"Nothing new\" e1")
        .with_page(at.help, "Help", "heading \"No help\" e1")
        .with_page(at.login, "Login", &form("", ""))
        .with_page(at.user, "Login", &form(&typed, ""))
        .with_page(at.both, "Login", &form(&typed, " = ****"))
        .with_page(at.desk, "Desk", links)
        .with_page(at.done, "Done", "heading \"All done\" e1")
        .on(at.home, &click("e1"), [Reply::Show(at.news)])
        .on(at.home, &click("e2"), [Reply::Show(at.help)])
        .on(at.home, &click("e3"), [Reply::Show(at.login)])
        .on(at.login, &fill("e1", user), [Reply::Show(at.user)])
        .on(
            at.user,
            &fill("e2", "<secret:password>"),
            [Reply::Show(at.both)],
        )
        .on(at.both, &click("e3"), [Reply::Show(at.desk)]);
    for page in [at.news, at.help] {
        browser = browser.on(page, "go_back", [Reply::Show(at.home)]);
    }
    for link in ["e1", "e2", "e3"] {
        browser = browser.on(at.desk, &click(link), [Reply::Show(at.done)]);
    }
    browser
}

fn section<'m>(message: &'m str, heading: &str) -> &'m str {
    let mut sections = message.split("## ");
    let of = sections.find_map(|section| section.strip_prefix(heading)?.strip_prefix('\n'));
    of.unwrap_or_default()
}

/// The first step of a shown pattern: its verb, the name of its target, and the text to type.
fn next_step(message: &str) -> Option<(String, String, String)> {
    let lines = section(message, "Patterns of this site");
    let line = lines
        .lines()
        .find(|line| line.trim_start().starts_with(char::is_numeric))?;
    let (_, step) = line.split_once(". ")?;
    let mut words = step.split(' ');
    let (verb, number) = (words.next()?, words.next()?);
    let names = section(message, "Names in the tips");
    let mut names = names.lines().filter_map(|line| line.split_once(' '));
    let (_, name) = names.find(|(of, _)| *of == number)?;
    let (_, label) = name.split_once(' ')?;
    let text = step.split_once(" with ").map_or("", |(_, text)| text);
    let label = label.trim_matches('"');
    Some((verb.to_owned(), label.to_owned(), text.to_owned()))
}

/// A model that knows nothing but the message. It takes the next step of a pattern that it is shown. Without one, it tries the
/// links of the page one after the other, and fills in forms.
fn reader(story: StoryTask) -> ScriptedModel {
    let mut tried: Vec<String> = Vec::new();
    let act =
        |tool: &str, element: &ShownElement| call(tool, json!({ "target": element.reference }));
    let fill = |element: &ShownElement, text: &str| -> ChatResponse {
        call("fill", json!({ "target": element.reference, "text": text }))
    };
    ScriptedModel::deciding(move |request| {
        let message = &request.message;
        if message.contains("heading \"All done\"") {
            let finished = json!({ "answer": "All done", "evidence": "All done" });
            return Ok(call("finish", finished));
        }
        let page = ShownPage::read(section(message, "Page"));
        let mut elements = page.elements.iter();
        if let Some(wanted) = elements.find(|one| one.label == story.link) {
            return Ok(act("click", wanted));
        }
        if let Some((verb, target, text)) = next_step(message) {
            let is_target = |one: &&ShownElement| one.label == target;
            let element = page
                .elements
                .iter()
                .find(is_target)
                .expect("it is on the page");
            let own = if text == "<1>" { story.user } else { &text };
            return Ok(match &*verb {
                "fill" => fill(element, own),
                verb => act(verb, element),
            });
        }
        let is_empty = |one: &&ShownElement| one.role == "textbox" && one.value.is_empty();
        if let Some(field) = page.elements.iter().find(is_empty) {
            let own = if field.label == "Password" {
                "<secret:password>"
            } else {
                story.user
            };
            return Ok(fill(field, own));
        }
        if let Some(button) = page.elements.iter().find(|one| one.role == "button") {
            return Ok(act("click", button));
        }
        let is_new = |one: &&ShownElement| one.role == "link" && !tried.contains(&one.label);
        match page.elements.iter().find(is_new).cloned() {
            Some(link) => {
                tried.push(link.label.clone());
                Ok(act("click", &link))
            }
            None => Ok(call("go_back", json!({}))),
        }
    })
}

struct Ran {
    messages: Vec<String>,
    systems: Vec<String>,
    changes: Vec<(String, Value)>,
}

impl Ran {
    fn is_shown(&self) -> bool {
        self.messages
            .iter()
            .any(|message| message.contains("## Patterns of this site"))
    }
}

async fn run(store: &InMemory, at: Site, story: StoryTask, minute: u32) -> Ran {
    let (model, recorder) = (reader(story), Recorder::new());
    let mut options = Options::default();
    options.approval = ApprovalMode::Auto;
    let agent = DecisionLoop::builder(browser(at, story.user), model.clone(), store.clone())
        .with_options(options)
        .with_clock(FixedClock::at(&format!("2026-01-02T03:{minute:02}:05Z")))
        .with_sink(recorder.clone())
        .build()
        .unwrap();
    let vault = Vault::new().with(
        SecretName::parse("password").unwrap(),
        Secret::new("correct horse"),
        vec![Origin::parse(at.home).unwrap()],
    );
    let task = Task::new(story.goal)
        .unwrap()
        .with_start_url(at.home)
        .unwrap()
        .with_secrets(vault.unwrap())
        .with_run_id(RunId::parse(story.run).unwrap());
    let report = agent.run(task).await;
    assert!(report.summary.success, "{report:?}");
    let changes = recorder.events().into_iter();
    let changes = changes.filter_map(|event| match event.kind {
        EventKind::MemoryChanged { what, data, .. } => Some((what, data)),
        _ => None,
    });
    let requests = model.requests();
    Ran {
        messages: requests
            .iter()
            .map(|request| request.message.clone())
            .collect(),
        systems: requests
            .iter()
            .map(|request| request.system.clone())
            .collect(),
        changes: changes.collect(),
    }
}

/// A memory with two runs with different goals.
async fn taught() -> (InMemory, [Ran; 2]) {
    let store = InMemory::new();
    let first = run(&store, DESK, ORDERS, 1).await;
    let second = run(&store, DESK, LANGUAGE, 2).await;
    (store, [first, second])
}

#[tokio::test(start_paused = true)]
async fn a_run_with_a_third_goal_reads_how_two_others_logged_in_and_needs_fewer_calls() {
    let (store, [first, second]) = taught().await;
    assert!(!first.is_shown() && !second.is_shown());
    let recorded = (
        "pattern_recorded".to_owned(),
        json!({ "type": "login_flow", "steps": 4, "tasks": 2 }),
    );
    assert!(second.changes.contains(&recorded), "{:?}", second.changes);

    let third = run(&store, DESK, REPORT, 3).await;
    let expected = "\n## Patterns of this site\n\
        - How earlier tasks logged in here (4 steps, 2 tasks). Follow it if your task needs it, with your own value for <1>.\n  \
        1. click n1\n  2. fill n2 with <1>\n  3. fill n3 with <secret:password>\n  4. click n4\n";
    assert!(
        third.messages[0].contains(expected),
        "{}",
        third.messages[0]
    );
    let names = "## Names in the tips\nn1 link \"Staff\"\nn2 textbox \"User\"\nn3 textbox \"Password\"\nn4 button \"Log in\"\n";
    assert!(third.messages[0].contains(names), "{}", third.messages[0]);
    let rest = "for <1>.\n  2. fill n1 with <1>\n";
    assert!(third.messages[1].contains(rest), "{}", third.messages[1]);
    assert!(
        third.messages[4..]
            .iter()
            .all(|message| !message.contains("## Patterns"))
    );
    let cold = run(&InMemory::new(), DESK, REPORT, 3).await;
    assert_eq!((cold.messages.len(), third.messages.len()), (10, 6));
    let used = (
        "pattern_used".to_owned(),
        json!({ "result": "helped", "used": true, "followed": true, "helped": true, "harmed": false }),
    );
    assert!(third.changes.contains(&used), "{:?}", third.changes);
    for text in third.messages.iter().chain(&third.systems) {
        for value in ["anna", "bob.fischer", "correct horse"] {
            assert!(!text.contains(value), "{value} in {text}");
        }
        let outside: String = section(text, "Patterns of this site").to_owned();
        assert!(
            !outside.contains("Staff") && !outside.contains("Log in"),
            "{outside}"
        );
    }
    assert!(third.systems.iter().all(|system| !system.contains("Staff")));
    figure!(
        "pattern_story: a task with a new goal: {} calls of the model without memory, {} with a pattern of two other goals",
        cold.messages.len(),
        third.messages.len()
    );
}

#[tokio::test(start_paused = true)]
async fn a_pattern_stays_on_its_host_and_goes_when_it_is_undone_or_forgotten() {
    let (store, _) = taught().await;
    assert!(!run(&store, OTHER, REPORT, 3).await.is_shown());
    let keeper = |store| Keeper::new(store, Namespace::default());

    let undone = store.fork();
    keeper(&undone)
        .undo(&RunId::parse("run_2").unwrap())
        .await
        .unwrap();
    assert!(!run(&undone, DESK, REPORT, 3).await.is_shown());

    let forgotten = store.fork();
    let items = keeper(&forgotten).items().await.unwrap().items;
    let of_kind: Vec<_> = items
        .iter()
        .filter(|item| item.shelf.collection == "patterns")
        .collect();
    assert_eq!(of_kind.len(), 1, "the runs' signatures are no items");
    keeper(&forgotten).forget(of_kind[0]).await.unwrap();
    assert!(!run(&forgotten, DESK, REPORT, 3).await.is_shown());

    let host = store.fork();
    keeper(&host)
        .forget_host(&Host::of_domain("desk.example").unwrap())
        .await
        .unwrap();
    assert!(!run(&host, DESK, REPORT, 3).await.is_shown());
    assert!(run(&store, DESK, REPORT, 3).await.is_shown());
}

#[tokio::test(start_paused = true)]
async fn a_pattern_that_a_person_gave_is_followed_by_the_first_run_already() {
    let click = || StoredStep::new(BrowserTool::Click);
    let fill = || StoredStep::new(BrowserTool::Fill);
    let password = StoredText::Secret(SecretName::parse("password").unwrap());
    let steps = vec![
        click().with_target(Role::Link, "Staff"),
        fill()
            .with_target(Role::TextBox, "User")
            .with_text(StoredText::Slot(0)),
        fill()
            .with_target(Role::TextBox, "Password")
            .with_text(password),
        click().with_target(Role::Button, "Log in"),
    ];
    let now = "2026-01-02T03:00:05Z".parse().unwrap();
    let pattern = Pattern::given("The desk is behind this link", &steps, now).unwrap();
    let store = InMemory::new();
    let keeper = Keeper::new(&store, Namespace::default());
    let host = Host::of_domain("desk.example").unwrap();
    keeper
        .apply(vec![pattern.put(&Namespace::default(), &host)])
        .await
        .unwrap();
    let first = run(&store, DESK, REPORT, 1).await;
    let expected = "- The desk is behind this link (4 steps). Follow it if your task needs it, with your own value for <1>.\n  1. click n1\n";
    assert!(
        first.messages[0].contains(expected),
        "{}",
        first.messages[0]
    );
    assert_eq!(first.messages.len(), 6);
}

#[tokio::test(start_paused = true)]
async fn a_pattern_is_left_out_where_a_trajectory_has_its_steps_and_two_are_shown_at_most() {
    let (store, _) = taught().await;
    let again = StoryTask {
        run: "run_3",
        goal: "As dora, tell how many orders are open",
        user: "dora",
        ..ORDERS
    };
    let third = run(&store, DESK, again, 3).await;
    assert!(
        third.messages[0].contains("## Reference trajectory"),
        "{}",
        third.messages[0]
    );
    assert!(
        !third.messages[0].contains("## Patterns"),
        "{}",
        third.messages[0]
    );

    let store = InMemory::new();
    let keeper = Keeper::new(&store, Namespace::default());
    let host = Host::of_domain("desk.example").unwrap();
    for second in ["One", "Two", "Three"] {
        let click = |role, name| StoredStep::new(BrowserTool::Click).with_target(role, name);
        let steps = vec![click(Role::Link, "News"), click(Role::Button, second)];
        let now = "2026-01-02T03:00:05Z".parse().unwrap();
        let pattern = Pattern::given(second, &steps, now).unwrap();
        keeper
            .apply(vec![pattern.put(&Namespace::default(), &host)])
            .await
            .unwrap();
    }
    let model = ScriptedModel::new([call("finish", json!({ "answer": "no", "success": false }))]);
    let agent = DecisionLoop::builder(browser(DESK, "x"), model.clone(), store)
        .build()
        .unwrap();
    agent
        .run(
            Task::new("Look")
                .unwrap()
                .with_start_url(DESK.home)
                .unwrap(),
        )
        .await;
    let message = &model.requests()[0].message;
    assert_eq!(
        section(message, "Patterns of this site")
            .matches("(2 steps)")
            .count(),
        2,
        "{message}"
    );
}
