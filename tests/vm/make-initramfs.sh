#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# make-initramfs.sh CTPROF WORK PARITY KERNEL FILE: an initramfs of busybox, ctprof and the test of parity with the
# libraries that they need, the work, and the modules of the disks and the configuration out of KERNEL, a folder that download.sh made.
set -euo pipefail

ctprof=$1 work=$2 parity=$3 kernel=$4 file=$5
here=$(cd "$(dirname "$0")" && pwd)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

mkdir -p "$root/bin" "$root/boot" "$root/modules"
# For the user without rights as well.
chmod 755 "$root"
busybox=$(command -v busybox)
cp "$busybox" "$root/bin/busybox"
for applet in $("$busybox" --list); do
    [ "$applet" = busybox ] || ln -s busybox "$root/bin/$applet"
done
cp "$ctprof" "$root/bin/ctprof"
jemalloc=$ctprof-jemalloc
[ -x "$jemalloc" ] || jemalloc=
[ -z "$jemalloc" ] || cp "$jemalloc" "$root/bin/ctprof-jemalloc"
cp "$work" "$root/bin/work"
cp "$parity" "$root/bin/parity"
package=$(cat "$kernel/package")
cp "$kernel/config" "$root/boot/config-${package#linux-image-}"
cp "$here/init" "$root/init"
chmod 755 "$root/init" "$root/bin/ctprof" "$root/bin/work" "$root/bin/parity"
# "name => path (address)", and the loader's "path (address)".
for program in "$ctprof" "$work" "$parity" ${jemalloc:+"$jemalloc"}; do
    ldd "$program" 2>/dev/null || true # the work is static where that can be built
done | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p; s/^[[:space:]]*\(\/[^ ]*\) (.*/\1/p' | while read -r library; do
    mkdir -p "$root${library%/*}"
    cp -L "$library" "$root$library"
done

for module in virtio virtio_ring virtio_pci_modern_dev virtio_pci_legacy_dev virtio_pci virtio_blk; do
    # What is built in has no file.
    found=$(find "$kernel/modules" -name "$module.ko" -o -name "$module.ko.xz")
    case $found in
    *.xz) "$busybox" unxz -c "$found" >"$root/modules/$module.ko" ;;
    *.ko) cp "$found" "$root/modules/$module.ko" ;;
    esac
done

(cd "$root" && find . | cpio -o -H newc -R 0:0 --quiet) | gzip -1 >"$file"
