#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""formats.py CTPROF NAME=FILE...: all formats say the same, cell by cell, for many sets of options.

CSV, JSON and NDJSON have the same values to the letter. The table is what Markdown's cells give when they are laid out
anew. And the cells of both are the machines' values, formatted here by the ladders as they are documented.
"""
import csv
import io
import json
import re
import subprocess
import sys
import unicodedata

ALL_COLUMNS = {
    "show": "group,threads,metric,section,type,unit,value,impact,coverage,seen,partial,missing_inputs,marks,mean,error,tags,uptime,p50,p90,p99,max,"
            "busiest,variation",
    "compare": "group,threads,metric,section,type,unit,baseline,candidate,delta,%,impact,coverage,seen,partial,missing_inputs,marks,mean,error,tags,uptime,"
               "p50,p90,p99,max,busiest,variation",
}
DISPLAY = {"full": "baseline,candidate,delta,%", "delta-only": "delta,%", "no-pct": "baseline,candidate,delta",
           "arrow": "arrow,delta,%,uptime", "pct-only": "%"}
SPREAD = ["p50", "p90", "p99", "max", "busiest", "variation"]
LADDERS = {
    "count": ("", [(1e3, "K"), (1e6, "M"), (1e9, "G")]),
    "ns": ("ns", [(1e3, "µs"), (1e6, "ms"), (1e9, "s")]),
    "us": ("µs", [(1e3, "ms"), (1e6, "s")]),
    "ticks": ("ticks", [(1e3, "Kticks"), (1e6, "Mticks")]),
    "bytes": ("B", [(1024, "KiB"), (1024**2, "MiB"), (1024**3, "GiB"), (1024**4, "TiB")]),
    "ratio": ("", []), "": ("", []), "percent": ("%", []),
}
# The divisor of a value, behind the unit's name, and in a table behind the value.
PER = {"": "", "/s": "/s", "/thread": "/thread", "/cpu-second": "/CPU-s"}
THREAD_SECTIONS = ("primary", "taskstats-delay", "derived", "cpu", "state")
INDENT = 2


# Clock ticks are time in tables; the frequency of the baseline, None if it has none.
ticks_per_second = None


class Literal(str):
    """A number as it is written, which may be more than a double holds."""


def load(text):
    return json.loads(text, parse_int=Literal, parse_float=Literal)


def number(literal):
    return int(literal) if re.fullmatch(r"-?\d+", literal) else float(literal)


class Failure(Exception):
    pass


class Pattern(str):
    """A regular expression; other texts stand for themselves. There are too many of them to compile each."""


def check(condition, *what):
    if not condition:
        raise Failure(" ".join(str(part) for part in what))


def same_list(what, left, right):
    check(len(left) == len(right), what, "have", len(left), "and", len(right), "entries:", left[-1:], right[-1:])
    for index, (a, b) in enumerate(zip(left, right)):
        if a != b:
            raise Failure(f"{what} differ in entry {index}: {a!r} {b!r}")


# ---- machine formats


def machine_text(value):
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


NUMBER = r"[+-]?[0-9]+([.][0-9]+)?"


def spreadsheet_text(text):
    """A text of CSV in which no spreadsheet finds a formula: where a cell may begin, and does with one, is a quote."""
    if re.fullmatch(NUMBER + r"([.][.]" + NUMBER + ")?", text):
        return text
    return re.sub(r"(^|(?<=[,;|\t]))(?=[ ']*[-=+@\t\r\n\uff1d\uff0b\uff0d\uff20])", "'", text)


def csv_cell(value):
    return spreadsheet_text(value) if isinstance(value, str) and type(value) is str else machine_text(value)


def read_machine(run):
    """The rows of JSON, after it was found to be the same as the other two."""
    rows = load(run("json"))["rows"]
    lines = run("ndjson").split("\n")
    check(lines.pop() == "", "NDJSON does not end in a newline")
    parsed = load("[" + ",".join(lines) + "]")
    check(len(parsed) == len(lines) and all(isinstance(row, dict) for row in parsed), "a line of NDJSON is no object")
    same_list("rows of JSON and NDJSON", [list(row.items()) for row in rows], [list(row.items()) for row in parsed])
    for options, cell in ((), csv_cell), (("--csv-raw",), machine_text):
        text = run("csv", options)
        table = list(csv.reader(io.StringIO(text, newline=""), strict=True))
        check(text.count("\n") == len(table), "CSV has rows of several lines")
        if rows:
            same_list("columns of CSV and JSON", table[0], list(rows[0]))
        same_list("rows of CSV and JSON", table[1:], [[cell(value) for value in row.values()] for row in rows])
    return rows


# ---- cells, by the ladders


def split_unit(unit):
    name, slash, rest = unit.partition("/")
    return name, slash + rest


def scaled(unit, literal, sign="", exact=False):
    if literal is None:
        return "-"
    unit, per = split_unit(unit)
    return scaled_alone(unit, literal, sign, exact) + PER[per]


def scaled_alone(unit, literal, sign, exact):
    value = number(literal)
    if unit == "ticks" and ticks_per_second:
        unit, value = "ns", value * 1e9 / ticks_per_second
    suffix, steps = LADDERS[unit]
    reached = [step for step in steps if abs(value) >= step[0]]
    if reached:
        return f"{value / reached[-1][0]:{sign}.3f}{reached[-1][1]}"
    if not exact and value == int(value):
        return f"{int(value):{sign}d}{suffix}"
    return f"{value:{sign}.{2 if exact and unit != 'ratio' else 3}f}{suffix}"


def cpu_count(ranges):
    ends = [part.split("-") for part in ranges.split(",") if part]
    return sum(int(end[-1]) - int(end[0]) + 1 for end in ends)


def value_cells(row, name, side, rules):
    """What may stand in a cell for a value: a text, or a pattern where machines are told less."""
    value = row[name]
    if value is None:
        return "-"
    rule = rules.get(row["metric"], "derived")
    seen = row["coverage" + side]
    star = seen is not None and 0 < int(seen) < int(row["threads" + side]) and row["metric"] not in ("nr_threads", "rss_bytes", "vsize_bytes", "mem_percent")
    star = star or bool(row.get("missing_inputs" + side))
    # The zero of a group that was not in a window, some threads of which nobody saw; a sum without the exited threads of a process.
    star = star or str(row["partial" + side]).lower() == "true"
    if rule == "mode":
        text = re.escape(value) + rf"( \(\d+/{seen}\))?"
    elif rule == "affinity" and value.startswith("mixed:"):
        low, high = value[6:].split("..")
        text = re.escape(f"{low if low == high else low + '-' + high} cpu{'s' * (high != '1')} (mixed)")
    elif rule == "affinity":
        text = re.escape(f"{cpu_count(value)} cpu{'s' * (cpu_count(value) != 1)} ({value})")
    elif rule == "range":
        text = re.escape(value)
    else:
        text = re.escape(scaled(row["unit"], value, exact=row["type"] == "derived"))
    before = "§?" if "began_before" in (row.get("marks") or "").split() else ""
    return Pattern(text + (r"\*" if star else "") + before)


def unit_of_one(row):
    """A thread's own value is per second or as it is."""
    unit, per = split_unit(row["unit"])
    return unit + (per if per == "/s" else "")


