//! Tests of the shop through real sockets. They use nothing of the shop's internals except the placed orders.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::sleep,
};
use url::form_urlencoded::Serializer;

use super::{Order, Shop, ShopOptions};
use crate::base::ErrorKind;

/// A minimal browser: keeps cookies, and follows no redirects by itself.
struct Visitor {
    port: u16,
    cookies: BTreeMap<String, String>,
}

struct Reply {
    status: u16,
    head: String,
    body: String,
}

impl Reply {
    fn header(&self, name: &str) -> Option<&str> {
        self.head
            .lines()
            .filter_map(|l| l.split_once(": "))
            .find(|(n, _)| n.eq_ignore_ascii_case(name))
            .map(|(_, v)| v)
    }
}

async fn shop(seed: u64) -> Shop {
    Shop::start(ShopOptions::default().with_seed(seed))
        .await
        .unwrap()
}

/// Sends bytes and reads until the server closes the connection.
async fn raw(port: u16, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    let mut reply = Vec::new();
    stream.read_to_end(&mut reply).await.unwrap();
    String::from_utf8(reply).unwrap()
}

impl Visitor {
    fn of(shop: &Shop) -> Self {
        Self {
            port: shop.url().port().unwrap(),
            cookies: BTreeMap::new(),
        }
    }

    async fn send(&mut self, line: &str, form: &str) -> Reply {
        let cookies: Vec<_> = self
            .cookies
            .iter()
            .map(|(k, v)| format!("{k}={v}"))
            .collect();
        let request = format!(
            "{line} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\nCookie: {}\r\n\
             Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{form}",
            self.port,
            cookies.join("; "),
            form.len()
        );
        let reply = raw(self.port, request.as_bytes()).await;
        let (head, body) = reply.split_once("\r\n\r\n").unwrap();
        for cookie in head.lines().filter_map(|l| l.strip_prefix("Set-Cookie: ")) {
            let (name, value) = cookie.split(';').next().unwrap().split_once('=').unwrap();
            self.cookies.insert(name.to_owned(), value.to_owned());
        }
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Reply {
            status,
            head: head.to_owned(),
            body: body.to_owned(),
        }
    }

    async fn get(&mut self, path: &str) -> Reply {
        self.send(&format!("GET {path}"), "").await
    }

    async fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> Reply {
        let form = Serializer::new(String::new()).extend_pairs(fields).finish();
        self.send(&format!("POST {path}"), &form).await
    }

    async fn add(&mut self, slug: &str) -> Reply {
        let choice = [("size", "M"), ("colour", "Black"), ("quantity", "2")];
        self.post(&format!("/product/{slug}"), &choice).await
    }

    async fn log_in(&mut self, password: &str) -> Reply {
        self.post(
            "/login",
            &[
                ("user", "demo"),
                ("password", password),
                ("next", "/checkout"),
            ],
        )
        .await
    }
}

const ADDRESS: &[(&str, &str)] = &[
    ("name", "Ada <b>Lovelace</b>"),
    ("street", "Parkstraße 7"),
    ("city", "Köln"),
    ("postal_code", "50667"),
    ("shipping", "express"),
    ("terms", "yes"),
];

async fn buy(shop: &Shop) -> Reply {
    let mut visitor = Visitor::of(shop);
    visitor.add("alpine-rain-jacket").await;
    visitor.log_in(&shop.password()).await;
    let placed = visitor.post("/checkout", ADDRESS).await;
    assert_eq!(placed.status, 303, "{}", placed.body);
    let path = placed.header("Location").unwrap().to_owned();
    visitor.get(&path).await
}

