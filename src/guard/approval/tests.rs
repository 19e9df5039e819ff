//! Labels in ten languages, and the circumstances that change their meaning.

use proptest::prelude::*;

use super::*;
use crate::action::{
    BrowserTool, Click, DialogAccept, Drag, Eval, Goto, Key, NoArguments, OnTarget, Select, Upload,
};

fn target() -> Target {
    Target::parse("e1").unwrap()
}

fn click() -> BrowserAction {
    BrowserAction::Click(Click {
        target: target(),
        button: None,
    })
}

fn is_grave(role: Role, name: &str, page: &PageContext<'_>) -> bool {
    classify(&click(), Some(&TargetIdentity::new(role, name)), page) == Effect::Irreversible
}

/// Names of buttons that need approval when they are clicked.
const GRAVE_BUTTONS: &[&str] = &[
    "Pay",
    "Pay now",
    "Pay $20.00",
    "PAY €1,299",
    "Confirm and pay",
    "Buy now",
    "Buy it now",
    "Buy 2 for $5",
    "Purchase",
    "Complete purchase",
    "Place order",
    "Place your order",
    "Submit order",
    "Confirm order",
    "Order",
    "Order now",
    "Order for $12",
    "Submit payment",
    "Confirm booking",
    "Place bid",
    "Donate",
    "Transfer",
    "Transfer funds",
    "Withdraw all",
    "Delete",
    "Delete account",
    "Delete 3 items",
    "Yes, delete it",
    "Permanently delete",
    "Undo delete, delete for ever",
    "Remove",
    "Remove user",
    "Erase everything",
    "Empty trash",
    "Discard draft",
    "Send",
    "Send message",
    "Send $50",
    "Publish",
    "Save & publish",
    "Post",
    "Post comment",
    "Tweet",
    "Subscribe",
    "Unsubscribe",
    "Cancel subscription",
    "Cancel order",
    "Close account",
    "Deactivate",
    "Revoke access",
    "  delete  ",
    "DELETE",
    "Jetzt kaufen",
    "Zahlungspflichtig bestellen",
    "Bestellung abschließen",
    "Löschen",
    "Konto löschen",
    "Konto lo\u{308}schen",
    "Entfernen",
    "Senden",
    "Überweisen",
    "Kündigen",
    "Payer",
    "Acheter maintenant",
    "Passer la commande",
    "Valider ma commande",
    "Supprimer",
    "Supprimer l'élément",
    "Envoyer",
    "Publier",
    "Se désabonner",
    "Se desabonner",
    "Pagar",
    "Comprar ahora",
    "Realizar el pedido",
    "Eliminar",
    "Borrar cuenta",
    "Enviar mensaje",
    "Darse de baja",
    "Paga ora",
    "Acquista",
    "Compra ora",
    "Conferma l'ordine",
    "Elimina",
    "Invia",
    "Comprar agora",
    "Finalizar o pedido",
    "Excluir",
    "Apagar conta",
    "Cancelar assinatura",
    "今すぐ購入",
    "注文を確定する",
    "支払う",
    "削除",
    "送信",
    "解約する",
    "立即购买",
    "提交订单",
    "去支付",
    "付款",
    "删除",
    "发送",
    "确认转账",
    "發佈",
    "Удалить",
    "Купить сейчас",
    "Usuń konto",
    "Verwijderen",
    "결제하기",
    "삭제",
];

