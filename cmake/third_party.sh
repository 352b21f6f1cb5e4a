#!/usr/bin/env bash
# Puts the sources that the Python package's source distribution carries into a folder:
#
#   bash cmake/third_party.sh FOLDER
#
# They are Debian's source packages (cmake/dependencies.csv) of the libraries that cmake/setup.sh installs, so a wheel contains the
# versions that the tests ran with, including Debian's security fixes. apt checks their signatures. Keeps what a build needs and the
# licenses.
set -euo pipefail
mapfile -t sources < <(cut -d, -f3 "$(dirname "${BASH_SOURCE[0]}")/dependencies.csv" | tail -n +2 | grep .)
mkdir -p "$1"
to=$(realpath "$1")

if ! command -v apt-get >/dev/null || ! command -v dpkg-source >/dev/null; then
  echo "third_party: needs Debian's apt-get and dpkg-source (package dpkg-dev)" >&2
  exit 1
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
# The machine's own Debian servers, asked for sources as well. Its own settings stay as they are.
apt-get indextargets --format 'deb-src $(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian' |
  awk '!seen[$0]++' >sources.list
if [[ ! -s sources.list ]]; then
  echo "third_party: apt has no package lists of Debian; run apt-get update first" >&2
  exit 1
fi
mkdir -p lists/partial cache
apt=(apt-get -q -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=- -o Dir::State::Lists="$work/lists"
  -o Dir::Cache="$work/cache" -o APT::Sandbox::User=root -o Acquire::Retries=2 -o Acquire::http::Timeout=30)
if ! "${apt[@]}" update -o APT::Update::Error-Mode=any >log 2>&1 || ! "${apt[@]}" source "${sources[@]}" >>log 2>&1 ||
  ! apt-get -q -o APT::Sandbox::User=root download unicode-data >>log 2>&1; then
  tail -n 10 log >&2
  echo "third_party: apt could not fetch the source packages" >&2
  exit 1
fi

# The tables of re2, which Debian makes from its Unicode data as well.
dpkg-deb -x unicode-data_*.deb unicode
sed -i "s|/usr/share/unicode|$work/unicode/usr/share/unicode|; s/^from six.moves import urllib/import urllib.request/" re2-*/re2/unicode.py
(cd re2-*/re2 && for table in casefold groups; do python3 make_unicode_$table.py >unicode_$table.cc; done &&
  perl make_perl_groups.pl >perl_groups.cc)

copy() {  # copy NAME SOURCE-FOLDER FILE...
  mkdir -p "$to/$1"
  (cd "$2" && tar -c "${@:3}") | tar -x -C "$to/$1"
}
# What the headers that hloroof includes need, without tests and benchmarks.
(cd abseil-*/ && find absl -regextype posix-extended \
  -regex 'absl/(algorithm|base|container|debugging|functional|hash|memory|meta|numeric|profiling|status|strings|synchronization|time|types|utility)/.*\.(h|cc|inc)' \
  ! -regex '.*(_test|_benchmark|_testing|test_[a-z_]*|_test_[a-z_]*|mock[a-z_]*)\.(h|cc|inc)' ! -path '*/benchmarks.cc' ! -path '*/print_hash_of.cc' ! -path '*/testdata/*' | sort >../abseil.files)
copy abseil abseil-*/ LICENSE -T ../abseil.files
copy re2 re2-*/ LICENSE $(cd re2-*/ && ls re2/*.cc re2/*.h util/*.cc util/*.h | grep -vE 'test|fuzz|benchmark|pcre\.')
copy nlohmann_json nlohmann-json3-*/ LICENSE.MIT single_include/nlohmann/json.hpp
copy cli11 cli11-*/ LICENSE include/CLI
copy eigen eigen3-*/ COPYING.BSD COPYING.MPL2 COPYING.README Eigen/{Cholesky,Core,Householder,Jacobi,QR} \
  Eigen/src/{Cholesky,Core,Householder,Jacobi,QR,misc,plugins}
copy zlib zlib-*/ LICENSE $(cd zlib-*/ && ls ./*.c ./*.h)
(for dsc in *.dsc; do echo "$(sed -n 's/^Source: //p' "$dsc") $(sed -n 's/^Version: //p' "$dsc")"; done) >"$to/VERSIONS"
