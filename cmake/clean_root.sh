#!/usr/bin/env bash
# Installs a source distribution of the Python package on a Debian that has Python and g++, and no package of a library:
#
#   bash cmake/clean_root.sh SDIST [PACKAGE...]
#
# The Debian is a folder made by debootstrap, entered with chroot. Needs root, debootstrap and the package index. PACKAGE:
# what it has besides the minimum; by default g++ python3-venv python3-dev.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/debian_root.sh"
sdist=$(realpath "$1")
shift
packages=("$@")
((${#packages[@]})) || packages=(g++ python3-venv python3-dev)

if ((EUID != 0)) || ! command -v debootstrap >/dev/null; then
  echo "clean root: skipped: needs root and debootstrap" >&2
  exit 0
fi
root=$(mktemp -d)
trap 'rm -rf --one-file-system "$root"' EXIT
make_root "$root" "" "${packages[@]}"
cp "$sdist" "$root/install/"
run_in_root "$root" <<'INSIDE'
set -euo pipefail
cd /install
for library in absl re2 nlohmann eigen3 CLI; do
  if [[ -e /usr/include/$library ]]; then echo "clean root: /usr/include/$library is there" >&2; exit 1; fi
done
python3 -m venv venv
started=$SECONDS
CMAKE_BUILD_PARALLEL_LEVEL=$(nproc) venv/bin/pip install ./hloroof-*.tar.gz >log 2>&1 || { tail -n 40 log >&2; exit 1; }
echo "clean root: $(. /etc/os-release; echo "$PRETTY_NAME"), $(g++ --version | head -n 1): pip install took $((SECONDS - started)) s"
cat >f.hlo <<'HLO'
HloModule m

ENTRY main {
  x = f32[1024,1024] parameter(0)
  ROOT y = f32[1024,1024] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
HLO
gzip f.hlo
venv/bin/python -c 'import hloroof; print("clean root:", hloroof.predict_step_time("f.hlo.gz", "tpu_v5e"))'
venv/bin/hloroof predict f.hlo.gz --device tpu_v5e >/dev/null
INSIDE
