"""The hook of JAX through which a function sees and replaces the modules of a compile."""

from __future__ import annotations

import contextlib
import importlib.util
import itertools
import os
import sys
from typing import Any, Callable, Iterator, Optional, Sequence, Union

from hloroof._process import TPU_ELSEWHERE

STAGES = ("pre_scheduler", "post_scheduler")

_numbers = itertools.count()


def hooks() -> Any:
    """The module of JAX with the hook. Raises ``ImportError`` with the version that has it."""
    try:
        import jax
        import jax.extend.xla as found
    except ImportError as error:
        version = getattr(sys.modules.get("jax"), "__version__", None)
        there = f"this is JAX {version}" if version else "JAX is not installed"
        raise ImportError(f"hloroof.jax needs jax.extend.xla, which JAX 0.12.0 and later have; {there}") from error
    if not hasattr(found, "register_hlo_module_transformation"):
        raise ImportError(
            "hloroof.jax needs jax.extend.xla.register_hlo_module_transformation, which JAX 0.12.0 and later have; "
            f"this is JAX {jax.__version__}"
        )
    return found


def check_stage(stage: str) -> None:
    if stage not in STAGES:
        raise ValueError(f"stage={stage!r}: expected one of {', '.join(STAGES)}")


def _platforms(wanted: Union[str, Sequence[str], None]) -> list[str]:
    """The platforms whose compiles are seen: by default those of this process, and TPU if libtpu can compile for it ahead of
    time."""
    from jax.extend import backend

    here = list(backend.backends())
    has_libtpu = importlib.util.find_spec("libtpu") is not None
    platforms = [wanted] if isinstance(wanted, str) else list(wanted or [*here, *(["tpu"] if has_libtpu else [])])
    if "tpu" in platforms and "tpu" not in here:
        if not has_libtpu:
            raise ImportError("platforms: there is no TPU, and libtpu, which compiles for one ahead of time, is not installed")
        # Without a TPU, libtpu is loaded when a topology is first asked for.
        for name, value in TPU_ELSEWHERE.items():
            os.environ.setdefault(name, value)
        from jax.experimental import topologies

        topologies.get_topology_desc(platform="tpu", topology_name="v5e:2x2")
    return list(dict.fromkeys(platforms))


@contextlib.contextmanager
def registered(
    look: Callable[[bytes], Optional[bytes]],
    failures: Sequence[Exception],
    stage: str,
    wanted: Union[str, Sequence[str], None],
) -> Iterator[None]:
    """Calls ``look`` for every module that JAX compiles inside the block for the platforms ``wanted``. What ``look`` raises it must
    append to ``failures``: XLA turns it into an error of its own, or swallows it, and the first is raised when the block ends."""
    at = hooks().PipelineStage[stage.upper()]
    platforms = _platforms(wanted)
    name = f"hloroof_{next(_numbers)}"
    hooks().register_hlo_module_transformation(look, name=name, stage=at, platforms=platforms)
    try:
        yield
    except Exception as error:
        if failures:
            raise failures[0] from error
        raise
    finally:
        hooks().clear_hlo_module_transformation(name, stage=at, platforms=platforms)
    if failures:
        raise failures[0]
