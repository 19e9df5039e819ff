//! One table a kind of page. Each kind is tried in German, Japanese, Arabic, and in a language that nobody speaks, so that
//! no rule can rest on words alone.

use std::fmt::Write;

use webwise::page::PageType;

use super::sample::{view, view_at};

#[track_caller]
fn is(expected: PageType, url: &str, title: &str, page: &str) {
    let view = view_at(url, title, page);
    assert_eq!(view.page_type, expected, "{url} {title}: {}", view.summary);
}

const ANY: &str = "https://site.example/x";

#[test]
fn a_page_without_anything_is_blank() {
    is(PageType::Blank, "about:blank", "", "");
    is(
        PageType::Blank,
        ANY,
        "Title",
        "main @e1\n  generic @e2\n    generic @e3",
    );
    assert_ne!(view("text: Hello").page_type, PageType::Blank);
}

#[test]
fn login_pages_of_all_languages() {
    for (user, password, send) in [
        ("User name", "Password", "Sign in"),
        ("Benutzername", "Passwort", "Anmelden"),
        ("ユーザー名", "パスワード", "ログイン"),
        ("اسم المستخدم", "كلمة المرور", "تسجيل الدخول"),
    ] {
        let page = format!(
            "banner\n  link \"Logo\" @e9 url=/\nmain\n  heading \"{send}\"\n  textbox \"{user}\" @e1\n  \
             textbox \"{password}\" @e2\n  checkbox \"x\" @e3\n  button \"{send}\" @e4\n  link \"?\" @e5 url=/forgot"
        );
        is(PageType::Login, ANY, send, &page);
    }
    let unlabelled = "table\n  row\n    cell: Login\n    cell\n      textbox @e1\n  row\n    cell: Password\n    cell\n      \
                      textbox @e2\nbutton \"Login\" @e3\ngeneric: Last reward: 0.9";
    is(PageType::Login, ANY, "", unlabelled);
    let only_mail = "heading \"Weiter\"\ntextbox \"E-Mail\" @e1\nbutton \"Weiter\" @e2";
    is(
        PageType::Login,
        "https://a.example/users/sign_in",
        "",
        only_mail,
    );
}

#[test]
fn a_field_that_says_it_is_a_password_makes_a_login_in_any_language() {
    for said in ["type=password", "autocomplete=current-password"] {
        let page =
            format!("textbox \"Vosik\" @e1\ntextbox \"Trelm\" @e2 {said}\nbutton \"Fropu\" @e3");
        is(PageType::Login, ANY, "", &page);
    }
    is(
        PageType::Login,
        ANY,
        "Sign in",
        "textbox \"Vosik\" @e1 autocomplete=username\nbutton \"Fropu\" @e3",
    );
}

#[test]
fn two_boxes_and_a_button_are_no_login() {
    for page in [
        "text: Copy the text\ntextbox \"a\" @e1\ntextbox \"b\" @e2\nbutton \"Submit\" @e3",
        "textbox @e1\ntextbox @e2\nbutton \"Go\" @e3",
        "heading \"Rename\"\ntextbox \"User name\" @e1\ntextbox \"New name\" @e2\nbutton \"Save\" @e3",
    ] {
        is(PageType::Form, ANY, "", page);
    }
    // The word alone, and a path alone, make none.
    let note = "heading \"Login\"\ntextbox \"Note\" @e1\nbutton \"Save\" @e2";
    is(PageType::Form, ANY, "Login", note);
    let code = "textbox \"Voucher\" @e1\nbutton \"Ok\" @e2";
    is(PageType::Form, "https://a.example/auth/vouchers", "", code);
}

#[test]
fn signing_up_is_a_form() {
    for labels in [
        ["Name", "E-mail", "Password", "Repeat password"],
        ["Name", "E-Mail", "Passwort", "Passwort wiederholen"],
        ["名前", "メール", "パスワード", "パスワード確認"],
        ["الاسم", "البريد", "كلمة المرور", "تأكيد كلمة المرور"],
        ["Na", "Me", "Pa", "Pu"],
    ] {
        let mut page = String::from("form\n");
        for (i, label) in labels.iter().enumerate() {
            let _ = writeln!(page, "  textbox \"{label}\" @e{i}");
        }
        page.push_str("  button \"Ok\" @e9");
        is(PageType::Form, ANY, "", &page);
    }
}

