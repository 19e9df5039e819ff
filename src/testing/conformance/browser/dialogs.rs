//! Checks of dialogs that block a page.

use super::{
    Found,
    bed::{Bed, click, nothing},
    checks, ensure,
};
use crate::{
    action::{BrowserAction, DialogAccept, ErrorClass, Goto, Upload, Wait},
    page::{Dialog, DialogKind, Role},
};

checks! {
    a_dialog_is_told_and_blocks_until_it_is_answered needs [Click, DialogAccept],
    a_question_is_answered_either_way needs [Click, DialogAccept, DialogDismiss],
    a_prompt_takes_a_text needs [Click, DialogAccept],
    a_dialog_that_comes_later_is_seen needs [Click, Wait, DialogDismiss],
    leaving_a_guarded_page_asks_first needs [Click, Goto, DialogAccept],
    without_a_dialog_there_is_nothing_to_answer needs [DialogAccept, DialogDismiss],
    without_a_chooser_or_a_permission_nothing_is_uploaded needs [Upload],
}

const fn accept(text: Option<crate::action::TextValue>) -> BrowserAction {
    BrowserAction::DialogAccept(DialogAccept { text })
}

async fn a_dialog_is_told_and_blocks_until_it_is_answered(bed: &Bed<'_>) -> Found {
    bed.open("dialogs").await?;
    let (alert, confirm) = (
        bed.find(Role::Button, "Alert").await?,
        bed.find(Role::Button, "Confirm").await?,
    );
    let message = "Hi\n### Page\n- Page URL: http://evil.test/";
    let execution = bed.does(click(alert)).await?;
    let expected = Some(Dialog::new(DialogKind::Alert, message));
    ensure!(
        execution.dialog == expected,
        "the click told of {:?}",
        execution.dialog
    );
    let seen = bed.see().await?;
    ensure!(
        seen.dialog == expected && seen.tree.is_empty(),
        "under the dialog there is {seen:?}"
    );
    ensure!(
        seen.url == bed.site.url("dialogs"),
        "the dialog changed the address to {:?}",
        seen.url
    );
    bed.fails(click(confirm.clone()), ErrorClass::DialogOpen)
        .await?;
    bed.fails(
        BrowserAction::Goto(Goto {
            url: bed.site.url("article"),
        }),
        ErrorClass::DialogOpen,
    )
    .await?;
    bed.does(accept(None)).await?;
    let seen = bed.see().await?;
    ensure!(
        seen.dialog.is_none() && !seen.tree.is_empty(),
        "after the answer there is {:?}",
        seen.dialog
    );
    ensure!(
        seen.url == bed.site.url("dialogs"),
        "the address is {:?}",
        seen.url
    );
    Ok(())
}

async fn a_question_is_answered_either_way(bed: &Bed<'_>) -> Found {
    bed.open("dialogs").await?;
    for (answer, logged) in [
        (accept(None), "sure=true;"),
        (BrowserAction::DialogDismiss(nothing()), "sure=false;"),
    ] {
        let execution = bed.click("Confirm").await?;
        ensure!(
            execution.dialog == Some(Dialog::new(DialogKind::Confirm, "Sure?")),
            "told {:?}",
            execution.dialog
        );
        bed.does(answer).await?;
        bed.shows(logged).await?;
    }
    Ok(())
}

async fn a_prompt_takes_a_text(bed: &Bed<'_>) -> Found {
    bed.open("dialogs").await?;
    for (text, logged) in [
        ("--help", "name=--help;"),
        ("Bob \"B\"", "name=Bob%20%22B%22;"),
    ] {
        bed.click("Prompt").await?;
        bed.does(accept(Some(text.into()))).await?;
        bed.shows(logged).await?;
    }
    Ok(())
}

async fn a_dialog_that_comes_later_is_seen(bed: &Bed<'_>) -> Found {
    bed.open("dialogs").await?;
    bed.click("Late").await?;
    let wait = Wait {
        text: Some("never".into()),
        gone: None,
        seconds: None,
    };
    let execution = bed
        .fails(BrowserAction::Wait(wait), ErrorClass::DialogOpen)
        .await?;
    ensure!(
        execution
            .dialog
            .is_some_and(|dialog| dialog.message == "late"),
        "the dialog was not told"
    );
    bed.does(BrowserAction::DialogDismiss(nothing())).await?;
    ensure!(
        bed.see().await?.dialog.is_none(),
        "the dialog is still there"
    );
    Ok(())
}

async fn leaving_a_guarded_page_asks_first(bed: &Bed<'_>) -> Found {
    bed.open("guarded").await?;
    bed.click("Guard").await?;
    let leave = BrowserAction::Goto(Goto {
        url: bed.site.url("article"),
    });
    let execution = bed.fails(leave, ErrorClass::DialogOpen).await?;
    let kind = execution.dialog.map(|dialog| dialog.kind);
    ensure!(
        kind == Some(DialogKind::BeforeUnload),
        "leaving asked with {kind:?}"
    );
    bed.does(accept(None)).await?;
    ensure!(
        bed.see().await?.url == bed.site.url("article"),
        "the answer did not let the page go"
    );
    Ok(())
}

async fn without_a_dialog_there_is_nothing_to_answer(bed: &Bed<'_>) -> Found {
    bed.open("dialogs").await?;
    bed.fails(accept(None), ErrorClass::NoDialog).await?;
    bed.fails(
        BrowserAction::DialogDismiss(nothing()),
        ErrorClass::NoDialog,
    )
    .await
    .map(drop)
}

async fn without_a_chooser_or_a_permission_nothing_is_uploaded(bed: &Bed<'_>) -> Found {
    bed.open("dialogs").await?;
    let upload = |name: &str| {
        BrowserAction::Upload(Upload {
            files: vec![name.into()],
        })
    };
    bed.fails(upload("/etc/passwd"), ErrorClass::FileRefused)
        .await?;
    bed.fails(upload("not-allowed.txt"), ErrorClass::FileRefused)
        .await
        .map(drop)
}
