//! Dragging: onto an element, between two points of an element, and by a distance.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;

use super::{Needs, mouse};
use crate::{
    action::{DragBy, ErrorClass},
    browser::cdp::{
        driver::{Cdp, Turn},
        error::CdpError,
        sending::By,
        target::{Aim, Area, Point},
    },
};

/// Longest time for the browser to report a drag after the pressed pointer moved. Source: chosen; it usually takes a
/// few milliseconds.
const DRAG: Duration = Duration::from_millis(300);

/// Distance of a drag's end from the middle of its target element, both horizontally and vertically. Many sortable
/// lists do nothing if a drag ends exactly in the middle. Unit: CSS pixels. Source: chosen.
const BESIDE_MIDDLE: f64 = 2.0;
/// Length of a drag's last move, both horizontally and vertically. The move is longer than [`BESIDE_MIDDLE`], so it
/// crosses the middle of the target element. Unit: CSS pixels. Source: chosen.
const LAST_MOVE: f64 = 4.0;
/// Minimum side of a target element for a drag that ends [beside its middle](BESIDE_MIDDLE). Along a shorter side, the
/// drag ends in the middle. Unit: CSS pixels. Source: chosen.
const MIN_SIDE: f64 = 2.0 * LAST_MOVE;

#[derive(Debug, Clone, Copy)]
enum End<'a> {
    /// The element on which the drag ends, and the height of the dragged element. Unit: CSS pixels.
    Element(&'a Aim, f64),
    /// The points of the window over which the pointer moves after the start. The drag ends at the last one.
    Path(&'a [Point]),
}

/// Fails if a point lies outside an element with this area. The point is relative to the element's top left corner.
/// Unit: CSS pixels.
fn inside(area: &Area, (x, y): (f64, f64)) -> Result<(), CdpError> {
    if x < area.width && y < area.height {
        return Ok(());
    }
    let (width, height) = (area.width.floor(), area.height.floor());
    let why = format!("the element is {width} by {height} pixels");
    Err(CdpError::refused(ErrorClass::BadArguments, &why))
}

impl Cdp {
    /// Drags one element onto another. Sends mouse events, and also drag events if the page starts the browser's own
    /// drag and drop.
    pub(in crate::browser::cdp) async fn drag(
        &self,
        turn: &mut Turn,
        from: &Aim,
        to: &Aim,
    ) -> Result<(), CdpError> {
        let start = self.ready(from, Needs::HOVER).await?;
        let dragged = self.area(from).await?;
        self.drag_to(turn, from, start, End::Element(to, dragged.height))
            .await
    }

    /// Drags from the first of these points to the last, over those between them. The points are relative to the
    /// element's top left corner. Unit: CSS pixels. Fails if one of them lies outside the element.
    pub(in crate::browser::cdp) async fn drag_within(
        &self,
        turn: &mut Turn,
        aim: &Aim,
        points: &[(u32, u32)],
    ) -> Result<(), CdpError> {
        let [(x, y), rest @ ..] = points else {
            return Ok(());
        };
        let (x, y) = (*x, *y);
        let area = self.area(aim).await?;
        for (to_x, to_y) in rest {
            inside(&area, ((*to_x).into(), (*to_y).into()))?;
        }
        let needs = Needs {
            enabled: false,
            ..Needs::at(x, y)
        };
        let start = self.ready(aim, needs).await?;
        let far = |to: u32, from: u32| f64::from(to) - f64::from(from);
        let place = |(to_x, to_y): &(u32, u32)| Point {
            x: start.x + far(*to_x, x),
            y: start.y + far(*to_y, y),
        };
        let path: Vec<Point> = rest.iter().map(place).collect();
        self.drag_to(turn, aim, start, End::Path(&path)).await
    }

    /// Drags from a point of an element (by default its middle) by a distance to the right and down. The drag may end
    /// outside the window. Unit: CSS pixels. Fails if the point lies outside the element.
    pub(in crate::browser::cdp) async fn drag_by(
        &self,
        turn: &mut Turn,
        aim: &Aim,
        drag: &DragBy,
    ) -> Result<(), CdpError> {
        let needs = if drag.from_x.is_none() && drag.from_y.is_none() {
            Needs::HOVER
        } else {
            let area = self.area(aim).await?;
            let (x, y) = drag.start(area.width, area.height);
            inside(&area, (x, y))?;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a point of an element"
            )]
            let (x, y) = (x as u32, y as u32);
            Needs {
                enabled: false,
                ..Needs::at(x, y)
            }
        };
        let start = self.ready(aim, needs).await?;
        let end = Point {
            x: start.x + f64::from(drag.x),
            y: start.y + f64::from(drag.y),
        };
        self.drag_to(turn, aim, start, End::Path(&[end])).await
    }

    async fn drag_to(
        &self,
        turn: &mut Turn,
        aim: &Aim,
        start: Point,
        to: End<'_>,
    ) -> Result<(), CdpError> {
        // A press and its release inside one button make a click, which may send a form.
        self.may_send(By::Click(&aim.frame, aim.number)).await?;
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

    async fn area(&self, aim: &Aim) -> Result<Area, CdpError> {
        self.hub.ask(&aim.frame, "box", json!([aim.number])).await
    }

    async fn drag_from(&self, turn: &mut Turn, start: Point, to: End<'_>) -> Result<(), CdpError> {
        (turn.midway.pressed, turn.pointer) = (true, (start.x, start.y));
        let first = match to {
            // This point is halfway, because a page may add up the moves and keep each of them within bounds.
            End::Path([first, ..]) => Point {
                x: f64::midpoint(start.x, first.x),
                y: f64::midpoint(start.y, first.y),
            },
            End::Path([]) | End::Element(..) => Point {
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
        if let End::Path([via @ .., _]) = to {
            for at in via {
                // Each move waits for the one before, because the browser makes one event of moves that come at once.
                let moved = vec![mouse("mouseMoved", *at, "left", 1, 0)];
                self.part(turn, "Input.dispatchMouseEvent", moved).await?;
                turn.pointer = (at.x, at.y);
            }
        }
        let end = match to {
            End::Path(path) => Ok([path.last().copied().unwrap_or(start); 2]),
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
        // If the page uses the browser's own drag and drop, the drag has usually begun at the first move. If not, it
        // begins here.
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

    /// Sends some of an action's events. The action does not yet count as sent.
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

    async fn release(&self, turn: &mut Turn) -> Result<(), CdpError> {
        self.dispatch(turn, "Input.dispatchMouseEvent", vec![released(turn)])
            .await?;
        turn.midway.pressed = false;
        Ok(())
    }

    /// Undoes a cancelled pointer action: releases the button, cancels the drag, and ends the watching for a press.
    /// Waits at most [`DRAG`] for the page, because a busy page does not answer.
    pub(in crate::browser::cdp) async fn tidy(&self, turn: &mut Turn) {
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
}

fn released(turn: &Turn) -> Value {
    let (x, y) = turn.pointer;
    mouse("mouseReleased", Point { x, y }, "left", 0, 1)
}

/// Returns the last two points of the pointer's path in a drag onto an element. Between them, the path crosses the
/// element's middle: to the right and down if the element comes after the dragged item in reading order, otherwise to
/// the left and up.
///
/// A sortable list puts the dragged item before or after the item under the pointer. The list decides by the direction
/// of the last move, or by the half of the item in which the move ends. With the returned points, both ways of deciding
/// lead to the same result.
///
/// The dragged item and the target element count as one row if they overlap vertically by at least half the height of
/// the smaller one. `start` and `height` are the middle and the height of the dragged item. `middle` and `area` belong
/// to the target element.
pub(super) fn landing((start, height): (Point, f64), middle: Point, area: &Area) -> [Point; 2] {
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
