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
    "D\u{435}l\u{435}t\u{435} account",
    "D e l e t e \u{a0} a c c o u n t",
    "\u{1f5d1}\u{fe0f}",
    "Sell at market",
    "Cancel Premium subscription",
    "Close my savings account",
    "Cancel orders",
    "Squash and merge",
    "Schedule payment",
    "Submit your final order",
    "Reject all applications",
    "Reject candidate",
    "Make repository public",
    "Submit application",
    "Merge pull request",
    "Reboot",
    "Invite all",
    "Share publicly",
    "Resign",
    "Clear history",
    "Archive project",
    "Reserve table",
    "Yes, archive it",
    "Confirm & sign",
    "Approve request",
    "Make admin",
    "Grant access",
    "Deploy to production",
    "Shut down",
    "Cancel my contract",
    "Move to trash",
    "Purge cache",
    "Ban user",
    "Leave group",
    "Bewerbung absenden",
    "Verlauf leeren",
    "Öffentlich teilen",
    "Signer le contrat",
    "Redémarrer",
    "Reservar mesa",
    "Перезагрузить",
    "再起動",
    "提交申请",
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
    "Product archive",
    "Sign in with Google",
    "Sign me in",
    "Block inserter",
    "Add copper wire to cart",
    "Go to live chat",
    "Release notes",
    "Send password reset",
    "Decline cookies",
    "Start",
    "Go",
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
    let title = PageContext {
        title: Some("Delete the selected object?"),
        ..PageContext::default()
    };
    let heading = PageContext {
        headings: vec!["Delete the selected object?".into()],
        ..PageContext::default()
    };
    let prose = PageContext {
        prose: "3 files are chosen.\nDo you really want to delete them?".into(),
        ..PageContext::default()
    };
    for name in ["OK", "Yes, I’m sure", "Confirm", "Ja", "はい"] {
        assert!(is_grave(Role::Button, name, &asks), "{name}");
        for page in [&title, &heading, &prose] {
            assert!(is_grave(Role::Button, name, page), "{name}");
        }
        let mut inside = TargetIdentity::new(Role::Button, name);
        inside.ancestors = vec!["Buttons".into(), "Delete account".into()];
        assert_eq!(
            classify(&click(), Some(&inside), &PageContext::default()),
            Effect::Irreversible,
            "{name}"
        );
    }
    for page in [&asks, &heading, &prose] {
        assert!(is_grave(Role::Button, "Continue", page));
    }
    // The title belongs to the whole page.
    assert!(!is_grave(Role::Button, "Continue", &title));
    for name in ["Cancel", "No, take me back", "Close"] {
        assert!(
            [&asks, &title, &heading, &prose]
                .iter()
                .all(|page| !is_grave(Role::Button, name, page)),
            "{name}"
        );
    }
    let harmless = PageContext {
        dialog: Some("Leave this page?"),
        title: Some("Order history"),
        headings: vec!["Order history".into()],
        ..PageContext::default()
    };
    assert!(!is_grave(Role::Button, "OK", &harmless));
}

