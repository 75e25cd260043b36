// What the document does not have: search field, buttons, notes; and the start.

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
