//! Forms of addresses, each with its verdict in four runs.

/// What the four scopes say, in the order open web, allow list, secrets, start on loopback.
///
/// `+` may be opened, `w` not the web, `a` no address, `u` user name or password, `h` no host that a name server knows,
/// `i` internal, `l` not on the list.
pub(crate) const FORMS: &[(&str, &[&str])] = &[
    ("wwww", SCHEMES),
    ("aaaa", BROKEN),
    ("hhhh", HOSTS),
    ("uuuu", USERS),
    ("iiii", INSIDE),
    ("iii+", START),
    ("+ll+", OUTSIDE),
    ("++++", SHOP),
    ("++l+", PAY),
];

#[rustfmt::skip]
const SCHEMES: &[&str] = &[
    "file:///etc/passwd", "file://localhost/etc/passwd", "FILE:///C:/x", "file:passwd", " file:///x", "data:text/html,<h1>x</h1>",
    "data:text/html;base64,PGgxPg==", "DATA:,x", "javascript:alert(1)", "JaVaScRiPt:alert(1)", "java\nscript:alert(1)",
    "java\tscript:alert(1)", "\u{1}javascript:alert(1)", "javascript://shop.example/%0aalert(1)", "vbscript:x", "livescript:x",
    "about:blank", "about:srcdoc", "about:config", "ABOUT:blank", "about:blank#https://shop.example/", "chrome://version",
    "chrome://settings", "chrome://flags", "chrome-untrusted://x/", "chrome-extension://abc/x.html", "chrome-search://x/",
    "devtools://devtools/x", "edge://settings", "view-source:https://shop.example/", "view-source:http://start.localhost:8000/",
    "blob:https://shop.example/1", "blob:null/1", "filesystem:https://shop.example/temporary/x", "ftp://shop.example/",
    "ftps://shop.example/", "sftp://shop.example/", "ws://shop.example/", "wss://shop.example/", "ssh://shop.example/",
    "telnet://shop.example/", "gopher://shop.example/", "ldap://shop.example/", "dict://shop.example:11211/", "smb://shop.example/x",
    "jar:https://shop.example!/x", "mailto:a@shop.example", "tel:1", "sms:1", "geo:0,0", "magnet:?x", "urn:x", "cid:x", "mid:x",
    "intent://shop.example#Intent;scheme=https;end", "android-app://x", "itms-services://?x", "ms-settings:x", "search-ms:x",
    "steam://x", "zoommtg://x", "unix:///run/docker.sock", "http+unix://x/", "httpss://shop.example/", "xhttps://shop.example/",
    "start.localhost:8000", "shop.example:443/", "localhost:8000/",
];

#[rustfmt::skip]
const BROKEN: &[&str] = &[
    "", " ", "\n", "/", "/x", "//shop.example/", "\\\\shop.example\\x", "shop.example", "www.shop.example/x", "127.0.0.1", "?x", "#x",
    "../x", "--help", "-s=x", "*", "http://", "https://", "http:", "https:/", "https:///", "https://?x", "https://#x", "https://:80/",
    "https://@/", "https://x@/", "https://shop.example:65536/", "https://shop.example:-1/", "https://shop.example:x/",
    "https://shop.example:8 0/", "https://shop.example:80:80/", "https://shop example/", "https://shop%20.example/",
    "https://shop.example%00/", "https://shop.example%00.evil.test/", "https://shop.example%2f.evil.test/",
    "https://shop.example%5c.evil.test/", "https://shop.example%23.evil.test/", "https://shop.example%3f.evil.test/",
    "https://shop.example%40evil.test/", "https://shop%.example/", "https://sho<p.example/", "https://shop|.example/",
    "https://shop^.example/", "https://\u{202e}shop.example/", "https://shop.exam\u{2066}ple/", "https://[::1/", "https://::1/", "https://[::g]/", "https://[fe80::1%25eth0]/",
    "https://[fe80::1%eth0]/", "https://[127.0.0.1]/", "https://[::1]x/", "http://256.1.1.1/", "http://1.2.3.4.5/", "http://0x1ffffffff/",
    "http://4294967296/", "http://127.0.0.0x100/", "http://09.0.0.1/", "http://xn--/", "http://xn--a/", "http://\u{ad}/",
];

#[rustfmt::skip]
const HOSTS: &[&str] = &[
    "http://../", "http://.../", "http://./", "http://%2e%2e/", "http://-rf/", "http://--help/", "http://a..b/", "http://.shop.example/",
    "http://shop..example/", "http://shop.example../", "http://localhost../", "http://127.0.0.1../", "http://-a.shop.example/",
    "http://a$b.example/", "http://a'b.example/", "http://a(b).example/", "http://a+b.example/", "http://a,b.example/",
    "http://a;b.example/", "http://a=b.example/", "http://a&b.example/", "http://a~b.example/", "http://a`b.example/",
    "http://a{b.example/", "http://a\"b.example/", "http://*.shop.example/", "http://a!b.example/",
];

