"""Runs the Python examples if their packages are installed."""

import importlib.util
import os
import subprocess
import sys

import pytest


def run(root, *arguments, **settings):
    return subprocess.run(
        [sys.executable, *map(str, arguments)], **{"cwd": root, **settings}, capture_output=True, text=True, timeout=600
    )


def test_sweep_over_a_local_dask_cluster(root):
    pytest.importorskip("dask.distributed")
    done = run(root, "examples/python/sweep.py", "--devices", "tpu_v5e,tpu_v6e", "examples/decode_step.v5e.hlo",
               "examples/narrow_heads.v5e.hlo", "--set", "hbm.bandwidth=4e11")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 1 + 2 * 2 * 2  # a header; files x devices x (as it is, with the change)
    assert sum("decode_step" in line for line in lines) == 4


def test_tpu_generations(root):
    if importlib.util.find_spec("jax") is None or importlib.util.find_spec("libtpu") is None:
        pytest.skip("needs jax and libtpu")
    done = run(root, "examples/python/tpu_generations.py")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines[1:4]] == ["tpu_v5e", "tpu_v5p", "tpu_v6e"]
    assert "hbm.bandwidth" in done.stdout


def test_first_look(root, tmp_path):
    if importlib.util.find_spec("jax") is None or importlib.util.find_spec("libtpu") is None:
        pytest.skip("needs jax and libtpu")
    environment = {**os.environ, "HLOROOF_CACHE_DIR": str(tmp_path)}
    done = run(root, root / "examples" / "python" / "first_look.py", cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    assert [line.split()[0:3] for line in done.stdout.splitlines()[:2]] == [["16", "x", "1"], ["4", "x", "4"]]
    assert (tmp_path / "step.html").read_text().lstrip().startswith("<!")


def test_price_kernel(root):
    if importlib.util.find_spec("jax") is None or importlib.util.find_spec("libtpu") is None:
        pytest.skip("needs jax and libtpu")
    done = run(root, "examples/python/price_kernel.py")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("add_product(block_m=512, block_n=512, block_k=512) on tpu_v6e: ")
    assert len(lines) == 1 + 2 + 18
    assert "does not fit in VMEM" in lines[-1]


def test_collective_matmul_computes_the_same(root):
    pytest.importorskip("jax", minversion="0.12.0")
    done = run(root, "examples/python/collective_matmul.py", "cpu")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["collective-permutes: 14", "the results are the same"]


def test_collective_matmul_is_kept_for_tpus_that_are_not_there(root):
    pytest.importorskip("jax", minversion="0.12.0")
    if importlib.util.find_spec("libtpu") is None:
        pytest.skip("needs libtpu")
    done = run(root, "examples/python/collective_matmul.py", "tpu_v5e:2x4")
    assert done.returncode == 0, done.stderr
    assert "kept" in done.stdout
    before, after = (float(line.split("step ")[1].split()[0]) for line in done.stdout.splitlines()[-2:])
    assert after < before


def test_kernels_with_costs_hide_transfers(root):
    pytest.importorskip("jax", minversion="0.12.0")
    if importlib.util.find_spec("libtpu") is None:
        pytest.skip("needs libtpu")
    done = run(root, "examples/python/feed_costs.py", "tpu_v5e:2x4")
    assert done.returncode == 0, done.stderr
    exposed = [float(line.split("communication ")[1].split()[0]) for line in done.stdout.splitlines()[:3]]
    assert exposed[1] < exposed[0] and exposed[2] < exposed[0] and "kept: with " in done.stdout.splitlines()[-1]
