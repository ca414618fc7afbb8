#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# make-initramfs.sh INIT KERNEL FILE NAME=PROGRAM...: an initramfs of busybox, the first process INIT, and programs with the
# libraries that they need, and of the modules of the disks and the configuration out of KERNEL, a folder that download.sh made.
set -euo pipefail

init=$1 kernel=$2 file=$3
shift 3
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
package=$(cat "$kernel/package")
cp "$kernel/config" "$root/boot/config-${package#linux-image-}"
cp "$init" "$root/init"
chmod 755 "$root/init"
for program in "$@"; do
    cp "${program#*=}" "$root/bin/${program%%=*}"
    chmod 755 "$root/bin/${program%%=*}"
    # "name => path (address)", and the loader's "path (address)". Static programs have none.
    { ldd "${program#*=}" 2>/dev/null || true; } |
        sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p; s/^[[:space:]]*\(\/[^ ]*\) (.*/\1/p' | while read -r library; do
        mkdir -p "$root${library%/*}"
        cp -L "$library" "$root$library"
    done
done

for module in virtio virtio_ring virtio_pci_modern_dev virtio_pci_legacy_dev virtio_pci virtio_blk; do
    # A module that is built in has no file.
    found=$(find "$kernel/modules" -name "$module.ko" -o -name "$module.ko.xz")
    case $found in
    *.xz) "$busybox" unxz -c "$found" >"$root/modules/$module.ko" ;;
    *.ko) cp "$found" "$root/modules/$module.ko" ;;
    esac
done

(cd "$root" && find . | cpio -o -H newc -R 0:0 --quiet) | gzip -1 >"$file"
