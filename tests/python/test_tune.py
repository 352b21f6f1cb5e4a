"""hloroof.tune: spaces, workers that die, runs that go on, tables, plot and page."""

import csv
import functools
import importlib.util
import io
import json
import math
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import threading
import time

import pytest

import hloroof
from hloroof import _ahead, _process, tune
from hloroof.tune import _early, _pool, _progress, _run, _space, _stages, _worker
from hloroof.tune.__main__ import main

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import tune_spaces  # noqa: E402

can_compile = pytest.mark.skipif(
    importlib.util.find_spec("jax") is None or importlib.util.find_spec("libtpu") is None, reason="needs jax and libtpu"
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TUNE_TEST_FOLDER", str(tmp_path))
    return tmp_path


def built(folder):
    file = folder / "built.txt"
    return file.read_text().splitlines() if file.exists() else []


MESHES = [
    ((4, "data", "model"), [{"data": 4, "model": 1}, {"data": 2, "model": 2}, {"data": 1, "model": 4}]),
    ((6, "a"), [{"a": 6}]),
    ((1, "a", "b"), [{"a": 1, "b": 1}]),
    ((4, "a", "b", "c"), [(4, 1, 1), (2, 2, 1), (2, 1, 2), (1, 4, 1), (1, 2, 2), (1, 1, 4)]),
]


@pytest.mark.parametrize("arguments, expected", MESHES, ids=[str(row[0]) for row in MESHES])
def test_meshes(arguments, expected):
    expected = [dict(zip(arguments[1:], sizes)) if isinstance(sizes, tuple) else sizes for sizes in expected]
    assert tune.meshes(*arguments) == expected
    assert tune.meshes(*arguments, most={arguments[-1]: 1}) == [mesh for mesh in expected if mesh[arguments[-1]] == 1]


def test_candidates():
    space = tune.Space("tpu_v5e", print, {"batch": [8, 2, 4], "remat": ["a", "b"]}, grows=["batch"],
                       where=lambda batch, remat: batch != 4)  # fmt: skip
    assert [tuple(c.values()) for c in space.candidates()] == [(2, "a"), (2, "b"), (8, "a"), (8, "b")]


MALFORMED = [
    (lambda: tune.Space("v5e", print, {"a": [1]}, grows=["b"]).candidates(), "grows has 'b', which is not an axis; expected one of a"),
    (lambda: tune.Space("v5e", print, {"a": "text"}).candidates(), "expected a list of values"),
    (lambda: tune.Space("v5e", print, {"a": [print]}).candidates(), "values of an axis are numbers, strings, lists and dicts"),
    (lambda: tune.meshes(0, "a"), "expected at least one device"),
    (lambda: tune.run("no_colon"), 'expected "module:space"'),
    (lambda: tune.run("no_such_module:space"), "there is no module no_such_module"),
    (lambda: tune.run("no/such.py:space"), "there is no file"),
    (lambda: tune.run(f"{HERE}/tune_spaces.py:not_a_space"), "or a function that returns one, not int"),
    (lambda: tune.run(tune.Space("mi300x:4", print, {"a": [1]})), "mi300x"),
    (lambda: tune.run(tune.Space("tpu_v5e:fast", print, {"a": [1]})), 'the topology "fast" of tpu_v5e: expected chips along each axis'),
    (lambda: tune.run(tune.Space("tpu_v5e", print, {"a": [1]}), processes=0), "processes=0: expected at least 1"),
    (lambda: tune.Space("v5e", print, {"a": [1]}, xla_flags={"a": [1]}).candidates(), "a is in axes and in xla_flags"),
    (lambda: tune.Space("v5e", print, {"a": [1]}, xla_flags={"b": 1}).candidates(), "xla_flags\\['b'\\]=1: expected a list of values"),
    (lambda: tune.Space("v5e", print, {"a": [1]}, xla_flags={"--b": [1]}).candidates(), "expected the name without dashes"),
    (lambda: tune.run(tune.Space("tpu_v5e", print, {"a": [1]}), early="soon"), "early='soon': expected True, False, 'auto' or one of"),
    (lambda: tune.run(tune.Space("tpu_v5e", print, {"a": [1]}), finish=0), "finish=0: expected a share above 0, at most 1"),
]


@pytest.mark.parametrize("call, message", MALFORMED, ids=[row[1] for row in MALFORMED])
def test_malformed_spaces(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_flags_are_axes_that_build_does_not_see():
    seen = []

    def where(batch):
        seen.append(batch)
        return batch > 1

    space = tune.Space("tpu_v5e", print, {"batch": [1, 2]}, where=where, xla_flags={"xla_a": [None, 3], "xla_b": ["x"]})
    assert space.candidates() == [{"batch": 2, "xla_a": value, "xla_b": "x"} for value in (None, 3)]
    assert seen == [1, 2]

    def build(batch):
        return tune.Program(print, (), options={"xla_c": 1, "xla_a": 2})

    options = [_worker.Evaluator(build, "tpu_v5e", tuple(space.xla_flags))._program(c).options for c in space.candidates()]
    assert options == [{"xla_c": 1, "xla_a": 2, "xla_b": "x"}, {"xla_c": 1, "xla_a": 3, "xla_b": "x"}]


def outcome(name, seconds, peak, status="ok", **more):
    values = dict(step_seconds=seconds, examples=2, peak_bytes=peak * 2**30, capacity_bytes=16 * 2**30, mfu=0.5)
    values.update(breakdown={"mxu": 0.4 * seconds, "wait (ici)": 0.6 * seconds}, recompute_seconds=0.0)
    if status != "ok":
        values = {"reason": "because"}
    return tune.Outcome({"name": name, "mesh": {"data": 2}}, status, **{**values, **more})


@pytest.fixture
def results():
    rows = [outcome("c", 4e-3, 9), outcome("x", 0, 0, "failed"), outcome("b", 3e-3, 2), outcome("a", 2e-3, 8), outcome("d", 9e-3, 1),
            outcome("y", 0, 0, "does not fit")]  # fmt: skip
    return tune.Results("tpu_v5e:2x2", rows)


def test_results(results):
    assert [o.candidate["name"] for o in results.outcomes] == ["a", "b", "c", "d", "y", "x"]
    assert results.best.candidate["name"] == "a" and results.best.seconds_per_example == 1e-3
    assert [o.candidate["name"] for o in results.pareto()] == ["a", "b", "d"]
    assert results.why(results.best) == "wait (ici) 60.0 %, mxu 40.0 %"
    assert results.why(results.ranked[1]) == "+300 us wait (ici), +200 us mxu"
    recomputing = outcome("r", 3e-3, 1, recompute_seconds=4e-4)
    assert results.why(recomputing) == "+300 us wait (ici), +200 us mxu; recomputes 200 us more"
    assert results.why(results.outcomes[-1]) == "because"
    lines = str(results).splitlines()
    assert lines[0] == "6 candidates on tpu_v5e:2x2, 1 do not fit, 1 failed; times are predicted; * is on the Pareto front"
    assert lines[2].split()[:6] == ["1*", "a", "data=2", "1.00", "ms", "1.00"]
    assert lines[-1].split() == ["-", "x", "data=2", "-", "because"]
    assert pickle.loads(pickle.dumps(results)) == results
    assert "<td>data=2</td>" in results._repr_html_()
    row = results.records()[0]
    assert (row["rank"], row["mesh"], row["is_pareto"], row["status"]) == (1, "data=2", True, "ok")
    with pytest.raises(ValueError, match="no candidate can run: because"):
        tune.Results("tpu_v5e", [outcome("x", 0, 0, "failed")]).best
    with pytest.raises(ValueError, match="no candidate can run"):
        tune.Results("tpu_v5e", []).best


# Early and final seconds, and Kendall's tau-b of them.
TAUS = [
    ([], None),
    ([(1, 1)], None),
    ([(1, 1), (2, 2), (3, 3)], 1),
    ([(1, 3), (2, 2), (3, 1)], -1),
    ([(1, 1), (2, 3), (3, 2), (4, 4)], 4 / 6),
    ([(1, 1), (1 + 1e-9, 2), (3, 3)], 2 / math.sqrt(6)),  # a tie of one
    ([(1, 1), (1, 1 + 1e-9), (3, 3)], 1),  # a tie of both
    ([(1, 1), (1, 2)], None),
]


@pytest.mark.parametrize("pairs, expected", TAUS, ids=[str(row[0]) for row in TAUS])
def test_kendall(pairs, expected):
    assert _stages.kendall(pairs) == (expected if expected is None else pytest.approx(expected))


WANTED = [(0.25, 3, 3), (0.25, 4, 4), (0.25, 12, 4), (0.25, 17, 5), (0.25, 100, 25), (1, 12, 12), (0.001, 12, 4)]


def test_how_many_are_compiled_to_the_end():
    assert [_stages.wanted(share, count) for share, count, _ in WANTED] == [expected for _, _, expected in WANTED]
    assert _stages.cut([1, 2, 3, 4, 4 + 1e-9, 5], 0.25) == 5 and _stages.cut([1] * 9, 0.25) == 9 and _stages.cut([], 0.25) == 0
    stages = [_stages.stage_of(early, 0.25, 12) for early in ("auto", True, False, "scheduler")]
    assert stages == ["optimized", "optimized", "end", "scheduler"]
    assert _stages.stage_of("auto", 0.25, 4) == _stages.stage_of("auto", 1, 100) == "end"  # nothing would be left out


def early(name, seconds, hlo=None, stage="scheduler", **more):
    return _stages.noted_early(outcome(name, seconds, 1, stage=stage, hlo=hlo or name, early_hlo=hlo or name, compile_seconds=2.0, **more))


def at_end(one, seconds, **more):
    return _stages.finished(one, outcome(one.candidate["name"], seconds, 1, stage="end", compile_seconds=60.0, **more))


def test_the_best_are_compiled_to_the_end():
    rows = {name: early(name, seconds, hlo) for seconds, (name, hlo) in enumerate(zip("abcdefgh", "AABCDEFG"), 1)}
    rows["x"] = outcome("x", 0, 0, "failed")

    def names():
        return [o.candidate["name"] for o in _stages.to_finish(list(rows.values()), 0.25)]

    assert names() == ["a", "c", "d", "e"]  # b is the same program as a
    for name, seconds in (("a", 8), ("c", 2), ("d", 3)):
        rows[name] = at_end(rows[name], seconds)
    rows["e"] = _stages.finished(rows["e"], outcome("e", 0, 0, "failed"))
    assert rows["e"].status == "failed" and rows["e"].early_step_seconds == 5
    assert rows["e"].reason == "because\nThe scheduler program was predicted at 5.00 s a step"
    assert names() == ["f"]  # instead of e
    rows["f"] = at_end(rows["f"], 4)
    assert names() == []
    (twin,) = _stages.equal_to_finished(list(rows.values()))
    assert twin.candidate["name"] == "b" and twin.same_as == rows["a"].candidate and twin.step_seconds == 8
    rows["b"] = twin
    other = outcome("z", 1, 1, stage="end", hlo="Z")
    assert _stages.recognized(other, [outcome("a", 1, 1, stage="end", hlo="Y"), early("y", 1, "Z"), other]) == other
    assert _stages.recognized(other, [outcome("y", 1, 1, stage="end", hlo="Z")]).same_as["name"] == "y"
    assert _stages.tau(rows.values()) == (pytest.approx(0), 4)  # 1, 3, 4, 6 and 8, 2, 3, 4; the same program counts once

    results = tune.Results("tpu_v5e:2x2", list(rows.values()))
    assert [o.candidate["name"] for o in results.outcomes] == ["c", "d", "f", "a", "b", "g", "h", "e", "x"]
    assert results.early_tau == pytest.approx(0)
    lines = str(results).splitlines()
    assert lines[1] == (
        "5 of 7 are compiled to the end, the others by the scheduler program; "
        "Kendall's tau of early and final step times of 4 programs: 0.00"
    )
    assert lines[3].split()[:12] == ["1*", "c", "data=2", "1.00", "s", "1.00", "2.00", "s", "1.00", "GiB", "50.0", "%"]
    assert lines[3].split()[12:15] == ["3.00", "s", "final"]
    assert lines[8].split()[12:15] == ["7.00", "s", "early"]
    assert "same program as name: a, mesh: data=2" in lines[7]
    assert lines[1] in results.html().replace("&#x27;", "'")
    rows = results.records()
    assert (rows[0]["early_seconds_per_example"], rows[0]["stage"], rows[5]["stage"]) == (1.5, "end", "scheduler")
    assert rows[4]["same_as"] == "name: a, mesh: data=2" and tune.Outcome.from_dict(twin.to_dict()) == twin


def test_optimized_programs_rank_among_finished_ones():
    rows = [early("a", 1, stage="optimized"), at_end(early("b", 2, stage="optimized"), 2), early("c", 3, stage="end")]
    assert [o.candidate["name"] for o in tune.Results("tpu_v5e", rows).outcomes] == ["a", "b", "c"]
    assert rows[2].early_stage is None and not rows[2].is_early  # the compile was over before it could be ended


def test_progress_says_what_is_left():
    stream = io.StringIO()
    bar = _progress.Progress(stream)
    bar.start("optimized", 7, 2)
    bar.add(early("a", 1, stage="optimized"), 60.0)
    bar.add(early("b", 2, stage="optimized"), 30.0)
    bar.start("end", 2, 4)
    bar.add(at_end(early("a", 1), 1e-3), 100.0)
    bar.add(_stages.as_equal(early("b", 2), at_end(early("a", 1), 1e-3)))
    bar.add(at_end(early("c", 1), 2e-3, attempts=2), 100.0)
    bar.close(7)
    assert stream.getvalue().splitlines() == [
        "tune: 1/7 optimized  500 ms  name: a, mesh: data=2  (3:00 left, without the compiles to the end)",
        "tune: 2/7 optimized  1.00 s  name: b, mesh: data=2  (1:52 left, without the compiles to the end)",
        "tune: 1/2 to the end  500 us  name: a, mesh: data=2  (1:40 left)",
        "tune: name: b, mesh: data=2 is the same program as name: a, mesh: data=2",
        "tune: 2/2 to the end  1.00 ms  name: c, mesh: data=2, attempt 2",
        "tune: 7 candidates, 0 do not fit, 0 failed; best 500 us an example",
    ]


EQUAL = """HloModule {name}, is_scheduled=true
{head}
ENTRY %main.{n} (x.{n}: f32[8]) -> f32[8] {{
  %x.{n} = f32[8]{{0}} parameter(0), metadata={{op_name="x {{}} \\"y"}}
  ROOT %add.{n} = f32[8]{{0}} {opcode}(%x.{n}, %x.{n}){meta}
}}
"""


def test_equal_programs():
    first = _early.fingerprint_of(EQUAL.format(name="a", head="", n=1, opcode="add", meta=""))
    head = 'FileNames\n1 "a.py"\n\nStackFrames\n1 {file_location_id=1}\n\n'
    second = EQUAL.format(name="b", head=head, n=7, opcode="add", meta=', metadata={op_name="z" stack_frame_id=3}')
    assert _early.fingerprint_of(second) == first
    assert _early.fingerprint_of(EQUAL.format(name="a", head="", n=1, opcode="multiply", meta="")) != first


@pytest.mark.parametrize("is_followed", [True, False])
def test_a_dump_is_read_when_it_is_complete(tmp_path, is_followed):
    dump = _early._Dump(tmp_path, "step", "*.after_optimizations.txt", "*.later.txt")
    is_over = threading.Event()
    found = []
    waiting = threading.Thread(target=lambda: found.append(dump.wait(0, is_over)))
    waiting.start()
    text = EQUAL.format(name="jit_step", head="", n=1, opcode="add", meta="")
    (tmp_path / "module_0001.jit_other.after_optimizations.txt").write_text(text.replace("add", "multiply"))
    path = tmp_path / "module_0002.jit_step.after_optimizations.txt"
    path.write_text(text[: text.index("ROOT")])
    time.sleep(0.1)
    assert dump.complete() is None and waiting.is_alive()
    path.write_text(text)
    if is_followed:
        (tmp_path / "module_0002.jit_step.later.txt").write_text("")
    waiting.join(10)
    assert found == [True] and dump.complete() == text
    is_over.set()
    assert not dump.wait(0, is_over)


ENDS = [
    (["it imported the space"], -9, False, "the worker ended with signal SIGKILL while it imported the space: F1 out of cheese", None),
    (["it compiled"], 1, False, "the worker ended with status 1 while it compiled: F1 out of cheese", None),
    (["it compiled", "scheduled"], 1, False, "while it made code of the program, which was scheduled: F1 out of cheese", 3.0),
    (["it compiled", "scheduled"], -9, True, "took longer than 5 s while it made code of the program, which was scheduled", 3.0),
    ([], 1, True, "took longer than 5 s while it started", None),
]


@pytest.mark.parametrize("notes, status, is_late, reason, examples", ENDS, ids=[row[3] for row in ENDS])
def test_what_a_worker_had_when_it_ended(monkeypatch, notes, status, is_late, reason, examples):
    class Ending:
        def __init__(self, module, environment):
            self.kill = self.close = lambda: None

        def ask(self, request, timeout):
            text = EQUAL.format(name="jit_step", head="", n=1, opcode="add", meta="").encode()
            said = [_worker.Scheduled(text, "tpu_v5e", 3.0, {}) if note == "scheduled" else note for note in notes]
            raise _process.Ended(status, "F1 out of cheese", is_late, said)

    monkeypatch.setattr(_pool, "Process", Ending)
    job = _pool.Job(f"a run that ends: {reason}", ("module", "a", "b"), "tpu_v5e", {"a": 1}, 0, 5)
    found, program = _pool.evaluate(job)
    _pool.close(job.run)
    assert found.status == "failed" and reason in found.reason and program is None and found.is_final == is_late
    assert found.examples == examples and (found.early_step_seconds is not None) == (examples is not None)
    assert found.early_stage == (None if examples is None else "scheduler")


def test_to_pandas(results):
    pytest.importorskip("pandas")
    frame = results.to_pandas()
    assert list(frame["name"]) == ["a", "b", "c", "d", "y", "x"]
    assert frame["seconds_per_example"][0] == 1e-3


def test_plot_and_page(results, tmp_path):
    bare = results.html()
    assert bare.count("<tr>") >= 7 and "because" in bare and "The fastest is name: a, mesh: data=2" in bare
    pytest.importorskip("matplotlib")
    figure = results.plot(tmp_path / "pareto.png")
    assert (tmp_path / "pareto.png").read_bytes().startswith(b"\x89PNG")
    (axes,) = figure.axes
    assert [list(line.get_xdata()) for line in axes.lines][0] == [8, 2, 1]  # the front
    assert "4 candidates on tpu_v5e:2x2; 2 cannot run" in axes.get_title()
    assert len(axes.collections) == 4
    assert "<svg" in results.html(tmp_path / "tune.html") and (tmp_path / "tune.html").exists()
    with pytest.raises(ValueError, match="color='speed': expected one of name, mesh"):
        results.plot(color="speed")
    tune.Results("tpu_v5e", [outcome("a", 1e-3, 1)]).plot()
    tune.Results("tpu_v5e", []).html()


@can_compile
def test_ranking(tmp_path):
    seen = []
    results = tune.run(tune_spaces.ranked(), folder=tmp_path / "run", progress=False, on_result=seen.append)
    assert len(results.ranked) == 6 and len(seen) == 6, str(results)
    times = [o.seconds_per_example for o in results.ranked]
    assert times == sorted(times) and times[0] > 0
    best = results.best
    assert best.candidate["batch"] == 1024  # the latency of the ops is shared by more rows
    assert sum(best.breakdown.values()) == pytest.approx(best.step_seconds)
    assert best.capacity_bytes == 16 * 2**30 and best.unknown == 0
    step = hloroof.predict_step_time(tmp_path / "run" / best.program, "tpu_v5e:2x2")
    assert step.step_seconds == best.step_seconds  # the same program, kept
    assert tune.load(tmp_path / "run") == results


@pytest.mark.skipif(
    importlib.util.find_spec("jax") is None or not _ahead.has_compiler("cuda"), reason="needs jax and its CUDA plugin"
)
def test_ranking_on_gpus(tmp_path):
    results = tune.run(tune_spaces.ranked_gpus(), folder=tmp_path / "run", progress=False)
    assert len(results.ranked) == 6, str(results)
    best = results.best
    assert best.candidate == {"mesh": {"data": 4, "model": 1}, "batch": 16384}  # the product with the gathered weight is enough
    assert best.capacity_bytes == 80 * 2**30 and best.unknown == 0
    step = hloroof.predict_step_time(tmp_path / "run" / best.program, "h100_sxm:4")
    assert step.step_seconds == best.step_seconds and step.module.num_partitions == 4
    # XLA refuses no program that is too large for a GPU: the prediction does.
    results = tune.run(tune_spaces.too_large_gpus(), progress=False)
    assert [o.candidate["batch"] for o in results.ranked] == [16384], str(results)
    assert "the peak is 72.0 GiB of 60.0 GiB usable" in str(results)


@can_compile
@pytest.mark.parametrize("stage", ["scheduler", "optimized"])
def test_early_ranking(tmp_path, capfd, stage):
    results = tune.run(tune_spaces.ranked(), folder=tmp_path / "run", early=stage)
    assert len(results.ranked) == 6 and results.best.stage == "end", str(results)
    assert results.best.candidate["batch"] == 1024
    said = capfd.readouterr().err
    if stage == "scheduler":  # such a small program is compiled to the end before another process is there
        assert sum(o.is_early for o in results.outcomes) == 2 and results.early_tau is not None
        assert all(o.early_stage == "scheduler" and o.early_step_seconds > 0 for o in results.outcomes)
        assert "1/6 scheduler" in said and "4/4 to the end" in said
    # What is known of the end and of this stage is not compiled again.
    again = tune.run(tune_spaces.ranked(), folder=tmp_path / "run", early=stage)
    assert again == results and "/" not in capfd.readouterr().err
    full = tune.run(tune_spaces.ranked(), folder=tmp_path / "run", early=False, progress=False)
    assert not any(o.is_early for o in full.outcomes)
    assert all(o.step_seconds == pytest.approx(f.step_seconds) for o, f in zip(results.ranked[:4], full.ranked))


@can_compile
def test_the_optimized_program_is_the_final_one():
    space = tune_spaces.ranked()
    evaluator = _worker.Evaluator(space.build, space.device)
    evaluator._compiler._is_patient = False
    for candidate in space.candidates()[:2]:
        optimized, program = evaluator.evaluate(candidate, "optimized")
        end, _ = evaluator.evaluate(candidate, "end")
        assert end.stage == "end" and optimized.stage in ("optimized", "end") and program is not None, optimized
        assert optimized.step_seconds == pytest.approx(end.step_seconds, rel=1e-6)
        assert optimized.peak_bytes == end.peak_bytes
    evaluator._compiler.close()


@can_compile
@pytest.mark.parametrize("stage", ["scheduler", "optimized", "end"])
def test_what_does_not_fit_is_refused_early(folder, stage):
    space = tune_spaces.failing(["large temporaries"])
    evaluator = _worker.Evaluator(space.build, space.device)
    outcome, _ = evaluator.evaluate(space.candidates()[0], stage)
    assert outcome.status == "does not fit", outcome
    assert ("the peak of the scheduled program is" if stage == "scheduler" else "the compiler: Ran out of memory") in outcome.reason
    evaluator._compiler.close()


@can_compile
def test_candidates_with_equal_programs_are_one(capfd):
    axes = {"mesh": [{"data": 4, "model": 1}], "batch": [256, 512, 1024], "unused": [1, 2]}
    flags = {"xla_tpu_scoped_vmem_limit_kib": [None, 16384]}  # 16384 is the default
    results = tune.run(tune.Space("tpu_v5e:2x2", tune_spaces.idle, axes, xla_flags=flags), early="scheduler", finish=0.9)
    assert len(results.ranked) == 12 and not any(o.is_early for o in results.outcomes), str(results)
    said = capfd.readouterr().err
    assert "12/12 scheduler" in said and "6/6 to the end" in said  # the flag may make another code of the same program
    assert said.count("is the same program as") == 6
    same = [o for o in results.outcomes if o.same_as is not None]
    assert len(same) == 9 and all(o.same_as["batch"] == o.candidate["batch"] for o in same)
    assert "same program as" in str(results)


PLACES = [
    ("tpu_v5e:4x4", {"data": 8, "model": 2}),  # an axis of the mesh is a part of one of the topology
    ("tpu_v5e:2x2*2", {"model": 2, "data": 4}),  # two slices
    ("tpu_v5e", {"data": 4, "model": 2}),  # the smallest topology that fits
    ("tpu_v5e:2x2", {"data": 2, "model": 1}),  # a part of the topology
    ("tpu_v3:2x2", {"data": 4, "model": 2}),  # two devices on a chip
]


@can_compile
def test_places():
    from hloroof import _compile_for
    from hloroof.tune import _compile

    for device, mesh in PLACES:
        program = tune_spaces.product(mesh, 256)
        given = dict(mesh=mesh, in_shardings=program.in_shardings)
        # As compile_for lays it out, and compiled by a worker.
        prepared = _compile_for.prepare(program.function, program.arguments, device, **given)
        assert prepared.program.nr_devices == math.prod(mesh.values())
        best = tune.run(tune.Space(device, tune_spaces.product, {"mesh": [mesh], "batch": [256]}), progress=False).outcomes[0]
        assert best.status == "ok" and best.step_seconds > 0, (device, best)
    assert _compile.check_device("tpu_v4:2x2x1") is None


REASONS = [
    ("fine", "ok", None),
    ("raises", "failed", "RuntimeError: no such thing"),
    ("no program", "failed", "TypeError: build returned NoneType, not hloroof.tune.Program"),
    ("bad flag", "failed", "No such compile option"),
    ("too many", "failed", "the program is for 16 devices, and tpu_v5e:2x2 has 4"),
    ("large arguments", "does not fit", "the arguments alone take 32.0 GiB of the 16.0 GiB of a device"),
    ("large temporaries", "does not fit", "the compiler: Ran out of memory"),
    ("dies once", "ok", None),
    ("dies", "failed", "2 workers died, the last: the worker ended with signal SIGKILL"),
]


@can_compile
def test_reasons_and_workers_that_die(folder):
    results = tune.run(tune_spaces.failing([mood for mood, _, _ in REASONS]), progress=False)
    found = {o.candidate["mood"]: o for o in results.outcomes}
    assert set(found) == {mood for mood, _, _ in REASONS}
    for mood, status, reason in REASONS:
        assert found[mood].status == status, (mood, found[mood])
        assert (reason is None) == (found[mood].reason is None) and (reason or "") in (found[mood].reason or ""), found[mood]
    assert found["dies once"].attempts == found["dies"].attempts == 2 and found["fine"].attempts == 1
    assert not _pool._idle  # no worker is left


@can_compile
def test_the_example(root):
    """Its programs trace. A compile of one takes a minute."""
    import jax

    space = _space.load_space(str(root / "examples" / "python" / "tune_transformer.py") + ":space")
    candidates = space.candidates()
    assert len(candidates) == 12 and [c["batch"] for c in candidates] == [64] * 6 + [256] * 6
    types = (jax.sharding.AxisType.Auto,) * 2
    for candidate in candidates[:2]:
        program = space.build(**candidate)
        mesh = jax.sharding.AbstractMesh(tuple(program.mesh.values()), tuple(program.mesh), axis_types=types)
        with jax.sharding.use_abstract_mesh(mesh):
            state = jax.eval_shape(program.function, *program.arguments)
        assert jax.tree.map(lambda x: x.shape, state) == jax.tree.map(lambda x: x.shape, program.arguments[0])


@can_compile
def test_timeout(folder):
    results = tune.run(tune_spaces.failing(["hangs"]), timeout=3, progress=False)
    assert results.outcomes[0].reason.startswith("took longer than 3 s while it ")


@can_compile
def test_what_cannot_fit_is_not_compiled(folder):
    space = tune_spaces.failing(["large arguments", "raises"], [256, 512, 1024], grows=["batch"])
    results = tune.run(space, processes=1, progress=False)
    assert sorted(built(folder)) == ["large arguments 256", "raises 1024", "raises 256", "raises 512"]
    reasons = {o.candidate["batch"]: o.reason for o in results.outcomes if o.candidate["mood"] == "large arguments"}
    first = "not compiled: batch: 256 does not fit: the arguments alone take"
    assert reasons[512].startswith(first) and reasons[1024].startswith(first)


@can_compile
def test_a_run_goes_on(folder, capfd):
    moods = ["fine", "raises", "dies"]
    tune.run(tune_spaces.failing(moods), folder=folder / "run", retries=0, progress=False)
    assert len(built(folder)) == 3
    path = folder / "run" / "results.jsonl"
    whole = path.read_text()
    path.write_text(whole + '{"fingerprint": "cut off when the run was ki')
    capfd.readouterr()
    again = tune.run(tune_spaces.failing([*moods, "no program"]), folder=folder / "run", retries=0)
    # Only what is new and what died is tried; a failure of the program stays.
    assert sorted(built(folder)[3:]) == ["dies 256", "no program 256"]
    assert "tune: 2 results of an earlier run" in capfd.readouterr().err
    assert len(again.outcomes) == 4 and len(tune.load(folder / "run").outcomes) == 4

    # Results of another version of the space are made anew.
    path.write_text(path.read_text().replace(_run.fingerprint(tune_spaces.failing(moods)), "another"))
    tune.run(tune_spaces.failing(["raises"]), folder=folder / "run")
    assert built(folder)[-1] == "raises 256"
    assert "1 earlier results are of another version of the space" in capfd.readouterr().err


def test_damaged_results(tmp_path):
    path = tmp_path / "results.jsonl"
    line = json.dumps({"fingerprint": "f", "device": "tpu_v5e", "outcome": outcome("a", 1e-3, 1).to_dict()})
    for end in range(len(line) + 1):
        path.write_text(line[:end])
        assert len(tune.load(tmp_path).outcomes) == (1 if end == len(line) else 0)
    for text in ("3", "[]", "{}", '{"outcome": 3}', '{"outcome": {"candidate": 3, "status": ""}}', "\0\xff"):
        path.write_text(text + "\n" + line)
        assert len(tune.load(tmp_path).outcomes) == 1
    with pytest.raises(FileNotFoundError, match="there are no results"):
        tune.load(tmp_path / "none")


@can_compile
def test_an_interrupted_command_goes_on(folder):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "hloroof.tune", f"{HERE}/tune_spaces.py:ranked", "--folder", str(folder / "run"), "-j", "1"]
    default = functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # the shell of the test may ignore it
    process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True, preexec_fn=default)
    process.stderr.readline()  # the first result
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 130 and f"interrupted; the same command goes on from {folder / 'run'}" in errors
    done = subprocess.run([*command, "--format", "csv"], env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and "results of an earlier run" in done.stderr, done.stderr
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [row["rank"] for row in rows] == ["1", "2", "3", "4", "5", "6"]
    assert rows[0]["mesh"].startswith("data=")


@can_compile
def test_workers_end_with_their_run(folder):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen([sys.executable, "-m", "hloroof.tune", f"{HERE}/tune_spaces.py:hanging"], env=environment)
    pid = folder / "pid"
    while not pid.exists() or not pid.read_text():
        assert process.poll() is None
        time.sleep(0.1)
    process.kill()
    process.wait()
    for _ in range(300):
        if not os.path.exists(f"/proc/{pid.read_text()}"):
            return
        time.sleep(0.1)
    raise AssertionError("the worker goes on")


@can_compile
def test_the_command(folder, capsys):
    space = f"{HERE}/tune_spaces.py:moods"
    assert main([space, "--list"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == 2
    assert main([space, "--folder", str(folder / "run"), "--html", str(folder / "tune.html")]) == 0
    out = capsys.readouterr()
    assert "2 candidates on tpu_v5e:2x2, 0 do not fit, 1 failed" in out.out and "2/2" in out.err
    assert "RuntimeError: no such thing" in (folder / "tune.html").read_text()
    assert main([space, "--folder", str(folder / "run"), "--show", "--format", "json", "-n", "1"]) == 0
    assert [c["status"] for c in json.loads(capsys.readouterr().out)["candidates"]] == ["ok"]
    assert main(["nothing:here"]) == 1
    assert "there is no module nothing" in capsys.readouterr().err


@can_compile
def test_on_a_dask_cluster(folder):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            moods = ["fine", "raises", "dies once", "ends its cluster's worker once", "large arguments"]
            space = tune_spaces.failing(moods, [256, 512], grows=["batch"])
            results = tune.run(space, dask=client, folder=folder / "run", progress=False)
    status = {tuple(o.candidate.values()): o.status for o in results.outcomes}
    for batch in (256, 512):
        for mood in ("fine", "dies once", "ends its cluster's worker once"):
            assert status[batch, mood] == "ok", str(results)
        assert status[batch, "raises"] == "failed" and status[batch, "large arguments"] == "does not fit"
    assert (folder / "run" / results.best.program).exists()


@can_compile
def test_a_script_without_a_guard_says_so(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "from hloroof import tune\n"
        "def build(a):\n    return None\n"
        "print(tune.run(tune.Space('tpu_v5e', build, {'a': [1]}), progress=False).outcomes[0].reason)\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True, timeout=120)
    assert 'put tune.run under if __name__ == "__main__":' in done.stdout, done.stderr


def test_a_function_that_no_worker_finds(monkeypatch):
    monkeypatch.setitem(sys.modules, "cloudpickle", None)
    with pytest.raises(ValueError, match="define it at the top level of a module or a script, or install cloudpickle"):
        _run.reference_to(lambda: None)
    assert _run.reference_to(tune_spaces.product) == ("module", "tune_spaces", "product")
    assert _space.label({"data": 2, "options": [1.5, "a"]}) == "data=2 options=1.5,a"
