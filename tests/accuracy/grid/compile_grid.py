#!/usr/bin/env python3
"""Compiles a grid of operations ahead of time for each generation of TPU, and keeps what their final code says.

    compile_grid.py HLOROOF FOLDER [--generations v2,v5e] [--only REGEX]

Needs a Python with jax and libtpu, and no TPU. For each operation, FOLDER gets the optimized HLO (NAME.GENERATION.hlo.gz,
without metadata), and grid.csv a row with the busy cycles of the code, the bytes that it moves from and to HBM, and the
transfers. A row is that of a whole module: the sum over its operations. The flags and versions are in the row, because a
flag such as xla_tpu_scoped_vmem_limit_kib changes the code. The first, fourth, seventh and so on of each category is held
back: no number of a device may be fitted to it.
"""

import argparse
import csv
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

# generation: topology, device
GENERATIONS = {
    "v2": ("v2:2x2", "tpu_v2"),
    "v3": ("v3:2x2", "tpu_v3"),
    "v4": ("v4:2x2x1", "tpu_v4_core"),
    "v5e": ("v5e:2x2", "tpu_v5e"),
    "v5p": ("v5p:2x2x1", "tpu_v5p"),
    "v6e": ("v6e:2x2", "tpu_v6e"),
    "7x": ("tpu7x:2x2x1", "tpu_v7x"),
}
COLUMNS = ["file", "generation", "category", "name", "standing", "busy_cycles", "clock", "hbm_bytes", "transfers", "waits",
           "flags", "jax", "libtpu"]


