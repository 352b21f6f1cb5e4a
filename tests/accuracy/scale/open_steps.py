"""Compares scaled programs of the open data with compiled ones.

    python open_steps.py build/release/hloroof ../shared/corpus/step

predicts the steps of Llama 3.1 8B for 32 and 256 chips, and what `hloroof scale` makes of the step for 8 chips, and writes the
table of README.md beside this file.
"""
import json
import pathlib
import subprocess
import sys

NAME = "llama3.1-8b.v6e-{}.hlo"
CASES = {32: ["--axis", "data=32"], 256: ["--axis", "data=256", "--batch", "4/3x"]}


def answer(command, *arguments):
    done = subprocess.run([command, *map(str, arguments), "--device", "tpu_v6e", "--format", "json"], check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def main(command, folder):
    lines = ["| chips | step | compiled | scaled from 8 | difference |", "|---|---|---|---|---|"]

    def add(chips, what, compiled, scaled, unit, factor):
        lines.append(f"| {chips} | {what} | {compiled * factor:.2f} {unit} | {scaled * factor:.2f} {unit} | {(scaled / compiled - 1) * 100:+.1f} % |")

    for chips, arguments in CASES.items():
        compiled = answer(command, "predict", folder / NAME.format(chips))
        scaled = answer(command, "scale", folder / NAME.format(8), *arguments)["scaled"]
        add(chips, "step", compiled["step_seconds"], scaled["step_seconds"], "s", 1)
        add(chips, "exposed communication", compiled["exposed_communication_seconds"], scaled["exposed_seconds"], "ms", 1e3)
        add(chips, "peak memory", compiled["memory"]["peak_bytes"], scaled["peak_bytes"], "GiB", 2.0**-30)
    lines[0] = lines[0].replace("| step |", "| predicted |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    table = main(sys.argv[1], pathlib.Path(sys.argv[2]))
    readme = pathlib.Path(__file__).with_name("README.md")
    before, _, rest = readme.read_text().partition("<!-- open -->\n")
    after = rest.partition("<!-- end of open -->\n")[2]
    readme.write_text(f"{before}<!-- open -->\n{table}<!-- end of open -->\n{after}")
    print(table, end="")
