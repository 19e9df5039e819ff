//! Checks of secrets: a driver types them only at the origins to which they are bound, and never reveals them.

use std::sync::Arc;

use super::{
    Found,
    bed::{Bed, click, locator, said},
    checks, ensure,
};
use crate::{
    action::{
        BrowserAction, DialogAccept, ErrorClass, Fill, Key, Outcome, Press, Select, TabNew, Target,
        TextValue, Type,
    },
    base::Origin,
    browser::{ExecuteRequest, Execution},
    page::{Observation, Role},
    secret::{Secret, SecretName, SecretResolver, Vault},
};

checks! {
    a_secret_is_typed_where_it_is_bound_and_shown_nowhere needs [Fill],
    a_secret_is_typed_into_the_focused_field needs [Click, Type],
    a_secret_stays_hidden_in_a_field_that_is_none_for_secrets needs [Fill, Click, Type],
    a_secret_stays_hidden_when_a_dialog_opens_while_it_is_typed needs [Fill, DialogAccept],
    a_field_is_hidden_for_what_it_is_and_not_for_its_neighbours needs [],
    what_may_be_shown_in_one_tab_says_nothing_of_another needs [TabNew],
    a_secret_is_refused_on_another_origin needs [Fill, Type],
    a_secret_is_refused_in_a_frame_of_another_origin needs [Fill],
    a_secret_is_released_in_a_frame_only_if_both_origins_are_bound needs [Fill],
    a_form_that_goes_elsewhere_gets_no_secret_and_sends_none needs [Fill, Click, Press],
    an_unknown_secret_is_refused_and_not_typed_as_text needs [Fill],
    a_secret_goes_into_fields_only needs [Fill],
}

/// The value of the secret in the checks. It contains characters that could end a string literal in a script.
const VALUE: &str = "p4\"'`\\${x}</script>\u{2028}ß東";

fn name() -> Result<SecretName, String> {
    SecretName::parse("LOGIN").map_err(said)
}

fn bound_to(origins: &[&str]) -> Result<SecretResolver, String> {
    let origins = origins
        .iter()
        .map(|url| Origin::parse(url))
        .collect::<Result<_, _>>()
        .map_err(said)?;
    let vault = Vault::new()
        .with(name()?, Secret::new(VALUE), origins)
        .map_err(said)?;
    Ok(SecretResolver::new(Arc::new(vault)))
}

/// Returns the text that the page with the login form logs for a typed value: the value's length and the sum of its
/// character codes.
fn sum(value: &str) -> String {
    let (units, points): (usize, u32) = (
        value.encode_utf16().count(),
        value.chars().map(u32::from).sum(),
    );
    format!("{units}%3A{points}")
}

async fn fill(
    bed: &Bed<'_>,
    target: Target,
    secrets: SecretResolver,
    submit: bool,
) -> Result<Execution, String> {
    let action = BrowserAction::Fill(Fill {
        target,
        text: TextValue::Secret(name()?),
        submit,
    });
    bed.ask(ExecuteRequest::new(action).with_secrets(secrets))
        .await
}

/// Fails the check if the result of the action or an observation of the page contains certain parts of the secret
/// [`VALUE`].
async fn told_nowhere(bed: &Bed<'_>, execution: &Execution) -> Found {
    let seen = bed.see().await?;
    for (place, text) in [
        ("execution", format!("{execution:?}")),
        ("observation", format!("{seen:?}")),
    ] {
        ensure!(
            !text.contains("${x}") && !text.contains("</script>"),
            "the {place} holds the secret"
        );
    }
    Ok(())
}

async fn a_secret_is_typed_where_it_is_bound_and_shown_nowhere(bed: &Bed<'_>) -> Found {
    bed.open("login").await?;
    let secrets = bound_to(&[&bed.site.url("")])?;
    for (field, logged) in [("Password", "password"), ("User", "user")] {
        let target = bed.find(Role::TextBox, field).await?;
        let execution = fill(bed, target, secrets.clone(), field == "User").await?;
        ensure!(
            execution.outcome.is_done(),
            "filling {field} gave {:?}",
            execution.outcome
        );
        ensure!(execution.locator.is_some(), "no locator was told");
        bed.shows(&format!("{logged}={};", sum(VALUE))).await?;
        told_nowhere(bed, &execution).await?;
    }
    bed.shows("sent=1;").await
}

async fn a_secret_is_typed_into_the_focused_field(bed: &Bed<'_>) -> Found {
    bed.open("login").await?;
    let secrets = bound_to(&[&bed.site.url("")])?;
    let action = || {
        Ok::<_, String>(BrowserAction::Type(Type {
            text: TextValue::Secret(name()?),
            submit: false,
        }))
    };
    let execution = bed
        .ask(ExecuteRequest::new(action()?).with_secrets(secrets.clone()))
        .await?;
    let class = execution.outcome.class();
    ensure!(
        class == Some(ErrorClass::SecretRefused),
        "without a focused field it gave {:?}",
        execution.outcome
    );
    let target = bed.find(Role::TextBox, "Password").await?;
    bed.does(click(target)).await?;
    let execution = bed
        .ask(ExecuteRequest::new(action()?).with_secrets(secrets))
        .await?;
    ensure!(
        execution.outcome.is_done(),
        "typing gave {:?}",
        execution.outcome
    );
    bed.shows(&format!("password={};", sum(VALUE))).await?;
    told_nowhere(bed, &execution).await
}

