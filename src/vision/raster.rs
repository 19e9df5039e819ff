//! A picture as pixels. It can be read from the bytes of a PNG file, scaled to the size of the window, drawn on, and
//! written as a PNG file again.

use std::io::Cursor;

use png::{BitDepth, ColorType, Compression, Decoder, Encoder, Transformations};

/// Maximum number of pixels of a picture that is read. Source: chosen, for a window of 8,000 by 4,000 pixels; each
/// pixel takes three bytes of memory, and up to four more bytes while the picture is read.
const MAX_PIXELS: usize = 32_000_000;
/// Number of bytes of a pixel: red, green, blue.
const RGB: usize = 3;

pub(crate) type Colour = [u8; RGB];

/// A picture without transparency. Its pixels are stored row by row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Raster {
    width: u32,
    height: u32,
    pixels: Vec<Colour>,
}

impl Raster {
    /// Reads a PNG file; `None` if the bytes are not a PNG or the picture is too large.
    pub(crate) fn read(png: &[u8]) -> Option<Self> {
        let mut decoder = Decoder::new(Cursor::new(png));
        decoder.set_transformations(Transformations::normalize_to_color8());
        let mut reader = decoder.read_info().ok()?;
        let (width, height) = (reader.info().width, reader.info().height);
        let count = usize::try_from(width)
            .ok()?
            .checked_mul(height.try_into().ok()?)?;
        if count == 0 || count > MAX_PIXELS {
            return None;
        }
        let mut bytes = vec![0; reader.output_buffer_size()?];
        let frame = reader.next_frame(&mut bytes).ok()?;
        let samples = frame.color_type.samples();
        let bytes = bytes.get(..count * samples)?;
        let pixels = match samples {
            RGB => bytes.as_chunks().0.to_vec(),
            _ => bytes
                .chunks_exact(samples)
                .map(|pixel| match *pixel {
                    [grey] | [grey, _] => [grey; RGB],
                    [red, green, blue, ..] => [red, green, blue],
                    [] => [0; RGB],
                })
                .collect(),
        };
        Some(Self {
            width,
            height,
            pixels,
        })
    }

    /// Returns the picture as a PNG file; `None` if it cannot be encoded.
    pub(super) fn write(&self) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        let mut encoder = Encoder::new(&mut out, self.width, self.height);
        encoder.set_color(ColorType::Rgb);
        encoder.set_depth(BitDepth::Eight);
        encoder.set_compression(Compression::Fast);
        let mut writer = encoder.write_header().ok()?;
        writer.write_image_data(self.pixels.as_flattened()).ok()?;
        writer.finish().ok()?;
        Some(out)
    }

    pub(crate) const fn width(&self) -> u32 {
        self.width
    }

    pub(crate) const fn height(&self) -> u32 {
        self.height
    }

    /// Scales the picture to a new size. Each new pixel is the mean of the old pixels that it covers. If the new size
    /// is zero or too large, returns the picture unchanged.
    pub(crate) fn fitted(self, width: u32, height: u32) -> Self {
        let count = u64::from(width) * u64::from(height);
        let is_possible = (1..=MAX_PIXELS as u64).contains(&count);
        if !is_possible || (self.width, self.height) == (width, height) {
            return self;
        }
        let part = |at: u32, of: u32, all: u32| {
            let from = u64::from(at) * u64::from(all) / u64::from(of);
            let to = (u64::from(at) + 1) * u64::from(all) / u64::from(of);
            // To enlarge the picture, pixels are repeated.
            (from, to.max(from + 1).min(all.into()))
        };
        let columns: Vec<(u64, u64)> = (0..width).map(|x| part(x, width, self.width)).collect();
        let mut pixels = Vec::with_capacity(width as usize * height as usize);
        for y in 0..height {
            let rows = part(y, height, self.height);
            pixels.extend(columns.iter().map(|columns| self.mean(*columns, rows)));
        }
        Self {
            width,
            height,
            pixels,
        }
    }

    fn mean(&self, (left, right): (u64, u64), (top, bottom): (u64, u64)) -> Colour {
        let (mut sum, mut count) = ([0_u64; RGB], 0);
        for y in top..bottom {
            for x in left..right {
                let colour = self.at(x, y).unwrap_or_default();
                for (sum, part) in sum.iter_mut().zip(colour) {
                    *sum += u64::from(part);
                }
                count += 1;
            }
        }
        // The mean of bytes fits into a byte.
        sum.map(|sum| u8::try_from(sum / count.max(1)).unwrap_or(u8::MAX))
    }

    fn at(&self, x: u64, y: u64) -> Option<Colour> {
        let index = y * u64::from(self.width) + x;
        self.pixels.get(usize::try_from(index).ok()?).copied()
    }

    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn pixel(&self, x: u32, y: u32) -> Option<Colour> {
        (x < self.width && y < self.height)
            .then(|| self.at(x.into(), y.into()))
            .flatten()
    }

    /// Fills with a colour the part of the rectangle that lies in the picture.
    pub(super) fn fill(&mut self, (x, y): (i64, i64), (width, height): (i64, i64), colour: Colour) {
        let within = |from: i64, length: i64, all: u32| {
            let all = i64::from(all);
            let to = (from + length).clamp(0, all);
            (from.clamp(0, all), to)
        };
        let (left, right) = within(x, width, self.width);
        let (top, bottom) = within(y, height, self.height);
        let across = usize::try_from(self.width).unwrap_or_default();
        let index = |at: i64| usize::try_from(at).unwrap_or_default();
        for row in self
            .pixels
            .chunks_exact_mut(across.max(1))
            .take(index(bottom))
            .skip(index(top))
        {
            if let Some(part) = row.get_mut(index(left)..index(right)) {
                part.fill(colour);
            }
        }
    }
}

