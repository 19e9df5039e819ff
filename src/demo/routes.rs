//! Turns a request and the shop's state into a response. Uses no sockets and never waits.

use url::Url;

use super::{
    catalog::{self, Product},
    checkout,
    http::{Fields, Method, Request, Response, Status},
    state::{State, USER},
    views::{self, Visit},
    visitor::{self, CartLine, Session},
};

/// Maximum number of lines in a visitor's cart. Source: chosen.
const MAX_CART_LINES: usize = 20;
/// Maximum number of pieces in one line of a cart. Source: chosen.
const MAX_QUANTITY: u32 = 10;
const CONSENT_COOKIE: &str = "shop_consent";

pub(super) fn respond(state: &mut State, request: &Request) -> Response {
    let id = request
        .cookies
        .get(visitor::COOKIE)
        .filter(|id| state.sessions.get(id).is_some());
    let session = id
        .and_then(|id| state.sessions.get(id))
        .cloned()
        .unwrap_or_default();
    let visit = Visit {
        variation: state.variation,
        session: &session,
        consented: request.cookies.get(CONSENT_COOKIE).is_some(),
        // The page to return to. If a form is shown again with error messages, this is the path to which the form was sent.
        target: &request.target,
    };
    let path: Vec<_> = request.path.trim_matches('/').split('/').collect();
    match (request.method, path.as_slice()) {
        (Method::Post, ["consent"]) => consent(&request.form),
        (Method::Post, ["product", slug]) => match Product::get(slug) {
            Some(product) => add_to_cart(state, &visit, id, product, &request.form),
            None => missing(&visit),
        },
        (Method::Post, ["cart", "remove"]) => remove_line(state, id, session, &request.form),
        (Method::Post, ["login"]) => log_in(state, &visit, id, &request.form),
        (Method::Post, ["logout"]) => keep(state, id, Session::default(), "/"),
        (Method::Post, ["checkout"]) => place_order(state, &visit, id, &request.form),
        (Method::Get, path) => read(state, &visit, path, &request.query),
        _ => missing(&visit),
    }
}

fn read(state: &State, visit: &Visit<'_>, path: &[&str], query: &Fields) -> Response {
    let page = match path {
        [""] => views::home(visit, &state.products),
        ["search"] => {
            let query = query.text("q");
            views::results(
                visit,
                query,
                &catalog::search(query, &state.products),
                &state.products,
            )
        }
        ["product", slug] => match Product::get(slug) {
            Some(product) => views::product(visit, product, &Fields::default(), None),
            None => return missing(visit),
        },
        ["cart"] => views::cart(visit),
        ["login"] => views::login(
            visit,
            local_path(query.text("next")).as_deref().unwrap_or("/"),
            "",
            false,
        ),
        ["checkout"] => match checkout_gate(visit) {
            Some(elsewhere) => return elsewhere,
            None => views::checkout(visit, &Fields::default(), &checkout::Complaints::new()),
        },
        ["order", number] if visit.session.orders.iter().any(|own| own == number) => {
            match state.orders.iter().find(|order| order.number == *number) {
                Some(order) => views::confirmation(visit, order),
                None => return missing(visit),
            }
        }
        ["info", topic] => match views::info(visit, topic) {
            Some(page) => page,
            None => return missing(visit),
        },
        _ => return missing(visit),
    };
    Response::page(Status::Ok, page)
}

fn missing(visit: &Visit<'_>) -> Response {
    Response::page(Status::NotFound, views::not_found(visit))
}

/// Stores a changed session under a new id. Returns a redirect to the page `next`, with a cookie that contains the new id.
/// `id` is the session's old id.
fn keep(state: &mut State, id: Option<&str>, session: Session, next: &str) -> Response {
    let id = state.sessions.put(id, session);
    Response::see_other(next).with_cookie(visitor::COOKIE, &id)
}

fn consent(form: &Fields) -> Response {
    let choice = if form.text("choice") == "all" {
        "all"
    } else {
        "necessary"
    };
    let back = local_path(form.text("back"));
    Response::see_other(back.unwrap_or_else(|| "/".to_owned())).with_cookie(CONSENT_COOKIE, choice)
}