async fn a_secret_stays_hidden_in_a_field_that_is_none_for_secrets(bed: &Bed<'_>) -> Found {
    let secrets = bound_to(&[&bed.site.url("")])?;
    bed.open("login").await?;
    let execution = fill(bed, locator(r#"label="User""#)?, secrets.clone(), false).await?;
    ensure!(
        execution.outcome.is_done(),
        "by a locator it gave {:?}",
        execution.outcome
    );
    told_nowhere(bed, &execution).await?;
    bed.open("login").await?;
    bed.does(click(locator(r#"label="User""#)?)).await?;
    let action = BrowserAction::Type(Type {
        text: TextValue::Secret(name()?),
        submit: false,
    });
    let execution = bed
        .ask(ExecuteRequest::new(action).with_secrets(secrets))
        .await?;
    ensure!(
        execution.outcome.is_done(),
        "into the focused field it gave {:?}",
        execution.outcome
    );
    bed.shows(&format!("user={};", sum(VALUE))).await?;
    told_nowhere(bed, &execution).await
}

async fn a_secret_stays_hidden_when_a_dialog_opens_while_it_is_typed(bed: &Bed<'_>) -> Found {
    bed.open("login-asking").await?;
    let target = bed.find(Role::TextBox, "Word").await?;
    let execution = fill(bed, target, bound_to(&[&bed.site.url("")])?, false).await?;
    ensure!(
        execution.outcome.is_done(),
        "it gave {:?}",
        execution.outcome
    );
    ensure!(execution.dialog.is_some(), "the dialog was not told");
    bed.does(BrowserAction::DialogAccept(DialogAccept { text: None }))
        .await?;
    bed.shows(&format!("word={};", sum(VALUE))).await?;
    told_nowhere(bed, &execution).await
}

async fn a_field_is_hidden_for_what_it_is_and_not_for_its_neighbours(bed: &Bed<'_>) -> Found {
    bed.open("fields-plain").await?;
    let shows_all = |seen: &str| seen.contains("shown-one") && seen.contains("prefilled-by-page");
    let seen = bed
        .see_frames(|seen| Ok(shows_all(&format!("{seen:?}"))))
        .await?;
    let seen = format!("{seen:?}");
    ensure!(shows_all(&seen), "a plain field is hidden: {seen}");
    // The page is observed twice, because the second observation uses what the first found out about the fields.
    bed.open("fields").await?;
    for look in 0..2 {
        let missing = |seen: &str| {
            let all = ["shown-one", "shown-two", "shown-three"];
            all.into_iter()
                .find(|shown| seen.matches(shown).count() != 2)
        };
        // No observation may show the hidden values, not even while a frame still loads.
        let is_there = |seen: &Observation| {
            let seen = format!("{seen:?}");
            ensure!(
                !seen.contains("hidden-"),
                "look {look} shows what is to be hidden: {seen}"
            );
            Ok(missing(&seen).is_none())
        };
        let seen = bed.see_frames(is_there).await?;
        if let Some(shown) = missing(&format!("{seen:?}")) {
            return Err(format!(
                "look {look} does not show {shown} in the page and in its frame"
            ));
        }
    }
    Ok(())
}

async fn what_may_be_shown_in_one_tab_says_nothing_of_another(bed: &Bed<'_>) -> Found {
    bed.open("word-shown").await?;
    let shown = format!("{:?}", bed.see().await?);
    ensure!(
        shown.contains("prefilled-by-page"),
        "a field that is none for secrets is hidden"
    );
    bed.does(BrowserAction::TabNew(TabNew {
        url: Some(bed.site.url("word-hidden")),
    }))
    .await?;
    let hidden = format!("{:?}", bed.see().await?);
    ensure!(
        !hidden.contains("prefilled-by-page"),
        "the password of another tab is shown"
    );
    Ok(())
}

async fn a_secret_is_refused_on_another_origin(bed: &Bed<'_>) -> Found {
    bed.open("login").await?;
    let target = bed.find(Role::TextBox, "Password").await?;
    bed.does(click(target.clone())).await?;
    for origin in [
        bed.site.other_url(""),
        bed.site.url("").replace("http:", "https:"),
        "http://127.0.0.1:1".into(),
    ] {
        let secrets = bound_to(&[&origin])?;
        let filled = fill(bed, target.clone(), secrets.clone(), false)
            .await?
            .outcome;
        ensure!(
            filled.class() == Some(ErrorClass::SecretRefused),
            "bound to {origin}, filling gave {filled:?}"
        );
        let action = BrowserAction::Type(Type {
            text: TextValue::Secret(name()?),
            submit: false,
        });
        let typed = bed
            .ask(ExecuteRequest::new(action).with_secrets(secrets))
            .await?
            .outcome;
        ensure!(
            typed.class() == Some(ErrorClass::SecretRefused),
            "bound to {origin}, typing gave {typed:?}"
        );
    }
    let text = bed.text().await?;
    ensure!(!text.contains("password="), "something was typed: {text:?}");
    Ok(())
}

async fn in_the_frame(bed: &Bed<'_>, origins: &[&str]) -> Result<Outcome, String> {
    bed.open("login-framed").await?;
    let target = bed.find_in_frame(Role::TextBox, "Password").await?;
    Ok(fill(bed, target, bound_to(origins)?, false).await?.outcome)
}

async fn a_secret_is_refused_in_a_frame_of_another_origin(bed: &Bed<'_>) -> Found {
    for origin in [bed.site.url(""), bed.site.other_url("")] {
        let outcome = in_the_frame(bed, &[&origin]).await?;
        ensure!(
            outcome.class() == Some(ErrorClass::SecretRefused),
            "bound to {origin} it gave {outcome:?}"
        );
    }
    let text = bed.text().await?;
    ensure!(!text.contains("password="), "something was typed: {text:?}");
    Ok(())
}

async fn a_secret_is_released_in_a_frame_only_if_both_origins_are_bound(bed: &Bed<'_>) -> Found {
    let outcome = in_the_frame(bed, &[&bed.site.url(""), &bed.site.other_url("")]).await?;
    ensure!(outcome.is_done(), "bound to both it gave {outcome:?}");
    bed.shows(&format!("password={};", sum(VALUE))).await
}

async fn a_form_that_goes_elsewhere_gets_no_secret_and_sends_none(bed: &Bed<'_>) -> Found {
    bed.open("login-elsewhere").await?;
    let secrets = bound_to(&[&bed.site.url("")])?;
    let first = bed.find(Role::TextBox, "First").await?;
    let refused = fill(bed, first, secrets.clone(), true).await?;
    let second = bed.find(Role::TextBox, "Second").await?;
    let filled = fill(bed, second, secrets.clone(), false).await?.outcome;
    ensure!(filled.is_done(), "filling the second gave {filled:?}");
    bed.shows(&format!("second={};", VALUE.encode_utf16().count()))
        .await?;
    let press = BrowserAction::Press(Press {
        key: Key::parse("Enter").map_err(said)?,
        target: None,
        times: None,
    });
    let button = bed.find(Role::Button, "Go on").await?;
    let mut executions = vec![refused];
    for action in [press, click(button)] {
        let request = ExecuteRequest::new(action).with_secrets(secrets.clone());
        executions.push(bed.ask(request).await?);
    }
    for Execution { outcome, .. } in &executions {
        let told = match outcome {
            Outcome::Failed(failure) if failure.class == ErrorClass::SecretLeaves => {
                failure.detail.contains("http://elsewhere.test")
            }
            _ => false,
        };
        ensure!(told, "it gave {outcome:?}");
    }
    let text = bed.text().await?;
    ensure!(
        !text.contains("first=") && !text.contains("sent="),
        "something was typed or sent: {text:?}"
    );
    Ok(())
}

async fn an_unknown_secret_is_refused_and_not_typed_as_text(bed: &Bed<'_>) -> Found {
    bed.open("login").await?;
    let target = bed.find(Role::TextBox, "User").await?;
    let text = TextValue::Secret(SecretName::parse("OTHER").map_err(said)?);
    let action = BrowserAction::Fill(Fill {
        target,
        text,
        submit: false,
    });
    let outcome = bed
        .ask(ExecuteRequest::new(action).with_secrets(bound_to(&[&bed.site.url("")])?))
        .await?
        .outcome;
    ensure!(
        outcome.class() == Some(ErrorClass::SecretRefused),
        "it gave {outcome:?}"
    );
    let text = bed.text().await?;
    ensure!(!text.contains("user="), "something was typed: {text:?}");
    Ok(())
}

async fn a_secret_goes_into_fields_only(bed: &Bed<'_>) -> Found {
    bed.open("form").await?;
    let secrets = bound_to(&[&bed.site.url("")])?;
    let target = bed.find(Role::Combobox, "Colour").await?;
    let select = BrowserAction::Select(Select {
        target,
        values: vec![TextValue::Secret(name()?)],
    });
    let answer = BrowserAction::DialogAccept(DialogAccept {
        text: Some(TextValue::Secret(name()?)),
    });
    for action in [select, answer] {
        let outcome = bed
            .ask(ExecuteRequest::new(action).with_secrets(secrets.clone()))
            .await?
            .outcome;
        ensure!(
            outcome.class() == Some(ErrorClass::SecretRefused),
            "it gave {outcome:?}"
        );
    }
    Ok(())
}
