//! Checks of selected text.

use super::{
    Found,
    bed::{Bed, locator, text_of},
    checks, ensure,
};
use crate::{
    action::{BrowserAction, ErrorClass, SelectText},
    base::text::squeeze,
};

checks! {
    the_text_of_an_element_is_selected needs [SelectText],
}

async fn the_text_of_an_element_is_selected(bed: &Bed<'_>) -> Found {
    bed.open("texts").await?;
    let select = |id: &str, words: Option<&str>| -> Result<BrowserAction, String> {
        Ok(BrowserAction::SelectText(SelectText {
            target: locator(&format!(r##"css="#{id}""##))?,
            text: words.map(Into::into),
        }))
    };
    // The page reports the element that has the focus, the number of the selected occurrence, and the selected text.
    for (id, words, focus, selected) in [
        ("story", None, "page", "The fox runs, and the fox rests."),
        ("story", Some("runs,  and the"), "page", "runs, and the"),
        ("notes", Some("beta"), "notes", "beta"),
        ("notes", None, "notes", "alpha beta gamma"),
        ("mail", None, "mail", "ann@a.test"),
        // The first occurrence is selected, and the field loses the focus.
        ("story", Some("fox"), "page", "fox"),
        ("cell", Some("North"), "cell", "North"),
        ("list", Some("Tea Coffee"), "page", "Tea Coffee"),
    ] {
        bed.does(select(id, words)?).await?;
        let seen = bed.see().await?;
        let told = squeeze(&seen.selected);
        ensure!(
            told.is_empty() || told == selected,
            "{id}: the driver tells {told:?} and not {selected:?}"
        );
        let told = text_of(&seen);
        let last = told.split_whitespace().find(|part| part.contains("=1."));
        let last = last.and_then(|log| log.trim_end_matches(';').rsplit(';').next());
        let wanted = format!("{focus}=1.{}", selected.replace(' ', "_"));
        ensure!(
            last.is_some_and(|last| last == wanted.replace(',', "%2C").replace('@', "%40")),
            "{id}: the page tells {last:?} and not {wanted:?}"
        );
    }
    for (id, words, class) in [
        ("story", "fox runs fast", ErrorClass::BadArguments),
        ("notes", "delta", ErrorClass::BadArguments),
        // This list item is hidden.
        ("list", "Cocoa", ErrorClass::BadArguments),
        ("mail", "ann", ErrorClass::BadArguments),
    ] {
        bed.fails(select(id, Some(words))?, class).await?;
    }
    bed.fails(select("box", None)?, ErrorClass::WrongElement)
        .await?;
    // The content of a field for a secret is neither told nor searched.
    bed.does(select("word", None)?).await?;
    let told = bed.see().await?.selected;
    ensure!(told.is_empty(), "the driver tells {told:?} of a secret");
    bed.fails(select("word", Some("hidden"))?, ErrorClass::BadArguments)
        .await
        .map(drop)
}
