// Checks of an SVG that stands alone.
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { isAccessible } from "./axe.mjs";
import { assert, near, type } from "./browser.mjs";
import { graphs } from "./facts.mjs";

export const svgChecks = {
  async "is well-formed"(session) {
    const page = await session.open();
    const broken = await page.evaluate(() => document.querySelector("parsererror")?.textContent);
    assert(!broken, `the XML is broken: ${broken}`);
    assert((await page.evaluate(() => document.documentElement.localName)) === "svg", "the root is no svg");
  },

  async "is accessible inside of a page"(session, { folder }) {
    const svg = readFileSync(session.file, "utf8").replace(/^<\?xml[^>]*>\s*(<!DOCTYPE[^>]*>)?/, "");
    const file = join(folder, `${basename(session.file)}.html`);
    const head = '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">';
    writeFileSync(file, `${head}<title>A graph</title><style>body { background: var(--paper); color: var(--ink); }</style></head><body><main><h1>A graph</h1>${svg}</main></body></html>`);
    await isAccessible(session, file);
  },
};

/** Names that the file must hold as they are, and parts of the total that a search must find. */
export const truthChecks = {
  async "holds the names that it was made of"(session, { names = [] }) {
    const [{ frames }] = await graphs(await session.open());
    const there = new Set(frames.map((f) => f.name));
    for (const name of names) assert(there.has(name), `no frame is named ${JSON.stringify(name.slice(0, 200))}`);
  },

  async "finds the parts of the total that others counted"(session, { shares = {} }) {
    const page = await session.open();
    for (const [pattern, share] of Object.entries(shares)) {
      await type(page, pattern);
      const text = await page.locator("output.matches").textContent();
      near(parseFloat(/([\d.]+) % of total/.exec(text)?.[1]), 100 * share, `part of '${pattern}' in percent`, 0.0501);
    }
  },
};
