"""A pass in Python from scratch: a collective matmul. An all-gather and the matmul that needs its result become a ring. Each device
multiplies the part that it has while it passes the part on, so that the transfer hides behind the products. The ring stays where the
step is predicted to be shorter.

    python examples/python/collective_matmul.py tpu_v5e:2x4        # ahead of time, for TPUs that need not be there
    python examples/python/collective_matmul.py cpu                # on eight CPU devices: checks that the results are the same

Prints what the pass did, and the prediction of the final text with and without it. The pass sees the module before scheduling, where XLA
has not yet tied other gathers to products. Needs JAX 0.12, for TPUs libtpu too.
"""

from __future__ import annotations

import os
import sys
from typing import Optional

import hloroof
import hloroof.jax

GATHERS = ("all-gather", "all-gather-done")


def is_split(edit: hloroof.Editor) -> bool:
    """Whether collectives may run beside other work. The CPU has none that do, and no buffers without a first value."""
    return any(op.opcode == "copy-start" or "T(" in str(op.shape) for op in edit.entry.instructions)


def take_apart(edit: hloroof.Editor, fusion: hloroof.Instruction) -> list[hloroof.Instruction]:
    """Takes apart a fusion and those inside, and leaves out bitcasts that change nothing. Returns the instructions."""
    made, wait = [], [fusion]
    while wait:
        for op in edit.unfuse(wait.pop()):
            if op.opcode == "fusion":
                wait.append(op)
            elif op.opcode == "bitcast" and op.shape == op.operands[0].shape:
                edit.replace_all_uses(op, op.operands[0])
                edit.erase(op)
            else:
                made.append(op)
    return made


def erase_dead(edit: hloroof.Editor, op: hloroof.Instruction) -> None:
    wait = [op]
    while wait:
        op = wait.pop()
        if op.is_alive and not op.users and not op.is_root and op.opcode != "parameter":
            wait.extend(op.operands)
            edit.erase(op)


