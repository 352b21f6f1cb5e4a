#!/usr/bin/env bash
# Runs every target of a build for RUNS inputs, as many targets at once as there are cores, and keeps the inputs that reach new code:
#
#   bash tests/fuzz/night.sh CORPUS [BUILD] [RUNS] [NAME...]     build/asan, 10,000,000 inputs and all targets by default
#
# CORPUS/NAME holds the kept inputs of target fuzz_NAME. A run starts from them and from the seeds, and leaves the smallest set that
# reaches the same code. Prints a row for each target: inputs executed, seconds, kept inputs, the share of the branches of the
# program that they reach, and the findings. A finding is made as small as a minute allows and stored in CORPUS/findings, with the
# command that reproduces it. Exits with 1 if there are findings.
#
# The last row, xla, is a comparison: mutations.py changes RUNS / 1000 texts, with another seed each day, and asks XLA which of them
# it accepts. It needs a Python with jaxlib, which is HLOROOF_JAX_PYTHON or python3, and is skipped without one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source tests/fuzz/targets.sh

if (($# == 0)); then
  sed -n '2,12s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
  exit 2
fi
corpus=$1
build=${2:-build/asan}
runs=${3:-10000000}
shift $(($# < 3 ? $# : 3))
wanted=("$@")

find_targets "$build"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$corpus/findings"

# The number of branches that the log $1 says are reached, as a share of all that are instrumented.
coverage_of() {
  awk '/inline 8-bit counters/ { for (i = 1; i < NF; ++i) if ($i ~ /^\(/) { gsub(/[(]/, "", $i); all = $i } }
       / cov: [0-9]+/ { for (i = 1; i < NF; ++i) if ($i == "cov:") reached = $(i + 1) }
       END { if (all > 0) printf "%.1f %%", 100 * reached / all; else printf "?" }' "$1"
}

# Makes the finding $2 of target $1 small, and says how to reproduce it.
reduce() {
  local target=$1 finding=$2
  "$target" -minimize_crash=1 -max_total_time=60 "-exact_artifact_path=$finding.small" "$finding" >/dev/null 2>&1 || true
  if [[ -s $finding.small ]]; then mv "$finding.small" "$finding"; fi
  echo "reproduce: $target $finding"
}

run_target() {
  local target=$1 name arguments seeds begin=$SECONDS log kept found=0 finding
  name=$(name_of "$target")
  log=$work/$name.log
  kept=$corpus/$name
  mkdir -p "$kept" "$work/$name.merged"
  describe_target "$name" "$corpus/findings/$name-" "$work/$name.made"
  # The last -verbosity counts: this one prints the coverage.
  "$target" "${arguments[@]}" -verbosity=1 "-runs=$runs" "$kept" "${seeds[@]}" >"$log" 2>&1 || true
  "$target" -merge=1 -rss_limit_mb=2048 -timeout=10 "$work/$name.merged" "$kept" >>"$work/$name.merge" 2>&1 || true
  if [[ -n $(ls -A "$work/$name.merged") ]]; then
    rm -rf "$kept"
    mv "$work/$name.merged" "$kept"
  fi
  for finding in "$corpus/findings/$name-"*; do
    if [[ -f $finding && $finding -nt $work/begin ]]; then found=$((found + 1)); fi
  done
  printf '%-14s %12s %8d %8d %10s %9d\n' "$name" "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")" \
    $((SECONDS - begin)) "$(find "$kept" -type f | wc -l)" "$(coverage_of "$log")" "$found"
  for finding in "$corpus/findings/$name-"*; do
    if [[ -f $finding && $finding -nt $work/begin ]]; then reduce "$target" "$finding"; fi
  done
  ((found == 0))
}

# Compares with XLA which texts are accepted. Prints the differences that known_differences.txt does not explain.
run_oracle() {
  local python=${HLOROOF_JAX_PYTHON:-python3} begin=$SECONDS count=$((runs / 1000)) status=0 command
  command=("$python" tests/differential/mutations.py "$build/tests/bin/text_tool" . tests/corpus --count "$count"
    --seed "$(date +%Y%m%d)")
  "${command[@]}" >"$work/xla.log" 2>&1 || status=$?
  if ((status == 77)); then
    echo "xla            skipped: $(tail -n 1 "$work/xla.log")"
    return
  fi
  printf '%-14s %12s %8d %8s %10s %9d\n' xla "$count" $((SECONDS - begin)) - - "$(grep -c ' NEW: ' "$work/xla.log" || true)"
  if ((status != 0)); then
    cat "$work/xla.log"
    echo "reproduce: ${command[*]}"
    return 1
  fi
}

touch "$work/begin"
printf '%-14s %12s %8s %8s %10s %9s\n' target inputs seconds kept branches findings
running=0
failed=0
for target in "${targets[@]}"; do
  if ((${#wanted[@]} > 0)) && [[ " ${wanted[*]} " != *" $(name_of "$target") "* ]]; then continue; fi
  if ((running >= $(nproc))); then
    wait -n || failed=1
    running=$((running - 1))
  fi
  run_target "$target" &
  running=$((running + 1))
done
while ((running > 0)); do
  wait -n || failed=1
  running=$((running - 1))
done
if ((${#wanted[@]} == 0)) || [[ " ${wanted[*]} " == *" xla "* ]]; then run_oracle || failed=1; fi
exit "$failed"
