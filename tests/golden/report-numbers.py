#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""report-numbers.py CTPROF SNAPSHOTS: each number on a page of each kind has a command line in its section, that command runs, and it
prints the number. Scales are no such numbers: axes, keys, and what a line says of the drawing itself. The largest value of a row over
time is printed by the command whose RANGE is its own."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import pages
from pages import Page, check

CTPROF, SNAPSHOTS = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
NUMBER = re.compile(r"(?<![\w.])[-+]?\d[\d.]*(?:e[-+]?\d+)?[a-zA-Z%µ]*(?:/s)?")
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
        text = re.sub(r"(\d{4}-)?(\d\d-\d\d )?\d\d:\d\d:\d\d", "", text)
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

    def words(self, command):
        text = self.run(command)
        return set(NUMBER.findall(text)) | set(re.split(r"[\s→|,()*:]+", text))


def is_in_json(number, values):
    """Whether a number with a unit is one of the values, to the last digit that it has."""
    digits, unit = re.fullmatch(r"([-+]?[\d.]+)(.*?)(?:/s)?", number).groups()
    check(unit in FACTORS, "a unit:", number)
    error = 0.5000001 * 10.0 ** -len(digits.partition(".")[2]) * FACTORS[unit]
    return any(abs(value - float(digits) * FACTORS[unit]) <= error for value in values)


def json_values(text):
    document = json.loads(text)
    return [v for of in document["comparisons"] for row in of["rows"] for v in row["values"] if v is not None] + [
        number for unit in document["units"] for number in (unit["block"], unit["session"])]


def check_peaks(commands, section, elements, number):
    """The largest value of a row, which is that of one column."""
    of = next(of for tag, of in elements if (of.get("class") or "") == "peak")
    row = next(of for tag, of in elements if tag == "tr")
    ranged = [command for command in section["commands"] if "RANGE" in command]
    check(ranged, "no command of a range in", section["id"])
    found = set()
    for command in ranged:
        at = command.rindex("RANGE")
        found |= commands.words(command[:at] + of["data-range"] + command[at + 5 :])
    check(number in found or number == "0", "the most", number, "of", row, "is not printed for", of["data-range"], ranged)


def check_page(name, text, commands):
    page, count = Page(text), 0
    every = set()
    for section in page.sections:
        for command in section["commands"]:
            if "RANGE" not in command:
                every |= commands.words(command)
    for section in page.sections:
        fixed = [command for command in section["commands"] if "RANGE" not in command]
        found = set().union(*(commands.words(command) for command in fixed))
        values = [v for command in fixed if command.endswith("-f json") for v in json_values(commands.run(command))]
        numbers = [(elements, text, number) for elements, text in section["texts"] if not is_scale(elements, text)
                   for number in words_of(text, elements)]
        peaks = {}
        check(fixed or section["id"] == "top" or not numbers, "a section has no command:", section["id"], numbers[:3])
        for elements, words, number in numbers:
            count += 1
            tags = [tag for tag, _ in elements]
            if any((of.get("class") or "") == "peak" for _, of in elements):
                check_peaks(commands, section, elements, number)
                peaks.setdefault(number, True)
                continue
            if section["id"] == "top":
                check(number in every, name, "the head has", number, "which no command prints:", words)
                continue
            if values:
                check(is_in_json(number, values) or number in found, name, section["id"], number, "in", words, "is not in the JSON")
                continue
            # An empty cell is zero; the title of a row over time has its most as well.
            if number in found or number == "0" or ("title" in tags and ", most %s" % number in words):
                continue
            check(False, name, "section", section["id"], "has", number, "in", repr(words), "which none prints of", fixed)
    return count


def main():
    if not shutil.which("zstd") or not shutil.which("jq"):
        print("skipped: no zstd, or no jq")
        sys.exit(77)
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
