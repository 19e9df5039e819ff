//! Recognises the browser's own error page. This page proves nothing, and an action that leads to it does not count as
//! done.

use super::is_another_document;
use crate::{
    action::{BrowserAction, ErrorClass, Failure, Outcome, Target},
    page::{Observation, Role},
};

/// Returns a sentence for the model about the browser's own error page, with the reason that the browser gives. Returns
/// `None` for every other page.
pub(crate) fn told(page: &Observation) -> Option<String> {
    let shown = "this is the browser's own error page, not a page of the site";
    page.browser_error().map(|why| match why {
        "" => shown.to_owned(),
        why => format!("{shown}: {why}"),
    })
}

/// Returns the real outcome of an action if the driver reports success but the action has led to the browser's own
/// error page. Returns `None` for every other action. `before` is the page before the action, if one was observed.
///
/// A navigation that leads to the error page has failed, and so has a click on a link that is given by a reference. The
/// outcome of any other such action is unclear, because the action may have sent something before the error page came.
pub(crate) fn led_to_error_page(
    action: &BrowserAction,
    outcome: &Outcome,
    before: Option<&Observation>,
    after: &Observation,
) -> Option<Outcome> {
    use BrowserAction as A;
    let only_looks = matches!(
        action,
        A::TabSelect(_) | A::TabClose(_) | A::TabList(_) | A::Snapshot(_) | A::Screenshot(_)
    );
    if !outcome.is_done() || only_looks {
        return None;
    }
    let navigates = navigates(action);
    // An action inside the error page, such as a click on "Details", works as on any other page.
    let was_there = |before: &Observation| {
        !navigates && before.is_browser_error() && !is_another_document(before, after)
    };
    told(after)
        .filter(|_| !before.is_some_and(was_there))
        .map(|told| {
            let failure = Failure::new(ErrorClass::NavigationFailed, &told);
            if navigates || before.is_some_and(|before| clicks_link(action, before)) {
                Outcome::Failed(failure)
            } else {
                Outcome::Unclear(failure)
            }
        })
}

/// Returns true if the action opens a page by itself.
pub(super) const fn navigates(action: &BrowserAction) -> bool {
    use BrowserAction as A;
    matches!(
        action,
        A::Goto(_) | A::GoBack(_) | A::GoForward(_) | A::Reload(_) | A::TabNew(_)
    )
}

fn clicks_link(action: &BrowserAction, page: &Observation) -> bool {
    let BrowserAction::Click(click) = action else {
        return false;
    };
    let Target::Ref(reference) = &click.target else {
        return false;
    };
    let found = page.tree.by_ref(reference.as_str());
    found.is_some_and(|id| page.tree[id].role == Role::Link)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        action::{Click, Goto, NoArguments, TabAt},
        page::ERROR_PAGE,
        testing::tree,
    };

    fn error_page(reference: &str, code: &str) -> Observation {
        let content =
            format!("heading \"No site\" {reference}\nparagraph = A_b is gone\ngeneric = {code}");
        Observation::new(ERROR_PAGE, "a.example", tree(&content))
    }

    #[test]
    fn the_browsers_error_page_is_told_with_its_reason_and_no_page_of_a_site_is() {
        for code in [
            "ERR_CONNECTION_REFUSED",
            "NET::ERR_CERT_DATE_INVALID",
            "DNS_PROBE_FINISHED_NXDOMAIN",
            "HTTP ERROR 404",
        ] {
            let page = error_page("e1", code);
            assert_eq!(page.browser_error(), Some(code));
            assert!(told(&page).unwrap().ends_with(&format!(": {code}")));
        }
        let silent = error_page("e1", "ERR refused, HTTP ERROR 404 or Ä_Ö");
        assert_eq!(silent.browser_error(), Some(""));
        assert!(told(&silent).unwrap().ends_with("of the site"));
        let of_a_site = Observation {
            url: "https://a.example/chrome-error://chromewebdata/".to_owned(),
            ..error_page("e1", "ERR_CONNECTION_REFUSED")
        };
        assert_eq!(of_a_site.browser_error(), None);
        assert_eq!(told(&of_a_site), None);
    }

    #[test]
    fn what_leads_to_the_browsers_error_page_has_failed_and_what_only_shows_or_uses_it_has_not() {
        let site = Observation::new("https://a.example/", "", tree("link \"Status\" e1"));
        let (error, another) = (error_page("e5", "ERR_X"), error_page("e9", "ERR_X"));
        let click = BrowserAction::Click(Click {
            target: Target::parse("e1").unwrap(),
            button: None,
        });
        let goto = BrowserAction::Goto(Goto {
            url: "https://b.example/".to_owned(),
        });
        let back = BrowserAction::GoBack(NoArguments {});
        let select = BrowserAction::TabSelect(TabAt { index: 1 });
        for (action, before, after, fails) in [
            (&click, Some(&site), &error, true),
            (&goto, None, &error, true),
            (&back, Some(&error), &error, true),
            (&click, Some(&error), &another, true),
            (&click, Some(&error), &error, false),
            (&select, Some(&site), &error, false),
            (&click, Some(&error), &site, false),
        ] {
            let led = led_to_error_page(action, &Outcome::Done, before, after);
            let class = led.map(|led| match led {
                Outcome::Failed(failure) | Outcome::Unclear(failure) => failure.class,
                other => panic!("{other:?}"),
            });
            let wanted = fails.then_some(ErrorClass::NavigationFailed);
            assert_eq!(class, wanted, "{action:?} from {before:?}");
        }
        // A button may have sent an order before the connection was lost.
        let form = Observation::new("https://a.example/", "", tree("button \"Order\" e1"));
        let sent = led_to_error_page(&click, &Outcome::Done, Some(&form), &error);
        assert!(matches!(sent, Some(Outcome::Unclear(_))), "{sent:?}");
        let late = Outcome::failed(ErrorClass::Timeout, "");
        assert_eq!(led_to_error_page(&click, &late, Some(&site), &error), None);
    }
}
