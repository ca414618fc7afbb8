#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# self-test.sh BUILD_DIRECTORY: a ctprof that removes its target before it writes it is found out by the campaign of kills, with a verdict.
set -euo pipefail

build=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
command -v zstd >/dev/null || { echo "skipped: no zstd"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/src"
ln -s "$build/tests" "$scratch/tests"
cat >"$scratch/src/ctprof" <<END
#!/bin/bash
for word in "\$@"; do
    case \$word in */target.zst) rm -f "\$word" && sleep 0.5 ;; esac
done
exec "$build/src/ctprof" "\$@"
END
chmod +x "$scratch/src/ctprof"
"$here/run" --only kills --samples 6 --subject window "$scratch" >"$scratch/out" 2>&1 && status=0 || status=$?
if grep -q Traceback "$scratch/out" || [ "$status" -ne 1 ] || ! grep -q "neither the old one nor whole" "$scratch/out"; then
    cat "$scratch/out"
    echo "self-test.sh: status $status, and no verdict"
    exit 1
fi
