"""Whole programs: training steps, prefill and decode of models of several families."""

import sys, os

sys.path.insert(0, os.path.dirname(__file__))
from models import *

P = Programs()


def rope(x):
    h = x.shape[-1] // 2
    f = 10000.0 ** (-jnp.arange(h, dtype=f32) / h)
    a = jnp.arange(x.shape[1], dtype=f32)[:, None] * f
    c, s = jnp.cos(a)[None, :, None].astype(x.dtype), jnp.sin(a)[None, :, None].astype(x.dtype)
    u, v = x[..., :h], x[..., h:]
    return jnp.concatenate([u * c - v * s, v * c + u * s], -1)


def adam(p, m, v, g, lr=1e-3):
    g = g.astype(f32)
    m = 0.9 * m + 0.1 * g
    v = 0.99 * v + 0.01 * g * g
    return p - lr * (m / (jnp.sqrt(v) + 1e-8) + 0.1 * p), m, v


def trainer(loss):
    return training(loss, adam)


def llama_params(L, d, h, kv, hd, ff, V, dt):
    return {
        "e": ((V, d), dt),
        "o": ((d, V), dt),
        "n": ((d,), dt),
        "l": {
            "q": ((L, d, h, hd), dt),
            "k": ((L, d, kv, hd), dt),
            "v": ((L, d, kv, hd), dt),
            "w": ((L, h, hd, d), dt),
            "g": ((L, d, ff), dt),
            "u": ((L, d, ff), dt),
            "d": ((L, ff, d), dt),
            "a": ((L, d), dt),
            "b": ((L, d), dt),
        },
    }


def llama_layer(x, w, impl):
    c = lambda t: t.astype(bf)
    y = rms(x, w["a"])
    qq, k, v = (jnp.einsum("bsd,dhk->bshk", y, c(w[n])) for n in "qkv")
    a = jax.nn.dot_product_attention(rope(qq), rope(k), v, is_causal=True, implementation=impl)
    x = x + jnp.einsum("bshk,hkd->bsd", a, c(w["w"]))
    y = rms(x, w["b"])
    return x + (jax.nn.silu(y @ c(w["g"])) * (y @ c(w["u"]))) @ c(w["d"])


def llama_loss(impl, remat=True):
    def loss(p, t):
        x = p["e"].astype(bf)[t]
        body = lambda x, w: (llama_layer(x, w, impl), None)
        if remat:
            body = jax.checkpoint(body)
        x, _ = jax.lax.scan(body, x, p["l"])
        return xent(rms(x, p["n"]) @ p["o"].astype(bf), t)

    return loss


pl = llama_params(q(16, 2), q(2048, 128), q(16, 4), q(8, 2), q(128, 32), q(5632, 256), q(32000, 512), f32)
P.add(
    "llama_1b_flash_remat",
    trainer(llama_loss(FLASH)),
    states(pl),
    (q((8, 2048), (2, 64)), jnp.int32, q(32000, 512)),
    donate=(0,),
)
pl2 = llama_params(q(8, 2), q(4096, 128), q(32, 4), q(8, 2), q(128, 32), q(14336, 256), q(32000, 512), f32)
P.add(
    "llama_8b_cut_flash",
    trainer(llama_loss(FLASH)),
    states(llama_params(q(3, 2), q(4096, 128), q(32, 4), q(8, 2), q(128, 32), q(14336, 256), q(32000, 512), f32)),
    (q((4, 4096), (2, 64)), jnp.int32, q(32000, 512)),
    donate=(0,),
)
P.add(
    "llama_naive",
    trainer(llama_loss("xla")),
    states(llama_params(q(8, 2), q(1024, 128), q(16, 4), q(16, 4), q(64, 32), q(2816, 256), q(32000, 512), f32)),
    (q((8, 1024), (2, 64)), jnp.int32, q(32000, 512)),
    donate=(0,),
)


def gpt_params(L, d, h, V, S):
    one = {
        "ln1": ((d,), f32),
        "b1": ((d,), f32),
        "qkv": ((d, 3 * d), f32),
        "qb": ((3 * d,), f32),
        "o": ((d, d), f32),
        "ob": ((d,), f32),
        "ln2": ((d,), f32),
        "b2": ((d,), f32),
        "w1": ((d, 4 * d), f32),
        "c1": ((4 * d,), f32),
        "w2": ((4 * d, d), f32),
        "c2": ((d,), f32),
    }
    return {"e": ((V, d), f32), "p": ((S, d), f32), "l": [dict(one) for _ in range(L)]}


