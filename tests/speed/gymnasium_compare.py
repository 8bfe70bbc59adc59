#!/usr/bin/env python3
"""Environment steps per second: ours beside Gymnasium, EnvPool and mujoco.rollout.

Usage: gymnasium_compare.py [--env NAME]... [--skip CONTENDER]... [--json]     (see --help)

The workload of all: linear policies a = clip(W s, -1, 1) on the v4 layout of the task, another W
for each episode, its numbers uniform in [-0.05, 0.05); an ended episode is reset at once. The
contenders take turns, so that a change in the machine's load meets all of them.
"""

import argparse
import ctypes
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path


def fail(message, hint):
    sys.exit(f"error: {message}\nhint: {hint}")


try:
    import gymnasium
    import gymnasium.envs.mujoco
    import mujoco.rollout
    import numpy as np
except ImportError as error:
    fail(error, "pip install 'gymnasium[mujoco]==1.4.0' mujoco==3.17.0 envpool")
try:
    import envpool
except ImportError:
    envpool = None

TASKS = {
    "swimmer": "Swimmer-v4",
    "hopper": "Hopper-v4",
    "half-cheetah": "HalfCheetah-v4",
    "walker": "Walker2d-v4",
    "ant": "Ant-v4",
    "humanoid": "Humanoid-v4",
}
CONTENDERS = {
    "ours": "policy, observation, reward, reset; 1 thread",
    "ours-2": "the same on 2 threads",
    "gymnasium": "SyncVectorEnv: numpy policy, observation, reward, reset; 1 thread",
    "envpool": "numpy policy, observation, reward, reset; 1 worker thread",
    "envpool-2": "the same with 2 worker threads",
    "rollout": "mujoco.rollout: physics only, recorded controls; 1 thread",
}
BINARY = Path(__file__).resolve().parents[2] / "target" / "release" / "locomotion"


class Policies:
    """A linear policy for each of `envs` episodes at a time; a new episode gets the next."""

    def __init__(self, action_space, observation_space, envs=1, pool=64):
        shape = (action_space.shape[0], observation_space.shape[0])
        draw = [np.random.default_rng(i).uniform(-0.05, 0.05, shape) for i in range(pool)]
        self.pool = np.array(draw)
        self.weights, self.used = self.pool[:envs].copy(), envs

    def act(self, observations):
        return np.clip((self.weights @ observations[:, :, None])[:, :, 0], -1, 1)

    def next_where(self, ended):
        for env in np.flatnonzero(ended):
            self.weights[env] = self.pool[self.used % len(self.pool)]
            self.used += 1


def gymnasium_env(task):
    options = {"use_contact_forces": True} if task == "ant" else {}
    return gymnasium.make(TASKS[task], disable_env_checker=True, **options)


# Each of the next three gives a function that takes some environment steps and returns how many.


def gymnasium_steps(task, envs):
    mode = gymnasium.vector.AutoresetMode.SAME_STEP
    vector = gymnasium.vector.SyncVectorEnv(
        [partial(gymnasium_env, task)] * envs, autoreset_mode=mode
    )
    policies = Policies(vector.single_action_space, vector.single_observation_space, envs)
    observations, _ = vector.reset(seed=0)

    def step():
        nonlocal observations
        actions = policies.act(observations)
        observations, _, terminated, truncated, _ = vector.step(actions)
        policies.next_where(terminated | truncated)
        return envs

    return step


def envpool_steps(task, envs, threads):
    # Gymnasium's v4 tasks compute contact forces after each step; EnvPool does it on request.
    options = {"num_envs": envs, "num_threads": threads, "seed": 0, "post_constraint": True}
    options |= {"use_contact_force": True} if task == "ant" else {}
    pool = envpool.make_gymnasium(TASKS[task], **options)
    policies = Policies(pool.action_space, pool.observation_space, envs)
    observations, _ = pool.reset()

    def step():
        nonlocal observations
        actions = policies.act(observations)
        observations, _, terminated, truncated, info = pool.step(actions)
        policies.next_where(terminated | truncated)
        # An episode that ended is reset by its next call, which simulates nothing.
        return int(np.count_nonzero(info["elapsed_step"]))

    return step


def rollout_steps(task, record=1000):
    # Record `record` steps of the policies' own episodes: start states and controls.
    env = gymnasium_env(task)
    policies = Policies(env.action_space, env.observation_space)
    model, data, skip = env.unwrapped.model, env.unwrapped.data, env.unwrapped.frame_skip
    physics = mujoco.mjtState.mjSTATE_FULLPHYSICS
    episodes, ended = [], True
    for _ in range(record):
        if ended:
            observation, _ = env.reset(seed=len(episodes))
            start = np.empty(mujoco.mj_stateSize(model, physics))
            mujoco.mj_getState(model, data, start, physics)
            episodes.append((start, []))
        action = policies.act(observation[None])[0]
        episodes[-1][1].append(action)
        observation, _, terminated, truncated, _ = env.step(action)
        ended = terminated or truncated
        policies.next_where([ended])
    episodes = [(start, np.repeat(actions, skip, axis=0)) for start, actions in episodes]
    runner = mujoco.rollout.Rollout(nthread=0)

    def step():
        for start, controls in episodes:
            runner.rollout(model, data, start[None], controls[None])
        return record

    return step


