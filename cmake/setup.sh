#!/usr/bin/env bash
# Installs the Debian or Ubuntu packages that hloroof needs.
#
#   bash cmake/setup.sh            packages for building, testing and running
#   bash cmake/setup.sh --develop  also packages for .ci/run: git, clang, clang-format, clang-tidy
#
# Lists the missing packages before installing them, and prints nothing if none are missing. Works as root, or with sudo.
set -euo pipefail

packages=(
  g++ cmake ninja-build pkg-config
  libabsl-dev libre2-dev libeigen3-dev nlohmann-json3-dev zlib1g-dev
  libcli11-dev catch2 libgtest-dev libbenchmark-dev
)
develop_packages=(git clang clang-format clang-tidy doxygen python3-venv python3-dev)

if [[ "${1:-}" == --develop ]]; then
  packages+=("${develop_packages[@]}")
fi

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  cat >&2 <<MESSAGE
setup: this machine has no apt, so nothing was installed. Install the equivalents of these Debian packages and run
setup: 'cmake --preset release && cmake --build --preset release' yourself:
setup:   ${packages[*]}
MESSAGE
  exit 1
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  if [[ "$status" != installed ]]; then
    missing+=("$package")
  fi
done
if ((${#missing[@]} == 0)); then
  exit 0
fi

as_root=()
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    echo "setup: these packages are missing and installing them takes root, but there is no sudo here:" >&2
    echo "setup:   ${missing[*]}" >&2
    echo "setup: run as root: apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "setup: installing with apt: ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Short retries and time-outs, so that a machine without network fails in seconds instead of minutes.
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y
  -o Acquire::Retries=2 -o Acquire::http::Timeout=30 -o Acquire::https::Timeout=30 -o DPkg::Lock::Timeout=120)

explain_failure() {
  tail -n 15 "$log" >&2
  if grep -qE 'Temporary failure resolving|Could not resolve|Could not connect|Cannot initiate the connection|Connection timed out|Network is unreachable|Failed to fetch' "$log"; then
    echo "setup: apt could not reach its package servers. This machine seems to have no network (or no proxy set for apt:" >&2
    echo "setup: see /etc/apt/apt.conf.d). Once it has one, run this again; or install these packages by other means:" >&2
  else
    echo "setup: apt could not install what is missing; its last lines are above. Needed:" >&2
  fi
  echo "setup:   ${missing[*]}" >&2
  exit 1
}

# Updates the package lists only if they do not have a missing package or its download fails, because an update takes longer
# than the rest of a second run.
install() { "${apt[@]}" install --no-install-recommends "${missing[@]}" </dev/null >"$log" 2>&1; }
if ! install; then
  # apt-get update succeeds even if it reached no server. Newer versions of apt can treat that as an error.
  "${apt[@]}" update -o APT::Update::Error-Mode=any </dev/null >"$log" 2>&1 || explain_failure
  install || explain_failure
fi
echo "setup: installed ${#missing[@]} packages and what they depend on"
