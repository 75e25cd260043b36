// Opens files in Chromium and watches what no output of ours may do: print to the console, ask for anything, open a dialog.
import { mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const ARGUMENTS = [
  "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];

/** Starts the browser, with a profile of its own that it forgets. */
export function launch() {
  return chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ARGUMENTS });
}

/** What a check may do: open a file, and keep a picture. Everything that went wrong meanwhile is in `troubles`. */
export class Session {
  constructor(browser, file, pictures) {
    Object.assign(this, { browser, file, pictures, url: pathToFileURL(file).href, troubles: [], contexts: [] });
  }

  /** A new window with the file. `hash` is appended to its address, `file` stands for another file. */
  async open({ width = 1200, height = 800, scheme = "light", script = true, hash = "", file = this.file } = {}) {
    const context = await this.browser.newContext({
      viewport: { width, height }, colorScheme: scheme, javaScriptEnabled: script,
    });
    this.contexts.push(context);
    const page = await context.newPage();
    page.setDefaultTimeout(10_000);
    const url = pathToFileURL(file).href;
    page.on("console", (message) => this.troubles.push(`console: ${message.text()}`));
    page.on("pageerror", (error) => this.troubles.push(`exception: ${error.message}`));
    page.on("request", (request) => {
      if (request.url().split("#")[0] !== url) this.troubles.push(`request of ${request.url().slice(0, 200)}`);
    });
    page.on("dialog", (dialog) => {
      this.troubles.push(`dialog: ${dialog.message()}`);
      dialog.dismiss();
    });
    await page.goto(url + hash);
    if (script) await settled(page);
    if (await page.evaluate(() => "pwned" in window)) this.troubles.push("a script out of a name ran");
    return page;
  }

  async picture(page, name) {
    mkdirSync(this.pictures, { recursive: true });
    const full = basename(this.file).endsWith(".html");
    await page.screenshot({ path: join(this.pictures, `${basename(this.file)}-${name}.png`), fullPage: full });
  }

  async close() {
    for (const context of this.contexts.splice(0)) await context.close();
    return this.troubles.splice(0);
  }
}

/** Waits until what a change of size led to is drawn. */
export function settled(page) {
  return page.evaluate(async () => {
    await document.fonts?.ready;
    for (let i = 0; i < 3; i++) await new Promise((done) => { requestAnimationFrame(() => setTimeout(done)); });
  });
}

/** Types into the field of search, replacing what is there. Playwright's own `fill` knows no XHTML inside of an SVG. */
export async function type(page, text) {
  await page.locator(SEARCH).focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText(text);
  await settled(page);
}

export const SEARCH = ".graph-tools input";
export const searched = (page) => page.locator(SEARCH).evaluate((field) => field.value);

export function assert(holds, message) {
  if (!holds) throw new Error(message);
}

export function equal(found, wanted, what) {
  const [a, b] = [JSON.stringify(found), JSON.stringify(wanted)];
  assert(a === b, `${what}: ${a}, not ${b}`);
}

export function near(found, wanted, what, slack = 1) {
  assert(Math.abs(found - wanted) <= slack, `${what}: ${found}, not ${wanted}`);
}
