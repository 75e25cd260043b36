// Accessibility: every rule that axe has, in light and dark.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { assert } from "./browser.mjs";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Not for us: a contrast of 7 (AAA) leaves no room for colours of families, and a row of a flame graph is 15 px high. */
const LEFT_OUT = ["color-contrast-enhanced"];
const isRow = (rule, target) => rule === "target-size" && /frame/.test(target);

async function violations(page) {
  await page.evaluate(source);
  const found = await page.evaluate(async (leftOut) => {
    const { axe } = window;
    const rules = axe.getRules().map(({ ruleId }) => ruleId).filter((rule) => !leftOut.includes(rule));
    const results = await axe.run(document, {
      rules: Object.fromEntries(rules.map((rule) => [rule, { enabled: true }])), resultTypes: ["violations"],
    });
    return results.violations.flatMap(({ id, help, nodes }) => nodes.map(({ target }) => ({ id, help, target: target.join(" ") })));
  }, LEFT_OUT);
  return found.filter(({ id, target }) => !isRow(id, target));
}

export async function isAccessible(session, file) {
  for (const scheme of ["light", "dark"]) {
    const page = await session.open({ file, scheme });
    const found = (await violations(page)).map(({ id, help, target }) => `${id} (${help}) at ${target}`);
    assert(!found.length, `${scheme}: ${found.length} violations: ${found.slice(0, 5).join("; ")}`);
  }
}
