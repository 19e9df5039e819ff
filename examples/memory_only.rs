//! Memory without the decision loop: a program that decides its actions itself fills in a form, lets memory learn from the session,
//! and recalls it for another goal. Its browser is a scripted one, so that it needs no installation.
//!
//! `cargo run --example memory_only --features testing`

use std::error::Error;

use chrono::Utc;
use webwise::{
    GuardedBrowser, Host, Memory, Task,
    action::{BrowserAction, Click, Fill, Target},
    memory::{Moment, knowledge::FactKind},
    secret::Redactor,
    store::InMemory,
    testing::{ScriptedBrowser, ScriptedReply},
    working::About,
};

const DESK: &str = "https://desk.example/";
const NAMED: &str = "https://desk.example/#named";
const FILED: &str = "https://desk.example/ticket/7";

/// A page on which a ticket is filed. A program of yours uses `browser::Cdp` or `browser::PlaywrightCli` instead.
fn desk() -> ScriptedBrowser {
    let form = |value: &str| {
        format!(
            "heading \"New ticket\" [level=1]\ntextbox \"Subject\" e1{value}\nbutton \"Save\" e2"
        )
    };
    ScriptedBrowser::new()
        .with_page(DESK, "Desk", &form(""))
        .with_page(NAMED, "Desk", &form(" = Broken lamp"))
        .with_page(FILED, "Ticket", "heading \"Ticket filed\" [level=1]")
        .on(
            DESK,
            r#"fill {"target":"e1","text":"Broken lamp"}"#,
            [ScriptedReply::Show(NAMED)],
        )
        .on(
            NAMED,
            r#"click {"target":"e2"}"#,
            [ScriptedReply::Show(FILED)],
        )
}

/// Files a ticket by hand, teaches it to memory, and returns what memory has for another ticket.
async fn learn_and_recall() -> Result<String, Box<dyn Error>> {
    let memory = Memory::open(InMemory::new());
    let guarded = GuardedBrowser::builder(desk()).build_guarded()?;
    let task = Task::new("File the ticket Broken lamp")?.with_start_url(DESK)?;
    let mut session = guarded.start(task).await;
    session.open_start_page().await?;
    let subject = Target::parse(r#"textbox "Subject""#)?;
    let fill = Fill {
        target: subject,
        text: "Broken lamp".into(),
        submit: false,
    };
    session.carry_out(BrowserAction::Fill(fill)).await?;
    let save = Target::parse(r#"button "Save""#)?;
    let click = Click {
        target: save,
        button: None,
    };
    session.carry_out(BrowserAction::Click(click)).await?;
    let not_kept = memory
        .learn(&session.log(true), &Redactor::default())
        .await?;
    assert!(not_kept.is_empty(), "{not_kept:?}");

    // What a person knows is added beside it.
    let Some(cue) = session.page_cue() else {
        return Ok(String::new());
    };
    let host = Host::of_domain("desk.example")?;
    memory
        .add_fact(
            &host,
            FactKind::Quirk,
            "tickets",
            "are closed by their owner",
            Utc::now(),
        )
        .await?;
    memory
        .add_lesson(
            "Look for an open ticket before you file one.",
            None,
            Utc::now(),
        )
        .await?;

    let about = About::new("File the ticket Cold room");
    let recalled = memory
        .recall(&Moment::new(&cue, &about, &[], Utc::now()))
        .await?;
    let mut lines: Vec<String> = recalled
        .advice
        .iter()
        .map(|one| one.text().to_owned())
        .collect();
    for (suggested, n) in recalled.recipes.iter().zip(1..) {
        lines.push(suggested.recipe.to_text(&format!("t{n}")));
    }
    Ok(lines.join("\n"))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    println!("{}", learn_and_recall().await?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_session_driven_by_hand_is_recalled_for_another_goal() {
        let recalled = learn_and_recall().await.unwrap();
        for line in [
            "t1 \"File the ticket <subject>\" 2 steps, 1 of 1 run reached their goal",
            "1. fill textbox \"Subject\" <subject>",
            "2. click button \"Save\" -> /ticket/:n",
            "tickets: are closed by their owner",
        ] {
            assert!(recalled.contains(line), "{line} is missing in {recalled}");
        }
        assert!(!recalled.contains("Broken lamp"), "{recalled}");
    }
}
