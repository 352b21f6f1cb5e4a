"""Ranks the ways to run a function on TPUs or GPUs, without them: mesh shapes, sharding rules, batch, remat, blocks of kernels, unrolling,
compiler flags.

    # space.py
    from hloroof import tune

    def build(mesh, remat, batch):
        return tune.Program(
            train_step(remat), (params, tokens(batch)), mesh=mesh, in_shardings=(P(None, "model"), P("data")),
            donate_argnums=0, examples=batch,
        )

    space = tune.Space(
        "tpu_v5e:4x4", build, {"mesh": tune.meshes(16, "data", "model"), "remat": ["none", "full"], "batch": [64, 128]},
        grows=["batch"],
    )

    if __name__ == "__main__":
        results = tune.run(space, folder="runs/first")
        print(results)              # fastest first by step time per example, with peak memory and the reasons
        results.to_pandas()
        results.plot("pareto.png")

or ``python -m hloroof.tune space.py:space --folder runs/first --plot pareto.png --html tune.html``.

Most of a compile is code generation. The candidates are therefore ranked by the program before it, and only the best quarter is
compiled to the end; ``run`` says how, and ``results.early_tau`` how well the two rankings agree.

``build`` runs in worker processes, which compile ahead of time and predict; nothing runs on a device. A worker that
dies is replaced and its candidate retried. With a ``folder`` every result is kept as it comes, and the same call goes on where an
earlier one ended. ``run(space, dask=client)`` does the same on a Dask cluster. Every candidate that cannot run is kept with its
reason. Needs JAX, and libtpu or JAX's CUDA plugin; tables for pandas and plots need pandas and matplotlib.
"""

from hloroof._field_docs import document_fields as _document_fields
from hloroof.tune._outcome import Outcome
from hloroof.tune._results import Results
from hloroof.tune._run import load, run
from hloroof.tune._space import Program, Space, meshes

__all__ = ["Outcome", "Program", "Results", "Space", "load", "meshes", "run"]

_document_fields(globals())
