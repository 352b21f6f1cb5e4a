"""The checks of hloroof.testing, snapshots, and the plugin of pytest."""

import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

import hloroof
from hloroof import testing


@pytest.fixture(scope="module")
def step():
    return hloroof.predict_step_time(pathlib.Path(__file__).parents[2] / "examples" / "ffn_block.v5e_2x4.hlo", "tpu_v5e")


@pytest.fixture(scope="module")
def cached():
    """A step that copies its cache, and one that does not."""
    folder = pathlib.Path(__file__).parents[2] / "examples"
    return [
        hloroof.predict_step_time(folder / name, "tpu_v5e")
        for name in ("decode_step.v5e.hlo", "decode_step_free_cache.v5e.hlo.gz")
    ]


# check, arguments that hold, arguments that do not, the headline then, a word of the table
CHECKS = [
    ("step_faster_than", [15e-3], [5e-3], r"the step takes [\d.]+ ms, expected less than 5.00 ms", "fusion.2"),
    ("mfu_above", [0.4], [0.9], r"the MFU is [\d.]+ %, expected above 90.0 %", "fusion.2"),
    ("bound_by", ["mxu"], ["hbm"], "the step is bound by mxu, expected hbm", "of the step"),
    ("exposed_communication_below", [5e-3], [1e-6], r"[\d.]+ ms of communication are exposed, expected less than 1.00 us", "all-gather.24"),
    ("peak_memory_below", [2**30], [2**20], "the peak in HBM is 534 MiB, expected less than 1.00 MiB", "fusion.42"),
    ("has_no_diagnostic", ["unknown-opcode"], ["exposed-communication"], r"3 diagnostics \[exposed-communication\], expected none", "the step waits for it"),
    ("unknown_at_most", [0], [-1], "0 % of the step is unknown, expected at most -100.0 %", "exposed-communication"),
]  # fmt: skip


@pytest.mark.parametrize("name, holds, fails, headline, word", CHECKS, ids=[row[0] for row in CHECKS])
def test_checks(step, name, holds, fails, headline, word):
    check = getattr(testing, name)
    good, bad = check(step, *holds), check(step, *fails)
    assert good and good.explanation == ""
    assert not bad
    assert re.fullmatch("jit_ffn on tpu_v5e 2x4: " + headline, bad.headline)
    assert word in bad.explanation
    assert str(bad) == bad.message == bad.headline + "\n" + bad.explanation
    assert bad.headline in repr(bad) and "\n" not in repr(bad)


def test_checks_without_limits(step, cached):
    assert testing.fits_in_memory(step)
    full = testing.fits_in_memory(step.what_if(set={"hbm.usable": 2**29}))
    assert not full and "the peak in HBM is 534 MiB, expected at most the usable 512 MiB" in full.headline
    assert "fusion.42" in full.explanation
    assert not testing.has_no_warning(step)
    before, after = cached
    assert testing.no_slower_than(after, before) and testing.no_slower_than(step, step)
    slower = testing.no_slower_than(before, after, 0.1)
    first, second = 1e3 * after.step_seconds, 1e3 * before.step_seconds
    assert f"at most {1.1 * first:.3g} ms ({first:.3g} ms before, tolerance 10.0 %)" in slower.headline
    assert f"{second:.3g} ms" in slower.explanation


def test_checks_of_a_prediction_from_json(step):
    read = hloroof.StepPrediction.from_dict(json.loads(json.dumps(step.to_dict())))
    for name, _, fails, _, _ in CHECKS:
        with pytest.raises(hloroof.Error, match="made from JSON and has no program"):
            getattr(testing, name)(read, *fails)
    with pytest.raises(hloroof.Error, match="made from JSON and has no program"):
        testing.no_slower_than(step, read)
    testing.assert_collectives(read, all_gather=2)
    with pytest.raises(AssertionError, match="2 all-gather, expected 3"):
        testing.assert_collectives(read, all_gather=3)


