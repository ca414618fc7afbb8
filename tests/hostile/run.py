# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs ctprof and says what it took."""

import os
import subprocess
import sys


TIMEOUT_SECONDS = 120


class Run:
    """The result of a run: exit @status, @seconds of user time, @cpu_seconds of user and system time, peak memory in @kib,
    and @error, the text on stderr. Standard output goes to the file @output. The scheduler measures @cpu_seconds exactly. Where the kernel samples at ticks
    (CONFIG_TICK_CPU_ACCOUNTING), @seconds is a share of it that is off by some ticks of up to 10 ms."""

    def __init__(self, command, output=subprocess.DEVNULL):
        with subprocess.Popen(
            ["timeout", "-s", "KILL", str(TIMEOUT_SECONDS)] + command,
            stdout=output,
            stderr=subprocess.PIPE,
        ) as process:
            self.error = process.stderr.read().decode(errors="replace")
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        self.status = process.returncode
        self.seconds = usage.ru_utime
        self.cpu_seconds = usage.ru_utime + usage.ru_stime
        self.kib = usage.ru_maxrss


def in_child(function, *arguments):
    """Calls the function in a child process. What is made large there does not count as memory of later runs: a program
    inherits the peak of the process that started it."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            function(*arguments)
            status = 0
        finally:
            os._exit(status)
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0:
        raise RuntimeError("a file cannot be made")


def is_sanitized(ctprof):
    """Whether the program is instrumented, which takes memory and time of its own."""
    return any(
        subprocess.run(["grep", "-q", name, ctprof], check=False).returncode == 0
        for name in ("__asan_init", "__tsan_init")
    )


def skip(why):
    """Ends the test as one that could not run."""
    print(f"skipped: {why}")
    sys.exit(77)
