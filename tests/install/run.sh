#!/usr/bin/env bash
# Builds and runs examples/consumer in every way in which a project can use hloroof:
#
#   bash tests/install/run.sh [BUILD]      BUILD: a built tree, build/release by default
#
# the installed static library through find_package and through pkg-config, from a folder it was moved to after installing,
# with g++ and clang, C++17 and C++20, without exceptions; the build tree itself; hloroof as a subfolder, built shared, and
# fetched (configured only); and the shared library installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

build=$(realpath "${1:-build/release}")
consumer=$PWD/examples/consumer
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

quietly() {
  if ! "$@" >"$work/log" 2>&1; then
    cat "$work/log" >&2
    echo "install test: failed: $*" >&2
    exit 1
  fi
}

# with_find_package NAME [CMAKE ARGUMENT...]
with_find_package() {
  local name=$1
  shift
  quietly cmake -G Ninja -S "$consumer" -B "$work/$name" -DCMAKE_BUILD_TYPE=Release "$@"
  quietly cmake --build "$work/$name"
  quietly "$work/$name/consumer"
  echo "install test: $name: $(cat "$work/log")"
}

quietly cmake --install "$build" --prefix "$work/installed"
mv "$work/installed" "$work/moved"
with_find_package static_find_package -DCMAKE_PREFIX_PATH="$work/moved"

PKG_CONFIG_PATH=$work/moved/lib/pkgconfig:$work/moved/lib/$(c++ -print-multiarch)/pkgconfig
export PKG_CONFIG_PATH
# The output of pkg-config needs word splitting.
# shellcheck disable=SC2046
quietly c++ -std=c++17 "$consumer/main.cc" -o "$work/pkg_config_consumer" $(pkg-config --cflags --libs hloroof)
quietly "$work/pkg_config_consumer"
echo "install test: static_pkg_config: $(cat "$work/log")"

# The checks of hloroof/testing.h are a library of their own.
# shellcheck disable=SC2046
quietly c++ -std=c++17 tests/install/budget.cc -o "$work/budget" $(pkg-config --cflags --libs hloroof_testing)
quietly "$work/budget"
echo "install test: testing with pkg-config: the step is within its budget"

# Whoever predicts links no report page and no SARIF.
for word in 'id="diagnoses"' 'sarif-2.1.0'; do
  if find "$work/moved" -name libhloroof.a -exec grep -aqi -- "$word" {} +; then
    echo "install test: libhloroof.a has '$word' in it" >&2
    exit 1
  fi
done

# The C interface, from C alone.
# shellcheck disable=SC2046
quietly cc -std=c99 -Wall -Wextra -pedantic -Werror "$consumer/product.c" -o "$work/product" $(pkg-config --cflags --libs hloroof_c)
LD_LIBRARY_PATH=$(pkg-config --variable=libdir hloroof_c) quietly "$work/product"
echo "install test: C with pkg-config: $(head -1 "$work/log")"

# Users' compilers, standards and flags, against the same installed library.
for compiler in g++ clang++; do
  if ! command -v "$compiler" >/dev/null; then
    echo "install test: $compiler: skipped, it is not installed"
    continue
  fi
  for flags in -std=c++17 -std=c++20 "-std=c++17 -fno-exceptions -fno-rtti"; do
    # shellcheck disable=SC2046,SC2086
    quietly "$compiler" $flags -Wall -Wextra -Werror "$consumer/main.cc" -o "$work/flags_consumer" $(pkg-config --cflags --libs hloroof)
    quietly "$work/flags_consumer"
    echo "install test: $compiler $flags: $(cat "$work/log")"
  done
done

if [[ -x $work/moved/bin/hloroof ]]; then
  quietly "$work/moved/bin/hloroof" --version
  echo "install test: command: $(cat "$work/log")"
  for file in man/man1/hloroof.1 bash-completion/completions/hloroof zsh/site-functions/_hloroof \
    fish/vendor_completions.d/hloroof.fish hloroof/schema/prediction.schema.json; do
    if [[ ! -s $work/moved/share/$file ]]; then
      echo "install test: share/$file was not installed" >&2
      exit 1
    fi
  done
  quietly bash -n "$work/moved/share/bash-completion/completions/hloroof"
  echo "install test: manual page and completions"
fi

with_find_package build_tree -Dhloroof_DIR="$build"

quietly cmake -G Ninja -S tests/install/add_subdirectory -B "$work/subfolder" -DBUILD_SHARED_LIBS=ON -DHLOROOF_UNITY=ON -DCMAKE_BUILD_TYPE=Debug \
  -DCMAKE_CXX_FLAGS_DEBUG=-O0 -DHLOROOF_INSTALL=ON
quietly cmake --build "$work/subfolder"
quietly "$work/subfolder/consumer"
echo "install test: subfolder: $(cat "$work/log")"

# Only configures: that shows that fetching defines the same targets as add_subdirectory, and the build would be the same.
quietly cmake -G Ninja -S tests/install/fetch_content -B "$work/fetched" -DBUILD_SHARED_LIBS=ON -DHLOROOF_UNITY=ON -DCMAKE_BUILD_TYPE=Debug \
  -DCMAKE_CXX_FLAGS_DEBUG=-O0
quietly ninja -C "$work/fetched" -t query consumer
grep -q 'libhloroof' "$work/log"
echo "install test: fetch_content: configured, links $(grep -o 'libhloroof[^ ]*' "$work/log" | head -1)"

quietly cmake --install "$work/subfolder" --prefix "$work/shared"
with_find_package shared_find_package -DCMAKE_PREFIX_PATH="$work/shared"

library=$(find "$work/shared" -name 'libhloroof.so')
version=$(sed -n 's/^  VERSION \([0-9.]*\)$/\1/p' CMakeLists.txt)
soversion=${version%%.*}  # until 1.0 a minor version may break the interface
if [[ $soversion == 0 ]]; then soversion=${version%.*}; fi
if ! readelf -d "$library" | grep SONAME | grep -qF "[libhloroof.so.$soversion]"; then
  echo "install test: the SONAME of $library is not libhloroof.so.$soversion" >&2
  exit 1
fi
# The library must export only names of the public namespace.
foreign=$(nm -DC --defined-only "$library" | cut -d' ' -f3- | grep -vE '^(typeinfo for |typeinfo name for |vtable for )?hloroof::v0::' | head -5 || true)
if [[ -n $foreign ]]; then
  echo "install test: $library exports what is not its own: $foreign" >&2
  exit 1
fi
PKG_CONFIG_PATH=$work/shared/lib/pkgconfig:$work/shared/lib/$(c++ -print-multiarch)/pkgconfig
# shellcheck disable=SC2046
quietly c++ -std=c++17 "$consumer/main.cc" -o "$work/pkg_config_shared" $(pkg-config --cflags --libs hloroof)
LD_LIBRARY_PATH=$(dirname "$library") quietly "$work/pkg_config_shared"
echo "install test: shared_pkg_config: $(cat "$work/log")"
echo "install test: passed"
