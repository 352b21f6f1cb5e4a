"""Levanter: what does checkpointing the layers of this Llama cost on four TPU v5e, and does the step fit without it?

    pip install --pre levanter haliax chex gitpython libtpu hloroof
    python examples/recipes/levanter_llama.py

eqx.filter_eval_shape makes a model without arrays; the axes of haliax say which dimension the four chips share.
"""

import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import equinox as eqx
import haliax as hax
import jax
import jax.numpy as jnp
import optax
from jax.sharding import PartitionSpec as P
from levanter.layers.attention import AttentionMask
from levanter.models.llama import LlamaConfig
from levanter.models.lm_model import LmExample, compute_next_token_loss

import hloroof.jax

DEVICE = "tpu_v5e:2x2"
VOCAB = hax.Axis("vocab", 32000)
BATCH = hax.Axis("batch", 16)
OPTIMIZER = optax.adamw(1e-3)


def create(config):
    model = config.build(VOCAB, key=jax.random.PRNGKey(0))
    return model, OPTIMIZER.init(eqx.filter(model, eqx.is_inexact_array))


def part(of):
    """FSDP: each chip has a quarter of the dimension of a weight that is the model's width."""
    if not isinstance(of, hax.NamedArray):
        return P()
    return P(*("data" if axis.name == "embed" and axis.size % 4 == 0 else None for axis in of.axes))


for checkpointing in (True, False):
    config = LlamaConfig(
        seq_len=1024, hidden_dim=2048, intermediate_dim=5504, num_layers=8, num_heads=16, num_kv_heads=16,
        gradient_checkpointing=checkpointing,
    )  # fmt: skip
    state = eqx.filter_eval_shape(create, config)
    arrays, rest = eqx.partition(state, lambda leaf: isinstance(leaf, jax.ShapeDtypeStruct))

    def train_step(arrays, tokens):
        model, moments = eqx.combine(arrays, rest)
        tokens = hax.named(tokens, (BATCH, config.Pos))
        example = LmExample(tokens, LmExample.causal_loss_mask(config.Pos), AttentionMask.causal())

        def loss(model):
            compute = jax.tree.map(lambda leaf: leaf.astype(jnp.bfloat16) if eqx.is_inexact_array(leaf) else leaf, model)
            return hax.mean(compute_next_token_loss(compute, example, reduction=None)).scalar()

        value, slopes = eqx.filter_value_and_grad(loss)(model)
        updates, moments = OPTIMIZER.update(slopes, moments, eqx.filter(model, eqx.is_inexact_array))
        return eqx.filter((eqx.apply_updates(model, updates), moments), eqx.is_array), value

    shardings = jax.tree.map(part, arrays, is_leaf=lambda leaf: isinstance(leaf, hax.NamedArray))
    tokens = jax.ShapeDtypeStruct((BATCH.size, config.Pos.size), jnp.int32)
    name = f"{'with' if checkpointing else 'without':8}checkpoints"
    try:
        p = hloroof.jax.compile_for(
            train_step, (arrays, tokens), DEVICE, mesh={"data": 4}, in_shardings=(shardings, P("data")), donate_argnums=0
        ).predict()
    except hloroof.CompileError as error:  # also says by how much, and which arrays are the largest
        print(name, str(error).splitlines()[0])
        continue
    print(f"{name}{p.step_seconds * 1e3:9.2f} ms  MFU {p.mfu:5.1%}  bound by {p.bound}, "
          f"peak memory {p.memory.hbm_peak_bytes / 2**30:.2f} GiB")  # fmt: skip
