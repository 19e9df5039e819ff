//! Links that exploration leaves out, by their words and addresses.

use std::sync::LazyLock;

use unicode_normalization::{UnicodeNormalization as _, char::is_combining_mark};
use url::Url;

use crate::{
    base::{Host, text},
    working::LeftOut,
};

/// Words that mark a link as leading to an account, to a purchase or to a change on the site. Exploration does not open a
/// link that has one of them in its text, path or query. Source: chosen.
const WORDS: &[&str] = &[
    // Words that lead to an account, or that log out.
    "login",
    "log in",
    "log on",
    "logon",
    "signin",
    "sign in",
    "sso",
    "oauth",
    "logout",
    "log out",
    "log off",
    "logoff",
    "signout",
    "sign out",
    "signup",
    "sign up",
    "register",
    "registration",
    "join",
    "account",
    "my account",
    "profile",
    "password",
    "unsubscribe",
    "anmelden",
    "anmeldung",
    "einloggen",
    "abmelden",
    "ausloggen",
    "registrieren",
    "konto",
    "mein konto",
    "connexion",
    "se connecter",
    "déconnexion",
    "se déconnecter",
    "inscription",
    "s inscrire",
    "compte",
    "mon compte",
    "iniciar sesión",
    "iniciar sesion",
    "acceder",
    "cerrar sesión",
    "cerrar sesion",
    "salir",
    "registrarse",
    "cuenta",
    "mi cuenta",
    "entrar",
    "sair",
    "terminar sessão",
    "cadastre se",
    "conta",
    "minha conta",
    "accedi",
    "esci",
    "registrati",
    "inloggen",
    "uitloggen",
    "registreren",
    "logga in",
    "logga ut",
    "zaloguj",
    "wyloguj",
    "zarejestruj",
    "giriş",
    "çıkış",
    "üye ol",
    "hesabım",
    "войти",
    "вход",
    "выйти",
    "выход",
    "регистрация",
    "аккаунт",
    "личный кабинет",
    "увійти",
    "вийти",
    "تسجيل الدخول",
    "تسجيل الخروج",
    "خروج",
    "حسابي",
    "ورود",
    "ログイン",
    "ログアウト",
    "新規登録",
    "会員登録",
    "マイページ",
    "アカウント",
    "登录",
    "登錄",
    "退出",
    "登出",
    "注册",
    "註冊",
    "账户",
    "我的账户",
    "로그인",
    "로그아웃",
    "회원가입",
    "내 계정",
    "odhlásit",
    "přihlásit",
    "log ud",
    "log ind",
    "logg ut",
    "kirjaudu",
    "αποσύνδεση",
    "σύνδεση",
    "התנתקות",
    "התחברות",
    "đăng xuất",
    "đăng nhập",
    "लॉग आउट",
    "लॉग इन",
    "keluar",
    "masuk",
    "ออกจากระบบ",
    "เข้าสู่ระบบ",
    "user logout",
    "loeschen",
    // Words that lead to a purchase.
    "cart",
    "add to cart",
    "basket",
    "checkout",
    "check out",
    "buy",
    "buy now",
    "order",
    "pay",
    "payment",
    "subscribe",
    "donate",
    "warenkorb",
    "einkaufswagen",
    "kasse",
    "kaufen",
    "bestellen",
    "panier",
    "acheter",
    "commander",
    "paiement",
    "carrito",
    "cesta",
    "comprar",
    "pagar",
    "pago",
    "carrinho",
    "carrello",
    "acquista",
    "winkelwagen",
    "kopen",
    "varukorg",
    "koszyk",
    "kup",
    "sepet",
    "satın al",
    "корзина",
    "купить",
    "оформить заказ",
    "оплата",
    "кошик",
    "سلة",
    "اشتر",
    "شراء",
    "カート",
    "購入",
    "注文",
    "买",
    "购买",
    "购物车",
    "購物車",
    "结账",
    "結帳",
    "장바구니",
    "구매",
    "결제",
    // Words that lead to a change.
    "delete",
    "remove",
    "destroy",
    "erase",
    "cancel",
    "undo",
    "revoke",
    "approve",
    "reject",
    "confirm",
    "send",
    "publish",
    "vote",
    "reset",
    "retire",
    "löschen",
    "entfernen",
    "stornieren",
    "abbrechen",
    "senden",
    "supprimer",
    "annuler",
    "envoyer",
    "eliminar",
    "borrar",
    "cancelar",
    "enviar",
    "excluir",
    "remover",
    "elimina",
    "annulla",
    "invia",
    "verwijderen",
    "annuleren",
    "ta bort",
    "usuń",
    "anuluj",
    "sil",
    "kaldır",
    "iptal",
    "удалить",
    "отменить",
    "отправить",
    "видалити",
    "حذف",
    "إلغاء",
    "إرسال",
    "削除",
    "取消",
    "キャンセル",
    "送信",
    "删除",
    "刪除",
    "提交",
    "삭제",
    "취소",
    "보내기",
];

/// Names of query parameters, or words in such names, that ask the server for an action instead of a page. They are
/// compared as whole words.
const ACTION_KEYS: &[&str] = &[
    "action", "do", "cmd", "op", "delete", "remove", "logout", "add", "vote", "export",
];

/// File name endings of addresses that lead to files, not to pages.
const FILES: &[&str] = &[
    "pdf", "zip", "gz", "tar", "7z", "rar", "exe", "dmg", "msi", "deb", "rpm", "apk", "iso", "csv",
    "tsv", "xls", "xlsx", "doc", "docx", "ppt", "pptx", "odt", "ods", "epub", "png", "jpg", "jpeg",
    "gif", "svg", "webp", "ico", "mp3", "mp4", "webm", "ogg", "wav", "mov", "avi", "json", "xml",
    "rss", "atom", "ics", "txt", "css", "js",
];

