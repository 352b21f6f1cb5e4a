#!/usr/bin/env bash
# Runs the text target of a build for SECONDS, and in parallel every other target for a share of that time:
#
#   bash tests/fuzz/run.sh [BUILD] [SECONDS]     build/asan and 60 by default
#
# A target fuzz_NAME uses the seeds in tests/fuzz/seeds/NAME and the words in tests/fuzz/NAME.dict, if they exist. fuzz_text also
# uses the dumps in tests/corpus and the cases in tests/text/cases, and fuzz_file the dumps and the protos. Crashing inputs are stored in BUILD/fuzz/crashes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

build=${1:-build/asan}
seconds=${2:-60}

mapfile -t targets < <(find "$build/fuzz" -maxdepth 1 -type f -perm -u+x -name 'fuzz_*' | sort)
if ((${#targets[@]} == 0)); then
  echo "fuzz: $build has no targets" >&2
  exit 1
fi

grown=$(mktemp -d)
trap 'rm -rf "$grown"' EXIT

# Writes each text of tests/text/cases to a file in folder $1.
split_cases() {
  awk -v folder="$1" '
    /^### / {
      if (body) print "}" > file
      close(file)
      file = folder "/case-" ++count
      body = $0 ~ /\| *body/
      if (body) printf "HloModule m\n\nENTRY e {\n" > file
      next
    }
    file { print > file }
    END { if (body) print "}" > file }' tests/text/cases/*.txt
}
mkdir -p "$build/fuzz/crashes"

# run_target TARGET SECONDS
run_target() {
  local target=$1 seconds=$2 name arguments folders
  name=$(basename "$target")
  name=${name#fuzz_}
  arguments=("-max_total_time=$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 -verbosity=0
    -print_final_stats=1 "-artifact_prefix=$build/fuzz/crashes/$name-")
  if [[ -f tests/fuzz/$name.dict ]]; then arguments+=("-dict=tests/fuzz/$name.dict"); fi
  mkdir -p "$grown/$name"
  folders=("$grown/$name")
  if [[ -d tests/fuzz/seeds/$name ]]; then folders+=("tests/fuzz/seeds/$name"); fi
  if [[ $name == file ]]; then folders+=(tests/corpus tests/proto/samples); fi
  if [[ $name == text ]]; then
    split_cases "$grown/text"
    folders+=(tests/corpus)
  fi
  if ! "$target" "${arguments[@]}" "${folders[@]}" >"$grown/$name.log" 2>&1; then
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
