"""Compiles for NVIDIA GPUs that are not there. Most tests need JAX with its CUDA plugin, ptxas and libdevice; none needs a GPU."""

import importlib.util
import json
import os
import re
import shutil

import pytest

import hloroof
import hloroof.jax
from hloroof import _ahead, _core, _cuda

has_ptxas = os.path.exists("/usr/local/cuda/bin/ptxas") or shutil.which("ptxas") or importlib.util.find_spec("nvidia.cuda_nvcc")
has_plugin = pytest.mark.skipif(
    importlib.util.find_spec("jax") is None or _cuda.plugin() is None or not has_ptxas,
    reason="needs jax, its CUDA plugin, and ptxas",
)

GPUS = [name for name in hloroof.device_names() if json.loads(_core.devices([name])[1])["vendor"] == "NVIDIA"]


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("HLOROOF_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")


def array(*sizes):
    import jax

    return jax.ShapeDtypeStruct(sizes, "bfloat16")


def train(w, x):
    """A gradient step of two layers, the weights sharded over the devices."""
    import jax
    import jax.numpy as jnp

    def loss(w):
        return (jax.nn.silu(x @ w["in"]) @ w["out"]).astype(jnp.float32).sum()

    return jax.tree.map(lambda a, g: a - g, w, jax.grad(loss)(w))


def compiled_step(device, **more):
    from jax.sharding import PartitionSpec as P

    weights = {"in": P("data"), "out": P("data")}
    return hloroof.jax.compile_for(
        train,
        ({"in": array(1024, 4096), "out": array(4096, 1024)}, array(8192, 1024)),
        device,
        mesh={"data": 8},
        in_shardings=(weights, P("data")),
        out_shardings=weights,
        donate_argnums=0,
        **more,
    )


def field(text, name):
    return re.search(rf"\b{name}: (\S+)", text)[1]


@pytest.mark.parametrize("device", GPUS)
def test_the_target_of_every_gpu(device):
    assert _cuda.is_cuda(device) and _ahead.chip_of(device).platform == "cuda"
    text = _cuda.target_config(device)
    assert text.count("{") == text.count("}")
    per_core, optin = int(field(text, "shared_memory_per_core")), int(field(text, "shared_memory_per_block_optin"))
    assert 48 << 10 <= optin <= per_core <= 228 << 10
    assert int(field(text, "fpus_per_core")) in (64, 128)
    assert field(text, "name").strip('"') and int(field(text, "core_count")) >= 40


def test_the_target_of_h100_is_that_of_the_driver():
    """The numbers that a driver reports of an H100 SXM, as openxla/xla publishes them in target_config/specs."""
    text = _cuda.target_config("h100:8")
    for name, value in {
        "threads_per_block_limit": "1024",
        "shared_memory_per_block": "49152",
        "shared_memory_per_core": "233472",
        "shared_memory_per_block_optin": "232448",
        "threads_per_core_limit": "2048",
        "core_count": "132",
        "fpus_per_core": "128",
        "l2_cache_size": "52428800",
        "clock_rate_ghz": "1.98",
        "registers_per_core_limit": "65536",
        "active_links": "18",
    }.items():
        assert field(text, name) == value, name
    assert 'name: "NVIDIA H100 80GB HBM3"' in text
    assert "cuda_compute_capability { major: 9 minor: 0 feature_extension: ACCELERATED_FEATURES }" in text
    assert "cuda_compute_capability { major: 8 minor: 0 }" in _cuda.target_config("a100")
    assert "active_links" not in _cuda.target_config("l40s")


def test_sources_of_the_limits_have_titles(root):
    table, titles = (
        json.loads((root / "data" / "hardware" / f"{name}.json").read_text()) for name in ("cuda_targets", "sources")
    )
    assert json.loads(_core.cuda_targets()) == table
    assert {row["source"] for name, row in table.items() if name != "schema"} <= set(titles)


def test_other_devices_are_no_cuda_gpus():
    assert not _cuda.is_cuda("tpu_v5e:4x4") and not _cuda.is_cuda("mi300x")
    with pytest.raises(hloroof.NotFoundError):
        _cuda.is_cuda("h9000")


