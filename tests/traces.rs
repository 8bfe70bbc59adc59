//! Traces follow Minari's layout, and their numbers agree with `eval`.

#![cfg(feature = "cli")]

use hdf5::types::{EnumMember, EnumType, FloatSize, IntSize, TypeDescriptor, VarLenUnicode};
use hdf5::{Dataset, File, Group};
use locomotion::policy::LinearPolicy;
use locomotion::rollout::Evaluator;
use locomotion::sim::{self, Task};
use locomotion::traces::minari::{self, DatasetId};
use locomotion::traces::{Layout, Request, write_file};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

const FIVE: [&str; 5] = ["swimmer-v5", "hopper-v5", "half-cheetah-v5", "walker-v5", "ant-v5"];
const SEED: u64 = 7;

/// A policy that moves every joint a little.
fn wiggle(task: &Task) -> LinearPolicy {
    let weights: Vec<f64> = (0..task.observations * task.actions).map(|k| 0.1 * (k as f64).sin()).collect();
    LinearPolicy::from_rows(&weights, task.observations, None)
}

/// Opens a finished file. Another test that starts a program holds copies of all open files, and so their locks, for a
/// moment between fork and exec. This waits until that moment has passed.
fn open(path: impl AsRef<Path>) -> File {
    let mut tries = (0..100).map(|_| File::open(path.as_ref()));
    let wait = |found: &hdf5::Result<File>| {
        let locked = found.as_ref().is_err_and(|e| e.to_string().contains("unable to lock"));
        if locked {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        !locked
    };
    tries.find(wait).expect("the lock is gone within two seconds").unwrap()
}

fn request<'a>(evaluator: &'a Evaluator, task: &'a Task, policy: &'a LinearPolicy, episodes: usize) -> Request<'a> {
    Request { evaluator, task, policy, first_seed: SEED, episodes, origin: Some("locomotion train".into()) }
}

/// Calls `check` with the dataset's file, its metadata and the outcomes that `eval` reports.
fn with_dataset(name: &str, episodes: usize, check: impl Fn(&Arc<Task>, &File, &Value, &[sim::EpisodeOutcome])) {
    let task = sim::find(name).unwrap();
    let (policy, evaluator) = (wiggle(&task), Evaluator::new(&task, 2).unwrap());
    let root = tempfile::tempdir().unwrap();
    let id = DatasetId::parse("test/wiggle-v3").unwrap();
    minari::write(&request(&evaluator, &task, &policy, episodes), &id, root.path(), false, &mut |_| ()).unwrap();
    let data = root.path().join("test/wiggle-v3/data");
    let metadata = serde_json::from_slice(&std::fs::read(data.join("metadata.json")).unwrap()).unwrap();
    let file = open(data.join("main_data.hdf5"));
    check(&task, &file, &metadata, &evaluator.run_seeds(&policy, SEED, episodes));
}

fn boolean() -> TypeDescriptor {
    let descriptor = <bool as hdf5::H5Type>::type_descriptor();
    assert_eq!(descriptor, TypeDescriptor::Boolean);
    descriptor
}

fn of(group: &Group, name: &str) -> (Vec<usize>, TypeDescriptor) {
    let dataset: Dataset = group.dataset(name).unwrap();
    assert!(!dataset.filters().is_empty(), "{name} is compressed");
    (dataset.shape(), dataset.dtype().unwrap().to_descriptor().unwrap())
}

fn whole(group: &Group, name: &str) -> i64 {
    let attribute = group.attr(name).unwrap();
    assert_eq!(attribute.dtype().unwrap().to_descriptor().unwrap(), TypeDescriptor::Integer(IntSize::U8), "{name}");
    attribute.read_scalar().unwrap()
}

fn real(group: &Group, name: &str) -> f64 {
    group.attr(name).unwrap().read_scalar().unwrap()
}

