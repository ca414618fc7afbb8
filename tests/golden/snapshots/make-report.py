#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""make-report.py DIR: makes report-baseline.json and report-candidate.json, two snapshots of one small host that has
something of everything that reports group by, a line for each thread. No value is random, so it always makes the same.
"""
import json
import sys

CONTAINER = "0123456789abcdef" * 4
OTHER = "fedcba9876543210" * 4
DOCKER = "00112233445566778899aabbccddeeff" * 2
POD = "12345678-1234-1234-1234-123456789abc"
PODS = "/kubepods.slice/kubepods-burstable.slice"
POD_CGROUP = f"{PODS}/kubepods-burstable-pod{POD.replace('-', '_')}.slice/cri-containerd-{CONTAINER}.scope"
OTHER_POD = f"/kubepods/besteffort/podabcdef01-2345-6789-abcd-ef0123456789/{OTHER}"
KINDS = ["accept", "cache", "compact", "flush", "gc", "io", "log", "main", "metrics", "rpc", "timer", "watch"]
# More than a double holds.
BEYOND_DOUBLE = (1 << 60) + 1

# Cgroup, process, its threads (the leader first), executable, uid, tgid. If the candidate is another one, it is in
# the second list.
BOTH = [
    ("/init.scope", "systemd", ["systemd"], "/usr/lib/systemd/systemd", 0, 1),
    ("/", "kthreadd", ["kthreadd"], "", 0, 2),
    ("/", "kworker/u8:3-flush", ["kworker/u8:3-flush"], "", 0, 12),
    ("/system.slice/ssh.service", "sshd", ["sshd"], "/usr/sbin/sshd", 0, 100),
    ("/system.slice/system-getty.slice/getty@tty1.service", "agetty", ["agetty"], "/sbin/agetty", 0, 110),
    ("/system.slice/system-getty.slice/getty@tty2.service", "agetty", ["agetty"], "/sbin/agetty", 0, 111),
    ("/system.slice/backup@srv-1.service", "rsync-1", ["rsync-1"], "/usr/bin/rsync", 34, 120),
    ("/system.slice/backup@srv-2.service", "rsync-2", ["rsync-2"], "/usr/bin/rsync", 34, 121),
    ("/system.slice/nginx.service", "nginx", ["nginx", "aio-0", "aio-1", "aio-2"], "/usr/sbin/nginx", 33, 200),
    ("/system.slice/nginx.service", "nginx", ["nginx"], "/usr/sbin/nginx", 33, 210),
    (POD_CGROUP, "java", ["java", "GC Thread#0", "GC Thread#1", "pool-1-thread-1", "pool-1-thread-2", "pool-2-thread-1"],
     "/opt/jdk/bin/java", 1001, 300),
    (OTHER_POD, "redis", ["redis", "bio-0", "bio-1"], "/usr/bin/redis", 999, 330),
    (f"/system.slice/docker-{DOCKER}.scope", "python3", ["python3", "worker, \"a\"", "worker|b"], "/usr/bin/python3.11",
     1001, 350),
    ("/user.slice/user-1000.slice/session-3.scope", "bash", ["bash"], "/usr/bin/bash", 1000, 400),
]
BASELINE = [
    ("/", "kworker/0:1-events", ["kworker/0:1-events"], "", 0, 10),
    ("/user.slice/user-1000.slice/session-3.scope", "editor", ["editor", "日本語"], "/usr/bin/editor", 1000, 410),
    ("/apps.slice/web-blue/server", "web", [f"web-{kind}" for kind in KINDS], "/srv/web", 33, 500),
    ("/apps.slice/web-blue/sidecar", "proxy", ["proxy", "proxy-log"], "/srv/proxy", 33, 520),
    ("/system.slice/old.service", "old", ["old"], "/usr/bin/old", 0, 600),
]
CANDIDATE = [
    ("/", "kworker/0:2-events", ["kworker/0:2-events"], "", 0, 15),
    ("/user.slice/user-1000.slice/session-3.scope", "editor", ["editor", "日本語"], "/usr/bin/editor (deleted)", 1000, 410),
    ("/apps.slice/web-green/server", "web", [f"web-{kind}" for kind in KINDS + ["spare"]], "/srv/web", 33, 700),
    ("/apps.slice/web-green/sidecar", "proxy", ["proxy", "proxy-log"], "/srv/proxy", 33, 720),
    ("/system.slice/new.service", "new", ["new", "new-1"], None, None, 800),
]

# The values of a thread, and their growth.
COUNTERS = {
    "run_time_ns": 1_000_037, "wait_time_ns": 50_021, "timeslices": 3, "voluntary_csw": 2, "nonvoluntary_csw": 1,
    "wait_sum": 50_027, "wait_count": 3, "minflt": 11, "rchar": 4_099, "wchar": 513, "read_bytes": 4096,
    "cpu_delay_count": 3, "cpu_delay_total_ns": 50_033,
}


def thread(process, index, tgid, at, later):
    cgroup, pcomm, names, exe, uid, _ = process
    tid = tgid + index
    start = 100 + tid * 7
    # Threads idle or work, each at its own pace, and some not at all.
    work = (tid * 3) % 17 * (60 if later and tid % 5 else 20 if later else 10)
    row = {"tid": tid, "tgid": tgid, "pcomm": pcomm, "comm": names[index], "cgroup": cgroup, "exe": exe, "uid": uid,
           "start_time_clock_ticks": start, "read_boottime_ns": at, "policy": "SCHED_BATCH" if tid % 17 == 0 else "SCHED_OTHER",
           "nice": 19 if "rsync" in pcomm else 0, "cpu_affinity": [0, 1, 2, 3] if tid % 3 else [tid % 2],
           "state": "R" if later and tid % 5 == 0 else "S"}
    row = {key: value for key, value in row.items() if value is not None}
    if index == 0:
        row["nr_threads"] = len(names)
    row |= {name: tid * 10 + work * rate for name, rate in COUNTERS.items()}
    row["wait_max"] = row["wait_sum"] // 3
    row["utime_clock_ticks"] = row["run_time_ns"] // 10_000_000
    row["stime_clock_ticks"] = row["run_time_ns"] // 40_000_000
    row["cpu_delay_max_ns"] = row["cpu_delay_total_ns"] // 2
    row["cpu_delay_min_ns"] = tid % 4 * 100
    row["hiwater_rss_bytes"] = tgid * 65536 + later * 4096
    if names[index] == "redis":
        row["rchar"] = BEYOND_DOUBLE + later * 2
    if pcomm == "sshd":
        for name in ("rchar", "wchar", "read_bytes"):
            del row[name]
        row["missing"] = {"io": "denied"}
    return row


def threads(processes, at, later):
    for process in processes:
        rows = [thread(process, index, process[5], at, later) for index in range(len(process[2]))]
        totals = {name: sum(row[name] for row in rows) for name in ("minflt", "utime_clock_ticks", "stime_clock_ticks")}
        # Threads of it have exited.
        if process[1] == "java":
            totals["utime_clock_ticks"] += 300 + later * 250
            totals["minflt"] += 5000 + later * 10
        if process[3] is None:
            rows[0].setdefault("missing", {})["exe"] = "denied"
        rows[-1]["process_totals"] = totals
        yield from rows


def cgroup(n, later):
    return {"cpu": {"usage_usec": n * 1000000 + later * n * 250000, "weight": 100,
                    "max_quota_us": 50000 if n == 1 else None, "max_period_us": 100000},
            "memory": {"current": n * 1048576 + later * 4096, "max": None},
            "pids": {"current": n, "max": 512 if n == 2 else None}}


def snapshot(processes, later):
    at = (1000 + 60 * later) * 1_000_000_000
    rows = list(threads(processes, at, later))
    paths = [path for path in dict.fromkeys(row["cgroup"] for row in rows) if path != "/"]
    total = len(rows)
    return rows, {
        "format": "ctprof", "version": 1, "kind": "lifetime",
        "captured_at_unix_ns": 1767225600000000000 + later * 60_000_000_000, "captured_boottime_ns": at,
        "host": {"tool_version": "0.1.0", "source": "procfs", "hostname": "node-1", "kernel_name": "Linux",
                 "kernel_release": "6.12.107", "arch": "x86_64", "boot_id": "00000000-1111-4222-8333-444444444444",
                 "pid_namespace": "pid:[4026531836]", "clock_ticks_per_second": 100, "online_cpus": 4,
                 "total_threads": total, "user_clock_ticks": 3000 + later * 9000, "system_clock_ticks": 1000 + later * 2000,
                 "users": {"0": "root", "33": "www-data", "34": "backup", "999": "redis", "1000": "ann"}},
        "threads": rows,
        "cgroup_stats": {path: cgroup(i + 1, later) for i, path in enumerate(paths)},
        "parse_summary": {"tgids_walked": len(processes), "tids_walked": total},
        "sources": {"stat": {"rule": "read", "read": total}, "schedstat": {"rule": "read", "read": total},
                    "io": {"rule": "read", "read": total - 1, "denied": 1},
                    "taskstats": {"rule": "read", "read": total}, "exe": {"rule": "read", "read": len(processes)},
                    "jemalloc": {"rule": "skipped"}},
    }


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: make-report.py DIR")
    for name, own, later in (("baseline", BASELINE, 0), ("candidate", CANDIDATE, 1)):
        rows, whole = snapshot(BOTH + own, later)
        text = {key: json.dumps(value, ensure_ascii=False, separators=(",", ":")) for key, value in whole.items()}
        text["threads"] = "[\n" + ",\n".join(
            json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows) + "]"
        with open(f"{sys.argv[1]}/report-{name}.json", "w", encoding="utf-8") as file:
            file.write("{" + ",\n".join(f'"{key}":{value}' for key, value in text.items()) + "}\n")


main()