# arguments, and what the message has; None if they hold
COLLECTIVES = [
    (dict(all_gather=2, reduce_scatter=1, collective_permute=6, others=0), None),
    (dict(all_gather=range(1, 3), all_reduce=0, bytes_below=65 * 2**20, exposed_below=4e-3), None),
    (dict(over="2-way", all_gather=1, reduce_scatter=1, others=0), None),
    (dict(), None),
    (dict(all_gather=1), "2 all-gather, expected 1"),
    (dict(all_gather=range(3, 5)), "2 all-gather, expected 3 to 4"),
    (dict(all_reduce=1), "0 all-reduce, expected 1"),
    (dict(all_gather=2, others=0), "7 other collectives, expected 0"),
    (dict(over="4-way", all_gather=2), "1 all-gather over the 4-way axis, expected 2"),
    (dict(bytes_below=64 * 2**20), "the largest collective is of 64.0 MiB, expected less than 64.0 MiB"),
    (dict(over="2-way", exposed_below=1e-3), "of communication over the 2-way axis are exposed, expected less than 1.00 ms"),
]


@pytest.mark.parametrize("arguments, message", COLLECTIVES, ids=[str(row[0]) for row in COLLECTIVES])
def test_collectives(step, arguments, message):
    if message is None:
        testing.assert_collectives(step, **arguments)
        return
    with pytest.raises(AssertionError, match=re.escape(message)) as failure:
        testing.assert_collectives(step, **arguments)
    assert "Collectives: exposed over the step" in str(failure.value)


def test_collectives_that_cannot_be_meant(step):
    with pytest.raises(TypeError, match="no collective is called all_gathers; expected one of all_gather, "):
        testing.assert_collectives(step, all_gathers=1)
    with pytest.raises(ValueError, match="the mesh has the axes 4-way, 2-way"):
        testing.assert_collectives(step, over="data", all_gather=1)


def test_no_new(step, cached):
    before, after = cached
    testing.assert_no_new(step, step)
    testing.assert_no_new(after, before, "collectives", "copies", "unknown")
    with pytest.raises(AssertionError, match="6 new, expected none of copies that jit_step on tpu_v5e 1x1 has not") as failure:
        testing.assert_no_new(before, after, "copies")
    assert "new copies: 4 x copy of 1.00 GiB" in str(failure.value)
    bare = dataclasses.replace(step, collectives=step.collectives[:-1], diagnostics=[])
    with pytest.raises(AssertionError, match="new collectives: reduce-scatter of 64.0 MiB over the 2-way axis"):
        testing.assert_no_new(step, bare, "collectives")
    with pytest.raises(AssertionError, match=r"new warnings: \[exposed-communication\] collective-permute over the 4-way axis"):
        testing.assert_no_new(step, bare, "warnings")
    with pytest.raises(ValueError, match="'copy': expected one of collectives, copies, warnings, unknown"):
        testing.assert_no_new(step, step, "copy")


def with_step(step, seconds):
    return dataclasses.replace(step, step_seconds=seconds)


def test_snapshot(step, tmp_path, monkeypatch):
    path = tmp_path / "deep" / "ffn.json"
    monkeypatch.delenv("HLOROOF_UPDATE", raising=False)
    with pytest.raises(AssertionError, match="there is no snapshot .*; pytest --hloroof-update writes it"):
        testing.assert_snapshot(step, path)
    monkeypatch.setenv("HLOROOF_UPDATE", "1")
    testing.assert_snapshot(step, path, tolerance=0.1)
    written = path.read_text()
    monkeypatch.setenv("HLOROOF_UPDATE", "0")
    testing.assert_snapshot(step, path)
    testing.assert_snapshot(with_step(step, 1.05 * step.step_seconds), path)
    for factor, change in ((1.2, r"\+20.0 %"), (0.5, "-50.0 %")):  # a gain that nobody keeps is lost again unseen
        with pytest.raises(AssertionError, match=f"step_seconds is .*, {change}, unlike the snapshot"):
            testing.assert_snapshot(with_step(step, factor * step.step_seconds), path)
    with pytest.raises(AssertionError, match="1 collectives of all-gather instead of 2"):
        fewer = [c for c in step.collectives if c.name != "all-gather.24"]
        testing.assert_snapshot(dataclasses.replace(step, collectives=fewer), path)
    with pytest.raises(AssertionError, match="it is another program or device"):
        testing.assert_snapshot(dataclasses.replace(step, module=dataclasses.replace(step.module, name="other")), path)

    # An update keeps edited tolerances, entries that were taken out, and numbers that are within their tolerance.
    data = json.loads(written)
    data["numbers"]["step_seconds"]["tolerance"] = 0.3
    del data["numbers"]["totals.flops"], data["warnings"]
    path.write_text(json.dumps(data))
    monkeypatch.setenv("HLOROOF_UPDATE", "1")
    testing.assert_snapshot(with_step(step, 1.2 * step.step_seconds), path)
    assert json.loads(path.read_text()) == data
    testing.assert_snapshot(with_step(step, 2 * step.step_seconds), path)
    data["numbers"]["step_seconds"]["value"] = 2 * step.step_seconds
    assert json.loads(path.read_text()) == data


