//! The mouse: real events of the browser, and what they really hit.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::{Instant, timeout};

use super::{
    driver::{Cdp, Turn},
    known::{Tab, World},
    sending::By,
    settle::millis,
    target::{Aim, Point},
    trouble::Trouble,
};
use crate::action::{ErrorClass, MouseButton};

/// How long a drag may take to begin after the pointer moved. Unit: time. Source: chosen; it takes a few milliseconds.
const DRAG: Duration = Duration::from_millis(300);

/// What the pointer hit.
#[derive(Debug, Deserialize)]
struct Verdict {
    hit: bool,
    intercepted: Option<String>,
}

/// A press that is watched in a document.
#[derive(Debug)]
struct Watch {
    /// The world that watches. No other one knows of the press, also when another document has taken this one's place.
    world: (String, World),
    token: Value,
}

/// What an action of the pointer leaves behind that is given up.
#[derive(Debug, Default)]
pub(super) struct Midway {
    /// Whether a button of the mouse may be down.
    pressed: bool,
    /// Whether something may be dragged.
    dragged: bool,
    /// Whether frames may still watch for a press.
    watched: bool,
}

/// What an element must be before an action begins.
#[derive(Debug, Clone, Copy)]
pub(super) struct Needs {
    pub(super) enabled: bool,
    pub(super) hit: bool,
    /// The point of it that is meant, from its top left corner; any when not given.
    pub(super) at: Option<(u32, u32)>,
}

impl Needs {
    /// For clicks.
    pub(super) const CLICK: Self = Self {
        enabled: true,
        hit: true,
        at: None,
    };
    /// For the pointer alone, which goes over disabled things too.
    pub(super) const HOVER: Self = Self {
        enabled: false,
        hit: true,
        at: None,
    };

    /// For a click on this point.
    pub(super) const fn at(x: u32, y: u32) -> Self {
        Self {
            at: Some((x, y)),
            ..Self::CLICK
        }
    }
}

impl Cdp {
    /// Waits until an element is ready; where to point at, in the page.
    pub(super) async fn ready(&self, aim: &Aim, needs: Needs) -> Result<Point, Trouble> {
        let end = Instant::now() + self.hub.options.common.action_timeout;
        loop {
            let given = json!([aim.number, {
                "visible": true,
                "stable": true,
                "enabled": needs.enabled,
                "hit": needs.hit,
                "at": needs.at,
                "ms": millis(end.saturating_duration_since(Instant::now())),
            }]);
            match self.hub.ask::<Point>(&aim.frame, "ready", given).await {
                // It is told before the time is over, and what the page still waits for may take the cover away.
                Err(Trouble::Refused(failure))
                    if failure.class == ErrorClass::Intercepted
                        && self.hub.known().tab().is_some_and(Tab::is_fetching)
                        && Instant::now() < end => {}
                point => return self.through_frames(&aim.frame, point?).await,
            }
        }
    }

    /// Clicks an element and asks what the clicks hit.
    ///
    /// # Errors
    /// [`Trouble::Refused`] if they hit something else: then that did not get them either. A dialog that opens while they are
    /// under way is an error too; by then they were sent.
    pub(super) async fn press(
        &self,
        turn: &mut Turn,
        aim: &Aim,
        button: Option<MouseButton>,
        needs: Needs,
        clicks: u32,
    ) -> Result<(), Trouble> {
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
        // All are sent at once, so a button that goes down comes up, whoever gives up waiting for it.
        self.dispatch(turn, "Input.dispatchMouseEvent", events)
            .await?;
        let verdict = self.verdict(watches).await;
        // On an error some may watch still.
        turn.midway.watched = verdict.is_err();
        verdict
    }

