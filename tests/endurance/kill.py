"""Kills runs with SIGKILL at random moments, resumes them, and compares the results with undisturbed ones, byte by byte.

usage: kill.py target/release/locomotion [KILLS]      (at least that many, default 40, spread over all optimizers)
"""

import pathlib
import random
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).parents[2]
WIDTH = ["--sigma", "0.3"]
KINDS = {
    "syncma steady": ["--variant", "steady", "--kappa", "2", "--normalize", "bounded", *WIDTH],
    "syncma adaptive": ["--variant", "adaptive", "--lambda0", "2", *WIDTH],
    "syncma matrix": ["--variant", "matrix", *WIDTH],
    "syncma exact": ["--variant", "exact", *WIDTH],
    "syncma published": ["--variant", "published", *WIDTH],
    "cma-es": ["--optimizer", "cma-es", *WIDTH],
    "dd-cma": ["--optimizer", "dd-cma", *WIDTH],
    "tr-cma": ["--optimizer", "tr-cma", *WIDTH],
    "ars": ["--optimizer", "ars"],
    "differential-evolution": ["--optimizer", "differential-evolution"],
    "annealing": ["--optimizer", "annealing"],
    "random-search": ["--optimizer", "random-search"],
    "turbo": ["--optimizer", "turbo"],
}


def short_hopper(root):
    """Hopper with short episodes, so that a run trains most of the time instead of scoring its policies."""
    task = (ROOT / "envs/hopper.toml").read_text().replace("horizon = 1000", "horizon = 20")
    pathlib.Path(root, "hopper.toml").write_text(task)
    pathlib.Path(root, "hopper.xml").write_text((ROOT / "assets/models/hopper.xml").read_text())


def command(program, folder, kind):
    return [program, "train", "--env", str(folder.parent / "hopper.toml"), "--budget", "300", "--batch", "12", "--quiet",
            "--heldout-episodes", "3", "--heldout-every", "2", "--checkpoint-every", "0", "--resume", str(folder), *kind]


def results(folder):
    rows = [line.split(",") for line in (folder / "metrics.csv").read_text().splitlines()]
    timeless = [row[:3] + row[4:] for row in rows]
    return (folder / "final.json").read_bytes(), (folder / "best.json").read_bytes(), timeless


def main(program, kills=40):
    done = unreadable = different = 0
    with tempfile.TemporaryDirectory() as root:
        short_hopper(root)
        for name, kind in KINDS.items():
            whole = pathlib.Path(root, name.replace(" ", "-"))
            start = time.time()
            subprocess.run(command(program, whole, kind), check=True)
            alone = time.time() - start
            for attempt in range(-(-int(kills) // (2 * len(KINDS)))):
                folder = pathlib.Path(root, f"{whole.name}-{attempt}")
                for _ in range(2):
                    child = subprocess.Popen(command(program, folder, kind), stderr=subprocess.PIPE)
                    time.sleep(random.uniform(0, 0.8 * alone))
                    unreadable += child.poll() not in (None, 0)
                    child.kill()
                    child.wait()
                    done += 1
                unreadable += subprocess.run(command(program, folder, kind)).returncode != 0
                different += results(folder) != results(whole)
            print(f"{name}: ok so far" if not (unreadable or different) else f"{name}: FAILED", flush=True)
    print(f"{done} kills: {unreadable} unreadable checkpoints, {different} runs that ended differently")
    return unreadable or different


if __name__ == "__main__":
    sys.exit(1 if main(*sys.argv[1:]) else 0)
