//! Attaching: what is refused and why, and that a browser of others stays theirs.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{Ipv4Addr, TcpListener, TcpStream},
    sync::Arc,
    thread,
    time::Duration,
};

use serde_json::Value;
use tokio::time::timeout;
use webwise::{
    Error, ErrorKind, Origin,
    action::{BrowserAction, ErrorClass, Fill, TabNew, TextValue},
    browser::{BrowserDriver as _, Cdp, CdpOptions, ExecuteRequest, ObserveRequest},
    secret::{Secret, SecretName, SecretResolver, Vault},
};

use crate::driver::{
    bed::{NEVER, act, button, eval, folder, goto, options, see, site, target},
    chromium::Running,
    profile::pick,
};

/// Answers every client with these bytes, and then says nothing more.
fn answering(bytes: String) -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        let mut open = Vec::new();
        // It ends with this program; the tests that use it are done long before.
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(bytes.as_bytes());
            open.push(stream);
        }
    });
    port
}

fn json(body: &str) -> String {
    format!(
        "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

async fn refused(address: &str) -> Error {
    let base = folder();
    let options = options(base.path()).with_launch_timeout(Duration::from_secs(2));
    let attached = timeout(NEVER, Cdp::attach(address, &options))
        .await
        .expect("it does not hang");
    attached.expect_err("there is no browser")
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_browser_is_refused_and_says_why() {
    // A port that was free a moment ago may be another test's by now.
    let nobody = 1;
    let web = site(&[("/", "<p>a web page")]);
    for (address, kind, word) in [
        (String::new(), ErrorKind::InvalidInput, "expected"),
        (
            "ftp://127.0.0.1:1".to_owned(),
            ErrorKind::InvalidInput,
            "expected",
        ),
        (
            "file:///etc/passwd".to_owned(),
            ErrorKind::InvalidInput,
            "expected",
        ),
        (
            format!("http://127.0.0.1:{nobody}"),
            ErrorKind::Unavailable,
            &*format!("127.0.0.1:{nobody}"),
        ),
        (
            format!("ws://127.0.0.1:{nobody}/devtools/browser/x"),
            ErrorKind::Unavailable,
            &format!("127.0.0.1:{nobody}"),
        ),
        (
            web.url("127.0.0.1", "/"),
            ErrorKind::MalformedReply,
            "no browser",
        ),
        (
            web.url("127.0.0.1", "/").replace("http", "ws"),
            ErrorKind::Unavailable,
            "127.0.0.1",
        ),
    ] {
        let error = refused(&address).await;
        assert_eq!(error.kind(), kind, "{address}: {error:?}");
        assert!(error.to_string().contains(word), "{address}: {error}");
    }
    // A resolver may say at once that there is no such name, or never answer.
    let error = refused("http://nowhere.invalid:9222").await;
    let kinds = [ErrorKind::Unavailable, ErrorKind::Timeout];
    assert!(kinds.contains(&error.kind()), "{error:?}");
    assert!(error.to_string().contains("nowhere.invalid"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_answers_nonsense_or_nothing_is_no_browser() {
    let endless = format!("HTTP/1.1 200 OK\r\n{}", "X-Long: yes\r\n".repeat(20_000));
    for (bytes, kind) in [
        (String::new(), ErrorKind::Timeout),
        ("SSH-2.0-OpenSSH\r\n".to_owned(), ErrorKind::Timeout),
        ("\r\n\r\n".to_owned(), ErrorKind::MalformedReply),
        (endless, ErrorKind::MalformedReply),
        (json("[]"), ErrorKind::MalformedReply),
        (json("{}"), ErrorKind::MalformedReply),
        (
            json(r#"{"webSocketDebuggerUrl":"nonsense"}"#),
            ErrorKind::MalformedReply,
        ),
        // It names itself, and its WebSocket is none.
        (
            json(r#"{"webSocketDebuggerUrl":"ws://elsewhere.invalid/devtools/browser/x"}"#),
            ErrorKind::Unavailable,
        ),
    ] {
        let port = answering(bytes.clone());
        let error = refused(&format!("http://127.0.0.1:{port}")).await;
        let start: String = bytes.chars().take(60).collect();
        assert_eq!(error.kind(), kind, "{start:?}: {error:?}");
    }
}

/// The pages of a browser, by its own list.
async fn pages(browser: &Running) -> Vec<String> {
    let address = browser.address();
    let list = move || {
        let host = address.trim_start_matches("http://").to_owned();
        let mut stream = BufReader::new(TcpStream::connect(&host).unwrap());
        write!(
            stream.get_mut(),
            "GET /json/list HTTP/1.1\r\nHost: {host}\r\n\r\n"
        )
        .unwrap();
        // It keeps the connection open, so the length says where the answer ends.
        let mut length = 0;
        let mut line = String::from("-");
        while !line.trim().is_empty() {
            line.clear();
            stream.read_line(&mut line).unwrap();
            let value = line
                .to_ascii_lowercase()
                .strip_prefix("content-length:")
                .map(|value| value.trim().parse());
            length = value.map_or(length, |value| value.unwrap());
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body).unwrap();
        let list: Vec<Value> = serde_json::from_slice(&body).unwrap();
        let of_pages = list.iter().filter(|target| target["type"] == "page");
        of_pages
            .map(|target| target["url"].as_str().unwrap().to_owned())
            .collect()
    };
    tokio::task::spawn_blocking(list).await.unwrap()
}

/// Waits until a browser has these pages and no others.
async fn has_only(browser: &Running, wanted: &[&str]) {
    for _ in 0..200 {
        if pages(browser).await == wanted {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(pages(browser).await, wanted);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_path_of_a_real_browser_is_refused() {
    let browser = Running::start().await;
    let address = format!(
        "{}/devtools/browser/no-such-id",
        browser.address().replace("http", "ws")
    );
    assert_eq!(refused(&address).await.kind(), ErrorKind::Unavailable);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_of_others_keeps_its_tabs_and_lives_on() {
    let mut browser = Running::start().await;
    let web = site(&[
        (
            "/",
            "<title>Own</title><button onclick=\"window.open('/popup')\">Open</button>",
        ),
        ("/popup", "<p>popup"),
    ]);
    let base = folder();
    let options = || CdpOptions::new("/nonexistent").with_state_folder(base.path());
    for is_closed in [true, false] {
        let driver = Cdp::attach(&browser.address(), &options()).await.unwrap();
        assert!(driver.capabilities().attached);
        act(&driver, goto(web.url("127.0.0.1", "/"))).await.unwrap();
        // A second one sees nothing of the first one's tabs, nor of the tab that was there before.
        let other = Cdp::attach(&browser.address(), &options()).await.unwrap();
        assert_eq!(
            (see(&other).await.url.as_str(), see(&other).await.tabs.len()),
            ("about:blank", 0)
        );
        let pressed = act(&driver, button("Open")).await.unwrap();
        assert!(pressed.outcome.is_done(), "{pressed:?}");
        act(
            &driver,
            BrowserAction::TabNew(TabNew {
                url: Some(web.url("127.0.0.1", "/popup")),
            }),
        )
        .await
        .unwrap();
        let tabs = see(&driver).await.tabs;
        let all = pages(&browser).await;
        assert_eq!(
            tabs.len(),
            3,
            "its own, what its page opened, and what it opened itself: {tabs:?} of {all:?}"
        );
        assert_eq!(see(&other).await.tabs.len(), 0);
        assert_eq!(pages(&browser).await.len(), 5);
        if is_closed {
            driver.close().await.unwrap();
            other.close().await.unwrap();
        }
        drop((driver, other));
        has_only(&browser, &["about:blank"]).await;
        assert!(browser.runs());
    }
}

/// Types a secret that is bound to this address into the field of the page there.
async fn type_secret(driver: &Cdp, url: &str) {
    let name = SecretName::parse("WORD").unwrap();
    let origins = vec![Origin::parse(url).unwrap()];
    let vault = Vault::new()
        .with(name.clone(), Secret::new("attached-canary"), origins)
        .unwrap();
    let fill = BrowserAction::Fill(Fill {
        target: target("label=\"Word\""),
        text: TextValue::Secret(name),
        submit: false,
    });
    let fill = ExecuteRequest::new(fill).with_secrets(SecretResolver::new(Arc::new(vault)));
    let filled = driver.execute(&fill).await.unwrap();
    assert!(filled.outcome.is_done(), "{filled:?}");
}

/// The browser names no opener of a tab that a page opens by a click with Ctrl, so the tab is not one of the driver's.
#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_a_browser_of_others_sends_no_secret_by_a_tab_without_an_opener() {
    const PAGE: &str = "<label>Word <input></label><a></a><button onclick=\"const a = document.querySelector('a'); \
        a.href = 'THERE/got?' + document.querySelector('input').value; \
        a.dispatchEvent(new MouseEvent('click', { ctrlKey: true, bubbles: true }))\">Go</button>";
    let browser = Running::start().await;
    let web = site(&[("/", PAGE), ("/got", "<p>got")]);
    let options = CdpOptions::new("/nonexistent");
    let driver = Cdp::attach(&browser.address(), &options).await.unwrap();
    let url = web.url("127.0.0.1", "/");
    act(&driver, goto(url.clone())).await.unwrap();
    type_secret(&driver, &url).await;
    for _ in 0..100 {
        let pressed = act(&driver, button("Go")).await.unwrap();
        if pressed.outcome.class() == Some(ErrorClass::SecretLeaves) {
            let asked = web.asked();
            assert!(
                asked.iter().all(|asked| !asked.path.contains("canary")),
                "{asked:?}"
            );
            return driver.close().await.unwrap();
        }
    }
    panic!("no request is held back");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unreadable_request_is_held_back_only_in_tabs_of_the_driver_that_typed_a_secret() {
    let browser = Running::start().await;
    let web = site(&[("/", "<label>Word <input></label>")]);
    let options = CdpOptions::new("/nonexistent").with_scripts(true);
    let driver = Cdp::attach(&browser.address(), &options).await.unwrap();
    // Its tab is, for the first driver, a tab of a person.
    let other = Cdp::attach(&browser.address(), &options).await.unwrap();
    let url = web.url("127.0.0.1", "/");
    for by in [&driver, &other] {
        act(by, goto(url.clone())).await.unwrap();
    }
    type_secret(&driver, &url).await;
    for (by, path) in [(&driver, "/ours"), (&other, "/theirs")] {
        let to = web.url("localhost", path);
        // A body of this size is not searched.
        let upload = format!(
            "() => fetch('{to}', {{ method: 'POST', mode: 'no-cors', body: 'x'.repeat(5 << 20) }}).catch(() => 0)"
        );
        let sent = act(by, eval(&upload)).await.unwrap();
        assert!(sent.outcome.is_done(), "{sent:?}");
    }
    let asked = web.asked();
    let came = ["/ours", "/theirs"].map(|path| asked.iter().any(|asked| asked.path == path));
    assert_eq!(came, [false, true], "{asked:?}");
    driver.close().await.unwrap();
    other.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_ends_while_attached_is_lost() {
    let browser = Running::start().await;
    let driver = Cdp::attach(&browser.address(), &CdpOptions::new("/nonexistent"))
        .await
        .unwrap();
    see(&driver).await;
    drop(browser);
    for _ in 0..2 {
        let seen = timeout(NEVER, driver.observe(&ObserveRequest::default()))
            .await
            .expect("it does not hang");
        assert_eq!(seen.unwrap_err().kind(), ErrorKind::BrowserLost);
    }
    timeout(NEVER, driver.close())
        .await
        .expect("it does not hang")
        .unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn attaching_that_is_given_up_leaves_no_tab() {
    let browser = Running::start().await;
    for nth in (0..30).step_by(pick(3, 1)) {
        let patience = Duration::from_millis(nth * 5);
        let options = CdpOptions::new("/nonexistent");
        // By whoever waits for it.
        let _ = timeout(patience, Cdp::attach(&browser.address(), &options))
            .await
            .map(drop);
        // By its own time-out.
        let _ = Cdp::attach(&browser.address(), &options.with_launch_timeout(patience))
            .await
            .map(drop);
    }
    // One that is still opened then is closed after that.
    tokio::time::sleep(Duration::from_secs(1)).await;
    has_only(&browser, &["about:blank"]).await;
}
