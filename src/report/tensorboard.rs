//! The measurements of a run as an event file that TensorBoard opens.
//!
//! A file is a list of records: length (8 bytes), checksum of the length, data, checksum of the data. The data is an Event
//! in protobuf's encoding: wall_time = 1, step = 2, file_version = 3, summary = 5 with values = 1 of tag = 1 and
//! simple_value = 2. (tensorflow/core/util/event.proto, lib/io/record_writer.cc; there is no maintained crate for it.)

use crate::run_folder::GenerationRow;
use crate::{Error, Result};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// An event file that grows with the run.
pub struct EventFile {
    path: PathBuf,
    file: File,
}

impl EventFile {
    /// Begins a new file in the folder. A run that continues has several, which TensorBoard joins.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn create(folder: &Path) -> Result<Self> {
        let name = format!("events.out.tfevents.{}.{}.locomotion", now() as u64, std::process::id());
        let path = folder.join(name);
        let file = File::create(&path).map_err(|e| Error::output(&path, e))?;
        let mut events = Self { path, file };
        events.record(&[double(1, now()), bytes(3, b"brain.Event:2")].concat())?;
        Ok(events)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a generation. Its step is the number of training episodes, as on the axis of our figures.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&mut self, row: &GenerationRow) -> Result<()> {
        let all = [
            ("return/center", Some(row.center_return)),
            ("return/heldout", row.heldout_mean()),
            ("return/best", row.best_return),
            ("return/batch_median", Some(row.batch[2])),
            ("search/sigma", Some(row.sigma)),
            ("search/condition", Some(row.condition)),
            ("search/center_step", Some(row.center_step)),
            ("episodes/diverged", Some(row.diverged as f64)),
            ("episodes/steps", Some(row.steps as f64)),
        ];
        let known = all.into_iter().filter_map(|(tag, value)| Some((tag, value.filter(|value| value.is_finite())?)));
        let summary: Vec<u8> = known.flat_map(|(tag, value)| bytes(1, &scalar(tag, value as f32))).collect();
        self.record(&[double(1, now()), varint(2, row.episodes), bytes(5, &summary)].concat())
    }

    fn record(&mut self, data: &[u8]) -> Result<()> {
        let length = (data.len() as u64).to_le_bytes();
        let record = [&length[..], &checksum(&length).to_le_bytes(), data, &checksum(data).to_le_bytes()].concat();
        self.file.write_all(&record).and_then(|()| self.file.flush()).map_err(|e| Error::output(&self.path, e))
    }
}

fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_secs_f64())
}

fn scalar(tag: &str, value: f32) -> Vec<u8> {
    let mut number = vec![2 << 3 | 5];
    number.extend(value.to_le_bytes());
    [bytes(1, tag.as_bytes()), number].concat()
}

fn double(field: u8, value: f64) -> Vec<u8> {
    let mut coded = vec![field << 3 | 1];
    coded.extend(value.to_le_bytes());
    coded
}

fn varint(field: u8, value: u64) -> Vec<u8> {
    let mut coded = vec![field << 3];
    number(value, &mut coded);
    coded
}

fn bytes(field: u8, value: &[u8]) -> Vec<u8> {
    let mut coded = vec![field << 3 | 2];
    number(value.len() as u64, &mut coded);
    coded.extend(value);
    coded
}

/// Seven bits per byte, the lowest first.
fn number(mut value: u64, coded: &mut Vec<u8>) {
    while value > 127 {
        coded.push(value as u8 | 128);
        value >>= 7;
    }
    coded.push(value as u8);
}

/// CRC-32C, rotated and shifted as TensorFlow does.
fn checksum(data: &[u8]) -> u32 {
    let crc = !data.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ if crc & 1 == 1 { 0x82f6_3b78 } else { 0 })
    });
    crc.rotate_right(15).wrapping_add(0xa282_ead8)
}

#[cfg(test)]
mod tests {
    use super::{checksum, number};

    /// The check value of CRC-32C, from its definition.
    #[test]
    fn checksums_are_crc_32c() {
        let unmasked = checksum(b"123456789").wrapping_sub(0xa282_ead8).rotate_left(15);
        assert_eq!(unmasked, 0xe306_9283);
    }

    #[test]
    fn numbers_have_seven_bits_per_byte() {
        let mut coded = Vec::new();
        number(300, &mut coded);
        assert_eq!(coded, [0xac, 0x02]);
    }
}
