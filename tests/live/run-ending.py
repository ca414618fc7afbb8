#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""run-ending.py PROCESSES MS [STAYS]: starts processes that read 1 MB each and end one after the other within MS milliseconds from
the moment at which this process ends. With STAYS, SIGCHLD is ignored, they end at once, and one more goes on for so many seconds:
its id is printed."""
import os
import signal
import sys
import time

count, spread = int(sys.argv[1]), float(sys.argv[2]) / 1000
stays = float(sys.argv[3]) if len(sys.argv) > 3 else 0
if stays:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
end = time.monotonic() + 1


def child(until):
    """A process that reads, and sleeps until then."""
    pid = os.fork()
    if pid == 0:
        with open("/dev/zero", "rb", buffering=0) as zeros:
            zeros.read(1000000)
        time.sleep(max(0, until - time.monotonic()))
        os._exit(0)
    return pid


for i in range(count):
    child(0 if stays else end + spread * i / count)
if stays:
    print(child(end + stays), flush=True)
time.sleep(max(0, end - time.monotonic()))
os._exit(0)
