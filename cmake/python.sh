#!/usr/bin/env bash
# Builds the wheel of the Python package, installs it in a fresh environment and runs its tests there:
#
#   bash cmake/python.sh [EXTRA...]      EXTRA: packages to test with, such as jax libtpu dask[distributed]
#
# HLOROOF_PYTHON_TESTS names one file of tests instead of all. HLOROOF_PYTHON_BUILD names a built tree, such as build/release, of
# which the wheel takes the library instead of compiling it again. Prints a note and exits successfully if the package index cannot
# be reached.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

python=${PYTHON:-python3}
if ! "$python" -c 'import ensurepip, venv' 2>/dev/null || ! "$python" -c 'import sysconfig, os, sys; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))'; then
  echo "python: skipped: $python has no venv or no headers (Debian: python3-venv python3-dev)"
  exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" -m venv "$work/venv"
if ! "$work/venv/bin/pip" install -q "nanobind>=2.4" "scikit-build-core>=0.10" pytest "$@" >"$work/log" 2>&1; then
  tail -n 3 "$work/log" >&2
  echo "python: skipped: the package index can not be reached"
  exit 0
fi
settings=()
if [[ -n ${HLOROOF_PYTHON_BUILD:-} ]]; then
  # The tree is configured for the wheel as long as that takes.
  settings=("-Cbuild-dir=$HLOROOF_PYTHON_BUILD")
  cp "$HLOROOF_PYTHON_BUILD/CMakeCache.txt" "$work/CMakeCache.txt"
  trap 'cp "$work/CMakeCache.txt" "$HLOROOF_PYTHON_BUILD/CMakeCache.txt"; rm -rf "$work"' EXIT
fi
if ! PATH="$work/venv/bin:$PATH" CMAKE_BUILD_PARALLEL_LEVEL="$(nproc)" \
  "$work/venv/bin/pip" wheel . -v --no-deps --no-build-isolation -w "$work/dist" "${settings[@]}" >"$work/log" 2>&1; then
  tail -n 40 "$work/log" >&2
  exit 1
fi
wheel=$(echo "$work"/dist/*.whl)
echo "python: $(basename "$wheel"), $(stat -c %s "$wheel") bytes"
"$work/venv/bin/pip" install -q --no-deps "$wheel"
"$work/venv/bin/python" -m pytest -q "${HLOROOF_PYTHON_TESTS:-tests/python}"
