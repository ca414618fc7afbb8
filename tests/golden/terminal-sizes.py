#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""terminal-sizes.py CTPROF: the screens of all commands on terminals of 80x24, 120x40 and 200x50.

No line is wider than the terminal, a number ends where its heading ends, at most two lines and four settings are above a table,
and colours stand around headings and changes only. Names are hostile, long, wide and combining. With LC_ALL=C all is ASCII."""

import fcntl
import json
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import unicodedata

SIZES = ((80, 24), (120, 40), (200, 50))
NAMES = ("a", "数据库服务器线程池一号", "e\u0301e\u0301e\u0301e\u0301e\u0301", "\x1b[31mred\nrow",
         "/a/very/long/name/that/no/terminal/has/room/for/beside/numbers", "-", "☃ snow", "0")
ESCAPE = re.compile(r"\x1b\[([0-9;]*)m")
COLORED = re.compile(r"\x1b\[([0-9;]+)m(.*?)\x1b\[0?m")
BOLD = "1"
CHANGE = re.compile(r"([-+~]?[0-9.]+.*|\S*(→|>)\S*|(new|gone) .*)$")
# The words of doctor have the colours of good and bad.
VERDICT = re.compile(r"(available|partly|not|off|denied|[0-9.]+ ?%|.*[0-9]/[0-9]+.*)$")
# Headings of columns that are aligned to the left.
LEFT = ("metric", "type", "tags")
TREE = "cgroup / pcomm"
FOOT = re.compile(r"([*†‡¶‖§!^#?&] |also |only in |[0-9]+ (more|groups?|unchanged|repeat|seen) |not ranked|denied: |[0-9]+[+] never seen|no group|$)")
WIDE = ("compare", "-c", "group,threads,metric,baseline,candidate,delta,%,impact,coverage")
# Lines that may be wider, each with the reason.
WIDER = {
    "metric-list": "descriptions are whole: less begins with -S and moves to the side",
    "-c": "columns that were asked for stay: less begins with -S and moves to the side",
    "doctor": ("commands are to be copied: a blank in the wrong place would break them", re.compile(r"\[[0-9]+\] |  +(sudo |echo )")),
}


def columns_of(text):
    """Display columns, as wcwidth(3) has them."""
    width = 0
    for char in text:
        if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
            continue
        width += 2 if unicodedata.east_asian_width(char) in "WF" else 1
    return width


def screen_of(text):
    """A list of what each display column shows: a wide character takes two."""
    cells = []
    for char in text:
        width = columns_of(char)
        if width == 0 and cells:
            cells[-1] += char
        cells.extend([char] * width)
    return cells


def run(command, size, locale="C.UTF-8"):
    """The lines that a terminal of that size gets, with their colours, and the status."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
    env = dict(os.environ, TERM="xterm", LC_ALL=locale, CTPROF_PAGER="")
    for name in ("COLUMNS", "NO_COLOR"):
        env.pop(name, None)
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave, env=env) as child:
        os.close(slave)
        output = b""
        while True:
            try:
                part = os.read(master, 65536)
            except OSError:
                break
            if not part:
                break
            output += part
    os.close(master)
    # The progress of a window stands in a line that is taken back.
    output = re.sub(rb"\rwindow: [^\r\n]*|\r\x1b\[K", b"", output)
    return output.decode().replace("\r", "").split("\n")[:-1], child.returncode


def make_snapshot(path, source, factor):
    """Writes a snapshot like the source, whose processes have these names and whose counters are multiplied."""
    text = subprocess.run(["zstd", "-dc", source], check=True, stdout=subprocess.PIPE).stdout
    data = json.loads(text)
    names = {}
    for thread in data["threads"]:
        name = NAMES[names.setdefault(thread["tgid"], len(names)) % len(NAMES)]
        thread.update(pcomm=name, comm=name)
        for key in ("run_time_ns", "wait_time_ns", "voluntary_csw"):
            if key in thread:
                thread[key] *= factor
    subprocess.run(["zstd", "-q", "-f", "-o", path], input=json.dumps(data).encode(), check=True)