    /// Has the press watched in the element's frame and in each one around it: what covers a frame gets the press there.
    async fn arm(&self, aim: &Aim) -> Result<Vec<Watch>, Trouble> {
        let mut watches = Vec::new();
        let mut at = aim.clone();
        loop {
            let world = self.hub.world(&at.frame).await?;
            let token = self.hub.ask_in(&world, "arm", json!([at.number])).await?;
            watches.push(Watch { world, token });
            let parent = {
                let known = self.hub.known();
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

    /// What the watches saw.
    async fn verdict(&self, watches: Vec<Watch>) -> Result<(), Trouble> {
        let mut hit = Ok(());
        // All are asked, because asking ends the watch.
        for Watch { world, token } in watches {
            match self
                .hub
                .ask_in::<Verdict>(&world, "verdict", json!([token]))
                .await
            {
                // What got the press further out says more than that it did not come further in.
                Ok(Verdict {
                    intercepted: Some(what),
                    ..
                }) => {
                    hit = Err(Trouble::refused(ErrorClass::Intercepted, &what));
                }
                Ok(Verdict { hit: false, .. }) => {
                    hit = Err(Trouble::refused(
                        ErrorClass::NotStable,
                        "the click reached nothing",
                    ));
                }
                Err(trouble @ Trouble::Refused(_)) => hit = Err(trouble),
                // The document went away under the click.
                Ok(Verdict { hit: true, .. }) | Err(Trouble::Moved) => {}
                Err(trouble) => return Err(trouble),
            }
        }
        hit
    }

    /// Moves the pointer over an element.
    pub(super) async fn hover(&self, turn: &mut Turn, aim: &Aim) -> Result<(), Trouble> {
        let point = self.ready(aim, Needs::HOVER).await?;
        self.dispatch(
            turn,
            "Input.dispatchMouseEvent",
            vec![mouse("mouseMoved", point, "none", 0, 0)],
        )
        .await?;
        turn.pointer = (point.x, point.y);
        Ok(())
    }

    /// Drags one element onto another: as the browser's own drag and drop where the page began one, by the mouse otherwise.
    pub(super) async fn drag(&self, turn: &mut Turn, from: &Aim, to: &Aim) -> Result<(), Trouble> {
        let start = self.ready(from, Needs::HOVER).await?;
        let session = turn.session.clone().ok_or(Trouble::Moved)?;
        turn.midway.dragged = true;
        self.hub
            .call::<Value>(
                &session,
                "Input.setInterceptDrags",
                json!({ "enabled": true }),
            )
            .await?;
        self.hub.known().drag = None;
        let dragged = self.drag_from(turn, start, to).await;
        // A later drag of this page must not be held back, however this one ended.
        let released = self
            .hub
            .call::<Value>(
                &session,
                "Input.setInterceptDrags",
                json!({ "enabled": false }),
            )
            .await;
        turn.midway.dragged = turn.midway.pressed || released.is_err();
        dragged.and(released.map(drop))
    }

    async fn drag_from(&self, turn: &mut Turn, start: Point, to: &Aim) -> Result<(), Trouble> {
        (turn.midway.pressed, turn.pointer) = (true, (start.x, start.y));
        let down = vec![
            mouse("mouseMoved", start, "none", 0, 0),
            mouse("mousePressed", start, "left", 1, 1),
            mouse(
                "mouseMoved",
                Point {
                    x: start.x + 5.0,
                    y: start.y + 5.0,
                },
                "left",
                1,
                0,
            ),
        ];
        self.part(turn, "Input.dispatchMouseEvent", down).await?;
        let end = match self
            .ready(
                to,
                Needs {
                    enabled: false,
                    hit: false,
                    at: None,
                },
            )
            .await
        {
            Ok(end) => end,
            Err(trouble) => {
                self.release(turn).await?;
                return Err(trouble);
            }
        };
        // Scrolling the goal into view may have begun nothing yet; this move does.
        self.part(
            turn,
            "Input.dispatchMouseEvent",
            vec![mouse("mouseMoved", end, "left", 1, 0)],
        )
        .await?;
        let began = timeout(DRAG, self.hub.until(|known| known.drag.take())).await;
        match began {
            Ok(data) => {
                let events = ["dragEnter", "dragOver", "drop"]
                    .map(|kind| json!({ "type": kind, "x": end.x, "y": end.y, "data": data, "modifiers": 0 }));
                self.part(turn, "Input.dispatchDragEvent", events.to_vec())
                    .await?;
            }
            Err(_) => {
                // Pages that watch the mouse want to see it arrive.
                self.part(
                    turn,
                    "Input.dispatchMouseEvent",
                    vec![mouse("mouseMoved", end, "left", 1, 0)],
                )
                .await?;
            }
        }
        turn.pointer = (end.x, end.y);
        self.release(turn).await
    }

    /// Sends events after which more of the action follows.
    async fn part(
        &self,
        turn: &mut Turn,
        method: &'static str,
        events: Vec<Value>,
    ) -> Result<(), Trouble> {
        let done = self.dispatch(turn, method, events).await;
        turn.sent = false;
        done
    }

    /// Lets the button of the mouse go where the pointer is.
    async fn release(&self, turn: &mut Turn) -> Result<(), Trouble> {
        self.dispatch(turn, "Input.dispatchMouseEvent", vec![released(turn)])
            .await?;
        turn.midway.pressed = false;
        Ok(())
    }

    /// Puts right what an action left behind that was given up in between. Nobody waits for a page that may answer nothing:
    /// it has these before what comes next.
    pub(super) async fn tidy(&self, turn: &mut Turn) {
        if let Some(session) = turn.session.take_if(|_| turn.midway.dragged) {
            let tell = |method, params| self.hub.wire.call::<Value>(Some(&session), method, params);
            if turn.midway.pressed {
                // What the press began to drag is known when the page has had the release.
                let _ = timeout(DRAG, tell("Input.dispatchMouseEvent", released(turn))).await;
                let (x, y) = turn.pointer;
                let nothing = json!({ "items": [], "dragOperationsMask": 1 });
                let cancel = json!({ "type": "dragCancel", "x": x, "y": y, "data": nothing, "modifiers": 0 });
                drop(tell("Input.dispatchDragEvent", cancel));
            }
            drop(tell("Input.setInterceptDrags", json!({ "enabled": false })));
            self.hub.known().drag = None;
        }
        if std::mem::take(&mut turn.midway).watched {
            self.hub.tell("disarm");
        }
    }

    /// Turns the wheel.
    pub(super) async fn turn_wheel(
        &self,
        turn: &mut Turn,
        (right, down): (i64, i64),
    ) -> Result<(), Trouble> {
        let (width, height) = self.hub.options.common.viewport;
        let (x, y) = match turn.pointer {
            // Where it was never moved to, it is in the middle.
            (x, y) if x == 0.0 && y == 0.0 => (f64::from(width) / 2.0, f64::from(height) / 2.0),
            pointer => pointer,
        };
        let event = json!({ "type": "mouseWheel", "x": x, "y": y, "deltaX": right, "deltaY": down, "modifiers": 0 });
        self.dispatch(turn, "Input.dispatchMouseEvent", vec![event])
            .await
    }

    /// Sends events one right after the other, and waits until the page has had them all.
    pub(super) async fn dispatch(
        &self,
        turn: &mut Turn,
        method: &'static str,
        events: Vec<Value>,
    ) -> Result<(), Trouble> {
        let session = turn.session.clone().ok_or(Trouble::Moved)?;
        turn.sent = true;
        let answers: Vec<_> = events
            .into_iter()
            .map(|event| self.hub.wire.call::<Value>(Some(&session), method, event))
            .collect();
        self.hub
            .unless_blocked(async {
                let mut is_taken = false;
                for answer in answers {
                    match answer.await.map_err(Trouble::from) {
                        Ok(_) => is_taken = true,
                        // What the page had before made it go: a tab that closes itself at the press never has the release.
                        Err(Trouble::Moved) if is_taken => return Ok(()),
                        Err(trouble) => return Err(trouble),
                    }
                }
                Ok(())
            })
            .await
    }

    /// The session of the current tab, which all input goes through: the browser finds the frame by itself.
    pub(super) fn main_session(&self) -> Result<String, Trouble> {
        let known = self.hub.known();
        known
            .tab()
            .and_then(|tab| tab.session.clone())
            .ok_or(Trouble::Moved)
    }
}

/// The left button goes up where the pointer is.
fn released(turn: &Turn) -> Value {
    let (x, y) = turn.pointer;
    mouse("mouseReleased", Point { x, y }, "left", 0, 1)
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
