//! A service with `axum` over one agent: runs of several tenants that are watched, steered and cancelled over HTTP.
//!
//! It needs Chromium, and a model in the environment such as `GEMINI_API_KEY`. Start it with
//! `cargo run --features genai,stream --example axum_service`, and then, in another terminal:
//!
//! ```text
//! curl localhost:8080/runs --json '{"goal":"Order a mug","url":"https://shop.example","tenant":"ada"}'
//! curl localhost:8080/runs/RUN/events           # from the beginning
//! curl localhost:8080/runs/RUN/instruct -d 'Take the blue one'
//! curl -X POST localhost:8080/runs/RUN/cancel   # also: pause, resume
//! curl localhost:8080/runs/RUN                  # waits for the answer
//! ```

use std::{
    collections::HashMap,
    convert::Infallible,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use axum::{
    Json, Router,
    extract::{Path, State},
    http::StatusCode,
    response::{Sse, sse},
    routing::{get, post},
};
use futures_util::{Stream, StreamExt as _};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use webwise::{
    BrowserDriver, DecisionLoop, LlmClient, MemoryBackend, Task,
    agent::{Cause, Context, RunHandle},
    browser::{Cdp, CdpOptions},
    llm::{GenAi, Retrying},
    memory::Namespace,
    store::JsonFiles,
};

type Agent = DecisionLoop<Box<dyn BrowserDriver>, Box<dyn LlmClient>, Box<dyn MemoryBackend>>;
type Failed = (StatusCode, String);

#[derive(Clone)]
struct Service {
    agent: Agent,
    /// The runs by id. A real service also forgets old ones.
    runs: Arc<Mutex<HashMap<String, RunHandle>>>,
}

#[derive(Deserialize)]
struct Order {
    goal: String,
    url: String,
    tenant: String,
}

/// What the runs of this service return.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Found {
    /// The name, as the page writes it.
    title: String,
}

fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

fn bad(error: &webwise::Error) -> Failed {
    (StatusCode::BAD_REQUEST, error.to_string())
}

impl Service {
    fn task(&self, order: Order) -> webwise::Result<Task> {
        let mut options = self.agent.options().clone();
        options.namespace = Namespace::parse(order.tenant)?; // what one tenant's runs teach, no other's are told
        options.context = Context::Fresh; // nor is one logged in as the other
        let task = Task::new(order.goal)?.with_start_url(&order.url)?;
        Ok(task.with_options(options)?.returning::<Found>())
    }

    fn run(&self, id: &str) -> Result<RunHandle, Failed> {
        let unknown = || (StatusCode::NOT_FOUND, format!("no run {id}"));
        held(&self.runs).get(id).cloned().ok_or_else(unknown)
    }
}

const fn status(cause: &Cause) -> StatusCode {
    match cause {
        Cause::Model(_) | Cause::Browser(_) | Cause::Busy => StatusCode::SERVICE_UNAVAILABLE,
        Cause::StartPage(_) => StatusCode::BAD_GATEWAY,
        _ => StatusCode::UNPROCESSABLE_ENTITY,
    }
}

async fn begin(
    State(service): State<Service>,
    Json(order): Json<Order>,
) -> Result<(StatusCode, Json<Value>), Failed> {
    let task = service.task(order).map_err(|error| bad(&error))?;
    let handle = service.agent.spawn(task);
    let id = handle.id().to_string();
    held(&service.runs).insert(id.clone(), handle);
    Ok((StatusCode::CREATED, Json(json!({ "run": id }))))
}

async fn events(
    State(service): State<Service>,
    Path(id): Path<String>,
) -> Result<Sse<impl Stream<Item = Result<sse::Event, Infallible>>>, Failed> {
    let events = service.run(&id)?.events().into_stream();
    let lines = events.map(|event| {
        let line = sse::Event::default().event(event.kind.name());
        // Each event is one line of JSON.
        Ok(line.data(serde_json::to_string(&event).unwrap_or_default()))
    });
    Ok(Sse::new(lines).keep_alive(sse::KeepAlive::default()))
}