/// Names of buttons that need no approval when they are clicked.
const PLAIN_BUTTONS: &[&str] = &[
    "",
    "Add to cart",
    "Add to basket",
    "Add to bag",
    "Go to checkout",
    "Proceed to checkout",
    "Continue to payment",
    "Continue",
    "Next",
    "Back",
    "Search",
    "Log in",
    "Sign in",
    "Sign up",
    "Register",
    "Submit",
    "Save",
    "Save changes",
    "Apply",
    "Apply filters",
    "OK",
    "Yes",
    "Cancel",
    "Close",
    "Cancel payment",
    "Order history",
    "My orders",
    "Order details",
    "View order",
    "Track order",
    "Sort order",
    "Order by price",
    "Order status",
    "Payment method",
    "Payment options",
    "Change payment method",
    "Purchase history",
    "Transfer history",
    "How to pay",
    "Where to buy",
    "Remove filter",
    "Remove from cart",
    "Remove from wishlist",
    "Send code",
    "Send me a verification code",
    "Don't delete",
    "Do not send",
    "Undo delete",
    "Deleted items",
    "Sent",
    "Sender",
    "Buyer protection",
    "Payroll",
    "Paypal info",
    "Postpone",
    "Postcode",
    "Next post",
    "Blog posts",
    "Booking details",
    "Bookmark",
    "Facebook",
    "Orders",
    "Borders",
    "Removed users",
    "Publisher",
    "Subscribers",
    "Open menu",
    "Show more",
    "Load more",
    "Edit",
    "Reply",
    "Download",
    "Star",
    "Like",
    "Follow",
    "In den Warenkorb",
    "Zur Kasse",
    "Weiter",
    "Suchen",
    "Anmelden",
    "Filter entfernen",
    "Aus dem Warenkorb entfernen",
    "Ajouter au panier",
    "Rechercher",
    "Se connecter",
    "Retirer du panier",
    "Añadir al carrito",
    "Buscar",
    "Iniciar sesión",
    "Cómo comprar",
    "Eliminar filtros",
    "Aggiungi al carrello",
    "Accedi",
    "Cerca",
    "Adicionar ao carrinho",
    "Entrar",
    "カートに入れる",
    "購入履歴",
    "支払い方法",
    "検索",
    "加入购物车",
    "购买记录",
    "支付方式",
    "搜索",
    "登录",
    "장바구니",
];

#[test]
fn a_button_that_pays_sends_or_deletes_is_irreversible() {
    for name in GRAVE_BUTTONS {
        assert!(
            is_grave(Role::Button, name, &PageContext::default()),
            "{name:?}"
        );
        assert!(
            is_grave(Role::MenuItem, name, &PageContext::default()),
            "{name:?}"
        );
    }
    assert!(GRAVE_BUTTONS.len() >= 60);
}

#[test]
fn a_button_that_only_sounds_like_it_is_not() {
    for name in PLAIN_BUTTONS {
        assert!(
            !is_grave(Role::Button, name, &PageContext::default()),
            "{name:?}"
        );
    }
    assert!(PLAIN_BUTTONS.len() >= 60);
}

#[test]
fn a_link_is_followed_unless_its_text_is_exactly_such_a_verb() {
    let page = PageContext {
        link: Some("/x?y=1"),
        ..PageContext::default()
    };
    for name in [
        "Delete",
        "Remove",
        "Buy now",
        "Place your order",
        "Löschen",
        "Supprimer",
        "削除",
        "Send",
        "Unsubscribe",
    ] {
        assert!(is_grave(Role::Link, name, &page), "{name}");
    }
    for name in [
        "Order history",
        "Delete old branches with git",
        "Why people buy boats",
        "How to send money",
        "Order 5523",
        "Pay gap report",
        "Transfer news",
        "Remove stains from wool",
        "购买指南",
        "Best Buy",
    ] {
        assert!(!is_grave(Role::Link, name, &page), "{name}");
    }
    for link in [
        None,
        Some("#"),
        Some("#top"),
        Some("javascript:void(0)"),
        Some(" JavaScript:x()"),
        Some(""),
    ] {
        let page = PageContext {
            link,
            ..PageContext::default()
        };
        assert!(is_grave(Role::Link, "Delete this item", &page), "{link:?}");
    }
}

#[test]
fn content_is_read_like_a_button_only_when_it_is_short() {
    let page = PageContext::default();
    assert!(is_grave(Role::Generic, "Delete item", &page));
    assert!(is_grave(Role::Img, "Delete", &page));
    assert!(!is_grave(
        Role::Row,
        "Please delete the old logs from server 5 today",
        &page
    ));
    assert!(!is_grave(
        Role::ListItem,
        "How I learned to buy and sell houses",
        &page
    ));
}

#[test]
fn what_only_chooses_is_reversible_whatever_it_is_called() {
    for role in [
        Role::Checkbox,
        Role::Radio,
        Role::Tab,
        Role::Option,
        Role::TextBox,
        Role::Combobox,
        Role::Switch,
    ] {
        assert!(
            !is_grave(role.clone(), "Delete", &PageContext::default()),
            "{role}"
        );
    }
}

