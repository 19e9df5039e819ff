//! Starts a site, and returns its cases with its address in them.

use serde_json::Value;
use webwise::demo::{Shop, ShopOptions};

use crate::{Failed, apps::App, episodes, pages};

/// The names of the sites, in the order in which they are measured.
pub(crate) const NAMES: [&str; 4] = ["shop", "roundup", "django", "miniwob"];

/// Seed of the shop. Source: chosen.
const SHOP: u64 = 7;

/// A site that runs until this is dropped.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) cases: Value,
    pub(crate) password: String,
    _running: Running,
}

#[allow(dead_code, reason = "they are held, so that they run")]
#[derive(Debug)]
enum Running {
    Shop(Shop),
    App(App),
    Pages(pages::Site),
}

impl Site {
    pub(crate) async fn start(name: &str, seeds: u32) -> Result<Self, Failed> {
        let (cases, password, running) = match name {
            "shop" => {
                let shop = Shop::start(ShopOptions::default().with_seed(SHOP)).await?;
                let address = shop.url().as_str().trim_end_matches('/');
                let cases = include_str!("shop.json").replace("{user}", shop.user());
                (both(&cases, address)?, shop.password(), Running::Shop(shop))
            }
            "miniwob" => {
                let pages = pages::Site::miniwob().await;
                let cases = episodes::cases(&pages, seeds).await?;
                (cases, String::new(), Running::Pages(pages))
            }
            _ => {
                let (app, cases) = if name == "roundup" {
                    (App::roundup().await, include_str!("roundup.json"))
                } else {
                    (App::django().await, include_str!("django.json"))
                };
                let cases = both(cases, &app.url(""))?;
                (cases, App::PASSWORD.to_owned(), Running::App(app))
            }
        };
        Ok(Self {
            cases,
            password,
            _running: running,
        })
    }
}

/// Returns the cases of a file with the site's address in them. Each case that has variants is there twice: without its variants and with
/// them.
fn both(file: &str, address: &str) -> Result<Value, Failed> {
    let mut document: Value = serde_json::from_str(&file.replace("{site}", address))?;
    let mut all = Vec::new();
    for mut case in document["cases"].as_array().cloned().unwrap_or_default() {
        let other = case.clone();
        let variants = case
            .as_object_mut()
            .and_then(|case| case.remove("variants"));
        all.push(case);
        if variants.is_some() {
            all.push(named(other));
        }
    }
    document["cases"] = all.into();
    Ok(document)
}

fn named(mut case: Value) -> Value {
    case["name"] = format!(
        "{}, other values",
        case["name"].as_str().unwrap_or_default()
    )
    .into();
    case
}