#[tokio::test]
async fn an_order_is_what_was_chosen_and_its_number_is_on_the_last_page() {
    let shop = shop(1).await;
    let page = buy(&shop).await;
    let [order]: [Order; 1] = shop.orders().try_into().unwrap();
    assert_eq!(page.status, 200);
    assert!(
        page.body
            .contains(&format!("<strong>{}</strong>", order.number))
    );
    assert_eq!(order.lines[0].product, "Alpine Rain Jacket");
    assert_eq!(
        (
            order.lines[0].size.as_str(),
            order.lines[0].colour.as_str(),
            order.lines[0].quantity
        ),
        ("M", "Black", 2)
    );
    assert_eq!(
        (
            order.shipping.street.as_str(),
            order.shipping.postal_code.as_str()
        ),
        ("Parkstraße 7", "50667")
    );
    assert_eq!(
        (order.shipping.method.as_str(), order.total_cents),
        ("Express delivery", 2 * 14_900 + 1290)
    );
}

#[tokio::test]
async fn order_numbers_are_new_each_time_and_stand_on_no_page_before() {
    let shop = shop(1).await;
    buy(&shop).await;
    let mut visitor = Visitor::of(&shop);
    let mut before = visitor.get("/").await.body;
    before += &visitor.add("alpine-rain-jacket").await.body;
    visitor.log_in(&shop.password()).await;
    before += &visitor.get("/checkout").await.body;
    visitor.post("/checkout", ADDRESS).await;
    let orders = shop.orders();
    assert_ne!(orders[0].number, orders[1].number);
    assert!(!before.contains(&orders[1].number));
}

#[tokio::test]
async fn another_seed_gives_other_numbers_another_password_and_other_pages() {
    let (a, b) = (shop(1).await, shop(2).await);
    buy(&a).await;
    buy(&b).await;
    assert_ne!(a.orders()[0].number, b.orders()[0].number);
    assert_ne!(a.password(), b.password());
    let (page_a, page_b) = (
        Visitor::of(&a).get("/").await.body,
        Visitor::of(&b).get("/").await.body,
    );
    assert_ne!(page_a, page_b);
    let again = shop(1).await;
    assert_eq!(
        page_a,
        Visitor::of(&again).get("/").await.body,
        "the same seed gives the same page"
    );
}

#[tokio::test]
async fn an_order_belongs_to_the_visitor_who_placed_it() {
    let shop = shop(1).await;
    buy(&shop).await;
    let path = format!("/order/{}", shop.orders()[0].number);
    let reply = Visitor::of(&shop).get(&path).await;
    assert_eq!(reply.status, 404);
    assert!(!reply.body.contains("Parkstra"));
}

#[tokio::test]
async fn the_cookie_notice_stays_until_it_is_answered_and_leads_back() {
    let shop = shop(1).await;
    let mut visitor = Visitor::of(&shop);
    for path in ["/", "/search?q=rain", "/login"] {
        assert!(
            visitor.get(path).await.body.contains("role=\"dialog\""),
            "{path}"
        );
    }
    let answer = visitor
        .post("/consent", &[("choice", "all"), ("back", "/search?q=rain")])
        .await;
    assert_eq!(
        (answer.status, answer.header("Location")),
        (303, Some("/search?q=rain"))
    );
    assert!(
        !visitor
            .get("/search?q=rain")
            .await
            .body
            .contains("role=\"dialog\"")
    );
    let answer = visitor
        .post(
            "/consent",
            &[("choice", "all"), ("back", "//evil.example/")],
        )
        .await;
    assert_eq!(answer.header("Location"), Some("/"));
}

#[tokio::test]
async fn a_product_needs_its_choices_and_keeps_what_was_entered() {
    let shop = shop(1).await;
    let mut visitor = Visitor::of(&shop);
    let page = visitor
        .post(
            "/product/alpine-rain-jacket",
            &[("colour", "Black"), ("quantity", "3")],
        )
        .await;
    assert_eq!(page.status, 422);
    assert!(page.body.contains("Please choose a size first."));
    assert!(page.body.contains("value=\"Black\" checked") && page.body.contains("value=\"3\""));
    for quantity in ["0", "11", "-1", "x", ""] {
        let form = [("size", "M"), ("colour", "Black"), ("quantity", quantity)];
        assert_eq!(
            visitor
                .post("/product/alpine-rain-jacket", &form)
                .await
                .status,
            422,
            "{quantity:?}"
        );
    }
    assert!(
        visitor
            .get("/cart")
            .await
            .body
            .contains("Your cart is empty")
    );
    assert_eq!(
        visitor.add("alpine-rain-jacket").await.header("Location"),
        Some("/cart")
    );
    assert!(visitor.get("/cart").await.body.contains("€ 298.00"));
    visitor.post("/cart/remove", &[("line", "0")]).await;
    assert!(
        visitor
            .get("/cart")
            .await
            .body
            .contains("Your cart is empty")
    );
}

