"""Products from decode to training, batches, 8-bit types, epilogues, attention by cuDNN and by XLA, convolutions."""

import sys, os

sys.path.insert(0, os.path.dirname(__file__))
from measure import *

bf, f32, f8, s8 = jnp.bfloat16, jnp.float32, jnp.float8_e4m3fn, jnp.int8
P = Programs()
S = shrunk


def dot(a, b):
    return jax.lax.dot_general(a, b, (((1,), (0,)), ((), ())), preferred_element_type=a.dtype)


NK = [(4096, 4096), (6144, 4096), (28672, 4096), (4096, 14336), (128256, 4096), (1024, 8192)]
for m in (1, 4, 16, 64, 128, 256, 512, 2048, 8192):
    for n, k in NK:
        if m >= 512 and n > 100000:
            continue
        P.add(f"d_bf16_{m}x{n}x{k}", dot, ((S(m), S(k)), bf), ((S(k), S(n)), bf))
for m in (16, 128, 1024, 8192):
    for n, k in NK[:1] + NK[2:4]:
        P.add(f"d_f32_{m}x{n}x{k}", dot, ((S(m), S(k)), f32), ((S(k), S(n)), f32))
for m, n, k in (
    (8192, 8192, 8192),
    (4096, 4096, 4096),
    (2048, 2048, 2048),
    (1024, 1024, 1024),
    (512, 512, 512),
    (256, 256, 256),
    (384, 384, 8192),
    (8192, 128, 4096),
    (3000, 3000, 3000),
    (4096, 11008, 4096),
):
    P.add(f"d_bf16_{m}x{n}x{k}s", dot, ((S(m), S(k)), bf), ((S(k), S(n)), bf))
for m, n, k in ((4096, 4096, 4096), (8192, 14336, 4096)):
    P.add(
        f"nt_bf16_{m}x{n}x{k}",
        lambda a, b: jax.lax.dot_general(a, b, (((1,), (1,)), ((), ()))),
        ((S(m), S(k)), bf),
        ((S(n), S(k)), bf),
    )
    P.add(
        f"tn_bf16_{m}x{n}x{k}",
        lambda a, b: jax.lax.dot_general(a, b, (((0,), (0,)), ((), ()))),
        ((S(k), S(m)), bf),
        ((S(k), S(n)), bf),
    )
    P.add(
        f"ep_gelu_bf16_{m}x{n}x{k}",
        lambda a, b, c: jax.nn.gelu(a @ b + c),
        ((S(m), S(k)), bf),
        ((S(k), S(n)), bf),
        ((S(n),), bf),
    )
    P.add(
        f"ep_res_bf16_{m}x{n}x{k}",
        lambda a, b, c: a @ b + c,
        ((S(m), S(k)), bf),
        ((S(k), S(n)), bf),
        ((S(m), S(n)), bf),
    )
    P.add(
        f"ep_f32acc_bf16_{m}x{n}x{k}",
        lambda a, b: jax.lax.dot_general(a, b, (((1,), (0,)), ((), ())), preferred_element_type=f32),
        ((S(m), S(k)), bf),
        ((S(k), S(n)), bf),
    )
    P.add(
        f"f8_{m}x{n}x{k}",
        lambda a, b, s: (jax.lax.dot_general(a.astype(bf), b.astype(bf), (((1,), (1,)), ((), ()))) * s).astype(bf),
        ((S(m), S(k)), f8),
        ((S(n), S(k)), f8),
        ((), bf),
    )
    P.add(
        f"s8_{m}x{n}x{k}",
        lambda a, b: jax.lax.dot_general(a, b, (((1,), (0,)), ((), ())), preferred_element_type=jnp.int32),
        ((S(m), S(k)), s8),
        ((S(k), S(n)), s8),
    )
    P.add(f"w8_{m}x{n}x{k}", lambda a, b: a @ b.astype(bf), ((S(m), S(k)), bf), ((S(k), S(n)), s8))
for m in (16, 256):
    P.add(f"w8_{m}x28672x4096", lambda a, b: a @ b.astype(bf), ((S(m), S(4096)), bf), ((S(4096), S(28672)), s8))
for b, m, n, k in (
    (256, 1024, 1024, 64),
    (256, 1024, 64, 1024),
    (128, 2048, 2048, 128),
    (128, 2048, 128, 2048),
    (1024, 64, 64, 64),
    (64, 512, 512, 512),
    (256, 1, 4096, 128),
    (8, 4096, 4096, 1024),
):
    P.add(
        f"b_bf16_{b}_{m}x{n}x{k}",
        lambda x, y: jnp.einsum("bmk,bkn->bmn", x, y),
        ((b, S(m), S(k)), bf),
        ((b, S(k), S(n)), bf),
    )
    P.add(
        f"b_f32_{b}_{m}x{n}x{k}",
        lambda x, y: jnp.einsum("bmk,bkn->bmn", x, y),
        ((b, S(m), S(k)), f32),
        ((b, S(k), S(n)), f32),
    )