def grid():
    """Yields (category, name, function, shapes)."""
    import jax
    import jax.numpy as jnp

    f32, bf16, s8, s32 = jnp.float32, jnp.bfloat16, jnp.int8, jnp.int32
    types = {"f32": f32, "bf16": bf16}

    def chain(n):
        def run(x):
            for i in range(n):
                x = x * (1.0 + 0.001 * i) + 0.5 if i % 2 == 0 else jnp.maximum(x, 0.25 * i)
            return x
        return run

    def repeat(op, n):
        def run(x):
            for _ in range(n):
                x = op(x)
            return x
        return run

    for t, dtype in types.items():
        for n in (1, 5, 10, 20, 40):
            yield "elementwise", f"chain{n}_{t}", chain(n), [((2048, 2048), dtype)]
        yield "elementwise", f"add3_{t}", lambda a, b, c: a * b + c, [((2048, 1024), dtype)] * 3
        yield "elementwise", f"select_{t}", lambda a, b: jnp.where(a > b, a - b, a * b), [((2048, 1024), dtype)] * 2
        yield "elementwise", f"adam_{t}", adam, [((2048, 1024), dtype)] * 4
        yield "elementwise", f"bias_gelu_{t}", lambda x, b: jax.nn.gelu(x + b), [((2048, 2048), dtype), ((2048,), dtype)]
        for name, op in {"exp": lambda x: jnp.exp(-x), "log": lambda x: jnp.log(jnp.abs(x) + 1), "rsqrt": lambda x: jax.lax.rsqrt(x * x + 1),
                         "div": lambda x: 1.5 / (x + 2), "tanh": jnp.tanh, "erf": jax.lax.erf, "logistic": jax.nn.sigmoid}.items():
            for n in (1, 4):
                yield "transcendental", f"{name}{n}_{t}", repeat(op, n), [((2048, 1024), dtype)]
        for axis in ((0,), (1,), (2,), (0, 1), (1, 2), (0, 2)):
            axes = "".join(map(str, axis))
            yield "reduction", f"sum{axes}_{t}", lambda x, a=axis: jnp.sum(x, a), [((64, 256, 512), dtype)]
        yield "reduction", f"max1_{t}", lambda x: jnp.max(x, -1), [((4096, 1024), dtype)]
        yield "reduction", f"argmax1_{t}", lambda x: jnp.argmax(x, -1), [((4096, 1024), dtype)]
        yield "reduction", f"onehot_loss_{t}", onehot, [((2048, 4096), dtype), ((2048,), s32), ((2048,), dtype)]
        yield "softmax", f"softmax_{t}", lambda x: jax.nn.softmax(x, -1), [((2048, 2048), dtype)]
        yield "softmax", f"softmax4_{t}", lambda x: jax.nn.softmax(x, -1), [((4, 8, 512, 512), dtype)]
        yield "softmax", f"layernorm_{t}", layernorm, [((4096, 1024), dtype), ((1024,), dtype), ((1024,), dtype)]
        yield "softmax", f"rmsnorm_{t}", rmsnorm, [((4096, 2048), dtype), ((2048,), dtype)]
        for order in ((1, 0, 2), (0, 2, 1), (2, 1, 0), (1, 2, 0)):
            o = "".join(map(str, order))
            yield "relayout", f"transpose{o}_{t}", lambda x, p=order: materialized(jnp.transpose(x, p)), [((32, 256, 512), dtype)]
        yield "relayout", f"transpose01_{t}", lambda x: materialized(x.T), [((4096, 2048), dtype)]
        yield "relayout", f"heads_{t}", lambda x: materialized(x.reshape(8, 512, 16, 128).transpose(0, 2, 1, 3)), [((8, 512, 2048), dtype)]
        yield "data movement", f"pad_{t}", lambda x: jnp.pad(x, ((3, 5), (7, 121))), [((2048, 1024), dtype)]
        yield "data movement", f"concat_{t}", lambda a, b: jnp.concatenate([a, b], 1), [((2048, 1000), dtype), ((2048, 536), dtype)]
        yield "data movement", f"slice_{t}", lambda x: x[3:2040, 5:1000], [((2048, 1024), dtype)]
        yield "data movement", f"broadcast_{t}", lambda x: jnp.broadcast_to(x[:, None, :], (16, 64, 2048)), [((16, 2048), dtype)]
        yield "data movement", f"update_{t}", lambda x, u: jax.lax.dynamic_update_slice(x, u, (3, 5)), [((2048, 1024), dtype), ((64, 500), dtype)]
        yield "sort and scan", f"cumsum_{t}", lambda x: jnp.cumsum(x, -1), [((512, 1024), dtype)]
        yield "sort and scan", f"cumsum0_{t}", lambda x: jnp.cumsum(x, 0), [((512, 1024), dtype)]
        yield "sort and scan", f"sort_{t}", lambda x: jnp.sort(x, -1), [((512, 1024), dtype)]
        for m, n, k in ((2048, 2048, 2048), (4096, 1024, 4096), (1024, 4096, 1024)):
            yield "product", f"matmul_{m}x{n}x{k}_{t}", jnp.dot, [((m, k), dtype), ((k, n), dtype)]
        yield "product", f"matmul_gelu_{t}", lambda x, w, b: jax.nn.gelu(x @ w + b), [((2048, 2048), dtype), ((2048, 2048), dtype), ((2048,), dtype)]
        yield "product", f"norm_matmul_{t}", lambda x, r, w: (x * r[:, None]) @ w, [((2048, 2048), dtype), ((2048,), dtype), ((2048, 2048), dtype)]
        yield "product", f"attention_scores_{t}", lambda q, k: jnp.einsum("bhqd,bhkd->bhqk", q, k), [((2, 8, 1024, 128), dtype)] * 2
    yield "sort and scan", "sort_pairs", lambda k, v: jax.lax.sort((k, v), num_keys=1), [((512, 1024), s32), ((512, 1024), f32)]
    yield "data movement", "iota", lambda: jax.lax.broadcasted_iota(s32, (2048, 2048), 1) + jax.lax.broadcasted_iota(s32, (2048, 2048), 0), []
    yield "quantization", "quantize", quantize, [((2048, 2048), bf16)]
    yield "quantization", "dequantize", lambda q, s: (q.astype(bf16) * s).astype(bf16), [((2048, 2048), s8), ((2048,), bf16)]
    yield "quantization", "matmul_s8", lambda x, w: jax.lax.dot(x, w, preferred_element_type=s32), [((2048, 2048), s8), ((2048, 2048), s8)]
    yield "quantization", "aqt", aqt, [((2048, 2048), bf16), ((2048, 2048), bf16)]

    def window(size, padding, op=jax.lax.add, start=0.0, stride=None):
        return lambda x: jax.lax.reduce_window(x, jnp.array(start, x.dtype), op, size, stride or (1,) * len(size), padding)

    def before(size):
        return [(extent - 1, 0) for extent in size]

    yield "window", "window_major", window((33, 1, 1), before((33, 1, 1))), [((256, 64, 512), f32)]
    yield "window", "window_rows", window((1, 9, 1), before((1, 9, 1))), [((64, 256, 512), f32)]
    yield "window", "window_lanes", window((1, 1, 9), before((1, 1, 9))), [((64, 256, 512), f32)]
    yield "window", "window_max_pool", window((1, 3, 3, 1), "SAME", jax.lax.max, -jnp.inf), [((16, 56, 56, 256), f32)]
    yield "window", "window_max_pool_bf16", window((1, 3, 3, 1), "SAME", jax.lax.max, -jnp.inf), [((16, 56, 56, 256), bf16)]
    yield "window", "window_stride", window((1, 3, 3, 1), "SAME", jax.lax.max, -jnp.inf, (1, 2, 2, 1)), [((16, 112, 112, 128), f32)]
    yield "window", "window_box", window((1, 9, 9, 1), "SAME"), [((4, 128, 128, 64), f32)]
    yield "window", "window_long", window((1, 128), before((1, 128))), [((1024, 4096), f32)]
    yield "window", "window_prefix_major", lambda x: jnp.cumsum(x, 0), [((512, 64, 512), f32)]
    yield "window", "window_prefix_rows", lambda x: jnp.cumsum(x, 1), [((2048, 4096), f32)]
    yield "window", "window_prefix_max", lambda x: jax.lax.cummax(x, 1), [((1024, 4096), f32)]

    for features in (16, 32, 48, 64, 96, 256):
        yield ("convolution", f"conv_{features}", convolution(),
               [((32, 32, 32, features), bf16), ((3, 3, features, 128), bf16)])
    yield "convolution", "conv_to_32", convolution(), [((32, 32, 32, 64), bf16), ((3, 3, 64, 32), bf16)]
    yield "convolution", "conv_to_512", convolution(), [((32, 32, 32, 64), bf16), ((3, 3, 64, 512), bf16)]
    yield "convolution", "conv_f32", convolution(), [((32, 32, 32, 64), f32), ((3, 3, 64, 128), f32)]
    yield "convolution", "conv_5x5", convolution(), [((32, 32, 32, 64), bf16), ((5, 5, 64, 128), bf16)]
    yield "convolution", "conv_stride", convolution(2), [((32, 64, 64, 128), bf16), ((3, 3, 128, 256), bf16)]
    yield "convolution", "conv_stem", convolution(2), [((128, 112, 112, 3), bf16), ((7, 7, 3, 64), bf16)]
    yield "convolution", "conv_1d", convolution(), [((32, 4096, 64), bf16), ((3, 64, 128), bf16)]
    yield "convolution", "conv_3d", convolution(), [((16, 16, 16, 16, 64), bf16), ((3, 3, 3, 64, 128), bf16)]
    yield ("convolution", "conv_holes", lambda x, w: jax.lax.conv_transpose(x, w, (2, 2), "SAME"),
           [((32, 32, 32, 64), bf16), ((3, 3, 64, 128), bf16)])

    # Rows that are found by number, selections, and columns that wait for one another.
    def summed(x, rows):
        return jnp.zeros((2048,) + x.shape[1:], x.dtype).at[rows].add(x)

    for width, dtype in ((384, f32), (768, f32), (256, bf16)):
        yield "rows and columns", f"scatter_{width}", summed, [((8192, width), dtype), ((8192,), s32)]
    yield ("rows and columns", "scatter_replace", lambda t, x, rows: t.at[rows].set(x),
           [((2048, 640), f32), ((8192, 640), f32), ((8192,), s32)])
    for width, dtype in ((512, f32), (1024, bf16)):
        yield "rows and columns", f"gather_{width}", lambda x, rows: x[rows] * 2, [((2048, width), dtype), ((8192,), s32)]
    yield ("rows and columns", "gather_one", lambda x, places: jnp.take_along_axis(x, places, axis=-1) * 2,
           [((1024, 64), f32), ((1024, 4), s32)])
    for rows, width, k in ((128, 16384, 4), (32, 50304, 16), (512, 8192, 12)):
        yield "rows and columns", f"topk_{k}", lambda x, k=k: jax.lax.top_k(x, k), [((rows, width), f32)]
    yield "rows and columns", "cholesky", jnp.linalg.cholesky, [((8, 192, 192), f32)]
    yield "rows and columns", "lu", lambda x: jax.lax.linalg.lu(x)[0], [((384, 384), f32)]
    yield "rows and columns", "qr", jnp.linalg.qr, [((768, 128), f32)]
    yield ("rows and columns", "triangular", lambda a, b: jax.scipy.linalg.solve_triangular(a, b, lower=True),
           [((384, 384), f32), ((384, 128), f32)])
    yield "rows and columns", "sort_long", jnp.sort, [((32768,), s32)]
    yield ("rows and columns", "sort_lanes", lambda x, y: jax.lax.sort((x, y), dimension=1, num_keys=1),
           [((64, 4096), f32), ((64, 4096), f32)])


