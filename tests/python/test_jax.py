"""Predicts programs that JAX compiled for the local CPU. The device of the prediction may be a different one."""

import subprocess
import sys

import pytest

import hloroof

jax = pytest.importorskip("jax")


@pytest.fixture
def lowered():
    import jax.numpy as jnp

    def step(x, w):
        return jnp.tanh(x @ w).sum()

    return jax.jit(step).lower(
        jax.ShapeDtypeStruct((256, 512), jnp.float32), jax.ShapeDtypeStruct((512, 1024), jnp.float32)
    )


def test_compiled_and_lowered(lowered):
    compiled = lowered.compile()
    for program in (compiled, compiled.as_text(), lowered):
        p = hloroof.predict_step_time(program, "tpu_v5e", allow_other_backend=True)
        assert p.step_seconds > 0
        assert p.totals.flops >= 2 * 256 * 512 * 1024
        assert p.coverage.unknown < 1


def test_counts_are_those_of_xla(lowered):
    import jax.numpy as jnp

    compiled = jax.jit(lambda x: jnp.exp(x) * 2 + x).lower(jax.ShapeDtypeStruct((64, 128), jnp.float32)).compile()
    analysis = compiled.cost_analysis()
    counts = hloroof.count(compiled)
    assert counts["flops"] == analysis["flops"]
    assert counts["transcendentals"] == analysis["transcendentals"]
    assert counts["bytes_accessed"] == analysis["bytes accessed"]


def test_hloroof_does_not_import_jax():
    code = "import sys, hloroof; hloroof.device_names(); sys.exit('jax' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
