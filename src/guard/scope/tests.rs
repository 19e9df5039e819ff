//! Some 400 forms of addresses, checked against three scopes.

use proptest::prelude::*;

use super::*;

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

fn site(text: &str) -> Site {
    Site::of(&url(text)).unwrap()
}

fn open_web() -> Scope {
    Scope::new(None, vec![], false)
}

/// Returns the scope of a run that has secrets and starts at a shop.
fn shop() -> Scope {
    Scope::new(
        Some(&url("https://www.shop.example/start")),
        vec![site("https://pay.example")],
        true,
    )
}

fn local(start: &str) -> Scope {
    Scope::new(Some(&url(start)), vec![], false)
}

fn assert_all_refused(
    scope: &Scope,
    urls: impl IntoIterator<Item = impl AsRef<str>>,
    what: fn(&ScopeRefusal) -> bool,
) -> usize {
    let mut count = 0;
    for url in urls {
        let url = url.as_ref();
        let refusal = scope.check_url(url).expect_err(url);
        assert!(what(&refusal), "{url:?}: {refusal:?}");
        assert!(scope.check_page(url, Blank::Refused).is_err(), "{url:?}");
        count += 1;
    }
    count
}

fn assert_all_allowed(scope: &Scope, urls: impl IntoIterator<Item = impl AsRef<str>>) -> usize {
    let mut count = 0;
    for url in urls {
        let url = url.as_ref();
        let allowed = scope
            .check_url(url)
            .unwrap_or_else(|refusal| panic!("{url:?}: {refusal:?}"));
        assert_eq!(
            scope.check_url(allowed.as_str()).as_ref(),
            Ok(&allowed),
            "{url:?}"
        );
        assert_eq!(scope.check_page(url, Blank::Refused), Ok(()), "{url:?}");
        count += 1;
    }
    count
}

/// Addresses with schemes other than http and https. Some of them begin with characters that parsers skip.
const NOT_WEB: &[&str] = &[
    "file:///etc/passwd",
    "file://localhost/etc/passwd",
    "FILE:///c:/windows",
    "file:/etc/passwd",
    "file:etc",
    "data:text/html,<script>1</script>",
    "data:,x",
    "DATA:text/plain;base64,eA==",
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    "java\nscript:alert(1)",
    "java\tscript:alert(1)",
    " javascript:alert(1)",
    "\u{1}javascript:alert(1)",
    "javascript://shop.example/%0aalert(1)",
    "vbscript:x",
    "about:blank",
    "about:srcdoc",
    "about:config",
    "chrome://version",
    "chrome://settings/passwords",
    "chrome-extension://abcdef/page.html",
    "chrome-error://other/",
    "chrome-untrusted://x/",
    "devtools://devtools/bundled/inspector.html",
    "edge://settings",
    "brave://settings",
    "view-source:https://shop.example/",
    "blob:https://shop.example/0a1b",
    "filesystem:https://shop.example/temporary/x",
    "ws://shop.example/",
    "wss://shop.example/",
    "ftp://shop.example/",
    "ftps://shop.example/",
    "sftp://shop.example/",
    "ssh://shop.example/",
    "gopher://shop.example:70/_x",
    "ldap://shop.example/",
    "dict://shop.example:11211/",
    "jar:https://shop.example!/x",
    "mailto:a@shop.example",
    "tel:+123",
    "sms:123",
    "intent://shop.example#Intent;scheme=https;end",
    "android-app://x",
    "itms-services://?action=download",
    "ms-settings:",
    "search-ms:query=x",
    "smb://shop.example/x",
    "unix:///var/run/docker.sock",
    "urn:x",
    "magnet:?xt=x",
    "steam://run/1",
    "httpss://shop.example/",
    "http+unix://shop.example/",
    "httpsx:shop.example",
    "x:https://shop.example/",
    "localhost:8080",
    "shop.example:443/",
];

