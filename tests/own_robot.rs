//! A user's own model becomes a task that trains at once, and everything that a task file can say is explained.

#![cfg(feature = "cli")]

mod common;

use common::{locomotion, ok, root, stderr, stdout};
use std::path::{Path, PathBuf};

/// A model as people write it first: no light, camera, texture or material.
const BARE: &str = r#"<mujoco model="crawler">
  <worldbody>
    <geom type="plane" size="40 40 0.1"/>
    <body name="torso" pos="0 0 0.2">
      <freejoint name="root"/>
      <geom type="box" size="0.2 0.1 0.05" mass="1"/>
      <body name="left" pos="0.15 0.12 0">
        <joint name="left_hip" axis="0 1 0" range="-60 60"/>
        <geom type="capsule" fromto="0 0 0 0 0.02 -0.18" size="0.02" mass="0.1"/>
      </body>
      <body name="right" pos="0.15 -0.12 0">
        <joint name="right_hip" axis="0 1 0" range="-60 60"/>
        <geom type="capsule" fromto="0 0 0 0 -0.02 -0.18" size="0.02" mass="0.1"/>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor joint="left_hip" gear="1" ctrlrange="-1 1"/>
    <motor joint="right_hip" gear="1" ctrlrange="-1 1"/>
  </actuator>
  <sensor><jointpos name="left_angle" joint="left_hip"/></sensor>
</mujoco>
"#;

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn model(folder: &Path) -> PathBuf {
    let file = folder.join("My Crawler.xml");
    std::fs::write(&file, BARE).unwrap();
    file
}

#[test]
fn a_new_task_lists_the_model_and_trains_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let model = model(folder.path());
    let output = locomotion(&["new", text(&model)]);
    ok(&output);
    let task = folder.path().join("My Crawler.toml");
    assert!(stdout(&output).contains("locomotion train --env "), "{}", stdout(&output));
    let written = std::fs::read_to_string(&task).unwrap();
    for part in [
        "bodies:    torso, left, right",
        "left_hip",
        "left_angle",
        "2 without a name",
        "name = \"my-crawler\"",
        "body = \"torso\"",
        "# [[healthy]]",
        "sigma = 0.26",
    ] {
        assert!(written.contains(part), "`{part}` is not in:\n{written}");
    }
    let run = folder.path().join("run");
    ok(&locomotion(&[
        "train",
        "--env",
        text(&task),
        "--out",
        text(&run),
        "--budget",
        "24",
        "--training-steps",
        "30",
        "--quiet",
    ]));
    let again = locomotion(&["new", text(&model)]);
    assert_eq!(again.status.code(), Some(4), "{}", stderr(&again));
    ok(&locomotion(&["new", text(&model), "--force"]));
}

#[test]
fn errors_list_what_the_model_has() {
    let folder = tempfile::tempdir().unwrap();
    let model = model(folder.path());
    ok(&locomotion(&["new", text(&model)]));
    let task = folder.path().join("My Crawler.toml");
    let written = std::fs::read_to_string(&task).unwrap();
    std::fs::write(&task, written.replace("body = \"torso\"", "body = \"trunk\"")).unwrap();
    let output = locomotion(&["train", "--env", text(&task)]);
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr(&output).contains("it has no `trunk`; bodies: torso, left, right"), "{}", stderr(&output));
    let still = folder.path().join("still.xml");
    std::fs::write(&still, "<mujoco><worldbody><body><freejoint/><geom size=\"1\"/></body></worldbody></mujoco>")
        .unwrap();
    let output = locomotion(&["new", text(&still)]);
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr(&output).contains("at least one actuator"), "{}", stderr(&output));
    assert!(!folder.path().join("still.toml").exists());
}

