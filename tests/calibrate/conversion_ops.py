"""Prints how many operations of the vector ALUs a conversion takes for each register of 1024 elements, and compares them with
`vector.weights.convert-FROM-TO` of data/hardware. Exits with 1 if a number differs, with 77 without jax or libtpu.

    conversion_ops.py FOLDER [DEVICE...]      FOLDER: data/hardware

libtpu compiles a fusion that only converts, ahead of time, and writes for each bundle of its final code how many slots of each
unit are taken. A negation takes one slot a register, and is the unit.
"""
import glob
import json
import os
import pathlib
import re
import sys
import tempfile

TOPOLOGIES = {
    "tpu_v2": "v2:2x2", "tpu_v3": "v3:2x2", "tpu_v4": "v4:2x2x1", "tpu_v5e": "v5e:2x2", "tpu_v5p": "v5p:2x2x1",
    "tpu_v6e": "v6e:2x2", "tpu_v7x": "tpu7x:2x2x1",
}  # fmt: skip
TYPES = {"f32": "float32", "bf16": "bfloat16", "s8": "int8", "s32": "int32", "f8e4m3fn": "float8_e4m3fn", "f8e5m2": "float8_e5m2"}
PAIRS = [(wide, narrow) for narrow in ("s8", "f8e4m3fn", "f8e5m2") for wide in ("f32", "bf16")]
CONVERSIONS = [*PAIRS, *[(narrow, wide) for wide, narrow in PAIRS], ("f32", "s32"), ("s32", "f32")]

dumps = tempfile.mkdtemp(prefix="conversions")
os.environ.update(TPU_SKIP_MDS_QUERY="1", ALLOW_MULTIPLE_LIBTPU_LOAD="1", JAX_PLATFORMS="cpu")
os.environ["LIBTPU_INIT_ARGS"] = f"--xla_jf_dump_to={dumps} --xla_jf_dump_llo_text=true --xla_jf_dump_llo_pass_label_regex=final.*"


def alu_slots(topology, function, type):
    """Slots of the vector ALUs in the final code of the fusion that is `function` of an array."""
    import jax
    from jax.experimental import topologies

    for file in glob.glob(dumps + "/*"):
        os.remove(file)
    device = topologies.get_topology_desc(platform="tpu", topology_name=topology).devices[0]
    array = jax.ShapeDtypeStruct((2048, 2048), type, sharding=jax.sharding.SingleDeviceSharding(device))
    jax.jit(function).lower(array).compile()
    files = glob.glob(dumps + "/*-final_hlo-static-per-bundle-utilization.txt")
    (file,) = [file for file in files if not re.search("-(TLP|<late-[a-z]+>)-", file)]
    units, _, *bundles = [re.split(r"[,\s]+", line.strip()) for line in open(file) if line[0] != "="]
    return sum(int(bundle[units.index("VALU")]) for bundle in bundles)


def shipped(folder, device):
    """The weights of a device file and of those that it extends."""
    weights = {}
    while device:
        file = json.loads((folder / f"{device}.json").read_text())
        weights = {**file.get("vector", {}).get("weights", {}), **weights}
        device = file.get("extends")
    return {name: weight["vector_ops"] for name, weight in weights.items()}


def main(folder, *devices):
    try:
        import jax  # noqa: F401
        import libtpu  # noqa: F401
    except ImportError:
        return 77
    differs = False
    for device in devices or TOPOLOGIES:
        one = alu_slots(TOPOLOGIES[device], lambda x: -x, "float32")
        weights = shipped(pathlib.Path(folder), device)
        for source, target in CONVERSIONS:
            slots = alu_slots(TOPOLOGIES[device], lambda x: x.astype(TYPES[target]), TYPES[source])
            found = round(slots / one * 2) / 2
            name = f"convert-{source}-{target}"
            differs |= weights.get(name, 1) != found
            print(f"{device:8} {name:22} {weights.get(name, 1):5} -> {found}", flush=True)
    return int(differs)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
