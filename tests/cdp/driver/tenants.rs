//! Runs of several users at once: each has a browser of its own, and nothing of it is left.

use serde_json::json;
use webwise::{
    DecisionLoop, ErrorKind, LlmClient, Origin, Result, SessionId, Task,
    action::{BrowserAction, Fill, StateFile, TextValue, Wait},
    agent::{Cause, Options},
    async_trait,
    browser::{BrowserDriver, Cdp, ExecuteRequest, Execution, ObserveRequest, Relaunching},
    chat::{ChatRequest, ChatResponse, LlmCapabilities},
    memory::Namespace,
    page::Notice,
    secret::{Secret, SecretName, SecretResolver, Vault},
    store::InMemory,
    testing::{ScriptedModel, call},
    working::StopReason,
};

use rustix::process::{Pid, Signal, kill_process};
use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU32, Ordering},
};
use std::{
    path::Path,
    time::{Duration, Instant},
};
use tokio::time::timeout;

use crate::driver::{
    bed::{NEVER, button, click, dismiss, folder, goto, options, target, text_of},
    processes::{family, gone},
    profile::pick,
    web::{Answer, Web},
};

/// Shows who this browser belongs to, by its cookie and its storage, and takes a name.
const PAGE: &str = "<label>Name <input></label> <button>Log in</button> <p>?</p> <script>
    const show = () => document.querySelector('p').textContent =
        `cookie ${document.cookie || 'none'}, storage ${localStorage.who || 'nobody'}`;
    document.querySelector('button').onclick = () => {
        const name = document.querySelector('input').value;
        document.cookie = `who=${name}`; localStorage.who = name; show();
    };
    show();
</script>";

/// Logs in as the user of its goal if the browser knows nobody, and tells whom the browser knows.
fn decide(request: &ChatRequest) -> ChatResponse {
    let goal = request
        .system
        .rsplit("## Goal\n")
        .next()
        .unwrap_or_default();
    let user = goal.trim().trim_start_matches("Log in as ");
    let mine = format!("cookie who={user}, storage {user}");
    if !request.message.contains(&mine) && request.message.contains("cookie none, storage nobody") {
        log_in(user)
    } else {
        call("finish", json!({ "answer": user, "evidence": mine }))
    }
}

