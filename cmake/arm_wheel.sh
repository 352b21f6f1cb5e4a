#!/usr/bin/env bash
# Runs the wheels of the Python package for aarch64 on a machine that is none:
#
#   bash cmake/arm_wheel.sh WHEEL...
#
# Debian's Python for arm64 is unpacked into a folder, where qemu-user runs it: 3.13 for the wheel of CPython 3.12 and later, 3.11 for
# that of 3.11. No Debian has 3.10. Needs Debian's servers and qemu-user-static.
set -euo pipefail
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
if ! command -v qemu-aarch64-static >/dev/null; then
  echo "arm wheel: skipped: needs qemu-user-static" >&2
  exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' | head -n 1)

# unpack_python SUITE PYTHON: the packages for arm64 of Python and of what it depends on, into $work/SUITE/root
unpack_python() {
  local folder=$work/$1 apt package
  mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial" "$folder/root"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $1 main" >"$folder/sources.list"
  apt=(apt-get -qq -o Dir::Etc::SourceList="$folder/sources.list" -o Dir::Etc::SourceParts=- -o Dir::State::Lists="$folder/lists"
    -o Dir::State::status=/dev/null -o Dir::Cache="$folder/cache" -o APT::Architecture=arm64 -o APT::Architectures=arm64
    -o APT::Sandbox::User=root -o Acquire::Retries=2 -o Acquire::http::Timeout=30)
  if ! { "${apt[@]}" update && "${apt[@]}" install -y --download-only --no-install-recommends "$2"; } >"$work/log" 2>&1; then
    tail -n 10 "$work/log" >&2
    exit 1
  fi
  for package in "$folder"/cache/archives/*.deb; do dpkg-deb -x "$package" "$folder/root"; done
  # Debian 13 has /lib as a link, which no package contains.
  [[ -e $folder/root/lib ]] || ln -s usr/lib "$folder/root/lib"
}

for wheel in "$@"; do
  case $wheel in
    *-cp312-abi3-*) suite=trixie python=python3.13 ;;
    *-cp311-*) suite=bookworm python=python3.11 ;;
    *)
      echo "arm wheel: $(basename "$wheel"): no Debian has its Python: not run"
      continue
      ;;
  esac
  unpack_python "$suite" "$python"
  rm -rf "$work/package"
  python3 -m zipfile -e "$wheel" "$work/package"
  run=(qemu-aarch64-static -L "$work/$suite/root" "$work/$suite/root/usr/bin/$python")
  export PYTHONPATH=$work/package PYTHONDONTWRITEBYTECODE=1
  HLOROOF_FILE=$here/../examples/ffn_block.v5e_2x4.hlo "${run[@]}" - <<'INSIDE'
import os
import platform

import hloroof

prediction = hloroof.predict_step_time(os.environ["HLOROOF_FILE"], "tpu_v5e")
print(f"arm wheel: {platform.machine()}, Python {platform.python_version()}: step time {1e3 * prediction.step_seconds:.2f} ms")
INSIDE
done
