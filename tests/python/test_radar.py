"""hloroof.radar: configs, environments, workers of another Python, comparisons, reports. A JAX that is none stands in for most."""

import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import textwrap
import time

import pytest

import hloroof
from hloroof import radar
from hloroof.radar import _compare, _config, _environment, _passes, _report, _work
from hloroof.radar.__main__ import main

POSIX = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")

PRODUCT = """HloModule jit_product, is_scheduled=true

ENTRY main {{
  x = bf16[{rows},4096]{{1,0:T(8,128)(2,1)}} parameter(0)
  y = bf16[4096,4096]{{1,0:T(8,128)(2,1)}} parameter(1)
  ROOT z = bf16[{rows},4096]{{1,0:T(8,128)(2,1)}} dot(x, y), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}
}}
"""

# A package in the place of JAX. Its compiler makes the text that a program names, with as many rows as the environment says.
FAKE_JAX = '''
import os, pathlib, time

__version__ = os.environ["FAKE_JAX"]

class Lowered:
    def __init__(self, text, before=None):
        self.text, self.before = text, before

    def compile(self, compiler_options=None):
        options = compiler_options or {}
        if self.before is not None:
            self.before()
        if "xla_dump_to" in options:
            folder = pathlib.Path(options["xla_dump_to"])
            folder.mkdir(parents=True)
            small = PRODUCT.format(rows=4096)
            names = ["before_optimizations", "0000.simplify.after_pipeline-start.before_algsimp",
                     "0001.simplify.after_algsimp.before_grow", "0002.simplify.after_grow.before_dce", "after_optimizations"]
            for index, name in enumerate(names):
                (folder / f"module_0001.jit_product.{name}.txt").write_text(self.text if index >= 3 else small)
            (folder / "module_0001.jit_product.buffer-assignment.txt").write_text("nothing reads this")
        return Compiled(self.text)

class Compiled:
    def __init__(self, text):
        self.text = text

    def as_text(self):
        return self.text

    def memory_analysis(self):
        class Stats:
            argument_size_in_bytes, output_size_in_bytes, alias_size_in_bytes, temp_size_in_bytes = 100, 10, 4, 2
        return Stats

PRODUCT = """{product}"""
'''

