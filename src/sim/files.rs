//! The files that a user's task consists of: its TOML, its MJCF, and everything that this includes or loads.

use crate::{Error, Result};
use mujoco_rs::prelude::*;
use mujoco_rs::wrappers::mj_auxiliary::MjVfs;
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

/// The attributes of MJCF elements that name files.
const FILES: [&str; 7] = ["file", "fileright", "fileleft", "fileup", "filedown", "filefront", "fileback"];
/// The attributes of `<compiler>` that name folders.
const FOLDERS: [&str; 3] = ["meshdir", "texturedir", "assetdir"];

/// Returns all files of the task in this TOML file that exist, as absolute paths, the TOML first. A file that the MJCF
/// names by an absolute path is found there from anywhere and is left out.
///
/// # Errors
/// If the TOML file or the MJCF cannot be read.
pub fn files(toml: &Path) -> Result<Vec<PathBuf>> {
    let text = std::fs::read_to_string(toml).map_err(|e| Error::input(toml, e))?;
    let table: toml::Table = text.parse().map_err(|e: toml::de::Error| Error::input(toml, e.to_string().trim_end()))?;
    let toml = plain(toml)?;
    let folder = toml.parent().map(PathBuf::from).unwrap_or_default();
    let mut found = vec![toml];
    if let Some(model) = table.get("model").and_then(toml::Value::as_str).filter(|model| Path::new(model).is_relative())
    {
        found.extend(files_of_model(&plain(&folder.join(model))?)?);
    }
    Ok(found)
}

/// Returns this MJCF file and all that it names.
fn files_of_model(mjcf: &Path) -> Result<BTreeSet<PathBuf>> {
    let home = mjcf.parent().map(PathBuf::from).unwrap_or_default();
    let mut seen = BTreeSet::new();
    follow(mjcf, &home, &mut BTreeSet::from([PathBuf::new()]), &mut seen)?;
    Ok(seen)
}

/// Returns the innermost folder that holds all these files.
pub fn common_folder(files: &[PathBuf]) -> PathBuf {
    let folders = files.iter().map(|file| file.parent().map(PathBuf::from).unwrap_or_default());
    let shared = |one: PathBuf, other: PathBuf| -> PathBuf {
        one.components().zip(other.components()).take_while(|(a, b)| a == b).map(|(part, _)| part).collect()
    };
    folders.reduce(shared).unwrap_or_default()
}

/// Compiles a model as if the folder of its files were the only one there is. A compiled model contains the paths of its
/// meshes and textures, and the same robot in another place has to be the same model.
pub(super) fn compile_without_place(mjcf: &Path) -> Result<MjModel> {
    let mjcf = plain(mjcf)?;
    let files: Vec<PathBuf> = files_of_model(&mjcf)?.into_iter().collect();
    let folder = common_folder(&files);
    let inside = |file: &Path| file.strip_prefix(&folder).unwrap_or(file).to_path_buf();
    let mut only = MjVfs::new();
    for file in &files {
        let bytes = std::fs::read(file).map_err(|e| Error::input(file, e))?;
        only.add_from_buffer(inside(file), &bytes).map_err(|e| Error::input(file, e))?;
    }
    MjModel::from_xml_vfs(inside(&mjcf), &only).map_err(|e| Error::input(&mjcf, e))
}

/// Adds this MJCF file and all that it names. `home` is the folder of the outermost one, and `folders` are the places
/// below it where its files may lie.
fn follow(mjcf: &Path, home: &Path, folders: &mut BTreeSet<PathBuf>, seen: &mut BTreeSet<PathBuf>) -> Result<()> {
    if !seen.insert(mjcf.to_path_buf()) {
        return Ok(());
    }
    let text = std::fs::read(mjcf).map_err(|e| Error::input(mjcf, e))?;
    let text = String::from_utf8_lossy(&text);
    let attributes = attributes(&text);
    folders.extend(attributes.iter().filter(|(name, _)| FOLDERS.contains(&name.as_str())).map(|(_, to)| to.into()));
    for (_, file) in attributes.iter().filter(|(name, _)| FILES.contains(&name.as_str())) {
        let file = Path::new(file);
        // MuJoCo looks in the folder of the outermost file; `strippath` leaves only the name.
        let beside = mjcf.parent().unwrap_or(home);
        let names = [Some(file), file.file_name().map(Path::new)];
        let places = folders.iter().map(|folder| home.join(folder)).chain([beside.to_path_buf()]);
        let places: Vec<PathBuf> =
            places.flat_map(|place| names.iter().flatten().map(move |name| place.join(name))).collect();
        let Some(path) = places.into_iter().find(|path| path.is_file()) else { continue };
        let path = plain(&path)?;
        if file.is_absolute() {
            continue;
        }
        if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("xml")) {
            follow(&path, home, folders, seen)?;
        } else {
            seen.insert(path);
        }
    }
    Ok(())
}

/// Returns the attributes of all elements, without those in comments.
fn attributes(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let pieces = text.split("<!--").enumerate();
    let code: String =
        pieces.map(|(at, part)| if at == 0 { part } else { part.split_once("-->").map_or("", |p| p.1) }).collect();
    for element in code.split('<').skip(1) {
        let mut rest = element;
        while let Some((before, after)) = rest.split_once('=') {
            let name = before.rsplit(|c: char| c.is_whitespace()).find(|word| !word.is_empty()).unwrap_or_default();
            let after = after.trim_start();
            let Some(quote) = after.chars().next().filter(|c| matches!(c, '"' | '\'')) else { break };
            let Some((value, more)) = after[1..].split_once(quote) else { break };
            found.push((name.to_string(), value.replace("&amp;", "&")));
            rest = more;
        }
    }
    found
}

/// Returns an absolute path without `.` and `..`.
fn plain(path: &Path) -> Result<PathBuf> {
    let absolute = std::path::absolute(path).map_err(|e| Error::input(path, e))?;
    let mut plain = PathBuf::new();
    for part in absolute.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use super::attributes;

    #[test]
    fn attributes_are_found_outside_of_comments() {
        let text = "<!-- <a file=\"no\"/> --><mesh name='m' file = \"a&amp;b.stl\"/><include file='c.xml'/>";
        let files: Vec<String> =
            attributes(text).into_iter().filter(|(name, _)| name == "file").map(|(_, value)| value).collect();
        assert_eq!(files, ["a&b.stl", "c.xml"]);
    }
}
