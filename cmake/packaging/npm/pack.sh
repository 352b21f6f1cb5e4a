#!/usr/bin/env bash
# Packs the page that predicts in the browser as a package of npm:
#
#   bash cmake/packaging/npm/pack.sh [SITE [FOLDER]]     SITE: build/browser/site, which cmake/browser.sh makes; FOLDER: build/npm
#
# The package is the folder of the page: a web server serves it as it is. In Node, `require("hloroof")()` is a promise of the module
# of emscripten, whose function `hloroof_page` answers as on the page.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
site=${1:-build/browser/site}
out=$(realpath -m "${2:-build/npm}")
if [[ ! -f $site/index.html ]]; then
  echo "npm: $site has no page: bash cmake/browser.sh builds it" >&2
  exit 1
fi
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$site" "$work/package"
cp LICENSE cmake/packaging/npm/README.md "$work/package"
sed "s/@PROJECT_VERSION@/$(sed -n 's/^  VERSION \([0-9.]*\)$/\1/p' CMakeLists.txt)/" cmake/packaging/npm/package.json.in >"$work/package/package.json"
(cd "$work/package" && npm pack --silent --pack-destination "$out")
