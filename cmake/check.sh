#!/usr/bin/env bash
# Installs what is missing, builds hloroof with its tests and runs them:
#
#   bash cmake/check.sh
#
# The build goes to build/release; a second run builds only what changed. Arguments go to ctest (-R parser, …).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

bash cmake/setup.sh
source cmake/build.sh

hloroof_build release
status=0
ctest --test-dir build/release --output-on-failure --parallel "$(nproc)" "$@" || status=$?
bash cmake/missing_tools.sh
exit "$status"
