//! Recipes through the whole loop with scripted ports: a run records one, the model of another run follows it with other values in
//! one call, and a run with the very same goal begins with it before its first request.

use serde_json::{Value, json};
use webwise::{
    DecisionLoop, RunId, RunReport, Task,
    action::{Action, Effect, ParameterName},
    agent::{Approval, ApprovalRequest, Approver, Options, Replay},
    chat::ChatResponse,
    event::{Event, EventKind},
    guard::ApprovalMode,
    memory::Namespace,
    store::{InMemory, Memory},
    testing::{FixedClock, Recorder, ScriptedBrowser, ScriptedModel, ScriptedReply as Reply, call},
    working::{By, Chosen},
};

const HOME: &str = "https://desk.example/";
const NAMED: &str = "https://desk.example/#named";
const FILLED: &str = "https://desk.example/#filled";
const SENT: &str = "https://desk.example/ticket/7";

/// A desk where a ticket with a subject and an owner is filed. Its send button cannot be undone if it says so.
fn desk(subject: &str, owner: &str, button: &str) -> ScriptedBrowser {
    desk_with("Owner", subject, owner, button)
}

fn desk_with(second: &str, subject: &str, owner: &str, button: &str) -> ScriptedBrowser {
    let form = |subject: &str, owner: &str| {
        let value = |text: &str| {
            if text.is_empty() {
                String::new()
            } else {
                format!(" = {text}")
            }
        };
        format!(
            "heading \"New ticket\" [level=1]\nform \"\"\n  textbox \"Subject\" e1{}\n  textbox \"{second}\" e2{}\n  button \"{button}\" e3",
            value(subject),
            value(owner)
        )
    };
    let fill =
        |target: &str, text: &str| format!("fill {}", json!({ "target": target, "text": text }));
    ScriptedBrowser::new()
        .with_page(HOME, "Desk", &form("", ""))
        .with_page(NAMED, "Desk", &form(subject, ""))
        .with_page(FILLED, "Desk", &form(subject, owner))
        .with_page(SENT, "Ticket", "heading \"Ticket filed\" [level=1]")
        .on(HOME, &fill("e1", subject), [Reply::Show(NAMED)])
        .on(NAMED, &fill("e2", owner), [Reply::Show(FILLED)])
        .on(FILLED, r#"click {"target":"e3"}"#, [Reply::Show(SENT)])
}

fn goal(subject: &str, owner: &str) -> String {
    format!("File the ticket {subject} for {owner}")
}

fn finish() -> ChatResponse {
    call(
        "finish",
        json!({ "answer": "Filed", "evidence": "Ticket filed" }),
    )
}

fn follow(arguments: &Value) -> ChatResponse {
    call("follow", arguments.clone())
}

/// The replies of a model that does the whole task.
fn whole(subject: &str, owner: &str) -> Vec<ChatResponse> {
    vec![
        call("fill", json!({ "target": "e1", "text": subject })),
        call("fill", json!({ "target": "e2", "text": owner })),
        call("click", json!({ "target": "e3" })),
        finish(),
    ]
}

struct Ran {
    report: RunReport,
    messages: Vec<String>,
    events: Vec<Event>,
}

impl Ran {
    /// The numbers of the steps that were taken from a recipe.
    fn followed(&self) -> Vec<usize> {
        let numbers = self.events.iter().filter_map(|event| match &event.kind {
            EventKind::StepReplayed { number, of: 3, .. } => Some(*number),
            _ => None,
        });
        numbers.collect()
    }

    fn changes(&self) -> Vec<(&str, &Value)> {
        let changes = self.events.iter().filter_map(|event| match &event.kind {
            EventKind::MemoryChanged { what, data, .. } => Some((what.as_str(), data)),
            _ => None,
        });
        changes.collect()
    }
}

/// An approver who says yes.
#[derive(Debug)]
struct Yes;

#[async_trait::async_trait]
impl Approver for Yes {
    async fn approve(&self, _: &ApprovalRequest) -> Approval {
        Approval::Yes
    }

    async fn answer(&self, _: &str) -> Option<String> {
        None
    }
}

async fn run_task(
    store: &InMemory,
    task: Task,
    browser: ScriptedBrowser,
    replies: Vec<ChatResponse>,
    change: impl FnOnce(&mut Options),
) -> Ran {
    let model = ScriptedModel::new(replies);
    let recorder = Recorder::new();
    let mut options = Options::default();
    options.approval = ApprovalMode::Hybrid;
    change(&mut options);
    let agent = DecisionLoop::builder(browser, model.clone(), store.clone())
        .with_options(options)
        .with_approver(Yes)
        .with_clock(FixedClock::at("2026-01-02T03:04:05Z"))
        .with_sink(recorder.clone())
        .build()
        .unwrap();
    let report = agent.run(task).await;
    Ran {
        report,
        messages: model
            .requests()
            .into_iter()
            .map(|request| request.message)
            .collect(),
        events: recorder.events(),
    }
}

fn task(id: &str, goal: &str) -> Task {
    let task = Task::new(goal).unwrap().with_start_url(HOME).unwrap();
    task.with_run_id(RunId::parse(id).unwrap())
}

async fn run(
    store: &InMemory,
    id: &str,
    goal: &str,
    browser: ScriptedBrowser,
    replies: Vec<ChatResponse>,
) -> Ran {
    run_task(store, task(id, goal), browser, replies, |_| ()).await
}

/// A store that knows how a ticket is filed.
async fn experienced(button: &str) -> InMemory {
    let store = InMemory::new();
    let (subject, owner) = ("Broken lamp", "Ann");
    let browser = desk(subject, owner, button);
    let first = run(
        &store,
        "run_1",
        &goal(subject, owner),
        browser,
        whole(subject, owner),
    )
    .await;
    assert!(first.report.is_success(), "{:?}", first.report);
    let recorded = ("recipe_recorded", &json!({ "steps": 3, "runs": 1 }));
    assert!(first.changes().contains(&recorded), "{:?}", first.changes());
    assert!(
        !first
            .messages
            .iter()
            .any(|message| message.contains("## Done here before"))
    );
    store
}

#[tokio::test]
async fn one_call_does_the_recorded_steps_with_other_values() {
    let store = experienced("Save").await;
    let (subject, owner) = ("Cold room", "Bob");
    let values = json!({ "recipe": "t1", "values": { "subject": subject, "owner": owner } });
    let ran = run(
        &store,
        "run_2",
        &goal(subject, owner),
        desk(subject, owner, "Save"),
        vec![follow(&values), finish()],
    )
    .await;
    assert!(ran.report.is_success(), "{:?}", ran.report);
    assert_eq!((ran.messages.len(), ran.followed()), (2, vec![1, 2, 3]));
    let shown = "## Done here before\n- t1 \"File the ticket <subject> for <owner>\" 3 steps, 1 of 1 run reached their goal\n  \
                 1. fill textbox \"Subject\" <subject>\n  2. fill textbox \"Owner\" <owner>\n  3. click button \"Save\" -> /ticket/:n\n";
    assert!(ran.messages[0].contains(shown), "{}", ran.messages[0]);
    assert!(!ran.messages[0].contains("lamp") && !ran.messages[0].contains("Ann"));
    assert!(
        ran.messages[1].contains("## Followed\nt1: did 1-3, the last step\n"),
        "{}",
        ran.messages[1]
    );
    // One line of history stands for all steps.
    assert!(
        ran.messages[1].contains(" -> \"did 1-3, the last step\""),
        "{}",
        ran.messages[1]
    );
    assert!(!ran.messages[1].contains(". fill textbox \"Subject\" \"Cold room\""));
    let by = |step: &webwise::working::Step| step.by;
    let chosen = Chosen::Model;
    let steps: Vec<By> = ran.report.steps[2..5].iter().map(by).collect();
    assert_eq!(
        steps,
        [1, 2, 3].map(|step| By::Recipe {
            step,
            chosen,
            astray: false
        })
    );
    let helped = ran
        .changes()
        .iter()
        .any(|(what, data)| *what == "recipe_used" && data["helped"] == true);
    assert!(helped, "{:?}", ran.changes());
}

#[tokio::test]
async fn a_stop_drops_the_rest_of_the_reply_and_the_model_goes_on() {
    let store = experienced("Save").await;
    let (subject, owner) = ("Cold room", "Bob");
    // The page has another field in the place of the owner.
    let browser = desk_with("Team", subject, owner, "Save");
    let mut reply =
        follow(&json!({ "recipe": "t1", "values": { "subject": subject, "owner": owner } }));
    reply.calls.extend(finish().calls);
    let gives_up = call(
        "finish",
        json!({ "success": false, "answer": "There is no owner" }),
    );
    let ran = run(
        &store,
        "run_2",
        &goal(subject, owner),
        browser,
        vec![reply, gives_up],
    )
    .await;
    assert_eq!((ran.messages.len(), ran.followed()), (2, vec![1]));
    let told = "t1: did 1; stopped before 2: there is no textbox \"Owner\"\n";
    assert!(ran.messages[1].contains(told), "{}", ran.messages[1]);
    assert!(
        ran.messages[1].contains("1 further call was not carried out"),
        "{}",
        ran.messages[1]
    );
    assert_eq!(ran.report.summary.errors, 0, "a stop is no error");
}

#[tokio::test]
async fn what_cannot_be_undone_needs_a_call_of_its_own_and_its_approval() {
    let store = experienced("Pay now").await;
    let (subject, owner) = ("Cold room", "Bob");
    let values = json!({ "recipe": "t1", "values": { "subject": subject, "owner": owner } });
    let last = json!({ "recipe": "t1", "first": 3 });
    let ran = run(
        &store,
        "run_2",
        &goal(subject, owner),
        desk(subject, owner, "Pay now"),
        vec![follow(&values), follow(&last), finish()],
    )
    .await;
    assert!(ran.report.is_success(), "{:?}", ran.report);
    assert_eq!((ran.messages.len(), ran.followed()), (3, vec![1, 2, 3]));
    let told = "t1: did 1-2; stopped before 3: it cannot be undone: check this page, then follow t1 from 3\n";
    assert!(ran.messages[1].contains(told), "{}", ran.messages[1]);
    let asked = ran.events.iter().filter(|event| {
        matches!(
            event.kind,
            EventKind::ApprovalDecided {
                effect: Effect::Irreversible,
                ..
            }
        )
    });
    assert_eq!(asked.count(), 1);
}

type Change = fn(&mut Options);

#[tokio::test]
async fn the_very_same_goal_is_followed_up_to_the_form_and_with_full_to_the_end() {
    let (subject, owner) = ("Broken lamp", "Ann");
    let full: Change = |options| options.replay = Replay::Full;
    let cases: [(&str, Change, Vec<usize>, usize); 5] = [
        ("Save", |_| (), vec![1, 2], 2),
        ("Save", full, vec![1, 2, 3], 0),
        ("Pay now", full, vec![1, 2, 3], 0),
        ("Save", |options| options.replay = Replay::Off, vec![], 4),
        ("Save", |options| options.withheld_share = 1.0, vec![], 4),
    ];
    for (button, change, followed, requests) in cases {
        let store = experienced(button).await;
        let replies = whole(subject, owner).split_off(followed.len());
        let task = task("run_2", &goal(subject, owner));
        let ran = run_task(&store, task, desk(subject, owner, button), replies, change).await;
        assert!(ran.report.is_success(), "{button}: {:?}", ran.report);
        assert_eq!(
            (ran.followed(), ran.messages.len()),
            (followed.clone(), requests),
            "{button}"
        );
        if followed.len() == 2 {
            let told = "t1: did 1-2; the rest is yours: look at this page, then go on from 3";
            assert!(ran.messages[0].contains(told), "{}", ran.messages[0]);
        }
        let sent = ran
            .report
            .steps
            .iter()
            .filter(|step| step.action.tool_name() == "click");
        assert_eq!(sent.count(), 1, "{button}");
    }
    // Any other word may take the task back, and so may words beside the goal.
    let store = experienced("Save").await;
    for goal in [
        "Do not file the ticket Broken lamp for Ann",
        "File the ticket Cold room for Ann",
    ] {
        let ran = run(
            &store.fork(),
            "run_2",
            goal,
            desk(subject, owner, "Save"),
            whole(subject, owner),
        )
        .await;
        assert_eq!(ran.followed(), [0; 0], "{goal}");
    }
    let more = task("run_2", &goal(subject, owner))
        .with_instructions("Ask me first.")
        .unwrap();
    let ran = run_task(
        &store,
        more,
        desk(subject, owner, "Save"),
        whole(subject, owner),
        |_| (),
    )
    .await;
    assert_eq!(ran.followed(), [0; 0]);
}

#[tokio::test]
async fn declared_parameters_may_have_other_values() {
    let store = InMemory::new();
    let name = |name: &str| ParameterName::parse(name).unwrap();
    let task = |id: &str, subject: &str| {
        let task = task(id, "File the ticket for the owner");
        task.with_parameter(name("subject"), subject)
            .with_parameter(name("owner"), "Ann")
    };
    let all = || whole("<param:subject>", "<param:owner>");
    let first = run_task(
        &store,
        task("run_1", "Broken lamp"),
        desk("Broken lamp", "Ann", "Save"),
        all(),
        |_| (),
    )
    .await;
    assert!(first.report.is_success(), "{:?}", first.report);
    let second = task("run_2", "Cold room");
    let replies = all().split_off(2);
    let ran = run_task(
        &store,
        second,
        desk("Cold room", "Ann", "Save"),
        replies,
        |_| (),
    )
    .await;
    assert!(ran.report.is_success(), "{:?}", ran.report);
    assert_eq!((ran.followed(), ran.messages.len()), (vec![1, 2], 2));
    let stored = Memory::new(&store, Namespace::default())
        .read(None)
        .await
        .unwrap();
    let stored = format!("{stored:?}");
    assert!(!stored.contains("Broken lamp") && !stored.contains("Cold room"));
}

#[tokio::test]
async fn a_recipe_whose_goal_is_another_is_listed_and_shows_its_steps_on_demand() {
    let store = experienced("Save").await;
    let (subject, owner) = ("Cold room", "Bob");
    let values = json!({ "recipe": "t1", "values": { "subject": subject, "owner": owner } });
    let replies = vec![follow(&values), follow(&values), finish()];
    let ran = run(
        &store,
        "run_2",
        "Report what is broken",
        desk(subject, owner, "Save"),
        replies,
    )
    .await;
    assert!(ran.report.is_success(), "{:?}", ran.report);
    assert!(
        ran.messages[0].contains("reached their goal (follow t1 shows the steps)\n"),
        "{}",
        ran.messages[0]
    );
    assert!(!ran.messages[0].contains("1. fill textbox \"Subject\" <subject>"));
    assert!(
        ran.messages[1].contains("1. fill textbox \"Subject\" <subject>"),
        "{}",
        ran.messages[1]
    );
    assert_eq!(ran.followed(), [1, 2, 3]);
}

#[tokio::test]
async fn a_recipe_that_fails_three_times_is_retired() {
    let store = experienced("Save").await;
    let (subject, owner) = ("Cold room", "Bob");
    for n in 2..6 {
        // The field does not take the text any more.
        let page = "heading \"New ticket\" [level=1]\nform \"\"\n  textbox \"Subject\" e1\n  textbox \"Owner\" e2\n  button \"Save\" e3";
        let browser = ScriptedBrowser::new().with_page(HOME, "Desk", page);
        let values = json!({ "recipe": "t1", "values": { "subject": subject, "owner": owner } });
        let gives_up = call(
            "finish",
            json!({ "success": false, "answer": "It does not work" }),
        );
        let replies = if n < 5 {
            vec![follow(&values), gives_up]
        } else {
            vec![gives_up]
        };
        let ran = run(
            &store,
            &format!("run_{n}"),
            &goal(subject, owner),
            browser,
            replies,
        )
        .await;
        let is_shown = ran.messages[0].contains("## Done here before");
        assert_eq!(is_shown, n < 5, "run {n}");
        let retired = ran
            .changes()
            .iter()
            .filter(|(what, _)| *what == "recipe_retired")
            .count();
        assert_eq!(retired, usize::from(n == 4), "run {n}: {:?}", ran.changes());
    }
}

#[tokio::test]
async fn a_bad_call_is_refused_with_the_reason() {
    let store = experienced("Save").await;
    let (subject, owner) = ("Cold room", "Bob");
    let bad = [
        json!({ "recipe": "t9" }),
        json!({ "recipe": "t1", "values": { "owner": owner } }),
        json!({ "recipe": "t1", "values": { "subject": "<secret:PASSWORD>", "owner": owner } }),
    ];
    let mut replies: Vec<ChatResponse> = bad.iter().map(follow).collect();
    replies.extend(whole(subject, owner));
    let ran = run(
        &store,
        "run_2",
        &goal(subject, owner),
        desk(subject, owner, "Save"),
        replies,
    )
    .await;
    assert!(ran.report.is_success(), "{:?}", ran.report);
    for (message, why) in ran.messages[1..].iter().zip([
        "there are: t1",
        "values lacks subject",
        "types secrets by itself",
    ]) {
        assert!(message.contains(why), "{why}: {message}");
    }
    let called = ran
        .report
        .steps
        .iter()
        .filter(|step| matches!(&step.action, Action::Agent(_)));
    assert!(called.count() >= 3);
}

const LOGIN: &str = "https://auth.site.example/login";
const APP: &str = "https://app.site.example/notes/new";
const USER: &str = "https://auth.site.example/login#user";
const NAMED_NOTE: &str = "https://app.site.example/notes/new#named";
const NOTE: &str = "https://app.site.example/note/7";

/// A site whose login and whose application are on two hosts.
fn notes(title: &str) -> ScriptedBrowser {
    let login = |value: &str| {
        format!("heading \"Sign in\" [level=1]\ntextbox \"User\" e1{value}\nbutton \"Go on\" e2")
    };
    let note = |value: &str| {
        format!("heading \"New note\" [level=1]\ntextbox \"Title\" e1{value}\nbutton \"Save\" e2")
    };
    let fill = |text: &str| format!("fill {}", json!({ "target": "e1", "text": text }));
    ScriptedBrowser::new()
        .with_page(LOGIN, "Sign in", &login(""))
        .with_page(USER, "Sign in", &login(" = ann"))
        .with_page(APP, "Notes", &note(""))
        .with_page(NAMED_NOTE, "Notes", &note(&format!(" = {title}")))
        .with_page(NOTE, "Note", "heading \"Note saved\" [level=1]")
        .on(LOGIN, &fill("ann"), [Reply::Show(USER)])
        .on(USER, r#"click {"target":"e2"}"#, [Reply::Show(APP)])
        .on(APP, &fill(title), [Reply::Show(NAMED_NOTE)])
        .on(NAMED_NOTE, r#"click {"target":"e2"}"#, [Reply::Show(NOTE)])
}

async fn notes_run(store: &InMemory, id: &str, title: &str, replies: Vec<ChatResponse>) -> Ran {
    let task = Task::new(format!("Write the note {title}")).unwrap();
    let task = task.with_start_url(LOGIN).unwrap();
    let task = task.with_run_id(RunId::parse(id).unwrap());
    run_task(store, task, notes(title), replies, |_| ()).await
}

#[tokio::test]
async fn a_task_over_two_hosts_of_a_site_is_learned_followed_undone_and_forgotten() {
    let finish = || {
        call(
            "finish",
            json!({ "answer": "Saved", "evidence": "Note saved" }),
        )
    };
    let fill = |text: &str| call("fill", json!({ "target": "e1", "text": text }));
    let click = || call("click", json!({ "target": "e2" }));
    let learned = async || {
        let store = InMemory::new();
        let own = vec![fill("ann"), click(), fill("Milk"), click(), finish()];
        let first = notes_run(&store, "run_1", "Milk", own).await;
        assert!(first.report.is_success(), "{:?}", first.report);
        assert_eq!(first.report.not_kept, [""; 0]);
        store
    };
    let store = learned().await;
    let values = json!({ "recipe": "t1", "values": { "user": "ann", "title": "Bread" } });
    let again = notes_run(&store, "run_2", "Bread", vec![follow(&values), finish()]).await;
    assert!(again.report.is_success(), "{:?}", again.report);
    let steps = again.report.steps.iter();
    assert_eq!(steps.filter(|step| step.by.is_recipe()).count(), 4);
    assert_eq!(again.messages.len(), 2);

    let shows = async |store: &InMemory| {
        let next = notes_run(store, "run_3", "Salt", vec![finish(), finish()]).await;
        next.messages[0].contains("## Done here before")
    };
    assert!(shows(&store.fork()).await);
    for host in ["auth.site.example", "app.site.example"] {
        let store = learned().await;
        let host = webwise::Host::of_domain(host).unwrap();
        Memory::open(&store).forget_host(&host).await.unwrap();
        assert!(!shows(&store).await, "{host}");
    }
    let store = learned().await;
    let run = RunId::parse("run_1").unwrap();
    Memory::open(&store).undo(&run).await.unwrap();
    assert!(!shows(&store).await);
}
