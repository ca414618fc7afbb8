#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# record-serve.sh CTPROF [BUILT]: the newest window by HTTP. Each text that is served is that of show for the same window of the
# recording; curl, promtool and prometheus_client read it; clients that are slow, many, wrong or stopped cost the recording no
# window; and the process that serves has no rights. Without the library (BUILT is not true) it is refused.
# shellcheck disable=SC2154 # lib.sh counts the checks.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
CTPROF=$(realpath "$1") WORKLOAD=
export CTPROF WORKLOAD
# shellcheck source=/dev/null
source "$here/lib.sh"
needs python3 curl zstd
scratch=$(mktemp -d)
recorder=
trap '[ -z "$recorder" ] || kill -KILL "$recorder" 2>/dev/null || true; rm -rf "$scratch"' EXIT
cd "$scratch"

if [ "${2:-true}" != true ]; then
    if "$CTPROF" record --serve 0 none 2>errors; then fail "it serves without the library"; fi
    same "the reason" 1 "$(grep -c libmicrohttpd errors)"
    echo "$checks checks"
    exit 0
fi

for address in 0.0.0.0:0 '[::]:0' 192.0.2.1:0; do
    status=0
    "$CTPROF" record --serve "$address" none 2>errors || status=$?
    same "status of $address" 2 "$status"
    same "the reason" 1 "$(grep -c -e '--serve-network' errors)"
done
[ ! -e none ] || fail "a directory was made for a wrong call"

# start OPTION...: a recorder, whose address is in $url.
start() {
    : >errors
    "$CTPROF" record --every 1s --top 20 "$@" 2>errors &
    recorder=$!
    for _ in $(seq 600); do
        url=$(sed -n 's/.* is at //p' errors)
        [ -z "$url" ] || break
        kill -0 "$recorder" 2>/dev/null || fail "the recorder has ended: $(cat errors)"
        sleep 0.1
    done
    [ -n "$url" ] || { echo "skipped: the recorder took a minute to begin"; exit 77; }
}

start --serve 127.0.0.1:0 recording
status=0
"$CTPROF" record --serve "${url:7:-8}" other 2>refused || status=$?
same "status with a port in use" 1 "$status"
same "the reason of a port in use" 1 "$(grep -c 'in use' refused)"
same "directories that a port in use leaves" 0 "$(find . -maxdepth 1 -name other | wc -l)"
python3 "$here/record-serve.py" "$CTPROF" "$recorder" "$url" recording errors || fail "see above"
recorder=

# Other hosts are answered only if that is asked for; then whatever name they call this one.
start --serve 0.0.0.0:0 --serve-network wide
port=${url##*:}
for _ in $(seq 600); do
    code=$(curl -so wide.text -w '%{http_code}' -H 'Host: example.com' "http://127.0.0.1:${port%%/*}/metrics")
    [ "$code" = 503 ] || break
    sleep 0.1
done
same "code for a host of another name" 200 "$code"
kill -TERM "$recorder"
wait "$recorder" || fail "the recorder did not end well"
recorder=

# A recorder that is killed takes the process along.
start --serve 0 killed
server=$(pgrep -P "$recorder" -x ctprof-serve)
kill -KILL "$recorder"
wait "$recorder" 2>/dev/null || true
recorder=
for _ in $(seq 600); do
    kill -0 "$server" 2>/dev/null || break
    sleep 0.1
done
! kill -0 "$server" 2>/dev/null || fail "the process outlives its recorder"
echo "$checks checks"
