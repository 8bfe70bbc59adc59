"""Resident memory of a long run: after 10,000 generations it must be at most 1.05 times that after 100.

usage: memory.py target/release/locomotion      (swimmer, with episodes cut to 10 steps so that it takes a minute)
"""

import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).parents[2]


def resident(pid):
    lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


def main(program):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        task = (ROOT / "envs/swimmer.toml").read_text().replace("horizon = 1000", "horizon = 10")
        (folder / "swimmer.toml").write_text(task)
        (folder / "swimmer.xml").write_text((ROOT / "assets/models/swimmer.xml").read_text())
        run = [program, "train", "--env", folder / "swimmer.toml", "--batch", "4", "--budget", "44000", "--normalize",
               "running", "--heldout-every", "50", "--heldout-episodes", "2", "--checkpoint-every", "1", "--quiet",
               "--out", folder / "run"]
        child = subprocess.Popen(run)
        metrics, seen = folder / "run/metrics.csv", {}
        while child.poll() is None and len(seen) < 2:
            rows = metrics.read_bytes().count(b"\n") if metrics.exists() else 0
            for generation in (100, 10_000):
                if rows > generation and generation not in seen:
                    seen[generation] = resident(child.pid)
            time.sleep(0.01)
        child.wait()
    ratio = seen[10_000] / seen[100]
    print(f"{seen[100]} kB after 100 generations, {seen[10_000]} kB after 10,000: ratio {ratio:.3f}")
    return ratio > 1.05


if __name__ == "__main__":
    sys.exit(1 if main(*sys.argv[1:]) else 0)
