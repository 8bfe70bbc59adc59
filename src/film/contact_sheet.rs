//! A contact sheet: pictures of one gait cycle side by side in a single PNG.

use super::{FrameWriter, Output};
use crate::{Error, Result};
use png::{BitDepth, ColorType, EncodingError};
use std::path::{Path, PathBuf};

/// The number of pictures on a sheet.
pub const PICTURES: usize = 8;
const COLUMNS: usize = 4;
/// The width of the white gap between pictures, in pixels.
const GAP: usize = 4;

/// A contact sheet in the making.
pub struct ContactSheet {
    output: Output,
    target: PathBuf,
    size: (usize, usize),
    canvas: Vec<u8>,
    pictures: usize,
}

impl ContactSheet {
    /// Starts a sheet of pictures of this size.
    ///
    /// # Errors
    /// If the target cannot be written, or if it exists and `force` is not set.
    pub fn new(target: &Path, force: bool, size: (usize, usize)) -> Result<Self> {
        let output = Output::new(target, force)?;
        let (width, height) = canvas(size);
        let canvas = vec![255; 3 * width * height];
        Ok(Self { output, target: target.to_path_buf(), size, canvas, pictures: 0 })
    }
}

/// The width and height of the whole sheet.
fn canvas((width, height): (usize, usize)) -> (usize, usize) {
    let rows = PICTURES.div_ceil(COLUMNS);
    (COLUMNS * (width + GAP) - GAP, rows * (height + GAP) - GAP)
}

impl FrameWriter for ContactSheet {
    fn add(&mut self, rgb: &[u8]) -> Result<()> {
        let (width, height) = self.size;
        let row = 3 * canvas(self.size).0;
        let left = self.pictures % COLUMNS * (width + GAP);
        let top = self.pictures / COLUMNS * (height + GAP);
        for (y, line) in rgb.chunks_exact(3 * width).enumerate() {
            let at = (top + y) * row + 3 * left;
            self.canvas[at..at + line.len()].copy_from_slice(line);
        }
        self.pictures += 1;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        let (width, height) = canvas(self.size);
        let mut encoder = png::Encoder::new(&mut self.output, width as u32, height as u32);
        encoder.set_color(ColorType::Rgb);
        encoder.set_depth(BitDepth::Eight);
        let written = encoder.write_header().and_then(|mut png| {
            png.write_image_data(&self.canvas)?;
            png.finish()
        });
        match written {
            Ok(()) => self.output.publish(&self.target),
            Err(EncodingError::IoError(e)) => Err(Error::output(&self.target, e)),
            Err(other) => Err(Error::failed(format!("the PNG encoder failed: {other}"))),
        }
    }
}
