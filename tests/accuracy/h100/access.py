"""Programs of one operation each that are bound by memory: streams, reductions, transposes, slices, gathers, scatters, sorts, chains of small kernels."""

import sys, os, time

sys.path.insert(0, os.path.dirname(__file__))
from measure import *
from norms import layer_norm, rms_norm

bf, f32, f8 = jnp.bfloat16, jnp.float32, jnp.float8_e4m3fn
P = Programs()


def S(*shape):
    return tuple(max(2, s // 64) if SMALL and s > 256 else s for s in shape)


D = {"bf16": bf, "f32": f32}
for dn, d in D.items():
    for lg in (18, 20, 22, 24, 26, 28, 30):
        n = 2**lg // (2 if dn == "bf16" else 4)
        P.add(f"s_add1_{dn}_{lg}", lambda x: x + 1, (S(n), d))
    n = 2**26
    P.add(f"s_triad_{dn}", lambda a, b, c: a + b * c, (S(n), d), (S(n), d), (S(n), d))
    P.add(f"s_gelu_{dn}", lambda x: jax.nn.gelu(x), (S(n), d))
    P.add(f"s_exp_{dn}", lambda x: jnp.exp(x), (S(n), d))
    P.add(f"s_bcrow_{dn}", lambda x, b: x + b[None, :], (S(8192, 8192), d), (S(8192), d))
    P.add(f"s_bccol_{dn}", lambda x, b: x + b[:, None], (S(8192, 8192), d), (S(8192), d))
    for C in (32, 128, 512, 2048, 4096, 8192, 32768, 131072, 2**20):
        P.add(f"r_sum_{dn}_{C}", lambda x: x.sum(-1), (S(2**26 // C, C), d))
    P.add(f"r_full_{dn}", lambda x: jnp.abs(x).max(), (S(8192, 8192), d))
    for C in (64, 512, 1024, 4096, 16384, 32768, 131072):
        P.add(f"r_softmax_{dn}_{C}", lambda x: jax.nn.softmax(x, -1), (S(2**26 // C, C), d))
    for C in (768, 1024, 4096, 8192, 16384):
        R = 2**26 // C
        P.add(f"r_ln_{dn}_{C}", layer_norm, (S(R, C), d), (S(C), f32), (S(C), f32))
        P.add(f"r_rms_{dn}_{C}", rms_norm, (S(R, C), d), (S(C), f32))
        P.add(f"r_rmsgrad_{dn}_{C}", lambda x, g, t: jax.vjp(rms_norm, x, g)[1](t), (S(R, C), d), (S(C), f32), (S(R, C), d))
    for C in (64, 128, 512, 1024, 4096, 16384, 131072):
        P.add(f"c_sum_{dn}_{C}", lambda x: x.sum(0), (S(2**26 // C, C), d))
    P.add(f"c_bias_{dn}", lambda x: x.sum((0, 1)), (S(8, 2048, 4096), d))
    P.add(f"c_mid_{dn}", lambda x: x.sum(1), (S(64, 1024, 1024), d))
    P.add(f"c_mid2_{dn}", lambda x: x.sum(1), (S(4096, 64, 256), d))
    P.add(f"rt_{dn}", lambda x, y: (x.T * y).sum(-1), (S(8192, 8192), d), (S(8192, 8192), d))
    for a, b in ((8192, 8192), (65536, 1024), (1024, 65536), (2**20, 64), (64, 2**20)):
        P.add(f"t_2d_{dn}_{a}x{b}", lambda x: x.T.copy(), (S(a, b), d))
    P.add(f"t_0213_{dn}", lambda x: x.transpose(0, 2, 1, 3).copy(), ((8,) + S(2048) + (32, 128), d))
    P.add(f"t_0213b_{dn}", lambda x: x.transpose(0, 2, 1, 3).copy(), ((8, 32) + S(2048) + (128,), d))
    P.add(f"t_0213_64_{dn}", lambda x: x.transpose(0, 2, 1, 3).copy(), ((8,) + S(2048) + (64, 64), d))
    P.add(f"t_0132_{dn}", lambda x: x.swapaxes(2, 3).copy(), ((8, 32) + S(2048) + (128,), d))
    P.add(f"t_021_{dn}", lambda x: x.transpose(0, 2, 1).copy(), ((64,) + S(1024, 1024), d))
    P.add(f"t_210_{dn}", lambda x: x.transpose(2, 1, 0).copy(), ((64,) + S(1024, 1024), d))
    P.add(f"t_1023_{dn}", lambda x: x.transpose(1, 0, 2, 3).copy(), ((8,) + S(2048) + (32, 128), d))
    P.add(f"t_nhwc_{dn}", lambda x: x.transpose(0, 2, 3, 1).copy(), ((64, 256, 56, 56), d))
    P.add(f"tf_add_{dn}", lambda x, y: x.T + y, (S(8192, 8192), d), (S(8192, 8192), d))
    P.add(f"x_slice_half_{dn}", lambda x: x[:, : x.shape[1] // 2].copy(), (S(16384, 8192), d))
    P.add(f"x_slice_64_{dn}", lambda x: x[:, 64:128].copy(), (S(2**20) + (128,), d))
    P.add(f"x_slice_rows_{dn}", lambda x: x[100 : x.shape[0] // 2].copy(), (S(16384, 8192), d))
    P.add(f"x_stride2_{dn}", lambda x: x[:, ::2].copy(), (S(16384, 8192), d))
    P.add(f"x_strider_{dn}", lambda x: x[::2].copy(), (S(16384, 8192), d))
    P.add(
        f"x_dslice_{dn}",
        lambda x, i: jax.lax.dynamic_slice_in_dim(x, i, x.shape[0] // 2),
        (S(16384, 8192), d),
        ((), jnp.int32, 8),
    )
    P.add(f"x_concat0_{dn}", lambda x, y: jnp.concatenate([x, y], 0), (S(8192, 8192), d), (S(8192, 8192), d))
    P.add(f"x_concat1_{dn}", lambda x, y: jnp.concatenate([x, y], 1), (S(8192, 8192), d), (S(8192, 8192), d))
    P.add(f"x_pad_{dn}", lambda x: jnp.pad(x, ((0, 0), (64, 64))), (S(8192, 8192), d))
    P.add(f"x_rev_{dn}", lambda x: x[:, ::-1], (S(8192, 8192), d))
    P.add(f"x_roll_{dn}", lambda x: jnp.roll(x, 5, -1), (S(8192, 8192), d))

    def rope(x, c, s):
        a, b = jnp.split(x, 2, -1)
        return jnp.concatenate([a * c - b * s, b * c + a * s], -1)

    P.add(f"x_rope_{dn}", rope, ((8,) + S(2048) + (32, 128), d), (S(2048) + (1, 64), d), (S(2048) + (1, 64), d))
    P.add(f"g_embed_{dn}", lambda t, i: t[i], (S(128256, 4096), d), (S(16384), jnp.int32, S(128256)[0]))
    P.add(f"g_embed_small_{dn}", lambda t, i: t[i], (S(2**20) + (64,), d), (S(2**20), jnp.int32, S(2**20)[0]))
    P.add(
        f"g_scatter_{dn}",
        lambda t, i, u: t.at[i].add(u),
        (S(32768, 4096), d),
        (S(16384), jnp.int32, S(32768)[0]),
        (S(16384, 4096), d),
    )
    P.add(
        f"g_taa_{dn}",
        lambda x, i: jnp.take_along_axis(x, i[:, None], 1),
        (S(16384, 32768), d),
        (S(16384), jnp.int32, S(32768)[0]),
    )
    P.add(f"g_element_{dn}", lambda x, i: x[i], (S(2**26), d), (S(2**24), jnp.int32, S(2**26)[0]))
    P.add(
        f"k_dus_{dn}",
        lambda c, u, i: jax.lax.dynamic_update_slice(c, u, (0, i, 0, 0)),
        ((32,) + S(4096) + (8, 128), d),
        ((32, 1, 8, 128), d),
        ((), jnp.int32, 8),
        donate=(0,),
    )
    P.add(f"q_cumsum_{dn}", lambda x: jnp.cumsum(x, -1), (S(4096, 8192), d))
    P.add(f"q_logsumexp_{dn}", lambda x: jax.nn.logsumexp(x, -1), (S(2048, 128256), d))
    P.add(f"q_argmax_{dn}", lambda x: jnp.argmax(x, -1), (S(2048, 32000), d))
P.add("s_cvt_bf16_f32", lambda x: x.astype(f32), (S(2**26), bf))
P.add("s_cvt_f32_bf16", lambda x: x.astype(bf), (S(2**26), f32))
P.add("s_cvt_bf16_f8", lambda x, s: jnp.clip(x.astype(f32) * s, -448, 448).astype(f8), (S(2**26), bf), ((), f32))
P.add(
    "s_quant_amax_f8",
    lambda x: (lambda a: (jnp.clip(x.astype(f32) * (448 / a), -448, 448).astype(f8), a))(jnp.abs(x).max().astype(f32)),
    (S(8192, 8192), bf),
)
P.add(
    "s_quant_row_s8",
    lambda x: (lambda a: (jnp.round(x.astype(f32) * (127 / a)).astype(jnp.int8), a))(
        jnp.abs(x).max(-1, keepdims=True).astype(f32)
    ),
    (S(8192, 8192), bf),
)


def adam(p, m, v, g):
    g = g.astype(f32)
    m = 0.9 * m + 0.1 * g
    v = 0.99 * v + 0.01 * g * g
    return p - 1e-3 * m / (jnp.sqrt(v) + 1e-8), m, v


P.add("s_adam", adam, (S(2**26), f32), (S(2**26), f32), (S(2**26), f32), (S(2**26), bf), donate=(0, 1, 2))
P.add("q_sort_1d", lambda x: jnp.sort(x), (S(2**22), f32))
P.add("q_sort_rows", lambda x: jnp.sort(x, -1), (S(64, 32768), f32))
P.add("q_argsort_rows", lambda x: jnp.argsort(x, -1), (S(64, 32768), f32))
P.add("q_sort_short", lambda x: jnp.sort(x, -1), (S(16384) + (128,), f32))
P.add("q_topk_vocab", lambda x: jax.lax.top_k(x, 50), (S(64, 128256), f32))
P.add("q_topk_moe", lambda x: jax.lax.top_k(x, 8), (S(16384) + (128,), f32))
P.add("q_cumsum_1d", lambda x: jnp.cumsum(x), (S(2**24), f32))
P.add("q_normal", lambda k: jax.random.normal(jax.random.wrap_key_data(k), S(2**26)), ((2,), jnp.uint32, 100))
P.add(
    "q_dropout",
    lambda k, x: jnp.where(jax.random.bernoulli(jax.random.wrap_key_data(k), 0.9, x.shape), x, 0),
    ((2,), jnp.uint32, 100),
    (S(8192, 8192), bf),
)
P.add("q_fft", lambda x: jnp.fft.fft(x), (S(8192, 4096), jnp.complex64))
P.add("q_fft2", lambda x: jnp.fft.rfft2(x), ((64,) + S(1024, 1024), f32))
P.add("q_iota", lambda x: jnp.tril(x), (S(8192, 8192), f32))
P.add(
    "q_where_causal",
    lambda x: jnp.where(jnp.arange(x.shape[-1])[None, :] <= jnp.arange(x.shape[-2])[:, None], x, -1e9),
    ((16,) + S(2048, 2048), f32),
)


# Launch: chains of small kernels
def chain(x, ws):
    for w in ws:
        x = jax.nn.softmax(x @ w, -1)
    return x


P.add("l_chain_dot", chain, ((128, 256), bf), [((256, 256), bf)] * 40)


def chain2(x):
    for i in range(60):
        x = jax.lax.optimization_barrier(jnp.tanh(x.T + i))
    return x


P.add("l_chain_loop", chain2, ((256, 256), f32))
P.add(
    "l_scan_small",
    lambda x, w: jax.lax.scan(lambda c, _: (jnp.tanh(c @ w), None), x, None, length=100)[0],
    ((128, 256), bf),
    ((256, 256), bf),
)
P.add(
    "l_fori_dyn",
    lambda n, x: jax.lax.fori_loop(0, n, lambda i, c: jnp.tanh(c.T + i), x),
    ((), jnp.int32, 1),
    ((256, 256), f32),
)
P.add(
    "l_while_100",
    lambda x: jax.lax.while_loop(lambda c: c[0] < 100, lambda c: (c[0] + 1, jnp.tanh(c[1].T)), (0, x)),
    ((256, 256), f32),
)
P.add(
    "l_cond",
    lambda p, x: jax.lax.cond(p > 0, lambda y: jnp.sin(y.T), lambda y: jnp.cos(y), x),
    ((), jnp.int32, 2),
    ((1024, 1024), f32),
)
only = os.environ.get("ONLY")
if only:
    P.items = [i for i in P.items if any(i[0].startswith(o) for o in only.split(","))]
deadline = float(os.environ.get("DEADLINE", 230))
run_group("access", P, deadline)
pack("access")
