//! Defaults < task < protocol < init < config < flags, and every value has its origin.

use crate::common::{locomotion, root, short_hopper, stderr, stdout};

fn explained(arguments: &[&str]) -> impl Fn(&str) -> (String, String) + use<> {
    let output = locomotion(&[&["train", "--print-config"], arguments].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stdout(&output);
    move |name: &str| {
        let (set, unset) = (format!("{name} ="), format!("# {name}: "));
        let line = text.lines().find(|line| line.starts_with(&set) || line.starts_with(&unset));
        let line = line.unwrap_or_else(|| panic!("{name}: {text}"));
        if let Some(why) = line.strip_prefix(&unset) {
            return ("(unset)".to_string(), why.to_string());
        }
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
    is(&of, "lambda0", "2.0", "the optimizer's default");
    is(&of, "batch", "14", "the optimizer's default");
    let of = explained(&[&env[..], &["--optimizer", "ars"]].concat());
    is(&of, "budget", "222", "task");
    let of = explained(&[&env[..], &["--config", config.to_str().unwrap(), "--batch", "40"]].concat());
    is(&of, "sigma", "0.5", "config");
    is(&of, "batch", "40", "flag");
    // Segments are for mirrored pairs with one episode each.
    let segments = |more: &[&str]| explained(&[&["--env", "ant"], more].concat())("segments").0;
    assert_eq!(segments(&[]), "5");
    assert_eq!(segments(&["--variant", "adaptive"]), "(unset)");
    assert_eq!(segments(&["--episodes-per-candidate", "2"]), "(unset)");
    assert_eq!(segments(&["--optimizer", "ars"]), "(unset)");
    assert_eq!(segments(&["--optimizer", "ars", "--segments", "4"]), "4");
    let of = explained(&[&env[..], &["--protocol", "paper"]].concat());
    is(&of, "sigma", "0.1", "protocol");
    is(&of, "episodes_per_candidate", "10", "protocol");
    is(&of, "budget", "111", "task");
    let of = explained(&[&env[..], &["--init", "hopper"]].concat());
    is(&of, "normalize", "\"hopper\"", "init");
    let of = explained(&[&env[..], &["--init", "hopper", "--normalize", "running"]].concat());
    is(&of, "normalize", "\"running\"", "flag");
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
        (&["--env", "hopper", "--survival-share", "1.5"], "", 2, "--survival-share is 1.5: use a number from 0 to 1"),
        (
            &["--env", "ant", "--survival-shift", "off", "--survival-share", "0.5"],
            "",
            2,
            "because --survival-shift is off",
        ),
        (&["--env", "ant", "--survival-shift", "off"], "survival_steps = 9", 2, "--survival-steps has no effect"),
        (&["--env", "hopper", "--survival-shift", "off", "--survival-steps", "9"], "", 2, "leave out --survival-steps"),
        (&["--env", "ant", "--budget", "30", "--batch", "40"], "", 2, "less than the 40 episodes of one generation"),
        (&["--env", "ant", "--segments", "0"], "", 2, "--segments must be at least 1"),
        (&["--env", "ant", "--segments", "1001"], "", 2, "--segments is 1001, but a training episode has 1000 steps"),
        (&["--env", "ant", "--segments", "2", "--episodes-per-candidate", "2"], "", 2, "set --segments to 1"),
        (
            &["--env", "ant", "--variant", "steady", "--segments", "2", "--protocol", "paper"],
            "",
            2,
            "set --segments to 1",
        ),
        (&["--env", "ant", "--variant", "adaptive", "--segments", "2"], "", 2, "adaptive) does not use --segments"),
        (&["--env", "ant", "--segments", "2", "--optimizer", "cma-es"], "", 2, "cma-es does not use --segments"),
        (&["--env", "ant", "--batch", "1000000000000000"], "", 2, "of memory, but only"),
        (&["--env", "ant", "--heldout-episodes", "1000000000000000"], "", 2, "of memory, but only"),
        (&["--env", "ant", "--batch", "4", "--episodes-per-candidate", "4611686018427387904"], "", 2, "of memory"),
        (&["--env", "ant", "--batch", "18446744073709551614"], "", 2, "--batch must be at most"),
        (&["--env", "ant", "--seed", "9223372036854775808"], "", 2, "--seed must be at most 9223372036854775807"),
        (&["--env", "ant", "--budget", "18446744073709551615"], "", 2, "--budget must be at most"),
        (&["--env", "ant", "--threads", "1000000"], "", 2, "use a whole number from 0 to 65535"),
        (&["--env", "ant", "--init", "uniform", "--bound", "1e308"], "", 2, "up to 1e50"),
        (&["--env", "ant", "--sigma", "1e308"], "", 2, "use a number from 1e-300 to 1e50"),
        (&["--env", "ant", "--sigma", "1e-320"], "", 2, "use a number from 1e-300 to 1e50"),
        (&["--env", "ant", "--baseline", "syncma"], "", 2, "--baseline names the optimizer of the run itself"),
        (&["--env", "ant", "--optimizer", "cmaes"], "", 2, "cma-es"),
        (&["--env", "ant", "--time", "soon"], "", 2, "write 4h, 90s"),
        (&["--env", "ant", "--bound", "wide"], "", 2, "or none"),
        (&["--env", "ant", "--normalize", "nowhere.json"], "", 3, "nowhere.json"),
        (&["--env", "ant", "--init", "nowhere.json"], "", 3, "a run folder, or a policy that ships"),
        (&["--env", "ant", "--init", "antt"], "", 3, "did you mean `ant`?"),
        (&["--env", "ant", "--init", "hopper"], "", 3, "has 11 and 3, the task `ant` has 111 and 8"),
        (
            &["--env", "humanoid", "--inputs", "state", "--init", "humanoid"],
            "",
            3,
            "uses more than positions and velocities",
        ),
        (&["--env", "humanoid", "--inputs", "state", "--init", "humanoid"], "", 3, "set --inputs to all"),
        (&["--env", "ant", "--inputs", "some"], "", 2, "all, state"),
        (&["--env", "ant", "--init", ""], "", 2, "use zero, uniform, or a policy"),
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
        // A case that is not refused should end soon.
        std::fs::write(&config, format!("time = \"1s\"\n{content}")).unwrap();
        let out = folder.path().join("run");
        let fixed = ["train", "--out", out.to_str().unwrap(), "--config", config.to_str().unwrap()];
        let output = locomotion(&[&fixed[..], arguments].concat());
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(*code), "{arguments:?}: {message}");
        assert!(message.contains(wanted), "{arguments:?}: wanted `{wanted}` in: {message}");
        assert!(!out.exists(), "{arguments:?}: nothing is begun");
    }
}

