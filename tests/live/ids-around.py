#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""ids-around.py CTPROF: by BPF, the work of exited threads is in the numbers of a process with threads of lower and of higher ids
than its own. Such processes are common where the ids of the host have wrapped around."""
import json
import os
import subprocess
import sys
import tempfile
import threading
import time

LAST_PID = "/proc/sys/kernel/ns_last_pid"
MIDDLE, BELOW, ABOVE = 20000, 500, 500
BURNED_S = 0.4
TRIES = 20


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def set_last_pid(number):
    with open(LAST_PID, "w", encoding="ascii") as file:
        file.write(str(number))


def start_thread(last_pid):
    set_last_pid(last_pid)
    thread = threading.Thread(target=time.sleep, args=(300,), daemon=True)
    thread.start()
    return thread.native_id


def burn():
    begin = time.thread_time()
    while time.thread_time() - begin < BURNED_S / 4:
        pass


def work(ready):
    """Runs in the process: two threads stay, one on either side, and four have exited."""
    own = os.getpid()
    below, above = start_thread(own - BELOW), start_thread(own + ABOVE)
    for _ in range(4):
        thread = threading.Thread(target=burn)
        thread.start()
        thread.join()
    os.write(ready, b"1" if below < own < above else b"0")
    time.sleep(300)


def start():
    """The id of a process with ids on both sides; others may have taken some."""
    for _ in range(TRIES):
        ready, end = os.pipe()
        set_last_pid(MIDDLE)
        pid = os.fork()
        if pid == 0:
            try:
                work(end)
            finally:
                os._exit(1)
        os.close(end)
        if os.read(ready, 1) == b"1":
            return pid
        os.kill(pid, 9)
        os.waitpid(pid, 0)
    skip("the ids around a process were never free")


def main():
    ctprof = os.path.realpath(sys.argv[1])
    if not os.access(LAST_PID, os.W_OK):
        skip(f"{LAST_PID} cannot be written")
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "a.zst")
        if subprocess.run([ctprof, "capture", "-q", "--source", "bpf", "-o", path], check=False, capture_output=True).returncode != 0:
            skip("threads cannot be read by BPF here")
        pid = start()
        try:
            subprocess.run([ctprof, "capture", "-q", "--source", "bpf", "-o", path], check=True)
        finally:
            os.kill(pid, 9)
        text = subprocess.run([ctprof, "show", "-f", "json", "-l", "--pid", str(pid), "-m", "run_time_ns", path],
                              check=True, capture_output=True).stdout
        rules = json.loads(subprocess.run(["zstd", "-dcq", path], check=True, capture_output=True).stdout)["sources"]
    if rules["taskstats"]["rule"] != "read":
        skip("no taskstats here, so the run time of exited threads is not known")
    row = json.loads(text)["rows"][0]
    if row["partial"] or not BURNED_S * 1e9 <= row["value"] <= 1.5 * BURNED_S * 1e9:
        print(f"FAILED: run time of {row['value']} ns, partial {row['partial']}; {BURNED_S} s were burned")
        sys.exit(1)


main()
