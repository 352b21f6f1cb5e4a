"""Prints what `hloroof reschedule` gains on twelve programs of the corpus, as a table.

    python3 bench/reschedule_gains.py COMMAND CORPUS [ARGUMENT...]

COMMAND is the command hloroof, CORPUS the folder of the corpus, and the arguments go to `hloroof reschedule`. The rows are the
smallest six scheduled TPU programs of step/, and the six of tpu/ with the most transfers among those that wait for more than 1 % of
the step. The column before is of the search of commit 26b5969c. Ends with 1 if the sum over all is less than 2.5 times that of before.
"""

import json
import subprocess
import sys

BAR = 2.5
GROUPS = (  # the device, and the change before in percent
    ("step/", {
        "maxtext-32b.v5p-128": ("tpu_v5p", -0.04),
        "maxtext-16b.v5e-2x256": ("tpu_v5e", -0.26),
        "llama3.1-70b.tpu7x-64": ("tpu_v7x", -1.58),
        "llama3.1-70b.v6e-32": ("tpu_v6e", -0.27),
        "llama3.1-8b.v6e-32": ("tpu_v6e", -0.02),
        "llama3.1-8b.v6e-8": ("tpu_v6e", -0.03),
    }),
    ("tpu/", {
        "seed_vit_b128.v5e_2x4": ("tpu_v5e", -1.45),
        "llm_unrolled_fsdp.v5e_2x4": ("tpu_v5e", -1.37),
        "llm_2d_16.v5e_4x4": ("tpu_v5e", -0.84),
        "llm_fsdp_train.v5e_2x4": ("tpu_v5e", -0.95),
        "llm_fsdp_train.v4_2x2x2": ("tpu_v4", -0.38),
        "llm_tp_train.tpu7x_2x2x1": ("tpu_v7x", -0.88),
    }),
)  # fmt: skip


def main() -> None:
    command, corpus, *arguments = sys.argv[1:]
    print("| program | step | before | change | trials | ended by |\n|---|---|---|---|---|---|")
    all_before = all_after = 0.0
    for folder, programs in GROUPS:
        total = 0.0
        total_before = sum(before for _, before in programs.values())
        for name, (device, change_before) in programs.items():
            run = [command, "reschedule", f"{corpus}/{folder}{name}.hlo", "--device", device, "--format", "json", *arguments]
            found = json.loads(subprocess.run(run, check=True, capture_output=True, text=True).stdout)
            found = found[0] if isinstance(found, list) else found
            before, after = found["before"]["step_seconds"], found["after"]["step_seconds"]
            change = 100 * (after - before) / before
            total += change
            print(f"| {folder}{name} | {1e3 * before:.4g} ms | {change_before:.2f} % | {change:.2f} % | {found['trials']} | {found['end']} |", flush=True)
        print(f"| **{folder}, sum** | | {total_before:.2f} % | **{total:.2f} %** | | |")
        all_before += total_before
        all_after += total
    print(f"| **all, sum** | | {all_before:.2f} % | **{all_after:.2f} %** | {all_after / all_before:.1f} times | |")
    sys.exit(all_after / all_before < BAR)


if __name__ == "__main__":
    main()
