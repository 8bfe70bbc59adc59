"""Trains for hours, kills the run with SIGKILL every few minutes and resumes it. At the end its files must be the same, byte
by byte, as those of a run that nobody disturbed; meanwhile memory and open files must not grow.

usage: soak.py target/release/locomotion [MINUTES [MINUTES_BETWEEN_KILLS [THREADS]]]
(default 120 minutes over hopper and ant, 3 between kills, all cores)

The budget of each task is what fits into a third of the time.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

TASKS = {"hopper": ["--batch", "40"], "ant": ["--batch", "40"]}


def command(program, task, folder, more):
    return [program, "train", "--env", task, *TASKS[task], "--heldout-every", "5", "--heldout-episodes", "10", "--quiet",
            "--checkpoint-every", "5", "--resume", str(folder), *more]


def results(folder):
    rows = [line.split(",") for line in (folder / "metrics.csv").read_text().splitlines()]
    timeless = [row[:3] + row[4:] for row in rows]
    return (folder / "final.json").read_bytes(), (folder / "best.json").read_bytes(), timeless


def episodes(folder):
    return int((folder / "metrics.csv").read_text().splitlines()[-1].split(",")[1])


def vitals(process):
    """Resident memory in MB and open files, or None if the process has ended."""
    try:
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        memory = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))
        return memory / 1024, len(os.listdir(f"/proc/{process.pid}/fd"))
    except (OSError, StopIteration):
        return None


def live(process, seconds):
    """Watches a process for some time. The vitals after a warm-up and at the end."""
    seen, end = [], time.time() + seconds
    while time.time() < end and process.poll() is None:
        time.sleep(min(1, seconds / 20))
        seen.append(vitals(process))
    seen = [pair for pair in seen if pair]
    return (seen[len(seen) // 4], seen[-1]) if len(seen) > 8 else None


def soak(program, task, root, seconds, between):
    whole, killed = pathlib.Path(root, task + "-whole"), pathlib.Path(root, task + "-killed")
    # A stop by time cannot be repeated, so the first run only finds how much fits into a third of it.
    probe = pathlib.Path(root, task + "-probe")
    subprocess.run(command(program, task, probe, ["--budget", "100000000", "--time", f"{seconds / 3:.0f}s"]), check=True)
    budget = ["--budget", str(episodes(probe))]
    subprocess.run(command(program, task, whole, budget), check=True)
    kills, grown = 0, []
    while True:
        process = subprocess.Popen(command(program, task, killed, budget))
        pair = live(process, between)
        # A run that ends draws its curves, which takes memory once, so only those that still train are compared.
        if pair and process.poll() is None:
            (memory, files), (later, files_later) = pair
            print(f"{task}: {memory:.0f} → {later:.0f} MB, {files} → {files_later} open files", flush=True)
            if later > 1.1 * memory + 5 or files_later > files:
                grown.append(pair)
        if process.poll() is not None:
            break
        process.kill()
        process.wait()
        kills += 1
    if process.returncode != 0:
        sys.exit(f"{task}: exit {process.returncode}")
    same = results(whole) == results(killed)
    print(f"{task}: {kills} kills, {'the same bytes' if same else 'OTHER BYTES'}, {len(grown)} times memory or files grew")
    return same and not grown


def main(program, minutes=120, between=3, threads=None):
    program = str(pathlib.Path(program).resolve())
    for options in TASKS.values():
        options += ["--threads", threads] if threads else []
    with tempfile.TemporaryDirectory() as root:
        seconds = 60 * float(minutes) / len(TASKS)
        fine = [soak(program, task, root, seconds, 60 * float(between)) for task in TASKS]
    sys.exit(0 if all(fine) else 1)


if __name__ == "__main__":
    main(*sys.argv[1:])
