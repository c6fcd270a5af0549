// @ts-check
/** On disk: titles and prompts, from scripts that stand beside the pages, loaded when the first letter is typed. */

/** @typedef {[title: string, day: string, href: string, prompts: [href: string, text: string][]]} DiskRow */

const mostHits = 50;
const mostLines = 4;

/** @type {Promise<DiskRow[]> | null} */
let diskRows = null;

/** @param {string} folder @returns {Promise<DiskRow[]>} */
function loadDisk(folder) {
  return new Promise((resolve, reject) => {
    /** @type {DiskRow[]} */
    const rows = [];
    const load = (/** @type {number} */ number) => {
      const script = document.createElement("script");
      script.src = `${folder}${number}.js`;
      script.onerror = () => reject(new Error(`no ${script.src}`));
      document.head.append(script);
    };
    Object.assign(globalThis, {
      sitegenIndex: (/** @type {number} */ number, /** @type {boolean} */ isLast, /** @type {DiskRow[]} */ more) => {
        rows.push(...more);
        if (isLast) resolve(rows);
        else load(number + 1);
      },
    });
    load(0);
  });
}

/** @param {DiskRow} row @param {string[]} wanted @param {URL} site @returns {Hit[]} */
function diskHit([title, day, href, prompts], wanted, site) {
  const name = title.toLowerCase();
  const isTitle = wanted.every((word) => name.includes(word));
  const lines = prompts.filter(([, text]) => {
    const lower = text.toLowerCase();
    return wanted.every((word) => lower.includes(word) || name.includes(word)) &&
      wanted.some((word) => lower.includes(word));
  });
  if (!isTitle && !lines.length) return [];
  const shown = lines.slice(0, mostLines).map(([place, text]) => ({
    href: new URL(place, site).href, who: "prompt", text: markedText(around(text, wanted), wanted),
  }));
  return [{ href: new URL(href, site).href, day, title, lines: shown }];
}

/** The stretch of a text in which something was found. @param {string} text @param {string[]} wanted */
function around(text, wanted) {
  const first = Math.min(...wanted.map((word) => text.toLowerCase().indexOf(word)).filter((at) => at >= 0));
  const start = first > 60 ? text.indexOf(" ", first - 50) + 1 : 0;
  return (start ? "… " : "") + text.slice(start, start + 180) + (text.length > start + 180 ? " …" : "");
}

/** @param {HTMLInputElement} field @param {HTMLElement} body */
function startDisk(field, body) {
  const list = element("ol", "entries");
  const section = element("section", "results", element("h2", "", searchSay("within")), list);
  section.hidden = true;
  const output = /** @type {HTMLElement | null} */ (document.querySelector(".filter output"));
  field.closest(".filter")?.after(section);
  const site = new URL(body.dataset.site ?? "", location.href);
  const folder = new URL(body.dataset.index ?? "", location.href).href;
  const search = async () => {
    const typed = field.value;
    const wanted = typed.toLowerCase().split(/\s+/).filter(Boolean);
    section.hidden = true;
    if (output) output.hidden = false;
    if (!wanted.length) return;
    diskRows ??= loadDisk(folder);
    diskRows.catch(() => (diskRows = null));
    const rows = await diskRows;
    if (field.value !== typed) return;
    const hits = rows.flatMap((row) => diskHit(row, wanted, site));
    list.replaceChildren(...hits.slice(0, mostHits).map(hitItem));
    if (hits.length > mostHits) list.append(element("li", "more", searchSay("more", { count: hits.length - mostHits })));
    section.hidden = !hits.length;
    if (output) output.hidden = !!hits.length; // it tells of the entries of this page only
  };
  field.addEventListener("input", () => void search());
  if (field.value) void search();
}
