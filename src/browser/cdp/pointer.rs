//! The mouse: real input events of the browser, and the elements that they really hit.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::{Instant, timeout};

use super::{
    driver::{Cdp, Turn},
    error::CdpError,
    sending::By,
    settle::millis,
    state::{Tab, World},
    target::{Aim, Area, Point},
};
use crate::action::{ErrorClass, MouseButton};

/// Longest time for the browser to report that a drag began, after the pressed pointer moved. Source: chosen; it takes a few milliseconds.
const DRAG: Duration = Duration::from_millis(300);

/// Distance between the point at which a drag ends and the middle of its target element, in each direction. Sortable lists compare the
/// pointer and its last move with the middle of an item, and exactly there they do nothing. Unit: CSS pixels. Source: chosen.
const BESIDE_MIDDLE: f64 = 2.0;
/// Length of the last move of a drag, in each direction. It is longer than [`BESIDE_MIDDLE`], so it crosses the middle. Unit: CSS pixels.
/// Source: chosen.
const LAST_MOVE: f64 = 4.0;
/// Minimum width or height for ending a drag [beside the middle](BESIDE_MIDDLE) of its target element in that direction; in a smaller
/// element, the drag ends in the middle. Unit: CSS pixels. Source: chosen.
const MIN_SIDE: f64 = 2.0 * LAST_MOVE;

/// The report of our script in the page about the element that a press of the mouse hit.
#[derive(Debug, Deserialize)]
struct Verdict {
    hit: bool,
    intercepted: Option<String>,
}

/// A document in which our script watches for a press of the mouse.
#[derive(Debug)]
struct Watch {
    /// The session and the script world of the document. No other world knows about the press, not even the world of a document that has
    /// replaced this one.
    world: (String, World),
    token: Value,
}

/// The parts of a cancelled pointer action that may need to be undone.
#[derive(Debug, Default)]
pub(super) struct Midway {
    /// True if a mouse button may be down.
    pressed: bool,
    /// True if a drag may be under way.
    dragged: bool,
    /// True if documents may still watch for a press.
    watched: bool,
}

/// The conditions that an element must meet before a pointer action on it begins, besides being visible and not moving.
#[derive(Debug, Clone, Copy)]
pub(super) struct Needs {
    pub(super) enabled: bool,
    pub(super) hit: bool,
    /// The point to aim at, relative to the element's top left corner. Unit: CSS pixels. If `None`, any point of the element.
    pub(super) at: Option<(u32, u32)>,
}

/// The place at which a drag ends.
#[derive(Debug, Clone, Copy)]
enum End<'a> {
    /// On this element, wherever it is when the drag ends. The number is the height of the dragged element, in CSS pixels.
    Element(&'a Aim, f64),
    /// At this point of the window.
    Point(Point),
}

impl Needs {
    /// The conditions for a click.
    pub(super) const CLICK: Self = Self {
        enabled: true,
        hit: true,
        at: None,
    };
    /// The conditions for moving the pointer over an element, which may be disabled.
    pub(super) const HOVER: Self = Self {
        enabled: false,
        hit: true,
        at: None,
    };

    /// The conditions for a click on this point of an element, relative to its top left corner. Unit: CSS pixels.
    pub(super) const fn at(x: u32, y: u32) -> Self {
        Self {
            at: Some((x, y)),
            ..Self::CLICK
        }
    }
}

