# SPDX-License-Identifier: GPL-2.0-or-later
"""trim.py PIDS NAMES: a snapshot as JSON from standard input to standard output, with the threads of those processes
alone (PIDS, or any whose name is in NAMES; both lists with commas), those of some kernel threads, and the cgroups of the
scene. What is kept is kept to the byte: rows and cgroups are cut out of the text."""
import json
import sys

pids = {int(pid) for pid in sys.argv[1].split(",")}
names = set(sys.argv[2].split(","))
KERNEL_THREADS_BELOW = 30
text = sys.stdin.buffer.read().decode()
decoder = json.JSONDecoder()


def members(begin):
    """The members of the object or elements of the array at begin: (key, text, value); and where it ends."""
    found = []
    at = begin + 1
    closing = "}" if text[begin] == "{" else "]"
    while text[at] != closing:
        key, start = None, at
        if closing == "}":
            key, at = decoder.raw_decode(text, at)
            at += 1
        value, at = decoder.raw_decode(text, at)
        found.append((key, text[start:at], value))
        if text[at] == ",":
            at += 1
    return found, at + 1


def keeps_row(row):
    return (row["tgid"] in pids or row["pcomm"] in names
            or 2 <= row["tgid"] < KERNEL_THREADS_BELOW)


def keeps_cgroup(path, value):
    return path == "/" or "frozen.slice" in path


parts = []
for key, part, value in members(0)[0]:
    if key == "threads":
        rows = members(text.index('"threads":[') + len('"threads":'))[0]
        part = '"threads":[' + ",".join(row for _, row, value in rows if keeps_row(value)) + "]"
    elif key in ("cgroup_stats", "cgroup_v1_stats") and value:
        cgroups = members(text.index(f'"{key}":{{') + len(f'"{key}":'))[0]
        part = f'"{key}":{{' + ",".join(cut for path, cut, v in cgroups if keeps_cgroup(path, v)) + "}"
    parts.append(part)
sys.stdout.buffer.write(("{" + ",".join(parts) + "}").encode())