fn add_to_cart(
    state: &mut State,
    visit: &Visit<'_>,
    id: Option<&str>,
    product: &'static Product,
    form: &Fields,
) -> Response {
    let size = product
        .sizes
        .iter()
        .find(|size| **size == form.text("size"));
    let colour = product
        .colours
        .iter()
        .find(|colour| **colour == form.text("colour"));
    let quantity = form
        .text("quantity")
        .parse()
        .ok()
        .filter(|n| (1..=MAX_QUANTITY).contains(n));
    let complaint = match (size, colour, quantity) {
        (Some(_), Some(_), Some(_)) if visit.session.cart.len() >= MAX_CART_LINES => {
            ("quantity", "Your cart is full.")
        }
        (Some(size), Some(colour), Some(quantity)) => {
            let mut session = visit.session.clone();
            session.cart.push(CartLine {
                product,
                size,
                colour,
                quantity,
            });
            return keep(state, id, session, "/cart");
        }
        (None, _, _) => ("size", "Please choose a size first."),
        (_, None, _) => ("colour", "Please choose a colour."),
        (_, _, None) => ("quantity", "Please enter a quantity from 1 to 10."),
    };
    Response::page(
        Status::Unprocessable,
        views::product(visit, product, form, Some(complaint)),
    )
}

fn remove_line(
    state: &mut State,
    id: Option<&str>,
    mut session: Session,
    form: &Fields,
) -> Response {
    match form.text("line").parse::<usize>() {
        Ok(line) if line < session.cart.len() => {
            session.cart.remove(line);
            keep(state, id, session, "/cart")
        }
        _ => Response::see_other("/cart"),
    }
}

fn log_in(state: &mut State, visit: &Visit<'_>, id: Option<&str>, form: &Fields) -> Response {
    let next = local_path(form.text("next")).unwrap_or_else(|| "/".to_owned());
    let user = form.text("user");
    // The password is not trimmed, because spaces are part of it.
    if user == USER && form.get("password") == Some(state.password.as_str()) {
        return keep(
            state,
            id,
            Session {
                logged_in: true,
                ..visit.session.clone()
            },
            &next,
        );
    }
    Response::page(
        Status::Unprocessable,
        views::login(visit, &next, user, true),
    )
}

/// Returns a redirect to the page that a visitor must see before the checkout: the cart if it is empty, or the login if the
/// visitor is not logged in; `None` if neither is needed.
fn checkout_gate(visit: &Visit<'_>) -> Option<Response> {
    if visit.session.cart.is_empty() {
        Some(Response::see_other("/cart"))
    } else if visit.session.logged_in {
        None
    } else {
        Some(Response::see_other("/login?next=/checkout"))
    }
}

fn place_order(state: &mut State, visit: &Visit<'_>, id: Option<&str>, form: &Fields) -> Response {
    if let Some(elsewhere) = checkout_gate(visit) {
        return elsewhere;
    }
    match checkout::check(form) {
        Ok((shipping, method)) => {
            let mut session = visit.session.clone();
            let number = state.place(&mut session, shipping, method);
            keep(state, id, session, &format!("/order/{number}"))
        }
        Err(complaints) => Response::page(
            Status::Unprocessable,
            views::checkout(visit, form, &complaints),
        ),
    }
}

/// Returns the path and query of an address in this shop, in canonical form; `None` unless the text begins with `/` and
/// leads to this shop.
fn local_path(text: &str) -> Option<String> {
    let here = Url::parse("http://localhost/").ok()?;
    let there = here
        .join(text)
        .ok()
        .filter(|url| text.starts_with('/') && url.origin() == here.origin())?;
    let path = &there[url::Position::BeforePath..url::Position::AfterQuery];
    // A browser reads what follows `//` as the name of a host.
    (!path.starts_with("//")).then(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_to_return_to_never_leads_to_another_site() {
        for bad in [
            "",
            "x",
            "//evil.example",
            "/\\evil.example",
            "https://evil.example/",
            "javascript:alert(1)",
            "/\t/evil.example",
            "/.//evil.example",
            "/x/..//evil.example",
        ] {
            assert_eq!(local_path(bad), None, "{bad:?}");
        }
        assert_eq!(
            local_path("/search?q=a b\r\nX: y").as_deref(),
            Some("/search?q=a%20bX:%20y")
        );
    }
}
