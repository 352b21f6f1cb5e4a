"""Prints what becomes of the orders that `hloroof.jax.reschedule` finds when they are compiled to the end, as a table.

    python bench/confirm_orders.py CORPUS [--orders N] [--trials N] [--programs NAME...]

The Python needs this package, JAX 0.12 and libtpu. CORPUS is the folder of the corpus, whose tools/programs.py has the programs. The
rows are the order that came in and those that the search found. A step is predicted by the final text, once by the model and once
with the compiler's own estimates; the memory is what the compiler needs. Ends with 1 if an order is kept whose final text is slower.
"""

import argparse
import os
import pathlib
import sys

os.environ.update(TPU_SKIP_MDS_QUERY="1", ALLOW_MULTIPLE_LIBTPU_LOAD="1", JAX_PLATFORMS="cpu")

import hloroof.jax

PROGRAMS = {
    "seed_ffn_block.v5e_2x4": ("seed_ffn_block", "v5e", "2x4"),
    "moe_ep_train.v5e_2x4": ("moe_ep_train", "v5e", "2x4"),
    "seed_ffn_block.v6e_2x4": ("seed_ffn_block", "v6e", "2x4"),
    "llm_tp_train.v5e_2x4": ("llm_tp_train", "v5e", "2x4"),
    "llm_fsdp_train.v5e_2x4": ("llm_fsdp_train", "v5e", "2x4"),
    "llm_unrolled_fsdp.v5e_2x4": ("llm_unrolled_fsdp", "v5e", "2x4"),
}


def change(before: float, after: float) -> str:
    return f"{100 * (after - before) / before:+.2f} %"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("--orders", type=int, default=3)
    parser.add_argument("--trials", type=int, default=4000)
    parser.add_argument("--programs", nargs="+")
    given = parser.parse_args()
    sys.path.insert(0, str(given.corpus / "tools"))
    import jax
    import programs
    from jax.experimental import topologies

    print("| program | order | predicted | final text | by the compiler's estimates | memory | bound by | |\n|---|---|---|---|---|---|---|---|", flush=True)
    slower: list[str] = []
    for title, (name, generation, topology) in PROGRAMS.items():
        if given.programs and title not in given.programs:
            continue
        device = f"tpu_{generation}:{topology}"
        config = {"chip_config_name": "megacore"} if generation == "v4" else {}
        devices = topologies.get_topology_desc(topology_name=f"{generation}:{topology}", platform="tpu", **config).devices
        jax.clear_caches()
        lowered = programs.PROGS[name][0](list(devices))
        how = {"seconds": 600, "trials": given.trials, "confirm": given.orders}
        with hloroof.jax.reschedule(device, platforms="tpu", quiet=True, **how) as seen:
            final = hloroof.predict_step_time(lowered.compile().as_text(), device).step_seconds
        for one in seen:
            if one.confirmation is None:
                search = one.rescheduling
                reason = f"no better order in {search.trials} trials" if search and not search.moves else str(one)
                print(f"| {title} | as it came | {1e3 * one.step_seconds_before:.4g} ms | | | | | {reason} |", flush=True)
                continue
            kept = one.confirmation.orders[one.confirmation.kept]
            if kept.final_seconds > one.confirmation.orders[0].final_seconds:
                slower.append(title)
            first = one.confirmation.orders[0]
            for index, order in enumerate(one.confirmation.orders):
                cells = [title, "as it came" if index == 0 else str(index)]
                for before, after in (
                    (first.found_seconds, order.found_seconds),
                    (first.final_seconds, order.final_seconds),
                    (first.compiler_seconds, order.compiler_seconds),
                ):
                    cells.append("" if after is None else f"{1e3 * before:.4g} ms" if index == 0 else change(before, after))
                memory = order.memory_bytes
                cells.append(
                    "" if memory is None
                    else f"{memory / 2**30:.3f} GiB" if index == 0 else change(first.memory_bytes, memory)
                )  # fmt: skip
                cells.append(order.bound)
                print(f"| {' | '.join(cells)} | {'**kept**' if order.is_kept else order.reason} |", flush=True)
            if abs(final / one.step_seconds_after - 1) > 1e-6:
                print(f"{title}: the compile ended with {1e3 * final:.6g} ms, not {1e3 * one.step_seconds_after:.6g} ms")
    sys.exit(f"slower than the order that came in: {', '.join(slower)}" if slower else 0)


if __name__ == "__main__":
    main()