def rate(step, seconds):
    step()
    steps, begin = 0, time.perf_counter()
    while (elapsed := time.perf_counter() - begin) < seconds:
        steps += step()
    return steps / elapsed


def our_rate(binary, task, threads, seconds):
    command = ["bench", "throughput", "--json", "--threads", str(threads), "--env", task]
    # A round times four things, rollouts and a bare loop with one thread and with all.
    command += ["--rounds", "1", "--seconds", str(4 * seconds)]
    run = subprocess.run([binary, *command], stdout=subprocess.PIPE, text=True)
    shown = f"`locomotion {' '.join(command)}`"
    if run.returncode != 0:
        fail(f"{shown} gave exit code {run.returncode}", "its own message is above")
    key = "policy_steps_per_second" if threads == 1 else "threads_policy_steps_per_second"
    try:
        document = json.loads(run.stdout)
        return next(float(entry[key]) for entry in document["tasks"] if entry["task"] == task)
    except (ValueError, KeyError, TypeError, StopIteration):
        fail(f"{shown} gave no `{key}` for `{task}`", f"it printed: {run.stdout[:500]}")


def compare(task, names, args):
    make = {
        "ours": lambda: partial(our_rate, args.binary, task, 1, args.seconds),
        "ours-2": lambda: partial(our_rate, args.binary, task, 2, args.seconds),
        "gymnasium": lambda: partial(rate, gymnasium_steps(task, args.envs), args.seconds),
        "envpool": lambda: partial(rate, envpool_steps(task, args.envs, 1), args.seconds),
        "envpool-2": lambda: partial(rate, envpool_steps(task, args.envs, 2), args.seconds),
        "rollout": lambda: partial(rate, rollout_steps(task), args.seconds),
    }
    measure = {name: make[name]() for name in names}
    rounds = [{name: measure[name]() for name in names} for _ in range(args.rounds)]
    medians = {name: statistics.median(rates[name] for rates in rounds) for name in names}
    ratios = {}
    for name in names:
        ours = "ours-2" if name.endswith("-2") else "ours"
        if ours in names and name != ours:
            ratios[f"{ours}/{name}"] = medians[ours] / medians[name]
    return {"task": task, "steps_per_second": medians, "ratios": ratios, "rounds": rounds}


def versions():
    found = {"gymnasium": gymnasium.__version__, "mujoco": mujoco.__version__}
    if envpool:
        found["envpool"] = envpool.__version__
        try:  # EnvPool links MuJoCo into its extension module, which exports the version.
            module = next(Path(envpool.__file__).parent.glob("mujoco/mujoco_gym_envpool*.so"))
            number = ctypes.CDLL(str(module)).mj_version()
            major, minor, patch = number // 10**6, number // 1000 % 1000, number % 1000
            found["envpool's mujoco"] = f"{major}.{minor}.{patch}"
        except (StopIteration, OSError, AttributeError):
            found["envpool's mujoco"] = "unknown"
    return found


def table(document):
    rows = document["tasks"]
    rates, ratios = list(rows[0]["steps_per_second"]), list(rows[0]["ratios"])
    lines = [f"environment steps per second, median of {len(rows[0]['rounds'])} rounds"]
    lines += [f"  {name:<10} {what}" for name, what in document["contenders"].items()]
    lines += [", ".join(f"{name} {version}" for name, version in document["versions"].items())]
    lines += ["", f"{'task':<13}" + "".join(f"{name:>18}" for name in rates + ratios)]
    for row in rows:
        cells = [f"{row['steps_per_second'][name]:>18,.0f}" for name in rates]
        cells += [f"{row['ratios'][name]:>18.2f}" for name in ratios]
        lines.append(f"{row['task']:<13}" + "".join(cells))
    return "\n".join(lines)


def arguments():
    parser = argparse.ArgumentParser(description="Compare environment steps per second.")
    parser.add_argument("--env", action="append", choices=TASKS, help="only this (repeatable)")
    parser.add_argument("--skip", action="append", default=[], help="leave one out (repeatable)",
                        choices=["ours", "gymnasium", "envpool", "rollout"])
    parser.add_argument("--rounds", type=int, default=3, help="turns of each contender")
    parser.add_argument("--seconds", type=float, default=2.0, help="of each turn")
    parser.add_argument("--envs", type=int, default=4, help="batch of Gymnasium and EnvPool")
    parser.add_argument("--binary", type=Path, default=BINARY, help="our program")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    args = parser.parse_args()
    args.binary = args.binary.resolve()
    if "ours" not in args.skip and not args.binary.is_file():
        fail("our program is missing", "`cargo build --release` makes it; or pass `--skip ours`")
    if "envpool" not in args.skip and envpool is None:
        fail("EnvPool is missing", "`pip install envpool`, or pass `--skip envpool`")
    return args


def main():
    args = arguments()
    gymnasium.logger.min_level = gymnasium.logger.ERROR  # v4 is on purpose
    names = [name for name in CONTENDERS if name.removesuffix("-2") not in args.skip]
    # MuJoCo prints warnings to stdout and logs them to the current directory: keep both clean.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    home = os.getcwd()
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        tasks = [compare(task, names, args) for task in args.env or TASKS]
        os.chdir(home)
    contenders = {name: CONTENDERS[name] for name in names}
    document = {"versions": versions(), "contenders": contenders, "tasks": tasks}
    print(json.dumps(document, indent=1) if args.json else table(document), file=out)


if __name__ == "__main__":
    main()
