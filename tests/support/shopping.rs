//! The demo's shopping task as the stand-in does it, watched. Include it with `#[path]`.
#![allow(dead_code, reason = "each target uses its own part")]

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use webwise::{
    LlmClient, Origin, Result, Task,
    agent::{Approval, ApprovalRequest, Approver},
    chat::{CallMode, ChatRequest, ChatResponse, LlmCapabilities},
    demo::Shop,
    secret::{Secret, SecretName, Vault},
    stand_in::StandIn,
};

/// What is to be bought in the shop.
const GOAL: &str = "Log in as \"demo\" with the password <secret:PASSWORD>. Search for \"Alpine Rain Jacket Light\", open \
                    \"Alpine Rain Jacket Light\", choose size \"M\" and colour \"Sunflower\", add it to the cart. Check out: set \
                    the full name to \"Ada Lovelace\", the street to \"Park Street 7\", the city to \"Cologne\", the postal code \
                    to \"50667\", choose \"Express delivery\", accept the terms and place the order. Report the confirmation \
                    number.";

/// The shopping task in this shop.
pub(crate) fn task(shop: &Shop) -> Result<Task> {
    let url = shop.url();
    let password = Secret::new(shop.password());
    let vault = Vault::new().with(
        SecretName::parse("PASSWORD")?,
        password,
        vec![Origin::parse(url.as_str())?],
    )?;
    Ok(Task::new(GOAL)?
        .with_start_url(url.as_str())?
        .with_secrets(vault))
}

/// The stand-in, watched: it decides from the prompt alone and keeps nothing, and what it was asked is kept beside it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Watched {
    model: StandIn,
    asked: Arc<Mutex<Vec<ChatRequest>>>,
}

impl Watched {
    /// One that prefers this mode.
    pub(crate) fn in_mode(mode: CallMode) -> Self {
        Self {
            model: StandIn::new().with_mode(mode),
            ..Self::default()
        }
    }

    /// Every request, in order.
    pub(crate) fn requests(&self) -> Vec<ChatRequest> {
        self.asked
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

#[async_trait]
impl LlmClient for Watched {
    fn capabilities(&self) -> LlmCapabilities {
        self.model.capabilities()
    }

    async fn complete(&self, request: &ChatRequest) -> Result<ChatResponse> {
        self.asked
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(request.clone());
        Ok(self.model.decide(request))
    }
}

/// Approves all: the pages are ours, and nothing on them is sold.
#[derive(Debug)]
pub(crate) struct Yes;

#[async_trait]
impl Approver for Yes {
    async fn approve(&self, _: &ApprovalRequest) -> Approval {
        Approval::Yes
    }

    async fn answer(&self, _: &str) -> Option<String> {
        None
    }
}
