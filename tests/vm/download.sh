#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# download.sh SUITE CACHE: makes CACHE/SUITE/ with the newest cloud kernel of that Debian suite: vmlinuz, modules/ and
# config. Existing files are kept; remove the folder to have a newer kernel. apt fetches by package
# name and checks the signatures against Debian's own keyring; its lists are in the cache, so that neither root is
# needed nor the suites of this system are mixed. Exit status 77, with the reason as the last line, if it cannot be had.
set -euo pipefail

suite=$1
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
package=linux-image-cloud-amd64

skip() {
    echo "skipped: the kernel of Debian's $suite cannot be had: $*"
    exit 77
}

mkdir -p "$2" 2>/dev/null || skip "no folder $2"
cache=$(cd "$2" && pwd)
[ -w "$cache" ] || skip "$cache cannot be written to"
exec 9>"$cache/$suite.lock"
flock 9
if [ -e "$cache/$suite/vmlinuz" ]; then
    exit 0
fi
for program in apt-get apt-cache dpkg-deb; do
    command -v "$program" >/dev/null || skip "no $program"
done
[ -r "$keyring" ] || skip "no debian-archive-keyring"

# The mirror of this system's own Debian suite; apt fills the format.
# shellcheck disable=SC2016
mirror=$(apt-get indextargets --format '$(REPO_URI) $(ORIGIN) $(COMPONENT)' 'Identifier: Packages' 2>/dev/null |
    awk '$2 == "Debian" && $3 == "main" && $1 ~ /\/debian\/$/ { print $1; exit }') || mirror=
mirror=${CTPROF_VM_MIRROR:-$mirror}
[ -n "$mirror" ] || skip "apt knows no Debian mirror here; CTPROF_VM_MIRROR may name one"

apt=$cache/apt-$suite
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
echo "deb [arch=amd64 signed-by=$keyring] $mirror $suite main" >"$apt/sources.list"
: >"$apt/status"
options=(-q -o Dir::Etc::sourcelist="$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null
    -o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null
    -o Dir::State="$apt" -o Dir::State::lists="$apt/lists" -o Dir::State::status="$apt/status"
    -o Dir::Cache="$apt/cache" -o APT::Architecture=amd64 -o APT::Architectures=amd64
    -o APT::Get::List-Cleanup=false -o Acquire::Languages=none -o Acquire::Retries=2
    -o Acquire::http::Timeout=30 -o APT::Sandbox::User=root -o Acquire::AllowInsecureRepositories=false
    -o APT::Get::AllowUnauthenticated=false)

timeout 300 apt-get "${options[@]}" update -o APT::Update::Error-Mode=any >"$apt/log" 2>&1 ||
    skip "apt-get update of $mirror failed: $(tail -n 1 "$apt/log")"
# The package of that name is empty and depends on the kernel that is current.
image=$(apt-cache "${options[@]}" show --no-all-versions "$package" 2>>"$apt/log" |
    sed -n 's/^Depends:.*\(linux-image-[0-9][^ ,]*\).*/\1/p')
[ -n "$image" ] || skip "$mirror has no $package"

work=$(mktemp -d "$cache/new-$suite.XXXXXX")
trap 'rm -rf "$work"' EXIT
(cd "$work" && timeout 300 apt-get "${options[@]}" download "$image" >>"$apt/log" 2>&1) ||
    skip "apt-get download $image failed: $(tail -n 1 "$apt/log")"
dpkg-deb -x "$work/$image"_*.deb "$work/root" || skip "$image cannot be unpacked"

mkdir "$work/$suite"
cp "$work"/root/boot/vmlinuz-* "$work/$suite/vmlinuz"
cp "$work"/root/boot/config-* "$work/$suite/config"
modules=$(find "$work/root" -path '*/lib/modules/*/modules.builtin' -printf '%h\n')
mv "$modules" "$work/$suite/modules"
echo "$image" >"$work/$suite/package"
mv -T "$work/$suite" "$cache/$suite"
# The lists are large, and were needed once.
rm -rf "$apt"
echo "$image is in $cache/$suite"