def convolution(stride=1):
    import jax

    def run(x, w):
        spatial = "DHW"[3 - (x.ndim - 2):]
        return jax.lax.conv_general_dilated(x, w, (stride,) * len(spatial), "SAME",
                                            dimension_numbers=(f"N{spatial}C", f"{spatial}IO", f"N{spatial}C"))
    return run


def adam(p, g, m, v):
    import jax
    m = 0.9 * m + 0.1 * g
    v = 0.99 * v + 0.01 * g * g
    return p - 0.001 * m * jax.lax.rsqrt(v + 1e-6), m, v


def onehot(x, labels, total):
    import jax
    import jax.numpy as jnp
    logits = x.astype(jnp.float32) - total[:, None].astype(jnp.float32)
    return jnp.sum(jax.nn.one_hot(labels, x.shape[1]) * logits)


def layernorm(x, scale, bias):
    import jax
    import jax.numpy as jnp
    y = x.astype(jnp.float32)
    y = y - jnp.mean(y, -1, keepdims=True)
    y = y * jax.lax.rsqrt(jnp.mean(y * y, -1, keepdims=True) + 1e-6)
    return (y * scale + bias).astype(x.dtype)


def rmsnorm(x, scale):
    import jax
    import jax.numpy as jnp
    y = x.astype(jnp.float32)
    return (y * jax.lax.rsqrt(jnp.mean(y * y, -1, keepdims=True) + 1e-6) * scale).astype(x.dtype)


