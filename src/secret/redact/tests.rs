//! Tests that secret values are found in every encoding, and that texts without secret values do not change.

use std::fmt::Write as _;

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD},
};
use proptest::prelude::*;
use serde_json::json;
use unicode_normalization::UnicodeNormalization as _;

use super::*;
use crate::page::{Node, Role};

fn redactor(values: &[&str]) -> Redactor {
    let names: Vec<_> = (0..values.len())
        .map(|i| SecretName::parse(format!("S{i}")).unwrap())
        .collect();
    let secrets: Vec<_> = values.iter().map(|v| Secret::new(*v)).collect();
    Redactor::new(names.iter().zip(&secrets))
}

/// Returns 50 values for secrets: values that people use, values that are hard to escape, and generated values.
fn canaries() -> Vec<String> {
    let mut out: Vec<String> = [
        "hunter2!",
        "correct horse battery staple",
        "Tr0ub4dor&3",
        "p\"a\"s\"s\"w",
        "it's o'clock",
        "back\\slash\\n",
        "100%25 sure",
        "50%50%50",
        "a+b+c+d+e",
        "line one\nline two",
        "tab\tand\rreturn",
        "<b>&amp;</b>",
        "&quot;quoted&quot;",
        "^(a|b)*[c-d]+$",
        "....****....1a",
        "${jndi:ldap}",
        "{\"json\": 1}",
        "Größe-Äpfel-ß",
        "пароль-секрет",
        "密码是一二三四五",
        "パスワード日本語",
        "😀🔑😀🔑😀🔑",
        "é\u{301}combining",
        "4111 1111 1111 1111",
        "123-45-6789",
        "sk-proj-AbC_dEf-0123456789",
        "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
        "AKIA+IOSFODNN7/EXAMPLE=",
        "==padding==",
        "//////",
        "      leading and trailing      ",
        "secret",
        "SECRET:NAME",
        "<secret:S1>x",
        "undefined",
        "e12e13e14",
        "https://user:pw@host/?q=1#f",
        "\u{202e}override\u{202c}",
        "zero\u{200b}width\u{200b}space",
        "İstanbul-ıIiİ",
        "0x68756e74",
        "aaaaaa",
        "      x1y2z3",
    ]
    .map(str::to_owned)
    .into();
    // The generator is written here, so that every run tests the same values.
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    while out.len() < 50 {
        let mut value = String::new();
        for _ in 0..16 {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            value.push(char::from(b'!' + u8::try_from((seed >> 33) % 94).unwrap()));
        }
        out.push(value);
    }
    out
}

fn percent(text: &str, plain: impl Fn(u8) -> bool, upper: bool) -> String {
    text.bytes().fold(String::new(), |mut out, b| {
        match (plain(b), upper) {
            (true, _) => out.push(char::from(b)),
            (_, true) => write!(out, "%{b:02X}").unwrap(),
            (_, false) => write!(out, "%{b:02x}").unwrap(),
        }
        out
    })
}

fn each(text: &str, form: impl Fn(char) -> String) -> String {
    text.chars().map(form).collect()
}

fn named_entities(text: &str) -> String {
    each(text, |c| match c {
        '&' => "&amp;".into(),
        '<' => "&lt;".into(),
        '>' => "&gt;".into(),
        '"' => "&quot;".into(),
        '\'' => "&apos;".into(),
        '\u{a0}' => "&nbsp;".into(),
        'é' => "&eacute;".into(),
        c => c.into(),
    })
}

fn ascii_json(text: &str) -> String {
    text.encode_utf16()
        .fold(String::new(), |s, unit| s + &format!("\\u{unit:04x}"))
}

fn each_byte(text: &str, form: impl Fn(u8) -> String) -> String {
    text.bytes().fold(String::new(), |out, b| out + &form(b))
}

fn hex(text: &str) -> String {
    each_byte(text, |b| format!("{b:02x}"))
}

fn unreserved(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b"-_.~".contains(&b)
}

fn form_encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

fn unquoted(quoted: &str) -> String {
    quoted[1..quoted.len() - 1].to_owned()
}

fn json_string(text: &str) -> String {
    unquoted(&json!(text).to_string())
}

/// Returns the text in UTF-16.
fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(bytes).collect()
}

fn hex_of(bytes: &[u8]) -> String {
    bytes
        .iter()
        .fold(String::new(), |out, b| out + &format!("{b:02x}"))
}

