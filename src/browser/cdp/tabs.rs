//! Tabs: opening, choosing and closing them.

use std::{sync::Arc, time::Duration};

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{driver::Cdp, error::CdpError, events::TargetInfo, hub::Hub, navigate::BLANK};
use crate::{
    action::ErrorClass,
    browser::rules::{LAST_TAB, web_address},
    page::Tab,
};

/// Longest time for a tab to open or close. Source: chosen; it takes about 50 ms.
const CHANGE: Duration = Duration::from_secs(10);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Opened {
    pub(super) target_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Targets {
    target_infos: Vec<TargetInfo>,
}

impl Hub {
    /// Opens an empty tab and returns its target. The tab is recorded even if this future is dropped.
    pub(super) async fn open_tab(self: &Arc<Self>) -> Result<String, CdpError> {
        let hub = Arc::clone(self);
        let opening = tokio::spawn(async move {
            hub.state().opening = true;
            let opened: Result<Opened, _> = hub
                .wire
                .call(
                    None,
                    "Target.createTarget",
                    hub.in_context(json!({ "url": BLANK })),
                )
                .await;
            hub.state().opening = false;
            let target = opened?.target_id;
            hub.state().open(&target);
            hub.changed();
            if !hub.owned {
                let params = json!({ "targetId": target, "flatten": true });
                hub.wire
                    .call::<Value>(None, "Target.attachToTarget", params)
                    .await?;
            }
            Ok(target)
        });
        opening.await.unwrap_or(Err(CdpError::Late))
    }
}

impl Cdp {
    /// Asks the browser for the titles of all tabs. Does nothing if there is only one. The browser's events do not
    /// report the titles of background tabs.
    pub(super) async fn ask_titles(&self) -> Result<(), CdpError> {
        if self.hub.state().tabs.len() < 2 {
            return Ok(());
        }
        let all: Targets = self
            .hub
            .wire
            .call(None, "Target.getTargets", json!({}))
            .await?;
        let mut known = self.hub.state();
        for target in all.target_infos {
            // Events may have changed the tab meanwhile, so the title is taken only if it came with the tab's address.
            if let Some(tab) = known
                .by_target(&target.target_id)
                .filter(|tab| tab.url == target.url)
            {
                tab.title = target.title;
            }
        }
        Ok(())
    }

    /// Returns the tabs in the order in which they appeared.
    pub(super) fn tabs(&self) -> Vec<Tab> {
        let known = self.hub.state();
        let current = known.current.as_deref();
        let tabs = (0..).zip(&known.tabs);
        tabs.map(|(index, tab)| {
            Tab::new(
                index,
                Some(&*tab.target) == current,
                &tab.title,
                tab.url.clone(),
            )
        })
        .collect()
    }

    pub(super) async fn tab_new(&self, address: Option<&str>) -> Result<(), CdpError> {
        // A refused address must not open a tab.
        if let Some(Err(crate::action::Outcome::Failed(failure))) = address.map(web_address) {
            return Err(CdpError::Refused(failure));
        }
        let opened = self.hub.open_tab().await?;
        let there = self.hub.until(|known| {
            let closed = known.closed;
            let tab = known.by_target(&opened)?;
            (closed || (tab.prepared && tab.main().is_some())).then_some(())
        });
        timeout(CHANGE, there).await.map_err(|_| CdpError::Late)?;
        self.turn_to(opened)?;
        match address {
            Some(address) => self.goto(address).await,
            None => Ok(()),
        }
    }

    pub(super) async fn tab_select(&self, index: u32) -> Result<(), CdpError> {
        let target = self.target_at(index)?;
        self.hub
            .wire
            .call::<Value>(None, "Target.activateTarget", json!({ "targetId": target }))
            .await?;
        self.turn_to(target)
    }

    /// Makes a tab the current tab of this driver. Fails if the tab has closed.
    fn turn_to(&self, target: String) -> Result<(), CdpError> {
        let mut known = self.hub.state();
        if known.by_target(&target).is_none() {
            return Err(CdpError::refused(ErrorClass::NoSuchTab, "it closed"));
        }
        known.current = Some(target);
        Ok(())
    }

    /// Closes the tab with this index. Fails if there is only one tab.
    pub(super) async fn tab_close(&self, index: u32) -> Result<(), CdpError> {
        if self.hub.state().tabs.len() < 2 {
            return Err(CdpError::refused(ErrorClass::BadArguments, LAST_TAB));
        }
        let target = self.target_at(index)?;
        self.hub
            .wire
            .call::<Value>(None, "Target.closeTarget", json!({ "targetId": target }))
            .await?;
        let gone = self
            .hub
            .until(|known| known.by_target(&target).is_none().then_some(()));
        timeout(CHANGE, gone).await.map_err(|_| CdpError::Late)
    }

    fn target_at(&self, index: u32) -> Result<String, CdpError> {
        let known = self.hub.state();
        let tab = usize::try_from(index)
            .ok()
            .and_then(|index| known.tabs.get(index));
        tab.map(|tab| tab.target.clone())
            .ok_or_else(|| CdpError::refused(ErrorClass::NoSuchTab, ""))
    }
}
