// Sorting, filters, copying and the choice of a theme. The page is whole without it.
(() => {
  "use strict";

  /** A new element. */
  function make(name, properties, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  }

  /** What a cell is sorted by: its number, or its text. A cell without its number comes last. */
  function keyOf(row, column, isNumber) {
    const cell = row.cells[column];
    if (!isNumber) return cell.textContent.trim().toLowerCase();
    return cell.dataset.value === undefined ? NaN : Number(cell.dataset.value);
  }

  function compare(a, b, sign) {
    if (typeof a === "string") return sign * a.localeCompare(b, "en", { numeric: true });
    if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
    return sign * (a - b);
  }

  /** Numbers are sorted largest first at first, names from A on. */
  function sort(table, heads, column) {
    const head = heads[column];
    const isNumber = head.classList.contains("number");
    const first = isNumber ? "descending" : "ascending";
    const second = isNumber ? "ascending" : "descending";
    const order = head.getAttribute("aria-sort") === first ? second : first;
    for (const other of heads) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", order);
    const sign = order === "ascending" ? 1 : -1;
    const body = table.tBodies[0];
    const keyed = [...body.rows].map((row, at) => ({ row, at, key: keyOf(row, column, isNumber) }));
    keyed.sort((a, b) => compare(a.key, b.key, sign) || a.at - b.at);
    body.append(...keyed.map(({ row }) => row));
  }

  function makeSortable(table) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = make("button", { type: "button", title: "Sort by this column" }, ...head.childNodes);
      button.addEventListener("click", () => sort(table, heads, column));
      head.append(button);
    });
  }

  function makeFilter(table) {
    const rows = [...table.tBodies[0].rows].map((row) => ({ row, text: row.textContent.toLowerCase() }));
    const id = `${table.id}-filter`;
    const input = make("input", { type: "search", className: "filter", id, autocomplete: "off", spellcheck: false });
    const told = make("span", { className: "told" });
    told.setAttribute("aria-live", "polite");
    input.setAttribute("aria-controls", table.id);
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/);
      let shown = 0;
      for (const { row, text } of rows) {
        row.hidden = !words.every((word) => text.includes(word));
        shown += row.hidden ? 0 : 1;
      }
      told.textContent = input.value ? `${shown} of ${rows.length} rows` : "";
    });
    const of = make("span", { className: "unseen" }, table.caption.textContent);
    const label = make("label", { htmlFor: id }, `Filter ${rows.length} rows `, of);
    table.parentElement.before(make("p", { className: "filters" }, label, " ", input, " ", told));
  }

  /** Pages that are files may have no clipboard: then the text is selected and copied as a user would. */
  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      const area = make("textarea", { value: text, readOnly: true, className: "away" });
      const focused = document.activeElement;
      document.body.append(area);
      area.select();
      let done = false;
      try {
        done = document.execCommand("copy");
      } catch {
        // Told below.
      }
      area.remove();
      focused?.focus();
      return done;
    }
  }

  function makeCopy(button) {
    const source = document.getElementById(button.dataset.copy);
    const words = button.textContent;
    const told = make("span", { className: "told" });
    told.setAttribute("role", "status");
    button.after(" ", told);
    button.hidden = false;
    button.addEventListener("click", async () => {
      const done = await copy(source.textContent);
      told.textContent = done ? "copied" : "not copied: select the text below";
      button.classList.toggle("done", done);
      setTimeout(() => { told.textContent = ""; button.classList.remove("done"); }, 4000);
    });
    button.setAttribute("aria-label", words);
  }

  const KEY = "lockblame-theme";

  function stored() {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null;
    }
  }

  function makeTheme(button) {
    const root = document.documentElement;
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const current = () => root.dataset.theme ?? (dark.matches ? "dark" : "light");
    const tell = () => { button.textContent = current() === "dark" ? "Light theme" : "Dark theme"; };
    if (["dark", "light"].includes(stored())) root.dataset.theme = stored();
    button.addEventListener("click", () => {
      root.dataset.theme = current() === "dark" ? "light" : "dark";
      try {
        localStorage.setItem(KEY, root.dataset.theme);
      } catch {
        // It holds for this view.
      }
      tell();
    });
    dark.addEventListener("change", tell);
    tell();
    button.hidden = false;
  }

  document.querySelectorAll("table.sortable").forEach((table) => { makeFilter(table); makeSortable(table); });
  document.querySelectorAll("button.copy").forEach(makeCopy);
  document.querySelectorAll("button.theme").forEach(makeTheme);
  // What is folded is printed too.
  const folded = () => document.querySelectorAll("details:not([open])");
  addEventListener("beforeprint", () => folded().forEach((one) => { one.open = true; one.dataset.unfolded = ""; }));
  addEventListener("afterprint", () => document.querySelectorAll("details[data-unfolded]").forEach((one) => {
    one.open = false;
    delete one.dataset.unfolded;
  }));
})();