/// Returns the bytes as base32 with padding, by the table of RFC 4648.
fn base32(bytes: &[u8]) -> String {
    let mut bits = bytes
        .iter()
        .fold(String::new(), |out, b| out + &format!("{b:08b}"));
    while !bits.len().is_multiple_of(5) {
        bits.push('0');
    }
    let digit = |at: usize| usize::from_str_radix(&bits[at..at + 5], 2).unwrap();
    let mut out: String = (0..bits.len())
        .step_by(5)
        .map(|at| char::from(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[digit(at)]))
        .collect();
    while !out.len().is_multiple_of(8) {
        out.push('=');
    }
    out
}

/// Returns the text as quoted-printable in which lines have this length. Bytes for which `plain` is true stay as they are.
fn quoted(text: &str, line: usize, plain: impl Fn(u8) -> bool) -> String {
    let mut out = String::new();
    let mut column = 0;
    for b in text.bytes() {
        let piece = if plain(b) {
            char::from(b).to_string()
        } else {
            format!("={b:02X}")
        };
        if column + piece.len() > line {
            out.push_str("=\r\n");
            column = 0;
        }
        column += piece.len();
        out.push_str(&piece);
    }
    out
}

fn is_quoted_plain(b: u8) -> bool {
    (b == b' ' || b.is_ascii_graphic()) && b != b'='
}

fn full_width(text: &str) -> String {
    each(text, |c| {
        let wide = ('!'..='~').contains(&c).then(|| u32::from(c) + 0xfee0);
        wide.and_then(char::from_u32).unwrap_or(c).into()
    })
}

type Encode = fn(&str) -> String;

/// Returns the encodings in which a page may write a value, each with its name.
fn encodings() -> Vec<(&'static str, Encode)> {
    vec![
        ("raw", |v| v.to_owned()),
        ("json", json_string),
        ("json ascii", ascii_json),
        ("json twice", |v| json_string(&json_string(v))),
        ("debug", |v| unquoted(&format!("{v:?}"))),
        ("url upper", |v| percent(v, unreserved, true)),
        ("url lower", |v| percent(v, unreserved, false)),
        ("url all", |v| percent(v, |_| false, true)),
        ("url minimal", |v| {
            percent(v, |b| b.is_ascii() && !b"%& #+".contains(&b), false)
        }),
        ("url form", form_encoded),
        ("url twice", |v| {
            percent(&percent(v, unreserved, true), unreserved, true)
        }),
        ("html named", named_entities),
        ("html decimal", |v| {
            each(v, |c| format!("&#{};", u32::from(c)))
        }),
        ("html hex", |v| {
            each(v, |c| format!("&#x{:X};", u32::from(c)))
        }),
        ("html hex lower, padded", |v| {
            each(v, |c| format!("&#x{:06x};", u32::from(c)))
        }),
        ("html twice", |v| named_entities(&named_entities(v))),
        ("url in html in json", |v| {
            json_string(&named_entities(&percent(v, unreserved, true)))
        }),
        ("base64", |v| STANDARD.encode(v)),
        ("base64 no pad", |v| STANDARD_NO_PAD.encode(v)),
        ("base64 url", |v| URL_SAFE.encode(v)),
        ("base64 url no pad", |v| URL_SAFE_NO_PAD.encode(v)),
        ("base64 at 1", |v| STANDARD.encode(format!("u{v}x"))),
        ("base64 at 2", |v| STANDARD.encode(format!("u:{v}"))),
        ("base64 url at 1", |v| {
            URL_SAFE_NO_PAD.encode(format!("user{v}"))
        }),
        ("base64 url at 2", |v| {
            URL_SAFE_NO_PAD.encode(format!("us{v}xy"))
        }),
        ("base64 in url", |v| {
            percent(&STANDARD.encode(v), unreserved, true)
        }),
        ("base64 wrapped", |v| {
            each(&STANDARD.encode(v), |c| format!("{c}\r\n"))
        }),
        ("hex lower", hex),
        ("hex upper", |v| hex(v).to_uppercase()),
        ("hex spaced", |v| each_byte(v, |b| format!("{b:02X} "))),
        ("hex colons", |v| each_byte(v, |b| format!("{b:02x}:"))),
        ("backslash x", |v| each_byte(v, |b| format!("\\x{b:02x}"))),
        ("upper case", |v| {
            if v.to_uppercase().to_lowercase() == v.to_lowercase() {
                v.to_uppercase()
            } else {
                v.to_owned()
            }
        }),
        ("lower case", str::to_lowercase),
        ("reversed", |v| v.chars().rev().collect()),
        ("utf-16 le hex", |v| hex_of(&utf16(v, u16::to_le_bytes))),
        ("utf-16 be hex upper", |v| {
            hex_of(&utf16(v, u16::to_be_bytes)).to_uppercase()
        }),
        ("utf-16 le base64", |v| {
            STANDARD.encode(utf16(v, u16::to_le_bytes))
        }),
        ("utf-16 be base64 url", |v| {
            URL_SAFE_NO_PAD.encode(utf16(v, u16::to_be_bytes))
        }),
        ("utf-16 le base64 at 2", |v| {
            STANDARD.encode(utf16(&format!("u{v}x"), u16::to_le_bytes))
        }),
        ("utf-16 be base64 at 1", |v| {
            URL_SAFE.encode(utf16(&format!("us{v}"), u16::to_be_bytes))
        }),
        ("base32", |v| base32(v.as_bytes())),
        ("base32 lower, no pad", |v| {
            base32(v.as_bytes()).trim_end_matches('=').to_lowercase()
        }),
        ("base32 at 1", |v| base32(format!("u{v}x").as_bytes())),
        ("base32 at 2", |v| base32(format!("u:{v}").as_bytes())),
        ("base32 at 3", |v| base32(format!("use{v}xy").as_bytes())),
        ("base32 at 4", |v| base32(format!("user{v}").as_bytes())),
        ("base32 in groups", |v| {
            each(&base32(v.as_bytes()), |c| format!("{c} "))
        }),
        ("quoted-printable", |v| quoted(v, 76, is_quoted_plain)),
        ("quoted-printable in short lines", |v| {
            quoted(v, 5, is_quoted_plain)
        }),
        ("quoted-printable all", |v| quoted(v, 30, |_| false)),
        ("quoted-printable in json", |v| {
            json_string(&quoted(v, 8, is_quoted_plain))
        }),
        ("full-width", full_width),
        ("full-width in html", |v| {
            each(&full_width(v), |c| format!("&#{};", u32::from(c)))
        }),
        ("decomposed", |v| v.nfd().collect()),
    ]
}

