// Keyboard and pointer.

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