fn log_in(user: &str) -> ChatResponse {
    let fill = json!({ "target": "textbox \"Name\"", "text": user });
    let mut calls = call("fill", fill).calls;
    calls.extend(call("click", json!({ "target": "button \"Log in\"" })).calls);
    ChatResponse::with_calls(calls)
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_with_fresh_browsers_share_nothing_and_leave_no_process() {
    let web = Web::start(|_| Answer::page(PAGE));
    let base = folder();
    let browser = Cdp::launch(&options(base.path())).await.unwrap();
    assert!(browser.capabilities().fresh);
    let before = family(base.path(), 0).len();
    let mut own = Options::default();
    own.memory = false;
    let model = ScriptedModel::deciding(|request| Ok(decide(request)));
    let agent = DecisionLoop::builder(browser, model, InMemory::new()).with_options(own.clone());
    let agent = agent.build().unwrap();
    let task = |user: usize| {
        let task = Task::new(format!("Log in as user{user}")).unwrap();
        task.with_start_url(&web.url("localhost", "/")).unwrap()
    };
    let count = pick(4, 20);
    let runs: Vec<_> = (0..count).map(|user| agent.spawn(task(user))).collect();
    for (user, run) in runs.into_iter().enumerate() {
        let report = run.report().await;
        assert_eq!(report.summary.stop, StopReason::Finished, "{report:?}");
        // It logged in itself, and read its own name alone.
        assert_eq!(report.answer, Some(format!("user{user}")));
        let acts = report.steps.iter().map(|step| step.action.tool_name());
        assert_eq!(
            acts.collect::<Vec<_>>(),
            ["goto", "fill", "click", "finish"]
        );
    }
    figure!("{count} runs at once in fresh browsers: 0 of them knew another");
    // A run that is given up leaves nothing either.
    let dropped = agent.spawn(task(0));
    let mut events = dropped.events();
    while let Some(event) = events.next().await {
        if event.kind.name() == "model_asked" {
            break;
        }
    }
    drop(dropped);
    while events.next().await.is_some() {}
    // Chromium keeps one process ready for the next page.
    let fewer = async {
        while family(base.path(), 0).len() > before + 1 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(NEVER, fewer).await.expect("their processes end");
    let known = family(base.path(), 0);
    agent.browser().close().await.unwrap();
    assert_eq!(gone(base.path(), &known).1, [].into());
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_of_one_conversation_share_their_browser_and_no_other_tenant_has_it() {
    let web = Web::start(|_| Answer::page(PAGE));
    let base = folder();
    let browser = Cdp::launch(&options(base.path())).await.unwrap();
    let model = ScriptedModel::deciding(|request| Ok(decide(request)));
    let mut own = Options::default();
    own.memory = false;
    let agent = DecisionLoop::builder(browser, model, InMemory::new()).with_options(own.clone());
    let agent = agent.build().unwrap();
    let run = async |tenant: &str| {
        let mut own = own.clone();
        own.namespace = Namespace::parse(tenant).unwrap();
        let task = Task::new(format!("Log in as {tenant}")).unwrap();
        let task = task.with_start_url(&web.url("localhost", "/")).unwrap();
        let task = task.with_session(SessionId::parse("chat").unwrap());
        let report = agent.run(task.with_options(own).unwrap()).await;
        assert_eq!(report.answer.as_deref(), Some(tenant), "{report:?}");
        report.steps.len()
    };
    // Later runs of a conversation are logged in; the other tenant's conversation of this name is not.
    assert_eq!(
        [
            run("ada").await,
            run("ada").await,
            run("bob").await,
            run("ada").await
        ],
        [4, 2, 4, 2]
    );
    agent.browser().close().await.unwrap();
}

/// Keeps a word wherever a page can keep one, and shows what is kept.
const KEEPER: &str = "<button>Keep</button> <button>Show</button> <p>?</p> <script>
    const word = location.hash.slice(1), heard = [];
    const channel = new BroadcastChannel('all');
    channel.onmessage = ({ data }) => heard.push(data);
    const store = () => new Promise(done => {
        const open = indexedDB.open('kept', 1);
        open.onupgradeneeded = () => open.result.createObjectStore('words');
        open.onsuccess = () => done(open.result);
    });
    const asked = request => new Promise(done => request.onsuccess = () => done(request.result));
    const [keep, show] = document.querySelectorAll('button');
    keep.onclick = async () => {
        document.cookie = `word=${word}`;
        localStorage.word = word;
        const words = (await store()).transaction('words', 'readwrite').objectStore('words');
        await asked(words.put(word, 'word'));
        await (await caches.open('kept')).put('/word', new Response(word));
        channel.postMessage(word);
        show.onclick();
    };
    show.onclick = async () => {
        const words = (await store()).transaction('words').objectStore('words');
        const stored = await asked(words.get('word'));
        const cached = await (await caches.open('kept')).match('/word');
        const count = await (await fetch('/count')).text();
        const all = [document.cookie, localStorage.word, stored, await cached?.text(), heard.join()];
        document.querySelector('p').textContent = `kept ${all.map(one => one || 'none').join(' ')}, asked ${count}`;
    };
</script>";

#[tokio::test(flavor = "multi_thread")]
async fn contexts_of_one_chromium_share_nothing_and_each_sees_its_own_tabs() {
    let count = AtomicU32::new(0);
    let web = Web::start(move |asked| match asked.path.as_str() {
        "/count" => Answer {
            headers: vec!["Cache-Control: max-age=3600".to_owned()],
            ..Answer::page(count.fetch_add(1, Ordering::Relaxed).to_string())
        },
        "/file" => Answer {
            headers: vec!["Content-Disposition: attachment; filename=own.txt".to_owned()],
            ..Answer::page("mine")
        },
        "/tabs" => Answer::page(
            "<a href=/other target=_blank>Other</a> <a href=/file>File</a> <button onclick='alert(1)'>Alert</button>",
        ),
        "/other" => Answer::page("<title>Another</title><p>other page"),
        _ => Answer::page(KEEPER),
    });
    let base = folder();
    let kept = folder();
    let options = options(base.path())
        .with_downloads(kept.path())
        .with_state_folder(base.path());
    let first = Cdp::launch(&options).await.unwrap();
    let begin = Instant::now();
    let mut all: Vec<Arc<dyn BrowserDriver>> = vec![first.fresh().await.unwrap()];
    figure!("a context opens in {} ms", begin.elapsed().as_millis());
    // One that is fresh from a fresh one is no nearer to it.
    all.push(all[0].fresh().await.unwrap());
    all.push(Arc::new(first));
    let page = |word: &str| web.url("localhost", &format!("/#{word}"));
    for (browser, word) in all.iter().zip(["ada", "bob", "eve"]) {
        does(&**browser, goto(page(word))).await;
    }
    for (number, (browser, word)) in all.iter().zip(["ada", "bob", "eve"]).enumerate() {
        does(&**browser, button("Show")).await;
        let asked = format!("asked {number}");
        shows(
            &**browser,
            &format!("kept none none none none none, {asked}"),
        )
        .await;
        does(&**browser, button("Keep")).await;
        let all = format!("kept word={word} {word} {word} {word} none, {asked}");
        shows(&**browser, &all).await;
    }
    // Tabs, files and dialogs are told to the context that has them, also after a state was loaded.
    for (number, browser) in all.iter().enumerate() {
        let name = format!("s{number}");
        let state = || StateFile { name: name.clone() };
        does(&**browser, BrowserAction::StateSave(state())).await;
        does(&**browser, BrowserAction::StateLoad(state())).await;
        does(&**browser, goto(web.url("localhost", "/tabs"))).await;
        let opened = does(&**browser, click(target("link \"Other\""))).await;
        assert!(
            matches!(&opened.notices[..], [Notice::TabOpened { .. }]),
            "{opened:?}"
        );
        let taken = does(&**browser, click(target("link \"File\""))).await;
        assert!(
            matches!(&taken.notices[..], [Notice::Download { .. }]),
            "{taken:?}"
        );
        let alert = does(&**browser, button("Alert")).await;
        assert!(alert.dialog.is_some(), "{alert:?}");
    }
    for browser in &all {
        let seen = browser.observe(&ObserveRequest::default()).await.unwrap();
        assert!(seen.dialog.is_some());
        does(&**browser, dismiss()).await;
        let seen = browser.observe(&ObserveRequest::default()).await.unwrap();
        assert_eq!(seen.tabs.len(), 2, "{:?}", seen.tabs);
    }
    let files: Vec<_> = std::fs::read_dir(kept.path())
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    assert_eq!(files.len(), 3, "{files:?}");
    // Each page still has its own cookies, the loaded ones.
    for (browser, word) in all.iter().zip(["ada", "bob", "eve"]) {
        does(&**browser, goto(page(word))).await;
        does(&**browser, button("Show")).await;
        shows(
            &**browser,
            &format!("kept word={word} {word} {word} {word} none"),
        )
        .await;
    }
    // The end of one is not the end of the others, and the end of the browser is the end of all.
    all[1].close().await.unwrap();
    let lost = all[1].observe(&ObserveRequest::default()).await;
    assert_eq!(lost.unwrap_err().kind(), ErrorKind::BrowserLost);
    for at in [0, 2] {
        does(&*all[at], goto(page("x"))).await;
    }
    drop(all.pop());
    let lost = all[0].observe(&ObserveRequest::default()).await;
    assert_eq!(lost.unwrap_err().kind(), ErrorKind::BrowserLost);
    assert_eq!(gone(base.path(), &[].into()).1, [].into());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_secret_of_one_tenant_holds_up_no_request_of_another() {
    const PAGE: &str = "<label>Word <input></label> <button>Send</button> <p></p> <script>
        document.querySelector('button').onclick = async () => {
            const body = document.querySelector('input').value;
            const sent = fetch('/take', { method: 'POST', body }).then(() => 'taken', () => 'held');
            document.querySelector('p').textContent = await sent;
        };
    </script>";
    let web = Web::start(|_| Answer::page(PAGE));
    let base = folder();
    let first = Cdp::launch(&options(base.path())).await.unwrap();
    let second = first.fresh().await.unwrap();
    let name = SecretName::parse("PIN").unwrap();
    let origin = Origin::parse(&web.url("127.0.0.1", "")).unwrap();
    let vault = Vault::new().with(name.clone(), Secret::new("hunter2-7f3a"), vec![origin]);
    let secrets = SecretResolver::new(Arc::new(vault.unwrap()));
    does(&first, goto(web.url("127.0.0.1", "/"))).await;
    let typed = BrowserAction::Fill(Fill {
        target: target("label=\"Word\""),
        text: TextValue::Secret(name),
        submit: false,
    });
    let typed = ExecuteRequest::new(typed).with_secrets(secrets);
    assert!(first.execute(&typed).await.unwrap().outcome.is_done());
    // The other tenant has the same word, and sends it where the first may not.
    let word = || {
        BrowserAction::Fill(Fill {
            target: target("label=\"Word\""),
            text: TextValue::Literal("hunter2-7f3a".to_owned()),
            submit: false,
        })
    };
    for (browser, told) in [(&*second, "taken"), (&first, "held")] {
        does(browser, goto(web.url("localhost", "/"))).await;
        does(browser, word()).await;
        let _ = browser
            .execute(&ExecuteRequest::new(button("Send")))
            .await
            .unwrap();
        shows(browser, told).await;
    }
    first.close().await.unwrap();
}

async fn does(browser: &dyn BrowserDriver, action: BrowserAction) -> Execution {
    let name = format!("{action:?}");
    let done = browser.execute(&ExecuteRequest::new(action)).await;
    let done = done.unwrap_or_else(|error| panic!("{name}: {error:?}"));
    assert!(done.outcome.is_done(), "{name}: {done:?}");
    done
}

async fn shows(browser: &dyn BrowserDriver, text: &str) {
    let wait = Wait {
        text: Some(text.to_owned()),
        gone: None,
        seconds: None,
    };
    let request = ExecuteRequest::new(BrowserAction::Wait(wait));
    let waited = browser.execute(&request).await.unwrap();
    let seen = browser.observe(&ObserveRequest::default()).await.unwrap();
    assert!(waited.outcome.is_done(), "{text}: {}", text_of(&seen));
}

/// Resident memory of these processes and of this one. Unit: MiB.
fn memory(base: &Path) -> (u64, u64) {
    let of = |pid: u32| {
        // A process that has ended meanwhile uses none.
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("RssAnon:"));
        let size = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        size.unwrap_or(0_u64)
    };
    let browser: u64 = family(base, 0).iter().map(|(pid, _)| of(*pid)).sum();
    (browser >> 10, of(std::process::id()) >> 10)
}

#[derive(Debug)]
struct Forgetful;

#[async_trait::async_trait]
impl LlmClient for Forgetful {
    fn capabilities(&self) -> LlmCapabilities {
        LlmCapabilities::new("forgetful")
    }

    async fn complete(&self, request: &ChatRequest) -> Result<ChatResponse> {
        Ok(decide(request))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn many_runs_one_after_another_leave_no_memory_in_use() {
    let web = Web::start(|_| Answer::page(PAGE));
    let base = folder();
    let browser = Cdp::launch(&options(base.path())).await.unwrap();
    let mut own = Options::default();
    own.memory = false;
    // A scripted model would keep each request.
    let agent = DecisionLoop::builder(browser, Forgetful, InMemory::new()).with_options(own);
    let agent = agent.build().unwrap();
    let (begin, count) = (pick(5, 50), pick(20, 500));
    let mut first = None;
    for number in 0..count {
        let task = Task::new(format!("Log in as user{number}")).unwrap();
        let task = task.with_start_url(&web.url("localhost", "/")).unwrap();
        let report = agent.spawn(task).report().await;
        assert_eq!(report.summary.stop, StopReason::Finished, "{report:?}");
        if number + 1 == begin {
            first = Some(memory(base.path()));
        }
    }
    let (first, last) = (first.unwrap(), memory(base.path()));
    figure!(
        "memory after {begin} and after {count} runs: Chromium {} and {} MiB, this program {} and {} MiB",
        first.0,
        last.0,
        first.1,
        last.1
    );
    // Caches fill; what a run leaves behind would add a page of 20 MiB each time.
    assert!(last.0 < first.0 + 200, "{first:?} {last:?}");
    assert!(last.1 < first.1 + 200, "{first:?} {last:?}");
    agent.browser().close().await.unwrap();
}

/// Kills every second run's Chromium while the model thinks.
#[tokio::test(flavor = "multi_thread")]
async fn a_killed_chromium_costs_a_service_one_run() {
    let web = Web::start(|_| Answer::page(PAGE));
    let base = folder();
    let options = options(base.path());
    let launch = move || {
        let options = options.clone();
        async move { Cdp::launch(&options).await }
    };
    let browser = Relaunching::launch(launch).await.unwrap();
    let kills = Arc::new(AtomicBool::new(false));
    let (due, place) = (Arc::clone(&kills), base.path().to_owned());
    let model = ScriptedModel::deciding(move |request| {
        if due.swap(false, Ordering::Relaxed) {
            for (pid, _) in family(&place, 0) {
                let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
                // A part of it may have ended with the others.
                let _ = kill_process(pid, Signal::KILL);
            }
        }
        // It always acts first, as a run that only looks does not miss its browser.
        Ok(if request.message.contains("click button") {
            call(
                "finish",
                json!({ "answer": "done", "evidence": "cookie who=ada, storage ada" }),
            )
        } else {
            log_in("ada")
        })
    });
    let mut own = Options::default();
    own.memory = false;
    let agent = DecisionLoop::builder(browser, model, InMemory::new()).with_options(own);
    let agent = agent.build().unwrap();
    let task = || {
        let task = Task::new("Log in as ada").unwrap();
        task.with_start_url(&web.url("localhost", "/")).unwrap()
    };
    let count = pick(3, 100);
    for _ in 0..count {
        kills.store(true, Ordering::Relaxed);
        let killed = agent.run(task()).await;
        let lost = Some(Cause::Browser(ErrorKind::BrowserLost));
        assert_eq!(killed.cause, lost, "{killed:?}");
        let next = agent.run(task()).await;
        assert_eq!(next.summary.stop, StopReason::Finished, "{next:?}");
    }
    figure!(
        "{count} kills of Chromium under a service: {count} runs lost, {count} runs after them right"
    );
    let known = family(base.path(), 0);
    agent.browser().close().await.unwrap();
    assert_eq!(gone(base.path(), &known).1, [].into());
}
