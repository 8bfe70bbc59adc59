#!/usr/bin/env python3
"""Make statistics.json next to this script: what SciPy and rliable say about some samples.

Usage: make_statistics.py        (needs numpy, scipy and rliable)
"""

import json
from pathlib import Path

import numpy as np
from rliable import library, metrics
from scipy import stats

REPS = 50_000
P = [0.0, 0.025, 0.1, 0.25, 0.5, 0.75, 0.9, 0.975, 1.0]
random = np.random.default_rng(7)


def sample(values):
    values = np.asarray(values, dtype=float)
    return {
        "values": values.tolist(),
        "quantiles": [[p, float(np.quantile(values, p))] for p in P],
        "iqm": float(stats.trim_mean(values, 0.25)),
    }


def interval(strata, statistic):
    """rliable wants runs x tasks."""
    scores = {"x": np.asarray(strata).T}
    point, ends = library.get_interval_estimates(scores, lambda x: np.array([statistic(x)]), reps=REPS, random_state=np.random.RandomState(1))
    return {"point": float(point["x"][0]), "low": float(ends["x"][0][0]), "high": float(ends["x"][1][0])}


def bootstrap(strata):
    strata = [np.asarray(s).tolist() for s in strata]
    return {
        "strata": strata,
        "iqm": interval(strata, metrics.aggregate_iqm),
        "median": interval(strata, lambda x: np.median(x)),
    }


def improvement(x, y):
    pair = {"x,y": (np.asarray(x).T, np.asarray(y).T)}
    point, ends = library.get_interval_estimates(pair, metrics.probability_of_improvement, reps=REPS, random_state=np.random.RandomState(1))
    ends = ends["x,y"]
    return {
        "x": np.asarray(x).tolist(), "y": np.asarray(y).tolist(),
        "point": float(point["x,y"]), "low": float(np.ravel(ends[0])[0]), "high": float(np.ravel(ends[1])[0]),
    }


normal = lambda n, mean, sd: np.round(random.normal(mean, sd, n), 3)
document = {
    "samples": [sample(random.normal(size=n) * 100) for n in (1, 2, 3, 4, 5, 7, 10, 20, 101)] + [sample([3, 3, 3, 3, 1e6])],
    "bootstrap": [bootstrap([normal(10, 340, 20)]), bootstrap([normal(20, 3000, 900)]), bootstrap([normal(8, 340, 20), normal(8, 500, 80), normal(8, 300, 5)])],
    "improvement": [
        improvement([normal(10, 345, 20)], [normal(10, 330, 20)]),
        improvement([random.integers(0, 6, 12).astype(float)], [random.integers(0, 5, 9).astype(float)]),
        improvement([normal(8, 10, 3), normal(8, 100, 30)], [normal(8, 9, 3), normal(8, 90, 30)]),
    ],
}
Path(__file__).with_name("statistics.json").write_text(json.dumps(document, indent=1) + "\n")