#[tokio::test]
async fn the_checkout_needs_a_cart_and_a_login_with_the_right_password() {
    let shop = shop(1).await;
    let mut visitor = Visitor::of(&shop);
    assert_eq!(
        visitor.get("/checkout").await.header("Location"),
        Some("/cart")
    );
    visitor.add("alpine-rain-jacket").await;
    assert_eq!(
        visitor.get("/checkout").await.header("Location"),
        Some("/login?next=/checkout")
    );
    for wrong in ["", "demo", "<script>alert(1)</script>"] {
        let page = visitor.log_in(wrong).await;
        assert_eq!(page.status, 422);
        assert!(page.body.contains("User name or password is wrong."));
    }
    assert_eq!(
        visitor.post("/checkout", ADDRESS).await.header("Location"),
        Some("/login?next=/checkout")
    );
    assert_eq!(
        visitor.log_in(&shop.password()).await.header("Location"),
        Some("/checkout")
    );
    assert!(
        visitor
            .get("/checkout")
            .await
            .body
            .contains("Shipping method")
    );
    visitor.post("/logout", &[]).await;
    assert_eq!(
        visitor.get("/checkout").await.header("Location"),
        Some("/cart")
    );
    assert!(shop.orders().is_empty());
}

#[tokio::test]
async fn the_checkout_names_every_fault_at_once_and_keeps_the_input() {
    let shop = shop(1).await;
    let mut visitor = Visitor::of(&shop);
    visitor.add("alpine-rain-jacket").await;
    visitor.log_in(&shop.password()).await;
    let long = "x".repeat(101);
    let form = [
        ("name", "\"><script>alert(1)</script>"),
        ("street", "Park"),
        ("city", long.as_str()),
        ("postal_code", "5066"),
    ];
    let page = visitor.post("/checkout", &form).await;
    assert_eq!(page.status, 422);
    for complaint in [
        "house number.",
        "This is too long",
        "five digits",
        "Choose how we should send it.",
        "Accept the terms to place the order.",
    ] {
        assert!(page.body.contains(complaint), "{complaint}");
    }
    assert!(
        page.body
            .contains("value=\"&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;\"")
    );
    assert!(page.body.contains("value=\"5066\""));
    assert!(shop.orders().is_empty());
}

#[tokio::test]
async fn an_order_that_is_sent_twice_is_placed_once() {
    let shop = shop(1).await;
    let mut visitor = Visitor::of(&shop);
    visitor.add("alpine-rain-jacket").await;
    visitor.log_in(&shop.password()).await;
    let mut twin = Visitor {
        port: visitor.port,
        cookies: visitor.cookies.clone(),
    };
    assert_eq!(visitor.post("/checkout", ADDRESS).await.status, 303);
    assert_eq!(
        twin.post("/checkout", ADDRESS).await.header("Location"),
        Some("/cart")
    );
    assert_eq!(shop.orders().len(), 1);
}

