"""The plugin of pytest: tables of failing checks, the option ``--hloroof-update``, and the fixture ``hloroof_snapshot``.

Every run of pytest imports it, so it imports hloroof only for tests that use it, and is a package of its own.
"""

from __future__ import annotations

import pathlib
import re
import sys
from typing import Any, Callable, Generator

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("hloroof").addoption(
        "--hloroof-update", action="store_true", help="write the snapshots of hloroof.testing.assert_snapshot anew"
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--hloroof-update"):
        from hloroof import _snapshot

        _snapshot.is_updating = True


def pytest_unconfigure(config: pytest.Config) -> None:
    if config.getoption("--hloroof-update"):
        from hloroof import _snapshot

        _snapshot.is_updating = None


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, None]:
    outcome = yield
    report = outcome.get_result()
    testing = sys.modules.get("hloroof.testing")
    failed = testing.failed_checks() if testing is not None else []
    if call.excinfo is None or not isinstance(call.excinfo.value, AssertionError):
        return
    message = str(call.excinfo.value)
    for check in failed:
        # A check may also be asked without an assert. The message of an assert has the start of its headline, or is empty if
        # asserts are not rewritten.
        is_cause = not message or check.headline[:60] in message
        if is_cause and check.explanation and check.explanation not in message:
            report.sections.append((f"hloroof: {check.headline}", check.explanation))


@pytest.fixture
def hloroof_snapshot(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Compares a prediction with the file ``hloroof_snapshots/MODULE.TEST.json`` next to the test:
    ``hloroof_snapshot(step, tolerance=0.02)``. ``name`` tells apart several in one test."""
    from hloroof import testing

    def check(step: Any, name: str = "", *, tolerance: float = 0.02) -> None:
        __tracebackhide__ = True
        parts = [request.path.stem, request.node.name, *([name] if name else [])]
        file = re.sub(r"[^\w.-]+", "_", ".".join(parts)) + ".json"
        path = pathlib.Path(request.path).parent / "hloroof_snapshots" / file
        testing.assert_snapshot(step, path, tolerance=tolerance)

    return check
