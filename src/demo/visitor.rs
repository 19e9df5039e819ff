//! Sessions: carts and logins of visitors, identified by a cookie.

use std::collections::{HashMap, VecDeque};

use uuid::Uuid;

use super::catalog::Product;

/// Maximum number of sessions that the shop keeps; the one that was changed least recently is dropped first. Source: chosen.
const MAX_SESSIONS: usize = 1000;

pub(super) const COOKIE: &str = "shop_session";

#[derive(Debug, Clone)]
pub(super) struct CartLine {
    pub(super) product: &'static Product,
    pub(super) size: &'static str,
    pub(super) colour: &'static str,
    pub(super) quantity: u32,
}

impl CartLine {
    /// Returns the price of all pieces of the line. Unit: euro cents.
    pub(super) fn cents(&self) -> u32 {
        self.product.cents.saturating_mul(self.quantity)
    }
}

#[derive(Debug, Clone, Default)]
pub(super) struct Session {
    pub(super) cart: Vec<CartLine>,
    pub(super) logged_in: bool,
    /// Confirmation numbers of the orders that this visitor placed and may see.
    pub(super) orders: Vec<String>,
}

impl Session {
    /// Returns the number of pieces in the cart, of all products together.
    pub(super) fn count(&self) -> u32 {
        self.cart.iter().map(|line| line.quantity).sum()
    }

    /// Returns the price of the cart without shipping. Unit: euro cents.
    pub(super) fn cents(&self) -> u32 {
        self.cart.iter().map(CartLine::cents).sum()
    }
}

/// The sessions of all visitors. A session is created by the first request that changes something, so browsing alone creates
/// none.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    by_id: HashMap<String, Session>,
    oldest_first: VecDeque<String>,
}

impl Sessions {
    pub(super) fn get(&self, id: &str) -> Option<&Session> {
        self.by_id.get(id)
    }

    /// Stores a session under a new id and returns that id. The session's old id is removed, so after each change only the
    /// new id is valid.
    pub(super) fn put(&mut self, old_id: Option<&str>, session: Session) -> String {
        if let Some(old) = old_id
            && self.by_id.remove(old).is_some()
        {
            self.oldest_first.retain(|id| id != old);
        }
        if self.by_id.len() >= MAX_SESSIONS
            && let Some(oldest) = self.oldest_first.pop_front()
        {
            self.by_id.remove(&oldest);
        }
        let id = Uuid::new_v4().simple().to_string();
        self.by_id.insert(id.clone(), session);
        self.oldest_first.push_back(id.clone());
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_session_has_a_new_id_and_the_old_one_is_worthless() {
        let mut sessions = Sessions::default();
        let old = sessions.put(None, Session::default());
        let new = sessions.put(
            Some(&old),
            Session {
                logged_in: true,
                ..Session::default()
            },
        );
        assert_ne!(old, new);
        assert!(sessions.get(&old).is_none());
        assert!(sessions.get(&new).is_some_and(|s| s.logged_in));
    }

    #[test]
    fn the_oldest_session_goes_when_there_are_too_many() {
        let mut sessions = Sessions::default();
        let first = sessions.put(None, Session::default());
        for _ in 0..MAX_SESSIONS {
            sessions.put(None, Session::default());
        }
        assert!(sessions.get(&first).is_none());
        assert_eq!(
            (sessions.by_id.len(), sessions.oldest_first.len()),
            (MAX_SESSIONS, MAX_SESSIONS)
        );
    }
}
