"""The programs of agent_loop.py: JAX functions with choices, compiled ahead of time for a TPU v5e that is not there.

A choice has values and a kind, which says what an agent would change: the sharding, a layout, a loop, block sizes and so on. The
first value of each choice makes the program that the agent finds. Values of an ordered choice are changed to the next one only.
"""

import dataclasses
import itertools
from typing import Any, Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl, topologies
from jax.experimental.pallas import tpu as pltpu
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


@dataclasses.dataclass(frozen=True)
class Choice:
    name: str
    kind: str
    values: tuple[Any, ...]
    is_ordered: bool = False


@dataclasses.dataclass(frozen=True)
class Program:
    name: str
    device: str
    choices: tuple[Choice, ...]
    lower: Callable[..., Any]
    """From a value of each choice, by name, to a jax.stages.Lowered."""

    def variants(self):
        names = [choice.name for choice in self.choices]
        return [dict(zip(names, values)) for values in itertools.product(*(choice.values for choice in self.choices))]


def mesh_of(topology, **axes):
    devices = topologies.get_topology_desc(topology_name=topology, platform="tpu").devices
    count = int(np.prod(list(axes.values())))
    return Mesh(np.array(devices[:count]).reshape(tuple(axes.values())), tuple(axes))


def array(mesh, shape, dtype=jnp.bfloat16, *spec):
    return jax.ShapeDtypeStruct(shape, dtype, sharding=NamedSharding(mesh, P(*spec)))


def feed_forward(mesh, weights, hidden):
    """A feed-forward layer on eight chips. A constraint may ask for the hidden array whole on each of them."""
    rows, columns = map(int, mesh.split("x"))
    mesh = mesh_of("v5e:2x4", data=rows, model=columns)
    split = P("data", "model") if hidden == "sharded" else P("data", None)
    over_data = "data" if weights == "sharded" else None

    def layer(x, up, down):
        h = jax.lax.with_sharding_constraint(jax.nn.gelu(x @ up), NamedSharding(mesh, split))
        return h @ down

    x = array(mesh, (16384, 4096), jnp.bfloat16, "data", None)
    up, down = (4096, 16384), (16384, 4096)
    return jax.jit(layer, out_shardings=x.sharding).lower(
        x, array(mesh, up, jnp.bfloat16, over_data, "model"), array(mesh, down, jnp.bfloat16, "model", over_data)
    )


def decode(cache, order, donated):
    """One token of 16 sequences through 8 layers of attention that read a cache of 2048 positions."""
    layers, batch, length, heads, width = 8, 16, 2048, 8, 128
    mesh = mesh_of("v5e:2x2", one=1)
    sizes = {"b": batch, "t": length, "h": heads, "d": width}

    def attend(x, weight, keys, values, position):
        query = (x @ weight).reshape(batch, heads, width)
        begin = tuple(position if axis == "t" else 0 for axis in order)
        new = jnp.einsum("bhd->" + order.replace("t", ""), query)
        new = jnp.expand_dims(new, order.index("t"))
        keys = jax.lax.dynamic_update_slice(keys, new, begin)
        values = jax.lax.dynamic_update_slice(values, new, begin)
        scores = jnp.einsum(f"bhd,{order}->bht", query, keys, preferred_element_type=jnp.float32)
        shares = jax.nn.softmax(jnp.where(jnp.arange(length) <= position, scores, -1e30), axis=-1).astype(x.dtype)
        return x + jnp.einsum(f"bht,{order}->bhd", shares, values).reshape(batch, heads * width), keys, values

    def in_scan(x, weights, keys, values, position):
        def body(x, inputs):
            x, k, v = attend(x, *inputs, position)
            return x, (k, v)

        x, (keys, values) = jax.lax.scan(body, x, (weights, keys, values))
        return x, keys, values

    def in_carry(x, weights, keys, values, position):
        def body(index, carry):
            x, keys, values = carry
            x, k, v = attend(x, weights[index], keys[index], values[index], position)
            update = jax.lax.dynamic_update_index_in_dim
            return x, update(keys, k, index, 0), update(values, v, index, 0)

        return jax.lax.fori_loop(0, layers, body, (x, keys, values))

    def in_list(x, weights, keys, values, position):
        keys, values = list(keys), list(values)
        for index in range(layers):
            x, keys[index], values[index] = attend(x, weights[index], keys[index], values[index], position)
        return x, keys, values

    one = tuple(sizes[axis] for axis in order)
    stack = [array(mesh, one) for _ in range(layers)] if cache == "list" else array(mesh, (layers, *one))
    step = {"scan": in_scan, "carry": in_carry, "list": in_list}[cache]
    return jax.jit(step, donate_argnums=(2, 3) if donated else ()).lower(
        array(mesh, (batch, heads * width)), array(mesh, (layers, heads * width, heads * width)), stack, stack, array(mesh, (), jnp.int32)
    )


