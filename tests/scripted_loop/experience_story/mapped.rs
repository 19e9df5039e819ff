//! What an exploration of a site is worth: a run that is shown its map opens the right page at once.

use webwise::{
    GuardedBrowser, agent::explore, base::Host, explore::Limits, memory::Namespace,
    prompt::ShownPage, store::Memory,
};

use super::*;

const GOAL: &str = "Tell the opening hours of the workshop";

/// A site of four pages, of which the last is behind two links.
fn site() -> ScriptedBrowser {
    let news = "https://desk.example/news";
    let service = "https://desk.example/service";
    let hours = "https://desk.example/service/4711";
    let home = "link \"News\" e1 -> /news\nnavigation\n  link \"Service\" e2 -> /service";
    let on = |target: &str| format!("click {}", json!({ "target": target }));
    ScriptedBrowser::new()
        .with_page(HOME, "Desk", home)
        .with_page(news, "News", "heading \"Nothing new\"")
        .with_page(
            service,
            "Service",
            "link \"Where and when\" e3 -> /service/4711",
        )
        .with_page(
            hours,
            "Opening hours of the workshop",
            "heading \"Monday to Friday, 9 to 17\"",
        )
        .on(HOME, &on("e1"), [Reply::Show(news)])
        .on(HOME, &on("e2"), [Reply::Show(service)])
        .on(service, &on("e3"), [Reply::Show(hours)])
        .on(news, "go_back", [Reply::Show(HOME)])
}

/// A model that knows nothing but the message: it opens the first address that the map shows it, or else tries the links of the page.
fn reader() -> ScriptedModel {
    let mut tried: Vec<String> = Vec::new();
    ScriptedModel::deciding(move |request| {
        let message = &request.message;
        if message.contains("heading \"Monday to Friday") {
            let finished = json!({ "answer": "9 to 17", "evidence": "Monday to Friday, 9 to 17" });
            return Ok(call("finish", finished));
        }
        if let Some((_, map)) = message.split_once("## Pages of this site\n- \"") {
            let path = map.split(' ').next().unwrap();
            return Ok(call(
                "goto",
                json!({ "url": format!("https://desk.example{path}") }),
            ));
        }
        let (_, page) = message.split_once("## Page\n").unwrap();
        let page = ShownPage::read(page);
        let is_new = |label: &String| !tried.contains(label);
        let link = page
            .elements
            .iter()
            .find(|one| one.role == "link" && is_new(&one.label));
        Ok(match link.cloned() {
            Some(link) => {
                tried.push(link.label);
                call("click", json!({ "target": link.reference }))
            }
            None => call("go_back", json!({})),
        })
    })
}

/// The messages of a run on the site.
async fn visit(store: &InMemory) -> Vec<String> {
    let model = reader();
    let agent = DecisionLoop::builder(site(), model.clone(), store.clone());
    let task = Task::new(GOAL).unwrap().with_start_url(HOME).unwrap();
    let report = agent.build().unwrap().run(task).await;
    assert!(report.summary.success, "{report:?}");
    model
        .requests()
        .into_iter()
        .map(|asked| asked.message)
        .collect()
}

#[tokio::test]
async fn a_run_on_an_explored_site_opens_the_right_page_at_once() {
    let store = InMemory::new();
    let guarded = GuardedBrowser::builder(site()).build_guarded().unwrap();
    let map = explore(&guarded, HOME, Limits::default(), |_| {})
        .await
        .unwrap();
    // The navigation leads first; a page behind another one waits until all nearer ones are opened.
    let opened = map.pages.iter().map(|page| {
        let path = page.url.strip_prefix("https://desk.example").unwrap();
        let links = (page.navigation_links, page.content_links);
        (path, page.depth, page.from, &*page.words, links)
    });
    assert_eq!(
        opened.collect::<Vec<_>>(),
        [
            ("/", 0, None, "", (1, 1)),
            ("/service", 1, Some(0), "Service", (0, 1)),
            ("/news", 1, Some(0), "News", (0, 0)),
            ("/service/4711", 2, Some(1), "Where and when", (0, 0)),
        ]
    );
    let cold = visit(&store.fork()).await;
    assert!(
        cold.iter()
            .all(|message| !message.contains("## Pages of this site"))
    );

    let keeper = Memory::new(&store, Namespace::default());
    let host = Host::of(&HOME.parse().unwrap()).unwrap();
    let learned = keeper.learn_map(&host, &map, chrono::Utc::now()).await;
    assert_eq!(learned.unwrap(), 1);
    let warm = visit(&store).await;
    let line = "## Pages of this site\n- \"/service/4711 Opening hours of the workshop; Monday to Friday, 9 to 17\"\n";
    assert!(warm[0].contains(line), "{}", warm[0]);
    assert_eq!((cold.len(), warm.len()), (5, 2), "{cold:#?}");
}
