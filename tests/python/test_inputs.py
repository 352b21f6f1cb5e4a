"""What a program, a device and an option may be. The kinds that need JAX are skipped without it."""

import gzip
import pathlib

import pytest

import hloroof
from hloroof import _devices

PRODUCT = """HloModule product, is_scheduled=true

ENTRY main {
  lhs = bf16[4096,4096]{1,0:T(8,128)(2,1)} parameter(0)
  rhs = bf16[4096,4096]{1,0:T(8,128)(2,1)} parameter(1)
  ROOT product = bf16[4096,4096]{1,0:T(8,128)(2,1)} dot(lhs, rhs), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
"""
FLOPS = 2 * 256 * 512 * 1024


class Message:
    """Quacks like a message of protobuf."""

    def __init__(self, data):
        self.data = data

    def SerializeToString(self):
        return self.data


def test_bytes_of_all_kinds(tmp_path):
    expected = hloroof.predict_step_time(PRODUCT, "tpu_v5e")
    text = PRODUCT.encode()
    for program in [text, bytearray(text), memoryview(text), gzip.compress(text), Message(text), [PRODUCT]]:
        assert hloroof.predict_step_time(program, "tpu_v5e") == expected
    proto = hloroof.parse(PRODUCT).to_proto()
    assert hloroof.predict_step_time(Message(proto), "tpu_v5e").totals == expected.totals


@pytest.mark.parametrize("program", [3, None, [], object(), {"a": 1}, [PRODUCT, PRODUCT]])
def test_other_objects_are_refused_with_what_is_expected(program):
    with pytest.raises(TypeError, match="expected HLO text, the path of a dump, .* not "):
        hloroof.parse(program)


def test_a_function_needs_arguments():
    with pytest.raises(TypeError, match=r"predict_step_time\(function, device, arguments=\(x, y\)\)"):
        hloroof.predict_step_time(lambda x: x, "tpu_v5e")
    with pytest.raises(TypeError, match="arguments are those of a function, and the program is a str"):
        hloroof.predict_step_time(PRODUCT, "tpu_v5e", arguments=(1,))


class Chip:
    """Quacks like a jax.Device."""

    platform = "tpu"

    def __init__(self, kind, *coords, slice_index=0, platform=None):
        self.device_kind = kind
        self.slice_index = slice_index
        if coords:
            self.coords = coords
        if platform:
            self.platform = platform


def box(kind, *sizes, cores=1, slices=1):
    x, y, z = [*sizes, 1][:3]
    return [
        Chip(kind, i, j, k, slice_index=s)
        for s in range(slices)
        for k in range(z)
        for j in range(y)
        for i in range(x)
        for _ in range(cores)
    ]


class Group:
    """Quacks like a topology of JAX, or a mesh."""

    def __init__(self, devices):
        self.devices = devices


@pytest.mark.parametrize(
    "device, text",
    [
        ("tpu_v5e:4x4", "tpu_v5e:4x4"),
        (pathlib.Path("own.json"), "own.json"),
        (pathlib.Path("own"), "./own"),
        (Chip("TPU v5 lite", 0, 0, 0), "tpu_v5e"),
        (box("TPU v5 lite", 1, 1), "tpu_v5e"),
        (box("TPU v5 lite", 2, 4), "tpu_v5e:2x4"),
        (Group(box("TPU v5 lite", 4, 4, slices=2)), "tpu_v5e:4x4*2"),
        (Group(box("TPU v5", 2, 2, 4)), "tpu_v5p:2x2x4"),
        (box("TPU7x", 2, 2, 1, cores=2), "tpu_v7x:2x2x1"),
        (box("TPU v5 lite", 2, 4)[:7], "tpu_v5e"),
        ([Chip("NVIDIA H100 80GB HBM3", platform="gpu")] * 16, "h100_sxm:16"),
        (Chip("NVIDIA H100 80GB HBM3", platform="gpu"), "h100_sxm"),
    ],
)
def test_devices(device, text):
    assert _devices.device_text(device) == text


@pytest.mark.parametrize(
    "device, error, said",
    [
        (Chip("cpu", platform="cpu"), ValueError, "no model of a CPU"),
        (box("TPU v5 lite", 1, 2) + box("TPU v4", 1, 1), ValueError, "several kinds: TPU v4, TPU v5 lite"),
        (Chip("TPU v99", 0, 0, 0), hloroof.NotFoundError, "TPU v99"),
        (3, TypeError, "not int"),
        ([], TypeError, "not list"),
        ([PRODUCT], TypeError, "not list"),
    ],
)
def test_devices_that_are_none(device, error, said):
    with pytest.raises(error, match=said):
        hloroof.predict_step_time(PRODUCT, device)


