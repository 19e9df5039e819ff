//! The mouse: real input events, and the elements that they hit.

mod drag;

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{
    driver::{Cdp, Turn},
    error::CdpError,
    sending::By,
    settle::millis,
    state::{Tab, World},
    target::{Aim, Point},
};
use crate::action::{ErrorClass, MouseButton};

/// The answer of our script after a mouse press. `intercepted` describes the element that received the press instead of
/// the intended one.
#[derive(Debug, Deserialize)]
struct Verdict {
    hit: bool,
    intercepted: Option<String>,
}

/// A document in which our script watches for a press of the mouse.
#[derive(Debug)]
struct Watch {
    /// The session and the script world of the document. Only this world records whether the press hit the element.
    world: (String, World),
    token: Value,
}

/// Time after which the surroundings of a hovered element are read again. If they are different then, something moves by
/// itself. Source: chosen; longer than some frames of an animation.
const REST: Duration = Duration::from_millis(100);

/// Time for which an element in a frame is waited for before the frame is scrolled into view. Longer than the second for
/// which our script waits for a frame of animation.
const IN_VIEW: Duration = Duration::from_millis(1_200);

/// The unfinished parts of a pointer action, which must be undone if the action is cancelled.
#[derive(Debug, Default)]
pub(super) struct Midway {
    pressed: bool,
    dragged: bool,
    /// True if, in some document, our script is possibly still watching for a press of the mouse.
    watched: bool,
}

/// Conditions for a pointer action on an element, besides being visible and not moving.
#[derive(Debug, Clone, Copy)]
pub(super) struct Needs {
    pub(super) enabled: bool,
    pub(super) hit: bool,
    /// The point to aim at, relative to the element's top left corner; `None` for any point. Unit: CSS pixels.
    pub(super) at: Option<(u32, u32)>,
}

impl Needs {
    pub(super) const CLICK: Self = Self {
        enabled: true,
        hit: true,
        at: None,
    };
    /// The conditions for a hover. The element may be disabled.
    pub(super) const HOVER: Self = Self {
        enabled: false,
        hit: true,
        at: None,
    };

    /// Returns the conditions that an element must meet for a click at this point, relative to its top left corner. Unit:
    /// CSS pixels.
    pub(super) const fn at(x: u32, y: u32) -> Self {
        Self {
            at: Some((x, y)),
            ..Self::CLICK
        }
    }
}

