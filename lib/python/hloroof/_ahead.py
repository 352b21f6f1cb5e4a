"""Compiles for a TPU that this machine does not have. libtpu runs in a process of its own, so that a crash of the compiler
is an error here and not the end of the program.

Run as a script, this file is that process: it reads requests from stdin and writes replies to stdout, each pickled.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import os
import pickle
import struct
import subprocess
import sys
import tempfile
from typing import Any, BinaryIO, Callable, Mapping, Optional, Sequence

from hloroof import _core


class CompileError(_core.Error):
    """The compiler rejects the program, or ended while compiling it. The message is libtpu's."""


@dataclasses.dataclass(frozen=True)
class Chip:
    """What JAX and libtpu call a device of hloroof."""

    topology: str
    """The smallest topology that libtpu compiles for."""
    kind: str
    """``jax.Device.device_kind``."""
    cores: int
    """Cores that JAX sees as one device."""


CHIPS = {
    "tpu_v2": Chip("v2:2x2", "TPU v2", 1),
    "tpu_v3": Chip("v3:2x2", "TPU v3", 1),
    "tpu_v4_core": Chip("v4:2x2x1", "TPU v4", 1),
    "tpu_v5e": Chip("v5e:2x2", "TPU v5 lite", 1),
    "tpu_v5p": Chip("v5p:2x2x1", "TPU v5", 2),
    "tpu_v6e": Chip("v6e:2x2", "TPU v6 lite", 1),
    "tpu_v7x": Chip("tpu7x:2x2x1", "TPU7x", 1),
}


def chip_of(device: str) -> Chip:
    """Returns the chip to compile for. Raises ``NotFoundError`` for an unknown device, ``ValueError`` if it is not a TPU that
    libtpu compiles for."""
    name = _core.device_name(device)
    if name not in CHIPS:
        raise ValueError(f"cannot compile a Pallas kernel for {name}; expected one of {', '.join(CHIPS)}")
    return CHIPS[name]


def has_compiler() -> bool:
    """Whether libtpu is installed."""
    return importlib.util.find_spec("libtpu") is not None


def lower(function: Callable[..., Any], arguments: Sequence[Any], static: Mapping[str, Any], chip: Chip) -> str:
    """Returns the HLO text before optimization, in which kernels have their bodies. Raises what the function raises."""
    leaves, flat = _flatten(function, arguments, static)
    import jax

    with _as_on(chip):
        return jax.jit(flat).trace(*leaves).lower(lowering_platforms=("tpu",)).as_text(dialect="hlo")


def export(function: Callable[..., Any], arguments: Sequence[Any], static: Mapping[str, Any], chip: Chip) -> bytes:
    """Returns a pickled ``jax.export.Exported`` for ``Compiler``. Raises what the function raises."""
    leaves, flat = _flatten(function, arguments, static)
    import jax
    import jax.export

    with _as_on(chip):
        exported = jax.export.export(jax.jit(flat), platforms=["tpu"])(*leaves)
    return pickle.dumps(dataclasses.replace(exported, _get_vjp=None))  # the function itself need not be picklable


def _flatten(function: Callable[..., Any], arguments: Sequence[Any], static: Mapping[str, Any]) -> tuple[list[Any], Callable[..., Any]]:
    """Returns the shapes of all arrays, and a function of these arrays that returns a list of arrays. Structures of the
    caller then need not be pickled."""
    import jax

    leaves, tree = jax.tree.flatten(tuple(arguments))
    shapes = [jax.ShapeDtypeStruct(jax.numpy.shape(leaf), jax.numpy.result_type(leaf)) for leaf in leaves]
    return shapes, lambda *values: jax.tree.leaves(function(*tree.unflatten(values), **static))


def _as_on(chip: Chip) -> Any:
    """A context in which JAX traces as on ``chip``: a kernel may ask which TPU it runs on."""
    import jax

    device = jax.sharding.AbstractDevice(device_kind=chip.kind, num_cores=chip.cores, platform="tpu")
    return jax.sharding.use_abstract_mesh(jax.sharding.AbstractMesh((), (), abstract_device=device))


class Compiler:
    """A process with libtpu. It starts with the first program; use it in a ``with`` statement, from one thread at a time."""

    def __init__(self) -> None:
        self._process: Optional[subprocess.Popen[bytes]] = None
        self._log: Optional[BinaryIO] = None

    def __enter__(self) -> Compiler:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None
        if self._log is not None:
            self._log.close()
            self._log = None

    def compile(self, exported: bytes, topology: str) -> str:
        """Returns the optimized HLO text. Raises ``CompileError`` if there is none."""
        if self._process is None:
            self._start()
        process, log = self._process, self._log
        assert process is not None and process.stdin is not None and process.stdout is not None and log is not None
        log.seek(0)
        log.truncate()
        try:
            _send(process.stdin, (exported, topology))
            text, error = _receive(process.stdout)
        except (EOFError, BrokenPipeError):
            status = process.wait()
            log.seek(0)
            said = _last_words(log.read().decode(errors="replace"))
            self.close()
            raise CompileError(f"the compiler ended with status {status}: {said}") from None
        if error is not None:
            raise CompileError(error)
        return text

    def _start(self) -> None:
        # No TPU VM, so there is no metadata server and no other user of the TPU. The CPU is JAX's own backend.
        environment = {
            **os.environ,
            "JAX_PLATFORMS": "cpu",
            "TPU_SKIP_MDS_QUERY": "1",
            "ALLOW_MULTIPLE_LIBTPU_LOAD": "1",
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        }
        self._log = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "hloroof._ahead"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=environment,
        )


def _last_words(log: str, lines: int = 12) -> str:
    """The lines of a log from the first fatal one on, or the last ones."""
    rows = [row for row in log.splitlines() if row.strip()]
    fatal = next((i for i, row in enumerate(rows) if row.startswith("F") or "Check failed" in row), max(len(rows) - lines, 0))
    return "\n".join(rows[fatal : fatal + lines]) or "no message"


def _send(stream: BinaryIO, value: Any) -> None:
    data = pickle.dumps(value)
    stream.write(struct.pack("<q", len(data)) + data)
    stream.flush()


def _receive(stream: BinaryIO) -> Any:
    head = stream.read(8)
    if len(head) < 8:
        raise EOFError
    (size,) = struct.unpack("<q", head)
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return pickle.loads(data)


def _compile(exported_bytes: bytes, topology: str) -> str:
    import jax
    from jax.experimental import topologies

    exported = pickle.loads(exported_bytes)
    device = topologies.get_topology_desc(platform="tpu", topology_name=topology).devices[0]
    sharding = jax.sharding.SingleDeviceSharding(device)
    arguments = [jax.ShapeDtypeStruct(aval.shape, aval.dtype, sharding=sharding) for aval in exported.in_avals]
    text = jax.jit(exported.call).lower(*arguments).compile().as_text()
    assert text is not None
    return text


def _serve() -> None:
    requests, replies = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # libraries may print
    while True:
        try:
            exported, topology = _receive(requests)
        except EOFError:
            return
        try:
            reply = (_compile(exported, topology), None)
        except Exception as error:  # libtpu's, of many types
            reply = ("", str(error) or type(error).__name__)
        _send(replies, reply)


if __name__ == "__main__":
    _serve()