def test_multiples_of_numbers(decode):
    base = hloroof.predict_step_time(decode, "tpu_v5e")
    twice = hloroof.predict_step_time(decode, "tpu_v5e", set={"hbm.bandwidth": "2x"})
    assert twice.device.set == {"hbm.bandwidth": 2 * 819e9}
    assert twice == hloroof.predict_step_time(decode, "tpu_v5e", set={"hbm.bandwidth": 2 * 819e9})
    assert twice.step_seconds < base.step_seconds
    for wrong, error, said in [
        ({"hbm.bandwidth": "2y"}, hloroof.InvalidInputError, "set hbm.bandwidth=2y: expected PARAMETER=NUMBER"),
        ({"hbm.bandwidth": "1,2"}, hloroof.InvalidInputError, "set hbm.bandwidth: a prediction takes one value"),
        ({"hbm.bandwith": "2x"}, hloroof.NotFoundError, "nearest are hbm.bandwidth"),
        ({"hbm.bandwidth": float("nan")}, hloroof.Error, "hbm.bandwidth"),
        ({"ici.message_bytes": "x"}, hloroof.InvalidInputError, "set ici.message_bytes=x: expected"),
    ]:
        with pytest.raises(error, match=said):
            hloroof.predict_step_time(decode, "tpu_v5e", set=wrong)


def test_options_of_the_mesh(ffn):
    base = hloroof.predict_step_time(ffn, "tpu_v5e")
    named = hloroof.predict_step_time(ffn, "tpu_v5e", mesh={"data": 4, "model": 2})
    assert [axis.name for axis in named.mesh] == ["data", "model"]
    assert named == hloroof.predict_step_time(ffn, "tpu_v5e", mesh="data=4,model=2")
    small = hloroof.predict_step_time(ffn, "tpu_v5e", reduce_dtype="s8")
    assert small.totals.wire_bytes < base.totals.wire_bytes
    ring = hloroof.predict_step_time(ffn, "tpu_v5e", wrap=True)
    assert ring.step_seconds < base.step_seconds
    moved = hloroof.predict_step_time(ffn, "tpu_v5e", device_order=[0, 5, 2, 7, 4, 1, 6, 3])
    assert moved == hloroof.predict_step_time(ffn, "tpu_v5e", device_order="0,5,2,7,4,1,6,3")
    assert moved.step_seconds != base.step_seconds
    for wrong, said in [
        ({"mesh": {"data": 3}}, "the mesh has 3 devices"),
        ({"mesh": "data"}, "NAME=SIZE"),
        ({"mesh_order": ["none"]}, 'no axis "none"'),
        ({"device_order": [0, 0]}, "order"),
        ({"reduce_dtype": "s9"}, "expected an element type"),
        ({"imbalance": 0.5}, "imbalance: expected a number from 1"),
    ]:
        with pytest.raises(ValueError, match=said):
            hloroof.predict_step_time(ffn, "tpu_v5e", **wrong)


@pytest.fixture
def jax():
    return pytest.importorskip("jax")


def step(x, w):
    import jax.numpy as jnp

    return jnp.tanh(x @ w).sum()


@pytest.fixture
def shapes(jax):
    return jax.ShapeDtypeStruct((256, 512), "float32"), jax.ShapeDtypeStruct((512, 1024), "float32")


PROGRAMS_OF_JAX = {
    "Traced": lambda jax, jitted, shapes: jitted.trace(*shapes),
    "Lowered": lambda jax, jitted, shapes: jitted.lower(*shapes),
    "MLIR": lambda jax, jitted, shapes: jitted.lower(*shapes).compiler_ir("stablehlo"),
    "XlaComputation": lambda jax, jitted, shapes: jitted.lower(*shapes).compiler_ir("hlo"),
    "Exported": lambda jax, jitted, shapes: jax.export.export(jitted)(*shapes),
}