#[test]
fn every_task_has_minaris_shapes_types_and_flags() {
    let (f64s, f32s) = (TypeDescriptor::Float(FloatSize::U8), TypeDescriptor::Float(FloatSize::U4));
    for name in sim::NAMES {
        with_dataset(name, 2, |task, file, _, outcomes| {
            for (index, outcome) in outcomes.iter().enumerate() {
                let episode = file.group(&format!("episode_{index}")).unwrap();
                let t = outcome.length;
                assert_eq!(of(&episode, "observations"), (vec![t + 1, task.observations], f64s.clone()), "{name}");
                assert_eq!(of(&episode, "actions"), (vec![t, task.actions], f32s.clone()), "{name}");
                assert_eq!(of(&episode, "rewards"), (vec![t], f64s.clone()), "{name}");
                assert_eq!(of(&episode, "terminations"), (vec![t], boolean()), "{name}");
                assert_eq!(of(&episode, "truncations"), (vec![t], boolean()), "{name}");

                let flags = |key| episode.dataset(key).unwrap().read_raw::<bool>().unwrap();
                let (terminations, truncations) = (flags("terminations"), flags("truncations"));
                assert_eq!(terminations[t - 1], outcome.terminated, "{name}");
                assert_eq!(truncations[t - 1], t == task.definition.horizon, "{name}");
                assert!(terminations[t - 1] || truncations[t - 1], "{name}: the episode ends");
                assert!(!terminations[..t - 1].contains(&true) && !truncations[..t - 1].contains(&true), "{name}");

                let infos = episode.group("infos").unwrap();
                let model = task.model.ffi();
                assert_eq!(of(&infos, "qpos"), (vec![t + 1, model.nq as usize], f64s.clone()), "{name}");
                assert_eq!(of(&infos, "qvel"), (vec![t + 1, model.nv as usize], f64s.clone()), "{name}");
                for key in infos.member_names().unwrap() {
                    assert_eq!(infos.dataset(&key).unwrap().shape()[0], t + 1, "{name}: infos/{key}");
                }
                assert_eq!(whole(&episode, "id"), index as i64);
                assert_eq!(whole(&episode, "seed"), (SEED + index as u64) as i64);
                assert_eq!(whole(&episode, "total_steps"), t as i64);
            }
        });
    }
}

#[test]
fn returns_are_those_of_eval_to_the_last_bit() {
    for name in FIVE {
        with_dataset(name, 3, |_, file, _, outcomes| {
            for (index, outcome) in outcomes.iter().enumerate() {
                let episode = file.group(&format!("episode_{index}")).unwrap();
                let rewards = episode.dataset("rewards").unwrap().read_raw::<f64>().unwrap();
                assert_eq!(rewards.iter().sum::<f64>(), outcome.value, "{name}");
                assert_eq!(real(&episode, "rewards_sum"), outcome.value, "{name}");
                assert_eq!(real(&episode, "rewards_max"), rewards.iter().copied().fold(f64::MIN, f64::max));
                assert_eq!(real(&episode, "rewards_min"), rewards.iter().copied().fold(f64::MAX, f64::min));
                let mean = real(&episode, "rewards_mean");
                let variance = rewards.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / rewards.len() as f64;
                assert!((real(&episode, "rewards_std") - variance.sqrt()).abs() < 1e-12);
            }
        });
    }
}

#[test]
fn reward_parts_add_up_to_the_reward() {
    for name in FIVE {
        with_dataset(name, 1, |_, file, _, _| {
            let rewards = file.dataset("episode_0/rewards").unwrap().read_raw::<f64>().unwrap();
            let infos = file.group("episode_0/infos").unwrap();
            let mut sums = vec![0.0; rewards.len() + 1];
            for key in infos.member_names().unwrap().iter().filter(|key| key.starts_with("reward_")) {
                let part = infos.dataset(key).unwrap().read_raw::<f64>().unwrap();
                sums.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
            }
            assert_eq!(sums[0], 0.0, "{name}: a reset pays nothing");
            assert!(sums[1..].iter().zip(&rewards).all(|(sum, reward)| (sum - reward).abs() < 1e-9), "{name}");
        });
    }
}

