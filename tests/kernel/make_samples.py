"""Writes the kernels of samples/: small Pallas kernels, lowered for a TPU that need not be there.

    python make_samples.py samples      (jax 0.10.2)

The tests compute by hand what each kernel does.
"""

import io
import pathlib
import sys

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax._src.lib import tpu
from jaxlib.mlir import ir

SPEC = jax.ShapeDtypeStruct


def matmul(x, y):
    """[512, 1024] x [1024, 768] in blocks of 256 x 512 x 256: a grid of 2 x 3 x 2."""

    def body(x_ref, y_ref, o_ref, acc_ref):
        @pl.when(pl.program_id(2) == 0)
        def _():
            acc_ref[...] = jnp.zeros_like(acc_ref)

        acc_ref[...] += jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)

        @pl.when(pl.program_id(2) == 1)
        def _():
            o_ref[...] = acc_ref[...].astype(o_ref.dtype)

    return pl.pallas_call(
        body,
        out_shape=SPEC((512, 768), jnp.bfloat16),
        grid=(2, 3, 2),
        in_specs=[pl.BlockSpec((256, 512), lambda i, j, k: (i, k)), pl.BlockSpec((512, 256), lambda i, j, k: (k, j))],
        out_specs=pl.BlockSpec((256, 256), lambda i, j, k: (i, j)),
        scratch_shapes=[pltpu.VMEM((256, 256), jnp.float32)],
        name="blocked_matmul",
        compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel", "parallel", "arbitrary")),
    )(x, y)


def causal(x, y):
    """Products of the blocks on and below the diagonal of an 8 x 8 grid: 36 of 64."""

    def body(x_ref, y_ref, o_ref):
        @pl.when(pl.program_id(1) <= pl.program_id(0))
        def _():
            o_ref[...] = jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)

    return pl.pallas_call(
        body,
        out_shape=SPEC((1024, 1024), jnp.float32),
        grid=(8, 8),
        in_specs=[pl.BlockSpec((128, 128), lambda i, j: (i, 0)), pl.BlockSpec((128, 128), lambda i, j: (0, j))],
        out_specs=pl.BlockSpec((128, 128), lambda i, j: (i, j)),
        name="causal_products",
    )(x, y)


def loops(x):
    """exp in 5 trips of a for, then tanh in a while that doubles 1 until it reaches 100: 7 trips."""

    def body(x_ref, o_ref):
        def trip(_, carry):
            o_ref[...] = jnp.exp(x_ref[...])
            return carry

        lax.fori_loop(0, 5, trip, 0)

        def doubled(n):
            o_ref[...] = jnp.tanh(o_ref[...])
            return n * 2

        lax.while_loop(lambda n: n < 100, doubled, jnp.int32(1))

    return pl.pallas_call(body, out_shape=SPEC((64, 256), jnp.float32), name="two_loops")(x)


def copies(x):
    """Copies 4 blocks of [128, 256] from HBM through two buffers, and writes their squares."""

    def body(x_ref, o_ref, buffer, read, out, write):
        def fetch(i, slot):
            return pltpu.make_async_copy(x_ref.at[pl.ds(i * 128, 128)], buffer.at[slot], read.at[slot])

        fetch(0, 0).start()

        def trip(i, carry):
            @pl.when(i < 3)
            def _():
                fetch(i + 1, lax.rem(i + 1, 2)).start()

            fetch(i, lax.rem(i, 2)).wait()
            out[...] = buffer[lax.rem(i, 2)] * buffer[lax.rem(i, 2)]
            store = pltpu.make_async_copy(out, o_ref.at[pl.ds(i * 128, 128)], write)
            store.start()
            store.wait()
            return carry

        lax.fori_loop(0, 4, trip, 0)

    return pl.pallas_call(
        body,
        out_shape=SPEC((512, 256), jnp.float32),
        in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
        out_specs=pl.BlockSpec(memory_space=pl.ANY),
        scratch_shapes=[
            pltpu.VMEM((2, 128, 256), jnp.float32),
            pltpu.SemaphoreType.DMA((2,)),
            pltpu.VMEM((128, 256), jnp.float32),
            pltpu.SemaphoreType.DMA,
        ],
        name="own_copies",
    )(x)


def turned(x):
    """The exponential of each row of [256, 512] less its maximum, transposed."""

    def body(x_ref, o_ref):
        row = x_ref[...]
        o_ref[...] = jnp.exp(row - jnp.max(row, axis=1, keepdims=True)).T

    return pl.pallas_call(body, out_shape=SPEC((512, 256), jnp.float32), name="turned_rows")(x)


