"""What the whole programs have in common: sizes, parameters, norms and the loss."""

from measure import *

bf, f16, f32 = jnp.bfloat16, jnp.float16, jnp.float32
f8, f8g = jnp.float8_e4m3fn, jnp.float8_e5m2
FLASH = "xla" if SMALL else "cudnn"


def q(big, small):
    return small if SMALL else big


def leaf(t):
    return is_spec(t)


def kind(p, k):
    return jax.tree.map(lambda t: (t[0], t[1], k), p, is_leaf=leaf)


def states(p):
    return (kind(p, "init"), kind(p, "zeros"), kind(p, "zeros"))


def rms(x, g):
    y = x.astype(f32)
    return (y * jax.lax.rsqrt((y * y).mean(-1, keepdims=True) + 1e-6) * g.astype(f32)).astype(x.dtype)


def lnorm(x, g, b):
    y = x.astype(f32)
    m = y.mean(-1, keepdims=True)
    v = ((y - m) ** 2).mean(-1, keepdims=True)
    return ((y - m) * jax.lax.rsqrt(v + 1e-5) * g + b).astype(x.dtype)


def xent(logits, labels):
    z = jax.nn.logsumexp(logits.astype(f32), -1)
    return (z - jnp.take_along_axis(logits, labels[..., None], -1)[..., 0].astype(f32)).mean()


def training(loss, adam):
    def step(state, batch):
        p, m, v = state
        out = jax.tree.map(adam, p, m, v, jax.grad(loss)(p, batch))
        return (tuple(jax.tree.map(lambda t: t[i], out, is_leaf=lambda t: isinstance(t, tuple)) for i in range(3)),)

    return step
