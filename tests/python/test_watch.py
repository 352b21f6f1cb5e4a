"""hloroof.jax: conditions without JAX, and watching real compiles for the CPU where JAX has the hook."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

import hloroof
import hloroof.jax as watching
from hloroof._hook import hooks as hooks_of_jax

EXAMPLE = pathlib.Path(__file__).parents[2] / "examples" / "ffn_block.v5e_2x4.hlo"


def hooks():
    jax = pytest.importorskip("jax")
    try:
        hooks_of_jax()
    except ImportError as error:
        pytest.skip(str(error))
    return jax


@pytest.mark.parametrize(
    "text, holds",
    [
        ("step>5ms", True),
        ("step > 20 ms", False),
        ("step<1s", True),
        ("memory>16GiB", False),
        ("memory>=100MiB", True),
        ("exposed>1us", True),
        ("mfu<90%", True),
        ("mfu<1e1%", False),
    ],
)
def test_conditions(text, holds):
    predicted = hloroof.predict_step_time(EXAMPLE, "tpu_v5e")._asked().predicted
    found, finding = hloroof._core.Limit(text).check(predicted)
    assert found is holds and ", allowed " in finding


@pytest.mark.parametrize(
    "text, said",
    [
        ("stp>5ms", "character 1: expected one of step, exposed"),
        ("memory>5ms", "character 9: expected a unit of bytes"),
        ("step>+2%", "is a change, and there is no other prediction"),
    ],
)
def test_bad_conditions(text, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        with watching.watch("tpu_v5e", fail_if=text):
            pass


def test_old_jax_is_told_which_version_has_the_hook():
    jax = pytest.importorskip("jax")
    if tuple(int(part) for part in jax.__version__.split(".")[:2]) >= (0, 12):
        pytest.skip("this JAX has the hook")
    with pytest.raises(ImportError, match="0.12.0"):
        with watching.watch("tpu_v5e"):
            pass


def test_bad_arguments():
    with pytest.raises(ValueError, match="pre_scheduler, post_scheduler"):
        with watching.watch("tpu_v5e", stage="last"):
            pass
    with pytest.raises(hloroof.Error):
        with watching.watch("tpu_v99"):
            pass


def test_watched_compiles(tmp_path, capsys):
    jax = hooks()
    import jax.numpy as jnp

    with watching.watch("tpu_v5e", dump=tmp_path, allow_other_backend=True) as watched:
        jax.jit(lambda x, w: jnp.tanh(x @ w).sum())(jnp.ones((256, 512)), jnp.ones((512, 128)))
    names = [one.name for one in watched.seen]
    assert any("lambda" in name for name in names), names
    assert len(watched.predictions) == len(watched.seen)
    assert all(prediction.step_seconds > 0 for prediction in watched.predictions)
    said = capsys.readouterr().err
    assert said.count("hloroof: ") == len(watched.seen)
    assert "post-scheduler" in said
    kept = sorted(tmp_path.iterdir())
    assert len(kept) == len(watched.seen)
    again = hloroof.predict_step_time(kept[-1], "tpu_v5e", allow_other_backend=True)
    assert again.step_seconds == watched.predictions[-1].step_seconds
    # The watch has ended.
    jax.jit(lambda x: x * 3)(jnp.ones(7))
    assert len(watched.seen) == len(kept)


def test_a_module_for_another_backend_is_not_predicted(capsys):
    jax = hooks()
    import jax.numpy as jnp

    with watching.watch("tpu_v5e", fail_if="step>1ns") as watched:
        jax.jit(lambda x, w: jnp.tanh(x @ w).sum())(jnp.ones((256, 512)), jnp.ones((512, 128)))
    refused = [one for one in watched.seen if one.error is not None]
    if not refused:
        pytest.skip("nothing in these programs says that they are for the CPU")
    assert all("was compiled for the CPU" in one.error for one in refused)
    assert "not predicted: " in capsys.readouterr().err


def test_a_condition_ends_the_compile(capsys):
    jax = hooks()
    import jax.numpy as jnp

    x = jnp.ones((1024, 1024))
    with pytest.raises(watching.WatchError, match="step>1ns holds for .*pre-scheduler.*: step .*, allowed 1.00 ns"):
        with watching.watch("tpu_v5e", stage="pre_scheduler", fail_if="step>1ns", allow_other_backend=True):
            jax.jit(lambda a: a @ a)(x)
    assert jax.jit(lambda a: a @ a)(x).shape == (1024, 1024)  # JAX is as it was


def test_a_script_is_watched_unchanged(tmp_path):
    hooks()
    script = tmp_path / "train.py"
    script.write_text("import sys, jax, jax.numpy as jnp\nprint(jax.jit(lambda x: (x @ x).sum())(jnp.ones((64, 64))), sys.argv[1])\n")
    environment = {**os.environ, "HLOROOF_WATCH": "tpu_v5e", "JAX_PLATFORMS": "cpu"}
    run = subprocess.run(
        [sys.executable, "-m", "hloroof.jax", str(script), "twice"], env=environment, capture_output=True, text=True, check=True
    )
    assert "262144.0 twice" in run.stdout
    assert "hloroof: jit" in run.stderr
