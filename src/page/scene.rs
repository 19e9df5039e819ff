//! The scene of a page: the elements and drawings in the window, with their positions. It describes in numbers what a
//! picture would show.

use super::{ElementRef, Locator};

/// A rectangle. Unit: CSS pixels, measured from the top left corner of the window. Positions to the left of this corner or
/// above it are negative.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Area {
    /// Position of the left edge of the rectangle.
    pub x: f64,
    /// Position of the top edge of the rectangle.
    pub y: f64,
    /// Width of the rectangle.
    pub width: f64,
    /// Height of the rectangle.
    pub height: f64,
}

impl Area {
    /// Creates a rectangle with this position and size.
    pub const fn new(x: f64, y: f64, width: f64, height: f64) -> Self {
        Self {
            x,
            y,
            width,
            height,
        }
    }

    /// Returns true if the rectangle contains the point at these coordinates.
    pub fn contains(&self, x: f64, y: f64) -> bool {
        x >= self.x && y >= self.y && x < self.x + self.width && y < self.y + self.height
    }

    /// Returns true if the rectangle `other` is completely inside this one.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        other.x >= self.x
            && other.y >= self.y
            && other.x + other.width <= self.x + self.width
            && other.y + other.height <= self.y + self.height
    }

    /// Returns true if the two rectangles have a point in common. A rectangle without a size counts as a point.
    pub(crate) fn touches(&self, other: &Self) -> bool {
        let meets = |start: f64, side: f64, from: f64, length: f64| {
            from <= start + side && start <= from + length
        };
        meets(self.x, self.width, other.x, other.width)
            && meets(self.y, self.height, other.y, other.height)
    }

    /// Returns the size of the rectangle. Unit: square CSS pixels.
    pub fn size(&self) -> f64 {
        self.width * self.height
    }

    /// Returns the part of this rectangle that is inside the rectangle `other`; `None` if they do not overlap.
    #[must_use]
    pub fn within(&self, other: &Self) -> Option<Self> {
        let (x, y) = (self.x.max(other.x), self.y.max(other.y));
        let width = (self.x + self.width).min(other.x + other.width) - x;
        let height = (self.y + self.height).min(other.y + other.height) - y;
        (width > 0.0 && height > 0.0).then_some(Self {
            x,
            y,
            width,
            height,
        })
    }
}

/// The kind of an element whose content can be seen but not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DrawingKind {
    /// The element is a canvas.
    Canvas,
    /// The element is a drawing in SVG.
    Svg,
    /// The element is an image.
    Image,
    /// The element is a video, or the content of a plug-in.
    Video,
}

/// An element whose content can be seen but not read, such as a canvas.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Drawing {
    /// The kind of the drawing.
    pub kind: DrawingKind,
    /// The area of the drawing, including the part outside the window.
    pub area: Area,
    /// True if the page gives a name in words to the drawing or to an element around it, or marks the drawing as one
    /// that needs no name (`aria-hidden`).
    pub named: bool,
    /// A locator of the drawing; `None` if the drawing is in a frame, or if the driver gave no locator.
    pub locator: Option<Locator>,
}

impl Drawing {
    /// Creates a drawing without a locator.
    pub const fn new(kind: DrawingKind, area: Area, named: bool) -> Self {
        Self {
            kind,
            area,
            named,
            locator: None,
        }
    }

    /// Returns the drawing with a locator.
    #[must_use]
    pub fn with_locator(self, locator: Locator) -> Self {
        Self {
            locator: Some(locator),
            ..self
        }
    }
}

/// The visible part of a page: the elements and drawings in the window, with their positions.
///
/// The [`Default`] value, with a width and height of 0, means that the driver could not find positions.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Scene {
    /// Address of the page.
    pub url: String,
    /// Width of the window. Unit: CSS pixels.
    pub width: u32,
    /// Height of the window. Unit: CSS pixels.
    pub height: u32,
    /// The elements for which the caller asked and which can be seen in the window, each once. The rectangle of an element
    /// is its whole box, including any part outside the window.
    pub boxes: Vec<(ElementRef, Area)>,
    /// Drawings in the window, at most 200 of the page and of each frame in it. Other content may cover them.
    pub drawings: Vec<Drawing>,
    /// Boxes in the window that contain nothing and have a colour, an image or a border, such as the squares of a
    /// board; at most 500 of the page and of each frame in it.
    pub blank: Vec<Area>,
    /// The area of the whole page, including the parts that are outside the window.
    pub page: Area,
}

impl Scene {
    /// Creates the scene of an empty window of this size.
    pub fn new(url: impl Into<String>, width: u32, height: u32) -> Self {
        Self {
            url: url.into(),
            width,
            height,
            ..Self::default()
        }
    }

    /// Returns the area of the window itself.
    pub fn window(&self) -> Area {
        Area::new(0.0, 0.0, self.width.into(), self.height.into())
    }

    /// Returns true if the driver could measure the window.
    pub const fn is_known(&self) -> bool {
        self.width > 0 && self.height > 0
    }
}
