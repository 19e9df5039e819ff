//! Changes of the looks of elements without words. A look is the driver's description of an element's shape, colour, size
//! and position.

use std::collections::HashMap;

use super::{super::fact::Fact, quoted};

/// Minimum number of elements that must move by the same distance to count as scrolled. Source: chosen; a drag moves one or
/// two elements.
const SCROLLED: usize = 3;

/// The words before the coordinates of the element's top left corner in a look.
const PLACE: &str = "top left ";

/// Returns the change of a look as a short phrase; `None` if it is the same. For a drawing, the phrase contains only the
/// shapes that were added or removed.
pub(super) fn look_change(old: &str, new: &str) -> Option<String> {
    if old == new {
        return None;
    }
    let only = |these: &str, those: &str| {
        let shapes = these.split("; ");
        let other = shapes.filter(|shape| !those.split("; ").any(|known| known == *shape));
        other.collect::<Vec<_>>().join("; ")
    };
    Some(format!(
        "look {} -> {}",
        quoted(&only(old, new)),
        quoted(&only(new, old))
    ))
}

/// Returns how far an element moved to the right and down. Unit: pixels. Returns `None` if it did not move, or if its look
/// also changed in another way.
pub(super) fn place_shift(old: &str, new: &str) -> Option<(i64, i64)> {
    let parts = |look: &str| {
        let (shape, place) = look.split_once(PLACE)?;
        let (x, y) = place.split_once(',')?;
        Some((
            shape.to_owned(),
            x.parse::<i64>().ok()?,
            y.parse::<i64>().ok()?,
        ))
    };
    let ((shape, x, y), (other, to_x, to_y)) = (parts(old)?, parts(new)?);
    let shift = (to_x.saturating_sub(x), to_y.saturating_sub(y));
    (shape == other && shift != (0, 0)).then_some(shift)
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