def gpt_loss(h, dt, causal=True):
    def loss(p, t):
        c = lambda x: x.astype(dt)
        x = c(p["e"])[t] + c(p["p"])[None, : t.shape[1]]
        B, S, d = x.shape
        for w in p["l"]:
            y = lnorm(x, w["ln1"], w["b1"])
            a, b, v = jnp.split((y @ c(w["qkv"]) + c(w["qb"])).reshape(B, S, h, -1), 3, -1)
            s = jnp.einsum("bqhd,bkhd->bhqk", a, b) / 8
            if causal:
                s = jnp.where(jnp.tril(jnp.ones((S, S), bool)), s, jnp.asarray(-1e9, s.dtype))
            o = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(s.astype(f32), -1).astype(dt), v).reshape(B, S, d)
            x = x + o @ c(w["o"]) + c(w["ob"])
            y = lnorm(x, w["ln2"], w["b2"])
            x = x + jax.nn.gelu(y @ c(w["w1"]) + c(w["c1"])) @ c(w["w2"]) + c(w["c2"])
        return xent(x @ c(p["e"]).T, t)

    return loss


P.add(
    "gpt2_bf16",
    trainer(gpt_loss(q(12, 4), bf)),
    states(gpt_params(q(12, 2), q(768, 128), 0, q(50257, 512), q(1024, 64))),
    (q((16, 1024), (2, 64)), jnp.int32, q(50257, 512)),
    donate=(0,),
)
P.add(
    "bert_f32",
    trainer(gpt_loss(q(12, 4), f32, False)),
    states(gpt_params(q(12, 2), q(768, 128), 0, q(30522, 512), q(512, 64))),
    (q((32, 512), (2, 64)), jnp.int32, q(30522, 512)),
    donate=(0,),
)


def decode(p, ck, cv, t, pos):
    x = p["e"][t]

    def body(x, lw):
        w, k_c, v_c = lw
        y = rms(x, w["a"])
        qq, k, v = (jnp.einsum("bd,dhk->bhk", y, w[n]) for n in "qkv")
        k_c = jax.lax.dynamic_update_slice(k_c, k[:, None], (0, pos, 0, 0))
        v_c = jax.lax.dynamic_update_slice(v_c, v[:, None], (0, pos, 0, 0))
        g = qq.reshape(qq.shape[0], k.shape[1], -1, qq.shape[-1])
        s = jnp.einsum("bgrk,bsgk->bgrs", g, k_c).astype(f32) / 11
        s = jnp.where(jnp.arange(s.shape[-1]) <= pos, s, -1e9)
        o = jnp.einsum("bgrs,bsgk->bgrk", jax.nn.softmax(s, -1).astype(bf), v_c).reshape(qq.shape)
        x = x + jnp.einsum("bhk,hkd->bd", o, w["w"])
        y = rms(x, w["b"])
        return x + (jax.nn.silu(y @ w["g"]) * (y @ w["u"])) @ w["d"], (k_c, v_c)

    x, (ck, cv) = jax.lax.scan(body, x, (p["l"], ck, cv))
    return ck, cv, jnp.argmax(rms(x, p["n"]) @ p["o"], -1).astype(jnp.int32)


for B, Sq in ((32, 2048), (1, 4096), (128, 1024)):
    L = q(12, 2)
    pd = llama_params(L, q(4096, 128), q(32, 4), q(8, 2), q(128, 32), q(14336, 256), q(128256, 512), bf)
    c = ((L, B if not SMALL else 2, q(Sq, 64), q(8, 2), q(128, 32)), bf)
    P.add(
        f"decode_8b_cut_b{B}",
        decode,
        kind(pd, "init"),
        kind(c, "init"),
        kind(c, "init"),
        ((B if not SMALL else 2,), jnp.int32, 500),
        ((), jnp.int32, 60),
        donate=(1, 2),
        runs=20,
    )


def prefill(p, t):
    x = p["e"][t]
    x, _ = jax.lax.scan(lambda x, w: (llama_layer(x, w, FLASH), None), x, p["l"])
    return jnp.argmax(rms(x[:, -1], p["n"]) @ p["o"], -1)