impl Cdp {
    /// Waits until an element meets these conditions. Returns the point of the window to aim at.
    pub(super) async fn ready(&self, aim: &Aim, needs: Needs) -> Result<Point, CdpError> {
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
                // The page reports an element that covers the target before the time is over. The attempt is repeated while the page still
                // loads anything, because that may remove the cover.
                Err(CdpError::Refused(failure))
                    if failure.class == ErrorClass::Intercepted
                        && self.hub.state().tab().is_some_and(Tab::is_fetching)
                        && Instant::now() < end => {}
                point => return self.through_frames(&aim.frame, point?).await,
            }
        }
    }

    /// Clicks an element, and fails if the clicks hit another element.
    ///
    /// # Errors
    /// [`CdpError::Refused`] if the clicks would have hit another element; our script has then kept the clicks from that element. A dialog
    /// that opens during the clicks is an error as well; by then they were sent.
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
            // A press that closes its tab may take the answers to all events with it. The watches still show whether the document is there.
            Err(CdpError::Moved) if turn.sent => {}
            dispatched => dispatched?,
        }
        let verdict = self.verdict(watches).await;
        // After an error some frames may still watch.
        turn.midway.watched = verdict.is_err();
        verdict
    }

    /// Starts to watch for a press on an element: in the element's document and in each document around it, because an element that covers
    /// a frame receives the press in the document around that frame.
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
                // The element that received the press in an outer frame explains more than the fact that the press did not reach the inner
                // one.
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

    /// Moves the pointer over an element.
    pub(super) async fn hover(&self, turn: &mut Turn, aim: &Aim) -> Result<(), CdpError> {
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

    /// Drags one element onto another. If the page begins a drag and drop of the browser, the drag continues as such; otherwise it consists
    /// of mouse events.
    pub(super) async fn drag(&self, turn: &mut Turn, from: &Aim, to: &Aim) -> Result<(), CdpError> {
        let start = self.ready(from, Needs::HOVER).await?;
        let dragged = self.area(from).await?;
        self.drag_to(turn, start, End::Element(to, dragged.height))
            .await
    }

    /// Drags from one point of an element to another point of it. The points are relative to the element's top left corner. Unit: CSS
    /// pixels.
    pub(super) async fn drag_within(
        &self,
        turn: &mut Turn,
        aim: &Aim,
        (x, y): (u32, u32),
        (to_x, to_y): (u32, u32),
    ) -> Result<(), CdpError> {
        let area = self.area(aim).await?;
        if f64::from(to_x) >= area.width || f64::from(to_y) >= area.height {
            let (width, height) = (area.width.floor(), area.height.floor());
            let why = format!("the element is {width} by {height} pixels");
            return Err(CdpError::refused(ErrorClass::BadArguments, &why));
        }
        let needs = Needs {
            enabled: false,
            ..Needs::at(x, y)
        };
        let start = self.ready(aim, needs).await?;
        // A press and its release in the same element make a click.
        self.may_send(By::Click(&aim.frame, aim.number)).await?;
        let far = |to: u32, from: u32| f64::from(to) - f64::from(from);
        let end = Point {
            x: start.x + far(to_x, x),
            y: start.y + far(to_y, y),
        };
        self.drag_to(turn, start, End::Point(end)).await
    }

    /// Drags from the middle of an element by a distance to the right and down, also out of the window. Unit: CSS pixels.
    pub(super) async fn drag_by(
        &self,
        turn: &mut Turn,
        aim: &Aim,
        (right, down): (i32, i32),
    ) -> Result<(), CdpError> {
        let start = self.ready(aim, Needs::HOVER).await?;
        // A press and its release in the same element make a click.
        self.may_send(By::Click(&aim.frame, aim.number)).await?;
        let end = Point {
            x: start.x + f64::from(right),
            y: start.y + f64::from(down),
        };
        self.drag_to(turn, start, End::Point(end)).await
    }

    async fn drag_to(&self, turn: &mut Turn, start: Point, to: End<'_>) -> Result<(), CdpError> {
        let session = turn.session.clone().ok_or(CdpError::Moved)?;
        turn.midway.dragged = true;
        self.hub
            .call::<Value>(
                &session,
                "Input.setInterceptDrags",
                json!({ "enabled": true }),
            )
            .await?;
        self.hub.state().drag = None;
        let dragged = self.drag_from(turn, start, to).await;
        // A later drag of this page must not be held back, however this drag ended.
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

    /// Returns the box of an element.
    async fn area(&self, aim: &Aim) -> Result<Area, CdpError> {
        self.hub.ask(&aim.frame, "box", json!([aim.number])).await
    }

    async fn drag_from(&self, turn: &mut Turn, start: Point, to: End<'_>) -> Result<(), CdpError> {
        (turn.midway.pressed, turn.pointer) = (true, (start.x, start.y));
        let first = match to {
            // On the way, because a page may add up the moves and keep each of them within bounds.
            End::Point(end) => Point {
                x: f64::midpoint(start.x, end.x),
                y: f64::midpoint(start.y, end.y),
            },
            End::Element(..) => Point {
                x: start.x + 5.0,
                y: start.y + 5.0,
            },
        };
        let down = vec![
            mouse("mouseMoved", start, "none", 0, 0),
            mouse("mousePressed", start, "left", 1, 1),
            mouse("mouseMoved", first, "left", 1, 0),
        ];
        self.part(turn, "Input.dispatchMouseEvent", down).await?;
        let end = match to {
            End::Point(end) => Ok([end, end]),
            End::Element(to, height) => {
                let anywhere = Needs {
                    enabled: false,
                    hit: false,
                    at: None,
                };
                match self.ready(to, anywhere).await {
                    Ok(middle) => self
                        .area(to)
                        .await
                        .map(|area| landing((start, height), middle, &area)),
                    Err(error) => Err(error),
                }
            }
        };
        let [before, end] = match end {
            Ok(points) => points,
            Err(trouble) => {
                self.release(turn).await?;
                return Err(trouble);
            }
        };
        // If scrolling the target into view has not begun the drag, this move does.
        self.part(
            turn,
            "Input.dispatchMouseEvent",
            vec![mouse("mouseMoved", before, "left", 1, 0)],
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
                // A page that tracks the mouse by itself needs a second move at the end point.
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

    /// Sends events that are only a part of an action: afterwards, the action does not yet count as sent.
    async fn part(
        &self,
        turn: &mut Turn,
        method: &'static str,
        events: Vec<Value>,
    ) -> Result<(), CdpError> {
        let done = self.dispatch(turn, method, events).await;
        turn.sent = false;
        done
    }

    /// Releases the mouse button at the position of the pointer.
    async fn release(&self, turn: &mut Turn) -> Result<(), CdpError> {
        self.dispatch(turn, "Input.dispatchMouseEvent", vec![released(turn)])
            .await?;
        turn.midway.pressed = false;
        Ok(())
    }

    /// Undoes the parts of a pointer action that was cancelled. This does not wait until the page has received the events, because the page
    /// may not answer; it receives them before any later ones.
    pub(super) async fn tidy(&self, turn: &mut Turn) {
        if let Some(session) = turn.session.take_if(|_| turn.midway.dragged) {
            let tell = |method, params| self.hub.wire.call::<Value>(Some(&session), method, params);
            if turn.midway.pressed {
                // The object that the press began to drag is known once the page has received the release.
                let _ = timeout(DRAG, tell("Input.dispatchMouseEvent", released(turn))).await;
                let (x, y) = turn.pointer;
                let nothing = json!({ "items": [], "dragOperationsMask": 1 });
                let cancel = json!({ "type": "dragCancel", "x": x, "y": y, "data": nothing, "modifiers": 0 });
                drop(tell("Input.dispatchDragEvent", cancel));
            }
            drop(tell("Input.setInterceptDrags", json!({ "enabled": false })));
            self.hub.state().drag = None;
        }
        if std::mem::take(&mut turn.midway).watched {
            self.hub.tell("disarm");
        }
    }

    /// Turns the wheel at the position of the pointer, so that the page scrolls by a distance to the right and down. Unit: CSS pixels.
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
                        // An earlier event closed the page: a tab that closes itself at the press never receives the release.
                        Err(CdpError::Moved) if is_taken => return Ok(()),
                        Err(trouble) => return Err(trouble),
                    }
                }
                Ok(())
            })
            .await
    }

    /// Returns the id of the current tab's session. All input goes through it, because the browser itself finds the frame that an input
    /// event concerns.
    pub(super) fn main_session(&self) -> Result<String, CdpError> {
        let known = self.hub.state();
        known
            .tab()
            .and_then(|tab| tab.session.clone())
            .ok_or(CdpError::Moved)
    }
}