def quantize(x):
    import jax.numpy as jnp
    scale = jnp.max(jnp.abs(x), -1, keepdims=True) / 127
    return jnp.clip(jnp.round(x / scale), -127, 127).astype(jnp.int8), scale


def aqt(x, w):
    import jax
    import jax.numpy as jnp
    (qx, sx), (qw, sw) = quantize(x), quantize(w.T)
    return jax.lax.dot(qx, qw.T, preferred_element_type=jnp.int32).astype(jnp.bfloat16) * sx * sw.T


def materialized(x):
    """Keeps the layout that the program asks for, which would otherwise be a bitcast."""
    import jax
    return jax.lax.optimization_barrier(x)


def stripped(text):
    """The text without metadata and tables of frames, which are most of it."""
    text = re.sub(r", metadata=\{[^{}]*\}", "", text)
    text = re.sub(r"(?m)^(FileNames|FunctionNames|FileLocations|StackFrames)\n(?:\d+ .*\n)*\n?", "", text)
    return re.sub(r", sharding=\{[^{}]*\}|, frontend_attributes=\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}", "", text)


def chip_of(generation, dump, flags=""):
    """A chip that is not there, for which libtpu will write the final code of all programs of this process to `dump`."""
    os.environ.update(
        TPU_SKIP_MDS_QUERY="1", ALLOW_MULTIPLE_LIBTPU_LOAD="1", JAX_PLATFORMS="cpu", TPU_LOG_DIR="disabled",
        LIBTPU_INIT_ARGS=f"--xla_jf_dump_to={dump} --xla_jf_dump_llo_text=true "
        f"--xla_jf_dump_llo_pass_label_regex=packed-bundles-post-ra {flags}")
    from jax.experimental import topologies

    return topologies.get_topology_desc(platform="tpu", topology_name=GENERATIONS[generation][0]).devices[0]


def empty(folder):
    """Removes the files of a folder, such as the code of the program before."""
    for entry in os.listdir(folder):
        os.remove(os.path.join(folder, entry))


def ops_of_code(hloroof, generation, dump):
    """What `hloroof bundles` says of each operation whose code is in `dump`."""
    told = subprocess.run([hloroof, "bundles", dump, "--device", GENERATIONS[generation][1], "--format", "json"],
                          capture_output=True, text=True, check=True).stdout
    return json.loads(told)["ops"]


def code_of_each(arguments, programs):
    """Compiles each of `programs`, (name, function, [(shape, type), ...]), and yields (name, text, ops of the code)."""
    with tempfile.TemporaryDirectory() as dump:
        chip = chip_of(arguments.generation, dump)
        import jax

        on_chip = jax.sharding.SingleDeviceSharding(chip)
        for name, function, shapes in programs():
            if not re.search(arguments.only, name):
                continue
            empty(dump)
            operands = [jax.ShapeDtypeStruct(shape, dtype, sharding=on_chip) for shape, dtype in shapes]
            text = jax.jit(function, out_shardings=on_chip).lower(*operands).compile().as_text()
            yield name, text, ops_of_code(arguments.hloroof, arguments.generation, dump)