def rows_of_records(count, records, x, y, tile):
    """Exponentials of the rows of x that packed records name, up to `tile` of them for each of `count` records."""

    def body(count_ref, records_ref, x_ref, _, o_ref, buffer, semaphore):
        @pl.loop(0, count_ref[0])
        def _(i):
            start = records_ref[i] >> 8
            rows = records_ref[i] & 255
            part = buffer.at[pl.ds(0, tile)].at[pl.ds(0, rows)]
            read = pltpu.make_async_copy(x_ref.at[pl.ds(start, rows)], part, semaphore)
            read.start()
            read.wait()
            buffer[...] = jnp.exp(buffer[...])
            write = pltpu.make_async_copy(part, o_ref.at[pl.ds(start, rows)], semaphore)
            write.start()
            write.wait()

    smem = pl.BlockSpec(memory_space=pltpu.SMEM)
    hbm = pl.BlockSpec(memory_space=pl.ANY)
    return pl.pallas_call(
        body,
        out_shape=SPEC(x.shape, jnp.float32),
        in_specs=[smem, smem, hbm, hbm],
        out_specs=hbm,
        scratch_shapes=[pltpu.VMEM((64, 1, 128), jnp.float32), pltpu.SemaphoreType.DMA],
        input_output_aliases={3: 0},
        name=f"rows_of_records_{tile}",
    )(count, records, x, y)


def records(count, records, x, y):
    return rows_of_records(count, records, x, y, 16)


def shared(total, records, x, y):
    """Two calls that write rows of one result in turn: which rows are whose depends on `total`."""
    few = lax.div(total, jnp.int32(16))
    y = rows_of_records(few, records, x, y, 16)
    return rows_of_records(total - few, records, x, y, 64)


def listed(rows, columns, x, y):
    """Products of the pairs of blocks that two lists name: 10 pairs of 4 x 4 blocks, as below a diagonal."""

    def body(rows_ref, columns_ref, x_ref, y_ref, o_ref):
        o_ref[...] = jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)

    return pl.pallas_call(
        body,
        out_shape=SPEC((512, 512), jnp.float32),
        grid_spec=pltpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=2,
            grid=(10,),
            in_specs=[
                pl.BlockSpec((128, 128), lambda i, rows, columns: (rows[i], 0)),
                pl.BlockSpec((128, 128), lambda i, rows, columns: (0, columns[i])),
            ],
            out_specs=pl.BlockSpec((128, 128), lambda i, rows, columns: (rows[i], columns[i])),
        ),
        name="listed_pairs",
    )(rows, columns, x, y)


def grouped(count, offsets, groups, tiles, x, y):
    """Products of 4 groups of the 1024 rows of x with a matrix each, in tiles of 128 rows: at most 11 visits of tiles."""

    def body(offsets_ref, groups_ref, tiles_ref, x_ref, y_ref, o_ref):
        group = groups_ref[pl.program_id(0)]
        row = tiles_ref[pl.program_id(0)] * 128 + lax.broadcasted_iota(jnp.int32, (128, 128), 0)
        mask = (row >= offsets_ref[group]) & (row < offsets_ref[group + 1])
        product = jnp.dot(x_ref[...], y_ref[0], preferred_element_type=jnp.float32)
        o_ref[...] = lax.select(mask, product, o_ref[...])

    return pl.pallas_call(
        body,
        out_shape=SPEC((1024, 128), jnp.float32),
        grid_spec=pltpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=3,
            grid=(count,),
            in_specs=[
                pl.BlockSpec((128, 256), lambda i, offsets, groups, tiles: (tiles[i], 0)),
                pl.BlockSpec((1, 256, 128), lambda i, offsets, groups, tiles: (groups[i], 0, 0)),
            ],
            out_specs=pl.BlockSpec((128, 128), lambda i, offsets, groups, tiles: (tiles[i], 0)),
        ),
        name="grouped_products",
    )(offsets, groups, tiles, x, y)


