"""Spaces for the tests of hloroof.tune. Workers import this module."""

import os
import pathlib
import signal
import time

from hloroof import tune


def product(mesh, batch, flags=None, embed=256):
    import jax
    import jax.numpy as jnp
    from jax.sharding import PartitionSpec as P

    def step(w, x):
        return jax.lax.with_sharding_constraint(jnp.tanh(x @ w) @ w.T, P("data", None))

    return tune.Program(
        step,
        ({"w": jax.ShapeDtypeStruct((embed, embed), "bfloat16")}["w"], jax.ShapeDtypeStruct((batch, embed), "bfloat16")),
        mesh=mesh,
        in_shardings=(P(None, "model"), P("data", None)),
        options=flags or {},
        examples=batch,
    )


def idle(unused, **given):
    return product(**given)


def moody(batch, mood):
    """A program that cannot be built, or a worker that dies: always, or until a file says that it did."""
    folder = pathlib.Path(os.environ["TUNE_TEST_FOLDER"])
    with open(folder / "built.txt", "a") as file:
        file.write(f"{mood} {batch}\n")
    if mood == "raises":
        raise RuntimeError("no such thing")
    if mood == "dies" or (mood == "dies once" and not (folder / "died").exists()):
        (folder / "died").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    if mood == "ends its cluster's worker once" and not (folder / "ended").exists():
        (folder / "ended").touch()
        os.kill(os.getppid(), signal.SIGKILL)
    if mood == "hangs":
        (folder / "pid").write_text(str(os.getpid()))
        time.sleep(60)
    if mood == "no program":
        return None
    if mood == "bad flag":
        return product({"data": 2, "model": 2}, batch, {"xla_no_such_flag": "1"})
    if mood == "too many":
        return product({"data": 4, "model": 4}, batch)
    if mood == "large arguments":
        return product({"data": 1, "model": 1}, 8, embed=2**17)
    if mood == "large temporaries":  # 8 GiB of x on each of 4 chips, and as much of results and of temporaries
        return product({"data": 4, "model": 1}, 2**22, embed=4096)
    return product({"data": 2, "model": 2}, batch)


def ranked():
    meshes = tune.meshes(4, "data", "model")
    return tune.Space("tpu_v5e:2x2", product, {"mesh": meshes, "batch": [256, 1024]}, grows=["batch"])


def failing(moods, batches=(256,), **fields):
    return tune.Space("tpu_v5e:2x2", moody, {"batch": list(batches), "mood": moods}, **fields)


moods = failing(["fine", "raises"])
hanging = failing(["hangs"])
not_a_space = 3


def gpus(mesh, batch):
    return product(mesh, batch, embed=4096)


def ranked_gpus():
    return tune.Space("h100_sxm:4", gpus, {"mesh": tune.meshes(4, "data", "model"), "batch": [4096, 16384]}, grows=["batch"])


def too_large_gpus():
    return tune.Space("h100_sxm:4", gpus, {"mesh": [{"data": 4, "model": 1}], "batch": [16384, 3 * 2**22]}, grows=["batch"])
