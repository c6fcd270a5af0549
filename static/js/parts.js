// @ts-check
/** The next part of a long conversation flows in as one reads towards it, a group at a time; heavy outputs when opened. */

/** Paths of the parts that are in this document. @type {Set<string>} */
const flowedIn = new Set();

let isLoading = false;

function watchEnd() {
  const nav = one(".parts");
  if (!nav) return;
  new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && void loadNext(), {
    rootMargin: "1500px",
  }).observe(nav);
}

async function loadNext() {
  const link = /** @type {HTMLAnchorElement | null} */ (one(".parts a[rel=next]"));
  const body = one(".conversation");
  if (isLoading || !body || !link) return;
  isLoading = true;
  const number = Number(document.body.dataset.last ?? document.body.dataset.part) + 1;
  const label = link.textContent;
  link.textContent = say("loading", { number });
  try {
    await flow(await late(link.href), link, body, number);
  } catch {
    link.before(`${say("load_failed")} `);
    link.rel = "";
    link.textContent = label;
  }
  isLoading = false;
}

/** @param {string} html @param {HTMLAnchorElement} link @param {HTMLElement} body @param {number} number */
async function flow(html, link, body, number) {
  const url = link.href.split("#")[0] ?? "";
  // Text in a page is escaped, so neither the tag nor the comment can stand in any.
  const [conversation = "", tail = ""] = html.split("<!--end-->");
  const [head = "", ...groups] = conversation.split('<div class="group">');
  const seam = make("p", "seam", say("part", { number }));
  body.append(seam);
  for (const group of groups) {
    body.append(placed(parse(`<div class="group">${group}`), url));
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
  flowedIn.add(url);
  document.body.dataset.last = String(number);
  const next = parse(head.slice(head.indexOf("<link"), head.indexOf("</head>"))).querySelector("link[rel=next]");
  if (next) {
    link.href = new URL(next.getAttribute("href") ?? "", url).href;
    link.textContent = one(".parts a", parse(tail))?.textContent ?? say("part", { number: number + 1 });
  } else link.closest(".parts")?.remove();
  markCurrent();
}

/** Links of another page's fragment, made to work here. @param {DocumentFragment} fragment @param {string} url */
function placed(fragment, url) {
  for (const name of ["href", "src"]) {
    for (const element of all(`[${name}]`, fragment)) {
      element.setAttribute(name, new URL(element.getAttribute(name) ?? "", url).href);
    }
  }
  openRuns(fragment);
  return fragment;
}

/** An output that is a file of its own comes in when its fold opens. @param {Event} event */
async function openLate(event) {
  const fold = targetOf(event);
  const link = fold?.matches("[open]") ? one(":scope > .detail > .heavy > a", fold) : null;
  if (!link) return;
  const { href } = /** @type {HTMLAnchorElement} */ (link);
  try {
    const content = one(".late", placed(parse(await late(href)), href));
    if (content) link.closest(".detail")?.replaceChildren(...content.childNodes);
  } catch {
    return; // it stays a plain link
  }
}