def line_of(text, op):
    """The line of an operation of the code in the text of its program; empty if it has none."""
    return next((line for line in text.splitlines() if f"{op['op']} = " in line), "")


def window_of(line):
    """The bounds of the windows of an operation, in tiles; empty if its line states none."""
    window = re.search(r'"output_window_bounds":\[([^\]]*)\]', line)
    return window.group(1).replace('"', "") if window else ""


def rate(op, unit):
    """The instructions of a unit in each bundle that has some."""
    return next((u["instructions"] / u["cycles"] for u in op["units"] if u["unit"] == unit and u["cycles"]), 0)


def arguments_of(description):
    """The arguments of a script that looks at the code of some operations: HLOROOF GENERATION [--only REGEX]."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("hloroof")
    parser.add_argument("generation", choices=GENERATIONS)
    parser.add_argument("--only", default="")
    return parser.parse_args()


def compile_generation(generation, arguments):
    """Runs in a process of its own, because libtpu reads its flags once."""
    device = GENERATIONS[generation][1]
    dump = tempfile.mkdtemp()
    flags = os.environ.get("GRID_FLAGS", "")
    chip = chip_of(generation, dump, flags)
    from importlib import metadata

    import jax

    sharding = jax.sharding.SingleDeviceSharding(chip)
    rows = []
    places = {}  # operations so far, by category
    for category, name, function, shapes in grid():
        place = places[category] = places.get(category, -1) + 1
        if arguments.only and not re.search(arguments.only, name):
            continue
        empty(dump)
        try:
            operands = [jax.ShapeDtypeStruct(shape, dtype, sharding=sharding) for shape, dtype in shapes]
            text = jax.jit(function, out_shardings=sharding).lower(*operands).compile().as_text()
        except Exception as error:  # a generation that lacks a type, or an op that it refuses
            print(generation, name, str(error).splitlines()[0][:150], file=sys.stderr)
            continue
        code = subprocess.run([arguments.hloroof, "bundles", dump, "--device", device, "--format", "json", "-n", "0"],
                              capture_output=True, text=True)
        if code.returncode != 0:
            print(generation, name, code.stderr[:200], file=sys.stderr)
            continue
        told = json.loads(code.stdout)
        if any(op["failure"] or op["busy_cycles"] is None for op in told["ops"]):
            print(generation, name, "the code cannot be followed", file=sys.stderr)
            continue
        file = f"{name}.{generation}.hlo.gz"
        with open(os.path.join(arguments.folder, file), "wb") as out:
            out.write(gzip.compress(stripped(text).encode(), mtime=0))
        total = lambda key: sum(op[key] or 0 for op in told["ops"])
        rows.append({
            "file": file, "generation": generation, "category": category, "name": name,
            "standing": "held back" if place % 3 == 0 else "fitted",
            "busy_cycles": int(total("busy_cycles")), "clock": int(told["clock"]),
            "hbm_bytes": int(total("hbm_bytes_read") + total("hbm_bytes_written") + total("hbm_bytes_either")),
            "transfers": int(total("transfers")), "waits": int(total("waits")), "flags": flags,
            "jax": metadata.version("jax"), "libtpu": metadata.version("libtpu"),
        })
    shutil.rmtree(dump)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("hloroof")
    parser.add_argument("folder")
    parser.add_argument("--generations", default=",".join(GENERATIONS))
    parser.add_argument("--only", default="")
    parser.add_argument("--rows", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    os.makedirs(arguments.folder, exist_ok=True)
    if arguments.rows:
        with open(arguments.rows, "w", encoding="utf-8") as out:
            json.dump(compile_generation(arguments.generations, arguments), out)
        return
    rows = []
    for generation in arguments.generations.split(","):
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            done = subprocess.run([sys.executable, __file__, arguments.hloroof, arguments.folder, "--generations", generation,
                                   "--only", arguments.only, "--rows", file.name], check=False)
            if done.returncode == 0:
                rows += json.load(open(file.name, encoding="utf-8"))
            print(generation, "rc", done.returncode, len(rows), "rows", file=sys.stderr)
    with open(os.path.join(arguments.folder, "grid.csv"), "w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
