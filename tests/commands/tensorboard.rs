//! `train --tensorboard` writes what metrics.csv has, in the format of TensorBoard. It is read here by a decoder of its own.

use crate::common::{locomotion, ok};
use std::collections::BTreeMap;
use std::path::Path;

/// A field of a protobuf message: its number, and its value as raw bytes.
type Field<'a> = (u64, &'a [u8]);

fn varint(data: &mut &[u8]) -> u64 {
    let length = data.iter().position(|byte| byte & 128 == 0).unwrap() + 1;
    let (number, rest) = data.split_at(length);
    *data = rest;
    number.iter().rev().fold(0, |value, byte| value << 7 | u64::from(byte & 127))
}

fn message(mut data: &[u8]) -> Vec<Field<'_>> {
    let mut fields = Vec::new();
    while !data.is_empty() {
        let key = varint(&mut data);
        let before = data;
        let length = match key & 7 {
            0 => {
                varint(&mut data);
                before.len() - data.len()
            }
            1 => 8,
            2 => varint(&mut data) as usize,
            5 => 4,
            other => panic!("wire type {other}"),
        };
        let start = if key & 7 == 0 { before } else { data };
        let (value, rest) = start.split_at(length);
        fields.push((key >> 3, value));
        data = rest;
    }
    fields
}

fn masked_crc(data: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for bit in data.iter().flat_map(|byte| (0..8).map(move |bit| byte >> bit & 1)) {
        let low = crc & 1 ^ u32::from(bit);
        crc = (crc >> 1) ^ (low * 0x82f6_3b78);
    }
    let crc = !crc;
    crc.rotate_right(15).wrapping_add(0xa282_ead8)
}

/// The events of a file, whose checksums must be right.
fn records(mut file: &[u8]) -> Vec<&[u8]> {
    let mut records = Vec::new();
    while !file.is_empty() {
        let length = u64::from_le_bytes(file[..8].try_into().unwrap()) as usize;
        let (record, rest) = file.split_at(16 + length);
        let data = &record[12..12 + length];
        assert_eq!(record[8..12], masked_crc(&record[..8]).to_le_bytes());
        assert_eq!(record[12 + length..], masked_crc(data).to_le_bytes());
        records.push(data);
        file = rest;
    }
    records
}

/// The values of an event by tag, and its step.
fn event(data: &[u8]) -> (u64, BTreeMap<String, f32>) {
    let fields = message(data);
    let of = |number| fields.iter().find(|field| field.0 == number).map(|field| field.1);
    let values = message(of(5).unwrap()).into_iter().map(|(_, value)| {
        let value: BTreeMap<u64, &[u8]> = message(value).into_iter().collect();
        (String::from_utf8(value[&1].to_vec()).unwrap(), f32::from_le_bytes(value[&2].try_into().unwrap()))
    });
    (varint(&mut of(2).unwrap()), values.collect())
}

fn event_files(run: &Path) -> Vec<Vec<u8>> {
    let all = std::fs::read_dir(run).unwrap().map(|entry| entry.unwrap().path());
    let is_event = |path: &std::path::PathBuf| path.to_string_lossy().contains("events.out.tfevents.");
    all.filter(is_event).map(|path| std::fs::read(path).unwrap()).collect()
}

#[test]
fn tensorboard_gets_the_numbers_of_the_metrics() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let train = ["train", "--env", "swimmer", "--batch", "6", "--budget", "24", "--heldout-episodes", "2", "--quiet"];
    ok(&locomotion(&[&train[..], &["--tensorboard", "--out", run.to_str().unwrap()]].concat()));
    let files = event_files(&run);
    let [file] = &files[..] else { panic!("{} event files", files.len()) };
    let records = records(file);
    assert!(message(records[0]).contains(&(3, b"brain.Event:2")));
    let events: BTreeMap<u64, BTreeMap<String, f32>> = records[1..].iter().map(|data| event(data)).collect();

    let mut metrics = csv::Reader::from_path(run.join("metrics.csv")).unwrap();
    let columns = [
        ("return/center", "center_return"),
        ("return/heldout", "heldout_mean"),
        ("return/best", "best_return"),
        ("return/batch_median", "batch_median"),
        ("search/sigma", "sigma"),
        ("search/condition", "condition"),
        ("search/center_step", "center_step"),
        ("episodes/diverged", "diverged"),
        ("episodes/steps", "steps"),
    ];
    let mut compared = 0;
    for row in metrics.deserialize::<BTreeMap<String, String>>() {
        let row = row.unwrap();
        let event = &events[&row["episodes"].parse().unwrap()];
        for (tag, column) in columns {
            let expected = row[column].parse::<f64>().ok().filter(|value| value.is_finite());
            assert_eq!(event.get(tag).copied(), expected.map(|value| value as f32), "{tag} after {}", row["episodes"]);
            compared += usize::from(expected.is_some());
        }
    }
    assert!(events.len() == 5 && compared > 30, "{} events, {compared} numbers", events.len());
}
