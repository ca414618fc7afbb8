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
    chart.setAttribute("tabindex", "0");
    chart.setAttribute("role", "img");
    if (own) chart.setAttribute("aria-label", own.textContent);
    const show = (event) => {
      const part = event.target.closest("g, svg.titled");
      const text = part && part.querySelector(":scope > title");
      if (text) say(text.textContent.replaceAll("\n", " \u00b7 "));
    };
    chart.addEventListener("pointerover", show);
    chart.addEventListener("focusin", show);
    chart.addEventListener("pointerleave", () => say(""));
  }
})();
