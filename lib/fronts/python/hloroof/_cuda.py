"""What XLA's compiler is told of a CUDA GPU that is not there: the text of a ``GpuTargetConfigProto``, made of the device file and
of data/hardware/cuda_targets.json."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import re
from typing import Any, Optional

from hloroof import _core

_PLUGINS = ("xla_cuda12", "xla_cuda13")  # modules of the namespace package jax_plugins


def plugin() -> Optional[str]:
    """The package with the compiler, such as ``"jax-cuda12-pjrt"``; ``None`` if there is none."""
    for name in _PLUGINS:
        try:
            if importlib.util.find_spec(f"jax_plugins.{name}") is not None:
                return f"jax-{name.removeprefix('xla_')}-pjrt"
        except ModuleNotFoundError:
            return None  # no plugin at all
    return None


def how_to_install() -> str:
    """The line that installs the compiler for the JAX that is here."""
    try:
        version = "==" + importlib.metadata.version("jaxlib")
    except importlib.metadata.PackageNotFoundError:
        version = ""
    return f"pip install jax-cuda12-plugin{version} jax-cuda12-pjrt{version} nvidia-cuda-nvcc-cu12"


def is_cuda(device: str) -> bool:
    """Whether the compiler has a target for a device. Raises ``NotFoundError`` for an unknown one."""
    facts = _facts(device)
    return facts["vendor"] == "NVIDIA" and _family(facts["architecture"]) in json.loads(_core.cuda_targets())


def kind_of(device: str) -> str:
    """``jax.Device.device_kind``: the alias that is written as drivers write it, or else the name."""
    facts = _facts(device)
    return next((str(alias) for alias in facts["aliases"] if " " in alias), str(facts["display_name"]))


def target_config(device: str) -> str:
    """The text of the ``GpuTargetConfigProto`` of a device for which ``is_cuda`` holds. Raises ``ValueError`` if its file has no
    clock."""
    facts = _facts(device)
    numbers = {row["path"]: row["value"] for row in facts["parameters"]}
    table = json.loads(_core.cuda_targets())
    family = _family(facts["architecture"])
    units, clock = int(numbers["vector.compute_units"]), numbers.get("clock")
    if not isinstance(clock, (int, float)):
        raise ValueError(f"the compiler asks for the clock of {facts['name']}, which its file does not have")
    major, minor = divmod(int(family.removeprefix("sm_")), 10)
    accelerated = " feature_extension: ACCELERATED_FEATURES" if facts["architecture"].endswith("a") else ""
    kind = json.dumps(kind_of(device))
    info: dict[str, Any] = {
        **table["every"]["values"],
        **table[family]["values"],
        "core_count": units,
        "fpus_per_core": round(numbers["vector.f32_rate"] / units / clock),
        "memory_bandwidth": int(numbers["hbm.bandwidth"]),
        "l2_cache_size": int(numbers["on_chip.l2_capacity"]),
        "clock_rate_ghz": clock / 1e9,
        "device_memory_size": int(numbers["hbm.capacity"]),
        **{name: f'"{version}"' for name, version in table["every"]["versions"].items()},
        "platform_version": f'"Compute Capability {major}.{minor}{"a" if accelerated else ""}"',
        "device_vendor": '"NVIDIA Corporation"',
        "name": kind,
        "device_address_bits": 64,
    }
    if isinstance(numbers.get("host.bandwidth"), (int, float)):
        info["pcie_bandwidth"] = int(numbers["host.bandwidth"])
    lines = [f"  {name}: {value}" for name, value in info.items()]
    lines.append(f"  cuda_compute_capability {{ major: {major} minor: {minor}{accelerated} }}")
    if numbers["scale_up.domain"] > 1 and "link_bandwidth" in table[family]:
        links = round(numbers["scale_up.bandwidth"] / table[family]["link_bandwidth"])
        lines.append(f"  device_interconnect_info {{ active_links: {links} }}")
    dnn = table["every"]["versions"]["dnn_version"].split(".")
    return "\n".join(
        [
            "gpu_device_info {",
            *lines,
            "}",
            'platform_name: "CUDA"',
            "dnn_version_info {{ major: {} minor: {} patch: {} }}".format(*dnn),
            f"device_description_str: {kind}",
            "",
        ]
    )


def _facts(device: str) -> Any:
    return json.loads(_core.devices([device])[1])


def _family(architecture: str) -> str:
    """``"sm_90"`` of ``"sm_90a"``."""
    return re.sub(r"[af]$", "", architecture)
