#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""report-page.py CTPROF SNAPSHOTS: pages of `ctprof report`, read by a parser of HTML that is not ours, and opened in
Chromium if it is installed: in each page the policy names the script and the styles by their hashes, everything else is
harmless, and the overview has the words of the terminal; Chromium requests nothing, complains about nothing, and runs the
script, at three widths."""
import base64
import hashlib
import html.parser
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

CTPROF, SNAPSHOTS = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
HERE = os.path.dirname(os.path.abspath(__file__))
VOID = {"meta", "link", "img", "br", "hr", "input"}
ELEMENTS = set(
    "html head meta title style body main h1 h2 pre p code div ul li table thead tbody tr th td details summary script svg defs g line circle path br "
    "pattern rect text".split()
)
ATTRIBUTES = set(
    "lang charset http-equiv content name id role class scope title type width height x y fill aria-label aria-hidden "
    "patternunits patterntransform xmlns cx cy r x1 x2 y1 y2 transform text-anchor viewbox preserveaspectratio d open font-weight".split()
)


def check(condition, *words):
    if not condition:
        sys.exit("report-page.py: " + " ".join(str(word) for word in words))


class Page(html.parser.HTMLParser):
    """The elements of a page, which must be balanced, and its texts by the innermost element."""

    def __init__(self, text):
        super().__init__()
        self.open, self.texts, self.policy, self.rows = [], [], None, []
        self.feed(text)
        self.close()
        check(not self.open, "open at the end:", self.open)

    def handle_starttag(self, tag, attributes):
        check(tag in ELEMENTS, "an element", tag)
        for name, value in attributes:
            check(name in ATTRIBUTES or name.startswith("data-"), "an attribute", name, "of", tag)
            check(name == "xmlns" or "://" not in (value or "") or name == "title", "an address in", name, value)
        attributes = dict(attributes)
        if attributes.get("http-equiv") == "Content-Security-Policy":
            self.policy = attributes["content"]
        if tag == "table":
            self.rows.append([])
        if tag == "tr":
            self.rows[-1].append([])
        if tag in ("th", "td") and "bars" not in (attributes.get("class") or ""):
            self.rows[-1][-1].append("")
        if tag not in VOID:
            self.texts.append([tag, attributes, ""])
            self.open.append((tag, self.texts[-1]))

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.open.pop()

    def handle_endtag(self, tag):
        check(self.open and self.open[-1][0] == tag, "the end of", tag, "in", [tag for tag, _ in self.open])
        self.open.pop()

    def handle_data(self, data):
        tags = [tag for tag, _ in self.open]
        if self.open:
            self.open[-1][1][2] += data
        if ("th" in tags or "td" in tags) and "svg" not in tags and self.rows[-1][-1]:
            self.rows[-1][-1][-1] += data

    def handle_comment(self, data):
        check(False, "a comment:", data)

    def of(self, tag, **wanted):
        return [text for t, a, text in self.texts if t == tag and all(a.get(k.rstrip("_")) == v for k, v in wanted.items())]


def run(*arguments):
    done = subprocess.run(
        [CTPROF, *arguments], capture_output=True, encoding="utf-8", check=False, env={**os.environ, "LC_ALL": "C.UTF-8"}
    )
    check(done.returncode == 0, arguments, "ends with", done.returncode, done.stderr)
    return done.stdout


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
    words = page.of("h1")[0] + "\n" + "".join(page.of("pre", class_="lines"))
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
    host = page.rows[0][0].index("HOST")
    table = [" ".join(cell for i, cell in enumerate(row) if i != host).split() for row in page.rows[0]]
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


WINDOWS, GAP_AT, SECOND = 12, 6, 10**9


def recorded_cpu(window):
    """CPU% of the group busy in a window of the recording."""
    return 10 + 15 * (window % 5)


def make_recording(directory):
    """Windows of 10 s that follow one another, with a minute behind the sixth of which there is none."""
    with open(os.path.join(SNAPSHOTS, "window-baseline.json"), encoding="utf-8") as file:
        window = json.load(file)
    window["threads"] = [row for row in window["threads"] if row["window_part"] == "continued"]
    os.mkdir(directory)
    with open(os.path.join(directory, "20260101T001000Z.ctprof.zst"), "wb") as out:
        for i in range(WINDOWS):
            at = (10 * i + (60 if i >= GAP_AT else 0)) * SECOND
            window["window"].update(begin_unix_ns=1767226200 * SECOND + at, begin_boottime_ns=600 * SECOND + at, length_ns=10 * SECOND)
            window.update(captured_at_unix_ns=1767226210 * SECOND + at, captured_boottime_ns=610 * SECOND + at)
            window["psi"] = {
                key: {"some": {"avg10": 0, "avg60": 0, "avg300": 0, "total_usec": usec}} for key, usec in (("cpu", 500000 * i), ("io", 200000))
            }
            for row in window["threads"]:
                row.update(interval_ns=10 * SECOND, read_boottime_ns=610 * SECOND + at)
                if row["pcomm"] == "busy":
                    row["run_time_ns"] = recorded_cpu(i) * SECOND // 10
            packed = subprocess.run(["zstd", "-q", "-c"], input=json.dumps(window, separators=(",", ":")).encode(), capture_output=True, check=True)
            out.write(packed.stdout)


def check_recording(page):
    history = json.loads(page.of("script", id="history")[0])
    check(len(history["columns"]) == WINDOWS, len(history["columns"]), "columns")
    check(all(column[1] - column[0] == 10 for column in history["columns"]), history["columns"])
    cpu = history["aspects"]["cpu"]["rows"]
    check(cpu[history["groups"].index("busy")] == [recorded_cpu(i) for i in range(WINDOWS)], "CPU time of busy:", cpu)
    check(len(cpu) == len(history["groups"]) and not any(cpu[-1]), "others:", cpu[-1])
    notes = " ".join(page.of("p"))
    check("12 windows in 12 columns" in notes and "1 gap of 60.000s has no window" in notes, notes)
    lines = len(page.of("svg", class_="time lines"))
    check(lines >= 3 and page.of("path", class_="gap"), lines, "panels")
    pressure = [row for rows in page.rows for row in rows if row[0].startswith("pressure")]
    check(len(pressure) == 1 and pressure[0][-1] == "55%2.0%", "pressure of 0 to 5.5 s in 10 s, and of 0.2 s:", pressure)


def check_job(page, directory):
    """The lines of plot, a panel for each of its series, and a band for each process that used anything."""
    terminal = run("plot", directory, "--size", "400x40").splitlines()
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


PROBE = """
document.addEventListener("securitypolicyviolation", (event) => console.error("policy: " + event.violatedDirective));
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
const boxes = (svg) => [...svg.querySelectorAll("text")].map((text) => text.getBoundingClientRect()).filter((box) => box.width);
const crowded = [...document.querySelectorAll("svg.bar:has(.tick)")].some((svg) => boxes(svg).some((box, at, all) => at && all[at - 1].right > box.left));
const sliders = document.querySelectorAll("#picked input");
sliders.forEach((slider, at) => { slider.value = [2, 4][at]; slider.dispatchEvent(new Event("input")); });
const range = sliders.length ? {command: document.querySelector("#picked code").textContent,
  rows: [...document.querySelectorAll("#picked tbody tr")].map((row) => [...row.cells].map((cell) => cell.textContent))} : null;