def attention(order, dtype, shares):
    """Attention of many short sequences with narrow heads, whose last dimension may be padded to 128."""
    mesh = mesh_of("v5e:2x2", one=1)
    sizes = {"b": 512, "t": 64, "h": 16, "d": 16}
    other = order.replace("t", "s")

    def attend(query, key, value):
        scores = jnp.einsum(f"{order},{other}->bhts", query, key, preferred_element_type=jnp.float32)
        return jnp.einsum(f"bhts,{other}->{order}", jax.nn.softmax(scores, axis=-1).astype(shares), value).astype(dtype)

    inputs = array(mesh, tuple(sizes[axis] for axis in order), jnp.dtype(dtype))
    return jax.jit(attend).lower(inputs, inputs, inputs)


def matmul(m, n, k):
    """A Pallas product of 4096 x 4096 x 4096 in blocks of m x n x k."""
    mesh = mesh_of("v5e:2x2", one=1)

    def body(x, y, z, total):
        @pl.when(pl.program_id(2) == 0)
        def _():
            total[...] = jnp.zeros_like(total)

        total[...] += jnp.dot(x[...], y[...], preferred_element_type=jnp.float32)

        @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
        def _():
            z[...] = total[...].astype(z.dtype)

    def product(x, y):
        return pl.pallas_call(
            body,
            grid=(4096 // m, 4096 // n, 4096 // k),
            in_specs=[pl.BlockSpec((m, k), lambda i, j, l: (i, l)), pl.BlockSpec((k, n), lambda i, j, l: (l, j))],
            out_specs=pl.BlockSpec((m, n), lambda i, j, l: (i, j)),
            out_shape=jax.ShapeDtypeStruct((4096, 4096), x.dtype),
            scratch_shapes=[pltpu.VMEM((m, n), jnp.float32)],
            compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel", "parallel", "arbitrary")),
        )(x, y)

    return jax.jit(product).lower(array(mesh, (4096, 4096)), array(mesh, (4096, 4096)))


def training(remat, parts):
    """One step of gradient descent on eight layers, whose activations fit in the memory only if some are computed again."""
    layers, tokens, width, hidden = 8, 32768, 2048, 8192
    mesh = mesh_of("v5e:2x2", one=1)
    policies = {"everything": None, "products": jax.checkpoint_policies.dots_saveable}

    def layer(x, weights):
        up, down = weights
        return x + jax.nn.gelu(x @ up) @ down, None

    if remat != "nothing":
        layer = jax.checkpoint(layer, policy=policies[remat])

    def loss(weights, x):
        return jnp.mean(jnp.square(jax.lax.scan(layer, x, weights)[0].astype(jnp.float32)))

    def step(weights, x):
        def add(total, part):
            return jax.tree.map(jnp.add, total, jax.grad(loss)(weights, part)), None

        if parts == 1:
            slope = jax.grad(loss)(weights, x)
        else:
            slope, _ = jax.lax.scan(add, jax.tree.map(jnp.zeros_like, weights), x.reshape(parts, tokens // parts, width))
        return jax.tree.map(lambda w, g: w - 1e-3 * g, weights, slope)

    weights = (array(mesh, (layers, width, hidden)), array(mesh, (layers, hidden, width)))
    return jax.jit(step, donate_argnums=0).lower(weights, array(mesh, (tokens, width)))


PROGRAMS = [
    Program("feed_forward", "tpu_v5e:2x4", (
        Choice("mesh", "sharding", ("4x2", "8x1", "2x4", "1x8")),
        Choice("weights", "sharding", ("sharded", "whole")),
        Choice("hidden", "sharding", ("whole", "sharded")),
    ), feed_forward),
    Program("decode", "tpu_v5e", (
        Choice("cache", "loop", ("scan", "carry", "list")),
        Choice("order", "layout", ("bthd", "bhtd", "tbhd")),
        Choice("donated", "donation", (False, True)),
    ), decode),
    Program("attention", "tpu_v5e", (
        Choice("order", "layout", ("bthd", "bhtd", "thbd", "bhdt")),
        Choice("dtype", "dtype", ("float32", "bfloat16")),
        Choice("shares", "dtype", ("float32", "bfloat16")),
    ), attention),
    Program("matmul", "tpu_v5e", (
        Choice("m", "blocks", (256, 512, 1024), True),
        Choice("n", "blocks", (256, 512, 1024), True),
        Choice("k", "blocks", (512, 1024, 2048), True),
    ), matmul),
    Program("training", "tpu_v5e", (
        Choice("remat", "remat", ("everything", "products", "nothing")),
        Choice("parts", "remat", (1, 2, 4), True),
    ), training),
]  # fmt: skip
