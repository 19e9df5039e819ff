//! A list over two pages as a `Vec<Item>`: a typed answer, and what to do with the fields that no page supports.
//! The browser and the model are scripted, so that it needs no installation.
//!
//! `cargo run --features testing --example typed_extract`

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use webwise::{
    BrowserDriver, DecisionLoop, LlmClient, MemoryBackend, Task,
    store::InMemory,
    testing::{ScriptedBrowser, ScriptedModel, ScriptedReply, call},
};

const FIRST: &str = "https://shop.example/mugs";
const SECOND: &str = "https://shop.example/mugs?page=2";

/// The doc comments of the fields are sent to the model.
#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Item {
    /// As the list writes it.
    name: String,
    /// In euros.
    price: f64,
}

/// The items of the list that the pages support, and what the pages do not support, such as `[2].price: 12.5`.
#[derive(Debug, PartialEq)]
struct Extracted {
    items: Vec<Item>,
    dropped: Vec<String>,
}

async fn mugs<B: BrowserDriver, L: LlmClient, M: MemoryBackend>(
    agent: &DecisionLoop<B, L, M>,
) -> Result<Extracted, Box<dyn std::error::Error>> {
    let task = Task::new("List all mugs with their prices, of both pages.")?
        .with_start_url(FIRST)?
        .returning::<Vec<Item>>();
    let answer = agent.run(task).await.into_result::<Vec<Item>>()?;
    // Each entry begins with the path of its field. A program that must not use invented values drops the whole item. A sum or a
    // converted unit would be listed too, although it may be right.
    let is_supported = |at: usize| {
        let item = format!("[{at}]");
        answer
            .unverified
            .iter()
            .all(|field| !field.starts_with(&item))
    };
    let items = answer.value.into_iter().enumerate();
    Ok(Extracted {
        items: items
            .filter(|(at, _)| is_supported(*at))
            .map(|(_, item)| item)
            .collect(),
        dropped: answer.unverified,
    })
}

/// A shop with two pages. A program of yours uses `browser::Cdp` instead.
fn shop() -> ScriptedBrowser {
    let row = |name: &str, price: &str| {
        format!("listitem\n  heading \"{name}\" [level=3]\n  text \"{price} EUR\"\n")
    };
    let first = format!(
        "list\n  {}  {}link \"Next\" e1",
        row("Blue mug", "9.50").replace("\n  ", "\n    "),
        row("Red mug", "11.00").replace("\n  ", "\n    "),
    );
    let second = format!(
        "list\n  {}",
        row("Tall mug", "14.20").replace("\n  ", "\n    ")
    );
    ScriptedBrowser::new()
        .with_page(FIRST, "Mugs", &first)
        .with_page(SECOND, "Mugs, page 2", &second)
        .on(
            FIRST,
            r#"click {"target":"e1"}"#,
            [ScriptedReply::Show(SECOND)],
        )
}

/// A model that goes to the second page and answers with one item too many. It extracts the first page, because words of a page
/// that it has left prove nothing otherwise.
fn model() -> ScriptedModel {
    let items = json!([
        { "name": "Blue mug", "price": 9.5 },
        { "name": "Red mug", "price": 11 },
        { "name": "Tall mug", "price": 14.2 },
        { "name": "Green mug", "price": 12.5 },
    ]);
    ScriptedModel::new([
        call("extract", json!({ "name": "page 1" })),
        call("click", json!({ "target": "e1" })),
        call("finish", json!({ "answer": items, "evidence": "Tall mug" })),
    ])
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let agent = DecisionLoop::builder(shop(), model(), InMemory::new()).build()?;
    println!("{:#?}", mugs(&agent).await?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn items_of_both_pages_come_back_and_invented_ones_do_not() {
        let agent = DecisionLoop::builder(shop(), model(), InMemory::new());
        let extracted = mugs(&agent.build().unwrap()).await.unwrap();
        let expected = [("Blue mug", 9.5), ("Red mug", 11.0), ("Tall mug", 14.2)];
        let expected = expected.map(|(name, price)| Item {
            name: name.to_owned(),
            price,
        });
        assert_eq!(extracted.items, expected);
        assert_eq!(
            extracted.dropped,
            ["[3].name: \"Green mug\"", "[3].price: 12.5"]
        );
    }
}
