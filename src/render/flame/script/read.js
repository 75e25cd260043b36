// What is drawn, read from the document once; and what all parts of the script share.

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
    share: Number(svg.dataset.rootShare || 1), whole: svg.dataset.whole || "total", height: Number(svg.getAttribute("height")),
    inverted: svg.dataset.inverted === "true", ids: new Map(frames.map((frame) => [frame.id, frame]).reverse()),
    of: new Map(frames.map((frame) => [frame.g, frame])),
  };
}
