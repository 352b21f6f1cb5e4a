"""Asks whether the configurations that a tuner chose by measuring are those that the model ranks first.

    pip install tokamax==0.0.17 jax==0.11.2 libtpu==0.0.48.1 .
    python tests/accuracy/rank_configurations.py --shared ../shared

Each dump in SHARED/corpus/pallas is of a kernel with the configuration that tokamax's tuner chose on hardware; the .json beside
it has the arguments and that configuration. The tuner's other candidates come from the search space in tokamax's code. Nothing
of this is measured here: JAX lowers a random sample of the candidates with hloroof.sweep_kernel, and libtpu compiles the
fastest of them until one compiles. That one is "our best". A choice counts as found if we predict at most 10 % more time for it
than for our best.

The last column says how many of the sampled candidates are that close to our best: a random choice would be found so often.
Measured times are not read.
"""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import json
import math
import os
import pathlib
import random
import statistics
import time
import types
from typing import Any, Callable, Iterator

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp

import hloroof
from hloroof._ahead import _as_on, chip_of  # the search spaces ask JAX which TPU this is

CLOSE = 1.1
Function = Callable[..., Any]


@dataclasses.dataclass
class Case:
    """A kernel with its arguments and the configurations to choose from."""

    name: str
    device: str
    function: Function  # of the arguments and `config`
    arguments: list[jax.ShapeDtypeStruct]
    chosen: Any
    candidates: list[Any]


def shape(text: str) -> jax.ShapeDtypeStruct:
    """Reads "bf16[4096,128256]"."""
    kind, sizes = text.rstrip("]").split("[")
    names = {"bf16": "bfloat16", "f32": "float32", "i32": "int32", "s32": "int32"}
    return jax.ShapeDtypeStruct([int(size) for size in sizes.split(",")], jnp.dtype(names[kind]))


def loss(arguments: dict[str, Any]) -> tuple[Any, Function, list[jax.ShapeDtypeStruct]]:
    """The fused matmul and cross entropy over a vocabulary."""
    from tokamax._src.ops.linear_softmax_cross_entropy_loss import pallas_mosaic_tpu, pallas_mosaic_tpu_kernel

    def run(x: Any, labels: Any, w: Any, *, config: Any) -> Any:
        return pallas_mosaic_tpu_kernel.linear_softmax_cross_entropy_loss_fwd_pallas_mosaic_tpu(
            x,
            labels,
            w,
            b_block_size=config.b_block_size,
            h_block_size=config.h_block_size,
            v_block_size=config.v_block_size,
            reduction=arguments["reduction"],
        )

    operation = pallas_mosaic_tpu.PallasMosaicTpuLinearSoftmaxCrossEntropyLoss()
    return operation, run, [shape(arguments[name]) for name in ("x", "labels", "w")]


def dimensions_of(arguments: dict[str, Any]) -> jax.lax.RaggedDotDimensionNumbers:
    """The dimensions of a grouped matmul: forward, or with respect to the left or the right operand."""
    numbers = arguments["ragged_dot_dimension_numbers"]
    return jax.lax.RaggedDotDimensionNumbers(
        dot_dimension_numbers=numbers["dot_dimension_numbers"],
        lhs_ragged_dimensions=numbers["lhs_ragged_dimensions"],
        rhs_group_dimensions=numbers["rhs_group_dimensions"],
    )


def grouped_matmul(arguments: dict[str, Any]) -> tuple[Any, Function, list[jax.ShapeDtypeStruct]]:
    """The matmul of groups of rows, each with a matrix of its own."""
    from tokamax._src.ops.ragged_dot import pallas_mosaic_tpu

    operation = pallas_mosaic_tpu.PallasMosaicTpuRaggedDot()

    def run(lhs: Any, rhs: Any, group_sizes: Any, *, config: Any) -> Any:
        return operation._fwd(
            lhs,
            rhs,
            group_sizes=group_sizes,
            ragged_dot_dimension_numbers=dimensions_of(arguments),
            precision=(jax.lax.Precision.DEFAULT,) * 2,
            preferred_element_type=arguments["preferred_element_type"],
            config=config,
        )[0]

    groups = arguments["group_sizes"]["num_groups"]
    shapes = [shape(arguments["lhs"]), shape(arguments["rhs"]), jax.ShapeDtypeStruct((groups,), jnp.int32)]
    return operation, run, shapes


FAMILIES = {"linear_softmax_cross_entropy_loss": loss, "ragged_dot": grouped_matmul}


