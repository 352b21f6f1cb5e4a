#!/usr/bin/env python3
"""Records what every dump is predicted to take, and compares two states of the code.

    tests/net/net.py record OUT.json --command build/dev/hloroof
    tests/net/net.py compare OUT.json --command build/dev/hloroof

A refactoring must not change a number. `record` writes, for each dump of the shared corpus and of this repository on the
device that its name mentions, the headline numbers and one hash for each section of the JSON prediction. `compare`
predicts again and prints every dump that differs, with the sections and the headline numbers before and after; it exits
with 1 if there are any. Numbers are compared as printed, which is enough digits to tell any two doubles apart.

Only the keys listed in SECTIONS are hashed, so that new keys and reworded messages do not count as changes.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

HEADLINE = ["step_seconds", "lower_bound_seconds", "serial_seconds", "compiler_estimate_seconds", "bound", "hfu", "mfu",
            "exposed_communication_seconds", "totals", "coverage"]

# Section of the prediction -> the keys that are hashed; a list is a list of objects with these keys.
SECTIONS = {
    "resources": ["name", "busy_seconds", "utilization"],
    "ops": ["name", "computation", "opcode", "category", "executions", "seconds", "total_seconds", "exposed_seconds",
            "critical_seconds", "bound", "flops", "transcendentals", "hbm_bytes", "vmem_bytes", "wire_bytes",
            "logical_bytes", "padded_bytes", "efficiency", "source"],
    "collectives": ["name", "kind", "bytes", "group_size", "group_count", "axes", "algorithm", "seconds",
                    "exposed_seconds"],
    "memory": ["peak_bytes", "hbm_peak_bytes", "arguments_bytes", "outputs_bytes", "aliased_bytes",
               "temporaries_bytes", "capacity_bytes", "fits", "vmem_peak_bytes", "padding_bytes"],
    "diagnostics": ["code", "severity", "op", "seconds_at_stake"],
}

# Part of a file name -> device.
DEVICES = [
    (r"tpu7x_(\w+)", "tpu_v7x:{}"), (r"v2_(\w+)", "tpu_v2:{}"),
    (r"v3_(\w+)", "tpu_v3:{}"), (r"v4_(\w+)", "tpu_v4_core:{}"), (r"v5e_(\w+)", "tpu_v5e:{}"),
    (r"v5p_(\w+)", "tpu_v5p:{}"), (r"v6e_(\w+)", "tpu_v6e:{}"), (r"v5e-2x256", "tpu_v5e:16x16*2"),
    (r"v5p-128$", "tpu_v5p"), (r"v5p-256$", "tpu_v5p"), (r"v6e-\d+$", "tpu_v6e"), (r"tpu7x-\d+$", "tpu_v7x"),
    (r"(tpu_v\w+)", "{}"), (r"h100_sxm(_.*)?", "h100_sxm"), (r"a100_sxm_80(_.*)?", "a100_sxm_80"),
    (r"a100_sxm_40", "a100_sxm_40"), (r"b200(_.*)?", "b200_sxm"), (r"v5e", "tpu_v5e"), (r"v6e", "tpu_v6e"),
]

# These dumps are also predicted on every built-in device, whatever they were compiled for.
EVERYWHERE = ["examples/ffn_block.v5e_2x4.hlo", "examples/decode_step.v5e.hlo", "examples/narrow_heads.v5e.hlo",
              "tests/proto/samples/coll_ar_1mb.h100_sxm_1x1x8.hlo", "tests/proto/samples/many_ops.hlo"]


def device_of(path):
    stem = re.sub(r"\.hlo(\.gz)?$", "", path.name)
    for part in [*reversed(stem.split(".")), path.parent.name]:
        for pattern, device in DEVICES:
            match = re.fullmatch(pattern, part)
            if match:
                return device.format(*match.groups())
    return "tpu_v5e"


def cases(command, shared):
    for folder, name in [(ROOT / "examples", ""), (ROOT / "tests", ""), (shared / "corpus", "corpus")]:
        for path in sorted(folder.rglob("*.hlo*")):
            if path.name.endswith((".hlo", ".hlo.gz")) and "build" not in path.parts:
                key = name + "/" + str(path.relative_to(folder)) if name else str(path.relative_to(ROOT))
                yield key, path, device_of(path)
    listed = subprocess.run([command, "devices", "list", "--format", "json"], capture_output=True, text=True)
    if listed.returncode == 0:
        names = [row["name"] for row in json.loads(listed.stdout)["devices"]]
    else:
        names = [p.stem for p in sorted((ROOT / "data" / "hardware").glob("*.json"))]
        names = [n for n in names if n != "sources" and not n.endswith("_common") and "." not in n]
    for device in names:
        for file in EVERYWHERE:
            yield file, ROOT / file, device


def digest(value):
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


def select(value, keys):
    if isinstance(value, list):
        return [select(item, keys) for item in value]
    return {key: value.get(key) for key in keys} if isinstance(value, dict) else value


def predict(command, path, device):
    run = subprocess.run([command, "predict", str(path), "--device", device, "--format", "json"], capture_output=True,
                         text=True, env=dict(os.environ, NO_COLOR="1"))
    try:
        prediction = json.loads(run.stdout)
    except ValueError:
        return {"exit": run.returncode}
    row = {key: prediction.get(key) for key in HEADLINE}
    row["exit"] = run.returncode
    row["sections"] = {name: digest(select(prediction.get(name), keys)) for name, keys in SECTIONS.items()}
    return row


def predict_all(command, shared, only):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        rows = {f"{key} @ {device}": pool.submit(predict, command, path, device)
                for key, path, device in cases(command, shared) if re.search(only, key)}
        return {key: row.result() for key, row in rows.items()}


def changes(before, after):
    for key in sorted(set(before) | set(after)):
        a, b = before.get(key), after.get(key)
        if a is None or b is None:
            yield key, ["only " + ("after" if a is None else "before")]
        elif a != b:
            sections = [s for s in a.get("sections", {}) if a["sections"][s] != b.get("sections", {}).get(s)]
            numbers = [f"{k}: {a.get(k)} -> {b.get(k)}" for k in HEADLINE + ["exit"] if a.get(k) != b.get(k)]
            yield key, [", ".join(sections)] * bool(sections) + numbers


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["record", "compare"])
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--command", required=True, help="the hloroof command to run")
    parser.add_argument("--shared", type=pathlib.Path, default=ROOT.parent / "shared")
    parser.add_argument("--only", default="", help="a regular expression for the files to take")
    arguments = parser.parse_args()
    rows = predict_all(arguments.command, arguments.shared, arguments.only)
    if arguments.action == "record":
        arguments.file.write_text(json.dumps(rows, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        print(f"{len(rows)} predictions recorded")
        return 0
    before = json.loads(arguments.file.read_text(encoding="utf-8"))
    before = {key: row for key, row in before.items() if re.search(arguments.only, key.partition(" @ ")[0])}
    found = list(changes(before, rows))
    for key, lines in found:
        print(key, *lines, sep="\n    ")
    print(f"{len(rows)} predictions, {len(found)} differ")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
