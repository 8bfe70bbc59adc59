//! Smooths edges after drawing. It takes 1 ms, while multisampling would double the time that software GL needs.
//!
//! The method follows FXAA (Lottes, NVIDIA 2009): wherever brightness jumps, it averages along the edge.

use std::ops::RangeInclusive;

/// A brightness step up to this size is not an edge. GL already smooths the floor's pattern.
const STEP: u8 = 16;
/// How far to look along an edge in either direction, in pixels.
const REACH: f32 = 4.0;

/// Smooths the edges of an RGB picture.
pub fn fxaa(rgb: &mut [u8], width: usize) {
    if width < 3 {
        return;
    }
    let source = Picture { rgb: rgb.to_vec(), width, height: rgb.len() / (3 * width) };
    let brightness: Vec<u8> = source.rgb.chunks_exact(3).map(brightness).collect();
    let row = |y: usize| &brightness[y * width..(y + 1) * width];
    let mut steps = vec![0; width.saturating_sub(2)];
    for y in 1..source.height.saturating_sub(1) {
        let (above, here, below) = (row(y - 1), row(y), row(y + 1));
        measure(&mut steps, above, here, below);
        for x in (1..).zip(&steps).filter(|(_, step)| **step > STEP).map(|(x, _)| x) {
            let corners = [above[x - 1], above[x + 1], below[x - 1], below[x + 1]];
            let low = corners.into_iter().fold(here[x], u8::min);
            let high = corners.into_iter().fold(here[x], u8::max);
            let at = 3 * (y * width + x);
            rgb[at..at + 3].copy_from_slice(&source.along_edge(x, y, corners, low..=high));
        }
    }
}

/// Measures the brightness step around every pixel of a row but the first and the last one. Most are small, and this loop
/// handles many pixels at a time.
fn measure(steps: &mut [u8], above: &[u8], here: &[u8], below: &[u8]) {
    let inner = steps.len();
    let (left, right) = (0..inner, 2..inner + 2);
    let up = above[left.clone()].iter().zip(&above[right.clone()]);
    let down = below[left].iter().zip(&below[right]);
    let around = up.zip(down).zip(&here[1..]);
    for (step, (((a, b), (c, d)), e)) in steps.iter_mut().zip(around) {
        *step = *a.max(b).max(c).max(d).max(e) - *a.min(b).min(c).min(d).min(e);
    }
}

/// Weights the channels roughly as the eye does, in eighths.
fn brightness(pixel: &[u8]) -> u8 {
    ((2 * u16::from(pixel[0]) + 5 * u16::from(pixel[1]) + u16::from(pixel[2])) / 8) as u8
}

struct Picture {
    rgb: Vec<u8>,
    width: usize,
    height: usize,
}

impl Picture {
    /// Returns the color of a pixel on an edge, the mean of points along it. Far points count only if they lie on the
    /// same edge.
    fn along_edge(&self, x: usize, y: usize, corners: [u8; 4], range: RangeInclusive<u8>) -> [u8; 3] {
        let [nw, ne, sw, se] = corners.map(f32::from);
        let (dx, dy) = (-(nw + ne - sw - se), nw + sw - ne - se);
        // Scales the shorter component to 1 pixel, so that flat edges do not reach too far.
        let scale = dx.abs().min(dy.abs()).max((nw + ne + sw + se) / 32.0 + 1.0).recip();
        let (dx, dy) = ((dx * scale).clamp(-REACH, REACH), (dy * scale).clamp(-REACH, REACH));
        let point = |t: f32| self.at(x as f32 + t * dx, y as f32 + t * dy);
        let near = mean(point(-1.0 / 6.0), point(1.0 / 6.0));
        let far = mean(near, mean(point(-0.5), point(0.5))).map(|c| c.round() as u8);
        if range.contains(&brightness(&far)) { far } else { near.map(|c| c.round() as u8) }
    }

    /// Interpolates the color at a point between pixels.
    fn at(&self, x: f32, y: f32) -> [f32; 3] {
        let (x, y) = (x.clamp(0.0, (self.width - 1) as f32), y.clamp(0.0, (self.height - 1) as f32));
        let (left, top) = (x as usize, y as usize);
        let (right, bottom) = ((left + 1).min(self.width - 1), (top + 1).min(self.height - 1));
        let (fx, fy) = (x - left as f32, y - top as f32);
        let row = |y: usize| mix(self.pixel(left, y), self.pixel(right, y), fx);
        mix(row(top), row(bottom), fy)
    }

    fn pixel(&self, x: usize, y: usize) -> [f32; 3] {
        let at = 3 * (y * self.width + x);
        [self.rgb[at], self.rgb[at + 1], self.rgb[at + 2]].map(f32::from)
    }
}

fn mix(a: [f32; 3], b: [f32; 3], t: f32) -> [f32; 3] {
    std::array::from_fn(|i| a[i] + t * (b[i] - a[i]))
}

fn mean(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    mix(a, b, 0.5)
}

#[cfg(test)]
mod tests {
    use super::{fxaa, measure};

    fn picture(bright: impl Fn(usize, usize) -> bool) -> Vec<u8> {
        (0..32 * 32).flat_map(|i| [if bright(i % 32, i / 32) { 220 } else { 30 }; 3]).collect()
    }

    #[test]
    fn a_slanted_edge_gets_steps_between_and_a_flat_area_stays() {
        let mut slanted = picture(|x, y| 3 * x > 2 * y + 16);
        fxaa(&mut slanted, 32);
        let between = slanted.iter().filter(|&&c| (60..190).contains(&c)).count();
        assert!(between > 3 * 20, "{between}");

        let mut flat = picture(|_, _| true);
        fxaa(&mut flat, 32);
        assert_eq!(flat, picture(|_, _| true));
    }

    #[test]
    fn many_pixels_at_a_time_give_the_same_steps_as_one() {
        let row = |seed: usize| (0..37).map(|x| ((x * x * 31 + seed * 57) % 251) as u8).collect::<Vec<u8>>();
        let rows = [row(1), row(2), row(3)];
        let mut steps = [0; 35];
        measure(&mut steps, &rows[0], &rows[1], &rows[2]);
        for (x, step) in (1..).zip(steps) {
            let around = [rows[0][x - 1], rows[0][x + 1], rows[1][x], rows[2][x - 1], rows[2][x + 1]];
            assert_eq!(step, around.iter().max().unwrap() - around.iter().min().unwrap());
        }
    }

    #[test]
    fn a_straight_edge_stays_sharp() {
        let mut straight = picture(|_, y| y > 15);
        fxaa(&mut straight, 32);
        assert_eq!(straight, picture(|_, y| y > 15));
    }
}
