# shellcheck shell=bash
# Sourced by demo.sh, check.sh and .ci/run, in the top folder.

# hloroof_build PRESET [TARGET...]
#
# Configures and builds one preset. Writes the output to build/PRESET.log and shows its end only on failure.
hloroof_build() {
  local preset=$1 log=build/$1.log
  shift
  mkdir -p build
  : >"$log"
  if [[ ! -f build/$preset/build.ninja ]]; then
    echo "build: compiling into build/$preset, a few minutes the first time"
  fi
  local started=$SECONDS
  if ! cmake --preset "$preset" >>"$log" 2>&1; then
    tail -n 40 "$log" >&2
    echo "build: configuring failed; all of it is in $log" >&2
    return 1
  fi
  if ! cmake --build "build/$preset" ${1:+--target "$@"} >>"$log" 2>&1; then
    grep -A 15 -m 4 -E '^FAILED:| error: |fatal error' "$log" >&2 || tail -n 40 "$log" >&2
    echo "build: failed; all of it is in $log" >&2
    return 1
  fi
  if ((SECONDS - started > 5)); then
    echo "build: build/$preset is ready after $((SECONDS - started)) s"
  fi
}
