#!/usr/bin/env bash
# Installs a wheel of the Python package for CPython 3.12 and later on a Debian 11, whose glibc 2.31 is older than what distributions
# of today build with, and runs it there:
#
#   bash cmake/old_root.sh WHEEL
#
# Debian 11 has no Python that new, so Debian's sources of Python 3.13 are compiled in the root, in two minutes on two idle cores.
# Needs root, debootstrap and Debian's servers.
set -euo pipefail
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
source "$here/debian_root.sh"
wheel=$(realpath "$1")

if ((EUID != 0)) || ! command -v debootstrap >/dev/null; then
  echo "old root: skipped: needs root and debootstrap" >&2
  exit 0
fi
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
root=$work/root
mkdir "$root"
make_root "$root" bullseye gcc libc6-dev make zlib1g-dev
cp "$wheel" "$here/check_wheel.py" "$here/../examples/ffn_block.v5e_2x4.hlo" "$root/install/"

mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' | head -n 1)
echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror trixie main" >"$work/sources.list"
mkdir -p "$work/lists/partial" "$work/cache"
apt=(apt-get -q -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=- -o Dir::State::Lists="$work/lists"
  -o Dir::Cache="$work/cache" -o APT::Sandbox::User=root -o Acquire::Retries=2 -o Acquire::http::Timeout=30)
if ! (cd "$work" && "${apt[@]}" update -o APT::Update::Error-Mode=any && "${apt[@]}" source --download-only python3.13) >"$work/log" 2>&1; then
  tail -n 10 "$work/log" >&2
  exit 1
fi
mkdir "$root/python"
tar -xf "$work"/python3.13_*.orig.tar.xz -C "$root/python" --strip-components=1

run_in_root "$root" <<'INSIDE'
set -euo pipefail
cd /python
{ CFLAGS="-O1 -g0" ./configure --prefix=/usr/local --disable-test-modules && make -j"$(nproc)" && make install; } >/install/log 2>&1 ||
  { tail -n 40 /install/log; exit 1; }
cd /install
/usr/local/bin/python3.13 -m venv venv
venv/bin/pip install --no-index --no-deps ./hloroof-*.whl >log 2>&1 || { tail -n 40 log >&2; exit 1; }
echo "old root: $(. /etc/os-release; echo "$PRETTY_NAME"), $(ldd --version | head -n 1)"
venv/bin/python check_wheel.py
venv/bin/hloroof predict ffn_block.v5e_2x4.hlo --device tpu_v5e | grep '^  step time'
venv/bin/hloroof doctor | head -n 2
INSIDE
