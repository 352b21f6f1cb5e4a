#!/usr/bin/env bash
# Runs the text target of a build for SECONDS, and in parallel every other target for a share of that time:
#
#   bash tests/fuzz/run.sh [BUILD] [SECONDS]     build/asan and 60 by default
#
# targets.sh describes the targets. Crashing inputs are stored in BUILD/fuzz/crashes. night.sh runs for longer, and keeps what it
# learns.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source tests/fuzz/targets.sh

build=${1:-build/asan}
seconds=${2:-60}

find_targets "$build"

grown=$(mktemp -d)
trap 'rm -rf "$grown"' EXIT
mkdir -p "$build/fuzz/crashes"

# run_target TARGET SECONDS
run_target() {
  local target=$1 seconds=$2 name arguments seeds
  name=$(name_of "$target")
  describe_target "$name" "$build/fuzz/crashes/$name-" "$grown/$name.made"
  mkdir -p "$grown/$name"
  if ! "$target" "${arguments[@]}" "-max_total_time=$seconds" "$grown/$name" "${seeds[@]}" >"$grown/$name.log" 2>&1; then
    tail -n 60 "$grown/$name.log" >&2
    echo "fuzz: $name failed" >&2
    return 1
  fi
  echo "fuzz: $name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$grown/$name.log") inputs, none failed"
}

# Fuzzes HLO text, which is the most common input, on one core, and all other targets in turn on another.
run_target "$build/fuzz/fuzz_text" "$seconds" &
text=$!
failed=0
for target in "${targets[@]}"; do
  if [[ $target != */fuzz_text ]]; then run_target "$target" $((seconds / (${#targets[@]} - 1))) || failed=1; fi
done
wait "$text" || failed=1
exit "$failed"