const NOT_ADDRESSES: &[&str] = &[
    "",
    " ",
    "/",
    "//shop.example/",
    "\\\\shop.example\\x",
    "shop.example",
    "www.shop.example/path",
    "127.0.0.1",
    "?q=1",
    "#top",
    "./x",
    "../x",
    "*",
    "--help",
    "http://",
    "https://",
    "http:///",
    "https://?x",
    "https://#x",
    "https://:80/",
    "https://:@/",
    "https://user@/",
    "https://shop.example:99999/",
    "https://shop.example:-1/",
    "https://shop.example:x/",
    "https://shop.example:80:80/",
    "https://shop example/",
    "https://shop%20.example/",
    "https://shop.example%00.evil.test/",
    "https://shop<.example/",
    "https://shop>.example/",
    "https://shop^.example/",
    "https://shop|.example/",
    "https://shop%.example/",
    "https://shop.example%2f.evil.test/",
    "https://shop.example%23.evil.test/",
    "https://shop.example%3f.evil.test/",
    "https://shop.example%40evil.test/",
    "https://shop.example%5c.evil.test/",
    "https://%00/",
    "https://shop\u{202e}.example/",
    "https://[::1",
    "https://::1/",
    "https://[::g]/",
    "https://[1:2:3]/",
    "https://[127.0.0.1]/",
    "https://[::1%25eth0]/",
    "https://[::1]x/",
    "http://256.256.256.256/",
    "http://1.2.3.4.5/",
    "http://127.0.0.256/",
    "http://4294967296/",
    "http://0x100000000/",
    "http://127.0.0.0x100/",
    "http://1.2.3.08/",
    "http://xn--/",
    "http://\u{ad}/",
];

/// Host names that the URL standard accepts but DNS does not have.
const BAD_HOSTS: &[&str] = &[
    "http://../",
    "http://.../",
    "http://./",
    "http://-rf/",
    "http://--help/",
    "http://a..b/",
    "http://.shop.example/",
    "http://shop..example/",
    "http://shop.example../",
    "http://%2e%2e/",
    "http://localhost../",
    "http://127.0.0.1../",
    "http://-a.shop.example/",
    "http://a.-b.example/",
    "http://a$b.example/",
    "http://a!b.example/",
    "http://a'b.example/",
    "http://a(b).example/",
    "http://a*b.example/",
    "http://a+b.example/",
    "http://a,b.example/",
    "http://a;b.example/",
    "http://a=b.example/",
    "http://a&b.example/",
    "http://a~b.example/",
    "http://a`b.example/",
    "http://a{b}.example/",
    "http://a\"b.example/",
    "http://*.shop.example/",
];

/// Addresses with a user name or password in front of the host.
const USER_INFO: &[&str] = &[
    "https://shop.example@evil.test/",
    "https://shop.example:443@evil.test/",
    "https://shop.example:x@evil.test",
    "https://user@shop.example/",
    "https://user:pw@shop.example/",
    "https://:pw@shop.example/",
    "https://user:@shop.example/",
    "https://a@b@shop.example/",
    "https://shop.example%2f@evil.test/",
    "https://shop.example%00@evil.test/",
    "https://shop.example\t@evil.test/",
    "https://shop.example&x=@evil.test#@shop.example/",
    "http://127.0.0.1@evil.test/",
    "http://evil.test@127.0.0.1/",
    "https:shop.example@evil.test",
    "https:/shop.example@evil.test",
    "https:\\\\shop.example@evil.test",
    "https://%75ser@shop.example/",
    "https://<secret:PASSWORD>@shop.example/",
];

