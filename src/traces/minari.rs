//! Writes a dataset that `minari.load_dataset(id)` opens: the folder `ROOT/id/data` with the episodes and their
//! metadata.

use super::groups::Groups;
use super::metadata::{Metadata, Totals};
use super::{Request, record, storage};
use crate::atomic::Draft;
use crate::{Error, Result};
use serde_json::json;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// The format version to declare. Readers from 0.5.0 on accept it, and a later one would lock out earlier readers.
const FORMAT: &str = "0.5.0";

/// The id of a dataset, `[namespace/…]name-v<N>`, which is also its folder below the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatasetId(String);

impl DatasetId {
    /// Checks an id.
    ///
    /// # Errors
    /// If Minari would not accept the id. The error says what is wrong with it.
    pub fn parse(id: &str) -> Result<Self> {
        let example = "for example `locomotion/ant/syncma-v0`";
        let (name, version) = id.rsplit_once("-v").unwrap_or((id, ""));
        if version.is_empty() || !version.bytes().all(|b| b.is_ascii_digit()) {
            return Err(Error::usage(format!("the dataset id `{id}` has no version: it must end in -v and a number"))
                .hint(format!("try `{id}-v0`")));
        }
        let plain = |level: &str| {
            !level.is_empty() && level.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
        };
        if !name.split('/').all(plain) {
            let allowed = "letters, digits, - and _, with / between levels";
            return Err(Error::usage(format!("the dataset id `{id}` needs {allowed}")).hint(example));
        }
        if id.split('/').any(|level| level == "data") {
            return Err(Error::usage(format!("the dataset id `{id}`: Minari keeps the level name `data` for itself"))
                .hint(example));
        }
        Ok(Self(id.to_string()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The folders above the dataset's own, outermost first.
    fn namespaces(&self) -> impl Iterator<Item = &str> {
        self.0.match_indices('/').map(|(at, _)| &self.0[..at])
    }
}

/// Returns the place where Minari looks: `$MINARI_DATASETS_PATH`, or `.minari/datasets` in the home folder.
///
/// # Errors
/// If neither exists.
pub fn default_root() -> Result<PathBuf> {
    let chosen = env::var_os("MINARI_DATASETS_PATH").filter(|path| !path.is_empty()).map(PathBuf::from);
    let home = || env::home_dir().map(|home| home.join(".minari/datasets"));
    chosen.or_else(home).ok_or_else(|| {
        Error::usage("there is no home folder for Minari's datasets").hint("set `root DIR`").naming(&["root"])
    })
}

/// Writes the dataset, which appears under its name only when it is complete.
///
/// # Errors
/// If the physics breaks down in an episode, or if a file cannot be written or exists and `force` is not set.
pub fn write(
    request: &Request,
    id: &DatasetId,
    root: &Path,
    force: bool,
    seen: &mut dyn FnMut(usize),
) -> Result<Totals> {
    if let Some(outer) = id.namespaces().find(|outer| root.join(outer).join("data").exists()) {
        return Err(Error::output(
            root.join(outer),
            "a dataset already exists here, and Minari does not support nested datasets",
        )
        .hint("choose another dataset id"));
    }
    let target = root.join(id.as_str()).join("data");
    let draft = Draft::folder(&target, force)?;
    let failed = |e: hdf5::Error| Error::output(&target, e);
    let file_name = draft.path().join("main_data.hdf5");
    let file = storage::create(&file_name).map_err(failed)?;
    let totals = record(request, &mut Groups::new(&file), &target, seen)?;
    file.close().map_err(failed)?;

    let failed = |e: std::io::Error| Error::output(&target, e);
    let bytes = fs::metadata(&file_name).map_err(failed)?.len();
    let Metadata(mut keys) = Metadata::new(request, &totals);
    keys.insert("dataset_id".into(), json!(id.as_str()));
    keys.insert("minari_version".into(), json!(FORMAT));
    keys.insert("dataset_size".into(), json!((bytes as f64 / 1e5).round() / 10.0));
    let text = serde_json::to_string_pretty(&keys).map_err(|e| Error::failed(format!("cannot write JSON: {e}")))?;
    fs::write(draft.path().join("metadata.json"), text + "\n").map_err(failed)?;
    for namespace in id.namespaces() {
        let note = root.join(namespace).join("namespace_metadata.json");
        if !note.exists() {
            fs::write(&note, "{}\n").map_err(|e| Error::output(&note, e))?;
        }
    }
    draft.publish()?;
    Ok(totals)
}