def error_of(row, side):
    error, value = row["error" + side], row[{"": "value", "_baseline": "baseline", "_candidate": "candidate"}[side]]
    return scaled(row["unit"], error, exact=row["type"] == "derived") if error and number(error) > abs(number(value)) / 100 else ""


def error_cell(row, command):
    if command == "show":
        return error_of(row, "")
    left, right = error_of(row, "_baseline"), error_of(row, "_candidate")
    return left if left == right else f"{left or '-'}→{right or '-'}"


def spread_cell(row, column, side):
    literal = row[column + side]
    if literal is None:
        return "-"
    if column == "busiest":
        return f"{100 * float(literal):.1f}%"
    if column == "variation":
        return f"{float(literal):.2f}"
    return scaled(unit_of_one(row), literal, exact=row["type"] == "derived")


def one_side(row, column, side):
    if column == "threads":
        return row["threads" + side] or "-"
    if column in ("seen", "partial"):
        return "yes" if row[column + side] else "no"
    if column == "missing_inputs":
        return row[column + side] or "-"
    if column == "mean":
        return scaled(unit_of_one(row), row["mean" + side], exact=True)
    if column == "coverage":
        seen = row["coverage" + side]
        return "-" if seen is None else Pattern(seen + r"/\d+")
    return spread_cell(row, column, side)


