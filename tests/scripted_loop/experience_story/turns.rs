//! The runs of a session on another site: how many of them are shown.

use super::*;

const BANK: &str = "https://bank.example/";

/// A run of this session on the bank's or the desk's page, which has the answer: its message.
async fn turn(store: &InMemory, at: &'static str, id: usize, goal: &str) -> String {
    let answer = call("finish", json!({ "answer": "Paid", "evidence": "Paid" }));
    let model = ScriptedModel::new([answer]);
    let browser = ScriptedBrowser::new().with_page(at, "Page", "heading \"Paid\" e1");
    // A minute lies between two runs.
    let clock = FixedClock::at(&format!("2026-01-02T03:{id:02}:05Z"));
    let agent = DecisionLoop::builder(browser, model.clone(), store.clone()).with_clock(clock);
    let task = Task::new(goal).unwrap().with_start_url(at).unwrap();
    let task = task.with_session(SessionId::parse("proj").unwrap());
    let task = task.with_run_id(RunId::parse(format!("run_{id}")).unwrap());
    let report = agent.build().unwrap().run(task).await;
    assert!(report.summary.success, "{report:?}");
    model.requests().pop().unwrap().message
}

#[tokio::test]
async fn of_twelve_turns_of_a_session_the_last_ten_are_shown_the_newest_first() {
    let store = InMemory::new();
    for n in 1..=12 {
        turn(&store, BANK, n, &format!("Pay bill number {n}")).await;
    }
    let message = turn(&store, HOME, 13, "File an issue").await;
    let (_, shown) = message.split_once("## Session history\n").unwrap();
    let shown = shown.lines().take_while(|line| line.starts_with("- "));
    let shown: Vec<String> = shown.map(str::to_owned).collect();
    let expected: Vec<String> = (3..=12)
        .rev()
        .map(|n| {
            let ago = match 13 - n {
                1 => "1 minute".to_owned(),
                minutes => format!("{minutes} minutes"),
            };
            format!("- \"{ago} ago, done: Pay bill number {n}\"")
        })
        .collect();
    assert_eq!(shown, expected, "{message}");
}
