#!/usr/bin/env bash
# Checks that cmake/tidy.sh passes only if it read every source, with a program in the place of clang-tidy.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '{"file": "/somewhere/lib/base/%s.cc"},\n' csv json >"$work/compile_commands.json"
export PATH="$work:$PATH"

# expect STATUS TEXT TIDY SECONDS BASE: what tidy.sh exits with and prints, if the program of clang-tidy is TIDY.
expect() {
  local status=0 output
  printf '#!/bin/sh\n%s\n' "$3" >"$work/clang-tidy"
  chmod +x "$work/clang-tidy"
  output=$(bash cmake/tidy.sh "$4" "$5" "$work" 2>&1) || status=$?
  if ((status != $1)) || [[ $output != *"$2"* ]]; then
    echo "tidy.sh $4 $5 with '$3': exit status $status instead of $1, or not '$2':"
    echo "$output"
    exit 1
  fi
}

expect 0 '2 of 2 sources clean, 0 with findings, 0 left' 'exit 0' 600 all
expect 1 '0 of 2 sources clean, 2 with findings, 0 left' 'exit 1' 600 all
expect 1 '0 of 2 sources clean, 0 with findings, 2 left' 'exit 0' 0 all
expect 2 'no commit no-such-commit' 'exit 0' 600 no-such-commit
