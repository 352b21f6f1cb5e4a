"""More whole programs, of families that steps.py has not: none of them was seen when the model was made."""

import sys, os

sys.path.insert(0, os.path.dirname(__file__))
from models import *

P = Programs()


def adam(p, m, v, g):
    g = g.astype(f32)
    m = 0.9 * m + 0.1 * g
    v = 0.99 * v + 0.01 * g * g
    return p - 1e-3 * m / (jnp.sqrt(v) + 1e-8), m, v


def trainer(loss):
    return training(loss, adam)


def train(name, loss, params, batch):
    P.add(name, trainer(loss), states(params), batch, donate=(0,))


def dense(x, w):
    return x @ w.astype(x.dtype)


# An encoder and a decoder with a bias of relative positions added to the scores.
def heads(x, w, h):
    return dense(x, w).reshape(*x.shape[:2], h, -1)


def scored(a, b, v, bias):
    s = jnp.einsum("bqhd,bkhd->bhqk", a, b).astype(f32) + bias
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(s, -1).astype(v.dtype), v).reshape(*a.shape[:2], -1)


def t5_loss(p, batch):
    src, dst = batch
    h = p["rel"].shape[0]

    def attend(x, y, w, bias):
        z = rms(x, w["n"])
        y = z if y is None else y
        return x + dense(scored(heads(z, w["q"], h), heads(y, w["k"], h), heads(y, w["v"], h), bias), w["o"])

    def mlp(x, w):
        return x + dense(jax.nn.relu(dense(rms(x, w["n"]), w["i"])), w["o"])

    S, T = src.shape[1], dst.shape[1]
    rel = lambda n, m: p["rel"][:, jnp.clip(jnp.arange(n)[:, None] - jnp.arange(m)[None] + 16, 0, 31)][None].astype(f32)
    x = p["e"].astype(bf)[src]
    for w in p["enc"]:
        x = mlp(attend(x, None, w["a"], rel(S, S)), w["m"])
    y = p["e"].astype(bf)[dst]
    causal = rel(T, T) + jnp.where(jnp.tril(jnp.ones((T, T), bool)), 0, -1e9)
    for w in p["dec"]:
        y = mlp(attend(attend(y, None, w["a"], causal), x, w["c"], 0.0), w["m"])
    return xent(dense(y, p["e"].T), dst)


d, h = q(1024, 64), q(16, 4)
one = {"n": ((d,), f32), **{n: ((d, d), f32) for n in "qkvo"}}
two = {"n": ((d,), f32), "i": ((d, 4 * d), f32), "o": ((4 * d, d), f32)}
train(
    "t5_encdec",
    t5_loss,
    {
        "e": ((q(32128, 128), d), f32),
        "rel": ((h, 32), f32),
        "enc": [{"a": one, "m": two}] * q(4, 1),
        "dec": [{"a": one, "c": one, "m": two}] * q(4, 1),
    },
    (((q(16, 2), q(512, 16)), jnp.int32, 100), ((q(16, 2), q(512, 16)), jnp.int32, 100)),
)


# A window of keys, a cap on scores, gated GELU and heads of 256, rematerialized but for products.
def window_loss(p, t):
    hd = q(256, 16)

    def layer(x, w):
        z = rms(x, w["n"])
        a, b, v = (dense(z, w[n]).reshape(*x.shape[:2], -1, hd) for n in "qkv")
        g = a.shape[2] // b.shape[2]
        a = a.reshape(*a.shape[:2], b.shape[2], g, hd)
        s = jnp.einsum("bqhgd,bkhd->bhgqk", a, b).astype(f32) / 16
        s = 50 * jnp.tanh(s / 50)
        i = jnp.arange(s.shape[-1])
        s = jnp.where((i[:, None] >= i) & (i[:, None] - i < q(1024, 8)), s, -1e9)
        o = jnp.einsum("bhgqk,bkhd->bqhgd", jax.nn.softmax(s, -1).astype(bf), v).reshape(*x.shape[:2], -1)
        x = x + dense(o, w["o"])
        z = rms(x, w["m"])
        return x + dense(jax.nn.gelu(dense(z, w["g"])) * dense(z, w["u"]), w["d"]), None

    body = jax.checkpoint(layer, policy=jax.checkpoint_policies.checkpoint_dots)
    x, _ = jax.lax.scan(body, p["e"].astype(bf)[t], p["l"])
    return xent(dense(rms(x, p["f"]), p["e"].T), t)


