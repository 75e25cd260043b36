// Checks of graphs, the same for an SVG that stands alone and for the graphs of a page.
import { assert, equal, near, SEARCH, searched, settled, type } from "./browser.mjs";
import { badTexts, contains, graphs, headWords, leastContrast, share } from "./facts.mjs";

const frame = (page, id, graph = 0) => page.locator("svg.flame:has(svg.frames)").nth(graph).locator(`g.frame[data-id="${id}"]`).first();
const label = (page) => page.locator("output.matches").textContent();

async function click(page, id, graph) {
  await frame(page, id, graph).locator("rect").click();
  await settled(page);
}

/** A frame well below the root that is neither all of its row nor too small to be hit. */
function inner({ frames: [root, ...rest] }) {
  const found = rest.filter((f) => f.right - f.left > 12 && f.w < 0.9 * root.w && f.level > 2);
  const parents = found.filter((f) => rest.some((child) => child.level === f.level + 1 && child.w > 0 && contains(f, child)));
  assert(parents.length, "the graph has no frame to zoom to");
  return parents.reduce((best, f) => (f.w > best.w ? f : best));
}

/** Every frame is where the zoom to `target` puts it. */
function isZoomed({ left, right, frames }, target) {
  const width = right - left;
  near(frames[0].right - frames[0].left, width, "width of the root");
  const branch = frames.findIndex((f) => f.id === target.id);
  frames.forEach((f, at) => {
    const above = at < branch && contains(f, target) && f.level < target.level;
    const below = at >= branch && contains(target, f) && f.w > 0;
    if (f.w === 0) return;
    equal(f.shown, above || below, `'${f.name}' is shown when zoomed to '${target.name}'`);
    equal(f.classes.includes("parent"), above, `'${f.name}' is marked as parent when zoomed to '${target.name}'`);
    if (above) near(f.right - f.left, width, `width of the ancestor '${f.name}'`);
    if (!below) return;
    near(f.left, left + ((f.x - target.x) / target.w) * width, `left of '${f.name}'`);
    near(f.right - f.left, (f.w / target.w) * width, `width of '${f.name}'`);
  });
}

async function isReset(page) {
  for (const graph of await graphs(page)) isZoomed(graph, graph.frames[0]);
}

