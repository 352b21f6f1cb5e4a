#!/usr/bin/env bash
# Runs clang-tidy on the changed sources, for at most SECONDS:
#
#   bash cmake/tidy.sh [SECONDS] [BASE] [BUILD]     900 seconds, HEAD~1 and build/tidy by default
#
# A source is changed if it differs from the commit BASE. BASE `all` means all sources. BUILD is a folder with the commands that
# compile them, made if it is absent. Fails if a source has findings, and if sources were left for want of time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

seconds=${1:-900}
base=${2:-HEAD~1}
build=${3:-build/tidy}

if [[ $base != all ]] && ! git rev-parse --verify --quiet "$base" >/dev/null; then
  echo "clang-tidy: no commit $base to compare with here; give another BASE, or 'all'" >&2
  exit 2
fi

# clang-tidy reads one source at a time, with the headers that it includes: no batches of sources, and no headers that another
# compiler precompiled.
if [[ ! -f $build/compile_commands.json ]]; then
  cmake --preset release -B "$build" -DHLOROOF_UNITY=OFF -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON >/dev/null
fi

# Keep only sources that the build compiles.
mapfile -t sources < <(
  if [[ $base == all ]]; then
    find lib tests bench examples -name '*.cc' | sort
  else
    git diff --name-only --diff-filter=d "$base" -- '*.cc'
  fi | awk '
    NR == FNR {  # the commands: keep what the path of each source ends with
      if (!match($0, /"file": "[^"]*"/)) next
      path = substr($0, RSTART + 9, RLENGTH - 10)
      while (at = index(path, "/")) {
        path = substr(path, at + 1)
        is_compiled[path]
      }
      next
    }
    $0 in is_compiled' "$build/compile_commands.json" -
)
if ((${#sources[@]} == 0)); then
  echo "clang-tidy: nothing to check"
  exit 0
fi

deadline=$((SECONDS + seconds))
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
check_one() {
  local out=$results/${1//\//_}
  if clang-tidy --quiet -p "$build" "$1" >"$out.log" 2>/dev/null; then mv "$out.log" "$out.ok"; else mv "$out.log" "$out.bad"; fi
}

for file in "${sources[@]}"; do
  if ((SECONDS >= deadline)); then break; fi
  while (($(jobs -rp | wc -l) >= $(nproc))); do wait -n || true; done
  check_one "$file" &
done
wait

good=$(find "$results" -name '*.ok' | wc -l)
bad=$(find "$results" -name '*.bad' | wc -l)
left=$((${#sources[@]} - good - bad))
echo "clang-tidy: $good of ${#sources[@]} sources clean, $bad with findings, $left left for want of time"
if ((bad > 0)); then
  cat "$results"/*.bad >&2
fi
((good == ${#sources[@]}))
