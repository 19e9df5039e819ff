//! Changes of the looks of elements without words. A look is the driver's description of an element's shape, colour, size
//! and position.

use std::collections::HashMap;

use serde_json::Value;

use super::{
    super::{Area, ElementRef, Tree, fact::Fact, outline::Outline, outline::is_actionable},
    Change, PageDiff, shown,
};
use crate::base::text;

/// Minimum number of elements that must move by the same distance to count as scrolled. Source: chosen; a drag moves one or
/// two elements.
const SCROLLED: usize = 3;

/// Maximum length of a look in a line of [`PageDiff::summary`](super::PageDiff::summary). Unit: characters. Source: chosen;
/// enough for four shapes.
const MAX_LOOK: usize = 200;

impl PageDiff {
    /// Adds to `looks` the move of an element from one place of the document to another. Adds nothing if `after` does not
    /// contain the element, if the move is less than half a pixel in each direction, or if the element has a look: the change
    /// of its look already contains the new position. Returns true if the element moved.
    pub(crate) fn add_move(
        &mut self,
        after: &Tree,
        moved: &ElementRef,
        (from, to): (Area, Area),
    ) -> bool {
        // Without the zero, the shift of -0.3 would be written as -0.
        let shift = |to: f64, from: f64| (to - from).round() + 0.0;
        let (right, down) = (shift(to.x, from.x), shift(to.y, from.y));
        let Some(id) = after.by_ref(moved.as_str()) else {
            return false;
        };
        if right == 0.0 && down == 0.0 {
            return false;
        }
        if after[id].property("look").is_some() {
            return true;
        }
        let (x, y) = (to.x.round() + 0.0, to.y.round() + 0.0);
        self.looks.push(Change {
            what: vec![format!("moved by {right},{down} to top left {x},{y}")],
            reference: Some(moved.clone()),
            acts: is_actionable(&after[id]),
            ..shown(after, &Outline::of(after), id)
        });
        true
    }
}

/// Returns the change of a look as a short phrase; `None` if it is the same. For a drawing, the phrase contains only the
/// shapes that were added, removed or replaced.
pub(super) fn look_change(old: &str, new: &str) -> Option<String> {
    if old == new {
        return None;
    }
    let only = |these: &str, those: &str| {
        let shapes = these.split("; ");
        let other = shapes.filter(|shape| !those.split("; ").any(|known| known == *shape));
        other.collect::<Vec<_>>().join("; ")
    };
    let (gone, come) = (only(old, new), only(new, old));
    let quoted = |look: &str| Value::from(text::truncate(&text::squeeze(look), MAX_LOOK));
    Some(match (gone.as_str(), come.as_str()) {
        ("", come) => format!("look with {} in addition", quoted(come)),
        (gone, "") => format!("look without {}", quoted(gone)),
        (gone, come) => format!("look {} -> {}", quoted(gone), quoted(come)),
    })
}

/// Returns how far an element moved to the right and down, with all shapes in it. Unit: tenths of a pixel. Returns `None` if
/// it did not move, or if its look also changed in another way.
pub(super) fn place_shift(old: &str, new: &str) -> Option<(i64, i64)> {
    let mut shift = None;
    let (mut old, mut new) = (old.split(' '), new.split(' '));
    loop {
        let (from, to) = match (old.next(), new.next()) {
            (None, None) => return shift.filter(|shift| *shift != (0, 0)),
            (Some(from), Some(to)) => (from, to),
            _ => return None,
        };
        let (Some((x, y)), Some((to_x, to_y))) = (place(from), place(to)) else {
            if from == to {
                continue;
            }
            return None;
        };
        let by = (to_x - x, to_y - y);
        if *shift.get_or_insert(by) != by {
            return None;
        }
    }
}

/// Returns the coordinates in a word of a look, such as `35,60.5` or `35,60:`. Unit: tenths of a pixel.
fn place(word: &str) -> Option<(i64, i64)> {
    let (x, y) = word.trim_end_matches([':', ';']).split_once(',')?;
    let tenths = |length: &str| {
        let (whole, tenth) = length.split_once('.').unwrap_or((length, "0"));
        let whole = whole.parse::<i32>().ok()?;
        let tenth = tenth.parse::<u8>().ok().filter(|tenth| *tenth < 10)?;
        let tenth = if length.starts_with('-') {
            -i64::from(tenth)
        } else {
            i64::from(tenth)
        };
        Some(i64::from(whole) * 10 + tenth)
    };
    Some((tenths(x)?, tenths(y)?))
}

/// Removes elements that were only scrolled: at least [`SCROLLED`] elements moved by the same distance. `shift` returns the
/// distance of an element if nothing but its position changed.
pub(super) fn forget_scrolled<'f>(
    looks: &mut Vec<(usize, &'f Fact)>,
    shift: impl Fn(usize, &'f Fact) -> Option<(i64, i64)>,
) {
    let shifts: Vec<_> = looks
        .iter()
        .map(|(index, fact)| shift(*index, fact))
        .collect();
    let mut together: HashMap<(i64, i64), usize> = HashMap::new();
    for shift in shifts.iter().flatten() {
        *together.entry(*shift).or_default() += 1;
    }
    let mut shifts = shifts.into_iter();
    looks.retain(|_| {
        let shift = shifts.next().flatten();
        shift.is_none_or(|shift| together[&shift] < SCROLLED)
    });
}