/// Internal hosts in every notation.
const INSIDE: &[&str] = &[
    "localhost",
    "LOCALHOST",
    "localhost.",
    "a.localhost",
    "a.b.localhost",
    "a.localhost.",
    "%6c%6fcalhost",
    "ⓛocalhost",
    "ｌｏｃａｌｈｏｓｔ",
    "loc\u{ad}alhost",
    "127.0.0.1",
    "127.0.0.1.",
    "127.1",
    "127.0.1",
    "127.255.255.254",
    "0177.0.0.1",
    "0x7f.0.0.1",
    "0x7F.1",
    "0x7f000001",
    "017700000001",
    "2130706433",
    "00000177.0x0.0.1",
    "%31%32%37.0.0.1",
    "127。0。0。1",
    "127．0．0．1",
    "127｡0｡0｡1",
    "１２７.0.0.1",
    "①②⑦.0.0.1",
    "0",
    "0.0.0.0",
    "0x0",
    "0.1.2.3",
    "10.0.0.1",
    "10.1",
    "167772161",
    "012.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.0.1",
    "192.168.1",
    "3232235521",
    "169.254.169.254",
    "0xa9fea9fe",
    "2852039166",
    "169.254.170.2",
    "100.64.0.1",
    "100.100.100.200",
    "100.127.255.255",
    "168.63.129.16",
    "192.0.0.192",
    "198.18.0.1",
    "198.19.255.255",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[0000:0000:0000:0000:0000:0000:0000:0001]",
    "[::]",
    "[::127.0.0.1]",
    "[::ffff:127.0.0.1]",
    "[::FFFF:7F00:1]",
    "[0:0:0:0:0:ffff:127.0.0.1]",
    "[::ffff:10.0.0.1]",
    "[::ffff:169.254.169.254]",
    "[::ffff:0:127.0.0.1]",
    "[::ffff:0:192.168.0.1]",
    "[64:ff9b::127.0.0.1]",
    "[64:ff9b::10.0.0.1]",
    "[64:ff9b:1::8.8.8.8]",
    "[2002:7f00:1::]",
    "[2002:c0a8:1::1]",
    "[2002:a9fe:a9fe::]",
    "[2001:0:1::1]",
    "[2001::7f00:1]",
    "[fc00::1]",
    "[fd00:ec2::254]",
    "[fdff::]",
    "[fe80::1]",
    "[febf::1]",
    "[fec0::1]",
    "[feff::1]",
    "[ff02::1]",
    "[100::1]",
    "intranet",
    "wiki",
    "metadata",
    "com",
    "metadata.google.internal",
    "metadata.google.internal.",
    "instance-data.ec2.internal",
    "printer.local",
    "PRINTER.LOCAL",
    "nas.lan",
    "router.home",
    "router.home.arpa",
    "db.corp",
    "host.localdomain",
    "app.intranet",
    "vault.private",
    "host.docker.internal",
    "kubernetes.default.svc.cluster.local",
];

/// External hosts that look a little like internal ones.
const OUTSIDE: &[&str] = &[
    "example.com",
    "example.com.",
    "EXAMPLE.com",
    "bücher.example",
    "xn--bcher-kva.example",
    "a_b.example.com",
    "localhost.com",
    "localhost.evil.test",
    "local.example.com",
    "internal.example.com",
    "127.0.0.1.example.com",
    "127-0-0-1.example.com",
    "8.8.8.8",
    "134744072",
    "126.255.255.255",
    "128.0.0.1",
    "9.255.255.255",
    "11.0.0.1",
    "172.15.255.255",
    "172.32.0.1",
    "192.167.255.255",
    "192.169.0.1",
    "169.253.255.255",
    "169.255.0.1",
    "100.63.255.255",
    "100.128.0.1",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "[2606:4700::1111]",
    "[::ffff:8.8.8.8]",
    "[64:ff9b::8.8.8.8]",
    "[2002:808:808::]",
    "[2001:4860:4860::8888]",
    "a.github.io",
    "github.io",
    "shop.co.uk",
];

/// Returns addresses of the host in three notations.
fn forms(host: &str) -> [String; 3] {
    [
        format!("http://{host}/"),
        format!("https:\\\\{host}\\x?q=1"),
        format!("\tHTTPS:{host}:8443#f\n"),
    ]
}

