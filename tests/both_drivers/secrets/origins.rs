//! Where a secret may be typed: the driver asks the browser where the field is, and anywhere else nothing is released.
//!
//! The tool under the driver is the recording one, so every attempt goes the whole way, and what it was given is seen.

use std::{sync::Arc, time::Duration};

use webwise::{
    BrowserDriver, Origin,
    action::{BrowserAction, ErrorClass, Fill, Outcome, Target, TextValue},
    browser::{ExecuteRequest, PlaywrightCli, PlaywrightCliOptions, TransportChoice},
    secret::{Secret, SecretName, SecretResolver, Vault},
};

use crate::secrets::tool::Tool;

const SHOP: &str = "https://shop.example/login";
const VALUE: &str = "origin-canary-7f3a9b1c";
const BOUND: [&str; 4] = [
    "https://shop.example",
    "http://127.0.0.1:8080",
    "https://bücher.example",
    "http://app.localhost:3000",
];

/// Addresses of pages that are not the shop, however much they look like it.
const WRONG: [&str; 66] = [
    // Lookalikes.
    "https://sh0p.example/login",
    "https://shop-example.test/",
    "https://shopexample/",
    "https://shop.examp1e/",
    "https://shop.example.evil.test/",
    "https://evil.test/shop.example",
    "https://evil.test/?u=https://shop.example/",
    "https://evil.test/#https://shop.example/login",
    "https://shop.example-login.test/",
    "https://xshop.example/",
    "https://shop.example2/",
    "https://shoр.example/",
    "https://ѕhop.example/",
    "https://xn--sho-zeb.example/",
    "https://shop。example.evil.test/",
    "https://shop․example/",
    // Above, below and beside it.
    "https://example/",
    "https://www.shop.example/login",
    "https://login.shop.example/",
    "https://a.b.shop.example/",
    "https://shop.example./login",
    "https://shop.shop.example/",
    "https://other.example/",
    // Another port or scheme.
    "https://shop.example:8443/login",
    "https://shop.example:80/",
    "https://shop.example:444/",
    "http://shop.example/login",
    "http://shop.example:443/",
    "http://shop.example:80/",
    "http://127.0.0.1:8081/",
    "http://127.0.0.1/",
    "https://127.0.0.1:8080/",
    "http://127.0.0.2:8080/",
    "http://localhost:8080/",
    "http://[::1]:8080/",
    "http://[::ffff:127.0.0.1]:8080/",
    "http://0.0.0.0:8080/",
    "https://app.localhost:3000/",
    "http://localhost:3000/",
    "http://b.app.localhost:3000/",
    "http://bücher.example/",
    "https://bucher.example/",
    "https://buecher.example/",
    // User names that look like hosts.
    "https://shop.example@evil.test/",
    "https://shop.example:443@evil.test/login",
    "https://shop.example%2Flogin@evil.test/",
    "https://evil.test\\.shop.example/x",
    "https://evil.test\\@shop.example/",
    // No origin of their own.
    "about:blank",
    "about:srcdoc",
    "data:text/html,<input>",
    "data:text/html;base64,PGlucHV0Pg==",
    "blob:https://shop.example/0b5c2a3e-0d7c-4f0e-8a57-1d5d5c2f7b11",
    "blob:null/0b5c2a3e-0d7c-4f0e-8a57-1d5d5c2f7b11",
    "filesystem:https://shop.example/temporary/x.html",
    "javascript:'https://shop.example/'",
    "view-source:https://shop.example/",
    "chrome-error://chromewebdata/",
    "chrome://settings/",
    "chrome-extension://shop.example/popup.html",
    "file:///shop.example/login.html",
    "ftp://shop.example/",
    "wss://shop.example/",
    // Nothing that could be read.
    "",
    "shop.example",
    "null",
];

/// Top page and frame that are both where the secret belongs.
const RIGHT: [(&str, &str); 20] = [
    (SHOP, SHOP),
    ("https://shop.example", "https://shop.example"),
    ("https://shop.example/", "https://shop.example/frame/pay"),
    ("https://shop.example:443/login", SHOP),
    ("https://SHOP.EXAMPLE/login", SHOP),
    (
        "https://Shop.Example:443/a/b?c=d#e",
        "https://shop.example/?next=https://evil.test/",
    ),
    (
        "https://shop.example/evil.test",
        "https://shop.example/@evil.test",
    ),
    ("https://shop.example/%2e%2e/x", SHOP),
    ("https://sh%6fp.example/login", SHOP),
    ("HTTPS://shop.example/login", SHOP),
    ("https://shop.example/?q=1", "https://shop.example/#top"),
    ("https:\\\\shop.example\\login", SHOP),
    ("http://127.0.0.1:8080/login", "http://127.0.0.1:8080/"),
    ("http://127.1:8080/", "http://2130706433:8080/"),
    ("http://127.0.0.1:8080/x?y#z", SHOP),
    (SHOP, "http://127.0.0.1:8080/"),
    (
        "https://bücher.example/",
        "https://xn--bcher-kva.example/konto",
    ),
    ("https://BÜCHER.example/", "https://bücher.example:443/"),
    (
        "http://app.localhost:3000/",
        "http://app.localhost:3000/login",
    ),
    ("http://APP.localhost:3000/", "http://app.localhost:3000/?a"),
];

