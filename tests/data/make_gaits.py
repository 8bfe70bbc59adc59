"""Plays the shipped policies in Gymnasium and stores what they return.

usage: make_gaits.py POLICIES_DIR OUT.json      (pip install "gymnasium[mujoco]==1.4.0" "mujoco==3.17.0")
"""

import json
import pathlib
import sys

import gymnasium
import numpy as np

TASKS = {"swimmer": "Swimmer", "hopper": "Hopper", "half-cheetah": "HalfCheetah",
         "walker": "Walker2d", "ant": "Ant", "humanoid": "Humanoid"}


def make(task):
    name, version = (task[:-3], "v5") if task.endswith("-v5") else (task, "v4")
    extra = {"use_contact_forces": True} if task == "ant" else {}
    return gymnasium.make(f"{TASKS[name]}-{version}", **extra)


def play(policy, env, seed):
    weights = np.array(policy["weights"])
    norm = policy["normalizer"] or {"mean": 0.0, "std": 1.0}
    mean, std = np.array(norm["mean"]), np.array(norm["std"])
    (state, _), total, length = env.reset(seed=seed), 0.0, 0
    while True:
        action = np.zeros(len(weights))
        for column, z in zip(weights.T, (state - mean) / std):
            action = action + column * z
        state, reward, terminated, truncated, _ = env.step(np.clip(action, -1, 1))
        total, length = total + float(reward), length + 1
        if terminated or truncated:
            return {"ret": total, "length": length, "terminated": bool(terminated)}


def main(folder, out):
    rows = []
    for file in sorted(pathlib.Path(folder).glob("*.json")):
        policy = json.loads(file.read_text())
        env = make(policy["task"])
        for seed in (0, 1):
            rows.append({"file": file.name, "seed": seed, **play(policy, env, seed)})
    pathlib.Path(out).write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
