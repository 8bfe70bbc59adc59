//! Mirrored policies: the mirror is a symmetry of the physics, and what a search chooses from commutes with it.

#![cfg(feature = "mujoco")]

use locomotion::optim::{OptimizerKind, Variant};
use locomotion::policy::LinearPolicy;
use locomotion::rollout::Observed;
use locomotion::settings::{Inputs, Outside, PartialSettings, Resolved, Space, Symmetry};
use locomotion::sim::numpy_rng::NumpyRng;
use locomotion::sim::{self, Mirror, Simulator, Task};
use std::fs;
use std::path::Path;
use std::sync::Arc;

const MIRRORED: [&str; 6] = ["ant", "ant-v5", "walker", "walker-v5", "humanoid", "humanoid-v5"];

fn mirrored() -> PartialSettings {
    PartialSettings { symmetry: Some(Symmetry::Mirror), ..PartialSettings::default() }
}

fn numbers(count: usize, seed: u64) -> Vec<f64> {
    let mut rng = NumpyRng::new(seed);
    (0..count).map(|_| rng.uniform(-1.0, 1.0)).collect()
}

fn mirror(task: &Task) -> &Mirror {
    task.mirror.as_ref().unwrap()
}

/// The state that a simulator is in, mirrored: what is observed of it, with the coordinates in front that are not.
fn put_mirrored(from: &Simulator, to: &mut Simulator) {
    let task = from.task().clone();
    let hidden = task.definition.observation[0].skip;
    let images = &mirror(&task).observations;
    let (nq, nv) = (from.qpos().len(), from.qvel().len());
    let seen = Mirror::see(&images[..nq - hidden + nv], &[&from.qpos()[hidden..], from.qvel()].concat());
    to.reset(0);
    let front: Vec<f64> = from.qpos()[..hidden].iter().zip([1.0, -1.0]).map(|(x, sign)| sign * x).collect();
    to.data_mut().qpos_mut().copy_from_slice(&[&front[..], &seen[..nq - hidden]].concat());
    to.data_mut().qvel_mut().copy_from_slice(&seen[nq - hidden..]);
    to.data_mut().forward();
}

/// Two copies of a robot, one the mirror image of the other, do mirrored actions.
fn largest_difference(task: &Arc<Task>, seed: u64, steps: usize) -> f64 {
    let (mut one, mut other) = (Simulator::new(task.clone()), Simulator::new(task.clone()));
    one.reset(seed);
    put_mirrored(&one, &mut other);
    let mut largest = 0.0_f64;
    for step in 0..steps {
        let action: Vec<f64> = numbers(task.actions, 1000 * seed + step as u64).iter().map(|a| 0.4 * a).collect();
        one.step(&action);
        other.step(&Mirror::see(&mirror(task).actions, &action));
        let expected = Mirror::see(&mirror(task).observations, one.observation());
        for (a, b) in expected.iter().zip(other.observation()) {
            largest = largest.max((a - b).abs() / (1.0 + a.abs()));
        }
    }
    largest
}

/// In the models, Walker's left foot has twice the friction of its right one, Humanoid's right hip has a smaller rotor than
/// its left one, and its left knee has a spring. Without these, all robots are their own mirror images.
const UNEVEN: [&str; 3] = [" friction=\"1.9 0.1 0.1\"", " armature=\"0.008\"", "\"left_knee\" stiffness=\"1\""];

#[test]
fn the_mirror_is_a_symmetry_of_the_physics() {
    for name in MIRRORED {
        let uneven =
            |model: &str| model.replace(UNEVEN[2], "\"left_knee\"").replace(UNEVEN[0], "").replace(UNEVEN[1], "");
        let task = load(name, |text| text.into(), uneven).unwrap();
        // Humanoid's solver visits one contact after the other, so its result depends on their order a little.
        let within = if name.starts_with("humanoid") { 1e-3 } else { 1e-9 };
        for seed in 0..5 {
            let difference = largest_difference(&task, seed, 10);
            assert!(difference < within, "{name}, seed {seed}: {difference:e}");
        }
    }
}

#[test]
fn a_robot_that_is_not_its_own_mirror_image_is_told_apart() {
    for name in ["walker", "humanoid"] {
        let task = sim::find(name).unwrap();
        assert!((0..5).any(|seed| largest_difference(&task, seed, 10) > 1e-3), "{name}");
    }
}

