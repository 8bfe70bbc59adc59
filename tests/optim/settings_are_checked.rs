//! A setting that cannot work is refused by name, with a remedy. An unknown name gets the nearest known one.

use crate::common::{every_optimizer, trajectory};
use locomotion::optim::annealing::Annealing;
use locomotion::optim::ars::Ars;
use locomotion::optim::cma_es::{CmaEs, Restarting};
use locomotion::optim::dd_cma::DdCma;
use locomotion::optim::differential_evolution::DifferentialEvolution;
use locomotion::optim::random_search::RandomSearch;
use locomotion::optim::settings::Restarts;
use locomotion::optim::syncma::SynCma;
use locomotion::optim::tr_cma::TrCma;
use locomotion::optim::turbo::Turbo;
use locomotion::optim::used_settings::FIELDS;
use locomotion::optim::{Bounds, OptimizerKind, Settings, Variant, names};
use nalgebra::DVector;

fn refused(settings: Settings) -> &'static str {
    settings.build(DVector::from_element(3, 0.0)).expect_err("accepted").field()
}

#[test]
fn the_error_names_the_field() {
    let plain = Settings::default;
    assert_eq!(refused(Settings { lambda0: Some(-1.0), ..plain() }), "lambda0");
    assert_eq!(refused(Settings { lambda0: Some(f64::NAN), ..plain() }), "lambda0");
    assert_eq!(refused(Settings { batch: Some(1), ..plain() }), "batch");
    assert_eq!(refused(Settings { batch: Some(0), optimizer: OptimizerKind::Annealing, ..plain() }), "batch");
    assert_eq!(refused(Settings { batch: Some(1), optimizer: OptimizerKind::DdCma, ..plain() }), "batch");
    assert_eq!(refused(Settings { optimizer: OptimizerKind::Turbo, ..plain() }), "bounds");
    assert_eq!(refused(Settings { optimizer: OptimizerKind::DifferentialEvolution, ..plain() }), "bounds");
    assert_eq!(refused(Settings { sigma: Some(0.0), ..plain() }), "sigma");
    assert_eq!(refused(Settings { sigma: Some(f64::INFINITY), ..plain() }), "sigma");
    assert_eq!(refused(Settings { eta_m: Some(-0.1), ..plain() }), "eta_m");
    assert_eq!(refused(Settings { eta_c: Some(0.0), ..plain() }), "eta_c");
    for starts in [0, 1001] {
        let steady = Settings { starts: Some(starts), variant: Variant::Steady, ..plain() };
        assert_eq!(SynCma::new(&steady, DVector::zeros(3)).expect_err("accepted").field(), "starts");
        assert_eq!(refused(steady), "starts");
    }
    assert_eq!(refused(Settings { shape: Some((2, 2)), ..plain() }), "shape");
    assert_eq!(refused(Settings { shape: Some((0, 3)), variant: Variant::Matrix, ..plain() }), "shape");
    assert_eq!(refused(Settings { shape: Some((usize::MAX, 3)), variant: Variant::Matrix, ..plain() }), "shape");
    assert_eq!(refused(Settings { bounds: Bounds::Clip { low: 1.0, high: -1.0 }, ..plain() }), "bounds");
}

/// A search that is built without [`Settings::build`] checks its settings, too.
#[test]
fn every_constructor_checks_its_settings() {
    let wrong =
        Settings { sigma: Some(f64::NAN), bounds: Bounds::Clip { low: -1.0, high: 1.0 }, ..Settings::default() };
    let start = || DVector::zeros(3);
    let fields = [
        Annealing::new(&wrong, start()).map(drop),
        Ars::new(&wrong, start()).map(drop),
        CmaEs::new(&wrong, start()).map(drop),
        Restarting::new(&wrong, start()).map(drop),
        DdCma::new(&wrong, start()).map(drop),
        DifferentialEvolution::new(&wrong, start()).map(drop),
        RandomSearch::new(&wrong, start()).map(drop),
        SynCma::new(&wrong, start()).map(drop),
        TrCma::new(&wrong, start()).map(drop),
        Turbo::new(&wrong, start()).map(drop),
    ]
    .map(|built| built.expect_err("accepted").field());
    assert_eq!(fields, ["sigma"; 10]);
}

