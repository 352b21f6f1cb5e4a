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


def is_tpu(edit: hloroof.Editor) -> bool:
    """Whether a TPU is compiled for: its layouts have tiles. Its collectives run beside other work, which those of the CPU do not."""
    return any(op.shape.element_type != "tuple" and op.shape.tiles for op in edit.entry.instructions)


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
    """The ring that replaces one product. ``side`` is its operand that is gathered."""

    def __init__(self, edit: hloroof.Editor, product: hloroof.Instruction, side: int, gather: hloroof.Instruction) -> None:
        self.edit, self.product, self.side = edit, product, side
        self.begin = gather.operands[0] if gather.opcode == "all-gather-done" else gather  # has the operand and the attributes
        self.device_count = edit.module.num_partitions
        self.groups = self.begin.replica_groups or [list(range(self.device_count))]
        self.is_tpu = is_tpu(edit)

    def offset(self, before: hloroof.Instruction, step: int, size: int) -> hloroof.Instruction:
        """Where the part begins that a device has at a step: it comes from the device that is ``step`` places back in the ring."""
        begins = [0] * self.device_count
        for group in self.groups:
            for place, device in enumerate(group):
                begins[device] = (place - step) % len(group) * size
        layout = "{0:T(128)}" if self.is_tpu else "{0}"
        literal = "{" + ", ".join(map(str, begins)) + "}"
        table = self.edit.insert_before(before, "constant", shape=f"s32[{self.device_count}]{layout}", literal=literal)
        sizes = {"dynamic_slice_sizes": [1]}
        begin = self.edit.insert_before(before, "dynamic-slice", [table, self.device], shape=f"s32[1]{layout}", attributes=sizes)
        return self.edit.insert_before(before, "reshape", [begin], shape="s32[]")

    def send(self, before: hloroof.Instruction, part: hloroof.Instruction) -> hloroof.Instruction:
        """Passes a part on to the next device of the ring. Returns the part that arrives."""
        pairs = [[device, group[(place + 1) % len(group)]] for group in self.groups for place, device in enumerate(group)]
        attributes = {"channel_id": self.edit.next_channel_id(), "source_target_pairs": pairs}
        if "metadata" in self.begin.attributes:
            attributes["metadata"] = self.begin.attributes["metadata"]
        permute = self.edit.insert_before(before, "collective-permute", [part], shape=part.shape, attributes=attributes)
        if not self.is_tpu:
            return permute
        start, done = self.edit.split_collective(permute)
        # libtpu wants the flags by which the two devices wait for each other.
        self.edit.set_shape(start, f"({part.shape}, {part.shape}, u32[]{{:S(2)}}, u32[]{{:S(2)}})")
        return done

    def empty_result(self, before: hloroof.Instruction, shape: hloroof.Shape) -> hloroof.Instruction:
        if self.is_tpu:
            target = {"custom_call_target": '"AllocateBuffer"'}
            return self.edit.insert_before(before, "custom-call", shape=shape, attributes=target)
        zero = self.edit.insert_before(before, "constant", shape=f"{shape.element_type}[]", literal="0")
        return self.edit.insert_before(before, "broadcast", [zero], shape=shape, attributes={"dimensions": []})

    def indices(
        self, before: hloroof.Instruction, shape: hloroof.Shape, dimension: int, offset: hloroof.Instruction
    ) -> list[hloroof.Instruction]:
        zero = self.edit.insert_before(before, "constant", shape="s32[]", literal="0")
        return [offset if d == dimension else zero for d in range(len(shape.dimensions))]

    def place(
        self, product: hloroof.Instruction, result: hloroof.Instruction, dimension: int, offset: hloroof.Instruction
    ) -> hloroof.Instruction:
        """Writes the product of a part to its place in the result."""
        after = product.next
        indices = self.indices(after, result.shape, dimension, offset)
        return self.edit.insert_before(after, "dynamic-update-slice", [result, product, *indices], shape=result.shape)

    def meet(self, product: hloroof.Instruction, offset: hloroof.Instruction) -> None:
        """Lets a part meet the slice of the other operand that belongs to it."""
        fixed = product.operands[1 - self.side]
        other = fixed.operands[0]
        sizes = fixed.shape.dimensions
        dimension = next(d for d, size in enumerate(sizes) if size != other.shape.dimensions[d])
        operands = [other, *self.indices(product, other.shape, dimension, offset)]
        moving = self.edit.insert_before(
            product, "dynamic-slice", operands, shape=fixed.shape, attributes={"dynamic_slice_sizes": sizes}
        )
        self.edit.set_operand(product, 1 - self.side, moving)
        erase_dead(self.edit, fixed)

    def build(self) -> None:
        edit, shape, part, count = self.edit, self.product.shape, self.begin.operands[0], len(self.groups[0])
        gathered = int(self.begin.attributes["dimensions"].strip("{}"))
        self.device = edit.insert_before(self.product, "partition-id", shape="u32[]")
        offsets = [self.offset(self.product, step, part.shape.dimensions[gathered]) for step in range(count)]
        products, whole = edit.slice_dot(self.product, self.side, gathered, count)
        is_sum = whole.opcode == "add"
        result = products[0] if is_sum else self.empty_result(products[0], shape)
        fused = []
        for step, product in enumerate(products):
            arrives = self.send(product, part) if step + 1 < count else None
            fixed = product.operands[self.side]
            edit.set_operand(product, self.side, part)
            if step + 1 == count:
                erase_dead(edit, fixed)  # and with the last slice the gather
            elif not fixed.users:
                edit.erase(fixed)
            if is_sum:
                self.meet(product, offsets[step])
                if step > 0:
                    result = product.users[0]
                    if product.next != result:
                        edit.move_before(result, product.next)
            else:
                result = self.place(product, result, int(whole.attributes["dimensions"].strip("{}")), offsets[step])
            if result != product:
                fused.append([product, *[op for op in result.operands if op.opcode == "constant"], result])
            if arrives is not None:
                edit.move_before(arrives, products[step + 1])
            part = arrives
        if not is_sum:
            edit.replace_all_uses(whole, result)
            edit.erase(whole)
        for together in fused if self.is_tpu else []:
            edit.fuse(list(dict.fromkeys(together)), "kOutput")


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
