"""Checks that we read profiles as XProf does: profiles.py TOOL SYNTHESIZE SAMPLES...

TOOL prints what we read. Self times of ops must equal those of XProf's hlo_stats for profiles of TPUs that SYNTHESIZE (a script)
makes, and times of ops those of its kernel_stats for GPUs. Of a profile of the CPU XProf shows no ops. There the steps must equal
those of its overview page, and the self times those that hlo_stats shows once the thunks of each thread stand on a device of their
own. Needs Python with xprof, which is HLOROOF_XPROF_PYTHON in the environment or the Python that runs this script; exits with 77
without it.
"""

from __future__ import annotations

import collections
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77
SEEDS = 8
ROUNDING = 2  # ps for each occurrence; XProf's tables have microseconds as floating point
WHOLE_NS = 1000  # ps; its table of kernels has whole nanoseconds


def with_xprof() -> None:
    """Runs this script again with the Python that has xprof."""
    if importlib.util.find_spec("xprof") is not None:
        return
    other = os.environ.get("HLOROOF_XPROF_PYTHON")
    if not other or other == sys.executable:
        print("no xprof: set HLOROOF_XPROF_PYTHON to a Python that has it")
        sys.exit(SKIPPED)
    os.environ["HLOROOF_XPROF_PYTHON"] = ""
    os.execv(other, [other, *sys.argv])


with_xprof()
from xprof import profile_data  # noqa: E402
from xprof.convert import raw_to_tool_data  # noqa: E402


def xprof_rows(files: list[pathlib.Path], tool: str, table: int = 0) -> list[dict]:
    data, _ = raw_to_tool_data.xspace_to_tool_data([str(file) for file in files], tool, {"use_saved_result": False})
    found = json.loads(data)
    found = found[table] if isinstance(found, list) else found
    names = [column["id"] for column in found["cols"]]
    return [dict(zip(names, (cell["v"] for cell in row["c"]))) for row in found["rows"]]


class Ours:
    def __init__(self, tool: str, folder: pathlib.Path) -> None:
        self.ops: dict[str, tuple[int, int]] = collections.defaultdict(lambda: (0, 0))
        self.steps: list[int] = []
        run = subprocess.run([tool, str(folder)], capture_output=True, text=True)
        if run.returncode != 0:
            raise AssertionError(run.stderr)
        for line in run.stdout.splitlines():
            kind, *cells = line.split("\t")
            if kind == "op":
                count, time = self.ops[cells[1]]
                self.ops[cells[1]] = (count + int(cells[2]), time + int(cells[3]))
            elif kind == "step":
                self.steps.append(int(cells[0]))


def check(what: str, ours: dict[str, tuple[int, int]], theirs: dict[str, tuple[int, int]], rounding: int, shown: int = 0) -> int:
    """Returns the number of ops that differ."""
    wrong = 0
    if not theirs:
        print(f"{what}: XProf has no op")
        return 1
    for name in sorted(set(ours) | set(theirs)):
        a, b = ours.get(name), theirs.get(name)
        if a is None or b is None or a[0] != b[0] or abs(a[1] - b[1]) > rounding * max(1, a[0]):
            print(f"{what}: {name}: we have {a}, XProf has {b}")
            wrong += 1
        elif shown > 0:
            shown -= 1
            print(f"  {name:32} x{a[0]:<4} ours {a[1] / 1e6:12.6f} us   XProf {b[1] / 1e6:12.6f} us")
    print(f"{what}: {len(theirs)} ops, {wrong} differ")
    return wrong


def hlo_stats(files: list[pathlib.Path]) -> dict[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    for row in xprof_rows(files, "hlo_stats"):
        count, time = found.get(row["hlo_op_name"], (0, 0))
        found[row["hlo_op_name"]] = (count + round(row["occurrences"]), time + round(row["total_self_time"] * 1e6))
    return found


def kernel_stats(files: list[pathlib.Path]) -> dict[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    for row in xprof_rows(files, "kernel_stats"):
        count, time = found.get(row["op_name"], (0, 0))
        found[row["op_name"]] = (count + round(row["occurrences"]), time + round(row["total_duration_us"] * 1e6))
    return found


def check_cpu(tool: str, synthesize, source: pathlib.Path, folder: pathlib.Path) -> int:
    """Puts the thunks of each thread on a device, which XProf computes self times of."""
    planes = []
    for plane in profile_data.ProfileData.from_file(str(source)).planes:
        for line in plane.lines if plane.name == "/host:CPU" else []:
            thunks = [(event, dict(event.stats)) for event in line.events]
            # The stat refers to a name that this reader does not resolve; a thunk's event has the same name.
            thunks = [(event, event.name) for event, stats in thunks if "hlo_op" in stats]
            if not thunks:
                continue
            made = synthesize.Plane(f"/device:TPU:{len(planes)}")
            made.plane_stat("device_type_string", "TPU v5 lite")
            events = [
                made.event(
                    made.metadata(f"%{op} = f32[] add(f32[] %a)", op, hlo_category="add", program_id=1, symbol_id=len(op)),
                    round(event.start_ns * 1000),
                    round(event.duration_ns * 1000),
                )
                for event, op in thunks
            ]
            for index, op in enumerate(sorted({op for _, op in thunks})):
                for key in [key for key in made.events if key[1] == op]:  # XProf takes ops with one symbol for one op
                    stats = tuple((n, index + 1 if n == "symbol_id" else v) for n, v in key[2])
                    made.events = {(k[0], k[1], stats) if k == key else k: v for k, v in made.events.items()}
            made.line(3, "XLA Ops", 0, events)
            planes.append(made)
    folder.mkdir()
    (folder / "host.xplane.pb").write_bytes(synthesize.space(planes, "host"))
    work = folder / "source"
    work.mkdir()
    (work / source.name).write_bytes(source.read_bytes())
    ours = Ours(tool, work)
    wrong = check(source.name, ours.ops, hlo_stats([folder / "host.xplane.pb"]), ROUNDING, shown=12)
    theirs = sorted(round(row["stepTimeMs"] * 1e9) for row in xprof_rows([work / source.name], "overview_page", 1))
    same = len(theirs) == len(ours.steps) and all(abs(a - b) < 2000 for a, b in zip(sorted(ours.steps), theirs))
    print(f"{source.name}: steps, ours {sorted(ours.steps)} ps, XProf {theirs} ps")
    return wrong + (0 if same else 1)


def main() -> None:
    tool, script, *samples = sys.argv[1:]
    spec = importlib.util.spec_from_file_location("synthesize", script)
    synthesize = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(synthesize)
    wrong = 0
    with tempfile.TemporaryDirectory() as made:
        for seed in range(SEEDS):
            for kind, table, rounding in (("tpu", hlo_stats, ROUNDING), ("gpu", kernel_stats, WHOLE_NS)):
                folder = pathlib.Path(made, f"{kind}{seed}")
                subprocess.run([sys.executable, script, kind, str(folder), str(seed)], check=True)
                files = sorted(folder.glob("*.xplane.pb"))
                wrong += check(f"{kind}, seed {seed}", Ours(tool, folder).ops, table(files), rounding, 12 if seed == 0 else 0)
        sources = [file for sample in samples for file in sorted(pathlib.Path(sample).rglob("*.xplane.pb"))]
        for i, source in enumerate(sources):
            wrong += check_cpu(tool, synthesize, source, pathlib.Path(made, f"cpu{i}"))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
