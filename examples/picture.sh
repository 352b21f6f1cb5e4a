#!/usr/bin/env bash
# Draws examples/ffn_block.v5e_2x4.png, the top of the report page, with headless Chromium:
#
#   bash examples/picture.sh [COMMAND]      COMMAND: build/release/hloroof by default
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
command=${1:-build/release/hloroof}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$command" predict examples/ffn_block.v5e_2x4.hlo --device tpu_v5e --format html -o "$work/page.html"
chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/profile" --window-size=1180,1240 \
  --screenshot="$PWD/examples/ffn_block.v5e_2x4.png" "file://$work/page.html#theme=light" 2>/dev/null
