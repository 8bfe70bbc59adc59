"""Target hits on COCO's 24 BBOB functions: our CMA-ES, DD-CMA and SynCMA beside pycma.

    pip install coco-experiment cma
    cargo build --release
    python tests/speed/bbob.py [--dimensions 10 20] [--instances 5] [--budget 1000] [--workers 2] [--out FILE.json]

All contestants have the same starts (uniform in [-4, 4]^n), the same first standard deviation 2, their own default batch, and
budget * n evaluations per problem; one that stops starts again from the next start. A hit is a precision 10^2, 10^1.8, …, 10^-8
above the minimum that was reached: 51 per problem.
"""
import argparse
import collections
import json
import multiprocessing
import os
import pathlib
import subprocess
import tempfile
import warnings

os.environ.update({name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")})

import cma
import cocoex
import numpy as np

TARGETS = 10.0 ** np.linspace(2, -8, 51)
GROUPS = {"separable": range(1, 6), "moderate": range(6, 10), "ill-conditioned": range(10, 15),
          "multimodal": range(15, 20), "weak structure": range(20, 25)}
OURS = {
    "cma-es": {"optimizer": "cma-es"},
    "dd-cma": {"optimizer": "dd-cma"},
    "syncma exact": {"optimizer": "syncma", "variant": "exact"},
    "syncma adaptive": {"optimizer": "syncma", "variant": "adaptive"},
}
SIGMA = 2.0


class Bridge:
    """One of our optimizers in a process of its own."""

    def __init__(self, settings):
        binary = pathlib.Path(__file__).parents[2] / "target/release/locomotion"
        self.process = subprocess.Popen([binary, "serve-optimizer"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.settings = settings

    def say(self, request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        return answer["candidates"] or None

    def start(self, mean, seed):
        self.candidates = self.say({"start": {**self.settings, "sigma": SIGMA, "seed": seed, "mean": list(mean)}})

    def ask(self):
        return self.candidates

    def tell(self, losses):
        self.candidates = self.say({"tell": losses})


class Pycma:
    def start(self, mean, seed):
        warnings.simplefilter("ignore")
        self.search = cma.CMAEvolutionStrategy(mean, SIGMA, {"verbose": -9, "seed": seed + 1})

    def ask(self):
        if self.search.stop():
            return None
        self.candidates = self.search.ask()
        return self.candidates

    def tell(self, losses):
        self.search.tell(self.candidates, losses)


def minimum(problem):
    """The least value, which COCO only writes to a file."""
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        problem._best_parameter("print")
        best = np.loadtxt("._bbob_problem_best_parameter.txt")
        os.chdir(here)
    return problem(best)


def hits(contestant, problem, budget):
    """How many targets were reached, and the evaluations when the last of them was."""
    suite = cocoex.Suite("bbob", "", f"function_indices:{problem[0]} instance_indices:{problem[1]} dimensions:{problem[2]}")
    function = suite[0]
    goal = minimum(function) + TARGETS
    search = Pycma() if contestant == "pycma" else Bridge(OURS[contestant])
    best, count, restart, last, reached = np.inf, 0, 0, 0, 0
    while count < budget * problem[2]:
        starts = np.random.default_rng([*problem, restart])
        search.start(starts.uniform(-4, 4, problem[2]), 1000 * restart + problem[1])
        restart += 1
        while count < budget * problem[2]:
            candidates = search.ask()
            if candidates is None:
                break
            losses = [function(np.asarray(x)) for x in candidates]
            for loss in losses[: budget * problem[2] - count]:
                best, count = min(best, loss), count + 1
                if (now := int((best <= goal).sum())) > reached:
                    reached, last = now, count
            if reached == len(TARGETS):
                return reached, last, restart
            search.tell(losses)
    return reached, last, restart


def work(task):
    return task, hits(*task)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dimensions", type=int, nargs="+", default=[10, 20])
    parser.add_argument("--instances", type=int, default=5)
    parser.add_argument("--budget", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--functions", type=int, nargs="+", default=range(1, 25))
    parser.add_argument("--out")
    args = parser.parse_args()
    contestants = [*OURS, "pycma"]
    tasks = [(contestant, (function, instance, n), args.budget) for n in args.dimensions for function in args.functions
             for instance in range(1, args.instances + 1) for contestant in contestants]
    total, last, results = collections.Counter(), collections.Counter(), []
    with multiprocessing.Pool(args.workers, maxtasksperchild=20) as pool:
        for (contestant, (function, instance, n), _), (reached, evaluations, restarts) in pool.imap_unordered(work, tasks):
            group = next(name for name, members in GROUPS.items() if function in members)
            total[n, contestant, group] += reached
            last[n, contestant] += reached == len(TARGETS)
            results.append([n, contestant, function, instance, reached, evaluations, restarts])
    if args.out:
        pathlib.Path(args.out).write_text(json.dumps(sorted(results)))
    for n in args.dimensions:
        possible = {group: len(TARGETS) * args.instances * len([f for f in members if f in args.functions])
                    for group, members in GROUPS.items()}
        print(f"\nn = {n}, {args.budget * n} evaluations, {args.instances} instances: targets hit")
        print(f"| {'':<16} | " + " | ".join(f"{g} /{possible[g]}" for g in GROUPS) + f" | all /{sum(possible.values())} | solved |")
        print("|---" * (len(GROUPS) + 3) + "|")
        for contestant in contestants:
            row = [total[n, contestant, group] for group in GROUPS]
            print(f"| {contestant:<16} | " + " | ".join(str(v) for v in row) + f" | {sum(row)} | {last[n, contestant]} |")


if __name__ == "__main__":
    main()