#[cfg(test)]
impl Raster {
    pub(super) fn plain(width: u32, height: u32, colour: Colour) -> Self {
        let count = width as usize * height as usize;
        Self {
            width,
            height,
            pixels: vec![colour; count],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RED: Colour = [255, 0, 0];
    const BLACK: Colour = [0; 3];

    #[test]
    fn what_is_written_is_read_again() {
        let mut drawn = Raster::plain(7, 5, [9, 8, 7]);
        drawn.fill((5, 3), (9, 9), RED);
        drawn.fill((-2, -2), (3, 3), BLACK);
        let read = Raster::read(&drawn.write().unwrap()).unwrap();
        assert_eq!(read, drawn);
        assert_eq!(
            (read.pixel(0, 0), read.pixel(1, 1), read.pixel(6, 4)),
            (Some(BLACK), Some([9, 8, 7]), Some(RED))
        );
        assert_eq!((read.pixel(7, 0), read.pixel(0, 5)), (None, None));
    }

    #[test]
    fn transparency_and_grey_become_colours() {
        for (colour, data) in [
            (ColorType::Rgba, &[1, 2, 3, 128][..]),
            (ColorType::Grayscale, &[5]),
            (ColorType::GrayscaleAlpha, &[5, 0]),
        ] {
            let mut file = Vec::new();
            let mut encoder = Encoder::new(&mut file, 1, 1);
            encoder.set_color(colour);
            let mut writer = encoder.write_header().unwrap();
            writer.write_image_data(data).unwrap();
            writer.finish().unwrap();
            let expected = if data.len() == 4 { [1, 2, 3] } else { [5; 3] };
            let read = Raster::read(&file).unwrap();
            assert_eq!(read.pixel(0, 0), Some(expected), "{colour:?}");
        }
    }

    #[test]
    fn what_is_no_picture_is_not_read() {
        let file = Raster::plain(20, 20, RED).write().unwrap();
        for bytes in [&b"scripted"[..], &[], &file[..30], &file[..file.len() / 2]] {
            assert_eq!(Raster::read(bytes), None);
        }
    }

    #[test]
    fn a_picture_of_a_denser_screen_is_brought_to_the_size_of_the_window() {
        let mut dense = Raster::plain(8, 4, BLACK);
        dense.fill((4, 0), (4, 4), RED);
        dense.fill((0, 0), (1, 2), [200, 100, 50]);
        let window = dense.clone().fitted(4, 2);
        assert_eq!((window.width(), window.height()), (4, 2));
        assert_eq!(
            (window.pixel(0, 0), window.pixel(1, 0), window.pixel(2, 1)),
            (Some([100, 50, 25]), Some(BLACK), Some(RED))
        );
        let larger = window.fitted(8, 4);
        assert_eq!(
            (larger.pixel(1, 1), larger.pixel(3, 3), larger.pixel(7, 3)),
            (Some([100, 50, 25]), Some(BLACK), Some(RED))
        );
    }
}