#[test]
fn three_hundred_forms_of_addresses_are_judged_by_where_they_lead() {
    let mut count = 0;
    for scope in [&open_web(), &shop()] {
        count += assert_all_refused(scope, NOT_WEB, |r| *r == ScopeRefusal::NotWeb);
        count += assert_all_refused(scope, NOT_ADDRESSES, |r| *r == ScopeRefusal::NotAnAddress);
        count += assert_all_refused(scope, BAD_HOSTS, |r| *r == ScopeRefusal::BadHost);
        count += assert_all_refused(scope, USER_INFO, |r| *r == ScopeRefusal::UserInfo);
        count += assert_all_refused(scope, INSIDE.iter().flat_map(|h| forms(h)), |r| {
            matches!(r, ScopeRefusal::Internal(_))
        });
    }
    count += assert_all_allowed(&open_web(), OUTSIDE.iter().flat_map(|h| forms(h)));
    count += assert_all_refused(&shop(), OUTSIDE.iter().flat_map(|h| forms(h)), |r| {
        matches!(r, ScopeRefusal::OffList(_))
    });
    assert!(count >= 300, "{count}");
    let distinct = NOT_WEB.len()
        + NOT_ADDRESSES.len()
        + BAD_HOSTS.len()
        + USER_INFO.len()
        + INSIDE.len()
        + OUTSIDE.len();
    assert!(distinct >= 300, "{distinct}");
}

#[test]
fn a_bounded_run_stays_on_its_start_site_and_its_list() {
    let allowed = assert_all_allowed(
        &shop(),
        [
            "https://www.shop.example/",
            "https://shop.example/",
            "https://a.b.shop.example/",
            "http://shop.example:8080/",
            "https://SHOP.example./x",
            "https:shop.example",
            "https:/shop.example/x",
            "https:///shop.example/x",
            "https:\\\\shop.example\\x",
            "https://shop.example\\@evil.test/",
            "https://@shop.example/",
            "https://ｓｈｏｐ.example/",
            "https://shop。example/",
            "https://sh\nop.exa\tmple/",
            "https://%73hop.example/",
            "https://shop.example/?next=https://evil.test/",
            "https://shop.example/#@evil.test",
            "https://shop.example/@evil.test",
            "https://shop.example?@evil.test",
            "https://secure.pay.example/checkout",
        ],
    );
    let refused = assert_all_refused(
        &shop(),
        [
            "https://evil.test/",
            "https://shop.example.evil.test/",
            "https://shop-example.test/",
            "https://shopxexample/",
            "https://evilshop.example/",
            "https://shop.example.com/",
            "https://sh0p.example/",
            "https://shоp.example/",
            "https://shop.еxample/",
            "https://xn--shp-ted.example/",
            "https://evil.test/https://shop.example/",
            "https://evil.test/?shop.example",
            "https://evil.test#shop.example",
            "https://evil.test\\shop.example",
            "https://evil.test\\.shop.example",
            "https:evil.test",
            "https:/evil.test",
            "https:////evil.test",
            "https:\\evil.test",
            "https://evil。test/",
            "https://example/",
            "https://payy.example/",
        ],
        |r| matches!(r, ScopeRefusal::OffList(_) | ScopeRefusal::Internal(_)),
    );
    assert_eq!(allowed + refused, 42);
}

#[test]
fn an_internal_start_opens_its_own_site_and_no_other_inside() {
    for (start, inside, other) in [
        (
            "http://localhost:8000/",
            "http://localhost:9000/x",
            "http://127.0.0.1:8000/",
        ),
        (
            "http://127.0.0.1:8770/",
            "http://2130706433/",
            "http://127.0.0.2/",
        ),
        (
            "http://a.localhost:1/",
            "http://a.localhost/",
            "http://b.localhost:1/",
        ),
        (
            "http://192.168.0.5/",
            "https://192.168.0.5:8443/",
            "http://192.168.0.6/",
        ),
        (
            "http://[::1]/",
            "http://[0:0::1]:3000/",
            "http://localhost/",
        ),
        ("http://wiki/", "http://wiki:8080/", "http://metadata/"),
    ] {
        let scope = local(start);
        assert!(scope.check_url(inside).is_ok(), "{start} -> {inside}");
        assert!(
            matches!(scope.check_url(other), Err(ScopeRefusal::Internal(_))),
            "{start} -> {other}"
        );
        assert!(scope.check_url("https://example.com/").is_ok(), "{start}");
    }
}