def test_the_plugin_is_named_if_it_is_missing(monkeypatch):
    monkeypatch.setattr(_cuda, "plugin", lambda: None)
    with pytest.raises(ImportError, match="CUDA plugin, and no GPU: pip install jax-cuda12-plugin.* nvidia-cuda-nvcc-cu12"):
        hloroof.jax.compile_for(train, (), "h100_sxm:8")
    with pytest.raises(ImportError, match="hloroof.tune needs JAX's CUDA plugin"):
        _ahead.check_compiler("cuda", "hloroof.tune")


@pytest.mark.parametrize(
    "said, meaning",
    [
        ("INTERNAL: libdevice not found at ./libdevice.10.bc", "pip install nvidia-cuda-nvcc-cu12"),
        ("UNIMPLEMENTED: /usr/bin/ptxas ptxas too old. Falling back to the driver to compile.", "does not compile for this GPU"),
        ("RESOURCE_EXHAUSTED: Shared memory size limit exceeded: requested 300000", "more shared memory than a block"),
        ("INVALID_ARGUMENT: No such compile option: 'xla_gpu_nonsense'", "XLA has no option xla_gpu_nonsense"),
    ],
)
def test_messages_of_xla(said, meaning):
    explained = _ahead.explain_failure(said, "XLA").splitlines()
    assert meaning in explained[0] and explained[1] == "XLA: " + said.partition(": ")[2]


@has_plugin
@pytest.mark.parametrize("device", ["h100_sxm", "b200_sxm", "a100_sxm_80"])
def test_a_training_step_for_eight(device):
    compiled = compiled_step(f"{device}:8")
    assert compiled.device == f"{device}:8" and not compiled.from_cache
    p = compiled.predict()
    assert p.device.name == device and p.module.num_partitions == 8 and p.memory.fits
    assert (p.module.origin.backend, p.module.origin.stage) == ("gpu", "optimized")
    assert p.collectives and {c.group_size for c in p.collectives} == {8}
    assert p.totals.flops >= 4 * 2 * 1024 * 1024 * 4096  # all but the last product of the forward pass, of which only the sum is asked
    assert "op_name=\"w[\\'in\\']\"" in compiled.text and "call_exported" not in compiled.text
    again = compiled_step(f"{device}:8")
    assert again.from_cache and again.text == compiled.text


@has_plugin
def test_one_gpu_and_a_function_as_a_program():
    p = hloroof.predict_step_time(lambda x, w: x @ w, "h100_sxm", arguments=(array(8192, 4096), array(4096, 4096)))
    assert p.module.origin.stage == "optimized" and p.module.num_partitions == 1


@has_plugin
def test_a_device_file(tmp_path):
    half = {"value": 66, "unit": "1", "per": "chip", "kind": "user", "source": "OURS"}
    file = tmp_path / "half.json"
    facts = {"schema": "hloroof.device/1", "name": "half", "extends": "h100_sxm", "display_name": 'a "half"'}
    file.write_text(json.dumps({**facts, "sources": {"OURS": "ours"}, "vector": {"compute_units": half}}))
    assert field(_cuda.target_config(str(file)), "core_count") == "66"
    compiled = hloroof.jax.compile_for(lambda x, w: x @ w, (array(4096, 4096), array(4096, 4096)), file)
    assert compiled.device == str(file) and compiled.predict().device.name == "half"


@has_plugin
def test_the_number_of_gpus():
    from jax.sharding import PartitionSpec as P

    def scaled(x):
        return (x * x).sum()

    more = {"mesh": {"data": 16}, "in_shardings": (P("data"),)}
    two = hloroof.jax.compile_for(scaled, (array(1 << 20),), "h100_sxm", **more)
    assert two.device == "h100_sxm:16" and two.predict().module.num_partitions == 16
    with pytest.raises(ValueError, match="the program is for 16 devices, and h100_sxm:8 has 8"):
        hloroof.jax.compile_for(scaled, (array(1 << 20),), "h100_sxm:8", **more)


