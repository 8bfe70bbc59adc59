//! Defaults < task < protocol < config < flags, and every value has its origin.

use crate::common::{locomotion, root, stderr, stdout};

fn explained(arguments: &[&str]) -> impl Fn(&str) -> (String, String) + use<> {
    let output = locomotion(&[&["train", "--print-config"], arguments].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stdout(&output);
    move |name: &str| {
        let line = text.lines().find(|line| line.starts_with(&format!("{name} ="))).unwrap_or_else(|| panic!("{name}"));
        let (value, origin) = line.split_once('=').unwrap().1.split_once('#').unwrap();
        (value.trim().to_string(), origin.trim().to_string())
    }
}

fn is(of: &impl Fn(&str) -> (String, String), name: &str, value: &str, origin: &str) {
    assert_eq!(of(name), (value.to_string(), origin.to_string()), "{name}");
}

#[test]
fn later_layers_win_and_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let task = folder.path().join("robot.toml");
    let hopper = std::fs::read_to_string(root().join("envs/hopper.toml")).unwrap();
    let bare: String = hopper.split("\n[defaults").next().unwrap().into();
    let defaults =
        "\n[defaults]\nbudget = 111\nsigma = 0.25\nepisodes_per_candidate = 2\n[defaults.ars]\nbudget = 222\n";
    std::fs::write(&task, bare + defaults).unwrap();
    std::fs::copy(root().join("assets/models/hopper.xml"), folder.path().join("hopper.xml")).unwrap();
    let config = folder.path().join("config.toml");
    std::fs::write(&config, "sigma = 0.5\nbatch = 30\n").unwrap();
    let env = ["--env", task.to_str().unwrap()];

    let of = explained(&env);
    is(&of, "budget", "111", "task");
    is(&of, "seed", "0", "default");
    is(&of, "lambda0", "(unset)", "the optimizer's default");
    let of = explained(&[&env[..], &["--optimizer", "ars"]].concat());
    is(&of, "budget", "222", "task");
    let of = explained(&[&env[..], &["--config", config.to_str().unwrap(), "--batch", "40"]].concat());
    is(&of, "sigma", "0.5", "config");
    is(&of, "batch", "40", "flag");
    let of = explained(&[&env[..], &["--protocol", "paper"]].concat());
    is(&of, "sigma", "0.1", "protocol");
    is(&of, "episodes_per_candidate", "10", "protocol");
    is(&of, "budget", "111", "task");
}

#[test]
fn wrong_settings_are_refused_with_a_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("config.toml");
    let cases: &[(&[&str], &str, i32, &str)] = &[
        (&[], "", 2, "no task given"),
        (&["--env", "ants"], "", 2, "did you mean `ant`?"),
        (&["--env", "ant", "--lambda0", "-1"], "", 2, "--lambda0"),
        (&["--env", "ant", "--batch", "1"], "", 2, "--batch"),
        (&["--env", "ant", "--sigma", "0"], "", 2, "--sigma"),
        (&["--env", "ant", "--budget", "0"], "", 2, "--budget must be at least 1"),
        (&["--env", "ant", "--budget", "30", "--batch", "40"], "", 2, "less than the 40 episodes of one generation"),
        (&["--env", "ant", "--batch", "1000000000000000"], "", 2, "of memory, but only"),
        (&["--env", "ant", "--heldout-episodes", "1000000000000000"], "", 2, "of memory, but only"),
        (&["--env", "ant", "--batch", "4", "--episodes-per-candidate", "4611686018427387904"], "", 2, "of memory"),
        (&["--env", "ant", "--batch", "18446744073709551614"], "", 2, "--batch must be at most"),
        (&["--env", "ant", "--seed", "9223372036854775808"], "", 2, "--seed must be at most 9223372036854775807"),
        (&["--env", "ant", "--budget", "18446744073709551615"], "", 2, "--budget must be at most"),
        (&["--env", "ant", "--threads", "1000000"], "", 2, "1000000 is not in 0..=1024"),
        (&["--env", "ant", "--init", "uniform", "--bound", "1e308"], "", 2, "up to 1e50"),
        (&["--env", "ant", "--sigma", "1e308"], "", 2, "use a number from 1e-300 to 1e50"),
        (&["--env", "ant", "--sigma", "1e-320"], "", 2, "use a number from 1e-300 to 1e50"),
        (&["--env", "ant", "--baseline", "syncma"], "", 2, "--baseline names the optimizer of the run itself"),
        (&["--env", "ant", "--optimizer", "cmaes"], "", 2, "cma-es"),
        (&["--env", "ant", "--time", "soon"], "", 2, "write 4h, 90s"),
        (&["--env", "ant", "--bound", "wide"], "", 2, "or none"),
        (&["--env", "ant", "--normalize", "nowhere.json"], "", 3, "nowhere.json"),
        (&["--env", "ant"], "sigmas = 1.0", 3, "unknown field `sigmas`"),
        (&["--env", "ant", "--optimizer", "cma-es", "--lambda0", "4"], "", 2, "cma-es does not use --lambda0"),
        (&["--env", "ant", "--optimizer", "cma-es", "--lambda0", "4"], "", 2, "it uses --batch, --sigma\n"),
        (&["--env", "ant", "--optimizer", "cma-es", "--variant", "exact"], "", 2, "cma-es does not use --variant"),
        (&["--env", "ant", "--optimizer", "ars", "--sigma", "0.1"], "", 2, "--step-size, --noise, --top-directions"),
        (&["--env", "ant", "--optimizer", "turbo", "--noise", "0.1"], "", 2, "turbo does not use --noise"),
        (&["--env", "ant", "--eta-m", "1"], "", 2, "syncma (variant steady) does not use --eta-m"),
        (&["--env", "swimmer", "--kappa", "1"], "", 2, "syncma (variant adaptive) does not use --kappa"),
        (&["--env", "ant", "--optimizer", "cma-es"], "lambda0 = 4.0", 2, "cma-es does not use --lambda0"),
        (&["--env", "ant", "--noise", "1"], "optimizer = \"dd-cma\"", 2, "dd-cma does not use --noise"),
        (&["--env", "ant"], "sigma = \"wide\"", 3, "expected"),
    ];
    for (arguments, content, code, wanted) in cases {
        std::fs::write(&config, content).unwrap();
        let out = folder.path().join("run");
        let fixed = ["train", "--out", out.to_str().unwrap(), "--config", config.to_str().unwrap()];
        let output = locomotion(&[&fixed[..], arguments].concat());
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(*code), "{arguments:?}: {message}");
        assert!(message.contains(wanted), "{arguments:?}: wanted `{wanted}` in: {message}");
        assert!(!out.exists(), "{arguments:?}: nothing is begun");
    }
}

