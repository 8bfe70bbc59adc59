//! Obtains libmujoco before anything links: fetched once with pip from the official wheel, pinned by SHA-256, kept in the
//! ignored folder `.mujoco`. A folder named by the user (`MUJOCO_DYNAMIC_LINK_DIR`, `MUJOCO_STATIC_LINK_DIR`) wins.

use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const VERSION: &str = "3.17.0";
const LIBRARY: &str = "libmujoco.so.3.17.0";
const LIBRARY_SHA256: &str = "23496b023ee80fb61ab71167e94bc649f9941710fde96b18bb8204fb332523ad";
const WHEEL_SHA256: &str = "d66928d86a2d1b601bbaa4dc11db50214d17d5301bb8afd84721313b67ff0874";

pub fn provide() {
    println!("cargo::rerun-if-env-changed=MUJOCO_DYNAMIC_LINK_DIR");
    println!("cargo::rerun-if-env-changed=MUJOCO_STATIC_LINK_DIR");
    if env::var_os("MUJOCO_STATIC_LINK_DIR").is_some() {
        return;
    }
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap());
    if let Some(folder) = chosen_by_user(&root) {
        rpath(&folder.display().to_string());
        return;
    }
    let store = root.join(".mujoco");
    let library = store.join(LIBRARY);
    println!("cargo::rerun-if-changed={}", library.display());
    if checksum(&library).as_deref() != Some(LIBRARY_SHA256)
        && let Err(why) = fetch(&store, &library)
    {
        for line in [
            format!("libmujoco {VERSION} is not here and could not be fetched: {why}"),
            "either connect to a Python package index once and build again (needs python3 with pip),".into(),
            format!("or put the official {LIBRARY} into the folder {}", store.display()),
            format!("or set MUJOCO_DYNAMIC_LINK_DIR to the lib folder of a MuJoCo {VERSION} release"),
        ] {
            println!("cargo::error={line}");
        }
        std::process::exit(1);
    }
    link(&store, &library);
}

/// The folder in `MUJOCO_DYNAMIC_LINK_DIR`, unless it is our own linker script's.
fn chosen_by_user(root: &Path) -> Option<PathBuf> {
    let folder = PathBuf::from(env::var_os("MUJOCO_DYNAMIC_LINK_DIR")?);
    let ours = root.join("assets/link").canonicalize().ok();
    (folder.canonicalize().ok() != ours).then_some(folder)
}

fn checksum(file: &Path) -> Option<String> {
    let bytes = fs::read(file).ok()?;
    let digest = Sha256::digest(&bytes);
    Some(digest.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Downloads the pinned wheel, takes the library out, checks it, and only then moves it to its name.
fn fetch(store: &Path, library: &Path) -> Result<(), String> {
    let work = PathBuf::from(env::var_os("OUT_DIR").unwrap()).join("wheel");
    let _ = fs::remove_dir_all(&work);
    fs::create_dir_all(&work).map_err(|e| e.to_string())?;
    fs::create_dir_all(store).map_err(|e| format!("{}: {e}", store.display()))?;

    let requirements = work.join("requirements.txt");
    fs::write(&requirements, format!("mujoco=={VERSION} --hash=sha256:{WHEEL_SHA256}\n")).map_err(|e| e.to_string())?;
    python(Command::new("python3").args(["-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]).args(
        [
            "--only-binary=:all:",
            "--platform=manylinux_2_27_x86_64",
            "--implementation=cp",
            "--python-version=3.11",
            "--abi=cp311",
            "--dest",
            &work.display().to_string(),
            "--requirement",
            &requirements.display().to_string(),
        ],
    ))?;
    let wheel = find(&work, |name| name.ends_with(".whl")).ok_or("pip left no wheel")?;
    python(Command::new("python3").args(["-m", "zipfile", "-e"]).arg(&wheel).arg(&work))?;

    let unpacked = work.join("mujoco").join(LIBRARY);
    match checksum(&unpacked) {
        Some(sum) if sum == LIBRARY_SHA256 => {}
        Some(sum) => return Err(format!("{LIBRARY} in the wheel has SHA-256 {sum}, expected {LIBRARY_SHA256}")),
        None => return Err(format!("the wheel holds no mujoco/{LIBRARY}")),
    }
    let partial = store.join(format!("{LIBRARY}.{}", std::process::id()));
    fs::copy(&unpacked, &partial).map_err(|e| format!("{}: {e}", partial.display()))?;
    fs::rename(&partial, library).map_err(|e| format!("{}: {e}", library.display()))?;
    let _ = fs::remove_dir_all(&work);
    Ok(())
}

fn python(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|e| format!("python3 does not start: {e}"))?;
    if output.status.success() {
        return Ok(());
    }
    let talk = String::from_utf8_lossy(&output.stderr);
    let last = talk.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("no message");
    Err(last.trim().to_string())
}

fn find(folder: &Path, wanted: impl Fn(&str) -> bool) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?;
    entries
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.file_name().is_some_and(|n| wanted(&n.to_string_lossy())))
}

/// Cargo puts search paths below target/ on the loader's path of what it runs (doctests too); the rpath serves a binary
/// started by hand: in place, after the repository was moved, installed, or with the library beside it or in `../lib`.
fn link(store: &Path, library: &Path) {
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap());
    let beside = out.join(LIBRARY);
    let _ = fs::remove_file(&beside);
    if fs::hard_link(library, &beside).is_err() {
        fs::copy(library, &beside).expect("OUT_DIR is writable");
    }
    println!("cargo::rustc-link-search=native={}", out.display());
    rpath("$ORIGIN");
    rpath("$ORIGIN/../lib");
    rpath("$ORIGIN/../../.mujoco");
    rpath("$ORIGIN/../../../.mujoco");
    rpath(&store.display().to_string());
}

fn rpath(folder: &str) {
    println!("cargo::rustc-link-arg=-Wl,-rpath,{folder}");
}
