#!/usr/bin/env bash
# Makes what one would publish of the last commit:
#
#   bash cmake/release.sh [FOLDER [PART...]]     FOLDER: build/release-VERSION by default
#
# PART, all of them by default:
#
#   source   hloroof-VERSION-source.tar.gz, the files of the commit
#   python   the source distribution and the wheels (cmake/wheels.sh, which says what it needs)
#   native   hloroof-VERSION-SYSTEM-MACHINE.tar.gz: the command, the C++ and C libraries, headers, manual page and completions, for
#            this system (debian12) and machine; and the same as a Debian package
#   browser  hloroof-VERSION-browser.tar.gz: the page with the library in it (cmake/browser.sh); left out, with a note, if
#            emscripten is not installed
#
# and an SBOM of them (hloroof-VERSION.spdx.json, by cmake/sbom.py) and SHA256SUMS.
#
# Builds a clone of the commit in a new folder: what is not committed is not in it. The same commit gives the same bytes in any
# folder: cmake/packaging/README.md says for how long. `bash cmake/release.sh --compare A B` compares two results.
#
# HLOROOF_RELEASE_SETTINGS="NAME=VALUE ..." are further settings of CMake, such as CMAKE_CXX_FLAGS_RELEASE=-O0 to try the steps in a
# third of the time.
set -euo pipefail

if [[ ${1:-} == --compare ]]; then
  diff -r "$2" "$3"
  echo "release: equal bytes: $(wc -l <"$2/SHA256SUMS") artifacts in $2 and $3"
  exit
fi

cd "$(dirname "${BASH_SOURCE[0]}")/.."
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH LC_ALL=C.UTF-8 TZ=UTC
umask 022
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git clone -q --no-checkout . "$work/source"
git -C "$work/source" checkout -q --detach "$(git rev-parse HEAD)"
version=$(sed -n 's/^  VERSION \([0-9.]*\)$/\1/p' "$work/source/CMakeLists.txt")
name=hloroof-$version
out=$(realpath -m "${1:-build/release-$version}")
parts=("${@:2}")
((${#parts[@]})) || parts=(source python native browser)
if [[ -n $(git status --porcelain) ]]; then echo "release: what is not committed is left out" >&2; fi
rm -rf "$out"
mkdir -p "$out"
cd "$work/source"

# Debug information, assertions and __FILE__ name the sources as if they lay in the folder `hloroof`.
readonly mapped="-ffile-prefix-map=$work/source=hloroof -ffile-prefix-map=$work/build=hloroof/build"

quietly() {
  if ! "$@" >"$work/log" 2>&1; then
    tail -n 40 "$work/log" >&2
    echo "release: failed: $*" >&2
    exit 1
  fi
}

# pack FOLDER ARCHIVE: the folder, without traces of who packed it when
pack() {
  tar -c --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --format=gnu \
    -C "$(dirname "$1")" "$(basename "$1")" | gzip -9n >"$2"
}

# The sources of the libraries, once for the parts that link them in.
third_party() {
  [[ -d $work/third_party ]] || bash cmake/third_party.sh "$work/third_party"
}

make_source() {
  git -c tar.umask=0022 archive --format=tar --prefix="$name/" HEAD | gzip -9n >"$out/$name-source.tar.gz"
}

make_python() {
  third_party
  HLOROOF_THIRD_PARTY=$work/third_party bash cmake/wheels.sh "$work/wheels"
  cp "$work"/wheels/hloroof-* "$out"
}

make_native() {
  local system build=$work/build setting settings=()
  for setting in ${HLOROOF_RELEASE_SETTINGS:-}; do settings+=("-D$setting"); done
  system=$(. /etc/os-release && echo "$ID${VERSION_ID:-}")
  quietly cmake -G Ninja -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DHLOROOF_UNITY=ON -DHLOROOF_BUILD_TESTS=OFF \
    -DHLOROOF_BUILD_EXAMPLES=OFF -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DCMAKE_CXX_FLAGS="$mapped" -DCMAKE_C_FLAGS="$mapped" \
    "${settings[@]}"
  quietly cmake --build "$build" --target hloroof_installed
  local folder=$work/$name-$system-$(uname -m)
  quietly cmake --install "$build" --prefix "$folder" --strip
  mkdir -p "$folder/share/doc/hloroof"
  cp LICENSE README.md CHANGES.md "$folder/share/doc/hloroof"
  pack "$folder" "$out/$(basename "$folder").tar.gz"
  if command -v dpkg-deb >/dev/null && command -v dpkg-shlibdeps >/dev/null; then
    quietly cpack --config "$build/CPackConfig.cmake" -B "$work/package"
    cp "$work"/package/*.deb "$out"
  else
    echo "release: no dpkg-dev here: no Debian package" >&2
  fi
}

make_browser() {
  if ! command -v emcmake >/dev/null; then
    echo "release: no emscripten here: no browser page (bash cmake/browser.sh installs it)" >&2
    return
  fi
  third_party
  cp -r "$work/third_party" third_party
  CXXFLAGS="-ffile-prefix-map=$work/source=hloroof" CFLAGS="-ffile-prefix-map=$work/source=hloroof" quietly bash cmake/browser.sh
  mv build/browser/site "$work/$name-browser"
  pack "$work/$name-browser" "$out/$name-browser.tar.gz"
}

for part in "${parts[@]}"; do
  started=$SECONDS
  "make_$part"
  echo "release: $part after $((SECONDS - started)) s"
done
versions=$work/third_party/VERSIONS
[[ -f $versions ]] || versions=/dev/null
python3 cmake/sbom.py "$version" "$(git rev-parse HEAD)" "$versions" "$out" >"$work/sbom"
mv "$work/sbom" "$out/$name.spdx.json"
(cd "$out" && sha256sum -- *) >"$work/sums"
mv "$work/sums" "$out/SHA256SUMS"
cat "$out/SHA256SUMS"