#[test]
fn forms_without_words_are_known_by_their_fields() {
    let rows: String = (0..9).fold(String::new(), |mut page, i| {
        let _ = write!(
            page,
            "  row\n    cell: Feld {i}\n    cell\n      textbox @e{i}\n"
        );
        page
    });
    is(
        PageType::Form,
        ANY,
        "",
        &format!("table\n{rows}button \"Senden\" @e20"),
    );
    is(
        PageType::Form,
        ANY,
        "",
        "text: Choose\nradio \"a\" @e1\nradio \"b\" @e2\nradio \"c\" @e3\nbutton \"Submit\" @e4",
    );
    is(
        PageType::Form,
        ANY,
        "",
        "textbox @e1\nbutton \"Submit\" @e2",
    );
}

#[test]
fn search_homes_of_all_languages() {
    for word in ["Search", "Suche", "検索", "بحث", "Zupelu"] {
        let page = format!(
            "navigation\n  link \"a\" @e1 url=/a\n  link \"b\" @e2 url=/b\nsearch\n  combobox \"{word}\" @e3\n  button \"{word}\" @e4"
        );
        is(PageType::SearchHome, ANY, "", &page);
        is(
            PageType::SearchHome,
            ANY,
            "",
            &format!("searchbox \"{word}\" @e1"),
        );
    }
    is(
        PageType::SearchHome,
        ANY,
        "",
        "img \"Logo\"\ntextbox \"Suche\" @e1\nbutton \"Los\" @e2",
    );
}

fn results(field: &str, item: &str, count: usize) -> String {
    let mut page = format!("{field}\nmain\n  list\n");
    for i in 0..count {
        let _ = write!(
            page,
            "    listitem\n      link \"{item} {i}\" @e{} url=/r/{i}\n      text: {item}\n",
            100 + i
        );
    }
    page
}

#[test]
fn search_results_are_known_by_the_address_or_by_a_filled_field() {
    for word in ["Kayak", "Paddelboot", "カヤック", "قوارب", "Zupelu"] {
        let filled = format!("banner\n  searchbox \"x\" @e1: {word}");
        is(
            PageType::SearchResults,
            ANY,
            "",
            &results(&filled, word, 10),
        );
        is(
            PageType::SearchResults,
            "https://a.example/l?q=boat",
            "",
            &results("searchbox @e1", word, 10),
        );
        is(
            PageType::SearchResults,
            "https://a.example/l?q=x",
            "",
            &format!("searchbox @e1: {word}\nmain\n  text: {word} 0"),
        );
    }
    is(
        PageType::List,
        ANY,
        "",
        &results("banner\n  searchbox \"x\" @e1", "Kayak", 10),
    );
}

#[test]
fn lists_are_many_like_things() {
    is(PageType::List, ANY, "", &results("", "Artikel", 12));
    let cards = (0..8).fold(String::from("main\n  generic\n"), |mut page, i| {
        let sale = if i % 3 == 0 { "      strong: Neu\n" } else { "" };
        let _ = write!(
            page,
            "    generic\n      img \"p\"\n      link \"カヤック {i}\" @e{i} url=/p/{i}\n{sale}      text: {i}00 円\n"
        );
        page
    });
    is(PageType::List, ANY, "", &cards);
    let table = (0..20).fold(String::from("table\n  rowgroup\n"), |mut page, i| {
        let _ = write!(
            page,
            "    row\n      cell\n        checkbox @e{i}\n      cell\n        link \"{i}\" @e{} url=/i/{i}\n",
            50 + i
        );
        page
    });
    is(
        PageType::List,
        ANY,
        "",
        &format!("textbox \"Filter\" @e200\nbutton \"Go\" @e201\n{table}"),
    );
    let news = (0..6).fold(String::from("main\n"), |mut page, i| {
        let _ = write!(
            page,
            "  article\n    heading \"خبر {i}\" level=2\n    link \"اقرأ\" @e{i} url=/n/{i}\n"
        );
        page
    });
    is(PageType::List, ANY, "", &news);
}

#[test]
fn articles_are_prose() {
    for sentence in [
        "Das Boot liegt seit dem Morgen ruhig im Hafen und niemand weiß, wem es eigentlich gehört hat. ",
        "船は朝から静かに港に停泊しており、それが誰のものなのか誰も知らない。今日も風は弱く、海は穏やかである。",
        "يرسو القارب بهدوء في الميناء منذ الصباح ولا أحد يعرف من هو صاحبه الحقيقي حتى هذه اللحظة. ",
        "Vosik trelm fropu zupelu darim okelan birto senak ulomi trelm vosik fropu zupelu darim okelan birto. ",
    ] {
        let mut page = String::from("navigation\n");
        for i in 0..20 {
            let _ = writeln!(page, "  link \"Menu {i}\" @e{i} url=/m/{i}");
        }
        page.push_str("main\n  heading \"T\" level=1\n");
        for _ in 0..6 {
            let _ = writeln!(page, "  paragraph: {}", sentence.repeat(3));
        }
        page.push_str("  textbox \"Comment\" @e90\n  button \"Send\" @e91\n");
        is(PageType::Article, ANY, "T", &page);
        is(
            PageType::Article,
            ANY,
            "T",
            &format!("heading \"T\"\nparagraph: {}", sentence.repeat(4)),
        );
    }
}