/// Returns encodings that put separators between the letters of a value, each with its name. They are for values that
/// have enough letters.
fn spacings() -> Vec<(&'static str, Encode)> {
    vec![
        ("spaced", |v| each(v, |c| format!("{c} "))),
        ("dashes", |v| each(v, |c| format!("{c}-"))),
        ("dots and blanks", |v| each(v, |c| format!("{c} . "))),
        ("no-break", |v| each(v, |c| format!("{c}\u{a0}"))),
        ("zero width", |v| each(v, |c| format!("{c}\u{200b}"))),
        ("comma list", |v| each(v, |c| format!("'{c}', "))),
        ("spaced entities", |v| {
            each(v, |c| format!("&#{};&nbsp;", u32::from(c)))
        }),
        ("stripped", |v| {
            v.chars()
                .filter(|c| !c.is_whitespace() && !"-_.".contains(*c))
                .collect()
        }),
    ]
}

fn letters(value: &str) -> usize {
    value
        .chars()
        .filter(|c| c.is_alphanumeric() || !c.is_ascii())
        .count()
}

#[test]
fn fifty_canaries_are_found_in_every_encoding_and_nothing_of_them_stays() {
    let canaries = canaries();
    assert_eq!(canaries.len(), 50);
    let mut checked = 0;
    for value in &canaries {
        let redactor = redactor(&[value]);
        let spaced = spacings().into_iter().filter(|_| letters(value) >= 8);
        for (name, encode) in encodings().into_iter().chain(spaced) {
            let coded = encode(value);
            for (before, after) in [("", ""), ("# ", " #"), ("(", ")"), ("<p title=\"", "\">")] {
                let text = format!("{before}{coded}{after}");
                let clean = redactor.text(&text);
                assert!(
                    redactor.contains(&text),
                    "{name} of {value:?} not seen in {text}"
                );
                assert!(
                    clean.contains("<secret:S0>"),
                    "{name} of {value:?} not replaced in {text}"
                );
                assert!(
                    clean.starts_with(before.trim_end()) && clean.ends_with(after.trim_start()),
                    "{name}: {clean}"
                );
                assert!(
                    !redactor.contains(&clean),
                    "{name} of {value:?} still in {clean}"
                );
                checked += 1;
            }
        }
    }
    assert!(checked > 50 * 8 * 4, "{checked}");
}

#[test]
fn a_replaced_form_leaves_no_characters_of_the_value_behind() {
    let redactor = redactor(&["hunter2!"]);
    for (name, encode) in encodings() {
        if !name.contains("at ") {
            assert_eq!(
                redactor
                    .text(&encode("hunter2!"))
                    .trim_end_matches([':', ' ', '\r', '\n']),
                "<secret:S0>",
                "{name}"
            );
        }
    }
    assert_eq!(redactor.text("a=h-u-n-t-e-r-2-! b"), "a=<secret:S0> b");
}