PROGRAMS = '''
import os
import jax

with open(os.environ["RADAR_LOG"], "a") as log:
    log.write("imported\\n")

ROWS = {"1.0": 4096, "2.0": 8192}[jax.__version__]

def programs(device):
    yield "grows", jax.Lowered(jax.PRODUCT.format(rows=ROWS))
    yield "stays", lambda: jax.Lowered(jax.PRODUCT.format(rows=4096))

def shrinks():
    yield "shrinks", jax.Lowered(jax.PRODUCT.format(rows=3 * 4096 - ROWS))

def refuses():
    def refuse():
        if jax.__version__ == "2.0":
            raise RuntimeError("INTERNAL: no layout for this program")
    yield "refuses", jax.Lowered(jax.PRODUCT.format(rows=4096), refuse)

def crashes():
    def crash():
        if jax.__version__ == "2.0":
            print("F0000 check failed: layout", flush=True)
            os.abort()
    yield "crashes", jax.Lowered(jax.PRODUCT.format(rows=4096), crash)

def sleeps():
    import time
    yield "sleeps", jax.Lowered(jax.PRODUCT.format(rows=4096), lambda: time.sleep(600))

def stops():
    yield "first", jax.Lowered(jax.PRODUCT.format(rows=4096))
    if jax.__version__ == "2.0":
        jax.no_such_function()
    yield "second", jax.Lowered(jax.PRODUCT.format(rows=4096))

def wrong():
    return [3]

def nothing():
    return []

mapping = {"named": (jax.Lowered(jax.PRODUCT.format(rows=4096)),)}
'''


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with programs, and two environments that differ in the version of what stands in for JAX."""
    monkeypatch.setenv("RADAR_LOG", str(tmp_path / "log.txt"))
    programs = tmp_path / "code" / "programs.py"
    programs.parent.mkdir()
    programs.write_text(PROGRAMS)
    (programs.parent / "jax.py").write_text(FAKE_JAX.replace("{product}", PRODUCT))
    return tmp_path


def config(place, *functions, **more):
    return {
        "programs": [f"code/programs.py:{name}" for name in functions or ("programs",)],
        "devices": ["tpu_v5e"],
        "environments": {
            name: {"python": sys.executable, "variables": {"FAKE_JAX": version}} for name, version in (("base", "1.0"), ("head", "2.0"))
        },
        **more,
    }


def run(place, *functions, fail_on=(), **more):
    given = _config.config_of(config(place, *functions, **more), place)
    return radar.run(given, fail_on=fail_on, cache=place / "cache", processes=1, progress=False)


def log(place):
    return (place / "log.txt").read_text().count("imported")


# ---- Configs -----------------------------------------------------------------------------------------------------------------------

MALFORMED = [
    (3, "expected a table with programs, devices and environments, not int"),
    ({"program": []}, "program: there is no such member; expected one of programs"),
    ({"environments": {"base": ["jax"]}}, "environments: expected two, base and head"),
    ({"programs": ["a.py:f"]}, "there is no file"),
    ({"programs": ["a.py"]}, 'expected "file.py:function", not \'a.py\''),
    ({"programs": []}, "programs: expected at least one"),
    ({"devices": []}, "devices: expected at least one"),
    ({"devices": [3]}, "devices: expected texts"),
    ({"fail_on": 3}, "fail_on: expected texts"),
    ({"timeout": 0}, "timeout: expected seconds, not 0"),
    ({"timeout": True}, "timeout: expected seconds, not True"),
    ({"passes": "no"}, "passes: expected true or false"),
    ({"environments": {"base": ["jax"], "head": 3}}, "environments.head: expected a list of packages"),
    ({"environments": {"base": ["jax"], "head": {}}}, "environments.head: expected requirements, python, or both"),
    ({"environments": {"base": ["jax"], "head": {"pyhton": ""}}}, "environments.head.pyhton: there is no such member"),
    ({"environments": {"base": ["jax"], "head": {"python": 3}}}, "environments.head.python: expected the path"),
    ({"environments": {"base": ["jax"], "head": {"python": "p", "variables": {"A": 1}}}}, "variables: expected texts by name"),
    ({"environments": {"base": ["jax"], "head": {"python": "p", "options": {"a": []}}}}, "options: expected texts"),
]


@pytest.mark.parametrize("change, message", MALFORMED, ids=[row[1] for row in MALFORMED])
def test_malformed_configs(place, change, message):
    with pytest.raises(ValueError) as error:
        _config.config_of({**config(place), **change} if isinstance(change, dict) else change, place)
    assert message in str(error.value)


def test_configs_of_both_forms(place):
    pytest.importorskip("tomllib")
    (place / "radar.json").write_text(json.dumps(config(place, fail_on="step>+5%", timeout=60)))
    (place / "radar.toml").write_text(
        textwrap.dedent(f"""
            programs = "code/programs.py:programs"
            devices = ["tpu_v5e"]
            fail_on = ["step>+5%"]
            timeout = 60
            [environments.base]
            python = "{sys.executable}"
            variables = {{FAKE_JAX = "1.0"}}
            [environments.head]
            python = "{sys.executable}"
            variables = {{FAKE_JAX = "2.0"}}
            """)
    )
    read = [radar.read_config(place / name) for name in ("radar.json", "radar.toml")]
    assert read[0] == read[1] and read[0].programs[0].label == "programs.py:programs"
    (place / "bad.toml").write_text("programs = [\n=")
    with pytest.raises(ValueError, match="bad.toml: .*line"):
        radar.read_config(place / "bad.toml")


def test_an_environment_is_a_list_or_a_path():
    of = _config._environment
    assert of("base", ["jax==1"], "/x") == radar.Environment("base", ("jax==1",))
    assert of("head", "venv/bin/python", "/x").python == "/x/venv/bin/python"
    assert of("head", "python3.12", "/x").python == "python3.12"


# ---- Runs --------------------------------------------------------------------------------------------------------------------------


def test_a_program_that_becomes_slower(place):
    report = run(place, fail_on=["step > 5%", "memory > 900%"])
    grows, stays = report.rows
    assert (grows.program, grows.verdict, grows.failed) == ("grows", "worse", True)
    assert (stays.program, stays.verdict, stays.failed) == ("stays", "same", False)
    assert grows.base.step_seconds == hloroof.predict_step_time(PRODUCT.format(rows=4096), "tpu_v5e").step_seconds
    assert grows.head.step_seconds == hloroof.predict_step_time(PRODUCT.format(rows=8192), "tpu_v5e").step_seconds
    assert grows.base.compiler_bytes == 108 and [gate["failed"] for gate in grows.gates] == [True, False]
    step = next(cause for cause in grows.causes if cause.of == "step")
    assert step.name == "grow of simplify" and step.amount == pytest.approx(grows.head.step_seconds - grows.base.step_seconds)
    assert {cause.of for cause in grows.causes} == {"step", "memory"} and stays.causes == () and stays.passes is None
    assert report.failed and report.has_comparison and not report.problems
    assert hloroof.parse(pathlib.Path(grows.head.program)).name == "jit_product"


def test_what_is_compiled_is_not_compiled_again(place):
    first = run(place)
    count = log(place)
    second = run(place)
    assert log(place) == count + 2  # each environment lists the programs
    assert all(row.head.from_cache for row in second.rows) and not any(row.head.from_cache for row in first.rows)
    assert [(row.step_change, row.causes) for row in second.rows] == [(row.step_change, row.causes) for row in first.rows]
    programs = place / "code" / "programs.py"
    programs.write_text(programs.read_text().replace("8192", "4096"))
    third = run(place)
    assert not any(row.head.from_cache for row in third.rows) and third.rows[0].verdict == "same"
    jax = place / "code" / "jax.py"  # imported by the programs
    jax.write_text(jax.read_text() + "\n")
    assert not any(row.head.from_cache for row in run(place).rows)


def test_what_a_compiler_refuses_is_a_row_and_the_run_goes_on(place):
    report = run(place, "refuses", "crashes", "shrinks", fail_on=["step > 5%"])
    rows = {row.program: row for row in report.rows}
    assert "no layout for this program" in rows["refuses"].head.error and rows["refuses"].base.error is None
    assert rows["refuses"].failed and rows["refuses"].gates[0]["finding"] == "there is no prediction of head"
    crash = rows["crashes"].head.error
    assert "SIGABRT" in crash and "while compiling" in crash and "check failed: layout" in crash
    assert rows["shrinks"].verdict == "better" and not rows["shrinks"].failed
    assert [row.program for row in report.rows[:2]] == ["refuses", "crashes"] and report.failed
    again = run(place, "refuses", "crashes")
    assert {row.program: row.head.from_cache for row in again.rows} == {"refuses": True, "crashes": False}  # a crash may be no fault


def test_a_process_that_is_killed_says_what_it_had(place):
    report = run(place, "sleeps", timeout=2)
    assert report.rows[0].head.error.startswith("the process did not finish in 2 seconds while compiling for ")
    assert not report.has_comparison and not report.failed


def test_dumps_say_how_far_a_compile_was(tmp_path):
    (tmp_path / "passes").mkdir()
    (tmp_path / "stages.txt").write_text("90.0 importing the programs\n100.0 compiling\n")
    (tmp_path / "passes" / "module_0001.f.0003.simplify.after_algsimp.before_dce.txt").write_text("")
    assert _work._what_it_had(tmp_path, 107.2) == " while compiling for 7 s, after 1 dumps of passes, the last of algsimp"
    assert _work._what_it_had(tmp_path / "passes", 0) == ""


@POSIX
def test_a_worker_ends_with_its_parent(place):
    code = f"""
