//! The approver of the demo. It asks nobody, because actions in the demo's own shop have no consequences outside it.

use async_trait::async_trait;

use crate::{
    Origin,
    agent::{Approval, ApprovalRequest, Approver},
};

/// An approver that approves actions on one origin and refuses all others.
#[derive(Debug)]
pub(super) struct ShopOnly {
    origin: Origin,
}

impl ShopOnly {
    pub(super) const fn new(origin: Origin) -> Self {
        Self { origin }
    }

    fn is_here(&self, url: &str) -> bool {
        url.parse()
            .is_ok_and(|url| Origin::of(&url).is_ok_and(|origin| origin == self.origin))
    }
}

#[async_trait]
impl Approver for ShopOnly {
    async fn approve(&self, request: &ApprovalRequest) -> Approval {
        if self.is_here(&request.url) {
            Approval::Yes
        } else {
            Approval::No
        }
    }

    async fn answer(&self, _: &str) -> Option<String> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_shops_own_origin_is_approved() {
        let shop = ShopOnly::new(Origin::parse("http://127.0.0.1:4000").unwrap());
        assert!(shop.is_here("http://127.0.0.1:4000/checkout"));
        for other in [
            "",
            "about:blank",
            "http://127.0.0.1:4001/checkout",
            "https://127.0.0.1:4000/",
            "http://localhost:4000/",
            "http://127.0.0.1:4000@evil.example/",
            "http://evil.example/http://127.0.0.1:4000/",
        ] {
            assert!(!shop.is_here(other), "{other}");
        }
    }
}