#[test]
fn a_yes_means_what_it_answers() {
    let asks = PageContext {
        dialog: Some("Do you really want to delete 3 files?"),
        ..PageContext::default()
    };
    let heading = PageContext {
        heading: Some("Delete the selected object?"),
        ..PageContext::default()
    };
    for name in ["OK", "Yes, I’m sure", "Confirm", "Ja", "はい"] {
        assert!(is_grave(Role::Button, name, &asks), "{name}");
        assert!(is_grave(Role::Button, name, &heading), "{name}");
        let mut inside = TargetIdentity::new(Role::Button, name);
        inside.ancestors = vec!["Buttons".into(), "Delete account".into()];
        assert_eq!(
            classify(&click(), Some(&inside), &PageContext::default()),
            Effect::Irreversible,
            "{name}"
        );
    }
    assert!(
        is_grave(Role::Button, "Continue", &asks) && !is_grave(Role::Button, "Continue", &heading)
    );
    for name in ["Cancel", "No, take me back", "Close"] {
        assert!(
            !is_grave(Role::Button, name, &asks) && !is_grave(Role::Button, name, &heading),
            "{name}"
        );
    }
    let harmless = PageContext {
        dialog: Some("Leave this page?"),
        heading: Some("Order history"),
        ..PageContext::default()
    };
    assert!(!is_grave(Role::Button, "OK", &harmless));
}

#[test]
fn accepting_a_dialog_means_what_it_asks() {
    let accept = BrowserAction::DialogAccept(DialogAccept { text: None });
    let with = |message| PageContext {
        dialog: message,
        ..PageContext::default()
    };
    assert_eq!(
        classify(&accept, None, &with(Some("Delete all messages?"))),
        Effect::Irreversible
    );
    assert_eq!(
        classify(&accept, None, &with(Some("Your session will end soon."))),
        Effect::Reversible
    );
    assert_eq!(classify(&accept, None, &with(None)), Effect::Reversible);
}

#[test]
fn the_button_of_a_form_that_logs_in_or_searches_is_reversible_in_any_language() {
    for kind in [PageKind::Login, PageKind::Search] {
        let page = PageContext {
            kind,
            ..PageContext::default()
        };
        for name in ["Send", "Enviar", "Senden", "送信", "Submit", "Log in"] {
            assert!(!is_grave(Role::Button, name, &page), "{name}");
        }
        assert!(is_grave(Role::Button, "Delete account", &page));
    }
}

#[test]
fn a_form_with_a_secret_is_sent_only_where_one_logs_in() {
    let with = |kind| PageContext {
        kind,
        has_typed_secret: true,
        ..PageContext::default()
    };
    assert!(is_grave(
        Role::Button,
        "Weiter geht's",
        &with(PageKind::Other)
    ));
    assert!(is_grave(Role::Button, "", &with(PageKind::Search)));
    assert!(!is_grave(Role::Button, "Log in", &with(PageKind::Login)));
    // A login box at the side of another page.
    assert!(!is_grave(Role::Button, "Log in", &with(PageKind::Other)));
    assert!(is_grave(
        Role::Button,
        "Log in and pay",
        &with(PageKind::Other)
    ));
    assert!(!is_grave(
        Role::Button,
        "Show password",
        &with(PageKind::Other)
    ));
    assert!(!is_grave(Role::Button, "Cancel", &with(PageKind::Other)));
    assert!(!is_grave(
        Role::Link,
        "Forgot password",
        &with(PageKind::Other)
    ));
    let fill = |submit| {
        BrowserAction::Fill(Fill {
            target: target(),
            text: "<secret:PASSWORD>".into(),
            submit,
        })
    };
    let field = TargetIdentity::new(Role::TextBox, "Password");
    let on = |action: &BrowserAction, kind| {
        classify(
            action,
            Some(&field),
            &PageContext {
                kind,
                ..PageContext::default()
            },
        )
    };
    assert_eq!(on(&fill(true), PageKind::Other), Effect::Irreversible);
    assert_eq!(on(&fill(true), PageKind::Login), Effect::Reversible);
    assert_eq!(on(&fill(false), PageKind::Other), Effect::Reversible);
}

