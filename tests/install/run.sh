#!/usr/bin/env bash
# Builds and runs examples/consumer in every way a project can come by hloroof:
#
#   bash tests/install/run.sh [BUILD]      BUILD: a built tree, build/release by default
#
# the installed static library through find_package and through pkg-config, from a folder it was moved to after installing;
# the build tree itself; hloroof as a subfolder, built shared; and the shared library installed.
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
# Word splitting is what pkg-config's output is for.
# shellcheck disable=SC2046
quietly c++ -std=c++17 "$consumer/main.cc" -o "$work/pkg_config_consumer" $(pkg-config --cflags --libs hloroof)
quietly "$work/pkg_config_consumer"
echo "install test: static_pkg_config: $(cat "$work/log")"

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

quietly cmake -G Ninja -S tests/install/add_subdirectory -B "$work/subfolder" -DBUILD_SHARED_LIBS=ON -DCMAKE_BUILD_TYPE=Debug \
  -DCMAKE_CXX_FLAGS_DEBUG=-O0 -DHLOROOF_INSTALL=ON
quietly cmake --build "$work/subfolder"
quietly "$work/subfolder/consumer"
echo "install test: subfolder: $(cat "$work/log")"

quietly cmake --install "$work/subfolder" --prefix "$work/shared"
with_find_package shared_find_package -DCMAKE_PREFIX_PATH="$work/shared"

library=$(find "$work/shared" -name 'libhloroof.so')
if ! readelf -d "$library" | grep -q 'SONAME.*libhloroof\.so\.[0-9]'; then
  echo "install test: $library has no versioned SONAME" >&2
  exit 1
fi
echo "install test: passed"
