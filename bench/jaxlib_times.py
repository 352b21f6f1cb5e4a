"""XLA's times: jaxlib_times.py parse|counts|predict FILE... prints {"FILE": best CPU seconds, ...}.

parse: its parser. counts: its cost analysis of a module that is parsed outside the clock. predict: both. Each is repeated until
a second has passed (counts: half a second) or three times (counts: five), whichever comes later; the best time counts, as for
ours. Texts that XLA does not read are left out.
"""

import json
import os
import sys
import time

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
from jaxlib import _hlo, _jax


def best_seconds(work, least_runs, budget):
    best = float("inf")
    began = time.perf_counter()
    runs = 0
    while runs < least_runs or time.perf_counter() - began < budget:
        start = time.process_time()
        made = work()
        best = min(best, time.process_time() - start)
        del made  # not timed
        runs += 1
    return best


def seconds(what, client, text):
    if what == "parse":
        return best_seconds(lambda: _hlo.hlo_module_from_text(text), 3, 1.0)
    if what == "counts":
        module = _hlo.hlo_module_from_text(text)
        return best_seconds(lambda: _jax.hlo_module_cost_analysis(client, module), 5, 0.5)

    def both():
        module = _hlo.hlo_module_from_text(text)
        _jax.hlo_module_cost_analysis(client, module)
        return module

    return best_seconds(both, 3, 1.0)


def main():
    what, files = sys.argv[1], sys.argv[2:]
    client = jax.devices("cpu")[0].client
    times = {}
    for path in files:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        try:
            times[path] = seconds(what, client, text)
        except Exception:  # XLA cannot parse the text
            continue
    print(json.dumps(times))


if __name__ == "__main__":
    main()
