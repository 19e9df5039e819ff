//! The type of a page. It is decided by the roles and the structure of the page. Words and addresses only help.

use std::fmt;

use serde::{Deserialize, Serialize};
use url::Url;

use super::{
    ERROR_PAGE, NodeId, PageHead, Role, Tree,
    features::Features,
    label::label_of,
    lexicon::{SEARCH_KEYS, has_error_code},
    outline::Outline,
};
use crate::base::{
    text,
    words::{CART, CART_PATH, ERROR, LOGIN, LOGIN_PATH, PASSWORD, SEARCH, SEARCH_PATH, USER},
};

/// The type of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PageType {
    /// The page has a search field and little else.
    SearchHome,
    /// The page shows the results of a search.
    SearchResults,
    /// The page asks the user to sign in.
    Login,
    /// The page has fields to fill in.
    Form,
    /// The page shows many similar things to choose from.
    List,
    /// The page has text to read.
    Article,
    /// The page offers one product.
    Product,
    /// The page shows products that are about to be bought, or asks for the payment.
    Cart,
    /// The page has an open dialog that must be dealt with first.
    DialogBlocking,
    /// The page says that the requested page could not be shown. It comes from a site or from the browser.
    ErrorPage,
    /// The page is empty.
    Blank,
    /// The page has none of the other types.
    Unknown,
}

impl PageType {
    /// Returns the name of the type in lower case with underscores.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SearchHome => "search_home",
            Self::SearchResults => "search_results",
            Self::Login => "login",
            Self::Form => "form",
            Self::List => "list",
            Self::Article => "article",
            Self::Product => "product",
            Self::Cart => "cart",
            Self::DialogBlocking => "dialog_blocking",
            Self::ErrorPage => "error_page",
            Self::Blank => "blank",
            Self::Unknown => "unknown",
        }
    }
}

impl fmt::Display for PageType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Maximum number of fields on a page whose field labels are read; if there are more, no label is read. It is also the
/// maximum number of fields and checkboxes together on a product page. Source: chosen; a login or search page has far
/// fewer.
const MAX_LABELLED_FIELDS: usize = 12;
/// Maximum amount of text on an error page. Unit: letters; an ideograph counts as two. Source: chosen.
const MAX_ERROR_LETTERS: usize = 900;
/// Maximum amount of text on a page with a login form. Unit: letters; an ideograph counts as two. Source: chosen; leaves
/// room for a notice about cookies.
const MAX_LOGIN_LETTERS: usize = 1_500;
/// Maximum amount of text on the home page of a search engine. Unit: letters; an ideograph counts as two. Source: chosen.
const MAX_SEARCH_HOME_LETTERS: usize = 600;
/// Minimum amount of prose in an article; half of this amount if the page marks exactly one article. Unit: letters; an
/// ideograph counts as two. Source: chosen; three paragraphs.
const MIN_ARTICLE_PROSE: usize = 800;
/// Minimum amount of prose in an article on a page without a collection of similar things. Unit: letters; an ideograph
/// counts as two. Source: chosen.
const MIN_SHORT_ARTICLE_PROSE: usize = 240;
/// Minimum number of similar things that make a page a list. Source: chosen.
const MIN_LIST: usize = 5;
/// Minimum number of results on a page of search results. It is also the minimum number of similar things that make a page a
/// list if no other type fits. Source: chosen.
const MIN_RESULTS: usize = 3;

/// Hints at the type of a page, from its address, title, headings and fields. A hint that the page does not give is zero,
/// false or empty.
struct Hints {
    title: String,
    password_fields: usize,
    /// Number of fields that ask for a user name, an email address or a phone number.
    user_fields: usize,
    search_named: usize,
    /// True if a search field contains the searched words.
    searched_in_field: bool,
    searched_in_url: bool,
    path: String,
}

type Rule = fn(&Features, &Hints) -> bool;