P.add(
    "prefill_8b_cut",
    prefill,
    kind(llama_params(q(8, 2), q(4096, 128), q(32, 4), q(8, 2), q(128, 32), q(14336, 256), q(128256, 512), bf), "init"),
    (q((4, 4096), (2, 64)), jnp.int32, 500),
)


def conv(x, w, s=1):
    return jax.lax.conv_general_dilated(x, w, (s, s), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def bn(x, g, b):
    y = x.astype(f32)
    m = y.mean((0, 1, 2))
    v = (y * y).mean((0, 1, 2)) - m * m
    return ((y - m) * jax.lax.rsqrt(v + 1e-5) * g + b).astype(x.dtype)


BLOCKS = q([(3, 64, 1), (4, 128, 2), (6, 256, 2), (3, 512, 2)], [(1, 16, 1), (1, 32, 2)])


def resnet_params():
    p, cin = (
        {"stem": ((7, 7, 3, BLOCKS[0][1]), f32), "sg": ((BLOCKS[0][1],), f32), "sb": ((BLOCKS[0][1],), f32), "b": []},
        BLOCKS[0][1],
    )
    for n, c, s in BLOCKS:
        for i in range(n):
            d = {"a": ((1, 1, cin, c), f32), "b": ((3, 3, c, c), f32), "c": ((1, 1, c, 4 * c), f32)}
            for k, w in (("a", c), ("b", c), ("c", 4 * c)):
                d["g" + k] = ((w,), f32)
                d["h" + k] = ((w,), f32)
            if i == 0:
                d["s"] = ((1, 1, cin, 4 * c), f32)
            p["b"].append(d)
            cin = 4 * c
    p["fc"] = ((cin, q(1000, 10)), f32)
    return p


def resnet_loss(dt):
    def loss(p, batch):
        x, y = batch
        c = lambda t: t.astype(dt)
        x = jax.nn.relu(bn(conv(c(x), c(p["stem"]), 2), p["sg"], p["sb"]))
        x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
        i = 0
        for n, ch, s in BLOCKS:
            for j in range(n):
                w = p["b"][i]
                i += 1
                st = s if j == 0 else 1
                y1 = jax.nn.relu(bn(conv(x, c(w["a"])), w["ga"], w["ha"]))
                y1 = jax.nn.relu(bn(conv(y1, c(w["b"]), st), w["gb"], w["hb"]))
                y1 = bn(conv(y1, c(w["c"])), w["gc"], w["hc"])
                x = jax.nn.relu(y1 + (conv(x, c(w["s"]), st) if "s" in w else x))
        return xent(x.mean((1, 2)) @ c(p["fc"]), y)

    return loss


N = q(128, 2)
P.add(
    "resnet50_bf16",
    trainer(resnet_loss(bf)),
    states(resnet_params()),
    (((N, q(224, 32), q(224, 32), 3), f32), ((N,), jnp.int32, 10)),
    donate=(0,),
)


def vit_loss(p, batch):
    x, y = batch
    B, d = x.shape[0], p["w"].shape[1]
    x = x.astype(bf) @ p["w"].astype(bf)

    def body(x, w):
        c = lambda t: t.astype(bf)
        z = lnorm(x, w["ln1"], w["b1"])
        a, b, v = jnp.split((z @ c(w["qkv"]) + c(w["qb"])).reshape(B, x.shape[1], q(16, 4), -1), 3, -1)
        o = jax.nn.dot_product_attention(a, b, v, implementation=FLASH).reshape(x.shape)
        x = x + o @ c(w["o"]) + c(w["ob"])
        z = lnorm(x, w["ln2"], w["b2"])
        return x + jax.nn.gelu(z @ c(w["w1"]) + c(w["c1"])) @ c(w["w2"]) + c(w["c2"])

    for w in p["l"]:
        x = body(x, w)
    return xent(x.mean(1) @ p["h"].astype(bf), y)


d = q(1024, 128)
g = gpt_params(q(12, 2), d, 0, 16, 16)
P.add(
    "vit_flash_bf16",
    trainer(vit_loss),
    states({"w": ((768, d), f32), "h": ((d, q(1000, 10)), f32), "l": g["l"]}),
    (((q(64, 2), q(256, 16), 768), bf), ((q(64, 2),), jnp.int32, 10)),
    donate=(0,),
)


def mlp_loss(dt):
    def loss(p, x):
        y = x.astype(dt)
        for w in p:
            y = jax.nn.relu(y @ w.astype(dt))
        return (y.astype(f32) ** 2).mean()

    return loss


P.add(
    "mlp_f32",
    trainer(mlp_loss(f32)),
    states([((q(8192, 128),) * 2, f32)] * 4),
    ((q(4096, 64), q(8192, 128)), f32),
    donate=(0,),
)
P.add(
    "mlp_bf16",
    trainer(mlp_loss(bf)),
    states([((q(8192, 128),) * 2, f32)] * 4),
    ((q(8192, 64), q(8192, 128)), f32),
    donate=(0,),
)


def f8dot(x, w):
    sx = 448 / jnp.abs(x).max().astype(f32)
    sw = 448 / jnp.abs(w).max().astype(f32)
    qx = jnp.clip(x.astype(f32) * sx, -448, 448).astype(f8)
    qw = jnp.clip(w.astype(f32) * sw, -448, 448).astype(f8)
    return (jax.lax.dot_general(qx.astype(bf), qw.astype(bf), (((1,), (1,)), ((), ()))).astype(f32) / (sx * sw)).astype(
        bf
    )


def f8mlp(ws, x):
    for w in ws:
        x = jax.nn.relu(f8dot(x, w))
    return x


P.add("mlp_f8_forward", f8mlp, kind([((q(8192, 128),) * 2, bf)] * 4, "init"), ((q(8192, 64), q(8192, 128)), bf))


def moe_loss(p, x):
    for w in p:
        s = jax.nn.softmax((x @ w["r"].astype(bf)).astype(f32), -1)
        top, idx = jax.lax.top_k(s, 2)
        flat = idx.reshape(-1)
        order = jnp.argsort(flat)
        sizes = jnp.bincount(flat, length=s.shape[-1]).astype(jnp.int32)
        y = x[order // 2]
        h = jax.nn.silu(jax.lax.ragged_dot(y, w["u"].astype(bf), sizes))
        o = jax.lax.ragged_dot(h, w["d"].astype(bf), sizes)
        o = o * top.reshape(-1)[order][:, None].astype(bf)
        x = x + jnp.zeros_like(x).at[order // 2].add(o)
    return (x.astype(f32) ** 2).mean()


d, ff, E = q(1024, 64), q(2816, 128), 8
P.add(
    "moe_ragged",
    trainer(moe_loss),
    states([{"r": ((d, E), f32), "u": ((E, d, ff), f32), "d": ((E, ff, d), f32)}] * q(3, 1)),
    ((q(8192, 64), d), bf),
    donate=(0,),
)


def unet(p, x):
    def gn(x, g, b):
        B, H, W, C = x.shape
        y = x.astype(f32).reshape(B, H, W, 32 if C % 32 == 0 else 4, -1)
        m = y.mean((1, 2, 4), keepdims=True)
        v = ((y - m) ** 2).mean((1, 2, 4), keepdims=True)
        return ((y - m) * jax.lax.rsqrt(v + 1e-5)).reshape(x.shape).astype(bf) * g + b

    for w in p:
        y = conv(jax.nn.silu(gn(x, w["g"], w["b"])), w["c1"])
        y = conv(jax.nn.silu(gn(y, w["g"], w["b"])), w["c2"])
        x = x + y
        B, H, W, C = x.shape
        z = gn(x, w["g"], w["b"]).reshape(B, H * W, q(5, 4), -1)
        a, b, c = (z @ w[n] for n in ("q", "k", "v"))
        x = x + jax.nn.dot_product_attention(a, b, c, implementation=FLASH).reshape(x.shape)
    return x


C = q(320, 64)
hd = C // q(5, 4)
P.add(
    "unet_blocks",
    unet,
    kind(
        [
            {
                "g": ((C,), bf),
                "b": ((C,), bf),
                "c1": ((3, 3, C, C), bf),
                "c2": ((3, 3, C, C), bf),
                "q": ((hd, hd), bf),
                "k": ((hd, hd), bf),
                "v": ((hd, hd), bf),
            }
        ]
        * q(4, 1),
        "init",
    ),
    ((q(16, 1), q(64, 8), q(64, 8), C), bf),
)


def ssm_loss(p, x):
    for w in p:
        u = x @ w["i"].astype(bf)
        a = jax.nn.sigmoid(x @ w["a"].astype(bf)).astype(f32)
        comb = lambda l, r: (l[0] * r[0], r[0] * l[1] + r[1])
        _, h = jax.lax.associative_scan(comb, (a, u.astype(f32)), axis=1)
        x = x + (h.astype(bf) * jax.nn.silu(u)) @ w["o"].astype(bf)
    return (x.astype(f32) ** 2).mean()


d = q(1024, 64)
P.add(
    "ssm_associative",
    trainer(ssm_loss),
    states([{n: ((d, d), f32) for n in "iao"}] * q(4, 1)),
    ((q(8, 2), q(2048, 64), d), bf),
    donate=(0,),
)


def lstm_loss(p, x):
    def cell(c, xt):
        h, s = c
        z = xt @ p["x"].astype(bf) + h @ p["h"].astype(bf)
        i, f, g, o = jnp.split(z, 4, -1)
        s = jax.nn.sigmoid(f) * s + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(s)
        return (h, s), h

    z = jnp.zeros((x.shape[1], p["h"].shape[0]), bf)
    _, hs = jax.lax.scan(cell, (z, z), x)
    return (hs.astype(f32) ** 2).mean()


d = q(1024, 64)
P.add(
    "lstm_scan",
    trainer(lstm_loss),
    states({"x": ((d, 4 * d), f32), "h": ((d, 4 * d), f32)}),
    ((q(128, 8), q(128, 8), d), bf),
    donate=(0,),
)


def dlrm_loss(p, batch):
    ids, dense, y = batch
    e = [t[ids[:, i]] for i, t in enumerate(p["t"])]
    x = jnp.concatenate(e + [jax.nn.relu(dense @ p["d"])], -1)
    for w in p["m"]:
        x = jax.nn.relu(x @ w)
    return ((x.mean(-1) - y) ** 2).mean()


def sgd(loss):
    def step(p, b):
        return (jax.tree.map(lambda w, g: w - 1e-3 * g, p, jax.grad(loss)(p, b)),)

    return step


B, V, T, d = q(16384, 64), q(2**20, 512), 8, 64
P.add(
    "dlrm",
    sgd(dlrm_loss),
    kind(
        {
            "t": [((V, d), f32)] * T,
            "d": ((13, d), f32),
            "m": [(((T + 1) * d, 1024), f32), ((1024, 1024), f32), ((1024, 256), f32)],
        },
        "init",
    ),
    (((B, T), jnp.int32, V), ((B, 13), f32), ((B,), f32)),
    donate=(0,),
)


def gnn_loss(p, batch):
    x, src, dst = batch
    for w in p:
        m = jax.nn.relu(x @ w)[src]
        x = x + jax.ops.segment_sum(m, dst, num_segments=x.shape[0])
    return (x**2).mean()


Nn, Ee, d = q(65536, 128), q(2**20, 512), q(128, 16)
P.add(
    "gnn_segment",
    sgd(gnn_loss),
    kind([((d, d), f32)] * 3, "init"),
    (((Nn, d), f32), ((Ee,), jnp.int32, Nn), ((Ee,), jnp.int32, Nn)),
    donate=(0,),
)

only = os.environ.get("ONLY")
if only:
    P.items = [i for i in P.items if any(i[0].startswith(o) for o in only.split(","))]
first = "llama_1b_flash_remat gpt2_bf16 decode_8b_cut_b32 mlp_bf16 llama_8b_cut_flash llama_naive bert_f32 mlp_f8_forward prefill_8b_cut moe_ragged mlp_f32 decode_8b_cut_b1 resnet50_bf16 vit_flash_bf16 lstm_scan dlrm ssm_associative unet_blocks gnn_segment decode_8b_cut_b128".split()
P.items.sort(key=lambda i: first.index(i[0]))
group = os.environ.get("GROUP", "steps")
run_group(
    group, P, float(os.environ.get("DEADLINE", 280)), runs=5, chunk=4, long_seconds=float(os.environ.get("LONG", 1.5))
)
pack(group)