#[rustfmt::skip]
const USERS: &[&str] = &[
    "https://shop.example@evil.test/", "https://shop.example:443@evil.test/", "https://user@shop.example/", "https://user:pw@shop.example/",
    "https://:pw@shop.example/", "https://user:@shop.example/", "https://a@b@shop.example/", "https://shop.example%2f@evil.test/",
    "https://shop.example%00@evil.test/", "https://shop.example\t@evil.test/", "https://shop.example&@evil.test#@shop.example/",
    "http://127.0.0.1@evil.test/", "http://evil.test@127.0.0.1/", "http://start.localhost@evil.test/", "http://evil.test@start.localhost:8000/",
    "https:shop.example@evil.test", "https:/shop.example@evil.test", "https:\\\\shop.example@evil.test", "https://%75ser@shop.example/",
    "https://shop.example@@evil.test/", "https://<secret:X>@shop.example/", "https://shop。example@evil.test/",
];

#[rustfmt::skip]
const INSIDE: &[&str] = &[
    "http://localhost/", "http://LOCALHOST/", "http://localhost./", "http://localhost:8000/", "https://localhost/", "http://off.localhost:8000/",
    "http://a.start.localhost:8000/", "http://xstart.localhost:8000/", "http://start.localhost.localhost/", "http://%6cocalhost/",
    "http://ｌｏｃａｌｈｏｓｔ/", "http://ⓛocalhost/", "http://loc\u{ad}alhost/", "http://loc\nalhost/", "http:\\\\localhost\\x", "http:localhost",
    "http:/localhost", "http:///localhost", "\thttp://localhost/\n", "http://127.0.0.1/", "http://127.0.0.1./", "http://127.1/", "http://127.0.1/",
    "http://127.255.255.254/", "http://0177.0.0.1/", "http://0177.1/", "http://0x7f.0.0.1/", "http://0X7F.1/", "http://0x7f000001/",
    "http://017700000001/", "http://2130706433/", "http://00000177.0x0.0.1/", "http://%31%32%37.0.0.1/", "http://127。0。0。1/", "http://127．0．0．1/",
    "http://１２７.0.0.1/", "http://①②⑦.0.0.1/", "http://0/", "http://0.0.0.0/", "http://0x0/", "http://10.0.0.1/", "http://10.1/", "http://167772161/",
    "http://012.0.0.1/", "http://172.16.0.1/", "http://172.31.255.255/", "http://192.168.0.1/", "http://192.168.1/", "http://3232235521/",
    "http://169.254.169.254/latest/meta-data/", "http://0xa9fea9fe/", "http://2852039166/", "http://169.254.43518/", "http://0251.0376.0251.0376/",
    "http://169.254.170.2/v2/credentials", "http://100.64.0.1/", "http://100.100.100.200/", "http://168.63.129.16/", "http://192.0.0.192/",
    "http://198.18.0.1/", "http://224.0.0.1/", "http://239.255.255.250/", "http://240.0.0.1/", "http://255.255.255.255/", "http://[::1]/",
    "http://[0:0:0:0:0:0:0:1]/", "http://[::]/", "http://[::127.0.0.1]/", "http://[::ffff:127.0.0.1]/", "http://[::FFFF:7F00:1]/",
    "http://[::ffff:10.0.0.1]/", "http://[::ffff:169.254.169.254]/", "http://[::ffff:0:127.0.0.1]/", "http://[64:ff9b::127.0.0.1]/",
    "http://[64:ff9b::a9fe:a9fe]/", "http://[64:ff9b:1::8.8.8.8]/", "http://[2002:7f00:1::]/", "http://[2002:a9fe:a9fe::]/", "http://[2001:0:1::1]/",
    "http://[2001::7f00:1]/", "http://[fc00::1]/", "http://[fd00:ec2::254]/", "http://[fe80::1]/", "http://[febf::1]/", "http://[fec0::1]/",
    "http://[ff02::1]/", "http://[100::1]/", "http://intranet/", "http://metadata/", "http://metadata.google.internal/computeMetadata/v1/",
    "http://instance-data.ec2.internal/", "http://printer.local/", "http://nas.lan/", "http://router.home.arpa/", "http://db.corp/",
    "http://host.docker.internal/", "http://kubernetes.default.svc.cluster.local/", "http://com/", "http://localhost?@shop.example/",
    "http://localhost#@shop.example/", "http://localhost\\@shop.example/", "http://127.0.0.1:80\\@shop.example/",
];