class Ring:
    """The ring that replaces one product. ``side`` is its operand that is gathered, ``groups`` the devices along the ring."""

    def __init__(self, edit: hloroof.Editor, product: hloroof.Instruction, side: int, gather: hloroof.Instruction):
        self.edit, self.product, self.side, self.gather = edit, product, side, gather
        self.begin = gather.operands[0] if gather.opcode == "all-gather-done" else gather  # has the operand and the attributes
        self.dimension = int(self.begin.attributes["dimensions"].strip("{}"))
        devices = edit.module.num_partitions
        self.groups = self.begin.replica_groups or [list(range(devices))]
        self.devices = devices
        self.is_split = is_split(edit)

    def offset(self, before: hloroof.Instruction, step: int, size: int) -> hloroof.Instruction:
        """Where the part begins that a device has at a step: it came from the device that is ``step`` places back in the ring."""
        starts = [0] * self.devices
        for group in self.groups:
            for place, device in enumerate(group):
                starts[device] = (place - step) % len(group) * size
        layout = "{0:T(128)}" if self.is_split else "{0}"
        table = self.edit.insert_before(before, "constant", shape=f"s32[{self.devices}]{layout}", literal=str(starts).replace("[", "{").replace("]", "}"))
        one = self.edit.insert_before(before, "dynamic-slice", [table, self.device], shape=f"s32[1]{layout}", attributes={"dynamic_slice_sizes": [1]})
        return self.edit.insert_before(before, "reshape", [one], shape="s32[]")

    def send(self, before: hloroof.Instruction, part: hloroof.Instruction) -> tuple[Optional[hloroof.Instruction], hloroof.Instruction]:
        """Passes a part on to the next device of the ring. Returns the start, if there is one, and what has the part that arrives."""
        pairs = [[device, group[(place + 1) % len(group)]] for group in self.groups for place, device in enumerate(group)]
        attributes = {"channel_id": self.edit.next_channel_id(), "source_target_pairs": pairs}
        if "metadata" in self.begin.attributes:
            attributes["metadata"] = self.begin.attributes["metadata"]
        permute = self.edit.insert_before(before, "collective-permute", [part], shape=part.shape, attributes=attributes)
        return self.edit.split_collective(permute) if self.is_split else (None, permute)

    def indices(self, before: hloroof.Instruction, shape: hloroof.Shape, dimension: int, offset: hloroof.Instruction):
        zero = self.edit.insert_before(before, "constant", shape="s32[]", literal="0")
        return zero, [offset if d == dimension else zero for d in range(len(shape.dimensions))]

    def build(self) -> None:
        edit, here = self.edit, self.product
        part, count = self.begin.operands[0], len(self.groups[0])
        size = part.shape.dimensions[self.dimension]
        self.device = edit.insert_before(here, "partition-id", shape="u32[]")
        offsets = [self.offset(here, step, size) for step in range(count)]
        whole_shape = here.shape
        products, whole = edit.slice_dot(here, self.side, self.dimension, count)
        is_sum = whole.opcode == "add"
        along = None if is_sum else int(whole.attributes["dimensions"].strip("{}"))
        result = None
        if not is_sum and self.is_split:
            result = edit.insert_before(products[0], "custom-call", shape=whole_shape, attributes={"custom_call_target": '"AllocateBuffer"'})
        elif not is_sum:
            zero = edit.insert_before(products[0], "constant", shape=f"{whole_shape.element_type}[]", literal="0")
            result = edit.insert_before(products[0], "broadcast", [zero], shape=whole_shape, attributes={"dimensions": []})
        unused = []
        for step, product in enumerate(products):
            unused.extend(operand for operand in product.operands if operand.opcode == "slice")
            arrived = None
            if step + 1 < count:
                _, arrived = self.send(product, part)
            edit.set_operand(product, self.side, part)
            together = [product]
            if is_sum:  # the part meets the slice of the other operand that belongs to it
                static = product.operands[1 - self.side]
                other = static.operands[0]
                cut = next(d for d, n in enumerate(static.shape.dimensions) if n != other.shape.dimensions[d])
                zero, indices = self.indices(product, other.shape, cut, offsets[step])
                moving = edit.insert_before(product, "dynamic-slice", [other, *indices], shape=static.shape, attributes={"dynamic_slice_sizes": list(static.shape.dimensions)})
                edit.set_operand(product, 1 - self.side, moving)
                together = [zero, moving, product]
                if step > 0:
                    add = product.users[0]
                    if product.next != add:
                        edit.move_before(add, product.next)
                    together.append(add)
            else:  # the product goes to its place in the result
                after = product.next
                zero, indices = self.indices(after, whole_shape, along, offsets[step])
                result = edit.insert_before(after, "dynamic-update-slice", [result, product, *indices], shape=whole_shape)
                together = [zero, product, result]
            if arrived is not None and self.is_split:
                edit.move_before(arrived, products[step + 1])
            if self.is_split:
                fusion = edit.fuse(together, "kOutput")
                result = result if is_sum else fusion
            part = arrived
        if not is_sum:
            edit.replace_all_uses(whole, result)
            erase_dead(edit, whole)
        for op in unused:
            erase_dead(edit, op)


def find_product(edit: hloroof.Editor, gather: hloroof.Instruction) -> Optional[tuple[hloroof.Instruction, int]]:
    """The product that alone uses a gathered value, and which operand it is. Takes apart the fusion around it, which must do nothing
    else."""
    if len(gather.users) != 1:
        return None
    user = gather.users[0]
    if user.opcode == "fusion":
        rest = [op for op in take_apart(edit, user) if op.opcode not in ("dot", "convolution")]
        if rest or len(gather.users) != 1:
            return None
        user = gather.users[0]
    for kind in ("dot", "convolution"):
        for side, operands in enumerate((f"{gather.opcode}, *", f"*, {gather.opcode}")):
            if edit.match(user, f"{kind}({operands})") is not None and user.operands[side] == gather:
                return user, side
    return None


