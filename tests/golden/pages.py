# SPDX-License-Identifier: GPL-2.0-or-later
"""Pages of all kinds for the tests report-page and report-numbers: what they are made of, and how they are read."""
import html.parser
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
VOID = {"meta", "link", "img", "br", "hr", "input"}
ELEMENTS = set(
    "html head meta title style body main h1 h2 pre p code div span ul li table thead tbody tr th td details summary script svg defs g line "
    "circle path br pattern rect text".split()
)
ATTRIBUTES = set(
    "lang charset http-equiv content name id role class scope title type width height x y fill aria-label aria-hidden "
    "patternunits patterntransform xmlns cx cy r x1 x2 y1 y2 transform text-anchor viewbox preserveaspectratio d open font-weight".split()
)


def fail(*words):
    sys.exit(os.path.basename(sys.argv[0]) + ": " + " ".join(str(word) for word in words))


def check(condition, *words):
    if not condition:
        fail(*words)


class Page(html.parser.HTMLParser):
    """The elements of a page, which must be balanced, and its texts by the innermost element; tables; and its sections, each with its
    command lines and its texts with their elements."""

    def __init__(self, text):
        super().__init__()
        self.open, self.texts, self.policy, self.rows = [], [], None, []
        self.sections = [{"id": "top", "commands": [], "texts": []}]
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
        if tag == "h2":
            self.sections.append({"id": attributes["id"], "commands": [], "texts": []})
        if tag == "code":
            self.sections[-1]["commands"].append("")
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
        if tags[-2:] == ["pre", "span"]:
            self.open[-2][1][2] += data
        if ("th" in tags or "td" in tags) and "svg" not in tags and self.rows[-1][-1]:
            self.rows[-1][-1][-1] += data
        if "code" in tags:
            self.sections[-1]["commands"][-1] += data
        elif "script" not in tags and "style" not in tags and data.strip():
            self.sections[-1]["texts"].append(([(tag, of[1]) for tag, of in self.open], data))

    def handle_comment(self, data):
        fail("a comment:", data)

    def of(self, tag, **wanted):
        return [text for t, a, text in self.texts if t == tag and all(a.get(k.rstrip("_")) == v for k, v in wanted.items())]


def run(ctprof, *arguments):
    done = subprocess.run(
        [ctprof, *arguments], capture_output=True, encoding="utf-8", check=False, env={**os.environ, "LC_ALL": "C.UTF-8"}
    )
    check(done.returncode == 0, arguments, "ends with", done.returncode, done.stderr)
    return done.stdout


WINDOWS, GAP_AT, SECOND = 12, 6, 10**9
PARTIAL_AT = 8


def recorded_cpu(window):
    """CPU% of the group busy in a window of the recording."""
    return 10 + 15 * (window % 5)


