"""Runs examples/recipes for the frameworks that are installed."""

import importlib.util
import os
import subprocess
import sys

import pytest

RECIPES = {  # what it imports besides JAX and libtpu, and a part of its output
    "flax_nnx": (["flax", "optax"], "exposed communication"),
    "keras_model": (["keras"], "mixed_bfloat16"),
    "levanter_llama": (["levanter", "haliax", "chex", "git", "optax", "equinox"], "without checkpoints the program does not fit"),
    "maxtext_golden": (["maxtext", "omegaconf", "grain", "sympy"], "as step.json says"),
    "paged_decode": (["jax.experimental.pallas.ops.tpu.ragged_paged_attention"], "tokens/s"),
    "tokamax_blocks": (["tokamax"], "6 configurations on tpu_v6e"),
    "torch_xla_model": (["torch", "torch_xla"], "batch  32"),
    "torchax_model": (["torch", "torchax", "flax"], "bfloat16"),
}
ARGUMENTS = {"maxtext_golden": ["step.json"]}


def is_there(name):
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # the package that the module is in
        return False


@pytest.mark.parametrize("name", RECIPES)
def test_recipe(root, tmp_path, name):
    packages, part = RECIPES[name]
    missing = [package for package in ["jax", "libtpu", *packages] if not is_there(package)]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")
    # In another folder: the name of a recipe must not hide a package.
    done = subprocess.run(
        [sys.executable, root / "examples" / "recipes" / f"{name}.py", *ARGUMENTS.get(name, [])],
        cwd=tmp_path,
        env={"HLOROOF_CACHE_DIR": str(tmp_path), "HLOROOF_UPDATE": "1", **os.environ},
        capture_output=True,
        text=True,
        timeout=1800,
    )
    assert done.returncode == 0, done.stderr
    assert part in done.stdout


def test_each_recipe_is_known(root):
    assert {path.stem for path in (root / "examples" / "recipes").glob("*.py")} == set(RECIPES)
