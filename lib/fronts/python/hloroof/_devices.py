"""Names of devices from what JAX calls a device. Reads JAX's objects without importing JAX."""

from __future__ import annotations

import json
import math
import os
from typing import Any, Iterable, Optional, Protocol, Sequence, Union

from hloroof import _core


class JaxDevice(Protocol):
    """A ``jax.Device``, of this machine or of a topology."""

    @property
    def device_kind(self) -> str: ...

    @property
    def platform(self) -> str: ...


class HasDevices(Protocol):
    """A ``jax.experimental.topologies.TopologyDescription`` or a ``jax.sharding.Mesh``."""

    @property
    def devices(self) -> Any: ...


Device = Union[str, "os.PathLike[str]", JaxDevice, Sequence[JaxDevice], HasDevices]


def device_text(device: Device) -> str:
    """The device as the command names it: ``"tpu_v5e"``, ``"tpu_v5e:4x4"``, ``"h100_sxm:16"``, or the path of a device file.

    A single JAX device is its kind. Several, or a topology or mesh of them, are a machine of that shape. Raises
    ``NotFoundError`` for an unknown name, and ``ValueError`` for a CPU or for devices of several kinds.
    """
    if isinstance(device, str):
        return device
    if isinstance(device, os.PathLike):
        path = os.fspath(device)
        return path if "/" in path or path.endswith(".json") else os.path.join(".", path)
    if hasattr(device, "device_kind"):
        return _kind([device])
    group = getattr(device, "devices", device)
    group = list(group.flat) if hasattr(group, "flat") else group
    if isinstance(group, Iterable) and not isinstance(group, (bytes, dict)):
        devices = list(group)
        if devices and all(hasattr(one, "device_kind") for one in devices):
            return _machine(devices)
    raise TypeError(
        'expected the name of a device such as "tpu_v5e:4x4", the path of a device file, a jax.Device, a list of them, or '
        f"a topology or mesh of JAX, not {type(device).__name__}"
    )


def is_path(device: str) -> bool:
    """Whether a device is named by the path of its file, which no topology follows."""
    return "/" in device or device.endswith(".json")


def platform_of(device: str) -> Optional[str]:
    """JAX's name of the platform of a device; ``None`` if JAX has none."""
    vendor = json.loads(_core.devices([device])[1])["vendor"]
    return {"Google": "tpu", "NVIDIA": "cuda", "AMD": "rocm"}.get(vendor)


def _kind(devices: Sequence[Any]) -> str:
    kinds = sorted({str(device.device_kind) for device in devices})
    if len(kinds) > 1:
        raise ValueError(f"the devices are of several kinds: {', '.join(kinds)}")
    if str(devices[0].platform) == "cpu":
        raise ValueError(
            'hloroof has no model of a CPU: name the device that the program is for, such as "tpu_v5e:4x4"; '
            "hloroof.device_names() lists them"
        )
    return _core.device_name(kinds[0])


def _machine(devices: Sequence[Any]) -> str:
    name = _kind(devices)
    if len(devices) == 1:
        return name
    if not all(hasattr(device, "coords") for device in devices):
        return f"{name}:{len(devices)}"  # GPUs
    slices = len({getattr(device, "slice_index", 0) for device in devices})
    spans = [max(axis) - min(axis) + 1 for axis in zip(*(device.coords for device in devices))]
    axes = len(_core.device_topology(name, 1)[0])
    per_chip = _core.device_topology(name, 1)[2]
    chips = spans[:axes]
    if slices * per_chip * math.prod(chips) != len(devices):
        return name  # a part of a machine that is no box of chips
    return f"{name}:{'x'.join(map(str, chips))}" + (f"*{slices}" if slices > 1 else "")
