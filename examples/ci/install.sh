#!/usr/bin/env bash
# Installs the command `hloroof` for a job of CI, in seconds if a wheel of this version is there:
#
#   bash examples/ci/install.sh PREFIX        the command is PREFIX/bin/hloroof
#
# A wheel comes from the folder HLOROOF_WHEELS if it is set, else from the release of HLOROOF_REPOSITORY at the tag HLOROOF_REF, for
# which the program `gh` asks. No index of packages is asked: hloroof is on none. Without a wheel that fits this machine and
# Python, the command is built from this checkout, which takes minutes.
set -euo pipefail
prefix=$(realpath -m "${1:?PREFIX}")
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
python=${PYTHON:-python3}
version=$(sed -n 's/^  VERSION \([0-9.]*\)$/\1/p' "$top/CMakeLists.txt")

wheels=${HLOROOF_WHEELS:-}
if [ -z "$wheels" ] && [ -n "${HLOROOF_REPOSITORY:-}" ] && [ -n "${HLOROOF_REF:-}" ] && command -v gh >/dev/null; then
  wheels=$(mktemp -d)
  trap 'rm -rf "$wheels"' EXIT
  gh release download "$HLOROOF_REF" --repo "$HLOROOF_REPOSITORY" --pattern 'hloroof-*.whl' --dir "$wheels" || true
fi
if [ -n "$wheels" ]; then
  unset PYTHONPATH  # what is installed elsewhere is not in the prefix
  "$python" -m venv "$prefix"
  if "$prefix/bin/pip" install -q --no-index --no-deps --find-links "$wheels" "hloroof==$version" && "$prefix/bin/hloroof" --version; then
    echo "install: from a wheel after $SECONDS s"
    exit 0
  fi
  rm -rf "$prefix"
fi

echo "install: no wheel of hloroof $version for this machine and Python: building the command" >&2
bash "$top/cmake/setup.sh"
cd "$top"
cmake --preset release
cmake --build build/release --target hloroof_command
install -D build/release/hloroof "$prefix/bin/hloroof"
echo "install: built after $SECONDS s"
