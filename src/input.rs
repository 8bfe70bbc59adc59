//! Reads files that a user names. A device or a file of absurd size is refused instead of filling the memory.

use crate::{Error, Result};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The largest file that is read as a whole, in MiB. The policies and tasks that ship with the program have less than 1.
pub const MOST_MEBIBYTES: u64 = 64;

/// Reads a file or a pipe as a whole.
///
/// # Errors
/// If it cannot be read, or if it is larger than [`MOST_MEBIBYTES`].
pub fn bytes(file: &Path) -> Result<Vec<u8>> {
    let opened = File::open(file).map_err(|e| Error::input(file, e))?;
    let most = MOST_MEBIBYTES << 20;
    let mut bytes = Vec::new();
    opened.take(most + 1).read_to_end(&mut bytes).map_err(|e| Error::input(file, e))?;
    if bytes.len() as u64 > most {
        return Err(Error::input(file, format!("larger than {MOST_MEBIBYTES} MiB, which is the most that is read")));
    }
    Ok(bytes)
}

/// Reads a file or a pipe as text.
///
/// # Errors
/// As for [`bytes`], or if it is not UTF-8.
pub fn text(file: &Path) -> Result<String> {
    let not_text = |e: std::string::FromUtf8Error| {
        let at = e.utf8_error().valid_up_to();
        Error::input(file, format!("not UTF-8 text: the first wrong byte is number {at}"))
    };
    String::from_utf8(bytes(file)?).map_err(not_text)
}