@pytest.mark.parametrize("kind", PROGRAMS_OF_JAX)
def test_programs_that_xla_has_not_optimized(jax, shapes, kind):
    import jax.export

    program = PROGRAMS_OF_JAX[kind](jax, jax.jit(step), shapes)
    p = hloroof.predict_step_time(program, "tpu_v5e")
    assert FLOPS <= p.totals.flops < 1.1 * FLOPS
    assert "not-optimized" in [finding.code for finding in p.diagnostics]
    assert any("tanh" in (op.op_name or "") for op in p.ops)


def test_modules_that_xla_optimized_for_the_cpu(jax, shapes):
    compiled = jax.jit(step).lower(*shapes).compile()
    modules = compiled.runtime_executable().hlo_modules()
    steps = [hloroof.predict_step_time(p, "tpu_v5e", allow_other_backend=True) for p in (compiled, modules[0], modules)]
    assert steps[0] == steps[1] == steps[2]
    assert steps[0].module.is_scheduled


def test_a_program_for_another_backend_is_refused(jax, shapes):
    compiled = jax.jit(step).lower(*shapes).compile()
    if hloroof.predict_step_time(compiled, "tpu_v5e", allow_other_backend=True).module.origin.backend != "cpu":
        pytest.skip("nothing in this program says that it is for the CPU")
    with pytest.raises(hloroof.InvalidInputError, match="compiled for the CPU") as error:
        hloroof.predict_step_time(compiled, "tpu_v5e")
    assert 'hloroof.jax.compile_for(function, arguments, "tpu_v5e")' in str(error.value)
    with pytest.raises(hloroof.InvalidInputError, match="Compile it on a h100_sxm"):
        hloroof.predict_step_time(compiled, "h100_sxm")


def test_a_text_from_before_optimization_warns():
    text = (
        "HloModule early, entry_computation_layout={(f32[1024,1024]{1,0})->f32[1024,1024]{1,0}}\n"
        "ENTRY e {\n  p = f32[1024,1024]{1,0} parameter(0)\n  ROOT r = f32[1024,1024]{1,0} negate(p)\n}\n"
    )
    with pytest.warns(UserWarning, match="early: the module is not optimized") as warned:
        assert hloroof.predict_step_time(text, "tpu_v5e").step_seconds > 0
    assert [warning.filename for warning in warned] == [__file__]


def test_the_program_of_a_tpu_is_refused_for_a_gpu(ffn):
    with pytest.raises(hloroof.InvalidInputError, match="jit_ffn was compiled for a TPU"):
        hloroof.predict_step_time(ffn, "h100_sxm")
    assert hloroof.predict_step_time(ffn, "h100_sxm", allow_other_backend=True).step_seconds > 0


@pytest.mark.parametrize("jitted", [False, True])
def test_a_function_with_arguments_for_a_gpu(jax, shapes, jitted):
    import numpy

    for arguments in (shapes, [numpy.zeros(shape.shape, shape.dtype) for shape in shapes]):
        p = hloroof.predict_step_time(jax.jit(step) if jitted else step, "h100_sxm", arguments=arguments)
        assert FLOPS <= p.totals.flops < 1.1 * FLOPS
    with pytest.raises(TypeError, match=r"arguments are a sequence, such as \(x,\), not a single ShapeDtypeStruct"):
        hloroof.predict_step_time(step, "h100_sxm", arguments=shapes[0])


def test_what_is_traced_is_lowered_for_the_device(jax):
    def platform(x):
        return jax.lax.platform_dependent(x, tpu=lambda x: x * 2, cuda=lambda x: jax.numpy.sin(x), default=lambda x: x)

    traced = jax.jit(platform).trace(jax.ShapeDtypeStruct((128, 128), "float32"))
    found = {
        device: {op.opcode for op in hloroof.predict_step_time(traced, device).ops} & {"sine", "multiply"}
        for device in ("h100_sxm", "tpu_v5e")
    }
    assert found == {"h100_sxm": {"sine"}, "tpu_v5e": {"multiply"}}


def test_a_function_with_arguments_without_libtpu(jax, shapes, monkeypatch):
    from hloroof import _ahead

    monkeypatch.setattr(_ahead, "has_compiler", lambda *_: False)
    p = hloroof.predict_step_time(step, "tpu_v5e", arguments=shapes)
    assert "not-optimized" in [finding.code for finding in p.diagnostics]


def test_devices_of_jax(jax):
    with pytest.raises(ValueError, match="no model of a CPU"):
        hloroof.predict_step_time(PRODUCT, jax.devices("cpu")[0])
