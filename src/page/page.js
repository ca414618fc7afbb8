/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The script sorts tables by a column, copies command lines, zooms into a tree of frames, and has a line that says what is under
 * the pointer or has the focus. Names reach the page through textContent and attributes only. */
"use strict";
(() => {
  const status = document.getElementById("status");
  const element = document.getElementById("rows");
  const rows = element ? JSON.parse(element.textContent) : [];

  const say = (text) => { status.textContent = text; };

  const addButton = (parent, text, action) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    button.addEventListener("click", action);
    parent.append(button);
    return button;
  };

  /* Clipboards are for pages of https only; elsewhere the text is selected. */
  const copy = (code) => {
    const select = () => {
      const range = document.createRange();
      range.selectNodeContents(code);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      say("selected: copy it with the keyboard");
    };
    if (!navigator.clipboard) { select(); return; }
    navigator.clipboard.writeText(code.textContent).then(() => say("copied"), select);
  };

  for (const code of document.querySelectorAll(".command code"))
    addButton(code.parentNode, "copy", () => copy(code));

  /* The amount that a column is sorted by: how much it moved, or what it is. Null is not known. */
  const amount = (row, column) => {
    const values = row[column];
    if (!values || values.some((value) => value === null)) return null;
    return values.length > 1 ? Math.abs(values[1] - values[0]) : values[0];
  };

  const compare = (a, b, column, sign) => {
    if (column === "group") return sign * -(a.group < b.group ? -1 : a.group > b.group ? 1 : 0);
    const x = amount(a, column), y = amount(b, column);
    if (x === null || y === null) return (x === null) - (y === null);
    return sign * (y - x);
  };

  const sort = (table, head) => {
    const descending = head.getAttribute("aria-sort") !== "descending";
    const body = table.tBodies[0], sign = descending ? 1 : -1;
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", descending ? "descending" : "ascending");
    const at = (line) => Number(line.dataset.row);
    const lines = [...body.rows].sort((a, b) =>
      compare(rows[at(a)], rows[at(b)], head.dataset.column, sign) || at(a) - at(b));
    body.append(...lines);
  };

  for (const table of document.querySelectorAll("table.rows"))
    for (const head of table.tHead.rows[0].cells) {
      const text = head.textContent;
      head.textContent = "";
      addButton(head, text, () => sort(table, head));
    }

  /* Tables whose cells have their number with them; others are sorted by their text. */
  const key = (cell) => cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v);

  const sortCells = (table, head) => {
    const descending = head.getAttribute("aria-sort") !== "descending", sign = descending ? -1 : 1;
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", descending ? "descending" : "ascending");
    const lines = [...table.tBodies[0].rows].map((row) => ({row, key: key(row.cells[head.cellIndex])}));
    /* Texts begin with A, numbers with the largest. */
    lines.sort((a, b) => typeof a.key === "string" ? -sign * (a.key < b.key ? -1 : a.key > b.key ? 1 : 0) : sign * (a.key - b.key));
    table.tBodies[0].append(...lines.map((line) => line.row));
  };

  for (const table of document.querySelectorAll("table.sorted"))
    for (const head of table.tHead.rows[0].cells) {
      if (head.classList.contains("bars")) continue;
      const text = head.textContent;
      head.textContent = "";
      addButton(head, text, () => sortCells(table, head));
    }

  const title = (frame) => frame.querySelector("title").textContent;

  /* Draws frames as if one of them were the whole. */
  const zoom = (frames, to) => {
    for (const { node, x, width, label } of frames) {
      const left = 100 * (x - to.x) / to.width, wide = 100 * width / to.width;
      const above = x <= to.x && x + width >= to.x + to.width;
      const shown = above || (left > -0.01 && left + wide < 100.01);
      node.style.display = shown ? "" : "none";
      node.setAttribute("x", above ? "0%" : left + "%");
      node.setAttribute("width", above ? "100%" : wide + "%");
      label.style.display = above || wide > 1.5 ? "" : "none";
    }
  };

  const labelOf = (node) => {
    let label = node.querySelector("text");
    if (!label) {
      label = document.createElementNS(node.namespaceURI, "text");
      label.setAttribute("x", "4");
      label.setAttribute("y", "15");
      label.textContent = title(node).split("\n")[0];
      label.style.display = "none";
      node.append(label);
    }
    return label;
  };

  for (const icicle of document.querySelectorAll("svg.icicle")) {
    const frames = [...icicle.querySelectorAll(":scope > svg")].map((node) => ({
      node, x: parseFloat(node.getAttribute("x")), width: parseFloat(node.getAttribute("width")), label: labelOf(node),
    }));
    const byNode = new Map(frames.map((frame) => [frame.node, frame]));
    const frameOf = (event) => byNode.get(event.target.closest("svg.f"));

    for (const { node } of frames) {
      node.setAttribute("tabindex", "0");
      node.setAttribute("role", "button");
      node.setAttribute("aria-label", title(node));
    }
    icicle.addEventListener("click", (event) => { const frame = frameOf(event); if (frame) zoom(frames, frame); });
    icicle.addEventListener("keydown", (event) => {
      const frame = frameOf(event);
      if (event.key === "Escape") zoom(frames, frames[0]);
      else if (frame && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); zoom(frames, frame); }
    });
    const show = (event) => { const frame = frameOf(event); if (frame) say(title(frame.node).replaceAll("\n", " \u00b7 ")); };
    icicle.addEventListener("pointerover", show);
    icicle.addEventListener("focusin", show);
    icicle.addEventListener("pointerleave", () => say(""));
  }

  /* Charts whose parts have titles, or that have one as a whole. */
  for (const chart of document.querySelectorAll("svg.titled")) {
    const own = chart.querySelector(":scope > title");
    const parts = own ? [chart] : [...chart.querySelectorAll(":scope > g")];
    let at = 0;
    const sayPart = (part) => { if (part) say(title(part).replaceAll("\n", " \u00b7 ")); };
    chart.setAttribute("tabindex", "0");
    chart.setAttribute("role", "img");
    if (parts.length) chart.setAttribute("aria-label", parts.slice(0, 20).map(title).join("; "));
    chart.addEventListener("pointerover", (event) => sayPart(own ? chart : event.target.closest("svg.titled > g")));
    chart.addEventListener("focusin", () => sayPart(parts[at]));
    chart.addEventListener("keydown", (event) => {
      const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      if (step === 0 || !parts.length) return;
      at = (at + step + parts.length) % parts.length;
      event.preventDefault();
      sayPart(parts[at]);
    });
    chart.addEventListener("pointerleave", () => say(""));
  }

  /* The time of a recording: a range of columns is picked with two sliders or with the pointer. */
  const place = document.getElementById("history");
  const picked = document.getElementById("picked");
  if (!place || !picked) return;
  const history = JSON.parse(place.textContent);
  const columns = history.columns, last = columns.length - 1;
  const begin = columns[0][0], end = Math.max(...columns.map((column) => column[1]));
  const range = {from: 0, to: last};

  const iso = (seconds) => new Date(seconds * 1000).toISOString().slice(0, 19);
  const isoOfMs = (ms) => new Date(ms).toISOString().replace(".000Z", "Z");

  /* Windows that touch a range are in it as a whole; ranges are of whole milliseconds. */
  const wordsOf = () => {
    const from = Math.ceil(columns[range.from][0] * 1000), to = Math.max(from, Math.floor(columns[range.to][1] * 1000));
    return isoOfMs(from) + ".." + isoOfMs(to);
  };

  const commandOf = (command) => {
    const at = command.lastIndexOf("RANGE");
    return command.slice(0, at) + wordsOf() + command.slice(at + 5) + " --sort-by cpu --limit 0 --self";
  };

  /* Returns a number as the command prints it: nothing for what rounds to zero. */
  const short = (number, bytes) => {
    const units = ["", "K", "M", "G", "T"], base = bytes ? 1024 : 1000;
    let unit = 0;
    if (bytes && number < base) { number /= base; unit = 1; }
    while (number >= 999.5 && unit < 4) { number /= base; unit++; }
    return number < 0.05 ? "" : (number < 9.95 ? number.toFixed(1) : number.toFixed(0)) + units[unit];
  };

  /* Returns the mean over the picked columns, or the one of all; null if it is not known in one of them. */
  const meanOf = (values, whole) => {
    let sum = 0, length = 0;
    if (range.from === 0 && range.to === last) return whole;
    for (let i = range.from; i <= range.to; i++) {
      if (values[i] === null) return null;
      sum += values[i] * columns[i][2];
      length += columns[i][2];
    }
    return length > 0 ? sum / length : null;
  };
  /* Returns the marks of a row's mean: the host's row is behind those of the groups. */
  const isIn = (ranges, from, to) => ranges.some(([first, end]) => first <= to && end >= from);
  const hasMark = (aspect, name, at, from, to) => from === 0 && to === last ? aspect["means_" + name][at]
    : isIn(aspect[name][at], from, to);
  const marksIn = (aspect, at, from = range.from, to = range.to) =>
    (hasMark(aspect, "partial", at, from, to) ? "*" : "") + (hasMark(aspect, "began_before", at, from, to) ? "\u00a7" : "");
  const isAbout = () => range.from !== range.to && (range.from > 0 || range.to < last);

  const aspects = Object.values(history.aspects);
  const cell = (row, tag, text) => {
    const node = document.createElement(tag);
    node.textContent = text;
    row.append(node);
    return node;
  };

  /* Returns a number as the command prints it: nothing for zero, and "0*" if some threads are not in it. */
  const textOf = (number, bytes, marks) => number === null ? "-" : marks ? (short(number, bytes) || "0") + marks : short(number, bytes);

  const addLine = (body, name, means, marks) => {
    const line = body.insertRow();
    cell(line, "th", name).scope = "row";
    means.forEach((mean, at) => cell(line, "td", textOf(mean, aspects[at].bytes, marks[at])));
  };

  /* The groups of the heat maps, the first of them, and what all of the host did. */
  const fillTable = (body) => {
    const marksOf = (at) => aspects.map((aspect) => marksIn(aspect, at));
    const rows = history.groups.map((group, at) => ({group, marks: marksOf(at),
      means: aspects.map((aspect) => meanOf(aspect.rows[at], aspect.means[at]))}));
    const sums = aspects.map((aspect) => meanOf(aspect.host, aspect.host_mean));
    rows.sort((a, b) => (b.means[0] ?? -1) - (a.means[0] ?? -1));
    body.textContent = "";
    head.cells[0].textContent = isAbout() ? "group, about the mean of the range" : "group, mean of the range";
    for (const row of rows.slice(0, 15)) addLine(body, row.group, row.means, row.marks);
    addLine(body, "all groups together", sums, marksOf(history.groups.length));
  };

  const sliders = {};
  const addSlider = (key, label) => {
    const box = document.createElement("label");
    const input = sliders[key] = document.createElement("input");
    box.textContent = label + " ";
    input.type = "range";
    input.max = String(last);
    input.addEventListener("input", () => {
      range[key] = Number(input.value);
      if (range.from > range.to) range[key === "from" ? "to" : "from"] = range[key];
      draw();
    });
    box.append(input);
    picked.append(box, " ");
  };

  const codes = {};
  const addCommand = (key, words) => {
    const paragraph = document.createElement("p");
    const code = codes[key] = document.createElement("code");
    paragraph.className = "command";
    paragraph.append(words, code);
    addButton(paragraph, "copy", () => copy(code));
    picked.append(paragraph);
  };

  const charts = [...document.querySelectorAll("table.history svg.time")];
  const axes = [...document.querySelectorAll("table.history .axes svg")].map((svg) => ({svg, content: [...svg.childNodes]}));
  const boxOf = (chart) => chart.viewBox.baseVal;
  let shown = {from: 0, width: 1000};

  const timeAt = (x) => begin + (end - begin) * x / 1000;
  const placeOf = (seconds) => 1000 * (seconds - begin) / Math.max(end - begin, 1e-9);

  /* Labels of a part of the axis: its begin, middle and end. */
  const drawAxes = () => {
    const whole = shown.width > 999;
    for (const {svg, content} of axes) {
      svg.replaceChildren(...(whole ? content : []));
      if (whole) continue;
      for (const [at, anchor] of [[0, "start"], [50, "middle"], [100, "end"]]) {
        const text = document.createElementNS(svg.namespaceURI, "text");
        text.setAttribute("x", at + "%");
        text.setAttribute("y", "18");
        text.setAttribute("text-anchor", anchor);
        text.textContent = iso(timeAt(shown.from + shown.width * at / 100)).slice(11);
        svg.append(text);
      }
    }
  };

  const show = (from, width) => {
    shown = {from, width};
    for (const chart of charts) {
      boxOf(chart).x = from;
      boxOf(chart).width = width;
    }
    drawAxes();
    draw();
  };

  const buttons = document.createElement("span");
  addButton(buttons, "zoom in", () => {
    const from = placeOf(columns[range.from][0]);
    show(from, Math.max(placeOf(columns[range.to][1]) - from, 0.1));
  });
  addButton(buttons, "all", () => { range.from = 0; range.to = last; show(0, 1000); });

  /* The picked range is a frame in each chart. */
  for (const chart of charts) {
    const frame = document.createElementNS(chart.namespaceURI, "rect");
    frame.setAttribute("class", "range");
    frame.setAttribute("height", "100%");
    chart.append(frame);
  }

  const table = document.createElement("table");
  const head = table.createTHead().insertRow();
  for (const heading of ["group, mean of the range", ...aspects.map((aspect) => aspect.heading)]) cell(head, "th", heading).scope = "col";
  const body = table.createTBody();
  const wide = document.createElement("div");
  wide.className = "wide";
  wide.append(table);

  const draw = () => {
    const from = placeOf(columns[range.from][0]), to = placeOf(columns[range.to][1]);
    sliders.from.value = String(range.from);
    sliders.to.value = String(range.to);
    for (const key of ["from", "to"]) sliders[key].setAttribute("aria-valuetext", iso(columns[range[key]][key === "from" ? 0 : 1]));
    codes.groups.textContent = commandOf(history.command);
    codes.host.textContent = commandOf(history.command_host);
    for (const chart of charts) {
      const frame = chart.querySelector(".range");
      frame.setAttribute("x", String(from));
      frame.setAttribute("width", String(Math.max(to - from, 0.1)));
      frame.style.display = range.from === 0 && range.to === last ? "none" : "";
    }
    fillTable(body);
  };

  const columnAt = (chart, event) => {
    const box = chart.getBoundingClientRect();
    const seconds = timeAt(shown.from + shown.width * (event.clientX - box.left) / box.width);
    let at = 0;
    while (at < last && columns[at + 1][0] <= seconds) at++;
    return at;
  };

  let dragged = null;
  for (const chart of charts) {
    const row = chart.closest("tr"), aspect = history.aspects[chart.closest("table").dataset.aspect];
    chart.addEventListener("pointerdown", (event) => { dragged = columnAt(chart, event); range.from = range.to = dragged; draw(); });
    chart.addEventListener("pointermove", (event) => {
      const at = columnAt(chart, event), values = aspect && aspect.rows[Number(row.dataset.row)];
      const value = !values ? "" : " \u00b7 " + row.cells[0].textContent + " " + aspect.heading + " " +
        (textOf(values[at], aspect.bytes, marksIn(aspect, Number(row.dataset.row), at, at)) || "0");
      say(iso(columns[at][0]) + ".." + iso(columns[at][1]).slice(11) + " UTC" + value);
      if (dragged === null) return;
      range.from = Math.min(dragged, at);
      range.to = Math.max(dragged, at);
      draw();
    });
    chart.addEventListener("pointerleave", () => say(""));
  }
  addEventListener("pointerup", () => { dragged = null; });
  picked.addEventListener("keydown", (event) => { if (event.key === "Escape") { range.from = 0; range.to = last; show(0, 1000); } });

  addSlider("from", "range from");
  addSlider("to", "to");
  picked.append(buttons);
  addCommand("groups", "");
  picked.append(wide);
  addCommand("host", "All groups together: ");

  /* The most of a row is that of a column, which is picked. */
  for (const peak of document.querySelectorAll(".peak")) {
    const pick = () => { range.from = range.to = Number(peak.dataset.at); draw(); picked.scrollIntoView({block: "nearest"}); };
    peak.setAttribute("role", "button");
    peak.setAttribute("tabindex", "0");
    peak.title = peak.dataset.range;
    peak.addEventListener("click", pick);
    peak.addEventListener("keydown", (event) => { if (event.key === "Enter") pick(); });
  }
  draw();
})();
