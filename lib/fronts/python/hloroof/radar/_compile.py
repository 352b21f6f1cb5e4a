"""Compiles a program in an environment, or takes it from the cache."""

from __future__ import annotations

import contextlib
import dataclasses
import gzip
import hashlib
import json
import os
import pathlib
import re
import shutil
import tarfile
import tempfile
from typing import Any, Mapping, Optional, Sequence

from hloroof import _ahead, _core
from hloroof._compile_for import _remove_unfinished, topology_name
from hloroof._devices import is_path
from hloroof.radar._config import ProgramSource
from hloroof.radar._environment import Installed
from hloroof.radar._work import Work, Workers, ask

_FORMAT = "1"  # of the key of the cache, and of what the worker does
_STATE = r"\.\d{4,}\.|(before|after)_optimizations\.txt$"  # a dump of a state, as hloroof passes reads it


@dataclasses.dataclass(frozen=True)
class Compiled:
    """What came of a program in an environment."""

    error: Optional[str] = None
    """The compiler's words; None if there is a text."""
    folder: Optional[pathlib.Path] = None
    """In the cache: ``program.hlo.gz``, and ``passes.tar.gz`` if passes were dumped."""
    place: str = ""
    """What to predict it on."""
    compiler_bytes: Optional[int] = None
    """The memory that the compiler says that it needs at the peak."""
    seconds: float = 0
    from_cache: bool = False

    @property
    def text(self) -> str:
        assert self.folder is not None
        return gzip.decompress((self.folder / "program.hlo.gz").read_bytes()).decode()

    @contextlib.contextmanager
    def passes(self) -> Any:
        """The folder of the dumps; ``None`` if there are none."""
        path = self.folder / "passes.tar.gz" if self.folder is not None else None
        if path is None or not path.exists():
            yield None
            return
        with tempfile.TemporaryDirectory(prefix="hloroof-radar-") as folder:
            with tarfile.open(path) as archive:
                for member in archive:
                    source = archive.extractfile(member)
                    if source is not None:
                        pathlib.Path(folder, os.path.basename(member.name)).write_bytes(source.read())
            yield pathlib.Path(folder)


def places_of(device: str) -> list[dict[str, Any]]:
    """What a compiler is told of the topologies of a device, the smallest first: all of them if it is named without one. Raises
    ``NotFoundError``, and ``ValueError`` for a device that no compiler compiles for."""
    chip = _ahead.chip_of(device)
    found: dict[int, dict[str, Any]] = {}
    for power in range(14):
        shape, slices, per_chip = _core.device_topology(device, 2**power)
        chips = slices
        for size in shape:
            chips *= size
        box = "x".join(map(str, shape))
        name = f"{_core.device_name(device)}:{box}" + (f"*{slices}" if slices > 1 else "")
        if chip.platform == "cuda":
            name = device if is_path(device) else f"{_core.device_name(device)}:{chips}"
        found.setdefault(
            chips * per_chip,
            {
                "devices": chips * per_chip,
                "device": name,
                "topology": topology_name(chip, shape, slices),
                "slices": slices,
                "config": chip.config,
                "platform": chip.platform,
            },
        )
    return [found[count] for count in sorted(found)]