/** Labels lie inside of their frames and are there where there is place; nothing else is cut or small. */
async function isReadable(page, what) {
  for (const { frames } of await graphs(page)) {
    for (const f of frames.filter((f) => f.shown)) {
      const wide = f.right - f.left;
      assert(!f.label || (f.labelLeft >= f.left - 0.5 && f.labelRight <= f.right + 0.5),
        `${what}: label '${f.label}' from ${f.labelLeft} to ${f.labelRight} overflows ${f.left} to ${f.right}`);
      assert(f.label || wide < 60 || !f.name.trim(), `${what}: '${f.name.slice(0, 40)}' has ${wide} px and no label`);
      const whole = wide > 9 * f.name.length + 20 && /^[ -~]*$/.test(f.name);
      assert(!whole || f.label === f.name, `${what}: '${f.name.slice(0, 40)}' is cut to '${f.label}' in ${wide} px`);
    }
  }
  equal(await badTexts(page), [], what);
  const [scroll, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert(scroll <= window, `${what}: ${scroll} px stand in a window of ${window}`);
}

export const graphChecks = {
  async "is readable in every width, light and dark"(session) {
    const words = await headWords(await session.open({ script: false }));
    for (const scheme of ["light", "dark"]) {
      const page = await session.open({ width: 1200, scheme });
      for (const width of [1200, 2000, 400]) {
        await page.setViewportSize({ width, height: 800 });
        await settled(page);
        await isReadable(page, `${width} px, ${scheme}`);
        equal(await headWords(page), words, `words above the graph at ${width} px`);
        const [{ left, right }] = await graphs(page);
        assert(right - left > 0.75 * width, `the frames take ${right - left} of ${width} px`);
        await session.picture(page, `${width}-${scheme}`);
      }
      const { value, where } = await leastContrast(page);
      assert(value >= 4.5, `contrast of ${value.toFixed(2)} for ${where}`);
    }
    await isReadable(await session.open({ width: 400 }), "opened at 400 px");
  },

  async "zooms by click, and back by ancestor, Escape, button and root"(session) {
    const page = await session.open();
    const [graph] = await graphs(page);
    const target = inner(graph);
    const length = await page.evaluate(() => history.length);
    const scrolled = () => page.evaluate(() => scrollY);
    const zoomIn = async () => {
      await frame(page, target.id).locator("rect").scrollIntoViewIfNeeded();
      const before = await scrolled();
      await click(page, target.id);
      isZoomed((await graphs(page))[0], target);
      equal(await scrolled(), before, "place in the document after a click");
    };
    await zoomIn();
    await isReadable(page, "zoomed");
    await page.keyboard.press("Escape");
    await isReset(page);
    await zoomIn();
    await page.getByRole("button", { name: "Reset zoom" }).click();
    await isReset(page);
    await zoomIn();
    await click(page, graph.frames[0].id);
    await isReset(page);
    await zoomIn();
    const parent = graph.frames.find((f) => f.level === target.level - 1 && contains(f, target));
    await click(page, parent.id);
    isZoomed((await graphs(page))[0], parent);
    equal(await page.evaluate(() => history.length), length, "entries in the history");
  },

  async "is walked by keyboard"(session) {
    const page = await session.open();
    const [graph] = await graphs(page);
    const [root] = graph.frames;
    const focused = async () => {
      await settled(page);
      const found = (await graphs(page))[0].frames.find((f) => f.focused);
      assert(!found || (found.top >= -1 && found.bottom <= 801), `the focused '${found?.name}' is out of sight, at ${found?.top}`);
      return found;
    };
    const [up, down] = graph.inverted ? ["ArrowDown", "ArrowUp"] : ["ArrowUp", "ArrowDown"];
    const byTab = async () => {
      for (let i = 0; i < 200 && !(await focused()); i++) await page.keyboard.press("Tab");
      assert(await focused(), "the tab key never reaches the graph");
    };
    await byTab();
    equal((await focused()).id, root.id, "the first tab stop");
    const ring = await page.evaluate(() => {
      const { stroke, strokeWidth } = getComputedStyle(document.activeElement.querySelector("rect"));
      return { stroke, width: parseFloat(strokeWidth) };
    });
    assert(ring.stroke !== "none" && ring.width >= 2, `the focused frame has no ring: ${JSON.stringify(ring)}`);
    const children = (f) => graph.frames.filter((c) => c.level === f.level + 1 && contains(f, c));
    const widest = (f) => Math.max(...children(f).map((c) => c.w));
    await page.keyboard.press(up);
    const child = await focused();
    equal([child.level, child.w], [root.level + 1, widest(root)], "towards the leaves");
    equal(await page.locator(".details").first().textContent(), child.title.split("\n").join(" · "), "details of the focused frame");
    await page.keyboard.press("Tab");
    equal((await graphs(page))[0].frames.filter((f) => f.stop === "0").map((f) => f.id), [child.id], "tab stops of a graph");
    await page.keyboard.press("Shift+Tab");
    equal((await focused())?.id, child.id, "where the tab key comes back to");
    const row = graph.frames.filter((f) => f.level === child.level).map((f) => f.id);
    const at = row.indexOf(child.id);
    const way = at + 1 < row.length ? ["ArrowRight", "ArrowLeft", 1] : ["ArrowLeft", "ArrowRight", -1];
    if (row.length > 1) {
      await page.keyboard.press(way[0]);
      equal((await focused()).id, row[at + way[2]], way[0]);
      await page.keyboard.press(way[1]);
      equal((await focused()).id, child.id, way[1]);
    }
    await page.keyboard.press(down);
    equal((await focused()).id, root.id, "towards the root");
    await page.keyboard.press("End");
    const end = await focused();
    let walked = root;
    while (children(walked).length) walked = children(walked).find((c) => c.w === widest(walked));
    equal(end.level, walked.level, "level of the end of the widest path");
    for (const key of ["Enter", " "]) {
      await page.keyboard.press(key);
      isZoomed((await graphs(page))[0], end);
      await page.keyboard.press("Escape");
      await isReset(page);
    }
    await page.keyboard.press("Home");
    equal((await focused()).id, root.id, "Home");
  },

  async "tells a hovered frame's details"(session) {
    const page = await session.open();
    const target = inner((await graphs(page))[0]);
    await frame(page, target.id).locator("rect").hover();
    const told = await page.locator(".details").first().textContent();
    const wanted = target.title.split("\n").join(" · ");
    assert(told === wanted || (told.endsWith("..") && wanted.startsWith(told.slice(0, -2))), `details '${told}', not '${wanted}'`);
  },

  async "searches, and says how much it found"(session) {
    const page = await session.open();
    const all = await graphs(page);
    const target = inner(all[0]);
    await page.keyboard.press("/");
    const says = async (pattern, matches, what) => {
      await type(page, pattern);
      const found = await label(page);
      const marked = await graphs(page);
      const parts = found.split("; ");
      all.forEach((graph, i) => {
        const count = graph.frames.filter((f) => matches(f.name)).length;
        const part = `${(100 * graph.share * share(graph, matches)).toFixed(1)} %`;
        const wanted = `${count} ${count === 1 ? "frame" : "frames"}, ${part} of ${graph.whole}`;
        assert(parts[i].includes(wanted), `${what}: '${parts[i]}', not '${wanted}'`);
        const names = marked[i].frames.filter((f) => f.classes.includes("matched")).map((f) => f.name);
        equal(names, graph.frames.filter((f) => matches(f.name)).map((f) => f.name), `${what}: what is marked`);
      });
      return found;
    };
    assert(await page.locator(SEARCH).evaluate((field) => field === document.activeElement), "/ does not lead to the search");
    for (const word of ["lock", "spin|mutex|futex", "^_", "e$", target.name.replace(/\W/g, ".").slice(0, 60)]) {
      const expression = new RegExp(word, /[A-Z]/.test(word) ? "" : "i");
      await says(word, (name) => expression.test(name), `search of ${word}`);
    }
    const letters = target.name.match(/[a-z]{3,}/)?.[0];
    if (letters) await says(letters.toUpperCase(), (name) => name.includes(letters.toUpperCase()), "search with capitals");
    await says("\\Dsyscall", (name) => /\Dsyscall/i.test(name), "a class is no capital letter");
    const plain = await says("lock(", (name) => name.toLowerCase().includes("lock("), "no regular expression");
    assert(plain.includes("plain text"), `'${plain}' does not say that the search was for plain text`);
    await page.keyboard.press("Escape");
    equal([await label(page), await searched(page)], ["", ""], "search after Escape");
    equal(await page.locator(".matched").count(), 0, "marked frames after Escape");
  },

  async "says how much of the zoomed part it found"(session) {
    const page = await session.open();
    const [graph] = await graphs(page);
    const target = inner(graph);
    await click(page, target.id);
    await type(page, "lock|spin");
    const part = share(graph, (name) => /lock|spin/i.test(name), target);
    const wanted = `${(100 * part).toFixed(1)} % of what is shown`;
    assert((await label(page)).includes(wanted), `'${await label(page)}' lacks '${wanted}'`);
  },

  async "takes Ctrl-F once"(session) {
    const page = await session.open();
    await page.evaluate(() => {
      window.taken = [];
      addEventListener("keydown", (event) => { if (event.key === "f") window.taken.push(event.defaultPrevented); });
    });
    await page.keyboard.press("Control+f");
    assert(await page.locator(SEARCH).evaluate((field) => field === document.activeElement), "Ctrl-F does not lead to the search");
    await page.keyboard.press("Control+f");
    equal(await page.evaluate(() => window.taken), [true, false], "Ctrl-F is taken from the browser");
  },

  async "keeps zoom and search in its address"(session) {
    const page = await session.open({ hash: "#elsewhere" });
    const target = inner((await graphs(page))[0]);
    await click(page, target.id);
    await type(page, "a&b=c|lock %");
    const hash = new URL(page.url()).hash;
    equal(hash, `#elsewhere&zoom=${target.id}&search=${encodeURIComponent("a&b=c|lock %")}`, "address");
    const other = await session.open({ hash });
    isZoomed((await graphs(other))[0], target);
    equal(await searched(other), "a&b=c|lock %", "search of the permalink");
    equal(await label(other), await label(page), "found by the permalink");
    await other.evaluate(() => { location.hash = "#there"; });
    await settled(other);
    isZoomed((await graphs(other))[0], target);
    await other.evaluate(() => { location.hash = "#search=lock"; });
    await settled(other);
    await isReset(other);
    equal(await searched(other), "lock", "search after a change of the address");
    await isReset(await session.open({ hash: "#zoom=%E0%A4%A&search=" }));
  },

  async "shows labels and titles without a script"(session) {
    const page = await session.open({ script: false });
    for (const { frames } of await graphs(page)) {
      const bare = frames.find((f) => f.right - f.left > 60 && f.name.trim() && !f.label);
      assert(!bare, `'${bare?.name}' has no label`);
      for (const f of frames.filter((f) => f.label)) {
        assert(f.labelRight <= f.right + 2, `label '${f.label}' overflows its frame by ${f.labelRight - f.right} px`);
        assert(f.label === f.name || f.name.startsWith(f.label.replace(/(\.\.|…)$/, "")), `'${f.label}' is not of '${f.name}'`);
      }
      assert(frames.every((f) => f.title.includes("\n")), "a frame has no tooltip");
    }
    equal(await page.locator("output.matches").count(), 0, "tools without a script");
  },

  async "prints on white, without its tools"(session) {
    const page = await session.open({ scheme: "dark" });
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    const ground = await page.evaluate(() => {
      const rect = document.querySelector("svg.flame > .ground");
      return rect ? getComputedStyle(rect).fill : getComputedStyle(document.body).backgroundColor;
    });
    assert(["rgb(255, 255, 255)", "rgba(0, 0, 0, 0)"].includes(ground), `the paper is ${ground}`);
    assert(!(await page.locator(SEARCH).isVisible()), "the search is printed");
    const { value, where } = await leastContrast(page);
    assert(value >= 4.5, `contrast of ${value.toFixed(2)} in print for ${where}`);
    await session.picture(page, "print");
  },
};