P.add(
    "rd_bf16",
    lambda x, w, g: jax.lax.ragged_dot(x, w, g),
    ((S(8192), S(2048)), bf),
    ((16, S(2048), S(4096)), bf),
    ((16,), jnp.int32, 512),
)


# Attention
def att(impl, causal):
    return lambda q, k, v: jax.nn.dot_product_attention(q, k, v, is_causal=causal, implementation=impl)


def attg(impl, causal):
    return lambda q, k, v, t: jax.vjp(att(impl, causal), q, k, v)[1](t)


impl = "xla" if SMALL else "cudnn"
for b, s, h, kv, d in (
    (16, 1024, 16, 16, 128),
    (8, 2048, 16, 16, 128),
    (4, 4096, 16, 16, 128),
    (2, 8192, 16, 16, 128),
    (4, 4096, 32, 32, 64),
    (8, 2048, 16, 16, 64),
    (4, 4096, 32, 8, 128),
    (32, 512, 12, 12, 64),
    (1, 16384, 16, 16, 128),
):
    for c in (True, False):
        n = f"{b}x{s}x{h}x{kv}x{d}_{'c' if c else 'f'}"
        P.add("a_fwd_" + n, att(impl, c), ((b, S(s), h, d), bf), ((b, S(s), kv, d), bf), ((b, S(s), kv, d), bf))
        P.add(
            "a_bwd_" + n,
            attg(impl, c),
            ((b, S(s), h, d), bf),
            ((b, S(s), kv, d), bf),
            ((b, S(s), kv, d), bf),
            ((b, S(s), h, d), bf),
        )
for b, s, h, kv, d in ((4, 2048, 16, 16, 128), (8, 1024, 12, 12, 64)):
    n = f"{b}x{s}x{h}x{kv}x{d}"
    P.add("a_xla_fwd_" + n, att("xla", True), ((b, S(s), h, d), bf), ((b, S(s), kv, d), bf), ((b, S(s), kv, d), bf))
    P.add(
        "a_xla_bwd_" + n,
        attg("xla", True),
        ((b, S(s), h, d), bf),
        ((b, S(s), kv, d), bf),
        ((b, S(s), kv, d), bf),
        ((b, S(s), h, d), bf),
    )
for b, s, h, kv, d in ((32, 4096, 32, 8, 128), (128, 1024, 32, 32, 128)):
    P.add(
        f"a_dec_xla_{b}x{s}x{h}x{kv}x{d}",
        lambda q, k, v: jax.nn.dot_product_attention(q, k, v, implementation="xla"),
        ((b, 1, h, d), bf),
        ((b, S(s), kv, d), bf),
        ((b, S(s), kv, d), bf),
    )
    P.add(
        f"a_dec_cudnn_{b}x{s}x{h}x{kv}x{d}",
        lambda q, k, v: jax.nn.dot_product_attention(q, k, v, implementation=impl),
        ((b, 1, h, d), bf),
        ((b, S(s), kv, d), bf),
        ((b, S(s), kv, d), bf),
    )


# Convolutions
def conv(s, pad="SAME"):
    return lambda x, w: jax.lax.conv_general_dilated(x, w, (s, s), pad, dimension_numbers=("NHWC", "HWIO", "NHWC"))


for dn, d in (("bf16", bf), ("f32", f32)):
    for n, hw, ci, co, kk, st in (
        (128, 224, 3, 64, 7, 2),
        (128, 56, 64, 64, 3, 1),
        (128, 56, 64, 256, 1, 1),
        (128, 28, 128, 128, 3, 1),
        (128, 14, 256, 256, 3, 1),
        (128, 7, 512, 512, 3, 1),
        (16, 64, 320, 320, 3, 1),
    ):
        xs, ws = ((n if not SMALL else 2, hw, hw, ci), d), ((kk, kk, ci, co), d)
        P.add(f"c_fwd_{dn}_{hw}_{ci}_{co}_{kk}", conv(st), xs, ws)
        if kk == 3 and dn == "bf16":
            P.add(
                f"c_bwd_{dn}_{hw}_{ci}_{co}_{kk}",
                lambda x, w: jax.vjp(conv(1), x, w)[1](x[..., :1] * jnp.ones((w.shape[-1],), x.dtype)),
                xs,
                ws,
            )
only = os.environ.get("ONLY")
if only:
    P.items = [i for i in P.items if any(i[0].startswith(o) for o in only.split(","))]
run_group("products", P, float(os.environ.get("DEADLINE", 280)), runs=5)
pack("products")