@has_plugin
def test_what_does_not_fit_is_compiled_and_predicted_not_to_fit():
    compiled = hloroof.jax.compile_for(lambda x: x * 2, (array(1 << 19, 1 << 16),), "h100_sxm")
    p = compiled.predict()
    assert p.memory.fits is False and [d for d in p.diagnostics if d.code == "memory-over-capacity"]


@has_plugin
def test_what_the_compiler_rejects():
    small = (array(8, 8), array(8, 8))
    with pytest.raises(hloroof.CompileError, match="XLA has no option xla_gpu_nonsense"):
        hloroof.jax.compile_for(lambda x, w: x @ w, small, "h100_sxm", options={"xla_gpu_nonsense": True})
    with pytest.raises(hloroof.CompileError, match="did not finish in 0.05 seconds"):
        hloroof.jax.compile_for(lambda x, w: x @ w, small, "h100_sxm", timeout=0.05, cache=False)


@has_plugin
def test_options_of_the_compiler():
    more = {"options": {"xla_gpu_enable_triton_gemm": False}}
    compiled = hloroof.jax.compile_for(lambda x, w: x @ w, (array(4096, 4096), array(4096, 4096)), "h100_sxm", **more)
    assert "__cublas$" in compiled.text


@has_plugin
def test_what_each_pass_did(tmp_path):
    flags = {"xla_dump_to": str(tmp_path), "xla_dump_hlo_as_text": True, "xla_dump_hlo_pass_re": ".*"}
    compiled = compiled_step("h100_sxm:8", options=flags, cache=False)
    passes = hloroof.passes(tmp_path, "h100_sxm:8")
    rows = passes.records()
    assert len(rows) > 70 and not [row for row in rows if row["error"]]
    assert rows[0]["state"] == "not partitioned" and not rows[-1]["state"]
    assert rows[-1]["step_seconds"] == compiled.predict().step_seconds
    assert "priority-fusion" in str(passes)


@has_plugin
def test_kernels_of_cudnn_and_pallas():
    """Their calls have no guarantees of compatibility, which one JAX does not need."""
    import jax
    from jax.experimental import pallas as pl
    from jax.experimental.pallas import triton

    heads = (array(2, 1024, 8, 64), array(2, 1024, 8, 64), array(2, 1024, 8, 64))
    attention = hloroof.jax.compile_for(
        lambda q, k, v: jax.nn.dot_product_attention(q, k, v, is_causal=True, implementation="cudnn"), heads, "h100_sxm"
    )
    assert "__cudnn$fmha" in attention.text and attention.predict().coverage.unknown == 0

    def double(x, o):
        o[...] = x[...] * 2

    def kernel(x):
        block = pl.BlockSpec((64, 64), lambda i, j: (i, j))
        return pl.pallas_call(
            double, out_shape=x, grid=(16, 16), in_specs=[block], out_specs=block, compiler_params=triton.CompilerParams()
        )(x)

    doubled = hloroof.jax.compile_for(kernel, (array(1024, 1024),), "h100_sxm").predict()
    assert doubled.coverage.unknown == 0 and doubled.totals.hbm_bytes == 2 * 2 * 1024 * 1024


@has_plugin
def test_shapes_that_the_first_block_of_triton_does_not_admit():
    """XLA then fails: the compile goes on without Triton products, and with the options of the caller it does not."""
    import jax

    def layer(w, x):
        q, k, v = (part[:, :, 0] for part in jax.numpy.split((x @ w["in"]).reshape(16, 196, 3, 12, 64), 3, axis=2))
        return (jax.nn.dot_product_attention(q, k, v).reshape(x.shape) @ w["out"]).sum()

    call = (layer, ({"in": array(768, 2304), "out": array(768, 768)}, array(16, 196, 768)), "h100_sxm")
    assert "__cublas$" in hloroof.jax.compile_for(*call).text
    with pytest.raises(hloroof.CompileError, match="find output tile sizes"):
        hloroof.jax.compile_for(*call, options={"xla_gpu_enable_triton_gemm": True})
