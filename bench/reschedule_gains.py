"""Prints what `hloroof reschedule` gains on twelve programs of the corpus, as a table.

    python3 bench/reschedule_gains.py COMMAND CORPUS [ARGUMENT...]

COMMAND is the command hloroof, CORPUS the folder of the corpus, and the arguments go to `hloroof reschedule`. The rows are the
smallest six scheduled TPU programs of step/, and the six of tpu/ with the most transfers among those that wait for more than 1 % of
the step.
"""

import json
import subprocess
import sys

GROUPS = (
    ("step/", {
        "maxtext-32b.v5p-128": "tpu_v5p",
        "maxtext-16b.v5e-2x256": "tpu_v5e",
        "llama3.1-70b.tpu7x-64": "tpu_v7x",
        "llama3.1-70b.v6e-32": "tpu_v6e",
        "llama3.1-8b.v6e-32": "tpu_v6e",
        "llama3.1-8b.v6e-8": "tpu_v6e",
    }),
    ("tpu/", {
        "seed_vit_b128.v5e_2x4": "tpu_v5e",
        "llm_unrolled_fsdp.v5e_2x4": "tpu_v5e",
        "llm_2d_16.v5e_4x4": "tpu_v5e",
        "llm_fsdp_train.v5e_2x4": "tpu_v5e",
        "llm_fsdp_train.v4_2x2x2": "tpu_v4",
        "llm_tp_train.tpu7x_2x2x1": "tpu_v7x",
    }),
)  # fmt: skip


def main() -> None:
    command, corpus, *arguments = sys.argv[1:]
    print("| program | step | change | trials | ended by |\n|---|---|---|---|---|")
    for folder, programs in GROUPS:
        total = 0.0
        for name, device in programs.items():
            run = [command, "reschedule", f"{corpus}/{folder}{name}.hlo", "--device", device, "--format", "json", *arguments]
            found = json.loads(subprocess.run(run, check=True, capture_output=True, text=True).stdout)
            found = found[0] if isinstance(found, list) else found
            before, after = found["before"]["step_seconds"], found["after"]["step_seconds"]
            change = 100 * (after - before) / before
            total += change
            print(f"| {folder}{name} | {1e3 * before:.4g} ms | {change:.2f} % | {found['trials']} | {found['end']} |", flush=True)
        print(f"| **{folder}, sum** | | **{total:.2f} %** | | |")


if __name__ == "__main__":
    main()