def make_experiment(folder):
    """Makes the experiment "dir" as the golden tests do, and a plan with a long command."""
    subprocess.run(["bash", "-c", f"source '{folder}/../lib.sh'; SNAPSHOTS='{folder}'; experiment dir"], check=True)
    with open("knob", "w", encoding="ascii") as knob:
        knob.write("5\n")
    with open("plan", "w", encoding="utf-8") as plan:
        plan.write(f"[experiment]\nname = 三条 arms\nunit = run\nworkload = make {'a-long-target ' * 8}\nblocks = 7\n"
                   f"seed = 7\n[arm none]\n[arm low]\nwrite {os.getcwd()}/knob = 1\nexec {'touch a b ' * 9} undo rm a b\n")


class Check:
    """Counts checks, and keeps those that fail."""

    def __init__(self):
        self.count = 0
        self.failures = []

    def that(self, condition, *words):
        self.count += 1
        if not condition:
            self.failures.append(" ".join(str(word) for word in words))


def may_be_wider(call, text):
    reason = WIDER.get("-c" if call[:len(WIDE)] == WIDE else call[0])
    return isinstance(reason, str) or (reason and reason[1].match(text))


def check_lines(check, what, call, size, lines):
    check.that(lines, what, "prints nothing")
    for line in lines:
        text = ESCAPE.sub("", line)
        check.that("\x1b" not in text, what, "has a raw escape:", repr(line))
        if not may_be_wider(call, text):
            check.that(columns_of(text) <= size[0], what, "has", columns_of(text), "columns:", text)
        for code, part in COLORED.findall(line):
            known = VERDICT if call[0] == "doctor" else CHANGE
            check.that(code == BOLD or known.match(part.strip()), what, "colours what is no change:", repr(line))


def headings_of(line):
    """Each heading with the display columns where it begins and ends."""
    return [(match[0], columns_of(line[:match.start()]), columns_of(line[:match.end()])) for match in re.finditer(r"\S+( / \S+)*", line)]


def check_row(check, what, headings, row):
    """Each cell below a heading that is aligned to the right ends with it; nothing stands between two columns."""
    screen = screen_of(row)
    check.that(len(screen) <= headings[-1][2] or headings[-1][0] in LEFT, what, "goes on behind its last heading:", row)
    for i, (word, _, end) in enumerate(headings):
        if i == 0 or word in LEFT:
            continue
        if len(screen) > end:
            check.that(screen[end] == " ", what, f"has no blank behind '{word}':", row)
        if i > 1 and headings[i - 1][0] not in LEFT:
            cell = "".join(screen[headings[i - 1][2]:end])
            check.that(not cell.strip() or (len(screen) >= end and cell[-1] != " "), what, f"is not aligned in '{word}':", row)


def check_table(check, what, lines, shows_rows=True):
    at = next((i for i, line in enumerate(lines) if "\x1b[1m" in line), None)
    plain = [ESCAPE.sub("", line) for line in lines]
    if at is None:
        check.that(not shows_rows, what, "has no headings")
        return 0
    above = [line for line in plain[:at] if line]
    settings = [line for line in above if line.startswith("set: ")]
    check.that(len(settings) <= 4 and len(above) - len(settings) <= 2, what, "has too much above its table:", above)
    headings, count = headings_of(plain[at]), 0
    for line in plain[at + 1:]:
        if FOOT.match(line):
            break
        # In a tree, names of groups stand between the rows.
        if headings[0][0].startswith(TREE) and "  " not in line.strip():
            continue
        check_row(check, what, headings, line)
        count += 1
    check.that(count > 0 or not shows_rows, what, "has no row")
    return count


def check_sizes(check, ctprof, tables, texts):
    for size in SIZES:
        for call in tables + texts:
            what = f"{' '.join(call)} on {size[0]}x{size[1]}"
            lines, status = run([ctprof, *call], size)
            check.that(status == 0 or (call[0] == "doctor" and status == 3), what, "ends with status", status, lines[:3])
            check_lines(check, what, call, size, lines)
            if call in tables:
                check_table(check, what, lines)