#[tokio::test]
async fn no_page_has_an_open_template_or_unescaped_input() {
    let shop = shop(3).await;
    let mut visitor = Visitor::of(&shop);
    visitor.add("alpine-rain-jacket").await;
    visitor.log_in(&shop.password()).await;
    let hostile = "%3Cimg%20src%3Dx%3E%22%27%7B%7Btag%7D%7D";
    let mut pages = Vec::new();
    for path in [
        "/",
        &format!("/search?q={hostile}"),
        &format!("/?x={hostile}"),
        &format!("/login?next=/{hostile}"),
        &format!("/product/{hostile}"),
        "/product/alpine-rain-jacket",
        "/cart",
        "/checkout",
        "/info/sizes",
    ] {
        pages.push(visitor.get(path).await);
    }
    pages.push(visitor.post("/checkout", &[("name", "<img src=x>")]).await);
    pages.push(buy(&shop).await);
    for page in pages {
        let text = page.body.replace("&quot;&#39;{{tag}}", "");
        assert!(!text.contains("{{") && !text.contains("}}"), "{text}");
        assert!(!text.contains("<img") && !text.contains("<b>"), "{text}");
        assert!(
            !text.contains("http://") && !text.contains("https://"),
            "no page names another server"
        );
    }
}

#[tokio::test]
async fn every_link_of_a_page_leads_to_a_page() {
    let shop = shop(1).await;
    let mut visitor = Visitor::of(&shop);
    for start in [
        "/",
        "/search?q=alpine%20rain%20jacket",
        "/product/merino-socks",
        "/login",
    ] {
        let page = visitor.get(start).await.body;
        let links: Vec<_> = page
            .split("href=\"/")
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
            .collect();
        assert!(links.len() > 5);
        for link in links {
            assert_eq!(
                visitor.get(&format!("/{link}")).await.status,
                200,
                "{start} -> /{link}"
            );
        }
    }
}

#[tokio::test]
async fn requests_over_a_limit_or_against_the_grammar_are_refused() {
    let shop = shop(1).await;
    let port = shop.url().port().unwrap();
    let get = |extra: &str| format!("GET / HTTP/1.1\r\nHost: localhost\r\n{extra}\r\n");
    let login = |extra: &str| format!("POST /login HTTP/1.1\r\nHost: localhost\r\n{extra}\r\n");
    let form = "Content-Type: application/x-www-form-urlencoded\r\n";
    let cases = [
        (get(&"X-A: b\r\n".repeat(64)), 413),
        (format!("GET / HTTP/1.1\r\nX: {}", "a".repeat(20_000)), 413),
        (login(&format!("{form}Content-Length: 40000\r\n")), 413),
        (
            login(&format!(
                "{form}Content-Length: 99999999999999999999999999\r\n"
            )),
            400,
        ),
        (login(form), 400),
        (login("Transfer-Encoding: chunked\r\n"), 400),
        (login("Content-Length: 1\r\nContent-Length: 2\r\n"), 400),
        ("GET / HTTP/1.1\r\n\r\n".to_owned(), 400),
        (
            "GET http://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n".to_owned(),
            400,
        ),
        ("GET /\r\n\r\n".to_owned(), 400),
        ("GET / HTTP/2.0\r\n\r\n".to_owned(), 400),
        ("BREW / HTTP/1.1\r\nHost: localhost\r\n\r\n".to_owned(), 405),
        (get("No colon\r\n"), 400),
        (get("Bad name : x\r\n"), 400),
        (get(" folded: x\r\n"), 400),
        (
            "GET / HTTP/1.1\r\nHost: shop.example\r\n\r\n".to_owned(),
            421,
        ),
        ("GET / HTTP/1.1\r\nHost: 10.0.0.1\r\n\r\n".to_owned(), 421),
    ];
    for (request, status) in cases {
        let reply = raw(port, request.as_bytes()).await;
        let line = request
            .lines()
            .next()
            .unwrap()
            .chars()
            .take(60)
            .collect::<String>();
        assert!(
            reply.starts_with(&format!("HTTP/1.1 {status} ")),
            "{line}: {reply}"
        );
        assert!(reply.contains("Connection: close"), "{line}");
    }
    assert!(
        raw(port, b"GET / HTTP/1.1\r\nHost: \xff\r\n\r\n")
            .await
            .starts_with("HTTP/1.1 400 ")
    );
}