/// Every field that a task file may have is explained in docs/tasks.md.
#[test]
fn every_field_of_a_task_file_is_documented() {
    let source = std::fs::read_to_string(root().join("src/sim/definition.rs")).unwrap();
    let docs = std::fs::read_to_string(root().join("docs/tasks.md")).unwrap();
    let fields =
        source.lines().filter_map(|line| line.trim().strip_prefix("pub ")?.split_once(':').map(|(name, _)| name));
    for field in fields.filter(|field| field.chars().all(|c| c.is_alphanumeric() || c == '_')) {
        let written = match field {
            "yardsticks" => "yardstick",
            "value" => "return",
            other => other,
        };
        let named = [format!("`{written}`"), format!("{written} = "), format!("[{written}]")];
        assert!(named.iter().any(|name| docs.contains(name)), "`{written}` is not in docs/tasks.md");
    }
}

/// Without lamps, sky or camera in the model, a film is bright and the robot fills a good part of it.
#[test]
fn a_bare_model_is_lit_and_framed() {
    let folder = tempfile::tempdir().unwrap();
    ok(&locomotion(&["new", text(&model(folder.path()))]));
    let policy = folder.path().join("still.json");
    std::fs::write(&policy, common::policy_json("my-crawler", 15, 2, 0.0).to_string()).unwrap();
    let (task, sheet) = (folder.path().join("My Crawler.toml"), folder.path().join("a.png"));
    let size = ["--width", "160", "--height", "120", "--seconds", "0.2"];
    ok(&locomotion(&[&["render", text(&policy), "--env", text(&task), "-o", text(&sheet)], &size[..]].concat()));
    let mut reader =
        png::Decoder::new(std::io::BufReader::new(std::fs::File::open(&sheet).unwrap())).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    let mean = pixels.iter().map(|v| u64::from(*v)).sum::<u64>() / pixels.len() as u64;
    assert!(mean > 100, "mean brightness {mean}");
    let dark = pixels.chunks(3).filter(|p| p.iter().all(|v| *v < 20)).count() * 3;
    assert!(20 * dark < pixels.len(), "{dark} of {} values are black", pixels.len());
}

/// Short episodes are enough for a test.
fn shorten(task: &Path) {
    let written = std::fs::read_to_string(task).unwrap();
    assert!(written.contains("horizon = 1000"));
    std::fs::write(task, written.replace("horizon = 1000", "horizon = 30")).unwrap();
}

/// The same crawler in pieces: its legs in a file of their own, with feet of a shape from a third folder.
fn model_in_pieces(home: &Path) -> PathBuf {
    let (from, to) = (BARE.find("<body name=\"left\"").unwrap(), BARE.find("    </body>\n  </worldbody>").unwrap());
    let foot = "<geom type=\"mesh\" mesh=\"foot\" pos=\"0 0 -0.18\" mass=\"0.05\"/>";
    let legs = BARE[from..to].replace("mass=\"0.1\"/>", &format!("mass=\"0.1\"/>{foot}"));
    let asset = "<compiler meshdir=\"../shapes\"/><asset><mesh name=\"foot\" file=\"foot.obj\"/></asset>";
    let outer = format!("{}<include file=\"parts/legs.xml\"/>{}", &BARE[..from], &BARE[to..]);
    let outer = outer.replacen("<worldbody>", &format!("{asset}<worldbody>"), 1);
    let tetrahedron = "v 0 0 0\nv 0.05 0 0\nv 0 0.05 0\nv 0 0 0.05\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    for (file, text) in [
        ("robots/crawler.xml", outer.as_str()),
        ("robots/parts/legs.xml", &format!("<mujocoinclude>{legs}</mujocoinclude>")),
        ("shapes/foot.obj", tetrahedron),
    ] {
        let file = home.join(file);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    home.join("robots/crawler.xml")
}