#[test]
fn every_policy_of_the_space_commutes_with_the_mirror() {
    for name in MIRRORED {
        let task = sim::find(name).unwrap();
        let space = Space::new(&mirrored(), &task).unwrap();
        let all = task.observations * task.actions;
        assert!((0.48..0.52).contains(&(space.dim() as f64 / all as f64)), "{name}: {} of {all}", space.dim());
        let point = numbers(space.dim(), 1);
        let weights = space.weights(&point);
        assert!(space.point(&weights) == Ok(point), "{name}: there and back");
        let limb = mirror(&task).actions.iter().enumerate().position(|(i, image)| image.from != i).unwrap();
        let mut spoiled = weights.clone();
        spoiled[limb * task.observations] += 1e-9;
        assert_eq!(space.point(&spoiled), Err(Outside::Uneven), "{name}");

        // The normalizer is part of the policy.
        let mut seen = Observed::new(task.observations, true);
        (0..50).for_each(|i| seen.push(&numbers(task.observations, 100 + i)));
        let normalizer = seen.with_images(space.mirrored().unwrap()).normalizer();
        let policy = LinearPolicy::from_rows(&weights, task.observations, Some(normalizer));
        let act = |s: &[f64]| {
            let mut action = vec![0.0; task.actions];
            policy.act(s, &mut action);
            action
        };
        let s: Vec<f64> = numbers(task.observations, 2).iter().map(|x| 0.05 * x).collect();
        let (action, image) = (act(&s), act(&Mirror::see(&mirror(&task).observations, &s)));
        for (a, b) in Mirror::see(&mirror(&task).actions, &action).iter().zip(&image) {
            assert!((a - b).abs() < 1e-9, "{name}: {a} {b}");
        }
        assert!(action.iter().any(|a| a.abs() > 1e-3 && a.abs() < 1.0), "{name}: {action:?}");
    }
}

/// The statistics are those of the vectors and their images, one after the other.
#[test]
fn statistics_with_images_are_those_of_both_streams() {
    let task = sim::find("ant").unwrap();
    let images = &mirror(&task).observations;
    let (mut alone, mut both) = (Observed::new(111, true), Observed::new(111, true));
    for i in 0..200 {
        let mut s = numbers(111, i);
        // Rare spikes on one side, so that the range decides about the unit.
        if i == 7 {
            s.iter_mut().for_each(|x| *x += 40.0);
        }
        alone.push(&s);
        both.push(&s);
        both.push(&Mirror::see(images, &s));
    }
    let (a, b) = (alone.with_images(images).normalizer(), both.normalizer());
    for (i, image) in images.iter().enumerate() {
        assert!((a.mean[i] - b.mean[i]).abs() < 1e-12, "{i}");
        assert!((a.std[i] / b.std[i] - 1.0).abs() < 1e-12, "{i}");
        // A policy's normalizer is symmetric to the last bit.
        assert_eq!((a.mean[image.from] * image.sign, a.std[image.from]), (a.mean[i], a.std[i]));
    }
}

#[test]
fn all_weights_are_free_without_symmetry_and_for_the_matrix_variant() {
    let task = sim::find("ant").unwrap();
    let free = Space::new(&PartialSettings::default(), &task).unwrap();
    assert_eq!((free.dim(), free.shape()), (888, (8, 111)));
    assert_eq!(free.weights(&numbers(888, 0)), numbers(888, 0));
    let resolve = |variant| {
        let flags = PartialSettings {
            env: Some("ant".into()),
            optimizer: Some(OptimizerKind::SynCma),
            variant: Some(variant),
            ..mirrored()
        };
        Resolved::new(flags, None, |_| Ok(None)).unwrap()
    };
    assert_eq!(resolve(Variant::Matrix).settings.symmetry, None);
    assert_eq!(resolve(Variant::Matrix).unused(), ["symmetry"]);
    assert_eq!(resolve(Variant::Steady).settings.symmetry, Some(Symmetry::Mirror));
}

/// A policy of the space acts alike in two states that differ only in what is neither a position nor a velocity.
#[test]
fn policies_of_the_state_see_positions_and_velocities_only() {
    for (name, free, mirrored_free) in [("ant", 8 * 27, 108), ("humanoid", 17 * 45, 383), ("hopper", 33, 0)] {
        let task = sim::find(name).unwrap();
        let state = PartialSettings { inputs: Some(Inputs::State), ..PartialSettings::default() };
        let space = Space::new(&state, &task).unwrap();
        assert_eq!((space.dim(), space.shape()), (free, (task.actions, free / task.actions)), "{name}");
        if task.mirror.is_some() {
            let both = Space::new(&PartialSettings { inputs: Some(Inputs::State), ..mirrored() }, &task).unwrap();
            assert_eq!((both.dim(), both.shape()), (mirrored_free, (1, mirrored_free)), "{name}");
        }
        let point = numbers(space.dim(), 3);
        let weights = space.weights(&point);
        assert_eq!(space.point(&weights), Ok(point), "{name}: there and back");
        let policy = LinearPolicy::from_rows(&weights, task.observations, None);
        let act = |s: &[f64]| {
            let mut action = vec![0.0; task.actions];
            policy.act(s, &mut action);
            action
        };
        let seen = task.state_inputs();
        let s: Vec<f64> = numbers(task.observations, 4).iter().map(|x| 0.05 * x).collect();
        let unseen: Vec<f64> = s.iter().zip(&seen).map(|(x, seen)| if *seen { *x } else { x + 1.0 }).collect();
        assert_eq!(act(&s), act(&unseen), "{name}");
        for (i, seen) in seen.iter().enumerate() {
            let mut spoiled = weights.clone();
            spoiled[i] += 1.0;
            assert_eq!(space.point(&spoiled).err(), (!seen).then_some(Outside::OtherInputs), "{name}: input {i}");
        }
    }
}