#[test]
fn products_have_one_price_and_a_button() {
    for (name, price, buy) in [
        ("Kayak", "$1,299.00", "Add to cart"),
        ("Paddelboot", "1.299,00 €", "In den Warenkorb"),
        ("カヤック", "129,900円", "カートに入れる"),
        ("قارب", "٣٥٠٠ ريال", "أضف إلى السلة"),
        ("Vosik", "4 zł", "Fropu"),
    ] {
        let mut page = format!(
            "main\n  heading \"{name}\" level=1\n  img \"{name}\"\n  generic: {price}\n  spinbutton \"n\" @e1: 1\n  button \"{buy}\" @e2\n  list\n"
        );
        for i in 0..6 {
            let _ = write!(
                page,
                "    listitem\n      link \"{name} {i}\" @e{} url=/p/{i}\n      text: {price}\n",
                10 + i
            );
        }
        is(PageType::Product, ANY, name, &page);
    }
}

#[test]
fn carts_are_known_by_amounts_beside_prices_and_a_sum() {
    let mut page = String::from("main\n  heading \"Trelm\" level=1\n  table\n    rowgroup\n");
    for i in 0..3 {
        let _ = write!(
            page,
            "      row\n        cell: Boot {i}\n        cell\n          spinbutton @e{i}: 1\n        cell: {i}9,00 €\n"
        );
    }
    page.push_str("  generic: 57,00 €\n  link \"Weiter\" @e9 url=/next\n");
    is(PageType::Cart, ANY, "", &page);
    for (title, row) in [
        ("Your cart", "$4"),
        ("Warenkorb", "4 €"),
        ("買い物かご", "400円"),
        ("سلة التسوق", "٤ ريال"),
    ] {
        let one =
            format!("heading \"{title}\"\ngeneric\n  text: x\n  generic: {row}\nbutton \"ok\" @e1");
        is(PageType::Cart, ANY, title, &one);
        is(
            PageType::Cart,
            "https://a.example/cart",
            "",
            &format!("heading \"{title}\"\ntext: -"),
        );
    }
    let pay = "heading \"x\"\ntextbox \"a\" @e1\ntextbox \"b\" @e2\ntextbox \"c\" @e3\ntextbox \"d\" @e4\nbutton \"e\" @e5";
    is(
        PageType::Cart,
        "https://a.example/checkout/payment",
        "",
        pay,
    );
}

#[test]
fn error_pages_are_short_and_say_so() {
    is(
        PageType::ErrorPage,
        ANY,
        "404 Not Found",
        "heading \"404 Not Found\"\nparagraph: nginx",
    );
    for heading in [
        "404",
        "Seite nicht gefunden",
        "ページが見つかりません",
        "الصفحة غير موجودة",
        "503 Zupelu",
    ] {
        is(
            PageType::ErrorPage,
            ANY,
            "",
            &format!("heading \"{heading}\"\nlink \"Home\" @e1 url=/"),
        );
    }
    let product = "main\n  heading \"Peugeot 404\"\n  img \"car\"\n  generic: 4.000 €\n  button \"Kaufen\" @e1";
    is(PageType::Product, ANY, "Peugeot 404", product);
}

#[test]
fn an_open_dialog_is_what_the_page_is_about() {
    for (say, ok) in [
        ("Cookies?", "Accept"),
        ("Cookies?", "Alle annehmen"),
        ("同意しますか", "はい"),
        ("هل توافق", "نعم"),
    ] {
        let page = format!(
            "{}\ndialog \"{say}\"\n  button \"{ok}\" @e1",
            results("", "Boat", 9)
        );
        is(PageType::DialogBlocking, ANY, "", &page);
        assert_eq!(view(&page).behind_dialog, PageType::List);
    }
    assert_eq!(
        view("button \"Go\" @e1\ndialog").page_type,
        PageType::Unknown,
        "an empty shell of a dialog is not open"
    );
}

#[test]
fn what_is_none_of_these_is_unknown() {
    is(
        PageType::Unknown,
        ANY,
        "",
        "button \"One\" @e1\nbutton \"Two\" @e2",
    );
}
