//! Addresses against the scopes of four runs, without a browser.

use url::Url;
use webwise::{
    Site,
    guard::{Blank, Scope, ScopeRefusal},
};

use super::forms::judged;

fn url(text: &str) -> Url {
    text.parse().expect("an address")
}

fn site(text: &str) -> Site {
    Site::of(&url(text)).expect("a site")
}

/// The open web, an allow list, a run with secrets, a start on loopback: the order of the verdicts.
fn scopes() -> [Scope; 4] {
    let shop = url("https://www.shop.example/start");
    [
        Scope::new(None, vec![], false),
        Scope::new(Some(&shop), vec![site("https://pay.example")], false),
        Scope::new(Some(&shop), vec![], true),
        Scope::new(Some(&url("http://start.localhost:8000/")), vec![], false),
    ]
}

fn letter(verdict: &Result<Url, ScopeRefusal>) -> char {
    match verdict {
        Ok(_) => '+',
        Err(ScopeRefusal::NotWeb) => 'w',
        Err(ScopeRefusal::NotAnAddress) => 'a',
        Err(ScopeRefusal::UserInfo) => 'u',
        Err(ScopeRefusal::BadHost) => 'h',
        Err(ScopeRefusal::Internal(_)) => 'i',
        Err(ScopeRefusal::OffList(_)) => 'l',
        Err(_) => '?',
    }
}

/// Number of forms.
pub(crate) fn count() -> usize {
    let forms: std::collections::BTreeSet<_> = judged(0).map(|(form, _)| form).collect();
    forms.len()
}

#[test]
fn three_hundred_forms_are_judged_by_where_they_lead_in_each_kind_of_run() {
    let mut wrong = Vec::new();
    for (place, scope) in scopes().iter().enumerate() {
        for (form, wanted) in judged(place) {
            let verdict = scope.check_url(form);
            if letter(&verdict) != wanted {
                wrong.push(format!(
                    "scope {place}: {form:?} is {verdict:?} and should be {wanted}"
                ));
            }
            // A page at such an address is judged alike, and what is let through stays so when it is read again.
            let page = scope.check_page(form, Blank::Refused);
            if page.is_ok() != (wanted == '+') {
                wrong.push(format!("scope {place}: a page at {form:?} is {page:?}"));
            }
            if let Ok(url) = verdict
                && scope.check_url(url.as_str()).as_ref() != Ok(&url)
            {
                wrong.push(format!("scope {place}: {form:?} is not let through again"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(count() >= 300, "{}", count());
}
