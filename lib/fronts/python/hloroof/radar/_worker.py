"""Lists and compiles programs with the JAX of another environment, which has nothing of hloroof but this file: WORKER.py REQUEST.json

The request says what to do and where to write: ``result.json``, the text, the dumps of passes, and ``stages.txt``, a line for each
step when it begins, from which the caller knows what a process had that was killed. Imports nothing of hloroof, and runs with
Python 3.9 and JAX 0.5 or later.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import inspect
import json
import os
import sys
import threading
import time
from typing import Any

KEYWORDS = (
    "mesh", "in_shardings", "out_shardings", "donate_argnums", "static_argnums", "keyword_arguments", "options",
)  # fmt: skip


class BadProgram(Exception):
    """What the file gives is no program."""


def main(path: Any) -> Any:
    with open(path) as file:
        request = json.load(file)
    threading.Thread(target=end_with, args=(os.getppid(),), daemon=True).start()
    # Not the folder of this file, whose modules would hide others, but that of the programs, as if their file were the script.
    sys.path[0] = os.path.dirname(request["file"])
    result: dict[str, Any] = {"sources": {}}
    try:
        work = {"probe": probe, "list": list_programs, "compile": compile_program}[request["do"]]
        result.update(work(request))
    except Exception as error:  # of the programs, JAX and the compiler, of many types
        result["error"] = describe(error)
        result["error_type"] = type(error).__name__
    result["sources"] = sources(os.path.dirname(request["file"]))
    write(os.path.join(request["out"], "result.json"), json.dumps(result))


def end_with(parent: Any) -> Any:
    """Ends this process when its parent is gone, also in the middle of a compile."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def stage(request: Any, name: Any) -> Any:
    with open(os.path.join(request["out"], "stages.txt"), "a") as file:
        file.write(f"{time.time():.3f} {name}\n")


def write(path: Any, text: Any) -> Any:
    with open(path + ".unfinished", "w") as file:
        file.write(text)
    os.replace(path + ".unfinished", path)


def describe(error: Any) -> Any:
    text = str(error)
    if type(error).__name__ in ("BadProgram", "JaxRuntimeError", "XlaRuntimeError"):
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def sources(folder: Any) -> Any:
    """The files below the folder of the programs that were imported, with the hashes of their content."""
    found = {}
    for module in list(sys.modules.values()):
        name = getattr(module, "__file__", None)
        if isinstance(name, str) and name.endswith(".py") and os.path.abspath(name).startswith(folder + os.sep):
            if "site-packages" not in name and os.path.abspath(name) != os.path.abspath(__file__):
                with open(name, "rb") as file:
                    found[os.path.abspath(name)] = hashlib.sha256(file.read()).hexdigest()
    return found


def probe(request: Any) -> Any:
    """What is installed."""
    import importlib.metadata
    import platform

    found: dict[str, str] = {}
    for distribution in importlib.metadata.distributions():
        name = distribution.metadata["Name"]
        if name:
            found.setdefault(name.lower().replace("_", "-"), distribution.version)
    return {"python": platform.python_version(), "machine": platform.machine(), "packages": dict(sorted(found.items()))}


# ---- The programs ----------------------------------------------------------------------------------------------------------------


def given_programs(request: Any) -> Any:
    """The programs of the function one by one. Raises what the file raises."""
    stage(request, "importing the programs")
    spec = importlib.util.spec_from_file_location("__hloroof_programs__", request["file"])
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["__hloroof_programs__"] = module
    spec.loader.exec_module(module)
    stage(request, "making the programs")
    found = module
    for part in request["function"].split("."):
        found = getattr(found, part)
    if callable(found):
        takes = inspect.signature(found).parameters
        found = found(**({"device": request["device"]} if "device" in takes else {}))
    return found.items() if hasattr(found, "items") else found


