"""torchax: how long does a training step of a PyTorch model take on a TPU v5e, and what do bfloat16 weights change?

    pip install torch==2.9.1 torchax flax jax libtpu hloroof
    python examples/recipes/torchax_model.py

torchax runs the operations of PyTorch on JAX. A model on the device "meta" has shapes and no arrays.
"""

import math
import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
import torch
from torchax import interop

import hloroof.jax

WIDTH, HEADS, LAYERS, TOKENS, CLASSES = 1024, 16, 4, 512, 1000
BATCH = 32
DEVICE = "tpu_v5e"


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.qkv, self.out = torch.nn.LayerNorm(WIDTH), torch.nn.Linear(WIDTH, 3 * WIDTH), torch.nn.Linear(WIDTH, WIDTH)
        self.up, self.down = torch.nn.Linear(WIDTH, 4 * WIDTH), torch.nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        q, k, v = (
            each.unflatten(-1, (HEADS, WIDTH // HEADS)).transpose(1, 2) for each in self.qkv(self.norm(x)).chunk(3, dim=-1)
        )
        # By a whole number: torchax makes float32 of a bfloat16 array that is divided by a float.
        attended = torch.softmax(q @ k.transpose(-1, -2) / math.isqrt(WIDTH // HEADS), dim=-1) @ v
        x = x + self.out(attended.transpose(1, 2).flatten(-2))
        return x + self.down(torch.nn.functional.gelu(self.up(x)))


with torch.device("meta"):
    model = torch.nn.Sequential(*(Block() for _ in range(LAYERS)), torch.nn.Linear(WIDTH, CLASSES))


@interop.jax_view
def forward(weights, x):
    return torch.func.functional_call(model, weights, (x,))


def train_step(weights, x, labels):
    def loss(weights):
        logits = forward(weights, x).mean(axis=1).astype(jnp.float32)
        return -jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=1).mean()

    value, slopes = jax.value_and_grad(loss)(weights)
    return jax.tree.map(lambda weight, slope: weight - jnp.asarray(1e-3, weight.dtype) * slope, weights, slopes), value


for dtype in (jnp.float32, jnp.bfloat16):
    weights = {name: jax.ShapeDtypeStruct(tuple(weight.shape), dtype) for name, weight in model.state_dict().items()}
    batch = jax.ShapeDtypeStruct((BATCH, TOKENS, WIDTH), dtype), jax.ShapeDtypeStruct((BATCH,), jnp.int32)
    p = hloroof.jax.compile_for(train_step, (weights, *batch), DEVICE, donate_argnums=0).predict()
    print(f"{jnp.dtype(dtype).name:9}{p.step_seconds * 1e3:8.2f} ms  MFU {p.mfu:5.1%}  bound by {p.bound}, "
          f"peak memory {p.memory.hbm_peak_bytes / 2**30:.2f} GiB")  # fmt: skip
