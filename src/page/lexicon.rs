//! The few words that help to tell page types apart, in the languages used most on the web.
//!
//! Words only help to decide: every type of page has a rule that works without them.

use std::sync::LazyLock;

use crate::base::text;

/// A set of words and phrases, which are compared with a text word by word. Case is ignored.
pub(crate) struct Phrases(LazyLock<Vec<String>>);

impl Phrases {
    /// Returns true if the text contains one of the phrases as whole words.
    pub(crate) fn are_in(&self, text: &str) -> bool {
        let text = spaced(text);
        self.0.iter().any(|phrase| text.contains(phrase.as_str()))
    }

    /// Returns true if the whole text is one of the phrases.
    pub(crate) fn are_all_of(&self, text: &str) -> bool {
        self.0.contains(&spaced(text))
    }
}

/// Returns the words of a text in one line, with a space before and after each word.
fn spaced(text: &str) -> String {
    format!(" {} ", text::words(text).join(" "))
}

macro_rules! phrases {
    ($($(#[$doc:meta])* $name:ident = $words:literal;)*) => {
        $($(#[$doc])* pub(crate) static $name: Phrases =
            Phrases(LazyLock::new(|| $words.split('|').map(spaced).collect()));)*
    };
}

phrases! {
    /// Words in the label of a password field.
    PASSWORD = "password|passphrase|passcode|passwort|kennwort|mot de passe|contraseña|senha|palavra passe|wachtwoord|\
        lösenord|passord|adgangskode|salasana|hasło|heslo|jelszó|parola|şifre|пароль|κωδικός|סיסמה|كلمة المرور|\
        كلمة السر|گذرواژه|पासवर्ड|รหัสผ่าน|mật khẩu|kata sandi|パスワード|暗証番号|密码|密碼|비밀번호";
    /// Words in the heading of a request to log in.
    LOGIN = "log in|login|log on|log into|sign in|sign into|signin|ingresar|s identifier|aanmelden|acessar|entra|anmelden|anmeldung|einloggen|connexion|se connecter|identifiez vous|\
        iniciar sesión|inicia sesión|acceder|entrar|iniciar sessão|accedi|inloggen|logga in|logg inn|log ind|kirjaudu|\
        zaloguj|přihlásit|bejelentkezés|giriş yap|oturum aç|войти|вход|увійти|σύνδεση|התחברות|تسجيل الدخول|ورود|\
        เข้าสู่ระบบ|đăng nhập|masuk|ログイン|サインイン|登录|登錄|登入|로그인";
    /// Words in the label of a field that asks for a user name, an email address or a phone number.
    USER = "user|username|user name|user id|email|e mail|mail|account|phone|phone number|mobile|benutzer|benutzername|\
        nutzername|konto|identifiant|utilisateur|courriel|usuario|correo|usuário|utente|gebruikersnaam|användarnamn|\
        użytkownik|пользователь|логин|почта|ユーザー名|ユーザー|メール|用户名|用戶名|邮箱|账号|帳號|아이디|이메일|اسم المستخدم|البريد";
    /// Words in the label of a search field or of its button.
    SEARCH = "search|suche|suchen|durchsuchen|buscar|búsqueda|recherche|rechercher|cerca|ricerca|pesquisar|pesquisa|zoeken|sök|søk|\
        søg|hae|szukaj|hledat|keresés|ara|поиск|найти|пошук|αναζήτηση|חיפוש|بحث|ابحث|البحث|جستجو|खोजें|ค้นหา|\
        tìm kiếm|cari|検索|搜索|搜尋|搜寻|검색";
    /// Words in the heading of a cart or a checkout.
    CART = "cart|basket|shopping bag|checkout|check out|warenkorb|einkaufswagen|kasse|panier|carrito|cesta|carrinho|\
        carrello|winkelwagen|winkelmand|varukorg|handlekurv|indkøbskurv|ostoskori|koszyk|košík|kosár|sepet|sepetim|\
        корзина|кошик|καλάθι|עגלה|סל קניות|سلة|سلة التسوق|عربة التسوق|سبد خرید|कार्ट|ตะกร้า|giỏ hàng|keranjang|カート|\
        買い物かご|レジ|购物车|購物車|结账|結帳|장바구니";
    /// Words in the heading of a page which says that the requested page could not be shown.
    ERROR = "not found|page not found|error|forbidden|access denied|bad gateway|service unavailable|server error|\
        nicht gefunden|fehler|introuvable|erreur|no encontrada|no encontrado|não encontrada|non trovata|niet gevonden|\
        hittades inte|nie znaleziono|nenalezena|bulunamadı|не найдена|не найдено|ошибка|δεν βρέθηκε|לא נמצא|\
        غير موجودة|غير موجود|خطأ|یافت نشد|ไม่พบ|không tìm thấy|tidak ditemukan|見つかりません|エラー|未找到|找不到|错误|錯誤|\
        찾을 수 없습니다|오류";
    /// Words in the path of a login page. They are mostly English, because most sites use English words in paths.
    LOGIN_PATH = "login|log in|signin|sign in|logon|auth|sso|session new|sessions new|anmelden|anmeldung|connexion|\
        iniciar sesion|accedi|inloggen|entrar";
    /// Words in the path of a cart or a checkout.
    CART_PATH = "cart|basket|bag|checkout|warenkorb|kasse|panier|carrito|carrinho|carrello";
    /// Words in the path of search results.
    SEARCH_PATH = "search|suche|buscar|recherche|results|find";
}

/// Names of query parameters that carry the searched words.
pub(super) const SEARCH_KEYS: [&str; 14] = [
    "q",
    "query",
    "search",
    "s",
    "k",
    "keyword",
    "keywords",
    "term",
    "text",
    "wd",
    "search_query",
    "searchterm",
    "_nkw",
    "field-keywords",
];

/// Returns true if a text is a price: it has a number, and a currency sign or the word for a currency.
pub(super) fn is_price(text: &str) -> bool {
    /// Maximum length of a text that can be a price. Unit: bytes. Source: chosen.
    const MAX_PRICE: usize = 120;
    const WORDS: [&str; 14] = [
        "eur", "usd", "gbp", "chf", "jpy", "cny", "inr", "kr", "zł", "kč", "руб", "ريال", "درهم",
        "جنيه",
    ];
    let is_sign = |c: char| {
        matches!(
            c,
            '$' | '¢' | '£' | '¥' | '¤' | '€' | '\u{20a0}'
                ..='\u{20cf}' | '\u{fdfc}' | '￥' | '฿' | '円' | '元' | '원'
        )
    };
    // The lengths of the shortest and the longest word, in bytes. Most words of a page are ruled out by their length
    // alone.
    let is_word = |word: &str| {
        (2..=8).contains(&word.len()) && WORDS.iter().any(|w| w.eq_ignore_ascii_case(word))
    };
    if text.len() > MAX_PRICE || !text.contains(char::is_numeric) {
        return false;
    }
    if text.is_ascii() {
        let mut words = text.split(|c: char| !c.is_ascii_alphabetic());
        return text.contains('$') || words.any(|word| word.len() <= 3 && is_word(word));
    }
    text.contains(is_sign) || text.split(|c: char| !c.is_alphabetic()).any(is_word)
}

/// Returns true if a text contains one of the most common HTTP error codes as a whole word.
pub(super) fn has_error_code(text: &str) -> bool {
    text::words(text).iter().any(|w| {
        matches!(
            &**w,
            "400" | "401" | "403" | "404" | "405" | "410" | "429" | "500" | "502" | "503" | "504"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_whole_words_in_scripts_with_and_without_spaces() {
        assert!(PASSWORD.are_in("Your Password:"));
        assert!(PASSWORD.are_in("ログインパスワードを入力"));
        assert!(PASSWORD.are_in("أدخل كلمة المرور هنا"));
        assert!(!CART.are_in("Cartography of Descartes"));
        assert!(!PASSWORD.are_in(""));
        assert!(LOGIN.are_all_of("Log in") && LOGIN.are_all_of("ログイン"));
        assert!(!LOGIN.are_all_of("Log in and pay") && !LOGIN.are_all_of(""));
    }

    #[test]
    fn a_price_needs_a_number_and_money() {
        for price in [
            "$4",
            "1.299,00 €",
            "EUR 12",
            "１２００円",
            "٣٥ ريال",
            "12 zł",
            "USD12.50",
        ] {
            assert!(is_price(price), "{price}");
        }
        for other in ["€", "12 items", "eur", "chapter 4"] {
            assert!(!is_price(other), "{other}");
        }
    }

    #[test]
    fn an_error_code_is_a_word() {
        assert!(has_error_code("404 Not Found") && has_error_code("Error (503)"));
        assert!(!has_error_code("Peugeot 4040") && !has_error_code("1404"));
    }
}
