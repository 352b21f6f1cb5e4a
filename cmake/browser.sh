#!/usr/bin/env bash
# Makes the folder build/browser/site: the report page with the library in it, for a browser without a server.
#
#   bash cmake/browser.sh             build it
#   bash cmake/browser.sh --check     build it, and open a dump with it in headless Chromium
#
# Installs the compiler (emscripten), and with --check Chromium, if they are missing. The libraries are built from Debian's sources,
# which are fetched once (cmake/third_party.sh). HLOROOF_RELEASE_SETTINGS="NAME=VALUE ..." are further settings of CMake.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

packages=()
command -v emcmake >/dev/null || packages+=(emscripten node-acorn)
command -v ninja >/dev/null || packages+=(ninja-build)
command -v dpkg-source >/dev/null || packages+=(dpkg-dev)
if [[ ${1:-} == --check ]]; then command -v chromium >/dev/null || packages+=(chromium); fi
if ((${#packages[@]} > 0)); then
  apt-get update -q
  DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${packages[@]}"
fi

[[ -d third_party/abseil ]] || bash cmake/third_party.sh third_party
settings=()
for setting in ${HLOROOF_RELEASE_SETTINGS:-}; do settings+=("-D$setting"); done
export NODE_PATH=/usr/share/nodejs  # where Debian's node-acorn is, for any node
emcmake cmake -G Ninja -S . -B build/browser -DCMAKE_BUILD_TYPE=Release -DHLOROOF_BUNDLED_DEPENDENCIES=ON \
  -DHLOROOF_BUILD_CALIBRATE=OFF -DHLOROOF_BUILD_CLI=OFF -DHLOROOF_BUILD_TESTS=OFF -DHLOROOF_BUILD_EXAMPLES=OFF \
  -DHLOROOF_INSTALL=OFF -DHLOROOF_UNITY=ON -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON "${settings[@]}" >/dev/null
cmake --build build/browser --target hloroof_browser
ls -l build/browser/site

if [[ ${1:-} == --check ]]; then python3 tests/browser/check.py build/browser/site; fi