/// A task's number of directions belongs to its own batch.
#[test]
fn a_smaller_batch_for_ars_works_with_every_task() {
    for name in locomotion::sim::NAMES {
        let ars = ["--env", name, "--optimizer", "ars"];
        let (own, _) = explained(&ars)("top_directions");
        let of = explained(&[&ars[..], &["--batch", "12"]].concat());
        match own.parse::<usize>().unwrap() > 6 {
            true => is(&of, "top_directions", "3", "the optimizer's default"),
            false => is(&of, "top_directions", &own, "task"),
        }
        is(&explained(&[&ars[..], &["--protocol", "paper"]].concat()), "batch", "100", "protocol");
    }
    let output = locomotion(&["train", "--env", "ant", "--optimizer", "ars", "--batch", "12", "--top-directions", "7"]);
    assert!(stderr(&output).contains("--top-directions"), "what the user asks for is not changed: {}", stderr(&output));
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
            assert_eq!(of("top_directions") == unused, name != "ars" && (name, env) != ("syncma", "ant"));
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
    let task = short_hopper(folder.path());
    let fixed = ["train", "--env", &task, "--quiet", "--budget", "24", "--heldout-episodes", "1"];
    let own = ["--variant", "adaptive", "--lambda0", "4", "--batch", "12", "--sigma", "0.3", "--baseline", "cma-es"];
    let places = ["--out", out.to_str().unwrap(), "--config", config.to_str().unwrap(), "--threads", "9999"];
    let output = locomotion(&[&fixed[..], &own[..], &places[..]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(stderr(&output).matches("note: --threads 9999").count(), 1, "both runs share it: {}", stderr(&output));
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

/// What is printed is a settings file, and a run with it is the same run.
#[test]
fn a_printed_config_is_toml_and_gives_the_same_run() {
    let folder = tempfile::tempdir().unwrap();
    let usual = ["--env", "Hopper-v4", "--variant", "adaptive", "--budget", "48", "--batch", "12", "--sigma", "0.3"];
    let printed = locomotion(&[&["train", "--print-config"], &usual[..]].concat());
    assert!(printed.status.success(), "{}", stderr(&printed));
    let table: toml::Table = stdout(&printed).parse().unwrap();
    assert_eq!(table["env"].as_str(), Some("hopper"));
    assert!(table["eta_c"].as_float().is_some() && table["lambda0"].as_float() == Some(2.0), "{table}");
    let config = folder.path().join("config.toml");
    std::fs::write(&config, stdout(&printed)).unwrap();
    let weights = |name: &str, flags: &[&str]| {
        let out = folder.path().join(name);
        let output = locomotion(&[&["train", "--quiet", "--out", out.to_str().unwrap()], flags].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        let file: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(out.join("final.json")).unwrap()).unwrap();
        file["weights"].clone()
    };
    let first = weights("flags", &usual);
    assert_eq!(weights("file", &["--config", config.to_str().unwrap()]), first);
    for run in ["flags", "flags/run.toml"] {
        let run = folder.path().join(run);
        let name = format!("from-{}", run.is_dir());
        assert_eq!(weights(&name, &["--config", run.to_str().unwrap()]), first, "the settings of another run");
    }
}

#[test]
fn names_and_numbers_as_people_type_them_get_a_sentence() {
    let cases: &[(&[&str], i32, &str)] = &[
        (&["train", "--env", "ant", "--seed", "-1"], 2, "use a whole number from 0 to 18446744073709551615"),
        (&["train", "--env", "ant", "--budget", "1e6"], 2, "use a whole number from 0"),
        (&["train", "--env", "ant", "--sigma", "wide"], 2, "use a number such as 0.1"),
        (&["eval", "swimmer", "--seed", "-1"], 2, "use a whole number from 0"),
        (&["eval", "swimer"], 3, "did you mean `swimmer`?"),
        (&["export", "swimmer", "-o", "x.csv"], 2, "--output must end in .h5 or .hdf5"),
        (&["train", "--env", "ant", "--optimizer", "ppo"], 2, "unknown optimizer `ppo`"),
        (&["eval", "swimmer", "--threads", "9223372036854775808"], 2, "use a whole number from 0 to 65535"),
        (&["train", "--env", "ant", "--threads", "-2"], 2, "use a whole number from 0 to 65535"),
        (&["eval", "swimmer", "--episodes", "-5"], 2, "use a whole number from 1 to 1000000"),
        (&["render", "swimmer", "-o", "a.gif", "--seed", "-1"], 2, "use a whole number from 0"),
        (&["render", "swimmer", "-o", "a.gif", "--width", "100000"], 2, "use a whole number from 16 to 3840"),
        (&["bench", "synthetic", "--seed", "-1"], 2, "use a whole number from 0"),
        (&["compare", "--env", "ant", "--optimizers", "ars", "--seeds", "0"], 2, "use a whole number from 1 to 65535"),
    ];
    for (arguments, code, wanted) in cases {
        let output = locomotion(arguments);
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(*code), "{arguments:?}: {message}");
        assert!(message.contains(wanted), "{arguments:?}: {message}");
    }
    assert!(!stderr(&locomotion(&["train", "--env", "ant", "--optimizer", "ppo"])).contains("did you mean"));
    let many = locomotion(&["eval", "Swimmer-v5", "--episodes", "1", "--threads", "9999"]);
    assert!(many.status.success() && stderr(&many).contains("threads are used"), "{}", stderr(&many));
    let help = stdout(&locomotion(&["train", "--help"]));
    for default in ["[default: 0]", "[default: syncma]", "[default: the task's, or 10000]"] {
        assert!(
            help.replace("\n", " ").split_whitespace().collect::<Vec<_>>().join(" ").contains(default),
            "{default}"
        );
    }
}

#[test]
fn a_run_offers_a_way_on_and_refuses_less_than_it_has_used() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let (path, task) = (run.to_str().unwrap(), short_hopper(folder.path()));
    let small = ["train", "--env", &task, "--budget", "48", "--batch", "12", "--target", "1e9", "--quiet"];
    let train = |more: &[&str]| locomotion(&[&small, more].concat());
    assert!(train(&["--out", path]).status.success());
    let taken = train(&["--out", path]);
    assert_eq!(taken.status.code(), Some(4));
    let message = stderr(&taken);
    assert!(
        message.contains(&format!("`--resume {path}`")) && message.contains(&format!("`--out {path}-2`")),
        "{message}"
    );
    let less = locomotion(&["train", "--resume", path, "--budget", "24"]);
    assert_eq!(less.status.code(), Some(2));
    assert!(stderr(&less).contains("--budget is 24, but the run has already used 48 episodes"), "{}", stderr(&less));
    let cleared = locomotion(&["train", "--resume", path, "--budget", "60", "--target", "none", "--quiet"]);
    assert!(cleared.status.success(), "{}", stderr(&cleared));
    assert!(std::fs::read_to_string(run.join("run.toml")).unwrap().contains("target = \"none\""));
}

#[test]
fn a_comparison_takes_several_tasks() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let small = ["--budget", "24", "--batch", "12", "--heldout-episodes", "1", "--seeds", "1", "--out", out];
    let output =
        locomotion(&[&["compare", "--env", "hopper,Walker2d-v4", "--optimizers", "cma-es"], &small[..]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stderr(&output).starts_with("comparing cma-es on hopper, Walker2d-v4, 1 seed each: 2 trials"));
    for task in ["hopper", "walker"] {
        let page = folder.path().join(task).join("report.html");
        assert!(page.exists() && stdout(&output).contains(page.to_str().unwrap()), "{}", stdout(&output));
    }
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
