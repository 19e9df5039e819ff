//! Resolution of an action's target (a reference or a locator) to an element, in any frame.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{driver::Cdp, error::CdpError};
use crate::{
    action::{ErrorClass, Target},
    page::{ElementRef, Locator, LocatorStep, Role},
};

/// An element: the id of its frame, and its number in the frame's document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Aim {
    pub(super) frame: String,
    pub(super) number: u64,
}

/// A rectangle. `x` and `y` belong to its top left corner. Unit: CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub(super) struct Area {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// A point. Unit: CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
}

#[derive(Deserialize)]
struct Found {
    refs: Vec<u64>,
    count: u64,
}

impl Cdp {
    /// Resolves the target of an action to its element, and records the element's frame.
    pub(super) async fn aim(&self, target: &Target) -> Result<Aim, CdpError> {
        let aim = match target {
            Target::Ref(reference) => self.aim_at(reference)?,
            Target::Locator(locator) => self.find(locator).await?,
        };
        self.hub.state().aimed = Some(aim.frame.clone());
        Ok(aim)
    }

    fn aim_at(&self, reference: &ElementRef) -> Result<Aim, CdpError> {
        let unknown = || CdpError::refused(ErrorClass::RefNotFound, "");
        let (frame, number) = numbers(reference).ok_or_else(unknown)?;
        let known = self.hub.state();
        let tab = known.tab().ok_or_else(unknown)?;
        let found = tab.frames.iter().find(|(id, at)| {
            if frame == 0 {
                **id == tab.target
            } else {
                at.number == frame
            }
        });
        found
            .map(|(id, _)| Aim {
                frame: id.clone(),
                number,
            })
            .ok_or_else(unknown)
    }

    async fn find(&self, locator: &Locator) -> Result<Aim, CdpError> {
        let mut frame = self.page()?;
        let mut parts = locator
            .steps()
            .split(|step| *step == LocatorStep::Frame)
            .peekable();
        while let Some(steps) = parts.next() {
            let steps: Vec<Value> = steps.iter().map(written).collect();
            let found: Found = self.hub.ask(&frame, "find", json!([steps])).await?;
            let number = match (found.count, &found.refs[..]) {
                (1, [number]) => *number,
                (0, _) => return Err(CdpError::refused(ErrorClass::NotFound, "")),
                (count, _) => {
                    return Err(CdpError::refused(
                        ErrorClass::NotUnique,
                        &format!("{count} elements match"),
                    ));
                }
            };
            let aim = Aim {
                frame: frame.clone(),
                number,
            };
            if parts.peek().is_none() {
                return Ok(aim);
            }
            frame = self.frame_in(&aim).await?;
        }
        Err(CdpError::refused(
            ErrorClass::BadArguments,
            "a locator ends with an element",
        ))
    }

    /// Returns the id of the frame that an element (such as an `iframe`) shows. Fails if the element shows no frame.
    async fn frame_in(&self, aim: &Aim) -> Result<String, CdpError> {
        let inside: Vec<String> = {
            let known = self.hub.state();
            let frames = known.tab().into_iter().flat_map(|tab| &tab.frames);
            frames
                .filter(|(_, f)| f.parent.as_ref() == Some(&aim.frame))
                .map(|(id, _)| id.clone())
                .collect()
        };
        for frame in inside {
            if self.hub.owner_of(&frame).await? == aim.number {
                return Ok(frame);
            }
        }
        Err(CdpError::refused(
            ErrorClass::WrongElement,
            "the element shows no frame",
        ))
    }

    /// Returns a locator that finds the element again after the next load. Returns `None` if there is no such locator
    /// for the element or for a frame around it.
    pub(super) async fn locator_of(&self, aim: &Aim) -> Result<Option<Locator>, CdpError> {
        let mut steps = Vec::new();
        let mut at = aim.clone();
        loop {
            let told: Option<Vec<Value>> = self
                .hub
                .ask(&at.frame, "locatorOf", json!([at.number]))
                .await?;
            let Some(told) =
                told.and_then(|told| told.iter().map(read).collect::<Option<Vec<_>>>())
            else {
                return Ok(None);
            };
            steps.splice(0..0, told);
            let parent = {
                let known = self.hub.state();
                known
                    .tab()
                    .and_then(|tab| tab.frames.get(&at.frame))
                    .and_then(|frame| frame.parent.clone())
            };
            let Some(parent) = parent else { break };
            steps.insert(0, LocatorStep::Frame);
            at = Aim {
                number: self.hub.owner_of(&at.frame).await?,
                frame: parent,
            };
        }
        Ok(Locator::new(steps).ok())
    }

    /// Converts a point of a frame's window to a point of the page's window. Scrolls the documents around the frame if
    /// the point is not visible in them. Fails if the point then still is not visible or another element covers it.
    pub(super) async fn through_frames(
        &self,
        frame: &str,
        point: Point,
    ) -> Result<Point, CdpError> {
        let (mut frame, mut point) = (frame.to_owned(), point);
        loop {
            let parent = {
                let known = self.hub.state();
                let at = known
                    .tab()
                    .and_then(|tab| tab.frames.get(&frame))
                    .ok_or(CdpError::Moved)?;
                at.parent.clone()
            };
            let Some(parent) = parent else {
                return Ok(point);
            };
            let owner = self.hub.owner_of(&frame).await?;
            point = self
                .hub
                .ask(&parent, "throughFrame", json!([owner, point.x, point.y]))
                .await?;
            frame = parent;
        }
    }

