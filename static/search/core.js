// @ts-check
/** Search across the site: what both kinds have in common. These files are joined into a script of their own. */

/** @typedef {{href: string, day: string, title: string, lines: {href: string, who: string, text: Node}[]}} Hit */

/** @type {Record<string, string>} */
let searchWords = {};

/** @param {string} key @param {Record<string, string | number>} [values] */
function searchSay(key, values = {}) {
  return (searchWords[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name @param {string} className @param {...(Node | string)} content @returns {HTMLElementTagNameMap[Name]}
 */
function element(name, className, ...content) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...content);
  return made;
}

/** @param {string} href @param {string} className @param {...(Node | string)} content */
function linkTo(href, className, ...content) {
  const link = element("a", className, ...content);
  link.href = href;
  return link;
}

/** One conversation with the places in it. @param {Hit} hit */
function hitItem(hit) {
  const item = element("li", "entry");
  item.append(linkTo(hit.href, "title", element("bdi", "", hit.title)));
  if (hit.day) item.append(element("span", "day", hit.day));
  const lines = hit.lines.map(({ href, who, text }) =>
    element("li", "", linkTo(href, "who", searchSay(who)), " ", element("bdi", "", text)));
  if (lines.length) item.append(element("ul", "lines", ...lines));
  return item;
}

/** Text with the words that were looked for marked. @param {string} text @param {string[]} wanted */
function markedText(text, wanted) {
  const fragment = document.createDocumentFragment();
  const lower = text.toLowerCase();
  const isSame = lower.length === text.length;
  let at = 0;
  while (isSame) {
    const found = wanted.map((word) => ({ word, start: lower.indexOf(word, at) })).filter(({ start }) => start >= 0);
    const next = found.sort((a, b) => a.start - b.start || b.word.length - a.word.length)[0];
    if (!next) break;
    const end = next.start + next.word.length;
    fragment.append(text.slice(at, next.start), element("mark", "", text.slice(next.start, end)));
    at = end;
  }
  fragment.append(text.slice(at));
  return fragment;
}