#[tokio::test]
async fn a_connection_carries_several_requests() {
    let shop = shop(1).await;
    let get = "GET /info/terms HTTP/1.1\r\nHost: shop.localhost\r\n\r\n";
    let last = "GET /info/terms HTTP/1.1\r\nHost: [::1]\r\nConnection: close\r\n\r\n";
    let reply = raw(
        shop.url().port().unwrap(),
        format!("{get}{last}").as_bytes(),
    )
    .await;
    let replies: Vec<_> = reply.split("HTTP/1.1 200 OK\r\n").collect();
    assert_eq!(replies.len(), 3);
    let (first_head, body) = replies[1].split_once("\r\n\r\n").unwrap();
    assert!(first_head.contains("Connection: keep-alive"));
    assert!(first_head.contains(&format!("Content-Length: {}\r\n", body.len())));
    assert!(replies[2].ends_with(body));
}

#[tokio::test]
async fn a_request_may_arrive_byte_by_byte() {
    let shop = shop(1).await;
    let mut stream = TcpStream::connect(("127.0.0.1", shop.url().port().unwrap()))
        .await
        .unwrap();
    stream.set_nodelay(true).unwrap();
    let form = "user=demo&password=x";
    let request = format!(
        "POST /login HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {}\r\n\
         Content-Type: application/x-www-form-urlencoded; charset=utf-8\r\n\r\n{form}",
        form.len()
    );
    for byte in request.bytes() {
        stream.write_all(&[byte]).await.unwrap();
    }
    let mut reply = String::new();
    stream.read_to_string(&mut reply).await.unwrap();
    assert!(reply.starts_with("HTTP/1.1 422 "));
}

#[tokio::test(start_paused = true)]
async fn a_request_that_never_ends_is_refused_and_a_silent_client_is_left() {
    let shop = shop(1).await;
    let port = shop.url().port().unwrap();
    let whole = "GET /info/terms HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let reply = raw(port, format!("{whole}GET /info/terms HT").as_bytes()).await;
    assert!(
        reply.starts_with("HTTP/1.1 200 ") && reply.contains("HTTP/1.1 408 Request Timeout"),
        "{reply}"
    );
    assert_eq!(raw(port, b"").await, "");
}

#[tokio::test]
async fn a_port_in_use_is_named() {
    let shop = shop(1).await;
    let port = shop.url().port().unwrap();
    let error = Shop::start(ShopOptions::default().with_port(port))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(
        error.to_string().contains(&format!("port: {port}")),
        "{error}"
    );
}

#[tokio::test]
async fn a_stopped_shop_frees_its_port_and_ends_idle_connections() {
    let shop = shop(1).await;
    let port = shop.url().port().unwrap();
    let mut idle = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    idle.write_all(b"GET /info/terms HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .await
        .unwrap();
    let mut first = [0; 12];
    idle.read_exact(&mut first).await.unwrap();
    shop.stop().await;
    let mut rest = Vec::new();
    idle.read_to_end(&mut rest).await.unwrap();
    again_at(port).await.stop().await;
}

/// Starts a shop at a port that has just become free, and tries again while the port is in use. Another test can occupy the
/// port briefly: a process that the test starts keeps a copy of the old socket until it executes its own program, or the
/// system gives the port to the test.
async fn again_at(port: u16) -> Shop {
    let deadline = Instant::now() + Duration::from_secs(3);
    loop {
        match Shop::start(ShopOptions::default().with_port(port)).await {
            Ok(shop) => return shop,
            Err(error) => assert!(
                error.to_string().contains("in use") && Instant::now() < deadline,
                "{error}"
            ),
        }
        sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn a_dropped_shop_stops_too() {
    let shop = shop(1).await;
    let port = shop.url().port().unwrap();
    let mut idle = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    idle.write_all(b"GET /info/terms HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .await
        .unwrap();
    let mut first = [0; 12];
    idle.read_exact(&mut first).await.unwrap();
    drop(shop);
    // The read ends only because the server closes the connection.
    let mut rest = Vec::new();
    idle.read_to_end(&mut rest).await.unwrap();
}