#[test]
fn what_stands_around_a_harmless_button_does_not_make_it_grave() {
    let over = |heading: &str, prose: &str| PageContext {
        headings: vec![heading.into()],
        prose: prose.into(),
        ..PageContext::default()
    };
    for (button, page) in [
        ("Next", over("Buy it with", "")),
        (
            "Next",
            over("", "Full time, permanent. Published once a week."),
        ),
        (
            "Next",
            over("", "Want to sell your car? Click here to subscribe."),
        ),
        (
            "Accept all",
            over(
                "Delete account",
                "We use cookies. You can delete them at any time.",
            ),
        ),
        ("Reject all", over("Cookies", "")),
        ("Decline", over("", "Shall we send you notifications?")),
        ("Save", over("Purchase orders", "")),
        ("Apply", over("Transfers", "")),
        (
            "Submit",
            over("How to delete files: a guide in ten steps", ""),
        ),
        (
            "Continue",
            over("Sign in", "A code will be sent to your phone."),
        ),
    ] {
        assert!(!is_grave(Role::Button, button, &page), "{button} {page:?}");
    }
    let titled = PageContext {
        title: Some("WeTransfer: send large files"),
        ..PageContext::default()
    };
    assert!(!is_grave(Role::Button, "OK", &titled));
    let linked = PageContext {
        link: Some("?page=2"),
        ..over("Buy iPhone 16 Pro", "Do you want to delete it?")
    };
    assert!(!is_grave(Role::Link, "Continue", &linked));
    for (link, is_command) in [
        ("/items/3/delete", true),
        ("/x?action=remove&id=4", true),
        ("/deleteItem/4", true),
        ("/c/makeup-remover", false),
        ("/tools/remove-background", false),
        ("/wissen/", false),
    ] {
        let page = PageContext {
            link: Some(link),
            ..PageContext::default()
        };
        assert_eq!(is_grave(Role::Link, "Item 4", &page), is_command, "{link}");
    }
    for (button, page) in [
        ("Start", over("Factory reset", "")),
        ("Next", over("", "This permanently erases all data.")),
        ("Confirm", over("Account deletion", "")),
        ("Decline", over("Board meeting, Monday", "")),
    ] {
        assert!(is_grave(Role::Button, button, &page), "{button} {page:?}");
    }
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
    for form in [FormKind::Login, FormKind::Search] {
        let page = PageContext {
            form,
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
    let with = |form| PageContext {
        form,
        has_secret: true,
        ..PageContext::default()
    };
    assert!(is_grave(
        Role::Button,
        "Weiter geht's",
        &with(FormKind::Other)
    ));
    assert!(is_grave(Role::Button, "", &with(FormKind::Search)));
    assert!(!is_grave(Role::Button, "Log in", &with(FormKind::Login)));
    // A login box at the side of another page.
    assert!(!is_grave(Role::Button, "Log in", &with(FormKind::Other)));
    assert!(is_grave(Role::Button, "Log in", &with(FormKind::Password)));
    assert!(is_grave(
        Role::Button,
        "Log in and pay",
        &with(FormKind::Other)
    ));
    assert!(!is_grave(
        Role::Button,
        "Show password",
        &with(FormKind::Other)
    ));
    assert!(!is_grave(Role::Button, "Cancel", &with(FormKind::Password)));
    assert!(!is_grave(
        Role::Link,
        "Forgot password",
        &with(FormKind::Password)
    ));
    let fill = |submit| {
        BrowserAction::Fill(Fill {
            target: target(),
            text: "<secret:PASSWORD>".into(),
            submit,
        })
    };
    let field = TargetIdentity::new(Role::TextBox, "Password");
    let on = |action: &BrowserAction, form| {
        let page = PageContext {
            form,
            ..PageContext::default()
        };
        classify(action, Some(&field), &page)
    };
    assert_eq!(on(&fill(true), FormKind::Other), Effect::Irreversible);
    assert_eq!(on(&fill(true), FormKind::Password), Effect::Irreversible);
    assert_eq!(on(&fill(true), FormKind::Login), Effect::Reversible);
    assert_eq!(on(&fill(false), FormKind::Password), Effect::Reversible);
}

#[test]
fn a_form_in_a_checkout_may_buy_unless_its_button_is_known_to_do_something_else() {
    let field = TargetIdentity::new(Role::TextBox, "Coupon");
    let with = |submit| PageContext {
        form: FormKind::Checkout,
        submit,
        ..PageContext::default()
    };
    let enter = |submit| classify(&press("Enter"), Some(&field), &with(submit));
    for submit in [None, Some(Effect::Irreversible)] {
        assert_eq!(enter(submit), Effect::Irreversible, "{submit:?}");
    }
    assert_eq!(enter(Some(Effect::Reversible)), Effect::Reversible);
    for (button, grave) in [("Confirm", true), ("Submit", true), ("Apply coupon", false)] {
        assert_eq!(
            is_grave(Role::Button, button, &with(None)),
            grave,
            "{button}"
        );
    }
}

fn press(key: &str) -> BrowserAction {
    BrowserAction::Press(Press {
        key: Key::parse(key).unwrap(),
        target: None,
        times: None,
    })
}

#[test]
fn a_key_does_what_it_does_to_what_has_the_focus() {
    let press = |key: &str, target: Option<&TargetIdentity>, page: &PageContext<'_>| {
        classify(&press(key), target, page) == Effect::Irreversible
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
    let sends = PageContext {
        submit: Some(Effect::Irreversible),
        ..plain.clone()
    };
    assert!(press("Enter", Some(&field), &sends) && press("Control+Enter", Some(&field), &sends));
    let searches = PageContext {
        form: FormKind::Search,
        ..plain.clone()
    };
    for name in [
        "Message #general",
        "Write a comment…",
        "Nachricht",
        "メッセージを入力",
    ] {
        let chat = TargetIdentity::new(Role::TextBox, name);
        assert!(press("Enter", Some(&chat), &plain), "{name}");
        assert!(!press("Enter", Some(&chat), &searches), "{name}");
        let types = |text: &str| {
            BrowserAction::Type(Type {
                text: text.into(),
                submit: false,
            })
        };
        assert_eq!(
            classify(&types("Hello\n"), Some(&chat), &plain),
            Effect::Irreversible
        );
        assert_eq!(
            classify(&types("Hello"), Some(&chat), &plain),
            Effect::Reversible
        );
    }
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
    icon.label = Some("Pin".into());
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
    fn any_label_has_an_effect_that_is_at_least_its_tools(name in "\\PC{0,60}", heading in "\\PC{0,60}", kind in 0..5) {
        let form = [FormKind::Login, FormKind::Password, FormKind::Search, FormKind::Checkout, FormKind::Other][usize::try_from(kind).unwrap()];
        let page = PageContext { form, headings: vec![heading.clone()], prose: heading, dialog: Some(&name), ..PageContext::default() };
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
        ..page.clone()
    };
    assert!(!is_grave(Role::Link, "Book flight for $262", &linked));
    assert!(is_grave(Role::Generic, "Book flight for $262", &page));
    let card = "Get the new phone in blue or black for $262";
    assert!(!is_grave(Role::Generic, card, &page));
}
