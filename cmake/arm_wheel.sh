#!/usr/bin/env bash
# Runs the wheel of the Python package for aarch64 and CPython 3.12 and later on a machine that is none:
#
#   bash cmake/arm_wheel.sh WHEEL
#
# Debian's Python 3.13 for arm64 is unpacked into a folder, where qemu-user runs it. Needs Debian's servers and qemu-user-static.
set -euo pipefail
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
wheel=$(realpath "$1")
if ! command -v qemu-aarch64-static >/dev/null; then
  echo "arm wheel: skipped: needs qemu-user-static" >&2
  exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' | head -n 1)

# The packages for arm64 of Python and of what it depends on.
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/root"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror trixie main" >"$work/sources.list"
apt=(apt-get -qq -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=- -o Dir::State::Lists="$work/lists"
  -o Dir::State::status=/dev/null -o Dir::Cache="$work/cache" -o APT::Architecture=arm64 -o APT::Architectures=arm64
  -o APT::Sandbox::User=root -o Acquire::Retries=2 -o Acquire::http::Timeout=30)
if ! { "${apt[@]}" update && "${apt[@]}" install -y --download-only --no-install-recommends python3.13; } >"$work/log" 2>&1; then
  tail -n 10 "$work/log" >&2
  exit 1
fi
for package in "$work"/cache/archives/*.deb; do dpkg-deb -x "$package" "$work/root"; done
# Debian 13 has /lib as a link, which no package contains.
[[ -e $work/root/lib ]] || ln -s usr/lib "$work/root/lib"

python3 -m zipfile -e "$wheel" "$work/package"
HLOROOF_FILE=$here/../examples/ffn_block.v5e_2x4.hlo PYTHONPATH=$work/package PYTHONDONTWRITEBYTECODE=1 \
  qemu-aarch64-static -L "$work/root" "$work/root/usr/bin/python3.13" - <<'INSIDE'
import os
import platform

import hloroof

prediction = hloroof.predict_step_time(os.environ["HLOROOF_FILE"], "tpu_v5e")
print(f"arm wheel: {platform.machine()}, Python {platform.python_version()}: step time {1e3 * prediction.step_seconds:.2f} ms")
INSIDE