#[test]
fn a_task_without_a_mirror_is_refused() {
    let error = Space::new(&mirrored(), &sim::find("hopper").unwrap()).unwrap_err().to_string();
    assert!(error.contains("`hopper` has no `[mirror]`"), "{error}");
}

#[test]
fn errors_name_the_file_the_line_and_what_a_mirror_needs() {
    let (ant, walker, humanoid) = ("ant", "walker", "humanoid");
    let line = |name: &str| sim::text(name).unwrap().lines().position(|line| line.starts_with("swap =")).unwrap() + 1;
    for (robot, wrong, needed) in [
        (ant, r#"[["front_left_leg", "wing"]]"#, "bodies of the model; `wing` is none; bodies: torso, front_left_leg"),
        (ant, r#"[["front_left_leg", "world"]]"#, "bodies of the model; `world` is none"),
        (ant, r#"[["front_left_leg", "a\u0000b"]]"#, "bodies of the model"),
        (ant, r#"[["front_left_leg", "aux_4"]]"#, "the same limbs; `front_left_leg` and `aux_4` are not"),
        (ant, r#"[["front_left_leg", "aux_1"]]"#, "two bodies with the same limbs"),
        (ant, r#"[["back_leg", "back_leg"]]"#, "two bodies with the same limbs"),
        (ant, r#"[["aux_1", "aux_4"], ["front_left_leg", "right_back_leg"]]"#, "every body once"),
        (ant, "[]", "joint `hip_1` of body `aux_1` has no image"),
        // These names of the model are those of a robot that walks along y: front and back would trade places.
        (ant, r#"[["front_left_leg", "front_right_leg"], ["back_leg", "right_back_leg"]]"#, "joint `hip_1`"),
        (ant, r#"[["aux_1", "aux_4"]]"#, "whole limbs; `aux_1` trades places"),
        (walker, r#"[["leg", "leg_left"]]"#, "whole limbs; `leg` trades places"),
        (
            humanoid,
            r#"[["right_thigh", "left_thigh"]]"#,
            "joint `right_shoulder1` of body `right_upper_arm` has no image",
        ),
    ] {
        let edit = |text: &str| {
            let replace = |line: &str| if line.starts_with("swap =") { format!("swap = {wrong}") } else { line.into() };
            text.lines().map(replace).collect::<Vec<_>>().join("\n")
        };
        let error = load(robot, edit, str::to_string).unwrap_err();
        assert!(error.contains("field `swap` needs ") && error.contains(needed), "{wrong}: {error}");
        assert!(error.contains("robot.toml") && error.contains(&format!("line {}:", line(robot))), "{error}");
    }
}

#[test]
fn models_that_are_not_mirror_images_of_themselves_are_refused() {
    let turned = (r#"<body name="torso" pos="0 0 0.75">"#, r#"<body name="torso" pos="0 0 0.75" quat="0.7 0 0 0.7">"#);
    let motor = |gear: &str| format!(r#"<motor name="hip_4" joint="hip_4" {gear}/>"#);
    let hip = r#"<motor name="hip_4" joint="hip_4"/>"#.to_string();
    for (from, to, needed) in [
        (turned.0.into(), turned.1.into(), "joint `root` of body `torso` has no image"),
        (hip.clone(), motor(r#"gear="140""#), "equal mirror images; `hip_4` has none"),
        (hip.clone(), motor(r#"ctrlrange="0 1""#), "equal mirror images; `hip_4` has none"),
        (hip.clone(), format!("{hip}<motor joint=\"hip_4\"/>"), "at most one actuator for each joint"),
        (hip.clone(), format!("{hip}<motor joint=\"root\" gear=\"0 1 0 0 0 0\"/>"), "actuators of hinges and slides"),
    ] {
        let model = |text: &str| {
            assert!(text.contains(&from), "{from}");
            text.replace(&from, &to)
        };
        let error = load("ant", str::to_string, model).unwrap_err();
        assert!(error.contains(needed), "{to}: {error}");
    }
    // Motors that pull the other way are mirrored all the same.
    let opposite = |text: &str| text.replace(&hip, &motor(r#"gear="-150""#));
    let task = load("ant", str::to_string, opposite).unwrap();
    assert!(largest_difference(&task, 3, 10) < 1e-9);
}

/// Loads a built-in task from files, with changes to its text and to its model.
fn load(name: &str, edit: impl Fn(&str) -> String, model: impl Fn(&str) -> String) -> Result<Arc<Task>, String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("robot.toml");
    fs::write(&file, edit(sim::text(name).unwrap())).unwrap();
    let of_task = &sim::find(name).unwrap().definition.model;
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/models");
    let text = fs::read_to_string(models.join(of_task)).unwrap();
    fs::write(folder.path().join(of_task), model(&text)).unwrap();
    Task::load(&file).map_err(|error| error.to_string())
}
