"""Products and small programs that XLA compiled without tuning on the device, as it does ahead of time."""

import sys, os

sys.path.insert(0, os.path.dirname(__file__))
from measure import *

bf, f32, s8 = jnp.bfloat16, jnp.float32, jnp.int8
P = Programs()


def add(name, fn, *specs):
    specs = [(tuple(map(shrunk, shape)), dtype) for shape, dtype in specs]
    P.add(name, fn, *specs, options={"xla_gpu_autotune_level": "0"})


def dot(a, b):
    return jax.lax.dot_general(a, b, (((1,), (0,)), ((), ())), preferred_element_type=a.dtype)


SHAPES = [
    (16, 4096, 4096),
    (64, 28672, 4096),
    (128, 4096, 14336),
    (512, 4096, 4096),
    (1024, 1024, 8192),
    (2048, 14336, 4096),
    (4096, 4096, 4096),
    (8192, 8192, 8192),
    (8192, 128, 4096),
]
for m, n, k in SHAPES:
    add(f"d_bf16_{m}x{n}x{k}", dot, ((m, k), bf), ((k, n), bf))
    add(f"d_f32_{m}x{n}x{k}", dot, ((m, k), f32), ((k, n), f32))
    add(f"up_{m}x{n}x{k}", lambda a, b: a @ b.astype(bf), ((m, k), bf), ((k, n), f32))
    add(f"w8_{m}x{n}x{k}", lambda a, b: a @ b.astype(bf), ((m, k), bf), ((k, n), s8))
    add(f"gelu_{m}x{n}x{k}", lambda a, b, c: jax.nn.gelu(a @ b + c), ((m, k), bf), ((k, n), bf), ((n,), bf))
for b, m, n, k in ((256, 1024, 1024, 64), (256, 1024, 64, 1024), (128, 2048, 2048, 128), (1024, 64, 64, 64), (256, 1, 4096, 128)):
    add(f"b_bf16_{b}_{m}x{n}x{k}", lambda x, y: jnp.einsum("bmk,bkn->bmn", x, y), ((b, m, k), bf), ((b, k, n), bf))
for hw, c, o, r in ((56, 64, 64, 3), (28, 128, 128, 3), (14, 1024, 256, 1)):
    add(
        f"c_bf16_{hw}_{c}_{o}_{r}",
        lambda x, w: jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")),
        ((128, hw, hw, c), bf),
        ((r, r, c, o), bf),
    )
run_group("untuned", P, float(os.environ.get("DEADLINE", 150)), runs=5, chunk=25)
pack("untuned")