def make_recording(directory, snapshots, length=10 * SECOND):
    """Windows that follow one another, with a gap of six lengths behind the sixth. One of them lacks the CPU time of a thread of pool."""
    with open(os.path.join(snapshots, "window-baseline.json"), encoding="utf-8") as file:
        window = json.load(file)
    window["threads"] = [row for row in window["threads"] if row["window_part"] == "continued"]
    os.mkdir(directory)
    with open(os.path.join(directory, "20260101T001000Z.ctprof.zst"), "wb") as out:
        for i in range(WINDOWS):
            at = (i + (6 if i >= GAP_AT else 0)) * length
            window["window"].update(begin_unix_ns=1767226200 * SECOND + at, begin_boottime_ns=600 * SECOND + at, length_ns=length)
            window.update(captured_at_unix_ns=1767226200 * SECOND + at + length, captured_boottime_ns=600 * SECOND + at + length)
            window["psi"] = {
                key: {"some": {"avg10": 0, "avg60": 0, "avg300": 0, "total_usec": usec * length // (10 * SECOND)}}
                for key, usec in (("cpu", 500000 * i), ("memory", 0), ("io", 200000))
            }
            # Read for less time than the window has, and never waited for memory.
            window["host"]["pressure_interval_ns"] = length * 4 // 5
            for row in window["threads"]:
                # Those of one group are read at times of their own.
                own = length - length // 20 * (i % 4) if row["pcomm"] == "steady" else length
                row.update(interval_ns=own, read_boottime_ns=600 * SECOND + at + length)
                if row["pcomm"] == "busy":
                    row["run_time_ns"] = recorded_cpu(i) * length // 100
                    # A wait that began before the window ends where it runs most.
                    row["wait_time_ns"] = length // 1000 if i % 5 < 4 else length * 5 // 2
                if row["comm"] == "worker-1":
                    row.update(run_time_ns=1500000000)
                    if i == PARTIAL_AT:
                        del row["run_time_ns"]
            packed = subprocess.run(["zstd", "-q", "-c"], input=json.dumps(window, separators=(",", ":")).encode(), capture_output=True, check=True)
            out.write(packed.stdout)


def make_job(directory, records=3):
    """A job with ctprof's keys: of 80 % in a second one process has 60 % at most and the other 20 %; the first record has most memory."""
    os.mkdir(directory)
    with open(os.path.join(directory, "usage.jsonl"), "w", encoding="utf-8") as file:
        for second in range(records):
            own, other = ((0, 0), (0.3, 0.2), (0.9, 0.2))[min(second, 2)]
            file.write(json.dumps({"timestamp": "2026-11-22T10:%02d:%02d+00:00" % (10 + second // 60, second % 60), "num_samples": 1, "processes": {
                "1": {"pcpu": 30, "rss": 1000, "ctprof_cpu_seconds": own}, "2": {"pcpu": 10, "rss": 2000, "ctprof_cpu_seconds": other},
            }, "totals": {"pcpu": 95, "rss": 9000 if second == 0 else 3000}, "averages": {"num_samples": 1}, "ctprof_pss": 1,
                "ctprof_seconds": 1 if second else 0.1, "ctprof_cpu_seconds": 0.8 if second else 0}) + "\n")


def make_all(snapshots):
    """Makes the files of all kinds in this folder. Returns the kinds, each a name with the operands of report and the command, if any, that
    has the same lines and the same table."""
    for name in ("report-baseline", "report-candidate", "window-baseline", "window-candidate"):
        subprocess.run(["zstd", "-q", os.path.join(snapshots, name + ".json"), "-o", name + ".zst"], check=True)
    shutil.copy(os.path.join(snapshots, "v1-hostile.ctprof.zst"), "<b>&'.zst")
    shutil.copy(os.path.join(snapshots, "v1-hostile.ctprof.zst"), "later.zst")
    subprocess.run(["bash", "-c", '. "$1"; experiment dir', "-", os.path.join(HERE, "lib.sh")], check=True, env={**os.environ, "SNAPSHOTS": snapshots})
    make_recording("recording <b>", snapshots)
    make_recording("short", snapshots, SECOND // 4)
    make_job("job")
    make_job("long", 1100)
    for job in ("c-workers-fast", "b2-parallel-default"):
        shutil.copytree(os.path.join(HERE, "duct", job), job)
    return {
        "snapshot": (["report-baseline.zst"], "show"),
        "window": (["window-candidate.zst"], "show"),
        "window by comm": (["window-candidate.zst", "-g", "comm", "--no-thread-normalize", "--limit", "2"], None),
        "interval": (["report-baseline.zst", "report-candidate.zst"], "compare"),
        "windows": (["window-baseline.zst", "window-candidate.zst"], "compare"),
        "hostile": (["<b>&'.zst"], "show"),
        "two hostile": (["<b>&'.zst", "later.zst"], "compare"),
        "experiment": (["dir"], None),
        "recording": (["recording <b>"], "show"),
        "range": (["recording <b>@2026-01-01T00:10:20Z..2026-01-01T00:12:20Z", "-g", "comm"], None),
        "short windows": (["short"], "show"),
        "job": (["job"], None),
        "long job": (["long"], None),
        "duct": (["c-workers-fast"], None),
        "many processes": (["b2-parallel-default/info.json"], None),
    }