/// A run takes included files and meshes along, wherever they lie, and needs the originals no more.
#[test]
fn a_run_carries_meshes_and_included_files() {
    let (home, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    ok(&locomotion(&["new", text(&model_in_pieces(home.path()))]));
    let task = home.path().join("robots/crawler.toml");
    shorten(&task);
    let run = elsewhere.path().join("run");
    let small = ["--budget", "24", "--batch", "12", "--heldout-episodes", "2"];
    ok(&locomotion(&[&["train", "--env", text(&task), "--out", text(&run), "--quiet"], &small[..]].concat()));
    let eval = |more: &[&str]| {
        let output = locomotion(&[&["eval", text(&run), "--episodes", "2", "--json"], more].concat());
        ok(&output);
        assert_eq!(stderr(&output), "");
        stdout(&output)
    };
    let original = eval(&["--env", text(&task)]);
    drop(home);
    assert!(run.join("robot/shapes/foot.obj").is_file() && run.join("robot/robots/parts/legs.xml").is_file());
    assert_eq!(eval(&[]), original, "the copy is the same robot");
    let inside = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_locomotion"));
        ok(&command.args(arguments).current_dir(elsewhere.path()).output().unwrap());
    };
    inside(&["train", "--resume", "run", "--budget", "36", "--quiet"]);
    inside(&["render", "run", "-o", "a.html", "--seconds", "0.2"]);
    inside(&["export", "run", "-o", "a.h5", "--episodes", "1"]);
    inside(&["report", "run", "-o", "page.html"]);
}

/// Models that are no walking robots get a task that trains, or an error that says what they lack.
#[test]
fn odd_models_get_a_task_or_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let hinge =
        "<joint name=\"swing\" axis=\"0 1 0\"/><geom type=\"capsule\" fromto=\"0 0 0 0 0 -0.5\" size=\"0.02\"/>";
    let motor = "<actuator><motor name=\"push\" joint=\"swing\" ctrlrange=\"-1 1\"/></actuator>";
    let pendulum = |extra: &str, actuator: &str| {
        format!(
            "<mujoco><worldbody><body name=\"pole\" pos=\"0 0 1\">{hinge}{extra}</body></worldbody>{actuator}</mujoco>"
        )
    };
    let camera = "<camera name=\"side\" pos=\"0 -2 0\" xyaxes=\"1 0 0 0 0 1\"/>";
    let (xml, toml) = (folder.path().join("odd.xml"), folder.path().join("odd.toml"));
    let new = |model: &str| {
        std::fs::write(&xml, model).unwrap();
        locomotion(&["new", text(&xml), "--force"])
    };
    for (extra, wanted) in [("", "# camera = "), (camera, "camera = \"side\"")] {
        ok(&new(&pendulum(extra, motor)));
        let written = std::fs::read_to_string(&toml).unwrap();
        for part in [wanted, "skip = 0", "position = \"center-of-mass\""] {
            assert!(written.contains(part), "`{part}` is not in:\n{written}");
        }
        shorten(&toml);
        let run = folder.path().join("run");
        let small = ["--budget", "12", "--batch", "12", "--quiet", "--force"];
        ok(&locomotion(&[&["train", "--env", text(&toml), "--out", text(&run)], &small[..]].concat()));
    }
    std::fs::remove_file(&toml).unwrap();
    for (model, wanted) in [
        (pendulum("", ""), "at least one actuator"),
        ("<mujoco><worldbody><geom size=\"1\"/></worldbody></mujoco>".into(), "at least one actuator"),
        ("<mujoco><worldbody><body><geom/></body></worldbody></mujoco>".into(), "odd.xml"),
        ("<robot name=\"urdf\"></robot>".into(), "odd.xml"),
        ("no XML at all".into(), "odd.xml"),
        (String::new(), "odd.xml"),
    ] {
        let output = new(&model);
        assert_eq!(output.status.code(), Some(3), "{model}: {}", stderr(&output));
        assert!(stderr(&output).contains(wanted), "{model}: {}", stderr(&output));
        assert!(!toml.exists(), "{model}");
    }
}
