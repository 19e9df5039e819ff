//! The page as the loop holds it: what was seen, and what it means.

use std::sync::Arc;

use crate::{
    base::{Host, Site},
    page::{Observation, PageHead, PageTemplate, PageView},
};

/// The page as the loop holds it.
#[derive(Debug, Clone)]
pub(super) struct PageNow {
    pub(super) head: PageHead,
    pub(super) observation: Arc<Observation>,
    pub(super) view: Arc<PageView>,
}

impl PageNow {
    pub(super) fn host(&self) -> Option<Host> {
        Host::of(&url::Url::parse(&self.head.url).ok()?).ok()
    }

    pub(super) fn template(&self) -> Option<PageTemplate> {
        PageTemplate::parse(&self.head.url).ok()
    }

    pub(super) fn site(&self) -> Option<Site> {
        Site::of(&url::Url::parse(&self.head.url).ok()?).ok()
    }
}
