//! Frames of every kind: seen, acted in, and harmless whatever becomes of them.

use std::sync::Arc;

use tokio::time::timeout;
use webwise::{
    Origin,
    action::{BrowserAction, ErrorClass, Fill, TextValue},
    browser::{BrowserDriver as _, ExecuteRequest},
    secret::{Secret, SecretName, SecretResolver, Vault},
};

use crate::driver::{
    bed::{Bed, NEVER, button, click, reference, target},
    profile::pick,
};

/// A button that says in its own document that it was pressed.
const PRESSED: &str = "onclick=\"document.body.append(` pressed ${this.name} `)\"";

fn outer() -> String {
    format!(
        "<h1>Outer</h1><iframe src=/near></iframe><iframe src=THERE/far></iframe>
         <iframe srcdoc='<button name=source {PRESSED}>Source</button>'></iframe>
         <iframe sandbox=allow-scripts src=/boxed></iframe>
         <iframe style='display:none' src=/hidden></iframe>"
    )
}

fn pages() -> Vec<(&'static str, String)> {
    let one = |name: &str| format!("<button name={name} {PRESSED}>{name}</button>");
    vec![
        ("/", outer()),
        ("/near", one("Near")),
        (
            "/far",
            format!("{}<iframe src=HERE/nested></iframe>", one("Far")),
        ),
        ("/nested", one("Nested")),
        (
            "/boxed",
            format!(
                "{}<label>Password <input type=password></label>",
                one("Boxed")
            ),
        ),
        ("/hidden", one("Hidden")),
        ("/other", one("Other")),
    ]
}

async fn bed() -> Bed {
    let pages = pages();
    let pages: Vec<(&str, &str)> = pages
        .iter()
        .map(|(path, html)| (*path, html.as_str()))
        .collect();
    Bed::start(&pages).await
}

#[tokio::test(flavor = "multi_thread")]
async fn every_kind_of_frame_is_seen_and_acted_in() {
    let bed = bed().await;
    bed.open("/").await;
    for (name, says) in [
        ("Near", "Near"),
        ("Far", "Far"),
        ("Nested", "Nested"),
        ("Source", "source"),
        ("Boxed", "Boxed"),
    ] {
        bed.shows(name).await;
        bed.does(click(bed.find(name).await)).await;
        bed.shows(&format!("pressed {says}")).await;
    }
    assert!(
        !bed.text().await.contains("Hidden"),
        "what is not shown is not seen"
    );
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_is_refused_in_a_frame_without_an_origin() {
    let bed = bed().await;
    bed.open("/").await;
    let name = SecretName::parse("LOGIN").unwrap();
    let origins =
        ["127.0.0.1", "localhost"].map(|host| Origin::parse(&bed.web.url(host, "")).unwrap());
    let vault = Vault::new()
        .with(name.clone(), Secret::new("canary-2c71"), origins.to_vec())
        .unwrap();
    let field = bed.find("Password").await;
    for action in [
        BrowserAction::Fill(Fill {
            target: field.clone(),
            text: TextValue::Secret(name.clone()),
            submit: false,
        }),
        BrowserAction::Type(webwise::action::Type {
            text: TextValue::Secret(name),
            submit: false,
        }),
    ] {
        if matches!(action, BrowserAction::Type(_)) {
            bed.does(click(field.clone())).await;
        }
        let request =
            ExecuteRequest::new(action).with_secrets(SecretResolver::new(Arc::new(vault.clone())));
        let execution = bed.driver.execute(&request).await.unwrap();
        assert_eq!(
            execution.outcome.class(),
            Some(ErrorClass::SecretRefused),
            "{execution:?}"
        );
    }
    let seen = bed.see().await;
    assert_eq!(
        crate::driver::bed::element(&seen, "Password").value,
        None,
        "nothing was typed"
    );
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_in_a_frame_is_void_when_it_navigates() {
    let page = "<button onclick=\"document.querySelector('iframe').src = '/other'\">Near on</button>
                <button onclick=\"document.querySelector('iframe').src = 'THERE/other'\">Far on</button>
                <iframe src=/near></iframe>";
    let mut pages = pages();
    pages.push(("/moves", page.to_owned()));
    let pages: Vec<(&str, &str)> = pages
        .iter()
        .map(|(path, html)| (*path, html.as_str()))
        .collect();
    let bed = Bed::start(&pages).await;
    bed.open("/moves").await;
    let mut before = bed.find("Near").await;
    for on in ["Near on", "Far on"] {
        bed.does(button(on)).await;
        bed.shows("Other").await;
        let failure = bed.act(click(before.clone())).await.outcome;
        assert!(
            matches!(
                failure.class(),
                Some(ErrorClass::RefNotFound | ErrorClass::Detached)
            ),
            "{failure:?}"
        );
        let other = bed.find("Other").await;
        assert_ne!(
            other, before,
            "no document gets the references of the one before"
        );
        bed.does(click(other.clone())).await;
        bed.shows("pressed Other").await;
        before = other;
    }
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn frames_that_come_and_go_break_no_look() {
    // Each turn starts a process; in the quick profile not so many that they are all that the machine does.
    let page = "<p>steady</p><div></div><script>
        const box = document.querySelector('div');
        setInterval(() => {
            box.replaceChildren();
            for (const at of ['/near', 'THERE/far', '/nested']) box.append(Object.assign(document.createElement('iframe'), { src: at }));
        }, EVERY);</script>";
    let mut pages = pages();
    pages.push(("/restless", page.replace("EVERY", pick("75", "15"))));
    let pages: Vec<(&str, &str)> = pages
        .iter()
        .map(|(path, html)| (*path, html.as_str()))
        .collect();
    let bed = Bed::start(&pages).await;
    bed.open("/restless").await;
    for _ in 0..pick(2, 20) {
        let text = timeout(NEVER, bed.text()).await.expect("it does not hang");
        assert!(text.contains("steady"), "{text}");
    }
    bed.open("/near").await;
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frame_that_answers_nothing_hides_itself_alone() {
    let page = "<button onclick=\"document.title = 'pressed'\">Go</button><iframe src=THERE/hangs></iframe>
                <iframe src=/near></iframe>";
    let hangs = "<button>Stuck</button><script>setTimeout(() => { for (;;); }, 200)</script>";
    let mut pages = pages();
    pages.extend([("/with", page.to_owned()), ("/hangs", hangs.to_owned())]);
    let pages: Vec<(&str, &str)> = pages
        .iter()
        .map(|(path, html)| (*path, html.as_str()))
        .collect();
    let bed = Bed::whole(&pages).await;
    bed.open("/with").await;
    // It answers for a moment, and on a busy machine both frames come late.
    let is_hidden = async {
        loop {
            let text = bed.text().await;
            assert!(text.contains("Go"), "{text}");
            if text.contains("Near") && !text.contains("Stuck") {
                break;
            }
        }
    };
    timeout(NEVER, is_hidden)
        .await
        .expect("it hides itself alone");
    timeout(NEVER, bed.does(button("Go")))
        .await
        .expect("it does not hang");
    let seen = bed.see().await;
    assert_eq!(seen.title, "pressed");
    bed.does(click(reference(&seen, "Near"))).await;
    bed.open("/near").await;
    bed.does(click(target("role=button[name=\"Near\"]"))).await;
    bed.close().await;
}
