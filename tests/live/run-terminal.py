#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""run-terminal.py KEY COMMAND...: runs a command in a terminal of its own, types KEY (such as 03 for Ctrl-C; "size" makes the
terminal 33 lines of 99 columns instead, "hangup" closes it) when it has printed "ready", and prints what it printed and its status."""
import fcntl
import os
import pty
import struct
import sys
import termios

pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
text, typed = b"", False
while True:
    try:
        more = os.read(terminal, 4096)
    except OSError:
        break
    if not more:
        break
    text += more
    if not typed and b"ready" in text:
        if sys.argv[1] == "size":
            fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 99, 0, 0))
        elif sys.argv[1] == "hangup":
            os.close(terminal)
            break
        else:
            os.write(terminal, bytes.fromhex(sys.argv[1]))
        typed = True
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
print(text.decode(errors="replace").replace("\r", ""))
print("status", status)