/// Returns the reason why a link is not opened; `None` if it may be opened.
///
/// `words` are the link's own words. `home` is the host that is explored.
pub(super) fn left_out(url: &Url, words: &str, home: &Host) -> Option<LeftOut> {
    if Host::of(url).ok().as_ref() != Some(home) {
        return Some(LeftOut::OtherHost);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Some(LeftOut::Excluded);
    }
    let segments: Vec<String> = url
        .path_segments()
        .into_iter()
        .flatten()
        .map(decoded)
        .collect();
    let ending = segments.last().and_then(|last| last.rsplit_once('.'));
    if ending.is_some_and(|(_, ending)| FILES.contains(&&*text::fold(ending))) {
        return Some(LeftOut::File);
    }
    let query: Vec<String> = url
        .query_pairs()
        .flat_map(|(key, value)| [key.into_owned(), value.into_owned()])
        .collect();
    let keys = query.iter().step_by(2);
    let mut key_words = keys.flat_map(|key| text::words(key));
    if key_words.any(|word| ACTION_KEYS.contains(&&*word)) {
        return Some(LeftOut::Action);
    }
    let mut texts = segments.iter().chain(&query);
    let is_excluded = has_excluded(words) || texts.any(|text| has_excluded(text));
    is_excluded.then_some(LeftOut::Excluded)
}

/// Returns true if the text contains one of the [`WORDS`], compared as whole words. `doLogout` counts as two words.
/// Accents are ignored, because addresses often leave them out.
fn has_excluded(of: &str) -> bool {
    static PHRASES: LazyLock<Vec<String>> =
        LazyLock::new(|| WORDS.iter().map(|words| spaced(words)).collect());
    let of = spaced(of);
    PHRASES.iter().any(|phrase| of.contains(phrase.as_str()))
}

/// Returns the words of a text without accents, with a space on both sides of each.
fn spaced(of: &str) -> String {
    let mut divided = String::with_capacity(of.len());
    let mut before = ' ';
    for c in of.chars() {
        if c.is_uppercase() && before.is_lowercase() {
            divided.push(' ');
        }
        divided.push(c);
        before = c;
    }
    let bare: String = divided
        .nfd()
        .filter(|c| !is_combining_mark(*c))
        .collect::<String>()
        .to_lowercase()
        .nfd()
        .filter(|c| !is_combining_mark(*c))
        .nfc()
        .collect();
    format!(" {} ", text::words(&bare).join(" "))
}

fn decoded(segment: &str) -> String {
    // A pair without `=` becomes a key without a value. The parser would read `+` as a space, as in the query of a
    // form, so `+` is escaped first.
    let plus = segment.replace('+', "%2B");
    let pairs = url::form_urlencoded::parse(plus.as_bytes());
    let words: Vec<String> = pairs
        .map(|(key, value)| format!("{key} {value}").trim_end().to_owned())
        .collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(url: &str, words: &str) -> Option<LeftOut> {
        let url = Url::parse(url).unwrap();
        left_out(&url, words, &Host::of_domain("shop.example").unwrap())
    }

    #[test]
    fn links_that_may_do_something_are_left_out_in_any_language() {
        for (url, words) in [
            ("https://shop.example/logout", ""),
            ("https://shop.example/logout&next=1", "Next"),
            ("https://shop.example/x", "Log out"),
            ("https://shop.example/de/warenkorb", "12 Artikel"),
            ("https://shop.example/a", "Mi cuenta"),
            ("https://shop.example/item/3/delete/", "x"),
            ("https://shop.example/a", "ログイン"),
            ("https://shop.example/a", "تسجيل الخروج"),
            ("https://shop.example/a", "删除"),
            ("https://shop.example/%D0%B2%D1%8B%D0%B9%D1%82%D0%B8", ""),
            ("https://u:p@shop.example/a", "Boats"),
            ("https://shop.example/ucp.php?mode=logout", ""),
            ("https://shop.example/index.php?route=account/logout", ""),
            ("https://shop.example/doLogout", ""),
            ("https://shop.example/deleteUser/5", ""),
            ("https://shop.example/Special:UserLogout", ""),
            ("https://shop.example/deconnexion", ""),
            ("https://shop.example/a", "İptal et"),
            ("https://shop.example/a", "Đăng xuất"),
        ] {
            assert_eq!(why(url, words), Some(LeftOut::Excluded), "{url} {words}");
        }
        for url in [
            "https://shop.example/issue?@action=logout",
            "https://shop.example/a?do=remove&id=3",
        ] {
            assert_eq!(why(url, "a"), Some(LeftOut::Action), "{url}");
        }
    }

    #[test]
    fn files_and_other_hosts_are_left_out_and_plain_pages_are_not() {
        assert_eq!(
            why("https://shop.example/price-list.PDF", ""),
            Some(LeftOut::File)
        );
        for url in [
            "https://blog.shop.example/",
            "http://shop.example/",
            "https://shop.example:8443/",
        ] {
            assert_eq!(why(url, "Boats"), Some(LeftOut::OtherHost), "{url}");
        }
        for (url, words) in [
            ("https://shop.example/boats?page=2", "Next page"),
            (
                "https://shop.example/cartography",
                "Cartography of Descartes",
            ),
            ("https://shop.example/opening-hours", "Opening hours"),
            ("https://shop.example/v1.2", "Release 1.2"),
        ] {
            assert_eq!(why(url, words), None, "{url} {words}");
        }
    }
}