def check_help(check, ctprof, commands):
    for command in commands:
        what = " ".join([*command, "--help"])
        lines, status = run([ctprof, *command, "--help"], SIZES[0])
        check.that(status == 0 and len(lines) <= 48, what, "has", len(lines), "lines, and status", status)
        check_lines(check, what, ("--help",), SIZES[0], lines)


def check_ascii(check, ctprof, calls):
    for call in calls:
        what = f"{' '.join(call)} in the locale C"
        lines, _ = run([ctprof, *call], SIZES[0], "C")
        for line in lines:
            check.that(line.isascii(), what, "is not ASCII:", line)
        check_lines(check, what, call, SIZES[0], lines)


def main():
    ctprof = os.path.realpath(sys.argv[1])
    folder = os.path.join(os.path.dirname(os.path.realpath(__file__)), "snapshots")
    if not shutil.which("zstd") or not shutil.which("jq"):
        print("skipped: no zstd or no jq")
        sys.exit(77)
    check = Check()
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        for side in ("baseline", "candidate"):
            for what in (f"v1-{side}.ctprof.zst", f"v1-facts-{side}.ctprof.zst"):
                shutil.copy(os.path.join(folder, what), scratch)
            for what in (f"window-{side}", f"report-{side}"):
                subprocess.run(["zstd", "-q", "-o", f"{what}.zst", os.path.join(folder, f"{what}.json")], check=True)
        for path, side, factor in (("a.zst", "baseline", 1), ("b.zst", "candidate", 3), ("c.zst", "candidate", 4)):
            make_snapshot(path, f"v1-{side}.ctprof.zst", factor)
        for side in ("b", "c"):
            subprocess.run([ctprof, "window", "-q", "-o", f"a{side}.zst", "a.zst", f"{side}.zst"], check=True)
        pairs = (("a.zst", "b.zst"), ("v1-baseline.ctprof.zst", "v1-candidate.ctprof.zst"),
                 ("window-baseline.zst", "window-candidate.zst"), ("report-baseline.zst", "report-candidate.zst"), ("ab.zst", "ac.zst"))
        tables = tuple(call for pair in pairs for call in (
            ("show", pair[1]), ("show", "-l", pair[1]), ("compare", *pair), ("compare", "-l", *pair),
            ("compare", "-l", "-g", "all", *pair),
            ("compare", "-c", "group,metric,candidate,delta,%", *pair), (*WIDE, *pair)))
        tables += (("show", "-g", "comm-exact", "b.zst"), ("compare", "--spread", "a.zst", "b.zst"),
                   ("compare", "-g", "all", "report-baseline.zst", "report-candidate.zst"))
        make_experiment(folder)
        texts = (("doctor",), ("ab", "plan", "--plan"), ("ab-report", "dir"), ("ab-report", "-v", "dir"), ("show", "--host", "v1-facts-candidate.ctprof.zst"), ("show", "--settings", "*", "d.zst"),
                 ("show", "--host", "d.zst"), ("metric-list",), ("metric-list", "wait"), ("compare", "-v", "a.zst", "b.zst"),
                 ("compare", "-g", "all", "a.zst", "b.zst"), ("show", "-l", "-v", "b.zst"))
        check_sizes(check, ctprof, tables, (("capture", "-o", "d.zst"), ("capture", "-w", "10ms", "-o", "e.zst")) + texts)
        lines, _ = run([ctprof, "--help"], SIZES[0])
        commands = [line.split()[0] for line in lines if re.match(r"  [a-z]", line)]
        check.that({"show", "compare", "capture", "doctor"} <= set(commands), "--help names no commands:", lines)
        check_help(check, ctprof, [()] + [(command,) for command in commands])
        check_ascii(check, ctprof, tables + texts)
    for failure in check.failures[:20]:
        print("terminal-sizes.py:", failure)
    print(check.count, "checks,", len(check.failures), "failed")
    sys.exit(1 if check.failures else 0)


if __name__ == "__main__":
    main()
