"""Modules from all that JAX and XLA call a program. Imports JAX only for objects that are JAX's own."""

from __future__ import annotations

import gzip
import os
from typing import Any, Optional, Protocol, Sequence, Union

from hloroof import _core


class HasText(Protocol):
    """Anything that prints itself as HLO, such as ``jax.stages.Compiled`` and ``jax.stages.Lowered``."""

    def as_text(self) -> Optional[str]: ...


class HasLower(Protocol):
    """A ``jax.stages.Traced``."""

    def lower(self, *args: Any, **kwargs: Any) -> Any: ...


class HasModule(Protocol):
    """A ``jax.export.Exported``."""

    def mlir_module(self) -> str: ...


class HasHloModule(Protocol):
    """An ``XlaComputation`` of jaxlib."""

    def as_hlo_module(self) -> Any: ...


class HasModuleText(Protocol):
    """An ``HloModule`` of jaxlib."""

    def to_string(self) -> str: ...


class HasOperation(Protocol):
    """A module of MLIR."""

    @property
    def operation(self) -> Any: ...


class HasProto(Protocol):
    """A message of protobuf, such as an ``HloProto``."""

    def SerializeToString(self) -> bytes: ...


Program = Union[
    str,
    bytes,
    bytearray,
    memoryview,
    "os.PathLike[str]",
    _core.Module,
    HasText,
    HasLower,
    HasModule,
    HasHloModule,
    HasModuleText,
    HasOperation,
    HasProto,
]

_SUFFIXES = (".hlo", ".txt", ".pb", ".gz", ".log")

_EXPECTED = (
    "HLO text, the path of a dump, the bytes of a file, a hloroof.Module, one of jax.stages.Traced, Lowered and Compiled, a "
    "jax.export.Exported, an HloModule or XlaComputation of jaxlib, an MLIR module, or a message of protobuf"
)


def parse(program: Program, *, strict: bool = False) -> _core.Module:
    """Parses a program once, to predict it many times.

    A ``str`` is HLO text or the path of a dump, ``bytes`` are those of a file: text, an ``HloModuleProto``, a profile.
    ``jax.stages.Traced``, ``Lowered`` and ``Compiled``, ``jax.export.Exported``, an ``HloModule`` or ``XlaComputation`` of jaxlib
    and modules of MLIR are read as HLO; all but ``Compiled`` and most ``HloModule`` are not optimized yet.
    With ``strict``, opcodes and attributes of HLO text that are not in the grammar are errors. Raises ``InvalidInputError``
    with line, column and a caret, and ``NotFoundError`` for a path that does not exist.
    """
    return module_of(program, strict)


def module_of(program: Any, strict: bool = False, platform: Optional[str] = None) -> _core.Module:
    """The module of a program. What is only traced yet is lowered for ``platform``, by default that of JAX's backend."""
    if isinstance(program, _core.Module):
        return program
    if isinstance(program, str):
        return _core.load(program) if _is_path(program) else _core.parse(program, strict=strict)
    if isinstance(program, (bytes, bytearray, memoryview)):
        data = bytes(program)
        return _core.parse_bytes(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
    if isinstance(program, os.PathLike):
        return _core.load(os.fspath(program))
    if isinstance(program, Sequence) and len(program) == 1:
        return module_of(program[0], strict, platform)  # HloModules come as lists
    return _core.parse(_text_of(program, platform), strict=strict) if not _is_proto(program) else _core.parse_bytes(
        program.SerializeToString()
    )


def _is_path(program: str) -> bool:
    """Whether a str is the path of a dump: one short line that is not HLO, and names a file or looks as if it should."""
    if "\n" in program or len(program) > 4096 or "{" in program or program.lstrip().startswith("HloModule"):
        return False
    path = program.partition("#")[0]
    return bool(path) and (path.endswith(_SUFFIXES) or os.path.exists(path))


def _is_proto(program: Any) -> bool:
    return callable(getattr(program, "SerializeToString", None))


def _text_of(program: Any, platform: Optional[str]) -> str:
    if callable(getattr(program, "as_text", None)):
        # jax.stages.Lowered prints StableHLO unless asked for HLO. It is told apart by its compile().
        lowered = hasattr(program, "compile")
        text = program.as_text(dialect="hlo", debug_info=True) if lowered else program.as_text()
    elif hasattr(program, "jaxpr") and hasattr(program, "lower"):  # jax.stages.Traced
        return _text_of(program.lower(lowering_platforms=(platform,)) if platform else program.lower(), platform)
    elif callable(getattr(program, "mlir_module", None)):  # jax.export.Exported
        text = _text_of_mlir(program.mlir_module())  # the serialized form is of another dialect
    elif callable(getattr(program, "as_hlo_module", None)):  # XlaComputation
        text = program.as_hlo_module().to_string()
    elif callable(getattr(program, "as_serialized_hlo_module_proto", None)):  # HloModule; its text has more than its proto
        text = program.to_string()
    elif hasattr(program, "operation") and hasattr(program, "body"):  # ir.Module
        import io

        bytecode = io.BytesIO()
        program.operation.write_bytecode(bytecode)
        text = _text_of_mlir(bytecode.getvalue())
    elif callable(program):
        raise TypeError(
            "a function is a program only with example arguments: predict_step_time(function, device, arguments=(x, y)), or "
            "hloroof.jax.compile_for(function, (x, y), device)"
        )
    else:
        raise TypeError(f"expected {_EXPECTED}, not {type(program).__name__}")
    if not isinstance(text, str):
        raise TypeError(f"this {type(program).__name__} printed {type(text).__name__} where HLO text was expected")
    return text


def _text_of_mlir(module: Union[str, bytes]) -> str:
    """HLO text of a StableHLO module, text or bytecode, by XLA's own conversion."""
    from jaxlib import _jax

    text: str = _jax.mlir.mlir_module_to_xla_computation(module, use_tuple_args=False).as_hlo_module().to_string()
    return text