def looped(count, tiles, x):
    """Products of two columns of the blocks that a list selects, in a loop over a grid of 1 x 2 x count."""

    def body(count_ref, tiles_ref, x_ref, o_ref, block, out, semaphore):
        def trip(i, carry):
            rows = pl.ds(tiles_ref[lax.rem(i, count_ref[0])] * 128, 128)
            columns = pl.ds(lax.div(i, count_ref[0]) * 128, 128)
            read = pltpu.make_async_copy(x_ref.at[rows, columns], block, semaphore)
            read.start()
            read.wait()
            out[...] = jnp.dot(block[...], block[...], preferred_element_type=jnp.float32)
            write = pltpu.make_async_copy(out, o_ref.at[rows, columns], semaphore)
            write.start()
            write.wait()
            return carry

        lax.fori_loop(0, lax.mul(jnp.int32(1), jnp.int32(2)) * count_ref[0], trip, 0)

    return pl.pallas_call(
        body,
        out_shape=SPEC((1024, 256), jnp.float32),
        in_specs=[
            pl.BlockSpec(memory_space=pltpu.SMEM),
            pl.BlockSpec(memory_space=pltpu.SMEM),
            pl.BlockSpec(memory_space=pl.ANY),
        ],
        out_specs=pl.BlockSpec(memory_space=pl.ANY),
        scratch_shapes=[
            pltpu.VMEM((128, 128), jnp.bfloat16),
            pltpu.VMEM((128, 128), jnp.float32),
            pltpu.SemaphoreType.DMA,
        ],
        name="looped_blocks",
    )(count, tiles, x)


def guarded(x):
    """Three products of [256, 256] matrices if the largest number is positive; else a sum."""

    def body(x_ref, o_ref):
        is_positive = jnp.max(x_ref[...]) > 0

        @pl.when(is_positive)
        def _():
            product = jnp.dot(x_ref[...], x_ref[...], preferred_element_type=jnp.float32)
            product = jnp.dot(product, x_ref[...], preferred_element_type=jnp.float32)
            o_ref[...] = jnp.dot(product, x_ref[...], preferred_element_type=jnp.float32)

        @pl.when(jnp.logical_not(is_positive))
        def _():
            o_ref[...] = x_ref[...] + x_ref[...]

    return pl.pallas_call(body, out_shape=SPEC((256, 256), jnp.float32), name="guarded_products")(x)


def open_loop(x):
    """Multiplies the matrix by itself until its largest number is below one."""

    def body(x_ref, o_ref):
        def multiplied(largest):
            o_ref[...] = jnp.dot(o_ref[...], x_ref[...], preferred_element_type=jnp.float32)
            return jnp.max(o_ref[...])

        o_ref[...] = x_ref[...]
        lax.while_loop(lambda largest: largest > 1, multiplied, jnp.max(x_ref[...]))

    return pl.pallas_call(body, out_shape=SPEC((256, 256), jnp.float32), name="open_loop")(x)


def endless(x):
    """exp in 2^31 - 1 trips of a for."""

    def body(x_ref, o_ref):
        def trip(_, carry):
            o_ref[...] = jnp.exp(x_ref[...])
            return carry

        lax.fori_loop(0, 2**31 - 1, trip, 0)

    return pl.pallas_call(body, out_shape=SPEC((64, 256), jnp.float32), name="endless_loop")(x)


def refetched(x):
    """Reads a block of 1 MiB for each of 8 columns in each of 16 rows, although it depends on the column alone."""

    def body(x_ref, o_ref):
        o_ref[...] = x_ref[:128, :128] + x_ref[128:256, 128:256]

    return pl.pallas_call(
        body,
        out_shape=SPEC((2048, 1024), jnp.float32),
        grid=(16, 8),
        in_specs=[pl.BlockSpec((512, 512), lambda i, j: (0, j))],
        out_specs=pl.BlockSpec((128, 128), lambda i, j: (i, j)),
        name="refetched_blocks",
    )(x)


def own_bounds(count, x):
    """exp in each step of a grid of 3 x count, as often as the grid has columns."""

    def body(x_ref, o_ref):
        @pl.loop(0, pl.num_programs(1))
        def _(_):
            o_ref[...] = jnp.exp(x_ref[...])

    return pl.pallas_call(body, out_shape=SPEC((64, 256), jnp.float32), grid=(3, count), name="own_bounds")(x)


def next_rows(x):
    """exp of the block of the next row in each column of a grid of 4 x 3: the index of the block needs scalar code."""

    def body(x_ref, o_ref):
        o_ref[...] = jnp.exp(x_ref[...])

    return pl.pallas_call(
        body,
        out_shape=SPEC((32, 384), jnp.float32),
        grid=(4, 3),
        in_specs=[pl.BlockSpec((8, 128), lambda i, j: (lax.rem(i + 1, 4), 0))],
        out_specs=pl.BlockSpec((8, 128), lambda i, j: (i, j)),
        name="next_rows",
    )(x)


