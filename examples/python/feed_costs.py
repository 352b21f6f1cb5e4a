"""Tells XLA what Pallas kernels cost, before it schedules. XLA does not read a kernel: without a ``cost_estimate`` its scheduler can not
know which transfer would hide behind it. A pass before the scheduler writes into each kernel what is predicted for it.

    python examples/python/feed_costs.py tpu_v5e:2x4        # ahead of time, for TPUs that need not be there

Prints the prediction of the final text without and with the pass, and which of the two programs is kept: the one that is predicted to
be faster. Needs JAX 0.12 and libtpu.
"""

from __future__ import annotations

import json
import os
import sys

import hloroof
import hloroof.jax


def feed_costs(edit: hloroof.Editor) -> None:
    """Writes the predicted FLOPs, bytes and transcendentals into the kernels that state none."""
    predicted = {op.name: op for op in edit.predict().ops}
    for op in edit.find_all("%kernel = custom-call"):
        kernel = op["kernel"]
        config = json.loads(kernel.attributes.get("backend_config", "{}"))
        call = config.get("custom_call_config")
        if call is None or "cost_estimate" in call or kernel.name not in predicted:
            continue
        cost = predicted[kernel.name]
        call["cost_estimate"] = {
            "flops": int(cost.flops),
            "transcendentals": int(cost.transcendentals),
            "bytes_accessed": int(cost.hbm_bytes),
        }
        edit.set_attribute(kernel, "backend_config", json.dumps(config))


def step(x, w, a, v):
    """A kernel and a matmul that could hide two transfers, with another matmul between these."""
    import jax
    import jax.numpy as jnp
    from jax.experimental import pallas

    def body(x_ref, out_ref):
        value = x_ref[...]
        for _ in range(64):
            value = jnp.tanh(value) * 1.01
        out_ref[...] = value

    block = pallas.BlockSpec((256, x.shape[1]), lambda i: (i, 0))
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    made = pallas.pallas_call(body, grid=(x.shape[0] // 256,), in_specs=[block], out_specs=block, out_shape=shape)(x)
    product = jnp.dot(x.astype(jnp.bfloat16), w)
    count = jax.lax.axis_size("d")
    ring = [(i, (i + 1) % count) for i in range(count)]
    passed = jax.lax.ppermute(jnp.dot(jax.lax.ppermute(a, "d", ring), v), "d", ring)
    return made.sum() + (product.sum() + passed.sum()).astype(jnp.float32)


def main(device: str) -> None:
    os.environ.update(TPU_SKIP_MDS_QUERY="1", ALLOW_MULTIPLE_LIBTPU_LOAD="1", JAX_PLATFORMS="cpu")
    import jax
    import numpy as np
    from jax.experimental import topologies

    name, _, topology = device.removeprefix("tpu_").partition(":")
    devices = topologies.get_topology_desc(platform="tpu", topology_name=f"{name}:{topology}").devices
    mesh = jax.sharding.Mesh(np.array(devices), ("d",))
    specs = (jax.P(), jax.P(), jax.P("d", None), jax.P())
    shapes = (((4096, 1024), np.float32), ((1024, 4096), jax.numpy.bfloat16), ((1024 * len(devices), 2048), jax.numpy.bfloat16),
              ((2048, 1024), jax.numpy.bfloat16))
    given = [jax.ShapeDtypeStruct(shape, dtype, sharding=jax.NamedSharding(mesh, spec)) for (shape, dtype), spec in zip(shapes, specs)]

    def compiled():
        jax.clear_caches()
        mapped = jax.shard_map(step, mesh=mesh, in_specs=specs, out_specs=jax.P(), check_vma=False)
        return jax.jit(mapped).lower(*given).compile().as_text()

    texts = {"without": compiled()}
    with hloroof.jax.transform(feed_costs, stage="pre_scheduler", device=device, on_error="raise", platforms="tpu"):
        texts["with"] = compiled()
    predictions = {title: hloroof.predict_step_time(text, device) for title, text in texts.items()}
    for title, prediction in predictions.items():
        exposed = prediction.exposed_communication_seconds
        print(f"{title} costs: step {prediction.step_seconds * 1e6:.0f} us, exposed communication {exposed * 1e6:.0f} us")
    print(f"kept: {min(predictions, key=lambda title: predictions[title].step_seconds)}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "tpu_v5e:2x4")