    /// Scrolls a target's element into view, and returns its rectangle in the page. Unit: CSS pixels.
    pub(super) async fn area_of(&self, target: &Target) -> Result<Area, CdpError> {
        let aim = self.aim(target).await?;
        let area: Area = self.hub.ask(&aim.frame, "box", json!([aim.number])).await?;
        if area.width < 1.0 || area.height < 1.0 {
            return Err(CdpError::refused(
                ErrorClass::NotVisible,
                "the element has no size",
            ));
        }
        let page = self.page()?;
        if aim.frame == page {
            return Ok(area);
        }
        // The script reports the position of an element relative to its own document, so the position in a frame is
        // converted here.
        let inner: Scrolled = self.hub.ask(&aim.frame, "scrolled", json!([])).await?;
        let corner = Point {
            x: area.x - inner.x,
            y: area.y - inner.y,
        };
        let corner = self.through_frames(&aim.frame, corner).await?;
        let outer: Scrolled = self.hub.ask(&page, "scrolled", json!([])).await?;
        Ok(Area {
            x: corner.x + outer.x,
            y: corner.y + outer.y,
            ..area
        })
    }
}

/// The distances by which a window is scrolled. Unit: CSS pixels.
type Scrolled = Point;

/// Returns the two numbers in a reference: that of the frame (0 for the main frame) and that of the element. Returns
/// `None` if the reference has another form.
pub(super) fn numbers(reference: &ElementRef) -> Option<(u32, u64)> {
    let text = reference.as_str();
    match text.strip_prefix('f') {
        Some(rest) => {
            let (frame, number) = rest.split_once('e')?;
            Some((
                frame.parse().ok().filter(|frame| *frame > 0)?,
                number.parse().ok()?,
            ))
        }
        None => Some((0, text.strip_prefix('e')?.parse().ok()?)),
    }
}

/// Returns a locator step in the form that our script reads.
fn written(step: &LocatorStep) -> Value {
    match step {
        LocatorStep::Role {
            role, name: None, ..
        } => json!({ "role": role.as_str() }),
        LocatorStep::Role {
            role,
            name: Some(name),
            exact,
        } => {
            json!({ "role": role.as_str(), "name": name, "exact": exact })
        }
        LocatorStep::Label(text) => json!({ "label": text }),
        LocatorStep::Placeholder(text) => json!({ "placeholder": text }),
        LocatorStep::Text(text) => json!({ "text": text }),
        LocatorStep::ExactText(text) => json!({ "exactText": text }),
        LocatorStep::Alt(text) => json!({ "alt": text }),
        LocatorStep::Title(text) => json!({ "title": text }),
        LocatorStep::TestId(text) => json!({ "testId": text }),
        LocatorStep::Css(text) => json!({ "css": text }),
        LocatorStep::HasText(text) => json!({ "hasText": text }),
        LocatorStep::Nth(place) => json!({ "nth": place }),
        // Locators are split at frames, so this is never reached.
        LocatorStep::Frame => Value::Null,
    }
}

type Make = fn(String) -> LocatorStep;

/// Parses a locator step in the form that our script writes.
fn read(step: &Value) -> Option<LocatorStep> {
    let text = |name: &str| step.get(name).and_then(Value::as_str).map(str::to_owned);
    if let Some(role) = text("role") {
        let exact = step.get("exact").and_then(Value::as_bool).unwrap_or(false);
        return Some(LocatorStep::Role {
            role: Role::parse(&role),
            name: text("name"),
            exact,
        });
    }
    if let Some(place) = step.get("nth").and_then(Value::as_i64) {
        return Some(LocatorStep::Nth(i32::try_from(place).ok()?));
    }
    let kinds: [(&str, Make); 9] = [
        ("label", LocatorStep::Label),
        ("placeholder", LocatorStep::Placeholder),
        ("text", LocatorStep::Text),
        ("exactText", LocatorStep::ExactText),
        ("alt", LocatorStep::Alt),
        ("title", LocatorStep::Title),
        ("testId", LocatorStep::TestId),
        ("css", LocatorStep::Css),
        ("hasText", LocatorStep::HasText),
    ];
    kinds
        .into_iter()
        .find_map(|(name, make)| text(name).map(make))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_names_a_frame_and_an_element() {
        for (text, expected) in [
            ("e12", Some((0, 12))),
            ("f3e4", Some((3, 4))),
            ("f0e4", None),
        ] {
            assert_eq!(
                numbers(&ElementRef::parse(text).unwrap()),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn every_step_is_read_back_as_it_was_written() {
        let text = r#"role=list >> role=button[name="Buy"] >> role=link[name="A" exact] >> label="l" >> placeholder="p" >> text="t""#;
        let rest = r##"text="x" exact >> alt="a" >> title="i" >> testid="d" >> css="#c" >> has-text="h" >> nth=-1"##;
        for locator in [text, rest] {
            for step in Locator::parse(locator).unwrap().steps() {
                assert_eq!(read(&written(step)).as_ref(), Some(step));
            }
        }
        assert_eq!(read(&json!({ "xpath": "//a" })), None);
    }
}