def filled(x, w):
    """The product of a buffer of 512 rows with a matrix, times the buffer. The rows of x fill it, or a part of it."""

    def body(x_ref, w_ref, o_ref, buffer, semaphore):
        rows = x.shape[0] + pl.program_id(0) * 0  # known, but not to the types
        read = pltpu.make_async_copy(x_ref.at[pl.ds(0, rows)], buffer.at[pl.ds(0, rows)], semaphore)
        read.start()
        read.wait()
        o_ref[...] = jnp.dot(buffer[...], w_ref[...], preferred_element_type=jnp.float32)

        @pl.when(pl.program_id(0) == 0)  # ends the straight-line code with the product
        def _():
            o_ref[...] = o_ref[...] * buffer[...]

    return pl.pallas_call(
        body,
        out_shape=SPEC((512, 128), jnp.float32),
        grid=(1,),
        in_specs=[pl.BlockSpec(memory_space=pl.ANY), pl.BlockSpec((128, 128), lambda i: (0, 0))],
        out_specs=pl.BlockSpec((512, 128), lambda i: (0, 0)),
        scratch_shapes=[pltpu.VMEM((512, 128), jnp.float32), pltpu.SemaphoreType.DMA],
        name="filled_buffer",
    )(x, w)


SAMPLES = {
    "next_rows": (next_rows, SPEC((32, 128), jnp.float32)),
    "own_bounds": (own_bounds, SPEC((), jnp.int32), SPEC((64, 256), jnp.float32)),
    "filled_128": (filled, SPEC((128, 128), jnp.float32), SPEC((128, 128), jnp.float32)),
    "filled_256": (filled, SPEC((256, 128), jnp.float32), SPEC((128, 128), jnp.float32)),
    "filled_512": (filled, SPEC((512, 128), jnp.float32), SPEC((128, 128), jnp.float32)),
    "matmul": (matmul, SPEC((512, 1024), jnp.bfloat16), SPEC((1024, 768), jnp.bfloat16)),
    "causal": (causal, SPEC((1024, 128), jnp.bfloat16), SPEC((128, 1024), jnp.bfloat16)),
    "refetched": (refetched, SPEC((512, 4096), jnp.float32)),
    "loops": (loops, SPEC((64, 256), jnp.float32)),
    "turned": (turned, SPEC((256, 512), jnp.float32)),
    "copies": (copies, SPEC((512, 256), jnp.float32)),
    "listed": (
        listed,
        SPEC((10,), jnp.int32),
        SPEC((10,), jnp.int32),
        SPEC((512, 128), jnp.bfloat16),
        SPEC((128, 512), jnp.bfloat16),
    ),
    "endless": (endless, SPEC((64, 256), jnp.float32)),
    "guarded": (guarded, SPEC((256, 256), jnp.float32)),
    "open_loop": (open_loop, SPEC((256, 256), jnp.float32)),
    "looped": (
        looped,
        SPEC((1,), jnp.int32),
        SPEC((11,), jnp.int32),
        SPEC((1024, 256), jnp.bfloat16),
    ),
    "records": (
        records,
        SPEC((1,), jnp.int32),
        SPEC((64,), jnp.int32),
        SPEC((256, 1, 128), jnp.float32),
        SPEC((256, 1, 128), jnp.float32),
    ),
    "records_end": (
        records,
        SPEC((1,), jnp.int32),
        SPEC((64,), jnp.int32),
        SPEC((8192, 1, 128), jnp.float32),
        SPEC((8192, 1, 128), jnp.float32),
    ),
    "shared": (
        shared,
        SPEC((1,), jnp.int32),
        SPEC((64,), jnp.int32),
        SPEC((256, 1, 128), jnp.float32),
        SPEC((256, 1, 128), jnp.float32),
    ),
    "grouped": (
        grouped,
        SPEC((), jnp.int32),
        SPEC((5,), jnp.int32),
        SPEC((11,), jnp.int32),
        SPEC((11,), jnp.int32),
        SPEC((1024, 256), jnp.bfloat16),
        SPEC((4, 256, 128), jnp.bfloat16),
    ),
}


# Bodies that JAX does not write: the main function calls another one.
CALLS = {
    "calls_helper": """
  "stable_mosaic.func.func"() ({
    %x = "stable_mosaic.arith.constant"() {value = dense<1.0> : vector<8x128xf32>} : () -> vector<8x128xf32>
    %y = "stable_mosaic.math.exp"(%x) : (vector<8x128xf32>) -> vector<8x128xf32>
    "stable_mosaic.func.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "helper"} : () -> ()""",
    "calls_empty": """
  "stable_mosaic.func.func"() ({}) {function_type = () -> (), sym_name = "helper"} : () -> ()""",
    "calls_missing": "",
}


