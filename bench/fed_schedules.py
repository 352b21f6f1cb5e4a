"""Prints what libtpu's schedules become when it is told what kernels and collectives cost, as a table.

    python bench/fed_schedules.py CORPUS [--programs NAME...]

The Python needs this package, JAX 0.12 and libtpu. CORPUS is the folder of the corpus, whose tools/programs.py has the programs; `example`
is the one of examples/python/feed_costs.py, which has the passes. Steps are predicted by the final text, once by the model and once with
the compiler's own estimates.
"""

import argparse
import os
import pathlib
import sys

os.environ.update(TPU_SKIP_MDS_QUERY="1", ALLOW_MULTIPLE_LIBTPU_LOAD="1", JAX_PLATFORMS="cpu")
sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "examples" / "python"))

import feed_costs
import hloroof.jax

PROGRAMS = {
    "example.v5e_2x4": ("example", "v5e", "2x4"),
    "example.v6e_2x4": ("example", "v6e", "2x4"),
    "seed_ffn_block.v5e_2x4": ("seed_ffn_block", "v5e", "2x4"),
    "moe_ep_train.v5e_2x4": ("moe_ep_train", "v5e", "2x4"),
    "llm_tp_train.v5e_2x4": ("llm_tp_train", "v5e", "2x4"),
    "llm_fsdp_train.v5e_2x4": ("llm_fsdp_train", "v5e", "2x4"),
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("--programs", nargs="+")
    given = parser.parse_args()
    sys.path.insert(0, str(given.corpus / "tools"))
    import jax
    import programs
    from jax.experimental import topologies

    print("| program | fed with | step | exposed communication | by the compiler's estimates |\n|---|---|---|---|---|", flush=True)
    for title, (name, generation, topology) in PROGRAMS.items():
        if given.programs and title not in given.programs:
            continue
        device = f"tpu_{generation}:{topology}"
        devices = topologies.get_topology_desc(topology_name=f"{generation}:{topology}", platform="tpu").devices
        for fed, feed in {"nothing": None, **feed_costs.PASSES}.items():
            jax.clear_caches()
            lowered = feed_costs.lowered(devices) if name == "example" else programs.PROGS[name][0](list(devices))
            if feed is None:
                text = lowered.compile().as_text()
            else:
                with hloroof.jax.transform(feed, stage="pre_scheduler", device=device, on_error="raise", platforms="tpu", quiet=True):
                    text = lowered.compile().as_text()
            step = hloroof.predict_step_time(text, device)
            by_compiler = hloroof.predict_step_time(text, device, estimates="compiler").step_seconds
            times = [1e3 * seconds for seconds in (step.step_seconds, step.exposed_communication_seconds, by_compiler)]
            if feed is None:
                first = times
            cells = [f"{times[i]:.4g} ms" if feed is None or not first[i] else f"{100 * (times[i] / first[i] - 1):+.2f} %" for i in range(3)]
            print(f"| {title} | {fed} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
