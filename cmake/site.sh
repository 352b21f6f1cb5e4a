#!/usr/bin/env bash
# Makes a site of plain files, for a web server or to open from the disk: the documents of this repository, a gallery of report
# pages, the accuracy as a picture, and the reference of the public headers.
#
#   bash cmake/site.sh [FOLDER [COMMAND]]     FOLDER: build/site by default; COMMAND: build/release/hloroof
#
# Needs the built command and Python's package index for markdown-it-py and Pygments. With doxygen there is the reference, with
# Chromium there are pictures in the gallery, and after `bash cmake/browser.sh` the page that predicts in the browser is part of it;
# what is missing is said on the site. Fails if a link of the site leads nowhere.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
out=$(realpath -m "${1:-build/site}")
command=${2:-build/release/hloroof}
if [[ ! -x $command ]]; then
  echo "site: $command is not there: bash cmake/demo.sh builds it" >&2
  exit 1
fi

venv=build/site_tools
if ! "$venv/bin/python" -c 'import markdown_it, mdit_py_plugins, pygments' 2>/dev/null; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install -q -c cmake/site.constraints markdown-it-py mdit-py-plugins pygments
fi
reference=
if command -v doxygen >/dev/null; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  sed -e "s|@PROJECT_SOURCE_DIR@|$PWD|g; s|@PROJECT_BINARY_DIR@|$work|g" \
    -e "s|@PROJECT_VERSION@|$(sed -n 's/^  VERSION \([0-9.]*\)$/\1/p' CMakeLists.txt)|" \
    -e "s|@PROJECT_DESCRIPTION@|$(sed -n 's/^  DESCRIPTION "\(.*\)"$/\1/p' CMakeLists.txt)|" cmake/Doxyfile.in >"$work/Doxyfile"
  doxygen "$work/Doxyfile"
  reference=$work/reference/html
fi
rm -rf "$out"
"$venv/bin/python" cmake/site.py "$out" "$command" "$reference"
"$venv/bin/python" cmake/check_links.py "$out"