def alternatives(pattern):
    return str(pattern) if isinstance(pattern, Pattern) else re.escape(pattern)


def expected_cell(row, column, command, rules):
    """A pattern for the cell of a column."""
    if column in ("metric", "section", "type", "unit"):
        return re.escape(row[column])
    if column == "marks":
        return re.escape(row[column] or "-")
    if column == "tags":
        return re.escape(row["tags"] or "-")
    if column in ("value", "baseline", "candidate"):
        return alternatives(value_cells(row, column, "" if column == "value" else "_" + column, rules))
    if column == "arrow":
        return " → ".join(expected_cell(row, side, command, rules) for side in ("baseline", "candidate"))
    if column == "delta":
        if row["delta"] in ("same", "differs"):
            return row["delta"]
        if row["delta"] is None:
            return r"-‡?¶?\*?"
        if rules.get(row["metric"]) in ("range", "affinity") and number(row["delta"]) == 0 and \
                row["baseline"] != row["candidate"]:
            return "differs"
        marks = (row.get("marks") or "").split()
        differently = ("¶" if "measured_differently" in marks else "") + ("*" if "partial_delta" in marks else "")
        # Values have the same word.
        began = "§?" if "began_before" in marks and "interval" in marks else ""
        return re.escape(scaled(row["unit"], row["delta"], "+", row["type"] == "derived") + differently) + began
    if column == "%":
        if row["percent"] is None:
            return "-"
        percent = float(row["percent"])
        return re.escape("<0.1%" if 0 < abs(percent) < 0.05 else f"{percent:+.1f}%")
    if column == "impact":
        return "-" if row["impact"] is None else re.escape(f"{100 * float(row['impact']):.1f}%")
    if column == "uptime":
        share = row["uptime" if command == "show" else "uptime_candidate"]
        return "-" if share is None else f"{float(share):.0f}%"
    if column == "error":
        return re.escape(error_cell(row, command))
    mark = "†?" if column == "threads" and command == "compare" else ""
    for word, side in (("new", "_candidate"), ("gone", "_baseline")):
        if column == "threads" and word in (row.get("marks") or "").split():
            return f"{word} {row[column + side]}"
    if command == "show":
        return alternatives(one_side(row, column, "")) + mark
    left, right = (one_side(row, column, side) for side in ("_baseline", "_candidate"))
    if left == right and column != "coverage":
        return alternatives(left) + mark
    together = f"{alternatives(left)}→{alternatives(right)}"
    return (f"({alternatives(left)}|{together})" if left == right else together) + mark


# ---- the table and Markdown


def split_markdown(line):
    if "\\" not in line and "&" not in line:
        cells = line.split("|")
        check(cells[0] == "" and cells[-1] == "", "a row of Markdown without bars:", line)
        check(all(cell[:1] == " " and cell[-1:] == " " for cell in cells[1:-1]), "a cell of Markdown without blanks:", line)
        return [cell[1:-1] for cell in cells[1:-1]]
    # Escaped bars become a number first, so that every bar that is left divides.
    cells = re.sub(r"\\(.)", lambda match: f"\\{ord(match[1])};", line).split("|")
    check(cells[0] == "" and cells[-1] == "", "a row of Markdown without bars:", line)
    back = [re.sub(r"\\(\d+);", lambda match: chr(int(match[1])), cell.replace("&nbsp;", " ")) for cell in cells[1:-1]]
    check(all(cell[:1] == " " and cell[-1:] == " " for cell in back), "a cell of Markdown without blanks:", line)
    return [cell[1:-1] for cell in back]


def read_markdown(text):
    """Lines of text, and lists for tables: headings, alignments, rows."""
    parts = []
    fenced = False
    for line in text.split("\n"):
        if line == "```":
            fenced = not fenced
        elif line.startswith("|") and not fenced:
            if not parts or isinstance(parts[-1], str):
                parts.append([])
            parts[-1].append(split_markdown(line))
        elif line != "":
            parts.append(line)
        elif parts and not isinstance(parts[-1], str):
            parts.append("")
    check(not fenced, "a block of code is not closed")
    return parts


