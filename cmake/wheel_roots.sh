#!/usr/bin/env bash
# Installs the wheels of the Python package for this machine in clean roots of three distributions, and predicts a dump there:
#
#   bash cmake/wheel_roots.sh FOLDER [SUITE...]      FOLDER: of the wheels; SUITE: bullseye, bookworm and trixie by default
#
# Prints a row of a table for each. Debian 11 has the glibc 2.31, older than what distributions of today build with, and no Python
# for which there is a wheel, so Debian's sources of Python 3.13 are compiled in its root, in two minutes on two idle cores. Needs
# root, debootstrap and Debian's servers.
set -euo pipefail
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
source "$here/debian_root.sh"
wheels=$(realpath "$1")
shift
suites=("$@")
((${#suites[@]})) || suites=(bullseye bookworm trixie)

if ((EUID != 0)) || ! command -v debootstrap >/dev/null; then
  echo "wheel roots: skipped: needs root and debootstrap" >&2
  exit 0
fi
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT

# compile_python ROOT: Python 3.13 of Debian's sources in /usr/local of the root
compile_python() {
  local mirror apt
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' | head -n 1)
  echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror trixie main" >"$work/sources.list"
  mkdir -p "$work/lists/partial" "$work/cache" "$1/python"
  apt=(apt-get -q -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=- -o Dir::State::Lists="$work/lists"
    -o Dir::Cache="$work/cache" -o APT::Sandbox::User=root -o Acquire::Retries=2 -o Acquire::http::Timeout=30)
  if ! (cd "$work" && "${apt[@]}" update -o APT::Update::Error-Mode=any && "${apt[@]}" source --download-only python3.13) >"$work/log" 2>&1; then
    tail -n 10 "$work/log" >&2
    exit 1
  fi
  tar -xf "$work"/python3.13_*.orig.tar.xz -C "$1/python" --strip-components=1
  run_in_root "$1" <<'INSIDE'
set -euo pipefail
cd /python
{ CFLAGS="-O1 -g0" ./configure --prefix=/usr/local --disable-test-modules && make -j"$(nproc)" && make install; } >/install/log 2>&1 ||
  { tail -n 40 /install/log; exit 1; }
INSIDE
}

echo "| system | C library | Python | wheel | pip install | hloroof predict | step time |"
echo "|---|---|---|---|---|---|---|"
for suite in "${suites[@]}"; do
  root=$work/$suite
  mkdir "$root"
  packages=(python3-venv)
  if [[ $suite == bullseye ]]; then packages=(gcc libc6-dev make zlib1g-dev); fi
  make_root "$root" "$suite" "${packages[@]}"
  cp "$wheels"/hloroof-*"$(uname -m)".whl "$here/check_wheel.py" "$here/../examples/ffn_block.v5e_2x4.hlo" "$root/install/"
  if [[ $suite == bullseye ]]; then compile_python "$root"; fi
  run_in_root "$root" <<'INSIDE'
set -euo pipefail
cd /install
python=/usr/local/bin/python3.13
[[ -x $python ]] || python=/usr/bin/python3
"$python" -m venv venv
# timed COMMAND...: runs it, and sets `ms`
timed() {
  local started
  started=$(date +%s%N)
  "$@" >log 2>&1 || { tail -n 40 log >&2; exit 1; }
  ms=$((($(date +%s%N) - started) / 1000000))
}
timed venv/bin/pip install --no-index --find-links . --report report hloroof
installed=$ms
timed venv/bin/hloroof predict ffn_block.v5e_2x4.hlo --device tpu_v5e
step=$(sed -n 's/^  step time *\([0-9.]* [a-z]*\).*/\1/p' log)
venv/bin/python check_wheel.py >&2
wheel=$(grep -o 'hloroof-[^"/]*\.whl' report | head -n 1)
echo "| $(. /etc/os-release; echo "$PRETTY_NAME") | $(ldd --version | sed -n '1s/.* /glibc /p') | $(venv/bin/python --version) | $wheel | $installed ms | $ms ms | $step |"
INSIDE
  rm -rf --one-file-system "$root"
done