d, L, ff = q(2304, 64), q(4, 2), q(9216, 128)
train(
    "window_softcap",
    window_loss,
    {
        "e": ((q(64000, 128), d), f32),
        "f": ((d,), f32),
        "l": {
            "n": ((L, d), f32),
            "m": ((L, d), f32),
            "q": ((L, d, q(2048, 64)), f32),
            "k": ((L, d, q(1024, 32)), f32),
            "v": ((L, d, q(1024, 32)), f32),
            "o": ((L, q(2048, 64), d), f32),
            "g": ((L, d, ff), f32),
            "u": ((L, d, ff), f32),
            "d": ((L, ff, d), f32),
        },
    },
    ((q(4, 2), q(2048, 32)), jnp.int32, 100),
)


# Experts of fixed capacity, dispatched by products with one-hot tensors.
def capacity_loss(p, x):
    for w in p:
        G, S, d = x.shape
        E = w["r"].shape[-1]
        C = 2 * S // E
        gates = jax.nn.softmax(dense(x, w["r"]).astype(f32), -1)
        top, idx = jax.lax.top_k(gates, 2)
        hot = jax.nn.one_hot(idx, E, dtype=f32).reshape(G, 2 * S, E)
        place = (jnp.cumsum(hot, 1) - hot).astype(jnp.int32)
        keep = hot * (place < C)
        mask = keep[..., None] * jax.nn.one_hot(place, C, dtype=f32)
        mask = mask.reshape(G, S, 2, E, C)
        combine = (mask * top[..., None, None]).sum(2).astype(bf)
        dispatch = (combine > 0).astype(bf)
        y = jnp.einsum("gsec,gsd->egcd", dispatch, x)
        y = jax.nn.relu(jnp.einsum("egcd,edf->egcf", y, w["i"].astype(bf)))
        y = jnp.einsum("egcf,efd->egcd", y, w["o"].astype(bf))
        x = x + jnp.einsum("gsec,egcd->gsd", combine, y)
    return (x.astype(f32) ** 2).mean()


d, E, ff = q(1024, 64), q(16, 4), q(4096, 64)
train(
    "moe_capacity",
    capacity_loss,
    [{"r": ((d, E), f32), "i": ((E, d, ff), f32), "o": ((E, ff, d), f32)}] * q(3, 1),
    ((q(8, 2), q(1024, 32), d), bf),
)


# Adapters of rank 16 beside weights that do not train.
def lora_loss(frozen):
    def loss(p, t):
        def layer(x, w):
            w, r = w
            lin = lambda z, n: z @ w[n] + (z @ r[n + "a"].astype(bf)) @ r[n + "b"].astype(bf)
            z = rms(x, w["n"])
            a, b, v = (lin(z, n).reshape(*x.shape[:2], -1, q(128, 16)) for n in "qkv")
            o = jax.nn.dot_product_attention(a, b, v, is_causal=True, implementation=FLASH)
            x = x + lin(o.reshape(*x.shape[:2], -1), "o")
            z = rms(x, w["n"])
            return x + (jax.nn.silu(z @ w["g"]) * (z @ w["u"])) @ w["d"], None

        x, _ = jax.lax.scan(jax.checkpoint(layer), frozen["e"][t], (frozen["l"], p))
        return xent(x @ frozen["e"].T, t)

    return loss


def lora_step(frozen, state, t):
    p, m, v = state
    out = jax.tree.map(adam, p, m, v, jax.grad(lora_loss(frozen))(p, t))
    return tuple(jax.tree.map(lambda t: t[i], out, is_leaf=lambda t: isinstance(t, tuple)) for i in range(3))


d, L, ff, kvd = q(4096, 64), q(6, 2), q(14336, 128), q(1024, 32)
wide = {"q": d, "k": kvd, "v": kvd, "o": d}
frozen = {
    "e": ((q(32000, 128), d), bf),
    "l": {
        "n": ((L, d), bf),
        **{n: ((L, d, w), bf) for n, w in wide.items()},
        "g": ((L, d, ff), bf),
        "u": ((L, d, ff), bf),
        "d": ((L, ff, d), bf),
    },
}
ranks = {
    **{n + "a": ((L, d, 16), f32) for n in wide},
    **{n + "b": ((L, 16, w), f32) for n, w in wide.items()},
}
P.add(
    "lora_8b_cut",
    lambda s, f, t: (lora_step(f, s, t),),
    (kind(ranks, "init"), kind(ranks, "zeros"), kind(ranks, "zeros")),
    kind(frozen, "init"),
    ((q(4, 2), q(2048, 32)), jnp.int32, 100),
    donate=(0,),
)