def width(text):
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def laid_out(table, tree):
    headings, marks, rows = table[0], table[1], table[2:]
    same_list("alignments", [mark in ("---", "---:") for mark in marks], [True] * len(headings))
    check(all(len(row) == len(headings) for row in rows), "rows of Markdown have other numbers of cells")
    whole = [tree and not any(row[1:]) for row in rows]
    widths = [max([width(headings[c])] + [width(row[c]) for row, alone in zip(rows, whole) if not alone])
              for c in range(len(headings))]
    for row, alone in zip([headings] + rows, [False] + whole):
        # Nothing stands behind the last text of a line.
        last = 0 if alone else max(c for c, cell in enumerate(row) if cell.strip(" ") or c == 0)
        gaps = [" " * (widths[c] - width(cell)) for c, cell in enumerate(row)]
        yield " ".join(gaps[c] + cell if marks[c] == "---:" and not alone else cell + (gaps[c] if c < last else "")
                       for c, cell in enumerate(row[:last + 1]))


def read_tables(run, tree):
    """The first table's headings and rows, after the table was found to be Markdown laid out."""
    parts = read_markdown(run("markdown"))
    lines = []
    for part in parts:
        lines += [part] if isinstance(part, str) else laid_out(part, tree)
    printed = [line for line in run("table").split("\n") if line != ""]
    same_list("lines of the table and of Markdown", printed, [line for line in lines if line != ""])
    tables = [part for part in parts if not isinstance(part, str)]
    return tables[0] if tables else [[], []]


# ---- both


def tree_lines(rows):
    """Rows as the tree has them, with their headings: a branch stands where its first row would, behind the rows of its
    own level."""
    def segments(row):
        if row["cgroup"] is None:
            return []
        path = row["cgroup"]
        parts = ["/"] if path == "/" else ["/" + part for part in path[1:].split("/")]
        return parts + ["\0" + row["pcomm"]]

    def level(rows, depth):
        branches = {}
        for row in rows:
            below = segments(row)
            if len(below) == depth:
                yield depth, row
            else:
                branches.setdefault(below[depth], []).append(row)
        for name, inside in branches.items():
            yield depth, name.lstrip("\0")
            yield from level(inside, depth + 1)

    return list(level(rows, 0))


def leaf(path):
    return path.rsplit("/", 1)[-1]


def group_cells(row, keys, tree):
    if len(keys) == 1 or tree and row["cgroup"] is None:
        return [row["group"]]
    if row[keys[0]] is None:
        return [row["group"]] + [""] * (len(keys) - 1)
    mark = ""
    if row.get("renamed"):
        segment = leaf(row["renamed"])
        if segment == leaf(row["cgroup"]):
            pairs = zip(row["renamed"].split("/"), row["cgroup"].split("/"))
            segment = next(new for new, old in pairs if new != old)
        mark = f" [renamed: {segment}]"
    if tree:
        return [row["comm"] + mark]
    return [row[key] + mark if key == "cgroup" else row[key] for key in keys]


def check_cells(table, rows, columns, keys, tree, command, rules):
    lines = tree_lines(rows) if tree else [(0, row) for row in rows]
    printed = table[2:]
    check(len(printed) == len(lines), "the table has", len(printed), "lines for", len(lines))
    for cells, (depth, row) in zip(printed, lines):
        if isinstance(row, str):
            check(cells[0] == " " * INDENT * depth + row and not any(cells[1:]), "heading", cells, "is not", depth, row)
            continue
        at = 0
        for column in columns:
            if column == "group":
                want = group_cells(row, keys, tree)
                have = cells[at:at + len(want)]
                want[0] = " " * INDENT * depth + want[0]
                check(have == want, "the groups", have, "are not", want)
                at += len(want)
                continue
            if column == "sorted":
                at += 1
                continue
            pattern = expected_cell(row, column, command, rules)
            # Most patterns are a text, or a text and perhaps a mark.
            text = re.escape(cells[at])
            is_text = pattern in (text, text + "†?") or pattern == text[:-1] + "†?" and text[-1:] == "†"
            if not is_text and not re.fullmatch(pattern, cells[at]):
                raise Failure(f"{column} of {row['group']} {row['metric']} is {cells[at]!r} and not like {pattern}")
            at += 1
        check(at == len(cells), "there are", len(cells), "cells for", at)


