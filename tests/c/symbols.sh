#!/usr/bin/env bash
# The library of the C interface exports the functions in symbols.txt and nothing else: symbols.sh LIBRARY. A line that
# is removed there breaks programs, and HLOROOF_C_VERSION must change with it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
exported=$(nm -D --defined-only "$1" | awk '$2 != "A" {print $3}' | sed 's/@.*//' | LC_ALL=C sort)
diff <(echo "$exported") symbols.txt
soname=$(readelf -d "$1" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
version=$(sed -n 's/^#define HLOROOF_C_VERSION //p' ../../include/hloroof/c.h)
if [[ $soname != "libhloroof_c.so.$version" ]]; then
  echo "the SONAME is $soname, but HLOROOF_C_VERSION is $version" >&2
  exit 1
fi
# Each function has a test in C.
while read -r name; do
  grep -qw "$name" c_test.c || { echo "c_test.c does not call $name" >&2; exit 1; }
done <symbols.txt
