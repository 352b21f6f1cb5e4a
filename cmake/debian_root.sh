# shellcheck shell=bash
# Sourced by clean_root.sh and wheel_roots.sh.

# make_root FOLDER SUITE PACKAGE...
#
# Puts a minimal Debian with these packages into the folder, made by debootstrap from the server that apt uses here. SUITE: its
# name; empty for that of this machine. The root has the network as it is here.
make_root() {
  local root=$1 suite=$2 mirror
  shift 2
  mirror=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME)' 'Created-By: Packages' 'Origin: Debian' | head -n 1)
  if ! debootstrap --variant=minbase --include="$(IFS=,; echo "ca-certificates,$*")" \
    "${suite:-${mirror#* }}" "$root" "${mirror% *}" >"$root.log" 2>&1; then
    tail -n 20 "$root.log" >&2
    return 1
  fi
  rm -f "$root.log"
  cp /etc/resolv.conf /etc/hosts "$root/etc/"
  cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
  if [[ -e /etc/pip.conf ]]; then cp /etc/pip.conf "$root/etc/"; fi
  mkdir -p "$root/install"
}

# run_in_root FOLDER: runs the script on standard input in the root
run_in_root() {
  cat >"$1/install/run"
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/install LANG=C.UTF-8 chroot "$1" bash /install/run
}