/// Returns the type of the page, as if no dialog were open. But a page with nothing but a dialog is not [`PageType::Blank`]:
/// its address and title may still give its type.
pub(super) fn classify(head: &PageHead, tree: &Tree, outline: &Outline, f: &Features) -> PageType {
    if head.url == ERROR_PAGE {
        return PageType::ErrorPage;
    }
    if !f.has_anything {
        return PageType::Blank;
    }
    let hints = hints(head, tree, outline, f);
    let rules: [(PageType, Rule); 11] = [
        (PageType::ErrorPage, is_error),
        (PageType::Login, is_login),
        (PageType::Cart, is_cart),
        (PageType::SearchHome, is_search_home),
        (PageType::SearchResults, is_search_results),
        (PageType::Product, is_product),
        (PageType::Article, is_article),
        (PageType::Form, is_form),
        (PageType::List, |f, _| f.items >= MIN_LIST),
        (PageType::Article, is_short_article),
        (PageType::List, |f, _| f.items >= MIN_RESULTS),
    ];
    rules
        .iter()
        .find(|(_, applies)| applies(f, &hints))
        .map_or(PageType::Unknown, |(page_type, _)| *page_type)
}

fn hints(head: &PageHead, tree: &Tree, outline: &Outline, f: &Features) -> Hints {
    let url = Url::parse(&head.url).ok();
    let labelled = if f.fields.len() <= MAX_LABELLED_FIELDS {
        &*f.fields
    } else {
        &[]
    };
    let label = |id: &NodeId| {
        let placeholder = tree[*id].property("placeholder").unwrap_or_default();
        format!("{} | {placeholder}", label_of(tree, outline, *id, ""))
    };
    let labels: Vec<String> = labelled.iter().map(label).collect();
    let by_word = |id: &&NodeId| {
        labelled
            .iter()
            .zip(&labels)
            .any(|(at, l)| at == *id && SEARCH.are_in_text(l))
    };
    let named: Vec<&NodeId> = f
        .fields
        .iter()
        .filter(by_word)
        .filter(|id| !f.search_fields.contains(id))
        .collect();
    // The page itself declares what a field is for.
    let is_said = |id: NodeId, what: &str| {
        ["type", "autocomplete"].iter().any(|key| {
            let said = tree[id].property(key).unwrap_or_default();
            said.split([' ', '-']).any(|word| word == what)
        })
    };
    let is_filled = |id: &NodeId| {
        tree[*id]
            .value
            .as_deref()
            .is_some_and(|v| !v.trim().is_empty())
    };
    let mut title = text::truncate(&head.title, super::MAX_LABEL);
    if f.headings.len() <= 2 {
        for heading in &f.headings {
            title.push_str(" | ");
            title.push_str(&label_of(
                tree,
                outline,
                *heading,
                tree[*heading].value.as_deref().unwrap_or_default(),
            ));
        }
    } else if let Some(first) = f.headings.first() {
        title.push_str(" | ");
        title.push_str(&label_of(
            tree,
            outline,
            *first,
            tree[*first].value.as_deref().unwrap_or_default(),
        ));
    }
    Hints {
        title,
        password_fields: labelled
            .iter()
            .zip(&labels)
            .filter(|(id, label)| PASSWORD.are_in_text(label) || is_said(**id, "password"))
            .count(),
        user_fields: labelled
            .iter()
            .zip(&labels)
            .filter(|(id, label)| USER.are_in_text(label) || is_said(**id, "username"))
            .count(),
        search_named: named.len(),
        searched_in_field: f.search_fields.iter().chain(named).any(is_filled),
        searched_in_url: url.as_ref().is_some_and(|u| {
            u.query_pairs().any(|(key, value)| {
                SEARCH_KEYS.contains(&&*key.to_lowercase()) && !value.is_empty()
            })
        }),
        path: url.map(|u| u.path().to_owned()).unwrap_or_default(),
    }
}

fn is_error(f: &Features, hints: &Hints) -> bool {
    let is_small = f.letters <= MAX_ERROR_LETTERS
        && f.fields.len() <= 1
        && f.items < MIN_LIST
        && f.prices == 0;
    is_small && (has_error_code(&hints.title) || ERROR.are_in_text(&hints.title))
}

