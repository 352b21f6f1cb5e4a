"""Three passes in Python that edit the module inside a compile: collectives start as early as they can, two loop fusions become
one, and copies to another layout and back are removed.

    python examples/python/passes.py               # for four CPU devices
    python examples/python/passes.py tpu_v5e:2x2   # ahead of time, for TPUs that need not be there

Prints what each pass did, and what the compiled program runs then. Needs JAX 0.12, for TPUs libtpu too.
"""

from __future__ import annotations

import contextlib
import os
import sys
from typing import Optional

import hloroof
import hloroof.jax


def move_early(edit: hloroof.Editor, op: hloroof.Instruction, after: Optional[hloroof.Instruction] = None) -> None:
    """Moves an op of the entry behind the last of its operands, but not before ``after``."""
    earlier = [*op.operands, after] if after is not None else op.operands
    last = max(earlier, key=lambda one: one.position)
    place = last.next
    while place.opcode == "parameter":
        place = place.next
    if place.position < op.position:
        edit.move_before(op, place)


def start_collectives_early(edit: hloroof.Editor) -> None:
    """Moves each collective, or what begins one, behind the last of its operands. Collectives stay in their order, in which all
    devices must run them."""
    before = None
    for op in edit.entry.instructions:
        if op.opcode in ("all-gather", "all-gather-start", "all-reduce", "all-reduce-start"):
            for operand in op.operands:
                if operand.opcode == "get-tuple-element":
                    move_early(edit, operand)
            move_early(edit, op, before)
            before = op


def fuse_loops(edit: hloroof.Editor) -> None:
    """Fuses a loop fusion with its consumer, another one, if nothing else reads what it makes. A barrier between them has done
    its work by then."""
    for op in edit.entry.instructions:
        if op.opcode == "opt-barrier" and op.operands[0].shape == op.shape:
            edit.replace_all_uses(op, op.operands[0])
            edit.erase(op)
    is_fused = True
    while is_fused:
        is_fused = False
        for op in edit.entry.instructions:
            is_loop = op.opcode == "fusion" and op.attributes.get("kind") == "kLoop"
            if not is_loop or len(op.users) != 1:
                continue
            user = op.users[0]
            if user.opcode == "fusion" and user.attributes.get("kind") == "kLoop":
                edit.fuse([op, user])
                is_fused = True
                break
    edit.erase_unused_computations()


# What computes each element of an array from the same element of others, so that its layout does not matter.
ELEMENTWISE = ("add", "broadcast", "cosine", "dynamic-update-slice", "fusion", "multiply", "sine", "subtract", "tanh")


def compute_in_layout(edit: hloroof.Editor, op: hloroof.Instruction, wanted: hloroof.Shape) -> None:
    """Gives an op, what it computes inside, and the constants that it reads the layout of ``wanted`` where they have its size."""
    inside = [inner for body in op.computations.get("calls", []) for inner in body.instructions]
    constants = [operand for operand in op.operands if operand.opcode == "broadcast" and len(operand.users) == 1]
    for one in [op, *inside, *constants]:
        if one.shape.dimensions == wanted.dimensions:
            edit.set_layout(one, wanted.minor_to_major)


def remove_round_trip(edit: hloroof.Editor, first: hloroof.Instruction) -> None:
    """Removes a copy to another layout and the copies back, if only elementwise ops are between: they compute in the first layout.
    What else reads the last of them gets a copy of it."""
    source, between, last = first.operands[0], [], first
    while not (back := [user for user in last.users if user.opcode == "copy" and user.shape == source.shape]):
        if len(last.users) != 1 or last.users[0].opcode not in ELEMENTWISE or last.users[0].shape != first.shape:
            return
        last = last.users[0]
        between.append(last)
    result = between[-1] if between else source
    if between:
        others = [user for user in last.users if user not in back]
        edit.replace_all_uses(first, source)
        for op in between:
            compute_in_layout(edit, op, source.shape)
        if others:
            copy = edit.insert_before(others[0], "copy", [result], shape=first.shape)
            for user in others:
                edit.set_operands(user, [copy if operand == result else operand for operand in user.operands])
    for copy in back:
        edit.replace_all_uses(copy, result)
        edit.erase(copy)
    if not first.users and not first.is_root:
        edit.erase(first)


