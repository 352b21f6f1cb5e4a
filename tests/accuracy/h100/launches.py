"""Chains, loops and branches of short kernels, each with command buffers and without: what lies between kernels."""

import sys, os

sys.path.insert(0, os.path.dirname(__file__))
from measure import *

bf, f32, i32 = jnp.bfloat16, jnp.float32, jnp.int32
P = Programs()


def both(name, fn, *specs, **more):
    P.add(name, fn, *specs, runs=20, **more)
    P.add(name + "_off", fn, *specs, runs=20, options={"xla_gpu_enable_command_buffer": ""}, **more)


def links(n):
    def chain(x):
        for i in range(n):
            x = jax.lax.optimization_barrier(x.T + i)
        return x

    return chain


for n in (256, 1024, 2048, 4096):
    both(f"links_{n}", links(50), ((n, n), f32))
for n in (1, 2, 3, 4, 5, 10, 200):
    both(f"count_{n}", links(n), ((256, 256), f32))


def products(n):
    def chain(x, ws):
        for w in ws:
            x = jax.lax.optimization_barrier(x @ w)
        return x

    return chain


for m, n in ((16, 1024), (256, 1024), (1024, 2048), (2048, 4096)):
    both(f"products_{m}x{n}", products(20), ((m, n), bf), [((n, n), bf)] * 20)


def mixed(x, ws):
    for w in ws:
        x = jax.lax.optimization_barrier(jax.nn.softmax(x @ w, -1))
    return x


both("mixed_512", mixed, ((512, 1024), bf), [((1024, 1024), bf)] * 20)


def loop(body, n):
    return lambda x: jax.lax.fori_loop(0, n, lambda i, c: body(c), x)


both("loop_1", loop(links(1), 100), ((256, 256), f32))
both("loop_4", loop(links(4), 100), ((256, 256), f32))
both("loop_10", loop(links(10), 100), ((256, 256), f32))
both("loop_4_1024", loop(links(4), 100), ((1024, 1024), f32))
both("loop_nested", loop(loop(links(2), 10), 20), ((256, 256), f32))
both("loop_unknown", lambda n, x: jax.lax.fori_loop(0, n, lambda i, c: links(4)(c), x), ((), i32, 2), ((256, 256), f32))
both(
    "loop_until",
    lambda x: jax.lax.while_loop(lambda c: (c[0] < 100) & (c[1][0, 0] < 1e30), lambda c: (c[0] + 1, links(4)(c[1])), (0, x)),
    ((256, 256), f32),
)
both(
    "scan_outputs",
    lambda x, ys: jax.lax.scan(lambda c, y: (c.T + y, c.sum(0)), x, ys),
    ((256, 256), f32),
    ((100, 256), f32),
)
both(
    "scan_product",
    lambda x, ws: jax.lax.scan(lambda c, w: (jnp.tanh(c @ w), None), x, ws)[0],
    ((64, 1024), bf),
    ((50, 1024, 1024), bf),
)
both(
    "branches",
    lambda p, x: jax.lax.fori_loop(0, 50, lambda i, c: jax.lax.cond((i + p) % 2 > 0, links(2), links(3), c), x),
    ((), i32, 2),
    ((256, 256), f32),
)
both("arguments", lambda xs: [x + 1 for x in xs], [((256, 256), f32)] * 300)
both("sorts", lambda x: [jnp.sort(x + i) for i in range(10)], ((4096,), f32))
both("collatz", lambda x: jax.lax.while_loop(lambda c: (c > 1).any(), lambda c: jnp.where(c > 1, c // 2, c), x), ((65536,), i32, 2**30))

only = os.environ.get("ONLY")
if only:
    P.items = [i for i in P.items if any(i[0].startswith(o) for o in only.split(","))]
run_group("launches", P, float(os.environ.get("DEADLINE", 200)), chunk=100)
pack("launches")
