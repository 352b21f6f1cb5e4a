"""Modules as protos: bytes in, bytes out, also inside a compile where JAX has the hook."""

import pickle

import pytest

import hloroof
import hloroof.jax
from hloroof._hook import hooks as hooks_of_jax


def test_a_proto_comes_back_byte_for_byte(root):
    protos = sorted((root / "tests" / "proto" / "samples").rglob("*.pb"))
    assert protos
    for path in protos:
        proto = path.read_bytes()
        assert hloroof.parse(proto).to_proto() == proto, path


def test_a_text_becomes_a_proto(ffn):
    module = hloroof.parse(ffn)
    again = hloroof.parse(module.to_proto())
    assert (again.name, again.instruction_count) == (module.name, module.instruction_count)
    assert hloroof.predict_step_time(again, "tpu_v5e").step_seconds == hloroof.predict_step_time(module, "tpu_v5e").step_seconds


def test_values_that_the_text_lacks_are_an_error():
    module = hloroof.parse("HloModule m\nENTRY e {\n  ROOT c = f32[100]{0} constant({...})\n}\n")
    with pytest.raises(hloroof.Error, match="c in e: the text has {...} in place of the values of this constant"):
        module.to_proto()


def test_a_pickled_module_is_the_same_proto(root):
    proto = (root / "tests" / "proto" / "samples" / "many_ops.pb").read_bytes()
    assert pickle.loads(pickle.dumps(hloroof.parse(proto))).to_proto() == proto


@pytest.mark.parametrize("stage", hloroof.jax.STAGES)
def test_a_compile_goes_on_with_what_was_written(stage):
    jax = pytest.importorskip("jax")
    try:
        hooks = hooks_of_jax()
    except ImportError as error:
        pytest.skip(str(error))
    import jax.numpy as jnp
    import numpy

    table = numpy.arange(6000, dtype=numpy.float32)  # a constant that the text would elide
    same = []

    def rewrite(proto):
        written = hloroof.parse(proto).to_proto()
        same.append(written == proto)
        return written

    def step(x):
        y, _ = jax.lax.scan(lambda c, t: (jnp.tanh(c + t), c.sum()), x, jnp.asarray(table)[:60].reshape(6, 10))
        return jnp.sort(y) + jnp.asarray(table)[-10:] * y

    expected = jax.jit(step)(jnp.ones(10))
    at = hooks.PipelineStage[stage.upper()]
    hooks.register_hlo_module_transformation(rewrite, name="rewrite", stage=at)
    try:
        result = jax.jit(lambda x: step(x))(jnp.ones(10))
    finally:
        hooks.clear_hlo_module_transformation("rewrite", stage=at)
    assert same and all(same)
    assert (result == expected).all()
