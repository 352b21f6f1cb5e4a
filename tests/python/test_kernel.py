"""Prices Pallas kernels. Lowering needs JAX; compiling also needs libtpu."""

import dataclasses
import importlib.util
import os
import pickle
import subprocess
import sys

import pytest

import hloroof
from hloroof import _ahead, _core

jax = pytest.importorskip("jax")

has_libtpu = pytest.mark.skipif(importlib.util.find_spec("libtpu") is None, reason="needs libtpu")


@pytest.fixture
def lower_only(monkeypatch):
    monkeypatch.setattr(_ahead, "has_compiler", lambda: False)


def matmul(x, y, *, block_m, block_n=512):
    import jax.numpy as jnp
    from jax.experimental import pallas as pl

    def multiply(x, y, z):
        z[...] = jnp.dot(x[...], y[...], preferred_element_type=jnp.float32).astype(z.dtype)

    (m, k), n = x.shape, y.shape[1]
    if m % block_m != 0:
        raise ValueError(f"{block_m} does not divide {m}")
    return pl.pallas_call(
        multiply,
        grid=(m // block_m, n // block_n),
        in_specs=[pl.BlockSpec((block_m, k), lambda i, j: (i, 0)), pl.BlockSpec((k, block_n), lambda i, j: (0, j))],
        out_specs=pl.BlockSpec((block_m, block_n), lambda i, j: (i, j)),
        out_shape=jax.ShapeDtypeStruct((m, n), x.dtype),
    )(x, y)


def square(size):
    return jax.ShapeDtypeStruct((size, size), "bfloat16")


def check_matmul(p, stage):
    flops = 2 * 2048**3
    assert p.stage == stage
    assert p.device == "tpu_v6e"
    assert p.static == {"block_m": 512}
    assert flops / 918e12 < p.seconds < 20 * flops / 918e12
    assert p.bound in ("mxu", "vpu", "hbm", "vmem")
    # Two buffers of each window: x 512 x 2048, y 2048 x 512, z 512 x 512, of two bytes.
    assert p.vmem_bytes == 2 * 2 * (512 * 2048 + 2048 * 512 + 512 * 512)
    assert p.vmem_capacity_bytes == 128 * 2**20
    (call,) = p.calls
    assert (call.name, call.grid, call.unread) == ("multiply", [4, 4], None)
    assert call.op.flops == flops
    assert p.seconds == call.op.total_seconds <= p.step.step_seconds
    assert "multiply(block_m=512) on tpu_v6e" in str(p)


def test_kernel_lowered(lower_only):
    p = hloroof.kernel(matmul, [square(2048)] * 2, "v6e", block_m=512)
    check_matmul(p, "lowered")
    assert pickle.loads(pickle.dumps(p)) == p


def selected(count, x):
    """Squares the first blocks of x, as many as count says."""
    import jax.numpy as jnp
    from jax.experimental import pallas as pl
    from jax.experimental.pallas import tpu as pltpu

    def square(count, x, y):
        def trip(i, carry):
            y[...] = jnp.dot(x[pl.ds(i * 128, 128), :], x[pl.ds(i * 128, 128), :], preferred_element_type=jnp.float32)
            return carry

        jax.lax.fori_loop(0, count[0], trip, 0)

    return pl.pallas_call(
        square,
        in_specs=[pl.BlockSpec(memory_space=pltpu.SMEM), pl.BlockSpec((1024, 128), lambda: (0, 0))],
        out_specs=pl.BlockSpec((128, 128), lambda: (0, 0)),
        out_shape=jax.ShapeDtypeStruct((128, 128), "float32"),
    )(count, x)


def test_lists_of_a_kernel(lower_only):
    arguments = [jax.ShapeDtypeStruct((1,), "int32"), jax.ShapeDtypeStruct((1024, 128), "float32")]
    flops = [
        hloroof.kernel(selected, arguments, "v6e", kernel_lists={"square.0": [count]}).calls[0].op.flops for count in (3, 6)
    ]
    assert flops == [3 * 2 * 128**3, 6 * 2 * 128**3]
    sweep = hloroof.sweep_kernel(selected, arguments, "v6e", {}, compile=False, kernel_lists={"square.0": [3]})
    assert sweep.best.prediction.calls[0].op.flops == flops[0]


def test_a_kernel_that_depends_on_data_has_a_range(lower_only):
    import jax.numpy as jnp
    from jax.experimental import pallas as pl

    def guarded(x):
        def body(x, y):
            @pl.when(jnp.max(x[...]) > 0)
            def _():
                y[...] = jnp.dot(x[...], x[...], preferred_element_type=jnp.float32)

        return pl.pallas_call(body, out_shape=x)(x)

    (call,) = hloroof.kernel(guarded, [jax.ShapeDtypeStruct((256, 256), "float32")], "v6e").calls
    assert call.least_seconds < call.op.seconds == pytest.approx(call.most_seconds)
    assert call.assumptions


@has_libtpu
def test_kernel_compiled():
    p = hloroof.kernel(matmul, [square(2048)] * 2, "tpu_v6e", block_m=512)
    check_matmul(p, "compiled")


def test_arguments_may_be_arrays_in_structures(lower_only):
    import numpy as np

    array = np.zeros((1024, 1024), np.float32)
    p = hloroof.kernel(lambda both: {"z": matmul(both["x"], both["y"], block_m=256)}, [{"x": array, "y": array}], "tpu_v5e")
    assert p.calls[0].grid == [4, 2]
    assert p.static == {}


def test_a_kernel_may_ask_for_its_tpu(lower_only):
    from jax.experimental.pallas import tpu as pltpu

    generations = []

    def ask(x, y):
        generations.append(pltpu.get_tpu_info().generation)
        return matmul(x, y, block_m=512)

    for device in ("tpu_v5e", "tpu_v5p", "tpu_v6e", "tpu_v7x"):
        hloroof.kernel(ask, [square(1024)] * 2, device)
    assert generations == [5, 5, 6, 7]


def test_errors(lower_only):
    import jax.numpy as jnp

    with pytest.raises(ValueError, match="calls no Pallas kernel"):
        hloroof.kernel(jnp.dot, [square(256)] * 2, "tpu_v6e")
    with pytest.raises(ValueError, match="libtpu cannot compile for h100_sxm"):
        hloroof.kernel(matmul, [square(1024)] * 2, "h100_sxm", block_m=512)
    with pytest.raises(hloroof.NotFoundError):
        hloroof.kernel(matmul, [square(1024)] * 2, "tpu_v99", block_m=512)
    with pytest.raises(ValueError, match="300 does not divide 1024"):
        hloroof.kernel(matmul, [square(1024)] * 2, "tpu_v6e", block_m=300)
    with pytest.raises(ValueError, match="expected at least 1"):
        hloroof.sweep_kernel(matmul, [square(1024)] * 2, "tpu_v6e", {"block_m": [512]}, processes=0)


def check_order(sweep):
    seconds = [c.seconds for c in sweep.configurations if c.seconds is not None]
    assert seconds == sorted(seconds)
    assert [c.seconds for c in sweep.configurations[len(seconds) :]] == [None] * (len(sweep.configurations) - len(seconds))
    assert all((c.reason is None) == (c.seconds is not None) for c in sweep.configurations)


def test_sweep_lowered():
    # 8192 rows of 8192: two buffers of x take 256 MiB, of which a core has 128 MiB.
    space = {"block_m": [300, 512, 8192], "block_n": [256, 512]}
    sweep = hloroof.sweep_kernel(matmul, [square(8192)] * 2, "tpu_v6e", space, compile=False)
    assert len(sweep.configurations) == 6
    check_order(sweep)
    reasons = {(c.static["block_m"], c.static["block_n"]): c.reason for c in sweep.configurations}
    assert reasons[512, 256] is None and reasons[512, 512] is None
    assert reasons[300, 256] == "ValueError: 300 does not divide 8192"
    assert "of VMEM, of which a core has 128 MiB" in reasons[8192, 256]
    assert sweep.best.static["block_m"] == 512
    assert [row["seconds"] for row in sweep.records()][0] == sweep.best.seconds
    assert set(sweep.records()[0]) == {"block_m", "block_n", "device", "seconds", "bound", "vmem_bytes", "stage", "reason"}
    assert len(str(sweep).splitlines()) == 2 + 6
    assert "300 does not divide" in sweep._repr_html_()


@has_libtpu
def test_sweep_compiled():
    sweep = hloroof.sweep_kernel(matmul, [square(8192)] * 2, "tpu_v6e", {"block_m": [256, 4096]})
    check_order(sweep)
    assert sweep.best.static == {"block_m": 256} and sweep.best.prediction.stage == "compiled"
    assert "memory space vmem" in sweep.configurations[1].reason


@has_libtpu
def test_a_compiler_that_ends_is_an_error():
    job = _ahead.export(matmul, [square(1024)] * 2, {"block_m": 512}, _ahead.CHIPS["tpu_v6e"])
    with _ahead.Compiler() as compiler:
        assert "custom-call" in compiler.compile(job)
        with pytest.raises(hloroof.CompileError):
            compiler.compile(dataclasses.replace(job, topology="no topology"))
        compiler._process.kill()
        with pytest.raises(hloroof.CompileError, match=r"the compiler ended with status -9 \(SIGKILL\)"):
            compiler.compile(job)
        assert "custom-call" in compiler.compile(job)  # a new process


def test_compilers_exist_for_devices_of_the_library():
    assert set(_ahead.CHIPS) <= set(_core.device_names())


def test_the_process_that_compiles_ends_with_its_input():
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-m", "hloroof._ahead"], input=b"", capture_output=True, env=environment)
    assert (done.returncode, done.stdout) == (0, b"")
