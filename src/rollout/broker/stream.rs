//! Reads and writes entries of streams. An entry may come from anyone, so its content is not trusted.

use super::keys::FIELD;
use redis::{Cmd, Value};

/// An entry: the stream it came from, its id, and the message in it if there is one.
pub struct Entry {
    pub stream: String,
    pub id: String,
    pub message: Option<Vec<u8>>,
}

/// Adds a message to a stream.
pub fn add(stream: &str, message: &[u8]) -> Cmd {
    let mut command = redis::cmd("XADD");
    command.arg(stream).arg("*").arg(FIELD).arg(message);
    command
}

/// Adds a message to a stream if the stream exists, so that a deleted stream is not recreated.
pub fn add_to_existing(stream: &str, message: &[u8]) -> Cmd {
    let mut command = redis::cmd("XADD");
    command.arg(stream).arg("NOMKSTREAM").arg("*").arg(FIELD).arg(message);
    command
}

/// The entries in the answer of XREAD or XREADGROUP.
pub fn entries(answer: Value) -> Vec<Entry> {
    let mut found = Vec::new();
    for pair in list(answer) {
        let mut pair = list(pair).into_iter();
        let (Some(stream), Some(entries)) = (pair.next().and_then(text), pair.next()) else { continue };
        for entry in list(entries) {
            let mut entry = list(entry).into_iter();
            let (Some(id), fields) = (entry.next().and_then(text), entry.next()) else { continue };
            let mut fields = fields.map(list).unwrap_or_default().into_iter();
            let mut message = None;
            while let (Some(name), Some(value)) = (fields.next(), fields.next()) {
                if let (Value::BulkString(name), Value::BulkString(value)) = (name, value)
                    && name == FIELD.as_bytes()
                {
                    message = Some(value);
                }
            }
            found.push(Entry { stream: stream.clone(), id, message });
        }
    }
    found
}

fn list(value: Value) -> Vec<Value> {
    match value {
        Value::Array(values) => values,
        _ => Vec::new(),
    }
}

fn text(value: Value) -> Option<String> {
    match value {
        Value::BulkString(bytes) => String::from_utf8(bytes).ok(),
        Value::SimpleString(text) => Some(text),
        _ => None,
    }
}
