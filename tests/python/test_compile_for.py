"""Compiles for TPUs that are not there. Most tests need JAX and libtpu."""

import contextlib
import dataclasses
import importlib.util
import os
import pickle
import subprocess
import sys

import pytest

import hloroof
import hloroof.jax
from hloroof import _ahead, _compile_for

has_libtpu = pytest.mark.skipif(
    importlib.util.find_spec("jax") is None or importlib.util.find_spec("libtpu") is None, reason="needs jax and libtpu"
)


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("HLOROOF_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def shape(*sizes, **more):
    import jax

    return jax.ShapeDtypeStruct(sizes, "float32", **more)


def product(x, w):
    import jax.numpy as jnp

    return jnp.tanh(x @ w)


@pytest.mark.parametrize(
    "said, meaning",
    [
        ("RESOURCE_EXHAUSTED: E1000: CompileTimeHbmOom: Ran out of memory on HBM", "does not fit in the memory of a device"),
        ("RESOURCE_EXHAUSTED: Ran out of memory in memory space vmem", "does not fit in VMEM"),
        ("INVALID_ARGUMENT: No such compile option: 'xla_tpu_nonsense'", "libtpu has no option xla_tpu_nonsense"),
        ("INVALID_ARGUMENT: Failed to parse 'many' into flag xla_limit: ", "many is no value for the option xla_limit"),
        ('INVALID_ARGUMENT: Topology layout "v5e:3x5" is not divisible', "does not know a TPU of this shape"),
    ],
)
def test_messages_of_libtpu(said, meaning):
    explained = _ahead.explain_failure(said)
    assert meaning in explained.splitlines()[0]
    assert explained.splitlines()[1] == "libtpu: " + said.partition(": ")[2]


def test_messages_that_are_not_known_are_those_of_libtpu():
    assert _ahead.explain_failure("INTERNAL: something {odd}") == "something {odd}"
    assert _ahead.explain_failure("odd: A: B") == "odd: A: B"


def test_op_names_are_those_without_the_export():
    text = (
        'a = x(), metadata={op_name="jit(f)/call_exported/jit(f)/mul"}, b = x(), metadata={op_name="call_exported"}, '
        'c = x(), metadata={op_name="p__w__"}, d = x(), metadata={op_name="values[7]"}'
    )
    assert _ahead.without_export(text, "f", ["x", "p['w']"]) == (
        'a = x(), metadata={op_name="jit(f)/mul"}, b = x(), metadata={op_name="jit(f)"}, '
        "c = x(), metadata={op_name=\"p[\\'w\\']\"}, d = x(), metadata={op_name=\"values[7]\"}"
    )
    assert _ahead._parameters(["x", "p['w']"]) == ["x", "p__w__"]
    assert _ahead._parameters(["p['w']", 'p["w"]']) == _ahead._parameters(["class"]) == _ahead._parameters(["0"]) == []
    assert _ahead.without_export('op_name="values[1]"', "f", ["p['w']", 'p["w"]']) == 'op_name="p[\\"w\\"]"'


@has_libtpu
def test_final_code(cache):
    compiled = hloroof.jax.compile_for(product, (shape(512, 512), shape(512, 512)), "v5e", code=True)
    assert compiled.code is not None and compiled.code.parent == compiled.path.parent
    names = sorted(file.name for file in compiled.code.iterdir())
    assert any(name.endswith("-packed-bundles-post-ra.txt.gz") for name in names)
    assert [name for name in names if not name.endswith(".gz")] == [names[0]] and names[0].endswith("-TLP-hlo.txt")
    by_code, by_model = compiled.predict(), compiled.predict(code="")
    assert by_code.coverage.code > 0.5 and by_model.coverage.code == 0
    assert {op.source for op in by_code.ops} >= {"code"}
    assert by_code.step_seconds == pytest.approx(by_model.step_seconds, rel=0.5)
    again = hloroof.jax.compile_for(product, (shape(512, 512), shape(512, 512)), "v5e", code=True)
    assert again.from_cache and again.code == compiled.code and again.predict().step_seconds == by_code.step_seconds
    assert hloroof.jax.compile_for(product, (shape(512, 512), shape(512, 512)), "v5e").code is None


@has_libtpu
def test_final_code_without_a_cache():
    compiled = hloroof.jax.compile_for(product, (shape(128, 128), shape(128, 128)), "v6e", code=True, cache=False)
    folder = compiled.code
    assert compiled.predict().coverage.code > 0
    del compiled
    assert not folder.exists()


def test_final_code_is_for_tpus(monkeypatch):
    pytest.importorskip("jax")
    monkeypatch.setattr(_ahead, "check_compiler", lambda platform, what: None)
    with pytest.raises(ValueError, match="code=True is for TPUs"):
        hloroof.jax.compile_for(product, (shape(8, 8), shape(8, 8)), "h100_sxm", code=True)


def test_devices_without_a_compiler():
    with pytest.raises(ValueError, match="no compiler for mi300x ahead of time; expected an NVIDIA GPU or one of tpu_v2"):
        hloroof.jax.compile_for(product, (), "mi300x")
    with pytest.raises(hloroof.NotFoundError):
        hloroof.jax.compile_for(product, (), "tpu_v99")


def test_libtpu_is_named_if_it_is_missing(monkeypatch):
    monkeypatch.setattr(_ahead, "has_compiler", lambda platform: False)
    with pytest.raises(ImportError, match="pip install libtpu"):
        hloroof.jax.compile_for(product, (), "tpu_v5e")


def test_the_package_does_not_import_jax():
    code = "import sys, hloroof.jax; hloroof.jax.compile_for; sys.exit('jax' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_the_cache_keeps_no_unfinished_files(cache, monkeypatch):
    path = cache / "compiled" / "a.hlo.gz"
    _compile_for._write(path, b"a")
    left, writing = path.with_name("left.unfinished"), path.with_name("writing.unfinished")
    for file in (left, writing):
        file.write_bytes(b"")
    os.utime(left, (0, 0))
    _compile_for._write(path, b"b")
    assert path.read_bytes() == b"b" and set(path.parent.iterdir()) == {path, writing}
    for error in (OSError, KeyboardInterrupt):

        def fail(*_, error=error):
            raise error

        monkeypatch.setattr(os, "replace", fail)
        with contextlib.suppress(KeyboardInterrupt):
            _compile_for._write(path, b"c")
        assert path.read_bytes() == b"b" and set(path.parent.iterdir()) == {path, writing}


@has_libtpu
def test_one_chip_and_the_cache(cache):
    compiled = hloroof.jax.compile_for(product, (shape(256, 512), shape(512, 512)), "tpu_v5e")
    assert not compiled.from_cache and compiled.path.is_relative_to(cache)
    p = compiled.predict()
    assert p.device.name == "tpu_v5e" and p.module.name == "jit_product" and p.module.origin.stage == "optimized"
    assert p == hloroof.predict_step_time(compiled, "tpu_v5e") == hloroof.predict_step_time(compiled.path, "tpu_v5e")
    assert p.totals.flops >= 2 * 256 * 512 * 512
    assert "jit(product)/dot_general" in [op.op_name for op in p.ops] and {"x", "w"} <= {op.name.partition(".")[0] for op in p.ops}
    again = hloroof.jax.compile_for(product, (shape(256, 512), shape(512, 512)), "tpu_v5e")
    assert again.from_cache and again.text == compiled.text
    for changed in [
        dict(arguments=(shape(256, 512), shape(512, 1024))),
        dict(device="tpu_v5p"),
        dict(donate_argnums=0),
        dict(options={"xla_tpu_scoped_vmem_limit_kib": "32768"}),
        dict(cache=False),
    ]:
        call = {"arguments": (shape(256, 512), shape(512, 512)), "device": "tpu_v5e", **changed}
        other = hloroof.jax.compile_for(product, **call)
        assert not other.from_cache
    assert other.path is None
    compiled.path.write_bytes(b"\x1f\x8bnonsense")
    healed = hloroof.jax.compile_for(product, (shape(256, 512), shape(512, 512)), "tpu_v5e")
    assert not healed.from_cache and healed.text == compiled.text


@has_libtpu
def test_shardings_and_donation():
    from jax.sharding import PartitionSpec as P
    import jax

    def step(params, x):
        h = jax.lax.with_sharding_constraint(x @ params["in"], P("data", "model"))
        return {name: w * 0.9 for name, w in params.items()}, (h @ params["out"]).sum()

    params = {"in": shape(512, 2048), "out": shape(2048, 512)}
    compiled = hloroof.jax.compile_for(
        step,
        (params, shape(256, 512)),
        "tpu_v5e:4x4",
        mesh={"data": 2, "model": 8},
        in_shardings=({"in": P(None, "model"), "out": P("model", None)}, P("data")),
        donate_argnums=0,
    )
    assert compiled.device == "tpu_v5e:4x4"
    p = compiled.predict()
    assert p.module.num_partitions == 16 and p.device.topology == "4x4"
    assert sorted(axis.size for axis in p.mesh) == [2, 8]
    assert "input_output_alias={ {0}: (0, {}, may-alias), {1}: (1, {}, may-alias) }" in compiled.text
    assert "op_name=\"params[\\'in\\']\"" in compiled.text and "call_exported" not in compiled.text


@has_libtpu
def test_the_module_is_that_of_a_compile_with_devices():
    """The same program, compiled in the usual way in a process of its own for the devices of the topology."""
    code = """
import jax, numpy, sys
from jax.experimental import mesh_utils, topologies
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
devices = topologies.get_topology_desc(platform="tpu", topology_name="v5e:2x4").devices
mesh = Mesh(mesh_utils.create_device_mesh((4, 2), devices=devices), ("data", "model"))
def array(sizes, *spec):
    return jax.ShapeDtypeStruct(sizes, "bfloat16", sharding=NamedSharding(mesh, P(*spec)))
def block(x, w):
    return jax.nn.silu(x @ w["in"]) @ w["out"]
w = {"in": array((1024, 4096), "data", "model"), "out": array((4096, 1024), "model", "data")}
print(jax.jit(block).lower(array((2048, 1024), "data", None), w).compile().as_text())
"""
    environment = {
        **os.environ, "JAX_PLATFORMS": "cpu", "TPU_SKIP_MDS_QUERY": "1", "ALLOW_MULTIPLE_LIBTPU_LOAD": "1"
    }  # fmt: skip
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    import jax
    from jax.sharding import PartitionSpec as P

    def block(x, w):
        return jax.nn.silu(x @ w["in"]) @ w["out"]

    def array(*sizes):
        return jax.ShapeDtypeStruct(sizes, "bfloat16")

    compiled = hloroof.jax.compile_for(
        block,
        (array(2048, 1024), {"in": array(1024, 4096), "out": array(4096, 1024)}),
        "tpu_v5e:2x4",
        mesh={"data": 4, "model": 2},
        in_shardings=(P("data", None), {"in": P("data", "model"), "out": P("model", "data")}),
    )
    usual = hloroof.predict_step_time(done.stdout, "tpu_v5e:2x4")
    ahead = compiled.predict()
    assert ahead.step_seconds == usual.step_seconds
    assert ahead.module.instructions == usual.module.instructions
    change = usual.diff(ahead)
    assert change["before"]["matched_ops_share"] == change["after"]["matched_ops_share"] == 1
    assert [op["changed"] for op in change["ops"] if op["changed"]] == []
    assert [op.name for op in ahead.ops] == [op.name for op in usual.ops]


@has_libtpu
def test_meshes_of_jax():
    import jax
    from jax.sharding import NamedSharding, PartitionSpec as P

    for kind in (jax.sharding.AxisType.Auto, jax.sharding.AxisType.Explicit):
        mesh = jax.sharding.AbstractMesh((4, 2), ("data", "model"), axis_types=(kind, kind))
        arguments = (
            shape(256, 512, sharding=NamedSharding(mesh, P("data"))),
            shape(512, 512, sharding=NamedSharding(mesh, P(None, "model"))),
        )
        compiled = hloroof.jax.compile_for(jax.jit(product), arguments, "tpu_v5e")
        assert compiled.device == "tpu_v5e:2x4"  # the smallest that has eight
        assert compiled.predict().module.num_partitions == 8
        named = hloroof.jax.compile_for(product, arguments, "tpu_v5e:2x4", mesh=mesh)
        assert named.predict() == compiled.predict()
    with pytest.raises(ValueError, match="an axis has at least one device"):
        hloroof.jax.compile_for(product, arguments, "tpu_v5e:2x4", mesh={"data": 0})
    with pytest.raises(ValueError, match="the program is for 8 devices, and tpu_v5e:2x2 has 4"):
        hloroof.jax.compile_for(jax.jit(product), arguments, "tpu_v5e:2x2")
    with pytest.raises(ValueError, match="needs the axes of the devices"):
        hloroof.jax.compile_for(product, (shape(8, 8), shape(8, 8)), "tpu_v5e", in_shardings=P("data"))


CORES = [("tpu_v4", 1), ("tpu_v4_core", 2), ("tpu_v5p", 1)]  # devices on a chip


@has_libtpu
@pytest.mark.parametrize("device, per_chip", CORES, ids=[row[0] for row in CORES])
def test_chips_of_two_cores(device, per_chip):
    """As one device or as two: what is compiled is for as many devices as hloroof says that a chip has."""
    from jax.sharding import PartitionSpec as P

    mesh = {"data": 4 * per_chip}
    compiled = hloroof.jax.compile_for(
        product, (shape(1024, 512), shape(512, 512)), f"{device}:2x2x1", mesh=mesh, in_shardings=(P("data"), P())
    )
    p = compiled.predict()
    assert p.module.num_partitions == 4 * per_chip and p.device.name == device and p.module.origin.stage == "optimized"
    with pytest.raises(ValueError, match=f"the program is for 16 devices, and {device}:2x2x1 has {4 * per_chip}"):
        more = {"mesh": {"data": 16}, "in_shardings": (P("data"), P())}
        hloroof.jax.compile_for(product, (shape(1024, 512), shape(512, 512)), f"{device}:2x2x1", **more)


@has_libtpu
def test_two_slices():
    from jax.sharding import PartitionSpec as P

    compiled = hloroof.jax.compile_for(
        product, (shape(256, 512), shape(512, 512)), "tpu_v5e:2x2*2",
        mesh={"slice": 2, "data": 4}, in_shardings=(P(("slice", "data")), P()), out_shardings=P(),
    )  # fmt: skip
    p = compiled.predict()
    assert compiled.device == "tpu_v5e:2x2*2" and p.device.slices == 2 and p.module.slices == 2


@has_libtpu
def test_what_the_compiler_rejects():
    big = shape(1 << 16, 1 << 16)
    with pytest.raises(hloroof.CompileError, match="does not fit in the memory of a device.*\n?libtpu: .*HBM") as refused:
        hloroof.jax.compile_for(product, (big, big), "tpu_v5e")
    assert "predicted from its dump: needs" in str(refused.value)
    assert not hloroof.predict_step_time(refused.value.hlo, "tpu_v5e").memory.fits
    assert pickle.loads(pickle.dumps(refused.value)).hlo == refused.value.hlo
    small = (shape(8, 8), shape(8, 8))
    with pytest.raises(hloroof.CompileError, match="libtpu has no option xla_tpu_nonsense"):
        hloroof.jax.compile_for(product, small, "tpu_v5e", options={"xla_tpu_nonsense": True})
    with pytest.raises(hloroof.CompileError, match="did not finish in 0.05 seconds"):
        hloroof.jax.compile_for(product, small, "tpu_v5e", timeout=0.05, cache=False)
    with pytest.raises(TypeError, match="dot_general"):
        hloroof.jax.compile_for(product, (shape(8, 8), shape(9, 9)), "tpu_v5e")


@has_libtpu
def test_a_crash_of_the_compiler_is_an_exception(monkeypatch):
    """libtpu aborts if one of its flags is malformed."""
    monkeypatch.setenv("LIBTPU_INIT_ARGS", "--xla_no_such_flag_at_all=true")
    with pytest.raises(hloroof.CompileError, match="xla_no_such_flag_at_all"):
        hloroof.jax.compile_for(product, (shape(8, 8), shape(8, 8)), "tpu_v5e")


@has_libtpu
def test_values_of_64_bits():
    import jax

    with jax.enable_x64(True):
        x = jax.ShapeDtypeStruct((128,), "int64")
        compiled = hloroof.jax.compile_for(lambda x: x + 1, (x,), "tpu_v5e")
    assert "s64[128]" in compiled.text


@has_libtpu
def test_a_function_as_a_program():
    p = hloroof.predict_step_time(product, "tpu_v6e", arguments=(shape(256, 512), shape(512, 512)))
    assert p.module.origin.stage == "optimized" and p.device.name == "tpu_v6e"


@has_libtpu
def test_static_and_keyword_arguments():
    def scaled(x, factor, *, bias):
        return x * factor + bias

    compiled = hloroof.jax.compile_for(
        scaled, (shape(256, 256), 3), "tpu_v5e", keyword_arguments={"bias": shape(256, 256)}, static_argnums=1
    )
    assert compiled.predict().memory.arguments_bytes == 2 * 4 * 256**2
