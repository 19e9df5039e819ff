//! playwright-cli by its socket and our own driver, call by call.

use std::time::{Duration, Instant};

use webwise::{
    action::{Target, TextValue},
    browser::{
        BrowserDriver, Cdp, CdpOptions, PlaywrightCli, PlaywrightCliOptions, TransportChoice,
    },
    page::Role,
};

use crate::calls::{Anything, FEW, MANY, SOME, click, fill, head, on_page, open, row, see};

/// What is done on each page, by references as the loop does it.
const CALLS: [Call; 5] = [
    Call::Observe,
    Call::ObserveChanged,
    Call::Click,
    Call::Fill,
    Call::Goto,
];

#[derive(Debug, Clone, Copy)]
enum Call {
    Observe,
    /// A look at a page that an action changed.
    ObserveChanged,
    Click,
    Fill,
    Goto,
}

/// A browser on a page.
struct Side {
    driver: Box<dyn BrowserDriver>,
    button: Target,
    field: Target,
}

/// Starts both drivers: the first column and the second.
pub(crate) async fn both() -> Result<[Box<dyn BrowserDriver>; 2], Box<dyn std::error::Error>> {
    let socket = PlaywrightCliOptions::from_env()?.with_transport(TransportChoice::Socket);
    Ok([
        Box::new(PlaywrightCli::launch(&socket).await?),
        Box::new(Cdp::launch(&CdpOptions::from_env()?).await?),
    ])
}

/// The names of the columns.
pub(crate) const COLUMNS: [&str; 2] = ["socket", "cdp"];

/// Prints the table.
pub(crate) async fn measure(site: &str) -> Anything {
    head(COLUMNS);
    let mut launches: [Vec<Duration>; 2] = Default::default();
    let mut closes: [Vec<Duration>; 2] = Default::default();
    for _ in 0..FEW {
        for column in 0..COLUMNS.len() {
            let begin = Instant::now();
            let driver: Box<dyn BrowserDriver> = if column == 0 {
                let socket =
                    PlaywrightCliOptions::from_env()?.with_transport(TransportChoice::Socket);
                Box::new(PlaywrightCli::launch(&socket).await?)
            } else {
                Box::new(Cdp::launch(&CdpOptions::from_env()?).await?)
            };
            launches[column].push(begin.elapsed());
            let begin = Instant::now();
            driver.close().await?;
            closes[column].push(begin.elapsed());
        }
    }
    row("launch", launches);
    row("close, before a first page", closes);
    let mut drivers = both().await?;
    for (elements, samples) in [("20", MANY), ("300", SOME), ("10000", FEW)] {
        let [first, second] = drivers;
        let sides = [
            on(first, site, elements).await?,
            on(second, site, elements).await?,
        ];
        for call in CALLS {
            let mut times: [Vec<Duration>; 2] = Default::default();
            for sample in 0..samples {
                for (side, times) in sides.iter().zip(&mut times) {
                    times.push(time(side, call, site, elements, sample).await?);
                }
            }
            row(&format!("{}, {elements} elements", name(call)), times);
        }
        drivers = sides.map(|side| side.driver);
    }
    let mut closes: [Vec<Duration>; 2] = Default::default();
    for (driver, times) in drivers.into_iter().zip(&mut closes) {
        let begin = Instant::now();
        driver.close().await?;
        times.push(begin.elapsed());
    }
    row("close, 10000 elements (once)", closes);
    Ok(())
}

async fn on(
    driver: Box<dyn BrowserDriver>,
    site: &str,
    elements: &str,
) -> Result<Side, Box<dyn std::error::Error>> {
    open(&*driver, site, elements).await?;
    let button = on_page(&*driver, |node| {
        node.role == Role::Button && &*node.name == "Button 1"
    })
    .await?;
    let field = on_page(&*driver, |node| {
        node.role == Role::TextBox && &*node.name == "Field 0"
    })
    .await?;
    Ok(Side {
        driver,
        button,
        field,
    })
}

async fn time(
    side: &Side,
    call: Call,
    site: &str,
    elements: &str,
    sample: usize,
) -> Result<Duration, Box<dyn std::error::Error>> {
    let driver = &*side.driver;
    let word = || TextValue::Literal(format!("word {sample}"));
    if matches!(call, Call::ObserveChanged) {
        fill(driver, side.field.clone(), word()).await?;
    }
    let begin = Instant::now();
    match call {
        Call::Observe | Call::ObserveChanged => see(driver).await?,
        Call::Click => click(driver, side.button.clone()).await?,
        Call::Fill => fill(driver, side.field.clone(), word()).await?,
        Call::Goto => open(driver, site, elements).await?,
    }
    Ok(begin.elapsed())
}

const fn name(call: Call) -> &'static str {
    match call {
        Call::Observe => "observe",
        Call::ObserveChanged => "observe after a fill",
        Call::Click => "click",
        Call::Fill => "fill",
        Call::Goto => "goto",
    }
}
