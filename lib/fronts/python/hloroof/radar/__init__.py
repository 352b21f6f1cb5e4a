"""Finds what a new version of JAX, jaxlib or a compiler makes worse, without devices: compiles programs in two environments, predicts
and compares them.

    # radar.toml
    programs = ["programs.py:programs"]
    devices = ["tpu_v7x"]
    fail_on = ["step>+5%", "memory>+5%"]

    [environments]
    base = ["jax[tpu]==0.10.2"]                   # lines of a requirements file; environments are made in the cache
    head = "/venvs/nightly/bin/python"            # or a Python that has JAX and the compiler

    # programs.py
    def programs():
        yield "decode", decode_step, (weights, cache, token), {"donate_argnums": 1}
        yield "train", train_step, (params, batch), {"mesh": {"data": 8}, "in_shardings": (P("data"), P("data"))}

``hloroof radar radar.toml``, or ``hloroof.radar.run("radar.toml")``. Each program is traced and compiled in a process of its own with the
Python of each environment, which needs nothing of hloroof. The report says what became slower, needs more memory or gained
collectives, and the pass of the compiler at which the difference begins. All times are predicted; nothing runs on a device.

``programs`` may take ``device``. The members of the dict are ``mesh``, ``in_shardings``, ``out_shardings``, ``donate_argnums``,
``static_argnums``, ``keyword_arguments`` and ``options``, as in ``hloroof.jax.compile_for``. What JAX has lowered for devices of its own
choice is a program as well: ``yield "decode", lowered``. An environment may be a table: ``{requirements = [...], python = "python3.12",
variables = {LIBTPU_INIT_ARGS = "..."}, options = {...}}``.

Programs that do not compile, versions that cannot be installed and meshes that do not fit are rows with the words of the compiler,
and the run goes on. A process that is killed says how far it was. Compiled programs are kept in the cache, and made anew if a file
that they were made of, the packages or the options change.
"""

from hloroof.radar._config import Config, Environment, ProgramSource, read_config
from hloroof.radar._environment import Installed
from hloroof.radar._report import Report
from hloroof.radar._row import Cause, Row, Side
from hloroof.radar._run import run

__all__ = ["Cause", "Config", "Environment", "Installed", "ProgramSource", "Report", "Row", "Side", "read_config", "run"]
