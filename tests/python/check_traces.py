#!/usr/bin/env python3
"""The Python side of traces: Minari, h5py and Gymnasium agree with this program.

usage:  check_traces.py PROGRAM [POLICY.json ...]

Exports every policy (without any: one that moves a little for each -v5 task), opens the dataset with Minari and the file
with h5py, rebuilds the environment, and replays the policy in Gymnasium: returns must be equal to the last bit.

Needs:  pip install "minari[hdf5]==0.5.4" pillow "gymnasium[mujoco]==1.4.0" mujoco==3.17.0
"""

import json
import math
import os
import subprocess
import sys
import tempfile

TASKS = {"swimmer-v5": (8, 2), "hopper-v5": (11, 3), "half-cheetah-v5": (17, 6), "walker-v5": (17, 6), "ant-v5": (105, 8)}
EPISODES = 3


def wiggle(folder, task, observations, actions):
    """A policy file with small weights."""
    weights = [[0.1 * math.sin(i * observations + j) for j in range(observations)] for i in range(actions)]
    path = os.path.join(folder, f"{task}.json")
    with open(path, "w") as file:
        json.dump({"format": "locomotion-policy/1", "task": task, "observations": observations, "actions": actions,
                   "weights": weights, "normalizer": None}, file)
    return path


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout


def replay(env, policy, seed):
    """The return of one episode in Gymnasium. This is the README's snippet."""
    import numpy as np

    W, n = np.array(policy["weights"]), policy["normalizer"] or {"mean": 0.0, "std": 1.0}
    (s, _), total, done = env.reset(seed=seed), 0.0, False
    while not done:
        a = sum(w * z for w, z in zip(W.T, (s - n["mean"]) / n["std"]))
        s, reward, terminated, truncated, _ = env.step(np.clip(a, -1, 1))
        total, done = total + reward, terminated or truncated
    return total


def check(program, path, root):
    import h5py
    import minari
    import numpy as np

    with open(path) as file:
        policy = json.load(file)
    task = policy["task"]
    dataset_id = f"check/{task}/policy-v0"
    run(program, "export", path, "--minari", dataset_id, "--root", root, "--episodes", str(EPISODES))
    ours = json.loads(run(program, "eval", path, "--episodes", str(EPISODES), "--json"))["episodes"]

    dataset = minari.load_dataset(dataset_id)
    assert dataset_id in minari.list_local_datasets(), "`minari list local` shows it"
    assert dataset.total_episodes == EPISODES and dataset.total_steps == sum(e["length"] for e in ours)
    env = dataset.recover_environment()
    assert env.observation_space.shape == dataset.observation_space.shape
    assert env.observation_space.dtype == dataset.observation_space.dtype
    assert env.action_space.dtype == dataset.action_space.dtype
    for episode, expected in zip(dataset.iterate_episodes(), ours):
        length = expected["length"]
        assert episode.observations.shape == (length + 1, *dataset.observation_space.shape)
        assert episode.observations.dtype == np.float64 and episode.actions.dtype == np.float32
        assert episode.terminations.dtype == np.bool_ and episode.truncations.dtype == np.bool_
        assert all(dataset.action_space.contains(action) for action in episode.actions)
        assert sum(episode.rewards.tolist()) == expected["return"], f"{task}: the trace's return"
        assert replay(env, policy, expected["seed"]) == expected["return"], f"{task}: Gymnasium's return"
        repr(episode)
    env.close()

    single = os.path.join(root, f"{task}.h5")
    run(program, "export", path, "-o", single, "--episodes", str(EPISODES))
    with h5py.File(single) as file:
        assert sorted(file) == [f"episode_{i}" for i in range(EPISODES)]
        assert [file[f"episode_{i}"].attrs["rewards_sum"] for i in range(EPISODES)] == [e["return"] for e in ours]
        assert file.attrs["total_episodes"] == EPISODES and isinstance(file.attrs["env_spec"], str)
    flat = os.path.join(root, f"{task}-d4rl.h5")
    run(program, "export", path, "-o", flat, "--episodes", str(EPISODES), "--format", "d4rl")
    with h5py.File(flat) as file:
        assert len(file["rewards"]) == len(file["observations"]) == dataset.total_steps
        ends = file["terminals"][:] | file["timeouts"][:]
        assert ends.sum() == EPISODES and ends[-1]
    print(f"ok    {task}: mean return {np.mean([e['return'] for e in ours])}")


def main():
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    program, policies = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory() as root:
        os.environ["MINARI_DATASETS_PATH"] = root  # before minari is imported
        for path in policies or [wiggle(root, task, *size) for task, size in TASKS.items()]:
            check(program, path, root)
    return 0


if __name__ == "__main__":
    sys.exit(main())