fn is_login(f: &Features, hints: &Hints) -> bool {
    let is_small = f.letters <= MAX_LOGIN_LETTERS && f.items < MIN_LIST;
    let fields = f.fields.len();
    let by_password = hints.password_fields == 1 && fields <= 3;
    // Recognises a login page that asks for the user first and for the password later. Its path or title must say so:
    // two boxes and a button could be any small form, and a form mistaken for a login page would need too few
    // approvals.
    let says_so = LOGIN_PATH.are_in_text(&hints.path) || LOGIN.are_in_text(&hints.title);
    let searches = hints.search_named > 0 || !f.search_fields.is_empty();
    let by_user = says_so
        && !searches
        && (1..=2).contains(&fields)
        && (1..=3).contains(&f.buttons)
        && f.checks <= 1
        && hints.user_fields > 0;
    is_small && (by_password || by_user)
}

fn is_cart(f: &Features, hints: &Hints) -> bool {
    let priced = f.prices + f.priced_items > 0;
    let by_address = CART_PATH.are_in_text(&hints.path)
        && (priced || f.fields.len() >= 2 || f.letters <= MAX_ERROR_LETTERS);
    let by_word = CART.are_in_text(&hints.title) && (priced || f.letters <= MAX_ERROR_LETTERS);
    // A cart has amounts to set beside prices, a total below them, and a button or link to go on. A cart with one or
    // two items is not recognised here, because so few items are no collection.
    let by_structure = f.priced_fields >= 1 && f.prices >= 1 && f.buttons + f.links >= 1;
    by_address || by_word || by_structure
}

fn is_search_home(f: &Features, hints: &Hints) -> bool {
    let fields = f.search_fields.len() + hints.search_named;
    fields == 1
        && f.fields.len() <= 1
        && !hints.searched_in_field
        && !hints.searched_in_url
        && f.items < MIN_LIST
        && f.letters <= MAX_SEARCH_HOME_LETTERS
        && f.prices == 0
        && f.prose == 0
}

fn is_search_results(f: &Features, hints: &Hints) -> bool {
    let has_field = !f.search_fields.is_empty() || hints.search_named > 0;
    let by_path = SEARCH_PATH.are_in_text(&hints.path);
    let asked = hints.searched_in_field || hints.searched_in_url;
    (f.items >= MIN_RESULTS && (asked || (by_path && has_field)))
        // This also recognises the page of a search that found nothing.
        || (hints.searched_in_field && (hints.searched_in_url || by_path))
}

fn is_product(f: &Features, _: &Hints) -> bool {
    /// Maximum number of prices on the page of one product: the old and the new price, the price of one piece, shipping.
    /// Source: chosen.
    const MAX_PRICES: usize = 6;
    !f.headings.is_empty()
        && (1..=MAX_PRICES).contains(&f.prices)
        && f.buttons >= 1
        && f.fields.len() + f.checks <= MAX_LABELLED_FIELDS
        && (f.images >= 1 || !f.fields.is_empty() || f.checks > 0 || f.letters <= MAX_LOGIN_LETTERS)
}

fn is_article(f: &Features, _: &Hints) -> bool {
    let needed = if f.articles == 1 {
        MIN_ARTICLE_PROSE / 2
    } else {
        MIN_ARTICLE_PROSE
    };
    f.prose >= needed && f.prose > f.link_letters && f.fields.len() <= 3
}

fn is_form(f: &Features, _: &Hints) -> bool {
    let inputs = f.fields.len() + f.checks;
    let outweighs = f.items < MIN_LIST || inputs * 2 >= f.items;
    outweighs && (inputs >= 3 || (inputs >= 1 && f.buttons >= 1))
}

fn is_short_article(f: &Features, _: &Hints) -> bool {
    f.prose >= MIN_SHORT_ARTICLE_PROSE && f.prose > f.link_letters && f.items == 0
}

/// Returns the word by which a summary counts elements of this role, such as `link`; `None` if a summary does not count
/// such elements.
pub(super) fn counted(role: &Role) -> Option<&'static str> {
    Some(match role {
        Role::Link => "link",
        Role::Button => "button",
        role if role.is_editable() => "field",
        role if super::outline::is_checkable(role) => "checkbox",
        _ => return None,
    })
}
