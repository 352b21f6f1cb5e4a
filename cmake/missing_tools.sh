#!/usr/bin/env bash
# Says which tests need a program that is not here, and the Debian package that has it:
#
#   bash cmake/missing_tools.sh
#
# Prints nothing if all are here. check.sh runs it last.
set -euo pipefail

# program[|program...] package what is not tested without it
tools='
python3 python3 Python programs against the library, and checks of the sources
clang++|clang++-14|clang++-15|clang++-16|clang++-17|clang++-18|clang++-19 clang references to temporaries
clang-format clang-format the layout of the sources
doxygen doxygen the reference of the headers
dot graphviz graphs
groff groff the manual page
zsh zsh completions
fish fish completions
chromium|chromium-browser|google-chrome chromium the report page in a browser
nvim neovim the language server in an editor
'
missing=()
while read -r programs package what; do
  [[ -n $programs ]] || continue
  found=
  for program in ${programs//|/ }; do
    if command -v "$program" >/dev/null; then found=1; fi
  done
  if [[ -z $found ]]; then missing+=("$(printf '  %-13s %s' "$package" "$what")"); fi
done <<<"$tools"
if ((${#missing[@]})); then
  echo "check: tests of these did not run; apt-get install PACKAGE, and the next run has them:"
  printf '%s\n' "${missing[@]}"
fi
