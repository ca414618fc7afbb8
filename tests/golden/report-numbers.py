#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""report-numbers.py CTPROF SNAPSHOTS [KIND=OPERANDS...]: each number on a page of each kind has a command line in its section, that
command runs, and it prints the number: of a row or a frame in a line with its name, and the lines of the first screen as they stand.
Scales are no such numbers: axes, keys, and what a line says of the drawing itself. The largest value of a row over time is printed by
the command whose RANGE stands beside it. With KIND=OPERANDS (words of a shell) the pages are of these files, and of no others."""
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import pages
from pages import Page, check

CTPROF, SNAPSHOTS = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
# The mark of a value that lacks some threads is part of it.
NUMBER = re.compile(r"(?<![\w.])[-+]?\d[\d.]*(?:e[-+]?\d+)?[a-zA-Z%µ]*(?:/s)?\*?")
RANGE = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z\.\.(\d{4}-\d\d-\d\dT)?[\d:.]+Z")
FACTORS = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9, "min": 60e9, "%": 1, "": 1, "K": 1e3, "M": 1e6, "G": 1e9, "B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}


def is_scale(elements, text):
    """Whether a text says how something is drawn, and not what was measured."""
    names = [(tag, set((of.get("class") or "").split())) for tag, of in elements]
    if any(classes & {"keys", "drawn"} for _, classes in names):
        return True
    if any("tick" in classes for _, classes in names) or any(tag == "th" and "bars" in classes for tag, classes in names):
        return True
    return "95 %" in text and text.startswith("The line is")


def words_of(text, elements):
    """The numbers of a text. The level of an interval, how many frames are drawn as one, and times of day are none."""
    text = re.sub(r"^\d+ more(\neach less than 0.1 % of the width)?$", "", text.replace("95 % interval", "interval"))
    if any("history" in (of.get("class") or "") for _, of in elements) or any(tag == "svg" for tag, _ in elements):
        text = re.sub(r"(\d{4}-)?(\d\d-\d\d )?\d\d:\d\d:\d\d", "", RANGE.sub("", text))
    return NUMBER.findall(text)


class Commands:
    """What command lines print; each is run once, as it stands on the page."""

    def __init__(self, place):
        self.printed = {}
        os.mkdir(os.path.join(place, "bin"))
        os.symlink(CTPROF, os.path.join(place, "bin", "ctprof"))
        self.environment = {**os.environ, "LC_ALL": "C.UTF-8", "COLUMNS": "10000", "PATH": os.path.join(place, "bin") + ":" + os.environ["PATH"]}

    def run(self, command):
        if command not in self.printed:
            done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, encoding="utf-8", check=False, env=self.environment)
            check(done.returncode == 0, "the command ends with", done.returncode, command, done.stderr)
            self.printed[command] = done.stdout
        return self.printed[command]


def is_in_json(number, values):
    """Whether a number with a unit is one of the values, to the last digit that it has."""
    digits, unit = re.fullmatch(r"([-+]?[\d.]+)(.*?)(?:/s)?\*?", number).groups()
    check(unit in FACTORS, "a unit:", number)
    error = 0.5000001 * 10.0 ** -len(digits.partition(".")[2]) * FACTORS[unit]
    return any(abs(value - float(digits) * FACTORS[unit]) <= error for value in values)


def json_values(text):
    """The values of units by the name of their row, and the numbers of the units."""
    document = json.loads(text)
    rows = {row["metric"] + ("@%s:%s" % (row["key"], row["group"]) if row["group"] is not None else ""): [value for value in row["values"] if value is not None]
            for of in document["comparisons"] for row in of["rows"]}
    return rows, [number for unit in document["units"] for number in (unit["block"], unit["session"])]


def row_of(elements):
    return next((id(of) for tag, of in elements if tag == "tr"), None)


def names_of_rows(texts):
    """The first head of each row, and its first cell of text, by the element."""
    rows = {}
    for elements, words in texts:
        tag, of = elements[-1]
        kind = "head" if tag == "th" else "cell" if tag == "td" and of.get("class") == "text" else None
        if row_of(elements) and kind:
            rows.setdefault(row_of(elements), {}).setdefault(kind, words.replace("\xa0", " ").strip())
    return {row: list(names.values()) for row, names in rows.items()}


def name_of(rows, elements, text):
    """The name in whose line a number must stand: of its row, or of its frame. Empty where a line has no name."""
    if row_of(elements):
        return rows.get(row_of(elements), [])
    tag = elements[-1][0]
    if tag == "title" and text.partition("\n")[0] != "all threads":
        return [text.partition("\n")[0].strip()]
    return [text.rpartition(": most ")[0].strip()] if tag == "li" else []


def peak_of(elements):
    return next((of for _, of in elements if (of.get("class") or "") == "peak"), None)


def ranges_of_peaks(texts):
    """The range that stands in the row of each largest value, by the element: of several in a row the one in the same place."""
    peaks, ranges = {}, {}
    for elements, words in texts:
        if peak_of(elements) is not None:
            peaks.setdefault(row_of(elements), []).append(id(peak_of(elements)))
        elif RANGE.fullmatch(words.strip()):
            ranges.setdefault(row_of(elements), []).append(words.strip())
    return {peak: of for row in peaks for peak, of in zip(peaks[row], ranges.get(row, []))}


class Section:
    """What the commands of a section print."""

    def __init__(self, section, commands):
        self.id, self.commands, self.texts = section["id"], commands, section["texts"]
        self.fixed = [command for command in section["commands"] if "RANGE" not in command]
        self.ranged = [command for command in section["commands"] if "RANGE" in command]
        self.names, self.lines = names_of_rows(section["texts"]), self.lines_of(self.fixed)
        self.rows, self.units, self.peaks = {}, [], ranges_of_peaks(section["texts"])
        for command in self.fixed:
            if command.endswith("-f json"):
                self.rows, self.units = json_values(commands.run(command))

    def lines_of(self, list_of_commands):
        return [(" ".join(line.split()), words_in(line)) for command in list_of_commands for line in self.commands.run(command).splitlines()]

    def check_named(self, names, number, lines, *words):
        """An empty cell is zero. The rows of a host over time are columns where it is printed."""
        names = [] if self.id == "time" else [" ".join(name.split()) for name in names]
        rows = [numbers for line, numbers in lines if all(name in line for name in names)]
        check(rows, "no line of", names, "for", number, *words)
        check(number == "0" or any(number in numbers for numbers in rows), "no line of", names, "has", number, *words)

    def check_peak(self, elements, text, number):
        """The largest value of a row, which is that of one column."""
        of = self.peaks.get(id(peak_of(elements)))
        check(of, "no range stands beside", text)
        check(self.ranged, "no command of a range in", self.id)
        found = []
        for command in self.ranged:
            at = command.rindex("RANGE")
            found.append(command[:at] + of + command[at + 5 :])
        self.check_named(name_of(self.names, elements, text), number, self.lines_of(found), "as the most of", found)

    def check_number(self, elements, text, number):
        if peak_of(elements) is not None:
            self.check_peak(elements, text, number)
        elif self.rows:
            names = name_of(self.names, elements, text) if any(tag == "tr" for tag, _ in elements) else []
            check(is_in_json(number, self.rows.get(" ".join(names), []) + self.units), self.id, "has", number, "of", names, "which is not in the JSON")
        elif elements[-1][0] == "title" and ", most %s" % number in text:
            pass  # The cell of the most has it as well.
        else:
            self.check_named(name_of(self.names, elements, text), number, self.lines, "in", repr(text), "of", self.fixed)


def words_in(line):
    return set(NUMBER.findall(line)) | set(re.split(r"[\s→|,()§:]+", line))


def check_page(name, text, commands):
    page, count = Page(text), 0
    sections = [Section(section, commands) for section in page.sections]
    every = "\n".join(line for section in sections for line, _ in section.lines)
    for section in sections:
        numbers = [(elements, words, number) for elements, words in section.texts if not is_scale(elements, words)
                   for number in words_of(words, elements)]
        count += len(numbers)
        check(section.fixed or section.id == "top" or not numbers, name, "a section has no command:", section.id, numbers[:3])
        for elements, words, number in numbers:
            tags = [tag for tag, _ in elements]
            if "pre" in tags or "h1" in tags or "h2" in tags:
                check(" ".join(words.split()) in every, name, "no command prints the line", repr(words))
            elif "head" not in tags:
                section.check_number(elements, words, number)
    return count


def check_given(kinds):
    with tempfile.TemporaryDirectory() as place:
        commands = Commands(place)
        for kind in kinds:
            name, _, operands = kind.partition("=")
            print("%s: %d numbers" % (name, check_page(name, pages.run(CTPROF, "report", *shlex.split(operands), "-o", "-"), commands)))


def main():
    if not shutil.which("zstd") or not shutil.which("jq"):
        print("skipped: no zstd, or no jq")
        sys.exit(77)
    if sys.argv[3:]:
        check_given(sys.argv[3:])
        return
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        commands = Commands(place)
        kinds = pages.make_all(SNAPSHOTS)
        subprocess.run([CTPROF, "run", "-q", "--sample", "20ms", "--report", "100ms", "--records", "run_", "--", "sh", "-c",
                        "i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done; sh -c 'sleep 0.2; exit 0'; sleep 0.1"], check=True)
        kinds["run"] = (["run_"], None)
        for name, (operands, _) in kinds.items():
            count = check_page(name, pages.run(CTPROF, "report", *operands, "-o", "-"), commands)
            check(count > 5, "hardly a number on the page of", name)
            print("%s: %d numbers" % (name, count))


main()
