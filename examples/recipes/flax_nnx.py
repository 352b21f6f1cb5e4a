"""Flax NNX: how long does a training step of this model take on four TPU v5e, and which batch uses them well?

    pip install flax optax jax libtpu hloroof
    python examples/recipes/flax_nnx.py

nnx.eval_shape makes a model without arrays, so that a large one needs no memory here.
"""

import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
import optax
from flax import nnx
from jax.sharding import PartitionSpec as P

import hloroof.jax

WIDTH, HIDDEN, CLASSES = 2048, 8192, 1000
DEVICE = "tpu_v5e:2x2"


class Model(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        settings = {"dtype": jnp.bfloat16, "param_dtype": jnp.float32, "rngs": rngs}
        self.layers = nnx.List([Layer(settings) for _ in range(4)])
        self.head = nnx.Linear(WIDTH, CLASSES, **settings)

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


class Layer(nnx.Module):
    def __init__(self, settings):
        self.norm = nnx.RMSNorm(WIDTH, **settings)
        self.up = nnx.Linear(WIDTH, HIDDEN, **settings)
        self.down = nnx.Linear(HIDDEN, WIDTH, **settings)

    def __call__(self, x):
        return x + self.down(nnx.gelu(self.up(self.norm(x))))


def create():
    model = Model(nnx.Rngs(0))
    return nnx.split((model, nnx.Optimizer(model, optax.adamw(1e-3), wrt=nnx.Param)))


graph, state = nnx.eval_shape(create)


def train_step(state, x, labels):
    model, optimizer = nnx.merge(graph, state)

    def loss(model):
        return optax.softmax_cross_entropy_with_integer_labels(model(x).astype(jnp.float32), labels).mean()

    value, slope = nnx.value_and_grad(loss)(model)
    optimizer.update(model, slope)
    return nnx.state((model, optimizer)), value


print(f"one training step on {DEVICE}, the batch over four chips, the weights on each")
print(f"{'batch':>6}{'step ms':>9}{'MFU':>7}{'peak GiB':>10}  bound  exposed communication")
for batch in (2048, 8192, 32768):
    x, labels = jax.ShapeDtypeStruct((batch, WIDTH), jnp.bfloat16), jax.ShapeDtypeStruct((batch,), jnp.int32)
    p = hloroof.jax.compile_for(
        train_step, (state, x, labels), DEVICE, mesh={"data": 4}, in_shardings=(P(), P("data"), P("data")), donate_argnums=0
    ).predict()
    print(f"{batch:6}{p.step_seconds * 1e3:9.2f}{p.mfu:7.1%}{p.memory.hbm_peak_bytes / 2**30:10.2f}  {p.bound:5}"
          f"  {p.exposed_communication_seconds / p.step_seconds:.0%} of the step")  # fmt: skip