#[test]
fn a_form_in_a_checkout_may_buy_unless_its_button_is_known_to_do_something_else() {
    let enter = BrowserAction::Press(Press {
        key: Key::parse("Enter").unwrap(),
        target: None,
        times: None,
    });
    let field = TargetIdentity::new(Role::TextBox, "Coupon");
    let with = |submit| PageContext {
        kind: PageKind::Checkout,
        submit,
        ..PageContext::default()
    };
    assert_eq!(
        classify(&enter, Some(&field), &with(None)),
        Effect::Irreversible
    );
    assert_eq!(
        classify(&enter, Some(&field), &with(Some("Place order"))),
        Effect::Irreversible
    );
    assert_eq!(
        classify(&enter, Some(&field), &with(Some("Submit"))),
        Effect::Irreversible
    );
    assert_eq!(
        classify(&enter, Some(&field), &with(Some("Apply coupon"))),
        Effect::Reversible
    );
    assert!(
        is_grave(Role::Button, "Confirm", &with(None))
            && !is_grave(Role::Button, "Apply coupon", &with(None))
    );
}

#[test]
fn a_key_does_what_it_does_to_what_has_the_focus() {
    let press = |key: &str, target: Option<&TargetIdentity>, page: &PageContext<'_>| {
        classify(
            &BrowserAction::Press(Press {
                key: Key::parse(key).unwrap(),
                target: None,
                times: None,
            }),
            target,
            page,
        ) == Effect::Irreversible
    };
    let plain = PageContext::default();
    let (delete, field) = (
        TargetIdentity::new(Role::Button, "Delete"),
        TargetIdentity::new(Role::TextBox, "Delete"),
    );
    let row = TargetIdentity::new(Role::Row, "report.pdf");
    assert!(press("Enter", Some(&delete), &plain) && press("Space", Some(&delete), &plain));
    assert!(!press("Enter", Some(&field), &plain) && !press("Enter", None, &plain));
    assert!(!press("Escape", Some(&delete), &plain) && !press("Tab", Some(&delete), &plain));
    assert!(
        press("Delete", Some(&row), &plain)
            && !press("Delete", Some(&field), &plain)
            && !press("Delete", None, &plain)
    );
    let chat = PageContext {
        submit: Some("Send"),
        ..plain
    };
    assert!(press("Enter", Some(&field), &chat) && press("Control+Enter", Some(&field), &chat));
    assert!(!press(
        "Enter",
        Some(&field),
        &PageContext {
            kind: PageKind::Search,
            ..chat
        }
    ));
}