#[test]
fn stored_observations_lead_to_the_stored_actions() {
    for name in FIVE {
        with_dataset(name, 1, |task, file, _, _| {
            let episode = file.group("episode_0").unwrap();
            let observations = episode.dataset("observations").unwrap().read_raw::<f64>().unwrap();
            let actions = episode.dataset("actions").unwrap().read_raw::<f32>().unwrap();
            let (policy, mut action) = (wiggle(task), vec![0.0; task.actions]);
            for (s, stored) in observations.chunks(task.observations).zip(actions.chunks(task.actions)) {
                policy.act(s, &mut action);
                assert!(action.iter().zip(stored).all(|(a, stored)| *a as f32 == *stored), "{name}");
            }
        });
    }
}

#[test]
fn metadata_has_the_types_that_minari_reads() {
    for name in sim::NAMES {
        with_dataset(name, 2, |task, file, metadata, outcomes| {
            assert_eq!(file.member_names().unwrap().len(), 2);
            assert!(file.attr_names().unwrap().is_empty(), "Minari's own files have none on the root");
            assert_eq!(metadata["total_episodes"], 2);
            assert_eq!(metadata["total_steps"], outcomes.iter().map(|o| o.length).sum::<usize>());
            assert_eq!(metadata["data_format"], "hdf5");
            assert_eq!(metadata["dataset_id"], "test/wiggle-v3");
            assert_eq!(metadata["minari_version"], "0.5.0");
            assert_eq!(metadata["jpeg_encoding"], false);
            assert!(metadata["dataset_size"].is_f64());
            assert!(metadata["description"].as_str().unwrap().contains("found by `locomotion train`"));
            let space = metadata["observation_space"].as_str().unwrap();
            assert_eq!(space.matches("-Infinity").count(), task.observations);
            let actions: Value = serde_json::from_str(metadata["action_space"].as_str().unwrap()).unwrap();
            assert_eq!(actions["low"].as_array().unwrap().len(), task.actions);
            assert_eq!(actions["dtype"], "float32");
            assert_eq!(metadata["requirements"].is_array(), task.definition.gymnasium.is_some());
            let Some(id) = task.definition.gymnasium.as_deref() else { return };
            let spec: Value = serde_json::from_str(metadata["env_spec"].as_str().unwrap()).unwrap();
            assert_eq!(spec["id"], id);
            let keys: Vec<_> = spec.as_object().unwrap().keys().collect();
            assert_eq!(keys, SPEC_KEYS, "Gymnasium refuses others");
        });
    }
}

const SPEC_KEYS: [&str; 10] = [
    "id",
    "entry_point",
    "reward_threshold",
    "nondeterministic",
    "max_episode_steps",
    "order_enforce",
    "disable_env_checker",
    "kwargs",
    "additional_wrappers",
    "vector_entry_point",
];

#[test]
fn a_single_file_holds_the_same_groups_and_the_metadata_as_attributes() {
    let task = sim::find("hopper-v5").unwrap();
    let (policy, evaluator) = (wiggle(&task), Evaluator::new(&task, 1).unwrap());
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("traces.h5");
    let request = request(&evaluator, &task, &policy, 3);
    let totals = write_file(&request, Layout::Minari, &target, false, &mut |_| ()).unwrap();
    let file = open(&target);
    assert_eq!(file.member_names().unwrap(), ["episode_0", "episode_1", "episode_2"]);
    assert_eq!(whole(&file, "total_steps"), totals.steps as i64);
    let text: VarLenUnicode = file.attr("env_spec").unwrap().read_scalar().unwrap();
    assert!(text.contains("Hopper-v5"));
}

