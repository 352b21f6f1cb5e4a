#!/usr/bin/env bash
# Runs clang-tidy on the changed sources, for at most SECONDS:
#
#   bash cmake/tidy.sh [BUILD] [SECONDS] [BASE]     BUILD: a configured tree, build/release by default
#
# A source is changed if it differs from the commit BASE, which is the previous one by default. BASE `all` means all sources.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build=${1:-build/release}
seconds=${2:-300}
base=${3:-HEAD~1}

if [[ $base != all ]] && ! git rev-parse --verify --quiet "$base" >/dev/null; then
  echo "clang-tidy: no commit $base to compare with here; nothing was checked"
  exit 0
fi

# Keep only sources that the build compiles.
mapfile -t sources < <(
  if [[ $base == all ]]; then
    find lib tests bench examples -name '*.cc' | sort
  else
    git diff --name-only --diff-filter=d "$base" -- '*.cc'
  fi | while read -r file; do
    if grep -qF "/$file\"" "$build/compile_commands.json"; then echo "$file"; fi
  done
)
if ((${#sources[@]} == 0)); then
  echo "clang-tidy: nothing to check"
  exit 0
fi

deadline=$((SECONDS + seconds))
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
# clang-tidy cannot read the precompiled headers of another compiler. The sources include all they use, so leave them out.
sed -E 's/ -Winvalid-pch| -include [^ ]*cmake_pch\.hxx//g' "$build/compile_commands.json" >"$results/compile_commands.json"

check_one() {
  local out=$results/${1//\//_}
  if clang-tidy --quiet -p "$results" "$1" >"$out.log" 2>/dev/null; then mv "$out.log" "$out.ok"; else mv "$out.log" "$out.bad"; fi
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