fn request() -> ExecuteRequest {
    let name = SecretName::parse("WORD").unwrap();
    let origins = BOUND
        .iter()
        .map(|origin| Origin::parse(origin).unwrap())
        .collect();
    let vault = Vault::new()
        .with(name.clone(), Secret::new(VALUE), origins)
        .unwrap();
    let fill = Fill {
        target: Target::parse("e2").unwrap(),
        text: TextValue::Secret(name),
        submit: false,
    };
    ExecuteRequest::new(BrowserAction::Fill(fill))
        .with_secrets(SecretResolver::new(Arc::new(vault)))
}

struct Attempts {
    tool: Tool,
    driver: PlaywrightCli,
}

impl Attempts {
    async fn new() -> Self {
        let tool = Tool::new();
        let options = PlaywrightCliOptions::new(tool.program(), "/bin/true")
            .with_folder(tool.temp())
            .with_transport(TransportChoice::Process)
            .with_action_timeout(Duration::from_secs(5));
        Self {
            driver: PlaywrightCli::launch(&options).await.unwrap(),
            tool,
        }
    }

    /// How it ended, and whether the value was given to the tool.
    async fn type_at(&self, top: &str, frame: &str) -> (Outcome, bool) {
        self.tool.at(top, frame);
        self.attempt().await
    }

    async fn attempt(&self) -> (Outcome, bool) {
        self.tool.forget();
        let outcome = self.driver.execute(&request()).await.unwrap().outcome;
        assert!(
            !self.tool.modes().is_empty(),
            "the browser was not asked where the field is"
        );
        let given = ["argv", "env", "stdin", "scripts"].iter().any(|file| {
            let text = String::from_utf8_lossy(&self.tool.wrote(file)).into_owned();
            text.contains(VALUE)
        });
        (outcome, given)
    }
}

#[tokio::test]
async fn a_secret_is_resolved_where_it_belongs_and_nowhere_else() {
    let attempts = Attempts::new().await;
    let (mut tried, mut resolved) = (0, Vec::new());
    for url in WRONG {
        // A foreign page, a foreign frame in the right page, and the right frame in a foreign page.
        for (top, frame) in [(url, url), (SHOP, url), (url, SHOP)] {
            let (outcome, given) = attempts.type_at(top, frame).await;
            tried += 1;
            if given || outcome.class() != Some(ErrorClass::SecretRefused) {
                resolved.push(format!("{top:?} with the frame {frame:?}: {outcome:?}"));
            }
        }
    }
    // In a sandbox, whatever its address says.
    attempts.tool.set(
        "place",
        &serde_json::json!({ "opaque": true, "top": SHOP, "frame": SHOP }).to_string(),
    );
    let (outcome, given) = attempts.attempt().await;
    assert!(
        !given && outcome.class() == Some(ErrorClass::SecretRefused),
        "in a sandbox: {outcome:?}"
    );
    // The page moves between the look and the typing: the script itself looks once more, and types nothing.
    attempts.tool.set("typing", r#"{"moved":true}"#);
    let (outcome, _) = attempts.type_at(SHOP, SHOP).await;
    assert_eq!(
        outcome.class(),
        Some(ErrorClass::SecretRefused),
        "it moved: {outcome:?}"
    );
    let script = String::from_utf8(attempts.tool.wrote("scripts")).unwrap();
    let (guard, typing) = (
        script.find("return { moved: true }").unwrap(),
        script.find(VALUE).unwrap(),
    );
    assert!(
        guard < typing,
        "the value is used before the place is looked at:\n{script}"
    );
    tried += 2;

    attempts.tool.set("typing", r#"{"done":true}"#);
    let mut typed = 0;
    for (top, frame) in RIGHT {
        let (outcome, given) = attempts.type_at(top, frame).await;
        assert!(
            outcome.is_done() && given,
            "{top:?} with the frame {frame:?}: {outcome:?}"
        );
        assert!(
            !String::from_utf8_lossy(&attempts.tool.wrote("argv")).contains(VALUE),
            "it was an argument"
        );
        assert!(
            attempts.tool.modes().iter().all(|mode| mode == "600"),
            "{:?}",
            attempts.tool.modes()
        );
        typed += 1;
    }
    attempts.driver.close().await.unwrap();
    assert!(
        resolved.is_empty(),
        "{} resolved:\n{}",
        resolved.len(),
        resolved.join("\n")
    );
    assert_eq!((tried, typed), (200, 20));
    figure!(
        "secrets: {tried} wrong origins, {} resolved; {} right ones, {typed} resolved",
        resolved.len(),
        RIGHT.len()
    );
}
