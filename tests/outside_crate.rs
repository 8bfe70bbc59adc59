//! A crate outside of the repository depends on the library without its features: it builds without a C compiler, and
//! works.

use std::fs;
use std::path::Path;
use std::process::Command;

const MAIN: &str = r#"
use locomotion::benchmark::{Function, Problem, Synthetic};
use locomotion::nalgebra::DVector;
use locomotion::optim::{Optimizer, Settings, SettingsError};
use locomotion::statistics::median;

fn main() -> Result<(), SettingsError> {
    let problem = Synthetic { function: Function::Sphere, dim: 3, moved: true, rotated: true }.instance(7);
    let mut search = Settings { sigma: Some(1.0), ..Settings::default() }.build(DVector::zeros(3))?;
    let mut losses = Vec::new();
    for _ in 0..100 {
        losses = search.ask().column_iter().map(|x| problem.value(x.as_slice())).collect();
        search.tell(&losses);
    }
    println!("median {:e}", median(&losses));
    Ok(())
}
"#;

/// Crates that need a simulator, a C compiler, a window or a command line.
const HEAVY: [&str; 12] = [
    "bindgen",
    "cc",
    "clap",
    "cmake",
    "glutin",
    "hdf5-metno",
    "hdf5-metno-sys",
    "mujoco-rs",
    "openh264",
    "openh264-sys2",
    "plotters",
    "winit",
];

/// Runs cargo on the crate in this folder. It shares only the registry with us, and build scripts find no C compiler. What
/// it builds is kept for the next run of this test.
fn cargo(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("outside"))
        .envs(["CC", "CXX", "CMAKE"].map(|tool| (tool, "/does/not/exist")))
        .env_remove("MUJOCO_DYNAMIC_LINK_DIR")
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_library_without_features_serves_a_crate_outside() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let outside = tempfile::tempdir().unwrap();
    let manifest = format!(
        "[package]\nname = \"outside\"\nedition = \"2024\"\n\n[profile.dev]\ndebug = false\n\n\
         [dependencies]\nlocomotion = {{ path = {:?}, default-features = false }}\n",
        root.to_str().unwrap()
    );
    fs::write(outside.path().join("Cargo.toml"), manifest).unwrap();
    fs::create_dir(outside.path().join("src")).unwrap();
    fs::write(outside.path().join("src/main.rs"), MAIN).unwrap();
    // Use the versions that our own build has fetched, so that no network is needed.
    fs::copy(root.join("Cargo.lock"), outside.path().join("Cargo.lock")).unwrap();

    let tree =
        cargo(outside.path(), &["tree", "--offline", "--edges", "normal,build", "--prefix", "none", "--format", "{p}"]);
    let crates: Vec<&str> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(crates.contains(&"locomotion") && crates.contains(&"nalgebra"), "{crates:?}");
    let heavy: Vec<&&str> = HEAVY.iter().filter(|name| crates.contains(name)).collect();
    assert!(heavy.is_empty(), "{heavy:?}");

    let said = cargo(outside.path(), &["run", "--offline", "--quiet"]);
    let value: f64 = said.trim().strip_prefix("median ").unwrap().parse().unwrap();
    assert!(value < 1e-6, "{said}");
}