def test_snapshots_that_are_damaged(step, tmp_path, monkeypatch):
    path = tmp_path / "ffn.json"
    monkeypatch.setenv("HLOROOF_UPDATE", "1")
    testing.assert_snapshot(step, path)
    monkeypatch.setenv("HLOROOF_UPDATE", "0")
    whole = path.read_text()
    for end in range(0, len(whole) - 2, 7):
        path.write_text(whole[:end])
        with pytest.raises(AssertionError, match="not a snapshot"):
            testing.assert_snapshot(step, path)
    for text in ("[]", "{}", '{"schema": "hloroof.snapshot/1", "numbers": {"step_seconds": 3}}', whole.replace("snapshot/1", "snapshot/9")):
        path.write_text(text)
        with pytest.raises(AssertionError, match="not a snapshot of schema hloroof.snapshot/1"):
            testing.assert_snapshot(step, path)
    data = json.loads(whole)
    data["collectives"] = 3
    path.write_text(json.dumps(data))
    with pytest.raises(AssertionError, match="not a snapshot of schema"):
        testing.assert_snapshot(step, path)


CONTRACT = '''
import hloroof
from hloroof.testing import assert_collectives, bound_by, step_faster_than

step = hloroof.predict_step_time({path!r}, "tpu_v5e")

def test_step():
    if not bound_by(step, "hbm"):  # a question, not a contract
        assert step_faster_than(step, 5e-3)

def test_other():
    bound_by(step, "ici") or None
    assert 1 + 1 == 3

def test_collectives():
    assert_collectives(step, all_gather=1)

def test_snapshot(hloroof_snapshot):
    hloroof_snapshot(step)

def test_passes():
    assert step_faster_than(step, 1)
'''


def pytest_in(folder, *arguments):
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "HLOROOF_UPDATE": "",
    }
    command = [sys.executable, "-m", "pytest", "-p", "hloroof_pytest", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    return done.stdout + done.stderr


def test_the_plugin(root, tmp_path):
    (tmp_path / "test_contract.py").write_text(CONTRACT.format(path=str(root / "examples" / "ffn_block.v5e_2x4.hlo")))
    out = pytest_in(tmp_path)
    assert "4 failed, 1 passed" in out
    sections = re.findall(r"^-+ (hloroof: .*?) -+$", out, re.M)
    assert sections == ["hloroof: jit_ffn on tpu_v5e 2x4: the step takes 11.9 ms, expected less than 5.00 ms"]
    assert re.search("^E +assert <jit_ffn on tpu_v5e", out, re.M) and "collective-permute-done" in out
    assert "2 all-gather, expected 1" in out and "all-gather.24" in out
    assert "_snapshot.py" not in out and "testing.py" not in out  # the traceback ends in the test
    assert "3 failed, 2 passed" in pytest_in(tmp_path, "--hloroof-update")
    assert (tmp_path / "hloroof_snapshots" / "test_contract.test_snapshot.json").exists()
    assert "3 failed, 2 passed" in pytest_in(tmp_path, "--assert=plain")


OTHER = """
import sys

def test_other():
    assert not [name for name in sys.modules if name.partition(".")[0] == "hloroof"]

def test_fails():
    assert 1 == 2
"""


def test_the_plugin_is_in_every_run(tmp_path):
    """It leaves the package alone where no test uses it."""
    (tmp_path / "test_other.py").write_text(OTHER)
    out = pytest_in(tmp_path)
    assert "1 failed, 1 passed" in out and "assert 1 == 2" in out, out


def test_the_example(root):
    out = pytest_in(root, "examples/unit_test/test_contract.py")
    assert "5 passed" in out, out
