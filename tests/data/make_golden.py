#!/usr/bin/env python3
"""Make the JSON files next to this script from the golden HDF5 data.

Usage: make_golden.py GOLDEN_DIR OUT_DIR        (needs numpy and h5py)

GOLDEN_DIR holds `<Task>-v4.h5`, `<Task>-v5.h5` (episodes recorded from Gymnasium) and
`models/*.h5` (compiled MuJoCo models). Written to OUT_DIR:

episodes.json      every episode: outcome, start state, SHA-256 of its trajectories. All hashes are
                   of row-major little-endian float64; a trajectory holds the values after each
                   step, not the start. Reward parts carry their sign (costs are negative, a cost
                   of zero is -0.0) and are listed only where the task has them.
models.json        every array of every model, flattened; booleans are 0 and 1
numpy_random.json  draws of numpy's default generator
numpy_sums.json    numpy's sums of standard normal vectors, as the bits of the float64

Weights and random actions are not stored, because numpy's generator gives them again:
    W = default_rng(1000 + seed).uniform(-1, 1, (actions, observations))
    a = default_rng(2000 + seed).uniform(-1, 1, actions), drawn anew at each step
The script checks this, and every hash it can, against the HDF5 files before it writes.
"""

import hashlib
import json
import struct
import sys
from pathlib import Path

import h5py
import numpy as np

TASKS = {
    "Swimmer": "swimmer",
    "Hopper": "hopper",
    "HalfCheetah": "half-cheetah",
    "Walker2d": "walker",
    "Ant": "ant",
    "Humanoid": "humanoid",
}
TRAJECTORIES = ("qpos", "qvel", "obs", "action", "reward")
CONTACT_COST = ("ant", "ant-v5", "humanoid-v5")
NEVER_TERMINATES = ("Swimmer", "HalfCheetah")
SEEDS_WITH_REWARDS = range(3)

GENERATOR_SEEDS = (0, 1, 2, 3, 42, 1000, 2**32 - 1, 2**32, 12345678901234567)
SUM_LENGTHS = (*range(21), 31, 32, 33, 64, 65, 84, 100, 127, 128, 129, 130, 135, 136, 137)
SUM_LENGTHS += (144, 199, 200, 255, 256, 257, 264, 272, 280, 300)


def sha256(values):
    return hashlib.sha256(np.ascontiguousarray(values, dtype="<f8").tobytes()).hexdigest()


def same_bits(a, b):
    return a.shape == b.shape and a.tobytes() == b.tobytes()


def check(holds, claim, where):
    if not holds:
        sys.exit(f"error: {where}: {claim} does not hold")


def check_episode(file, group, policy, seed):
    """Everything the tests take for granted about a stored episode."""
    attrs, where = group.attrs, f"{file.filename} {group.name}"
    stored, length = int(attrs["stored_steps"]), int(attrs["length"])
    nu, nobs = int(file.attrs["nu"]), int(file.attrs["nobs"])

    # Later seeds keep only the first steps; their hashes still cover the whole episode.
    check(seed not in SEEDS_WITH_REWARDS or stored == length, "complete trajectory", where)
    if stored == length:
        for name in TRAJECTORIES:
            check(sha256(group[name]) == attrs[f"traj_{name}_sha256"], f"hash of {name}", where)
        total = np.cumsum(group["reward"])[-1]
        check(total == attrs["total_return"], "return = rewards added in order", where)

    # Policies come from the generator.
    if policy == "linear":
        weights = np.random.default_rng(1000 + seed).uniform(-1, 1, (nu, nobs))
        check(same_bits(weights, group["W"][:]), "W from seed", where)
        observations = np.vstack([group["obs0"][:], group["obs"][:-1]])
        products = observations[:, None, :] * weights
        actions = np.clip(np.cumsum(products, axis=2)[:, :, -1], -1, 1)
    else:
        generator = np.random.default_rng(2000 + seed)
        actions = np.array([generator.uniform(-1, 1, nu) for _ in range(length)])
        check(sha256(actions) == attrs["traj_action_sha256"], "hash of all actions", where)
    check(same_bits(actions[:stored], group["action"][:]), "actions from seed", where)

    # Rewards are the sum of their parts.
    parts = {name: values[:] for name, values in group["components"].items()}
    reward = (parts["forward"] + parts["alive"]) - (-parts["ctrl"] + -parts["contact"])
    check(np.array_equal(reward, group["reward"]), "reward = sum of its parts", where)


