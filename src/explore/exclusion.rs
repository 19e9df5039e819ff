//! Links that exploration leaves out, by their words and addresses.

use url::Url;

use super::Reach;
use crate::{
    base::{
        Host,
        words::{ACTION_KEYS, leads_to_change, may_command},
    },
    working::LeftOut,
};

/// File name endings of addresses that lead to files, not to pages.
const FILES: &[&str] = &[
    "pdf", "zip", "gz", "tar", "7z", "rar", "exe", "dmg", "msi", "deb", "rpm", "apk", "iso", "csv",
    "tsv", "xls", "xlsx", "doc", "docx", "ppt", "pptx", "odt", "ods", "epub", "png", "jpg", "jpeg",
    "gif", "svg", "webp", "ico", "mp3", "mp4", "webm", "ogg", "wav", "mov", "avi", "json", "xml",
    "rss", "atom", "ics", "txt", "css", "js",
];

/// Returns the reason why a link is not opened; `None` if it may be opened.
///
/// `words` are the link's own words. `home` is the host that is explored. With the cookies of a person, more words count.
pub(super) fn left_out(url: &Url, words: &str, home: &Host, reach: Reach) -> Option<LeftOut> {
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
    let is_file = |ending: &str| FILES.iter().any(|file| file.eq_ignore_ascii_case(ending));
    if ending.is_some_and(|(_, ending)| is_file(ending)) {
        return Some(LeftOut::File);
    }
    let query: Vec<String> = url
        .query_pairs()
        .flat_map(|(key, value)| [key.into_owned(), value.into_owned()])
        .collect();
    let mut keys = query.iter().step_by(2);
    if keys.any(|key| ACTION_KEYS.are_in_text(key)) {
        return Some(LeftOut::Action);
    }
    let is_excluded = match reach {
        Reach::Fresh => leads_to_change,
        Reach::Attached => may_command,
    };
    let addressed = segments.iter().chain(&query).map(String::as_str);
    let mut texts = std::iter::once(words).chain(addressed);
    texts.any(is_excluded).then_some(LeftOut::Excluded)
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
        left_out(
            &url,
            words,
            &Host::of_domain("shop.example").unwrap(),
            Reach::Fresh,
        )
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
