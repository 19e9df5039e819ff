//! Changes of what a person sees of elements without words.

use super::quoted;

/// The words before the coordinates of an element's top left corner in its look.
const PLACE: &str = "top left ";

/// Returns the change of a look as a short phrase; `None` if it is the same. Of the shapes in a drawing, only those that came or went are
/// told.
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

/// Returns the distance by which an element moved, to the right and down in pixels, if nothing else of its look changed.
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
