//! Answers to dialogs and to file choosers.

use serde_json::{Value, json};

use super::{driver::Cdp, error::CdpError, state::Tab};
use crate::{
    action::{BrowserAction, ErrorClass, Outcome, Upload},
    browser::{
        ExecuteRequest, Execution,
        rules::{DIALOG_SECRET, uploaded},
    },
    page::DialogKind,
};

impl Cdp {
    /// Carries out an action that answers a dialog or file chooser. Returns `None` for every other action. Refuses the
    /// action if no dialog or file chooser is open.
    pub(super) async fn answered(
        &self,
        request: &ExecuteRequest,
    ) -> Result<Option<Execution>, CdpError> {
        let (accept, text) = match &request.action {
            BrowserAction::DialogAccept(answer) => (true, answer.text.as_ref()),
            BrowserAction::DialogDismiss(_) => (false, None),
            BrowserAction::Upload(upload) => {
                return self.upload(upload, request).await.map(Some);
            }
            _ => return Ok(None),
        };
        if text.is_some_and(|text| text.secret().is_some()) {
            return Err(CdpError::refused(ErrorClass::SecretRefused, DIALOG_SECRET));
        }
        let (target, number, kind, default) = {
            let known = self.hub.state();
            match known.trouble() {
                None | Some(CdpError::Dialog(_)) => {}
                Some(trouble) => return Err(trouble),
            }
            let tab = known.blocking();
            let dialog = tab.and_then(Tab::blocked_by);
            let default = tab
                .and_then(|tab| tab.dialog.as_ref())
                .map(|dialog| dialog.default_prompt.clone());
            let dialog = dialog.ok_or_else(|| CdpError::refused(ErrorClass::NoDialog, ""))?;
            let number = tab.map_or(0, |tab| tab.dialogs);
            (
                tab.map(|tab| tab.target.clone()),
                number,
                dialog.kind,
                default.unwrap_or_default(),
            )
        };
        if kind == DialogKind::FileChooser {
            if accept {
                let why = "a file chooser can only be answered with upload, or dismissed";
                return Err(CdpError::refused(ErrorClass::Unsupported, why));
            }
            if let Some(tab) = self.hub.state().tab_mut() {
                tab.chooser = None;
            }
            return Ok(Some(Outcome::Done.into()));
        }
        let target = target.unwrap_or_default();
        let session = self
            .hub
            .state()
            .by_target(&target)
            .and_then(|tab| tab.session.clone())
            .ok_or(CdpError::Moved)?;
        let text = text.map_or(default, ToString::to_string);
        let params = json!({ "accept": accept, "promptText": text });
        self.hub
            .wire
            .call::<Value>(Some(&session), "Page.handleJavaScriptDialog", params)
            .await?;
        self.hub
            .until(|known| {
                let stays = |tab: &Tab| tab.dialog.is_some() && tab.dialogs == number;
                (known.closed || !known.by_target(&target).is_some_and(|tab| stays(tab)))
                    .then_some(())
            })
            .await;
        Ok(Some(Outcome::Done.into()))
    }

    async fn upload(
        &self,
        upload: &Upload,
        request: &ExecuteRequest,
    ) -> Result<Execution, CdpError> {
        let files = match uploaded(upload, &request.files) {
            Ok(files) => files,
            Err(refused) => return Ok(refused.into()),
        };
        if !files.iter().all(|file| file.is_file()) {
            return Err(CdpError::refused(
                ErrorClass::FileRefused,
                "it cannot be read",
            ));
        }
        let chooser = self.hub.state().tab().and_then(|tab| tab.chooser.clone());
        let chooser = chooser.ok_or_else(|| CdpError::refused(ErrorClass::NoFileChooser, ""))?;
        if files.len() > 1 && !chooser.multiple {
            return Err(CdpError::refused(
                ErrorClass::BadArguments,
                "the file chooser takes one file",
            ));
        }
        let node = chooser.node.ok_or_else(|| {
            CdpError::refused(ErrorClass::Unsupported, "it gives its files to no field")
        })?;
        let params = json!({ "files": files, "backendNodeId": node });
        self.hub
            .call::<Value>(&chooser.session, "DOM.setFileInputFiles", params)
            .await?;
        if let Some(tab) = self.hub.state().tab_mut() {
            tab.chooser = None;
        }
        Ok(Outcome::Done.into())
    }
}
