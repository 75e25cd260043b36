// Zoom, search, and the permalink that holds both.

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

function mark({ frames, top, share, whole }, expression) {
  let count = 0;
  for (const frame of frames) {
    const matched = expression !== null && expression.test(frame.name);
    if (matched !== (frame.matched ?? false)) frame.g.classList.toggle("matched", matched);
    frame.matched = matched;
    count += Number(matched);
  }
  const percent = (part, whole) => `${(100 * part / (whole || 1)).toFixed(1)} %`;
  const total = matchedWidth(frames, 0, frames.length) * share;
  const found = `${count} ${count === 1 ? "frame" : "frames"}, ${percent(total, frames[0].w)} of ${whole}`;
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
