"""The normalizations of rows whose fusions access.py measures and residency.py compiles."""

import jax
import jax.numpy as jnp


def layer_norm(x, g, b):
    y = x.astype(jnp.float32)
    m = y.mean(-1, keepdims=True)
    v = y.var(-1, keepdims=True)
    return ((y - m) * jax.lax.rsqrt(v + 1e-5) * g + b).astype(x.dtype)


def rms_norm(x, g):
    y = x.astype(jnp.float32)
    return (y * jax.lax.rsqrt((y * y).mean(-1, keepdims=True) + 1e-6) * g).astype(x.dtype)