# Convolutions in depth, and windows of an image.
def conv(x, w, s=1, groups=1):
    return jax.lax.conv_general_dilated(
        x, w.astype(x.dtype), (s, s), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"), feature_group_count=groups
    )


def convnext_loss(p, batch):
    x, y = batch
    x = conv(x.astype(bf), p["stem"], 4)
    for w in p["b"]:
        z = conv(x, w["d"], groups=x.shape[-1])
        z = lnorm(z, w["g"], w["h"])
        x = x + dense(jax.nn.gelu(dense(z, w["i"])), w["o"])
    return xent(dense(x.mean((1, 2)), p["fc"]), y)


d = q(192, 32)
block = {
    "d": ((7, 7, 1, d), f32),
    "g": ((d,), f32),
    "h": ((d,), f32),
    "i": ((d, 4 * d), f32),
    "o": ((4 * d, d), f32),
}
train(
    "convnext_blocks",
    convnext_loss,
    {"stem": ((4, 4, 3, d), f32), "fc": ((d, 10), f32), "b": [block] * q(4, 1)},
    (((q(64, 2), q(224, 32), q(224, 32), 3), f32), ((q(64, 2),), jnp.int32, 10)),
)


def swin_loss(p, x):
    h, win = q(6, 2), q(8, 4)
    for i, w in enumerate(p):
        B, H, W, C = x.shape
        z = lnorm(x, w["g"], w["b"])
        if i % 2:
            z = jnp.roll(z, (-win // 2, -win // 2), (1, 2))
        z = z.reshape(B, H // win, win, W // win, win, C).transpose(0, 1, 3, 2, 4, 5).reshape(-1, win * win, C)
        a, b, v = jnp.split(dense(z, w["qkv"]), 3, -1)
        a, b, v = (t.reshape(*t.shape[:2], h, -1) for t in (a, b, v))
        z = dense(scored(a, b, v, w["rel"][None].astype(f32)), w["o"])
        z = z.reshape(B, H // win, W // win, win, win, C).transpose(0, 1, 3, 2, 4, 5).reshape(B, H, W, C)
        if i % 2:
            z = jnp.roll(z, (win // 2, win // 2), (1, 2))
        x = x + z
        x = x + dense(jax.nn.gelu(dense(lnorm(x, w["g"], w["b"]), w["i"])), w["u"])
    return (x.astype(f32) ** 2).mean()


d, n = q(192, 32), q(64, 16)
train(
    "swin_windows",
    swin_loss,
    [
        {
            "g": ((d,), f32),
            "b": ((d,), f32),
            "qkv": ((d, 3 * d), f32),
            "o": ((d, d), f32),
            "rel": ((q(6, 2), n, n), f32),
            "i": ((d, 4 * d), f32),
            "u": ((4 * d, d), f32),
        }
    ]
    * q(4, 2),
    ((q(64, 2), q(56, 16), q(56, 16), d), bf),
)


def unet_loss(p, batch):
    x, y = batch
    skips = []
    for w in p["down"]:
        x = jax.nn.relu(conv(jax.nn.relu(conv(x, w["a"])), w["b"]))
        skips.append(x)
        x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    for w, s in zip(p["up"], reversed(skips)):
        x = jnp.repeat(jnp.repeat(x, 2, 1), 2, 2)
        x = jnp.concatenate([conv(x, w["a"]), s], -1)
        x = jax.nn.relu(conv(x, w["b"]))
    return ((x.mean(-1) - y) ** 2).mean()


c = q(64, 8)
down = [{"a": ((3, 3, q(3, 3) if i == 0 else c * 2 ** (i - 1), c * 2**i), f32), "b": ((3, 3, c * 2**i, c * 2**i), f32)} for i in range(3)]
up = [{"a": ((3, 3, c * 2 ** (2 if i == 0 else 3 - i), c * 2 ** (2 - i)), f32), "b": ((3, 3, c * 2 ** (3 - i), c * 2 ** (2 - i)), f32)} for i in range(3)]
train(
    "unet_f32",
    unet_loss,
    {"down": down, "up": up},
    (((q(16, 1), q(256, 32), q(256, 32), 3), f32), ((q(16, 1), q(256, 32), q(256, 32)), f32)),
)


# Physics: a stencil in a loop, pairs of neighbours, small systems of equations, a Fourier operator.
def stencil(u):
    def body(_, u):
        lap = sum(jnp.roll(u, s, a) for a in range(3) for s in (1, -1)) - 6 * u
        return u + 0.1 * lap

    return (jax.lax.fori_loop(0, q(50, 4), body, u),)


P.add("stencil_3d", stencil, ((q(256, 16),) * 3, f32), donate=(0,))


def pairs(x, v, ids):
    def body(_, xv):
        x, v = xv
        r = x[:, None] - x[ids]
        r2 = (r * r).sum(-1) + 1.0
        i6 = 1 / r2**3
        f = (24 * (2 * i6 * i6 - i6) / r2)[..., None] * r
        v = v + 1e-6 * f.sum(1)
        return x + 1e-3 * v, v

    return jax.lax.fori_loop(0, q(20, 2), body, (x, v))


n = q(65536, 256)
P.add("md_pairs", pairs, ((n, 3), f32), ((n, 3), f32), ((n, q(64, 8)), jnp.int32, n), donate=(0, 1))


def kalman(a, p, y):
    g = p @ p.swapaxes(1, 2) + 1e-1 * jnp.eye(p.shape[-1]) * p.shape[-1]
    for _ in range(3):
        s = a @ g @ a.swapaxes(1, 2) + jnp.eye(p.shape[-1])
        c = jnp.linalg.cholesky(s)
        k = jax.scipy.linalg.cho_solve((c, True), g)
        y = y + (k @ y[..., None])[..., 0]
        g = g - k @ s @ k.swapaxes(1, 2) * 0.1 + jnp.eye(p.shape[-1])
    return y, g


n = q(4096, 8)
P.add("kalman_batch", kalman, ((n, 32, 32), f32), ((n, 32, 32), f32), ((n, 32), f32))


def fno_loss(p, x):
    for w in p:
        m = w["r"].shape[0]
        z = jnp.fft.rfft2(x, axes=(1, 2))[:, :m, :m]
        z = jnp.einsum("bxyc,xycd->bxyd", z, w["r"] + 1j * w["i"])
        z = jnp.zeros((x.shape[0], x.shape[1], x.shape[2] // 2 + 1, z.shape[-1]), z.dtype).at[:, :m, :m].set(z)
        x = jax.nn.gelu(jnp.fft.irfft2(z, axes=(1, 2)) + x @ w["w"])
    return (x**2).mean()


c, m = q(32, 4), q(16, 4)
train(
    "fourier_operator",
    fno_loss,
    [{"r": ((m, m, c, c), f32), "i": ((m, m, c, c), f32), "w": ((c, c), f32)}] * q(4, 1),
    ((q(16, 2), q(256, 16), q(256, 16), c), f32),
)


# Small networks: a field of radiance, agents in a loop, vectors of words, attention over edges.
def nerf_loss(p, batch):
    x, y = batch
    s = 2.0 ** jnp.arange(10)
    z = (x[:, None, :] * s[:, None]).reshape(x.shape[0], -1)
    z = jnp.concatenate([jnp.sin(z), jnp.cos(z)], -1)
    for w in p["l"]:
        z = jax.nn.relu(z @ w["w"] + w["b"])
    return ((jax.nn.sigmoid(z @ p["o"]) - y) ** 2).mean()


n = q(2**18, 256)
layers = [{"w": ((60 if i == 0 else 256, 256), f32), "b": ((256,), f32)} for i in range(q(8, 2))]
train("nerf_f32", nerf_loss, {"l": layers, "o": ((256, 4), f32)}, (((n, 3), f32), ((n, 4), f32)))


def agents_loss(p, x):
    def body(s, _):
        z = jnp.tanh(s @ p["a"])
        z = jnp.tanh(z @ p["b"])
        a = jnp.tanh(z @ p["c"])
        s = s + 0.05 * jnp.concatenate([jnp.sin(s[:, :8] + a), jnp.cos(s[:, 8:])], -1)
        return s, (s[:, 0] - 0.1 * (a * a).sum(-1))

    _, r = jax.lax.scan(body, x, None, length=q(128, 4))
    return -r.mean()


train(
    "agents_scan",
    agents_loss,
    {"a": ((16, 256), f32), "b": ((256, 256), f32), "c": ((256, 8), f32)},
    ((q(2048, 16), 16), f32),
)


def words_loss(p, batch):
    w, c, n = batch
    a, b, e = p["i"][w], p["o"][c], p["o"][n]
    pos = jax.nn.log_sigmoid((a * b).sum(-1))
    neg = jax.nn.log_sigmoid(-(a[:, None] * e).sum(-1)).sum(-1)
    return -(pos + neg).mean()


def words_step(p, b):
    return (jax.tree.map(lambda w, g: w - 1e-2 * g, p, jax.grad(words_loss)(p, b)),)


B, V = q(65536, 64), q(200000, 100)
P.add(
    "word_vectors",
    words_step,
    kind({"i": ((V, 128), f32), "o": ((V, 128), f32)}, "init"),
    (((B,), jnp.int32, V), ((B,), jnp.int32, V), ((B, 5), jnp.int32, V)),
    donate=(0,),
)


def gat_loss(p, batch):
    x, src, dst = batch
    n = x.shape[0]
    for w in p:
        z = (x @ w["w"]).reshape(n, 4, -1)
        s = jax.nn.leaky_relu((z * w["a"]).sum(-1)[src] + (z * w["b"]).sum(-1)[dst])
        m = jax.ops.segment_max(s, dst, n)
        e = jnp.exp(s - jax.lax.stop_gradient(m)[dst])
        o = jax.ops.segment_sum(e[..., None] * z[src], dst, n) / (jax.ops.segment_sum(e, dst, n) + 1e-6)[..., None]
        x = jax.nn.elu(o.reshape(n, -1))
    return (x**2).mean()


n, e, d = q(40000, 64), q(400000, 256), q(128, 16)
train(
    "gat_edges",
    gat_loss,
    [{"w": ((d, d), f32), "a": ((4, d // 4), f32), "b": ((4, d // 4), f32)}] * 2,
    (((n, d), f32), ((e,), jnp.int32, n), ((e,), jnp.int32, n)),
)


# A recurrence with a short convolution before it.
def griffin_loss(p, x):
    for w in p:
        u = dense(x, w["i"])
        c = sum(jnp.pad(u, ((0, 0), (k, 0), (0, 0)))[:, : u.shape[1]] * w["c"][k].astype(bf) for k in range(4))
        r, i = jax.nn.sigmoid(dense(c, w["r"])).astype(f32), jax.nn.sigmoid(dense(c, w["s"])).astype(f32)
        a = jnp.exp(-8 * jax.nn.softplus(w["l"]) * r)
        b = jnp.sqrt(1 - a * a + 1e-6) * i * c.astype(f32)
        _, y = jax.lax.associative_scan(lambda l, r: (l[0] * r[0], r[0] * l[1] + r[1]), (a, b), axis=1)
        x = x + dense(y.astype(bf) * jax.nn.gelu(dense(x, w["g"])), w["o"])
    return (x.astype(f32) ** 2).mean()


d = q(2048, 64)
train(
    "griffin_blocks",
    griffin_loss,
    [{**{n: ((d, d), f32) for n in "irsgo"}, "c": ((4, d), f32), "l": ((d,), f32)}] * q(2, 1),
    ((q(4, 2), q(2048, 32), d), bf),
)


# Products of 8 bits with scales of the step before, forward and backward.
@jax.custom_vjp
def dot8(x, w, sx, sw, sg):
    return dot8_fwd(x, w, sx, sw, sg)[0]


def to8(x, s, t):
    top = 448 if t == f8 else 57344
    return jnp.clip(x.astype(f32) * s, -top, top).astype(t)


def mul8(a, b, dims, scale):
    y = jax.lax.dot_general(a.astype(bf), b.astype(bf), (dims, ((), ())), preferred_element_type=f32)
    return (y * scale).astype(bf)


def dot8_fwd(x, w, sx, sw, sg):
    qx, qw = to8(x, sx, f8), to8(w, sw, f8)
    return mul8(qx, qw, ((1,), (0,)), 1 / (sx * sw)), (qx, qw, sx, sw, sg)


def dot8_bwd(saved, g):
    qx, qw, sx, sw, sg = saved
    qg = to8(g, sg, f8g)
    dx = mul8(qg, qw, ((1,), (1,)), 1 / (sg * sw))
    dw = mul8(qx, qg, ((0,), (0,)), 1 / (sx * sg))
    top = lambda t: jnp.abs(t).max().astype(f32)
    return dx, dw.astype(f32), top(qx), top(qw), top(g)


dot8.defvjp(dot8_fwd, dot8_bwd)


def mlp8_loss(p, x):
    for w in p:
        s = jnp.abs(w["s"]) + 0.5
        y = dot8(rms(x, w["n"]), w["i"], s[0], s[1], s[2])
        x = x + dot8(jax.nn.gelu(y), w["o"], s[3], s[4], s[5])
    return (x.astype(f32) ** 2).mean()


d = q(4096, 64)
train(
    "mlp_f8_train",
    mlp8_loss,
    [{"n": ((d,), f32), "i": ((d, 4 * d), f32), "o": ((4 * d, d), f32), "s": ((6,), f32)}] * q(3, 1),
    ((q(8192, 64), d), bf),
)


# f16 with a loss that is scaled, and a step that is left out where a gradient is not finite.
def half_step(state, batch):
    p, m, v, scale = state

    def loss(p, x):
        for w in p:
            x = x + jax.nn.gelu(x @ w["i"].astype(f16)) @ w["o"].astype(f16)
        return (x.astype(f32) ** 2).mean() * scale

    g = jax.tree.map(lambda t: t / scale, jax.grad(loss)(p, batch))
    ok = jnp.all(jnp.stack([jnp.isfinite(t).all() for t in jax.tree.leaves(g)]))
    out = jax.tree.map(lambda *a: tuple(jnp.where(ok, n, o) for n, o in zip(adam(*a), a[:3])), p, m, v, g)
    pick = lambda i: jax.tree.map(lambda t: t[i], out, is_leaf=lambda t: isinstance(t, tuple))
    return ((pick(0), pick(1), pick(2), jnp.where(ok, scale, scale / 2)),)


d = q(4096, 64)
ws = [{"i": ((d, 4 * d), f32), "o": ((4 * d, d), f32)}] * q(2, 1)
P.add(
    "mlp_f16_scaled",
    half_step,
    (kind(ws, "init"), kind(ws, "zeros"), kind(ws, "zeros"), ((), f32)),
    ((q(4096, 64), d), f16),
    donate=(0,),
)


# Sampling of a token, and weights of 8 bits.
def sample(logits, key):
    z = logits.astype(f32) / 0.8
    top, ids = jax.lax.top_k(z, 64)
    c = jnp.cumsum(jax.nn.softmax(top, -1), -1)
    top = jnp.where(c - jax.nn.softmax(top, -1) < 0.9, top, -1e9)
    pick = jax.random.categorical(jax.random.wrap_key_data(key), top)
    return jnp.take_along_axis(ids, pick[:, None], 1)[:, 0]


P.add("sampling", sample, ((q(128, 4), q(128256, 512)), bf), ((2,), jnp.uint32, 100), runs=20)


def decode8(p, x):
    def body(x, w):
        lin = lambda z, n: (z @ w[n].astype(bf)) * w[n + "s"]
        z = rms(x, w["n"])
        x = x + lin(lin(z, "q"), "o")
        return x + lin(jax.nn.silu(lin(z, "g")) * lin(z, "u"), "d"), None

    return jax.lax.scan(body, x, p)[0]


L, d, ff = q(16, 2), q(4096, 64), q(14336, 128)
shapes = {"q": (d, d), "o": (d, d), "g": (d, ff), "u": (d, ff), "d": (ff, d)}
P.add(
    "decode_int8_weights",
    decode8,
    {
        "n": ((L, d), bf, "init"),
        **{n: ((L, *s), jnp.int8) for n, s in shapes.items()},
        **{n + "s": ((L, s[1]), bf, "init") for n, s in shapes.items()},
    },
    ((q(32, 4), d), bf),
    runs=20,
)

only = os.environ.get("ONLY")
if only:
    P.items = [i for i in P.items if i[0] in only.split(",")]
group = os.environ.get("GROUP", "steps2")
run_group(group, P, float(os.environ.get("DEADLINE", 300)), runs=8, long_seconds=1.0, chunk=8)
pack(group)