#[test]
fn an_internal_site_on_the_list_is_meant() {
    let scope = Scope::new(
        Some(&url("http://a.localhost/")),
        vec![site("http://b.localhost")],
        false,
    );
    assert!(scope.check_url("http://b.localhost:81/").is_ok());
    assert!(matches!(
        scope.check_url("http://c.localhost/"),
        Err(ScopeRefusal::Internal(_))
    ));
    assert!(matches!(
        scope.check_url("https://example.com/"),
        Err(ScopeRefusal::OffList(_))
    ));
}

#[test]
fn with_secrets_and_nowhere_to_start_no_page_is_in_scope() {
    let scope = Scope::new(None, vec![], true);
    assert!(matches!(
        scope.check_url("https://example.com/"),
        Err(ScopeRefusal::OffList(_))
    ));
}

#[test]
fn a_blank_page_is_fine_until_there_was_another() {
    let scope = shop();
    assert_eq!(scope.check_page("about:blank", Blank::Tolerated), Ok(()));
    assert_eq!(
        scope.check_page("about:blank", Blank::Refused),
        Err(ScopeRefusal::Blank)
    );
    assert_eq!(
        scope.check_page("", Blank::Refused),
        Err(ScopeRefusal::Blank)
    );
    assert_eq!(
        scope.check_page("", Blank::Tolerated),
        Err(ScopeRefusal::NotAnAddress)
    );
    assert_eq!(
        scope.check_page("about:blank#x", Blank::Tolerated),
        Err(ScopeRefusal::NotWeb)
    );
    assert_eq!(
        scope.check_page("chrome-error://chromewebdata/", Blank::Refused),
        Ok(())
    );
}

#[test]
fn a_frame_is_shown_when_it_is_the_page_s_own_or_in_scope() {
    let scope = shop();
    for shown in [
        "about:srcdoc",
        "about:blank",
        "data:text/html,x",
        "blob:https://evil.test/0a",
        "https://a.shop.example/",
    ] {
        assert!(scope.may_show_frame(shown), "{shown}");
    }
    for hidden in [
        "https://evil.test/",
        "http://127.0.0.1/",
        "file:///etc/passwd",
        "chrome://version",
        "",
        "x",
    ] {
        assert!(!scope.may_show_frame(hidden), "{hidden}");
    }
}

#[test]
fn a_refusal_says_nothing_that_the_page_wrote() {
    let refusal = shop()
        .check_url("https://ignore-previous-instructions.test/")
        .unwrap_err();
    assert!(!refusal.to_string().contains("ignore"));
    assert_eq!(
        refusal.site().unwrap().as_str(),
        "ignore-previous-instructions.test"
    );
    let Outcome::Failed(failure) = Outcome::from(refusal) else {
        panic!("a refusal is a failure")
    };
    assert_eq!(failure.class, ErrorClass::Blocked);
    assert!(!failure.detail.contains("ignore"));
}

proptest! {
    #[test]
    fn whatever_is_let_through_is_on_the_list_when_read_again(text in "(https?:)?[/\\\\]{0,3}[a-z@:.%\\[\\]0-9\u{3002}\t -]{0,30}(shop\\.example|evil\\.test)?\\PC{0,10}") {
        if let Ok(url) = shop().check_url(&text) {
            let host = url.host_str().unwrap_or_default().trim_end_matches('.').to_owned();
            let is_listed = |name: &str| host == name || host.ends_with(&format!(".{name}"));
            prop_assert!(is_listed("shop.example") || is_listed("pay.example"), "{}", url);
            prop_assert!(!url.as_str().split(['?', '#']).next().unwrap_or_default().split('/').nth(2).unwrap_or_default().contains('@'));
        }
        let _ = open_web().check_page(&text, Blank::Tolerated);
    }
}
