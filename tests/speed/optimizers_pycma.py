"""Cost of pycma's ask + tell at n = 888, N = 100, one thread: python tests/speed/optimizers_pycma.py [n] [N]

Needs `pip install cma`. CPU time is taken, which a busy machine disturbs least; the mean is what counts, since pycma
decomposes the covariance only every second generation. CSA is asked for by name, since pycma silently changes to another step-size rule from n = 300.
"""
import os

os.environ.update({name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")})

import statistics
import sys
import time

import cma
import numpy as np

n, batch = (int(a) for a in (sys.argv[1:] + ["888", "100"][len(sys.argv) - 1:]))
search = cma.CMAEvolutionStrategy(
    np.ones(n), 0.1,
    {"popsize": batch, "AdaptSigma": cma.sigma_adaptation.CMAAdaptSigmaCSA, "verbose": -9, "seed": 1},
)
times = []
for generation in range(26):
    start = time.process_time()
    candidates = search.ask()
    asked = time.process_time() - start
    loss = [float(np.dot(x, x)) for x in candidates]
    start = time.process_time()
    search.tell(candidates, loss)
    if generation >= 5:
        times.append(1e3 * (asked + time.process_time() - start))
print(f"pycma {cma.__version__.split()[0]}, n = {n}, N = {batch}: ask + tell {statistics.mean(times):.1f} ms on average, "
      f"median {statistics.median(times):.1f} ms")
