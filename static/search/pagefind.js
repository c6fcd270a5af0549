// @ts-check
/** On a server: Pagefind, which loads no more of its index than a word needs. Each result is a message. */

/** @typedef {{meta: Record<string, string>, excerpt: string}} Message */
/** @typedef {{data(): Promise<Message>}} Result */

const pageOfHits = 20;

/** The excerpt comes as HTML; only its text and its marks are taken. @param {string} html */
function excerptOf(html) {
  const fragment = document.createDocumentFragment();
  for (const node of new DOMParser().parseFromString(html, "text/html").body.childNodes) {
    const text = node.textContent ?? "";
    fragment.append(node.nodeName === "MARK" ? element("mark", "", text) : text);
  }
  return fragment;
}

/** @param {string} code @returns {[href: string, title: string, day: string, who: string]} */
function placeOf(code) {
  const bytes = Uint8Array.from(atob(code.replace(/-/g, "+").replace(/_/g, "/")), (char) => char.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(bytes));
}

/** Messages of one conversation that follow each other stand under one title. @param {Message[]} messages */
function hitsOf(messages) {
  const site = new URL("../", location.href);
  /** @type {Hit[]} */
  const hits = [];
  for (const { meta, excerpt } of messages) {
    const [at, title, day, who] = placeOf(meta.place ?? "");
    const href = new URL(at, site).href;
    const page = href.split("#")[0] ?? "";
    const last = hits.at(-1);
    const line = { href, who, text: excerptOf(excerpt) };
    if (last && last.title === title && last.lines[0]?.href.split("#")[0] === page) last.lines.push(line);
    else hits.push({ href: page, day, title, lines: [line] });
  }
  return hits;
}

/** @param {HTMLInputElement} field @param {string} folder */
function startPagefind(field, folder) {
  const list = /** @type {HTMLElement} */ (document.querySelector("#results"));
  const output = /** @type {HTMLElement} */ (document.querySelector(".query output"));
  const more = /** @type {HTMLButtonElement} */ (document.querySelector("#more"));
  /** @type {Result[]} */
  let waiting = [];
  const show = async () => {
    const next = waiting.splice(0, pageOfHits);
    const messages = await Promise.all(next.map((result) => result.data()));
    list.append(...hitsOf(messages).map(hitItem));
    more.hidden = !waiting.length;
  };
  const search = async () => {
    const typed = field.value.trim();
    const address = new URL(location.href);
    address.search = typed ? `?${new URLSearchParams({ q: typed })}` : "";
    history.replaceState(null, "", address);
    const pagefind = await import(`${folder}pagefind.js`);
    const found = typed ? await pagefind.debouncedSearch(typed, {}, 150) : { results: [] };
    if (!found || field.value.trim() !== typed) return; // more was typed meanwhile
    waiting = [...found.results];
    output.textContent = typed ? searchSay(waiting.length ? "count" : "none", { count: waiting.length }) : "";
    list.replaceChildren();
    await show();
  };
  const say = () => (output.textContent = searchSay("failed"));
  field.addEventListener("input", () => void search().catch(say));
  field.form?.addEventListener("submit", (event) => event.preventDefault());
  more.addEventListener("click", () => void show());
  field.value = new URLSearchParams(location.search).get("q") ?? field.value;
  field.focus();
  if (field.value) void search().catch(say);
}
