"""Compiles a script of programs ahead of time for an H100, and prints what their tiled fusions do with their tiles.

    ONLY=swin_windows,convnext_blocks python3 layouts.py h100.txtpb ptxas steps2.py
                                    (jax, jax-cuda13-plugin and jax-cuda13-pjrt 0.11.2; no GPU)

h100.txtpb is XLA's description of the GPU (xla/backends/gpu/target_config/specs). Prints a line for each fusion with
reductions: its result, its tile, how often Triton converts the layout of an array of at least 2048 elements
(`ttg.convert_layout`, through shared memory), the reductions, the barriers, and the registers of a thread and the bytes
that do not fit into them, from ptxas.
"""

import glob
import math
import os
import re
import sys
import tempfile

from ahead import on_one_device, registers
import jax

import measure

SHARDING = on_one_device(sys.argv[1])
LAST = "IR Dump Before TritonNvidiaGPUFuseTMEMLoadReducePass"


def compiled(name, function, specs, donate, options, folder):
    def program(*arguments):
        return function(*arguments)

    program.__name__ = name
    arguments = jax.tree.map(
        lambda s: jax.ShapeDtypeStruct(s[0], s[1], sharding=SHARDING), specs, is_leaf=measure.is_spec
    )
    dumps = {"xla_dump_to": folder, "xla_dump_emitter_re": ".*", "xla_gpu_dump_llvmir": True}
    lowered = jax.jit(program, donate_argnums=donate).trace(*arguments).lower(lowering_platforms=("cuda",))
    return lowered.compile(compiler_options={**(options or {}), **dumps, "xla_gpu_autotune_level": 0}).as_text()


def kernels(ptxas, folder):
    """The registers and the spilled bytes of each kernel, and its barriers."""
    found = {}
    for path in glob.glob(folder + "/*.ptx"):
        with open(path) as file:
            parts = {re.match(r"\w+", part).group(): part for part in file.read().split(".entry ")[1:]}
        for name, (used, spilled) in registers(ptxas, path).items():
            found[name] = used, spilled, len(re.findall(r"\bbar\.sync", parts[name]))
    return found


def conversions(path):
    """Of a dump of Triton's passes: the conversions of large arrays, and the shapes of what is reduced."""
    with open(path) as file:
        text = file.read()
    end = text.find(LAST)
    code = text[text.rfind("IR Dump Before", 0, end) : end]
    shapes = re.findall(r'ttg\.convert_layout"\(%\d+\) : \(tensor<([\dx]+)x[a-z]\w*,', code)
    large = [s for s in shapes if math.prod(map(int, s.split("x"))) >= 2048]
    return len(large), re.findall(r"\}\) : \(tensor<([\dx]+)x[a-z]\w*, #\w+>.*?\) -> ", code)


def show(ptxas, group, programs, *_, **__):
    del group
    for name, function, specs, donate, _, options in programs.items:
        with tempfile.TemporaryDirectory() as folder:
            text = compiled(name, function, specs, donate, options, folder)
            known = kernels(ptxas, folder)
            for fusion, result, tile in re.findall(
                r'%(\S+) = \(?(\w+\[[\d,]*\]).*? fusion\(.*?"output_tiles":\[\{"sizes":\[([^\]]*)\]', text
            ):
                kernel = re.sub(r"[.\-]", "_", fusion)
                dumps = glob.glob(f"{folder}/*.{kernel}.triton-to-llvm.txt")
                if not dumps or kernel not in known:
                    continue
                converted, reduced = conversions(dumps[0])
                if reduced:
                    used, spilled, barriers = known[kernel]
                    tile = tile.replace('"', "")
                    print(
                        f"{name:16} {fusion:24} {result:28} {tile:18} {converted} {len(reduced)} {barriers:4} {used:4} {spilled:4}"
                    )


def main():
    ptxas, script = sys.argv[2:4]
    measure.run_group = lambda *arguments, **options: show(ptxas, *arguments, **options)
    measure.pack = lambda group: None
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), script)) as file:
        exec(compile(file.read(), script, "exec"), {"__name__": "__main__", "__file__": __file__})


if __name__ == "__main__":
    main()