#[test]
fn what_has_no_name_is_known_by_its_label_attributes_or_locator() {
    let mut icon = TargetIdentity::new(Role::Button, " ");
    assert_eq!(
        classify(&click(), Some(&icon), &PageContext::default()),
        Effect::Reversible
    );
    icon.attributes = vec![("testid".into(), "row-4-delete".into())];
    assert_eq!(
        classify(&click(), Some(&icon), &PageContext::default()),
        Effect::Irreversible
    );
    icon.label = Some("Archive".into());
    assert_eq!(
        classify(&click(), Some(&icon), &PageContext::default()),
        Effect::Reversible
    );
    for (locator, effect) in [
        (r#"role=button[name="Buy now"]"#, Effect::Irreversible),
        (r##"css="#delete-account""##, Effect::Irreversible),
        (r#"testid="place-order""#, Effect::Irreversible),
        (r#"role=checkbox[name="Delete"]"#, Effect::Reversible),
        (r#"css="span.star""#, Effect::Reversible),
    ] {
        let click = BrowserAction::Click(Click {
            target: Target::parse(locator).unwrap(),
            button: None,
        });
        assert_eq!(
            classify(&click, None, &PageContext::default()),
            effect,
            "{locator}"
        );
    }
}

#[test]
fn a_drop_on_the_bin_deletes() {
    let drag = BrowserAction::Drag(Drag {
        from: target(),
        to: target(),
    });
    let on = |name: &str| {
        classify(
            &drag,
            Some(&TargetIdentity::new(Role::Generic, name)),
            &PageContext::default(),
        )
    };
    assert_eq!(
        (on("Delete"), on("Done")),
        (Effect::Irreversible, Effect::Reversible)
    );
}

#[test]
fn the_effect_of_the_tool_is_the_floor() {
    let label = TargetIdentity::new(Role::Button, "Harmless");
    for (action, effect) in [
        (
            BrowserAction::Upload(Upload {
                files: vec!["cv.pdf".into()],
            }),
            Effect::Irreversible,
        ),
        (
            BrowserAction::Eval(Eval {
                function: "() => 1".into(),
                target: None,
            }),
            Effect::Irreversible,
        ),
        (
            BrowserAction::Goto(Goto {
                url: "https://shop.example/delete".into(),
            }),
            Effect::Reversible,
        ),
        (
            BrowserAction::Hover(OnTarget { target: target() }),
            Effect::Read,
        ),
        (BrowserAction::Snapshot(NoArguments {}), Effect::Read),
        (
            BrowserAction::Check(OnTarget { target: target() }),
            Effect::Reversible,
        ),
        (
            BrowserAction::Select(Select {
                target: target(),
                values: vec!["Delete".into()],
            }),
            Effect::Reversible,
        ),
    ] {
        assert_eq!(
            classify(&action, Some(&label), &PageContext::default()),
            effect,
            "{:?}",
            action.tool()
        );
    }
    let hover = BrowserAction::Hover(OnTarget { target: target() });
    assert_eq!(
        classify(
            &hover,
            Some(&TargetIdentity::new(Role::Button, "Delete")),
            &PageContext::default()
        ),
        Effect::Read
    );
}

#[test]
fn modes_ask_for_all_but_reads_for_what_is_irreversible_and_for_nothing() {
    let asks = |mode| {
        [Effect::Read, Effect::Reversible, Effect::Irreversible]
            .map(|effect| needs_approval(mode, effect))
    };
    assert_eq!(asks(ApprovalMode::Safe), [false, true, true]);
    assert_eq!(asks(ApprovalMode::Hybrid), [false, false, true]);
    assert_eq!(asks(ApprovalMode::Auto), [false, false, false]);
    for mode in [ApprovalMode::Safe, ApprovalMode::Hybrid, ApprovalMode::Auto] {
        assert_eq!(mode.to_string().parse::<ApprovalMode>().unwrap(), mode);
        assert_eq!(serde_json::to_value(mode).unwrap(), mode.as_str());
    }
    assert!("yolo".parse::<ApprovalMode>().is_err());
    assert_eq!(ApprovalMode::default(), ApprovalMode::Hybrid);
}

proptest! {
    #[test]
    fn any_label_has_an_effect_that_is_at_least_its_tools(name in "\\PC{0,60}", heading in "\\PC{0,60}", kind in 0..4) {
        let kind = [PageKind::Login, PageKind::Search, PageKind::Checkout, PageKind::Other][usize::try_from(kind).unwrap()];
        let page = PageContext { kind, heading: Some(&heading), dialog: Some(&name), ..PageContext::default() };
        let effect = classify(&click(), Some(&TargetIdentity::new(Role::Button, name.clone())), &page);
        prop_assert!(effect >= BrowserTool::Click.effect());
    }

    #[test]
    fn words_around_a_verb_do_not_hide_it_on_a_button(before in "[bcfghj-mqz]{1,8}", after in "[bcfghj-mqz]{1,8}") {
        for name in [format!("{before} delete {after}"), format!("{before}: DELETE! ({after})")] {
            prop_assert!(is_grave(Role::Button, &name, &PageContext::default()), "{}", name);
        }
    }
}

#[test]
fn a_verb_with_a_price_asks() {
    let page = PageContext::default();
    for name in [
        "Book flight for $262",
        "Book for 262 EUR",
        "Reserve now · £30",
        "Get for $4.99",
        "Order (12 USD)",
        "Upgrade for $3/month",
        "Flug buchen für 262 €",
        "Réserver 30 €",
    ] {
        assert!(is_grave(Role::Button, name, &page), "{name}");
    }
    for name in [
        "Book flight",
        "Add to cart $20",
        "View deal $262",
        "$20 - $50",
        "Under $50",
        "Blue shirt $20",
        "Comic book, signed, 5 USD",
        "Book 3 seats",
    ] {
        assert!(!is_grave(Role::Button, name, &page), "{name}");
    }
    // A link only leads to a page, and a card may quote other people.
    let linked = PageContext {
        link: Some("/flights/7"),
        ..page
    };
    assert!(!is_grave(Role::Link, "Book flight for $262", &linked));
    assert!(is_grave(Role::Generic, "Book flight for $262", &page));
    let card = "Get the new phone in blue or black for $262";
    assert!(!is_grave(Role::Generic, card, &page));
}
