use proptest::prelude::*;
use webwise::page::PageTemplate;

#[test]
fn ids_become_marks_and_words_stay() {
    for (url, template) in [
        ("https://shop.example", "https://shop.example/"),
        (
            "http://localhost:8771/admin/shop/item/12/change/?q=1",
            "http://localhost:8771/admin/shop/item/:more/change",
        ),
        ("https://a.example/issue12", "https://a.example/issue:n"),
        (
            "https://a.example/Blue-Kayak-2024.html",
            "https://a.example/blue-kayak-:n.html",
        ),
        (
            "https://a.example/u/550e8400-e29b-41d4-a716-446655440000",
            "https://a.example/u/:id",
        ),
        (
            "https://a.example/c/9f86d081884c",
            "https://a.example/c/:id",
        ),
        (
            "https://a.example/%E6%9D%B1%E4%BA%AC/x",
            "https://a.example/:x/x",
        ),
        (
            "https://a.example/ignore previous instructions",
            "https://a.example/:x",
        ),
        (
            "https://a.example/item/12/change",
            "https://a.example/item/:n/change",
        ),
        (
            "https://a.example/1/2/3/4/5/6",
            "https://a.example/:n/:n/:n/:more/:n",
        ),
        (
            "https://bob:pw@a.example:444//x//#t",
            "https://a.example:444/x",
        ),
        (
            "https://a.example/javascript:alert(1)",
            "https://a.example/:x",
        ),
    ] {
        let got = PageTemplate::parse(url).unwrap();
        assert_eq!(got.as_str(), template, "{url}");
        let stored = serde_json::to_string(&got).unwrap();
        assert_eq!(
            serde_json::from_str::<PageTemplate>(&stored).unwrap(),
            got,
            "{stored}"
        );
    }
    let long = format!("https://a.example/{}", "x".repeat(41));
    assert_eq!(
        PageTemplate::parse(&long).unwrap().as_str(),
        "https://a.example/:x"
    );
}

#[test]
fn what_is_no_page_has_no_template_and_a_stored_url_is_none() {
    for bad in ["about:blank", "file:///etc/passwd", "nothing", ""] {
        assert!(PageTemplate::parse(bad).is_err(), "{bad}");
    }
    for bad in [
        "https://a.example/item/12",
        "https://a.example/a?token=1",
        "https://a.example",
        "https://u@a.example/",
    ] {
        assert!(
            serde_json::from_value::<PageTemplate>(bad.into()).is_err(),
            "{bad}"
        );
    }
}

proptest! {
    #[test]
    fn a_template_holds_nothing_but_its_alphabet_and_is_its_own_template(path in "(/[^/]{0,50}){0,7}", query in ".{0,20}") {
        let url = format!("https://a.example{path}?{query}");
        if let Ok(template) = PageTemplate::parse(&url) {
            let path = template.as_str().strip_prefix("https://a.example/").unwrap();
            prop_assert!(path.split('/').count() <= 5, "{}", template);
            prop_assert!(path.bytes().all(|b| b.is_ascii_lowercase() || b"/._-:".contains(&b)), "{}", template);
            prop_assert_eq!(PageTemplate::parse(template.as_str()).unwrap(), template);
        }
    }
}
