#!/usr/bin/env bash
# Installs what is missing, builds the hloroof command to build/release and predicts a shipped dump on a TPU v5e:
#
#   bash cmake/demo.sh
#
# A second run builds only what changed. `cmake --install build/release --prefix PREFIX` installs what it built.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

bash cmake/setup.sh
source cmake/build.sh

hloroof_build release hloroof_installed
command=(build/release/hloroof predict examples/ffn_block.v5e_2x4.hlo --device tpu_v5e)
echo "\$ ${command[*]}"
exec "${command[@]}"
