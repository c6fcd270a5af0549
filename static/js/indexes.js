// @ts-check
/** The box on top of an index: entries that hold all of its words stay. With several pages, it looks through all. */

function startFilter() {
  const field = /** @type {HTMLInputElement | null} */ (one("#filter"));
  if (!field) return;
  const own = all(".entries > .entry").map((entry) => ({ entry, text: (entry.textContent ?? "").toLowerCase() }));
  field.addEventListener("input", () => void filter(field.value, own));
  field.addEventListener("keydown", (event) => {
    const first = own.find(({ entry }) => !entry.hidden)?.entry;
    if (event.key === "Enter") one("a", first)?.click();
  });
  if (field.value) void filter(field.value, own);
}

/** @param {string} typed @param {{entry: HTMLElement, text: string}[]} own */
async function filter(typed, own) {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const holds = (/** @type {string} */ text) => words.every((word) => text.includes(word));
  for (const { entry, text } of own) entry.hidden = !holds(text);
  for (const section of all("main > section")) section.hidden = !all(".entry", section).some((entry) => !entry.hidden);
  const search = /** @type {HTMLAnchorElement | null} */ (one(".filter a"));
  if (search) search.search = words.length ? `?${new URLSearchParams({ q: typed })}` : "";
  const elsewhere = words.length ? await otherPages(holds) : 0;
  const count = own.filter(({ entry }) => !entry.hidden).length + elsewhere;
  const output = one(".filter output");
  const isNone = words.length > 0 && !count;
  if (output) output.textContent = !words.length ? "" : isNone ? say("found_none") : say("matches", { count });
  if (!words.length) for (const entry of all(".entries > .other")) entry.remove();
}

/** Shows what matches on the index's other pages. @param {(text: string) => boolean} holds @returns {Promise<number>} */
async function otherPages(holds) {
  const list = one(".entries");
  const href = document.body.dataset.entries;
  if (!href || !list) return 0;
  const url = new URL(href, location.href).href;
  /** @type {string[][]} */
  const rows = JSON.parse(await late(url));
  for (const entry of all(".other", list)) entry.remove();
  const here = new Set(all("a.title", list).map((link) => /** @type {HTMLAnchorElement} */ (link).href));
  const found = rows.filter(([, title, prompt]) => holds(`${title} ${prompt}`.toLowerCase()));
  const items = found.flatMap((row) => otherEntry(row, url, here));
  list.append(...items);
  return items.length;
}

/** @param {string[]} row @param {string} url @param {Set<string>} here */
function otherEntry([href = "", title = "", prompt = "", date = ""], url, here) {
  const absolute = new URL(href, url).href;
  if (here.has(absolute)) return [];
  const item = make("li", "entry other");
  const link = make("a", "title");
  link.append(make("bdi", "", title));
  link.href = absolute;
  item.append(link, make("time", "", date), make("p", "prompt", prompt));
  return [item];
}