def named(programs: Any) -> Any:
    """Each program with its name: (name, function, arguments), the same with a dict of keywords, or (name, what JAX lowered)."""
    for index, given in enumerate(programs):
        if isinstance(given, dict):
            given = (given.get("name"), given.get("function"), given.get("arguments", ()), {
                name: value for name, value in given.items() if name not in ("name", "function", "arguments")
            })  # fmt: skip
        if not isinstance(given, (tuple, list)) or not 2 <= len(given) <= 4 or not isinstance(given[0], str):
            raise BadProgram(f"program {index + 1} is {type(given).__name__}, not (name, function, arguments, keywords)")
        name, rest = given[0], given[1:]
        if len(rest) == 1 and isinstance(rest[0], (tuple, list)):  # of a dict: the name is the key
            rest = tuple(rest[0])
        yield name, rest


def list_programs(request: Any) -> Any:
    """The names, as far as they can be made."""
    names = []
    try:
        for name, _ in named(given_programs(request)):
            if name in names:
                raise BadProgram(f"two programs have the name {name!r}")
            names.append(name)
    except Exception as error:
        return {"names": names, "error": describe(error), "error_type": type(error).__name__}
    if not names:
        raise BadProgram("there are no programs")
    return {"names": names}


# ---- The compile -----------------------------------------------------------------------------------------------------------------


def compile_program(request: Any) -> Any:
    import jax

    for name, rest in named(given_programs(request)):
        if name != request["program"]:
            continue
        lowered, place = lower(request, rest)
        stage(request, "compiling")
        options = dict(request["options"])
        if len(rest) == 3:
            options.update(rest[2].get("options", {}))
        if request["passes"]:
            options.update(xla_dump_to=request["passes"], xla_dump_hlo_as_text=True, xla_dump_hlo_pass_re=".*")
        try:
            compiled = lowered.compile(compiler_options=options or None)
        except Exception as error:
            return {"error": describe(error), "error_type": type(error).__name__, "jax": jax.__version__, **place}
        stage(request, "writing the text")
        write(os.path.join(request["out"], "program.hlo"), compiled.as_text())
        return {"memory": memory_of(compiled), "jax": jax.__version__, **place}
    raise BadProgram(f"there is no program {request['program']!r} any longer")


def memory_of(compiled: Any) -> Any:
    """The bytes that the compiler says that the program needs at the peak."""
    with contextlib.suppress(Exception):
        stats = compiled.memory_analysis()
        whole = stats.argument_size_in_bytes + stats.output_size_in_bytes - stats.alias_size_in_bytes
        return int(max(getattr(stats, "peak_memory_in_bytes", 0), whole + stats.temp_size_in_bytes))
    return None


def lower(request: Any, rest: Any) -> Any:
    """What JAX lowers, and where it runs."""
    import jax

    if len(rest) == 1:
        lowered = rest[0]() if callable(rest[0]) and not hasattr(rest[0], "compile") else rest[0]
        if not hasattr(lowered, "compile"):
            raise BadProgram(f"the program is {type(lowered).__name__}, and has neither arguments nor a method compile")
        return lowered, {}
    function, arguments = rest[0], tuple(rest[1])
    given = dict(rest[2]) if len(rest) == 3 else {}
    for name in given:
        if name not in KEYWORDS:
            raise BadProgram(f"the program has {name!r}; expected one of {', '.join(KEYWORDS)}")
    axes = axes_of(given.get("mesh"))
    count = 1
    for _, size in axes:
        count *= size
    place = place_for(request, count)
    stage(request, "describing the devices")
    mesh = mesh_on(devices_of(place), axes, place)
    stage(request, "tracing and lowering")
    everywhere = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec())

    def shape_of(leaf: Any, default: Any) -> Any:
        if not hasattr(leaf, "shape") or not hasattr(leaf, "dtype"):
            return leaf
        sharding = getattr(leaf, "sharding", None)
        sharding = on_mesh(sharding, mesh) if isinstance(sharding, jax.sharding.NamedSharding) else default
        return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=sharding)

    jitted = {}
    for name in ("in_shardings", "out_shardings"):
        if given.get(name) is not None:
            jitted[name] = jax.tree.map(lambda leaf: on_mesh(leaf, mesh), given[name], is_leaf=is_sharding)
    for name in ("donate_argnums", "static_argnums"):
        if given.get(name) not in (None, (), []):
            value = given[name]
            jitted[name] = value if isinstance(value, int) else tuple(value)
    is_jitted = hasattr(function, "lower")
    if jitted or not is_jitted:
        function = jax.jit(function, **jitted)
    where = {"place": place["device"], "is_whole": place["devices"] == count}

    def lowered(default: Any) -> Any:
        shapes, keywords = jax.tree.map(
            lambda leaf: shape_of(leaf, default), (arguments, dict(given.get("keyword_arguments") or {}))
        )
        with use(mesh):
            return function.lower(*shapes, **keywords)

    # Something must say where the program runs: JAX lowers for the processor of this machine otherwise.
    is_sharded = given.get("in_shardings") is not None and count > 1
    try:
        return lowered(None if is_sharded else everywhere), where
    except ValueError:
        if is_sharded or not is_jitted:
            raise
        return lowered(None), where  # the caller has jitted it with shardings of its own


