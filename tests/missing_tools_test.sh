#!/usr/bin/env bash
# Checks that cmake/missing_tools.sh knows every program without which a test is skipped, and what it says with and without them.
set -euo pipefail

fail() {
  echo "$1" >&2
  exit 1
}

# The programs that CMake looks for, those that tests ask the shell for, and the Python interpreter.
asked=$(
  find tests CMakeLists.txt -name CMakeLists.txt -exec sed -n 's/^ *find_program([A-Z_]* \(NAMES \)\?\([^)]*\)).*/\2/p' {} + | tr ' ' '\n'
  find tests -name '*.cc' -exec grep -ohE 'has_tool\("[a-z]+"\)|command -v [a-z][a-z-]*' {} + | sed 's/.*("\(.*\)").*/\1/; s/command -v //'
)
known=$(sed -n "/^tools='/,/^'/p" cmake/missing_tools.sh | grep -oE '^[a-z][a-z0-9+|-]*' | tr '|' '\n')
for program in $asked python3; do
  if [[ $program == bash ]]; then continue; fi  # of every Debian
  grep -qxF -e "$program" <<<"$known" || fail "missing_tools.sh does not know $program"
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bash=$(command -v bash)
said=$(PATH=$work "$bash" cmake/missing_tools.sh)
[[ $said == *"apt-get install"*"  graphviz      graphs"*"  neovim "* ]] || fail "without any program it says: $said"
for program in $known; do ln -s "$bash" "$work/$program"; done
said=$(PATH=$work "$bash" cmake/missing_tools.sh)
[[ -z $said ]] || fail "with all programs it says: $said"