def episode(file, name, version, policy, seed):
    group = file[policy][f"seed_{seed}"]
    check_episode(file, group, policy, seed)
    attrs = group.attrs
    task = TASKS[name] + ("-v5" if version == "v5" else "")
    record = {
        "task": task,
        "policy": policy,
        "seed": seed,
        "length": int(attrs["length"]),
        "terminated": bool(attrs["terminated"]),
        "truncated": bool(attrs["truncated"]),
        "return": float(attrs["total_return"]),
        "sha256": {name: attrs[f"traj_{name}_sha256"] for name in TRAJECTORIES},
        "start": {name: group[f"{name}0"][:].tolist() for name in ("qpos", "qvel", "obs")},
    }
    if seed in SEEDS_WITH_REWARDS:
        parts = ["forward", "ctrl"]
        parts += ["contact"] if task in CONTACT_COST else []
        parts += ["alive"] if name not in NEVER_TERMINATES else []
        record["rewards"] = group["reward"][:].tolist()
        record["parts_sha256"] = {part: sha256(group["components"][part]) for part in parts}
    return record


def episodes(golden):
    records = []
    for name in TASKS:
        for version in ("v4", "v5"):
            with h5py.File(golden / f"{name}-{version}.h5") as file:
                for policy in ("linear", "random"):
                    seeds = sorted(int(group.attrs["seed"]) for group in file[policy].values())
                    records += [episode(file, name, version, policy, seed) for seed in seeds]
    return records


def array(values):
    values = np.asarray(values)
    numbers = values.astype(int) if values.dtype == bool else values
    return {
        "dtype": values.dtype.name,
        "shape": list(values.shape),
        "data": numbers.ravel().tolist(),
    }


def model(path):
    """Scalar attributes are numbers; vector ones (opt_gravity, …) join the arrays."""
    with h5py.File(path) as file:
        attributes = dict(file.attrs)
        vectors = {name: value for name, value in attributes.items() if np.ndim(value)}
        scalars = {name: attributes[name].item() for name in attributes if name not in vectors}
        arrays = {name: array(dataset[()]) for name, dataset in file.items()}
    arrays |= {name: array(value) for name, value in vectors.items()}
    return {"name": path.stem, "attributes": scalars, "arrays": arrays}


def draws(seed):
    def fresh():
        return np.random.default_rng(seed)

    mixed, sequence = fresh(), []
    for _ in range(100):
        sequence += [mixed.uniform(-0.1, 0.1, 15), mixed.standard_normal(14)]
    return {
        "seed": seed,
        "uniform": fresh().uniform(-1, 1, 8).tolist(),
        "normal": fresh().standard_normal(8).tolist(),
        "normal_200000_sha256": sha256(fresh().standard_normal(200_000)),
        "mixed_sha256": sha256(np.concatenate(sequence)),
    }


def bits(value):
    return struct.pack(">d", value).hex()


def sums(seed, n):
    vector = np.random.default_rng(seed).standard_normal(n)
    squares = np.sum(np.square(vector))
    return {"seed": seed, "n": n, "sum": bits(np.sum(vector)), "sum_of_squares": bits(squares)}


def write(path, records):
    """One record per line, floats as the shortest decimals that give them back."""
    lines = ",\n".join(
        json.dumps(record, allow_nan=False, separators=(",", ":")) for record in records
    )
    path.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    print(f"{path.name}: {len(records)} records, {path.stat().st_size:,} bytes")


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: make_golden.py GOLDEN_DIR OUT_DIR")
    golden, out = map(Path, sys.argv[1:])
    write(out / "episodes.json", episodes(golden))
    write(out / "models.json", [model(path) for path in sorted(golden.glob("models/*.h5"))])
    write(out / "numpy_random.json", [draws(seed) for seed in GENERATOR_SEEDS])
    write(out / "numpy_sums.json", [sums(100 + n, n) for n in SUM_LENGTHS])


if __name__ == "__main__":
    main()