def axes_of(mesh: Any) -> Any:
    if mesh is None:
        return [("one", 1)]
    return [(name, int(size)) for name, size in (mesh if hasattr(mesh, "items") else mesh.shape).items()]


def place_for(request: Any, count: Any) -> Any:
    """The smallest of the topologies that the caller lists with so many devices."""
    places = request["places"]
    for place in places:
        if place["devices"] >= count:
            return place
    most = places[-1]["devices"] if places else 0
    raise BadProgram(f"the program is for {count} devices, and {request['device']} has {most}")


def devices_of(place: Any) -> Any:
    from jax.experimental import topologies

    if place["platform"] == "cuda":
        return topologies.get_topology_desc(
            platform="cuda", topology_name="", target_config=place["config"], topology=place["topology"]
        ).devices
    more = {"num_slices": place["slices"]} if place["slices"] > 1 else {}
    if place["config"]:
        more["chip_config_name"] = place["config"]
    return topologies.get_topology_desc(platform="tpu", topology_name=place["topology"], **more).devices


def mesh_on(devices: Any, axes: Any, place: Any) -> Any:
    import jax
    import numpy

    names, sizes = tuple(name for name, _ in axes), tuple(size for _, size in axes)
    count = int(numpy.prod(sizes))
    types = {}
    if hasattr(jax.sharding, "AxisType"):
        types["axis_types"] = (jax.sharding.AxisType.Auto,) * len(names)
    # make_mesh places the axes on the torus. It knows no slices.
    if count == len(devices) and count > 1 and place["slices"] == 1 and place["platform"] == "tpu":
        with contextlib.suppress(Exception):
            return jax.make_mesh(sizes, names, devices=devices, **types)
    return jax.sharding.Mesh(numpy.array(devices[:count]).reshape(sizes), names, **types)


def is_sharding(leaf: Any) -> Any:
    import jax

    return leaf is None or isinstance(leaf, (jax.sharding.PartitionSpec, jax.sharding.Sharding))


def on_mesh(leaf: Any, mesh: Any) -> Any:
    """The sharding on the mesh, whatever mesh it was made for."""
    import jax

    if isinstance(leaf, jax.sharding.NamedSharding):
        leaf = leaf.spec
    return jax.sharding.NamedSharding(mesh, leaf) if isinstance(leaf, jax.sharding.PartitionSpec) else leaf


@contextlib.contextmanager
def use(mesh: Any) -> Any:
    """The mesh for with_sharding_constraint, in the words of several versions of JAX."""
    import jax

    with mesh:
        if hasattr(jax.sharding, "use_abstract_mesh") and hasattr(mesh, "abstract_mesh"):
            with jax.sharding.use_abstract_mesh(mesh.abstract_mesh):
                yield
        else:
            yield


if __name__ == "__main__":
    main(sys.argv[1])