def remove_round_trips(edit: hloroof.Editor) -> None:
    for op in [op for computation in edit.computations for op in computation.instructions if op.opcode == "copy"]:
        if op.is_alive:
            remove_round_trip(edit, op)


def step(x, w, v):
    """A maximum over devices, a gather of weights, two loops that a barrier keeps apart, and arithmetic that goes to another layout and back."""
    import jax
    import jax.numpy as jnp
    from jax.experimental.layout import Layout, with_layout_constraint

    waves = jax.lax.optimization_barrier(jnp.sin(w) * 2)
    weights = jax.lax.all_gather(jnp.cos(waves) + waves, "d", tiled=True)
    turned = with_layout_constraint(v, Layout(major_to_minor=(1, 0)))
    back = with_layout_constraint(jnp.cos(turned) * 3, Layout(major_to_minor=(0, 1)))
    shifted = (jnp.sin(v) * 2).at[0].set(1.0)
    mixed = shifted + jnp.cos(shifted.T)
    largest = jax.lax.pmax(jnp.tanh(x @ x.T).max(0), "d")
    loss = jax.lax.psum((jnp.tanh(x @ mixed) @ weights[:128]).sum(), "d")
    return loss, largest, mixed, back


def compiled(device: str) -> str:
    """The text of the program that XLA makes of ``step`` for four devices."""
    import jax
    import numpy as np

    if device == "cpu":
        devices = jax.devices("cpu")[:4]
    else:
        from jax.experimental import topologies

        name, _, topology = device.removeprefix("tpu_").partition(":")
        devices = topologies.get_topology_desc(platform="tpu", topology_name=f"{name}:{topology or '2x2'}").devices[:4]
    mesh = jax.sharding.Mesh(np.array(devices), ("d",))
    split, whole = jax.P("d", None), jax.P()
    mapped = jax.shard_map(step, mesh=mesh, in_specs=(split, whole, whole), out_specs=whole)
    jax.clear_caches()
    arguments = [
        jax.ShapeDtypeStruct((128, 128), np.float32, sharding=jax.NamedSharding(mesh, spec)) for spec in (split, whole, whole)
    ]
    return jax.jit(mapped).lower(*arguments).compile().as_text()


def entry_ops(text: str) -> str:
    """What the entry runs, in order, and how many copies there are in the program."""
    edit = hloroof.Editor(text)
    ops = [op.name for op in edit.entry.instructions if op.opcode not in ("parameter", "constant", "tuple", "get-tuple-element")]
    copies = sum(op.opcode == "copy" for c in edit.computations for op in c.instructions)
    return f"{', '.join(ops)}; {copies} copies"


PASSES = (start_collectives_early, fuse_loops, remove_round_trips)


def main(device: str) -> None:
    if device == "cpu":
        os.environ.setdefault("JAX_PLATFORMS", "cpu")
        os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=4"
    else:
        os.environ.update(TPU_SKIP_MDS_QUERY="1", ALLOW_MULTIPLE_LIBTPU_LOAD="1", JAX_PLATFORMS="cpu")
    print(f"as it is: {entry_ops(compiled(device))}")
    on = {"device": None if device == "cpu" else device, "platforms": device.partition("_")[0]}
    for functions in (PASSES[:1], PASSES[:2], PASSES):
        with contextlib.ExitStack() as stack:
            seen = [
                stack.enter_context(hloroof.jax.transform(function, on_error="raise", quiet=True, **on)) for function in functions
            ]
            after = compiled(device)
        print(f"with {functions[-1].__name__}: {', '.join(map(str, seen[-1]))}")
        print(f"  {entry_ops(after)}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "cpu")
