#!/usr/bin/env bash
# Runs wheels of the Python package for aarch64 on a machine that is none:
#
#   bash cmake/arm_wheel.sh WHEEL...
#
# Debian's Python for arm64 is unpacked into a folder, where qemu-user runs it: Python 3.11 of Debian 12 for a wheel of 3.11, Python 3.13
# of Debian 13 for one of 3.12 and later. No Debian that is still served has Python 3.10, so that of a wheel for it only the module is
# looked at. Needs Debian's servers and qemu-user-static.
set -euo pipefail
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
if ! command -v qemu-aarch64-static >/dev/null; then
  echo "arm wheel: skipped: needs qemu-user-static" >&2
  exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' | head -n 1)

# unpack SUITE PACKAGE: unpacks a package for arm64 and what it depends on into $work/SUITE
unpack() {
  local state=$work/apt_$1 apt package
  mkdir -p "$state/lists/partial" "$state/cache/archives/partial" "$work/$1"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $1 main" >"$state/sources.list"
  apt=(apt-get -qq -o Dir::Etc::SourceList="$state/sources.list" -o Dir::Etc::SourceParts=- -o Dir::State::Lists="$state/lists"
    -o Dir::State::status=/dev/null -o Dir::Cache="$state/cache" -o APT::Architecture=arm64 -o APT::Architectures=arm64
    -o APT::Sandbox::User=root -o Acquire::Retries=2 -o Acquire::http::Timeout=30)
  if ! { "${apt[@]}" update && "${apt[@]}" install -y --download-only --no-install-recommends "$2"; } >"$work/log" 2>&1; then
    tail -n 10 "$work/log" >&2
    exit 1
  fi
  for package in "$state"/cache/archives/*.deb; do dpkg-deb -x "$package" "$work/$1"; done
  # Debian 13 has /lib as a link, which no package contains.
  [[ -e $work/$1/lib ]] || ln -s usr/lib "$work/$1/lib"
}

for wheel in "$@"; do
  rm -rf "$work/package"
  python3 -m zipfile -e "$wheel" "$work/package"
  case $(basename "$wheel") in
    *-cp311-*) suite=bookworm version=3.11 ;;
    *-abi3-*) suite=trixie version=3.13 ;;
    *)
      echo "arm wheel: $(basename "$wheel"): no Python here runs it; $(file -b "$work"/package/hloroof/_core*.so | cut -d, -f1-2)"
      continue
      ;;
  esac
  [[ -d $work/$suite ]] || unpack "$suite" "python$version"
  HLOROOF_FILE=$here/../examples/ffn_block.v5e_2x4.hlo PYTHONPATH=$work/package PYTHONDONTWRITEBYTECODE=1 \
    qemu-aarch64-static -L "$work/$suite" "$work/$suite/usr/bin/python$version" - <<'INSIDE'
import os
import platform

import hloroof

prediction = hloroof.predict_step_time(os.environ["HLOROOF_FILE"], "tpu_v5e")
print(f"arm wheel: {platform.machine()}, Python {platform.python_version()}: step time {1e3 * prediction.step_seconds:.2f} ms")
INSIDE
done
