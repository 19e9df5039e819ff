//! Saving and loading of cookies and local storage, as a state with a name.

use std::time::Duration;

use super::{
    driver::{PlaywrightCli, State},
    execute::is_done,
    transport::Command,
};
use crate::{
    action::{ErrorClass, Outcome},
    base::{Error, ErrorKind, Result},
    browser::{Execution, rules::STATE_NAME},
};

impl PlaywrightCli {
    pub(super) async fn storage(
        &self,
        state: &mut State,
        name: &'static str,
        file: &str,
        timeout: Duration,
    ) -> Result<Execution> {
        if crate::base::SessionId::parse(file).is_err() {
            return Ok(Outcome::failed(ErrorClass::BadArguments, STATE_NAME).into());
        }
        let folder = self
            .options
            .common
            .state_folder
            .clone()
            .unwrap_or_else(|| self.folder.path().join("out"));
        let path = folder.join(format!("state-{file}.json"));
        let io = |error| Error::new(ErrorKind::Io, "browser.state").with_source(error);
        let is_new = name == "state-save" && !path.exists();
        if is_new {
            // The file is created first, because the tool would create it readable for everybody.
            std::fs::create_dir_all(&folder).map_err(io)?;
            crate::browser::chromium::write_private(&path, b"{}").map_err(io)?;
        }
        let evidence = if name == "state-save" {
            ".storageState("
        } else {
            ".setStorageState("
        };
        let command = Command::new(name).arg(path.display().to_string());
        let result = self.simple(state, command, evidence, timeout).await;
        // After a timeout the tool may still write. The file that only this user can read is kept, so that the tool
        // writes into it.
        if is_new
            && !matches!(&result, Err(error) if error.kind() == ErrorKind::Timeout)
            && !is_done(&result)
        {
            // If this fails, the empty file stays, and a later save overwrites it.
            let _ = std::fs::remove_file(&path);
        }
        result
    }
}