def bound_arguments(arguments: dict[str, Any], shapes: list[jax.ShapeDtypeStruct]) -> Any:
    """The arguments as a search space reads them."""
    if "x" in arguments:
        values: dict[str, Any] = dict(zip(("x", "labels", "w"), shapes))
    else:
        values = {"ragged_dot_dimension_numbers": dimensions_of(arguments)}
    return types.SimpleNamespace(args=tuple(shapes[:2]), arguments=values)


def cases(shared: pathlib.Path, family: str, device: str) -> Iterator[Case]:
    """Yields the measured kernels of a family on a device that differ in their arguments."""
    seen: set[str] = set()
    for path in sorted((shared / "corpus" / "pallas").glob(f"{family}.[0-9]*.{device}.json")):
        facts = json.loads(path.read_text())
        arguments = facts["args"]
        key = json.dumps(arguments, sort_keys=True)
        arrays = [arguments[name] for name in ("x", "w", "lhs", "rhs") if name in arguments]
        if key in seen or not all(isinstance(array, str) for array in arrays):  # a quantized array is not a string
            continue
        if not isinstance(arguments.get("group_sizes", {}), dict):  # not the number of groups but some other form
            continue
        seen.add(key)
        operation, function, shapes = FAMILIES[family](arguments)
        with _as_on(chip_of(device)):
            candidates = operation._get_autotuning_configs(bound_arguments(arguments, shapes))
        config = {name: tuple(value) if isinstance(value, list) else value for name, value in facts["config"].items()}
        chosen = operation.config_cls(**config)
        yield Case(path.stem, device, function, shapes, chosen, sorted(candidates | {chosen}, key=repr))


def our_best(case: Case, ranked: list[hloroof.Configuration], tries: int) -> hloroof.Configuration:
    """The first configuration that compiles. The chosen one has run, so that it compiles."""
    for configuration in ranked[:tries]:
        if configuration.static["config"] == case.chosen:
            return configuration
        try:
            hloroof.kernel(case.function, case.arguments, case.device, **configuration.static)
            return configuration
        except hloroof.CompileError:
            continue
    raise RuntimeError(f"{case.name}: none of the first {tries} configurations compiles")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=pathlib.Path, default=pathlib.Path("../shared"))
    parser.add_argument("--families", default=",".join(FAMILIES))
    parser.add_argument("--devices", default="tpu_v5p,tpu_v6e,tpu_v7x")
    parser.add_argument("--kernels", type=int, default=4, help="kernels of each family and device")
    parser.add_argument("--candidates", type=int, default=30, help="candidates to sample for each kernel")
    parser.add_argument("--tries", type=int, default=30, help="candidates to compile at most until one fits")
    parser.add_argument("--seconds", type=float, default=math.inf, help="begin no kernel after this time")
    arguments = parser.parse_args()

    begin = time.monotonic()
    ratios, found_at_random = [], []
    print("| kernel | candidates | lowered | chosen / our best | rank of the chosen | within 10 % at random |\n|---|--:|--:|--:|--:|--:|")
    every = itertools.product(arguments.devices.split(","), arguments.families.split(","))
    groups = [itertools.islice(cases(arguments.shared, family, device), arguments.kernels) for device, family in every]
    # In turn, so that a run that ends early has seen all of them.
    for case in filter(None, itertools.chain.from_iterable(itertools.zip_longest(*groups))):
        if time.monotonic() - begin > arguments.seconds:
            break
        others = [config for config in case.candidates if config != case.chosen]
        sample = random.Random(case.name).sample(others, min(arguments.candidates, len(others)))
        sweep = hloroof.sweep_kernel(
            case.function, case.arguments, case.device, {"config": [case.chosen, *sample]}, compile=False
        )
        able = [c for c in sweep.configurations if c.seconds is not None]
        chosen = next(c for c in sweep.configurations if c.static["config"] == case.chosen)
        if chosen.seconds is None:
            print(f"| {case.name} | {len(case.candidates)} | {len(able)} | {chosen.reason} | | |", flush=True)
            continue
        best = our_best(case, able, arguments.tries)
        rest = able[able.index(best) :]  # what is predicted to be faster does not compile
        close = sum(c.seconds <= CLOSE * best.seconds for c in rest) / len(rest)
        ratios.append(chosen.seconds / best.seconds)
        found_at_random.append(close)
        print(
            f"| {case.name} | {len(case.candidates)} | {len(able)} | {ratios[-1]:.2f} "
            f"| {rest.index(chosen) + 1} of {len(rest)} | {close:.0%} |",
            flush=True,
        )
    found = sum(ratio <= CLOSE for ratio in ratios)
    print(
        f"\n{found} of {len(ratios)} choices are within 10 % of our best; median {statistics.median(ratios):.2f}, worst "
        f"{max(ratios):.2f}; a random candidate would be so in {statistics.mean(found_at_random):.0%}"
    )


if __name__ == "__main__":
    main()