#[test]
fn d4rl_strings_the_steps_together() {
    let task = sim::find("hopper-v5").unwrap();
    let (policy, evaluator) = (wiggle(&task), Evaluator::new(&task, 2).unwrap());
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("flat.h5");
    write_file(&request(&evaluator, &task, &policy, 3), Layout::D4rl, &target, false, &mut |_| ()).unwrap();
    let file = open(&target);
    let outcomes = evaluator.run_seeds(&policy, SEED, 3);
    let steps: usize = outcomes.iter().map(|o| o.length).sum();
    let columns = [("observations", 11), ("actions", 3), ("infos/qpos", 6), ("infos/qvel", 6)];
    for (name, columns) in columns {
        assert_eq!(file.dataset(name).unwrap().shape(), [steps, columns], "{name}");
    }
    let terminals = file.dataset("terminals").unwrap().read_raw::<bool>().unwrap();
    assert_eq!(terminals.iter().filter(|x| **x).count(), outcomes.iter().filter(|o| o.terminated).count());
    let rewards = file.dataset("rewards").unwrap().read_raw::<f64>().unwrap();
    let first = &rewards[..outcomes[0].length];
    assert_eq!(first.iter().sum::<f64>(), outcomes[0].value);
    assert!(file.dataset("timeouts").unwrap().read_raw::<bool>().unwrap().len() == steps);
}

#[test]
fn the_file_does_not_depend_on_the_number_of_threads() {
    let task = sim::find("swimmer-v5").unwrap();
    let policy = wiggle(&task);
    let folder = tempfile::tempdir().unwrap();
    let bytes = |threads: usize, layout| {
        let target = folder.path().join(format!("{threads}.h5"));
        let evaluator = Evaluator::new(&task, threads).unwrap();
        write_file(&request(&evaluator, &task, &policy, 9), layout, &target, true, &mut |_| ()).unwrap();
        std::fs::read(target).unwrap()
    };
    for layout in [Layout::Minari, Layout::D4rl] {
        assert!(bytes(1, layout) == bytes(3, layout), "{layout:?}");
    }
}

#[test]
fn flags_are_the_enum_that_python_reads_as_bool() {
    // h5py's bool and ours are both an 8-bit enum with these two names, which the descriptor above hides.
    let expected = EnumType {
        size: IntSize::U1,
        signed: true,
        members: vec![EnumMember { name: "FALSE".into(), value: 0 }, EnumMember { name: "TRUE".into(), value: 1 }],
    };
    let datatype = hdf5::Datatype::from_descriptor(&TypeDescriptor::Boolean).unwrap();
    let same = hdf5::Datatype::from_descriptor(&TypeDescriptor::Enum(expected)).unwrap();
    assert_eq!(datatype, same);
}

#[test]
fn a_users_own_task_has_no_gymnasium_environment() {
    let folder = tempfile::tempdir().unwrap();
    own_task(folder.path(), 1.0);
    let task = sim::find(&folder.path().join("cart.toml").display().to_string()).unwrap();
    let (policy, evaluator) = (wiggle(&task), Evaluator::new(&task, 1).unwrap());
    let target = folder.path().join("cart.h5");
    write_file(&request(&evaluator, &task, &policy, 1), Layout::Minari, &target, false, &mut |_| ()).unwrap();
    let names = open(&target).attr_names().unwrap();
    assert!(!names.contains(&"env_spec".to_string()) && names.contains(&"action_space".to_string()));
}

#[test]
fn an_episode_that_diverges_is_an_error_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    own_task(folder.path(), 1e14);
    let task = sim::find(&folder.path().join("cart.toml").display().to_string()).unwrap();
    let (policy, evaluator) = (wiggle(&task), Evaluator::new(&task, 1).unwrap());
    let before = std::fs::read_dir(folder.path()).unwrap().count();
    let target = folder.path().join("cart.h5");
    let error = write_file(&request(&evaluator, &task, &policy, 40), Layout::Minari, &target, false, &mut |_| ());
    let error = error.map(|_| ()).unwrap_err();
    assert_eq!(error.exit_code(), 1);
    assert!(error.message.contains("reset seed 7 diverged"), "{error}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), before);
}

