//! The ten functions are pypop7's.

use locomotion::benchmark::functions::Function;
use serde_json::Value;

/// golden/optim/functions_golden.json.
fn golden() -> Value {
    serde_json::from_str(include_str!("../data/functions.json")).unwrap()
}

fn point(golden: &Value, n: usize, name: &str) -> Vec<f64> {
    match name {
        "zeros" => vec![0.0; n],
        "ones" => vec![1.0; n],
        "minus_ones" => vec![-1.0; n],
        _ => serde_json::from_value(golden["points"][n.to_string()][name].clone()).unwrap(),
    }
}

#[test]
fn values_agree_with_the_reference_to_1e_12() {
    let golden = golden();
    let mut compared = 0;
    for function in Function::ALL {
        for n in [5, 32] {
            let values = golden["values"][function.name().replace('-', "_")][n.to_string()].as_object().unwrap();
            for (name, theirs) in values {
                let (ours, theirs) = (function.value(&point(&golden, n, name)), theirs.as_f64().unwrap());
                let error = (ours - theirs).abs() / theirs.abs().max(1.0);
                assert!(error < 1e-12, "{} at {name}, n = {n}: {ours} instead of {theirs}", function.name());
                compared += 1;
            }
        }
    }
    assert!(compared >= 100, "only {compared} values compared");
}

#[test]
fn the_minimum_is_zero_where_it_is_said_to_be() {
    for function in Function::ALL {
        let least = function.value(&[function.argmin(); 32]);
        assert!(least.abs() < 1e-14, "{}: {least}", function.name());
    }
}
