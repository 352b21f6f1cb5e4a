#!/usr/bin/env bash
# Runs clang-tidy on the sources that changed last, for as long as it may take:
#
#   bash cmake/tidy.sh [BUILD] [SECONDS]     BUILD: a configured tree, build/release by default
#
# Without git history (an unpacked archive) it goes over all sources in order of name.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build=${1:-build/release}
seconds=${2:-300}

# Every tracked source that the build compiles, the most recently committed first.
mapfile -t sources < <(
  { git log --format= --name-only -- '*.cc' 2>/dev/null || true; find lib tests bench examples -name '*.cc' | sort; } |
    awk '!seen[$0]++' | while read -r file; do
      if [[ -f $file ]] && grep -qF "/$file\"" "$build/compile_commands.json"; then echo "$file"; fi
    done
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
echo "clang-tidy: $good of ${#sources[@]} sources clean, $bad with findings, $((${#sources[@]} - good - bad)) left for want of time"
if ((bad > 0)); then
  cat "$results"/*.bad >&2
  exit 1
fi