#[test]
fn one_walk_and_one_draw_are_batches() {
    let bounds = Bounds::Clip { low: -1.0, high: 1.0 };
    for optimizer in [OptimizerKind::Annealing, OptimizerKind::RandomSearch, OptimizerKind::Turbo] {
        let settings = Settings { optimizer, bounds, batch: Some(1), ..Settings::default() };
        assert!(settings.build(DVector::zeros(3)).is_ok(), "{}", optimizer.name());
    }
}

#[test]
fn the_error_says_what_to_do() {
    let error = Settings { batch: Some(0), ..Settings::default() }.build(DVector::zeros(3)).unwrap_err().to_string();
    assert_eq!(error, "setting `batch` is 0\nhint: ranking needs at least 2 candidates per generation");
    let error = Settings::default().build(DVector::from_vec(vec![0.0, f64::NAN])).unwrap_err().to_string();
    assert_eq!(error, "setting `mean` is NaN in coordinate 1\nhint: start from a finite point");
}

#[test]
fn every_name_is_found_and_a_typo_gets_a_hint() {
    for name in names() {
        assert_eq!(name.parse::<OptimizerKind>().unwrap().name(), name);
    }
    assert_eq!("cmaes".parse::<OptimizerKind>().unwrap_err().nearest, Some("cma-es"));
    assert_eq!("SynCMA".parse::<OptimizerKind>().unwrap_err().nearest, Some("syncma"));
    assert_eq!("adaptve".parse::<Variant>().unwrap_err().nearest, Some("adaptive"));
}

#[test]
fn settings_survive_json_and_reject_unknown_fields() {
    let settings = Settings { lambda0: Some(2.5), batch: Some(40), seed: u64::MAX, ..Settings::default() };
    let json = serde_json::to_string(&settings).unwrap();
    assert_eq!(serde_json::from_str::<Settings>(&json).unwrap(), settings);
    assert!(serde_json::from_str::<Settings>(r#"{"lamda0": 2}"#).is_err());
}

/// The settings with an unusual value in one field.
fn unusual(settings: &Settings, field: &str) -> Settings {
    let mut s = settings.clone();
    match field {
        // This may be any other variant, because the declaration of the field does not depend on it.
        "variant" => s.variant = if s.variant == Variant::Exact { Variant::Steady } else { Variant::Exact },
        "lambda0" => s.lambda0 = Some(0.3),
        "eta_m" => s.eta_m = Some(0.7),
        "eta_c" => s.eta_c = Some(1.7),
        "kappa" => s.kappa = Some(0.6),
        "patience" => s.patience = Some(30.0),
        "starts" => s.starts = Some(2),
        "batch" => s.batch = Some(6),
        "sigma" => s.sigma = Some(0.45),
        "active" => s.active = Some(false),
        "restarts" => s.restarts = Restarts::Bipop,
        "step_size" => s.step_size = Some(0.5),
        "noise" => s.noise = Some(0.4),
        "top_directions" => s.top_directions = Some(1),
        other => panic!("the field `{other}` is new: give it a value here"),
    }
    s
}

/// A field that an optimizer declares changes its search. Any other is refused by name, and the error lists those it
/// uses.
#[test]
fn every_optimizer_uses_the_settings_that_it_declares_and_refuses_the_others() {
    let search = |settings: &Settings| {
        let mut search = settings.build(DVector::from_element(6, 1.0)).unwrap();
        // This function is so flat at first that CMA-ES restarts.
        let loss = |x: &[f64]| if settings.restarts == Restarts::None { x.iter().map(|v| v * v).sum() } else { 1.0 };
        trajectory(&mut search, 12, loss)
    };
    for (name, settings) in every_optimizer(6) {
        let used = settings.optimizer.fields(settings.variant);
        assert!(used.iter().all(|field| FIELDS.contains(field)), "{name}");
        for field in FIELDS {
            let changed = unusual(&settings, field);
            if used.contains(&field) {
                assert_ne!(search(&changed), search(&settings), "{name} says that it uses {field}");
                continue;
            }
            let error = changed.build(DVector::from_element(6, 1.0)).unwrap_err();
            assert_eq!(error.field(), field, "{name}");
            let text = error.to_string();
            assert!(text.contains(&format!("does not use the setting `{field}`")), "{text}");
            assert!(used.iter().all(|used| text.contains(used)), "{text}");
            assert_eq!(changed.clone().only_used(), settings.clone().only_used(), "{name}, {field}");
        }
    }
}
