"""Strides, narrow gathers and scatters, prefix sums, sorts by size, and products whose rows are not aligned."""

import sys, os

sys.path.insert(0, os.path.dirname(__file__))
from measure import *

bf, f32, s8, i32, f8 = jnp.bfloat16, jnp.float32, jnp.int8, jnp.int32, jnp.float8_e4m3fn
P = Programs()


def s(n):
    return max(16, n // 64) + n % 8 if SMALL and n > 64 else n


def dot(a, b):
    return jax.lax.dot_general(a, b, (((1,), (0,)), ((), ())), preferred_element_type=a.dtype)


for dn, d in (("bf16", bf), ("f32", f32)):
    for n in (16384, 16385, 16386, 16388, 16392, 16400):
        P.add(f"ua_n_{dn}_{n}", dot, ((s(8192), s(1024)), d), ((s(1024), s(n)), d))
        P.add(f"ua_k_{dn}_{n}", dot, ((s(2048), s(n)), d), ((s(n), s(2048)), d))
    P.add(
        f"ua_nt_{dn}",
        lambda a, b: jax.lax.dot_general(a, b, (((1,), (1,)), ((), ()))),
        ((s(8192), s(1024)), d),
        ((s(16385), s(1024)), d),
    )
    P.add(
        f"ua_tn_{dn}",
        lambda a, b: jax.lax.dot_general(a, b, (((0,), (0,)), ((), ()))),
        ((s(16384), s(768)), d),
        ((s(16384), s(16385)), d),
    )
    for st in (2, 4, 8, 16, 32):
        P.add(f"st_{dn}_{st}", lambda x, st=st: x[:, ::st].copy(), ((s(16384), s(16384)), d))
    for off in (1, 2, 4, 8):
        P.add(f"off_{dn}_{off}", lambda x, o=off: x[:, o : o + x.shape[1] - 8] + 1, ((s(8192), s(8192) + 8), d))
    P.add(f"shift_{dn}", lambda x: x[:, 1:] - x[:, :-1], ((s(8192), s(8192)), d))
    P.add(f"odd_{dn}", lambda x: jax.nn.softmax(x, -1), ((s(16384), s(50257 if dn == "bf16" else 30522)), d))
    P.add(f"oddadd_{dn}", lambda x: x + 1, ((s(8192), s(8193)), d))
    for w in (1, 4, 16, 64, 128, 512):
        P.add(f"gr_{dn}_{w}", lambda t, i: t[i], ((s(2**26 // w), w), d), ((s(2**24 // w),), i32, s(2**26 // w)))
        P.add(
            f"sc_{dn}_{w}",
            lambda t, i, u: t.at[i].add(u),
            ((s(2**22 // w), w), d),
            ((s(2**24 // w),), i32, s(2**22 // w)),
            ((s(2**24 // w), w), d),
        )
        P.add(
            f"ss_{dn}_{w}",
            lambda t, i, u: t.at[i].set(u),
            ((s(2**22 // w), w), d),
            ((s(2**24 // w),), i32, s(2**22 // w)),
            ((s(2**24 // w), w), d),
        )
    for lg in (12, 16, 20, 24):
        P.add(f"gt_{dn}_{lg}", lambda t, i: t[i], ((2**lg,), d), ((s(2**24),), i32, 2**lg))
    for b, n in ((1, 2**16), (1, 2**20), (1, 2**24), (256, 8192), (4096, 1024), (65536, 64)):
        P.add(f"so_{dn}_{b}x{n}", lambda x: jnp.sort(x, -1), ((b, s(n)), d))
        P.add(f"sa_{dn}_{b}x{n}", lambda x: jnp.argsort(x, -1), ((b, s(n)), d))
    for b, n in ((1, 2**22), (64, 65536), (4096, 1024), (65536, 128)):
        P.add(f"cs_{dn}_{b}x{n}", lambda x: jnp.cumsum(x, -1), ((b, s(n)), d))
        P.add(f"cs0_{dn}_{b}x{n}", lambda x: jnp.cumsum(x, 0), ((s(n), b), d))
        P.add(f"am_{dn}_{b}x{n}", lambda x: jnp.argmax(x, -1), ((b, s(n)), d))
    P.add(
        f"att_sm_{dn}",
        lambda x: jax.nn.softmax(jnp.where(jnp.tril(jnp.ones(x.shape[-2:], bool)), x.astype(f32) / 8, -1e9), -1).astype(
            x.dtype
        ),
        ((192, s(1024), s(1024)), d),
    )
    P.add(
        f"att_smb_{dn}",
        lambda x, t: jax.vjp(lambda x: jax.nn.softmax(x.astype(f32), -1).astype(x.dtype), x)[1](t),
        ((192, s(1024), s(1024)), d),
        ((192, s(1024), s(1024)), d),
    )
    P.add(f"topk_{dn}", lambda x: jax.lax.top_k(x, 8), ((s(8192), s(1024)), d))
    P.add(
        f"mp_{dn}",
        lambda x: jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME"),
        ((s(128), 112, 112, 64), d),
    )
    P.add(
        f"bnstat_{dn}",
        lambda x: (x.astype(f32).mean((0, 1, 2)), (x.astype(f32) ** 2).mean((0, 1, 2))),
        ((s(128), 56, 56, 256), d),
    )
    P.add(f"rs0_{dn}_64", lambda x: x.sum(0), ((s(401408), 64), d))
    P.add(f"rs0_{dn}_2048", lambda x: x.sum(0), ((s(6272), 2048), d))
for d, dn in ((s8, "s8"), (f8, "f8")):
    P.add(f"t8_{dn}", lambda x: x.T.copy(), ((s(8192), s(8192)), d))
    P.add(f"a8_{dn}", lambda x: (x.astype(f32) + 1).astype(bf), ((s(8192), s(8192)), d))
for n in (8, 64, 1024, 1040, 4096):
    P.add(f"gv_{n}", lambda a, b: a @ b, ((n, 4096), bf), ((4096, s(4096)), bf))
only = os.environ.get("ONLY")
if only:
    P.items = [i for i in P.items if any(i[0].startswith(o) for o in only.split(","))]
run_group("access2", P, float(os.environ.get("DEADLINE", 200)), runs=5, chunk=60)
pack("access2")
