// Zoom, search, keyboard and permalinks for every flame graph of a document: a page, or an SVG that stands alone.
(() => {
  "use strict";

  const XHTML = "http://www.w3.org/1999/xhtml";
  const MARGIN = 10; // pixels left and right of what is drawn
  const PADDING = 3; // pixels between a frame's border and its label
  const LINE = 17; // pixels between two lines of heading, facts and legend
  const alone = document.documentElement.localName === "svg";
  const state = { zoom: "", search: "" };
  let graphs = [];
  let tools;

  function element(name, attributes = {}, ...children) {
    const made = document.createElementNS(XHTML, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  function setAll(node, attributes) {
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  }

  // Reading: everything that later steps need is read from the document once.

  /** The frames in document order, so that the descendants of one are those from its `at` to its `end`. */
  function readFrames(svg) {
    const frames = [];
    const path = [];
    for (const g of svg.querySelectorAll("svg.frames > g.frame")) {
      const rect = g.querySelector("rect");
      const number = (name) => Number(rect.getAttribute(name));
      const y = number("y");
      const row = frames.length ? Math.round(Math.abs(y - frames[0].y) / (number("height") + 1)) : 0;
      for (const closed of path.splice(row)) closed.end = frames.length;
      const lines = g.querySelector("title").textContent.split("\n");
      const frame = {
        g, rect, y, row, text: g.querySelector("text"), id: g.dataset.id, name: lines[0], details: lines.join(" · "),
        x: number("fg:x"), w: number("fg:w"), at: frames.length, parent: path.at(-1), children: [],
      };
      frame.parent?.children.push(frame);
      path.push(frame);
      frames.push(frame);
    }
    for (const closed of path) closed.end = frames.length;
    return frames;
  }

  /** The width of a text in the font of labels. Only what is not ASCII is measured, without a layout. */
  function ruler(svg) {
    const probe = svg.querySelector("svg.frames").appendChild(document.createElementNS(svg.namespaceURI, "text"));
    probe.textContent = "0".repeat(100);
    const advance = probe.getComputedTextLength() / 100;
    const context = element("canvas").getContext("2d");
    context.font = getComputedStyle(probe).font;
    const scale = advance / context.measureText("0").width;
    probe.remove();
    const width = (text) =>
      /^[ -~]*$/.test(text) ? text.length * advance : context.measureText(text).width * scale;
    return { advance, width };
  }

  /** A text cut to a width; two dots stand for what is left out. */
  function cut(text, width, { advance, width: measure }) {
    if (measure(text) <= width) return text;
    const dots = 2 * advance;
    let length = Math.floor((width - dots) / advance);
    if (length < 1) return "";
    while (length > 0 && measure(text.slice(0, length)) + dots > width) length = Math.floor(length * 0.9);
    return length > 0 ? text.slice(0, length) + ".." : "";
  }

  function readGraph(svg, index) {
    const frames = readFrames(svg);
    const figure = svg.closest("figure.graph");
    const lines = [...svg.children].filter((child) => child.localName === "text").map((text) => {
      const size = parseFloat(getComputedStyle(text).fontSize) / 12;
      return { text, size, full: text.textContent };
    });
    return {
      svg, frames, lines, figure, top: frames[0], current: frames[0],
      name: figure?.id.replace(/^graph-/, "") || `graph ${index + 1}`,
      share: Number(svg.dataset.rootShare || 1), height: Number(svg.getAttribute("height")),
      inverted: svg.dataset.inverted === "true", ids: new Map(frames.map((frame) => [frame.id, frame]).reverse()),
      of: new Map(frames.map((frame) => [frame.g, frame])),
    };
  }

  // Drawing: first reads, then writes, and only of what changed.

  function drawFrames({ frames, top, ruler }, width) {
    for (const f of frames) {
      const above = f.at < top.at && f.end > top.at;
      const shown = above || (f.at >= top.at && f.at < top.end);
      if (shown !== f.shown) f.g.classList.toggle("hidden", !shown);
      if (above !== f.above) f.g.classList.toggle("parent", above);
      Object.assign(f, { shown, above });
      if (!shown) continue;
      const left = above ? 0 : (f.x - top.x) / (top.w || 1);
      const span = above ? 1 : f.w / (top.w || 1);
      if (left !== f.left || span !== f.span) {
        setAll(f.rect, { x: `${100 * left}%`, width: `${100 * span}%` });
        f.text?.setAttribute("x", `${100 * left}%`);
      }
      const label = cut(f.name, span * width - 2 * PADDING, ruler);
      if (f.text && label !== f.label) f.text.textContent = label;
      Object.assign(f, { left, span, label });
    }
  }

  /** The parts of a text that fit on a line each, broken at blanks. */
  function wrap(text, width, ruler) {
    const lines = [""];
    for (const word of text.split(" ")) {
      const longer = lines.at(-1) && `${lines.at(-1)} ${word}`;
      if (!longer) lines[lines.length - 1] = word;
      else if (ruler.width(longer) <= width) lines[lines.length - 1] = longer;
      else lines.push(word);
    }
    return lines.map((line) => cut(line, width, ruler));
  }

  /** Breaks a line of text; gives by how much it is higher then. */
  function drawText({ text, full, size }, width, ruler) {
    const lines = wrap(full, width / size, ruler);
    text.replaceChildren(...lines.map((line, at) => {
      const part = document.createElementNS(text.namespaceURI, "tspan");
      setAll(part, { x: MARGIN, dy: at ? LINE : 0 });
      part.textContent = line;
      return part;
    }));
    return LINE * (lines.length - 1);
  }

  /** Sets the keys of the legend in lines; gives by how much it is higher then. */
  function drawLegend(graph, width) {
    const keys = (graph.keys ??= [...graph.svg.querySelectorAll("g.legend > g.key")].map((key) => {
      const [box, words] = [key.getBBox(), key.nextElementSibling.getBBox()];
      return { parts: [key, key.nextElementSibling], x: box.x, y: box.y, width: words.x + words.width - box.x };
    }));
    if (!keys.length) return 0;
    let [x, y] = [MARGIN, keys[0].y];
    for (const key of keys) {
      if (x > MARGIN && x + key.width > width + MARGIN) [x, y] = [MARGIN, y + LINE];
      for (const part of key.parts) part.setAttribute("transform", `translate(${x - key.x} ${y - key.y})`);
      x += key.width + 2 * MARGIN;
    }
    return y - keys.at(-1).y;
  }

  /** Breaks what stands above the frames into as many lines as it needs; gives by how much it is higher then. */
  function drawHead(graph, width) {
    const { svg, lines, ruler } = graph;
    const head = lines.filter((line) => !isDetails(line));
    const heights = head.map((line) => drawText(line, width, ruler));
    heights.push(drawLegend(graph, width));
    const total = heights.reduce((sum, height) => sum + height, 0);
    let shift = -total;
    for (const [at, node] of [...head.map(({ text }) => text), svg.querySelector("g.legend")].entries()) {
      node?.setAttribute("transform", `translate(0 ${shift})`);
      shift += heights[at];
    }
    return total;
  }

  const isDetails = ({ text }) => text.classList.contains("details");

  /** Draws a graph for the width that it has now. Its unit is one pixel, so texts keep their size. */
  function draw(graph) {
    const { svg } = graph;
    const outer = svg.getBoundingClientRect().width;
    if (!outer) return; // not shown now
    graph.ruler ??= ruler(svg);
    graph.drawn = outer;
    const width = Math.max(outer - 2 * MARGIN, 1);
    if (alone) setAll(tools.place, { width, height: 1 });
    const tall = alone ? tools.box.scrollHeight + 8 : 0;
    const above = drawHead(graph, width) + tall;
    const height = graph.height + above;
    setAll(svg, { viewBox: `0 ${-above} ${outer} ${height}`, width: "100%", height });
    svg.querySelector("rect.ground")?.setAttribute("y", -above);
    svg.querySelector("svg.frames").setAttribute("width", width);
    if (alone) setAll(tools.place, { y: 4 - above, height: tall });
    drawFrames(graph, width);
  }

  const isStale = ({ svg, drawn }) => svg.getBoundingClientRect().width !== drawn;

  function showDetails(graph, frame) {
    const text = (frame ?? graph.focused)?.details ?? "";
    if (graph.details) graph.details.textContent = text;
    const line = graph.lines.find(isDetails);
    // Never empty: Chromium scrolls to the top then.
    if (line) line.text.textContent = cut(text, graph.drawn - 2 * MARGIN, graph.ruler) || " ";
  }

  // Zoom

  function zoom(id) {
    state.zoom = graphs.some(({ frames }) => frames[0].id === id) ? "" : id;
    for (const graph of graphs) {
      const frame = state.zoom ? graph.ids.get(state.zoom) : graph.frames[0];
      graph.note.textContent = frame ? "" : "not in this graph";
      if (!frame) continue;
      graph.top = frame;
      if (!contains(frame, graph.current) && !contains(graph.current, frame)) makeCurrent(graph, frame);
    }
    search(state.search);
  }

  const contains = (outer, inner) => outer.at <= inner.at && inner.at < outer.end;

  // Search

  /** A regular expression, or the plain text where it is none; capital letters make it mind the case. */
  function matcher(pattern) {
    const flags = /\p{Lu}/u.test(pattern.replace(/\\./g, "")) ? "" : "i";
    try {
      return { expression: new RegExp(pattern, flags), plain: false };
    } catch {
      return { expression: new RegExp(pattern.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), flags), plain: true };
    }
  }

  /** The summed width of matched frames from one to another; what stands inside of a match is not counted again. */
  function matchedWidth(frames, from, to) {
    let sum = 0;
    for (let at = from; at < to; at = frames[at].matched ? frames[at].end : at + 1) {
      if (frames[at].matched) sum += frames[at].w;
    }
    return sum;
  }

  function mark({ frames, top, share }, expression) {
    let count = 0;
    for (const frame of frames) {
      const matched = expression !== null && expression.test(frame.name);
      if (matched !== (frame.matched ?? false)) frame.g.classList.toggle("matched", matched);
      frame.matched = matched;
      count += Number(matched);
    }
    const percent = (part, whole) => `${(100 * part / (whole || 1)).toFixed(1)} %`;
    const total = matchedWidth(frames, 0, frames.length) * share;
    const found = `${count} ${count === 1 ? "frame" : "frames"}, ${percent(total, frames[0].w)} of total`;
    if (top === frames[0]) return found;
    const covered = frames.some((frame) => frame.matched && contains(frame, top));
    return `${found}, ${percent(covered ? top.w : matchedWidth(frames, top.at, top.end), top.w)} of what is shown`;
  }

  /** Marks what matches, tells how much it is, and draws everything anew. */
  function search(pattern) {
    state.search = pattern;
    const { expression, plain } = pattern ? matcher(pattern) : { expression: null, plain: false };
    const found = graphs.map((graph) => (graphs.length > 1 ? `${graph.name}: ` : "") + mark(graph, expression));
    const note = plain ? " (no valid expression: searched as plain text)" : "";
    tools.matches.textContent = pattern ? found.join("; ") + note : "";
    graphs.forEach(draw);
    writeHash();
  }

  // The permalink: zoom and search stand in the fragment, beside whatever else is there.

  const isOurs = (part) => /^(zoom|search)=/.test(part);
  const hashParts = () => location.hash.slice(1).split("&").filter(Boolean);

  function readHash() {
    const value = (key) => {
      const text = hashParts().find((part) => part.startsWith(key))?.slice(key.length) ?? "";
      try { return decodeURIComponent(text); } catch { return text; }
    };
    const pattern = value("search=");
    if (tools.field.value !== pattern) tools.field.value = pattern;
    state.search = pattern;
    zoom(value("zoom="));
  }

  function writeHash() {
    const ours = Object.entries(state).filter(([, value]) => value);
    const parts = ours.map(([key, value]) => `${key}=${encodeURIComponent(value)}`);
    const hash = [...hashParts().filter((part) => !isOurs(part)), ...parts].join("&");
    if (hash === location.hash.slice(1)) return;
    const [page] = location.href.split("#");
    try { history.replaceState(history.state, "", hash ? `${page}#${hash}` : page); } catch { /* a frame may forbid it */ }
  }

  /** A link to another place of the page keeps the view. */
  function followHash() {
    const parts = hashParts();
    if (parts.length && !parts.some(isOurs)) writeHash();
    else readHash();
  }

  // Keyboard and pointer

  /** The one frame of a graph that the tab key reaches. */
  function makeCurrent(graph, frame) {
    graph.current.g.setAttribute("tabindex", "-1");
    frame.g.setAttribute("tabindex", "0");
    graph.current = frame;
  }

  const widest = (frame) => frame.children.reduce((best, child) => (best && best.w >= child.w ? best : child), undefined);

  function neighbour(graph, frame, step) {
    const { frames } = graph;
    for (let at = frame.at + step; at >= 0 && at < frames.length; at += step) {
      if (frames[at].row === frame.row && frames[at].shown) return frames[at];
    }
    return undefined;
  }

  function deepest(frame) {
    for (let child = widest(frame); child; child = widest(frame)) frame = child;
    return frame;
  }

  /** Where a key leads from a frame. An ancestor of the zoomed frame has one shown child: the one below it. */
  function target(graph, frame, key) {
    const [leaves, root] = graph.inverted ? ["ArrowDown", "ArrowUp"] : ["ArrowUp", "ArrowDown"];
    switch (key) {
      case leaves: return frame.above ? frame.children.find((child) => child.shown) : widest(frame);
      case root: return frame.parent;
      case "ArrowLeft": return neighbour(graph, frame, -1);
      case "ArrowRight": return neighbour(graph, frame, 1);
      case "Home": return graph.frames[0];
      case "End": return deepest(frame.above ? graph.top : frame);
      default: return undefined;
    }
  }

  /** Scrolls a frame into sight; `scrollIntoView` misplaces what is in an SVG. */
  function reveal({ rect }) {
    const { top, bottom } = rect.getBoundingClientRect();
    if (top < 0) scrollBy(0, top);
    else if (bottom > innerHeight) scrollBy(0, bottom - innerHeight);
  }

  function listen(graph) {
    const on = (type, handle) => graph.svg.querySelector("svg.frames").addEventListener(type, (event) => {
      const frame = graph.of.get(event.target.closest("g.frame"));
      if (frame) handle(frame, event);
    });
    on("click", (frame) => zoom(frame.id));
    on("mouseover", (frame) => showDetails(graph, frame));
    on("mouseout", () => showDetails(graph));
    // Browsers may scroll a focused frame to a wrong place, and below the pointer before a click is complete.
    on("mousedown", (frame, event) => {
      event.preventDefault();
      frame.g.focus({ preventScroll: true });
    });
    on("focusin", (frame) => {
      makeCurrent(graph, frame);
      if (frame.g.matches(":focus-visible")) reveal(frame);
      graph.focused = frame;
      showDetails(graph);
    });
    on("focusout", () => {
      graph.focused = undefined;
      showDetails(graph);
    });
    on("keydown", (frame, event) => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      const zooms = event.key === "Enter" || event.key === " ";
      const next = target(graph, frame, event.key);
      if (zooms) zoom(frame.id);
      if (next) next.g.focus({ preventScroll: true });
      if (zooms || /^(Arrow|Home$|End$)/.test(event.key)) event.preventDefault();
    });
  }

  function listenEverywhere() {
    const { field, reset } = tools;
    field.addEventListener("input", () => search(field.value));
    field.addEventListener("keydown", ({ key }) => {
      if (key === "Escape") field.value = "";
      if (key === "Escape" || key === "Enter") search(field.value);
    });
    reset.addEventListener("click", () => zoom(""));
    document.addEventListener("keydown", (event) => {
      const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
      const finds = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "f" && !event.shiftKey && !event.altKey;
      if (finds ? event.target !== field : event.key === "/" && !typing) {
        event.preventDefault();
        field.focus();
        field.select();
      }
      if (event.key === "Escape" && !typing && state.zoom) zoom("");
    });
    addEventListener("hashchange", followHash);
  }

  // Building what the document does not have

  function buildTools() {
    const field = element("input", { type: "search", spellcheck: "false", autocomplete: "off" });
    const reset = element("button", { type: "button", class: "reset" }, "Reset zoom");
    const matches = element("output", { class: "matches" });
    const parts = [element("label", {}, "Search frames ", field), reset, matches];
    const given = document.querySelector("div.graph-tools");
    const box = given ?? element("div", { class: "graph-tools" });
    box.append(...parts);
    const { svg, figure } = graphs[0];
    let place;
    if (alone) {
      place = svg.appendChild(document.createElementNS(svg.namespaceURI, "foreignObject"));
      place.setAttribute("x", MARGIN);
      place.append(box);
    } else if (!given) {
      (figure ?? svg).before(box);
    }
    return { field, reset, matches, box, place };
  }

  function buildNotes(graph) {
    graph.note = element("span", { class: "graph-note", role: "status" });
    if (alone) return tools.matches.before(graph.note);
    graph.svg.before(graph.note);
    graph.details = element("p", { class: "details", "aria-live": "polite" });
    graph.svg.after(graph.details);
  }

  function start() {
    const found = [...document.querySelectorAll("svg.flame:not([data-live])")];
    graphs = found.filter((svg) => svg.querySelector("svg.frames > g.frame")).map(readGraph);
    if (!graphs.length) return;
    tools = buildTools();
    for (const graph of graphs) {
      graph.svg.dataset.live = "";
      for (const frame of graph.frames) frame.text?.setAttribute("dx", PADDING);
      buildNotes(graph);
      listen(graph);
    }
    listenEverywhere();
    readHash();
    const sizes = new ResizeObserver((changes) => {
      const changed = changes.map(({ target }) => graphs.find(({ svg }) => svg === target));
      // Not here, as drawing changes the height, which an observer must not.
      requestAnimationFrame(() => changed.filter(isStale).forEach(draw));
    });
    for (const { svg } of graphs) sizes.observe(svg);
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