#[rustfmt::skip]
const START: &[&str] = &[
    "http://start.localhost:8000/", "http://start.localhost:8000/x?q=https://evil.test/#y", "http://START.localhost:8000/", "http://start.localhost.:8000/",
    "https://start.localhost/", "http://start.localhost:9000/", "http:\\\\start.localhost:8000\\x", "http:start.localhost:8000", "http://st\tart.localhost:8000/",
    "http://%73tart.localhost:8000/", "http://ｓtart.localhost:8000/", "http://start。localhost:8000/", "http://@start.localhost:8000/",
    "http://start.localhost:8000/@evil.test", "http://start.localhost:8000\\@evil.test/", "  http://start.localhost:8000/  ",
];

#[rustfmt::skip]
const OUTSIDE: &[&str] = &[
    "https://evil.test/", "https://evil.test./", "https://shop.example.evil.test/", "https://www.shop.example.evil.test/", "https://shop-example.test/",
    "https://evilshop.example/", "https://shop.example.com/", "https://sh0p.example/", "https://shоp.example/", "https://shop.еxample.test/",
    "https://xn--shp-ted.example/", "https://shop.exаmple.test/", "https://ѕhop.example/", "https://shopp.example/", "https://pay.example.evil.test/",
    "https://evil.test/https://shop.example/", "https://evil.test/?shop.example", "https://evil.test#shop.example", "https://evil.test\\shop.example",
    "https://evil.test\\.shop.example", "https:evil.test", "https:/evil.test", "https:////evil.test", "https:\\evil.test", "https://evil。test/",
    "https://evil.test:443/", "https://evil.test:8443/", "https://bücher.example/", "https://xn--bcher-kva.example/", "https://a.github.io/",
    "https://shop.co.uk/", "https://localhost.com/", "https://localhost.evil.test/", "https://start.localhost.evil.test/", "https://127.0.0.1.evil.test/",
    "https://127-0-0-1.evil.test/", "https://169.254.169.254.evil.test/", "https://metadata.google.internal.evil.test/", "https://127.0.0.1.nip.io/",
    "http://8.8.8.8/", "http://134744072/", "http://0x08080808/", "http://126.255.255.255/", "http://128.0.0.1/", "http://11.0.0.1/", "http://172.32.0.1/",
    "http://192.169.0.1/", "http://169.255.0.1/", "http://100.128.0.1/", "http://223.255.255.255/", "http://[2606:4700::1111]/", "http://[::ffff:8.8.8.8]/",
    "http://[64:ff9b::8.8.8.8]/", "http://[2002:808:808::]/", "https://a_b.example.com/",
];

#[rustfmt::skip]
const SHOP: &[&str] = &[
    "https://shop.example/", "https://www.shop.example/", "https://a.b.shop.example/", "http://shop.example:8080/", "https://SHOP.example./x",
    "https:shop.example", "https:/shop.example/x", "https:///shop.example/x", "https:\\\\shop.example\\x", "https://shop.example\\@evil.test/",
    "https://@shop.example/", "https://ｓｈｏｐ.example/", "https://shop。example/", "https://sh\nop.exa\tmple/", "https://%73hop.example/",
    "https://shop.example?@evil.test", "https://shop.example/?next=https://evil.test/", "https://shop.example/#@evil.test", "HTTPS://shop.example/a b",
];

const PAY: &[&str] = &[
    "https://pay.example/",
    "https://secure.pay.example/x",
    "https://PAY.example:8443/",
    "https:\\\\pay.example",
];

/// Ways to write the loopback host under which nobody may be visited; each reaches the server of the tests.
#[rustfmt::skip]
pub(crate) const LOOPBACK: &[&str] = &[
    "127.0.0.1", "localhost", "LOCALHOST", "localhost.", "127.1", "127.0.1", "127.0.0.1.", "0177.0.0.1", "0x7f.0.0.1", "0x7f.1", "0x7f000001", "2130706433",
    "017700000001", "%31%32%37.0.0.1", "１２７.0.0.1", "127。0。0。1", "ⓛocalhost", "loc\u{ad}alhost", "loc\talhost", "0", "0.0.0.0", "[::1]", "[0:0:0:0:0:0:0:1]",
    "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::]", "off.localhost", "OFF.localhost", "x.off.localhost", "a.start.localhost", "127.255.255.254", "start.localhost@127.0.0.1",
];

/// Addresses of a path on such a host.
pub(crate) fn addresses(host: &str, port: u16) -> [String; 3] {
    [
        format!("http://{host}:{port}/page"),
        format!("http:\\\\{host}:{port}\\page"),
        format!("\thttp:{host}:{port}/page\n"),
    ]
}

/// Every form with what a scope says of it; `scope` is its place in the verdicts.
pub(crate) fn judged(scope: usize) -> impl Iterator<Item = (&'static str, char)> {
    FORMS.iter().flat_map(move |(verdicts, forms)| {
        let verdict = verdicts.chars().nth(scope).expect("a verdict a scope");
        forms.iter().map(move |form| (*form, verdict))
    })
}