class Compiler:
    """Compiles with a folder in which results are kept."""

    def __init__(self, folder: pathlib.Path, timeout: float, passes: bool, workers: Workers) -> None:
        self._folder = folder
        self._timeout = timeout
        self._passes = passes
        self._workers = workers

    def names(self, source: ProgramSource, device: str, installed: Installed) -> tuple[list[str], Optional[str]]:
        """The names of the programs of a function, and why they are not all."""
        found = self._asked("list", source, device, "", installed, {})
        return list(found.result.get("names", ())), found.error

    def compile(
        self, source: ProgramSource, program: str, device: str, places: Sequence[Mapping[str, Any]], installed: Installed
    ) -> Compiled:
        key = self._key(source, program, device, places, installed)
        kept = self._kept(key, device)
        if kept is not None:
            return kept
        self._folder.mkdir(parents=True, exist_ok=True)
        _remove_unfinished(self._folder)
        out = pathlib.Path(tempfile.mkdtemp(dir=self._folder, suffix=".unfinished"))
        try:
            passes = out / "passes" if self._passes else None
            more = {"places": list(places), "passes": str(passes) if passes else "", "options": dict(installed.environment.options)}
            done = self._asked("compile", source, device, program, installed, more, out)
            result = {**done.result, "error": done.error, "seconds": done.seconds}
            if not done.is_final:
                return Compiled(done.error, seconds=done.seconds)
            self._pack(out, result)
            shutil.rmtree(self._folder / key, ignore_errors=True)
            with contextlib.suppress(OSError):  # another run was first
                os.replace(out, self._folder / key)
        finally:
            shutil.rmtree(out, ignore_errors=True)
        found = self._kept(key, device)
        if found is None:
            return Compiled("the result is gone from the cache: another run removed it")
        return dataclasses.replace(found, from_cache=False)

    def _asked(
        self,
        do: str,
        source: ProgramSource,
        device: str,
        program: str,
        installed: Installed,
        more: Mapping[str, Any],
        out: Optional[pathlib.Path] = None,
    ) -> Any:
        assert installed.python is not None
        request = {"do": do, "file": source.file, "function": source.function, "device": device, "program": program, **more}
        return ask(Work(installed.python, request, installed.environment.variables), self._timeout, out, self._workers)

    def _key(self, source: ProgramSource, program: str, device: str, places: Any, installed: Installed) -> str:
        """Of all that a result depends on, except for the sources, which its file lists."""
        environment = installed.environment
        facts = [
            _FORMAT,
            source.file,
            source.function,
            program,
            device,
            list(places),
            installed.version,
            dict(installed.packages),
            dict(environment.variables),
            dict(environment.options),
            os.environ.get("LIBTPU_INIT_ARGS", ""),
            os.environ.get("XLA_FLAGS", ""),
            self._passes,
        ]
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:32]

    def _kept(self, key: str, device: str) -> Optional[Compiled]:
        """The result in the cache, unless a file that it was made of has changed since."""
        folder = self._folder / key
        try:
            result = json.loads((folder / "result.json").read_text())
            for path, digest in result["sources"].items():
                if hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest() != digest:
                    return None
        except (OSError, ValueError, KeyError, AttributeError):
            return None
        error = result.get("error")
        if error is not None:
            error = _ahead.explain_failure(error, "the compiler")
        elif not (folder / "program.hlo.gz").exists():
            return None
        # The program of some of the devices is predicted on as many chips as it needs.
        place = result.get("place") or device
        if result.get("is_whole") is False and not is_path(device):
            place = _core.device_name(device)
        return Compiled(error, folder, place, result.get("memory"), result.get("seconds", 0), True)

    @staticmethod
    def _pack(out: pathlib.Path, result: Mapping[str, Any]) -> None:
        text = out / "program.hlo"
        if text.exists():
            (out / "program.hlo.gz").write_bytes(gzip.compress(text.read_bytes(), 6, mtime=0))
            text.unlink()
        # Of the rest of the dump nothing is read, and the buffers take more than the passes.
        dumps = [path for path in sorted((out / "passes").glob("module_*.txt")) if re.search(_STATE, path.name)]
        if len(dumps) > 2:
            with tarfile.open(out / "passes.tar.gz", "w:gz", compresslevel=4) as archive:
                for path in dumps:
                    archive.add(path, path.name)
        shutil.rmtree(out / "passes", ignore_errors=True)
        for name in ("request.json", "stages.txt"):
            with contextlib.suppress(OSError):
                (out / name).unlink()
        (out / "result.json").write_text(json.dumps(result))