document.title = JSON.stringify({requests: performance.getEntriesByType("resource").map((entry) => entry.name), wide, crowded, width: innerWidth,
  buttons: document.querySelectorAll(".command button").length, commands: document.querySelectorAll(".command").length,
  sorted: head ? [...document.querySelector("table.rows").tBodies[0].rows].map((row) => row.cells[0].textContent) : null,
  frames: document.querySelectorAll("svg.icicle > svg[tabindex]").length,
  cells: table ? [...table.tBodies[0].rows].map((row) => Number(row.cells[column].dataset.v)) : null,
  range,
  titled: chart && chart.querySelector("title") ? document.getElementById("status").textContent : null,
  zoomed: frame ? frame.getAttribute("width") : null});
"""


def open_page(chromium, text, width, place):
    """Returns what a second script found, which the copy of the page allows by its hash."""
    text = text.replace("script-src ", "script-src %s " % named(PROBE), 1)
    text = text.replace("</body>", "<script>%s</script></body>" % PROBE)
    path = os.path.join(place, "page.html")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run(
        [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-extensions", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--user-data-dir=" + os.path.join(place, "profile"), "--host-resolver-rules=MAP * ~NOTFOUND", "--enable-logging=stderr",
         "--window-size=%d,900" % width, "--dump-dom", "file://" + path],
        capture_output=True, encoding="utf-8", errors="replace", check=False, timeout=120,
    )
    check(done.returncode == 0, "chromium ends with", done.returncode, done.stderr[-2000:])
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    check(not console, console)
    return json.loads(html.unescape(re.search("<title>(.*?)</title>", done.stdout, re.S).group(1)))


def check_opened(chromium, text, widths, place):
    for width in widths:
        seen = open_page(chromium, text, width, place)
        check(not seen["requests"], "requests:", seen)
        check(seen["buttons"] >= seen["commands"] > 0, seen)
        check(not seen["wide"], "wider than the window of", width, seen)
        check(not seen["crowded"], "labels of an axis overlap:", seen)
        check(seen["frames"] == len(re.findall('<svg class="f [a-z0-9]+" x=', text)), seen)
        if seen["sorted"]:
            check(sorted(seen["sorted"]) == seen["sorted"], "sorted by its first column:", seen)
        if seen["cells"]:
            check(seen["cells"] == sorted(seen["cells"], reverse=True), "sorted by numbers:", seen)
        check(seen["titled"] is None or seen["titled"], "no line says what has the focus", seen)
        if seen["zoomed"]:
            check(float(seen["zoomed"].rstrip("%")) > 99.9, seen)


def check_printed(chromium, text, place):
    """On paper no word is beyond the margin."""
    if not shutil.which("pdftotext"):
        print("no pdftotext, so no page was printed")
        return
    paths = [os.path.join(place, name) for name in ("page.html", "page.pdf", "page.bbox")]
    with open(paths[0], "w", encoding="utf-8") as file:
        file.write(text)
    subprocess.run(
        [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-extensions", "--no-first-run",
         "--user-data-dir=" + os.path.join(place, "profile"), "--host-resolver-rules=MAP * ~NOTFOUND",
         "--no-pdf-header-footer", "--print-to-pdf=" + paths[1], "file://" + paths[0]],
        capture_output=True, check=True, timeout=120,
    )
    subprocess.run(["pdftotext", "-bbox", paths[1], paths[2]], check=True)
    with open(paths[2], encoding="utf-8") as file:
        printed = file.read()
    margin = 12 / 25.4 * 72
    width = float(re.search('<page width="([0-9.]+)"', printed).group(1))
    words = re.findall('<word xMin="([0-9.]+)" yMin="[0-9.]+" xMax="([0-9.]+)" yMax="[0-9.]+">(.*?)</word>', printed)
    check(len(words) > 50, len(words), "words on paper")
    for left, right, word in words:
        check(float(left) >= margin - 1 and float(right) <= width - margin + 1, word, "is beyond the margin:", left, right, "of", width)


def check_range(chromium, text, place):
    """The table of a picked range has the numbers of the command beside it."""
    seen = open_page(chromium, text, 1200, place)["range"]
    check("@2026-01-01T00:10:20Z..2026-01-01T00:10:50Z" in seen["command"], seen)
    words = ["show"] + shlex.split(seen["command"])[2:]
    printed = {row.split()[0]: row.split() for row in run(*words, "--self", "--limit", "0").splitlines() if row}
    busy = next(row for row in seen["rows"] if row[0] == "busy")
    check(float(busy[1]) == float(printed["busy"][2]) == 55, busy, printed["busy"])


def main():
    if not shutil.which("zstd"):
        print("skipped: no zstd")
        sys.exit(77)
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if os.environ.get("ASAN_OPTIONS") and not os.environ.get("REPORT_PAGE_BROWSER"):
        chromium = None
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        for name in ("report-baseline", "report-candidate", "window-baseline", "window-candidate"):
            subprocess.run(["zstd", "-q", os.path.join(SNAPSHOTS, name + ".json"), "-o", name + ".zst"], check=True)
        shutil.copy(os.path.join(SNAPSHOTS, "v1-hostile.ctprof.zst"), "<b>&'.zst")
        shutil.copy(os.path.join(SNAPSHOTS, "v1-hostile.ctprof.zst"), "later.zst")
        for files in (
            ["report-baseline.zst"], ["window-candidate.zst"], ["report-baseline.zst", "report-candidate.zst"],
            ["window-baseline.zst", "window-candidate.zst"], ["<b>&'.zst"], ["<b>&'.zst", "later.zst"],
        ):
            text = run("report", *files, "-o", "-")
            page = Page(text)
            check_policy(page)
            check_words(page, files, "show" if len(files) == 1 else "compare")
            json.loads(page.of("script", id="rows")[0])
            if chromium:
                check_opened(chromium, text, (500, 900, 1600) if "window-baseline.zst" in files else (900,), place)
                if files == ["window-baseline.zst", "window-candidate.zst"]:
                    check_printed(chromium, text, place)
            check_colours(page, text)
            said = "- is not known" in "".join(page.of("p", class_="keys"))
            check(said == bool(page.of("table", class_="rows")), "empty cells are explained:", said)
        subprocess.run(["bash", "-c", '. "$1"; experiment dir', "-", os.path.join(HERE, "lib.sh")], check=True,
                       env={**os.environ, "SNAPSHOTS": SNAPSHOTS})
        text = run("report", "dir", "-o", "-")
        page = Page(text)
        check_policy(page)
        check_experiment(page, "dir")
        blocks = Page(run("report", "dir", "-f", "svg", "--chart", "blocks", "-o", "-"))
        check(blocks.of("text")[1:3] == ["A", "B"], "the arms have no key:", blocks.of("text"))
        if chromium:
            check_opened(chromium, text, (500, 900, 1600), place)
            check_printed(chromium, text, place)
        make_recording("recording <b>")
        text = run("report", "recording <b>", "-o", "-")
        page = Page(text)
        check_policy(page)
        check_words(page, ["recording <b>"], "show")
        check_recording(page)
        lines = Page(run("report", "recording <b>", "-f", "svg", "--chart", "lines", "-o", "-")).of("text")
        check({"cpu", "io"} <= set(lines), "lines have no key:", lines)
        if chromium:
            check_opened(chromium, text, (500, 900, 1600), place)
            check_range(chromium, text, place)
        os.mkdir("job")
        with open("job/usage.jsonl", "w", encoding="utf-8") as file:
            for second, (own, other) in enumerate(((0, 0), (0.3, 0.2), (0.9, 0.2))):
                file.write(json.dumps({"timestamp": "2026-11-22T10:10:%02d+00:00" % second, "num_samples": 1, "processes": {
                    "1": {"pcpu": 30, "rss": 1000, "ctprof_cpu_seconds": own}, "2": {"pcpu": 10, "rss": 2000, "ctprof_cpu_seconds": other},
                }, "totals": {"pcpu": 95, "rss": 9000 if second == 0 else 3000}, "averages": {"num_samples": 1}, "ctprof_pss": 1,
                    "ctprof_seconds": 1 if second else 0.1, "ctprof_cpu_seconds": 0.8 if second else 0}) + "\n")
        page = Page(run("report", "job", "-o", "-"))
        words, names = " ".join(page.of("p")), page.of("li")
        check("is the mean in the series above, at most 80.0 %." in words, words)
        check("is the RSS in the series above, at most 3.0 kB, without the 9.0 kB of the first record" in words, words)
        check([text.split(": most ")[-1] for text in names[:2]] == ["60.0 %", "20.0 %"] and "no sample saw" in names[2], names)
        for job in ("c-workers-fast", "b2-parallel-default"):
            directory = os.path.join(HERE, "duct", job)
            text = run("report", directory, "-o", "-")
            page = Page(text)
            check_policy(page)
            check_job(page, directory)
            check_contrast(page)
            if chromium:
                check_opened(chromium, text, (500, 900, 1600) if job.startswith("c") else (900,), place)
    if not chromium:
        print("pages are well; no chromium, so none was opened")


main()
