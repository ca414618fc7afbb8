#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Starts servers of ClickHouse on loopback, runs a command, and ends them. They have free ports, and their configuration, data and
# logs lie in DIRECTORY: no service of the system and no file outside is used.
#
#   shards.sh DIRECTORY COUNT COMMAND...
#
# The command finds in its environment: CTPROF_SHARDS, the addresses (HOST:PORT,HOST:PORT) of HTTP, in the order of the directories
# DIRECTORY/1, DIRECTORY/2, ...; each has server.pid, the process of the server; start, a program that becomes the server again; and
# wait, which returns when it answers. The servers form the cluster "ctprof". The user "default" has no password; the user "fleet" has the
# password "se cret&1". Exits with the status of the command, or with 77 and the reason if there is no ClickHouse.
set -euo pipefail
[ $# -ge 3 ] || { echo "Usage: shards.sh DIRECTORY COUNT COMMAND..." >&2; exit 2; }
command -v clickhouse-server >/dev/null || PATH=$PATH:/usr/sbin
command -v clickhouse-server >/dev/null || { echo "skipped: no clickhouse-server"; exit 77; }
for program in python3 setpriv; do
    command -v "$program" >/dev/null || { echo "skipped: no $program"; exit 77; }
done
mkdir -p "$1"
directory=$(realpath "$1") count=$2
shift 2

# Two ports for each server.
mapfile -t ports < <(python3 - $((2 * count)) <<'END'
import socket, sys
sockets = [socket.socket() for _ in range(int(sys.argv[1]))]
for each in sockets:
    each.bind(("127.0.0.1", 0))
    print(each.getsockname()[1])
END
)

write_config() {
    local place=$1 http=$2 tcp=$3 i

    cat >"$place/config.xml" <<END
<yandex>
  <logger><level>warning</level><log>$place/server.log</log><errorlog>$place/server.err.log</errorlog></logger>
  <listen_host>127.0.0.1</listen_host>
  <http_port>$http</http_port>
  <tcp_port>$tcp</tcp_port>
  <path>$place/data/</path>
  <tmp_path>$place/tmp/</tmp_path>
  <format_schema_path>$place/schemas/</format_schema_path>
  <users_config>$place/users.xml</users_config>
  <default_profile>default</default_profile>
  <default_database>default</default_database>
  <mark_cache_size>268435456</mark_cache_size>
  <timezone>UTC</timezone>
  <remote_servers><ctprof>
$(for ((i = 0; i < count; i++)); do
        echo "    <shard><replica><host>127.0.0.1</host><port>${ports[2 * i + 1]}</port></replica></shard>"
    done)
  </ctprof></remote_servers>
</yandex>
END
    cat >"$place/users.xml" <<END
<yandex>
  <profiles><default><max_threads>2</max_threads></default></profiles>
  <quotas><default></default></quotas>
  <users>
    <default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default>
    <fleet><password>se cret&amp;1</password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></fleet>
  </users>
</yandex>
END
}

# The server dies with whoever starts it, however that ends.
write_start() {
    local place=$1 http=$2

    cat >"$place/start" <<END
#!/bin/bash
set -eu
cd '$place'
echo \$\$ >server.pid.new
mv server.pid.new server.pid
exec setpriv --pdeathsig KILL '$(command -v clickhouse-server)' --config-file='$place/config.xml' </dev/null >>output 2>&1
END
    cat >"$place/wait" <<END
#!/bin/bash
# Returns when the server answers, and fails when it is not there.
pid=\$(cat '$place/server.pid')
while ! { exec 3<>/dev/tcp/127.0.0.1/$http && printf 'GET /ping HTTP/1.0\\r\\n\\r\\n' >&3 && grep -q Ok <&3; } 2>/dev/null; do
    kill -0 "\$pid" 2>/dev/null || {
        echo "process '\$pid' has ended" >&2
        tail -n 5 '$place/output' '$place/server.err.log' >&2
        exit 1
    }
    sleep 0.1
done
END
    chmod +x "$place/start" "$place/wait"
}

# shellcheck disable=SC2317 # The trap calls it.
end_servers() {
    local i pid

    for ((i = 1; i <= count; i++)); do
        pid=$(cat "$directory/$i/server.pid" 2>/dev/null) || continue
        [ "$(readlink "/proc/$pid/cwd")" != "$directory/$i" ] || kill -KILL "$pid" 2>/dev/null || true
    done
}
trap end_servers EXIT
trap 'exit 1' HUP INT TERM

addresses=
for ((i = 1; i <= count; i++)); do
    mkdir -p "$directory/$i"
    write_config "$directory/$i" "${ports[2 * i - 2]}" "${ports[2 * i - 1]}"
    write_start "$directory/$i" "${ports[2 * i - 2]}"
    addresses=$addresses${addresses:+,}127.0.0.1:${ports[2 * i - 2]}
    rm -f "$directory/$i/server.pid"
    "$directory/$i/start" &
    disown
done
for ((i = 1; i <= count; i++)); do
    for ((tries = 0; tries < 100; tries++)); do
        [ ! -e "$directory/$i/server.pid" ] || break
        sleep 0.05
    done
    "$directory/$i/wait"
done
status=0
CTPROF_SHARDS=$addresses "$@" || status=$?
exit "$status"
