// Checks files in a real browser: node run.mjs SPEC.json, where SPEC is
// {"folder": for files that are made, "files": [{"file", "names": […], "shares": {pattern: part}, "only": words of a check}]}.
// Prints a line for every check that fails, and ends with 1 then.
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { launch, Session } from "./browser.mjs";
import { graphChecks } from "./graph.mjs";
import { pageChecks } from "./page.mjs";
import { svgChecks, truthChecks } from "./svg.mjs";

/** A promise that fails after so many seconds. */
function within(seconds, promise) {
  let timer;
  const end = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Error(`took longer than ${seconds} s`)), seconds * 1000);
  });
  return Promise.race([promise, end]).finally(() => clearTimeout(timer));
}

const { folder, files } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const pictures = process.env.LOCKBLAME_SCREENSHOTS || join(folder, "pictures");
const browser = await launch();
let [done, failed] = [0, 0];
for (const spec of files) {
  const kind = spec.file.endsWith(".html") ? pageChecks : svgChecks;
  for (const [name, check] of Object.entries({ ...kind, ...graphChecks, ...truthChecks })) {
    const only = process.env.ONLY ?? spec.only;
    if (only && !name.includes(only)) continue;
    const session = new Session(browser, spec.file, pictures);
    const problems = [];
    try {
      await within(90, check(session, { ...spec, folder }));
    } catch (error) {
      problems.push(error.message.split("\n").slice(0, 3).join(" "));
    }
    problems.push(...new Set(await session.close()));
    for (const problem of problems) console.log(`${basename(spec.file)}: ${name}: ${problem}`);
    done += 1;
    failed += Number(problems.length > 0);
  }
}
await browser.close();
console.log(`${done} checks, ${failed} failed`);
process.exitCode = failed || !done ? 1 : 0;
