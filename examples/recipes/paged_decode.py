"""A decode step with paged attention, the kind that vLLM runs on TPUs: how does it grow with the batch and the context?

    pip install jax libtpu hloroof
    python examples/recipes/paged_decode.py

The attention is JAX's Pallas kernel for ragged paged attention, which reads its pages by lists. What is in them is data that a compile
does not see: `kernel_lists` says it, for the batch that one has in mind. Around it is one layer of a model of eight billion parameters
on one TPU v6e, with 8 heads of keys of width 128; the embedding and the sampling are left out.
"""

import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
from jax.experimental.pallas.ops.tpu.ragged_paged_attention import ragged_paged_attention

import hloroof.jax

DEVICE, LAYERS = "tpu_v6e", 32
WIDTH, HIDDEN, HEADS, KV_HEADS, HEAD = 4096, 14336, 32, 8, 128
PAGE, PAGES_OF_ONE = 64, 32  # 2048 positions


def rms_norm(x):
    return x * jax.lax.rsqrt(jnp.mean(jnp.square(x.astype(jnp.float32)), axis=-1, keepdims=True) + 1e-6).astype(x.dtype)


def layer(x, weights, pages, where, lengths, tables, starts, count):
    normed = rms_norm(x)
    queries = (normed @ weights["q"]).reshape(-1, HEADS, HEAD)
    new = (normed @ weights["kv"]).reshape(-1, 2 * KV_HEADS, HEAD)
    pages = pages.reshape(-1, *pages.shape[2:]).at[where].set(new).reshape(pages.shape)  # a position for each sequence
    attended = ragged_paged_attention(
        queries, pages, lengths, tables, starts, count, sm_scale=HEAD**-0.5, num_kv_pages_per_block=16, num_queries_per_block=8,
        vmem_limit_bytes=64 * 2**20,
    )  # fmt: skip
    x = x + attended.reshape(-1, HEADS * HEAD) @ weights["o"]
    normed = rms_norm(x)
    return x + (jax.nn.silu(normed @ weights["gate"]) * (normed @ weights["up"])) @ weights["down"], pages


def array(*shape, dtype=jnp.bfloat16):
    return jax.ShapeDtypeStruct(shape, dtype)


weights = {
    "q": array(WIDTH, HEADS * HEAD), "kv": array(WIDTH, 2 * KV_HEADS * HEAD), "o": array(HEADS * HEAD, WIDTH),
    "gate": array(WIDTH, HIDDEN), "up": array(WIDTH, HIDDEN), "down": array(HIDDEN, WIDTH),
}  # fmt: skip
KERNEL = "ragged_paged_attention_kernel"
print(f"{'sequences':>9}{'positions':>11}{'one layer':>11}{f'{LAYERS} layers':>11}{'tokens/s':>10}  attention  bound")
for count in (8, 64):
    integers = [array(*shape, dtype=jnp.int32) for shape in [(count,), (count,), (count, PAGES_OF_ONE), (count + 1,), (1,)]]
    pages = array(count * PAGES_OF_ONE, PAGE, 2 * KV_HEADS, HEAD)
    program = hloroof.jax.compile_for(layer, (array(count, WIDTH), weights, pages, *integers), DEVICE, donate_argnums=2)
    for positions in (512, 2048):
        lists = {  # operands of the kernel: how far each sequence is, where its query is, from where to begin, how many there are
            f"{KERNEL}.0": [positions] * count,
            f"{KERNEL}.2": list(range(count + 1)),
            f"{KERNEL}.3": [0, 0],
            f"{KERNEL}.4": [count],
        }
        p = program.predict(kernel_lists=lists)
        attention = sum(op.exposed_seconds for op in p.ops if op.category == "custom-call") / p.step_seconds
        seconds = p.step_seconds * LAYERS
        print(f"{count:9}{positions:11}{p.step_seconds * 1e6:8.0f} us{seconds * 1e3:8.2f} ms{count / seconds:10.0f}"
              f"  {attention:9.0%}  {p.bound}")  # fmt: skip
