"""torch_xla: how long does the training step of a loop in PyTorch take on a TPU v5e, and does a larger batch use it better?

    pip install torch==2.9.1 torch_xla==2.9.0 jax libtpu hloroof
    python examples/recipes/torch_xla_model.py

torch_xla records the operations of the step, here with its backend for the CPU, and writes them as StableHLO, which JAX calls as if
`jax.export` had written it. The step does not run.
"""

import dataclasses
import os
import re

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("PJRT_DEVICE", "CPU")
os.environ.setdefault("JAX_ENABLE_X64", "1")  # labels of PyTorch have 64 bits

import jax
import jax.export
import torch
import torch_xla
import torch_xla.core.xla_model as xm

import hloroof.jax

WIDTH, HEADS, LAYERS, TOKENS, CLASSES = 1024, 16, 4, 512, 1000
DEVICE = "tpu_v5e"
TYPES = {"bf16": "bfloat16", "f32": "float32", "i64": "int64"}


def recorded_step(batch):
    """Records one training step, and returns the tensors that it writes."""
    place = torch_xla.device()
    layer = torch.nn.TransformerEncoderLayer(WIDTH, HEADS, 4 * WIDTH, 0.0, "gelu", batch_first=True, norm_first=True)
    encoder = torch.nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False)
    model = torch.nn.Sequential(encoder, torch.nn.Linear(WIDTH, CLASSES)).to(place, torch.bfloat16)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    x = torch.zeros(batch, TOKENS, WIDTH, dtype=torch.bfloat16).to(place)
    labels = torch.zeros(batch, dtype=torch.int64).to(place)
    torch_xla.sync()  # what was recorded so far is no part of the step
    loss = torch.nn.functional.cross_entropy(model(x).mean(dim=1).float(), labels)
    loss.backward()
    optimizer.step()
    return [loss, *model.parameters()]


def shapes_in(text):
    """Returns the shapes of the tensors in a text such as `tensor<8x1024xbf16>, tensor<f32>`."""
    found = re.findall(r"tensor<((?:\d+x)*)(\w+)>", text)
    return [jax.ShapeDtypeStruct(tuple(map(int, sizes.split("x")[:-1])), TYPES[kind]) for sizes, kind in found]


def function_of(tensors):
    """Returns a function of JAX with the program that writes these tensors, and the shapes of what the program takes."""
    signature = re.search(r"func @main\((.*?)\) -> (.*) {", xm.get_stablehlo(tensors))
    taken, written = map(shapes_in, signature.groups())
    # A function of the same signature, whose program is then replaced.
    stand_in = jax.jit(lambda *arrays: [jax.numpy.zeros(each.shape, each.dtype) for each in written])
    exported = jax.export.export(stand_in, platforms=["tpu"])(*taken)
    program = {"mlir_module_serialized": xm.get_stablehlo_bytecode(tensors), "module_kept_var_idx": tuple(range(len(taken)))}
    return dataclasses.replace(exported, **program).call, taken


for batch in (8, 32):
    step, arguments = function_of(recorded_step(batch))
    weights = [i for i, each in enumerate(arguments) if each.dtype == "bfloat16" and each.shape not in ((), (batch, TOKENS, WIDTH))]
    p = hloroof.jax.compile_for(step, arguments, DEVICE, donate_argnums=weights).predict()
    print(f"batch {batch:3}{p.step_seconds * 1e3:8.2f} ms  MFU {p.mfu:5.1%}  bound by {p.bound}, "
          f"peak memory {p.memory.hbm_peak_bytes / 2**30:.2f} GiB")  # fmt: skip
