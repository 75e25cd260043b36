// What stands in a document, read by the tests on their own: frames, their boxes, their texts, their colours.

/** All graphs: their frames with name, weight, place on screen, label, and whether they are shown. */
export function graphs(page) {
  return page.evaluate(() => [...document.querySelectorAll("svg.flame:has(svg.frames)")].map((svg) => {
    const area = svg.querySelector("svg.frames");
    const root = area.querySelector("g.frame > rect");
    // The root always spans all.
    const { left, right } = root.getBoundingClientRect();
    const frames = [...area.querySelectorAll("g.frame")].map((g) => {
      const rect = g.querySelector("rect");
      const text = g.querySelector("text");
      const box = rect.getBoundingClientRect();
      const label = text?.textContent ? text.getBoundingClientRect() : undefined;
      const name = g.querySelector("title").textContent;
      return {
        id: g.dataset.id, title: name, name: name.split("\n")[0], x: +rect.getAttribute("fg:x"), w: +rect.getAttribute("fg:w"),
        level: +g.getAttribute("aria-level"), stop: g.getAttribute("tabindex"), shown: getComputedStyle(g).display !== "none",
        classes: [...g.classList], left: box.left, right: box.right, top: box.top, bottom: box.bottom,
        label: text?.textContent ?? "", labelLeft: label?.left, labelRight: label?.right, focused: g === document.activeElement,
      };
    });
    const id = svg.closest("figure")?.id.replace(/^graph-/, "");
    return { id, share: +svg.dataset.rootShare, whole: svg.dataset.whole, inverted: svg.dataset.inverted === "true", left, right, frames };
  }));
}

/** The part of the whole that frames cover which match, as the union of their intervals. */
export function share(graph, matches, within = graph.frames[0]) {
  const inside = (f) => ({ from: Math.max(f.x, within.x), to: Math.min(f.x + f.w, within.x + within.w) });
  const pieces = graph.frames.filter((f) => matches(f.name)).map(inside).sort((a, b) => a.from - b.from);
  let [sum, end] = [0, 0];
  for (const { from, to } of pieces) {
    sum += Math.max(0, to - Math.max(from, end));
    end = Math.max(end, to);
  }
  return sum / within.w;
}

export const contains = (outer, inner) =>
  outer.level <= inner.level && outer.x <= inner.x && inner.x + inner.w <= outer.x + outer.w;

/** The words above the frames, in all their lines. */
export function headWords(page) {
  return page.evaluate(() => [...document.querySelectorAll("svg.flame > .heading, svg.flame > .facts")].flatMap((text) => {
    const lines = text.children.length ? [...text.children] : [text];
    return lines.flatMap((line) => line.textContent.split(" ")).filter(Boolean);
  }));
}

/** Texts that are too small, or stick out of the window. */
export function badTexts(page) {
  return page.evaluate(() => {
    const bad = [];
    for (const text of document.querySelectorAll("text, figcaption, p, label, button, input, output, td, th, h1, h2, h3, li")) {
      const box = text.getBoundingClientRect();
      if (!box.width || !(text.textContent || text.localName === "input")) continue;
      const what = `${text.localName}.${text.getAttribute("class")} '${text.textContent.slice(0, 30)}'`;
      const matrix = text.getScreenCTM?.();
      const size = parseFloat(getComputedStyle(text).fontSize) * (matrix ? Math.hypot(matrix.a, matrix.b) : 1);
      if (size < 11) bad.push(`${what} has ${size} px`);
      let scrolls = false;
      for (let up = text.parentElement; up && up !== document.body; up = up.parentElement) {
        scrolls ||= ["auto", "scroll"].includes(getComputedStyle(up).overflowX);
      }
      if (!scrolls && (box.right > innerWidth + 1 || box.left < -1)) bad.push(`${what} ends at ${box.right} of ${innerWidth}`);
    }
    return bad.slice(0, 5);
  });
}

/** The least contrast between labels and what they stand on, and where (WCAG 2.2, relative luminance). */
export function leastContrast(page) {
  return page.evaluate(() => {
    const channels = (colour) => colour.match(/[\d.]+/g).slice(0, 3).map(Number);
    const linear = (c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
    const luminance = (colour) => {
      const [r, g, b] = channels(colour).map(linear);
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const contrast = (a, b) => {
      const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p);
      return (x + 0.05) / (y + 0.05);
    };
    let least = { value: 21, where: "nothing" };
    const note = (value, where) => { if (value < least.value) least = { value, where }; };
    for (const g of document.querySelectorAll("svg.frames g.frame")) {
      const [text, rect] = [g.querySelector("text"), g.querySelector("rect")];
      if (!text?.textContent || !text.getBoundingClientRect().width) continue;
      const ink = getComputedStyle(text).fill;
      const ground = getComputedStyle(rect).fill;
      const hatch = ground.startsWith("url") ? [...document.querySelectorAll("#gone rect, #gone path")] : undefined;
      const fills = hatch?.flatMap((part) => [getComputedStyle(part).fill, getComputedStyle(part).stroke]) ?? [ground];
      for (const fill of fills.filter((fill) => /^rgb/.test(fill))) {
        note(contrast(ink, fill), `${g.getAttribute("class")}: ${ink} on ${fill}`);
      }
    }
    for (const svg of document.querySelectorAll("svg.flame:has(svg.frames)")) {
      const ground = svg.querySelector(":scope > .ground");
      for (const text of svg.querySelectorAll(":scope > text, .legend text")) {
        if (!ground || !text.textContent) continue;
        const [ink, fill] = [getComputedStyle(text).fill, getComputedStyle(ground).fill];
        note(contrast(ink, fill), `${text.textContent.slice(0, 20)}: ${ink} on ${fill}`);
      }
    }
    return least;
  });
}
