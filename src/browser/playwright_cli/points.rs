//! Scripts that click, hover or drag at a point of an element. No command of the tool can do this.

use super::scripts::{expression, guarded};
use crate::action::{BrowserAction, ClickAt, DragBy, Target};

/// Returns the script for `click_at`, `click_xy`, `hover_xy`, `drag_xy` or `drag_by`; `None` if the action has no target,
/// and for any other action.
pub(super) fn at_points(action: &BrowserAction, timeout_ms: u64) -> Option<String> {
    match action {
        BrowserAction::ClickAt(ClickAt { target, x, y }) => {
            Some(click_at(target, (*x, *y), false, timeout_ms))
        }
        BrowserAction::ClickXy(click) => {
            let point = (click.x, click.y);
            let target = click.target.as_ref()?;
            Some(click_at(target, point, click.double, timeout_ms))
        }
        BrowserAction::HoverXy(hover) => {
            let target = hover.target.as_ref()?;
            Some(hover_at(target, (hover.x, hover.y), timeout_ms))
        }
        BrowserAction::DragXy(drag) => {
            Some(drag_at(drag.target.as_ref()?, &drag.points(), timeout_ms))
        }
        BrowserAction::DragBy(drag) => Some(drag_by(drag, timeout_ms)),
        _ => None,
    }
}

/// JavaScript that reads the widths of an element's left and top border. The tool measures points from the inner edge
/// of the border, but actions measure them from the outer edge.
const BORDER: &str = "const border = await handle.evaluate(element => ({ x: element.clientLeft, y: element.clientTop }));";

/// JavaScript that drags the pointer from (`startX`, `startY`) over the points of `path` in the window, and ends at the
/// last one. The first move goes halfway to the first point, without a detour: on a page that adds up the moves and
/// keeps each of them within bounds, part of a detour could be lost. The last move is made twice, because a page may
/// miss one move. The pointer is released early if the time `end` comes, because the tool does not stop a script that the
/// driver has given up.
const DRAG: &str = "await page.mouse.move(startX, startY);
    await page.mouse.down();
    try {
      await page.mouse.move((startX + path[0][0]) / 2, (startY + path[0][1]) / 2);
      for (const [x, y] of [...path, path[path.length - 1]]) {
        if (Date.now() > end) throw new Error('Timeout: the drag was released before its end');
        await page.mouse.move(x, y);
      }
    } finally {
      await page.mouse.up();
    }
    return { done: true };";

/// Returns the first statements of a script that clicks, hovers or drags at a point of an element. If the point is
/// outside the element, they end the script, which returns the element's size. Without them, the tool would wait until
/// the time limit.
fn at_element(target: &Target, (x, y): (u32, u32), timeout_ms: u64) -> String {
    format!(
        "const field = {};
    const handle = await field.elementHandle({{ timeout: {timeout_ms} }});
    const box = await handle.boundingBox();
    if (box && ({x} >= box.width || {y} >= box.height)) return {{ size: [Math.floor(box.width), Math.floor(box.height)] }};
    {BORDER}",
        expression(target)
    )
}

/// Returns the script that clicks or double-clicks at a point, relative to the element's top left corner. Unit: CSS
/// pixels.
fn click_at(target: &Target, (x, y): (u32, u32), double: bool, timeout_ms: u64) -> String {
    let click = if double { "dblclick" } else { "click" };
    guarded(&format!(
        "{}
    await field.{click}({{ position: {{ x: {x} - border.x, y: {y} - border.y }}, timeout: {timeout_ms} }});
    return {{ done: true }};",
        at_element(target, (x, y), timeout_ms)
    ))
}

/// Returns the script that moves the pointer to a point, relative to the element's top left corner. Unit: CSS pixels.
fn hover_at(target: &Target, (x, y): (u32, u32), timeout_ms: u64) -> String {
    guarded(&format!(
        "{}
    await field.hover({{ position: {{ x: {x} - border.x, y: {y} - border.y }}, timeout: {timeout_ms} }});
    return {{ done: true }};",
        at_element(target, (x, y), timeout_ms)
    ))
}

/// Returns the script that drags from the first of these points to the last, over those between them. The points are
/// relative to the element's top left corner. Unit: CSS pixels.
fn drag_at(target: &Target, points: &[(u32, u32)], timeout_ms: u64) -> String {
    let far = |side: fn(&(u32, u32)) -> u32| points.iter().map(side).max().unwrap_or_default();
    let (x, y) = points.first().copied().unwrap_or_default();
    let path: Vec<String> = points
        .iter()
        .skip(1)
        .map(|(x, y)| format!("[now.x + {x}, now.y + {y}]"))
        .collect();
    guarded(&format!(
        "{}
    await field.hover({{ position: {{ x: {x} - border.x, y: {y} - border.y }}, timeout: {timeout_ms} }});
    const now = await handle.boundingBox();
    const end = Date.now() + {timeout_ms};
    const [startX, startY, path] = [now.x + {x}, now.y + {y}, [{}]];
    {DRAG}",
        at_element(target, (far(|(x, _)| *x), far(|(_, y)| *y)), timeout_ms),
        path.join(", ")
    ))
}

/// Returns the script that drags from a point of an element (by default its middle) by a distance to the right and
/// down. Unit: CSS pixels.
fn drag_by(drag: &DragBy, timeout_ms: u64) -> String {
    let given = |from: Option<u32>| from.map_or_else(|| "null".to_owned(), |at| at.to_string());
    let (from_x, from_y) = (given(drag.from_x), given(drag.from_y));
    let (right, down) = (drag.x, drag.y);
    guarded(&format!(
        "const field = {};
    const handle = await field.elementHandle({{ timeout: {timeout_ms} }});
    {BORDER}
    const start = async () => {{
      const box = await handle.boundingBox();
      return box ? {{ box, x: {from_x} ?? box.width / 2, y: {from_y} ?? box.height / 2 }} : {{ x: 0, y: 0 }};
    }};
    const before = await start();
    if (before.box && (before.x >= before.box.width || before.y >= before.box.height)) {{
      return {{ size: [Math.floor(before.box.width), Math.floor(before.box.height)] }};
    }}
    await field.hover({{ position: {{ x: before.x - border.x, y: before.y - border.y }}, timeout: {timeout_ms} }});
    const now = await start();
    const end = Date.now() + {timeout_ms};
    const [startX, startY] = [now.box.x + now.x, now.box.y + now.y];
    const path = [[startX + {right}, startY + {down}]];
    {DRAG}",
        expression(&drag.target)
    ))
}
