# SPDX-License-Identifier: GPL-2.0-or-later
"""What the work of init must do to the metrics, and which metrics a kernel cannot give."""

MIB = 1 << 20
MS = 10**6
ANY = None

# Metrics that only work of a certain kind may move, and how far they may go in other work: a page of the program
# itself may be copied on write, and nothing else.
QUIET = {"blkio_delay_count": 0, "swapin_delay_count": 0, "freepages_delay_count": 0, "thrashing_delay_count": 0,
         "compact_delay_count": 0, "wpcopy_delay_count": 16, "read_bytes": 0, "write_bytes": 0,
         "cancelled_write_bytes": 0, "majflt": 0, "iowait_count": 0, "iowait_sum": 0}

# work: {metric: (at least, at most)} between the captures, over the threads that live; the names are those in init.
MOVES = {
    "throttled": {"run_time_ns": (50 * MS, 800 * MS)},
    "refault": {"read_bytes": (40 * MIB, ANY), "blkio_delay_count": (20, ANY), "blkio_delay_total_ns": (1 * MS, ANY),
                "freepages_delay_count": (10, ANY), "freepages_delay_total_ns": (1 * MS, ANY),
                "thrashing_delay_count": (1, ANY), "majflt": (5, ANY), "iowait_count": (20, ANY),
                "iowait_sum": (1 * MS, ANY), "block_sum": (1 * MS, ANY), "swapin_delay_count": (0, ANY),
                "wpcopy_delay_count": (0, 64), "wchar": (0, 0)},
    "anon": {"minflt": (5120, ANY), "majflt": (100, ANY), "swapin_delay_count": (1000, ANY),
             "swapin_delay_total_ns": (1 * MS, ANY), "freepages_delay_count": (10, ANY), "read_bytes": (4 * MIB, ANY),
             "blkio_delay_count": (10, ANY), "iowait_count": (10, ANY), "iowait_sum": (1, ANY),
             "thrashing_delay_count": (0, ANY), "wpcopy_delay_count": (0, 64)},
    "direct": {"read_bytes": (2000 * 4096, 2000 * 4096), "rchar": (2000 * 4096, 2000 * 4096), "syscr": (2000, 2000),
               "blkio_delay_count": (100, 2100), "blkio_delay_total_ns": (1 * MS, ANY), "iowait_count": (100, 2100),
               "iowait_sum": (1 * MS, ANY), "block_sum": (1 * MS, ANY), "voluntary_csw": (100, 2200)},
    "below": {"run_time_ns": (20 * MS, 700 * MS)}, "bare": {"run_time_ns": (20 * MS, 700 * MS)}, "tight": {},
    "cow": {"minflt": (5 * 2048, 5 * 2048 + 100), "wpcopy_delay_count": (4 * 2048 * 9 // 10, 4 * 2048 + 100),
            "wpcopy_delay_total_ns": (1 * MS, ANY)},
    "starved": {"wait_time_ns": (700 * MS, ANY), "wait_sum": (700 * MS, ANY), "cpu_delay_total_ns": (700 * MS, ANY),
                "nonvoluntary_csw": (1, ANY), "run_time_ns": (100 * MS, 1800 * MS)},
    "sleeper": {"voluntary_sleep_ns": (500 * MS, ANY), "voluntary_csw": (50, 60), "nr_wakeups": (50, 60),
                "run_time_ns": (1, 300 * MS), "wchar": (0, 0)},
    "truncated": {"wchar": (2 * MIB, 2 * MIB), "syscw": (2, 2), "write_bytes": (2 * MIB, 2 * MIB + 65536),
                  "cancelled_write_bytes": (1 * MIB, 2 * MIB), "read_bytes": (0, 65536),
                  "blkio_delay_count": (0, 20), "iowait_count": (0, 20), "iowait_sum": (0, ANY)},
    "churn": {"syscw": (1, 1), "wchar": (1, 64), "write_bytes": (0, 65536), "read_bytes": (0, 65536),
              "blkio_delay_count": (0, 20), "iowait_count": (0, 20), "iowait_sum": (0, ANY),
              "wpcopy_delay_count": (0, 300)},
    "compact": {"compact_delay_count": (1, ANY), "compact_delay_total_ns": (1, ANY), "minflt": (10000, ANY),
                "freepages_delay_count": (0, ANY), "blkio_delay_count": (0, ANY), "swapin_delay_count": (0, ANY),
                "thrashing_delay_count": (0, ANY), "iowait_count": (0, ANY), "iowait_sum": (0, ANY),
                "majflt": (0, ANY), "read_bytes": (0, ANY)},
}

# The cgroup of a work that is not in one of its own name, below /vm.
PLACES = {"below": "above/below", "tight": "above/tight", "bare": "above/plain/bare"}

# The effective limits and whose they are, as init sets them: (below /vm, metric): (value, cgroup).
EFFECTIVE = {
    ("above/below", "cpu_limit"): (20, "/vm/above"), ("above/below", "memory_limit"): (96 * MIB, "/vm/above"),
    ("above/below", "memory_high_limit"): (80 * MIB, "/vm/above"), ("above/below", "pids_limit"): (60, "/vm/above"),
    ("above/tight", "cpu_limit"): (20, "/vm/above"), ("above/tight", "memory_limit"): (64 * MIB, "/vm/above/tight"),
    ("above/tight", "memory_high_limit"): (80 * MIB, "/vm/above"), ("above/tight", "pids_limit"): (20, "/vm/above/tight"),
    ("above/plain/bare", "cpu_limit"): (20, "/vm/above"), ("above/plain/bare", "memory_limit"): (96 * MIB, "/vm/above"),
    ("above/plain/bare", "pids_limit"): (60, "/vm/above"), ("above", "cpu_limit"): (20, "/vm/above"),
    ("throttled", "cpu_limit"): (10, "/vm/throttled"), ("refault", "memory_limit"): (16 * MIB, "/vm/refault"),
}
# Works that spin below the quota of /vm/above.
STOPPED_FROM_ABOVE = ("below", "bare")

# Without limits the files and the memory fit, and what is here holds instead.
MOVES_OFF = {
    "throttled": {"run_time_ns": (100 * MS, ANY)}, "below": {"run_time_ns": (100 * MS, ANY)},
    "bare": {"run_time_ns": (100 * MS, ANY)},
    "refault": {"read_bytes": (20 * MIB, 21 * MIB), "majflt": (1, ANY), "wchar": (0, 0)},
    "anon": {"minflt": (5120, ANY), "majflt": (0, 0), "read_bytes": (0, 0)},
}

# Values of the whole process, exited threads included: 200 threads write 16384 bytes each, and the first one a line.
CHURN = {"wchar": (200 * 16384, 200 * 16384 + 64), "syscw": (201, 201),
         "write_bytes": (200 * 16384, 200 * 16384 + 262144)}

# cgroup: {(object, keys...): (at least, at most)} between the captures.
CGROUP_MOVES = {
    "throttled": {("cpu", "nr_throttled"): (5, ANY), ("cpu", "throttled_usec"): (500000, ANY),
                  ("cpu", "nr_periods"): (5, ANY), ("cpu", "usage_usec"): (50000, 800000),
                  ("memory", "events", "high"): (0, 0), ("memory", "events", "max"): (0, 0)},
    "refault": {("memory", "events", "max"): (1, ANY), ("memory", "events", "oom_kill"): (0, 0),
                ("memory", "events", "high"): (0, 0), ("memory", "stat", "pgscan"): (1000, ANY),
                ("memory", "stat", "workingset_refault_file"): (1000, ANY), ("cpu", "nr_throttled"): (0, 0),
                ("psi", "memory", "some", "total_usec"): (1000, ANY), ("psi", "io", "some", "total_usec"): (1000, ANY)},
    "anon": {("memory", "events", "high"): (1, ANY), ("memory", "events", "max"): (0, 0),
             ("memory", "stat", "pgmajfault"): (100, ANY), ("memory", "stat", "pgscan"): (1000, ANY),
             ("psi", "memory", "some", "total_usec"): (1000, ANY), ("cpu", "nr_throttled"): (0, 0)},
    "direct": {("io", "stat", "254:16", "rbytes"): (2000 * 4096, 2000 * 4096),
               ("io", "stat", "254:16", "rios"): (2000, 2000), ("memory", "events", "max"): (0, 0),
               ("psi", "io", "some", "total_usec"): (1000, ANY)},
    "cow": {("memory", "events", "max"): (0, 0), ("memory", "stat", "pgfault"): (8192, ANY)},
    "starved": {("psi", "cpu", "some", "total_usec"): (500000, ANY), ("cpu", "nr_throttled"): (0, 0)},
    "sleeper": {("cpu", "usage_usec"): (1, 300000), ("memory", "events", "max"): (0, 0)},
    "churn": {("cpu", "usage_usec"): (1000000, ANY)},
}
# Limits as init sets them.
CGROUP_LIMITS = {
    "throttled": {("cpu", "max_quota_us"): 10000, ("cpu", "max_period_us"): 100000, ("memory", "max"): None},
    "refault": {("memory", "max"): 16 * MIB, ("memory", "high"): None, ("cpu", "max_quota_us"): None},
    "anon": {("memory", "high"): 12 * MIB, ("memory", "max"): None, ("memory", "swap_max"): None,
             ("pids", "current"): 1, ("cpuset", "cpus_effective"): "0-1", ("cpu", "weight"): 100},
}

# user: {family: ((state with everything on, words of which the reason or fix has one), (the same with everything off))}
AVAILABLE = ("available", "")
DOCTOR = {
    "0": {
        "stat": (AVAILABLE, AVAILABLE), "io-others": (AVAILABLE, AVAILABLE), "delay-cpu": (AVAILABLE, AVAILABLE),
        "memory-peaks": (AVAILABLE, AVAILABLE), "process-totals": (AVAILABLE, AVAILABLE), "jemalloc": (AVAILABLE, AVAILABLE),
        "schedstats": (AVAILABLE, ("not", "kernel.sched_schedstats=1")),
        "delays": (AVAILABLE, ("not", "delayacct")),
        "psi-host": (AVAILABLE, ("not", "psi=1")), "psi-cgroups": (AVAILABLE, ("not", "psi=1")),
        "cgroup2-cpu": (AVAILABLE, ("not", "cgroup.subtree_control")),
        "cgroup2-memory": (AVAILABLE, ("not", "cgroup.subtree_control")),
        "cgroup2-io": (AVAILABLE, ("not", "cgroup.subtree_control")),
        "cgroup2-pids": (AVAILABLE, ("not", "cgroup.subtree_control")),
        "sched-ext": (("not", "SCHED_CLASS_EXT 6.12"),) * 2,
        "sched-ext-thread": (("not", "SCHED_CLASS_EXT 6.12"),) * 2,
    },
    "65534": {
        "stat": (AVAILABLE, AVAILABLE), "psi-host": (AVAILABLE, ("not", "psi=1")),
        "schedstats": (AVAILABLE, ("not", "kernel.sched_schedstats=1")),
        "io-own": (AVAILABLE, AVAILABLE), "io-others": (("not", "CAP_SYS_PTRACE"),) * 2,
        "delay-cpu": (("not", "CAP_NET_ADMIN"),) * 2, "memory-peaks": (("not", "CAP_NET_ADMIN"),) * 2,
        "delays": (("not", "CAP_NET_ADMIN"),) * 2,
    },
}


def exceptions(metrics, config, version, has_slice):
    """{metric: reason} for what this kernel cannot give with everything on, by its configuration, by the version of
    its struct taskstats, and by whether its /proc/<tid>/sched has a line "slice"."""
    ret = {}
    for metric in metrics:
        name = metric["name"]
        missing = [gate for gate in metric["gates"] if f"CONFIG_{gate}=y" not in config]
        if metric["source"] == "synthetic":
            ret[name] = "counted by show and compare, no value of a thread"
        elif metric["source"] == "jemalloc":
            ret[name] = "no program here has jemalloc"
        elif name == "fair_slice_ns" and not has_slice:
            ret[name] = "no line of this kernel's /proc/<tid>/sched says it"
        elif missing:
            ret[name] = f"the kernel is built without CONFIG_{missing[0]}"
        elif name.endswith(("_delay_max_ns", "_delay_min_ns")) and version < 15:
            ret[name] = f"not in version {version} of struct taskstats"
        elif name.startswith("irq_delay") and version < 14:
            ret[name] = f"not in version {version} of struct taskstats"
        elif name.startswith("irq_delay") and "CONFIG_IRQ_TIME_ACCOUNTING=y" not in config:
            ret[name] = "the kernel is built without CONFIG_IRQ_TIME_ACCOUNTING"
    return ret