async fn steer(
    State(service): State<Service>,
    Path((id, how)): Path<(String, String)>,
    text: String,
) -> Result<StatusCode, Failed> {
    let run = service.run(&id)?;
    match &*how {
        "pause" => run.pause(),
        "resume" => run.resume(),
        "cancel" => run.cancel(),
        "instruct" => run.instruct(text).map_err(|error| bad(&error))?,
        _ => return Err((StatusCode::NOT_FOUND, format!("a run cannot {how}"))),
    }
    Ok(StatusCode::NO_CONTENT)
}

async fn result(
    State(service): State<Service>,
    Path(id): Path<String>,
) -> Result<(StatusCode, Json<Value>), Failed> {
    let report = service.run(&id)?.report().await;
    let (status, body) = match report.into_result::<Found>() {
        Ok(answer) => (StatusCode::OK, json!(answer)),
        Err(error) => {
            let why = json!({ "cause": error.cause, "error": error.report.error });
            (status(&error.cause), why)
        }
    };
    Ok((status, Json(body)))
}

fn service(agent: Agent) -> Router {
    let runs = Arc::default();
    Router::new()
        .route("/runs", post(begin))
        .route("/runs/{id}", get(result))
        .route("/runs/{id}/events", get(events))
        .route("/runs/{id}/{how}", post(steer))
        .with_state(Service { agent, runs })
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = GenAi::from_env()?.ok_or("the environment names no model")?;
    let model: Box<dyn LlmClient> = Box::new(Retrying::new(model, 1));
    // Each run launches a browser of its own, so one that dies ends one run.
    let browser: Box<dyn BrowserDriver> = Box::new(Cdp::launch(&CdpOptions::from_env()?).await?);
    let memory: Box<dyn MemoryBackend> = Box::new(JsonFiles::open("memory"));
    let agent = DecisionLoop::builder(browser, model, memory).build()?;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:8080").await?;
    tokio::select! {
        served = axum::serve(listener, service(agent.clone())) => served?,
        _ = tokio::signal::ctrl_c() => agent.browser().close().await?,
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use axum::{
        body::{Body, to_bytes},
        http::Request,
    };
    use tower::ServiceExt as _;
    use webwise::{
        memory::ShelfFilter,
        store::InMemory,
        testing::{
            ScriptedBrowser, ScriptedModel, ScriptedReply, call,
            faults::{FaultyModel, ModelFault, When},
        },
    };

    use super::*;

    const SHOP: &str = "https://shop.example/";
    const BLUE: &str = "https://shop.example/blue";

    /// A shop in which a model takes the blue mug if the user says so, and else the red one. Its first reply to each of three runs
    /// takes a minute.
    fn agent() -> (Agent, ScriptedModel, InMemory) {
        let browser = ScriptedBrowser::new()
            .with_fresh()
            .with_page(SHOP, "Shop", "link \"Red mug\" e1\nlink \"Blue mug\" e2")
            .with_page(BLUE, "Blue", "heading \"The blue mug\" [level=1]")
            .on(
                SHOP,
                r#"click {"target":"e2"}"#,
                [ScriptedReply::Show(BLUE)],
            );
        let finish = |title: &str| {
            let answer = json!({ "title": title });
            call("finish", json!({ "answer": answer, "evidence": title }))
        };
        let model = ScriptedModel::deciding(move |request| {
            let is_there = request.message.contains("The blue mug");
            let is_wanted = request.message.contains("Take the blue one");
            Ok(match (is_there, is_wanted) {
                (true, _) => finish("The blue mug"),
                (false, true) => call("click", json!({ "target": "e2" })),
                (false, false) => finish("Red mug"),
            })
        });
        let slow = ModelFault::Slow(Duration::from_mins(1));
        let each = (1..=3).map(When::once);
        let slow = each.fold(FaultyModel::new(model.clone()), |model, when| {
            model.with(when, slow)
        });
        let store = InMemory::new();
        let (browser, own): (Box<dyn BrowserDriver>, _) = (Box::new(browser), model);
        let (model, memory): (Box<dyn LlmClient>, Box<dyn MemoryBackend>) =
            (Box::new(slow), Box::new(store.clone()));
        let agent = DecisionLoop::builder(browser, model, memory);
        (agent.build().unwrap(), own, store)
    }

    async fn asked(service: &Router, method: &str, path: &str, body: String) -> (u16, String) {
        let request = Request::builder().method(method).uri(path);
        let request = request.header("content-type", "application/json");
        let request = request.body(Body::from(body)).unwrap();
        let reply = service.clone().oneshot(request).await.unwrap();
        let status = reply.status().as_u16();
        let body = to_bytes(reply.into_body(), usize::MAX).await.unwrap();
        (status, String::from_utf8(body.into()).unwrap())
    }

    #[tokio::test(start_paused = true)]
    async fn two_tenants_at_once_and_a_run_that_is_cancelled() {
        let (agent, model, store) = agent();
        let service = service(agent);
        let begin = async |tenant: &str| {
            let order = json!({ "goal": "Open a mug", "url": SHOP, "tenant": tenant });
            let (status, body) = asked(&service, "POST", "/runs", order.to_string()).await;
            assert_eq!(status, 201, "{body}");
            let body: Value = serde_json::from_str(&body).unwrap();
            format!("/runs/{}", body["run"].as_str().unwrap())
        };
        let steer = async |run: &str, how: &str, text: &str| {
            asked(&service, "POST", &format!("{run}/{how}"), text.to_owned())
                .await
                .0
        };
        let get = async |path: &str| asked(&service, "GET", path, String::new()).await;

        let (ada, bob, third) = (begin("ada").await, begin("bob").await, begin("bob").await);
        // Time passes only while all wait for the model.
        tokio::time::sleep(Duration::from_secs(30)).await;
        assert_eq!(steer(&ada, "pause", "").await, 204);
        assert_eq!(steer(&ada, "instruct", "Take the blue one").await, 204);
        assert_eq!(steer(&ada, "instruct", " ").await, 400);
        assert_eq!(steer(&third, "cancel", "").await, 204);
        assert_eq!(steer(&ada, "resume", "").await, 204);
        assert_eq!(steer("/runs/none", "pause", "").await, 404);

        let path = format!("{ada}/events");
        let (events, found) = tokio::join!(get(&path), get(&bob));
        assert_eq!(found.0, 200, "{}", found.1);
        assert!(
            found.1.contains(r#""value":{"title":"Red mug"}"#),
            "{}",
            found.1
        );
        let names: Vec<_> = events
            .1
            .lines()
            .filter_map(|line| line.strip_prefix("event: "))
            .collect();
        assert_eq!(
            [names[0], names[names.len() - 1]],
            ["run_started", "run_ended"]
        );
        for name in ["instructed", "action_executed"] {
            assert!(names.contains(&name), "{names:?}");
        }
        for _ in 0..2 {
            let (status, body) = get(&ada).await;
            assert_eq!(status, 200, "{body}");
            let answer: Value = serde_json::from_str(&body).unwrap();
            assert_eq!(answer["value"], json!({ "title": "The blue mug" }));
        }
        // The events of a run that is over are there for whoever comes late.
        let late = get(&path).await.1;
        assert_eq!(late.matches("event: ").count(), names.len());
        let (status, body) = get(&third).await;
        assert_eq!((status, body.contains("cancelled")), (422, true), "{body}");

        // The instruction reached the model in the run of its tenant alone, and each tenant has a memory of its own.
        let requests = model.requests();
        let told = |text: &str| {
            requests
                .iter()
                .filter(|one| one.message.contains(text))
                .count()
        };
        assert!(told("Take the blue one") > 0 && told("Take the blue one") < requests.len());
        for tenant in ["ada", "bob", "carl"] {
            let namespace = Namespace::parse(tenant).ok();
            let filter = ShelfFilter {
                namespace,
                ..ShelfFilter::default()
            };
            let shelves = store.shelves(&filter).await.unwrap();
            assert_eq!(
                shelves.is_empty(),
                tenant == "carl",
                "{tenant}: {shelves:?}"
            );
        }
    }
}