def collective_matmul(edit: hloroof.Editor, always: bool = False) -> None:
    """Replaces each all-gather that one product uses by a ring, if the step is predicted to be shorter then, or ``always``."""
    for gather in [op for op in edit.instructions if op.opcode in GATHERS]:
        before, name = edit.checkpoint(), gather.name
        seconds = None if always else edit.step_seconds
        try:
            found = find_product(edit, gather)
            if found is not None:
                Ring(edit, *found, gather).build()
        except hloroof.Error as error:
            found = None
            print(f"  {name}: {error}")
        after = seconds if always else edit.step_seconds
        is_kept = found is not None and (always or after < seconds)
        if found is not None and not always:
            wait = edit.waits[0] if edit.waits else None
            said = f"; {wait.op.name} waits {wait.seconds * 1e6:.0f} us" if wait else ""
            print(f"  {name}: step {seconds * 1e6:.0f} us -> {after * 1e6:.0f} us, {'kept' if is_kept else 'not kept'}{said}")
        if not is_kept:
            edit.rollback(before)
        edit.release(before)
    edit.erase_unused_computations()


def step(x, w, v):
    """Activations are gathered along the tokens for the first product, weights along what is contracted for the second."""
    import jax
    import jax.numpy as jnp

    hidden = jnp.dot(jax.lax.all_gather(x, "d", tiled=True), w)
    return jnp.dot(hidden, jax.lax.all_gather(v, "d", tiled=True))


def compiled(devices, tokens: int, width: int, hidden: int, dtype):
    """``step`` compiled for some devices, each with a part of the tokens of x, of the columns of w and of the rows of v; and what it is
    given."""
    import jax
    import numpy as np

    jax.clear_caches()
    mesh = jax.sharding.Mesh(np.array(devices), ("d",))
    specs = (jax.P("d", None), jax.P(None, "d"), jax.P("d", None))
    mapped = jax.jit(jax.shard_map(step, mesh=mesh, in_specs=specs, out_specs=jax.P(None, "d")))
    shapes = ((tokens, width), (width, hidden), (hidden // len(devices), width))
    given = [jax.ShapeDtypeStruct(shape, dtype, sharding=jax.NamedSharding(mesh, spec)) for shape, spec in zip(shapes, specs)]
    return mapped.lower(*given).compile(), given


def main(device: str) -> None:
    is_cpu = device == "cpu"
    if is_cpu:
        os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"
    else:
        os.environ.update(TPU_SKIP_MDS_QUERY="1", ALLOW_MULTIPLE_LIBTPU_LOAD="1")
    os.environ["JAX_PLATFORMS"] = "cpu"
    import jax
    import numpy as np

    if is_cpu:
        program = (jax.devices("cpu")[:8], 128, 64, 256, np.float32)
        function = lambda edit: collective_matmul(edit, always=True)
        on = {"platforms": "cpu"}
    else:
        from jax.experimental import topologies

        name, _, topology = device.removeprefix("tpu_").partition(":")
        devices = topologies.get_topology_desc(platform="tpu", topology_name=f"{name}:{topology}").devices
        program = (devices, 16384, 2048, 8192 * len(devices), jax.numpy.bfloat16)
        function, on = collective_matmul, {"platforms": "tpu", "device": device}
    plain, given = compiled(*program)
    with hloroof.jax.transform(function, stage="pre_scheduler", on_error="raise", **on):
        ring, _ = compiled(*program)
    if is_cpu:
        random = np.random.default_rng(0)
        values = [jax.device_put(random.normal(size=one.shape).astype(one.dtype), one.sharding) for one in given]
        results = [np.asarray(one(*values)) for one in (plain, ring)]
        print(f"collective-permutes: {ring.as_text().count(' collective-permute(')}")
        print("the results are the same" if np.allclose(*results, rtol=1e-4, atol=1e-3) else "the results differ")
        return
    for title, one in (("without the pass", plain), ("with it", ring)):
        prediction = hloroof.predict_step_time(one.as_text(), device)
        print(f"final text {title}: step {prediction.step_seconds * 1e6:.0f} us, {prediction.memory.peak_bytes / 2**20:.0f} MiB")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "cpu")