def is_visible(row, rules):
    """Whether a list for people has the row: not if it reads as no change."""
    rule = rules.get(row["metric"], "derived")
    both = row["baseline"] is not None and row["candidate"] is not None
    if rule == "mode":
        return row["delta"] != "same"
    if rule in ("range", "affinity"):
        return True  # those that are equal are in no format
    if rule == "min" and not both:
        return False
    if row["delta"] is None:
        return True
    marks = (row.get("marks") or "").split()
    if "interval" in marks and "partial_delta" in marks:
        return True
    interval = "interval" in marks or row["group"] == "(exited threads)"
    unscaled = scaled_alone(split_unit(row["unit"])[0], row["delta"], "+", row["type"] == "derived")
    return re.search("[1-9]", unscaled) is not None and \
        (interval or row["percent"] is None or abs(float(row["percent"])) >= 0.05)


def table_columns(command, options):
    if "--columns" in options:
        columns = options[options.index("--columns") + 1].split(",")
    elif command == "show":
        columns = ["group", "threads", "metric", "value"]
    else:
        display = options[options.index("--display") + 1] if "--display" in options else "full"
        columns = ["group", "threads", "metric"] + DISPLAY[display].split(",")
    if "--spread" in options:
        columns += [column for column in SPREAD if column not in columns]
    if "--sort-by" in options and "--columns" not in options:
        columns.append("sorted")
    return ["%" if column == "percent" else column for column in columns]


