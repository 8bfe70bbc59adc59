//! Changes files the way that damage, haste and malice do. The same seed makes the same changes.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Words that have broken programs before.
const WORDS: [&str; 34] = [
    "0",
    "-1",
    "1",
    "2",
    "-0.0",
    "0.5",
    "1e-320",
    "1e308",
    "-1e308",
    "1e999",
    "nan",
    "inf",
    "-inf",
    "4294967296",
    "2147483648",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "1000000",
    "true",
    "null",
    "\"\"",
    "\"..\"",
    "\"/dev/zero\"",
    "[]",
    "{}",
    "\"\u{1b}[2J\"",
    "é",
    "\0",
    "\r\n",
    "\n\n",
    "<",
    "=",
    ",",
];

/// One to three changes of a text or of bytes, most often one, so that most of it can still be read.
pub fn mutated(original: &[u8], rng: &mut ChaCha8Rng) -> Vec<u8> {
    let mut bytes = original.to_vec();
    for _ in 0..[1, 1, 1, 2, 3][rng.random_range(0..5)] {
        change(&mut bytes, rng);
    }
    bytes
}

fn change(bytes: &mut Vec<u8>, rng: &mut ChaCha8Rng) {
    let word = WORDS[rng.random_range(0..WORDS.len())].as_bytes();
    let (from, to) = range(bytes.len(), rng);
    match rng.random_range(0..12) {
        0 if !bytes.is_empty() => {
            let at = rng.random_range(0..bytes.len());
            bytes[at] ^= 1 << rng.random_range(0..8);
        }
        1 => bytes.truncate(from),
        2 => drop(bytes.drain(from..to)),
        3 => {
            let copy = bytes[from..to].to_vec();
            let at = rng.random_range(0..=bytes.len());
            bytes.splice(at..at, copy);
        }
        4 => drop(bytes.splice(from..from, word.iter().copied())),
        5 => lines(bytes, rng),
        // The most fruitful one: another value for a number or a word.
        _ => {
            let spans = spans(bytes);
            if !spans.is_empty() {
                let (from, to) = spans[rng.random_range(0..spans.len())];
                bytes.splice(from..to, word.iter().copied());
            }
        }
    }
}

/// A short piece of the whole.
fn range(length: usize, rng: &mut ChaCha8Rng) -> (usize, usize) {
    let from = rng.random_range(0..=length);
    (from, (from + rng.random_range(0..40)).min(length))
}

/// Leaves out, repeats or moves a line.
fn lines(bytes: &mut Vec<u8>, rng: &mut ChaCha8Rng) {
    let mut lines: Vec<Vec<u8>> = bytes.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    let (one, other) = (rng.random_range(0..lines.len()), rng.random_range(0..lines.len()));
    match rng.random_range(0..3) {
        0 => drop(lines.remove(one)),
        1 => {
            let again = lines[one].clone();
            lines.insert(other, again);
        }
        _ => lines.swap(one, other),
    }
    *bytes = lines.join(&b'\n');
}

/// Where numbers and words are.
fn spans(bytes: &[u8]) -> Vec<(usize, usize)> {
    let inside = |byte: &u8| byte.is_ascii_alphanumeric() || b"._+-".contains(byte);
    let mut spans = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let length = bytes[at..].iter().take_while(|byte| inside(byte)).count();
        if length > 0 {
            spans.push((at, at + length));
        }
        at += length + 1;
    }
    spans
}
