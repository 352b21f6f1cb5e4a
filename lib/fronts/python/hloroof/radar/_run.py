"""Runs a config: installs both environments, lists the programs, compiles each in both, and compares."""

from __future__ import annotations

import concurrent.futures
import dataclasses
import os
import pathlib
import sys
from typing import Any, Callable, Mapping, Optional, Sequence, Union

from hloroof import _core
from hloroof.radar._compare import check_conditions, compare
from hloroof.radar._compile import Compiled, Compiler, places_of
from hloroof.radar._config import Config, ProgramSource, config_of, read_config
from hloroof.radar._environment import Installed, install
from hloroof.radar._progress import Progress
from hloroof.radar._report import Report
from hloroof.radar._row import Row
from hloroof.radar._work import Workers


def run(
    config: Union[Config, Mapping[str, Any], str, os.PathLike[str]],
    *,
    fail_on: Sequence[str] = (),
    cache: Union[str, os.PathLike[str], None] = None,
    processes: Optional[int] = None,
    reinstall: bool = False,
    progress: bool = True,
    on_row: Optional[Callable[[Row], Any]] = None,
) -> Report:
    """Compiles all programs of ``config`` for all devices in both environments, predicts and compares them. See ``hloroof.radar``.

    ``config`` is a file of TOML or JSON, the same as a dict, or a ``Config``. ``fail_on`` has conditions besides those of the config.
    ``cache`` is the folder of environments and compiled programs, by default ``radar`` in ``HLOROOF_CACHE_DIR`` or
    ``~/.cache/hloroof``. ``processes`` compile at once, by default half the processors; ``reinstall`` installs packages anew, of which
    the requirements may not state the versions. ``progress`` writes lines to standard error; ``on_row`` is called with each row as
    it comes.

    An environment that cannot be installed, a device that has no compiler, a program that does not compile or takes longer than the
    config allows: each is in its rows with the words of who refused it. Raises ``ValueError`` for a malformed config or condition.
    """
    if not isinstance(config, Config):
        config = config_of(config) if isinstance(config, Mapping) else read_config(config)
    if processes is not None and processes < 1:
        raise ValueError(f"processes={processes}: expected at least 1")
    conditions = list(dict.fromkeys([*config.fail_on, *fail_on]))
    check_conditions(conditions)
    folder = _folder(cache)
    bar = Progress(sys.stderr if progress else None)
    base, head = (install(environment, folder / "environments", bar.note, reinstall) for environment in config.environments)
    for installed in (base, head):
        bar.note(f"{installed.environment.name}: {installed.error or installed.label}")
    workers = Workers()
    compiler = Compiler(folder / "compiled", config.timeout, config.passes, workers)
    slots = processes or max(1, (os.cpu_count() or 2) // 2)
    with concurrent.futures.ThreadPoolExecutor(slots) as pool:
        try:
            return _Run(config, base, head, compiler, pool, bar, conditions, on_row).report()
        except BaseException:  # an interrupt
            workers.end()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _folder(cache: Union[str, os.PathLike[str], None]) -> pathlib.Path:
    if cache is not None:
        return pathlib.Path(os.path.abspath(cache))
    given = os.environ.get("HLOROOF_CACHE_DIR")
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(os.path.abspath(given or os.path.join(home, "hloroof")), "radar")


@dataclasses.dataclass(frozen=True)
class _Case:
    """A program on a device."""

    source: ProgramSource
    program: str
    device: str
    places: Sequence[Mapping[str, Any]]
    missing: Mapping[str, str]
    """Why an environment does not have the program, by name of the environment."""


class _Run:
    def __init__(
        self,
        config: Config,
        base: Installed,
        head: Installed,
        compiler: Compiler,
        pool: concurrent.futures.Executor,
        bar: Progress,
        conditions: Sequence[str],
        on_row: Optional[Callable[[Row], Any]],
    ) -> None:
        self._config = config
        self._sides = (base, head)
        self._compiler = compiler
        self._pool = pool
        self._bar = bar
        self._conditions = conditions
        self._on_row = on_row
        self._rows: list[Row] = []
        self._problems: list[str] = []

    def report(self) -> Report:
        cases = self._cases()
        self._bar.expect(2 * len(cases))
        compiled = [[self._pool.submit(self._compiled, case, side) for side in self._sides] for case in cases]
        for case, futures in zip(cases, compiled):
            base, head = (future.result() for future in futures)
            self._bar.begin(f"comparing {case.program} on {case.device}")
            self._add(compare(case.program, case.device, base, head, self._conditions))
        return Report(*self._sides, self._rows, self._problems)

    def _add(self, row: Row) -> None:
        self._rows.append(row)
        self._bar.row(row)
        if self._on_row is not None:
            self._on_row(row)

    def _cases(self) -> list[_Case]:
        found = []
        for source in self._config.programs:
            for device in self._config.devices:
                try:
                    places = places_of(device)
                except (_core.Error, ValueError) as error:
                    self._add_failure(source, device, str(error))
                    continue
                found += self._cases_of(source, device, places)
        return found

    def _cases_of(self, source: ProgramSource, device: str, places: Sequence[Mapping[str, Any]]) -> list[_Case]:
        """A case for each program that either environment has."""
        self._bar.begin(f"listing the programs of {source.label}")
        listed: dict[str, tuple[list[str], Optional[str]]] = {}
        for side in self._sides:
            if side.error is not None:
                listed[side.environment.name] = [], side.error
            else:
                listed[side.environment.name] = self._compiler.names(source, device, side)
        names = list(dict.fromkeys(name for given, _ in listed.values() for name in given))
        if not names:
            self._add_failure(source, device, *(error or "there are no programs" for _, error in listed.values()))
            return []
        found = []
        for name in names:
            missing = {
                side: error or "the file has no such program here" for side, (given, error) in listed.items() if name not in given
            }
            found.append(_Case(source, name, device, places, missing))
        if all(side.error is None for side in self._sides):
            for side_name, (_, error) in listed.items():
                if error is not None:
                    self._problems.append(f"{source.label} in {side_name} has more programs, which cannot be made: {error}")
        return found

    def _add_failure(self, source: ProgramSource, device: str, *errors: str) -> None:
        """A row for all programs of a file."""
        base, head = (Compiled(error) for error in (errors if len(errors) == 2 else errors * 2))
        self._add(compare(source.label, device, base, head, self._conditions))

    def _compiled(self, case: _Case, side: Installed) -> Compiled:
        name = side.environment.name
        what = f"{case.program} on {case.device} in {name}"
        if name in case.missing:
            self._bar.done(what, case.missing[name], 0, False)
            return Compiled(case.missing[name])
        self._bar.begin(f"compiling {what}")
        found = self._compiler.compile(case.source, case.program, case.device, case.places, side)
        self._bar.done(what, found.error, found.seconds, found.from_cache)
        return found
