// Drawing at the width that there is: first reads, then writes, and only of what changed.

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
