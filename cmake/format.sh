#!/usr/bin/env bash
# Formats every tracked source:  bash cmake/format.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
git ls-files '*.h' '*.cc' | xargs clang-format -i