import sys; sys.path[:0] = {sys.path!r}
from hloroof.radar import _config, run
run(_config.config_of({config(place, "sleeps")!r}, {str(place)!r}), cache={str(place / "cache")!r}, processes=1, progress=False)
"""
    with subprocess.Popen([sys.executable, "-c", code]) as process:
        deadline = time.monotonic() + 60
        while not (stages := list((place / "cache").glob("compiled/*/stages.txt"))) or "compiling" not in stages[0].read_text():
            assert time.monotonic() < deadline and process.poll() is None
            time.sleep(0.1)
        workers = [path.name for path in pathlib.Path("/proc").glob("[0-9]*") if str(stages[0].parent).encode() in _command_of(path)]
        process.kill()
    assert workers
    while any(str(stages[0].parent).encode() in _command_of(pathlib.Path("/proc", pid)) for pid in workers):
        assert time.monotonic() < deadline
        time.sleep(0.1)


def _command_of(path):
    try:
        return (path / "cmdline").read_bytes()
    except OSError:
        return b""


FAILURES = [
    ("wrong", "program 1 is int, not (name, function, arguments, keywords)"),
    ("nothing", "there are no programs"),
    ("missing", "has no attribute 'missing'"),
]


@pytest.mark.parametrize("function, said", FAILURES)
def test_files_without_programs(place, function, said):
    report = run(place, function, "mapping")
    rows = {row.program: row for row in report.rows}
    assert said in rows[f"programs.py:{function}"].base.error and rows["named"].verdict == "same"


def test_programs_that_only_one_environment_can_make(place):
    report = run(place, "stops", fail_on=["step > 5%"])
    rows = {row.program: row for row in report.rows}
    assert rows["first"].verdict == "same" and not rows["first"].failed
    assert "no_such_function" in rows["second"].head.error and rows["second"].failed
    assert report.problems and "no_such_function" in report.problems[0]


def test_devices_without_a_compiler_are_rows(place):
    report = run(place, devices=["tpu_v9", "mi300x", "tpu_v5e"])
    rows = {row.device: row for row in report.rows if row.program == "programs.py:programs"}
    assert "tpu_v9" in rows["tpu_v9"].base.error and "there is no compiler for mi300x" in rows["mi300x"].head.error
    assert report.has_comparison


def test_conditions_are_checked_first(place):
    with pytest.raises(hloroof.Error, match="expected one of step"):
        run(place, fail_on=["steps > 5%"])
    assert not (place / "log.txt").exists()


# ---- Environments ------------------------------------------------------------------------------------------------------------------


def test_interpreters_that_are_not_there(tmp_path):
    found = _environment.install(radar.Environment("base", python="/no/such/python"), tmp_path, print)
    assert found.error == "/no/such/python: there is no such interpreter"


def test_environments_are_made_once(tmp_path, monkeypatch):
    made = []

    def make(place, maker, environment):
        made.append(environment.requirements)
        (place / "bin").mkdir(parents=True)
        os.symlink(sys.executable, place / "bin" / "python")

    monkeypatch.setattr(_environment, "_install", make)
    monkeypatch.setattr(_environment, "_python_in", lambda place: place / "bin" / "python")
    notes = []
    one = radar.Environment("base", ("jax==1.0",))
    first = _environment.install(one, tmp_path, notes.append)
    assert first.error is None and first.version == ".".join(map(str, sys.version_info[:3])) and len(notes) == 1
    assert _environment.install(one, tmp_path, notes.append).python == first.python
    assert _environment.install(radar.Environment("head", ("jax==2.0",)), tmp_path, notes.append).python != first.python
    assert made == [("jax==1.0",), ("jax==2.0",)]
    _environment.install(one, tmp_path, notes.append, again=True)
    assert len(made) == 3


def test_what_cannot_be_installed_has_the_words_of_pip(tmp_path, place, monkeypatch):
    """Offline: there is no index."""
    monkeypatch.setattr(_environment.shutil, "which", lambda name: None if name == "uv" else name)
    requirements = ["--no-index", "no-such-package-of-the-radar==1.0"]
    given = _config.config_of(config(place), place)
    broken = _config.Config(given.programs, given.devices, radar.Environment("base", tuple(requirements)), given.head)
    report = radar.run(broken, cache=place / "cache", processes=1, progress=False)
    assert "no-such-package-of-the-radar" in report.base.error and "ERROR" in report.base.error
    assert {row.program: row.base.error == report.base.error for row in report.rows} == {"grows": True, "stays": True}
    assert all(row.head.error is None for row in report.rows) and not report.has_comparison
    assert str(report).count("no-such-package") < 6 and "base: is not installed" in str(report)
    assert not list((place / "cache" / "environments").glob("*/bin"))  # half an environment is none


def test_the_words_of_pip_have_the_newest_versions():
    log = "WARNING: x\n\nERROR: no version of jax==9 (from versions: 0.1, 0.2, 0.3, 0.4, 0.5, 0.6)\nERROR: none (from versions: none)\n"
    assert _environment._words_of_pip(log).splitlines() == [
        "ERROR: no version of jax==9 (from versions: ..., 0.3, 0.4, 0.5, 0.6)", "ERROR: none (from versions: none)"
    ]  # fmt: skip
    assert _environment._words_of_pip("one\n\ntwo\n") == "one\ntwo"


def test_the_label_has_what_matters():
    packages = {"jax": "0.12.0", "jaxlib": "0.12.0", "libtpu": "0.0.52", "numpy": "2.0"}
    assert radar.Installed(radar.Environment("base"), "p", "3.12", packages).label == "jax 0.12.0, libtpu 0.0.52"
    flags = radar.Environment("base", variables={"LIBTPU_INIT_ARGS": "--x"})
    assert radar.Installed(flags, "p", "3.12", {**packages, "jaxlib": "0.11"}).label == (
        "jax 0.12.0, jaxlib 0.11, libtpu 0.0.52, LIBTPU_INIT_ARGS=--x"
    )


# ---- Comparisons -------------------------------------------------------------------------------------------------------------------

SERIES = [
    ([], {}),
    ([None, None], {}),
    ([0, 0, 5], {0: 0, 1: 0, 2: 5}),
    ([3, 1, 5, 4], {0: 1, 1: 0, 2: 3, 3: 0}),
    ([9, None, 0, -2, -1], {0: 0, 2: 0, 3: -1, 4: 0}),
    ([5, 0], {0: 0, 1: 0}),
]


@pytest.mark.parametrize("series, parts", SERIES)
def test_lasting_parts(series, parts):
    assert _passes.lasting(series) == parts


def side(**more):
    known = dict(step_seconds=1e-3, exposed_seconds=0.0, hbm_peak_bytes=2.0**30, vmem_peak_bytes=2.0**20, fits=True, unknown=0.0, assumed=0.0)
    return radar.Side(**{**known, **more})


def gather(count, size):
    return {"all-gather": {"count": count, "bytes": size}}


VERDICTS = [
    ({}, "same", []),
    ({"step_seconds": 1.009e-3}, "same", []),
    ({"step_seconds": 1.1e-3}, "worse", ["slower: 1.00 ms -> 1.10 ms, +10.0 %"]),
    ({"step_seconds": 0.9e-3}, "better", ["faster: 1.00 ms -> 900 us, -10.0 %"]),
    ({"step_seconds": 0.9e-3, "hbm_peak_bytes": 2.0**31}, "mixed", ["faster", "more memory: 1.00 GiB -> 2.00 GiB, +100.0 %"]),
    ({"hbm_peak_bytes": 2.0**31, "compiler_bytes": 300}, "worse", ["more memory: 1.00 GiB -> 2.00 GiB, +100.0 %; the compiler says +50.0 %"]),
    ({"hbm_peak_bytes": 2.0**31, "compiler_bytes": 200}, "same", ["more memory: 1.00 GiB -> 2.00 GiB, +100.0 %; the compiler says ="]),
    ({"collectives": gather(2, 2**20)}, "worse", ["collectives: +2 all-gather (+1.00 MiB)"]),
    ({"fits": False}, "worse", ["does not fit in memory any longer"]),
    ({"vmem_peak_bytes": 2.0**21}, "same", ["more VMEM"]),
    ({"unknown": 0.8}, "same", ["compare with care: 0 % of the step of base is unknown, and 80.0 % of that of head"]),
    ({"error": "no", "step_seconds": None}, "not compared", ["head: no"]),
]


@pytest.mark.parametrize("head, verdict, findings", VERDICTS, ids=[str(row[0]) for row in VERDICTS])
def test_verdicts(head, verdict, findings):
    row = radar.Row("p", "d", side(compiler_bytes=200), side(**head))
    assert row.verdict == verdict
    found = [text for _, text in row.findings()]
    assert len(found) == len(findings) and all(text.startswith(start) for text, start in zip(found, findings)), found


CAUSES = [("step", 1e-4, True), ("step", 1e-5, False), ("step", -1e-4, False), ("memory", 3.0, False), ("collectives", 2, True)]


@pytest.mark.parametrize("of, total, explains", CAUSES)
def test_a_cause_explains_most_of_the_difference_of_the_texts(of, total, explains):
    row = radar.Row("p", "d", side(), side(step_seconds=1.1e-3, hbm_peak_bytes=2.0**30 + 8))
    assert _compare._explains(radar.Cause(of, "pass", total, total), row) == explains


def test_collectives_count_with_the_repeats_of_loops(ffn):
    step = hloroof.predict_step_time(ffn, "tpu_v5e")
    found = _compare._collectives(step)
    assert sum(each["count"] for each in found.values()) >= len(step.collectives)
    assert set(found) == {collective.kind for collective in step.collectives}


# ---- Reports -----------------------------------------------------------------------------------------------------------------------


@pytest.fixture
def report():
    installed = [
        radar.Installed(radar.Environment(name), "p", "3.12.1", {"jax": version, "libtpu": "0.0.52"})
        for name, version in (("base", "0.10.2"), ("head", "0.12.0"))
    ]
    long = "a program | with <a> name that no column of the table has room for"
    cause = radar.Cause("step", "sparse-core-offload of a pipeline with a long name", 1e-4, 1.2e-4, "head")
    ops = ({"state": "new", "before": None, "after": "gather.1", "category": "gather", "before_seconds": 0, "after_seconds": 1e-4,
            "change_seconds": 1e-4},)  # fmt: skip
    gate = {"condition": "step>+5%", "failed": True, "finding": "step 1 ms -> 1.12 ms"}
    rows = [
        radar.Row("same", "tpu_v7x", side(), side()),
        radar.Row("broken", "tpu_v7x", side(), radar.Side("the compiler said <no>\nand why")),
        radar.Row(long, "tpu_v7x:16x16x16*2", side(), side(step_seconds=1.12e-3, collectives=gather(1, 8)), (cause,), "They differ.", ops, (gate,)),
    ]
    return radar.Report(*installed, rows, ["a problem with <angles>"])


def test_text_fits_80_columns_and_says_what_is_predicted(report):
    text = str(report)
    assert max(map(len, text.splitlines())) <= 80, text
    words = " ".join(text.split())
    assert _report.NOTE in words and "base: jax 0.10.2, libtpu 0.0.52" in words
    assert "begins with step: +100 us of +120 us at sparse-core-offload of a pipeline with a long name, which only head has" in words
    assert "head: the compiler said <no> and why" in words and "+100 us gather.1 (new)" in words and "a problem with <angles>" in words
    assert [row.verdict for row in report.rows] == ["worse", "not compared", "same"]  # what fails comes first


def test_json_has_everything(report):
    data = json.loads(json.dumps(report.to_dict()))
    assert data["schema"] == "hloroof.radar/1" and data["failed"] and data["note"] == _report.NOTE
    row = data["rows"][0]
    assert row["step_change"] == pytest.approx(0.12) and row["collectives_change"] == {"all-gather": {"count": 1, "bytes": 8}}
    assert row["causes"][0]["name"].startswith("sparse-core-offload") and row["base"]["hbm_peak_bytes"] == 2**30
    assert data["rows"][1]["head"]["error"] == "the compiler said <no>\nand why"
    assert len(report.records()) == 3 and report.records()[1]["head_step_seconds"] is None


def test_markdown_and_page_escape_what_comes_from_outside(report):
    text = report.markdown()
    assert "\\| with &lt;a> name" in text and _report.NOTE in text and "| FAILED |" in text
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert len({line.replace("\\|", "").count("|") for line in lines}) == 1
    page = report.html()
    assert "<a> name" not in page and "<no>" not in page and "<angles>" not in page and "&lt;no&gt;" in page
    assert _report.NOTE in page and page.count("<table") == page.count("</table>") and "predicted step" in page


# ---- The command -------------------------------------------------------------------------------------------------------------------


def test_the_command(place, capsys):
    path = place / "radar.json"
    path.write_text(json.dumps(config(place)))
    always = [str(path), "--cache", str(place / "cache"), "-j", "1"]
    assert main([*always, "--html", str(place / "page.html")]) == 0
    out, err = capsys.readouterr()
    assert "slower" in out and "more memory" in out and "radar: 4/4  stays on tpu_v5e in head: compiled" in err
    assert (place / "page.html").read_text().startswith("<!doctype html>")
    assert main([*always, "-q", "--fail-on", "step > 5%", "--format", "json"]) == 3
    out, err = capsys.readouterr()
    assert json.loads(out)["rows"][0]["gates"][0]["failed"] and err == ""
    assert main([*always, "-q", "--fail-on", "nothing"]) == 1 and "expected one of step" in capsys.readouterr().err
    assert main([*always, "-q", "--format", "markdown", "-o", str(place / "out.md")]) == 0
    assert (place / "out.md").read_text().startswith("## Radar: 2 programs, 1 worse")
    assert main([str(place / "none.toml")]) == 1 and "there is no such file" in capsys.readouterr().err
    assert main(["--no-such-option"]) == 1


def test_the_installed_command_has_it(place):
    path = place / "radar.json"
    path.write_text(json.dumps(config(place, "shrinks")))
    command = [sys.executable, "-m", "hloroof", "radar", str(path), "--cache", str(place / "cache"), "-q"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and "shrinks" in done.stdout, done.stderr


def test_the_help_has_every_option():
    """The C++ command describes them, and argparse reads them."""
    command = [sys.executable, "-m", "hloroof", "radar", "--help"]
    described = subprocess.run(command, capture_output=True, text=True, timeout=120).stdout
    read = subprocess.run([sys.executable, "-m", "hloroof.radar", "--help"], capture_output=True, text=True, timeout=120).stdout
    options = [set(re.findall(r"^  \S*(--[a-z-]+)", described, re.MULTILINE)), set(re.findall(r"--[a-z-]+", read))]
    for found in options:
        found.discard("--fail-if")  # the name of other commands, which is read as well
    assert options[0] == options[1] and "--cache" in options[0]


def test_the_action_is_valid(root):
    yaml = pytest.importorskip("yaml")
    action = yaml.safe_load((root / "examples/ci/radar/action.yml").read_text())
    assert action["runs"]["using"] == "composite"
    assert all(step.get("uses") or (step["run"] and step["shell"] == "bash") for step in action["runs"]["steps"])


@pytest.mark.skipif(sys.version_info < (3, 11), reason="needs tomllib")
def test_the_config_of_the_example(root):
    found = radar.read_config(root / "examples/ci/radar/radar.toml")
    assert found.devices == ("tpu_v7x",) and found.base.requirements == ("jax[tpu]==0.10.2",)


# ---- With JAX and a compiler -------------------------------------------------------------------------------------------------------

can_compile = pytest.mark.skipif(
    importlib.util.find_spec("jax") is None or importlib.util.find_spec("libtpu") is None, reason="needs jax and libtpu"
)

REAL = '''
import jax, jax.numpy as jnp, numpy
from jax.experimental import topologies
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

def array(*shape):
    return jax.ShapeDtypeStruct(shape, jnp.bfloat16)

def layer(x, w):
    return jax.nn.silu(x @ w)

def programs(device):
    yield "one", layer, (array(512, 1024), array(1024, 1024))
    yield "sharded", layer, (array(512, 1024), array(1024, 1024)), {
        "mesh": {"data": 4}, "in_shardings": (P("data"), P("data")), "out_shardings": P("data")}
    yield "jitted", jax.jit(layer, donate_argnums=0), (array(512, 1024), array(1024, 1024))
    yield "copies", layer, (array(512, 1024), array(1024, 1024)), {"mesh": {"data": 3}}
    yield "jitted copies", jax.jit(layer), (array(512, 1024), array(1024, 1024)), {"mesh": {"data": 4}}
    mesh = Mesh(numpy.array(topologies.get_topology_desc(platform="tpu", topology_name="v5e:2x4").devices[:4]), ("data",))
    own = jax.jit(layer, in_shardings=(NamedSharding(mesh, P("data")), NamedSharding(mesh, P("data"))))
    yield "jitted sharded", own, (array(512, 1024), array(1024, 1024)), {"mesh": {"data": 4}}
    yield "too many", layer, (array(512, 1024), array(1024, 1024)), {"mesh": {"data": 64}, "in_shardings": (P("data"), P())}
    yield "misspelt", layer, (array(512, 1024), array(1024, 1024)), {"meshes": {}}
'''


@can_compile
def test_jax_with_other_flags(tmp_path):
    (tmp_path / "programs.py").write_text(REAL)
    flags = {"xla_tpu_scoped_vmem_limit_kib": "8192"}
    data = {
        "programs": ["programs.py:programs"],
        "devices": ["tpu_v5e:2x4"],
        "environments": {"base": sys.executable, "head": {"python": sys.executable, "options": flags}},
    }
    report = radar.run(_config.config_of(data, tmp_path), cache=tmp_path / "cache", processes=1, progress=False)
    rows = {row.program: row for row in report.rows}
    for name in ("one", "sharded", "jitted", "copies", "jitted copies", "jitted sharded"):
        assert rows[name].is_compared, rows[name].findings()
    assert rows["sharded"].base.collectives and rows["jitted sharded"].base.collectives and not rows["one"].base.collectives
    assert "the program is for 64 devices, and tpu_v5e:2x4 has 8" in rows["too many"].head.error
    assert "the program has 'meshes'; expected one of mesh" in rows["misspelt"].base.error
    compiled = hloroof.predict_step_time(pathlib.Path(rows["one"].base.program), "tpu_v5e")
    assert compiled.step_seconds == rows["one"].base.step_seconds
