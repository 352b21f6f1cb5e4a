#!/usr/bin/env bash
# Compiles the programs of this commit and of the base branch ahead of time, and writes what changed as markdown:
#
#   bash examples/ci/compare_with_base.sh BASE PROGRAMS DEVICE OUT.md [CONDITION...]
#   bash examples/ci/compare_with_base.sh origin/main programs.py tpu_v5e:2x4 diff.md 'step>+2%'
#
# PROGRAMS is a Python file in the repository with a dict or a function `programs`, by name: each entry is compiled HLO text, an
# object with as_text(), or a function that returns one. See programs.py here. Needs git, Python with JAX and libtpu, and the
# command hloroof (or its path in HLOROOF). Exits with 3 if a condition holds for a program.
set -euo pipefail
if [ $# -lt 4 ]; then
  sed -n '2,9s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
  exit 2
fi
base=$1 programs=$2 device=$3 out=$4
shift 4
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
python=${PYTHON:-python3}
hloroof=${HLOROOF:-hloroof}

work=$(mktemp -d)
trap 'git worktree remove --force "$work/tree" 2>/dev/null || true; rm -rf "$work"' EXIT
mkdir "$work/before" "$work/after"
git worktree add -q --detach "$work/tree" "$base"
"$python" "$here/compile_programs.py" "$programs" "$work/after"
if [ -f "$work/tree/$programs" ]; then
  (cd "$work/tree" && "$python" "$here/compile_programs.py" "$programs" "$work/before")
fi

gates=()
for condition in "$@"; do gates+=(--fail-if "$condition"); done
status=0
{
  echo "## Predicted step time on $device"
  for after in "$work"/after/*.hlo; do
    name=$(basename "$after" .hlo)
    echo
    if [ ! -f "$work/before/$name.hlo" ]; then
      echo "### $name: new"
      echo
      "$hloroof" predict "$after" --device "$device" --view summary --format markdown || status=1
      continue
    fi
    echo "**$name**"
    echo
    code=0
    "$hloroof" diff "$work/before/$name.hlo" "$after" --device "$device" --format markdown -n 8 "${gates[@]}" || code=$?
    if [ "$code" -ne 0 ] && [ "$status" -ne 1 ]; then status=$code; fi
  done
  for before in "$work"/before/*.hlo; do
    [ -e "$before" ] || continue
    name=$(basename "$before" .hlo)
    [ -f "$work/after/$name.hlo" ] || printf '\n**%s** is gone.\n' "$name"
  done
} >"$out"
exit "$status"
