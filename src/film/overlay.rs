//! Writes the return so far and the time onto every picture.

use crate::font::FONT;
use crate::rollout::Moment;
use crate::{Error, Result};
use ab_glyph::{Font, FontRef, PxScaleFont, ScaleFont, point};

/// A blank as wide as a digit, to pad numbers with.
const BLANK: char = '\u{2007}';
const INK: [f32; 3] = [255.0, 255.0, 255.0];
/// A dark plate under the text keeps it readable on any scene.
const PLATE: [f32; 3] = [24.0, 32.0, 40.0];
const PLATE_STRENGTH: f32 = 0.62;

/// Labels the pictures of one film.
pub struct Overlay {
    font: PxScaleFont<FontRef<'static>>,
    size: (usize, usize),
    /// The length of the longest time, in characters.
    longest: usize,
    /// The plate's left (and top), right and bottom edges.
    plate: (f32, f32, f32),
}

impl Overlay {
    pub fn new(width: usize, height: usize, moments: &[&Moment]) -> Result<Self> {
        let font =
            FontRef::try_from_slice(FONT).map_err(|e| Error::failed(format!("cannot read the built-in font: {e}")))?;
        let font = font.into_scaled((height as f32 / 20.0).clamp(13.0, 48.0));
        let longest = moments.iter().map(|moment| time(moment).chars().count()).max().unwrap_or(0);
        let mut overlay = Self { font, size: (width, height), longest, plate: (0.0, 0.0, 0.0) };
        let line = moments.iter().map(|moment| overlay.advance(&overlay.line(moment))).fold(0.0, f32::max);
        let (edge, inside) = (overlay.edge(), overlay.inside());
        overlay.plate = (edge, edge + line + 2.0 * inside, edge + overlay.font.height() + inside);
        Ok(overlay)
    }

    /// Draws the line for `moment` into the top left corner.
    pub fn draw(&self, rgb: &mut [u8], moment: &Moment) {
        self.draw_plate(rgb);
        let mut pen = self.edge() + self.inside();
        let baseline = self.edge() + self.inside() / 2.0 + self.font.ascent();
        for character in self.line(moment).chars() {
            let mut glyph = self.font.scaled_glyph(character);
            glyph.position = point(pen, baseline);
            pen += self.step(character);
            let Some(outline) = (character != BLANK).then(|| self.font.outline_glyph(glyph)).flatten() else {
                continue;
            };
            let corner = outline.px_bounds().min;
            outline.draw(|x, y, cover| {
                self.blend(rgb, corner.x as i32 + x as i32, corner.y as i32 + y as i32, INK, cover.min(1.0));
            });
        }
    }

    fn draw_plate(&self, rgb: &mut [u8]) {
        let (left, right, bottom) = self.plate;
        let radius = self.inside() / 2.0;
        for y in left as i32..bottom as i32 {
            for x in left as i32..right as i32 {
                // The distance to the rectangle that the rounded one extends by `radius`.
                let (px, py) = (x as f32 + 0.5, y as f32 + 0.5);
                let dx = (left + radius - px).max(px - (right - radius)).max(0.0);
                let dy = (left + radius - py).max(py - (bottom - radius)).max(0.0);
                let cover = (radius + 0.5 - dx.hypot(dy)).clamp(0.0, 1.0);
                self.blend(rgb, x, y, PLATE, cover * PLATE_STRENGTH);
            }
        }
    }

    /// Mixes a color into a pixel. Points outside of a small picture are skipped.
    fn blend(&self, rgb: &mut [u8], x: i32, y: i32, color: [f32; 3], strength: f32) {
        let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) else { return };
        if x >= self.size.0 || y >= self.size.1 {
            return;
        }
        let at = 3 * (y * self.size.0 + x);
        for (channel, to) in rgb[at..at + 3].iter_mut().zip(color) {
            *channel = (f32::from(*channel) * (1.0 - strength) + to * strength).round() as u8;
        }
    }

    /// The time comes first and is padded in front, and the return ends the line. Nothing jumps from picture to picture,
    /// and there is no gap between the words.
    fn line(&self, moment: &Moment) -> String {
        let time = format!("{:>width$}", time(moment), width = self.longest).replace(' ', &BLANK.to_string());
        format!("{time} s · return {}", value(moment))
    }

    fn advance(&self, text: &str) -> f32 {
        text.chars().map(|character| self.step(character)).sum()
    }

    fn step(&self, character: char) -> f32 {
        // Digits, the minus sign and the blank that pads them share one width.
        let like = if character == BLANK || character == '−' { '0' } else { character };
        self.font.h_advance(self.font.glyph_id(like))
    }

    fn edge(&self) -> f32 {
        (self.font.height() * 0.4).round()
    }

    fn inside(&self) -> f32 {
        (self.font.height() * 0.4).round()
    }
}

fn value(moment: &Moment) -> String {
    format!("{:.1}", moment.value).replace('-', "−")
}

fn time(moment: &Moment) -> String {
    format!("{:.2}", moment.time)
}
