#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""cgroupstats.py DIRECTORY: asks the kernel for the states of a cgroup's threads, by CGROUPSTATS_CMD_GET, as getdelays -C does. Prints
running, sleeping, stopped, uninterruptible and io_wait; or the name of the error."""
import errno
import os
import socket
import struct
import sys

NETLINK_GENERIC, GENL_ID_CTRL, NLM_F_REQUEST, NLMSG_ERROR = 16, 16, 1, 2
CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME, CTRL_ATTR_FAMILY_ID = 3, 2, 1
# The commands of cgroupstats begin behind those of taskstats.
CGROUPSTATS_CMD_GET, CGROUPSTATS_CMD_ATTR_FD = 4, 1


def attribute(kind, value):
    return struct.pack("=HH", 4 + len(value), kind) + value + b"\0" * (-len(value) % 4)


def ask(link, family, command, payload):
    body = struct.pack("=BBH", command, 1, 0) + payload
    link.send(struct.pack("=IHHII", 16 + len(body), family, NLM_F_REQUEST, 1, 0) + body)
    answer = link.recv(65536)
    length, kind = struct.unpack_from("=IH", answer)
    if kind == NLMSG_ERROR:
        print(errno.errorcode[-struct.unpack_from("=i", answer, 16)[0]])
        sys.exit(0)
    at, attributes = 20, {}
    while at < length:
        size, what = struct.unpack_from("=HH", answer, at)
        attributes[what] = answer[at + 4:at + size]
        at += (size + 3) & ~3
    return attributes


link = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_GENERIC)
family = struct.unpack("=H", ask(link, GENL_ID_CTRL, CTRL_CMD_GETFAMILY,
                                 attribute(CTRL_ATTR_FAMILY_NAME, b"TASKSTATS\0"))[CTRL_ATTR_FAMILY_ID])[0]
fd = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECTORY)
states = next(iter(ask(link, family, CGROUPSTATS_CMD_GET,
                       attribute(CGROUPSTATS_CMD_ATTR_FD, struct.pack("=I", fd))).values()))
sleeping, running, stopped, uninterruptible, io_wait = struct.unpack_from("=QQQQQ", states)
print(running, sleeping, stopped, uninterruptible, io_wait)