def write_calls(folder):
    for name, helper in CALLS.items():
        with ir.Context() as context, ir.Location.unknown():
            context.allow_unregistered_dialects = True
            module = ir.Module.parse(f"""
"builtin.module"() ({{
  "stable_mosaic.func.func"() ({{
  ^bb0(%a: memref<64x256xf32>, %b: memref<64x256xf32>):
    "stable_mosaic.func.call"() {{callee = @helper}} : () -> ()
    "stable_mosaic.func.return"() : () -> ()
  }}) {{function_type = () -> (), sym_name = "{name}"}} : () -> (){helper}
}}) {{stable_mosaic.version = 11 : i64}} : () -> ()""")
            out = io.BytesIO()
            module.operation.write_bytecode(out, desired_version=0)
            (folder / f"{name}.mlirbc").write_bytes(out.getvalue())


# An indirect transfer: eight rows of an array in HBM that a vector of offsets names.
GATHER = """
"builtin.module"() ({
  "stable_mosaic.func.func"() ({
  ^bb0(POINT%a: memref<64x256xf32, #tpu.memory_space<hbm>>, %b: memref<64x256xf32, #tpu.memory_space<hbm>>,
       %rows: memref<8x256xf32, #tpu.memory_space<vmem>>, %at: vector<8xi32>,
       %done: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>):
    "stable_mosaic.tpu.enqueue_indirect_dma"(%a, %rows, %at, %done) {add = false}
        : (memref<64x256xf32, #tpu.memory_space<hbm>>, memref<8x256xf32, #tpu.memory_space<vmem>>, vector<8xi32>,
           memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) -> ()
    "stable_mosaic.tpu.wait_indirect_dma"(%done, %a, %rows)
        : (memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, memref<64x256xf32, #tpu.memory_space<hbm>>,
           memref<8x256xf32, #tpu.memory_space<vmem>>) -> ()
    "stable_mosaic.func.return"() : () -> ()
  }) {function_type = () -> (), ATTRIBUTESsym_name = "gathers_rows"} : () -> ()
}) {stable_mosaic.version = 11 : i64} : () -> ()"""


# The cores that run it: their type, and each dimension of the grid with its bound.
GATHERS = {
    "gathers_rows": None,
    "gathers_on_subcores": ("sc_vector_subcore", {"core_parallel": 2, "subcore_parallel": 16}),
    "gathers_on_subcores_thrice": ("sc_vector_subcore", {"core_parallel": 2, "subcore_parallel": 16, "arbitrary": 3}),
    "gathers_on_scalar_subcores": ("sc_scalar_subcore", {"core_parallel": 2}),
    "gathers_on_tensor_cores": ("tc", {"parallel": 2, "arbitrary": 16}),
}


def gather(cores):
    point, attributes = "", ""
    if cores:
        core, grid = cores
        point = "".join(f"%i{d}: i32, " for d in range(len(grid)))
        semantics = ", ".join(f"#tpu.dimension_semantics<{name}>" for name in grid)
        bounds = ", ".join(map(str, grid.values()))
        attributes = (
            f"dimension_semantics = [{semantics}], iteration_bounds = array<i64: {bounds}>, "
            f"tpu.core_type = #tpu.core_type<{core}>, "
        )
    return GATHER.replace("POINT", point).replace("ATTRIBUTES", attributes)


def write_gathers(folder):
    for name, cores in GATHERS.items():
        with ir.Context() as context, ir.Location.unknown():
            context.allow_unregistered_dialects = True
            tpu.register_dialect(context)
            context.load_all_available_dialects()
            out = io.BytesIO()
            ir.Module.parse(gather(cores)).operation.write_bytecode(out, desired_version=0)
            (folder / f"{name}.mlirbc").write_bytes(out.getvalue())


def main():
    folder = pathlib.Path(sys.argv[1])
    write_calls(folder)
    write_gathers(folder)
    for name, (function, *arguments) in SAMPLES.items():
        lowered = jax.jit(function).trace(*arguments).lower(lowering_platforms=("tpu",))
        (folder / f"{name}.hlo").write_text(lowered.as_text(dialect="hlo"))


if __name__ == "__main__":
    main()
