#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""rollup.py CTPROF: a tree of directories costs no more than so many times what the list of them does, even if each path
has a thousand directories with nothing but the next one in them. Both are CPU times of the same file, in this run."""

import os
import shutil
import sys
import tempfile

import files
from run import Run, is_sanitized, skip

RATIO_MAX = 25
GROUPS = 400
TRIES = 5


def chains():
    """Paths of a few KiB that have their first directory in common with no other."""
    return files.snapshot(
        files.row(i + 1, 1, more=f',"cgroup":"/{files.word(i)}/{"a/" * 2000}"') for i in range(GROUPS)
    )


def least(command):
    runs = [Run(command) for _ in range(TRIES)]
    for run in runs:
        if run.status != 0:
            raise RuntimeError(f"{' '.join(command)}: status {run.status}: {run.error}")
    return min(run.cpu_seconds for run in runs)


def main():
    ctprof = os.path.realpath(sys.argv[1])
    if not shutil.which("zstd"):
        skip("no zstd")
    if is_sanitized(ctprof):
        skip("an instrumented program takes time of its own")
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "chains.zst")
        files.write(path, chains())
        plain = least([ctprof, "show", "-g", "cgroup", "--no-cg-normalize", path])
        tree = least([ctprof, "show", "--rollup", "cgroup", path])
    print(f"list {plain:.3f} s, tree {tree:.3f} s, ratio {tree / plain:.1f} of at most {RATIO_MAX}")
    return 1 if tree > RATIO_MAX * plain else 0


sys.exit(main())
