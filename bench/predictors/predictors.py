"""Compares what several predictors say about the measured programs of this repository, as the tables of README.md.

    python bench/predictors/predictors.py [--hloroof COMMAND] [--write]      --write puts them into README.md

Each program is a text beside its measurement: the whole programs of tests/accuracy/h100 and the training steps of
tests/accuracy/steps. The predictors:

- hloroof: `predict`.
- roofline: the work of the whole program, as hloroof counts it, over the peak in bf16 or the bandwidth of the memory, whichever
  takes longer.
- op by op: the same for each op, added.
- XLA: the same for the whole program, with the FLOPs and bytes of XLA's own cost analysis.

The peaks and bandwidths are those of the device files. Needs a Python with JAX 0.12 and hloroof, and no device.
"""

import argparse
import csv
import gzip
import json
import os
import pathlib
import statistics
import subprocess

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
from hloroof.tune._stages import kendall
from jaxlib import _hlo, _jax

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[1]
PREDICTORS = ("hloroof", "roofline", "op by op", "XLA")
MARKS = ("<!-- predictors.py -->\n", "<!-- end -->\n")


def programs():
    """Path, device, whether hloroof's model was made with the measurement in view, and the measured seconds."""
    folder = TOP / "tests" / "accuracy" / "h100"
    with open(folder / "measured.csv") as file:
        for row in csv.DictReader(file):
            path = folder / f"{row['program']}.hlo.gz"
            if row["group"] in ("steps", "steps2") and path.exists():
                # As the accuracy tests do: the time after a second of the same calls.
                yield path, "h100_sxm", row["group"] == "steps2" or row["program"] == "llama_naive", 1e-6 * float(row["warm_us"])
    folder = TOP / "tests" / "accuracy" / "steps"
    with open(folder / "steps.csv") as file:
        for row in csv.DictReader(file):
            seconds = float(row["tflop_per_chip"]) / float(row["tflops_per_chip_published"])
            yield folder / row["file"], row["device"], row["standing"] == "fitted", seconds


def answer(command, *arguments):
    done = subprocess.run([command, *map(str, arguments), "--format", "json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def rates(command, device, known={}):
    """FLOP/s in bf16 and bytes/s of the memory."""
    if device not in known:
        numbers = {each["path"]: each["value"] for each in answer(command, "devices", "show", device)["parameters"]}
        known[device] = numbers["matrix.peak.bf16"], numbers["hbm.bandwidth"]
    return known[device]


def predictions(command, path, device):
    """Seconds by predictor."""
    said = answer(command, "predict", path, "--device", device)
    peak, bandwidth = rates(command, device)

    def roofline(flops, read_and_written):
        return max(flops / peak, read_and_written / bandwidth)

    analysis = _jax.hlo_module_cost_analysis(jax.devices("cpu")[0].client, _hlo.hlo_module_from_text(gzip.open(path, "rt").read()))
    return {
        "hloroof": said["step_seconds"],
        "roofline": roofline(said["totals"]["flops"], said["totals"]["hbm_bytes"]),
        "op by op": sum(roofline(op["flops"], op["hbm_bytes"]) * op["executions"] for op in said["ops"]),
        "XLA": roofline(analysis.get("flops", 0), analysis.get("bytes accessed", 0)),
    }


def shown(seconds):
    return f"{seconds:.2f} s" if seconds >= 1 else f"{1e3 * seconds:.2f} ms"


def tables(rows):
    lines = ["| program | device | row | measured | " + " | ".join(PREDICTORS) + " |", "|---|---|---|---|" + "---|" * len(PREDICTORS)]
    for name, device, seen, measured, by in rows:
        cells = [f"{by[each] / measured:.2f}" for each in PREDICTORS]
        lines.append(f"| {name} | {device} | {'seen' if seen else 'held back'} | {shown(measured)} | {' | '.join(cells)} |")
    lines += ["", "| programs | predictor | count | median error | p90 | within 20 % | tau |", "|---|---|---|---|---|---|---|"]
    for title, chosen in (
        ("H100, held back", [row for row in rows if row[1] == "h100_sxm" and not row[2]]),
        ("H100, seen", [row for row in rows if row[1] == "h100_sxm" and row[2]]),
        ("TPU", [row for row in rows if row[1] != "h100_sxm"]),
    ):
        for each in PREDICTORS:
            pairs = [(by[each], measured) for _, _, _, measured, by in chosen]
            errors = [abs(predicted / measured - 1) for predicted, measured in pairs]
            p90 = statistics.quantiles(errors, n=10, method="inclusive")[8]
            within = sum(error <= 0.2 for error in errors)
            lines.append(
                f"| {title} | {each} | {len(pairs)} | {100 * statistics.median(errors):.1f} % | {100 * p90:.1f} % | {within} | {kendall(pairs):.2f} |"
            )
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hloroof", default="hloroof")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    made = tables([
        (path.name.removesuffix(".hlo.gz"), device, seen, measured, predictions(given.hloroof, path, device))
        for path, device, seen, measured in programs()
    ])  # fmt: skip
    print(made, end="")
    if given.write:
        page = HERE / "README.md"
        before, rest = page.read_text().split(MARKS[0])
        page.write_text(before + MARKS[0] + made + MARKS[1] + rest.split(MARKS[1])[1])


if __name__ == "__main__":
    main()