class Tester:
    def __init__(self, ctprof, files):
        self.ctprof = ctprof
        self.files = files
        registry = json.loads(self.output("metric-list", "--format", "json"))
        self.rules = {metric["name"]: metric["rule"] for metric in registry["metrics"]}
        self.rows = 0

    def output(self, *arguments):
        return subprocess.run([self.ctprof, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True,
                              encoding="utf-8").stdout

    def check(self, command, names, options):
        global ticks_per_second
        files = [self.files[name] for name in names]
        # The rows below a limit depend on rows that only machine formats have.
        if command == "compare" and {"--limit", "--top"} & set(options) and "--unchanged" not in options:
            options = options + ["--unchanged"]

        def run(form, extra=()):
            limit = () if "--limit" in options else ("--limit", "0")
            # Tables have some sections only when they are asked for.
            asked = () if {"--metrics", "--sections"} & set(options) else ("--sections", "*")
            return self.output(command, "--format", form, "--all-metrics", *limit, *asked, *options, *extra, *files)

        by = options[options.index("--group-by") + 1] if "--group-by" in options else "pcomm"
        if "--explain" in options:
            by = "thread"
        tree = by == "all"
        keys = ["cgroup", "pcomm", "comm"] if tree else re.sub("[:-]", "_", by).split(",")
        rows = read_machine(run)
        # Tables are told by columns that the machine formats have when they are asked.
        full = load(run("json", ("--columns", ALL_COLUMNS[command])))["rows"]
        if "--columns" not in options:
            same_list("rows with and without --columns", [[row["group"], row["metric"]] for row in rows],
                      [[row["group"], row["metric"]] for row in full])
        check(len(rows) == len(full), len(rows), "rows without other columns,", len(full), "with them")
        full = [row for row in full if row["section"] in THREAD_SECTIONS]
        head = load(run("json", ("--limit", "1")))["baseline" if command == "compare" else "snapshot"]
        ticks_per_second = number(head["host"].get("clock_ticks_per_second") or "0")
        if command == "compare" and "--unchanged" not in options and not ("--explain" in options and ":" in options[-1]):
            full = [row for row in full if is_visible(row, self.rules)]
        table = read_tables(run, tree)
        if full:
            check_cells(table, full, table_columns(command, options), keys, tree, command, self.rules)
        self.rows += len(rows)
        return rows


REPORT = ("baseline", "candidate")
FACTS = ("facts-baseline", "facts-candidate")
HOSTILE = ("hostile", "hostile-later")
WINDOWS = ("window-baseline", "window-candidate")
SETS = [
    ("compare", pair, options) for pair in (REPORT, FACTS, HOSTILE) for options in (
        "", "--unchanged", "--group-by all", "--group-by all --unchanged --no-thread-normalize", "--group-by cgroup",
        "--group-by cgroup,comm", "--group-by comm --spread", "--group-by comm-exact --display arrow",
        "--limit 7", "--group-by all --limit 7", "--top 3", "--top 2 --limit 3 --group-by comm", "--order name --limit 40",
        "--display pct-only --order percent", "--sort-by wait_time_ns,run_time_ns:asc --limit 0")
] + [
    ("compare", REPORT, options) for options in (
        "--group-by user,exe,comm --unchanged", "--group-by cgroup:service,cgroup:slice --spread",
        "--group-by cgroup:pod,cgroup:container,thread --unchanged", "--group-by all --spread --no-renames --no-cg-normalize",
        "--group-by cgroup --cgroup-flatten /kubepods*/**", "--group-by all --cgroup-flatten /kubepods*/** --top 4",
        "--where delta>1ms", "--group-by comm --where group~'*web*' --display delta-only", "--min-delta 5ms",
        "--min-percent 480 --display no-pct", "--metrics *csw*,cpu_*,state,policy,nice,cpu_affinity --unchanged",
        "--sections derived,taskstats-delay --group-by exe", "--explain web", "--group-by comm --explain aio-{N}:wait*",
        "--columns arrow,%,group,metric", f"--unchanged --group-by all --columns {ALL_COLUMNS['compare']}",
        f"--group-by user,thread --columns {ALL_COLUMNS['compare']} --order delta")
] + [
    (*what, f"{per} {options}") for what in (("compare", WINDOWS), ("show", WINDOWS[1:]), ("compare", REPORT))
    for per in ("--per total", "--per second", "--per thread", "--per cpu-second") for options in (
        "--group-by comm --spread --sort-by minflt,run_time_ns:asc --limit 60", "--where unit~'ns*' --order delta --limit 30",
        f"--group-by all --limit 100 --columns {ALL_COLUMNS[what[0]]}")
] + [
    ("compare", WINDOWS, options) for options in (
        "", "--unchanged --group-by thread", "--min-delta 10ms", "--min-percent 5 --display arrow",
        "--group-by comm --explain worker-{N}:*csw*", f"--unchanged --group-by comm --columns {ALL_COLUMNS['compare']}")
] + [
    ("show", (name,), options) for name in ("baseline", "candidate", "facts-baseline", "hostile") for options in (
        "", "--group-by all", "--group-by cgroup", "--group-by cgroup,comm --spread", "--group-by comm --limit 7",
        "--top 3 --limit 4", "--where value>1000 --order delta", "--metrics *_delay_*,state,nice --group-by comm-exact",
        f"--group-by user --columns {ALL_COLUMNS['show']}", "--sort-by run_time_ns --group-by exe", "--order name",
        "--group-by thread --sections derived", "--columns metric,value,group --group-by cgroup:slice,comm")
]


def main():
    if len(sys.argv) < 3:
        sys.exit("usage: formats.py CTPROF NAME=FILE...")
    tester = Tester(sys.argv[1], dict(argument.split("=", 1) for argument in sys.argv[2:]))
    for command, names, options in SETS:
        try:
            rows = tester.check(command, names, options.split())
            check(len(rows) > 0, "there are no rows")
        except Failure as failure:
            sys.exit(f"{command} {options} of {names}: {failure}")
    # More than a double holds, to the digit.
    rows = tester.check("show", ("baseline",), ["--group-by", "comm-exact", "--metrics", "rchar"])
    values = {row["group"]: row["value"] for row in rows}
    if values["redis"] != str((1 << 60) + 1):
        sys.exit(f"rchar of redis is {values['redis']}")
    print(f"{len(SETS) + 1} sets of options, {tester.rows} rows agree")


main()
