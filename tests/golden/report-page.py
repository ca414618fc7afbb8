#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""report-page.py CTPROF SNAPSHOTS: pages of `ctprof report`, read by a parser of HTML that is not ours, and opened in
Chromium if it is installed: in each page the policy names the script and the styles by their hashes, everything else is
harmless, and the overview has the words of the terminal; Chromium requests nothing, complains about nothing, and runs the
script, at three widths."""
import base64
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import browser
import pages
from pages import HERE, Page, check, recorded_cpu, WINDOWS

CTPROF, SNAPSHOTS = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
WIDTHS = (360, 900, 1600)


def run(*arguments):
    return pages.run(CTPROF, *arguments)


def named(text):
    return "'sha256-%s'" % base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def check_policy(page):
    scripts, styles = page.of("script", type=None), page.of("style")
    check(len(scripts) == 1 and len(styles) == 2, len(scripts), "scripts", len(styles), "styles")
    parts = dict(part.strip().split(" ", 1) for part in page.policy.split(";"))
    check(parts["default-src"] == "'none'", page.policy)
    check(parts["script-src"] == named(scripts[0]), "the script has another hash")
    check(parts["style-src"].split() == [named(style) for style in styles], "a style has another hash")


def check_words(page, files, command):
    """Each line of the terminal is on the page, in this order, and each row of its table."""
    terminal = subprocess.run(
        [CTPROF, command, *files], capture_output=True, encoding="utf-8", check=True,
        env={**os.environ, "LC_ALL": "C.UTF-8", "COLUMNS": "10000"},
    ).stdout.splitlines()
    words = page.of("h1")[0] + "\n" + "".join(text for tag, _, text in page.texts if tag == "pre")
    table = [" ".join(cell for cell in row if cell).split() for row in page.rows[0]] if page.rows else []
    found = [line.split() for line in terminal]
    rows = [row for row in found if row in table]
    check(rows == table, "the table is another one:", rows, table)
    at = 0
    for line in (line for line in terminal if line.split() not in table):
        check(line in words[at:], "not on the page, or not in this order:", line)
        at = words.index(line, at) + len(line)


def luminance(colour):
    digits = colour if len(colour) == 6 else "".join(2 * digit for digit in colour)
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def check_contrast(page):
    """Lines are seen on the area below the first of them, in both schemes."""
    style = next(text for text in page.of("style") if ".area0" in text)
    for scheme in style.split("prefers-color-scheme: dark"):
        colours = dict(re.findall("--([a-z0-9]+): #([0-9a-f]+)", scheme))
        for line in re.findall("[.]line[0-9] {[^}]*stroke: (?:var[(]--|#)([a-z0-9]+)", style):
            low, high = sorted((luminance(colours.get(line, line)), luminance(colours["h2"])))
            check(high + 0.05 >= 2 * (low + 0.05), "a line that is hardly seen:", line, colours)


def check_colours(page, text):
    """What is printed as the same number on both sides has no colour of a change."""
    for tag, attributes, words in page.texts:
        if tag == "td" and attributes.get("class") in ("more", "less"):
            sides = words.replace("*", "").split("→")
            check(len(sides) < 2 or sides[0] != sides[1], "a cell with a colour:", words)
    for step, before, after in re.findall(r'<svg class="f ([dm][1-3])"[^>]*><title>[^<]*\n\S+ ([^→\n]*)→([^,\n]*)', text):
        check(before != after, "a frame with the colour", step, "of", before, after)


def check_experiment(page, directory):
    """Each line of ab-report is on the page, in this order, and each row of its table."""
    terminal = subprocess.run(
        [CTPROF, "ab-report", directory], capture_output=True, encoding="utf-8", check=True,
        env={**os.environ, "LC_ALL": "C.UTF-8", "COLUMNS": "10000"},
    ).stdout.splitlines()
    words = "\n".join(text for tag, _, text in page.texts if tag in ("h1", "h2", "pre"))
    table = [" ".join(row).split() for row in page.rows[0]]
    found = [line.split() for line in terminal if line]
    rows = [row for row in found if row in table]
    check(rows == table and len(rows) > 1, "the table is another one:", rows, table)
    at = 0
    for line in (line for line in terminal if line and line.split() not in table):
        check(line in words[at:], "not on the page, or not in this order:", line)
        at = words.index(line, at) + len(line)
    dots = page.of("circle", class_="rose") + page.of("circle", class_="fell")
    moved = sum(row[-1].startswith("moved") for rows in page.rows[:2] for row in rows)
    check(len(dots) == moved + 2, "dots:", len(dots), "rows that moved:", moved, "and two in the key")
    units = len(json.loads(run("ab-report", directory, "-f", "json"))["units"])
    signs = len(page.of("g"))
    check(signs == units * (len(page.rows[0]) - 1), signs, "signs of", units, "units")


def check_recording(page):
    history = json.loads(page.of("script", id="history")[0])
    check(len(history["columns"]) == WINDOWS, len(history["columns"]), "columns")
    check(all(column[1] - column[0] == 10 for column in history["columns"]), history["columns"])
    cpu = history["aspects"]["cpu"]["rows"]
    check(cpu[history["groups"].index("busy")] == [recorded_cpu(i) for i in range(WINDOWS)], "CPU time of busy:", cpu)
    check(len(cpu) == len(history["groups"]) + 1 and not any(cpu[-1]), "others:", cpu[-1])
    # One group has no value at all, so that the host lacks it in each window.
    for name, marks in (("pool", [[pages.PARTIAL_AT, pages.PARTIAL_AT]]), ("busy", []), (None, [[0, WINDOWS - 1]])):
        row = history["groups"].index(name) if name else -1
        found = [history["aspects"]["cpu"][key][row] for key in ("partial", "means_partial")]
        check(found == [marks, bool(marks)], "marks of", name, found)
    notes = " ".join(page.of("p"))
    check("12 windows in 12 columns" in notes and "1 gap of 60.000s has no window" in notes, notes)
    lines = len(page.of("svg", class_="time lines"))
    check(lines >= 3 and page.of("path", class_="gap"), lines, "panels")
    pressure = [row for rows in page.rows for row in rows if row[0].startswith("pressure")]
    check(len(pressure) == 1 and pressure[0][-2] == "687.500ms/s25.000ms/s", "pressure of 0 to 5.5 s in 8 s, and of 0.2 s:", pressure)
    check("Zero all the time: pressure of memory." in page.of("p"), "no word of memory")
    busy = [row for rows in page.rows for row in rows if row[0] == "busy" and row[-1].startswith("2026-")]
    check(busy and busy[0][-2:] == ["70", "2026-01-01T00:10:40Z..00:10:50Z"], "the most of busy, and its range:", busy)


def check_job(page, operand, directory):
    """The lines of plot, a panel for each of its series, and a band for each process that used anything."""
    terminal = run("plot", operand, "--size", "400x40").splitlines()
    check(page.of("h1") == [terminal[0]], page.of("h1"), terminal[0])
    check(terminal[1] in page.of("pre", class_="lines")[0], terminal[1])
    with open(os.path.join(directory, "usage.jsonl"), encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    names = page.of("li")
    for key, unit in (("pcpu", " %"), ("rss", " MB")):
        used = {}
        for record in records[1:]:
            for pid, values in record["processes"].items():
                used[pid] = max(used.get(pid, 0), values[key])
        own = {text.split()[0] for text in names if unit in text.split(": most ")[-1]}
        others = [int(text.split()[0]) for text in names if "other processes" in text]
        used = {pid: value for pid, value in used.items() if value > 0}
        check(len(own) == min(len(used), 7) and own <= set(used), own, "of", used)
        check(not others or len(used) - 7 in others, others, len(used))
    for line in terminal:
        found = re.match(r"(?:CPU|memory|tasks|storage)\s+(.*?)(?:  host: .*)?$", line)
        for label, value in re.findall(r"(\S+), max (\S+(?: \S+)?)", found.group(1)) if found else []:
            check(any(label in row[0] and value in row[-1] for row in page.rows[0]), "not in a row:", label, value, page.rows[0])
    most = max(record["totals"]["pcpu"] for record in records)
    check("%.1f %%" % most in "".join(row[-1] for row in page.rows[0]), most, page.rows[0])


PROBE = """(() => {
const body = document.documentElement;
const head = document.querySelector("table.rows thead button");
if (head) { head.click(); head.click(); }
const frame = document.querySelectorAll("svg.icicle > svg.f")[1];
if (frame) frame.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", bubbles: true}));
const wide = body.scrollWidth > innerWidth;
const table = document.querySelector("table.sorted");
const column = table && [...table.tHead.rows[0].cells].findIndex((cell) => cell.textContent === "CHANGE");
if (table) table.tHead.rows[0].cells[column].querySelector("button").click();
const chart = document.querySelector("svg.titled");
if (chart) chart.dispatchEvent(new FocusEvent("focusin", {bubbles: true}));
const boxes = (svg) => [...svg.querySelectorAll("text")].map((text) => text.getBoundingClientRect()).filter((box) => box.width).sort((a, b) => a.left - b.left);
const crowded = [...document.querySelectorAll("svg.bar:has(.tick), .effects thead svg")].some((svg) => boxes(svg).some((box, at, all) => at && all[at - 1].right > box.left));
const sliders = document.querySelectorAll("#picked input");
const pickedNow = () => ({head: [...document.querySelectorAll("#picked thead th")].map((cell) => cell.textContent),
  commands: [...document.querySelectorAll("#picked code")].map((code) => code.textContent),
  rows: [...document.querySelectorAll("#picked tbody tr")].map((row) => [...row.cells].map((cell) => cell.textContent))});
const whole = sliders.length ? pickedNow() : null;
sliders.forEach((slider, at) => { slider.value = [2, 4][at]; slider.dispatchEvent(new Event("input")); });
const range = sliders.length ? pickedNow() : null;
const peak = document.querySelector(".peak");
if (peak) peak.click();
/* A key is on the line of its name. */
const apart = [...document.querySelectorAll(".history th .key")].some((key) => {
  const name = document.createRange(); name.selectNode(key.nextSibling);
  return [...name.getClientRects()].some((box) => box.width > 4 && box.top > key.getBoundingClientRect().bottom);
});
/* Lines that are broken go on to the right of where they begin. */
const hanging = [...document.querySelectorAll("pre.lines > span")].every((line) => {
  const parts = document.createRange(); parts.selectNodeContents(line);
  const boxes = [...parts.getClientRects()].filter((box) => box.width > 1);
  return boxes.every((box) => box.top < boxes[0].bottom || box.left > boxes[0].left + 8);
});
return {wide, crowded, apart, hanging, width: innerWidth,
  buttons: document.querySelectorAll(".command button").length, commands: document.querySelectorAll(".command").length,
  sorted: head ? [...document.querySelector("table.rows").tBodies[0].rows].map((row) => row.cells[0].textContent) : null,
  frames: document.querySelectorAll("svg.icicle > svg[tabindex]").length,
  cells: table ? [...table.tBodies[0].rows].map((row) => Number(row.cells[column].dataset.v)) : null,
  whole, range, peak: peak ? [pickedNow(), peak.dataset.range] : null,
  titled: chart && chart.querySelector("title") ? document.getElementById("status").textContent : null,
  zoomed: frame ? frame.getAttribute("width") : null};
})()"""


def write_page(text, place):
    path = os.path.join(place, "page.html")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def check_opened(chromium, text, place):
    """Opens a page at three widths. Returns what its script made of it at the last one."""
    path = write_page(text, place)
    for width in WIDTHS:
        with chromium.open(path, width=width) as opened:
            seen = opened.run(PROBE)
            check(not opened.requests(), "requests:", opened.requests())
            check(not opened.complaints(), "the console:", opened.complaints())
        check(seen["width"] == width, seen["width"], "and not", width)
        check(seen["buttons"] >= seen["commands"] > 0, seen)
        check(not seen["wide"], "wider than the window of", width, seen)
        check(not seen["apart"], "the name of a line is not beside it:", seen)
        check(not seen["crowded"], "labels of an axis overlap:", seen)
        check(seen["hanging"], "a line goes on at its begin:", width)
        check(seen["frames"] == len(re.findall('<svg class="f [a-z0-9]+" x=', text)), seen)
        if seen["sorted"]:
            check(sorted(seen["sorted"]) == seen["sorted"], "sorted by its first column:", seen)
        if seen["cells"]:
            check(seen["cells"] == sorted(seen["cells"], reverse=True), "sorted by numbers:", seen)
        check(seen["titled"] is None or seen["titled"], "no line says what has the focus", seen)
        if seen["zoomed"]:
            check(float(seen["zoomed"].rstrip("%")) > 99.9, seen)
    return seen


def check_refused(chromium, text, place):
    """The policy refuses what is put into a page: a script, a handler, a style, and an image from elsewhere."""
    injected = '<script>document.title = "ran"</script><b id="b" style="color: rgb(1, 2, 3)">b</b><img src="http://127.0.0.1:9/x.png" onerror="document.title=1">'
    with chromium.open(write_page(text.replace("</main>", injected + "</main>"), place)) as opened:
        check(opened.run("document.title").startswith("ctprof: "), "an injected script ran")
        check(opened.run("getComputedStyle(document.getElementById('b')).color") != "rgb(1, 2, 3)", "an injected style holds")
        check(not any(address.startswith("http") and event for address, event in opened.sent()), "a request was sent")
        check(len(opened.complaints()) >= 3, "the policy refused only", opened.complaints())


def check_without_script(chromium, text, place):
    with chromium.open(write_page(text, place), script=False) as opened:
        check(opened.run("document.querySelectorAll('.command code').length") > 1, "there are no commands without a script")
        check(opened.run("document.querySelectorAll('button').length") == 0, "a script ran")


def check_printed(chromium, text, place):
    """On paper no word is beyond the margin."""
    if not shutil.which("pdftotext"):
        print("no pdftotext, so no page was printed")
        return
    paths = [os.path.join(place, name) for name in ("page.html", "page.pdf", "page.bbox")]
    with chromium.open(write_page(text, place)) as opened:
        opened.printed(paths[1])
    subprocess.run(["pdftotext", "-bbox", paths[1], paths[2]], check=True)
    with open(paths[2], encoding="utf-8") as file:
        printed = file.read()
    margin = 12 / 25.4 * 72
    width = float(re.search('<page width="([0-9.]+)"', printed).group(1))
    words = re.findall('<word xMin="([0-9.]+)" yMin="[0-9.]+" xMax="([0-9.]+)" yMax="[0-9.]+">(.*?)</word>', printed)
    check(len(words) > 50, len(words), "words on paper")
    for left, right, word in words:
        check(float(left) >= margin - 1 and float(right) <= width - margin + 1, word, "is beyond the margin:", left, right, "of", width)


def numbers_of(command):
    """The rows of a command line of the page by their group. Cells may be empty: each ends below the end of its heading, or one column
    before it where others have a mark."""
    words = ["show"] + shlex.split(command)[2:]
    lines = [line for line in run(*words).splitlines() if line]
    at = next(at for at, line in enumerate(lines) if line.split()[0] in ("pcomm", "host"))
    ends = {heading.end() - less: heading.group() for heading in list(re.finditer(r"\S+", lines[at]))[1:] for less in (0, 1)}
    rows = {}
    for line in lines[at + 1 :]:
        cells = {ends[cell.end()]: cell for cell in re.finditer(r"\S+", line) if cell.end() in ends}
        if "threads" in cells:
            name = re.match(r"\S+", line).group()
            rows.setdefault(name, {**dict.fromkeys(ends.values(), ""), **{heading: cell.group() for heading, cell in cells.items()}})
    return rows


def check_picked(picked, is_about):
    """The table of a picked range has the numbers of the commands beside it: all of them of one column and of all, else those of CPU
    time to a hundredth."""
    groups, host = (numbers_of(command) for command in picked["commands"])
    names = {**groups, "all groups together": next(iter(host.values()))}
    check(picked["head"][0] == ("group, about the mean of the range" if is_about else "group, mean of the range"), picked["head"])
    count = 0
    for name, *cells in picked["rows"]:
        for heading, cell in zip(picked["head"][1:], cells):
            want = names.get(name, {}).get(heading, "-")
            if not is_about:
                # A group without a row did nothing, and what is known of no group has no column.
                check((want == "-" and cell == "") or cell == want or {cell, want} == {"", "0"}, "picked", picked["commands"], "has", name, heading, repr(cell), "and not", repr(want))
            elif heading == "CPU%" and want not in ("", "-") and cell != "-":
                numbers = [float(text.rstrip("*")) for text in (cell, want)]
                check(abs(numbers[0] - numbers[1]) <= 0.051 + numbers[1] / 100, name, cell, want)
                check(cell.endswith("*") == want.endswith("*"), name, "has a mark:", cell, want)
            count += bool(cell)
    check(count > 5, "hardly a number in", picked)


def check_range(seen):
    """The most of a row picks its column."""
    check("@2026-01-01T00:10:20Z..2026-01-01T00:10:50Z" in seen["range"]["commands"][0], seen["range"])
    check({row[0]: row for row in seen["range"]["rows"]}["busy"][1] == "55", seen["range"])
    picked, data = seen["peak"]
    check("@" + data in picked["commands"][0], "the most of a row picks", picked, "and not", data)
    check_picked(seen["whole"], False)
    check_picked(seen["range"], True)
    check_picked(picked, False)


def check_kind(name, page, operands, text):
    if name in ("snapshot", "window", "interval", "windows", "hostile", "two hostile"):
        json.loads(page.of("script", id="rows")[0])
        check_colours(page, text)
        said = "- is not known" in "".join(page.of("p", class_="keys"))
        check(said == bool(page.of("table", class_="rows")), "empty cells are explained:", said)
    elif name == "experiment":
        check_experiment(page, *operands)
        blocks = Page(run("report", *operands, "-f", "svg", "--chart", "blocks", "-o", "-"))
        check(blocks.of("text")[1:3] == ["A", "B"], "the arms have no key:", blocks.of("text"))
    elif name == "recording":
        check_recording(page)
        lines = Page(run("report", *operands, "-f", "svg", "--chart", "lines", "-o", "-")).of("text")
        check({"cpu", "io"} <= set(lines), "lines have no key:", lines)
    elif name == "job":
        words, names = " ".join(page.of("p")), page.of("li")
        check("are the mean in the series, at most 80.0 %." in words, words)
        check("are the RSS in the series, at most 3.0 kB, without the 9.0 kB of the first record" in words, words)
        check([text.split(": most ")[-1] for text in names[:2]] == ["60.0 %", "20.0 %"] and "no sample saw" in names[2], names)
    elif name in ("duct", "many processes"):
        check_job(page, operands[0], os.path.join(HERE, "duct", operands[0].split("/")[0]))
        check_contrast(page)


def check_kinds(kinds, chromium, place):
    for name, (operands, command) in kinds.items():
        text = run("report", *operands, "-o", "-")
        page = Page(text)
        check_policy(page)
        if command:
            check_words(page, operands, command)
        check_kind(name, page, operands, text)
        if not chromium:
            continue
        seen = check_opened(chromium, text, place)
        if name == "recording":
            check_range(seen)
        if name in ("windows", "experiment", "recording", "job"):
            check_printed(chromium, text, place)
            check_refused(chromium, text, place)
            check_without_script(chromium, text, place)


def main():
    if not shutil.which("zstd"):
        print("skipped: no zstd")
        sys.exit(77)
    program = browser.find()
    if os.environ.get("ASAN_OPTIONS") and not os.environ.get("REPORT_PAGE_BROWSER"):
        program = None
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        kinds = pages.make_all(SNAPSHOTS)
        if program:
            with browser.Browser(program, place) as chromium:
                check_kinds(kinds, chromium, place)
        else:
            check_kinds(kinds, None, place)
            print("pages are well; no chromium, so none was opened")


main()