/// A cart on a rail with one motor of this strength.
fn own_task(folder: &Path, gear: f64) {
    let model = format!(
        r#"<mujoco><worldbody><body><joint name="x" type="slide" axis="1 0 0"/><geom size="0.1"/></body></worldbody>
           <actuator><motor joint="x" gear="{gear}"/></actuator></mujoco>"#
    );
    let task = r#"
        name = "cart"
        about = "a cart on a rail"
        gymnasium = "Ant-v5"
        model = "cart.xml"
        frame_skip = 2
        horizon = 20
        reset = { qpos = { uniform = 0.1 }, qvel = { uniform = 0.1 } }
        observation = [{ of = "qpos" }, { of = "qvel" }]
        reward = { position = { qpos = 0 }, forward = 1.0, control = 0.1 }
    "#;
    std::fs::write(folder.join("cart.xml"), model).unwrap();
    std::fs::write(folder.join("cart.toml"), task).unwrap();
}

#[test]
fn each_wrong_input_has_its_own_message_and_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let rows = vec![vec![0.0; 8]; 2];
    let policy = serde_json::json!({
        "format": "locomotion-policy/1", "task": "swimmer-v5", "observations": 8, "actions": 2, "weights": rows,
        "normalizer": null,
    });
    std::fs::write(at("policy.json"), policy.to_string()).unwrap();
    std::fs::write(at("there.h5"), "mine").unwrap();
    std::fs::create_dir(at("folder.h5")).unwrap();
    std::os::unix::fs::symlink("/dev/null", at("null.h5")).unwrap();
    let root = at("datasets");
    let cases: [(&[&str], i32, &str); 10] = [
        (&["-o", &at("a.h5"), "--env", "hopper-v5"], 3, "the policy is for `swimmer-v5`, not for `hopper-v5`"),
        (&["-o", &at("no/such/folder.h5")], 4, "cannot write"),
        (&["-o", &at("there.h5")], 4, "--force replaces it"),
        (&["-o", &at("folder.h5"), "--force"], 4, "it exists and is not a regular file"),
        (&["-o", &at("null.h5"), "--force"], 4, "it exists and is not a regular file"),
        (&["--minari", "swimmer/doing-nothing", "--root", &root], 2, "try `swimmer/doing-nothing-v0`"),
        (&["--minari", "../up-v0", "--root", &root], 2, "letters, digits, - and _"),
        (&["--minari", "a/data/b-v0", "--root", &root], 2, "keeps the level name `data`"),
        (&["-o", &at("a.h5"), "--seed", "9223372036854775807"], 2, "--seed is too large"),
        (&["--episodes", "1"], 2, "--minari"),
    ];
    let files = || std::fs::read_dir(folder.path()).unwrap().count();
    let before = files();
    for (options, code, words) in cases {
        let program = std::process::Command::new(env!("CARGO_BIN_EXE_locomotion"))
            .arg("export")
            .arg(at("policy.json"))
            .args(options)
            .output()
            .unwrap();
        let talk = String::from_utf8_lossy(&program.stderr);
        assert_eq!(program.status.code(), Some(code), "{options:?}: {talk}");
        assert!(talk.contains(words), "{options:?}: {talk}");
        assert!(program.stdout.is_empty(), "{options:?}");
    }
    assert_eq!(files(), before, "nothing was written");
    assert_eq!(std::fs::read_to_string(at("there.h5")).unwrap(), "mine");
}

#[test]
fn force_replaces_a_dataset_as_a_whole() {
    let task = sim::find("swimmer-v5").unwrap();
    let (policy, evaluator) = (wiggle(&task), Evaluator::new(&task, 1).unwrap());
    let root = tempfile::tempdir().unwrap();
    let id = DatasetId::parse("swimmer-v0").unwrap();
    let write = |episodes, force| {
        minari::write(&request(&evaluator, &task, &policy, episodes), &id, root.path(), force, &mut |_| ())
    };
    write(2, false).unwrap();
    assert_eq!(write(1, false).map(|_| ()).unwrap_err().exit_code(), 4);
    write(1, true).unwrap();
    let data = root.path().join("swimmer-v0/data");
    assert_eq!(open(data.join("main_data.hdf5")).member_names().unwrap(), ["episode_0"]);
    assert_eq!(std::fs::read_dir(root.path().join("swimmer-v0")).unwrap().count(), 1, "no drafts are left");
}