impl Cdp {
    /// Waits until an element meets the conditions. Returns the point of the window to aim at.
    pub(super) async fn ready(&self, aim: &Aim, needs: Needs) -> Result<Point, CdpError> {
        let end = Instant::now() + self.hub.options.common.action_timeout;
        // Chromium draws no frames in a document of another origin that is out of the window, so nothing shows there that an
        // element stands still.
        let mut may_be_out = aim.frame != self.page()?;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let left = if may_be_out { left.min(IN_VIEW) } else { left };
            let given = json!([aim.number, {
                "visible": true,
                "stable": true,
                "enabled": needs.enabled,
                "hit": needs.hit,
                "at": needs.at,
                "ms": millis(left),
            }]);
            match self.hub.ask::<Point>(&aim.frame, "ready", given).await {
                // The page reports an element that covers the target before the time is over. The attempt is repeated
                // while the page still loads anything, because that may remove the cover.
                Err(CdpError::Refused(failure))
                    if failure.class == ErrorClass::Intercepted
                        && self.hub.state().tab().is_some_and(Tab::is_fetching)
                        && Instant::now() < end => {}
                Err(CdpError::Refused(_)) if may_be_out => {
                    may_be_out = false;
                    // What is wrong with the frames is told when the point is known.
                    let _scrolled = self
                        .through_frames(&aim.frame, Point { x: 1.0, y: 1.0 })
                        .await;
                }
                point => return self.through_frames(&aim.frame, point?).await,
            }
        }
    }

    /// Clicks an element `clicks` times.
    ///
    /// # Errors
    /// [`CdpError::Refused`] if the element does not become ready in time, or if the clicks would have hit another
    /// element; our script keeps them from that element. [`CdpError::Dialog`] if a dialog opens. All clicks have then
    /// been sent if `turn.sent` is true, and none otherwise.
    pub(super) async fn press(
        &self,
        turn: &mut Turn,
        aim: &Aim,
        button: Option<MouseButton>,
        needs: Needs,
        clicks: u32,
    ) -> Result<(), CdpError> {
        let point = self.ready(aim, needs).await?;
        turn.midway.watched = true;
        let watches = self.arm(aim).await?;
        let (button, mask) = match button {
            None | Some(MouseButton::Left) => ("left", 1),
            Some(MouseButton::Right) => ("right", 2),
            Some(MouseButton::Middle) => ("middle", 4),
        };
        self.may_send(By::Click(&aim.frame, aim.number)).await?;
        turn.pointer = (point.x, point.y);
        let mut events = vec![mouse("mouseMoved", point, "none", 0, 0)];
        for count in 1..=clicks {
            events.push(mouse("mousePressed", point, button, mask, count));
            events.push(mouse("mouseReleased", point, button, 0, count));
        }
        // All events are sent at once, so that a button that goes down also comes up, even if the wait is cancelled.
        match self
            .dispatch(turn, "Input.dispatchMouseEvent", events)
            .await
        {
            // A press that closes its tab may take the answers to all events with it. The watches still show whether
            // the document is there.
            Err(CdpError::Moved) if turn.sent => {}
            dispatched => dispatched?,
        }
        let verdict = self.verdict(watches).await;
        // After an error some frames may still watch.
        turn.midway.watched = verdict.is_err();
        verdict
    }

    /// Starts to watch for a press in the element's document and in each document around it. An element of an outer
    /// document may cover the inner frame and receive the press.
    async fn arm(&self, aim: &Aim) -> Result<Vec<Watch>, CdpError> {
        let mut watches = Vec::new();
        let mut at = aim.clone();
        loop {
            let world = self.hub.world(&at.frame).await?;
            let token = self.hub.ask_in(&world, "arm", json!([at.number])).await?;
            watches.push(Watch { world, token });
            let parent = {
                let known = self.hub.state();
                known
                    .tab()
                    .and_then(|tab| tab.frames.get(&at.frame))
                    .and_then(|frame| frame.parent.clone())
            };
            let Some(parent) = parent else {
                return Ok(watches);
            };
            at = Aim {
                number: self.hub.owner_of(&at.frame).await?,
                frame: parent,
            };
        }
    }

    /// Ends all watches, and fails if one of them reports that the press missed the element.
    async fn verdict(&self, watches: Vec<Watch>) -> Result<(), CdpError> {
        let mut hit = Ok(());
        // All watches are asked, because asking ends a watch.
        for Watch { world, token } in watches {
            match self
                .hub
                .ask_in::<Verdict>(&world, "verdict", json!([token]))
                .await
            {
                // The element that received the press in an outer frame explains more than the fact that the press did
                // not reach the inner one.
                Ok(Verdict {
                    intercepted: Some(what),
                    ..
                }) => {
                    hit = Err(CdpError::refused(ErrorClass::Intercepted, &what));
                }
                Ok(Verdict { hit: false, .. }) => {
                    hit = Err(CdpError::refused(
                        ErrorClass::NotStable,
                        "the click reached nothing",
                    ));
                }
                Err(trouble @ CdpError::Refused(_)) => hit = Err(trouble),
                // The click replaced the document.
                Ok(Verdict { hit: true, .. }) | Err(CdpError::Moved) => {}
                Err(trouble) => return Err(trouble),
            }
        }
        hit
    }

    /// Moves the pointer onto an element: to the point `at`, or to any point if `at` is `None`. `at` is relative to the
    /// element's top left corner. Unit: CSS pixels.
    pub(super) async fn hover(
        &self,
        turn: &mut Turn,
        aim: &Aim,
        at: Option<(u32, u32)>,
    ) -> Result<(), CdpError> {
        let needs = Needs { at, ..Needs::HOVER };
        let point = self.ready(aim, needs).await?;
        turn.hovered = Some((aim.clone(), self.surroundings(aim).await?));
        self.dispatch(
            turn,
            "Input.dispatchMouseEvent",
            vec![mouse("mouseMoved", point, "none", 0, 0)],
        )
        .await?;
        turn.pointer = (point.x, point.y);
        Ok(())
    }

    async fn surroundings(&self, aim: &Aim) -> Result<String, CdpError> {
        self.hub
            .ask(&aim.frame, "surroundings", json!([aim.number]))
            .await
    }

    /// Returns true if elements beside the hovered one appeared, disappeared or moved, and do not go on to move.
    pub(super) async fn has_revealed(&self, hovered: Option<(Aim, String)>) -> bool {
        let Some((aim, before)) = hovered else {
            return false;
        };
        let Ok(after) = self.surroundings(&aim).await else {
            return false;
        };
        if after == before {
            return false;
        }
        tokio::time::sleep(REST).await;
        self.surroundings(&aim)
            .await
            .is_ok_and(|later| later == after)
    }

    /// Turns the wheel at the pointer's position. The page scrolls by this distance to the right and down. Unit: CSS
    /// pixels.
    pub(super) async fn turn_wheel(
        &self,
        turn: &mut Turn,
        (right, down): (i64, i64),
    ) -> Result<(), CdpError> {
        let (width, height) = self.hub.options.common.viewport;
        let (x, y) = match turn.pointer {
            // If the pointer was never moved, the middle of the window is used.
            (x, y) if x == 0.0 && y == 0.0 => (f64::from(width) / 2.0, f64::from(height) / 2.0),
            pointer => pointer,
        };
        let event = json!({ "type": "mouseWheel", "x": x, "y": y, "deltaX": right, "deltaY": down, "modifiers": 0 });
        self.dispatch(turn, "Input.dispatchMouseEvent", vec![event])
            .await
    }

    /// Sends events one right after the other, and waits until the page has received all of them.
    pub(super) async fn dispatch(
        &self,
        turn: &mut Turn,
        method: &'static str,
        events: Vec<Value>,
    ) -> Result<(), CdpError> {
        let session = turn.session.clone().ok_or(CdpError::Moved)?;
        turn.sent = true;
        let answers: Vec<_> = events
            .into_iter()
            .map(|event| self.hub.wire.call::<Value>(Some(&session), method, event))
            .collect();
        self.hub
            .unless_blocked(async {
                let mut is_taken = false;
                for answer in answers {
                    match answer.await.map_err(CdpError::from) {
                        Ok(_) => is_taken = true,
                        // An earlier event closed the page: a tab that closes itself at the press never receives the
                        // release.
                        Err(CdpError::Moved) if is_taken => return Ok(()),
                        Err(trouble) => return Err(trouble),
                    }
                }
                Ok(())
            })
            .await
    }

    /// Returns the id of the current tab's session. All input goes through this session, because the browser itself
    /// finds the frame that receives it.
    pub(super) fn main_session(&self) -> Result<String, CdpError> {
        let known = self.hub.state();
        known
            .tab()
            .and_then(|tab| tab.session.clone())
            .ok_or(CdpError::Moved)
    }
}

fn mouse(kind: &str, at: Point, button: &str, buttons: u32, clicks: u32) -> Value {
    json!({
        "type": kind,
        "x": at.x,
        "y": at.y,
        "button": button,
        "buttons": buttons,
        "clickCount": clicks,
        "modifiers": 0,
    })
}

#[cfg(test)]
mod tests;
