"""Tells XLA what Pallas kernels and collectives cost, before it schedules. XLA does not read a kernel: without a ``cost_estimate`` its
scheduler can not know which transfer would hide behind it. A pass before the scheduler writes what is predicted for each.

    python examples/python/feed_costs.py tpu_v5e:2x4        # ahead of time, for TPUs that need not be there

There are two places. ``cost_estimate`` of a kernel has its work, from which XLA computes a time. The frontend attribute
``latency_metadata`` is a time in nanoseconds, of a kernel or a collective: XLA's latency-hiding scheduler takes it in place of its own
(``xla::GetLatencyMetadataNs`` in libtpu 0.0.52). Prints the prediction of the final text without and with each, and
which program is kept: the one that is predicted to be the fastest. Needs JAX 0.12 and libtpu.
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


def feed_latencies(edit: hloroof.Editor) -> None:
    """Writes the predicted times into the collectives, and into the kernels."""
    prediction = edit.predict()
    seconds = {collective.name: collective.seconds for collective in prediction.collectives}
    times = {op.name: op.seconds for op in prediction.ops}
    for op in edit.find_all("%kernel = custom-call"):
        kernel = op["kernel"]
        if "custom_call_config" in kernel.attributes.get("backend_config", "") and kernel.name in times:
            seconds[kernel.name] = times[kernel.name]
    for name, time in seconds.items():
        op = edit.instruction(name)
        others = op.attributes.get("frontend_attributes", "{}")[1:-1]
        latency = f'latency_metadata="{round(time * 1e9)}"'
        edit.set_attribute(op, "frontend_attributes", "{" + (f"{others},{latency}" if others else latency) + "}")


PASSES = {"costs": feed_costs, "latencies": feed_latencies}


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


def lowered(devices):
    """The step on these TPUs."""
    import jax
    import numpy as np

    mesh = jax.sharding.Mesh(np.array(devices), ("d",))
    specs = (jax.P(), jax.P(), jax.P("d", None), jax.P())
    shapes = (((4096, 1024), np.float32), ((1024, 4096), jax.numpy.bfloat16), ((1024 * len(devices), 2048), jax.numpy.bfloat16),
              ((2048, 1024), jax.numpy.bfloat16))
    given = [jax.ShapeDtypeStruct(shape, dtype, sharding=jax.NamedSharding(mesh, spec)) for (shape, dtype), spec in zip(shapes, specs)]
    mapped = jax.shard_map(step, mesh=mesh, in_specs=specs, out_specs=jax.P(), check_vma=False)
    return jax.jit(mapped).lower(*given)


def main(device: str) -> None:
    os.environ.update(TPU_SKIP_MDS_QUERY="1", ALLOW_MULTIPLE_LIBTPU_LOAD="1", JAX_PLATFORMS="cpu")
    import jax
    from jax.experimental import topologies

    name, _, topology = device.removeprefix("tpu_").partition(":")
    devices = topologies.get_topology_desc(platform="tpu", topology_name=f"{name}:{topology}").devices
    texts = {"without": lowered(devices).compile().as_text()}
    for title, feed in PASSES.items():
        jax.clear_caches()
        with hloroof.jax.transform(feed, stage="pre_scheduler", device=device, on_error="raise", platforms="tpu", quiet=True):
            texts[f"with {title}"] = lowered(devices).compile().as_text()
    predictions = {title: hloroof.predict_step_time(text, device) for title, text in texts.items()}
    for title, prediction in predictions.items():
        exposed = prediction.exposed_communication_seconds
        print(f"{title}: step {prediction.step_seconds * 1e6:.0f} us, exposed communication {exposed * 1e6:.0f} us")
    print(f"kept: {min(predictions, key=lambda title: predictions[title].step_seconds)}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "tpu_v5e:2x4")
