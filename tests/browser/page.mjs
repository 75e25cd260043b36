// Checks of the page: its tables, its buttons, and that its graphs go together.
import { isAccessible } from "./axe.mjs";
import { assert, equal, settled } from "./browser.mjs";
import { graphs } from "./facts.mjs";

const cells = (table, column) =>
  table.locator("tbody tr:visible").evaluateAll((rows, at) => rows.map((row) => row.cells[at].textContent.trim()), column);

/** The number that a cell shows, if it shows one: `1,234`, `-86.70 points`, `12.3 %`. */
function shown(text) {
  const number = /^[<~≈]?\s*([-+−]?[\d,]*\.?\d+)/.exec(text)?.[1];
  return number === undefined ? undefined : Number(number.replaceAll(",", "").replace("−", "-"));
}

/** Numbers are as large as what is shown, but for its rounding; cells without one come last. Else it is text. */
function isOrdered(texts, step, isNumber) {
  if (!isNumber) {
    const words = texts.map((text) => text.toLowerCase());
    return words.every((word, i) => i === 0 || step * words[i - 1].localeCompare(word, "en", { numeric: true }) <= 0);
  }
  const numbers = texts.map(shown);
  const known = numbers.filter((number) => number !== undefined);
  return known.every((number, i) => i === 0 || step * (known[i - 1] - number) <= 1e-9);
}

export const pageChecks = {
  async "is accessible"(session) {
    await isAccessible(session, session.file);
  },

  async "sorts its tables"(session) {
    const page = await session.open();
    const tables = await page.locator("table.sortable").all();
    assert(tables.length, "the page has no table to sort");
    for (const table of tables) {
      const headings = await table.locator("thead th").all();
      for (const [column, th] of headings.entries()) {
        const button = th.locator("button");
        if (!(await button.count())) continue;
        const before = (await cells(table, column)).toSorted();
        for (const round of [1, 2]) {
          await button.click();
          const order = await th.getAttribute("aria-sort");
          assert(["ascending", "descending"].includes(order), `column ${column}: aria-sort is ${order}`);
          const texts = await cells(table, column);
          equal(texts.toSorted(), before, `rows of column ${column}`);
          const isNumber = await th.evaluate((node) => node.classList.contains("number"));
          assert(isOrdered(texts, order === "ascending" ? 1 : -1, isNumber), `column ${column} is not ${order} in round ${round}: ${texts.slice(0, 8)}`);
        }
        equal(await table.locator("th[aria-sort=ascending], th[aria-sort=descending]").count(), 1, "sorted columns");
      }
    }
  },

  async "filters its tables"(session) {
    const page = await session.open();
    const filters = await page.locator("input.filter").all();
    assert(filters.length, "the page has no filter");
    const shown = () => page.locator("table.sortable tbody tr:visible").allTextContents();
    for (const filter of filters) {
      assert(await filter.evaluate((field) => field.labels.length > 0), "a filter has no label");
      const all = await shown();
      await filter.fill("no row has this");
      assert((await shown()).length < all.length, "a filter hides no row");
      await filter.fill("");
      equal(await shown(), all, "rows after the filter is cleared");
    }
    const row = (await shown())[0];
    const word = /[a-z_]{5,}/i.exec(row)[0];
    await filters[0].fill(word.toUpperCase());
    const table = page.locator("table.sortable").first();
    const kept = await table.locator("tbody tr:visible").allTextContents();
    assert(kept.length && kept.every((text) => text.toLowerCase().includes(word.toLowerCase())), `rows without ${word} stay`);
  },

  async "copies what its buttons name"(session) {
    const page = await session.open();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const buttons = await page.locator("button.copy").all();
    assert(buttons.length, "the page has no copy button");
    for (const button of buttons) {
      const id = await button.getAttribute("data-copy");
      const wanted = await page.evaluate((name) => document.getElementById(name)?.textContent, id);
      assert(wanted, `nothing to copy has the id ${id}`);
      await button.evaluate((node) => { for (let up = node; up; up = up.parentElement) if (up.localName === "details") up.open = true; });
      await button.click();
      await settled(page);
      equal((await page.evaluate(() => navigator.clipboard.readText())).trimEnd(), wanted.trimEnd(), `clipboard after ${id}`);
    }
  },

  async "zooms its graphs together"(session) {
    const page = await session.open();
    const all = await graphs(page);
    const [first] = all;
    const width = (f) => f.right - f.left;
    // One that every graph has, and one that some graph lacks, if there are such.
    const has = (graph, f) => graph.frames.some((other) => other.id === f.id);
    const can = first.frames.filter((f) => f.level > 1 && width(f) > 12 && width(f) < 0.95 * width(first.frames[0]));
    const targets = [can.find((f) => all.every((graph) => has(graph, f))), can.find((f) => all.some((graph) => !has(graph, f)))];
    for (const target of targets.filter(Boolean)) {
      await page.locator("svg.flame:has(svg.frames)").first().locator(`g.frame[data-id="${target.id}"] > rect`).first().click();
      await settled(page);
      for (const graph of await graphs(page)) {
        const there = graph.frames.find((f) => f.id === target.id);
        const note = await page.locator(`#graph-${graph.id} .graph-note`).textContent();
        equal(note, there ? "" : "not in this graph", `note at ${graph.id}`);
        if (there?.w > 0) assert(Math.abs(width(there) - (graph.right - graph.left)) < 1, `${graph.id} is not zoomed to '${there.name}'`);
        if (!there) assert(graph.frames.every((f) => f.w === 0 || f.shown), `${graph.id} lost its view`);
      }
      await page.getByRole("button", { name: "Reset zoom" }).click();
    }
  },

  async "opens caller trees by keyboard"(session) {
    const page = await session.open();
    const details = page.locator("details:has(details)").first();
    if (!(await details.count())) return;
    const summary = details.locator("> summary");
    await summary.focus();
    const before = await details.evaluate((node) => node.open);
    await page.keyboard.press("Enter");
    equal(await details.evaluate((node) => node.open), !before, "a caller tree after Enter");
    await page.keyboard.press(" ");
    equal(await details.evaluate((node) => node.open), before, "a caller tree after Space");
  },

  async "switches its theme"(session) {
    for (const scheme of ["light", "dark"]) {
      const page = await session.open({ scheme });
      const colours = () => page.evaluate(() => [document.body, document.querySelector("svg.frames g.root > rect")]
        .map((node) => getComputedStyle(node)).map(({ backgroundColor, fill }) => [backgroundColor, fill].join()));
      const seen = new Set();
      for (let i = 0; i < 4; i++) {
        seen.add((await colours()).join(" "));
        await page.locator("button.theme").click();
        await settled(page);
      }
      equal(seen.size, 2, `pairs of colours that the theme button leads to from ${scheme}`);
    }
  },
};