#[test]
fn a_pin_is_replaced_where_a_value_stands_and_nowhere_else() {
    let redactor = redactor(&["1234"]);
    for (text, clean) in [
        ("1234", "<secret:S0>"),
        (" 1234\n", " <secret:S0>\n"),
        (
            "textbox \"Pin\" [ref=e1234]: 1234",
            "textbox \"Pin\" [ref=e1234]: <secret:S0>",
        ),
        ("fill('e1234', '1234')", "fill('e1234', '<secret:S0>')"),
        (
            r#"{"pin":1234,"id":12345}"#,
            r#"{"pin":<secret:S0>,"id":12345}"#,
        ),
        (r#"{\"pin\":\"1234\"}"#, r#"{\"pin\":\"<secret:S0>\"}"#),
        ("/login?pin=1234&next=1", "/login?pin=<secret:S0>&next=1"),
        ("pin=%31%32%33%34", "pin=<secret:S0>"),
        ("/login?pin=1234#top", "/login?pin=<secret:S0>#top"),
        ("value=&quot;1234&quot;", "value=&quot;<secret:S0>&quot;"),
        ("&#49;&#50;&#51;&#52;", "<secret:S0>"),
        ("token: MTIzNA==", "token: <secret:S0>"),
        ("token=MTIzNA", "token=<secret:S0>"),
        ("hex: 31323334", "hex: <secret:S0>"),
        ("pin: 1 2 3 4", "pin: <secret:S0>"),
    ] {
        assert_eq!(redactor.text(text), clean, "{text}");
    }
    for text in [
        "e1234",
        "f1e1234",
        "Room 1234",
        "http://localhost:1234/",
        "12345",
        "[ref=e1234]",
        "$1234.00",
        "10:1234",
        "",
    ] {
        assert_eq!(redactor.text(text), text);
        assert!(!redactor.contains(text), "{text}");
    }
    assert_eq!(redactor.too_short().len(), 1);
}

#[test]
fn of_overlapping_secrets_the_longest_wins_and_no_rest_stays() {
    let nested = redactor(&["hunter2", "hunter2-extra", "nter2-ex"]);
    assert_eq!(
        nested.text("x hunter2-extra y hunter2 z"),
        "x <secret:S1> y <secret:S0> z"
    );
    let crossing = redactor(&["abcdefgh", "efghijklm"]);
    assert_eq!(crossing.text("-abcdefghijklm-"), "-<secret:S1>-");
    let equal = redactor(&["samesame", "samesame"]);
    assert_eq!(equal.text("samesame"), "<secret:S0>");
}

#[test]
fn redacting_twice_is_redacting_once_even_if_a_value_looks_like_a_placeholder() {
    for value in ["secret", "secret:S0", "password", "S0S0S0"] {
        let redactor = redactor(&[value]);
        let once = redactor.text(&format!("a {value} b \"{value}\""));
        assert_eq!(once, "a <secret:S0> b \"<secret:S0>\"", "{value}");
        assert_eq!(redactor.text(&once), once, "{value}");
    }
}

#[test]
fn a_value_that_was_cut_off_is_replaced_up_to_the_cut() {
    let redactor = redactor(&["correct horse battery"]);
    assert_eq!(
        redactor.text("typed Correct horse b…"),
        "typed <secret:S0>…"
    );
    assert_eq!(redactor.text("corr…"), "corr…");
    assert_eq!(
        redactor.text("correct…, incorrect…"),
        "<secret:S0>…, in<secret:S0>…"
    );
    // The minimum is counted in characters, not in bytes.
    let redactor = self::redactor(&["正确的马电池钉书"]);
    assert_eq!(redactor.text("正确的马电…"), "正确的马电…");
    assert_eq!(redactor.text("正确的马电池…"), "<secret:S0>…");
}

#[test]
fn json_is_redacted_in_strings_keys_and_whole_numbers() {
    let redactor = redactor(&["hunter2", "4111111111111111", "42"]);
    let mut value = json!({
        "hunter2": ["x HUNTER2", { "k": "42" }],
        "card": 4_111_111_111_111_111_u64,
        "count": 42,
        "other": null,
    });
    redactor.json(&mut value);
    assert_eq!(
        value,
        json!({
            "<secret:S0>": ["x <secret:S0>", { "k": "<secret:S2>" }],
            "card": "<secret:S1>",
            "count": 42,
            "other": null,
        })
    );
}

#[test]
fn bytes_that_are_no_text_keep_their_rest() {
    let redactor = redactor(&["hunter2"]);
    assert_eq!(
        redactor.bytes(b"\xff\x00hunter2\xfe"),
        b"\xff\x00<secret:S0>\xfe"
    );
    assert_eq!(redactor.bytes(b"\xff\x00\xfe"), b"\xff\x00\xfe");
}

#[test]
fn latin_1_in_a_url_is_the_same_letter() {
    assert_eq!(
        redactor(&["Größe123"]).text("q=Gr%F6%DFe123&x"),
        "q=<secret:S0>&x"
    );
}

#[test]
fn a_tree_is_redacted_in_every_text_and_keeps_its_references() {
    let mut b = Tree::builder();
    let reference = crate::page::ElementRef::parse("e1234").unwrap();
    b.open(
        Node::new(Role::TextBox, "Pin")
            .with_ref(reference)
            .with_value("1234"),
    );
    let mut link = Node::new(Role::Link, "as Hunter2");
    link.url = Some("/x?p=hunter2".into());
    b.leaf(link);
    b.close();
    let tree = redactor(&["1234", "hunter2"]).tree(&b.finish());
    assert_eq!(tree.by_ref("e1234"), tree.roots().next());
    assert_eq!(tree.nodes()[0].value.as_deref(), Some("<secret:S0>"));
    assert_eq!(&*tree.nodes()[1].name, "as <secret:S1>");
    assert_eq!(tree.nodes()[1].url.as_deref(), Some("/x?p=<secret:S1>"));
}

#[test]
fn without_secrets_there_is_nothing_to_do() {
    let empty = Redactor::default();
    assert!(empty.is_empty() && redactor(&["", "  "]).is_empty() && !redactor(&["x"]).is_empty());
    assert_eq!(empty.text("hunter2"), "hunter2");
    assert!(!empty.contains("hunter2"));
}

#[test]
fn debug_tells_counts_only() {
    assert_eq!(
        format!("{:?}", redactor(&["hunter2", "1234"])),
        "Redactor(2 secrets, 1 of them short)"
    );
}

#[test]
fn a_secret_that_is_short_once_its_own_escapes_are_undone_is_found_escaped() {
    for (value, text) in [
        (r"0&x\[y", r"0&amp;x\[y"),
        (r"\!\!\!", r"\\!\\!\\!"),
        ("0&\u{11180}\\[®", "0&amp;\u{11180}\\[®"),
    ] {
        assert_eq!(redactor(&[value]).text(text), "<secret:S0>", "{value}");
    }
}

proptest! {
    #[test]
    fn a_text_without_secrets_comes_back_as_it_was(text in "[a-mA-M0-9 %&;#=\"'\\\\/<>{}\\n.:+éß密😀\u{200b}-]{0,200}") {
        // The texts contain none of the letters of the values.
        let redactor = redactor(&["nopqrst-uvwxyz", "zyxwvuts", "nopq"]);
        prop_assert_eq!(redactor.text(&text), text.clone());
        prop_assert!(!redactor.contains(&text));
    }

    #[test]
    fn any_text_with_any_value_in_it_loses_it_and_nothing_panics(
        value in "\\PC{6,24}",
        before in "\\PC{0,30}",
        after in "\\PC{0,30}",
        encoding in 0..encodings().len(),
    ) {
        prop_assume!(value.trim().chars().count() >= 6);
        let redactor = redactor(&[&value]);
        // The spaces keep the surrounding text from completing an escape.
        let text = format!("{before} {} {after}", encodings()[encoding].1(&value));
        let clean = redactor.text(&text);
        prop_assert!(clean.contains("<secret:S0>"), "{} -> {}", text, clean);
        prop_assert_eq!(redactor.text(&clean), clean);
    }

    #[test]
    fn any_bytes_can_be_redacted(bytes in proptest::collection::vec(any::<u8>(), 0..300), value in "\\PC{1,12}") {
        let redactor = redactor(&[&value]);
        let clean = redactor.bytes(&bytes);
        prop_assert!(clean.len() + 300 >= bytes.len());
        let text = String::from_utf8_lossy(&bytes);
        let _ = redactor.text(&text);
    }
}

#[test]
fn a_selected_text_is_redacted() {
    let seen = Observation::new("https://a.test/", "A", Tree::default());
    let seen = seen.with_selected("your word is hunter2! now");
    let clean = redactor(&["hunter2!"]).observation(seen);
    assert_eq!(clean.selected, "your word is <secret:S0> now");
}