/// What the task, the protocol or the program says about other optimizers is silently left out.
#[test]
fn only_what_the_user_sets_has_to_be_used() {
    for name in locomotion::optim::names() {
        for env in ["ant", "swimmer"] {
            let of = explained(&["--env", env, "--optimizer", name]);
            let unused = ("(unset)".to_string(), "not used by the optimizer".to_string());
            assert_eq!(of("kappa") == unused, (name, env) != ("syncma", "ant"), "{name} {env}");
            assert_eq!(
                of("sigma") == unused,
                ["ars", "differential-evolution", "random-search", "turbo"].contains(&name)
            );
            assert_eq!(of("top_directions") == unused, name != "ars");
        }
        let of = explained(&["--env", "swimmer", "--optimizer", name, "--protocol", "paper"]);
        is(&of, "episodes_per_candidate", "10", "protocol");
    }
}

/// A baseline has its own settings, so those of the main run are no mistake.
#[test]
fn a_baseline_does_not_inherit_settings_that_it_does_not_use() {
    let folder = tempfile::tempdir().unwrap();
    let (out, config) = (folder.path().join("run"), folder.path().join("config.toml"));
    std::fs::write(&config, "eta_c = 20.0\n").unwrap();
    let fixed = ["train", "--env", "hopper", "--quiet", "--budget", "24", "--heldout-episodes", "1"];
    let own = ["--variant", "adaptive", "--lambda0", "4", "--batch", "12", "--sigma", "0.3", "--baseline", "cma-es"];
    let places = ["--out", out.to_str().unwrap(), "--config", config.to_str().unwrap()];
    let output = locomotion(&[&fixed[..], &own[..], &places[..]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let baseline = std::fs::read_to_string(out.join("baseline-cma-es/run.toml")).unwrap();
    assert!(!baseline.contains("lambda0") && !baseline.contains("eta_c"), "{baseline}");
}

/// Flags of a comparison apply to the optimizers that use them. A flag that none of them uses is a mistake.
#[test]
fn a_comparison_gives_each_optimizer_the_flags_that_it_uses() {
    let list = |more: &[&str]| locomotion(&[&["compare", "--env", "swimmer", "--seeds", "1", "--list"], more].concat());
    let shared = list(&["--optimizers", "syncma,cma-es,ars", "--lambda0", "4", "--noise", "0.02", "--batch", "8"]);
    assert!(shared.status.success(), "{}", stderr(&shared));
    let text = stdout(&shared);
    let lines: Vec<&str> = text.lines().collect();
    for (line, uses) in lines.iter().zip([[true, false], [false, false], [false, true]]) {
        assert_eq!([line.contains("--lambda0 4"), line.contains("--noise 0.02")], uses, "{line}");
        assert!(line.contains("--batch 8"), "{line}");
        // The line is a command that `train` accepts.
        let words: Vec<&str> = line.split_whitespace().skip(1).collect();
        let checked = locomotion(&[&words[..], &["--print-config"]].concat());
        assert!(checked.status.success(), "{line}: {}", stderr(&checked));
    }
    let of_none = list(&["--optimizers", "cma-es,ars", "--kappa", "2"]);
    assert_eq!(of_none.status.code(), Some(2));
    assert!(stderr(&of_none).contains("none of the optimizers uses --kappa"), "{}", stderr(&of_none));
}

/// A covariance with a row and a column for each of 360,033 weights would need 3 TB.
#[test]
fn a_search_that_does_not_fit_into_memory_is_refused_before_it_starts() {
    let folder = tempfile::tempdir().unwrap();
    let (task, out) = (folder.path().join("robot.toml"), folder.path().join("run"));
    let hopper = std::fs::read_to_string(root().join("envs/hopper.toml")).unwrap();
    std::fs::write(&task, hopper + &"\n[[observation]]\nof = \"qvel\"\n".repeat(20_000)).unwrap();
    std::fs::copy(root().join("assets/models/hopper.xml"), folder.path().join("hopper.xml")).unwrap();
    for optimizer in [["--variant", "adaptive"], ["--optimizer", "cma-es"]] {
        let fixed = ["train", "--env", task.to_str().unwrap(), "--out", out.to_str().unwrap()];
        let output = locomotion(&[&fixed[..], &optimizer].concat());
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        assert!(stderr(&output).contains("W has 3 × 120011 numbers"), "{}", stderr(&output));
        assert!(stderr(&output).contains("`--variant steady`"), "{}", stderr(&output));
        assert!(!out.exists());
    }
}
