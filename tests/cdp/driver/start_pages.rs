//! What kept a run from its start page is told by type.

use std::time::Duration;

use serde_json::json;
use webwise::{
    DecisionLoop, Task,
    agent::{Cause, Options, StartPage},
    browser::{BrowserDriver as _, Cdp},
    store::InMemory,
    testing::{ScriptedModel, call},
};

use crate::driver::{
    bed::{folder, options},
    web::{Answer, Web},
};

#[tokio::test(flavor = "multi_thread")]
async fn a_start_page_of_no_use_is_told_by_its_status_or_by_what_the_network_said() {
    let web = Web::start(|asked| match asked.path.as_str() {
        "/slow" => {
            std::thread::sleep(Duration::from_secs(8));
            Answer::page("too late")
        }
        path => Answer {
            status: path.trim_start_matches('/').parse().unwrap_or(200),
            ..Answer::page("<h1>Sorry</h1>")
        },
    });
    let base = folder();
    let options = options(base.path()).with_navigation_timeout(Duration::from_secs(2));
    let browser = Cdp::launch(&options).await.unwrap();
    let give_up = json!({ "answer": "The page is not there", "success": false });
    let model = ScriptedModel::deciding(move |_| Ok(call("finish", give_up.clone())));
    let mut own = Options::default();
    own.memory = false;
    let agent = DecisionLoop::builder(browser, model, InMemory::new()).with_options(own);
    let agent = agent.build().unwrap();
    let cause = async |url: &str| {
        let task = Task::new("Read it").unwrap().with_start_url(url).unwrap();
        agent.run(task).await.cause
    };
    for status in [403, 404, 500, 503] {
        let told = cause(&web.url("localhost", &format!("/{status}"))).await;
        assert_eq!(told, Some(Cause::StartPage(StartPage::Status(status))));
    }
    // Nobody listens at a port that is only taken.
    let taken = tokio::net::TcpSocket::new_v4().unwrap();
    taken.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let refused = format!("http://{}/", taken.local_addr().unwrap());
    for (url, why) in [
        (refused, "ERR_CONNECTION_REFUSED"),
        (
            "http://nowhere.invalid/".to_owned(),
            "ERR_NAME_NOT_RESOLVED",
        ),
        (web.url("localhost", "/slow"), ""),
    ] {
        let told = cause(&url).await;
        let Some(Cause::StartPage(StartPage::Network(said))) = &told else {
            panic!("{url}: {told:?}");
        };
        assert!(said.contains(why), "{url}: {said}");
    }
    assert_eq!(cause(&web.url("localhost", "/")).await, Some(Cause::GaveUp));
    agent.browser().close().await.unwrap();
}
