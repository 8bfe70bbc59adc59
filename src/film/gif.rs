//! Writes an animated GIF with one palette for the whole film, storing only the pixels that change.

use super::{FrameWriter, Output};
use crate::{Error, Result};
use color_quant::NeuQuant;
use gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Browsers slow down a GIF that shows pictures for less than two hundredths of a second each.
const FASTEST: u32 = 50;
/// How many pictures are collected before the palette is chosen.
const SAMPLE: usize = 12;
/// The number of colors in the palette. The last entry is reserved for pixels that do not change.
const COLORS: usize = 255;
const AS_BEFORE: u8 = 255;

/// An animation in the making.
pub struct Gif {
    size: (usize, usize),
    fps: u32,
    frames: u32,
    target: PathBuf,
    stage: Stage,
}

enum Stage {
    /// Keeps the first pictures until the palette is chosen.
    Looking(Output, Vec<Vec<u8>>),
    Writing(Box<Writer>),
    /// The moment between the two stages, or the state after an error.
    Over,
}

struct Writer {
    encoder: Encoder<Output>,
    palette: Palette,
    before: Vec<u8>,
}

impl Gif {
    /// Starts an animation of pictures of this size.
    ///
    /// # Errors
    /// If `fps` is too high, if the target cannot be written, or if it exists and `force` is not set.
    pub fn new(target: &Path, force: bool, size: (usize, usize), fps: u32) -> Result<Self> {
        if fps > FASTEST {
            return Err(Error::usage(format!("a GIF shows at most {FASTEST} pictures per second, not {fps}"))
                .hint(format!("`fps {FASTEST}`, or an MP4"))
                .naming(&["fps"]));
        }
        let output = Output::new(target, force)?;
        Ok(Self { size, fps, frames: 0, target: target.to_path_buf(), stage: Stage::Looking(output, Vec::new()) })
    }

    /// Chooses the palette and writes the pictures that were waiting for it.
    fn start(&mut self) -> Result<()> {
        let Stage::Looking(output, kept) = std::mem::replace(&mut self.stage, Stage::Over) else { return Ok(()) };
        let palette = Palette::of(&kept);
        let (width, height) = (self.size.0 as u16, self.size.1 as u16);
        let mut encoder = Encoder::new(output, width, height, &palette.rgb).map_err(|e| self.error(e))?;
        encoder.set_repeat(Repeat::Infinite).map_err(|e| self.error(e))?;
        self.stage = Stage::Writing(Box::new(Writer { encoder, palette, before: Vec::new() }));
        kept.iter().try_for_each(|rgb| self.add(rgb))
    }

    fn error(&self, error: EncodingError) -> Error {
        match error {
            EncodingError::Io(e) => Error::output(&self.target, e),
            other => Error::failed(format!("the GIF encoder failed: {other}")),
        }
    }

    /// Returns how long the next picture is shown, in hundredths of a second. Rounding errors do not add up.
    fn delay(&self) -> u16 {
        let until = |frame: u32| (f64::from(frame) * 100.0 / f64::from(self.fps)).round();
        (until(self.frames + 1) - until(self.frames)) as u16
    }
}

impl FrameWriter for Gif {
    fn add(&mut self, rgb: &[u8]) -> Result<()> {
        let delay = self.delay();
        match &mut self.stage {
            Stage::Looking(_, kept) => {
                kept.push(rgb.to_vec());
                if kept.len() == SAMPLE { self.start() } else { Ok(()) }
            }
            Stage::Writing(writer) => {
                let written = writer.write(rgb, self.size, delay);
                self.frames += 1;
                written.map_err(|e| self.error(e))
            }
            Stage::Over => Err(Error::failed("the GIF is closed")),
        }
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        // A short film may end while the palette is still being chosen.
        if matches!(self.stage, Stage::Looking(..)) {
            self.start()?;
        }
        match std::mem::replace(&mut self.stage, Stage::Over) {
            Stage::Writing(writer) => writer.encoder.into_inner().map_err(|e| self.error(e))?.publish(&self.target),
            _ => Err(Error::failed("the GIF is closed")),
        }
    }
}

impl Writer {
    fn write(
        &mut self,
        rgb: &[u8],
        (width, height): (usize, usize),
        delay: u16,
    ) -> std::result::Result<(), EncodingError> {
        let now = self.palette.indices(rgb);
        let change = |(new, old): (&u8, &u8)| if new == old { AS_BEFORE } else { *new };
        let buffer = match self.before.is_empty() {
            true => now.clone(),
            false => now.iter().zip(&self.before).map(change).collect(),
        };
        self.before = now;
        self.encoder.write_frame(&Frame {
            width: width as u16,
            height: height as u16,
            delay,
            dispose: DisposalMethod::Keep,
            transparent: Some(AS_BEFORE),
            buffer: Cow::Owned(buffer),
            ..Frame::default()
        })
    }
}

/// The colors of a film.
struct Palette {
    quantizer: NeuQuant,
    rgb: Vec<u8>,
    /// Caches the palette entry of each color (6 bits per channel), because searching the palette is slow.
    known: Vec<Option<u8>>,
}

impl Palette {
    fn of(pictures: &[Vec<u8>]) -> Self {
        let rgba: Vec<u8> =
            pictures.iter().flat_map(|rgb| rgb.chunks_exact(3)).flat_map(|p| [p[0], p[1], p[2], 255]).collect();
        // NeuQuant recommends looking at one pixel in ten.
        let quantizer = NeuQuant::new(10, COLORS, &rgba);
        let rgb = quantizer.color_map_rgb();
        Self { quantizer, rgb, known: vec![None; 1 << 18] }
    }

    fn indices(&mut self, rgb: &[u8]) -> Vec<u8> {
        rgb.chunks_exact(3).map(|pixel| self.index(pixel[0], pixel[1], pixel[2])).collect()
    }

    fn index(&mut self, r: u8, g: u8, b: u8) -> u8 {
        let key = usize::from(r >> 2) << 12 | usize::from(g >> 2) << 6 | usize::from(b >> 2);
        let quantizer = &self.quantizer;
        *self.known[key].get_or_insert_with(|| quantizer.index_of(&[r, g, b, 255]) as u8)
    }
}