/// Returns the event that releases the left button at the position of the pointer.
fn released(turn: &Turn) -> Value {
    let (x, y) = turn.pointer;
    mouse("mouseReleased", Point { x, y }, "left", 0, 1)
}

/// Returns the last two points of the pointer's path in a drag onto an element: both beside its middle, the last one on the side away from
/// the start.
///
/// A sortable list puts the dragged item before or after the one under the pointer, by the direction of the last move and by the half of
/// that item in which the move ends. In a grid, direction and half have to be those of a drag forwards or backwards in reading order,
/// whatever the direction on the way. Both items are in one row if they share at least half the height of the lower one. The start is the
/// middle of the dragged item, which has this height.
fn landing((start, height): (Point, f64), middle: Point, area: &Area) -> [Point; 2] {
    let (right, down) = (middle.x - start.x, middle.y - start.y);
    let shared = f64::midpoint(height, area.height) - down.abs();
    let is_other_row = shared < height.min(area.height) / 2.0;
    let ahead = 1.0_f64.copysign(if is_other_row { down } else { right });
    let beside = |middle: f64, side: f64, by: f64| {
        if side < MIN_SIDE {
            middle
        } else {
            middle + by * ahead
        }
    };
    [BESIDE_MIDDLE - LAST_MOVE, BESIDE_MIDDLE].map(|by| Point {
        x: beside(middle.x, area.width, by),
        y: beside(middle.y, area.height, by),
    })
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
